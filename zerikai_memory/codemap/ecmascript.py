"""Edges of JavaScript, TypeScript, Vue, Svelte and HTML files: imports, calls, elements, bases, decorators, links."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from dataclasses import replace

from zerikai_memory.codemap.ecmascript_follow import LANGUAGES, Follower
from zerikai_memory.codemap.ecmascript_modules import Found, Modules
from zerikai_memory.codemap.ecmascript_values import OUTSIDE, Place, Value, valued
from zerikai_memory.codemap.markup_sheets import Sheets, edge_of, of_site
from zerikai_memory.codemap.project import FileFacts, Named, Project
from zerikai_memory.model import EntityType, Reference, ReferenceKind
from zerikai_memory.model_map import Edge, EdgeKind, Evidence

MAX_GUESSES = 5  # entities of one name that a call may mean; of more, a guess says nothing
_CALLED = frozenset({EntityType.FUNCTION, EntityType.METHOD, EntityType.CLASS, EntityType.COMPONENT})
_UNCALLED = frozenset({EntityType.INTERFACE, EntityType.TYPE, EntityType.MODULE})
_KINDS = {
    ReferenceKind.INHERIT: EdgeKind.INHERIT,
    ReferenceKind.DECORATE: EdgeKind.DECORATE,
    ReferenceKind.REGISTER: EdgeKind.REGISTER,
}
# Methods of the language itself: a call of one on an unknown object is no reason to think of the project's.
_BUILT_IN = frozenset(
    "map filter forEach reduce find findIndex some every includes indexOf push pop shift unshift slice splice concat"
    " join sort reverse keys values entries flat flatMap fill at length toString valueOf hasOwnProperty split replace"
    " replaceAll trim startsWith endsWith match test exec charAt charCodeAt substring toLowerCase toUpperCase padStart"
    " padEnd repeat then catch finally call apply bind get set has delete clear add next return throw log warn error"
    " info debug now resolve reject all race parse stringify toFixed toISOString getTime addEventListener"
    " removeEventListener appendChild querySelector querySelectorAll getElementById setAttribute getAttribute".split()
)


class ScriptResolver:
    """A `Resolver` for scripts and for the files that scripts are written in."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._modules = Modules(project)
        self._follow = Follower(project, self._modules)
        self._sheets = Sheets(project)

    @property
    def layout(self) -> str:
        """What package.json and tsconfig.json files say about names."""
        return self._modules.layout

    def resolve(self, path: str) -> Iterable[Edge]:
        """Edges whose place is in this file, by line."""
        facts = self._project.file(path)
        if facts is None:
            return ()
        edges = [*self._imports(facts), *self._sheets.uses(facts)]
        for reference in (*facts.references, *self._project.calls(path)):
            edges += self._edges(reference, facts)
        told = {(edge.line, edge.target) for edge in edges if edge.kind is not EdgeKind.USE}
        kept = (edge for edge in edges if edge.kind is not EdgeKind.USE or (edge.line, edge.target) not in told)
        return sorted(dict.fromkeys(kept), key=lambda edge: edge.line)

    def _edges(self, reference: Reference, facts: FileFacts) -> Iterator[Edge]:
        kind = reference.kind
        if kind is ReferenceKind.CALL:
            yield from self._call(reference, facts)
        elif kind in _KINDS:
            text = reference.name if kind is ReferenceKind.REGISTER else reference.target_text
            value = self._follow.chain(text, _place(reference, facts))
            yield from self._to(value, _KINDS[kind], reference, facts)
        elif kind is ReferenceKind.BIND and not reference.name:
            yield from self._read(reference, facts)
        elif kind is ReferenceKind.PATCH:
            target, assigned, _ = reference.target_text.partition(" = ")
            patched = target.rpartition(".")[0] if assigned else target
            value = self._follow.chain(patched, _place(reference, facts))
            if assigned or (value is not None and value.kind == "entity"):
                yield from self._to(value, EdgeKind.PATCH, reference, facts)

    def _read(self, reference: Reference, facts: FileFacts) -> Iterator[Edge]:
        """To a function, class, constant or type that is used by name, without a call."""
        text = reference.target_text
        value = self._follow.chain(text, _place(reference, facts))
        if value is None or value.entity is None or value.entity.id == reference.from_entity:
            return
        if value.kind == "entity" or (value.kind == "instance" and text.startswith("<")):
            evidence = Evidence.IMPORTED_NAME if value.likely else Evidence.RESOLVED
            yield edge_of(
                EdgeKind.USE, evidence, reference, facts, value.entity.id, text.strip("<>").rpartition('".')[2]
            )

    def _imports(self, facts: FileFacts) -> Iterator[Edge]:
        """Of each import the file it leads to, and what it takes from there."""
        aliased = {r.line for r in facts.references if r.kind is ReferenceKind.ALIAS}
        for reference in facts.references:
            if reference.kind is not ReferenceKind.IMPORT:
                continue
            link = facts.language == "html" and reference.name == "*" and reference.line not in aliased
            kind = EdgeKind.LINK if link else EdgeKind.IMPORT
            found = self._found(facts, reference.target_text)
            if found.outside:
                yield edge_of(kind, Evidence.EXTERNAL, reference, facts, None, reference.target_text)
            if found.path is None or (target := self._project.file(found.path)) is None:
                continue
            evidence = Evidence.IMPORTED_NAME if found.likely else Evidence.RESOLVED
            yield edge_of(kind, evidence, reference, facts, target.module.id, reference.target_text)
            if reference.name != "*":
                value = self._follow.given(found.path, reference.name)
                if (
                    value is not None
                    and value.kind in ("entity", "instance")
                    and value.entity not in (None, target.module)
                ):
                    evidence = Evidence.IMPORTED_NAME if found.likely or value.likely else Evidence.RESOLVED
                    yield edge_of(kind, evidence, reference, facts, value.entity.id, reference.name)

    def _found(self, facts: FileFacts, specifier: str) -> Found:
        if facts.language in ("html", "vue", "svelte"):
            # An address in markup is relative without a dot.
            plain = specifier.partition("?")[0].partition("#")[0]
            near = posixpath.normpath(posixpath.join(posixpath.dirname(facts.path), plain)) if plain else ""
            if near and not plain.startswith(("/", ".")) and self._project.exists(near) and near in self._project.files:
                return Found(near)
            if plain.startswith("/") and (below := of_site(self._project, facts.path, plain)) is not None:
                return Found(below, likely="/" + below != plain)
        return self._modules.find(facts.path, specifier)

    def _call(self, reference: Reference, facts: FileFacts) -> Iterator[Edge]:
        place = _place(reference, facts)
        text = reference.target_text
        if facts.language in ("vue", "svelte") and "-" in text:
            text = "".join(part[:1].upper() + part[1:] for part in text.split("-"))
        value, held = self._follow.callee(text, place)
        if value is not None and value.kind == "module":
            value = self._follow.given(value.path, "default")
        if value is None and facts.language == "html" and "." not in text:
            value = self._global(text, facts)
        if value is not None and value.kind in ("entity", "missing", "outside"):
            yield from self._to(value, EdgeKind.CALL, reference, facts)
        elif held is not None and held.entity is not None and held.entity.entity_type is EntityType.INTERFACE:
            yield from self._implemented(held, reference, facts)
        elif value is None and held is None and self._is_free(text, place):
            yield from self._guessed("." in text, reference, facts)

    def _global(self, name: str, facts: FileFacts) -> Value | None:
        """What a script that a page loads defines at its top: the page sees it, unless the script is a module."""
        for reference in facts.references:
            if reference.kind is ReferenceKind.IMPORT:
                found = self._found(facts, reference.target_text)
                names = self._follow.names(found.path) if found.path is not None else None
                if names is not None and (tops := names.tops.get(name)):
                    return replace(valued(tops, names.path), likely=True)
        return None

    def _to(self, value: Value | None, kind: EdgeKind, reference: Reference, facts: FileFacts) -> Iterator[Edge]:
        if value is None:
            return
        if value == OUTSIDE:
            yield edge_of(kind, Evidence.EXTERNAL, reference, facts, None, reference.target_text)
        elif value.kind == "missing":
            target = self._project.file(value.path)
            if target is not None:
                yield edge_of(kind, Evidence.IMPORTED_NAME, reference, facts, target.module.id, reference.target_text)
        elif value.kind == "entity" and value.entity is not None:
            if kind is EdgeKind.CALL and value.entity.entity_type in _UNCALLED and value.entity.language != "vue":
                return
            if kind is EdgeKind.REGISTER and value.entity.id == reference.from_entity:
                return
            evidence = Evidence.IMPORTED_NAME if value.likely else Evidence.RESOLVED
            yield edge_of(kind, evidence, reference, facts, value.entity.id, reference.target_text)

    def _implemented(self, held: Value, reference: Reference, facts: FileFacts) -> Iterator[Edge]:
        """The methods of classes that implement the interface of the receiver: likely, no more."""
        found = [n for n in self._candidates(reference.name) if "." in n.qualified_name]
        for named in found if len(found) <= 2 * MAX_GUESSES else ():
            home = self._project.file(named.file_path)
            owner = home.by_name.get(named.qualified_name.rpartition(".")[0]) if home is not None else None
            lineage = self._follow.lineage(owner[0]) if owner else ()
            if any(v is not None and v.entity is not None and v.entity == held.entity for v in lineage):
                yield edge_of(EdgeKind.CALL, Evidence.IMPORTED_NAME, reference, facts, named.id, reference.target_text)

    def _is_free(self, text: str, place: Place) -> bool:
        """Whether nothing in the file says what the head of a call is, or the call is one of a method."""
        if "." in text:
            return True
        names = self._follow.names(place.path)
        return names is not None and not names.bindings(text, place.line) and text not in names.imports

    def _guessed(self, member: bool, reference: Reference, facts: FileFacts) -> Iterator[Edge]:
        """What in the project has the name: members for `x.name()`, definitions at the top for `name()`."""
        if reference.name in _BUILT_IN:
            return
        found = [n for n in self._candidates(reference.name) if ("." in n.qualified_name) == member]
        for named in found if len(found) <= MAX_GUESSES else ():
            yield edge_of(EdgeKind.CALL, Evidence.SAME_NAME, reference, facts, named.id, reference.target_text)

    def _candidates(self, name: str) -> list[Named]:
        found = self._project.named(name)
        return [n for n in found if n.language in LANGUAGES and n.entity_type in _CALLED]


def _place(reference: Reference, facts: FileFacts) -> Place:
    return Place(facts.path, reference.line, facts.by_id.get(reference.from_entity or ""))
