"""Python annotations as types: which class an annotated value is an instance of."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable
from functools import lru_cache

from zerikai_memory.codemap.python_values import NOTHING, UNKNOWN, Kind, Value, Values, either, external
from zerikai_memory.model import CodeEntity

# The last part of the name decides: `typing.Optional`, `t.Optional`, `Optional`.
_TRANSPARENT = frozenset({"Optional", "Union", "Annotated", "ClassVar", "Final", "Required", "NotRequired", "ReadOnly"})
_TRANSPARENT |= {"Awaitable", "Coroutine", "InitVar", "Mapped"}
_ITERABLE = frozenset(
    "list List set Set frozenset FrozenSet tuple Tuple Sequence MutableSequence Iterable Iterator Collection "
    "AsyncIterable AsyncIterator Generator AsyncGenerator deque Deque AbstractSet".split()
)
_MAPPING = frozenset("dict Dict Mapping MutableMapping defaultdict DefaultDict OrderedDict".split())
_NO_TYPE = frozenset({"Any", "object", "Self", "TypeVar()"})
_MAX_DEPTH = 8

# A dotted name to what it stands for where the annotation is written.
Names = Callable[[str], Values]


@lru_cache(maxsize=4096)
def parse_annotation(text: str) -> ast.expr | None:
    """The expression of an annotation; None when it is none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


@lru_cache(maxsize=8192)
def parameter_annotations(signature: str) -> dict[str, str]:
    """Annotations of a function's parameters by name, from its signature as it is indexed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            (node,) = ast.parse(f"{signature}: pass").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return {}
    arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    return {one.arg: ast.unparse(one.annotation) for one in arguments if one.annotation is not None}


def annotated_parameter(function: CodeEntity, name: str) -> str | None:
    """The annotation of a parameter, None when it has none."""
    return parameter_annotations(function.signature).get(name)


def gives_itself(function: CodeEntity) -> bool:
    """Whether a method's annotations say that it gives its own object: `(self: T) -> T`, `(cls: type[T]) -> T`."""
    given = (function.return_type or "").strip("'\"")
    taken = parameter_annotations(function.signature).get(function.params[0]) if function.params else None
    return bool(given) and taken is not None and taken.strip("'\"") in (given, f"type[{given}]", f"Type[{given}]")


def annotated(text: str, names: Names) -> Values:
    """What a value with this annotation is."""
    node = parse_annotation(text)
    return _type(node, names, 0) if node is not None else UNKNOWN


def _type(node: ast.expr, names: Names, depth: int) -> Values:
    if depth > _MAX_DEPTH:
        return UNKNOWN
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str):
            inner = parse_annotation(node.value)
            return _type(inner, names, depth + 1) if inner is not None else UNKNOWN
        return NOTHING if node.value is None else UNKNOWN
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return either((_type(node.left, names, depth + 1), _type(node.right, names, depth + 1)))
    if isinstance(node, ast.Subscript):
        return _generic(node, names, depth)
    dotted = _dotted(node)
    return _instances(names(dotted), dotted) if dotted else UNKNOWN


def _generic(node: ast.Subscript, names: Names, depth: int) -> Values:
    dotted = _dotted(node.value)
    last = dotted.rpartition(".")[2]
    arguments = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
    if last in ("Annotated", "Mapped", "Final", "ClassVar", "InitVar"):
        return _type(arguments[0], names, depth + 1)
    if last == "Coroutine":
        return _type(arguments[-1], names, depth + 1)
    if last in _TRANSPARENT:
        return either(_type(argument, names, depth + 1) for argument in arguments)
    if last in ("type", "Type"):
        found = _type(arguments[0], names, depth + 1)
        return Values(tuple(_class_of(value) for value in found), found.sure)
    if last in _ITERABLE or last in _MAPPING:
        chosen = arguments[1:2] if last in _MAPPING else arguments[:1]
        items = either(_type(argument, names, depth + 1) for argument in chosen)
        return Values((Value(Kind.MANY, items=items.items),))
    return _instances(names(dotted), dotted) if dotted else UNKNOWN


def _instances(found: Values, dotted: str) -> Values:
    """Objects of the named classes; a name that leads out of the project is a type out of it."""
    items = []
    for value in found:
        if value.kind is Kind.CLASS:
            items.append(Value(Kind.INSTANCE, value.ref))
        elif value.kind is Kind.EXTERNAL and value.name.rpartition(".")[2] not in (
            "Any",
            "object",
            "Self",
            "TypeVar()",
        ):
            items.append(Value(Kind.EXTERNAL, name=value.name))
    if not items:
        return UNKNOWN if dotted not in ("str", "int", "bool", "bytes", "float") else external(dotted)
    return Values(tuple(items), found.sure)


def _class_of(value: Value) -> Value:
    return Value(Kind.CLASS, value.ref) if value.kind is Kind.INSTANCE else value


def _dotted(node: ast.expr) -> str:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""
