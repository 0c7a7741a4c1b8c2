"""Stack traces and error lists in a question, as frames, innermost first.

Known are Python (also IPython, rich and faulthandler), pytest, Node and other V8, Firefox and Safari, tsc, mypy,
ESLint, vitest, Sass, Java and .NET, and whatever else writes `path:line: error`. The cause of an error comes first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

# So many distinct frames of the project's kind, and of libraries as well: either may be all that is innermost.
MAX_FRAMES = 256

# At most so long, and only where a word begins: a question of one endless word must not take seconds.
_FILE = r"[^\s()\"']{1,400}?\.[A-Za-z][A-Za-z0-9]{0,7}"
_LINE = r"(?P<line>\d{1,7})"
_AT = rf":{_LINE}(?::\d{{1,7}})?"
# `KeyError`, `click.exceptions.UsageError`, `KeyboardInterrupt`
_RAISED = r"[A-Z][\w.]*(?:Error|Exception|Warning|Exit|Interrupt|Failed)\b"

# The innermost frame is the last one.
_DEEPEST_LAST = tuple(
    re.compile(pattern)
    for pattern in (
        rf'File "(?P<path>[^"\n]+)", line {_LINE}(?:,? in (?P<name>[^\s,]+))?',
        rf"\bFile (?P<path>{_FILE}):{_LINE}, in (?P<name>[^\s(,]+)",  # IPython
        rf"(?:^|(?<=\s))(?P<path>{_FILE}):{_LINE}:? in (?P<name>[^\s,]+)\s*(?:$|│)",  # pytest's short form, rich
        rf"(?:^|(?<=\s))(?P<path>{_FILE}):{_LINE}: {_RAISED}",  # where pytest's trace ends
        rf"^(?P<path>{_FILE}):{_LINE}:\s*$",  # and its frames above
    )
)
# The innermost frame is the first one, or the places are a list.
_DEEPEST_FIRST = tuple(
    re.compile(pattern)
    for pattern in (
        rf"^\W*at (?:(?:async |new )*(?P<name>[^\s(]+)(?: \[as [^\]]+\])? \()(?P<path>(?!eval at)\S.*?){_AT}\)[\s{{]*$",
        rf"^\W*at (?P<name>[\w.$/<>]+)\((?P<path>[\w$-]+\.[A-Za-z]{{1,8}}):{_LINE}\)\s*$",  # Java and its kin
        rf"\bin (?P<path>(?:[A-Za-z]:)?{_FILE}):line {_LINE}\b",  # .NET
        rf"^\W*at (?:async )?(?P<path>[^\s(]\S*?){_AT}\s*$",
        rf"\bin (?P<name>\w+) \(at (?P<path>{_FILE}){_AT}\)",  # components of React
        rf"^\s*(?P<name>(?:global|module|eval) code|[^\s@]*)@(?P<path>\S+?):{_LINE}:\d{{1,7}}\s*$",
        rf"(?:^|(?<=\s))(?P<path>{_FILE})\({_LINE}(?:,\d{{1,7}})?\):",  # tsc
        rf"(?:^|(?<=\s))(?P<path>{_FILE}){_AT}:?(?: -)? (?:fatal )?(?:error|warning|note)\b",
        rf"(?:^|(?<=\s))(?P<path>{_FILE}){_AT}:? [A-Z]{{1,5}}\d{{2,5}}\b",  # a rule's code
        rf"^\s*(?:-->|❯)\s*(?:(?P<name>[^\s:]+)\s+)?(?P<path>{_FILE}){_AT}\s*$",
        rf"^\s*(?P<path>{_FILE}) {_LINE}:\d{{1,7}}\s",  # Sass
        rf"^(?P<path>(?:[A-Za-z]:)?{_FILE}){_AT}\s*$",  # Node's head line; alone it is a plain question
    )
)
# ESLint writes a path alone on its line and `  12:5  error ...` beneath it.
_PATH_ALONE = re.compile(rf"^(?P<path>(?:[A-Za-z]:)?[/\\.\w]{_FILE})\s*$")
_BENEATH = re.compile(rf"^\s+{_LINE}:\d{{1,7}}\s+(?:error|warning)\b")
# pytest names what failed by path and test.
_NODE_ID = re.compile(r"(?<![\w./\\-])(?P<path>[\w./\\-]+\.pyw?)::(?P<name>[\w:]+)")

_LIBRARY = re.compile(
    r"(^|/)(site-packages|dist-packages|node_modules|bower_components|lib/python\d[\d.]*|python\d*/lib|__pypackages__"
    r"|\.cargo/registry|\.rustup|go/pkg/mod|internal/modules|\.yarn/(cache|unplugged|__virtual__))/"
    r"|^<|^(node|internal|ext|native|bun|deno|chrome-extension|moz-extension|webpack/runtime|webpack/bootstrap)[:/]"
    r"|^https?://(cdn|unpkg|deno|esm|ajax|[^/]*\.googleapis)\b",
    re.IGNORECASE,
)
_SCHEME = re.compile(r"^(?:webpack(?:-internal)?|file|https?|app|vite|rsc|turbopack|bundle|ng):/{1,3}", re.IGNORECASE)
_RAISED_HERE = re.compile(rf"^(?:[\w.]+\.|\W*(?:Uncaught |Caused by: )?)?{_RAISED}")
_LEFT_OUT = "\n[...]\n"
_WRITTEN_BREAK = re.compile(r"\\r?\\n|\\n")
# A trace that was pasted onto one line: a break before each of its frames.
_RUN_TOGETHER = re.compile(r"(?<![ \t])[ \t]+(?=at (?:(?:async |new )*[^\s(]+ )?\(?\S+:\d+:\d+\)?(?:\s|$))")
_NOT_A_NAME = re.compile(r"<[^>]*>\.?|\$\d+|/<|^.*\*(?=.)|\*$|^\w+ code$")
# What follows was the cause of what stands above: the place where it began.
_CAUSE = re.compile(r"^\W*(?:Caused by\b|\[cause\]|cause:)")
_RECENT_FIRST = re.compile(r"most recent call first", re.IGNORECASE)
_DIGIT = re.compile(r"\d")
_COLUMN = re.compile(r"^(?::\d{1,7}|,\d{1,7}(?=\)))+\)?")


@dataclass(frozen=True, slots=True)
class Frame:
    """A place of a trace: path as written (forward slashes, no scheme), line, and the function's name if it is told.

    `library` frames are of installed packages or of the language itself.
    """

    path: str
    line: int | None
    name: str | None = None
    library: bool = False


@dataclass(frozen=True, slots=True)
class Trace:
    """Frames innermost first, and the text around them: the messages."""

    frames: tuple[Frame, ...]
    message: str


def find_trace(text: str) -> Trace | None:
    """The trace in a text, or None; a lone `path.py:12` is a question about that line and no trace."""
    lines = _lines(text)
    last: list[Frame] = []
    first: list[Frame] = []
    outer: list[Frame] = []
    message: list[str] = []
    above: str | None = None
    for line in lines:
        if _CAUSE.match(line):
            outer, first = [*first, *outer], []
        found = _frames(line, _DEEPEST_LAST)
        last += [frame for frame, _ in found]
        if not found:
            found = _frames(line, _DEEPEST_FIRST)
            if not found and above and (beneath := _BENEATH.match(line)):
                found = [(_frame(above, beneath), beneath.span())]
            elif not found:
                first += [_frame(match["path"], match) for match in _NODE_ID.finditer(line)]
                alone = _PATH_ALONE.match(line)
                above = alone["path"] if alone else None
            first += [frame for frame, _ in found]
        message.append(_without(line, [span for _, span in found]))
    if not _RECENT_FIRST.search(text):
        last.reverse()
    frames = _innermost(dict.fromkeys((*last, *first, *outer)))
    if len(lines) == 1 and re.fullmatch(rf"\s*{_FILE}{_AT}:?\s*", text):
        return None
    return Trace(frames, "\n".join(message)) if any(frame.line for frame in frames) else None


def head_and_tail(text: str, limit: int) -> str:
    """A text within `limit` characters without its middle: traces name the error at one end and may ask at the other.

    Whole lines where there are any.
    """
    if len(text) <= limit:
        return text
    half = (limit - len(_LEFT_OUT)) // 2
    head, tail = text[:half], text[-half:]
    return (head.rpartition("\n")[0] or head) + _LEFT_OUT + (tail.partition("\n")[2] or tail)


def gist(message: str, limit: int) -> str:
    """The message of a long trace within `limit` characters: what was raised comes first, each line once."""
    lines = [line for line in dict.fromkeys(line.strip() for line in message.split("\n")) if line]
    raised = [line for line in lines if _RAISED_HERE.search(line)]
    return head_and_tail("\n".join(dict.fromkeys((*raised[::-1], *lines[-1:], *lines))), limit)


def _innermost(frames: Iterable[Frame]) -> tuple[Frame, ...]:
    """At most MAX_FRAMES of the frames that are of no library, and as many that are, in order."""
    left = {True: MAX_FRAMES, False: MAX_FRAMES}
    kept = []
    for frame in frames:
        left[frame.library] -= 1
        if left[frame.library] >= 0:
            kept.append(frame)
    return tuple(kept)


def _lines(text: str) -> list[str]:
    if "\n" not in text and _WRITTEN_BREAK.search(text):
        text = _WRITTEN_BREAK.sub("\n", text).replace('\\"', '"')  # out of a JSON log
    return _RUN_TOGETHER.sub("\n", text).split("\n")


def _frames(line: str, patterns: tuple[re.Pattern[str], ...]) -> list[tuple[Frame, tuple[int, int]]]:
    """Frames of a line by the first pattern that fits, each with the span of what is no message."""
    if not _DIGIT.search(line):
        return []  # without a number there is no line of a file: 100,000 empty lines are seen at once
    for pattern in patterns:
        if matches := list(pattern.finditer(line)):
            return [(_frame(m["path"], m), (m.start(), max(map(m.end, m.groupdict())))) for m in matches]
    return []


def _without(line: str, spans: list[tuple[int, int]]) -> str:
    for start, end in reversed(spans):
        line = f"{line[:start]} {_COLUMN.sub('', line[end:])}"
    return line


def _frame(path: str, match: re.Match[str]) -> Frame:
    groups = match.groupdict()
    line = groups.get("line")
    return Frame(_clean(path), int(line) if line else None, _name(groups.get("name")), _is_library(path))


def _clean(path: str) -> str:
    path = _SCHEME.sub("", path.replace("\\", "/"))
    path = re.sub(r"^\([\w-]+\)/", "", path)  # webpack writes its layer: (app-pages-browser)/./src/x.ts
    path = re.sub(r"[?#].*$", "", path)
    while path.startswith(("./", "../")):
        path = path.split("/", 1)[1]
    return re.sub(r"/(\./)+", "/", path)


def _is_library(path: str) -> bool:
    return bool(_LIBRARY.search(path.replace("\\", "/")))


def _name(text: str | None) -> str | None:
    """The function's own name: `Object.load`, `load/<` and `outer.<locals>.load` are `load`."""
    if not text:
        return None
    return re.split(r"\.|::", _NOT_A_NAME.sub("", text))[-1].strip("[]()*") or None
