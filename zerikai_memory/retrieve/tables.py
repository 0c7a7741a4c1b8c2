"""Tables of words that come with the package as text: on each line some words, a colon, and what they are."""

from __future__ import annotations

import importlib.resources
from collections.abc import Iterator


def table_lines(name: str) -> Iterator[tuple[str, str]]:
    """(before the colon, after it) of every line of a file of data/; remarks and lines without a colon are left out."""
    file = importlib.resources.files("zerikai_memory.retrieve").joinpath("data", name)
    for line in file.read_text(encoding="utf-8").splitlines():
        before, colon, after = line.partition(":")
        if colon and not line.startswith("#"):
            yield before, after
