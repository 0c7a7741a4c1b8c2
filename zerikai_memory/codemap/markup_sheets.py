"""Edges to and from style sheets: imported sheets, custom properties, the rules of classes and ids that markup uses."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping

from zerikai_memory.codemap.project import FileFacts, Project
from zerikai_memory.model import EntityType, Reference, ReferenceKind
from zerikai_memory.model_map import Edge, EdgeKind, Evidence

LANGUAGES = frozenset({"css", "scss", "less"})
SUFFIXES = (".css", ".scss", ".less", ".pcss", ".postcss")
MAX_RULES = 5  # rules that the use of one class is said to mean
_MAX_SHEETS = 200  # that one file reaches
_SELECTOR = re.compile(r"(?<![\w\\-])[.#]-?[A-Za-z_](?:[\w-]|\\[:/])*")
_ELSEWHERE = re.compile(r"^(?:[a-z][a-z0-9+.-]*:)?//|^(?:sass|data):", re.IGNORECASE)


class Sheets:
    """Where the sheets of a project are and what they hold."""

    def __init__(self, project: Project) -> None:
        self._project = project

    def find(self, path: str, address: str) -> tuple[str | None, bool]:
        """(the sheet that an address in the file `path` means, whether it leads out of the project)."""
        if not address or _ELSEWHERE.match(address):
            return None, bool(address)
        plain = address.partition("?")[0].partition("#")[0]
        folder = "" if plain.startswith("/") else posixpath.dirname(path)
        base = posixpath.normpath(posixpath.join(folder, plain.lstrip("/~")))
        if base.startswith(".."):
            return None, False
        head, name = posixpath.split(base)
        partial = posixpath.join(head, f"_{name}")  # SCSS
        tries = [base, *(b + suffix for b in (base, partial, posixpath.join(base, "_index")) for suffix in SUFFIXES)]
        for found in tries:
            if self._project.exists(found) and found in self._project.files:
                return found, False
        if plain.startswith("/") and (below := of_site(self._project, path, plain)) is not None:
            return below, False
        return None, not plain.startswith((".", "/")) and "." not in name

    def reached(self, path: str, facts: FileFacts) -> dict[str, bool]:
        """The file itself and the sheets that it links or imports, and those that they import; whether that is sure."""
        found = {path: True}
        stack = [facts]
        while stack and len(found) < _MAX_SHEETS:
            holder = stack.pop(0)
            for reference in holder.references:
                address = reference.target_text.partition("?")[0]
                sheets = holder.language in LANGUAGES or address.endswith(SUFFIXES)
                if reference.kind is not ReferenceKind.IMPORT or not sheets:
                    continue
                sheet, _ = self.find(holder.path, address)
                if sheet is None or sheet in found or not sheet.endswith(SUFFIXES):
                    continue
                # An address of the site: which folder is the root of it is a guess.
                found[sheet] = found[holder.path] and (not address.startswith("/") or address.lstrip("/") == sheet)
                if (next_facts := self._project.file(sheet)) is not None:
                    stack.append(next_facts)
        return found

    def rules(self, path: str) -> Mapping[str, tuple[str, ...]]:
        """Ids of the rules of a file by the classes and ids in their selectors, the plainest selectors first."""

        def compute() -> Mapping[str, tuple[str, ...]]:
            facts = self._project.file(path)
            found: dict[str, dict[str, bool]] = {}
            for entity in facts.entities if facts is not None else ():
                if entity.entity_type is EntityType.RULE and not entity.name.startswith("@"):
                    alone = {part.strip() for part in entity.name.split(",")}
                    for selector in _SELECTOR.findall(entity.name):
                        found.setdefault(selector, {})[entity.id] = selector in alone
            return {
                selector: tuple(id for id, plain in ids.items() if plain) or tuple(ids)
                for selector, ids in found.items()
            }

        return self._project.memo(("rules", path), compute)

    def uses(self, facts: FileFacts) -> Iterator[Edge]:
        """From markup to the rules of the classes and ids that it uses."""
        wanted = [r for r in facts.references if r.kind is ReferenceKind.USE and r.name[:1] in (".", "#")]
        sheets = self.reached(facts.path, facts) if wanted else {}
        for reference in wanted:
            homes = {id: sure for sheet, sure in sheets.items() for id in self.rules(sheet).get(reference.name, ())}
            targets = list(homes)
            evidence = Evidence.RESOLVED if all(homes.values()) else Evidence.IMPORTED_NAME
            if not targets:
                named = self._project.named(reference.name)
                targets = [n.id for n in named if n.entity_type is EntityType.RULE]
                targets = targets if len(targets) <= MAX_RULES else []
                evidence = Evidence.SAME_NAME
            for target in targets[:MAX_RULES]:
                yield edge_of(EdgeKind.USE, evidence, reference, facts, target, reference.name)


class SheetResolver:
    """A `Resolver` for style sheets."""

    layout = ""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._sheets = Sheets(project)

    def resolve(self, path: str) -> Iterable[Edge]:
        """Edges whose place is in this file, by line."""
        facts = self._project.file(path)
        if facts is None:
            return ()
        edges = [*self._imports(facts), *self._properties(facts)]
        return sorted(dict.fromkeys(edges), key=lambda edge: edge.line)

    def _imports(self, facts: FileFacts) -> Iterator[Edge]:
        for reference in facts.references:
            if reference.kind is not ReferenceKind.IMPORT:
                continue
            sheet, outside = self._sheets.find(facts.path, reference.target_text)
            target = self._project.file(sheet) if sheet is not None else None
            if target is not None:
                id = target.module.id
                yield edge_of(EdgeKind.IMPORT, Evidence.RESOLVED, reference, facts, id, reference.target_text)
            elif outside:
                yield edge_of(EdgeKind.IMPORT, Evidence.EXTERNAL, reference, facts, None, reference.target_text)

    def _properties(self, facts: FileFacts) -> Iterator[Edge]:
        """From `var(--x)` to what sets `--x`: in this sheet or one that it imports, else anywhere."""
        calls = [r for r in self._project.calls(facts.path) if r.name.startswith("--")]
        sheets = self._sheets.reached(facts.path, facts) if calls else {}
        set_here: dict[str, list[str]] = {}
        for home in (self._project.file(sheet) for sheet in sheets):
            for entity in home.entities if home is not None else ():
                if entity.entity_type is EntityType.PROPERTY:
                    set_here.setdefault(entity.name, []).append(entity.id)
        for reference in calls:
            targets = set_here.get(reference.name, [])
            evidence = Evidence.RESOLVED
            if not targets:
                named = self._project.named(reference.name)
                targets = [n.id for n in named if n.entity_type is EntityType.PROPERTY]
                targets = targets if len(targets) <= MAX_RULES else []
                evidence = Evidence.SAME_NAME
            for target in targets[:MAX_RULES]:
                if target != reference.from_entity:
                    yield edge_of(EdgeKind.USE, evidence, reference, facts, target, reference.name)


def of_site(project: Project, path: str, address: str) -> str | None:
    """The file that `/...` in a page means: below the project, else below the nearest folder around the page."""
    roots, folder = [""], posixpath.dirname(path)
    while folder:
        roots.append(folder)
        folder = posixpath.dirname(folder)
    for root in roots:
        base = posixpath.normpath(posixpath.join(root, address.lstrip("/")))
        if not base.startswith("..") and project.exists(base) and base in project.files:
            return base
    return None


def edge_of(
    kind: EdgeKind, evidence: Evidence, reference: Reference, facts: FileFacts, target: str | None, name: str
) -> Edge:
    """The edge that a reference makes; its source is the definition around it, or else the file."""
    home = reference.from_entity
    source = home if home is not None and home in facts.by_id else facts.module.id
    return Edge(kind, evidence, source, target, name, facts.path, reference.line)
