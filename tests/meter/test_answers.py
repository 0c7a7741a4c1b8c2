"""Questions to a metered memory: a scripted DeepSeek on loopback, what is booked and what is held back."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.llm.double import Double, Say, deepseek_double
from tests.llm.ollama_face import ollama_face
from tests.meter.bookkit import own_prices
from zerikai_memory import render
from zerikai_memory.app import Memory
from zerikai_memory.errors import Cancelled, InputError
from zerikai_memory.meter.ends import cost_again
from zerikai_memory.model import QueryAnswer
from zerikai_memory.model_usage import UsageRow
from zerikai_memory.settings import Settings

KEY = "sk-test-0123456789abcdefghij"
CART = '''"""The cart."""


def add_item(cart, item):
    """Add an item to the shopping cart and update the total."""
    cart.items.append(item)
    return cart
'''
QUESTION = "how does the shopping cart add an item"
# Flat prices of the test's own, so that no hour of the day changes a sum: nano-dollars a token.
FLASH, PRO = (150, 3, 600), (660, 22, 1980)


class Shop:
    """A scanned project, memories of it and what they have booked."""

    def __init__(self, home: Path, workspace: Path, double: Double) -> None:
        self.home, self.workspace, self.double = home, workspace, double
        self.made: list[Memory] = []

    def memory(self, **settings: Any) -> Memory:
        usual = {
            "memory_mode": "cloud",
            "deepseek_api_key": KEY,
            "deepseek_base_url": self.double.url,
            "ollama_host": "http://127.0.0.1:9",
            "vector_store": "exact",
        }
        self.made.append(Memory(Settings(home=self.home, **{**usual, **settings}), cwd=self.workspace.parent))
        return self.made[-1]

    def ask(self, memory: Memory, question: str = QUESTION, **more: Any) -> QueryAnswer:
        return memory.query(question, str(self.workspace), **more)

    def rows(self, memory: Memory) -> list[UsageRow]:
        memory.metering.meter.flush()
        return memory.metering.meter.store.rows()


@pytest.fixture
def shop(home: Path, workspace: Path) -> Iterator[Shop]:
    (workspace / "cart.py").write_text(CART)
    (workspace / "README.md").write_text("# shop\n\nA small shop with a shopping cart.\n")
    models = (("deepseek-flash", ("0.15", "0.003", "0.6")), ("deepseek-v4-pro", ("0.66", "0.022", "1.98")))
    own_prices(
        home,
        [
            {"provider": "deepseek", "model": model, "input": miss, "cached": hit, "output": out}
            for model, (miss, hit, out) in models
        ],
    )
    with deepseek_double() as double:
        shop = Shop(home, workspace, double)
        shop.memory(memory_mode="local", deepseek_api_key=None).scan(str(workspace))
        yield shop
        for memory in shop.made:
            memory.close()


def cost(usage: dict[str, Any], rates: tuple[int, int, int] = FLASH) -> int:
    miss, hit, out = rates
    cached = usage["prompt_cache_hit_tokens"]
    return (usage["prompt_tokens"] - cached) * miss + cached * hit + usage["completion_tokens"] * out


def worst(row: UsageRow) -> int:
    return row.reserved_prompt_tokens * FLASH[0] + row.reserved_completion_tokens * FLASH[2]


def test_an_answer_is_booked_with_what_the_server_counted(shop: Shop) -> None:
    memory = shop.memory(session="s1", task="usual")
    shop.ask(memory)
    shop.ask(memory, task="fix-42")
    first, second = shop.rows(memory)
    (usage, _) = shop.double.usages
    assert (first.prompt_tokens, first.cached_tokens, first.completion_tokens) == (usage["prompt_tokens"], 0, 5)
    assert first.cost_nano_usd == cost(usage)
    assert json.loads(first.raw_usage or "")["total_tokens"] == usage["total_tokens"]
    assert (first.session, first.task, second.task) == ("s1", "usual", "fix-42")
    assert first.workspace_id == memory.resolve(str(shop.workspace)).id
    assert (first.operation, first.backend, first.model_asked, first.model_answered) == (
        "query",
        "deepseek",
        "deepseek-flash",
        "deepseek-flash",
    )
    assert first.prefix_hash == second.prefix_hash
    assert first.duration_s is not None
    assert abs(time.time() - first.started_at) < 60
    with pytest.raises(InputError, match="task: got"):
        shop.ask(memory, task="x" * 101)


@pytest.mark.parametrize(
    ("say", "status", "booked"),
    [
        (Say(), "ok", "counted"),
        (
            Say(usage=lambda u: {**u, "prompt_cache_hit_tokens": None, "prompt_cache_miss_tokens": None}),
            "ok",
            "counted",
        ),
        (Say(usage=lambda u: {k: u[k] for k in ("prompt_tokens", "completion_tokens")}), "ok", "counted"),
        (Say(usage=lambda _: None), "ok", "estimated"),
        (Say(cut="clean"), "partial", "estimated"),
        (Say(cut="reset"), "unknown", "worst"),
        (Say(error_event=True), "unknown", "worst"),
        # useless, and counted all the same
        (Say(text=" "), "failed", "counted"),
        (Say(finish="content_filter"), "failed", "counted"),
        (Say(finish="insufficient_system_resource"), "failed", "counted"),
        (Say(text=" ", usage=lambda _: None), "unknown", "worst"),
        (Say(finish="content_filter", usage=lambda _: None), "unknown", "worst"),
        (Say(body="<html>", kind="text/html"), "unknown", "worst"),
        (Say(status=400), "failed", "nothing"),
        (Say(status=401), "failed", "nothing"),
        (Say(status=402), "failed", "nothing"),
        # an error answer that says what was used is billed
        (
            Say(status=400, body='{"error": {}, "usage": {"prompt_tokens": 7, "completion_tokens": 0}}'),
            "failed",
            "seven",
        ),
    ],
)
def test_every_way_an_attempt_ends_is_booked(shop: Shop, say: Say, status: str, booked: str) -> None:
    shop.double.default = say
    shop.ask(memory := shop.memory())
    row = shop.rows(memory)[-1]
    assert row.status == status
    used = shop.double.usages[-1] if shop.double.usages else {"prompt_tokens": 0, "completion_tokens": 0}
    prompt, cached = used["prompt_tokens"], row.cached_tokens or 0
    expected = {
        "counted": (prompt - cached) * FLASH[0] + cached * FLASH[1] + used["completion_tokens"] * FLASH[2],
        "estimated": row.reserved_prompt_tokens * FLASH[0] + (row.completion_tokens or 0) * FLASH[2],
        "worst": worst(row),
        "nothing": 0,
        "seven": 7 * FLASH[0],
    }
    assert row.cost_nano_usd == expected[booked]
    assert row.estimated is (booked in ("estimated", "worst"))
    if booked == "estimated":
        assert row.completion_tokens
        assert prompt <= (row.prompt_tokens or 0)
    assert row.cost_nano_usd == cost_again(row, memory.metering.meter.store.price(row.price_version or ""))


def test_a_retry_is_booked_once_each_and_a_silent_server_once(shop: Shop) -> None:
    shop.double.script = [Say(status=503), Say()]
    shop.ask(memory := shop.memory())
    shop.double.default = Say(silent_s=30)
    shop.ask(memory, model_wait_s=2.5)
    failed, done, silent = shop.rows(memory)
    assert (failed.status, done.status, silent.status) == ("failed", "ok", "unknown")
    assert (failed.request_id, failed.attempt, done.attempt) == (done.request_id, 1, 2)
    assert (failed.cost_nano_usd, done.cost_nano_usd) == (0, cost(shop.double.usages[0]))
    assert (silent.cost_nano_usd, silent.failure) == (worst(silent), "timeout")
    assert (silent.duration_s or 0) > 2


def test_a_cancelled_question_is_booked_at_its_worst(shop: Shop) -> None:
    memory = shop.memory()
    shop.double.default = Say(silent_s=30)
    with pytest.raises(Cancelled):
        shop.ask(memory, cancelled=lambda: bool(shop.double.requests))
    (row,) = shop.rows(memory)
    assert (row.status, row.failure, row.cost_nano_usd) == ("unknown", "cancelled", worst(row))


def test_from_the_third_of_fifty_questions_on_the_brief_is_billed_at_the_cache_price(shop: Shop) -> None:
    memory = shop.memory()
    kinds = ("how does {} work with the cart", "where is the cart of {}", "what about {} and items", "add {} item")
    for number in range(50):
        shop.ask(memory, kinds[number % 4].format(f"part {number}"))
    rows = shop.rows(memory)
    system = len(shop.double.requests[0].system.encode()) // 4
    assert [row.cached_tokens for row in rows[:2]] == [0, 0]
    assert min(row.cached_tokens or 0 for row in rows[2:]) >= system
    assert sum(row.cost_nano_usd or 0 for row in rows) == sum(map(cost, shop.double.usages))
    assert len({row.prefix_hash for row in rows}) == 1
    saved = sum((row.cached_tokens or 0) * (FLASH[0] - FLASH[1]) for row in rows)
    uncached = sum(
        usage["prompt_tokens"] * FLASH[0] + usage["completion_tokens"] * FLASH[2] for usage in shop.double.usages
    )
    assert saved == uncached - sum(row.cost_nano_usd or 0 for row in rows)


@pytest.mark.parametrize(
    ("action", "backend"),
    [
        ("refuse", "none"),
        ("local", "ollama"),
        ("cheaper", "deepseek"),  # the fast model still fits
    ],
)
def test_a_spent_budget_does_what_it_was_set_to(shop: Shop, action: str, backend: str) -> None:
    question = "what is the architecture of the shopping cart"
    with ollama_face() as face:
        memory = shop.memory(enable_deepseek_pro=True, ollama_host=face.url)
        shop.ask(memory, question)
        (row,) = shop.rows(memory)
        assert row.model_asked == "deepseek-v4-pro"
        # less than the pro model reserves, more than the fast one does
        left = (row.reserved_nano_usd or 0) * 3 // 4
        amount = f"{((row.cost_nano_usd or 0) + left) / 1e9:.9f}"
        memory.metering.set_budget(amount, "usd", per="day", action=action)
        answer = shop.ask(memory, question)
    assert answer.route.backend == backend
    asked = [request.body["model"] for request in shop.double.requests]
    assert asked == ["deepseek-v4-pro", *(["deepseek-flash"] if backend == "deepseek" else [])]
    (told,) = [warning for warning in answer.warnings if warning.startswith("no answer from")]
    assert told.startswith("no answer from deepseek (deepseek-v4-pro): budget 1 ($0.00")
    assert "does not allow it" in told
    assert "it resets at 20" in told
    assert "add_item" in render.query_answer(answer)  # the sources are there in any case
    assert len(face.requests) == (backend == "ollama")


def test_cheaper_goes_to_a_local_model_when_the_fast_one_does_not_fit_either(shop: Shop) -> None:
    with ollama_face() as face:
        memory = shop.memory(enable_deepseek_pro=True, ollama_host=face.url)
        memory.metering.set_budget("0", "usd", action="cheaper")
        answer = shop.ask(memory, "what is the architecture of the shopping cart")
    assert answer.route.backend == "ollama"
    assert shop.double.requests == []
    assert sum("does not allow it" in warning for warning in answer.warnings) == 2
    assert [row.backend for row in shop.rows(memory)] == ["ollama"]


@pytest.mark.parametrize("action", ["refuse", "local", "cheaper"])
def test_without_a_local_model_every_action_ends_with_citations(shop: Shop, action: str) -> None:
    memory = shop.memory()
    memory.metering.set_budget("0", "tokens", action=action)
    answer = shop.ask(memory)
    assert (answer.route.backend, shop.double.requests) == ("none", [])
    assert "no model answered: quoted from the index" in answer.route.reason
    assert "add_item" in answer.answer


def test_a_reply_says_that_a_budget_is_nearly_spent_and_only_then(shop: Shop) -> None:
    memory = shop.memory()
    shop.ask(memory)
    amount = f"{cost(shop.double.usages[0]) * 100 / 1e9:.9f}"
    memory.metering.set_budget(amount, "usd", per="total", warn_percent=5)
    assert shop.ask(memory).warnings == ()
    memory.metering.set_budget(amount, "usd", per="total", warn_percent=1)
    (warning,) = shop.ask(memory).warnings
    assert warning.startswith("budget 1 ($0.")
    assert " % used, $0.00" in warning
    assert warning.endswith("; it does not reset")
    assert "Warning: budget 1 (" in render.query_answer(shop.ask(memory))


def test_a_model_without_a_price_is_not_asked_under_a_budget_in_dollars(shop: Shop) -> None:
    memory = shop.memory(deepseek_model_fast="deepseek-v9")
    answer = shop.ask(memory)
    assert answer.route.model == "deepseek-v9"
    assert shop.rows(memory)[0].cost_nano_usd is None
    memory.metering.set_budget("100", "usd")
    answer = shop.ask(memory)
    assert answer.route.backend == "none"
    assert any("no price of 'deepseek-v9' at 'deepseek' is known" in warning for warning in answer.warnings)
    assert len(shop.double.requests) == 1


def test_books_that_cannot_be_read_leave_the_local_model(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    with ollama_face() as face:
        memory = shop.memory(ollama_host=face.url)
        with memory.metering.meter.store._database.write() as connection:
            connection.execute("ALTER TABLE usage RENAME TO somewhere_else")
        answer = shop.ask(memory)
    assert answer.route.backend == "ollama"
    assert shop.double.requests == []
    assert any("paid models are not asked while usage cannot be booked" in warning for warning in answer.warnings)


def test_without_tracking_nothing_is_booked_and_a_budget_stops_paid_models(shop: Shop) -> None:
    memory = shop.memory(enable_token_tracking=False)
    assert shop.ask(memory).route.backend == "deepseek"
    assert shop.rows(memory) == []
    memory.metering.set_budget("100", "usd")
    answer = shop.ask(memory)
    assert answer.route.backend == "none"
    assert any("need ENABLE_TOKEN_TRACKING=true" in warning for warning in answer.warnings)


def test_a_brief_by_a_model_is_booked_and_held_back_at_once(shop: Shop, caplog: pytest.LogCaptureFixture) -> None:
    shop.double.default = Say(text="- The shop has a cart.")
    memory = shop.memory()
    memory.regenerate_brief(str(shop.workspace), wait_s=20)
    rows = shop.rows(memory)
    assert len(rows) == len(shop.double.requests) > 1
    assert {row.operation for row in rows} == {"brief"}
    shop.double.requests.clear()
    memory.metering.set_budget("0", "usd")
    with caplog.at_level(logging.WARNING):
        memory.regenerate_brief(str(shop.workspace), wait_s=20)
    assert shop.double.requests == []
    assert len(shop.rows(memory)) == len(rows)
    assert 1 <= caplog.text.count("does not allow it") <= 4  # as many as are written at once


def test_the_command_line_takes_a_task(shop: Shop, make_query: Callable[..., int], capsys: Any) -> None:
    assert make_query("query", QUESTION, "-w", str(shop.workspace), "--task", "t7", "--json") == 0
    assert json.loads(capsys.readouterr().out)["route"]["backend"] == "deepseek"
    assert [row.task for row in shop.rows(shop.memory())] == ["t7"]


@pytest.fixture
def make_query(shop: Shop) -> Callable[..., int]:
    from zerikai_memory import cli

    return lambda *words: cli.main(list(words), open_memory=shop.memory)
