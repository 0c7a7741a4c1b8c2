"""Which of several bindings of a name still hold at a line: the last one and, before it, those it does not replace."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from zerikai_memory.codemap.python_definitions import decorated, is_class
from zerikai_memory.codemap.python_file import FUNCTIONS, Binding, How

# Lines of the body of an `if`, a loop, `try` ..., first and last: what is bound in there may not be bound after it.
Block = tuple[int, int]
# These add to an earlier definition of the name.
_ADDED = frozenset({"overload", "setter", "deleter", "getter", "register"})


def standing(bindings: Iterable[Binding], blocks: Sequence[Block], line: int | None) -> tuple[list[Binding], bool]:
    """(the bindings that a name may have at a line, in source order; whether one of them was surely made).

    line: None for the end of the scope. A plain assignment takes nothing from a definition: `f = cached(f)`.
    """
    kept: list[Binding] = []
    given = made = False
    for binding in sorted(bindings, key=lambda binding: binding.line, reverse=True):
        definition = _is_definition(binding)
        if given and (binding.how is How.IMPORT or (binding.how is How.FORM and not binding.form.startswith(": "))):
            continue
        kept.append(binding)
        if not _is_sure(binding, blocks, line):
            continue
        if definition or (binding.how is How.IMPORT):
            made = True
            if not (binding.entity is not None and decorated(binding.entity, _ADDED)):
                break
        elif binding.how is How.FORM and _takes_place(binding.form):
            given = made = True
    return kept[::-1], made


def bound_at(binding: Binding) -> int:
    """The line after which a name is bound: that of a class is not while its body runs."""
    entity = binding.entity
    return entity.end_line if entity is not None and is_class(entity) else binding.line


def _is_definition(binding: Binding) -> bool:
    entity = binding.entity
    return entity is not None and (entity.entity_type in FUNCTIONS or is_class(entity))


def _takes_place(form: str) -> bool:
    """Whether a form is a value of the scope itself: lambdas and comprehensions bind names of their own."""
    return "?" not in form and not form.endswith("[]") and not form.startswith(": ")


def _is_sure(binding: Binding, blocks: Sequence[Block], line: int | None) -> bool:
    """Whether every block around the binding is also around the line."""
    around = [(first, last) for first, last in blocks if first <= binding.line <= last]
    return all(line is not None and first <= line <= last for first, last in around)
