"""What our replies cost: counted after they were given, beside the whole files they cite."""

import pytest

from tests.usage_reports.ledgers import NOW, SHOP, Ledger
from zerikai_memory.errors import StoreError
from zerikai_memory.model import Workspace


@pytest.fixture
def replies(home, workspace, monkeypatch):
    shop = Workspace(id=SHOP.id, name="shop", path=str(workspace))
    monkeypatch.setattr("tests.usage_reports.ledgers.SHOP", shop)
    ledger = Ledger(home)
    yield ledger
    ledger.usage.replies.flush()
    ledger.close()


def sums(ledger):
    ledger.usage.replies.flush()
    cost = ledger.usage.reports.report().replies
    return cost.replies, cost.characters, cost.compared, cost.compared_characters, cost.whole_file_characters


def test_both_sides_are_counted_in_characters_each_file_once(replies, workspace):
    (workspace / "a.py").write_text("é" * 700, "utf-8")
    (workspace / "b.py").write_text("b" * 300)
    replies.usage.replies.given("query_memory", "shop", "x" * 50, ["a.py", "b.py", "a.py"])
    replies.usage.replies.given("query_memory", "shop", "ö" * 20)
    assert sums(replies) == (2, 70, 1, 50, 1000)


def test_files_that_are_gone_or_outside_are_no_side_to_compare_with(replies, workspace):
    (workspace.parent / "secret").write_text("s" * 99)
    replies.usage.replies.given("query_memory", "shop", "x" * 50, ["gone.py", "../secret"])
    assert sums(replies) == (1, 50, 0, 0, 0)


def test_a_reply_about_sessions_of_all_projects_is_counted_on_nobody(replies):
    replies.usage.replies.given("query_memory", "all projects", "xyz")
    assert sums(replies)[:2] == (1, 3)
    with replies.brain.recorded.read() as connection:
        assert connection.execute("SELECT workspace_id FROM replies").fetchall() == [("",)]


def test_a_reply_that_cannot_be_kept_breaks_nothing_and_the_next_is_kept(replies, monkeypatch):
    def full(size):
        raise StoreError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(replies.usage.replies._parts.history, "add_reply", full)
        replies.usage.replies.given("query_memory", "shop", "x")
        replies.usage.replies.flush()
    replies.usage.replies.given("query_memory", "shop", "xy", task=" fix ")
    assert sums(replies)[:2] == (1, 2)
    with replies.brain.recorded.read() as connection:
        (row,) = connection.execute("SELECT at, workspace_id, session, task, tool FROM replies").fetchall()
    assert tuple(row) == (NOW, SHOP.id, "s-now", "fix", "query_memory")


def test_without_tracking_nothing_is_kept(home):
    ledger = Ledger(home, enable_token_tracking=False)
    ledger.usage.replies.given("query_memory", "shop", "x")
    assert sums(ledger)[0] == 0
    ledger.close()
