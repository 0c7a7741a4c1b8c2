"""The files and entities that a message speaks of, linked to the index where the project is a known workspace. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

# A hit names a few, so that it stays within its tokens.
MOST_MENTIONS, MENTION_CHARS = 3, 120

_PATH = re.compile(r"(?<![\w/.@:-])(?:[\w.-]+/)*[\w-][\w.-]*\.[A-Za-z][A-Za-z0-9]{0,5}(?![\w/])")
# A path as Windows writes it.
_BACKSLASH = re.compile(r"(?<=[\w.-])\\(?=[\w.-]+(?:[\\/.]))")
# Plain words are names of many things; these shapes are those of code.
_NAME = re.compile(
    r"`([A-Za-z_]\w*(?:\.\w+)*)`|\b([A-Za-z_]\w*(?:\.\w+)*)(?=\()|\b(\w*[a-z0-9]_\w+|\w*[a-z][A-Z]\w*)\b"
)


@dataclass(frozen=True, slots=True)
class KnownNames:
    """What an index knows of: its files, and `file:line` of each name; None where several entities share it.

    `root` is the folder that the files are under.
    """

    files: frozenset[str] = frozenset()
    places: Mapping[str, str | None] = field(default_factory=dict)
    root: str = ""


def known_names(
    files: Sequence[str],
    names: Sequence[str],
    qualified_names: Sequence[str],
    places: Sequence[str],
    root: str = "",
) -> KnownNames:
    """Names by their place, from aligned sequences; `places[i]` is `file:line` of entity i."""
    found: dict[str, str | None] = {}
    for name, qualified, place in zip(names, qualified_names, places, strict=True):
        for one in {name, qualified} - {""}:
            found[one] = place if one not in found else None
    return KnownNames(frozenset(files), found, root.rstrip("/\\"))


def mentions(text: str, known: KnownNames | None, shown: str = "") -> tuple[str, ...]:
    """`name #file:line` and paths that a text names, in its order; of an unknown project only the paths.

    What the part of it that is `shown` names comes first.
    """
    parts = (shown.replace("**", ""), text) if shown else (text,)
    found = dict.fromkeys(one for part in parts for one in _mentioned(part, known))
    return tuple(one for one in found if len(one) <= MENTION_CHARS)[:MOST_MENTIONS]


def _mentioned(text: str, known: KnownNames | None) -> Iterator[str]:
    places = known.places if known else {}
    if known and known.root:  # agents write whole paths
        text = text.replace(known.root + "/", "").replace(known.root + "\\", "")
    text = _BACKSLASH.sub("/", text) if "\\" in text else text
    spots: list[tuple[int, str]] = []
    for match in _NAME.finditer(text):
        name = next(group for group in match.groups() if group)
        if place := places.get(name):
            spots.append((match.start(), f"{name} #{place}"))
    for match in _PATH.finditer(text):
        path = match[0].removeprefix("./")
        if known is None:
            if "/" in path:  # without one it may be a domain or the end of a sentence
                spots.append((match.start(), path))
        elif path in known.files or (path := _below(path, known.files)):
            spots.append((match.start(), path))
    return (one for _, one in sorted(spots))


def _below(path: str, files: frozenset[str]) -> str:
    """The one file that ends in a path as a person writes it, else nothing."""
    found = [file for file in files if file.endswith("/" + path)]
    return found[0] if len(found) == 1 else ""
