"""A shop: what it sells and to whom.

Kept small, with every form of definition in it.
"""

from __future__ import annotations

import os.path as paths
from collections.abc import Callable as Function, Iterator
from dataclasses import dataclass

LIMIT = 3


def traced(label: str) -> Function[..., object]:
    """Log calls under `label`."""

    def wrap(function):
        def inner(*args, **kwargs):
            print(f"{label}: {function.__name__.upper()}")
            return function(*args, **kwargs)

        return inner

    return wrap


@dataclass(frozen=True)
@traced("item")  # a comment behind it
class Item(
    object,
):
    """One thing."""

    name: str
    price: int = 0

    class Meta:
        ordering = ["name"]

        def keys(self): return list(self.ordering)

    @property
    def label(self) -> str:
        r"""Name \ price."""
        return f"{self.name} {self.price:>{len(self.name)}}"

    @label.setter
    def label(self, text: str) -> None:
        self.name, _, rest = text.partition(" ")

    @staticmethod
    async def load(
        path: str,
        /,
        *names: str,
        strict: bool = (1, 2) == (1, 2),
        **options: object,
    ) -> Iterator[Item]:
        'Read items.'
        async with open_file(paths.join(path, "x")) as file:
            async for line in file:
                yield Item(
                    line.strip()
                    .lower()
                    .title(),
                )
        # after the last statement


if LIMIT > 2:

    def choose(items): return max(items, key=lambda item: item.price)

else:

    def choose(items):
        "One line."


class Basket(dict[str, list[Item]], metaclass=type): ...


def ñandú(a, b=[*range(3)], *, c: "Item" = None) -> None:
    global LIMIT
    try:
        def nested():
            pass
    finally:
        nested()
