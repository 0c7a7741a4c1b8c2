"""Files of the brain are for their owner alone, from the first moment and whatever the umask."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from zerikai_memory.store.db import Database

pytestmark = pytest.mark.skipif(os.name == "nt", reason="modes are POSIX")


def modes(folder: Path) -> dict[str, int]:
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}


@pytest.mark.parametrize("umask", [0o000, 0o022])
def test_database_log_and_shared_memory_are_private_while_they_are_used(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        database = Database(tmp_path / "a.db", lambda connection: None)
        with database.write() as connection:
            connection.execute("CREATE TABLE t (x)")
            seen = modes(tmp_path)
        database.close()
    finally:
        os.umask(before)
    assert seen == {"a.db": 0o600, "a.db-wal": 0o600, "a.db-shm": 0o600}


def test_files_of_an_older_version_become_private(tmp_path: Path) -> None:
    first = Database(tmp_path / "a.db", lambda connection: None)
    with first.write() as connection:
        connection.execute("CREATE TABLE t (x)")
    for path in tmp_path.iterdir():
        path.chmod(0o644)
    second = Database(tmp_path / "a.db", lambda connection: None)
    with second.write() as connection:
        connection.execute("INSERT INTO t VALUES (1)")
        seen = modes(tmp_path)
    second.close()
    first.close()
    assert set(seen.values()) == {0o600}
