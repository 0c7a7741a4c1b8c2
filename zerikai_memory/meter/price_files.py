"""Read price tables: the one of this package, and `prices.toml` in the brain folder, whose rows win."""

from __future__ import annotations

import threading
import tomllib
from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from zerikai_memory.meter.calendar import Calendar, read_calendar
from zerikai_memory.meter.prices import ANY, Price, Prices, Rates
from zerikai_memory.model_usage import NANO_PER_USD

FILE_NAME = "prices.toml"
MAX_BYTES = 1_000_000
_RATES = ("input", "cached", "output")
_FIELDS = {"provider", "model", "aliases", "valid_from", "peak", "source", "checked_on", *_RATES}


class PriceFiles:
    """The prices of a brain; read anew when the person's own file changes. Thread-safe."""

    def __init__(self, home: Path) -> None:
        self.path = home / FILE_NAME
        self._mutex = threading.Lock()
        self._seen: tuple[int, int] | None = None
        self._prices: Prices | None = None

    def current(self) -> Prices:
        """All rows. A file that cannot be used makes every price unknown: what it says is not what we would book."""
        with self._mutex:
            seen = self._stamp()
            if self._prices is None or seen != self._seen:
                self._prices, self._seen = self._read(), seen
            return self._prices

    def _stamp(self) -> tuple[int, int] | None:
        try:
            stat = self.path.stat()
        except OSError:
            return None
        return stat.st_mtime_ns, stat.st_size

    def _read(self) -> Prices:
        rows, calendars = shipped()
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            return Prices(rows)
        except OSError as error:
            return Prices(rows, f"{self.path} cannot be read ({error.strerror or error})")
        try:
            if len(content) > MAX_BYTES:
                raise ValueError(f"it is larger than {MAX_BYTES} bytes")
            own, _ = read_prices(content.decode("utf-8-sig"), calendars, own=True)
        except ValueError as error:  # not UTF-8 and not TOML are among them
            return Prices(rows, f"{self.path} cannot be used: {error}")
        return Prices((*rows, *own))


@cache
def shipped() -> tuple[tuple[Price, ...], Mapping[str, Calendar]]:
    """Rows and calendars of this package."""
    text = files("zerikai_memory.meter").joinpath(FILE_NAME).read_text(encoding="utf-8")
    return read_prices(text, {}, own=False)


def read_prices(
    text: str, calendars: Mapping[str, Calendar], *, own: bool
) -> tuple[tuple[Price, ...], Mapping[str, Calendar]]:
    """Rows and calendars of a table, which may name `calendars`; raises ValueError that says where it is wrong."""
    value = tomllib.loads(text, parse_float=Decimal)
    if unknown := value.keys() - {"format", "calendars", "prices"}:
        raise ValueError(f"there is no {sorted(unknown)[0]!r} in a price table, only [[prices]] and [calendars.NAME]")
    if value.get("format", 1) != 1:
        raise ValueError(f"format: got {value['format']!r}, this version knows 1")
    known = dict(calendars)
    for name, table in _table(value.get("calendars", {}), "calendars").items():
        known[name] = _located(f"calendars.{name}", read_calendar, _table(table, f"calendars.{name}"))
    rows = value.get("prices", [])
    if not isinstance(rows, list):
        raise ValueError("prices: each row begins with [[prices]], in two brackets")
    return tuple(
        _located(
            f"prices row {number} ({row.get('model', '?') if isinstance(row, dict) else row!r})", _row, row, known, own
        )
        for number, row in enumerate(rows, start=1)
    ), known


def _row(value: Any, calendars: Mapping[str, Calendar], own: bool) -> Price:
    table = _table(value, "row")
    if unknown := table.keys() - _FIELDS:
        raise ValueError(f"has no field {sorted(unknown)[0]!r}")
    model = table.get("model")
    if not isinstance(model, str) or not model.strip():
        raise ValueError('model: it is missing; give the name that the provider uses, or "*"')
    peak, calendar = table.get("peak"), None
    if peak is not None:
        if unknown := _table(peak, "peak").keys() - {"calendar", *_RATES}:
            raise ValueError(f"peak has no field {sorted(unknown)[0]!r}")
        name = str(peak.get("calendar"))
        if name not in calendars:
            raise ValueError(f"peak.calendar: got {name!r}, there is: {', '.join(calendars) or 'none'}")
        calendar = calendars[name]
    return Price(
        str(table.get("provider", ANY)).strip().casefold(),
        model.strip(),
        _aliases(table.get("aliases", [])),
        _moment(table.get("valid_from")),
        _rates(table),
        None if peak is None else _rates(peak),
        calendar,
        str(table.get("source", "own file" if own else "")),
        _checked(table.get("checked_on")),
        own,
    )


def _aliases(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(alias, str) and alias.strip() for alias in value):
        raise ValueError(f'aliases: got {value!r}, expected names in brackets, such as ["my-model-latest"]')
    return tuple(alias.strip() for alias in value)


def _rates(table: Mapping[str, Any]) -> Rates:
    """The three rates; without one for cached input it costs as much as other input."""
    known = {"cached": table.get("input"), **table}
    return Rates(*(_nano(name, known.get(name)) for name in _RATES))


def _nano(name: str, value: Any) -> int:
    if value is None or isinstance(value, bool):
        raise ValueError(f'{name}: it is missing; give USD for a million tokens, such as "0.15"')
    try:
        nano = Decimal(str(value)) * NANO_PER_USD
        whole = nano == nano.to_integral_value() and 0 <= nano < Decimal(10) ** 15
    except InvalidOperation:
        whole = False
    if not whole:
        raise ValueError(f'{name}: got {value!r}, expected USD for a million tokens, such as "0.15"')
    return int(nano)


def _moment(value: Any) -> float:
    """When a row begins to apply; always, where it does not say."""
    if value is None:
        return 0.0
    try:
        found = value if isinstance(value, date) else datetime.fromisoformat(str(value))
        if not isinstance(found, datetime):
            found = datetime(found.year, found.month, found.day)
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        raise ValueError(f'valid_from: got {value!r}, expected for example "2026-09-10T04:00:00Z"') from None


def _checked(value: Any) -> str:
    """The day on which a row was compared with its source, empty where it does not say."""
    if value is None:
        return ""
    try:
        return date.fromisoformat(str(value)).isoformat()
    except ValueError:
        raise ValueError(f'checked_on: got {value!r}, expected a day such as "2026-11-30"') from None


def _table(value: Any, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{name}: expected a table, got {value!r}")
    return value


def _located(where: str, read: Any, *arguments: Any) -> Any:
    try:
        return read(*arguments)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{where}: {error}") from error
