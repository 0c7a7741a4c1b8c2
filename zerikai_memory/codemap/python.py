"""Edges of Python files: imports, calls, bases, decorators, patches, registrations and values that are read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from zerikai_memory.codemap.project import Project
from zerikai_memory.codemap.python_file import FUNCTIONS, PythonFile
from zerikai_memory.codemap.python_follow import FUEL, Follower
from zerikai_memory.codemap.python_modules import Modules, Place
from zerikai_memory.codemap.python_values import UNKNOWN, Kind, Ref, Value, Values, alternatives, either
from zerikai_memory.codemap.same_name import guesses
from zerikai_memory.model import EntityType, Reference, ReferenceKind
from zerikai_memory.model_map import Edge, EdgeKind, Evidence

LANGUAGES = frozenset({"python"})
_CALLABLE = frozenset({EntityType.FUNCTION, EntityType.METHOD, EntityType.CLASS})
_CONSTRUCTOR = "__init__"
_SIMPLE = {ReferenceKind.INHERIT: EdgeKind.INHERIT, ReferenceKind.DECORATE: EdgeKind.DECORATE}
# What a read value may be to be worth an edge.
_NAMED = (Kind.FUNCTION, Kind.CLASS)


class PythonResolver:
    """Resolves the files of one project."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._modules = Modules(project)
        self._follow = Follower(project, self._modules)

    @property
    def layout(self) -> str:
        """The source roots."""
        return self._modules.layout

    def resolve(self, path: str) -> Iterable[Edge]:
        """Edges of one file, by line."""
        file = self._follow.file(path)
        if file is None:
            return ()
        found: dict[Edge, None] = {}
        for reference in (*file.facts.references, *self._project.calls(path)):
            found |= dict.fromkeys(self._edges(file, reference))
        return sorted(found, key=lambda edge: edge.line)

    def _edges(self, file: PythonFile, reference: Reference) -> Iterator[Edge]:
        if reference.kind is ReferenceKind.IMPORT:
            yield from self._import(file, reference)
        elif reference.kind is ReferenceKind.CALL:
            yield from self._call(file, reference)
        elif reference.kind in _SIMPLE:
            yield from self._simple(file, reference, _SIMPLE[reference.kind])
        elif reference.kind is ReferenceKind.PATCH:
            yield from self._patch(file, reference)
        elif reference.kind is ReferenceKind.REGISTER:
            yield from self._register(file, reference)
        elif reference.kind is ReferenceKind.BIND:
            yield from self._read(file, reference)

    # Imports

    def _import(self, file: PythonFile, reference: Reference) -> Iterator[Edge]:
        """An edge to the module, and to what is imported from it where that is found."""
        module, name = reference.target_text, reference.name
        written = module if name in (module, "*") else f"{module}{'' if module.endswith('.') else '.'}{name}"
        place = self._follow.place(module, file.path)
        if place is None:
            evidence = Evidence.EXTERNAL if not module.startswith(".") else Evidence.IMPORTED_NAME
            if evidence is Evidence.EXTERNAL:
                yield _edge(EdgeKind.IMPORT, evidence, reference, file, None, written)
            return
        if name in ("*", module) and not self._is_from(file, reference):
            yield from self._module_edge(file, reference, place, written)
            return
        found = self._follow.imported(module, name, file.path)
        inner = [value.place for value in found if value.kind is Kind.MODULE and value.place]
        below = [one for one in inner if one.path and self._is_member(place, one, name)]
        if below:
            yield from self._module_edge(file, reference, below[0], written)
            return
        yield from self._module_edge(file, reference, place, written)
        for value in found:
            if (target := _read_target(value)) is not None:
                yield _edge(EdgeKind.USE, Evidence.RESOLVED, reference, file, target, name)

    def _is_from(self, file: PythonFile, reference: Reference) -> bool:
        """Whether `name == module` stands for `from name import name`."""
        text = f"{reference.name}:{reference.name}"
        return any(
            other.kind is ReferenceKind.BIND and other.target_text == text and other.line == reference.line
            for other in file.facts.references
        )

    def _is_member(self, place: Place, inner: Place, name: str) -> bool:
        """Whether a module is the submodule `name` of the package: not one that the package only mentions."""
        member = self._modules.member(place, name)
        return member is not None and member.path == inner.path

    def _module_edge(self, file: PythonFile, reference: Reference, place: Place, written: str) -> Iterator[Edge]:
        target = self._follow.file(place.path) if place.path else None
        if target is not None and target.path != file.path:
            yield _edge(EdgeKind.IMPORT, Evidence.RESOLVED, reference, file, target.module.id, written)

    # Calls and other uses

    def _call(self, file: PythonFile, reference: Reference) -> Iterator[Edge]:
        """A call: of a function, of a class (and its constructor), of an object, of something outside."""
        text = reference.target_text
        found, prefix = self._chain(file, reference, text)
        yield from prefix
        targets: dict[str, bool] = {}
        for value in found:
            for target, followed in self._called(value):
                targets[target] = targets.get(target, False) or (followed and found.sure)
        for target, followed in targets.items():
            evidence = Evidence.RESOLVED if followed else Evidence.IMPORTED_NAME
            yield _edge(EdgeKind.CALL, evidence, reference, file, target, text)
        if not targets:
            yield from self._elsewhere(EdgeKind.CALL, file, reference, found, text)

    def _chain(self, file: PythonFile, reference: Reference, text: str) -> tuple[Values, list[Edge]]:
        """What the expression is, and edges to the properties and constants on the way to it."""
        scope = file.scope(reference.from_entity)
        found = self._follow.expression(text, file.path, scope, reference.line)
        edges = []
        for links in alternatives(text):
            for end in range(1, len(links)):
                if links[end] == "()":
                    continue  # a call of its own
                for value in self._follow.expression("".join(links[:end]), file.path, scope, reference.line):
                    if (target := _read_target(value)) is not None:
                        edges.append(_edge(EdgeKind.USE, Evidence.RESOLVED, reference, file, target, links[end - 1]))
        return found, edges

    def _called(self, value: Value) -> Iterator[tuple[str, bool]]:
        """What a call of a value runs, and whether its name leads there: a property's object is called after it."""
        if value.kind is Kind.FUNCTION and value.ref:
            yield value.ref[1], True
        elif value.kind is Kind.CLASS and value.ref:
            yield value.ref[1], True
            for method in self._method(value.ref, _CONSTRUCTOR):
                yield method, True
        elif value.origin is not None and (value.kind is Kind.UNKNOWN or self._is_function(value.origin)):
            yield value.origin[1], True
        if value.kind is Kind.INSTANCE and value.ref:
            by_itself = value.origin is None or not self._is_function(value.origin)
            for method in self._method(value.ref, "__call__"):
                yield method, by_itself

    def _is_function(self, ref: Ref) -> bool:
        file = self._follow.file(ref[0])
        entity = file.entity(ref[1]) if file else None
        return entity is not None and entity.entity_type in FUNCTIONS

    def _method(self, ref: Ref, name: str) -> Iterator[str]:
        for value in self._follow.attribute(Value(Kind.INSTANCE, ref), name, FUEL):
            if value.kind is Kind.FUNCTION and value.ref:
                yield value.ref[1]

    def _simple(self, file: PythonFile, reference: Reference, kind: EdgeKind) -> Iterator[Edge]:
        """A base or a decorator, named in the scope around the class or function."""
        scope = file.scope(file.around.get(reference.from_entity or ""))
        found = self._follow.expression(reference.target_text, file.path, scope, reference.line)
        evidence = Evidence.RESOLVED if found.sure else Evidence.IMPORTED_NAME
        targets = {id for value in found if (id := _definition(value))}
        for target in sorted(targets):
            yield _edge(kind, evidence, reference, file, target, reference.target_text)
        if not targets:
            yield from self._elsewhere(kind, file, reference, found, reference.target_text)

    def _elsewhere(
        self, kind: EdgeKind, file: PythonFile, reference: Reference, found: Values, text: str
    ) -> Iterator[Edge]:
        """No entity was reached: it leads outside, or into a module that lacks it, or only the name is known."""
        missing = next((value.place for value in found if value.kind is Kind.MISSING and value.place), None)
        if missing is not None and (module := self._follow.file(missing.path)):
            yield _edge(kind, Evidence.IMPORTED_NAME, reference, file, module.module.id, text)
        elif any(value.kind in (Kind.EXTERNAL, Kind.MANY) for value in found):
            yield _edge(kind, Evidence.EXTERNAL, reference, file, None, text)
        elif text.isidentifier() and found.bound and not found.items:
            return  # a parameter or variable of which nothing is known: its name says nothing
        elif not found.items:
            yield from guesses(self._project, kind, reference, file.module.id, text, LANGUAGES, _CALLABLE)

    def _read(self, file: PythonFile, reference: Reference) -> Iterator[Edge]:
        """A function, class, constant or property that is named as a value."""
        text = reference.target_text
        if not text.startswith((":", "?")) and text != "global" and "?" not in text:
            for part in text.split("|"):
                if part.endswith(("()", "[]")):
                    continue  # recorded as a call
                values, edges = self._chain(file, reference, part)
                yield from edges
                for value in values:
                    if (target := _read_target(value)) is not None:
                        yield _edge(EdgeKind.USE, Evidence.RESOLVED, reference, file, target, part)

    # Patches and registrations

    def _patch(self, file: PythonFile, reference: Reference) -> Iterator[Edge]:
        """`Class.method = function`: the method (or the class that gets it) is patched, the function is used."""
        target, _, form = reference.target_text.partition(" = ")
        if not form:
            yield from self._replaced(file, reference, target)
            return
        scope = file.scope(reference.from_entity)
        for value in self._follow.expression(target.rpartition(".")[0], file.path, scope, reference.line):
            if value.kind is Kind.CLASS and value.ref:
                for method in list(self._method(value.ref, reference.name)) or [value.ref[1]]:
                    yield _edge(EdgeKind.PATCH, Evidence.RESOLVED, reference, file, method, target)
        for value in self._follow.expression(form, file.path, scope, reference.line):
            if (found := _read_target(value)) is not None:
                yield _edge(EdgeKind.USE, Evidence.RESOLVED, reference, file, found, form)

    def _replaced(self, file: PythonFile, reference: Reference, text: str) -> Iterator[Edge]:
        """What a test replaces, by an expression or by a dotted path in quotes."""
        if text.startswith('"'):
            found = self._dotted(text.strip('"').split("."), file.path)
        else:
            found = self._follow.expression(text, file.path, file.scope(reference.from_entity), reference.line)
        evidence = Evidence.RESOLVED if found.sure else Evidence.IMPORTED_NAME
        above = (
            e for e in file.facts.entities if (e.decorator_start_line or e.start_line) <= reference.line < e.start_line
        )
        source = next((entity.id for entity in above), reference.from_entity)
        for target in sorted({target for value in found if (target := _read_target(value)) is not None}):
            yield _edge(EdgeKind.PATCH, evidence, replace(reference, from_entity=source), file, target, text.strip('"'))

    def _dotted(self, parts: Sequence[str], path: str) -> Values:
        """What a dotted path of a string is: as much of it as is a module, then attributes."""
        for end in range(len(parts) - 1, 0, -1):
            module = ".".join(parts[:end])
            place = self._follow.place(module, path)
            if place is not None and place.path:
                found = self._follow.imported(module, parts[end], path)
                for part in parts[end + 1 :]:
                    steps = either(self._follow.attribute(value, part) for value in found)
                    found = Values(steps.items, steps.sure and found.sure)
                return found
        return UNKNOWN

    def _register(self, file: PythonFile, reference: Reference) -> Iterator[Edge]:
        """What a framework is given to call: the role is the edge's target name."""
        home = file.entity(reference.from_entity or "")
        role, name = reference.target_text, reference.name
        if home is not None and home.entity_type in FUNCTIONS | {EntityType.CLASS} and home.name == name:
            yield Edge(EdgeKind.REGISTER, Evidence.RESOLVED, file.module.id, home.id, role, file.path, reference.line)
            return
        for target in self._handler(file, reference, name.removeprefix("include ")):
            yield _edge(EdgeKind.REGISTER, Evidence.RESOLVED, reference, file, target, role)

    def _handler(self, file: PythonFile, reference: Reference, name: str) -> Iterator[str]:
        module, colon, attribute = name.partition(":")
        if colon or reference.name.startswith("include "):
            found = self._follow.imported(module, attribute.partition(".")[0] or None, file.path)
        else:
            found = self._follow.expression(name, file.path, file.scope(reference.from_entity), reference.line)
        for value in found:
            if value.kind is Kind.MODULE and value.place and (target := self._follow.file(value.place.path)):
                yield target.module.id
            elif (entity := _read_target(value)) is not None:
                yield entity


def _read_target(value: Value) -> str | None:
    """The entity that reading a name leads to: the constant or property itself, not what it holds."""
    return value.origin[1] if value.origin is not None else _definition(value)


def _definition(value: Value) -> str | None:
    """The function or class that a value is; of another value the constant that holds it."""
    if value.kind in _NAMED and value.ref is not None:
        return value.ref[1]
    return value.origin[1] if value.origin is not None else None


def _edge(
    kind: EdgeKind, evidence: Evidence, reference: Reference, file: PythonFile, target: str | None, name: str
) -> Edge:
    source = reference.from_entity or file.module.id
    return Edge(kind, evidence, source, target, name, file.path, reference.line)
