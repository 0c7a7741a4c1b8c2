"""Python: definitions, docstrings and references as the compiler sees them."""

from __future__ import annotations

import inspect
import re
import unicodedata
from collections.abc import Iterable
from typing import TYPE_CHECKING

from zerikai_memory.lang.python_aliases import is_alias
from zerikai_memory.lang.python_references import refer
from zerikai_memory.lang.registrations import REGISTERED, role_of
from zerikai_memory.lang.spec import Draft, Grammar, LanguageSpec, Match, Mention, declared
from zerikai_memory.lang.text import Source, fold, fold_range, shorten
from zerikai_memory.model import EntityType, ReferenceKind

if TYPE_CHECKING:
    from tree_sitter import Node

_ESCAPE = re.compile(r"\\(\n|[\\'\"abfnrtv]|[0-7]{1,3}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|N\{[^}]+\})")
_SIMPLE = {"\n": "", "\\": "\\", "'": "'", '"': '"', "a": "\a", "b": "\b", "f": "\f", "n": "\n"}
_SIMPLE |= {"r": "\r", "t": "\t", "v": "\v"}
_PARAMETER_NAME = re.compile(r"\*{0,2}\w+")
_VALUE_LIMIT = 120  # characters of a constant's signature: its value is in the body
_FUNCTIONS = (EntityType.FUNCTION, EntityType.METHOD, *REGISTERED)


def describe(match: Match, source: Source) -> Draft | None:
    """Draft of a Python definition: function, class, lambda, constant or type."""
    name = match.first("name")
    if name is None:
        return None
    kind = EntityType(match.label.partition(".")[2])
    if match.node.type == "function_definition":
        draft = _function(match.node, source.text(name), source)
    elif match.node.type == "class_definition":
        draft = _class(match.node, source.text(name), source)
    else:
        value = match.first("alias")
        return None if value is not None and not is_alias(value, source) else _assigned(kind, match, name, source)
    outer = match.first("outer")
    decorators = [node for node in outer.named_children if node.type == "decorator"] if outer is not None else []
    if decorators:
        # Not the comment behind it, which the grammar makes part of it.
        texts = [next((c for c in node.named_children if c.type != "comment"), node) for node in decorators]
        draft.decorators = tuple(fold(source.text(node).removeprefix("@")) for node in texts)
        draft.decorator_start = draft.outer_start = decorators[0].start_byte
        declares = list(draft.declares)
        for text, node in zip(draft.decorators, decorators, strict=True):
            declares += declared(ReferenceKind.DECORATE, text, node.start_byte)
            if role := role_of(text, draft.name):
                target = f"{role} -> {draft.name}"
                declares.append(Mention(ReferenceKind.REGISTER, draft.name, target, node.start_byte))
        draft.declares = tuple(declares)
    return draft


def _function(node: Node, name: str, source: Source) -> Draft:
    start = node.start_byte
    parameters = node.child_by_field_name("parameters")
    returns = node.child_by_field_name("return_type")
    body = node.child_by_field_name("body")
    head_end = (returns or parameters or node).end_byte
    if body is not None and head_end > body.start_byte:
        head_end = body.start_byte
    named = parameters.named_children if parameters is not None else []
    return Draft(
        EntityType.FUNCTION,
        name,
        start,
        _end(node, source),
        fold_range(source, start, head_end, _comments(named)),
        docstring=_docstring(body, source),
        params=tuple(_parameter_names(named, source)),
        return_type=None if returns is None else fold(source.text(returns)),
        type_params=_field_text(node, "type_parameters", source),
        modifiers=("async",) if source.data.startswith(b"async", start) else (),
    )


def _class(node: Node, name: str, source: Source) -> Draft:
    bases = node.child_by_field_name("superclasses")
    type_params = node.child_by_field_name("type_parameters")
    name_node = node.child_by_field_name("name")
    head_end = (bases or type_params or name_node or node).end_byte
    arguments = bases.named_children if bases is not None else []
    return Draft(
        EntityType.CLASS,
        name,
        node.start_byte,
        _end(node, source),
        fold_range(source, node.start_byte, head_end, _comments(arguments)),
        docstring=_docstring(node.child_by_field_name("body"), source),
        type_params=_field_text(node, "type_parameters", source),
        declares=tuple(
            mention
            for base in arguments
            if base.type in ("identifier", "attribute", "subscript", "call")
            for mention in declared(ReferenceKind.INHERIT, fold(source.text(base)), base.start_byte)
        ),
    )


def _end(node: Node, source: Source) -> int:
    """End of the last statement; the grammar counts comments below it as part of the block, the compiler does not."""
    start, end, data = node.start_byte, node.end_byte, source.data
    while (line := data.rfind(b"\n", start, end)) != -1 and data[line:end].lstrip().startswith(b"#"):
        leaf = node.descendant_for_byte_range(end - 1, end - 1)
        if leaf is None or leaf.type != "comment":
            break
        end = start + len(data[start:line].rstrip())
    return end


def _assigned(kind: EntityType, match: Match, name: Node, source: Source) -> Draft:
    node = match.node
    statement = match.first("statement") or node
    draft = Draft(kind, source.text(name), node.start_byte, node.end_byte, "")
    draft.signature = shorten(fold(source.text(statement)), _VALUE_LIMIT)
    function = match.first("lambda")
    if function is None:
        return draft
    parameters = function.child_by_field_name("parameters")
    if parameters is not None:
        draft.params = tuple(_parameter_names(parameters.named_children, source))
    owner, _, attribute = draft.name.rpartition(".")
    if owner:
        draft.name, draft.owner, draft.kind = attribute, owner, EntityType.METHOD
    return draft


def keep(draft: Draft, parent: Draft | None) -> bool:
    """Constants, types and lambdas inside a function are its local variables, no entities."""
    local = parent is not None and parent.kind in _FUNCTIONS
    if draft.owner is not None:
        # Only a class can be given a method; `self.key = lambda ...` is a value.
        return not local and draft.owner.rpartition(".")[2][:1].isupper()
    if draft.kind in REGISTERED:
        return True
    defined = draft.kind is EntityType.CLASS or draft.signature.startswith(("def", "async"))
    return defined or not local


def module_doc(root: Node, source: Source) -> str | None:
    """The docstring of a module."""
    return _docstring(root, source)


def _docstring(body: Node | None, source: Source) -> str | None:
    """First statement of a body if it is a plain string, evaluated and cleaned as `inspect.getdoc` does."""
    if body is None:
        return None
    statement = body.named_child(0) if body.named_child_count else None
    if statement is not None and statement.type == "comment":  # asked by number, 100,000 of them take a minute
        statement = next((child for child in body.named_children if child.type != "comment"), statement)
    if statement is None or statement.type != "expression_statement" or statement.named_child_count != 1:
        return None
    node = statement.named_child(0)
    while node is not None and node.type == "parenthesized_expression" and node.named_child_count == 1:
        node = node.named_child(0)
    if node is None or source.data.startswith(b",", node.end_byte):
        return None
    strings = node.named_children if node.type == "concatenated_string" else [node]
    parts = [_string_value(string, source) for string in strings if string.type != "comment"]
    if any(part is None for part in parts):
        return None
    return inspect.cleandoc("".join(part for part in parts if part is not None)) or None


def _string_value(node: Node, source: Source) -> str | None:
    """Value of a string literal; None for anything else, bytes and f-strings included."""
    if node.type != "string":
        return None
    text = source.text(node)
    prefix, _, _ = text.partition(text[-1])
    text = text[len(prefix) :]
    if not set(prefix.lower()) <= {"r", "u"}:
        return None
    quotes = 3 if text[:3] in ('"""', "'''") and len(text) >= 6 else 1
    text = text[quotes:-quotes]
    return text if "\\" not in text or "r" in prefix.lower() else _ESCAPE.sub(_unescape, text)


def _unescape(match: re.Match[str]) -> str:
    code = match.group(1)
    if code in _SIMPLE:
        return _SIMPLE[code]
    try:
        if code[0] == "N":
            return unicodedata.lookup(code[2:-1])
        return chr(int(code, 8) if code[0].isdigit() else int(code[1:], 16))
    except (KeyError, ValueError, OverflowError):
        return match.group()


def _parameter_names(nodes: Iterable[Node], source: Source) -> Iterable[str]:
    """Names with their stars, without the bare `*` and `/`."""
    for node in nodes:
        if node.type in ("keyword_separator", "positional_separator", "comment", "ERROR"):
            continue
        if found := _PARAMETER_NAME.match(source.text(node)):
            yield found.group()


def _comments(nodes: Iterable[Node]) -> list[tuple[int, int]]:
    return [node.byte_range for node in nodes if node.type == "comment"]


def _field_text(node: Node, field: str, source: Source) -> str | None:
    child = node.child_by_field_name(field)
    return None if child is None else fold(source.text(child))


PYTHON = LanguageSpec(
    name="python",
    extensions=(".py", ".pyi", ".pyw"),
    grammar=Grammar("tree_sitter_python"),
    queries=("python.scm",),
    describe=describe,
    refer=refer,
    module_doc=module_doc,
    keep=keep,
    member_kinds={EntityType.FUNCTION: EntityType.METHOD},
    resume=re.compile(rb"^(?:@[A-Za-z_]|class\b|def\b|async[ \t]+def\b)", re.MULTILINE),
    minifiable=False,
)
