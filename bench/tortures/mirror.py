"""SIGKILL of the mirror's worker, at random and while Chroma writes its graph; then every record must be found."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Iterator
from pathlib import Path

from bench.tortures.ground import Row, name, project, write
from zerikai_memory.app import Memory
from zerikai_memory.settings import Settings
from zerikai_memory.store.index import WorkspaceIndex
from zerikai_memory.store.mirror_process import MirrorProcess
from zerikai_memory.store.mirror_state import MirrorState
from zerikai_memory.store.mirror_task import WorkerTask
from zerikai_memory.store.view import ViewCache

# A worker takes about a second to begin, and a step of 1,000 entities about a second.
LONGEST_S = 3.0
# Every second kill waits for a change of the graph's files: that moment is the one that can wedge a collection.
WAITS_FOR_GRAPH_S = 6.0
ASKED = 200
SELF_DISTANCE = 1e-3


def run(folder: Path, seed: int, kills: int, files: int = 150) -> Row:
    """Each round: change some files, scan, kill the worker that mirrors them; at the end a last one must put it right.

    With 150 files (about 10,700 entities) Chroma writes its graph to disk; with few it keeps it in its log.
    """
    rng = random.Random(seed)
    row = Row(f"{kills} SIGKILLs of the mirror's worker")
    work, home = folder / "project", folder / "brain"
    project(work, rng, files, 70)
    one = Memory(Settings(home=home, vector_store="exact"), cwd=Path("/"))
    hit, builds = 0, set()
    try:
        one.scan(str(work))
        workspace = one.resolve(str(work))
        index = one._brain.index(workspace.id)
        for number in range(kills):
            for path in rng.sample(sorted(work.rglob("*.py")), min(20, files)):
                write(path, [name(rng, number * 100 + i) for i in range(70)])
            one.scan(str(work))
            hit += _killed(_worker(home, index.path, workspace.id, "drain"), home, workspace.id, rng, number % 2 == 1)
            state = MirrorState(home, workspace.id)
            builds.add(state.build)
            state.close()
        last = _worker(home, index.path, workspace.id, "serve")
        try:
            if last.wait_drained(180, lambda _: True):
                row.wrong += _lost(last, index, rng)
            else:
                row.wrong.append(f"the mirror did not become whole: {last.trouble or 'too slow'}")
        finally:
            last.stop()
    finally:
        one.close()
    row.done = f"{hit} hit a running worker"
    row.note = f"{max(len(builds) - 1, 0)} rebuilds after damage or wear"
    return row


def _worker(home: Path, index: Path, workspace_id: str, job: str) -> MirrorProcess:
    return MirrorProcess(WorkerTask(str(home), str(index), workspace_id, job))


def _killed(worker: MirrorProcess, home: Path, workspace_id: str, rng: random.Random, aimed: bool) -> bool:
    """Kill a worker at work; whether it still ran."""
    while worker.left is None and worker.alive:
        time.sleep(0.005)
    if aimed:
        before, deadline = list(_graph(home, workspace_id)), time.monotonic() + WAITS_FOR_GRAPH_S
        while worker.alive and time.monotonic() < deadline and list(_graph(home, workspace_id)) == before:
            pass
    else:
        time.sleep(rng.random() * LONGEST_S)
    alive = worker.alive
    if alive:
        os.kill(worker._process.pid, signal.SIGKILL)
    worker.stop()
    return alive


def _graph(home: Path, workspace_id: str) -> Iterator[tuple[str, int, int]]:
    for path in sorted((home / "vector_db" / workspace_id).glob("g*/*/*.bin")):
        try:
            stat = path.stat()
        except FileNotFoundError:  # a build that was replaced
            continue
        yield path.name, stat.st_mtime_ns, stat.st_size


def _lost(worker: MirrorProcess, index: WorkspaceIndex, rng: random.Random) -> Iterator[str]:
    """Records that their own vector does not find, and records that the index does not have."""
    view = ViewCache(index).get()
    known = set(view.ids)
    for position in rng.sample(range(len(view)), min(ASKED, len(view))):
        vector = view.vectors[position]
        if not vector.any():
            continue
        ids, distances = worker.search(vector, 5, 30)
        if not len(distances) or distances[0] > SELF_DISTANCE:
            yield f"{view.qualified_names[position]} is not found by its own vector"
        if ghosts := set(ids) - known:
            yield f"{len(ghosts)} ghosts beside {view.qualified_names[position]}"
