"""SIGKILL at a random moment of a scan, a save, a brief or a migration; then a new process looks at what is there."""

from __future__ import annotations

import random
import shutil
import sqlite3
import sys
import time
from contextlib import closing
from pathlib import Path

from bench.tortures.ground import Row, child, differences, memory, name, project, said, say, write
from zerikai_memory.app import Memory
from zerikai_memory.store import migrations
from zerikai_memory.store.db import Database

# A child is killed this long after it has begun, at most: each works for longer than that.
LONGEST_S = {"scan": 1.2, "save": 0.5, "brief": 0.5, "migrate": 0.5, "undo": 0.5}
NOTES_TO_MIGRATE = 300


def run(folder: Path, seed: int, kills: int) -> Row:
    """Each round: start a child, kill it, check in another new process."""
    rng = random.Random(seed)
    row = Row(f"{kills} SIGKILLs")
    work, home, log = folder / "project", folder / "brain", folder / "log"
    project(work, rng, 150, 12)
    first = memory(home)
    first.scan(str(work))
    first.save("before everything", str(work))
    first.close()
    _old_brain(folder / "old")
    landed = dict.fromkeys(LONGEST_S, 0)
    for number in range(kills):
        kind = rng.choices(list(LONGEST_S), weights=(4, 2, 2, 1, 1))[0]
        if kind == "scan":
            _edit(work, rng, number)
        if kind == "migrate":
            shutil.rmtree(folder / "migrating", ignore_errors=True)
            shutil.copytree(folder / "old", folder / "migrating")
        target = folder / "migrating" if kind == "migrate" else home
        victim = child("kills", kind, target, work, log, number)
        assert victim.stdout
        victim.stdout.readline()  # it has begun
        time.sleep(rng.random() * LONGEST_S[kind])
        landed[kind] += victim.poll() is None
        victim.kill()
        victim.communicate()
        checker = child("kills", "check-" + ("migrate" if kind == "migrate" else "brain"), target, work, log, number)
        out, err = checker.communicate(timeout=120)
        row.wrong += [f"kill {number} ({kind}): {line}" for line in out.splitlines()]
        if checker.returncode:
            row.wrong.append(f"kill {number} ({kind}): {err.strip().splitlines()[-1]}")
    row.done = ", ".join(f"{count} in {kind}" for kind, count in landed.items())
    row.note = f"{sum(landed.values())} of {kills} hit a running process"
    return row


def _edit(work: Path, rng: random.Random, number: int) -> None:
    """Change many files, add and remove some, so that a scan has seconds of work."""
    files = sorted(work.rglob("*.py"))
    for index, path in enumerate(rng.sample(files, min(80, len(files)))):
        write(path, [name(rng, number * 1000 + index * 10 + i) for i in range(8)])
    rng.choice(files).unlink(missing_ok=True)
    write(work / "new" / f"n{number}.py", [name(rng, number * 1000 + 900)])


def _victim(kind: str, home: Path, work: Path, log: Path, number: int) -> None:
    """Work until killed, telling the log what is acknowledged."""
    if kind == "migrate":
        print("begun")
        _migrate(home)
        return
    mine = memory(home)
    mine.workspaces()
    print("begun")
    if kind == "scan":
        mine.scan(str(work))
        time.sleep(5)
    for step in range(100_000):
        if kind == "save":
            text = f"kill {number} note {step}"
            mine.save(text, str(work))
            say(log, "note", text)
        elif kind == "undo":
            mine.upkeep.undo(mine.resolve(str(work)), 1)
            mine.scan(str(work))
        else:
            text = f"# Overview\nbrief {number} {step}\n" + "More about the project, in some words.\n" * 60
            say(log, "brief?", text)
            say(log, "brief", mine.set_brief(text, str(work)).version, text)


def _check_brain(home: Path, work: Path, log: Path, number: int) -> None:
    """What must hold after a kill, seen by a new process; prints what does not."""
    mine = memory(home)
    workspace = mine.resolve(str(work))
    brain = mine._brain
    for database in (brain.recorded, brain.index(workspace.id).database):
        if wrong := database.damage():
            print(f"{database.path.name}: {wrong}")
    lines = said(log)
    stored = [note.content for note in brain.notes.latest(workspace.id, None, 1_000_000)]
    lost = {str(line[1]) for line in lines if line[0] == "note"} - set(stored)
    if lost or len(stored) != len(set(stored)) or "before everything" not in stored:
        print(f"{len(lost)} acknowledged notes lost, {len(stored) - len(set(stored))} doubled")
    _check_brief(mine, work, lines)
    if not mine.query("amber", str(work)).workspace:
        print("no answer")
    report = mine.scan(str(work))
    if report.status != "completed":
        print(f"the next scan: {report.status}")
    for difference in differences(mine, work):
        print(difference)
    if mine.workspaces()[0].incomplete:
        print("still incomplete after a scan")
    mine.close()


def _check_brief(mine: Memory, work: Path, lines: list[list[object]]) -> None:
    """Every acknowledged version is there, the live one is the last acknowledged or the one begun, the mirror whole."""
    brain, workspace = mine._brain, mine.resolve(str(work))
    with brain.recorded.read() as connection:
        versions = dict(connection.execute("SELECT version, text FROM briefs").fetchall())
    promised = [line for line in lines if line[0] == "brief"]
    if any(versions.get(int(str(version))) != text for _, version, text in promised):
        print("an acknowledged brief is lost or changed")
    live = mine.brief(str(work))
    if live.source == "file":
        print("a mirror left behind by the kill was taken for a person's edit")
    begun = {str(line[1]) for line in lines if line[0] == "brief?"}
    mirror = brain.briefs.path(workspace.id).read_text(encoding="utf-8")
    if mirror not in begun and mirror not in versions.values():
        print("the brief's file is torn")


def _old_brain(home: Path) -> None:
    """A brain of the schema before the one that the migrating child brings."""
    one = memory(home)
    work = home.parent / "small"
    project(work, random.Random(0), 1)
    one.scan(str(work))
    for number in range(NOTES_TO_MIGRATE):
        one.save(f"old note {number}", str(work))
    one.close()
    shutil.rmtree(home / "backups", ignore_errors=True)


def _slow_step(connection: sqlite3.Connection) -> None:
    connection.execute("CREATE TABLE torture (id INTEGER PRIMARY KEY, text TEXT)")
    for number in range(NOTES_TO_MIGRATE):
        connection.execute("INSERT INTO torture SELECT seq, content FROM notes WHERE seq = ?", (number + 1,))
        time.sleep(0.001)
    connection.execute("ALTER TABLE notes ADD COLUMN torture TEXT")


def _migrate(home: Path) -> None:
    migrations.STEPS = (*migrations.STEPS, _slow_step)
    one = memory(home)
    one.workspaces()
    one.close()


def _check_migrate(home: Path) -> None:
    """Old and whole or new and whole; a backup when anything was begun; the next start migrates."""
    path = home / "zerikai.db"
    with closing(sqlite3.connect(path)) as connection:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        there = bool(connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'torture'").fetchone())
    if there != (version > len(migrations.STEPS)):
        print(f"half a migration: schema {version}, new table {there}")
    if there and not list((home / "backups").glob("zerikai-before-schema-*.db")):
        print("no backup was made before the migration")
    _migrate(home)
    checked = Database(path, lambda connection: None)
    with checked.read() as connection:
        notes = connection.execute("SELECT count(*), count(DISTINCT content) FROM notes").fetchone()
        copied = connection.execute("SELECT count(*) FROM torture").fetchone()[0]
    if notes != (NOTES_TO_MIGRATE, NOTES_TO_MIGRATE) or copied != NOTES_TO_MIGRATE:
        print(f"after the migration: {notes} notes, {copied} rows of the new table")
    if wrong := checked.damage():
        print(wrong)
    checked.close()
    for backup in (home / "backups").glob("zerikai-before-schema-*.db"):
        with closing(sqlite3.connect(f"file:{backup}?immutable=1", uri=True)) as connection:
            if connection.execute("SELECT count(*) FROM notes").fetchone()[0] != NOTES_TO_MIGRATE:
                print(f"{backup.name} is not whole")


if __name__ == "__main__":
    kind, home, work, log, number = sys.argv[1:]
    if kind == "check-migrate":
        _check_migrate(Path(home))
    elif kind == "check-brain":
        _check_brain(Path(home), Path(work), Path(log), int(number))
    else:
        _victim(kind, Path(home), Path(work), Path(log), int(number))
