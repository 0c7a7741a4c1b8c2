"""Read a provider's usage export: our own CSV and JSON, and the files that DeepSeek's platform exports (docs/usage.md).

Days are those of UTC, as providers count them. Secrets in a file (columns of API keys) are never kept or shown.
"""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from zerikai_memory.errors import InputError

# A row with its place in the file.
Record = tuple[int, Mapping[str, Any]]
# A year of days, models and keys has a few thousand rows.
MAX_BYTES = 50_000_000
_DAY = re.compile(r"(\d{4})-?(\d{2})-?(\d{2})")
_NAMES = {
    "day": ("day", "date", "utc_date"),
    "model": ("model",),
    "backend": ("backend", "provider"),
    "prompt": ("prompt_tokens", "input_tokens"),
    "cached": ("cached_tokens", "cache_hit_tokens", "prompt_cache_hit_tokens"),
    "completion": ("completion_tokens", "output_tokens"),
    "usd": ("cost_usd", "usd"),
}
# Kinds of amounts in DeepSeek's export: which of our figures they belong to.
_KINDS = {
    "input_cache_hit_tokens": ("prompt", "cached"),
    "input_cache_miss_tokens": ("prompt",),
    "input_tokens": ("prompt",),
    "output_tokens": ("completion",),
}


@dataclass(frozen=True, slots=True)
class Billed:
    """What a provider says of a day and model; None where it says nothing. `nano_usd` is nano-dollars."""

    day: str
    model: str
    backend: str = ""
    prompt: int | None = None
    cached: int | None = None
    completion: int | None = None
    nano_usd: int | None = None

    def plus(self, other: Billed) -> Billed:
        """Both together."""
        return replace(
            self,
            backend=self.backend or other.backend,
            prompt=_both(self.prompt, other.prompt),
            cached=_both(self.cached, other.cached),
            completion=_both(self.completion, other.completion),
            nano_usd=_both(self.nano_usd, other.nano_usd),
        )


@dataclass(frozen=True, slots=True)
class Export:
    """The rows of an export, one per day and model, and what of it could not be used."""

    rows: tuple[Billed, ...]
    warnings: tuple[str, ...] = ()


def read_export(path: Path, key: str | None = None) -> Export:
    """The rows of a file; `key` keeps only those of an API key's name. Raises InputError for what is no export."""
    try:
        size = path.stat().st_size
        content = path.read_bytes() if size <= MAX_BYTES else b""
    except OSError as error:
        raise InputError(f"cannot read {str(path)!r}: {error.strerror or error}") from error
    if size > MAX_BYTES:
        raise InputError(f"{str(path)!r} has {size} bytes, more than {MAX_BYTES}: give an export of fewer days")
    parts = _zipped(content, path) if zipfile.is_zipfile(io.BytesIO(content)) else [(path.name, content)]
    rows: list[Billed] = []
    warnings: dict[str, None] = {}
    for name, data in parts:
        rows += _rows(name, _text(name, data), key, warnings)
    if not rows:
        raise InputError(f"{str(path)!r} holds no row to compare" + (f" of the key {key!r}" if key else ""))
    return Export(tuple(_joined(rows)), tuple(warnings))


def _zipped(content: bytes, path: Path) -> list[tuple[str, bytes]]:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            inside = [one for one in archive.infolist() if one.filename.lower().endswith((".csv", ".json"))]
            if sum(one.file_size for one in inside) > MAX_BYTES:
                raise InputError(f"{str(path)!r} holds more than {MAX_BYTES} bytes")
            return [(one.filename, archive.read(one)) for one in inside]
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, OSError) as error:
        raise InputError(f"{str(path)!r} is no ZIP file that can be read: {error}") from error


def _text(name: str, data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{name!r} is not UTF-8 text (byte {error.start})") from error


def _rows(name: str, text: str, key: str | None, warnings: dict[str, None]) -> list[Billed]:
    records = _json_records(name, text) if text.lstrip().startswith(("{", "[")) else _csv_records(name, text)
    fields = {field for _, record in records for field in record}
    kind = _kind(name, fields)
    if key is not None:
        if "api_key_name" not in fields:
            warnings[f"{name}: it names no keys, so all of it is compared"] = None
        records = [pair for pair in records if str(pair[1].get("api_key_name", key)).strip() == key]
    return list(_billed(name, kind, records, warnings))


def _csv_records(name: str, text: str) -> list[Record]:
    reader = csv.DictReader(io.StringIO(text, newline=""))
    try:
        return [(reader.line_num, _lowered(record)) for record in reader]
    except csv.Error as error:
        raise InputError(f"{name!r}, line {reader.line_num}: {error}") from error


def _json_records(name: str, text: str) -> list[Record]:
    try:
        value = json.loads(text, parse_float=Decimal)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{name!r} is no JSON: {error}") from error
    rows = value.get("rows") if isinstance(value, dict) else value
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise InputError(f'{name!r}: expected a list of objects, or {{"rows": [...]}}')
    return [(number, _lowered(row)) for number, row in enumerate(rows, start=1)]


def _lowered(record: Mapping[Any, Any]) -> dict[str, Any]:
    return {str(name).strip().lower(): value for name, value in record.items() if name is not None}


def _kind(name: str, fields: set[str]) -> str:
    if not fields.intersection(_NAMES["day"]) or "model" not in fields:
        raise InputError(f"{name!r}: expected columns day and model, got {', '.join(sorted(fields)[:12]) or 'none'}")
    if {"type", "amount"} <= fields:
        return "amount"
    if {"cost", "currency"} <= fields:
        return "cost"
    if fields.intersection(_NAMES["prompt"] + _NAMES["completion"] + _NAMES["usd"]):
        return "plain"
    raise InputError(f"{name!r}: expected some of prompt_tokens, completion_tokens, cost_usd beside day and model")


def _billed(name: str, kind: str, records: Iterable[Record], warnings: dict[str, None]) -> Iterator[Billed]:
    for place, record in records:
        where = f"{name!r}, row {place}"
        one = Billed(_day(_first(record, "day"), where), str(record.get("model") or "").strip())
        if not one.model:
            raise InputError(f"{where}: the model is missing")
        if kind == "amount":
            taken = _KINDS.get(str(record.get("type")).strip().lower())
            if taken:
                tokens = _whole(record.get("amount"), f"{where}: amount")
                yield replace(one, backend="deepseek", **dict.fromkeys(taken, tokens))
        elif kind == "cost":
            currency = str(record.get("currency") or "").strip().upper()
            if currency != "USD":
                warnings[f"{name}: costs in {currency or 'no currency'} are not compared, only tokens"] = None
            nano = _nano(record.get("cost"), f"{where}: cost") if currency == "USD" else None
            yield replace(one, backend="deepseek", nano_usd=nano)
        else:
            yield replace(
                one,
                backend=str(_first(record, "backend") or "").strip().lower(),
                prompt=_whole(_first(record, "prompt"), f"{where}: prompt_tokens"),
                cached=_whole(_first(record, "cached"), f"{where}: cached_tokens"),
                completion=_whole(_first(record, "completion"), f"{where}: completion_tokens"),
                nano_usd=_nano(_first(record, "usd"), f"{where}: cost_usd"),
            )


def _first(record: Mapping[str, Any], figure: str) -> Any:
    return next((record[name] for name in _NAMES[figure] if record.get(name) not in (None, "")), None)


def _day(value: Any, where: str) -> str:
    found = _DAY.match(str(value or "").strip())
    if not found:
        raise InputError(f"{where}: got {str(value)[:40]!r} as the day, expected 2026-11-30")
    return "-".join(found.groups())


def _whole(value: Any, where: str) -> int | None:
    number = _number(value, where)
    if number is not None and number != number.to_integral_value():
        raise InputError(f"{where}: got {str(value)[:40]!r}, expected a whole number")
    return None if number is None else int(number)


def _nano(value: Any, where: str) -> int | None:
    number = _number(value, where)
    return None if number is None else int((number * 1_000_000_000).to_integral_value())


def _number(value: Any, where: str) -> Decimal | None:
    if value is None or str(value).strip() == "":
        return None
    try:
        number = Decimal(str(value).strip())
    except InvalidOperation:
        number = Decimal(-1)
    if isinstance(value, bool) or not number.is_finite() or not 0 <= number < Decimal(10) ** 15:
        raise InputError(f"{where}: got {str(value)[:40]!r}, expected a number that is not negative")
    return number


def _joined(rows: Iterable[Billed]) -> list[Billed]:
    """One row per day, model and backend; rows that name no backend join those that do."""
    joined: dict[tuple[str, str], Billed] = {}
    for row in rows:
        place = (row.day, row.model.casefold())
        joined[place] = joined[place].plus(row) if place in joined else row
    return [joined[place] for place in sorted(joined)]


def _both(one: int | None, other: int | None) -> int | None:
    return one if other is None else other if one is None else one + other
