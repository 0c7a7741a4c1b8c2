"""Which sentences of a conversation are proposed for the record: the cues, what takes them out, two labelled sets."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from zerikai_memory.model_sessions import Turn
from zerikai_memory.sessions.cues import load_cues
from zerikai_memory.sessions.extracting import MOST_MESSAGE_CHARS, examine, propose
from zerikai_memory.sessions.sentences import prose_sentences, without_filler

DATA = Path(__file__).resolve().parents[1] / "data" / "proposals"
CUES = load_cues()


def turn(text: str, role: str = "user", step: int = 2, session: str = "s") -> Turn:
    return Turn(session, "claude-code", "/p", step, role, 1_790_000_000.0, text)


def labelled(name: str) -> list[dict[str, str]]:
    return tomllib.loads((DATA / name).read_text(encoding="utf-8"))["turn"]


def counts(rows: list[dict[str, str]]) -> tuple[int, int, int]:
    """Proposals that are right, all proposals, and turns that are worth one."""
    right = proposed = 0
    for number, row in enumerate(rows):
        session = f"s{number}"
        said = [turn(row["before"], "assistant", 1, session)] if "before" in row else []
        said.append(turn(row["text"], row["role"], 2, session))
        if "after" in row:
            said.append(turn(row["after"], row.get("after_role", "user"), 3, session))
        found = [one for one in propose(said) if one.turn.step >= 2]
        proposed += len(found)
        label = (row.get("category"), row.get("outcome"))
        right += any((one.category, one.outcome) == label and row["has"] in one.content for one in found)
    return right, proposed, sum("category" in row for row in rows)


@pytest.mark.parametrize(
    ("name", "least", "recall"),
    [
        ("turns.toml", 60, 0.9),
        ("unseen_turns.toml", 60, 0.7),
        ("trap_turns.toml", 80, 0.9),
        ("unseen_trap_turns.toml", 80, 0.8),
        ("later_turns.toml", 50, 0.8),
        ("fresh_turns.toml", 40, 0.8),
        ("last_turns.toml", 40, 0.8),
    ],
)
def test_nine_of_ten_proposals_of_a_labelled_set_are_right(name: str, least: int, recall: float):
    rows = labelled(name)
    right, proposed, wanted = counts(rows)
    assert len(rows) >= least
    assert right / proposed >= 0.9, (right, proposed)
    assert right / wanted >= recall, (right, wanted)


@pytest.mark.parametrize("cue", CUES.cues, ids=lambda cue: cue.name)
def test_a_cue_finds_its_examples_and_not_its_counters(cue):
    assert cue.examples
    assert cue.counters
    for example in cue.examples:
        assert cue.pattern.search(example), example
        assert any(word in example.lower() for word in cue.words), example
        assert CUES.hint.search(example.lower())
        assert not CUES.blocked(cue.category, example, example), example
    for counter in cue.counters:
        assert not cue.pattern.search(counter), counter


@pytest.mark.parametrize("block", CUES.blocks, ids=lambda block: block.name)
def test_a_block_takes_its_examples_out(block):
    assert block.examples
    assert all(block.pattern.search(example) for example in block.examples)


@pytest.mark.parametrize("mark", [*CUES.retractions, *CUES.jokes, *CUES.foreign], ids=lambda mark: mark.name)
def test_a_mark_knows_its_examples_and_not_its_counters(mark):
    plain = [example.replace("’", "'") for example in mark.examples]
    assert all(mark.pattern.search(example) for example in plain), mark.name
    assert [counter for counter in mark.counters if mark.pattern.search(counter)] == []
    assert mark.counters


def test_names_of_cues_and_their_words_are_usable():
    assert len({cue.name for cue in CUES.cues}) == len(CUES.cues)
    assert all(word == word.lower() for cue in CUES.cues for word in cue.words)
    assert {cue.outcome for cue in CUES.cues if cue.category == "fix"} == {"worked", "failed"}
    assert all(cue.outcome is None for cue in CUES.cues if cue.category != "fix")


def test_a_verdict_needs_the_attempt_before_it():
    done = turn("I raised the pool size to 20 in settings.py.", "assistant", 1)
    (found,) = propose([done, turn("Run", "tool"), turn("Still fails with the same timeout.", step=3)])
    assert (found.category, found.outcome, found.turn.step) == ("fix", "failed", 3)
    assert found.content == (
        "I raised the pool size to 20 in settings.py. It did not help: Still fails with the same timeout."
    )
    assert not list(propose([turn("Still fails with the same timeout.")]))
    other = turn("Still fails with the same timeout.", session="other")
    assert not list(propose([done, other]))
    assert not list(propose([done, turn("Now the docs."), turn("Still fails with the same timeout.", step=4)]))


@pytest.mark.parametrize(
    "text",
    [
        "Decision: all times are UTC. " + "x" * MOST_MESSAGE_CHARS,  # a pasted document
        "\n".join(f"- We use tool{n} instead of the older other{n}." for n in range(9)),  # a list of changes
        "> We decided to keep SQLite for the queue.",
        "```\nWe decided to keep SQLite for the queue.\n```",
        'He wrote "we decided to keep SQLite for the queue" in the ticket.',
        "2026-10-01 12:00:01 INFO we decided to keep SQLite for the queue",
        "We decided that.",  # tells nothing
        "To summarise what we agreed on:",  # only leads to it
    ],
)
def test_what_is_pasted_quoted_or_says_nothing_is_not_proposed(text: str):
    assert not list(propose([turn(text)]))


def test_tools_and_thinking_propose_nothing():
    assert not list(propose([turn("We decided to keep SQLite for the queue.", role) for role in ("tool", "thinking")]))


def test_what_a_person_wants_written_is_no_decision():
    asked = turn("Write a short ADR about the queue.", step=1)
    answer = turn("Decision: the queue is a table in Postgres.", "assistant")
    assert not list(propose([asked, answer]))


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("OK. Use e.g. v1.2 of it. Done!", ["Use e.g. v1.2 of it.", "Done!"]),
        ("- **Bold** first\n2. second one\n# heading", ["Bold first", "second one"]),
        ("第一句。第二句在这里。", ["第一句。", "第二句在这里。"]),
        ("snake_case stays, *stress* goes", ["snake_case stays, stress goes"]),
        ("**it** is in `__init__`", ["it is in `__init__`"]),
        ("it was made in ``A.__init__()`` before", ["it was made in ``A.__init__()`` before"]),
        (
            "We decided to keep SQLite for the queue of jobs, because the\nsecond server costs more.\n- next",
            [
                "We decided to keep SQLite for the queue of jobs, because the second server costs more.",
                "next",
            ],
        ),
        ("A short line here\nand another one", ["A short line here", "and another one"]),
        ("a/b/c/d.py:10: E501 120 > 100 [==]", []),
    ],
)
def test_a_message_is_cut_into_sentences(text: str, sentences: list[str]):
    assert list(prose_sentences(text)) == sentences


@pytest.mark.parametrize(
    ("picked", "laid_out", "content"),
    [
        ("option B", "A) one table\nB) two tables", "(that is: two tables)"),
        ("let's go with 2, it is cheaper", "1. one table\n2. **two tables**: cheap", "(that is: two tables: cheap)"),
        ("the second option please", "- Option 1: one table\n- Option 2: two tables", "(that is: two tables)"),
        ("go with the first one because it is small", "a. one table\nb. two tables", "(that is: one table)"),
        ("option C", "A) one table\nB) two tables", None),
        ("option B", "What do you think?", None),
        ("2", "1. one table\n2. two tables", None),  # may answer anything
    ],
)
def test_an_option_that_is_picked_is_told_in_the_words_of_the_answer(picked: str, laid_out: str, content: str | None):
    found = list(propose([turn(f"Two ways:\n\n{laid_out}", "assistant", 1), turn(picked)]))
    assert [content in one.content for one in found] == ([True] if content else [])


def test_what_is_taken_back_is_found_and_marked_so_that_nobody_proposes_it():
    said = [turn("We decided to keep SQLite for the queue."), turn("scratch that", step=3)]
    assert [one.withdrawn for one in examine(said)] == [True]
    assert not list(propose(said))
    later = [said[0], *(turn(f"And the page number {n}?", step=3 + n) for n in range(9))]
    assert list(propose([*later, turn("scratch that", step=20)]))  # too far from it
    assert not list(propose([*later, turn("The decision to keep SQLite for the queue was reversed.", step=20)]))


def test_filler_in_front_goes():
    assert without_filler("OK, so then we use cents.") == "We use cents."
    assert without_filler("Okay") == "Okay"
    assert without_filler("No hemos decidido nada.") == "No hemos decidido nada."  # a denial is no filler
    assert without_filler("No, we use cents.") == "We use cents."
