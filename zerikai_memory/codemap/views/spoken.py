"""Which names files say as code says them: not in comments, docstrings and sentences, nor as a part of a name."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from zerikai_memory.codemap.views.table import MapTable

_NAME = re.compile(r"[^\W\d][\w$]*|\$[\w$]+")
_STRING = r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'"
# What is found first is taken whole, so that a mark of a comment within a string is none.
_PYTHON = re.compile(
    rf"(?P<prose>^[ \t]*[rRuU]?(?:\"\"\"(?s:.*?)\"\"\"|'''(?s:.*?)'''))|(?P<kept>\"\"\"(?s:.*?)\"\"\"|'''(?s:.*?)'''"
    rf"|\b(?:[fF][rR]?|[rR][fF])(?:{_STRING}))|(?P<comment>\#[^\n]*)|(?P<string>{_STRING})",
    re.MULTILINE,
)
_SCRIPT = re.compile(
    rf"(?P<kept>`(?:\\.|[^`\\])*`)|(?P<comment>//[^\n]*|/\*(?s:.*?)\*/)|(?P<string>{_STRING})", re.MULTILINE
)
# A document names code in backquotes, in blocks of code, and with brackets behind it.
_SPAN = re.compile(r"```(?s:.*?)```|~~~(?s:.*?)~~~|`[^`\n]+`|[\w$.]+(?=\()")
_BY_SUFFIX: tuple[tuple[tuple[str, ...], re.Pattern[str]], ...] = (
    ((".py", ".pyi", ".pyw"), _PYTHON),
    ((".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"), _SCRIPT),
)
_DOCUMENTS = (".md", ".mdx", ".markdown")

ReadFile = Callable[[str], bytes | None]


def spoken_names(table: MapTable, names: Collection[str], read: ReadFile) -> set[str]:
    """Those of the names that a file of the map says outside the definitions of that name; `read` gives its bytes.

    A name in a file that cannot be read counts as said.
    """
    wanted = {name.lstrip("#"): name for name in names}
    found: set[str] = set()
    for path, entities in table.by_file.items():
        content = read(path)
        if content is None:
            found |= {name for name in wanted if any(entity.name == wanted[name] for entity in entities)}
            continue
        own: dict[str, list[tuple[int, int]]] = {}
        for entity in entities:
            if (bare := entity.name.lstrip("#")) in wanted:
                own.setdefault(bare, []).append((entity.start_line, entity.end_line))
        found |= names_said(content.decode("utf-8", "replace"), path, wanted.keys() - found, own)
    return {wanted[name] for name in found}


def names_said(text: str, path: str, wanted: Collection[str], own: Mapping[str, Iterable[tuple[int, int]]]) -> set[str]:
    """Those of the wanted names that a text says, but for the lines of `own`: first and last of what bears the name."""
    spoken = _code_of(text, path)
    found: set[str] = set()
    line, counted = 1, 0
    for match in _NAME.finditer(spoken):
        name = match.group()
        if name not in wanted or name in found:
            continue
        line += spoken.count("\n", counted, match.start())
        counted = match.start()
        if not any(first <= line <= last for first, last in own.get(name, ())):
            found.add(name)
    return found


def lines_said(text: str, path: str, name: str, own: Sequence[tuple[int, int]]) -> list[int]:
    """The lines of a text that say the name as code says it, but for the lines of `own`: what bears the name."""
    said = (
        number
        for number, line in enumerate(_code_of(text, path).split("\n"), start=1)
        if name in line and any(match.group() == name for match in _NAME.finditer(line))
    )
    return [number for number in said if not any(first <= number <= last for first, last in own)]


def _code_of(text: str, path: str) -> str:
    """The text with the same lines, without what is said to people."""
    if path.endswith(_DOCUMENTS):
        return "\n".join(match.group() for match in _SPAN.finditer(text))
    pattern = next((pattern for suffixes, pattern in _BY_SUFFIX if path.endswith(suffixes)), None)
    return pattern.sub(_code_only, text) if pattern is not None else text


def _code_only(match: re.Match[str]) -> str:
    said = match.group()
    kept = match.lastgroup == "kept" or (match.lastgroup == "string" and not re.search(r"\s", said))
    return said if kept else " " + "\n" * said.count("\n")
