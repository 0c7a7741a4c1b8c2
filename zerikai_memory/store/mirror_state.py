"""Where a workspace's Chroma mirror is and what it holds: `vector_db/<workspace>/`, its folders, lock and digests.

Each build of the mirror is a folder `g<N>` of its own, so that throwing it away frees the disk and takes its text
with it (deleting a Chroma collection leaves the text in its files). Everything here can be deleted at any time.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from zerikai_memory.errors import DamagedError
from zerikai_memory.store.db import Database
from zerikai_memory.store.outbox import new_token
from zerikai_memory.store.vectors import MirrorRecord

# A worker ends within one step of 1,000 records; two seconds on a busy machine.
REMOVE_WAIT_S = 10.0
# A graph file that outgrew its data file is torn, and reading it can fill the disk (Chroma issue 7510: 231 GiB).
_LINKS, _LEVEL0 = "link_lists.bin", "data_level0.bin"
_FOLDER = re.compile(r"g(\d+)(?:\.bad)?$")

_SCHEMA = (
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE records (entity TEXT PRIMARY KEY, digest BLOB NOT NULL) WITHOUT ROWID",
)


class MirrorState:
    """Bookkeeping of one mirror, in a small database beside the folder; written by the holder of its lock alone.

    Values: `build` (N of the folder in use, 0: none), `embedding`, `open` (set while a worker has it open: found set,
    that worker was killed), `trouble` (why the mirror is given up) and `trouble_at`, `written` (records since built),
    `superseded` (name of the collection before).
    """

    def __init__(self, home: Path, workspace_id: str, url: str = "") -> None:
        self.home = home
        self.workspace_id = workspace_id
        self.folder = home / "vector_db" / workspace_id
        # A server's mirror is another one than the folder's: own bookkeeping, own lock.
        self.name = "mirror" if not url else f"http-{hashlib.sha256(url.encode()).hexdigest()[:8]}"
        self.database = Database(self.folder / f"{self.name}.db", _prepare)

    def lock(self) -> FileLock:
        """Held for life by the one process that has the mirror open; beside the folder, so that a drop keeps it."""
        folder = self.home / "locks"
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return FileLock(folder / f"{self.workspace_id}.{self.name}.lock", thread_local=False, mode=0o600)

    def reset_damaged(self) -> None:
        """Make damaged bookkeeping anew: it is derived, and without it the next build begins."""
        try:
            self.get("build")
            self.count()
        except DamagedError:
            self.database.close()
            for path in self.folder.glob(f"{self.name}.db*"):
                path.unlink(missing_ok=True)

    def get(self, key: str) -> str:
        """A bookkeeping value; empty when it was never set or no mirror was ever made."""
        if not self.database.path.exists():
            return ""
        with self.database.read() as connection:
            return _get(connection, key)

    def set(self, **values: object) -> None:
        """Write bookkeeping values."""
        with self.database.write() as connection:
            _set(connection, **values)

    @property
    def local(self) -> bool:
        """Whether the mirror is a folder of ours, not a collection on a server."""
        return self.name == "mirror"

    @property
    def build(self) -> int:
        """Number of the build in use; 0 before the first."""
        return int(self.get("build") or 0)

    def build_folder(self) -> Path:
        """Folder of the build in use."""
        return self.folder / f"g{self.build}"

    def start_build(self, embedding: str) -> None:
        """Go on with a new, empty build: another folder and name, nothing in it."""
        taken = [self.build, *(int(match[1]) for p in self._folders() if (match := _FOLDER.match(p.name)))]
        superseded = self.collection() if self.build else ""
        with self.database.write() as connection:
            connection.execute("DELETE FROM records")
            _set(connection, build=max(taken) + 1, embedding=embedding, token="", token_before="", written=0)
            _set(connection, id=new_token(), superseded=superseded, open="", trouble="", trouble_at="")
        if self.local:
            self.build_folder().mkdir(mode=0o700)

    def set_aside(self) -> None:
        """Rename the folder in use, so that nobody opens it again; it is removed once its successor is verified."""
        folder = self.build_folder()
        if folder.exists():
            folder.rename(folder.with_name(f"{folder.name}.bad"))

    def remove_old_builds(self) -> None:
        """Remove every folder but the one in use, those set aside too: nothing in them is needed for anything."""
        keep = self.build_folder()
        for folder in self._folders():
            if folder != keep:
                shutil.rmtree(folder, ignore_errors=True)  # what stays is tried again by the next worker

    def damaged_files(self) -> str | None:
        """What is wrong with the files' sizes, seen without opening them."""
        for links in self.build_folder().glob(f"*/{_LINKS}"):
            level0 = links.with_name(_LEVEL0)
            if level0.exists() and links.stat().st_size > max(level0.stat().st_size, 1_000_000):
                return f"{links.name} is larger than the vectors it links"
        return None

    def collection(self) -> str:
        """Name of the collection: the workspace and the embedding's fingerprint; on a server also this mirror's id.

        The id keeps apart what two machines with the same project path put on one server, and old builds from new.
        """
        fingerprint = hashlib.sha256(self.get("embedding").encode()).hexdigest()[:8]
        own = "" if self.local else f"_{self.get('id')}"
        return f"zerikai_{self.workspace_id}_{fingerprint}{own}"

    def knows(self, token: str) -> bool:
        """Whether `token`, the index's, is the state that this mirror is in (or was in, just before its last batch)."""
        return bool(token) and token in (self.get("token"), self.get("token_before"))

    def digests(self, ids: Sequence[str]) -> dict[str, bytes]:
        """{entity: digest of the record as written} of those of `ids` that the mirror holds."""
        found: dict[str, bytes] = {}
        with self.database.read() as connection:
            for start in range(0, len(ids), 500):
                part = tuple(ids[start : start + 500])
                marks = ",".join("?" * len(part))
                found |= dict(
                    connection.execute(f"SELECT entity, digest FROM records WHERE entity IN ({marks})", part).fetchall()
                )
        return found

    def entities(self) -> list[str]:
        """Ids of all records the mirror holds."""
        with self.database.read() as connection:
            return [row[0] for row in connection.execute("SELECT entity FROM records")]

    def count(self) -> int:
        """Number of records the mirror holds."""
        with self.database.read() as connection:
            return int(connection.execute("SELECT count(*) FROM records").fetchone()[0])

    def sample(self, size: int) -> list[str]:
        """Ids of some records, others each time."""
        with self.database.read() as connection:
            rows = connection.execute("SELECT entity FROM records ORDER BY random() LIMIT ?", (size,)).fetchall()
        return [row[0] for row in rows]

    def took(self, written: Sequence[MirrorRecord], deleted: Sequence[str], before: str, token: str) -> None:
        """Record a batch that is in Chroma, before the index forgets it; `before` and `token` are the index's."""
        with self.database.write() as connection:
            connection.executemany(
                "INSERT INTO records VALUES (?, ?) ON CONFLICT (entity) DO UPDATE SET digest = excluded.digest",
                [(record.entity_id, record.digest) for record in written],
            )
            connection.executemany("DELETE FROM records WHERE entity = ?", [(entity,) for entity in deleted])
            total = int(_get(connection, "written") or 0) + len(written)
            _set(connection, token_before=before, token=token, written=total)

    def settle(self, token: str) -> None:
        """The index has `token` now: an index that comes back with the one before was restored."""
        self.set(token_before="", token=token)

    def close(self) -> None:
        """Close the bookkeeping."""
        self.database.close()

    def _folders(self) -> list[Path]:
        return [path for path in self.folder.glob("g*") if path.is_dir()] if self.folder.is_dir() else []


def remove_mirrors(home: Path, workspace_id: str) -> bool:
    """Remove all mirrors of a workspace with their text; returns whether there were any.

    Called when its index is gone: a worker that holds a mirror sees that within a step and ends.
    """
    folder = home / "vector_db" / workspace_id
    if not folder.is_dir():
        return False
    with ExitStack() as held:
        for path in (home / "locks").glob(f"{workspace_id}.*.lock"):
            if path.name.split(".")[-2] not in ("scan", "brief"):
                lock = FileLock(path, thread_local=False, mode=0o600)
                with suppress(Timeout):  # then it hangs, and finds its folder gone when it goes on
                    held.enter_context(lock.acquire(timeout=REMOVE_WAIT_S))
        shutil.rmtree(folder)
    return True


def _prepare(connection: sqlite3.Connection) -> None:
    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'meta'").fetchone():
        return
    connection.execute("BEGIN IMMEDIATE")
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'meta'").fetchone():
        for statement in _SCHEMA:
            connection.execute(statement)
    connection.execute("COMMIT")


def _get(connection: sqlite3.Connection, key: str) -> str:
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return str(row[0]) if row else ""


def _set(connection: sqlite3.Connection, **values: object) -> None:
    connection.executemany(
        "INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        [(key, str(value)) for key, value in values.items()],
    )
