"""The names of one JavaScript or TypeScript file: what it imports, binds, defines, gives out, and its members."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from zerikai_memory.codemap.project import FileFacts
from zerikai_memory.model import CodeEntity, EntityType, ReferenceKind

DEFINED = "def"
EMPTY = "?empty"
_TOP = frozenset(
    {
        EntityType.FUNCTION,
        EntityType.CLASS,
        EntityType.COMPONENT,
        EntityType.INTERFACE,
        EntityType.TYPE,
        EntityType.ENUM,
        EntityType.NAMESPACE,
        EntityType.CONSTANT,
        EntityType.METHOD,
    }
)


@dataclass(frozen=True, slots=True)
class Bound:
    """In the lines `first` to `last` a name, declared at `line`, is what the chain says."""

    first: int
    last: int
    chain: str
    line: int


@dataclass(slots=True)
class Names:
    """The names of one file.

    `imports`: local name -> (specifier, name there; `*` the module). `exports`: name given out -> (chain, line).
    `stars`: specifiers of `export *`. `tops`: definitions at the top by name. `members`: by the qualified name of
    what they belong to and their own. `fields`: by the qualified name of the class and the field. `bases`, `returns`,
    `annotated` (what a return type says): by the id of the class or function. `types`: aliases. `owners`: what has
    members. `at`: definitions by name and line.
    `callbacks`: by the id of a function and `(i,j)`: what it gives as parameter j to its argument i.
    """

    path: str
    last_line: int = 0
    imports: dict[str, tuple[str, str]] = field(default_factory=dict)
    exports: dict[str, tuple[str, int]] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)
    tops: dict[str, list[CodeEntity]] = field(default_factory=lambda: defaultdict(list))
    members: dict[tuple[str, str], list[CodeEntity]] = field(default_factory=lambda: defaultdict(list))
    bound: dict[str, list[Bound]] = field(default_factory=lambda: defaultdict(list))
    fields: dict[tuple[str, str], tuple[str, int]] = field(default_factory=dict)
    bases: dict[str, list[tuple[str, int]]] = field(default_factory=lambda: defaultdict(list))
    returns: dict[str, list[tuple[str, int]]] = field(default_factory=lambda: defaultdict(list))
    annotated: dict[str, tuple[str, int]] = field(default_factory=dict)
    types: dict[str, tuple[str, int]] = field(default_factory=dict)
    at: dict[tuple[str, int], CodeEntity] = field(default_factory=dict)
    by_name: dict[str, list[CodeEntity]] = field(default_factory=lambda: defaultdict(list))
    owners: set[str] = field(default_factory=set)
    callbacks: dict[tuple[str, str], tuple[str, int]] = field(default_factory=dict)

    def bindings(self, name: str, line: int) -> list[Bound]:
        """The innermost bindings of a name that hold at a line; several where scopes share their lines."""
        holding = [b for b in self.bound.get(name, ()) if b.first <= line <= b.last]
        size = min((b.last - b.first for b in holding), default=0)
        inner = {b.chain: b for b in reversed(holding) if b.last - b.first == size}
        return list(inner.values())

    @property
    def has_esm(self) -> bool:
        """Whether the module gives something out as `default` or by `export *`."""
        return "default" in self.exports or bool(self.stars)

    def whole(self, name: str) -> Bound | None:
        """The binding of a name for the whole file."""
        return next((b for b in self.bound.get(name, ()) if b.first == 1 and b.last >= self.last_line), None)


def names_of(facts: FileFacts) -> Names:
    """The names of a file from its entities and references."""
    names = Names(facts.path, last_line=facts.module.end_line)
    local: set[tuple[str, int]] = set()
    aliased: set[tuple[str, str]] = set()
    given: set[tuple[str, str, int]] = set()
    again: list[tuple[str, str, int]] = []
    for reference in facts.references:
        kind, name, text, line = reference.kind, reference.name, reference.target_text, reference.line
        home = facts.by_id.get(reference.from_entity or "")
        if kind is ReferenceKind.ALIAS:
            module, imported = _split_alias(text)
            names.imports[name] = (module, imported)
            aliased.add((module, imported))
        elif kind is ReferenceKind.EXPORT:
            if name == "*":
                names.stars.append(text.strip('"'))
                continue
            # `exports.a = exports.b = x` first, then again: the last one counts, as when it runs.
            names.exports[name] = (text, line)
            if text.startswith('"'):
                module, _, imported = text[1:].partition('".')
                given.add((module, imported, line))
        elif kind is ReferenceKind.BIND and name.startswith("= "):
            again.append((name[2:], text, line))
        elif kind is ReferenceKind.BIND:
            _take_binding(names, name, text, line, home, local)
        elif kind is ReferenceKind.INHERIT and home is not None:
            names.bases[home.id].append((text, line))
    for reference in facts.references:
        if reference.kind is ReferenceKind.IMPORT and reference.name not in ("*", "default"):
            key = (reference.target_text, reference.name)
            if key not in aliased and (*key, reference.line) not in given:
                names.imports.setdefault(reference.name, key)
    _take_entities(names, facts.entities, local)
    _take_again(names, again)
    return names


def _split_alias(text: str) -> tuple[str, str]:
    """Module and name of `module` or `module:name`; the module itself may hold a colon (`node:fs`)."""
    module, mark, imported = text.rpartition(":")
    if not mark or module in ("node", "bun", "npm", "virtual", "astro") or "/" in imported:
        return text, "*"
    return module, imported


def _take_binding(
    names: Names, name: str, text: str, line: int, home: CodeEntity | None, local: set[tuple[str, int]]
) -> None:
    if name.startswith("this."):
        owner = _class_name(home)
        if owner is not None:
            names.fields.setdefault((owner, name[5:]), (text, line))
        return
    if name.startswith("type "):
        names.types.setdefault(name[5:], (text, line))
        return
    if name.startswith("param "):
        if home is not None:
            names.callbacks.setdefault((home.id, name[6:]), (text, line))
        return
    if not name:
        return
    span, _, chain = text.partition(" ")
    first, _, last = span.partition("-")
    if name.startswith("return"):
        # In a callback without a name of its own, the definition around it returns something else.
        if home is not None and _is_body_of(home, int(first), int(last)):
            _take_return(names, name, chain, line, home)
        return
    found = Bound(int(first), int(last), chain, line)
    names.bound[name].append(found)
    if chain == DEFINED and (found.first, found.last) != (1, names.last_line):
        local.add((name, line))


def _take_again(names: Names, again: Sequence[tuple[str, str, int]]) -> None:
    """A variable that is declared empty, or nowhere, is what it is given when it is given one thing."""
    given: dict[tuple[str, Bound | None], list[tuple[str, int]]] = defaultdict(list)
    for name, text, line in again:
        held = names.bindings(name, line)
        if len(held) == 1 and held[0].chain == EMPTY:
            given[name, held[0]].append((text, line))
        elif not held and name not in names.imports and name not in names.tops:
            given[name, None].append((text, line))
    for (name, empty), values in given.items():
        text, line = values[0]
        if text.startswith("?") or any(other != text for other, _ in values):
            continue
        if empty is not None:
            names.bound[name].remove(empty)
        first, last = (empty.first, empty.last) if empty is not None else (1, names.last_line)
        names.bound[name].append(Bound(first, last, text, line))


def _take_return(names: Names, name: str, chain: str, line: int, home: CodeEntity) -> None:
    if name == "return:":
        names.annotated.setdefault(home.id, (chain, line))
    elif name == "return":
        names.returns[home.id].append((chain, line))
    else:
        member = f"{home.qualified_name}{name[6:]}"
        names.bound[member].append(Bound(line, line, chain, line))


def _is_body_of(entity: CodeEntity, first: int, last: int) -> bool:
    """Whether a function in these lines is the one that an entity is."""
    return entity.start_line == first or (entity.end_line == last and first - entity.start_line <= 1)


def _class_name(home: CodeEntity | None) -> str | None:
    """Qualified name of the class or interface that a field is written in."""
    if home is None:
        return None
    if home.entity_type in (EntityType.CLASS, EntityType.INTERFACE, EntityType.COMPONENT, EntityType.TYPE):
        return home.qualified_name
    return home.parent if home.parent is not None else home.qualified_name or None


def _take_entities(names: Names, entities: Sequence[CodeEntity], local: set[tuple[str, int]]) -> None:
    for entity in entities:
        names.at.setdefault((entity.name, entity.start_line), entity)
        if entity.entity_type not in _TOP:
            continue
        names.by_name[entity.qualified_name].append(entity)
        home = names.by_name.get(entity.parent or "", ())
        if (entity.name, entity.start_line) in local and not any(e.entity_type is EntityType.NAMESPACE for e in home):
            continue  # what a function defines for itself is no member of it
        if entity.parent is not None:
            names.members[entity.parent, entity.name].append(entity)
            names.owners.add(entity.parent)
        else:
            names.tops[entity.name].append(entity)
