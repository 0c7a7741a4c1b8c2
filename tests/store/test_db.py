import sqlite3
import threading
from pathlib import Path

import pytest

from zerikai_memory.errors import StoreError
from zerikai_memory.store.brain import Brain
from zerikai_memory.store.db import Database
from zerikai_memory.store.migrations import STEPS, migrate


def nothing(connection: sqlite3.Connection) -> None:
    connection.execute("CREATE TABLE IF NOT EXISTS t (x INTEGER)")


def test_a_failed_write_leaves_nothing_behind(tmp_path: Path) -> None:
    database = Database(tmp_path / "a.db", nothing)

    def fail_midway() -> None:
        with database.write() as connection:
            connection.execute("INSERT INTO t VALUES (1)")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_midway()
    with database.read() as connection:
        assert connection.execute("SELECT count(*) FROM t").fetchone() == (0,)
    database.close()


def test_a_file_that_is_no_database_is_named_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    path.write_bytes(b"this is not a database, but somebody's text\n" * 50)
    before = path.read_bytes()
    with pytest.raises(StoreError, match=r"a\.db"), Database(path, nothing).read():
        pass
    assert path.read_bytes() == before


def test_threads_write_without_losing_a_row(tmp_path: Path) -> None:
    database = Database(tmp_path / "a.db", nothing)

    def insert() -> None:
        for _ in range(25):
            with database.write() as connection:
                connection.execute("INSERT INTO t VALUES (1)")

    threads = [threading.Thread(target=insert) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with database.read() as connection:
        assert connection.execute("SELECT count(*) FROM t").fetchone() == (200,)
    database.close()


def test_a_file_that_another_process_made_anew_is_opened_anew(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    database = Database(path, nothing)
    with database.write() as connection:
        connection.execute("INSERT INTO t VALUES (1)")
    for old in tmp_path.glob("a.db*"):
        old.unlink()
    with database.read() as connection:
        assert connection.execute("SELECT count(*) FROM t").fetchone() == (0,)
    database.close()


def test_stores_are_private_to_the_user(tmp_path: Path) -> None:
    brain = Brain(tmp_path / "brain")
    brain.registry.known()
    with brain.recorded.write():
        pass
    assert (tmp_path / "brain").stat().st_mode & 0o077 == 0
    assert (tmp_path / "brain" / "zerikai.db").stat().st_mode & 0o077 == 0
    brain.close()


def test_the_first_schema_migrates_and_a_newer_one_is_refused_untouched(tmp_path: Path) -> None:
    path = tmp_path / "zerikai.db"
    database = Database(path, migrate)
    with database.read() as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (len(STEPS),)
    database.close()
    raw = sqlite3.connect(path)
    raw.execute(f"PRAGMA user_version={len(STEPS) + 1}")
    raw.commit()
    raw.close()
    newer = Database(path, migrate)
    with pytest.raises(StoreError, match="newer"), newer.read():
        pass
    newer.close()
    raw = sqlite3.connect(path)
    assert raw.execute("PRAGMA user_version").fetchone() == (len(STEPS) + 1,)
    raw.close()


def test_the_brain_in_an_unwritable_place_says_what_to_set(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    with pytest.raises(StoreError, match="ZERIKAI_HOME"):
        Brain(blocked / "brain").scan_lock("x")
