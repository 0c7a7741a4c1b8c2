"""Proposals of records from past sessions: found, listed, accepted, rejected, forgotten; by rules and by a model."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from tests.llm.double import Say, deepseek_double
from tests.llm.ollama_face import ollama_face
from tests.sessions.generator import Talk, write
from zerikai_memory.app import Memory
from zerikai_memory.cli import main
from zerikai_memory.errors import InputError, WorkspaceError
from zerikai_memory.settings import Settings

DECISION = "We decided to keep the cart in Postgres, because Redis lost two of them; see `load_cart`."
TRIED = "I raised the pool size to 20 in `cart.py`."
SECRET = "AKIA" + "IOSFODNN7EXAMPLQ"
AGENTS = ("codex", "antigravity", "pi", "copilot-cli", "vscode-chat")
WHEN = 1_790_000_000.0


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "cart.py").write_text("def load_cart(name):\n    return name\n")
    return folder


@pytest.fixture
def make(tmp_path: Path, project: Path):
    """Memories over one brain and one home folder with a session of the project."""
    said = [
        ("user", "How do we keep the cart?"),
        ("assistant", DECISION),
        ("user", "ok, and the timeouts?"),
        ("assistant", TRIED),
        ("user", "Still fails with the same timeout."),
        ("assistant", f"Should we use {SECRET} instead?"),
    ]
    write(tmp_path / "home", "claude-code", Talk("s1", str(project), WHEN, said))
    elsewhere = [("user", "hi"), ("assistant", "We decided to sign every release of the tool with ed25519.")]
    write(tmp_path / "home", "claude-code", Talk("s2", "/nowhere/tool", WHEN + 9_000_000, elsewhere))
    made: list[Memory] = []
    places = (("claude-code", str(tmp_path / "home" / "claude" / "projects")), *((agent, "") for agent in AGENTS))

    def build(attempts: object = None, **settings: object) -> Memory:
        values = {"session_places": places, "vector_store": "exact", "ollama_host": "http://127.0.0.1:9"} | settings
        made.append(Memory(Settings(home=tmp_path / "brain", **values), cwd=tmp_path, attempts=attempts))
        return made[-1]

    yield build
    for memory in made:
        memory.close()


@pytest.fixture
def memory(make, project: Path) -> Memory:
    made = make()
    made.scan(str(project))
    return made


def test_proposals_wait_and_are_no_records(memory, project):
    report = memory.proposals.propose()
    assert (report.messages, report.added, report.waiting) == (8, 3, 3)
    assert memory.proposals.propose().added == 0
    found = {one.category: one for one in memory.proposals.waiting(str(project))}
    assert found["decision"].content == DECISION
    assert (found["decision"].session, found["decision"].step, found["decision"].at) == ("s1", 2, WHEN + 1)
    assert (found["fix"].outcome, found["fix"].found_by) == ("failed", "rule: verdict failed")
    assert found["fix"].content.startswith(TRIED.rstrip("."))
    assert memory.records(str(project)).listed(None, 9) == ()
    assert memory.query("where do we keep the cart", str(project)).notes == ()


def test_project_and_time_narrow_the_list(memory, project):
    memory.proposals.propose()
    assert {one.session for one in memory.proposals.waiting("shop")} == {"s1"}
    assert {one.session for one in memory.proposals.waiting("/nowhere/tool")} == {"s2"}
    assert {one.session for one in memory.proposals.waiting(since="2026-12-01")} == {"s2"}
    assert memory.proposals.propose("shop").messages == 6


def test_an_accepted_proposal_is_a_confirmed_record_that_tells_where_it_comes_from(memory, project):
    memory.proposals.propose()
    decision = next(one for one in memory.proposals.waiting("shop") if one.category == "decision")
    note = memory.proposals.accept(decision.id[:6])
    assert (note.category, note.content, note.confirmed_by) == ("decision", DECISION, "user")
    assert (note.session, note.agent) == ("s1", "claude-code")
    assert note.detail == "Said on 2026-09-21 in session:s1 step 2 (claude-code)"
    assert [anchor.label for anchor in note.anchors] == ["load_cart (cart.py)"]
    assert [n.id for n in memory.query("where do we keep the cart", str(project)).notes] == [note.id]
    assert decision.id not in {one.id for one in memory.proposals.waiting()}
    assert memory.proposals.propose().added == 0
    with pytest.raises(InputError, match="is none that waits"):
        memory.proposals.accept(decision.id)


def test_an_accepted_record_holds_since_it_was_said_and_is_confirmed_since_it_was_accepted(memory, project):
    memory.proposals.propose()
    decision = next(one for one in memory.proposals.waiting("shop") if one.category == "decision")
    note = memory.proposals.accept(decision.id)
    assert note.created_at == WHEN + 1
    (event,) = memory.ledger.history(memory.resolve(str(project)), note.id).events
    assert (event.kind, event.by) == ("confirm", "user")
    assert abs(event.created_at - time.time()) < 3_600  # now, not when it was said
    records = memory.records(str(project))
    assert [one.id for one in records.asked("where is the cart kept", None, 5, WHEN + 60)] == [note.id]
    assert records.asked("where is the cart kept", None, 5, WHEN - 60) == ()


def test_a_record_that_an_older_word_replaces_was_believed_until_it_was_accepted(memory, project):
    old = memory.save("The cart is kept in Redis", str(project), category="decision")
    memory.save("Prices are cents", str(project), category="decision")
    memory.proposals.propose()
    decision = next(one for one in memory.proposals.waiting("shop") if one.category == "decision")
    memory.proposals.accept(decision.id, supersedes=[old.id])
    records = memory.records(str(project))
    chain = memory.ledger.history(memory.resolve(str(project)), old.id)
    (event,) = [one for one in chain.events if one.kind == "supersede"]
    assert abs(event.created_at - time.time()) < 3_600  # the record was believed until now
    assert [note.content for note in records.listed(None, 9, live_only=True)] == ["Prices are cents", DECISION]


def test_what_is_accepted_may_be_said_better_and_replace_a_record(memory, project):
    old = memory.save("The cart is kept in Redis", str(project), category="decision")
    memory.proposals.propose()
    decision = next(one for one in memory.proposals.waiting("shop") if one.category == "decision")
    note = memory.proposals.accept(decision.id, text="The cart is kept in Postgres", supersedes=[old.id], by="Ann")
    assert (note.content, note.supersedes, note.confirmed_by) == ("The cart is kept in Postgres", (old.id,), "Ann")


@pytest.mark.parametrize("text", ["", " \n"])
def test_a_proposal_is_not_accepted_without_words(text, memory):
    memory.proposals.propose()
    one = memory.proposals.waiting("shop")[0]
    with pytest.raises(InputError, match="text: it is empty"):
        memory.proposals.accept(one.id, text=text)
    assert one in memory.proposals.waiting("shop")


def test_past_sessions_as_a_category_in_a_question_name_the_option(memory, project):
    with pytest.raises(InputError, match="--category sessions"):
        memory.query("the cart category:sessions", str(project))


def test_a_proposal_of_an_unknown_folder_needs_a_workspace(memory, project):
    memory.proposals.propose()
    (other,) = memory.proposals.waiting("/nowhere/tool")
    with pytest.raises(WorkspaceError, match="'/nowhere/tool' is no known workspace"):
        memory.proposals.accept(other.id)
    assert memory.proposals.accept(other.id, str(project)).category == "decision"


def test_what_was_rejected_does_not_come_back_even_when_the_index_is_made_anew(memory, tmp_path):
    memory.proposals.propose()
    fix = next(one for one in memory.proposals.waiting() if one.category == "fix")
    assert [one.id for one in memory.proposals.reject([fix.id])] == [fix.id]
    assert memory.proposals.propose().added == 0
    memory._brain.tape.close()
    (tmp_path / "brain" / "sessions.db").unlink()
    assert memory.proposals.propose().added == 2
    assert fix.id not in {one.id for one in memory.proposals.waiting()}
    assert (tmp_path / "brain" / "sessions.decided").stat().st_mode & 0o777 == 0o600


def test_what_is_taken_back_later_waits_no_longer_and_no_model_is_asked_about_it(make, project, tmp_path):
    said = [("user", "where do carts live"), ("assistant", "We decided to keep every cart in MongoDB for the tenants.")]
    write(tmp_path / "home", "claude-code", Talk("s3", str(project), WHEN + 500, said))
    memory = make()
    memory.proposals.propose()
    assert any("MongoDB" in one.content for one in memory.proposals.waiting())
    said += [("user", "scratch that, we have nobody to run it and nobody wants to learn it")]
    write(tmp_path / "home", "claude-code", Talk("s3", str(project), WHEN + 500, said))
    memory.proposals.propose(since="1d")
    assert any("MongoDB" in one.content for one in memory.proposals.waiting())  # its message was not looked at
    with deepseek_double() as double:
        double.default = Say(text="none")
        asking = make(memory_mode="cloud", deepseek_api_key="sk-test-0123456789", deepseek_base_url=double.url)
        asking.proposals.propose(use_model=True)
        assert not any("MongoDB" in one.content for one in asking.proposals.waiting())
        assert "MongoDB" not in "".join(request.user for request in double.requests)


def test_a_list_of_decisions_that_cannot_be_read_is_an_error(memory, tmp_path):
    (tmp_path / "brain" / "sessions.decided").write_bytes(b"\xff")
    with pytest.raises(Exception, match="cannot be read"):
        memory.proposals.propose()


def test_a_forgotten_session_leaves_no_proposal_in_any_byte(memory, tmp_path):
    memory.proposals.propose()
    memory.sessions.forget("s1")
    assert {one.session for one in memory.proposals.waiting()} == {"s2"}
    for file in (tmp_path / "brain").glob("sessions*"):
        assert b"Postgres" not in file.read_bytes()


def test_before_anything_was_said_nothing_waits(tmp_path):
    places = tuple((agent, "") for agent in ("claude-code", *AGENTS))
    memory = Memory(Settings(home=tmp_path / "b2", session_places=places, vector_store="exact"), cwd=tmp_path)
    assert memory.proposals.waiting() == ()
    assert memory.proposals.propose().messages == 0
    with pytest.raises(InputError, match="is none that waits"):
        memory.proposals.accept("abcdef")
    memory.close()


@pytest.fixture
def run(memory, capsys, monkeypatch):
    monkeypatch.setattr(memory, "close", lambda: None)

    def run_command(*argv: str) -> tuple[int, str, str]:
        status = main(["sessions", *argv], open_memory=lambda: memory)
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run_command


def test_the_commands_propose_list_accept_and_reject(run, memory):
    assert "No proposals wait" in run("proposals")[1]
    assert "3 new proposals from 8 messages; 3 wait for your word." in run("propose")[1]
    listed = run("proposals", "-w", "shop")[1]
    assert f"decision: {DECISION}" in listed
    assert "session:s1 step 2 (" in listed
    ids = {one["category"]: one["id"] for one in json.loads(run("proposals", "-w", "shop", "--json")[1])}
    assert "Saved note:" in run("accept", ids["decision"])[1]
    assert f"Rejected {ids['fix']}" in run("reject", ids["fix"])[1]
    status, _, err = run("accept", ids["fix"])
    assert (status, "is none that waits" in err) == (1, True)


ANSWER = """Message 1 holds nothing.
1 | decision | - | The cart is kept in MongoDB for all tenants of the shop.
2 | fix | failed | Wrapping the call in a retry loop changed the error but not the outcome of the import.
2 | fix | - | Wrapping the call in a retry loop changed the error.
9 | fact | - | There is no such message in this batch at all.
2 | decision | - | Should we wrap the call in a retry loop for the import?
"""
QUIET = (
    "The import broke off again. Wrapping the call in a retry loop changed the error but not the outcome of the import."
)


def test_a_model_adds_what_the_rules_missed_and_only_what_was_said(make, project, tmp_path):
    write(
        tmp_path / "home", "claude-code", Talk("s3", str(project), WHEN + 500, [("user", "go"), ("assistant", QUIET)])
    )
    with deepseek_double() as double:
        double.default = Say(text=ANSWER.replace("2 |", "1 |"))
        memory = make(memory_mode="cloud", deepseek_api_key="sk-test-0123456789", deepseek_base_url=double.url)
        report = memory.proposals.propose(use_model=True)
        assert (report.model, report.asked > 0) == ("deepseek-flash", True)
        by_model = [one for one in memory.proposals.waiting() if one.found_by.startswith("model")]
        assert [(one.category, one.outcome, one.session) for one in by_model] == [("fix", "failed", "s3")]
        sent = "".join(request.user for request in double.requests)
        assert QUIET in sent
        assert DECISION not in sent  # the rules have it
        assert SECRET not in sent
        before = len(double.requests)
        assert memory.proposals.propose(use_model=True).asked == 0
        assert len(double.requests) == before  # each message is paid for once


def test_what_a_model_is_asked_is_booked_on_the_project_that_was_named(make, project):
    booked: list[tuple[str, str]] = []

    class Log:
        def started(self, attempt):
            booked.append((attempt.operation, attempt.workspace_id))

        def ended(self, attempt, end):
            pass

    memory = make()
    memory.scan(str(project))
    known = memory.resolve(str(project)).id
    with deepseek_double() as double:
        double.default = Say(status=402)
        for wanted in ("shop", None):
            key = {"deepseek_api_key": "sk-test-0123456789", "deepseek_base_url": double.url}
            paying = make(Log(), memory_mode="cloud", **key)
            paying.proposals.propose(wanted, use_model=True)
    assert booked == [("proposals", known), ("proposals", "")]


def test_without_the_flag_no_model_is_asked(make):
    with deepseek_double() as double:
        memory = make(memory_mode="cloud", deepseek_api_key="sk-test-0123456789", deepseek_base_url=double.url)
        assert memory.proposals.propose().model is None
        assert double.requests == []


@pytest.mark.parametrize("mode", ["local", "hybrid"])
def test_only_a_model_on_this_machine_is_asked_outside_of_cloud_mode(make, mode):
    with deepseek_double() as double, ollama_face(answer="none") as face:
        key = {"deepseek_api_key": "sk-test-0123456789", "deepseek_base_url": double.url}
        memory = make(memory_mode=mode, ollama_host=face.url, **key)
        report = memory.proposals.propose(use_model=True)
        assert (report.model, report.asked > 0) == ("small:latest", True)
        assert double.requests == []


def test_a_model_that_fails_leaves_the_rules_proposals_and_is_asked_again_later(make):
    with deepseek_double() as double:
        double.default = Say(status=402)
        memory = make(memory_mode="cloud", deepseek_api_key="sk-test-0123456789", deepseek_base_url=double.url)
        report = memory.proposals.propose(use_model=True)
        assert (report.added, report.asked) == (3, 0)
    offline = make().proposals.propose(use_model=True)
    assert offline.warnings == ("no model can be asked: found by rules alone",)
