"""What agents spent: their own figure first, then our prices, else unknown."""

from datetime import UTC

import pytest

from tests.usage_reports.ledgers import DAY, NOW, Ledger
from zerikai_memory import render_usage
from zerikai_memory.errors import InputError
from zerikai_memory.store.tape_usage import ResponseSum, Spending

AT = NOW // 900 * 900


def spent(agent="pi", model="deepseek-flash", at=AT, **values):
    facts = {
        "project": "/home/me/shop",
        "booked": False,
        "sessions": (1,),
        "requests": 2,
        "without_input": 0,
        "without_output": 0,
        "input": 1000,
        "cache_read": 500,
        "cache_write": 0,
        "output": 100,
        "reasoning": 0,
        "cost_usd": 0.0,
    } | values
    return ResponseSum(agent=agent, model=model, at=at, **facts)


def report(home, *sums, by="agent", silent=None):
    ledger = Ledger(home, spent=lambda *which: Spending(tuple(sums), silent or {}))
    try:
        return ledger.usage.reports.agents(by, zone=UTC)
    finally:
        ledger.close()


@pytest.mark.parametrize(
    ("values", "cost"),
    [
        ({}, (1000 * 0.15 + 500 * 0.003 + 100 * 0.6) / 1e6),  # ours, off-peak
        ({"at": AT - 8 * 3600}, (1000 * 0.3 + 500 * 0.006 + 100 * 1.2) / 1e6),  # ours, in a peak hour
        ({"booked": True, "cost_usd": 0.25}, 0.25),  # the agent's own wins
        ({"model": "dream-9"}, None),
        ({"model": ""}, None),
        ({"cache_write": 5}, None),  # a cache's price for writing is not in our table
        ({"without_input": 2, "input": 0}, None),
        ({"at": None}, None),
    ],
)
def test_a_cost_is_the_agent_s_own_or_ours_or_unknown(values, cost, home):
    (line,) = report(home, spent(**values)).lines
    assert line.cost_usd == (None if cost is None else pytest.approx(cost, abs=1e-9))
    assert line.unpriced == (2 if cost is None else 0)


def test_lines_are_by_agent_model_project_and_day_and_add_up(home):
    sums = [spent(), spent(agent="codex", model="dream", sessions=(2,)), spent(at=AT - DAY), spent(at=None)]
    wanted = {"agent": 2, "model": 2, "project": 1, "day": 3}
    for by, lines in wanted.items():
        told = report(home, *sums, by=by)
        assert len(told.lines) == lines
        assert sum(line.responses for line in told.lines) == told.total.responses == 8
        assert sum(line.input_tokens for line in told.lines) == told.total.input_tokens == 4000
        assert told.total.sessions == 2
    assert report(home, *sums, by="day").lines[-1].name == "unknown day"


def test_what_is_not_told_is_unknown_and_silent_sessions_are_counted(home):
    told = report(home, spent(agent="copilot-cli", without_input=2, input=0), silent={"antigravity": 3})
    copilot, silent = told.lines
    assert (copilot.input_tokens, copilot.output_tokens, copilot.untold) == (None, 100, 2)
    assert (silent.name, silent.sessions, silent.silent_sessions, silent.cost_usd) == ("antigravity", 3, 3, None)
    text = render_usage.agents_report(told)
    (line,) = [line for line in text.splitlines() if line.startswith("antigravity")]
    assert line.split()[1:4] == ["3", "(3", "silent)"]
    assert line.count("unknown") == 6
    assert "3 sessions tell no tokens at all." in text


def test_a_wrong_key_is_named(home):
    with pytest.raises(InputError, match="by: got 'task', expected one of agent, model, project, day"):
        report(home, by="task")
