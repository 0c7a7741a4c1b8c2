"""Classes and ids that markup uses, as the selectors `.class` and `#id`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from zerikai_memory.lang.spec import Match, Mention
from zerikai_memory.lang.text import Source
from zerikai_memory.model import ReferenceKind

# What stands between template marks is no name.
_TEMPLATE = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|<%.*?%>|\$\{.*?\}|\{[^{}]*\}", re.DOTALL)
_NAME = re.compile(r"-?[A-Za-z_][\w-]*(?:\\?[:/][\w-]+)*")
_MAX = 4_000  # characters of an attribute


def used_selectors(match: Match, source: Source) -> Iterator[Mention]:
    """`.a` and `.b` of `class="a b"`, `#c` of `id="c"`; each once in a file, at its first place."""
    attribute = match.first("attribute")
    if attribute is None:
        return
    mark = "#" if source.text(attribute).lower() == "id" else "."
    seen = source.words.setdefault("selectors", set())
    for word in _TEMPLATE.sub(" ", source.text(match.node)[:_MAX].strip("\"'`")).split():
        name = mark + word
        if _NAME.fullmatch(word) and name not in seen:
            seen.add(name)
            yield Mention(ReferenceKind.USE, name, name, match.node.start_byte)
