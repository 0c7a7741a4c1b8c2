"""Booked usage through the life of a brain: old schemas, moved and dropped workspaces, purges."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from tests.meter.bookkit import COST, NOON, NOTHING, RESERVED, attempt, books, budget
from zerikai_memory import meter
from zerikai_memory.app import Memory
from zerikai_memory.settings import Settings
from zerikai_memory.store.migrations import STEPS
from zerikai_memory.store.usage_history import UsageHistory


def project(folder: Path) -> str:
    folder.mkdir()
    (folder / "a.py").write_text("def alpha():\n    return 1\n")
    return str(folder)


def test_a_brain_without_usage_gets_its_tables_and_keeps_what_it_has(home: Path) -> None:
    home.mkdir()
    connection = sqlite3.connect(home / "zerikai.db")
    for step in STEPS[:2]:
        step(connection)
    connection.execute("INSERT INTO workspaces VALUES ('w', '/p', 'p', 1.0, NULL)")
    connection.execute("PRAGMA user_version=2")
    connection.commit()
    connection.close()
    with books(home) as kept:
        assert kept.run().cost_nano_usd == COST
        assert [workspace.name for workspace in kept.brain.registry.known()] == ["p"]


def test_a_move_takes_usage_and_budget_along_and_a_merge_keeps_the_receivers_budget(home: Path, tmp_path: Path) -> None:
    memory = Memory(Settings(home=home, vector_store="exact"), cwd=tmp_path)
    try:
        old, other = project(tmp_path / "old"), project(tmp_path / "other")
        for path in (old, other):
            memory.scan(path)
        first, second = memory.resolve(old), memory.resolve(other)
        with books(home) as kept:
            kept.run(workspace_id=first.id)
            kept.run(workspace_id=second.id)
        memory.metering.set_budget("1", "usd", workspace=first)
        memory.metering.set_budget("2", "usd", workspace=second)
        moved = memory.upkeep.move(first.id, str((tmp_path / "old").rename(tmp_path / "new")))
        assert [(report.subject, report.spent) for report in memory.metering.budgets.listed()] == [
            ("new", COST / 1e9),
            ("other", COST / 1e9),
        ]
        memory.upkeep.merge(moved.workspace, other)
        reports = {report.amount: report for report in memory.metering.budgets.listed()}
        assert reports[2.0].subject == "other"
        assert reports[2.0].spent == 2 * COST / 1e9
    finally:
        memory.close()


def test_a_drop_keeps_usage_and_with_everything_keeps_what_it_cost(home: Path, tmp_path: Path) -> None:
    memory = Memory(Settings(home=home, vector_store="exact"), cwd=tmp_path)
    try:
        memory.scan(path := project(tmp_path / "shop"))
        target = memory.resolve(path)
        with books(home, now=NOON) as kept:
            kept.run(workspace_id=target.id)
            kept.run(workspace_id="somebody-else")
        memory.metering.set_budget("1", "usd", per="total")
        memory.metering.set_budget("1", "usd", workspace=target)
        assert memory.drop("shop").kept_usage == 1
        memory.scan(path)
        report = memory.drop("shop", everything=True)
        assert report.kept_usage == 0
        assert any("1 usage rows" in removed for removed in report.removed)
        (left,) = memory.metering.budgets.listed()
        assert (left.scope, left.spent) == ("all", 2 * COST / 1e9)
        assert [row.workspace_id for row in memory.metering.meter.store.rows()] == ["somebody-else"]
    finally:
        memory.close()


def test_a_purge_changes_no_budget(home: Path) -> None:
    with books(home) as kept:
        for unit in ("usd", "tokens"):
            kept.brain.usage.budgets.put(budget(10**9, unit, period="total"))
            kept.brain.usage.budgets.put(budget(10**9, unit, "session", "s", period="total"))
            kept.brain.usage.budgets.put(budget(10**9, unit, "workspace", "w", period="total"))
            kept.brain.usage.budgets.put(budget(10**9, unit, "task", "t", period="total"))
        kept.run(task="t")
        kept.run(NOTHING, "unknown")
        kept.run(backend="ollama", model="m", remote=False)
        table = kept.brain.usage.budgets
        before = table.states(lambda _: None)
        assert [state.spent for state in before[:2]] == [COST + RESERVED, COST + RESERVED]
        UsageHistory(kept.brain.recorded).purge(NOON + 900)
        assert kept.rows() == []
        assert table.states(lambda _: None) == before
        total, *tasks = meter.report(by="task", home=home)
        assert (total.attempts, total.billed, total.unknown) == (3, 2, 1)
        assert total.cost_nano_usd == COST + RESERVED
        assert [(sums.name, sums.attempts) for sums in tasks] == [("", 2), ("t", 1)]


def test_what_was_purged_without_a_price_is_told_and_does_not_stop_a_budget_for_ever(home: Path) -> None:
    with books(home) as kept:
        kept.run(model="nobody-knows")
        UsageHistory(kept.brain.recorded).purge(NOON + 900)
        kept.brain.usage.budgets.put(budget(10**9, period="total"))
        booking = kept.booking()
        booking.started(attempt())
        assert "1 attempt(s) of unknown cost are not in it" in booking.notices()[0]
