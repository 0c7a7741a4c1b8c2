"""Filters inside a question: `lang:`, `path:`, `kind:` and `category:`, and which entities they let through.

`path:` takes a glob (`*` inside a folder, `**` across folders, `?`) or the beginning of a path. Values of one key are
alternatives (`kind:class,function`, or the key twice); different keys must all hold. What is turned is kept out:
`-path:x`, `!kind:class`, `NOT lang:css`, `path:!x`; a `!` in front of the first value turns the others too. A word with
a colon that is no filter (`http://x`, `std::x`, `path: str`) is left to the question.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields

from zerikai_memory.errors import InputError
from zerikai_memory.lang.registry import LANGUAGES, language_of
from zerikai_memory.model import EntityType
from zerikai_memory.redact import echo

# A filter stands alone between blanks, or in brackets; `lang: python` is meant as one when the value means something.
_FILTER = re.compile(
    r"(?<![^\s(])(?P<turned>(?:(?:not|except|excluding|without)[ \t]+)?[-!]?)"
    r"(?P<key>lang|language|path|kind|category)[:\uff1a](?P<blank>[ \t]*)"
    r"(?P<value>\"[^\"\n]*\"|'[^'\n]*'|[^\s\"]*)",
    re.IGNORECASE,
)
# What a name, a path or a glob begins with; other signs are code.
_BEGINNING = re.compile(r"[\w./*@?~\\-]")
# `lang:python, typescript`
_NEXT = re.compile(r"(?<=,)[ \t]+([-!]?[\w.]+,?)")
# In front of a value: what is kept out.
_TURN = re.compile(r"^(?:[-!]+(?=.)|!$)")
_PATH_LIKE = re.compile(r"[/\\*]|\w\.[A-Za-z]\w{0,5}$")
_CODE_SIGN = re.compile(r"[()\[\]{}=<>|;]|,$")
# How annotations go on after a colon; nobody filters by them.
_TYPE_WORDS = frozenset("str string int number bool boolean any none null object bytes list dict float path".split())
# Inside backticks a colon belongs to the code.
_CODE = re.compile(r"`[^`\n]*`")
_ABSOLUTE = re.compile(r"/|~/|[A-Za-z]:[/\\]")
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
    """Values as they were written, per key, with a `!` before what is kept out; empty: everything is let through."""

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
    found: dict[str, list[str]] = {}
    rest, end = "", 0
    for match in _filters_in(question):
        values, stop = _values(match)
        if values:
            found.setdefault(_key(match), []).extend(values)
            rest += f"{question[end : match.start()]} "
            end = stop
    values_by_key = {key: tuple(dict.fromkeys(values)) for key, values in found.items()}
    return ((rest + question[end:]).strip() if found else question), Filters(**values_by_key)


def unread_filters(question: str) -> tuple[str, tuple[str, ...]]:
    """(the question without the keys of filters that `take_filters` has left in it, what is wrong with each)."""
    said = []
    rest, end = "", 0
    for match in _filters_in(question):
        key, value = _key(match), match["value"].strip("\"'")
        if _values(match)[0] or _bracketed(match) or (value and not _BEGINNING.match(value)):
            continue
        if _CODE_SIGN.search(value) or value.lower() in _TYPE_WORDS:
            continue
        what = f"{echo(value)} is none" if value else "no value is given"
        turned = key == "category" and bool(match["turned"] or _TURN.match(value))
        if turned and value:
            what = "records of a category are asked for and cannot be kept out"
        said.append(f"{key}: {what}, so nothing is filtered; {_known(key)}")
        rest += question[end : match.start()]
        # What was to be kept out is not searched for.
        end = match.start("value") if value and not turned else match.end()
    return (rest + question[end:]).strip() if said else question, tuple(said)


def _filters_in(question: str) -> Iterator[re.Match[str]]:
    code = [match.span() for match in _CODE.finditer(question)]
    for match in _FILTER.finditer(question):
        if not any(start <= match.start() < end for start, end in code) and not match["value"].startswith(("//", ":")):
            yield match


def _key(match: re.Match[str]) -> str:
    key = match["key"].lower()
    return "lang" if key == "language" else key


def _bracketed(match: re.Match[str]) -> bool:
    return match.string[: match.start()].endswith("(")


def _values(match: re.Match[str]) -> tuple[list[str], int]:
    """(the values of a filter, where it ends); no values when it is no filter."""
    key, end = _key(match), match.end()
    written = match["value"].strip("\"'")
    value = _TURN.sub("", written).strip("\"'")
    turned = bool(match["turned"]) or value != written
    if not _BEGINNING.match(value) or (turned and key == "category"):
        return [], end
    if match["blank"] or _bracketed(match):
        value = value.rstrip(").,;:!?")
        if not value or not all(_means(key, _TURN.sub("", part)) for part in value.split(",")):
            return [], end
    values = [part for part in value.split(",") if _TURN.sub("", part)]
    while (following := _NEXT.match(match.string, end)) and _means(key, _TURN.sub("", following[1].rstrip(","))):
        values.append(following[1].rstrip(","))
        end = following.end()
    return [f"!{_TURN.sub('', part)}" if turned or _TURN.match(part) else part for part in values], end


def parted(values: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(the values that are let in, those that are kept out) of one key of Filters."""
    told = tuple(values)
    return tuple(v for v in told if not v.startswith("!")), tuple(v[1:] for v in told if v.startswith("!"))


def _means(key: str, value: str) -> bool:
    """Whether a value cannot but be meant as one."""
    try:
        if key == "lang":
            return bool(languages_meant([value]))
        if key == "kind":
            return bool(kinds_meant([value]))
    except InputError:
        return False
    return value.lower() in CATEGORIES if key == "category" else bool(_PATH_LIKE.search(value))


def _known(key: str) -> str:
    if key == "path":
        return "a path or a glob stands right behind the colon"
    names = {
        "lang": dict.fromkeys(spec.name for spec in LANGUAGES),
        "kind": [kind.value for kind in EntityType],
        "category": CATEGORIES,
    }[key]
    return f"known are {', '.join(names)}"


def languages_meant(values: Sequence[str]) -> frozenset[str]:
    """Language names of `lang:` values (a name, a usual short form or a file extension); InputError for others."""
    known = list(dict.fromkeys(spec.name for spec in LANGUAGES))
    meant = set()
    for value in values:
        word = value.lower().lstrip(".")
        name = word if word in known else _LANGUAGE_WORDS.get(word) or language_of(f"x.{word}")
        if name is None:
            raise InputError(f"lang: {echo(value)} is not a language of the index; known are {', '.join(known)}")
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
            raise InputError(f"kind: {echo(value)} is not a kind of entity; known are {', '.join(known)}")
        meant.add(name)
    return frozenset(meant)


def paths_meant(values: Sequence[str], paths: Sequence[str]) -> frozenset[str]:
    """Those of `paths` that a `path:` value lets through; InputError for a value that fits none of them."""
    meant: set[str] = set()
    for value in values:
        fitting = [path for path in paths if _fits(value, path)] or _inside(value, paths) or _beneath(value, paths)
        if not fitting:
            raise InputError(f"path: {echo(value)} fits no indexed file; at the top are {_top(paths)}")
        meant.update(fitting)
    return frozenset(meant)


def category_meant(values: Sequence[str], used: Callable[[str | None], Iterable[str]]) -> str | None:
    """The category of `category:` values; InputError for more than one, or one that no record has.

    `used` gives the categories of the records, of one category or of all.
    """
    if not values:
        return None
    if len(values) > 1:
        raise InputError(f"category: {', '.join(map(echo, values))}: give one category")
    name = values[0].lower()
    if name == "sessions":  # of a call, not of a question: past sessions are no records
        raise InputError("category: past sessions are asked with the option `--category sessions` (category of a tool)")
    if name not in CATEGORIES and not any(used(name)):
        known = dict.fromkeys((*CATEGORIES, *used(None)))
        raise InputError(f"category: no record is a {echo(name)}; known are {', '.join(known)}")
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


def _beneath(value: str, paths: Sequence[str]) -> list[str]:
    """Paths that begin with the longest end of an absolute path, as another program writes it, that any begins with."""
    if not _ABSOLUTE.match(value):
        return []
    parts = _plain(value).split("/")
    ends = ("/".join(parts[i:]) for i in range(1, len(parts)))
    found = ([path for path in paths if end and f"{path}/".startswith(f"{end.rstrip('/')}/")] for end in ends)
    return next(filter(None, found), [])


def _plain(value: str) -> str:
    plain = value.replace("\\", "/").removeprefix("./").lstrip("/")
    return "" if plain == "." else plain


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
