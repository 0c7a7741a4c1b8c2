"""Keeping a mirror up to its index, over a mirror in memory that can be damaged and interrupted at every step."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from tests.store.mirror_cases import SHOP, WORKSPACE, SpreadEmbedder, functions, index_of, left, put
from zerikai_memory.errors import StoreError
from zerikai_memory.store import mirror_sync
from zerikai_memory.store.mirror_state import MirrorState
from zerikai_memory.store.mirror_sync import Behind, Mirror, SyncParts
from zerikai_memory.store.vectors import MirrorError


class Disk:
    """Builds by name, as Chroma folders would hold them; `fail` names calls that raise from now on."""

    def __init__(self) -> None:
        self.builds: dict[str, dict] = {}
        self.fail: dict[str, Exception] = {}
        self.lose_every_write = False
        self.written = 0

    def open(self, state: MirrorState) -> "FakeMirror":
        self.met("open")
        return FakeMirror(self, self.builds.setdefault(state.build_folder().name, {}))

    def met(self, call: str) -> None:
        if call in self.fail:
            raise self.fail[call]


class FakeMirror:
    def __init__(self, disk: Disk, records: dict) -> None:
        self.disk, self.records = disk, records

    def upsert(self, records) -> None:
        self.disk.met("upsert")
        self.disk.written += len(records)
        if not self.disk.lose_every_write:
            self.records |= {record.entity_id: record for record in records}

    def delete(self, ids) -> None:
        for entity in ids:
            self.records.pop(entity, None)

    def search(self, query, k):
        return tuple(list(self.records)[:k]), np.zeros(min(k, len(self.records)), np.float32)

    def count(self) -> int:
        return len(self.records)

    def verify(self, samples, expected: int) -> str | None:
        return None if len(self.records) == expected else f"{len(self.records)} of {expected}"

    def close(self) -> None:
        self.disk.met("close")


@pytest.fixture
def case(tmp_path: Path):
    index, disk = index_of(tmp_path), Disk()
    states = []

    def new_worker() -> Mirror:
        """A new process: nothing of the former one but what is on disk."""
        state = MirrorState(tmp_path, WORKSPACE)
        states.append(state)
        state.folder.mkdir(parents=True, exist_ok=True)
        return Mirror(SyncParts(index, state, disk.open, lambda _: case.check, lambda _: None, lambda _: True))

    case = SimpleNamespace(index=index, disk=disk, worker=new_worker, src=tmp_path / "src", states=states, check=None)
    put(index, case.src, shop=SHOP)
    yield case
    index.close()
    for state in states:
        state.close()


def build(case) -> dict:
    return case.disk.builds[case.states[-1].build_folder().name]


def names(case) -> set[str]:
    return {record.metadata["name"] for record in build(case).values()}


def test_a_first_sync_mirrors_everything_and_a_second_writes_nothing(case) -> None:
    report = case.worker().sync()
    assert (report.written, report.left, left(case.index)) == (5, 0, 0)
    assert build(case).keys() == {entity.id for entity in case.index.entities()}
    assert case.worker().sync().written == 0


def test_only_what_changed_is_written_again(case) -> None:
    put(case.index, case.src, other="def stays(): pass\n")
    worker = case.worker()
    worker.sync()
    put(case.index, case.src, shop=SHOP.replace("open_shop", "close_shop"))
    report = worker.sync()
    # The lines of the others are as they were, so their records are too.
    assert (report.written, report.deleted) == (1, 1)
    assert names(case) == {"shop", "Till", "total", "pay", "close_shop", "other", "stays"}


def test_large_changes_go_in_steps_and_a_search_meanwhile_says_how_far_behind_it_is(case, monkeypatch) -> None:
    monkeypatch.setattr(mirror_sync, "STEP", 10)
    worker = case.worker()
    worker.sync()
    put(case.index, case.src, many=functions(40))
    with pytest.raises(Behind, match="41"):
        worker.search(np.ones(64, np.float32), 5)
    assert worker.sync().written == 41
    assert len(worker.search(np.ones(64, np.float32), 5)[0]) == 5


@pytest.mark.parametrize("step", ["upsert", "took", "acknowledge"])
def test_killed_between_any_two_steps_the_next_worker_ends_the_work(case, monkeypatch, step: str) -> None:
    def killed(*args, **kwargs):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        if step == "upsert":
            patch.setattr(FakeMirror, "upsert", killed)
        elif step == "took":
            patch.setattr(MirrorState, "took", killed)
        else:
            patch.setattr(mirror_sync, "acknowledge", killed)
        with pytest.raises(KeyboardInterrupt):
            case.worker().sync()
    assert left(case.index) == 5
    case.worker().sync()
    assert left(case.index) == 0
    assert build(case).keys() == {entity.id for entity in case.index.entities()}


def test_what_a_killed_step_wrote_goes_with_its_entity(case, monkeypatch) -> None:
    def killed(*args, **kwargs):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(MirrorState, "took", killed)
        with pytest.raises(KeyboardInterrupt):
            case.worker().sync()
    put(case.index, case.src, shop=SHOP.replace("open_shop", "close_shop"))
    case.worker().sync()
    assert (names(case), case.states[-1].build) == ({"shop", "Till", "total", "pay", "close_shop"}, 1)


def test_an_index_that_went_back_in_time_takes_the_mirror_with_it(case, tmp_path: Path) -> None:
    case.worker().sync()
    with case.index.database.connection() as connection:
        connection.execute(f"VACUUM INTO '{tmp_path / 'copy.db'}'")
    put(case.index, case.src, shop=SHOP.replace("pay", "charge"), more="def more(): pass\n")
    case.worker().sync()
    assert "more" in names(case)
    import sqlite3

    with case.index.database.connection() as connection:
        copy = sqlite3.connect(tmp_path / "copy.db")
        copy.backup(connection)
        copy.close()
    report = case.worker().sync()
    assert names(case) == {"shop", "Till", "total", "pay", "open_shop"}
    assert (report.written, report.deleted) == (1, 3)  # the rest was recognised by its digests


@pytest.mark.parametrize(
    "damage",
    [
        lambda case: build(case).popitem(),  # a record is lost without an error
        lambda case: setattr(case, "check", "segmentation fault"),  # the child that looked at it crashed
        lambda case: links(case).write_bytes(b"x" * 2_000_000),  # a torn graph file, which may not even be opened
    ],
)
def test_a_damaged_mirror_is_built_anew_elsewhere_and_the_old_one_removed(case, damage) -> None:
    case.worker().sync()  # not closed: its process was killed
    first = case.states[-1].build_folder()
    damage(case)
    put(case.index, case.src, more="def more(): pass\n")
    report = case.worker().sync()
    assert (report.written, case.states[-1].build) == (7, 2)
    assert build(case).keys() == {entity.id for entity in case.index.entities()}
    assert [path.name for path in first.parent.glob("g*")] == ["g2"]


def links(case) -> Path:
    folder = case.states[-1].build_folder() / "segment"
    folder.mkdir()
    (folder / "data_level0.bin").write_bytes(b"x" * 1000)
    return folder / "link_lists.bin"


def test_a_mirror_that_fails_again_is_left_alone_and_says_why(case) -> None:
    case.disk.lose_every_write = True
    with pytest.raises(StoreError, match="0 of 5"):
        case.worker().sync()
    written = case.disk.written
    with pytest.raises(StoreError, match="given up"):
        case.worker().sync()
    assert case.disk.written == written


def test_an_error_of_chroma_while_writing_builds_anew_once(case) -> None:
    worker = case.worker()
    worker.sync()
    put(case.index, case.src, more="def more(): pass\n")
    case.disk.fail = {"upsert": MirrorError("hnsw"), "close": MirrorError("hnsw")}
    with pytest.raises(MirrorError):
        worker.sync()
    assert case.states[-1].build == 2


def test_another_embedding_begins_a_new_build_under_another_name(case) -> None:
    case.worker().sync()
    name = case.states[-1].collection()
    put(case.index, case.src, SpreadEmbedder("B", 32), shop=SHOP)
    case.worker().sync()
    assert case.states[-1].collection() != name
    assert {len(record.vector) for record in build(case).values()} == {32}


def test_entities_that_wait_for_another_embedding_are_not_mirrored_with_the_old_one(case) -> None:
    put(case.index, case.src, more="def more(): pass\n")
    put(case.index, case.src, SpreadEmbedder("B", 64), shop=SHOP)  # and more.py not yet
    case.worker().sync()
    assert names(case) == {"shop", "Till", "total", "pay", "open_shop"}
    put(case.index, case.src, SpreadEmbedder("B", 64), more="def more(): pass\n")
    case.worker().sync()
    assert "more" in names(case)


def test_many_rewrites_end_in_a_new_build_so_that_old_text_does_not_pile_up(case, monkeypatch) -> None:
    monkeypatch.setattr(mirror_sync, "WORN_OUT_BASE", 0)
    for n in range(4):
        put(case.index, case.src, shop=f"\n{SHOP}" if n % 2 else SHOP)
        case.worker().sync()
    assert case.states[-1].build == 2


def test_nothing_is_begun_without_space_for_it(case, monkeypatch) -> None:
    monkeypatch.setattr(mirror_sync.shutil, "disk_usage", lambda _: SimpleNamespace(free=1_000_000))
    with pytest.raises(StoreError, match="MB of disk"):
        case.worker().sync()
    assert case.disk.builds == {}


def test_damaged_bookkeeping_is_made_anew(case) -> None:
    case.worker().sync()
    state = case.states[-1]
    state.close()
    state.database.path.write_bytes(b"not a database" * 1000)
    worker = case.worker()
    case.states[-1].reset_damaged()
    assert worker.sync().written == 5
    assert case.states[-1].build == 2
