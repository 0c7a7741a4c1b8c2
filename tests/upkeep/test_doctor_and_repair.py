"""doctor looks and changes nothing; --repair mends what is derived and says what it did."""

from pathlib import Path

import pytest

from zerikai_memory.app import Memory
from zerikai_memory.errors import DamagedError
from zerikai_memory.settings import Settings


@pytest.fixture
def scanned(home, workspace):
    (workspace / "a.py").write_text("def alpha():\n    return 1\n")
    memory = Memory(Settings(home=home))
    memory.scan(str(workspace))
    (workspace / "a.py").write_text("def alpha():\n    return 2\n\n\ndef beta():\n    return 3\n")
    memory.scan(str(workspace))
    memory.save("kept", str(workspace))
    memory.close()
    return workspace


def only(home: Path, pattern: str) -> Path:
    (path,) = home.glob(pattern)
    return path


def content(home: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(home)): path.read_bytes()
        for path in home.rglob("*")
        if path.is_file() and not path.name.endswith(("-wal", "-shm", ".lock"))
    }


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


# what is damaged, what doctor says of it, whether repair makes it well
DAMAGE = [
    (lambda home: cut(only(home, "index/*.db")), "its index", True),
    (lambda home: only(home, "index/*.db").write_bytes(b""), "the file is empty", True),
    (lambda home: only(home, "index/*.db").unlink(), "it has no index", True),
    (lambda home: cut(only(home, "snapshots/*/*.db")), "snapshot", True),
    (lambda home: only(home, "contexts/*.md").unlink(), "not the stored brief", True),
    (lambda home: only(home, "contexts/*.md").write_bytes(b"\xff\xfe"), "not the stored brief", True),
    (lambda home: cut(home / "zerikai.db"), "zerikai.db is damaged", False),  # recorded: never by itself
]


@pytest.mark.parametrize(("damage", "words", "mended"), DAMAGE)
def test_doctor_names_it_without_a_change_and_repair_mends_only_what_is_derived(home, scanned, damage, words, mended):
    damage(home)
    before = content(home)
    memory = Memory(Settings(home=home))
    findings = memory.doctor()
    memory.close()
    assert any(words in finding.message and finding.level != "ok" and finding.fix for finding in findings)
    assert content(home) == before
    memory = Memory(Settings(home=home))
    if not mended:
        assert "was not repaired" in memory.doctor(repair=True)[0].message
        memory.close()
        assert content(home) == before
        return
    memory.doctor(repair=True)
    left = [finding for finding in memory.doctor() if finding.level != "ok" and finding.check != "set aside"]
    assert left == []
    assert {entity.name for entity in memory.entities(str(scanned))} == {"a", "alpha", "beta"}
    assert [note.content for note in memory.query("", str(scanned), category="fact").notes] == ["kept"]
    memory.close()


def test_a_healthy_brain_has_no_finding_and_nothing_to_repair(home, scanned):
    memory = Memory(Settings(home=home))
    assert [finding for finding in memory.doctor() if finding.level != "ok"] == []
    assert "nothing that is derived needed it" in memory.doctor(repair=True)[0].message
    memory.close()


def test_a_damaged_index_is_named_by_a_question_and_made_anew_by_the_next_scan(home, scanned):
    path = only(home, "index/*.db")
    damaged = path.read_bytes()[:20_000] + bytes(8192) + path.read_bytes()[28_192:]
    path.write_bytes(damaged)
    memory = Memory(Settings(home=home))

    def use() -> None:
        for question in ("alpha", "beta", "what returns three"):
            memory.query(question, str(scanned))
        memory.entities(str(scanned))

    with pytest.raises(DamagedError, match=path.name):
        use()
    report = memory.scan(str(scanned))
    assert any("made anew" in warning for warning in report.warnings)
    assert memory.query("beta", str(scanned)).results[0].name == "beta"
    assert [found.read_bytes() for found in home.glob("index/*.damaged-*") if found.stat().st_size > 8192] == [damaged]
    assert any(finding.check == "set aside" for finding in memory.doctor())
    memory.close()


@pytest.mark.parametrize("name", [b"embedding TEXT", b"card_hash BLOB", b"TABLE files", b"TABLE refs"])
def test_a_schema_with_a_flipped_bit_is_damage_though_sqlite_finds_it_valid(home, scanned, name):
    path = only(home, "index/*.db")
    assert name in path.read_bytes()
    path.write_bytes(path.read_bytes().replace(name, name[:-6] + bytes([name[-6] ^ 1]) + name[-5:]))
    (scanned / "a.py").write_text("def alpha():\n    return beta()\n\n\ndef beta():\n    return 3\n")
    memory = Memory(Settings(home=home))
    report = memory.scan(str(scanned))
    assert any("made anew" in warning for warning in report.warnings)
    assert {entity.name for entity in memory.entities(str(scanned))} == {"a", "alpha", "beta"}
    memory.close()


def test_one_damaged_index_does_not_hide_the_other_workspaces(home, scanned, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "b.py").write_text("def other():\n    return 1\n")
    memory = Memory(Settings(home=home))
    memory.scan(str(other))
    memory.close()
    cut(
        next(path for path in (home / "index").glob("*.db") if path.stem.split(".")[0] != memory.resolve(str(other)).id)
    )
    memory = Memory(Settings(home=home))
    assert {info.name: info.files for info in memory.workspaces()} == {"other": 1, "project": None}
    assert memory.query("other", str(other)).results
    memory.drop(str(scanned))
    assert [info.name for info in memory.workspaces()] == ["other"]
    memory.close()


def test_a_file_of_no_workspace_is_named(home, scanned):
    (home / "index" / "11111111-1111-5111-8111-111111111111.f1.db").write_bytes(b"x")
    memory = Memory(Settings(home=home))
    assert any("belongs to no registered workspace" in finding.message for finding in memory.doctor())
    memory.close()


def test_dropped_text_is_gone_from_the_disk(home, workspace):
    (workspace / "a.py").write_text("def unforgettable_name():\n    return 1\n")
    memory = Memory(Settings(home=home))
    memory.scan(str(workspace))
    (workspace / "a.py").write_text("def other():\n    return 'unforgettable_name'\n")
    memory.scan(str(workspace))  # a snapshot holds the name
    memory.save("unforgettable_name is the reason", str(workspace))
    memory.set_brief("# Overview\nunforgettable_name does it.", str(workspace))
    memory.drop(str(workspace), everything=True)
    left = [path for path in home.rglob("*") if path.is_file() and b"unforgettable_name" in path.read_bytes()]
    memory.close()
    assert left == []
