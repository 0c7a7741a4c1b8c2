"""contexts/<workspace>.md is a mirror: a person's edit becomes a version, a kill's leftover does not."""

import os
from pathlib import Path

import pytest

from zerikai_memory.app import Memory
from zerikai_memory.settings import Settings

TEXT = "# Overview\nA project."


@pytest.fixture
def scanned(memory, workspace):
    (workspace / "a.py").write_text("def alpha():\n    return 1\n")
    memory.scan(str(workspace))
    memory.set_brief(TEXT, str(workspace))
    return workspace


def mirror(memory: Memory, workspace: Path) -> Path:
    return memory._brain.briefs.path(memory.resolve(str(workspace)).id)


def versions(memory: Memory) -> list[tuple[str, str]]:
    with memory._brain.recorded.read() as connection:
        return connection.execute("SELECT source, text FROM briefs ORDER BY version").fetchall()


def test_the_mirror_holds_exactly_the_live_text(memory, scanned):
    assert mirror(memory, scanned).read_text() == TEXT


def test_an_edit_becomes_a_version_and_answers_questions(memory, scanned):
    mirror(memory, scanned).write_text("# Overview\nEdited by hand.\n\n# Core Architecture\nThree layers.")
    brief = memory.brief(str(scanned))
    assert (brief.source, brief.version) == ("file", 3)
    assert "Three layers" in memory.query("what is the architecture", str(scanned)).answer
    assert len(versions(memory)) == 3  # it is noticed once


def test_an_edit_is_noticed_in_another_process_and_by_a_new_version(home, memory, scanned):
    mirror(memory, scanned).write_text("# Overview\nEdited by hand.")
    other = Memory(Settings(home=home))
    other.set_brief("# Overview\nBy order.", str(scanned))
    other.close()
    assert [source for source, _ in versions(memory)] == ["rules", "edited", "file", "edited"]
    assert memory.brief(str(scanned)).text == "# Overview\nBy order."


def test_going_back_to_an_older_text_by_hand_is_an_edit(memory, scanned):
    memory.set_brief("# Overview\nSecond.", str(scanned))
    path = mirror(memory, scanned)
    path.write_text(TEXT)
    os.utime(path, (path.stat().st_mtime + 5,) * 2)
    assert memory.brief(str(scanned)).text == TEXT


def test_a_mirror_that_a_killed_process_left_behind_is_renewed_and_no_edit(memory, scanned):
    memory.set_brief("# Overview\nSecond.", str(scanned))
    path = mirror(memory, scanned)
    path.write_text(TEXT)
    os.utime(path, (path.stat().st_mtime - 60,) * 2)
    assert memory.brief(str(scanned)).text == "# Overview\nSecond."
    assert path.read_text() == "# Overview\nSecond."
    assert len(versions(memory)) == 3


def test_a_removed_mirror_is_written_again(memory, scanned):
    mirror(memory, scanned).unlink()
    assert memory.brief(str(scanned)).text == TEXT
    assert mirror(memory, scanned).read_text() == TEXT


@pytest.mark.parametrize("content", [b"\xff\xfe\x00broken", b"# Overview\n\0\0\0", b"x" * 300_000])
def test_what_cannot_be_a_brief_is_told_and_neither_used_nor_overwritten(memory, scanned, content):
    path = mirror(memory, scanned)
    path.write_bytes(content)
    brief = memory.brief(str(scanned))
    assert brief.text == TEXT
    assert str(path) in brief.warnings[0]
    assert memory.query("alpha", str(scanned)).results
    assert path.read_bytes() == content
    memory.set_brief("# Overview\nNew.", str(scanned))
    assert path.read_text() == "# Overview\nNew."
    assert [found.read_bytes() for found in path.parent.glob("*.unusable-*")] == [content]


def test_an_emptied_mirror_is_no_edit(memory, scanned):
    mirror(memory, scanned).write_text(" \n")
    assert memory.brief(str(scanned)).text == TEXT
    assert len(versions(memory)) == 2


def test_a_secret_in_an_edit_is_masked_in_store_and_mirror(memory, scanned):
    secret = "ghp_" + "a1B2" * 9
    mirror(memory, scanned).write_text(f"# Overview\nUse {secret}.")
    assert secret not in memory.brief(str(scanned)).text
    assert secret not in mirror(memory, scanned).read_text()


def test_line_ends_of_another_system_are_no_edit(memory, scanned):
    mirror(memory, scanned).write_bytes(TEXT.replace("\n", "\r\n").encode() + b"\r\n")
    assert memory.brief(str(scanned)).version == 2
