"""Words that deny another by a prefix: `unprotected`, `insensitive`, `non-unique`, `disconnected`; and by meaning."""

from __future__ import annotations

import re

# Prefix, fewest letters behind it, and how what is behind it must end ("in" begins many other words).
_LATIN = r"(?:[ai]ble|ive|[ae]nt|ate|id|ct|ite|cure|plete|al|ular)"
_PREFIXES: tuple[tuple[str, int, re.Pattern[str]], ...] = (
    ("un", 4, re.compile(r".")),
    ("non", 4, re.compile(r".")),
    ("dis", 5, re.compile(r".")),
    *((prefix, 5, re.compile(rf"{_LATIN}$")) for prefix in ("in", "im", "il", "ir")),
)
# Words that only look like it.
_NO_PREFIX = frozenset(
    "display displays displayed dispatch dispatched dispatches dispose disposed distribute distributed discover "
    "discovered discount discounted discuss discussed distract distracted unionized united incident".split()
)
UNLIMITED = frozenset("unbounded unlimited limitless boundless infinite endless unrestricted uncapped".split())
LIMITED = frozenset("limited bounded capped restricted".split())


def negates(one: str, two: str) -> bool:
    """Whether one of two words in lower case is the other with a prefix that denies it."""
    short, long = sorted((one.replace("-", ""), two.replace("-", "")), key=len)
    if long in _NO_PREFIX:
        return False
    return any(
        long == prefix + short and len(short) >= least and ending.search(short) is not None
        for prefix, least, ending in _PREFIXES
    )
