"""Ollama through its official client: which model, what is sent, silent cuts, models that run elsewhere."""

from __future__ import annotations

import threading
import time

import pytest

from tests.llm.ollama_face import ollama_face
from zerikai_memory.llm.base import Call, FailureKind, ModelError, Prompt, TokenUse
from zerikai_memory.llm.ollama import NUM_CTX, Ollama

PROMPT = Prompt("system " * 50, "user " * 50, 100)


def local(url: str, model: str | None = None) -> Ollama:
    return Ollama(url, model, allow_remote=False)


def names(*models: str) -> list[dict[str, str]]:
    return [{"name": name} for name in models]


def test_the_window_is_fixed_and_thinking_off() -> None:
    with ollama_face() as face:
        reply = local(face.url).complete(PROMPT, Call(10))
    assert reply.text == "A local answer."
    assert reply.usage == TokenUse(prompt=150, completion=5)
    (body,) = face.requests
    assert (body["options"]["num_ctx"], body["options"]["num_predict"], body["think"]) == (NUM_CTX, 100, False)
    assert [m["role"] for m in body["messages"]] == ["system", "user"]


@pytest.mark.parametrize(
    ("models", "loaded", "wanted", "chosen"),
    [
        (["a:1b", "b:1b"], [], None, "a:1b"),  # the first installed
        (["a:1b", "b:1b"], ["b:1b"], None, "b:1b"),  # the loaded one
        (["big:cloud", "b:1b"], ["big:cloud"], None, "b:1b"),  # never one that runs elsewhere
        (["a:latest"], [], "a", "a:latest"),
        (["a:1b", "b:1b"], ["a:1b"], "b:1b", "b:1b"),
    ],
)
def test_the_model_is_the_configured_the_loaded_or_the_first(models, loaded, wanted, chosen) -> None:
    with ollama_face(models=names(*models), loaded=loaded) as face:
        assert local(face.url, wanted).ready().model == chosen


@pytest.mark.parametrize(
    ("models", "wanted", "kind"),
    [
        (names("gpt-oss:120b-cloud"), "gpt-oss:120b-cloud", FailureKind.PRIVACY),
        (names("gpt-oss:cloud"), "gpt-oss:cloud", FailureKind.PRIVACY),
        # a copy under an honest name still says where it runs
        ([{"name": "mine", "remote_host": "https://ollama.com:443"}], "mine", FailureKind.PRIVACY),
        (names("gpt-oss:cloud"), None, FailureKind.NO_MODEL),
        (names("a"), "b", FailureKind.NO_MODEL),
        ([], None, FailureKind.NO_MODEL),
    ],
)
def test_models_that_run_elsewhere_are_refused_behind_the_wall(models, wanted, kind) -> None:
    with ollama_face(models=models) as face:
        with pytest.raises(ModelError) as caught:
            local(face.url, wanted).complete(PROMPT, Call(10))
        assert face.requests == []
    assert caught.value.kind == kind


def test_outside_the_wall_they_may_be_named_and_count_as_remote() -> None:
    with ollama_face(models=[*names("a:cloud"), {"name": "mine", "remote_host": "https://ollama.com"}]) as face:
        for name in ("a:cloud", "mine"):
            cloud = Ollama(face.url, name, allow_remote=True)
            assert cloud.remote
            assert cloud.complete(PROMPT, Call(10)).model == name


def test_a_host_beyond_this_machine_is_refused_behind_the_wall_unasked() -> None:
    far = local("http://192.0.2.1:11434")
    assert far.remote
    with pytest.raises(ModelError) as caught:
        far.ready()
    assert caught.value.kind == FailureKind.PRIVACY


def test_nothing_there_is_found_out_at_once_and_remembered() -> None:
    nobody = local("http://127.0.0.1:9")
    for _ in range(2):
        with pytest.raises(ModelError, match="no Ollama answers"):
            nobody.ready()


@pytest.mark.parametrize(
    ("state", "warned", "partial"),
    [
        ({"cut_at": 20}, "read only 20 tokens", False),  # 200, and half the prompt unread
        ({"finish": "length"}, "length limit", False),
        ({"ends": False}, "broke off", True),
        ({"counts": False}, "", False),  # older servers count nothing of a cached prompt
    ],
)
def test_an_answer_to_less_than_was_asked_says_so(state, warned, partial) -> None:
    with ollama_face(**state) as face:
        reply = local(face.url).complete(PROMPT, Call(10))
    assert warned in "\n".join(reply.warnings)
    assert bool(reply.warnings) == bool(warned)
    assert reply.partial is partial


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (404, FailureKind.NO_MODEL),
        (500, FailureKind.SERVER),
        (503, FailureKind.BUSY),
        (400, FailureKind.REJECTED),
    ],
)
def test_an_error_of_the_server_is_told(status, kind) -> None:
    with ollama_face(status=status) as face, pytest.raises(ModelError) as caught:
        local(face.url).complete(PROMPT, Call(10))
    assert caught.value.kind == kind


def test_an_empty_answer_is_none() -> None:
    with ollama_face(answer="") as face, pytest.raises(ModelError) as caught:
        local(face.url).complete(PROMPT, Call(10))
    assert caught.value.kind == FailureKind.BLANK


@pytest.mark.parametrize("by_cancel", [True, False])
def test_a_slow_model_is_left_and_its_connection_closed(by_cancel: bool) -> None:
    with ollama_face(silent_s=30) as face:
        stop = threading.Event()
        threading.Timer(1.0, stop.set).start()
        call = Call(30, stop.is_set) if by_cancel else Call(1.0)
        begun = time.monotonic()
        with pytest.raises(ModelError) as caught:
            local(face.url).complete(PROMPT, call)
        assert caught.value.kind == (FailureKind.CANCELLED if by_cancel else FailureKind.TIMEOUT)
        assert time.monotonic() - begun < 20
        if face.requests:  # importing the client may have taken the whole second
            assert face.hung_up.wait(20)


@pytest.mark.parametrize(
    "embedding_only",
    [{"name": "nomic-embed-text:latest"}, {"name": "mini:latest", "details": {"family": "bert"}}],
)
def test_a_model_that_only_embeds_is_not_chosen_to_answer(embedding_only) -> None:
    with ollama_face(models=[embedding_only, *names("a:1b")]) as face:
        assert local(face.url).ready().model == "a:1b"
    with ollama_face(models=[embedding_only]) as face, pytest.raises(ModelError) as caught:
        local(face.url).ready()
    assert caught.value.kind == FailureKind.NO_MODEL
