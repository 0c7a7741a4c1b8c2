"""JavaScript calls that register: routes, middleware, commands, event handlers, with the function written in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zerikai_memory.lang.ecmascript_values import FUNCTION_TYPES, peel
from zerikai_memory.lang.jsdoc import lead_of
from zerikai_memory.lang.registrations import Argument, registration
from zerikai_memory.lang.spec import Draft, Mention
from zerikai_memory.lang.text import Source, fold, shorten
from zerikai_memory.model import EntityType, ReferenceKind

if TYPE_CHECKING:
    from tree_sitter import Node

_MAX_SIGNATURE = 200
_MAX_OWNER = 200  # bytes of the name of an object
_MAX_CHAIN = 40  # links of a chain of calls that are followed


def registered(callee: Node, word: str, source: Source) -> Draft | None:
    """Draft of what the call of `callee` registers; it starts at its own line of a chain of calls."""
    call = callee.parent
    arguments = call.child_by_field_name("arguments") if call is not None else None
    target, name = callee.child_by_field_name("object"), callee.child_by_field_name("property")
    if call is None or arguments is None or target is None or name is None or arguments.type != "arguments":
        return None
    nodes = [node for node in arguments.named_children if node.type != "comment"]
    chained = target.type == "call_expression"
    route = _route_of_chain(target, source) if chained else ""
    owner = "()" if chained or target.end_byte - target.start_byte > _MAX_OWNER else source.text(target)
    found = registration(owner, word, [_argument(node, source) for node in nodes], route)
    if found is None:
        return None
    start = call.start_byte if not chained and call.start_point.row == name.start_point.row else name.start_byte
    end = _chain_end(call, source) if found.kind is EntityType.COMMAND else call.end_byte
    inline = next((value for node in nodes if (value := peel(node)) is not None and value.type in FUNCTION_TYPES), None)
    body = inline.child_by_field_name("body") if inline is not None else None
    lead = lead_of(source, start if chained else call.start_byte)
    head = fold(source.slice(start, body.start_byte if body is not None else min(end, call.end_byte)))
    return Draft(
        found.kind,
        shorten(" ".join(found.name.split()), 120),
        start,
        end,
        shorten(head.removesuffix("=>").rstrip(), _MAX_SIGNATURE),
        outer_start=lead.outer,
        docstring=lead.docstring,
        declares=(Mention(ReferenceKind.REGISTER, found.handler or found.name, found.target, start),),
        lends_name=False,
        in_parent=inline is None,
    )


def in_test(source: Source, at: int) -> bool:
    """Whether the place lies in a callback of a test (`it("...", () => ...)`)."""
    return any(start < at < end for start, end in source.marks.get("test", ()))


def _argument(node: Node, source: Source) -> Argument:
    value = peel(node) or node
    text = source.text(value)
    if value.type == "string" or (value.type == "template_string" and "${" not in text):
        return Argument(text[1:-1], string=True)
    if value.type == "regex":
        return Argument(text, string=text.startswith("/"))
    return Argument(text, function=value.type in FUNCTION_TYPES)


def _route_of_chain(node: Node | None, source: Source) -> str:
    """The path of `.route("/path")` that begins a chain of `.get(...).post(...)`."""
    for _ in range(_MAX_CHAIN):
        if node is None or node.type != "call_expression":
            return ""
        callee, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        name = callee.child_by_field_name("property") if callee is not None else None
        if name is not None and arguments is not None and source.text(name) == "route":
            first = arguments.named_child(0) if arguments.named_child_count else None
            return source.text(first)[1:-1] if first is not None and first.type == "string" else ""
        node = callee.child_by_field_name("object") if callee is not None else None
    return ""


def _chain_end(call: Node, source: Source) -> int:
    """End of what follows a command in its chain (description, options, action), up to the next command."""
    end, node = call.end_byte, call
    for _ in range(_MAX_CHAIN):
        member = node.parent
        following = member.parent if member is not None and member.type == "member_expression" else None
        name = member.child_by_field_name("property") if following is not None and member is not None else None
        if following is None or following.type != "call_expression" or name is None or source.text(name) == "command":
            break
        node, end = following, following.end_byte
    return end
