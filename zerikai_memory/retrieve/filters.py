"""Filters inside a question: `lang:`, `path:`, `kind:` and `category:`, and which entities they let through.

`path:` takes a glob (`*` inside a folder, `**` across folders, `?`) or the beginning of a path. Values of one key are
alternatives (`kind:class,function`, or the key twice); different keys must all hold. A word with a colon that is no
filter (`http://x`, `std::x`, `path: str`) is left to the question.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields

from zerikai_memory.errors import InputError
from zerikai_memory.lang.registry import LANGUAGES, language_of
from zerikai_memory.model import EntityType

# A filter stands alone between blanks; its value begins with what a name, a path or a glob begins with.
_FILTER = re.compile(r"(?<!\S)(?P<key>lang|language|path|kind|category):(?P<value>\"[^\"\n]+\"|[\w./*@?~\\-][^\s\"]*)")
# Inside backticks a colon belongs to the code.
_CODE = re.compile(r"`[^`\n]*`")
_GLOB = re.compile(r"[*?]")
# How else people call a language or a kind.
_LANGUAGE_WORDS = {"py": "python", "js": "javascript", "ts": "typescript", "md": "markdown", "jsx": "javascript"}
_KIND_WORDS = {"func": "function", "def": "function", "const": "constant", "heading": "section", "file": "module"}
# Categories that records usually have; any other word is one as soon as a record has it.
CATEGORIES = ("fact", "decision", "procedure", "fix", "error", "workaround", "strategy")
# More names than this in an error message tell the reader nothing.
NAMES_SHOWN = 12


@dataclass(frozen=True, slots=True)
class Filters:
    """Values as they were written, per key; empty: everything is let through."""

    lang: tuple[str, ...] = ()
    path: tuple[str, ...] = ()
    kind: tuple[str, ...] = ()
    category: tuple[str, ...] = ()

    @property
    def of_code(self) -> bool:
        """Whether entities are filtered, not only records."""
        return bool(self.lang or self.path or self.kind)

    def __bool__(self) -> bool:
        return self.of_code or bool(self.category)

    def __str__(self) -> str:
        return " ".join(f"{field.name}:{value}" for field in fields(self) for value in getattr(self, field.name))


def take_filters(question: str) -> tuple[str, Filters]:
    """(the question without its filters, the filters)."""
    code = [match.span() for match in _CODE.finditer(question)]
    found: dict[str, list[str]] = {}

    def take(match: re.Match[str]) -> str:
        if any(start <= match.start() < end for start, end in code) or match["value"].startswith("//"):
            return match[0]
        key = "lang" if match["key"] == "language" else match["key"]
        found.setdefault(key, []).extend(filter(None, match["value"].strip('"').split(",")))
        return " "

    rest = _FILTER.sub(take, question)
    values = {key: tuple(dict.fromkeys(values)) for key, values in found.items()}
    return (rest.strip() if found else question), Filters(**values)


def languages_meant(values: Sequence[str]) -> frozenset[str]:
    """Language names of `lang:` values (a name, a usual short form or a file extension); InputError for others."""
    known = list(dict.fromkeys(spec.name for spec in LANGUAGES))
    meant = set()
    for value in values:
        word = value.lower().lstrip(".")
        name = word if word in known else _LANGUAGE_WORDS.get(word) or language_of(f"x.{word}")
        if name is None:
            raise InputError(f"lang: {value!r} is not a language of the index; known are {', '.join(known)}")
        meant.add(name)
    return frozenset(meant)


def kinds_meant(values: Sequence[str]) -> frozenset[str]:
    """Entity types of `kind:` values, in singular or plural; InputError for others."""
    known = [kind.value for kind in EntityType]
    meant = set()
    for value in values:
        word = value.lower()
        forms = (word, word.removesuffix("s"), word.removesuffix("es"), re.sub("ies$", "y", word))
        name = next((form for form in forms if form in known), None) or _KIND_WORDS.get(word)
        if name is None:
            raise InputError(f"kind: {value!r} is not a kind of entity; known are {', '.join(known)}")
        meant.add(name)
    return frozenset(meant)


def paths_meant(values: Sequence[str], paths: Sequence[str]) -> frozenset[str]:
    """Those of `paths` that a `path:` value lets through; InputError for a value that fits none of them."""
    meant: set[str] = set()
    for value in values:
        fitting = [path for path in paths if _fits(value, path)] or _inside(value, paths)
        if not fitting:
            raise InputError(f"path: {value!r} fits no indexed file; at the top are {_top(paths)}")
        meant.update(fitting)
    return frozenset(meant)


def category_meant(values: Sequence[str], used: Callable[[str | None], Iterable[str]]) -> str | None:
    """The category of `category:` values; InputError for more than one, or one that no record has.

    `used` gives the categories of the records, of one category or of all.
    """
    if not values:
        return None
    if len(values) > 1:
        raise InputError(f"category: {', '.join(map(repr, values))}: give one category")
    name = values[0].lower()
    if name not in CATEGORIES and not any(used(name)):
        known = dict.fromkeys((*CATEGORIES, *used(None)))
        raise InputError(f"category: no record is a {name!r}; known are {', '.join(known)}")
    return name


def _fits(value: str, path: str) -> bool:
    wanted = _plain(value)
    if path.startswith(wanted):
        return True
    if not _GLOB.search(wanted):
        return False
    pattern = _pattern(wanted)
    # As in an ignore file, a glob without a slash is about the name of the file.
    return bool(pattern.fullmatch(path) or ("/" not in wanted and pattern.fullmatch(path.rsplit("/", 1)[-1])))


def _inside(value: str, paths: Sequence[str]) -> list[str]:
    """Paths that hold the value as whole folder and file names, when none begins with it."""
    wanted = f"/{_plain(value).strip('/')}/"
    return [path for path in paths if wanted in f"/{path}/"] if wanted != "//" else []


def _plain(value: str) -> str:
    return value.replace("\\", "/").removeprefix("./").lstrip("/")


def _pattern(glob: str) -> re.Pattern[str]:
    tokens = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", glob)
    body = "".join(tokens.get(part, re.escape(part)) for part in parts)
    return re.compile(f"{body}(?:/.*)?")


def _top(paths: Sequence[str]) -> str:
    return _some(dict.fromkeys(path.split("/", 1)[0] + "/" if "/" in path else path for path in sorted(paths)))


def _some(names: Iterable[str]) -> str:
    listed = list(names)
    more = len(listed) - NAMES_SHOWN
    return (", ".join(listed[:NAMES_SHOWN]) or "none") + (f", and {more} more" if more > 0 else "")
