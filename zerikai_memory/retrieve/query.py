"""Take a question apart: words, identifiers, quoted phrases, paths, filters, traces. Any characters are safe."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from zerikai_memory.lang.registry import language_of
from zerikai_memory.retrieve.filters import Filters, take_filters, unread_filters
from zerikai_memory.retrieve.imports import Import, read_import
from zerikai_memory.retrieve.trace import Frame, Trace, find_trace, gist, head_and_tail
from zerikai_memory.store.words import STOP_WORDS, split_words, words

# A longer question is cut: nobody reads more, and every word is a term of the full-text query.
MAX_QUESTION_CHARS = 8_000
# A trace is read for its frames far beyond that: the one that failed stands at its end, or at its beginning.
MAX_TRACE_CHARS = 200_000
MAX_WORDS = 64

# Terminals colour traces, and people paste them.
_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_NAME = r"[^\W\d]\w*"
_JOINT = re.compile(r"[?!]?\.|::|#|->")
_DOTTED = re.compile(rf"{_NAME}(?:(?:{_JOINT.pattern}){_NAME})*")
# How search engines are asked; here every word is searched for, so these say nothing.
_OPERATOR = re.compile(r"(?<![\w.$])(?:AND|OR|NOT|NEAR(?:/\d+)?)(?![\w.:=])")
_NEAR_PHRASE = re.compile(r"\s*NEAR(?:/\d+)?\s*\((.*?)(?:,\s*\d+\s*)?\)\s*")
_QUOTED = re.compile(r'(?<![\w\\])"([^"\n]{2,200})"(?!\w)|“([^”\n]{2,200})”')
_CODE = re.compile(r"`([^`\n]{2,200})`")
# `path:12`, also `path:12:5`, `path:10-20`, `path#L12`, `path(12,5)`, `path line 12`.
_PATH = re.compile(
    r"(?<![\w.@+\-\\/\[\]$])(?:(?:file|https?):/{2,3})?(?:[A-Za-z]:(?=[\\/]))?"
    r"(?P<path>[\w.@+\-\\/\[\]$]*[\w\])$]\.[A-Za-z][A-Za-z0-9]{0,9})(?![\w.])"
    r"(?:(?:[:(]|#L|[`'\"]?,? (?:(?:at|on) )?line )(?P<line>\d{1,7})(?:[:,\-–]L?\d{1,7})?\)?)?"
)
_LINE_OF = re.compile(r"\blines? (?P<line>\d{1,7})(?:[\-–]\d{1,7})? (?:of|in) (?:the )?(?:file )?[`'\"]?$")
_FOLDER_PATH = re.compile(r"(?<![\w.@+\-])[\w.@+\-]+(?:/[\w.@+\-\[\]]+)+")
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
    """A question taken apart. `text` is the question as asked, `plain` what of it is searched for: no filters, of a
    trace the messages. `words` are search words without stop words, `terms` the same without joined identifiers (what
    an answer should cover); `identifiers` are names written as code, `phrases` texts in quotes that must occur, `code`
    texts in backticks, `frames` the places of a trace, innermost first; `remarks` say what was not read as meant;
    `imported` is what the question names if it is an import line."""

    text: str
    plain: str
    words: tuple[str, ...]
    terms: tuple[str, ...]
    identifiers: tuple[str, ...]
    phrases: tuple[str, ...]
    code: tuple[str, ...]
    paths: tuple[PathMention, ...]
    frames: tuple[Frame, ...]
    filters: Filters
    cut: bool
    remarks: tuple[str, ...] = ()
    imported: Import | None = None

    @property
    def empty(self) -> bool:
        """Whether there is nothing to search for, filters apart."""
        return not (self.words or self.identifiers or self.paths or self.frames)

    @property
    def name_alone(self) -> bool:
        """Whether the question is one name and nothing else."""
        beside = set(self.terms) - set(split_words(self.identifiers[0])) if len(self.identifiers) == 1 else {""}
        return all(term.isdigit() for term in beside)  # `getUser(1)`

    @property
    def looked_up(self) -> str | None:
        """The one name or path that is all of the question, as its definition is told by: no owner and no folder."""
        if self.name_alone and not self.paths:
            return self.identifiers[0].rpartition(".")[2]
        if self.identifiers or len(self.paths) != 1:
            return None
        told = f"{self.paths[0].path}:{self.paths[0].line}"
        if self.plain == told:
            return self.paths[0].path.rpartition("/")[2]
        path = _PATH.search(self.plain)
        beside = _FOLDER_PATH.sub(" ", _PATH.sub(" ", self.plain))
        if path and (before := _LINE_OF.search(self.plain[: path.start()])):
            beside = self.plain[: before.start()] + self.plain[path.end() :]
        return None if any(split_words(beside)) else self.paths[0].path.rpartition("/")[2]


def understand(question: str) -> Query:
    """Take a question apart; a question over MAX_QUESTION_CHARS is cut and says so, a trace keeps head and tail."""
    long = len(question) > MAX_QUESTION_CHARS
    text = _cleaned(head_and_tail(question, MAX_TRACE_CHARS))
    trace = find_trace(text)
    remarks: tuple[str, ...] = ()
    if trace and long:
        trace, text, remarks = _shortened(trace, text, len(question))
    elif long:
        text = _cleaned(question[:MAX_QUESTION_CHARS])
    plain, filters = (trace.message.strip(), Filters()) if trace else take_filters(text)
    if not trace:
        plain, remarks = unread_filters(plain)
        plain = _without_operators(plain)
    paths = () if trace else _paths(plain)
    code = _quoted(_CODE, plain)
    imported = None if trace else read_import((plain, *code))
    return Query(
        text=text,
        plain=plain,
        words=content_words(words(plain)),
        terms=content_words(split_words(plain)),
        identifiers=_identifiers(plain, paths),
        # A message quotes what it found, not what must be found; an import line quotes a path.
        phrases=() if trace or imported else _quoted(_QUOTED, plain),
        code=code,
        paths=paths,
        frames=trace.frames if trace else (),
        filters=filters,
        cut=long and not trace,
        remarks=remarks,
        imported=imported,
    )


def _cleaned(text: str) -> str:
    # Files of Windows begin with a mark, and so does what is piped from them.
    return _COLOURS.sub("", text).replace("\0", " ").replace("\ufeff", " ").strip()


def _shortened(trace: Trace, text: str, length: int) -> tuple[Trace, str, tuple[str, ...]]:
    """A trace whose message fits into MAX_QUESTION_CHARS, its text cut to that, and what to say about it."""
    read = "all of it" if length <= MAX_TRACE_CHARS else f"its first and last {MAX_TRACE_CHARS // 2:,} characters"
    remark = (
        f"the trace is longer than {MAX_QUESTION_CHARS} characters: frames are read from {read}, it is shown by its "
        "head and its tail"
    )
    message = gist(trace.message, MAX_QUESTION_CHARS)
    return replace(trace, message=message), head_and_tail(text, MAX_QUESTION_CHARS), (remark,)


def _without_operators(text: str) -> str:
    """A question without AND, OR, NOT and NEAR in capitals, unless all of it is in capitals or nothing else is left."""
    rest = _OPERATOR.sub(" ", _QUOTED.sub(lambda match: _NEAR_PHRASE.sub(r"\1", match[0]), text))
    return rest if rest != text and any(letter.islower() for letter in rest) else text


def content_words(all_words: Iterable[str]) -> tuple[str, ...]:
    """Distinct words in order without stop words, unless there is nothing else; at most MAX_WORDS."""
    found = dict.fromkeys(all_words)
    content = [word for word in found if word not in STOP_WORDS]
    # "how to be" has nothing else to go by.
    return tuple((content or list(found))[:MAX_WORDS])


def _identifiers(text: str, paths: tuple[PathMention, ...]) -> tuple[str, ...]:
    """Names written as code: with an underscore, an inner capital or a dot, in quotes, or alone in it."""
    if paths:
        # What is left beside a path may be one plain name: "run in mod/task.py" asks for that file's `run`.
        text = _FOLDER_PATH.sub(" ", _PATH.sub(lambda match: " " if _is_path(match) else match[0], text))
    plain = [word for word in text.split() if word.lower() not in STOP_WORDS]
    whole = re.sub(r"^[^\w$]+|[^\w$]+$", "", " ".join(plain))
    found: dict[str, None] = {}
    if _DOTTED.fullmatch(whole):
        found[_dots(whole)] = None
    quoted = {part.strip("()") for part in (*_quoted(_QUOTED, text), *_quoted(_CODE, text))}
    for match in _DOTTED.finditer(text):
        name = match.group()
        code_like = "_" in name.strip("_") or name.startswith("_") or _INNER_CAPITAL.search(name) or name in quoted
        dotted = _JOINT.search(name) is not None
        if code_like or dotted:
            found[_dots(name)] = None
    for match in _HYPHENATED.finditer(text):
        found[match.group().lstrip(".#-")] = None
    return tuple(found)[:MAX_WORDS]


def _dots(name: str) -> str:
    return _JOINT.sub(".", name)


def _quoted(pattern: re.Pattern[str], text: str) -> tuple[str, ...]:
    parts = (part for match in pattern.finditer(text) for part in match.groups() if part and any(split_words(part)))
    return tuple(dict.fromkeys(parts))[:8]


def _is_path(match: re.Match[str]) -> bool:
    """`Class.method` has the shape of a file name too."""
    path = match["path"]
    return bool(match["line"] or "/" in path or "\\" in path or language_of(path))


def _paths(text: str) -> tuple[PathMention, ...]:
    found: dict[PathMention, None] = {}
    for match in filter(_is_path, _PATH.finditer(text)):
        told = match if match["line"] else _LINE_OF.search(text[: match.start()])
        found[PathMention(clean_path(match["path"]), int(told["line"]) if told else None)] = None
    for folders in _FOLDER_PATH.finditer(text):
        mention = PathMention(clean_path(folders.group()), None)
        if all(mention.path != known.path for known in found):
            found[mention] = None
    return tuple(found)[:16]


def paths_written(text: str) -> list[str]:
    """All of a text that has the shape of a path, names with a dot such as `Class.method` too."""
    return [match["path"] for match in _PATH.finditer(text)] + [match.group() for match in _FOLDER_PATH.finditer(text)]


def clean_path(path: str) -> str:
    """A path as the index spells it: forward slashes, no `./` before it, no slash at either end."""
    return path.replace("\\", "/").removeprefix("./").strip("/")
