"""Numbers with their units in a sentence, in base units: `1 GB` and `1024 MB` are equal, `30 days` and `a week` not.

Only units of sizes, times, frequencies, lengths, money and per cent are taken with their number; what is counted
(`3 times`, `8 characters`) stays a word of the sentence.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

# Dimension -> {unit: how many base units}.
_SIZES = {"b": 1.0} | {
    f"{prefix}{end}": 1024.0**power
    for power, prefix in enumerate("kmgtp", start=1)
    for end in ("b", "ib", "byte", "bytes")
}
_TIMES = {
    names: seconds
    for words, seconds in (
        ("ms msec millisecond milliseconds millisekunden millisecondes milisegundos", 0.001),
        ("s sec secs second seconds sekunde sekunden seconde secondes segundo segundos", 1.0),
        ("min mins minute minutes minuten minuto minutos", 60.0),
        ("h hr hrs hour hours stunde stunden heure heures hora horas", 3600.0),
        ("d day days tag tage tagen jour jours día días dia dias", 86_400.0),
        ("week weeks woche wochen semaine semaines semana semanas", 604_800.0),
        ("month months monat monate monaten mois mes meses", 2_592_000.0),
        ("year years jahr jahre jahren an ans année années año años", 31_536_000.0),
    )
    for names in words.split()
}
UNITS: Mapping[str, Mapping[str, float]] = {
    "size": _SIZES,
    "time": _TIMES,
    "frequency": {"hz": 1.0, "khz": 1e3, "mhz": 1e6, "ghz": 1e9},
    "length": {"mm": 0.001, "cm": 0.01, "m": 1.0, "km": 1000.0, "px": 1e9},
    "per cent": {"%": 1.0, "percent": 1.0, "prozent": 1.0},
    "euro": {"€": 1.0, "eur": 1.0, "euro": 1.0, "euros": 1.0},
    "dollar": {"$": 1.0, "usd": 1.0, "dollar": 1.0, "dollars": 1.0},
}
_UNIT = {unit: (dimension, factor) for dimension, units in UNITS.items() for unit, factor in units.items()}
# 1000 make a kilobyte as well as 1024, and a month is 30 days as well as a twelfth of a year.
_READ_OTHERWISE = {unit: 1000.0 ** round(math.log(factor, 1024.0)) for unit, factor in _SIZES.items() if factor > 1} | {
    unit: 2_628_000.0 for unit, factor in _TIMES.items() if factor == _TIMES["month"]
}
_WORDS = {
    word: number
    for number, names in enumerate(
        (
            "one ein eine einen einem einer un une una", "two zwei deux dos", "three drei trois tres",
            "four vier quatre cuatro", "five fünf cinq cinco", "six sechs seis", "seven sieben sept siete",
            "eight acht huit ocho", "nine neun neuf nueve", "ten zehn dix diez", "eleven elf onze", "twelve zwölf",
        ),
        start=1,
    )
    for word in names.split()
} | {
    "fifteen": 15, "sixteen": 16, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60,
    "hundred": 100,
}  # fmt: skip
# These are articles, too: a number only in front of a unit.
_ARTICLES = frozenset("a an ein eine einen einem einer un une una".split())
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_ATTACHED = re.compile(r"(\d+(?:[.,]\d+)*)([a-zµ%€$]+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Quantity:
    """`amount` in base units of `dimension`, or, without a dimension, `spelling` as it stands (a version, a count).

    `otherwise` is the amount by the other reading of the unit.
    """

    dimension: str
    amount: float
    spelling: str
    otherwise: float = 0.0

    @property
    def key(self) -> str:
        """Equal for what is written alike; `same` knows better."""
        return f"{self.dimension}:{self.amount!r}" if self.dimension else self.spelling

    def same(self, other: Quantity) -> bool:
        """Whether both say the same; False for different dimensions."""
        if self.dimension != other.dimension:
            return False
        if not self.dimension:
            return self.spelling == other.spelling
        return math.isclose(self.amount, other.amount) or math.isclose(self.otherwise, other.otherwise)


def quantity_at(words: list[str], at: int) -> tuple[Quantity, int] | None:
    """The quantity that begins with the word at a position, and how many words it takes; None where none does."""
    word = words[at].lower()
    if word == "half" and at + 2 < len(words) and words[at + 1].lower() in _ARTICLES:
        unit = _UNIT.get(words[at + 2].lower())
        return (_measured(0.5, words[at + 2], f"half {words[at + 2]}"), 3) if unit else None
    following = words[at + 1] if at + 1 < len(words) else ""
    if attached := _ATTACHED.fullmatch(word):
        unit = _UNIT.get(attached[2].lower())
        return _rate(words, at + 1, _measured(_float(attached[1]), attached[2], word)) if unit else None
    if word in _ARTICLES and word != "one" and _UNIT.get(following.lower(), ("", 0))[0] != "time":
        return None
    spelled = _WORDS.get(word)
    if word in ("a", "an"):
        spelled = 1
    if spelled is None and not _NUMBER.fullmatch(word):
        return None
    number = str(spelled) if spelled is not None else word
    # "5 m" is a length, "5 M" is not; a lone letter "s" or "d" after a number is a time.
    unit = _UNIT.get(following.lower()) if following and not following.startswith(("=", ":")) else None
    if unit is None:
        if _THOUSANDS.fullmatch(number):
            number = number.replace(",", "")
        return Quantity("", 0.0, number), 1
    return _rate(words, at + 2, _measured(_float(number), following, f"{number} {following}"), taken=2)


def period_at(words: list[str], at: int) -> str | None:
    """The unit of time of a rate (`per minute`, `/ s`, `a day`) that begins at a position; None where none does."""
    if at + 1 >= len(words) or words[at].lower() not in ("per", "pro", "par", "por", "/", "a", "each", "every"):
        return None
    unit = _UNIT.get(words[at + 1].lower())
    return f"per {unit[1]:g} s" if unit and unit[0] == "time" else None


def _rate(words: list[str], end: int, quantity: Quantity, taken: int = 1) -> tuple[Quantity, int]:
    period = period_at(words, end)
    if period is None or words[end].lower() in ("each", "every"):
        return quantity, taken
    dimension, spelling = f"{quantity.dimension} {period}", f"{quantity.spelling} {period}"
    return replace(quantity, dimension=dimension, spelling=spelling), taken + 2


def _measured(number: float, unit: str, spelling: str) -> Quantity:
    dimension, factor = _UNIT[unit.lower()]
    return Quantity(dimension, number * factor, spelling, number * _READ_OTHERWISE.get(unit.lower(), factor))


def _float(number: str) -> float:
    if _THOUSANDS.fullmatch(number):
        number = number.replace(",", "")
    number = number.replace(",", ".")
    try:
        return float(number)
    except ValueError:
        return float(number.replace(".", "") or 0)
