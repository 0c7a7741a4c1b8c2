"""Python bindings: what a name stands for (assignment, annotation, loop, with, return) and what is read as a value.

Nothing is followed here. Each expression is written in a normal form that a resolver can follow: `a.b().c[]` is the
attribute `c`, subscripted, of what `a.b` gives when it is called. Arguments are left out; `|` stands between
alternatives, `: ` before an annotation, `?` for what has no such form.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from zerikai_memory.lang.spec import Match, Mention
from zerikai_memory.lang.text import Source, fold
from zerikai_memory.model import ReferenceKind

if TYPE_CHECKING:
    from tree_sitter import Node

UNKNOWN = "?"
_MAX_FORM = 100  # characters; a longer chain is followed by nobody
_MAX_DEPTH = 12  # links of a chain
_MAX_ALL = 20_000  # characters of the names in `__all__`
_LITERALS = {
    "string": "str()", "concatenated_string": "str()", "list": "list()", "list_comprehension": "list()",
    "dictionary": "dict()", "dictionary_comprehension": "dict()", "set": "set()", "set_comprehension": "set()",
    "tuple": "tuple()", "expression_list": "tuple()", "integer": "int()", "float": "float()", "true": "bool()",
    "false": "bool()", "comparison_operator": "bool()", "not_operator": "bool()", "none": "None",
    "lambda": "lambda", "generator_expression": "iter()",
}  # fmt: skip
# The name under which the lines of a conditional block are kept; no name of Python has a blank.
BLOCK = "a block"
_BINDING = frozenset(
    "expression_statement import_statement import_from_statement function_definition decorated_definition "
    "class_definition with_statement try_statement for_statement".split()
)
_SEQUENCES = ("pattern_list", "tuple_pattern", "list_pattern", "tuple", "list", "expression_list")


def form(node: Node | None, source: Source, depth: int = 0) -> str:
    """Normal form of an expression, `?` where it has none."""
    if node is None or depth > _MAX_DEPTH:
        return UNKNOWN
    text = UNKNOWN
    if node.type == "identifier":
        text = source.text(node)
    elif node.type == "attribute":
        text = f"{form(node.child_by_field_name('object'), source, depth + 1)}.{_field(node, 'attribute', source)}"
    elif node.type == "call":
        text = _wrapped(node, source, depth) or form(node.child_by_field_name("function"), source, depth + 1) + "()"
    elif node.type == "subscript":
        text = form(node.child_by_field_name("value"), source, depth + 1) + "[]"
    elif node.type in ("await", "parenthesized_expression", "as_pattern"):
        text = form(_part(node, 0), source, depth + 1)
    elif node.type == "named_expression":
        text = form(node.child_by_field_name("value"), source, depth + 1)
    elif node.type == "assignment":
        text = form(node.child_by_field_name("right"), source, depth + 1)
    elif node.type == "conditional_expression":
        text = _either((_part(node, 0), _part(node, 2)), source, depth)
    elif node.type == "boolean_operator":
        text = _either((node.child_by_field_name("left"), node.child_by_field_name("right")), source, depth)
    elif node.type in _LITERALS:
        text = _LITERALS[node.type]
    return text if len(text) <= _MAX_FORM else UNKNOWN


def bindings(match: Match, source: Source) -> Iterable[Mention]:
    """Bindings that a statement makes, or the value that an expression reads."""
    node = match.node
    if match.label == "reference.value":
        return _value(node, source)
    if match.label == "reference.public":
        return _bind("__all__", _public(match.captures["value"][0], source), node)
    if match.label == "reference.block":
        return _block(node)
    if node.type in ("assignment", "augmented_assignment"):
        return _assignment(node, source)
    if node.type == "named_expression":
        return _bound(node.child_by_field_name("name"), form(node.child_by_field_name("value"), source), source)
    if node.type in ("for_statement", "for_in_clause"):
        element = form(node.child_by_field_name("right"), source) + "[]"
        return _bound(node.child_by_field_name("left"), element, source)
    if node.type == "as_pattern":
        return _as(node, source)
    if node.type in ("return_statement", "yield"):
        text = form(node.named_child(0), source) if node.named_child_count else "None"
        return _bind("return" if node.type == "return_statement" else "yield", text, node)
    if node.type == "lambda_parameters":
        return _lambda(node, source)
    return (mention for name in node.named_children for mention in _bind(source.text(name), "global", name))


def _wrapped(call: Node, source: Source, depth: int) -> str:
    """What `staticmethod(f)` makes a member of: `f`."""
    function, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
    if function is None or function.type != "identifier" or source.text(function) != "staticmethod":
        return ""
    held = _part(arguments, 0) if arguments is not None else None
    return form(held, source, depth + 1) if held is not None and held.type in ("identifier", "attribute") else ""


def _block(node: Node) -> Iterator[Mention]:
    """The lines of a conditional block that binds something, at its statement: the block itself may begin a `def`."""
    outer = node.parent
    if outer is not None and any(child.type in _BINDING and _may_bind(child) for child in node.named_children):
        yield Mention(ReferenceKind.BIND, BLOCK, "", outer.start_byte, node.byte_range)


def _may_bind(statement: Node) -> bool:
    first = statement.named_child(0) if statement.type == "expression_statement" else None
    return first is None or first.type in ("assignment", "named_expression")


def _assignment(node: Node, source: Source) -> Iterator[Mention]:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None:
        return
    if left.type == "identifier" and source.text(left) == "__all__" and right is not None:
        yield from _bind("__all__", _public(right, source), left)
        return
    if node.type == "augmented_assignment":
        return
    annotation = node.child_by_field_name("type")
    if annotation is not None:
        yield from _bound(left, ": " + fold(source.text(annotation)), source)
    elif right is not None and left.type in _SEQUENCES and right.type in _SEQUENCES:
        targets, values = left.named_children, right.named_children
        same = len(targets) == len(values) and not any(target.type == "list_splat_pattern" for target in targets)
        for index, target in enumerate(targets):
            yield from _bound(target, form(values[index], source) if same else UNKNOWN, source)
    else:
        yield from _bound(left, form(right, source), source)


def _bound(target: Node | None, text: str, source: Source) -> Iterator[Mention]:
    """The target's names bound to `text`; the parts of a sequence to something unknown."""
    if target is None:
        return
    if target.type == "identifier":
        yield from _bind(source.text(target), text, target)
    elif target.type == "attribute":
        owner = target.child_by_field_name("object")
        if owner is not None and owner.type == "identifier":
            yield from _bind(source.text(target), text, target)
    elif target.type in _SEQUENCES or target.type == "list_splat_pattern":
        for part in target.named_children:
            yield from _bound(part, UNKNOWN, source)


def _as(node: Node, source: Source) -> Iterator[Mention]:
    """`with X as name`, `except X as name`; a pattern of `match` binds something unknown."""
    value, alias = _part(node, 0), node.child_by_field_name("alias")
    around = node.parent.type if node.parent is not None else ""
    text = form(value, source)
    if around == "with_item":
        text += ".__enter__()"
    elif around in ("except_clause", "except_group_clause"):
        text = UNKNOWN if value is not None and value.type == "tuple" else text + "()"
    else:
        text = UNKNOWN
    if alias is not None:
        yield from _bound(_part(alias, 0), text, source)
    elif node.named_child_count > 1:
        yield from _bound(node.named_child(node.named_child_count - 1), text, source)


def _part(node: Node, place: int) -> Node | None:
    """A named child; broken code lacks some, and so does a bare `*` among parameters."""
    return node.named_child(place) if place < node.named_child_count else None


def _lambda(node: Node, source: Source) -> Iterator[Mention]:
    for parameter in node.named_children:
        name = parameter if parameter.type == "identifier" else parameter.child_by_field_name("name")
        name = name or _part(parameter, 0)
        if name is not None and name.type == "identifier":
            yield from _bind(source.text(name), UNKNOWN, name)


def _value(node: Node, source: Source) -> Iterator[Mention]:
    """A name that is read, but for the calls, targets and links of a chain that are recorded elsewhere."""
    parent = node.parent
    if parent is None or parent.type in (
        "attribute",
        "call",
        "decorator",
        "type",
        "as_pattern_target",
        "del_statement",
    ):
        return
    if parent.type in ("assignment", "for_statement", "for_in_clause", *_SEQUENCES[:3]):
        return
    if parent.type in ("keyword_argument", "default_parameter") and parent.child_by_field_name("value") != node:
        return
    text = form(node, source)
    if not text.startswith((UNKNOWN, "None")):
        yield Mention(ReferenceKind.BIND, "", text, node.start_byte)


def _bind(name: str, text: str, node: Node) -> Iterator[Mention]:
    if len(name) <= _MAX_FORM:
        limit = _MAX_ALL if name == "__all__" else 2 * _MAX_FORM
        yield Mention(ReferenceKind.BIND, name, text if len(text) <= limit else UNKNOWN, node.start_byte)


def _public(node: Node, source: Source) -> str:
    """What `__all__` gets: literal names, `*module` for the `__all__` of another, `?` for the rest; commas between."""
    parts: list[str] = []
    stack = [node]
    while stack:
        each = stack.pop()
        if each.type == "string":
            parts += [source.text(part) for part in each.named_children if part.type == "string_content"]
        elif each.type == "attribute" and _field(each, "attribute", source) == "__all__":
            parts.append("*" + form(each.child_by_field_name("object"), source))
        elif each.type in ("list", "tuple", "binary_operator", "list_splat", "parenthesized_expression"):
            stack.extend(reversed(each.named_children))
        elif each.type != "comment":
            parts.append(UNKNOWN)
    return ",".join(parts)


def _either(nodes: Iterable[Node | None], source: Source, depth: int) -> str:
    forms = dict.fromkeys(form(node, source, depth + 1) for node in nodes)
    forms.pop("None", None)
    return "|".join(forms) or "None"


def _field(node: Node, field: str, source: Source) -> str:
    child = node.child_by_field_name(field)
    return UNKNOWN if child is None else source.text(child)
