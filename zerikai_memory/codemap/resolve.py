"""What a resolver is, and which one resolves which language.

To add a language family: a module with a class that fits `Resolver`, named in `RESOLVERS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from zerikai_memory.codemap import ecmascript, ecmascript_follow, markup_sheets, markup_text, python
from zerikai_memory.codemap.project import Project
from zerikai_memory.model_map import Edge


class Resolver(Protocol):
    """Follows the references of files of one language family to their targets, within one build.

    A resolver is made for a project and may keep what it has worked out only through `Project.memo`: what it keeps
    elsewhere would hide look-ups, and a later change of what was looked up would not reach the edges.
    """

    @property
    def layout(self) -> str:
        """What it derives from the list of all files (source roots, packages of a monorepo) as one text.

        When it differs from the layout of the stored map, every file of the family is resolved again.
        """

    def resolve(self, path: str) -> Iterable[Edge]:
        """Edges whose place is in this file, by line; each source is an entity of the file, the module at least.

        Same input, same edges in the same order. Never raises for any content.
        """


# Raised with every change of what a resolver finds: a map that an older one made is made anew.
RESOLVER_VERSION = 2

RESOLVERS: tuple[tuple[frozenset[str], Callable[[Project], Resolver]], ...] = (
    (python.LANGUAGES, python.PythonResolver),
    (ecmascript_follow.LANGUAGES, ecmascript.ScriptResolver),
    (markup_sheets.LANGUAGES, markup_sheets.SheetResolver),
    (markup_text.LANGUAGES, markup_text.TextResolver),
)


class Resolvers:
    """The resolvers of one build, each made on first use."""

    def __init__(
        self,
        project: Project,
        families: Sequence[tuple[frozenset[str], Callable[[Project], Resolver]]] = RESOLVERS,
    ) -> None:
        self._by_language: dict[str, Resolver] = {}
        for languages, make in families:
            resolver = make(project)
            self._by_language |= dict.fromkeys(languages, resolver)

    @property
    def layout(self) -> dict[str, str]:
        """The layout of each language's resolver."""
        return {language: resolver.layout for language, resolver in self._by_language.items()}

    def resolve(self, path: str, language: str) -> tuple[Edge, ...]:
        """Edges of one file; none for a language that has no resolver."""
        resolver = self._by_language.get(language)
        return tuple(resolver.resolve(path)) if resolver is not None else ()
