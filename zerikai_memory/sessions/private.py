"""Leave out what stands between `<private>` and `</private>`; a tag that is only talked about is none. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TAG = re.compile(r"(?i)<\s*(?P<close>/?)\s*private\b(?P<more>[^<>]*)>")
# `<private>`, `<private reason="x">`; but `<private key>` only where a closing tag follows.
_PLAIN = re.compile(r"\s*(?:\s[\w-]+\s*=[^<>]*)?\Z")
_FENCE = re.compile(r"(?m)^[ \t]*(?P<mark>```+|~~~+)[^\n]*\n(?P<body>(?:.*\n)*?)[ \t]*(?P=mark)[`~]*[ \t]*$")
_CODE = re.compile(r"(?<!`)(?P<mark>`+)(?!`)(?P<inner>[^\n]*?)(?<!`)(?P=mark)(?!`)")
_QUOTED = re.compile(r"[\"'“‘«„](?P<inner>\s*<[^<>\n]*>\s*)[\"'”’»“]")


@dataclass(frozen=True, slots=True)
class _Tag:
    """A tag and the end of the code mark around it; None: it stands in plain text."""

    start: int
    end: int
    is_close: bool
    is_plain: bool
    code_end: int | None


def without_private(text: str) -> str:
    """The text without private spans, nested ones too.

    An open one reaches to the end of the text, one that was opened in a code mark to the end of that. A tag alone in
    backticks or quotes is talk about the tag.
    """
    kept, depth, done, open_code = list[str](), 0, 0, None
    tags = list(_tags(text)) if _TAG.search(text) else []
    if not tags:
        return text
    last_close = max((tag.start for tag in tags if tag.is_close), default=-1)
    for tag in tags:
        if not tag.is_close and (tag.is_plain or tag.start < last_close):
            if depth == 1 and open_code is not None and tag.start >= open_code:
                depth, done = 0, open_code  # the one in the code mark was not closed
            if depth == 0:
                kept.append(text[done : tag.start])
                open_code = tag.code_end
            depth += 1
        elif tag.is_close and depth:
            depth -= 1
            if depth == 0:
                done = tag.end
    if depth == 0:
        kept.append(text[done:])
    elif open_code is not None:
        kept.append(text[max(open_code, tags[-1].end) :])
    return "".join(kept)


def _tags(text: str) -> Iterator[_Tag]:
    """Tags that are meant, in their order."""
    spans = [(m.start(), m.end("body"), "") for m in _FENCE.finditer(text)]
    spans += [(m.start("inner"), m.end("inner"), m["inner"]) for m in _CODE.finditer(text)]
    quoted = {m.start("inner") + len(m["inner"]) - len(m["inner"].lstrip()) for m in _QUOTED.finditer(text)}
    for tag in _TAG.finditer(text):
        around = [(start, end, inner) for start, end, inner in spans if start <= tag.start() and tag.end() <= end]
        if tag.start() in quoted or any(inner.strip() == tag[0] for _, _, inner in around):
            continue
        if tag["more"].rstrip().endswith("/") and not tag["close"]:
            continue  # an empty element
        code_end = min((end for _, end, _ in around), default=None)
        plain = bool(_PLAIN.match(tag["more"]))
        yield _Tag(tag.start(), tag.end(), bool(tag["close"]), plain, code_end)
