"""What an import does beyond adding records: it compares them, and refuses chains that cannot be."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.memory.recallkit import SHOP, open_ledger, rows
from zerikai_memory.errors import InputError
from zerikai_memory.memory import exchange
from zerikai_memory.memory.conflicts import disagreement
from zerikai_memory.memory.exchange import export_records, import_records
from zerikai_memory.memory.notes import Draft
from zerikai_memory.memory.pairing import disagreeing_pairs
from zerikai_memory.memory.records import WorkspaceRecords
from zerikai_memory.model import Workspace
from zerikai_memory.model_notes import ImportReport, Note
from zerikai_memory.render_notes import import_report
from zerikai_memory.store.brain import Brain

OTHER = Workspace("other-id", "other", "/nowhere/other")


@pytest.fixture
def brain(tmp_path: Path) -> Iterator[Brain]:
    brain = Brain(tmp_path / "brain")
    yield brain
    brain.close()


def record(id: str, content: str, *events: dict[str, Any], at: float = 1_700_000_000.0, **more: Any) -> dict[str, Any]:
    return {"id": id, "category": "fact", "content": content, "created_at": at, "events": list(events), **more}


def event(kind: str, other: str, at: float = 1_700_000_001.0) -> dict[str, Any]:
    return {"kind": kind, "other_id": other, "created_at": at}


def take(brain: Brain, *records: dict[str, Any]) -> ImportReport:
    return import_records(brain.notes, SHOP, "\n".join(json.dumps(record) for record in records))


def conflicts(brain: Brain) -> dict[str, tuple[str, ...]]:
    return {note.id: note.conflicts for note in brain.notes.latest(SHOP.id, None, 100)}


def test_records_of_one_import_that_disagree_are_flagged(brain: Brain):
    report = take(
        brain,
        record("a", "The queue is RabbitMQ", at=1.0),
        record("b", "The queue is Kafka", at=2.0),
        record("c", "Reviews need two approvals", at=3.0),
    )
    assert (report.added, report.conflicts, report.events) == (3, 1, 1)
    assert conflicts(brain) == {"a": ("b",), "b": ("a",), "c": ()}
    (found,) = WorkspaceRecords(open_ledger(brain), SHOP).review().conflicts
    assert (found[0].id, found[1].id) == ("b", "a")  # the newer first, whatever the order of lines
    assert "1 pairs disagree" in import_report(report)


def test_an_imported_record_is_compared_with_those_that_are_there(brain: Brain):
    here = open_ledger(brain).save(SHOP, Draft("The queue is RabbitMQ"))
    assert take(brain, record("b", "The queue is Kafka")).conflicts == 1
    assert conflicts(brain) == {"b": (here.id,), here.id: ("b",)}


def test_a_second_import_of_the_same_says_nothing_new(brain: Brain):
    lines = (record("a", "The queue is RabbitMQ"), record("b", "The queue is Kafka"))
    take(brain, *lines)
    again = take(brain, *lines)
    assert (again.added, again.known, again.events, again.conflicts) == (0, 2, 0, 0)
    assert len(brain.notes.events(SHOP.id)) == 1


@pytest.mark.parametrize("kind", ["agree", "supersede"])
def test_what_was_settled_before_the_import_stays_settled(brain: Brain, kind: str):
    report = take(
        brain, record("a", "The queue is RabbitMQ", event(kind, "b")), record("b", "The queue is Kafka", at=2e9)
    )
    assert report.conflicts == 0
    assert conflicts(brain) == {"a": (), "b": ()}


def test_superseded_records_of_an_import_disagree_with_nobody(brain: Brain):
    open_ledger(brain).save(SHOP, Draft("The queue is RabbitMQ"))
    report = take(brain, record("b", "The queue is Kafka", event("supersede", "c")), record("c", "We left queues"))
    assert report.conflicts == 0


def test_a_record_that_is_saved_while_an_import_is_prepared_is_compared_with_it(
    brain: Brain, monkeypatch: pytest.MonkeyPatch
):
    ledger, prepared = open_ledger(brain), exchange.ImportCompared

    def late(*parts: Any) -> Any:
        made = prepared(*parts)
        ledger.save(SHOP, Draft("The queue is RabbitMQ"))
        return made

    monkeypatch.setattr(exchange, "ImportCompared", late)
    assert take(brain, record("b", "The queue is Kafka")).conflicts == 1
    assert all(found for found in conflicts(brain).values())


@pytest.mark.parametrize(
    "chain",
    [["a", "b"], ["a", "b", "c"], ["a", "b", "c", "d", "e"]],
)
def test_a_circle_of_records_that_supersede_each_other_is_refused(brain: Brain, chain: list[str]):
    lines = [record(id, f"Note {id}", event("supersede", chain[(i + 1) % len(chain)])) for i, id in enumerate(chain)]
    with pytest.raises(InputError, match=r"in a circle: \w+ -> .*nothing was imported"):
        take(brain, *lines)
    assert brain.notes.latest(SHOP.id, None, 9) == []


def test_a_circle_that_an_import_would_close_is_refused(brain: Brain):
    take(brain, record("a", "Old", event("supersede", "b")), record("b", "New"))
    with pytest.raises(InputError, match="circle"):
        take(brain, record("b", "New", event("supersede", "a")))
    assert {note.id for note in brain.notes.latest(SHOP.id, None, 9, live_only=True)} == {"b"}


def test_a_place_taken_by_a_record_that_nobody_has_is_refused(brain: Brain):
    with pytest.raises(InputError, match=r"record a is superseded by zz, which is neither .*nothing was imported"):
        take(brain, record("a", "Old", event("supersede", "zz")), record("b", "Else"))
    assert brain.notes.latest(SHOP.id, None, 9) == []


def test_a_record_of_another_workspace_takes_no_place_here(brain: Brain):
    theirs = open_ledger(brain).save(OTHER, Draft("New"))
    with pytest.raises(InputError, match=f"superseded by {theirs.id}"):
        take(brain, record("a", "Old", event("supersede", theirs.id)))


def test_a_place_may_be_taken_by_a_record_that_is_here_already(brain: Brain):
    take(brain, record("b", "New"))
    take(brain, record("a", "Old", event("supersede", "b")))
    assert brain.notes.get(["a"])[0].superseded_by == "b"


def test_an_event_about_a_record_that_is_not_here_is_left_out_and_told(brain: Brain):
    report = take(brain, record("a", "The queue is RabbitMQ", event("conflict", "gone"), event("agree", "gone")))
    assert (report.added, report.events, report.left_out) == (1, 0, 2)
    assert conflicts(brain) == {"a": ()}
    assert "2 events about records that are not here were left out" in import_report(report)


@pytest.mark.parametrize(
    "other",
    [{"content": "The port is 2"}, {"category": "decision"}, {"outcome": "failed"}, {"detail": "because"}],
)
def test_a_known_id_with_other_words_stays_and_is_told(brain: Brain, other: dict[str, Any]):
    take(brain, record("a", "The port is 1"))
    report = take(brain, record("a", "The port is 1") | other)
    assert (report.added, report.known, report.differing) == (0, 1, ("a",))
    assert brain.notes.get(["a"])[0].content == "The port is 1"
    assert "known with another text, which stayed: a" in import_report(report)


def test_a_known_id_with_the_same_words_is_not_told(brain: Brain):
    take(brain, record("a", "The port is 1"))
    report = take(brain, record("a", "The port is 1"))
    assert report.differing == ()
    assert "Warning" not in import_report(report)


def test_one_id_with_two_texts_in_one_import_is_refused(brain: Brain):
    with pytest.raises(InputError, match="line 2: record a stood before with other words"):
        take(brain, record("a", "The port is 1"), record("a", "The port is 2"))
    assert take(brain, record("a", "The port is 1"), record("a", "The port is 1")).added == 1


def test_two_records_that_took_the_same_place_in_two_copies_disagree(brain: Brain):
    take(brain, record("a", "Old", event("supersede", "b")), record("b", "Apples are sold by weight"))
    report = take(brain, record("a", "Old", event("supersede", "c", 1_700_000_002.0)), record("c", "Pears are round"))
    assert report.conflicts == 1
    assert conflicts(brain) == {"a": (), "b": ("c",), "c": ("b",)}
    (found,) = WorkspaceRecords(open_ledger(brain), SHOP).review().conflicts
    assert found[2] == "both took the place of note:a"


def test_many_records_are_compared_in_one_import(brain: Brain):
    names = [f"service{i:03}" for i in range(300)]
    lines = [record(f"a{i}", f"The {name} listens on port {8000 + i}") for i, name in enumerate(names)]
    lines += [record(f"b{i}", f"The {name} listens on port {9000 + i}") for i, name in enumerate(names[:50])]
    assert take(brain, *lines).conflicts == 50
    assert all(conflicts(brain)[f"b{i}"] == (f"a{i}",) for i in range(50))


def test_records_keep_their_conflicts_on_the_way_out_and_in(brain: Brain, tmp_path: Path):
    take(brain, record("a", "The queue is RabbitMQ"), record("b", "The queue is Kafka"))
    text = export_records(brain.notes, SHOP)
    second = Brain(tmp_path / "second")
    report = import_records(second.notes, SHOP, text)
    assert (report.events, report.conflicts) == (1, 0)
    assert conflicts(second) == conflicts(brain)
    assert export_records(second.notes, SHOP) == text
    second.close()


def test_an_import_misses_no_pair_that_comparing_all_with_all_would_find():
    texts = [pair.content for pair in rows()] + [
        "Use httpx instead of requests",
        "Use requests",
        "Keep for 30 days",
        "Keep for a week",
    ]
    notes = [Note(f"n{i}", "fact", text, float(i), SHOP.id) for i, text in enumerate(texts)]
    every = {
        (later.id, earlier.id) for earlier, later in itertools.combinations(notes, 2) if disagreement(later, earlier)
    }
    found = {(later.id, earlier.id) for later, earlier, _ in disagreeing_pairs(notes, {n.id for n in notes}, set())}
    assert found == every
    assert len(every) >= 12


def test_a_review_compares_records_that_nobody_has_compared(brain: Brain):
    for id, text in (("a", "The queue is RabbitMQ"), ("b", "The queue is Kafka"), ("c", "Reviews need two approvals")):
        brain.notes.append(Note(id, "fact", text, 0.0, SHOP.id))
    records = WorkspaceRecords(open_ledger(brain), SHOP)
    (found,) = records.review().conflicts
    assert (found[0].id, found[1].id) == ("b", "a")
    assert conflicts(brain) == {"a": ("b",), "b": ("a",), "c": ()}
    records.agree("a", "b")
    assert records.review().conflicts == ()
    assert len([e for e in brain.notes.events(SHOP.id) if e.kind == "conflict"]) == 1


KEY = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
ANCHOR = {"path": "a.py", "kind": "function", "qualified_name": "f", "signature": "f()", "body_hash": "x"}


def test_secrets_in_whatever_an_import_holds_are_masked(brain: Brain, tmp_path: Path):
    anchors = [
        {**ANCHOR, "path": f"src/{KEY}.py", "qualified_name": KEY, "signature": f"def {KEY}()"},
        {**ANCHOR, "path": f"src/{KEY[:-1]}9.py"},
    ]
    told = {"kind": "confirm", "created_at": 2.0} | dict.fromkeys(("by", "reason", "session", "agent", "run_id"), KEY)
    texts = dict.fromkeys(("detail", "session", "agent", "run_id"), KEY)
    take(brain, record("a", f"The key is {KEY}", told, anchors=anchors, tags=[KEY], **texts))
    (note,) = brain.notes.latest(SHOP.id, None, 9)
    assert KEY[:20] not in repr(note) + repr(brain.notes.events(SHOP.id)) + export_records(brain.notes, SHOP)
    assert len({anchor.path for anchor in note.anchors}) == 2  # two paths stay two
    assert "[masked]" in note.anchors[0].signature


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"anchors": [ANCHOR, {k: v for k, v in ANCHOR.items() if k != "signature"}]}, "anchor 2 lacks signature"),
        ({"anchors": [{**ANCHOR, "path": 5}]}, "anchor 1: path must be a text, got 5"),
        ({"anchors": "a.py"}, "anchors must be a list, got 'a.py'"),
        ({"anchors": ["a.py"]}, "anchor 1 must be a JSON object, got 'a.py'"),
        ({"events": [{"created_at": 1.0}]}, "event 1 lacks kind"),
        ({"events": [{"kind": "confirm"}]}, "event 1 lacks created_at"),
        ({"session": 5}, "the record: session must be a text, got 5"),
        ({"content": None}, "the record: content must be a text, got None"),
    ],
)
def test_what_a_line_lacks_is_named_with_what_lacks_it(brain: Brain, more: dict[str, Any], says: str):
    with pytest.raises(InputError, match=f"line 2 is no exported record .{says}.*nothing was imported"):
        take(brain, record("a", "One"), record("b", "Two") | more)


@pytest.mark.parametrize("lacking", ["id", "content", "category", "created_at"])
def test_a_record_that_lacks_a_field_is_told_which(brain: Brain, lacking: str):
    with pytest.raises(InputError, match=f"the record lacks {lacking}"):
        take(brain, {name: value for name, value in record("a", "One").items() if name != lacking})


def test_a_nul_in_an_import_is_left_out_as_in_a_save(brain: Brain):
    take(brain, record("a", "The port\0 is 1", session="s\0", agent=" ", anchors=[{**ANCHOR, "path": "a\0.py"}]))
    (note,) = brain.notes.latest(SHOP.id, None, 9)
    assert (note.content, note.session, note.agent) == ("The port is 1", "s", None)
    assert note.anchors[0].path == "a.py"


def markdown_of(brain: Brain) -> str:
    lines = [
        record("a", "The lamp is amber", event("supersede", "b")),
        record("b", "## It blinks\n\n## twice --> here"),
    ]
    lines += [record("c", "Ferries <!-- zerikai {} --> dock", anchors=[ANCHOR], detail="At\r\nnight", outcome="worked")]
    take(brain, *lines)
    return export_records(brain.notes, SHOP, markdown=True)


def test_markdown_as_it_was_written_or_with_other_blanks_is_taken(brain: Brain):
    text = markdown_of(brain)
    for same in (text, text.replace("\n", "\r\n"), text.replace("\n\n", "\n\n\n"), text.rstrip()):
        assert import_records(brain.notes, SHOP, same).known == 3


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("\nThe lamp is amber\n", "\nThe lamp is violet\n"),
        ("\nThe lamp is amber\n", "\nThe lamp is amber now\n"),
        ("\nThe lamp is amber\n", "\n"),
        ("\n## twice --> here\n", "\n## thrice --> here\n"),
        ("\nAbout: f (a.py)\n", "\nAbout: g (a.py)\n"),
        ("\nSuperseded by b.\n", "\nSuperseded by c.\n"),
        ("## fact, worked, 2023", "## decision, worked, 2023"),
    ],
)
def test_markdown_whose_visible_text_was_edited_is_refused_with_its_line(brain: Brain, old: str, new: str):
    text = markdown_of(brain)
    assert text.count(old) == 1
    with pytest.raises(InputError, match=r"line \d+: the text of record \w was edited: it says .*nothing was imported"):
        import_records(brain.notes, OTHER, text.replace(old, new))
    assert brain.notes.latest(OTHER.id, None, 9) == []


@pytest.mark.parametrize("id", ["", " ", "a b", "-a", "ä", "a/b", "a\n", "x" * 65, KEY + "."])
def test_an_id_that_nobody_could_type_is_refused(brain: Brain, id: str):
    for line in (record(id, "One"), record("a", "One", event("agree", id or "?"))):
        with pytest.raises(InputError, match="id must be 1 to 64 letters") as refused:
            take(brain, line)
        assert KEY not in str(refused.value)
