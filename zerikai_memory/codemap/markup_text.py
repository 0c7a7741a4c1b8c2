"""Edges of Markdown files: links to files and headings, code spans that name one thing of the project."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import unquote

from zerikai_memory.codemap.markup_sheets import edge_of
from zerikai_memory.codemap.project import FileFacts, Named, Project
from zerikai_memory.model import CodeEntity, EntityType, Reference, ReferenceKind
from zerikai_memory.model_map import Edge, EdgeKind, Evidence

LANGUAGES = frozenset({"markdown"})
_DOCUMENTS = (".md", ".mdx", ".markdown")
_INDEXES = ("README.md", "readme.md", "index.md", "index.mdx", "index.html")
_LINES = re.compile(r"L(\d+)(?:-L?\d+)?$")
_PATH = re.compile(r"((?:[\w.@-]+/)*[\w.@-]+\.\w+)(?::(\d+)(?:-\d+)?)?$")
_PARTS = re.compile(r"(?:\.|::|#)")
_DROPPED = re.compile(r"[^\w\- ]")
_UNNAMED = frozenset({EntityType.SECTION, EntityType.TODO, EntityType.MODULE, EntityType.ELEMENT})


class TextResolver:
    """A `Resolver` for Markdown."""

    layout = ""

    def __init__(self, project: Project) -> None:
        self._project = project

    def resolve(self, path: str) -> Iterable[Edge]:
        """Edges whose place is in this file, by line."""
        facts = self._project.file(path)
        if facts is None:
            return ()
        edges: list[Edge] = []
        for reference in facts.references:
            if reference.kind is ReferenceKind.LINK:
                edges += self._link(reference, facts)
            elif reference.kind is ReferenceKind.USE:
                edges += self._span(reference, facts)
        return sorted(dict.fromkeys(edges), key=lambda edge: edge.line)

    def _link(self, reference: Reference, facts: FileFacts) -> Iterator[Edge]:
        address, _, anchor = reference.target_text.partition("#")
        path, custom = self._file(facts.path, unquote(address.partition("?")[0]))
        target = self._project.file(path) if path is not None else None
        if target is None:
            return
        entity = self._part(target, unquote(anchor)) or target.module
        if target.path == facts.path and entity is target.module:
            return  # a link to nothing that is known
        evidence = Evidence.IMPORTED_NAME if custom else Evidence.RESOLVED
        yield edge_of(EdgeKind.LINK, evidence, reference, facts, entity.id, reference.target_text)

    def _file(self, path: str, address: str) -> tuple[str | None, bool]:
        """(the file that a link means, whether only site generators read it so)."""
        if not address:
            return path, False
        folder = "" if address.startswith("/") else posixpath.dirname(path)
        base = posixpath.normpath(posixpath.join(folder, address.lstrip("/")))
        base = "" if base == "." else base
        if base.startswith(".."):
            return None, False
        if self._project.exists(base) and base in self._project.files:
            return base, False
        if self._project.exists(base):
            indexes = (posixpath.join(base, name) for name in _INDEXES)
            return next((index for index in indexes if self._project.exists(index)), None), False
        bare = base.removesuffix(".html").rstrip("/")
        for custom in (*(bare + suffix for suffix in _DOCUMENTS), posixpath.join(bare, "index.md")):
            if self._project.exists(custom):
                return custom, True
        return None, False

    def _part(self, target: FileFacts, anchor: str) -> CodeEntity | None:
        """The heading with this anchor, or what stands at a line (`#L10`)."""
        if not anchor:
            return None
        if target.language == "markdown":
            return self._anchors(target).get(anchor.lower())
        lines = _LINES.fullmatch(anchor)
        return innermost(target, int(lines[1])) if lines is not None else None

    def _anchors(self, target: FileFacts) -> Mapping[str, CodeEntity]:
        def compute() -> Mapping[str, CodeEntity]:
            found: dict[str, CodeEntity] = {}
            for entity in target.entities:
                if entity.entity_type is EntityType.SECTION:
                    plain = slug = slug_of(entity.name)
                    count = 0
                    while slug in found:
                        count += 1
                        slug = f"{plain}-{count}"
                    found[slug] = entity
            return found

        return self._project.memo(("anchors", target.path), compute)

    def _span(self, reference: Reference, facts: FileFacts) -> Iterator[Edge]:
        text = reference.target_text
        if (path := _PATH.match(text)) is not None:
            for base in (path[1], posixpath.normpath(posixpath.join(posixpath.dirname(facts.path), path[1]))):
                target = self._project.file(base)
                if target is not None and target.path != facts.path:
                    entity = innermost(target, int(path[2])) if path[2] else None
                    id = (entity or target.module).id
                    yield edge_of(EdgeKind.USE, Evidence.RESOLVED, reference, facts, id, text)
                    return
        found = self._meant(text.removesuffix("()"))
        if len(found) == 1 and found[0].file_path != facts.path:
            yield edge_of(EdgeKind.USE, Evidence.IMPORTED_NAME, reference, facts, found[0].id, text)

    def _meant(self, text: str) -> list[Named]:
        """Everything that a dotted name may mean: its last part, inside what the parts before it name."""
        if text.startswith((".", "#", "-")):
            return [n for n in self._project.named(text) if n.entity_type not in _UNNAMED]
        *around, name = _PARTS.split(text)
        named = [n for n in self._project.named(name) if n.entity_type not in _UNNAMED]
        if not around:
            return named
        return [n for n in named if _inside(n, around)]


def _inside(named: Named, around: list[str]) -> bool:
    """Whether the parts before a name are the end of where it is: package, file, class."""
    place = posixpath.splitext(named.file_path)[0].split("/")
    place = place[:-1] if place[-1] in ("__init__", "index") else place
    owner = named.qualified_name.split(".")[:-1]
    return (place + owner)[-len(around) :] == around


def innermost(facts: FileFacts, line: int) -> CodeEntity | None:
    """The smallest definition around a line."""
    around = [e for e in facts.entities if e.start_line <= line <= e.end_line]
    return min(around, key=lambda e: e.end_line - e.start_line, default=None)


def slug_of(heading: str) -> str:
    """The anchor of a heading, as GitHub makes it: lower case, marks dropped, blanks to hyphens."""
    return _DROPPED.sub("", heading.strip().lower()).replace(" ", "-")
