"""One request to DeepSeek, over a real socket: what is sent, what comes back, how each failure is told."""

from __future__ import annotations

import json
import threading
import time
from email.utils import formatdate
from pathlib import Path

import pytest

from tests.llm.double import ANSWER, Double, Say, deepseek_double
from zerikai_memory.llm.attempts import Purpose, ask_model
from zerikai_memory.llm.base import (
    Attempt,
    AttemptEnd,
    Call,
    FailureKind,
    ModelError,
    Prompt,
    Reply,
    TokenUse,
)
from zerikai_memory.llm.choose import Backends
from zerikai_memory.llm.openai_compat import OpenAICompat
from zerikai_memory.settings import Settings

KEY = "sk-test-0123456789abcdefghij"
PROMPT = Prompt("system", "question", 100)


class Book:
    """Attempts as a meter sees them."""

    def __init__(self) -> None:
        self.begun: list[Attempt] = []
        self.ends: list[AttemptEnd] = []

    def started(self, attempt: Attempt) -> None:
        self.begun.append(attempt)

    def ended(self, attempt: Attempt, end: AttemptEnd) -> None:
        self.ends.append(end)


def backend(url: str) -> OpenAICompat:
    settings = Settings(home=Path("brain"), memory_mode="cloud", deepseek_api_key=KEY, deepseek_base_url=url)
    (found,) = Backends(settings).cloud("fast")
    assert isinstance(found, OpenAICompat)
    return found


def ask(double: Double, book: Book | None = None, deadline_s: float = 10.0) -> Reply:
    deepseek = backend(double.url)
    purpose = Purpose("query", "w", book or Book())
    return ask_model(deepseek, deepseek.ready(), PROMPT, Call(deadline_s), purpose, sleep=lambda _: time.sleep(0.001))


def failure(double: Double, book: Book | None = None, deadline_s: float = 10.0) -> ModelError:
    with pytest.raises(ModelError) as caught:
        ask(double, book, deadline_s)
    assert KEY not in str(caught.value)
    return caught.value


def test_thinking_is_switched_off_and_the_prompt_is_system_then_user(double: Double) -> None:
    ask(double)
    (request,) = double.requests
    assert request.body["thinking"] == {"type": "disabled"}
    assert [m["role"] for m in request.body["messages"]] == ["system", "user"]
    assert request.body["model"] == "deepseek-flash"
    assert request.path == "/chat/completions"
    assert request.headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    ("usage", "expected", "warned"),
    [
        # all fields
        (lambda u: u, TokenUse(15, 0, 5, 0), ""),
        # a proxy that leaves the cache fields out: nothing is known of a cache, the prompt is not free
        (lambda u: {"prompt_tokens": 9, "completion_tokens": 2}, TokenUse(9, None, 2, None), ""),
        # OpenAI's field alone
        (lambda u: {"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": 4}}, TokenUse(9, 4), ""),
        # no usage at all is unknown, never zero
        (lambda u: None, TokenUse(), ""),
        # parts that do not add up
        (
            lambda u: {"prompt_tokens": 9, "prompt_cache_hit_tokens": 1, "prompt_cache_miss_tokens": 1},
            TokenUse(9, 1),
            "1 cached + 1 other tokens but 9",
        ),
        # hidden reasoning although it is off
        (
            lambda u: {"prompt_tokens": 9, "completion_tokens_details": {"reasoning_tokens": 7}},
            TokenUse(9, None, None, 7),
            "7 tokens on hidden reasoning",
        ),
        # counts of a wrong type
        (lambda u: {"prompt_tokens": "9", "completion_tokens": True}, TokenUse(), ""),
    ],
)
def test_tokens_are_what_the_server_counted(double, usage, expected, warned) -> None:
    double.script = [Say(usage=usage)]
    book = Book()
    reply = ask(double, book)
    assert reply.text == ANSWER
    assert reply.usage == expected
    assert warned in "\n".join(reply.warnings)
    assert [(end.status, end.usage) for end in book.ends] == [("ok", expected)]


def test_the_model_that_answered_is_told_where_it_differs(double: Double) -> None:
    double.script = [Say(model="DeepSeek-V4.1-Flash-1017")]
    book = Book()
    assert ask(double, book).model == "DeepSeek-V4.1-Flash-1017"
    assert (book.begun[0].model, book.ends[0].model) == ("deepseek-flash", "DeepSeek-V4.1-Flash-1017")


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, FailureKind.REJECTED),
        (401, FailureKind.KEY),
        (402, FailureKind.BALANCE),  # openai has no class for it
        (403, FailureKind.KEY),
        (404, FailureKind.NO_MODEL),
        (422, FailureKind.REJECTED),
        (307, FailureKind.REJECTED),  # a redirect is not followed: see below
    ],
)
def test_a_refusal_is_one_request_and_books_nothing(double, status, kind) -> None:
    double.default = Say(status=status)
    book = Book()
    error = failure(double, book)
    assert error.kind == kind
    assert str(status) in str(error)
    assert len(double.requests) == 1
    assert [(end.status, end.failure) for end in book.ends] == [("failed", kind)]


@pytest.mark.parametrize("status", [429, 500, 502, 503])
def test_what_was_not_billed_is_tried_once_more_and_booked_twice(double, status) -> None:
    double.script = [Say(status=status)]
    book = Book()
    assert ask(double, book).text == ANSWER
    assert [a.number for a in book.begun] == [1, 2]
    assert len({a.request_id for a in book.begun}) == 1
    assert [end.status for end in book.ends] == ["failed", "ok"]
    double.default = Say(status=status)
    double.requests.clear()
    failure(double)
    assert len(double.requests) == 2


@pytest.mark.parametrize("say", [Say(error_event=True), Say(finish="insufficient_system_resource")])
def test_what_was_begun_is_not_tried_again(double, say) -> None:
    double.default = say
    book = Book()
    assert failure(double, book).kind == FailureKind.SERVER
    assert len(double.requests) == 1
    (end,) = book.ends
    assert (end.status, end.usage.prompt) in (("unknown", None), ("failed", double.usages[0]["prompt_tokens"]))


@pytest.mark.parametrize(
    ("value", "requests", "least_s"),
    [
        ("1", 2, 1.0),  # waited for
        ("600", 1, 0.0),  # longer than anybody waits
        (formatdate(time.time() + 3600, usegmt=True), 1, 0.0),  # a date
        ("soon", 2, 0.0),  # nonsense is no wish
    ],
    ids=["a second", "ten minutes", "a date", "nonsense"],  # the date is another one in each process of xdist
)
def test_retry_after_is_honoured_within_our_own_time(double, value, requests, least_s) -> None:
    double.default = Say(status=429, headers={"Retry-After": value})
    begun = time.monotonic()
    assert failure(double).kind == FailureKind.BUSY
    assert len(double.requests) == requests
    assert least_s <= time.monotonic() - begun < 60


def test_silence_ends_at_the_deadline_with_one_request_and_the_connection_closed(double: Double) -> None:
    ask(double)  # imports of the client are not what is measured
    double.requests.clear()
    double.default = Say(silent_s=30)
    book = Book()
    begun = time.monotonic()
    assert failure(double, book, 0.7).kind == FailureKind.TIMEOUT
    assert time.monotonic() - begun < 20
    assert len(double.requests) == 1
    assert [end.status for end in book.ends] == ["unknown"]
    assert double.requests[0].hung_up.wait(20)


def test_signs_of_life_do_not_defeat_the_deadline(double: Double) -> None:
    double.script = [Say(keep_alives=5)]
    assert ask(double).text == ANSWER
    double.default = Say(keep_alives=1000)
    begun = time.monotonic()
    assert failure(double, None, 1.0).kind == FailureKind.TIMEOUT
    assert time.monotonic() - begun < 20
    assert double.requests[-1].hung_up.wait(20)


def test_blank_lines_in_front_of_a_whole_reply_are_signs_of_life(double: Double) -> None:
    body = {"model": "m", "choices": [{"index": 0, "message": {"content": "Yes."}, "finish_reason": "stop"}]}
    double.script = [Say(body="\n\n\n" + json.dumps(body))]
    assert ask(double).text == "Yes."


def test_cancel_closes_the_connection(double: Double) -> None:
    ask(double)
    double.default = Say(silent_s=30)
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()
    with pytest.raises(ModelError, match="cancelled"):
        backend(double.url).complete(PROMPT, Call(20, stop.is_set))
    assert double.requests[-1].hung_up.wait(20)


@pytest.mark.parametrize(
    ("say", "kind"),
    [
        (Say(cut="reset"), FailureKind.CUT),
        (Say(error_event=True), FailureKind.SERVER),
        (Say(finish="content_filter"), FailureKind.FILTERED),
        (Say(finish="insufficient_system_resource"), FailureKind.SERVER),
        (Say(text=""), FailureKind.BLANK),
        (Say(text=" \n \t "), FailureKind.BLANK),  # JSON mode answers with blanks
        (Say(text="<think>hm, hm</think>  "), FailureKind.BLANK),
        (Say(body="<html>Log in</html>", kind="text/html"), FailureKind.MALFORMED),
        (Say(body='{"choices": [{"mess'), FailureKind.MALFORMED),
        (Say(body='{"choices": []}'), FailureKind.MALFORMED),
        (Say(body='{"choices": "none"}'), FailureKind.MALFORMED),
        (Say(body='{"choices": [{"message": {"content": 5}}]}'), FailureKind.MALFORMED),
        (Say(body="[1]"), FailureKind.MALFORMED),
        (Say(body="data: {oops\n\n", kind="text/event-stream"), FailureKind.MALFORMED),
        (Say(body="", kind="text/event-stream"), FailureKind.MALFORMED),
    ],
)
def test_no_answer_is_a_failure_of_its_own_kind(double, say, kind) -> None:
    double.default = say
    assert failure(double).kind == kind


@pytest.mark.parametrize(
    ("say", "partial", "warned"),
    [
        (Say(cut="clean"), True, "broke off"),  # no error reaches the client
        (Say(finish="length"), False, "length limit"),
        (Say(done=False), False, ""),  # an end and a usage without [DONE]
        (Say(choices=3), False, ""),  # the first of several
    ],
)
def test_an_answer_that_is_not_whole_says_so(double, say, partial, warned) -> None:
    double.script = [say]
    book = Book()
    reply = ask(double, book)
    assert ANSWER.startswith(reply.text)
    assert reply.partial is partial
    assert warned in "\n".join(reply.warnings)
    assert book.ends[0].status == ("partial" if partial else "ok")


@pytest.mark.parametrize("url", ["http://127.0.0.1:9", "http://no-such-host.invalid"])
def test_a_server_that_is_not_there_is_unreachable(url: str) -> None:
    settings = Settings(home=Path("brain"), memory_mode="cloud", deepseek_api_key=KEY, deepseek_base_url=url)
    (deepseek,) = Backends(settings).cloud("fast")
    with pytest.raises(ModelError) as caught:
        deepseek.complete(PROMPT, Call(10))
    assert caught.value.kind == FailureKind.UNREACHABLE


def test_a_server_without_tls_behind_https_is_unreachable_and_gets_no_key(double: Double) -> None:
    with pytest.raises(ModelError) as caught:
        backend(double.url.replace("http:", "https:")).complete(PROMPT, Call(10))
    assert caught.value.kind == FailureKind.UNREACHABLE
    assert double.requests == []


def test_a_proxy_of_the_environment_does_not_carry_off_loopback_traffic(double, monkeypatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    assert ask(double).text == ANSWER


def test_a_redirect_is_not_followed_so_key_and_prompt_stay_here(double: Double) -> None:
    with deepseek_double() as other:
        double.default = Say(status=307, headers={"Location": f"{other.url}/chat/completions"})
        failure(double)
        assert other.requests == []


def test_no_balance_leaves_the_cloud_alone_for_ten_minutes(double: Double) -> None:
    now = [0.0]
    settings = Settings(home=Path("b"), memory_mode="cloud", deepseek_api_key=KEY, deepseek_base_url=double.url)
    backends = Backends(settings, clock=lambda: now[0])
    (deepseek,) = backends.cloud("fast")
    backends.failed(deepseek, ModelError(FailureKind.BALANCE, "no balance"))
    now[0] = 599
    assert "no balance" in str(backends.paused(deepseek))
    now[0] = 601
    assert backends.paused(deepseek) is None


def test_a_meter_that_refuses_stops_the_call_before_it_is_sent(double: Double) -> None:
    class Strict(Book):
        def started(self, attempt: Attempt) -> None:
            raise ModelError(FailureKind.BUDGET, "the month's budget is spent")

    error = failure(double, Strict())
    assert error.kind == FailureKind.BUDGET
    assert double.requests == []


@pytest.mark.parametrize(
    ("counted", "window"),
    [
        (5, 2048),  # tokens as we estimate them
        (None, 2048),
        (10, 870),  # twice as many as we thought: half the window, and a margin
    ],
)
def test_a_window_that_a_server_names_is_remembered(double, counted, window) -> None:
    settings = Settings(home=Path("b"), openai_compat_base_url=f"{double.url}/v1", openai_compat_model="m")
    compat = Backends(settings).local[0]
    body = {"error": {"code": 400, "type": "exceed_context_size_error", "n_prompt_tokens": counted, "n_ctx": 2048}}
    double.script = [Say(status=400, body=json.dumps(body))]
    with pytest.raises(ModelError) as caught:
        compat.complete(PROMPT, Call(10))
    assert caught.value.kind == FailureKind.TOO_LONG
    assert compat.ready().window_tokens == window
    compat.complete(PROMPT, Call(10))
    assert "thinking" not in double.requests[-1].body  # other servers refuse what they do not know
