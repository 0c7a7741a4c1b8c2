"""Follow Python expressions to what they are: names through scopes and imports, attributes through bases, calls.

Every step to another binding, module or class costs one unit of `fuel`, so that nothing runs in circles, and a result
depends on what was asked alone, not on what was asked before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from zerikai_memory.codemap.project import Project
from zerikai_memory.codemap.python_annotations import annotated, annotated_parameter, gives_itself
from zerikai_memory.codemap.python_classes import linearised, said_bases
from zerikai_memory.codemap.python_definitions import decorated, implementation, is_class, is_property
from zerikai_memory.codemap.python_file import FUNCTIONS, RETURN, YIELD, Binding, How, PythonFile, python_file
from zerikai_memory.codemap.python_known import BUILTINS, CLASS_METHODS, CONTEXT, OPAQUE
from zerikai_memory.codemap.python_modules import Modules, Place
from zerikai_memory.codemap.python_order import bound_at, standing
from zerikai_memory.codemap.python_values import (
    NOTHING,
    UNBOUND,
    UNKNOWN,
    Kind,
    Ref,
    Value,
    Values,
    alternatives,
    either,
    external,
)
from zerikai_memory.model import CodeEntity

# A local variable from a call of an imported function that returns an attribute ... is 8 steps away.
FUEL = 12


class Follower:
    """Answers what an expression may be, within one project."""

    def __init__(self, project: Project, modules: Modules) -> None:
        self._project = project
        self._modules = modules

    def file(self, path: str) -> PythonFile | None:
        """The model of a Python file of the project."""

        def make() -> PythonFile | None:
            facts = self._project.file(path)
            return python_file(facts) if facts is not None and facts.entities else None

        return self._project.memo(("python file", path), make)

    # Expressions

    def expression(
        self, form: str, path: str, scope: str, line: int, this: Ref | None = None, fuel: int = FUEL
    ) -> Values:
        """What the expression of a normal form may be at a line of a scope; `this` is the class of its `self`."""
        if fuel <= 0:
            return UNKNOWN
        return either(self._chain(links, path, scope, line, this, fuel) for links in alternatives(form))

    def _chain(self, links: Sequence[str], path: str, scope: str, line: int, this: Ref | None, fuel: int) -> Values:
        if not links:
            return UNKNOWN
        if links[0] == "None":
            return NOTHING
        if list(links[:2]) == ["super", "()"]:
            found, rest = self._super(path, scope, this), links[2:]
        else:
            found, rest = self.name(links[0], path, scope, line, this, fuel), links[1:]
        for link in rest:
            found = self._link(found, link, fuel)
        return found

    def _link(self, found: Values, link: str, fuel: int) -> Values:
        if link == "()":
            step: Callable[[Value], Values] = lambda value: self.called(value, fuel - 1)  # noqa: E731
        elif link == "[]":
            step = self.element
        else:
            step = lambda value: self.attribute(value, link.removeprefix("."), fuel - 1)  # noqa: E731
        result = either(step(value) for value in found)
        return Values(result.items, result.sure and found.sure) if found.items else UNKNOWN

    def _super(self, path: str, scope: str, this: Ref | None) -> Values:
        file = self.file(path)
        for around in file.scopes(scope) if file else ():
            if file and (class_id := file.class_of(around)):
                return Values((Value(Kind.SUPER, (path, class_id), this=this or (path, class_id)),))
        return UNKNOWN

    # Names

    def name(self, name: str, path: str, scope: str, line: int, this: Ref | None = None, fuel: int = FUEL) -> Values:
        """What a name stands for at a line of a scope: its own names, those around it, the module's, the builtins."""
        file = self.file(path)
        if file is None:
            return UNKNOWN
        for around in file.scopes(scope):
            if around == file.module.id:
                return self.in_module(path, name, fuel, line)
            found = self._in_function(file, around, name, line, this, fuel)
            if found is not None:
                return found
            # Of what is around a function all lines count, of what is around the body of a class those before it.
            line = line if is_class(file.facts.by_id[around]) else 0
        return UNBOUND

    def in_module(self, path: str, name: str, fuel: int = FUEL, line: int = 0) -> Values:
        """What a name stands for at the top of a module, or as a builtin; `line`: of its own code."""
        found = self.exported(path, name, fuel, line)
        if not found.bound and name in BUILTINS:
            return external(f"builtins.{name}")
        if not found.bound and (member := self._modules.member(self._modules.place(path), name)) is not None:
            return Values((Value(Kind.MODULE, place=member),))  # a package has its submodules once they are imported
        return found

    def exported(self, path: str, name: str, fuel: int = FUEL, line: int = 0) -> Values:
        """What a module gives under a name: defined, imported or by way of `from x import *`, the last one of them."""
        if fuel <= 0:
            return UNKNOWN
        file = self.file(path)
        many = file is not None and (len(file.bound(file.module.id, name)) > 1 or bool(file.stars))
        key = ("python name", path, name, fuel, line if many else 0)
        return self._project.memo(key, lambda: self._exported(path, name, fuel, key[-1]))

    def _exported(self, path: str, name: str, fuel: int, line: int) -> Values:
        file = self.file(path)
        if file is None:
            return UNBOUND
        own = file.bound(file.module.id, name)
        given, unknown_star = self._starred(file, name, fuel) if file.stars else ([], False)
        bindings = [*own, *given]
        before = [binding for binding in bindings if bound_at(binding) < line]
        kept, _ = standing(before or bindings, file.blocks.get(file.module.id, ()), line if before else None)
        if kept:
            return self._values(file, kept, None, fuel)
        return UNKNOWN if unknown_star and name not in BUILTINS else UNBOUND

    def _starred(self, file: PythonFile, name: str, fuel: int) -> tuple[list[Binding], bool]:
        """(the `from m import *` of a file that bring a name, as imports of it; whether another one may)."""
        found, unknown = [], False
        for star in file.stars:
            place = self.place(star.module, file.path)
            source = self.file(place.path) if place and place.path else None
            if source is None:
                unknown = True
                continue
            brought = source.path != file.path and self._gives(source, name, fuel - 1)
            if brought and self.exported(source.path, name, fuel - 1).bound:
                found.append(replace(star, name=name))
        return found, unknown

    def _gives(self, source: PythonFile, name: str, fuel: int) -> bool:
        """Whether `from source import *` brings a name."""
        if source.public is None:
            return not name.startswith("_")
        if name in source.public:
            return True
        for form in source.public_of if fuel > 0 else ():
            for value in self.expression(form, source.path, source.module.id, 0, None, fuel - 1):
                other = self.file(value.place.path) if value.place and value.place.path else None
                if other is not None and other is not source and self._gives(other, name, fuel - 1):
                    return True
        return False

    def _in_function(
        self, file: PythonFile, scope: str, name: str, line: int, this: Ref | None, fuel: int
    ) -> Values | None:
        """A name of a function's or class's own; None when it has none of this name."""
        bindings = file.bound(scope, name)
        if any(binding.form == "global" for binding in bindings):
            return None
        function = file.entity(scope)
        found: list[Values] = []
        if function is not None and any(name == param.lstrip("*") for param in function.params):
            found.append(self._parameter(file, function, name, this, fuel))
        before = [binding for binding in bindings if bound_at(binding) < line] if line else []
        if found and not before and line:
            return found[0]
        if before:
            before, made = standing(before, file.blocks.get(scope, ()), line)
            found = [] if made else found
        if before or bindings:
            found.append(self._values(file, before or bindings, this, fuel))
        return either(found) if found else None

    def _parameter(self, file: PythonFile, function: CodeEntity, name: str, this: Ref | None, fuel: int) -> Values:
        class_id = file.class_of(function.id)
        if class_id and function.params[0] == name and not decorated(function, {"staticmethod"}):
            of_class = function.name in CLASS_METHODS or decorated(function, {"classmethod"})
            return Values((Value(Kind.CLASS if of_class else Kind.INSTANCE, this or (file.path, class_id)),))
        if f"*{name}" in function.params or f"**{name}" in function.params:
            return external("builtins.dict" if f"**{name}" in function.params else "builtins.tuple")
        text = annotated_parameter(function, name)
        return self._annotated(text, file, file.around[function.id], this, fuel) if text else UNKNOWN

    def _annotated(self, text: str, file: PythonFile, scope: str, this: Ref | None, fuel: int) -> Values:
        def names(dotted: str) -> Values:
            if dotted.rpartition(".")[2] == "Self" and this is not None:
                return Values((Value(Kind.CLASS, this),))
            return self.expression(dotted, file.path, file.scope(scope), 0, this, fuel - 1)

        return annotated(text, names)

    # Bindings

    def _values(self, file: PythonFile, bindings: Sequence[Binding], this: Ref | None, fuel: int) -> Values:
        """What a name is that has these bindings; a definition stands for itself whatever else it is given."""
        definitions = [b for b in bindings if b.entity and (b.entity.entity_type in FUNCTIONS or is_class(b.entity))]
        if definitions:
            standing = [implementation(definitions), *(b for b in bindings if b.how is How.IMPORT)]
            return either(self._binding(file, binding, this, fuel) for binding in standing)
        origin = next(((file.path, b.entity.id) for b in bindings if b.entity), None)
        given = [b for b in bindings if b.entity is None]
        stated = [b for b in given if b.form.startswith(": ")] or given
        found = either(self._binding(file, binding, this, fuel) for binding in stated) if stated else UNKNOWN
        inner = tuple(value for value in found if value.kind is not Kind.EXTERNAL)
        if inner and len(inner) < len(found.items) and any(b.how is How.IMPORT for b in given):
            found = Values(inner, found.sure)  # `try: from ._speedups import f; except ImportError: ...`
        return found.of(origin) if origin else found

    def _binding(self, file: PythonFile, binding: Binding, this: Ref | None, fuel: int) -> Values:
        if binding.entity is not None:
            ref = (file.path, binding.entity.id)
            kind = Kind.FUNCTION if binding.entity.entity_type in FUNCTIONS else Kind.CLASS
            return Values((Value(kind, ref, origin=ref),))
        if binding.how is How.IMPORT:
            return self.imported(binding.module, binding.name, file.path, fuel - 1)
        if binding.form.startswith(": "):
            return self._annotated(binding.form[2:], file, binding.scope, this, fuel - 1)
        return self.expression(binding.form, file.path, binding.scope, binding.line, this, fuel - 1)

    # Modules

    def place(self, module: str, path: str) -> Place | None:
        """Where a module is that the file `path` names."""

        def find() -> Place | None:
            return self._modules.relative(module, path) if module.startswith(".") else self._modules.find(module, path)

        return self._project.memo(("python module", module, path.rpartition("/")[0]), find)

    def imported(self, module: str, name: str | None, path: str, fuel: int = FUEL) -> Values:
        """What `from module import name` or `import module` gives in the file `path`."""
        place = self.place(module, path)
        if place is None:
            if module.startswith("."):
                return UNKNOWN
            return external(module if name is None else f"{module}.{name}")
        if name is None:
            return Values((Value(Kind.MODULE, place=place),))
        return self._of_module(place, name, fuel, path)

    def _of_module(self, place: Place, name: str, fuel: int, asking: str = "") -> Values:
        found = self.exported(place.path, name, fuel) if place.path and place.path != asking else UNBOUND
        if found.bound and (found.items or not self._modules.member(place, name)):
            return found
        if (member := self._modules.member(place, name)) is not None:
            return Values((Value(Kind.MODULE, place=member),))
        return Values((Value(Kind.MISSING, place=place),), sure=False)

    # Attributes

    def attribute(self, value: Value, name: str, fuel: int = FUEL) -> Values:
        """What an attribute of a value may be."""
        if fuel <= 0:
            return UNKNOWN
        if value.kind is Kind.MODULE and value.place is not None:
            return self._of_module(value.place, name, fuel)
        if value.kind is Kind.EXTERNAL:
            return external(f"{value.name}.{name}")
        if value.kind is Kind.MANY:
            return external(f"builtins.{name}")
        if value.kind is Kind.CONTEXT and name == "__enter__":
            return Values((value,))
        if value.ref is None or value.kind not in (Kind.CLASS, Kind.INSTANCE, Kind.SUPER):
            return UNKNOWN
        if name == "__class__" and value.kind is Kind.INSTANCE:
            return Values((Value(Kind.CLASS, value.ref),))
        key = ("python attribute", value.kind, value.ref, value.this, name, fuel)
        return self._project.memo(key, lambda: self._member(value, name, fuel))

    def _member(self, value: Value, name: str, fuel: int) -> Values:
        assert value.ref is not None
        this = value.this or value.ref
        order = self.bases(this, fuel)
        if value.kind is Kind.SUPER:
            order = order[order.index(value.ref) + 1 :] if value.ref in order else self.bases(value.ref, fuel)[1:]
        outside = ""
        for ref in order:
            if isinstance(ref, str):
                outside = outside or ref
                continue
            found = self._own(ref, name, this, value.kind is not Kind.CLASS, fuel)
            if found is not None:
                return Values(found.items, found.sure and not outside)
        if outside and outside != "?":
            return external(f"{outside}.{name}")
        if not outside and name in dir(object):
            return external(f"builtins.object.{name}")
        return UNKNOWN if outside else UNBOUND

    def _own(self, ref: Ref, name: str, this: Ref, of_instance: bool, fuel: int) -> Values | None:
        """A member that the class itself has, or that its methods give its instances; None without one."""
        file = self.file(ref[0])
        if file is None:
            return None
        members, _ = standing(file.bound(ref[1], name), file.blocks.get(ref[1], ()), None)
        given = file.attributes.get(ref[1], {}).get(name, [])
        if not members and not given:
            return None
        defined = [b for b in members if b.entity is not None and b.entity.entity_type in FUNCTIONS]
        if defined and of_instance and (prop := next((b.entity for b in defined if is_property(b.entity)), None)):
            origin = (file.path, prop.id)
            return self.returned(origin, this, fuel - 1).of(origin)
        if defined:
            found = self._values(file, members, this, fuel)
            # `self.f = g` hides the method, in the objects that get it.
            found = Values(found.items, found.sure and not (given and of_instance))
        else:
            found = self._values(file, [*members, *given], this, fuel)
        return Values(tuple(replace(v, this=this) if v.kind is Kind.FUNCTION else v for v in found), found.sure)

    def bases(self, ref: Ref, fuel: int = FUEL) -> tuple[Ref | str, ...]:
        """The class and its bases in the order in which attributes are looked up; what is outside is a name, or `?`."""
        if fuel <= 0:
            return (ref, "?")
        return self._project.memo(("python bases", ref, fuel), lambda: self._bases(ref, fuel))

    def _bases(self, ref: Ref, fuel: int) -> tuple[Ref | str, ...]:
        file = self.file(ref[0])
        if file is None:
            return (ref, "?")
        lines: list[tuple[Ref | str, ...]] = []
        for form in file.bases.get(ref[1], ()):
            for base in self.base(form, file, ref[1], fuel):
                lines.append(self.bases(base, fuel - 1) if not isinstance(base, str) else (base,))
        return linearised(ref, lines)

    def base(self, form: str, file: PythonFile, class_id: str, fuel: int = FUEL) -> Iterable[Ref | str]:
        """What a base of a class is: a class of the project, a name outside, or `?`."""
        entity = file.entity(class_id)
        scope = file.scope(file.around.get(class_id))
        line = entity.start_line if entity is not None else 0
        found = self.expression(form, file.path, scope, line, None, fuel - 1)
        return said_bases(found, (file.path, class_id))

    # Calls

    def called(self, value: Value, fuel: int = FUEL) -> Values:
        """What a call of a value gives."""
        if fuel <= 0:
            return UNKNOWN
        if value.kind is Kind.CLASS and value.ref is not None:
            return Values((Value(Kind.INSTANCE, value.ref),))
        if value.kind is Kind.FUNCTION and value.ref is not None:
            return self.returned(value.ref, value.this, fuel)
        if value.kind is Kind.CONTEXT and value.items:
            return Values(value.items)
        if value.kind is Kind.INSTANCE:
            return either(self.called(found, fuel - 1) for found in self.attribute(value, "__call__", fuel - 1))
        if value.kind is Kind.EXTERNAL:
            last = value.name.rpartition(".")[2]
            return UNKNOWN if last in OPAQUE else external(f"{value.name}()")
        return UNKNOWN

    def returned(self, ref: Ref, this: Ref | None, fuel: int) -> Values:
        """What a function gives back: by its annotation, else by its return statements."""
        if fuel <= 0:
            return UNKNOWN
        return self._project.memo(("python return", ref, this, fuel), lambda: self._returned(ref, this, fuel))

    def _returned(self, ref: Ref, this: Ref | None, fuel: int) -> Values:
        file = self.file(ref[0])
        function = file.entity(ref[1]) if file else None
        if file is None or function is None:
            return UNKNOWN
        if function.return_type and this is not None and file.class_of(function.id) and gives_itself(function):
            found = Values((Value(Kind.INSTANCE, this),))
        elif function.return_type:
            found = self._annotated(function.return_type, file, file.around[function.id], this, fuel - 1)
        elif yields := file.bound(function.id, YIELD):
            items = either(self._binding(file, binding, this, fuel - 1) for binding in yields)
            found = Values((Value(Kind.MANY, items=items.items),), items.sure)
        else:
            given = file.bound(function.id, RETURN)
            found = either(self._binding(file, b, this, fuel - 1) for b in given) if given else NOTHING
            found = Values(tuple(replace(value, origin=None) for value in found), found.sure)
        if decorated(function, CONTEXT):
            given_to = tuple(item for value in found if value.kind is Kind.MANY for item in value.items)
            return Values((Value(Kind.CONTEXT, items=given_to),), found.sure)
        return found

    def element(self, value: Value) -> Values:
        """What a subscript or a loop over a value gives."""
        return Values(value.items) if value.kind is Kind.MANY and value.items else UNKNOWN
