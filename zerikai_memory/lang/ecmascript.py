"""JavaScript and TypeScript definitions: declared, assigned, exported, wrapped, or members of objects and classes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from zerikai_memory.lang.ecmascript_values import (
    EXPORTS,
    FUNCTION_TYPES,
    has_functions,
    is_argument,
    member_name,
    object_argument,
    peel,
    split_target,
    subscript,
    wrapped,
)
from zerikai_memory.lang.jsdoc import Lead, lead_of
from zerikai_memory.lang.registrations import REGISTERED, role_of
from zerikai_memory.lang.spec import ROOT, Draft, Match, Mention, declared
from zerikai_memory.lang.text import Source, fold, fold_range, shorten
from zerikai_memory.model import EntityType, ReferenceKind

if TYPE_CHECKING:
    from tree_sitter import Node

_COMPONENT_BASE = re.compile(r"^(?:React\.|Preact\.)?(?:Pure)?Component\b")
_CONSTANT = re.compile(r"^_*[A-Z][A-Z0-9_$]*$")
_CHAINED_EXPORTS = re.compile(r"= *(?:module\.)?exports(?:\.[\w$]+)? *=")
_WORD = re.compile(r"[#\w$]+")
_MODIFIERS = {"get": "getter", "set": "setter", "*": "generator", "#": "private"}
_MODIFIER_WORD = re.compile(
    r"\b(?:async|static|abstract|readonly|override|public|private|protected|declare|get|set|default|const)\b|\*|#"
)
# Characters; the value of a constant is in its body.
_SIGNATURE_LIMITS = {EntityType.CONSTANT: 120} | dict.fromkeys(
    (EntityType.FUNCTION, EntityType.METHOD, EntityType.COMPONENT), 600
)
_LOCAL = (EntityType.FUNCTION, EntityType.METHOD, EntityType.COMPONENT, *REGISTERED)


def describe(match: Match, source: Source) -> Draft | None:
    """Draft of one match of `ecmascript.scm` or `typescript.scm`."""
    shape = match.label.partition(".")[2]
    name = match.first("name")
    if shape == "default":
        return _default_export(match, source)
    if name is None:
        return None
    if shape == "variable":
        return _bound(match.node, source.text(name), match.node.child_by_field_name("value"), None, source)
    if shape == "assignment":
        return _assignment(match.node, name, source)
    if shape == "assign":
        return _scope(match.node, split_target(source.text(name))[0] or source.text(name))
    value = match.node.child_by_field_name("value")
    if shape == "pair":
        return _pair(match.node, member_name(name, source), value, source)
    if shape == "field":
        return _field_of_class(match.node, member_name(name, source), value, source)
    if match.node.id in source.bound:
        return None
    # A default export without a name is mended into one with the name behind `default function`.
    unnamed = shape == "function" and source.data.startswith(b"default function", match.node.start_byte)
    text = "default" if unnamed else member_name(name, source)
    draft = _declared(EntityType(shape), match.node, text, source)
    if shape == "method" and source.marked("exports", match.node.start_byte, match.node.start_byte + 1):
        draft.modifiers += ("function",)
    return draft


def keep(draft: Draft, parent: Draft | None) -> bool:
    """Settle what depends on the surroundings: object members at the top are functions, local values no entities."""
    local = parent is not None and parent.kind in _LOCAL
    if draft.kind is EntityType.CONSTANT and not draft.scope_only:
        if local and "members" in draft.modifiers:
            draft.scope_only = True
        elif local or (parent is not None and parent.kind is EntityType.CLASS and "field" not in draft.modifiers):
            return False
    if draft.kind is EntityType.METHOD and parent is None and "function" in draft.modifiers:
        draft.kind = EntityType.FUNCTION
    draft.modifiers = tuple(_settled(draft.modifiers, parent is None))
    return True


def _settled(modifiers: Collection[str], at_top: bool) -> Iterable[str]:
    """Modifiers without the marks of this module; a name in an export list is that of a top-level definition."""
    for word in modifiers:
        if word == "listed" and at_top and "exported" not in modifiers:
            yield "exported"
        elif word not in ("listed", "members", "function", "field"):
            yield word


def _declared(kind: EntityType, node: Node, name: str, source: Source) -> Draft:
    lead = lead_of(source, node.start_byte)
    if kind in (EntityType.FUNCTION, EntityType.METHOD):
        return _function(kind, node, name, node, lead, source)
    if kind is EntityType.CLASS:
        return _class(node, name, node, lead, source)
    body = node.child_by_field_name("body")
    whole = kind in (EntityType.TYPE, EntityType.ENUM) or body is None
    draft = _draft(kind, node, name.strip("\"'"), lead, source, node.end_byte if whole or not body else body.start_byte)
    draft.type_params = _field(node, "type_parameters", source)
    heritage = [child for child in node.named_children if child.type == "extends_type_clause"]
    draft.declares += _inherited((base for clause in heritage for base in clause.named_children), source)
    return draft


def _inherited(bases: Iterable[Node], source: Source) -> tuple[Mention, ...]:
    return tuple(m for b in bases for m in declared(ReferenceKind.INHERIT, fold(source.text(b)), b.start_byte))


def _field_of_class(node: Node, name: str, value: Node | None, source: Source) -> Draft | None:
    """A field bound to a function is a method; one in capitals is a constant of the class."""
    draft = _bound(node, name, value, None, source)
    if draft is None and _CONSTANT.match(name):
        draft = _draft(EntityType.CONSTANT, node, name, lead_of(source, node.start_byte), source, node.end_byte)
        draft.modifiers = ("field", *_modifiers(_member_head(node, source), name, Lead(0, 0, "", (), (), None), source))
        return draft
    return draft if draft is not None and draft.kind is not EntityType.CONSTANT else None


def _bound(holder: Node, name: str, value: Node | None, owner: str | None, source: Source) -> Draft | None:
    """Draft of a name that a value is given to: function, class, wrapped function, object, or plain constant."""
    inner = peel(value)
    lead = lead_of(source, holder.start_byte)
    kind = EntityType.FUNCTION if holder.type == "variable_declarator" or owner is None else EntityType.METHOD
    if holder.type in ("field_definition", "public_field_definition", "pair"):
        kind = EntityType.METHOD
    draft: Draft | None
    if inner is not None and inner.type in FUNCTION_TYPES:
        draft = _function(kind, inner, name, holder, lead, source)
    elif inner is not None and inner.type == "class":
        draft = _class(inner, name, holder, lead, source)
    elif inner is not None and (function := wrapped(inner, name, source)) is not None:
        draft = _function(kind, function, name, holder, lead, source)
        if name[:1].isupper() and kind is EntityType.FUNCTION:
            draft.kind = EntityType.COMPONENT
    else:
        draft = _value(holder, name, inner, lead, source)
    if draft is not None:
        draft.owner = owner
        if _CHAINED_EXPORTS.search(draft.signature) and "exported" not in draft.modifiers:
            draft.modifiers += ("exported",)
    return draft


def _value(holder: Node, name: str, inner: Node | None, lead: Lead, source: Source) -> Draft | None:
    """Draft of a constant: exported, in capitals, or an object that holds functions."""
    members = inner is not None and inner.type == "object" and has_functions(inner)
    draft = _draft(EntityType.CONSTANT, holder, name, lead, source, holder.end_byte)
    chained = _CHAINED_EXPORTS.search(draft.signature)
    if members:
        draft.modifiers += ("members",)
        return draft
    if holder.type != "variable_declarator":
        return None
    if not (_CONSTANT.match(name) or chained or {"exported", "listed"} & {*draft.modifiers}):
        # `const slice = createSlice({...})`: no entity, but the functions of the object are its members.
        options = object_argument(inner)
        return None if options is None else _scope(options, name)
    if inner is not None and source.data.startswith(b"require(", inner.start_byte):
        return None
    return draft


def _assignment(node: Node, left: Node, source: Source) -> Draft | None:
    """`x = function`, `exports.x =`, `module.exports =`, `this.x =`, `X.prototype.y =`, `object.key =`."""
    target = "".join(source.text(left).split())
    value = node.child_by_field_name("right")
    inner = peel(value)
    if inner is None:
        return None
    # The second name of `exports.a = exports.b = function`: beside the first, not inside it.
    alias = inner.id in source.bound
    if alias and target.startswith("this."):
        return None
    if left.type == "subscript_expression":
        target = subscript(left, source)
    owner, name = split_target(target)
    if not name or not _WORD.fullmatch(name.strip("[].")):
        return None
    if target in ("exports", "module.exports"):
        if inner.type == "object" or alias:
            return None
        own = inner.child_by_field_name("name") if inner.type in (*FUNCTION_TYPES, "class") else None
        name = "default" if own is None else source.text(own)
    if target.endswith(".prototype"):
        return _scope(node, owner or name) if inner.type == "object" else None
    draft = _bound(node, name, value, owner, source)
    if draft is not None and owner is None and left.type == "identifier" and draft.kind is EntityType.CONSTANT:
        return None
    if draft is not None and EXPORTS.match(target) and "exported" not in draft.modifiers:
        draft.modifiers += ("exported",)
        draft.owner = None
        draft.kind = EntityType.FUNCTION if draft.kind is EntityType.METHOD else draft.kind
    if draft is not None and alias:
        draft.owner = ROOT + (draft.owner or "")
    return draft


def _pair(node: Node, name: str, value: Node | None, source: Source) -> Draft | None:
    inner = peel(value)
    if inner is None:
        return None
    if inner.type == "object":
        return _scope(node, name)
    if is_argument(node):
        return None
    draft = _bound(node, name, value, None, source)
    if draft is not None:
        draft.modifiers += ("function",)
    return draft


def _default_export(match: Match, source: Source) -> Draft | None:
    value = match.first("value")
    inner = peel(value)
    if inner is None or value is None:
        return None
    function = inner if inner.type in (*FUNCTION_TYPES, "class") else wrapped(inner, "Default", source)
    named = function.child_by_field_name("name") if function is not None else None
    name = "default" if named is None else source.text(named)
    if function is None and not (inner.type == "object" and has_functions(inner)):
        return None
    draft = _bound(match.node, name, value, None, source)
    if draft is not None:
        draft.modifiers = tuple(dict.fromkeys(("exported", "default", *draft.modifiers)))
    return draft


def _function(kind: EntityType, function: Node, name: str, holder: Node, lead: Lead, source: Source) -> Draft:
    source.bound.add(function.id)
    parameters = function.child_by_field_name("parameters") or function.child_by_field_name("parameter")
    body = function.child_by_field_name("body")
    draft = _draft(kind, holder, name, lead, source, body.start_byte if body is not None else holder.end_byte)
    head_end = parameters.start_byte if parameters is not None else function.start_byte
    before = source.slice(lead.head, head_end)
    if holder is not function:
        before = source.slice(lead.head, holder.start_byte) + source.slice(function.start_byte, head_end)
        before += _member_head(holder, source)
    draft.modifiers = _modifiers(before, name, lead, source)
    draft.params = _parameter_names(parameters, source)
    draft.return_type = _type(function, "return_type", source)
    draft.type_params = _field(function, "type_parameters", source)
    upper = name[:1].isupper() and kind is EntityType.FUNCTION
    if upper and source.marked("jsx", function.start_byte, function.end_byte):
        draft.kind = EntityType.COMPONENT
    return draft


def _class(node: Node, name: str, holder: Node, lead: Lead, source: Source) -> Draft:
    source.bound.add(node.id)
    body = node.child_by_field_name("body")
    draft = _draft(EntityType.CLASS, holder, name, lead, source, (body or node).start_byte)
    if node.type == "abstract_class_declaration":
        draft.modifiers += ("abstract",)
    draft.type_params = _field(node, "type_parameters", source)
    heritage = [child for child in node.named_children if child.type == "class_heritage"]
    for clause in heritage:
        typed = [c for c in clause.named_children if c.type in ("extends_clause", "implements_clause")]
        values = [v for c in typed for v in c.named_children if v.type != "type_arguments"] or clause.named_children
        if (
            values
            and source.data.startswith(b"extends", clause.start_byte)
            and _COMPONENT_BASE.match(source.text(values[0]))
        ):
            draft.kind = EntityType.COMPONENT
        draft.declares += _inherited(values, source)
    return draft


def _draft(kind: EntityType, holder: Node, name: str, lead: Lead, source: Source, head_end: int) -> Draft:
    """What every draft has; the signature runs from the head to `head_end` without comments."""
    signature = fold_range(source, lead.head, head_end, source.marked("comment", lead.head, head_end))
    signature = signature.rstrip().rstrip("{;").rstrip().removesuffix("=>").rstrip()
    declares: list[Mention] = []
    for text, at in zip(lead.decorators, lead.decorator_starts, strict=True):
        declares += declared(ReferenceKind.DECORATE, text, at)
        if role := role_of(text, name):
            declares.append(Mention(ReferenceKind.REGISTER, name, f"{role} -> {name}", at))
    return Draft(
        kind,
        name,
        lead.head,
        holder.end_byte,
        shorten(signature, _SIGNATURE_LIMITS.get(kind, 200)),
        outer_start=lead.outer,
        decorator_start=min(lead.decorator_starts, default=None),
        docstring=lead.docstring,
        decorators=lead.decorators,
        declares=tuple(declares),
        modifiers=_modifiers(lead.keywords, name, lead, source),
    )


def _scope(node: Node, name: str) -> Draft:
    return Draft(EntityType.CONSTANT, name, node.start_byte, node.end_byte, "", scope_only=True)


def _modifiers(head: str, name: str, lead: Lead, source: Source) -> tuple[str, ...]:
    words = [_MODIFIERS.get(word, word) for word in _MODIFIER_WORD.findall(head) if word != "const"]
    if name.startswith("#"):
        words.append("private")
    if "export" in lead.keywords:
        words.insert(0, "exported")
    elif name in source.words.get("exported", ()):
        words.insert(0, "listed")
    return tuple(dict.fromkeys(words))


def _member_head(holder: Node, source: Source) -> str:
    """The words before the name of a class field."""
    if holder.type not in ("field_definition", "public_field_definition"):
        return ""
    name = holder.child_by_field_name("property") or holder.child_by_field_name("name")
    return " " + source.slice(holder.start_byte, name.start_byte) if name is not None else ""


def _parameter_names(node: Node | None, source: Source) -> tuple[str, ...]:
    if node is None:
        return ()
    if node.type != "formal_parameters":
        return (source.text(node),)
    names = []
    for child in node.named_children:
        if child.type in ("comment", "decorator", "ERROR"):
            continue
        inner = child.child_by_field_name("pattern") or child.child_by_field_name("left") or child
        names.append(fold(source.text(inner)))
    return tuple(names)


def _type(node: Node, field: str, source: Source) -> str | None:
    text = _field(node, field, source)
    return text.removeprefix(":").strip() if text else None


def _field(node: Node, field: str, source: Source) -> str | None:
    child = node.child_by_field_name(field)
    return None if child is None else fold(source.text(child))
