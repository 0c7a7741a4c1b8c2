"""The commands save, notes and ledger: what they refuse, and what they say then."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from zerikai_memory.app import Memory
from zerikai_memory.cli import main
from zerikai_memory.settings import Settings

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("commands").resolve()
    (folder / "shop").mkdir()
    (folder / "shop" / "till.py").write_text("def pay(sum):\n    return sum\n")
    memory = Memory(Settings(home=folder / "brain", vector_store="exact", workspace=str(folder / "shop")), cwd=folder)
    memory.scan()
    memory.save("Sums are in cents", anchors=["pay"], category="decision")
    memory.close()
    return folder


@pytest.fixture
def run(shop: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*words: str) -> tuple[int, str, str]:
        settings = Settings(home=shop / "brain", vector_store="exact", workspace=str(shop / "shop"))
        status = main(list(words), open_memory=lambda: Memory(settings, cwd=shop))
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return run


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("save", ""), "TEXT: got an empty text"),
        (("save", "x y z", "--anchors", ""), "--anchors: got an empty text, perhaps an unset variable"),
        (("save", "x y z", "--supersedes", " "), "--supersedes: got an empty text"),
        (("save", "x y z", "--tags", "a", ""), "--tags: got an empty text"),
        (("save", "x y z", "--run", ""), "--run: got an empty text"),
        (("save", "x y z", "--category", ""), "--category: got an empty text"),
        (("save", "x y z", "--importance", "nan"), "importance must be a number from 0 to 1, got nan"),
        (("save", "x y z", "--importance", "-1"), "importance must be a number from 0 to 1, got -1.0"),
        (("save", "x y z", "--supersedes", "abc1"), "'abc1' is no record"),
        (("save", "x" * 20_001), "got 20001 characters, at most 20000"),
        (("ledger", "--entity", ""), "--entity: got an empty text"),
        (("ledger", "--entity", "till.py:77"), "is no code of the index"),
        (("ledger", "--kind", "recipe"), "no record is a 'recipe'; known are fact"),
        (("ledger", "--as-of", "soon"), "--as-of: got 'soon', expected a date such as 2026-11-30"),
        (("ledger", "--as-of", "03.05.2026"), "expected a date such as 2026-11-30"),
        (("notes", "list", "--as-of", "2026-02-30"), "expected a date such as 2026-11-30"),
        (("notes", "list", "--category", "recipe"), "no record is a 'recipe'"),
        (("notes", "confirm", ""), "note: got ''"),
        (("notes", "history", "abcd"), "'abcd' is no record"),
        (("notes", "roll", "abcdef", "abcdef"), "'abcdef' is no record"),
        (("notes", "import", "/nowhere"), "Cannot read '/nowhere'"),
    ],
)
def test_wrong_use_is_refused_in_one_line_that_says_what_is_right(run: Run, words: tuple[str, ...], said: str):
    status, out, err = run(*words)
    assert (status, out) == (1, "")
    assert said in err
    assert err.count("\n") == 1
    assert len(err) < 500
    assert run("notes", "list", "--json")[1].count('"id"') == 1


@pytest.mark.parametrize("entity", ["pay", "till.py", "till.py:2", "pay #till.py:1 (0.84)"])
def test_the_ledger_is_replayed_by_code_in_any_spelling(run: Run, entity: str):
    status, out, _ = run("ledger", "--entity", entity, "--json")
    assert status == 0
    assert [record["content"] for record in json.loads(out)] == ["Sums are in cents"]


@pytest.mark.parametrize(("as_of", "count"), [("now", 1), ("today", 1), ("2099-01-01", 1), ("48h", 0), ("7d", 0)])
def test_the_ledger_knows_what_was_known_at_a_time_given_in_words(run: Run, as_of: str, count: int):
    for command in (("ledger",), ("notes", "list"), ("notes", "list", "are sums in cents")):
        status, out, _ = run(*command, "--as-of", as_of, "--json")
        assert (status, len(json.loads(out))) == (0, count), command


def test_commands_without_a_session_are_one_and_confirm_nothing_by_saying_it_again(shop: Path, run: Run):
    for _ in range(4):
        assert run("save", "Receipts are printed twice")[0] == 0
    saved = json.loads(run("save", "Receipts are printed twice", "--json")[1])
    assert saved["confirmed_by"] is None


@pytest.mark.parametrize("names", [("a", "b", "c"), (" ", "a", "b"), ("", " ", "\t")])
def test_commands_with_a_session_count_by_its_name_and_a_blank_one_is_none(
    shop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], names: tuple[str, ...]
):
    for name in names:
        settings = Settings(home=tmp_path / "brain", vector_store="exact", workspace=str(shop / "shop"), session=name)
        with_name = Memory(settings, cwd=shop)
        with_name.scan()
        assert main(["save", "Tills close at nine", "--json"], open_memory=lambda memory=with_name: memory) == 0
        printed = capsys.readouterr().out
    # A blank name is the day's commands, which is one session of its own.
    assert bool(json.loads(printed)["confirmed_by"]) is (len({name.strip() for name in names}) == 3)
