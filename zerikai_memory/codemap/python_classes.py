"""The order in which Python looks through the bases of a class (C3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from zerikai_memory.codemap.python_values import Kind, Ref, Values


def linearised(ref: Ref, bases: Sequence[Sequence[Ref | str]]) -> tuple[Ref | str, ...]:
    """The class, then its bases' own orders merged; where they contradict each other, one after the other.

    A name stands for a class outside the project, of which nothing is known but that it comes there.
    """
    rest: list[list[Ref | str]] = [list(order) for order in bases if order]
    rest.append([order[0] for order in bases if order])
    merged: list[Ref | str] = [ref]
    while rest := [order for order in rest if order]:
        head = next((order[0] for order in rest if not any(order[0] in other[1:] for other in rest)), rest[0][0])
        merged.append(head)
        rest = [[each for each in order if each != head] for order in rest]
    return tuple(merged)


def said_bases(found: Values, itself: Ref) -> Iterator[Ref | str]:
    """The bases that an expression names: classes of the project, names outside, or `?`."""
    for value in found.items[:2]:
        if value.kind is Kind.CLASS and value.ref is not None and value.ref != itself:
            yield value.ref
        else:
            yield value.name if value.kind is Kind.EXTERNAL else "?"
    if not found.items:
        yield "?"
