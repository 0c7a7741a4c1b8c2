"""A small repository per language, and what an independent parser says of it (bench/oracles/record.py)."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from zerikai_memory.lang.extract import extract
from zerikai_memory.model import EntityType, Extraction

REPOS = Path(__file__).parents[1] / "data" / "repos"
Records = list[tuple[Any, ...]]


def of_python(extraction: Extraction) -> Records:
    """Definitions, and references of the kinds that `ast` has."""
    found: Records = [
        (e.entity_type.value, e.qualified_name, e.start_line, e.end_line, e.docstring)
        for e in extraction.entities
        if e.entity_type in ("function", "method", "class")
    ]
    kinds = ("call", "import", "alias", "inherit", "decorate")
    return found + [(r.kind.value, r.name, r.line) for r in extraction.references if r.kind in kinds]


def of_scripts(extraction: Extraction) -> Records:
    """Definitions; a component is a function or class, and a route is no definition for the compiler."""
    kinds = ("function", "class", "method", "interface", "enum", "type", "namespace", "component")
    found: Records = []
    for e in extraction.entities:
        if e.entity_type in kinds:
            kind = "class" if "class" in e.signature.split() else "function"
            kind = kind if e.entity_type is EntityType.COMPONENT else e.entity_type.value
            found.append((kind, e.name, e.start_line, e.end_line))
    return found


def of_html(extraction: Extraction) -> Records:
    """Elements with an id or a custom name."""
    found: Records = []
    for e in extraction.entities:
        tag, _, identifier = e.name.partition("#")
        if e.entity_type is EntityType.ELEMENT and (identifier or "-" in tag):
            found.append((tag.lower(), identifier or None, e.start_line))
    return found


def of_css(extraction: Extraction) -> Records:
    """Rules and custom properties."""
    kinds = ("rule", "property")
    return [
        (e.entity_type.value, e.name, e.start_line, e.end_line) for e in extraction.entities if e.entity_type in kinds
    ]


def of_markdown(extraction: Extraction) -> Records:
    """Headings by level, letters and line."""
    return [
        (len(e.signature.partition(" ")[0]), re.sub(r"[\W_]+", "", e.name).lower(), e.start_line)
        for e in extraction.entities
        if e.entity_type is EntityType.SECTION
    ]


LANGUAGES: dict[str, Callable[[Extraction], Records]] = {
    "python": of_python,
    "javascript": of_scripts,
    "typescript": of_scripts,
    "html": of_html,
    "css": of_css,
    "markdown": of_markdown,
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_small_repository_gives_what_the_oracle_says(language: str) -> None:
    expected = json.loads((REPOS / language / "expected.json").read_text("utf-8"))
    assert expected.keys() == {path.name for path in (REPOS / language).iterdir()} - {"expected.json"}
    for name, records in expected.items():
        extraction = extract((REPOS / language / name).read_bytes(), name)
        assert not extraction.partial, name
        found = Counter(LANGUAGES[language](extraction))
        # parse5 gives the end line of an element too, which omitted end tags make a matter of taste.
        wanted = Counter(tuple(record[:3] if language == "html" else record) for record in records)
        assert wanted - found == Counter(), name
        assert found - wanted == Counter(), name
