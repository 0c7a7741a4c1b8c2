"""What is booked of an attempt: before it is sent, when it has ended, and when nobody says how."""

from __future__ import annotations

import logging
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from tests.meter.bookkit import COST, LOCAL, NOON, RESERVED, USED, at, attempt, books, end, own_prices
from zerikai_memory.app import Memory
from zerikai_memory.errors import StoreError
from zerikai_memory.llm.base import FailureKind, ModelError, TokenUse
from zerikai_memory.meter import public
from zerikai_memory.meter.ends import cost_again
from zerikai_memory.meter.tending import settle_abandoned
from zerikai_memory.model_usage import UsageRow, UsageStatus
from zerikai_memory.settings import Settings
from zerikai_memory.store.usage_owner import UsageOwner

KILLED = """
import os, signal, sys
from pathlib import Path
from tests.meter.bookkit import attempt, books
with books(Path(sys.argv[1])) as kept:
    kept.booking().started(attempt("killed", prompt_tokens=1000))
    kept.booking().started(attempt("local", backend="ollama", model="m", remote=False))
    print("booked", flush=True)
    sys.stdin.readline()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_an_attempt_is_booked_with_its_worst_case_before_it_is_sent(home: Path) -> None:
    with books(home, task="t") as kept:
        kept.booking().started(attempt("r", prefix_hash="abc"))
        (row,) = kept.rows()
    assert (row.status, row.cost_nano_usd, row.reserved_nano_usd) == (UsageStatus.STARTED, None, RESERVED)
    assert (row.request_id, row.attempt, row.workspace_id, row.session, row.task) == ("r", 1, "w", "s", "t")
    assert (row.operation, row.backend, row.model_asked, row.remote, row.free) == (
        "query",
        "deepseek",
        "deepseek-flash",
        True,
        False,
    )
    assert (row.prefix_hash, row.started_at, row.ended_at) == ("abc", NOON, None)


@pytest.mark.parametrize(
    ("moment", "nano"),
    [
        ("2026-11-30T00:40:00", RESERVED),
        # a provider that counts by the end of a call may use the price of the peak hours that begin meanwhile
        ("2026-11-30T00:55:00", 2 * RESERVED),
        ("2026-11-30T03:55:00", 2 * RESERVED),
        ("2026-11-30T04:00:00", RESERVED),
    ],
)
def test_what_is_reserved_covers_both_sides_of_a_price_change(home: Path, moment: str, nano: int) -> None:
    with books(home) as kept:
        kept.booking().started(attempt(started_at=at(moment)))
        assert kept.rows()[0].reserved_nano_usd == nano


# status, what the provider counted, more of the end -> tokens, cost, whether it is an estimate
ENDS = [
    ("ok", USED, {}, (1000, 400, 10), COST, False),
    # no word of a cache: nothing came from it
    ("ok", TokenUse(1000, None, 10), {}, (1000, None, 10), 156_000, False),
    ("ok", TokenUse(1000, 0, 300, 250), {}, (1000, 0, 300), 330_000, False),  # reasoning is part of the answer
    # no usage: our estimate of what was sent and of the text that came
    ("ok", TokenUse(), {"text_tokens": 20}, (1000, None, 20), 162_000, True),
    ("partial", TokenUse(), {"text_tokens": 3}, (1000, None, 3), 151_800, True),
    ("partial", USED, {}, (1000, 400, 10), COST, False),
    ("ok", TokenUse(1000, 400), {"text_tokens": 20}, (1000, 400, 20), 103_200, True),
    ("ok", replace(USED, doubtful=True), {}, (1000, 400, 10), COST, True),
    # certainly not billed
    ("failed", TokenUse(), {"failure": FailureKind.BUSY}, (None, None, None), 0, False),
    # useless, and billed all the same
    ("failed", USED, {"failure": FailureKind.FILTERED}, (1000, 400, 10), COST, False),
    # perhaps billed: the worst case, and no tokens that nobody counted
    ("unknown", TokenUse(), {"failure": FailureKind.TIMEOUT}, (None, None, None), RESERVED, True),
    ("unknown", TokenUse(), {"failure": FailureKind.CUT}, (None, None, None), RESERVED, True),
]


@pytest.mark.parametrize(("status", "usage", "more", "tokens", "cost", "estimated"), ENDS)
def test_an_attempt_is_settled_with_what_it_cost(home, status, usage, more, tokens, cost, estimated) -> None:
    with books(home) as kept:
        sent, booking = attempt(), kept.booking()
        booking.started(sent)
        booking.ended(sent, end(usage, status, **more))
        (row,) = kept.rows()
        assert (row.prompt_tokens, row.cached_tokens, row.completion_tokens) == tokens
        assert (row.status, row.cost_nano_usd, row.estimated) == (status, cost, estimated)
        assert row.failure == (str(more["failure"]) if "failure" in more else None)
        assert row.price_version
        assert cost_again(row, kept.brain.usage.price(row.price_version)) == cost


@pytest.mark.parametrize(("status", "usage", "more", "tokens", "cost", "estimated"), ENDS)
def test_a_model_on_this_machine_is_booked_at_nothing(home, status, usage, more, tokens, cost, estimated) -> None:
    with books(home) as kept:
        sent, booking = attempt(**LOCAL), kept.booking()
        booking.started(sent)
        booking.ended(sent, end(usage, status, model="llama3", **more))
        (row,) = kept.rows()
        assert (row.cost_nano_usd, row.reserved_nano_usd, row.free) == (0, 0, True)
        assert (row.prompt_tokens, row.cached_tokens, row.completion_tokens) == tokens


def test_a_price_for_a_model_on_this_machine_counts(home: Path) -> None:
    """A proxy on loopback may well send it on to somebody who is paid."""
    own_prices(home, [{"provider": "openai_compat", "model": "proxied", "input": "1", "output": "1"}])
    with books(home) as kept:
        row = kept.run(backend="openai_compat", model="proxied", remote=False)
        assert (row.cost_nano_usd, row.free) == (1_010_000, False)


def test_the_second_word_about_an_attempt_changes_nothing(home: Path) -> None:
    with books(home) as kept:
        sent, booking = attempt(), kept.booking()
        for _ in range(2):
            booking.started(sent)
        booking.ended(sent, end(USED))
        kept.meter.flush()
        booking.ended(sent, end(TokenUse(9_999, 0, 9_999)))
        booking.ended(sent, end(TokenUse(), "unknown"))
        booking.started(sent)
        (row,) = kept.rows()
        assert (row.status, row.cost_nano_usd) == (UsageStatus.OK, COST)


def test_threads_with_one_request_make_one_row(home: Path) -> None:
    with books(home) as kept:
        sent = attempt()

        def run() -> None:
            booking = kept.booking()
            booking.started(sent)
            booking.ended(sent, end(USED))

        threads = [threading.Thread(target=run) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [row.cost_nano_usd for row in kept.rows()] == [COST]


def test_each_try_is_a_row_of_its_own_and_only_what_was_billed_costs(home: Path) -> None:
    with books(home) as kept:
        for number, (status, usage) in enumerate(
            [("unknown", TokenUse()), ("failed", TokenUse()), ("ok", USED)], start=1
        ):
            sent, booking = attempt("r", number), kept.booking()
            booking.started(sent)
            booking.ended(sent, end(usage, status))
        rows = kept.rows()
        assert [(row.attempt, row.cost_nano_usd) for row in rows] == [(1, RESERVED), (2, 0), (3, COST)]


def test_a_clock_that_is_set_back_makes_no_negative_time_and_keeps_the_order(home: Path) -> None:
    with books(home) as kept:
        for moment in (NOON, NOON - 3600, NOON + 60):
            sent, booking = attempt(started_at=moment), kept.booking()
            booking.started(sent)
            kept.now[0] -= 7200
            booking.ended(sent, end(USED, ended_at=moment - 7200, duration_s=-0.5))
        rows = kept.rows()
        assert [row.started_at for row in rows] == [NOON, NOON - 3600, NOON + 60]
        assert [row.seq for row in rows] == sorted(row.seq for row in rows)
        assert all(row.ended_at is not None and row.ended_at >= row.started_at for row in rows)
        assert all(row.duration_s == 0 for row in rows)


def test_the_price_is_that_of_the_moment_it_was_sent_whatever_happens_until_the_end(home: Path) -> None:
    with books(home) as kept:
        sent, booking = attempt(started_at=at("2026-11-30T00:59:59")), kept.booking()
        booking.started(sent)
        booking.ended(sent, end(USED, ended_at=at("2026-11-30T01:00:30"), duration_s=31.0))
        (row,) = kept.rows()
        assert row.cost_nano_usd == COST
        assert "off-peak" in (row.price_version or "")
        assert (row.ended_at, row.duration_s) == (at("2026-11-30T01:00:30"), 31.0)


def test_a_new_table_changes_nothing_that_was_booked_and_each_cost_can_be_computed_again(home: Path) -> None:
    own_prices(home, [{"model": "deepseek-flash", "input": "0.2", "cached": "0.01", "output": "0.6"}])
    with books(home) as kept:
        before = kept.run()
        own_prices(home, [{"model": "deepseek-flash", "input": "0.4", "cached": "0.02", "output": "1.2"}])
        after = kept.run()
        (home / "prices.toml").unlink()
        kept.meter.tend()
        first, second = kept.rows()
        assert (first, second) == (before, after)
        # 600 x 200 + 400 x 10 + 10 x 600, and twice as much
        assert (first.cost_nano_usd, second.cost_nano_usd) == (130_000, 260_000)
        for row in (first, second):
            assert row.cost_nano_usd == cost_again(row, kept.brain.usage.price(row.price_version or ""))


def test_a_model_without_a_price_has_no_cost_until_one_is_stated(home: Path) -> None:
    with books(home) as kept:
        row = kept.run(model="deepseek-v5-ultra")
        assert (row.cost_nano_usd, row.price_version, row.unpriced) == (None, None, True)
        assert (row.prompt_tokens, row.reserved_nano_usd) == (1000, None)
        prices = [{"provider": "deepseek", "model": "deepseek-v5-ultra", "input": "1", "cached": "0.1", "output": "2"}]
        own_prices(home, [{**prices[0], "valid_from": "2026-12-01T00:00:00Z"}])
        kept.run()
        assert kept.rows()[0].unpriced  # that price did not hold then
        own_prices(home, prices)
        kept.run()
        row = kept.rows()[0]
        assert (row.cost_nano_usd, row.unpriced) == (660_000, False)


def test_with_a_price_file_that_cannot_be_used_costs_wait_until_it_is_corrected(home: Path) -> None:
    home.mkdir()
    (home / "prices.toml").write_text("[[prices]]\n")
    with books(home) as kept:
        assert kept.run().unpriced
        assert kept.run(**LOCAL).cost_nano_usd == 0
        (home / "prices.toml").write_text("")
        kept.run()
        assert [row.cost_nano_usd for row in kept.rows()] == [COST, 0, COST]


def test_without_tracking_nothing_is_kept(home: Path) -> None:
    with books(home, tracking=False) as kept:
        booking, sent = kept.booking(), attempt()
        booking.started(sent)
        booking.ended(sent, end(USED))
        assert kept.rows() == []
        assert booking.notices() == ()


@pytest.mark.parametrize("damage", [b"not a database at all" * 400, None])
def test_books_that_cannot_be_read_hold_back_what_is_paid_and_nothing_else(home, damage, caplog) -> None:
    with books(home) as kept:
        kept.run()
    (home / "zerikai.db-wal").unlink(missing_ok=True)
    if damage is None:
        connection = sqlite3.connect(home / "zerikai.db")
        connection.execute("DROP TABLE usage")
        connection.commit()
        connection.close()
    else:
        (home / "zerikai.db").write_bytes(damage)
    with books(home) as kept, caplog.at_level(logging.WARNING):
        with pytest.raises(ModelError) as caught:
            kept.booking().started(attempt())
        assert (caught.value.kind, caught.value.instead) == (FailureKind.BUDGET, "local")
        assert "usage cannot be booked" in str(caught.value)
        booking, sent = kept.booking(), attempt(**LOCAL)
        booking.started(sent)
        booking.ended(sent, end(USED))
        kept.meter.flush()
    assert "was not booked" in caplog.text


def test_an_end_that_cannot_be_written_is_written_later(home: Path, monkeypatch) -> None:
    with books(home) as kept:
        sent, booking = attempt(), kept.booking()
        booking.started(sent)
        real, kept.brain.usage.settle = kept.brain.usage.settle, _full  # type: ignore[method-assign]
        booking.ended(sent, end(USED))
        kept.meter.flush()
        assert kept.brain.usage.rows()[0].open
        kept.brain.usage.settle = real  # type: ignore[method-assign]
        assert [row.cost_nano_usd for row in kept.rows()] == [COST]


def _full(*_: object) -> None:
    raise StoreError("the disk is full")


@contextmanager
def doomed(home: Path) -> Iterator[Callable[[], None]]:
    """A process that has booked two attempts; calling what it gives has it kill itself."""
    command = [sys.executable, "-c", KILLED, str(home)]
    root = Path(__file__).resolve().parents[2]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=root) as child:
        try:
            assert child.stdout is not None
            assert child.stdout.readline() == "booked\n"

            def die() -> None:
                child.communicate("now\n", timeout=30)
                assert child.returncode == -signal.SIGKILL

            yield die
        finally:
            child.kill()


def test_a_killed_process_leaves_attempts_that_the_next_one_settles_as_unknown(home: Path) -> None:
    with doomed(home) as die:
        with books(home) as kept:
            kept.now[0] = NOON + 10**6  # however old: its process is alive
            kept.run()
            assert [row.status for row in kept.rows()] == ["started", "started", "ok"]
        die()
    with books(home) as kept:
        kept.run()
        killed, local, *_ = kept.rows()
        assert (killed.status, killed.failure, killed.cost_nano_usd) == ("unknown", "abandoned", RESERVED)
        assert (killed.estimated, killed.prompt_tokens, killed.ended_at) == (True, None, None)
        assert (local.status, local.cost_nano_usd) == ("unknown", 0)
        assert [row.cost_nano_usd for row in kept.rows()[2:]] == [COST, COST]
    assert list((home / "locks").glob("usage-*")) == []


def test_a_budget_list_frees_what_a_killed_process_had_reserved_and_both_sums_agree(home: Path) -> None:
    with doomed(home) as die:
        die()
    memory = Memory(Settings(home=home), cwd=home)
    held = memory.metering.set_budget("1", "usd", per="total")
    assert (held.reserved, held.spent) == (0.0, RESERVED / 1e9)
    report = memory.usage.reports.report(days=3660)
    memory.close()
    (total,) = public.report(home=home)
    assert (total.prompt_tokens, total.completion_tokens) == (
        report.total.prompt_tokens,
        report.total.completion_tokens,
    )
    assert (total.unknown, report.total.unknown, report.total.running) == (2, 2, 0)


def test_an_attempt_of_a_process_nothing_is_known_of_is_over_after_a_day(home: Path) -> None:
    with books(home) as kept:
        kept.booking().started(attempt())
        owner, store = UsageOwner(home), kept.brain.usage
        for path in (home / "locks").glob("usage-*"):
            path.unlink()
        assert settle_abandoned(store, owner, NOON + 3_600) == 0
        assert settle_abandoned(store, owner, NOON + 90_000) == 1


def test_the_true_end_replaces_an_estimate_made_too_early(home: Path) -> None:
    with books(home) as kept:
        sent, booking = attempt(), kept.booking()
        booking.started(sent)
        for path in (home / "locks").glob("usage-*"):
            path.unlink()
        settle_abandoned(kept.brain.usage, UsageOwner(home), NOON + 90_000)  # the clock had jumped
        booking.ended(sent, end(USED))
        (row,) = kept.rows()
        assert (row.status, row.failure, row.cost_nano_usd) == (UsageStatus.OK, None, COST)


def test_rows_are_read_by_time_and_workspace(home: Path) -> None:
    with books(home) as kept:
        for hours, workspace in ((0, "a"), (1, "b"), (2, "a")):
            kept.run(started_at=NOON + 3600 * hours, workspace_id=workspace)
        read = kept.brain.usage.rows

        def hours(rows: list[UsageRow]) -> list[float]:
            return [(row.started_at - NOON) / 3600 for row in rows]

        assert hours(read(NOON + 3600)) == [1, 2]
        assert hours(read(None, NOON + 3600)) == [0]
        assert hours(read(workspace_id="a")) == [0, 2]
        assert hours(read(NOON, NOON + 7200, "a")) == [0]
