"""`path:line` in a question for paths that only the index knows as such: `my file (copy).py:1`, `a#b.py:3`.

A file may have blanks, brackets, `#`, `:` or an emoji in its name. Where a pattern cannot tell the path from the words
before it, the longest text before `:line` that is a path of the index, or the end of one, is what is meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from zerikai_memory.retrieve.query import PathMention, Query, clean_path, content_words, understand
from zerikai_memory.store.words import STOP_WORDS, split_words, words

# So many words of a sentence may belong to a path, and so many places are looked for.
MAX_PATH_WORDS = 16
MAX_PLACES = 16

_LINE = re.compile(r"(?P<line>:\d{1,7})(?:[:,\-–]\d{1,7})?(?=[\s)\]}>'\"`,;.!?:]*(?:\s|$))")
_WORD_BEGINS = re.compile(r"(?:^|(?<=[\s'\"`(\[<]))(?=[^\s'\"`])")
# `/etc/passwd:1`, `../x.py:3`, `~/x:3`, `C:\x.py:3`; not the route `/users/:id`.
_ROOT = r"(?:/|~/|(?:\.\.[/\\])+|[A-Za-z]:[\\/])"
_OUTSIDE = re.compile(
    rf"(?:^|(?<=[\s'\"`(\[<]))(?P<place>(?P<path>{_ROOT}[^\s'\"`]{{0,400}}[^\s'\"`/\\:])"
    r":\d{1,7})(?!\w)(?::\d{1,7})?"
)
_ABSOLUTE = re.compile(_ROOT)
# How a path of the index is spelled in a question: in full, by its end, or with folders of elsewhere before it.
FilesNamed = Callable[[str], Sequence[str]]


def with_place(query: Query, files: FilesNamed) -> Query:
    """The question with its last `path:line` of the index that no pattern has read; unchanged where all is read.

    `files` gives the paths of the index that a spelling stands for.
    """
    if query.frames:
        return query
    for match in reversed([*_LINE.finditer(query.text)][-MAX_PLACES:]):
        found = _path_before(query.text[: match.start()], files)
        if found is None:
            continue
        start, path = found
        mention = PathMention(path, int(match["line"][1:]))
        if mention in query.paths:
            continue
        rest = understand(f"{query.text[:start]} {query.text[match.end() :]}".strip(" '\"`?"))
        plain = f"{rest.plain} {mention.path}:{mention.line}".strip()
        return replace(
            rest,
            text=query.text,
            plain=plain,
            words=content_words(words(plain)),
            terms=content_words(split_words(plain)),
            paths=(mention, *rest.paths),
            cut=query.cut,
            remarks=(*query.remarks, *(remark for remark in rest.remarks if remark not in query.remarks)),
        )
    return query


def outside(query: Query, files: FilesNamed) -> tuple[tuple[str, ...], bool]:
    """Places of the question at absolute or `../` paths of no file of the project, and whether they are all of it."""
    if query.frames:
        return (), False
    found = [match for match in _OUTSIDE.finditer(query.text) if not files(clean_path(match["path"]))]
    rest = query.text
    for match in found:
        rest = rest.replace(match.group(), " ")
    alone = bool(found) and all(word in STOP_WORDS for word in split_words(rest))
    return tuple(dict.fromkeys(match["place"] for match in found)), alone


def _path_before(text: str, files: FilesNamed) -> tuple[int, str] | None:
    """Where the longest known path at the end of a text starts, and the path."""
    line = text.rpartition("\n")[2]
    for match in [*_WORD_BEGINS.finditer(line)][-MAX_PATH_WORDS:]:
        written = line[match.start() :].rstrip("'\"`")
        path = clean_path(written)
        named = files(path) if path else ()
        # Folders of elsewhere begin at a root: in "explain the loop at src/a.py:3" the words are none of them.
        if any(_ABSOLUTE.match(written) or f"/{file}".lower().endswith(f"/{path}".lower()) for file in named):
            return len(text) - len(line) + match.start(), path
    return None
