"""A project folder that was moved, and two workspaces that become one."""

import re
from pathlib import Path

import pytest

from tests.fake_embedder import FakeEmbedder
from zerikai_memory.app import Memory
from zerikai_memory.errors import InputError, WorkspaceError
from zerikai_memory.settings import Settings


@pytest.fixture
def embedder():
    return FakeEmbedder()


@pytest.fixture
def memory(home, tmp_path, embedder):
    memory = Memory(Settings(home=home), cwd=tmp_path, embedder=embedder)
    yield memory
    memory.close()


def make(folder: Path, *names: str) -> Path:
    folder.mkdir(parents=True)
    for name in names:
        (folder / f"{name}.py").write_text(f"def {name}():\n    return 1\n")
    return folder


def test_a_moved_project_is_recognised_and_its_move_keeps_everything(memory, embedder, tmp_path):
    old = make(tmp_path / "old", "alpha", "beta")
    memory.scan(str(old))
    note = memory.save("alpha is slow on purpose", str(old))
    memory.set_brief("# Overview\nMine.", str(old))
    new = old.rename(tmp_path / "new")
    with pytest.raises(WorkspaceError, match="zerikai-memory workspace move") as refused:
        memory.query("alpha", str(new))
    command = re.search(r"workspace move (\S+) '([^']+)'", str(refused.value))
    embedder.encoded.clear()
    report = memory.upkeep.move(command[1], command[2])
    assert (report.notes, report.files, report.warnings) == (1, 2, ())
    scanned = memory.scan(str(new))
    assert (scanned.kept, scanned.added, scanned.changed, embedder.encoded) == (2, (), (), [])
    assert memory.query("", str(new), category="fact").notes[0].id == note.id
    assert memory.brief(str(new)).text == "# Overview\nMine."
    assert [(info.name, info.path) for info in memory.workspaces()] == [("new", str(new))]


def test_a_move_leaves_nothing_under_the_old_id(memory, home, tmp_path):
    old = make(tmp_path / "old", "alpha")
    memory.scan(str(old))
    (old / "alpha.py").write_text("def changed():\n    return 1\n")
    memory.scan(str(old))
    old_id = memory.resolve(str(old)).id
    old.rename(tmp_path / "new")
    memory.upkeep.move(str(old), str(tmp_path / "new"))
    left = [path for path in home.rglob(f"{old_id}*") if path.parent.name != "locks"]
    assert left == []
    new = memory.resolve(str(tmp_path / "new"))
    assert (home / "contexts" / f"{new.id}.md").exists()
    memory.upkeep.undo(new)  # the snapshots have come along
    assert "alpha" in {entity.name for entity in memory.entities(str(tmp_path / "new"))}


def test_a_scan_of_a_moved_project_goes_on_and_names_the_merge(memory, tmp_path):
    old = make(tmp_path / "old", "alpha", "beta")
    memory.scan(str(old))
    memory.save("kept", str(old))
    new = old.rename(tmp_path / "new")
    report = memory.scan(str(new))
    assert report.status == "completed"
    (warning,) = [text for text in report.warnings if "workspace merge" in text]
    command = re.search(r"workspace merge (\S+) '([^']+)'", warning)
    memory.upkeep.merge(command[1], command[2])
    assert [note.content for note in memory.query("", str(new), category="fact").notes] == ["kept"]


@pytest.mark.parametrize(
    ("change", "recognised"),
    [
        (lambda new: None, True),
        (lambda new: (new / "alpha.py").write_text("edited = 1\n"), True),  # edited after the move
        (lambda new: [path.write_text("x = 1\n") for path in new.glob("*.py")], False),  # other files
        (lambda new: [path.unlink() for path in new.glob("*.py")], False),  # no files
    ],
)
def test_only_a_folder_that_holds_most_of_the_files_is_taken_for_the_moved_one(memory, tmp_path, change, recognised):
    old = make(tmp_path / "old", "alpha", "beta", "gamma", "delta")
    memory.scan(str(old))
    new = old.rename(tmp_path / "new")
    change(new)
    with pytest.raises(WorkspaceError) as refused:
        memory.query("alpha", str(new))
    assert ("workspace move" in str(refused.value)) == recognised


def test_a_copy_beside_the_original_is_not_a_move(memory, tmp_path):
    memory.scan(str(make(tmp_path / "old", "alpha")))
    copy = make(tmp_path / "copy", "alpha")
    assert not any("workspace m" in text for text in memory.scan(str(copy)).warnings)


def test_a_scan_of_a_registered_folder_that_is_gone_says_what_can_be_done(memory, tmp_path):
    old = make(tmp_path / "old", "alpha")
    memory.scan(str(old))
    old.rename(tmp_path / "new")
    with pytest.raises(WorkspaceError, match=r"workspace move 'old' NEW_FOLDER.*workspace drop"):
        memory.scan("old")


def test_a_move_to_a_registered_folder_names_the_merge_and_to_itself_is_refused(memory, tmp_path):
    one, two = make(tmp_path / "one", "alpha"), make(tmp_path / "two", "beta")
    memory.scan(str(one))
    memory.scan(str(two))
    with pytest.raises(WorkspaceError, match="workspace merge"):
        memory.upkeep.move(str(one), str(two))
    with pytest.raises(InputError, match="nothing to move"):
        memory.upkeep.move(str(one), str(one))
    with pytest.raises(WorkspaceError, match="no folder"):
        memory.upkeep.move(str(one), str(tmp_path / "nowhere"))


def test_a_merge_is_previewed_backed_up_and_doubles_nothing(memory, home, tmp_path):
    one, two = make(tmp_path / "one", "alpha"), make(tmp_path / "two", "beta")
    memory.scan(str(one))
    memory.scan(str(two))
    memory.save("said in both", str(one))
    kept = memory.save("said in both", str(two))
    only = memory.save("said in one", str(one))
    plan = memory.upkeep.merge(str(one), str(two), dry_run=True)
    assert (plan.notes, plan.joined_notes, plan.dry_run) == (1, 1, True)
    assert len(memory.workspaces()) == 2
    report = memory.upkeep.merge(str(one), str(two))
    assert (report.notes, report.joined_notes) == (1, 1)
    notes = memory.query("", str(two), category="fact").notes
    assert {note.id for note in notes} == {kept.id, only.id}
    assert memory.query("said in one", str(two)).notes[0].id == only.id
    assert [info.name for info in memory.workspaces()] == ["two"]
    assert (home / "backups" / report.backup).exists()
    assert {entity.name for entity in memory.entities(str(two))} == {"beta"}


@pytest.mark.parametrize(
    ("ours", "theirs", "live"),
    [
        (None, None, "rules of two"),  # both by rules: the receiver's stays
        ("# Overview\nours", "# Overview\ntheirs", "# Overview\nours"),
        (None, "# Overview\ntheirs", "# Overview\ntheirs"),  # only rules wrote the receiver's
        ("# Overview\nours", None, "# Overview\nours"),
    ],
)
def test_of_two_briefs_the_one_a_person_wrote_is_live_and_every_version_stays(memory, tmp_path, ours, theirs, live):
    one, two = make(tmp_path / "one", "alpha"), make(tmp_path / "two", "beta")
    for folder, text in ((one, theirs), (two, ours)):
        memory.scan(str(folder))
        if text:
            memory.set_brief(text, str(folder))
    before = memory.brief(str(two)).text
    report = memory.upkeep.merge(str(one), str(two))
    assert memory.brief(str(two)).text == (before if live == "rules of two" else live)
    assert report.brief_versions == (2 if theirs else 1)
    with memory._brain.recorded.read() as connection:
        texts = {row[0] for row in connection.execute("SELECT text FROM briefs").fetchall()}
    assert {text for text in (ours, theirs, before) if text} <= texts


def test_merging_with_itself_and_with_an_unknown_one_is_refused(memory, tmp_path):
    one = make(tmp_path / "one", "alpha")
    memory.scan(str(one))
    with pytest.raises(WorkspaceError, match="nothing to merge"):
        memory.upkeep.merge(str(one), "one")
    with pytest.raises(WorkspaceError, match="not registered"):
        memory.upkeep.merge("one", "two")


def test_a_merge_keeps_chains_anchors_and_who_said_what(memory, tmp_path):
    one, two = make(tmp_path / "one", "alpha"), make(tmp_path / "two", "beta")
    memory.scan(str(one))
    memory.scan(str(two))
    first = memory.save("the old way", str(one), category="decision", anchors=["alpha"])
    second = memory.save("the new way", str(one), category="decision", supersedes=[first.id])
    theirs = memory.save("said in both", str(one), details={"confirmed": "Ann"})
    ours = memory.save("said in both", str(two))
    other = memory.save("with a detail", str(one), details={"detail": "x"})
    memory.save("with a detail", str(two))
    assert len(memory.query("", str(two), category="fact").notes) == 2
    memory.upkeep.merge(str(one), str(two))
    records = memory.records(str(two))
    chain = records.history(second.id)
    assert [note.id for note in chain.notes] == [first.id, second.id]
    assert [anchor.qualified_name for anchor in chain.notes[0].anchors] == ["alpha"]
    kept = {note.id: note for note in records.listed("fact", 9)}
    assert theirs.id not in kept
    assert kept[ours.id].confirmed_by == "Ann"
    assert other.id in kept
    assert len(kept) == 3
    assert "reaffirm" in [event.kind for event in records.history(ours.id).events]
    # What the process had in memory follows.
    assert second.id in [note.id for note in memory.query("the new way", str(two), category="decision").notes]
