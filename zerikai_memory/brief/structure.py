"""How a project is built: areas, key files, base classes, flows between areas; counted from entities and imports."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from zerikai_memory.brief.facts import Area, Flow, KeyFile
from zerikai_memory.brief.imports import Import
from zerikai_memory.brief.paths import GATHERING, area_of, is_gathering, is_product_code
from zerikai_memory.brief.prose import first_sentence
from zerikai_memory.model import MENTIONS, CodeEntity, EntityType, Reference, ReferenceKind

_NAMED = frozenset(
    {
        EntityType.CLASS,
        EntityType.FUNCTION,
        EntityType.COMPONENT,
        EntityType.INTERFACE,
        EntityType.TYPE,
        EntityType.ENUM,
        EntityType.CONSTANT,
    }
)


class Names:
    """The names that matter in a file or area: public, at the top of their file, imported by most files."""

    def __init__(
        self, entities: Sequence[CodeEntity], references: Iterable[Reference], imports: Iterable[Import]
    ) -> None:
        taken: dict[str, set[str]] = defaultdict(set)
        for item in imports:
            taken[item.name].add(item.source)
        used: dict[str, set[str]] = defaultdict(set)
        for reference in references:
            if reference.kind in MENTIONS and is_product_code(reference.file_path):
                used[reference.name].add(reference.file_path)
        public = [
            e
            for e in entities
            if e.entity_type in _NAMED and e.parent is None and len(e.name) > 2 and not e.name.startswith("_")
        ]
        defined = Counter(e.name for e in public)
        self._by_file: dict[str, set[tuple[int, int, str]]] = defaultdict(set)
        for entity in public:
            # A name that several files define cannot be told apart by its mentions.
            alone = defined[entity.name] == 1
            imported = len(taken[entity.name] - {entity.file_path}) if alone else 0
            mentioned = len(used[entity.name] - {entity.file_path}) if alone else 0
            if imported or entity.entity_type is not EntityType.CONSTANT:
                self._by_file[entity.file_path].add((-imported, -mentioned, entity.name))

    def of(self, paths: Iterable[str], limit: int) -> tuple[str, ...]:
        """The most imported names that `paths` define; others only where nothing is imported."""
        ranked = sorted({entry for path in paths for entry in self._by_file.get(path, ())})
        imported = [name for imports, _, name in ranked if imports]
        return tuple(dict.fromkeys(imported or [name for _, _, name in ranked]))[:limit]


def module_sentences(entities: Iterable[CodeEntity]) -> dict[str, str]:
    """{file: first sentence of its module docstring or leading comment}."""
    found = {e.file_path: first_sentence(e.docstring) for e in entities if e.entity_type is EntityType.MODULE}
    return {path: sentence for path, sentence in found.items() if sentence}


def find_areas(
    product: Sequence[str], base: str, says: Mapping[str, str], names: Names, imports: Iterable[Import]
) -> tuple[Area, ...]:
    """Folders and files right below `base`, those with most files and importers first."""
    members: dict[str, list[str]] = defaultdict(list)
    for path in product:
        if (area := area_of(path, base)) is not None:
            members[area].append(path)
    importers: dict[str, set[str]] = defaultdict(set)
    for item in imports:
        area = area_of(item.target, base)
        if area is not None and is_product_code(item.source) and area_of(item.source, base) != area:
            importers[area].add(item.source)
    areas = [
        Area(
            path,
            len(files),
            len(importers[path]),
            _area_says(path, files, says),
            names.of(files, 4),
            _parts(path, files),
        )
        for path, files in members.items()
        if not is_gathering(path) or len(members) == 1
    ]
    return tuple(sorted(areas, key=lambda area: (-area.files, -area.importers, area.path)))


def _parts(path: str, files: Sequence[str]) -> tuple[str, ...]:
    """The larger folders inside an area of many files."""
    inside = Counter(area_of(file, path) or "" for file in files if path.endswith("/"))
    folders = [(n, part) for part, n in inside.items() if part.endswith("/") and n > 1]
    return tuple(part[len(path) : -1] for _, part in sorted(folders, key=lambda f: (-f[0], f[1])))


def _area_says(path: str, files: Sequence[str], says: Mapping[str, str]) -> str:
    if not path.endswith("/"):
        return says.get(path, "")
    gathering = (says.get(path + name, "") for name in GATHERING)
    own = says.get(files[0], "") if len(files) == 1 else ""
    return next(filter(None, gathering), own)


def find_key_files(
    imports: Iterable[Import], says: Mapping[str, str], names: Names, limit: int = 12
) -> tuple[KeyFile, ...]:
    """Product files by the number of other product files that import them."""
    importers: dict[str, set[str]] = defaultdict(set)
    for item in imports:
        if is_product_code(item.source) and is_product_code(item.target):
            importers[item.target].add(item.source)
    ranked = sorted(importers.items(), key=lambda item: (-len(item[1]), item[0]))[:limit]
    return tuple(KeyFile(path, len(by), says.get(path, ""), names.of([path], 4)) for path, by in ranked)


def find_flows(imports: Iterable[Import], base: str) -> tuple[Flow, ...]:
    """Imports between areas, most importing files first."""
    sources: dict[tuple[str, str], set[str]] = defaultdict(set)
    for item in imports:
        source, target = area_of(item.source, base), area_of(item.target, base)
        if source and target and source != target and is_product_code(item.source) and is_product_code(item.target):
            sources[(source, target)].add(item.source)
    # Among flows of one file each, those into a part that many others use say more.
    used = Counter(target for _, target in sources)
    flows = [Flow(source, target, len(files)) for (source, target), files in sources.items()]
    return tuple(sorted(flows, key=lambda flow: (-flow.files, -used[flow.target], flow.source, flow.target)))


def find_bases(entities: Iterable[CodeEntity], references: Iterable[Reference], limit: int = 6) -> tuple[str, ...]:
    """`Name` in `file`: classes of the project that most other classes derive from."""
    home: dict[str, set[str]] = defaultdict(set)
    for entity in entities:
        if entity.entity_type in (EntityType.CLASS, EntityType.INTERFACE) and is_product_code(entity.file_path):
            home[entity.name].add(entity.file_path)
    counts: Counter[str] = Counter()
    for reference in references:
        if reference.kind is ReferenceKind.INHERIT and is_product_code(reference.file_path):
            counts[reference.name.rpartition(".")[2]] += 1
    ranked = [
        name for name, n in sorted(counts.items(), key=lambda i: (-i[1], i[0])) if n >= 3 and len(home[name]) == 1
    ]
    return tuple(f"`{name}` (`{min(home[name])}`)" for name in ranked[:limit])
