"""Python mentions: calls, imports, aliases, patches; routes, commands and handlers that calls register."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from zerikai_memory.lang.python_bindings import bindings, form
from zerikai_memory.lang.registrations import CALLS, Argument, Registration, registration
from zerikai_memory.lang.spec import Draft, Match, Mention
from zerikai_memory.lang.text import Source, fold, shorten
from zerikai_memory.model import EntityType, ReferenceKind

if TYPE_CHECKING:
    from tree_sitter import Node

_DOTTED = re.compile(r"[\w.]+(\(\))?[\w.]*")
_PATH = re.compile(r"[\w.]+")
_LITERAL = re.compile(r"[rRuUbB]{0,2}(\"\"\"|'''|\"|')(.*)\1", re.DOTALL)
_ENTRY_POINT = re.compile(r"[\"']([\w.-]+)\s*=\s*([\w.]+(?::[\w.]+)?)[^\"']*[\"']")
_GROUP = re.compile(r"[\"']([\w.-]+)[\"']\s*:|\b(\w+)\s*=\s*[\[({]")
_MAX_SIGNATURE = 200
_MAX_TARGET = 100  # bytes of a dotted name


def refer(match: Match, source: Source) -> Iterable[Mention | Draft]:
    """Calls, imports, aliases, patches and what calls register."""
    node = match.node
    if match.label == "reference.call":
        attribute = node.child_by_field_name("attribute") if node.type == "attribute" else None
        name = source.text(attribute or node)
        # The text of a long chain of calls is not even looked at: with every link it would be longer.
        text = source.text(node) if node.end_byte - node.start_byte <= _MAX_TARGET else name
        target = text if _DOTTED.fullmatch(text) else form(node, source)
        if not target.endswith(name):  # a chain that is too long
            target = f"?.{name}"
        # Where the name stands: a chain of calls has many lines.
        call = Mention(ReferenceKind.CALL, name, target, node.end_byte - len(name.encode()))
        if name in CALLS and (draft := _registered(node, name, source)) is not None:
            return (call, draft)
        return (call, *_entry_points(node, source)) if name == "setup" else (call,)
    if match.label == "reference.import":
        return _imports(node, source)
    if match.label in ("reference.bind", "reference.value", "reference.block", "reference.public"):
        return bindings(match, source)
    if match.label == "reference.replaced":
        return _replaced(node, match.first("key"), source)
    return _patch(match, source)


def _imports(node: Node, source: Source) -> Iterable[Mention]:
    if node.type == "future_import_statement":
        return
    module_node = node.child_by_field_name("module_name")
    module = None if module_node is None else source.text(module_node)
    names = node.children_by_field_name("name")
    for name_node in names:
        named = name_node.child_by_field_name("name") if name_node.type == "aliased_import" else name_node
        name = source.text(named or name_node)
        yield Mention(ReferenceKind.IMPORT, name, module or name, name_node.start_byte)
        if name == module and name_node is named:  # `from time import time` would look like `import time`
            yield Mention(ReferenceKind.BIND, name, f"{module}:{name}", name_node.start_byte)
        alias = name_node.child_by_field_name("alias")
        if alias is not None:
            target = name if module is None else f"{module}:{name}"
            yield Mention(ReferenceKind.ALIAS, source.text(alias), target, alias.start_byte)
    if not names and module is not None:
        yield Mention(ReferenceKind.IMPORT, "*", module, node.start_byte)


def _patch(match: Match, source: Source) -> Iterable[Mention]:
    """`Class.method = function` and `setattr(Class, "method", function)`; the object must be named like a class."""
    node, value = match.node, match.first("value")
    key = match.first("key")
    owner = source.text(node)
    if key is not None:
        name = source.text(key).strip("\"'")
    else:
        owner, _, name = owner.rpartition(".")
    if value is None or value.type not in ("identifier", "attribute", "lambda"):
        return
    if not owner.rpartition(".")[2][:1].isupper() or not _DOTTED.fullmatch(owner):
        return
    text = "lambda" if value.type == "lambda" else source.text(value)
    yield Mention(ReferenceKind.PATCH, name, f"{owner}.{name} = {text}", node.start_byte)


def _replaced(node: Node, key: Node | None, source: Source) -> Iterator[Mention]:
    """What a test puts something else in the place of: `"module.name"` in quotes, or `owner.name`."""
    literal = _LITERAL.fullmatch(source.text(key or node)) if node.end_byte - node.start_byte <= _MAX_TARGET else None
    owner = "" if key is None else source.text(node)
    path = f"{owner}.{literal[2]}".lstrip(".") if literal is not None else ""
    if "." in path and _PATH.fullmatch(path):
        target = path if key is not None else f'"{path}"'
        yield Mention(ReferenceKind.PATCH, path.rpartition(".")[2], target, node.start_byte)


def _registered(callee: Node, word: str, source: Source) -> Draft | None:
    """Draft of a route, command or handler that this call registers."""
    call = callee.parent
    arguments = call.child_by_field_name("arguments") if call is not None else None
    if call is None or arguments is None or arguments.type != "argument_list":
        return None
    if call.parent is not None and call.parent.type == "decorator":
        return None  # recorded with the function below it
    owner = source.text(callee).rpartition(".")[0].strip()
    # `path(...)` and `url(...)` are common names: routes are elements of a list.
    if not owner and word in ("path", "re_path", "url") and (call.parent is None or call.parent.type != "list"):
        return None
    found = registration(owner, word, [_argument(node, source) for node in arguments.named_children])
    return None if found is None else _draft(found, call, source)


def _draft(found: Registration, call: Node, source: Source) -> Draft:
    start, end = call.byte_range
    return Draft(
        found.kind,
        shorten(" ".join(found.name.split()), 120),
        start,
        end,
        shorten(fold(source.text(call)), _MAX_SIGNATURE),
        declares=(Mention(ReferenceKind.REGISTER, found.handler or found.name, found.target, start),),
        lends_name=False,
        in_parent=True,
    )


def _argument(node: Node, source: Source) -> Argument:
    keyword = ""
    if node.type == "keyword_argument":
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is None or value is None:
            return Argument("", keyword="?")
        keyword, node = source.text(name), value
    text = source.text(node)
    literal = _LITERAL.fullmatch(text) if node.type == "string" else None
    if literal is not None:
        return Argument(literal[2], string=True, keyword=keyword)
    return Argument(text, function=node.type == "lambda", keyword=keyword)


def _entry_points(callee: Node, source: Source) -> Iterator[Draft]:
    """Commands and plugins that `setup(entry_points=...)` declares, each with its line."""
    call = callee.parent
    arguments = call.child_by_field_name("arguments") if call is not None else None
    for node in arguments.named_children if arguments is not None else ():
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if node.type != "keyword_argument" or name is None or value is None or source.text(name) != "entry_points":
            continue
        text = source.data[value.start_byte : value.end_byte].decode("latin-1")
        groups = [(found.start(), found[1] or found[2]) for found in _GROUP.finditer(text)]
        for found in _ENTRY_POINT.finditer(text):
            before = bisect_left(groups, (found.start(), ""))
            group = groups[before - 1][1] if before else "entry_points"
            start, target = value.start_byte + found.start(), found[2]
            scripts = group.endswith("_scripts")
            role = f"command {found[1]}" if scripts else f"plugin {group} {found[1]}"
            yield Draft(
                EntityType.COMMAND if scripts else EntityType.HANDLER,
                found[1],
                start,
                start + len(found[0]),
                f"{group}: {found[1]} = {target}",
                declares=(Mention(ReferenceKind.REGISTER, target, f"{role} -> {target}", start),),
                lends_name=False,
                in_parent=True,
            )
