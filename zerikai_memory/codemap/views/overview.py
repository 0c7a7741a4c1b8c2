"""The project at a glance: its files by importance with what they define and who uses them, parts, entry points."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from zerikai_memory.codemap.views.entrypoints import entrypoints
from zerikai_memory.codemap.views.groups import CONFIG, TEST
from zerikai_memory.codemap.views.scope import Scope, scope_of
from zerikai_memory.codemap.views.table import MapTable
from zerikai_memory.model import CodeEntity, EntityType
from zerikai_memory.model_map import Evidence
from zerikai_memory.model_views import MapLink, MapPart, MapRow, ProjectTexts, ViewRequest

# Characters of the rows as they are written; an overview is read at the start, before anything is known.
CHARS = 4_800
# How the room is shared out: modules first, the rest is what makes sense of them.
SHARES = {"modules": 0.55, "parts": 0.25, "entry points": 0.2}
NAMES = 4
FILES = 3
PARTS = 6
# What a row costs beside its name and detail.
_FRAME = 12
_PUBLIC = frozenset(
    {
        EntityType.CLASS,
        EntityType.FUNCTION,
        EntityType.COMPONENT,
        EntityType.INTERFACE,
        EntityType.TYPE,
        EntityType.ENUM,
        EntityType.CONSTANT,
        EntityType.METHOD,
    }
)


def overview(table: MapTable, request: ViewRequest, texts: ProjectTexts, chars: int = CHARS) -> list[MapPart]:
    """Modules, parts and entry points of the project, or of a folder, in about `chars` characters."""
    scope = scope_of(table, request.target)
    parts = (
        MapPart("modules", tuple(_modules(table, scope, int(chars * SHARES["modules"]) // 40)), scope.row),
        _parts(table, scope),
        MapPart("entry points", tuple(_entries(table, request, texts)), scope.row),
    )
    spent, kept = 0, []
    for i, part in enumerate(parts):
        # What one leaves over goes to those after it.
        room = int(chars * sum(list(SHARES.values())[: i + 1])) - spent
        fitting = fit(part, room)
        spent += sum(row_chars(row) for row in fitting.rows)
        kept.append(fitting)
    return [part for part in kept if part.rows]


def fit(part: MapPart, chars: int) -> MapPart:
    """The first rows of a part that take at most `chars` characters."""
    rows, left = [], chars
    for row in part.rows:
        left -= row_chars(row)
        if left < 0:
            break
        rows.append(row)
    return replace(part, rows=tuple(rows), omitted=part.omitted + len(part.rows) - len(rows))


def row_chars(row: MapRow) -> int:
    """Characters of a row as text."""
    return len(row.name) + len(row.detail) + _FRAME


def _modules(table: MapTable, scope: Scope, most: int) -> Iterator[MapRow]:
    """Files by importance; those of the product before others."""
    order = table.importance
    paths = [path for path in table.by_file if scope.holds(path) and path in order]
    paths = paths or [path for path in table.by_file if scope.holds(path)]
    ranked = sorted(paths, key=lambda path: (-order.get(path, 0.0), path))
    for i, path in enumerate(ranked):
        module = table.module(path)
        if module is None:
            continue
        # Beyond what can be shown only the number of rows counts.
        yield table.row(module, detail=_said(table, path) if i <= most else "")


def _said(table: MapTable, path: str) -> str:
    users = [user for user in table.file_dependents.get(path, ()) if table.is_product(user)]
    uses = sorted(table.file_links.get(path, {}).items(), key=lambda item: (-item[1], item[0]))
    said = []
    if names := names_of(table, table.by_file[path]):
        said.append("defines " + ", ".join(names))
    said.append(f"used by {len(users)} file{'' if len(users) == 1 else 's'}")
    if uses:
        more = f" and {len(uses) - FILES} more" if len(uses) > FILES else ""
        said.append("uses " + ", ".join(_short(target, path) for target, _ in uses[:FILES]) + more)
    return "; ".join(said)


def names_of(table: MapTable, entities: Iterable[CodeEntity], limit: int = NAMES) -> list[str]:
    """The top-level names that most other files use, else the first ones."""
    ranked = []
    for entity in entities:
        if entity.entity_type not in _PUBLIC or entity.parent is not None or entity.name.startswith("_"):
            continue
        users = {
            edge.file_path
            for edge in table.graph.to_entity(entity.id)
            if edge.evidence is not Evidence.SAME_NAME and edge.file_path != entity.file_path
        }
        constant = entity.entity_type is EntityType.CONSTANT
        ranked.append((-len(users), constant, entity.start_line, entity.name))
    return list(dict.fromkeys(name for _, _, _, name in sorted(ranked)))[:limit]


def _short(target: str, path: str) -> str:
    """A file as seen from another: without the folders that both share."""
    folder = path.rpartition("/")[0] + "/"
    return target.removeprefix(folder) if folder != "/" else target


def _parts(table: MapTable, scope: Scope) -> MapPart:
    """Which folder or file right below the code's base uses which, by the number of files that do."""
    paths = [path for path in table.by_file if scope.holds(path) and table.is_product(path)]
    base = base_of(paths)
    users: dict[tuple[str, str], set[str]] = defaultdict(set)
    for path in paths:
        for target in table.file_links.get(path, {}):
            one, other = area(path, base), area(target, base)
            if one and other and one != other and table.is_product(target):
                users[one, other].add(path)
    ranked = sorted(users.items(), key=lambda item: (-len(item[1]), item[0]))
    links = tuple(MapLink(source, target, len(files)) for (source, target), files in ranked)
    by_source: dict[str, list[MapLink]] = defaultdict(list)
    for link in links:
        by_source[link.source].append(link)
    ordered = sorted(by_source, key=lambda part: (-sum(link.files for link in by_source[part]), part))
    rows = tuple(_part_row(part, by_source[part], base) for part in ordered)
    return MapPart("parts", rows, scope.row, note="which part uses which, by number of files", links=links)


def _part_row(part: str, links: Sequence[MapLink], base: str) -> MapRow:
    told = ", ".join(f"{_short(link.target, base)} {link.files}" for link in links[:PARTS])
    more = f" and {len(links) - PARTS} more" if len(links) > PARTS else ""
    return MapRow(part, "folder" if part.endswith("/") else "module", part, 0, detail=f"uses {told}{more}")


def _entries(table: MapTable, request: ViewRequest, texts: ProjectTexts) -> Iterator[MapRow]:
    """The first entry points of each group, or their number where there are many."""
    for part in entrypoints(table, request, texts):
        if part.title in (TEST, CONFIG):
            continue
        if len(part.rows) <= FILES:
            yield from part.rows
            continue
        shown = ", ".join(list(dict.fromkeys(row.name for row in part.rows))[:FILES])
        detail = f"{shown} and {len(part.rows) - FILES} more (view entrypoints)"
        yield MapRow(part.title, "group", "", 0, detail=detail)


def base_of(paths: Sequence[str]) -> str:
    """The folder (`` or `a/b/`) where the code branches out: four fifths of the files lie in it."""
    base = ""
    while True:
        heads = Counter(
            path[len(base) :].partition("/")[0] for path in paths if path.startswith(base) and "/" in path[len(base) :]
        )
        if not heads:
            return base
        head, count = min(heads.items(), key=lambda item: (-item[1], item[0]))
        if count < 0.8 * len(paths):
            return base
        base += head + "/"


def area(path: str, base: str) -> str:
    """The folder or file right below `base` that holds a path; empty for paths elsewhere."""
    if not path.startswith(base):
        return ""
    head, slash, _ = path[len(base) :].partition("/")
    return base + head + slash
