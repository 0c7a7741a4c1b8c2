"""Recorded data: copied before changes, refused when damaged, restored by order; clear words for every fault."""

import errno
import sqlite3
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.as_nobody import PRELOAD_AND_LEAVE_ROOT
from zerikai_memory.app import Memory
from zerikai_memory.errors import BusyError, DamagedError, StoreError
from zerikai_memory.settings import Settings
from zerikai_memory.store import migrations
from zerikai_memory.store.backups import KEEP_DAYS, PARTIAL, Backups, copy_database, remove_partials, set_aside
from zerikai_memory.store.brain import Brain
from zerikai_memory.store.db import Database
from zerikai_memory.store.faults import store_error


def used_brain(home: Path, workspace: Path, notes: int = 3) -> None:
    (workspace / "a.py").write_text("def alpha():\n    return 1\n")
    memory = Memory(Settings(home=home))
    memory.scan(str(workspace))
    for number in range(notes):
        memory.save(f"note {number}", str(workspace))
    memory.close()


def test_the_first_change_of_a_day_copies_what_was_there(home, workspace):
    used_brain(home, workspace)
    later = Memory(Settings(home=home))
    assert later.upkeep.backups() == []
    later.save("today's first", str(workspace))
    later.save("today's second", str(workspace))
    (backup,) = later.upkeep.backups()
    later.close()
    connection = sqlite3.connect(home / "backups" / backup.name)
    assert connection.execute("SELECT count(*) FROM notes").fetchone() == (3,)
    connection.close()
    assert stat.S_IMODE((home / "backups" / backup.name).stat().st_mode) == 0o600


def test_old_daily_copies_go_and_others_stay(tmp_path):
    source, folder = tmp_path / "zerikai.db", tmp_path / "backups"
    database = Database(source, migrations.migrate)
    with database.write():
        pass
    database.close()
    for day in ("2026-01-01", "2026-01-02", "2026-01-03", "2026-01-04"):
        copy_database(source, folder / f"zerikai-{day}.db")
    kept = Backups(source, folder).before("merge")
    Backups(source, folder).daily()
    names = {path.name for path in folder.iterdir()}
    assert len(names - {kept.name}) == KEEP_DAYS
    assert {"zerikai-2026-01-03.db", "zerikai-2026-01-04.db", kept.name} <= names


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"\xff" * 8192),
        lambda path: path.write_bytes(path.read_bytes()[:6000]),
        lambda path: path.unlink(),
    ],
    ids=["emptied", "overwritten", "cut", "gone"],
)
def test_damaged_recorded_data_is_refused_by_name_and_comes_back_by_order_alone(home, workspace, damage):
    used_brain(home, workspace)
    later = Memory(Settings(home=home))
    later.save("makes the copy of the day", str(workspace))
    later.close()
    damage(home / "zerikai.db")
    before = (home / "zerikai.db").read_bytes() if (home / "zerikai.db").exists() else None
    memory = Memory(Settings(home=home))
    name = memory.upkeep.backups()[0].name
    for call in (lambda: memory.save("x", str(workspace)), lambda: memory.query("alpha", str(workspace))):
        with pytest.raises(DamagedError, match=rf"zerikai\.db.*backup restore {name}"):
            call()
    assert any(finding.level == "error" and name in finding.fix for finding in memory.doctor())
    assert ((home / "zerikai.db").read_bytes() if before is not None else None) == before
    memory.upkeep.restore_backup(name)
    assert {note.content for note in memory.query("", str(workspace), category="fact").notes} == {
        "note 0",
        "note 1",
        "note 2",
    }
    assert memory.query("alpha", str(workspace)).results
    aside = list(home.glob("zerikai.db.damaged-*"))
    assert [path.read_bytes() for path in aside if not path.name.endswith(("-wal", "-shm"))] == [before] * (
        before is not None
    )
    memory.close()


def test_a_restore_of_a_name_that_is_not_there_lists_what_is(home, workspace):
    used_brain(home, workspace)
    memory = Memory(Settings(home=home))
    with pytest.raises(StoreError, match=r"'\.\./x' is not in .*none"):
        memory.upkeep.restore_backup("../x")
    memory.close()


def test_a_damaged_source_is_not_copied_over_a_good_backup(tmp_path):
    source, target = tmp_path / "a.db", tmp_path / "copies" / "a.db"
    database = Database(source, lambda connection: None)
    with database.write() as connection:
        connection.execute("CREATE TABLE t (x)")
        connection.executemany("INSERT INTO t VALUES (?)", [("x" * 500,)] * 200)
    database.close()
    copy_database(source, target)
    good = target.read_bytes()
    source.write_bytes(source.read_bytes()[:8192] + bytes(4096) + source.read_bytes()[12288:])
    with pytest.raises(DamagedError, match=r"a\.db"):
        copy_database(source, target)
    assert target.read_bytes() == good
    assert [path.name for path in target.parent.iterdir()] == ["a.db"]


def test_a_copy_holds_what_only_the_log_holds_yet(tmp_path):
    database = Database(tmp_path / "a.db", lambda connection: None)
    with database.write() as connection:
        connection.execute("CREATE TABLE t (x)")
    copy_database(tmp_path / "a.db", tmp_path / "b.db")
    database.close()
    connection = sqlite3.connect(tmp_path / "b.db")
    assert connection.execute("SELECT count(*) FROM t").fetchone() == (0,)
    connection.close()


def test_a_log_is_set_aside_with_its_file(tmp_path):
    for name in ("a.db", "a.db-wal", "a.db-shm"):
        (tmp_path / name).write_text(name)
    first = set_aside(tmp_path / "a.db")
    (tmp_path / "a.db").write_text("second")
    second = set_aside(tmp_path / "a.db")
    assert len(first) == 3
    assert len({*first, *second}) == 4
    assert not list(tmp_path.glob("a.db")) + list(tmp_path.glob("a.db-wal"))


def test_a_migration_is_backed_up_and_a_failing_one_changes_nothing(home, workspace, monkeypatch):
    used_brain(home, workspace)
    version = len(migrations.STEPS)

    def broken(connection: sqlite3.Connection) -> None:
        connection.execute("CREATE TABLE half (x)")
        raise sqlite3.OperationalError("no such thing")

    def good(connection: sqlite3.Connection) -> None:
        connection.execute("CREATE TABLE whole (x)")

    monkeypatch.setattr(migrations, "STEPS", (*migrations.STEPS, broken))
    memory = Memory(Settings(home=home))
    with pytest.raises(StoreError, match="no such thing"):
        memory.workspaces()
    monkeypatch.setattr(migrations, "STEPS", (*migrations.STEPS[:-1], good))
    assert memory.workspaces()
    names = [backup.name for backup in memory.upkeep.backups()]
    assert all(name.startswith(f"zerikai-before-schema-{version + 1}-") for name in names)
    with memory._brain.recorded.read() as connection:
        tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master").fetchall()}
    memory.close()
    assert "whole" in tables
    assert "half" not in tables
    connection = sqlite3.connect(home / "backups" / names[0])
    assert connection.execute("PRAGMA user_version").fetchone() == (version,)
    connection.close()


def test_leftovers_of_killed_copies_go_after_a_while(tmp_path, monkeypatch):
    monkeypatch.setattr("zerikai_memory.store.backups.PARTIAL_AGE_S", -1)
    brain = Brain(tmp_path / "brain")
    with brain.recorded.write():
        pass
    (tmp_path / "brain" / "backups").mkdir()
    (tmp_path / "brain" / "backups" / f"{PARTIAL}x.db").write_text("half")
    Backups(tmp_path / "brain" / "zerikai.db", tmp_path / "brain" / "backups").daily()
    brain.close()
    assert not list((tmp_path / "brain" / "backups").glob(f"{PARTIAL}*"))


def sqlite_fault(code: int, text: str = "fault") -> sqlite3.OperationalError:
    error = sqlite3.OperationalError(text)
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(
    ("error", "kind", "words"),
    [
        (sqlite_fault(sqlite3.SQLITE_FULL), StoreError, "disk is full; nothing that was saved is lost"),
        (OSError(errno.ENOSPC, "No space left"), StoreError, "disk is full"),
        (sqlite_fault(sqlite3.SQLITE_READONLY_DBMOVED), StoreError, "cannot be written"),
        (OSError(errno.EROFS, "Read-only file system"), StoreError, "cannot be written"),
        (sqlite_fault(sqlite3.SQLITE_BUSY_SNAPSHOT), BusyError, "another process"),
        (sqlite_fault(sqlite3.SQLITE_CORRUPT_VTAB), DamagedError, "the remedy"),
        (sqlite_fault(sqlite3.SQLITE_NOTADB), DamagedError, "the remedy"),
        (sqlite3.OperationalError("Could not decode to UTF-8 column 'x'"), DamagedError, "the remedy"),
        # A flipped bit in the text of the schema: SQLite finds a valid schema that is not ours.
        (sqlite_fault(sqlite3.SQLITE_ERROR, "no such column: embedding"), DamagedError, "the remedy"),
        (sqlite_fault(sqlite3.SQLITE_ERROR, "no such table: files"), DamagedError, "the remedy"),
        (sqlite_fault(sqlite3.SQLITE_ERROR, "table files has no column named path"), DamagedError, "the remedy"),
        (UnicodeDecodeError("utf-8", b"\xac", 0, 1, "invalid start byte"), DamagedError, "the remedy"),
        (sqlite_fault(sqlite3.SQLITE_ERROR, "interrupted by us"), StoreError, "doctor"),
    ],
)
def test_each_fault_has_its_words_and_the_file_name(tmp_path, error, kind, words):
    found = store_error(tmp_path / "some.db", error, lambda: "the remedy")
    assert type(found) is kind
    assert "some.db" in str(found)
    assert words in str(found)


def test_two_processes_that_make_the_same_file_both_succeed(tmp_path):
    errors: list[BaseException] = []

    def make(number: int) -> None:
        database = Database(tmp_path / "a.db", migrations.migrate)
        try:
            with database.write() as connection:
                connection.execute("INSERT INTO workspaces VALUES (?, ?, ?, 0, 0)", (str(number),) * 3)
        except Exception as error:  # noqa: BLE001 -- whatever it is, the test shows it
            errors.append(error)
        database.close()

    threads = [threading.Thread(target=make, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    connection = sqlite3.connect(tmp_path / "a.db")
    assert connection.execute("SELECT count(*) FROM workspaces").fetchone() == (8,)
    connection.close()


READ_ONLY = (
    PRELOAD_AND_LEAVE_ROOT
    + """
memory = Memory(Settings(home=Path(sys.argv[1])), cwd=Path("/"))
assert memory.query("alpha", sys.argv[2]).results[0].name == "alpha"
assert memory.query("", sys.argv[2], category="fact").notes
assert memory.workspaces()[0].entities == 2
assert memory.brief(sys.argv[2]).text
assert any("cannot be written" in finding.message for finding in memory.doctor())
for call in (lambda: memory.save("no", sys.argv[2]), lambda: memory.scan(sys.argv[2])):
    try:
        call()
    except StoreError as error:
        assert "cannot be" in str(error), error
    else:
        raise AssertionError("written")
memory.close()
print("fine")
"""
)


def test_a_read_only_brain_answers_and_refuses_writes_in_words(open_folder):
    home, workspace = open_folder / "brain", open_folder / "project"
    workspace.mkdir()
    used_brain(home, workspace)
    folders = [home, *(path for path in home.rglob("*") if path.is_dir())]
    for path in home.rglob("*"):
        path.chmod(0o555 if path.is_dir() else 0o444)
    home.chmod(0o555)
    try:
        done = subprocess.run(
            [sys.executable, "-c", READ_ONLY, str(home), str(workspace)], capture_output=True, text=True, check=False
        )
    finally:
        for path in folders:
            path.chmod(0o755)
    assert (done.stdout, done.returncode) == ("fine\n", 0), done.stderr


CLOSED = (
    "import argparse\nfrom zerikai_memory.cli import main\n"
    + PRELOAD_AND_LEAVE_ROOT
    + """
os.environ["ZERIKAI_HOME"] = sys.argv[1]
main(["workspace", "list"])
"""
)


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of another kind")
def test_a_brain_that_another_user_owns_is_told_with_what_to_do(open_folder):
    home, workspace = open_folder / "brain", open_folder / "project"
    workspace.mkdir()
    used_brain(home, workspace)
    home.chmod(0)
    done = subprocess.run([sys.executable, "-c", CLOSED, str(home)], capture_output=True, text=True, check=False)
    home.chmod(0o700)
    assert f"{home}/zerikai.db: Permission denied. Let this user" in done.stderr
    assert "unexpected" not in done.stderr


def test_a_copy_of_another_process_that_is_finished_while_it_is_looked_at_fails_nothing(tmp_path) -> None:
    (tmp_path / f"{PARTIAL}gone.db").symlink_to(tmp_path / "nowhere")  # listed, and not there when it is looked at
    (tmp_path / "zerikai-gone.db").symlink_to(tmp_path / "nowhere")
    assert remove_partials(tmp_path) == []
    assert Backups(tmp_path / "zerikai.db", tmp_path).all() == []
