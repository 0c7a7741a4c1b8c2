"""Small graphs by hand. A sketch is lines: `path` opens a file, an indented line defines or draws an edge.

    shop/orders.py
      1-40 module
      3-9 function total
      5 total call> money/price.py:price            (resolved)
      6 total call? run                              (same-name, to every entity called `run`)
      7 total call~ money/price.py:Price.add         (imported-name)
      8 total call! json.dumps                       (external)

A source `-` is the file itself; a target without a name is the file.
"""

from __future__ import annotations

import re

from zerikai_memory.codemap.graph import MemoryGraph
from zerikai_memory.codemap.views.table import MapTable
from zerikai_memory.model import CodeEntity, EntityType
from zerikai_memory.model_map import Edge, EdgeKind, Evidence, MapState

_EVIDENCE = {">": Evidence.RESOLVED, "~": Evidence.IMPORTED_NAME, "?": Evidence.SAME_NAME, "!": Evidence.EXTERNAL}
_DEFINITION = re.compile(r"(\d+)-(\d+) (\w+) ?([^@(|]*?)(?: *\(([^)]*)\))?(?: *\|(.*?))?(?: *@(.*))?$")
_EDGE = re.compile(r"(\d+) (.+?) (\w+)([>~?!]) (.+)$")


def sketch(text: str) -> MapTable:
    """The table of a drawn graph."""
    entities: list[CodeEntity] = []
    drawn: list[tuple[str, re.Match[str]]] = []
    path = ""
    for line in text.splitlines():
        if not line.strip():
            continue
        if not line.startswith(" "):
            path = line.strip()
            entities.append(_entity(path, EntityType.MODULE, "", 1, 999))
        elif found := _EDGE.fullmatch(line.strip()):
            drawn.append((path, found))
        else:
            found = _DEFINITION.fullmatch(line.strip())
            assert found, line
            start, end, kind, name, params, modifiers, decorators = found.groups()
            entities.append(_entity(path, EntityType(kind), name, int(start), int(end), params, modifiers, decorators))
    by_key = {f"{entity.file_path}:{entity.qualified_name}".rstrip(":"): entity.id for entity in entities}
    edges: list[Edge] = []
    for file, found in drawn:
        line, source, kind, mark, target = found.groups()
        evidence = _EVIDENCE[mark]
        targets: list[str | None] = [None]
        if mark == "?":
            named = [entity for entity in entities if entity.name == target]
            targets = [entity.id for entity in named if entity.entity_type is not EntityType.MODULE]
        elif mark != "!":
            targets = [by_key[target]]
        start_id = by_key[file if source == "-" else f"{file}:{source}"]
        name = target.rpartition(":")[2]
        edges += [Edge(EdgeKind(kind), evidence, start_id, to, name, file, int(line)) for to in targets]
    return MapTable(MemoryGraph(MapState(1, 7, "abc1234"), entities, edges))


def _entity(
    path: str,
    kind: EntityType,
    qualified_name: str,
    start: int,
    end: int,
    params: str | None = None,
    modifiers: str | None = None,
    decorators: str | None = None,
) -> CodeEntity:
    parent, _, name = qualified_name.rpartition(".") if " " not in qualified_name else ("", "", qualified_name)
    return CodeEntity(
        id=f"{path}|{kind.value}|{qualified_name}|{start}",
        name=name or path.rpartition("/")[2].partition(".")[0],
        qualified_name=qualified_name,
        entity_type=kind,
        language="python" if path.endswith(".py") else "markdown" if path.endswith(".md") else "javascript",
        file_path=path,
        start_line=start,
        end_line=end,
        signature=f"def {name}()",
        parent=parent or None,
        params=tuple((params or "").replace(",", " ").split()),
        modifiers=tuple((modifiers or "").split()),
        decorators=tuple(part.strip() for part in (decorators or "").split(" @") if part.strip()),
    )


def told(parts, title):
    """{name: lines} of a part."""
    (part,) = [part for part in parts if part.title == title]
    return {row.name: row.lines for row in part.rows}
