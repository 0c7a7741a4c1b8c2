"""Understand a question: its words, the identifiers, quoted phrases and paths in it. Any characters are safe."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from zerikai_memory.lang.registry import language_of
from zerikai_memory.store.words import STOP_WORDS, split_words, words

# A longer question is cut: nobody reads more, and every word is a term of the full-text query.
MAX_QUESTION_CHARS = 8_000
MAX_WORDS = 64

_NAME = r"[^\W\d]\w*"
_DOTTED = re.compile(rf"{_NAME}(?:(?:\.|::|#){_NAME})*")
_QUOTED = re.compile(r'"([^"\n]{2,200})"|“([^”\n]{2,200})”|`([^`\n]{2,200})`')
_PATH = re.compile(r"[\w.@+\-\\/\[\]$]*[\w\])$]\.[A-Za-z][A-Za-z0-9]{0,9}(?![\w.])(?::(\d{1,7}))?")
_FOLDER_PATH = re.compile(r"[\w.@+\-]+(?:/[\w.@+\-\[\]]+)+")
# `.r-stack`, `#main`, `--accent-color`, `my-widget`: names as style sheets and pages write them.
_HYPHENATED = re.compile(r"(?<![\w.#/-])(?:[.#]|--)?[A-Za-z_]\w*(?:-\w+)+|(?<![\w.#/-])[.#][A-Za-z_]\w*(?![\w.(-])")
_INNER_CAPITAL = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2,}[a-z]")


@dataclass(frozen=True, slots=True)
class PathMention:
    """A path in a question, with the line when it was given as `path:line`."""

    path: str
    line: int | None


@dataclass(frozen=True, slots=True)
class Query:
    """A question taken apart. `words` are search words without stop words, `terms` the same without joined identifiers
    (what an answer should cover); `identifiers` are names written as code."""

    text: str
    words: tuple[str, ...]
    terms: tuple[str, ...]
    identifiers: tuple[str, ...]
    phrases: tuple[tuple[str, ...], ...]
    paths: tuple[PathMention, ...]
    cut: bool

    @property
    def empty(self) -> bool:
        """Whether there is nothing to search for."""
        return not (self.words or self.identifiers or self.paths)


def understand(question: str) -> Query:
    """Take a question apart; a question over MAX_QUESTION_CHARS is cut and says so."""
    text = question[:MAX_QUESTION_CHARS].replace("\0", " ").strip()
    paths = _paths(text)
    return Query(
        text=text,
        words=content_words(words(text)),
        terms=content_words(split_words(text)),
        identifiers=_identifiers(text, paths),
        phrases=_phrases(text),
        paths=paths,
        cut=len(question) > MAX_QUESTION_CHARS,
    )


def content_words(all_words: Iterable[str]) -> tuple[str, ...]:
    """Distinct words in order without stop words, unless there is nothing else; at most MAX_WORDS."""
    found = dict.fromkeys(all_words)
    content = [word for word in found if word not in STOP_WORDS]
    # "how to be" has nothing else to go by.
    return tuple((content or list(found))[:MAX_WORDS])


def _identifiers(text: str, paths: tuple[PathMention, ...]) -> tuple[str, ...]:
    """Names written as code: with an underscore, an inner capital or a dot, in quotes, or alone in it."""
    for mention in paths:
        # What is left beside a path may be one plain name: "run in mod/task.py" asks for that file's `run`.
        text = text.replace(mention.path if mention.line is None else f"{mention.path}:{mention.line}", " ")
    plain = [word for word in text.split() if word.lower() not in STOP_WORDS]
    whole = " ".join(plain).strip("`'\"()[]{};,.?! ")
    found: dict[str, None] = {}
    if _DOTTED.fullmatch(whole):
        found[_dots(whole)] = None
    quoted = {part.strip("()") for match in _QUOTED.finditer(text) for part in match.groups() if part}
    for match in _DOTTED.finditer(text):
        name = match.group()
        code_like = "_" in name.strip("_") or name.startswith("_") or _INNER_CAPITAL.search(name) or name in quoted
        dotted = "." in name or "::" in name or "#" in name
        if code_like or dotted:
            found[_dots(name)] = None
    for match in _HYPHENATED.finditer(text):
        found[match.group().lstrip(".#-")] = None
    return tuple(found)[:MAX_WORDS]


def _dots(name: str) -> str:
    return name.replace("::", ".").replace("#", ".")


def _phrases(text: str) -> tuple[tuple[str, ...], ...]:
    parts = (part for match in _QUOTED.finditer(text) for part in match.groups() if part)
    split = (tuple(split_words(part)) for part in parts)
    return tuple(phrase for phrase in split if len(phrase) > 1)[:8]


def _paths(text: str) -> tuple[PathMention, ...]:
    found: dict[PathMention, None] = {}
    for match in _PATH.finditer(text):
        line = match.group(1)
        path = match.group().removesuffix(f":{line}") if line else match.group()
        if not (line or "/" in path or "\\" in path or language_of(path)):
            continue  # `Class.method` has the shape of a file name
        found[PathMention(_clean_path(path), int(line) if line else None)] = None
    for match in _FOLDER_PATH.finditer(text):
        mention = PathMention(_clean_path(match.group()), None)
        if all(mention.path != known.path for known in found):
            found[mention] = None
    return tuple(found)[:16]


def _clean_path(path: str) -> str:
    return path.replace("\\", "/").removeprefix("./").strip("/")
