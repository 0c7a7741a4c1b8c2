from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Iterator

from . import money as cash
from .db.store import Store as Backend


@dataclass
class Line:
    price: cash.Money
    count: int = 1

    @property
    def sum(self) -> cash.Money:
        return self.price.times(self.count)


class Cart:
    lines: list[Line]

    def __init__(self, backend: Backend | None = None) -> None:
        self.lines = []
        self.backend = backend or Backend("memory")

    @classmethod
    def empty(cls) -> Cart:
        return cls()

    def add(self, line: Line) -> Cart:
        self.lines.append(line)
        return self

    def save(self) -> None:
        with locked(self) as cart:
            cart.backend.put("cart", self.worth().text())

    def worth(self) -> cash.Money:
        found = cash.zero()
        for line in self.lines:
            found = found.plus(line.sum)
        return found


class Gift(Cart):
    def add(self, line: Line) -> Gift:
        super().add(line)
        return self

    def wrap(self):
        def tie(times):
            return self.worth().times(times)

        return tie(2)


@contextmanager
def locked(cart: Cart) -> Iterator[Cart]:
    yield cart


def total(carts: list[Cart]) -> cash.Money:
    result = cash.zero()
    for cart in carts:
        result = result.plus(cart.worth())
    return result
