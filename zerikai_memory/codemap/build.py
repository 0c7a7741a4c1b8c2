"""Bring a stored map up to the index: resolve the files that changed and those that asked for what has changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from zerikai_memory.codemap.facts import IndexFacts, digest, surface
from zerikai_memory.codemap.project import Project, folders_of
from zerikai_memory.codemap.resolve import RESOLVER_VERSION, Resolvers
from zerikai_memory.errors import Cancelled
from zerikai_memory.model_map import Edge
from zerikai_memory.store.map import MapChange, MapFile, MapHead, MapStore
from zerikai_memory.store.map_source import MapSource, Stamped

# From so many files on, reading all rows at once is faster than file by file.
_READ_ALL = 50


@dataclass(frozen=True, slots=True)
class BuildParts:
    """What an update works with: the project folder's name, a reader of texts beside the code, its git commit."""

    name: str
    read: Callable[[str], str | None]
    commit: Callable[[], str | None]
    cancelled: Callable[[], bool] = lambda: False
    progress: Callable[[int, int], None] = lambda done, total: None


@dataclass(frozen=True, slots=True)
class _Difference:
    """How the index differs from what was mapped."""

    files: Mapping[str, Stamped]
    old: Mapping[str, MapFile]
    changed: frozenset[str]
    gone: frozenset[str]


def update_map(source: MapSource, store: MapStore, parts: BuildParts) -> bool:
    """Make the stored map that of `source`; False when another process changed it meanwhile.

    Raises Cancelled soon after `parts.cancelled()` turns true; then nothing is written.
    """
    before = store.head()
    everything = before.version != str(RESOLVER_VERSION)
    files = {file.path: file for file in source.files()}
    old = {} if everything else store.files()
    changed = frozenset(p for p, file in files.items() if p not in old or old[p].stamp != file.stamp)
    difference = _Difference(files, old, changed, frozenset(old.keys() - files.keys()))
    if len(changed) >= _READ_ALL:
        source.load()
    facts = IndexFacts(source, files.values(), parts.read)
    project = Project(facts, parts.name)
    resolvers = Resolvers(project)
    keys = _changed_texts(before, parts) if not everything else set()
    keys |= _changed_keys(difference, facts, store)
    moved = {language for language, layout in resolvers.layout.items() if before.layout.get(language) != layout}
    todo = sorted(p for p in files if p in changed or files[p].language in moved or not keys.isdisjoint(old[p].asked))
    written, edges = _resolve(todo, difference, project, facts, resolvers, parts)
    asked = {**old, **written}
    texts = {**({} if everything else before.texts), **facts.texts}
    wanted = {key[2:] for path in files for key in asked[path].asked if key.startswith("t:")} | facts.texts.keys()
    head = MapHead(
        version=str(RESOLVER_VERSION),
        token=source.token,
        generation=source.generation,
        commit=parts.commit(),
        layout=resolvers.layout,
        texts={path: text for path, text in texts.items() if path in wanted},
    )
    if head == before and not todo and not difference.gone:
        return True
    change = MapChange(head, sorted(difference.gone), list(written.values()), edges, everything)
    return store.write(change, before)


def _resolve(
    todo: Iterable[str],
    difference: _Difference,
    project: Project,
    facts: IndexFacts,
    resolvers: Resolvers,
    parts: BuildParts,
) -> tuple[dict[str, MapFile], dict[str, tuple[Edge, ...]]]:
    written: dict[str, MapFile] = {}
    edges: dict[str, tuple[Edge, ...]] = {}
    todo = list(todo)
    for done, path in enumerate(todo):
        if parts.cancelled():
            raise Cancelled("the code map was not brought up to date; the next scan or look at it does that")
        if not done % 50:
            parts.progress(done, len(todo))
        file = difference.files[path]
        with project.recording() as asked:
            edges[path] = resolvers.resolve(path, file.language)
        if path in difference.changed:
            offered = facts.file(path)
            assert offered is not None
            names = tuple((entity.id, entity.name) for entity in offered.entities)
            written[path] = MapFile(path, file.language, file.stamp, surface(offered), frozenset(asked), names)
        else:
            written[path] = replace(difference.old[path], asked=frozenset(asked))
    return written, edges


def _changed_texts(before: MapHead, parts: BuildParts) -> set[str]:
    return {f"t:{path}" for path, text in before.texts.items() if digest(parts.read(path)) != text}


def _changed_keys(difference: _Difference, facts: IndexFacts, store: MapStore) -> set[str]:
    """Keys of `Project` look-ups that would now be answered in another way."""
    old, new = difference.old, difference.files
    if not old:
        return set()
    appeared = new.keys() - old.keys()
    paths = appeared | difference.gone
    paths |= folders_of(new) ^ folders_of(old)
    keys = {f"p:{path}" for path in paths} | {f"f:{path}" for path in difference.gone}
    known = store.names(path for path in difference.changed | difference.gone if path in old)
    for path in difference.changed:
        offered = facts.file(path)
        assert offered is not None
        if path not in old or surface(offered) != old[path].surface:
            keys.add(f"f:{path}")
        fresh = {(entity.id, entity.name) for entity in offered.entities}
        keys |= {f"n:{name}" for _, name in known.get(path, set()) ^ fresh}
    for path in difference.gone:
        keys |= {f"n:{name}" for _, name in known[path]}
    return keys
