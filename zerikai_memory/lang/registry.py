"""Which language a file is: the explicit list of languages and their extensions."""

from __future__ import annotations

from functools import lru_cache
from pathlib import PurePosixPath

from zerikai_memory.lang.css import CSS, LESS, SCSS
from zerikai_memory.lang.html import HTML, SVELTE, VUE
from zerikai_memory.lang.javascript import JAVASCRIPT
from zerikai_memory.lang.markdown import MARKDOWN
from zerikai_memory.lang.python import PYTHON
from zerikai_memory.lang.spec import LanguageSpec
from zerikai_memory.lang.typescript import TSX, TYPESCRIPT

LANGUAGES: tuple[LanguageSpec, ...] = (
    PYTHON,
    JAVASCRIPT,
    TYPESCRIPT,
    TSX,
    HTML,
    VUE,
    SVELTE,
    CSS,
    SCSS,
    LESS,
    MARKDOWN,
)


@lru_cache(maxsize=1)
def _by_extension() -> dict[str, LanguageSpec]:
    return {extension: spec for spec in LANGUAGES for extension in spec.extensions}


def spec_for(file_path: str) -> LanguageSpec | None:
    """Language specification for a file path by its extension, or None."""
    return _by_extension().get(PurePosixPath(file_path).suffix.lower())


def language_of(file_path: str) -> str | None:
    """Language name of a file path by its extension (python, javascript, ...), or None when not supported."""
    spec = spec_for(file_path)
    return spec.name if spec else None


def extensions() -> frozenset[str]:
    """All supported file extensions, with the dot, in lower case."""
    return frozenset(_by_extension())
