"""Saving, recalling, confirming and looking over records of a real project."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from zerikai_memory.app import Memory
from zerikai_memory.cli import main
from zerikai_memory.errors import InputError
from zerikai_memory.settings import Settings

SESSION = (
    "class Session:\n    def login(self, user):\n        return user.name\n\n    def logout(self):\n        pass\n"
)
OTHER = "def login():\n    return 1\n\ndef load_config(path):\n    import yaml\n    return yaml.safe_load(open(path))\n"


@pytest.fixture
def project(memory: Memory, workspace: Path) -> str:
    (workspace / "auth").mkdir()
    (workspace / "auth" / "session.py").write_text(SESSION)
    (workspace / "app.py").write_text(OTHER)
    memory.scan(str(workspace))
    return str(workspace)


@pytest.mark.parametrize(
    ("wanted", "label"),
    [
        ("Session.login", "Session.login (auth/session.py)"),  # qualified name
        ("load_config", "load_config (app.py)"),  # plain name
        ("auth/session.py", "auth/session.py"),  # path: the file itself
        ("session.py:5", "Session.logout (auth/session.py)"),  # path and line
        ("Session.login #auth/session.py:2 (0.84)", "Session.login (auth/session.py)"),  # citation
        ("Session.login #auth/session.py:99 (0.84) [moved]", "Session.login (auth/session.py)"),  # an old citation
        ("app.py::login", "login (app.py)"),  # path and name
        ("auth.session.Session.logout", "Session.logout (auth/session.py)"),  # as imports spell it
    ],
)
def test_an_anchor_is_resolved_to_its_entity(memory: Memory, project: str, wanted: str, label: str):
    note = memory.save("It is so", project, anchors=[wanted])
    assert [anchor.label for anchor in note.anchors] == [label]
    assert note.anchors[0].body_hash


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ("load_confg", r"'load_confg' is no entity.*near names:.*load_config"),
        ("auth/sesion.py", r"near names: auth/session.py"),
        ("login", r"ambiguous, give one of: .*login #app.py:1.*Session.login #auth/session.py:2"),
        ("login #gone.py:3", "is no entity"),
        ("zzzz", "is no entity or file of the index$"),
    ],
)
def test_an_anchor_that_is_not_one_entity_is_refused_with_what_would_fit(
    memory: Memory, project: str, wanted: str, message: str
):
    if wanted == "login":
        # A top-level name wins over a method by its qualified name; two top-level ones are ambiguous.
        (Path(project) / "b.py").write_text("def login():\n    return 2\n")
        memory.scan(project)
        message = r"ambiguous, give one of: .*app.py:1.*b.py:1"
    with pytest.raises(InputError, match=message):
        memory.save("It is so", project, anchors=[wanted])
    assert memory.records(project).listed(None, 5) == ()


@pytest.mark.parametrize(
    "arguments",
    [
        {"outcome": "great"},
        {"supersedes": ["nope1234"]},
        {"details": {"importance": 2}},
        {"details": {"importance": True}},
        {"details": {"colour": "red"}},
        {"details": {"tags": 5}},
        {"details": {"detail": 5}},
        {"category": "<b>"},
    ],
)
def test_wrong_arguments_store_nothing(memory: Memory, project: str, arguments: dict[str, object]):
    with pytest.raises(InputError):
        memory.save("It is so", project, **arguments)
    assert memory.records(project).listed(None, 5) == ()


def test_secrets_in_detail_tags_and_content_are_masked(memory: Memory, project: str):
    key = "AKIA" + "IOSFODNN7EXAMPLQ"
    note = memory.save(f"Use {key}", project, details={"detail": f"or {key}", "tags": [key], "run_id": key})
    assert key not in repr(memory.records(project).listed(None, 5))
    assert key not in repr(note)


def test_a_record_rides_along_with_the_code_it_is_about(memory: Memory, project: str):
    note = memory.save(
        "Names only: the audit forbids e-mail addresses", project, category="decision", anchors=["Session.login"]
    )
    answer = memory.query("Session.login", project)
    assert [n.id for n in answer.notes] == [note.id]
    assert answer.notes[0].anchors[0].state == "fresh"


def test_anchored_code_that_changes_moves_or_goes_is_marked(memory: Memory, project: str):
    memory.save("About login", project, anchors=["Session.login"])
    memory.save("About logout", project, anchors=["Session.logout"])
    memory.save("About config", project, anchors=["load_config"])
    root = Path(project)
    (root / "auth" / "session.py").write_text(
        "# new\n" + SESSION.replace("user.name", "user.id").split("\n    def logout")[0]
    )
    (root / "app.py").write_text("def login():\n    return 1\n")
    (root / "config.py").write_text("def load_config(path):\n    import yaml\n    return yaml.safe_load(open(path))\n")
    memory.scan(project)
    states = {n.content: n.anchors[0].state for n in memory.records(project).listed(None, 5)}
    assert states == {"About login": "changed", "About logout": "gone", "About config": "moved"}
    review = memory.records(project).review()
    assert {note.content for note in review.stale} == set(states)
    (moved,) = [n for n in review.stale if n.content == "About config"]
    assert moved.anchors[0].now_path == "config.py"
    assert "changed since" in memory.query("About login", project).answer


def test_lines_alone_do_not_make_code_stale(memory: Memory, project: str):
    memory.save("About login", project, anchors=["Session.login"])
    (Path(project) / "auth" / "session.py").write_text("# one\n# two\n" + SESSION)
    assert memory.records(project).listed(None, 5)[0].anchors[0].state == "fresh"
    assert memory.records(project).review().stale == ()


def test_the_same_text_again_says_what_of_it_was_not_added(memory: Memory, project: str):
    first = memory.save("Log in by name", project)
    again = memory.save("log in  by name.", project, anchors=["Session.login"], details={"detail": "why"})
    assert again.id == first.id
    assert (
        f"detail, anchors stayed as they were; to change them save it with supersedes {first.id}" in again.warnings[1]
    )
    better = memory.save("Log in by name", project, anchors=["Session.login"], supersedes=[first.id])
    assert (better.id != first.id, better.supersedes) == (True, (first.id,))


def test_a_superseding_record_takes_the_place_and_the_history_tells(memory: Memory, project: str):
    old = memory.save("The queue is RabbitMQ", project, category="decision")
    new = memory.save("The queue is Kafka", project, category="decision", supersedes=[f"note:{old.id[:6]}"])
    assert new.supersedes == (old.id,)
    assert not any("disagrees" in warning for warning in new.warnings)
    assert [n.id for n in memory.query("which queue", project, category="decision").notes] == [new.id]
    assert [n.id for n in memory.query("", project, category="decision").notes] == [new.id]
    history = memory.records(project).history(old.id)
    assert [n.id for n in history.notes] == [old.id, new.id]
    assert [event.kind for event in history.events] == ["supersede"]
    with pytest.raises(InputError, match="superseded by"):
        memory.records(project).confirm(old.id)


def test_what_was_believed_on_a_day_can_be_asked(memory: Memory, project: str):
    old = memory.save("The queue is RabbitMQ", project, category="decision")
    new = memory.save("The queue is Kafka", project, category="decision", supersedes=[old.id])
    records = memory.records(project)
    between = (old.created_at + new.created_at) / 2
    assert [n.id for n in records.listed(None, 5, live_only=True, as_of=between)] == [old.id]
    assert records.listed(None, 5, as_of=old.created_at - 1) == ()
    assert [n.id for n in records.asked("which queue", None, 5, between)] == [old.id]
    assert [n.id for n in records.asked("which queue", None, 5)] == [new.id]
    assert records.asked("which queue", None, 5, between)[0].superseded_by is None


def test_three_sessions_confirm_by_rule(home: Path, tmp_path: Path, project: str):
    found = None
    for session, confirmed in (("a", False), ("a", False), ("b", False), ("c", True)):
        memory = Memory(Settings(home=home, vector_store="exact", session=session), cwd=tmp_path)
        found = memory.save("Deploy from main only", project, category="procedure")
        assert bool(found.confirmed_by) is confirmed, session
        memory.close()
    assert found is not None
    assert found.confirmed_by.startswith("rule: ")


def test_disagreeing_records_are_kept_flagged_and_settled_by_a_third(memory: Memory, project: str):
    one = memory.save("The cache lives for 60 seconds", project)
    two = memory.save("The cache lives for 90 seconds", project)
    assert one.id in two.warnings[0]
    (conflict,) = memory.records(project).review().conflicts
    assert (conflict[0].id, conflict[1].id) == (two.id, one.id)
    three = memory.save("The cache lives for 75 seconds", project, supersedes=[one.id, two.id])
    assert three.conflicts == ()
    assert memory.records(project).review().conflicts == ()


def test_many_records_on_one_entity_are_proposed_for_a_summary(memory: Memory, project: str):
    kept = [memory.save(f"Login lesson {word}", project, anchors=["Session.login"]).id for word in "abcdef"]
    (proposal,) = memory.records(project).review().proposals
    assert set(proposal.note_ids) == set(kept)
    assert all(f"Login lesson {word}" in proposal.summary for word in "abcdef")
    summary = memory.save(proposal.summary, project, supersedes=proposal.note_ids, anchors=["Session.login"])
    assert memory.records(project).review().proposals == ()
    assert len(memory.records(project).history(kept[0]).notes) == 7
    assert [n.id for n in memory.records(project).listed(None, 50, live_only=True)] == [summary.id]


def test_an_agent_meets_the_same_error_twice(memory: Memory, project: str):
    """Without the ledger the failed patch comes first again; with it the failure is the first record, the fix next."""
    error = "ModuleNotFoundError: No module named 'yaml' in app.py load_config"
    patches = ["add yaml to requirements-dev.txt", "add PyYAML to requirements.txt"]

    def works(patch: str) -> bool:
        return patch == patches[1]

    def attempt(run: str, *, with_ledger: bool) -> list[str]:
        known = memory.query(error, project, category="fix").notes if with_ledger else ()
        failed = {patch for patch in patches for note in known if note.outcome == "failed" and patch in note.content}
        worked = [patch for patch in patches for note in known if note.outcome == "worked" and patch in note.content]
        tried = []
        for patch in worked or [patch for patch in patches if patch not in failed]:
            tried.append(patch)
            outcome = "worked" if works(patch) else "failed"
            if with_ledger:
                memory.save(
                    f"{error}: {patch}", project, category="fix", outcome=outcome,
                    anchors=["load_config"], details={"run_id": run},
                )  # fmt: skip
            if outcome == "worked":
                break
        return tried

    assert attempt("one", with_ledger=False) == attempt("two", with_ledger=False) == patches
    assert attempt("one", with_ledger=True) == patches
    assert [n.outcome for n in memory.query(error, project, category="fix").notes] == ["failed", "worked"]
    assert [n.outcome for n in memory.query(error, project).notes] == ["failed", "worked"]
    assert attempt("two", with_ledger=True) == [patches[1]]
    records = memory.records(project)
    assert [n.outcome for n in records.listed("fix", 10, run_id="one")] == ["worked", "failed"]
    assert [n.outcome for n in records.listed("fix", 10, run_id="two")] == ["worked"]
    assert [n.outcome for n in records.listed(None, 10, entity="load_config")] == ["worked", "failed"]


@pytest.mark.parametrize("markdown", [False, True])
def test_records_go_out_and_in_without_loss(memory: Memory, project: str, tmp_path: Path, markdown: bool):
    old = memory.save("Ümlaut -- and --> arrows", project, category="decision", anchors=["Session.login"])
    memory.save(
        "New\nlines", project, category="decision", supersedes=[old.id], details={"detail": "d", "confirmed": "Ann"}
    )
    memory.save(
        "Try it", project, category="fix", outcome="failed", details={"run_id": "r", "tags": ["t"], "importance": 0.3}
    )
    text = memory.records(project).exported(markdown=markdown)
    again = Memory(Settings(home=tmp_path / "second", vector_store="exact"), cwd=tmp_path)
    again.scan(project)
    report = again.records(project).imported(text)
    assert (report.added, report.known) == (3, 0)
    assert again.records(project).listed(None, 9) == memory.records(project).listed(None, 9)
    assert again.records(project).exported() == memory.records(project).exported()
    assert again.records(project).imported(text).added == 0
    assert [n.content for n in again.query("new lines", project, category="decision").notes] == ["New\nlines"]
    again.close()


@pytest.mark.parametrize(
    "text",
    ["", "# Nothing here", "{}", '{"id": "a"}', '{"id": "../x", "created_at": 1, "content": "c", "category": "fact"}',
     '{"id": "a", "created_at": "x", "content": "c", "category": "fact"}', "[1]", "not json"],
)  # fmt: skip
def test_an_import_that_cannot_be_read_adds_nothing(memory: Memory, project: str, text: str):
    with pytest.raises(InputError, match="nothing was imported"):
        memory.records(project).imported(text)


def test_the_commands_save_list_replay_and_review(home: Path, tmp_path: Path, project: str, capsys):
    def run(*argv: str) -> str:
        settings = Settings(home=home, vector_store="exact")
        status = main(list(argv), open_memory=lambda: Memory(settings, cwd=tmp_path))
        printed = capsys.readouterr()
        assert (status, printed.err) == (0, "")
        return printed.out

    where = ("-w", project)
    saved = json.loads(
        run("save", *where, "Pin yaml", "--category", "fix", "--outcome", "failed", "--run", "r1", "--anchors",
            "load_config", "--json")
    )  # fmt: skip
    assert (saved["outcome"], saved["run_id"], saved["anchors"][0]["path"]) == ("failed", "r1", "app.py")
    run("save", *where, "Install PyYAML", "--category", "fix", "--outcome", "worked", "--run", "r1")
    replay = json.loads(run("ledger", *where, "--kind", "fix", "--run", "r1", "--json"))
    assert [record["outcome"] for record in replay] == ["worked", "failed"]
    assert "fix failed: Pin yaml" in run("ledger", *where, "--entity", "load_config", "--last", "1")
    assert "confirmed by Ann" in run("notes", "confirm", saved["id"], "--by", "Ann", *where)
    assert "confirm by Ann" in run("notes", "history", saved["id"][:6], *where)
    assert "Nothing to review" in run("notes", "review", *where)
    assert "Install PyYAML" in run("notes", "list", "how to install PyYAML", "--last", "1", *where)
    assert "No records." in run("notes", "list", "PyYAML", "--as-of", "2020-01-01", *where)
    assert "No records." in run("notes", "list", "--as-of", "2020-01-01", *where)
    assert "[failed] Pin yaml" in run("query", *where, "", "--category", "fix")
    exported = run("notes", "export", *where)
    (tmp_path / "out.jsonl").write_text(exported)
    assert "Imported 0 records and 0 events; 2 records were known." in run(
        "notes", "import", str(tmp_path / "out.jsonl"), *where
    )


def test_a_name_is_recalled_in_any_casing(memory: Memory, project: str) -> None:
    memory.save("Rejected GraphQL: caching over HTTP would be lost", project, category="decision")
    for question in ("why is there no graphql", "GRAPHQL", "GraphQL"):
        assert [note.category for note in memory.query(question, project).notes] == ["decision"], question


def test_a_category_is_the_same_word_in_any_casing(memory: Memory, project: str) -> None:
    memory.save("We deploy on Tuesdays", project, category="Decision")
    assert len(memory.query("", project, category="DECISION ").notes) == 1
    assert len(memory.records(project).listed("Decision", 5)) == 1
    with pytest.raises(InputError, match="past sessions"):
        memory.save("x y z", project, category="sessions")


def test_a_text_that_is_live_takes_the_place_of_another_without_being_doubled(memory: Memory, project: str) -> None:
    kept = memory.save("Lint uses ruff", project)
    other = memory.save("Lint uses flake8", project)
    assert memory.save("Lint uses ruff", project, supersedes=[other.id]).id == kept.id
    live = memory.records(project).listed(None, 9, live_only=True)
    assert [note.content for note in live] == ["Lint uses ruff"]


def test_a_chain_has_one_end(memory: Memory, project: str) -> None:
    first = memory.save("Session timeout is 30 minutes", project)
    second = memory.save("Session timeout is 60 minutes", project, supersedes=[first.id])
    with pytest.raises(InputError, match=f"superseded already; the live record of its chain is {second.id}"):
        memory.save("Session timeout is 90 minutes", project, supersedes=[first.id])


@pytest.mark.parametrize("moment", ["-1e300", "1e300", "100000000000", "NaN", "Infinity", "-1", "true", '"5"'])
def test_a_moment_that_no_record_has_is_refused_and_nothing_is_imported(memory: Memory, project: str, moment) -> None:
    line = f'{{"id":"dddddddddddd","category":"fact","content":"x","created_at":{moment}}}'
    with pytest.raises(InputError, match=r"line 1 .*created_at"):
        memory.records(project).imported(line)
    assert memory.records(project).listed(None, 9) == ()


def test_a_conflict_that_was_settled_stays_settled_elsewhere(memory: Memory, project: str, tmp_path: Path) -> None:
    one = memory.save("The limit is 5 files", project)
    two = memory.save("The limit is 7 files", project)
    assert two.conflicts or memory.records(project).listed(None, 9)[0].conflicts
    memory.records(project).agree(two.id, one.id)
    text = memory.records(project).exported()
    other = Memory(Settings(home=tmp_path / "other"), cwd=tmp_path)
    other.scan(project)
    other.records(project).imported(text)
    assert [note.conflicts for note in other.records(project).listed(None, 9)] == [(), ()]
    other.close()


def test_nobody_cannot_confirm_a_record(memory: Memory, project: str) -> None:
    note = memory.save("Lint uses ruff", project)
    with pytest.raises(InputError, match="who confirms"):
        memory.records(project).confirm(note.id, " ")


def test_a_guess_is_not_confirmed_by_being_said_in_three_sessions(home: Path, tmp_path: Path, project: str) -> None:
    found = None
    for session in ("a", "b", "c", "d"):
        memory = Memory(Settings(home=home, vector_store="exact", session=session), cwd=tmp_path)
        found = memory.save("Maybe later we move to Kafka", project, category="decision")
        memory.close()
    assert found is not None
    assert (found.confirmed_by, found.importance) == (None, 0.2)


def test_a_remark_that_is_no_firm_statement_says_so_when_it_is_saved(memory: Memory, project: str) -> None:
    note = memory.save("Should we use Redis?", project, category="decision")
    assert [text for text in note.warnings if "weighs little" in text and "(question)" in text]
    assert memory.save("Decided: Redis stays", project, category="decision").warnings == ()
    given = memory.save("Maybe the pool leaks", project, details={"importance": 0.9})
    assert (given.importance, given.warnings) == (0.9, ())


def test_a_question_stands_behind_the_firm_record_of_the_same_words(memory: Memory, project: str) -> None:
    memory.save("Sessions live in Redis because web servers are stateless", project, category="decision")
    memory.save("Should we use Redis for sessions?", project, category="decision")
    found = memory.records(project).asked("do sessions use redis", None, 5)
    assert [note.content[:8] for note in found] == ["Sessions", "Should w"]


def test_a_stale_record_is_settled_by_saving_it_anew(memory: Memory, project: str) -> None:
    note = memory.save("Log in by name", project, anchors=["Session.login"])
    (Path(project) / "auth" / "session.py").write_text(SESSION.replace("user.name", "user.id"))
    assert [stale.id for stale in memory.records(project).review().stale] == [note.id]
    memory.scan(project)
    memory.save("Log in by name", project, anchors=["Session.login"], supersedes=[note.id])
    assert memory.records(project).review().stale == ()
