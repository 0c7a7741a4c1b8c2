"""One Python file as a resolver sees it: scopes with the names they bind, classes with bases and attributes."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from enum import Enum

from zerikai_memory.codemap.project import FileFacts
from zerikai_memory.lang.python_bindings import BLOCK
from zerikai_memory.model import CodeEntity, EntityType, Reference, ReferenceKind

FUNCTIONS = frozenset({EntityType.FUNCTION, EntityType.METHOD})
SCOPES = FUNCTIONS | {EntityType.CLASS, EntityType.MODULE}
# A binding of this name is what the function gives back.
RETURN, YIELD = "return", "yield"


class How(Enum):
    """How a name gets its value."""

    DEFINITION = "definition"
    IMPORT = "import"
    FORM = "form"


@dataclass(frozen=True, slots=True)
class Binding:
    """A name's value: the `entity` it defines, the `module` (and `name` in it) it imports, or the `form` it is given.

    `name` None: the module itself; `scope` is the id of the scope where a form is to be understood.
    """

    how: How
    line: int
    scope: str
    entity: CodeEntity | None = None
    module: str = ""
    name: str | None = None
    form: str = ""


@dataclass(slots=True)
class PythonFile:
    """Scopes by entity id: `names` bound in each, lines of conditional `blocks`; of classes `bases` and `attributes`.

    `stars`: modules that `from m import *` takes all names from. `attributes` are those that methods assign.
    """

    facts: FileFacts
    around: dict[str, str] = field(default_factory=dict)
    names: dict[str, dict[str, list[Binding]]] = field(default_factory=dict)
    stars: list[Binding] = field(default_factory=list)
    blocks: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    public: frozenset[str] | None = None
    public_of: list[str] = field(default_factory=list)
    bases: dict[str, list[str]] = field(default_factory=dict)
    attributes: dict[str, dict[str, list[Binding]]] = field(default_factory=dict)

    @property
    def path(self) -> str:
        """The file's path."""
        return self.facts.path

    @property
    def module(self) -> CodeEntity:
        """The entity that stands for the file."""
        return self.facts.module

    def entity(self, id: str) -> CodeEntity | None:
        """An entity of the file."""
        return self.facts.by_id.get(id)

    def scope(self, id: str | None) -> str:
        """The nearest scope of what stands in entity `id`: a constant has none of its own."""
        entity = self.facts.by_id.get(id or "")
        while entity is not None and entity.entity_type not in SCOPES:
            entity = self.facts.by_id.get(self.around.get(entity.id, ""))
        return entity.id if entity is not None else self.module.id

    def scopes(self, id: str) -> list[str]:
        """Scopes from `id` outwards in which a name is looked for: classes only when they are the first."""
        chain = [id]
        while id in self.around:
            id = self.around[id]
            entity = self.facts.by_id[id]
            if entity.entity_type in FUNCTIONS or entity.entity_type is EntityType.MODULE:
                chain.append(id)
        return chain

    def class_of(self, id: str) -> str | None:
        """The class whose method `id` is."""
        outer = self.facts.by_id.get(self.around.get(id, ""))
        return outer.id if outer is not None and outer.entity_type is EntityType.CLASS else None

    def bound(self, scope: str, name: str) -> list[Binding]:
        """What a scope binds a name to, in source order."""
        return self.names.get(scope, {}).get(name, [])


def python_file(facts: FileFacts) -> PythonFile:
    """The model of one file."""
    file = PythonFile(facts)
    _nest(file)
    names: dict[str, dict[str, list[Binding]]] = defaultdict(lambda: defaultdict(list))
    for entity in facts.entities[1:]:
        if entity.entity_type is not EntityType.TODO:
            names[file.scope(file.around.get(entity.id))][entity.name].append(
                Binding(How.DEFINITION, entity.start_line, file.around.get(entity.id, ""), entity=entity)
            )
    public: list[str] = []
    aliased = _aliased(facts)
    for reference in facts.references:
        if reference.kind is ReferenceKind.INHERIT and reference.from_entity:
            file.bases.setdefault(reference.from_entity, []).append(reference.target_text)
        elif reference.kind in (ReferenceKind.IMPORT, ReferenceKind.ALIAS):
            _import(file, reference, names, aliased)
        elif reference.kind is ReferenceKind.BIND and reference.name == "__all__":
            public.append(reference.target_text)
        elif reference.kind is ReferenceKind.BIND and reference.name == BLOCK:
            first, _, last = reference.target_text.strip().partition("-")
            file.blocks.setdefault(file.scope(reference.from_entity), []).append((int(first), int(last)))
        elif reference.kind is ReferenceKind.BIND and reference.name:
            _bind(file, reference, names)
        elif reference.kind is ReferenceKind.PATCH and " = " in reference.target_text:
            _patch(file, reference, names)
    file.names = {scope: dict(found) for scope, found in names.items()}
    if public and "?" not in (parts := [part for text in public for part in text.split(",")]):
        file.public = frozenset(part for part in parts if part and not part.startswith("*"))
        file.public_of = [part[1:] for part in parts if part.startswith("*")]
    return file


def _nest(file: PythonFile) -> None:
    """Which entity is around which: the innermost one of the parent's name whose lines hold it."""
    by_name = file.facts.by_name
    for entity in file.facts.entities[1:]:
        holders = by_name.get(entity.parent, ()) if entity.parent else ()
        inside = [e for e in holders if e.start_line <= entity.start_line <= e.end_line and e.id != entity.id]
        # `Class.method = lambda ...` stands below its class.
        outer = inside[-1] if inside else holders[-1] if holders else file.module
        file.around[entity.id] = outer.id


def _aliased(facts: FileFacts) -> set[tuple[str | None, int, str, str]]:
    """Imports that bind another name than their own: (scope, line, module, name)."""
    found = set()
    for reference in facts.references:
        if reference.kind is ReferenceKind.ALIAS:
            module, _, name = reference.target_text.partition(":")
            found.add((reference.from_entity, reference.line, module, name or module))
        elif reference.kind is ReferenceKind.BIND and reference.target_text == f"{reference.name}:{reference.name}":
            found.add((reference.from_entity, reference.line, reference.name, reference.name))
    return found


def _import(
    file: PythonFile,
    reference: Reference,
    names: dict[str, dict[str, list[Binding]]],
    aliased: set[tuple[str | None, int, str, str]],
) -> None:
    scope, line = file.scope(reference.from_entity), reference.line
    if reference.kind is ReferenceKind.ALIAS:
        module, _, name = reference.target_text.partition(":")
        names[scope][reference.name].append(Binding(How.IMPORT, line, scope, module=module, name=name or None))
    elif reference.name == "*":
        file.stars.append(Binding(How.IMPORT, line, scope, module=reference.target_text))
    elif (reference.from_entity, line, reference.target_text, reference.name) in aliased:
        return
    elif reference.name == reference.target_text:
        head = reference.name.partition(".")[0]
        names[scope][head].append(Binding(How.IMPORT, line, scope, module=head))
    else:
        names[scope][reference.name].append(
            Binding(How.IMPORT, line, scope, module=reference.target_text, name=reference.name)
        )


def _bind(file: PythonFile, reference: Reference, names: dict[str, dict[str, list[Binding]]]) -> None:
    home = file.entity(reference.from_entity or "")
    scope, text, line = file.scope(reference.from_entity), reference.target_text, reference.line
    if home is not None and home.name == reference.name and home.entity_type in FUNCTIONS:
        return  # `f = lambda: ...` is the function f
    module, colon, name = text.partition(":")
    if colon and module and module == name:
        names[scope][reference.name].append(Binding(How.IMPORT, line, scope, module=module, name=name))
        return
    owner, _, attribute = reference.name.rpartition(".")
    binding = Binding(How.FORM, line, scope, form=text)
    if not owner:
        if text == "global":
            names[scope][reference.name].clear()
        names[scope][reference.name].append(binding)
        return
    # An attribute that a method gives its instance or class; nested functions see the same `self`.
    for around in file.scopes(scope):
        function = file.entity(around)
        if function is not None and function.params[:1] == (owner,) and (class_id := file.class_of(around)):
            file.attributes.setdefault(class_id, {}).setdefault(attribute, []).append(binding)
            return


def _patch(file: PythonFile, reference: Reference, names: dict[str, dict[str, list[Binding]]]) -> None:
    """`Class.method = function` for a class of the same file."""
    target, _, form = reference.target_text.partition(" = ")
    owner = target.rpartition(".")[0]
    scope = file.scope(reference.from_entity)
    for entity in file.facts.by_name.get(owner, ()):
        if entity.entity_type is EntityType.CLASS and form != "lambda":
            binding = Binding(How.FORM, reference.line, scope, form=form)
            file.attributes.setdefault(entity.id, {}).setdefault(reference.name, []).append(binding)
