"""Follow a chain (`a.b().c`) through the files of a project to what it is, by the rules of JavaScript."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from zerikai_memory.codemap.ecmascript_modules import Modules
from zerikai_memory.codemap.ecmascript_names import DEFINED, Names, names_of
from zerikai_memory.codemap.ecmascript_values import (
    CLASSES,
    FUNCTIONS,
    MADE,
    OUTSIDE,
    TYPES,
    UNKNOWN,
    Place,
    Value,
    documented,
    element,
    implementation,
    is_arrow,
    is_class,
    valued,
)
from zerikai_memory.codemap.project import Project
from zerikai_memory.model import CodeEntity, EntityType

LANGUAGES = frozenset({"javascript", "typescript", "vue", "svelte", "html"})
_DEPTH = 24  # steps from one name to the next; a longer way is a circle
_CHAIN = re.compile(
    r'("[^"]*"|new [\w$.]+\(\)|<[\w$.]+(?:\[\])*>|\{\}|\?|[\w$#]+)((?:\.[\w$#?-]+|\(\)|\(\d,\d\)|\[\])*)'
)
_LINK = re.compile(r"\.[\w$#?-]+|\(\d,\d\)|\(\)|\[\]")
# What methods of a list, a set or a map give.
_TO_LISTS = frozenset("filter slice sort reverse concat toSorted toReversed values splice".split())
_EACH = frozenset("forEach map filter find findLast findIndex some every flatMap sort toSorted".split())
_TO_ELEMENTS = frozenset("find findLast at pop shift get".split())


class Follower:
    """Follows chains within one build; keeps nothing but what `Project.memo` keeps."""

    def __init__(self, project: Project, modules: Modules) -> None:
        self._project = project
        self._modules = modules

    def names(self, path: str) -> Names | None:
        """The names of a script file, None for other files."""

        def compute() -> Names | None:
            facts = self._project.file(path)
            return names_of(facts) if facts is not None and facts.language in LANGUAGES else None

        return self._project.memo(("script names", path), compute)

    def chain(self, text: str, place: Place, depth: int = 0) -> Value | None:
        """What a chain is at a place; None when it is not known."""
        match = _CHAIN.fullmatch(text)
        if match is None or depth > _DEPTH:
            return None
        value = self._head(match[1], place, depth)
        for link in _LINK.findall(match[2]):
            if value is None:
                return None
            if link == "[]":
                value = element(value)
            elif link == "()":
                value = self._called(value, depth)
            elif link.startswith("("):
                value = self._handed(value, link, depth)
            else:
                value = self.member(value, link[1:], depth)
        return value

    def callee(self, text: str, place: Place) -> tuple[Value | None, Value | None]:
        """(what is called, what it belongs to) of the chain of a call."""
        owner, dot, name = text.rpartition(".")
        if not dot or not _CHAIN.fullmatch(owner):
            value = self.chain(text, place)
            names = self.names(place.path)
            bound = names.bindings(text, place.line) if names is not None else []
            if value is not None and any(b.chain != DEFINED and not b.chain.startswith('"') for b in bound):
                # A variable that holds a function may hold another one when it is called.
                value = replace(value, likely=True)
            return value, None
        held = self.chain(owner, place)
        return (None if held is None else self.member(held, name)), held

    def module(self, path: str, specifier: str) -> Value | None:
        """The module that a specifier means."""
        found = self._modules.find(path, specifier)
        if found.path is not None:
            return Value("module", found.path, likely=found.likely)
        return OUTSIDE if found.outside else None

    def given(self, path: str, name: str, depth: int = 0, seen: frozenset[str] = frozenset()) -> Value | None:
        """What a module gives out under a name; `missing` when that is not found, None in a circle."""
        names = self.names(path)
        if names is None or depth > _DEPTH or path in seen:
            return None if path in seen else Value("missing", path)
        found = self._given_here(names, name, depth)
        if found is not None:
            return found
        if name != "default":
            for specifier in names.stars:
                module = self.module(path, specifier)
                if module is not None and module.kind == "module":
                    found = self.given(module.path, name, depth + 1, seen | {path})
                    if found is not None and found.kind != "missing":
                        return replace(found, likely=found.likely or module.likely)
        whole = names.exports.get("=")
        if whole is not None:
            value = self._exported(names, *whole, depth)
            return value if name == "default" or value is None else self.member(value, name, depth + 1)
        if name == "default":
            facts = self._project.file(path)
            if facts is not None and facts.language in ("vue", "svelte"):
                return Value("entity", path, facts.module)
            if not names.has_esm and facts is not None:
                return Value("module", path)
        return Value("missing", path)

    def member(self, value: Value, name: str, depth: int = 0) -> Value | None:
        """What `value.name` is."""
        if depth > _DEPTH:
            return None
        if value.kind == "outside":
            return OUTSIDE
        if value.kind == "missing":
            return value
        if value.kind == "list":
            return replace(value, kind="method", name=name) if name in _TO_LISTS | _TO_ELEMENTS | _EACH else None
        if value.kind == "method":
            return None
        if value.kind == "module":
            found = self.given(value.path, name, depth + 1)
            return found if found is None else replace(found, likely=found.likely or value.likely)
        if value.kind == "entity" and value.entity is not None and "getter" in value.entity.modifiers:
            value = self._called(value, depth + 1) or Value("unknown")
        found = self._member(value, name, depth + 1)
        return replace(found, likely=True) if found is not None and value.likely else found

    def lookup(self, name: str, place: Place, depth: int = 0) -> Value | None:
        """What a bare name is at a place."""
        names = self.names(place.path)
        if names is None or depth > _DEPTH:
            return None
        if bound := names.bindings(name, place.line):
            values = {self._bound(names, name, b.chain, b.line, place, depth) for b in bound}
            return values.pop() if len(values) == 1 else None
        if name in names.imports:
            specifier, imported = names.imports[name]
            module = self.module(place.path, specifier)
            if module is None or module.kind != "module" or imported == "*":
                return module
            return self.member(module, imported, depth + 1)
        if name in names.tops:
            return Value("entity", place.path, implementation(names.tops[name]))
        if name in names.owners or name == "module":
            return Value("object", place.path, name=name)
        return Value("module", place.path) if name == "exports" else None

    def owner(self, place: Place) -> Value | None:
        """What `this` is at a place: the class, or the object whose member the function around it is."""
        names = self.names(place.path)
        home = place.home
        if names is None or home is None:
            return None
        parent = home.parent
        for _ in range(_DEPTH):
            if is_class(home):
                return Value("instance", place.path, home, home.qualified_name)
            if parent is None:
                held = home.entity_type in FUNCTIONS and home.qualified_name in names.owners
                return Value("instance", place.path, home, home.qualified_name) if held else None
            above = self._named(names, parent)
            arrow = is_arrow(home)
            if above is None and not arrow:
                return Value("object", place.path, name=parent)
            if above is None:
                parent = parent.rpartition(".")[0] or None
                continue
            if is_class(above):
                kind = "entity" if "static" in home.modifiers else "instance"
                return Value(kind, place.path, above, above.qualified_name)
            if above.entity_type in (EntityType.CONSTANT, EntityType.NAMESPACE) and not arrow:
                return Value("entity", place.path, above, above.qualified_name)
            if home.entity_type is EntityType.METHOD and not arrow:
                return Value("instance", place.path, above, above.qualified_name)
            home, parent = above, above.parent
        return None

    def bases(self, entity: CodeEntity, depth: int = 0) -> Iterator[Value | None]:
        """What a class or an interface inherits from, in order; None for what is not known."""
        names = self.names(entity.file_path)
        for text, line in names.bases.get(entity.id, ()) if names is not None else ():
            yield self.chain(text, Place(entity.file_path, line, None), depth + 1)

    def _head(self, head: str, place: Place, depth: int) -> Value | None:
        if head.startswith('"'):
            return self.module(place.path, head[1:-1])
        if head.startswith("new "):
            return self._made(self.chain(head[4:-2], place, depth + 1), depth)
        if head.startswith("<"):
            bare = head[1:-1].rstrip("[]")
            made = self._made(self._as_type(self.chain(bare, place, depth + 1)), depth)
            levels = (len(head) - 2 - len(bare)) // 2
            listed = levels and made is not None and made.kind == "instance"
            return replace(made, kind="list", depth=levels) if listed and made is not None else made
        if head == "{}":
            home = place.home
            return None if home is None else Value("object", place.path, name=home.qualified_name)
        if head == "this":
            return self.owner(place)
        if head == "super":
            owner = self.owner(place)
            if owner is None or owner.entity is None:
                return None
            base = next(self.bases(owner.entity, depth), None)
            return base if owner.kind == "entity" else self._made(base, depth)
        return None if head == UNKNOWN else self.lookup(head, place, depth + 1)

    def _bound(self, names: Names, name: str, chain: str, line: int, place: Place, depth: int) -> Value | None:
        if chain == DEFINED:
            entity = names.at.get((name, line))
            if entity is not None:
                return Value("entity", names.path, entity, entity.qualified_name)
            return Value("object", names.path, name=name)
        top = names.tops.get(name)
        if top and any(e.start_line == line for e in top):
            # A constant with an entity: followed further only where a member of it is asked for.
            return Value("entity", names.path, implementation(top), name)
        if chain == UNKNOWN and place.home is not None:
            chain = documented(place.home, rf"@param\s+\{{([^{{}}]*)\}}\s+\[?{re.escape(name)}\b")
        return self.chain(chain, Place(place.path, line, place.home), depth + 1)

    def _given_here(self, names: Names, name: str, depth: int) -> Value | None:
        if name in names.exports:
            return self._exported(names, *names.exports[name], depth)
        tops = [e for e in names.tops.get(name, ()) if e.exported] or (
            [e for found in names.tops.values() for e in found if "default" in e.modifiers] if name == "default" else []
        )
        if tops:
            return Value("entity", names.path, implementation(tops), name)
        if any(key.startswith(f"{name}.") for key in names.exports):
            return Value("object", names.path, name=name)
        if names.path.endswith((".d.ts", ".d.mts", ".d.cts")) and name in names.tops:
            return Value("entity", names.path, implementation(names.tops[name]), name)
        return None

    def _exported(self, names: Names, chain: str, line: int, depth: int) -> Value | None:
        if chain.startswith(UNKNOWN):
            return Value("missing", names.path)
        found = self.chain(chain, Place(names.path, line), depth + 1)
        if found is None and (entity := names.at.get((chain, line))) is not None:
            found = Value("entity", names.path, entity, entity.qualified_name)
        return found if found is not None else Value("missing", names.path)

    def _member(self, value: Value, name: str, depth: int) -> Value | None:
        entity = value.entity
        owner = entity.qualified_name if entity is not None else value.name
        names = self.names(value.path)
        if names is None or depth > _DEPTH:
            return None
        if (value.name, name) == ("module", "exports") and entity is None:
            return Value("module", value.path)
        if name == "prototype" and entity is not None:
            return Value("instance", value.path, entity, owner)
        if entity is not None and entity.entity_type in (*CLASSES, EntityType.INTERFACE, EntityType.TYPE):
            return self._inherited(value, entity, name, depth)
        if (own := names.members.get((owner, name))) is not None:
            return valued(own, value.path)
        for key in (f"{owner}.{name}", f"{value.name}.{name}"):
            for bound in names.bound.get(key, ())[-1:]:
                return self.chain(bound.chain, Place(value.path, bound.line), depth + 1)
            if key in names.exports:
                return self._exported(names, *names.exports[key], depth)
        if f"{owner}.{name}" in names.owners:
            return Value("object", value.path, name=f"{owner}.{name}")
        if (owner, name) in names.fields:
            text, line = names.fields[owner, name]
            return self.chain(text, Place(value.path, line, entity), depth + 1)
        if entity is not None and entity.entity_type is EntityType.CONSTANT:
            whole = names.whole(entity.name)
            if whole is not None and whole.chain != DEFINED:
                held = self.chain(whole.chain, Place(value.path, whole.line), depth + 1)
                return None if held is None else self.member(held, name, depth + 1)
        return None

    def _inherited(self, value: Value, entity: CodeEntity, name: str, depth: int) -> Value | None:
        """A member of a class or of what it extends; outside when its bases lead out of the project."""
        outside = False
        for base in self.lineage(entity, depth):
            if base is None or base.entity is None:
                outside = outside or (base is not None and base.kind == "outside")
                continue
            names = self.names(base.path)
            if names is None:
                continue
            owner = base.entity.qualified_name
            own = names.members.get((owner, name))
            if own:
                static = value.kind == "entity"
                return valued([e for e in own if ("static" in e.modifiers) == static] or own, base.path)
            if (owner, name) in names.fields:
                text, line = names.fields[owner, name]
                held = self.chain(text, Place(base.path, line, base.entity), depth + 1)
                # A field that holds a function may hold another one when it is called.
                return replace(held, likely=True) if held is not None and held.kind == "entity" else held
        return OUTSIDE if outside else None

    def lineage(self, entity: CodeEntity, depth: int = 0) -> Iterator[Value | None]:
        """A class, then its bases, nearest first."""
        stack: list[Value | None] = [Value("entity", entity.file_path, entity, entity.qualified_name)]
        seen: set[str] = set()
        while stack and len(seen) < 50:
            value = stack.pop(0)
            yield value
            if value is None or value.entity is None or value.entity.id in seen:
                continue
            seen.add(value.entity.id)
            if depth + len(seen) < _DEPTH:
                stack.extend(self.bases(value.entity, depth))

    def _called(self, value: Value, depth: int) -> Value | None:
        """What a call gives: what its annotation names, or what its returns agree on."""
        if value.kind in ("outside", "missing"):
            return value if value.kind == "outside" else None
        if value.kind == "module":
            whole = self.given(value.path, "default", depth + 1)
            return None if whole is None or whole.kind == "module" else self._called(whole, depth + 1)
        if value.kind == "method":
            if value.name in _TO_LISTS:
                return replace(value, kind="list")
            return element(replace(value, kind="list")) if value.name in _TO_ELEMENTS else None
        entity = value.entity
        if value.kind != "entity" or entity is None or entity.entity_type not in FUNCTIONS or depth > _DEPTH:
            return None
        names = self.names(entity.file_path)
        if names is None:
            return None
        made = None
        given = names.returns.get(entity.id, [])
        if (typed := names.annotated.get(entity.id)) is not None:
            made = self.chain(typed[0], Place(entity.file_path, typed[1], entity), depth + 1)
            if made is not None and made.entity is not None and made.entity.entity_type in CLASSES:
                return made
        # An object that is returned says more than the interface it is announced as.
        if len({text for text, _ in given}) == 1 and (entity.return_type is None or given[0][0] == "{}"):
            return self.chain(given[0][0], Place(entity.file_path, given[0][1], entity), depth + 1)
        if made is None and entity.return_type is None:
            place = Place(entity.file_path, entity.start_line, entity)
            made = self.chain(documented(entity, r"@returns?\s+\{([^{}]*)\}"), place, depth + 1)
        return made

    def _made(self, value: Value | None, depth: int) -> Value | None:
        """An instance of what a value is, as `new` or an annotation makes it; the type behind an alias."""
        if value is None or value.kind in ("outside", "missing"):
            return value
        entity = value.entity
        if value.kind == "module":
            return self._made(self.given(value.path, "default", depth + 1), depth + 1) if depth < _DEPTH else None
        if value.kind != "entity" or entity is None:
            return None
        names = self.names(entity.file_path) if entity.entity_type is EntityType.TYPE else None
        if names is not None and (alias := names.types.get(entity.name)) is not None:
            return self.chain(alias[0], Place(entity.file_path, alias[1]), depth + 1)
        return replace(value, kind="instance") if entity.entity_type in MADE else None

    def _named(self, names: Names, qualified: str) -> CodeEntity | None:
        found = names.by_name.get(qualified)
        return implementation(found) if found else None

    def _handed(self, value: Value, which: str, depth: int) -> Value | None:
        """What a function gives to a function it is called with; `which` is `(argument,parameter)`."""
        if value.kind == "method":
            return element(replace(value, kind="list")) if which == "(0,0)" and value.name in _EACH else None
        entity = value.entity
        if value.kind == "entity" and entity is not None and entity.entity_type in CLASSES:
            made = self.member(replace(value, kind="instance"), "constructor", depth + 1)
            entity = made.entity if made is not None else None
        names = self.names(entity.file_path) if entity is not None else None
        if entity is None or names is None:
            return None
        found = names.callbacks.get((entity.id, which))
        return None if found is None else self.chain(found[0], Place(entity.file_path, found[1], entity), depth + 1)

    def _as_type(self, value: Value | None) -> Value | None:
        """The class, interface or type where a function or constant has the same name."""
        entity = value.entity if value is not None and value.kind == "entity" else None
        if value is None or entity is None or entity.entity_type in TYPES:
            return value
        names = self.names(entity.file_path)
        twins = names.by_name.get(entity.qualified_name, ()) if names is not None else ()
        found = [e for e in twins if e.entity_type in TYPES]
        return replace(value, entity=found[-1]) if found else value
