"""Against a real llama.cpp server (packages xllamacpp and gguf, else skipped): counts, cache, overflow, cancel."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.llm.ollama_face import ollama_face
from zerikai_memory.app import Memory
from zerikai_memory.llm.base import Attempt, AttemptEnd, Call, FailureKind, ModelError, Prompt
from zerikai_memory.llm.ollama import Ollama
from zerikai_memory.llm.openai_compat import OpenAICompat, ServerSpec
from zerikai_memory.settings import Settings

pytestmark = pytest.mark.skipif(
    find_spec("xllamacpp") is None or find_spec("gguf") is None, reason="pip install xllamacpp gguf"
)
ROOT = Path(__file__).resolve().parents[2]
QUESTIONS = ("how does the cart add an item", "where is everything paid for", "what is in the cart")


@contextmanager
def llama_server(folder: Path, n_ctx: int, *more: str) -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "tests.llm.llama_server", str(folder), str(port), str(n_ctx), *more]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        for _ in range(300):
            try:
                with opener.open(f"{url}/health", timeout=1):
                    break
            except OSError:
                time.sleep(0.1)
        yield f"{url}/v1"
    finally:
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with llama_server(tmp_path_factory.mktemp("llama"), 32_768) as running:
        yield running


class Book:
    def __init__(self) -> None:
        self.ends: list[AttemptEnd] = []

    def started(self, attempt: Attempt) -> None:
        pass

    def ended(self, attempt: Attempt, end: AttemptEnd) -> None:
        self.ends.append(end)


@pytest.fixture
def ask(home: Path, tmp_path: Path, workspace: Path) -> Iterator[Callable[..., tuple[Memory, list[AttemptEnd]]]]:
    """Ask QUESTIONS about a small scanned project; gives the memory and how the attempts ended."""
    (workspace / "cart.py").write_text(
        'def add(cart, item):\n    """Add an item to the cart."""\n\n\ndef pay(cart):\n    """Pay for everything."""\n'
    )
    made: list[Memory] = []

    def run(server: str, brief: str) -> tuple[Memory, list[AttemptEnd]]:
        book = Book()
        settings = Settings(home=home, vector_store="exact", openai_compat_base_url=server, openai_compat_model="tiny")
        memory = Memory(settings, cwd=tmp_path, attempts=book)
        made.append(memory)
        memory.scan(str(workspace), mirror_wait_s=60)
        memory.set_brief(brief, str(workspace))
        book.ends.clear()
        for question in QUESTIONS:
            answer = memory.query(question, str(workspace))
            assert answer.route.backend == "openai_compat", answer
        return memory, book.ends

    yield run
    for memory in made:
        memory.close()


def brief_text(word: str) -> str:
    return "# cart\n\n## Overview\n" + f"A cart of {word}, with items in it. " * 60


def test_the_second_question_reuses_the_brief_and_a_changed_brief_does_not(ask, url, workspace) -> None:
    memory, ends = ask(url, brief_text("apples"))
    brief_tokens = len(brief_text("apples"))  # every character is a token of this model
    cached = [end.usage.cached or 0 for end in ends]
    assert all(end.usage.prompt and end.usage.prompt > brief_tokens for end in ends)
    assert cached[0] < 0.95 * brief_tokens
    assert min(cached[1:]) >= 0.95 * brief_tokens
    memory.set_brief(brief_text("pears, plums"), str(workspace))
    memory.query(QUESTIONS[0], str(workspace))
    assert (ends[-1].usage.cached or 0) < 0.95 * brief_tokens


def test_a_window_too_small_is_told_by_the_server_and_the_prompt_packed_anew(ask, tmp_path) -> None:
    with llama_server(tmp_path, 8_192) as small:
        _, ends = ask(small, brief_text("apples")[:3_000])
    assert [end.status for end in ends].count("ok") + [end.status for end in ends].count("partial") == len(QUESTIONS)


def test_text_arrives_in_pieces_and_cancel_ends_it(url: str) -> None:
    llama = OpenAICompat(ServerSpec("llama", url, "tiny"))
    seen: list[int] = []
    reply = llama.complete(Prompt("system", "question", 40), Call(30, progress=seen.append))
    assert reply.usage.completion
    before = len(seen)
    assert before > 5
    with pytest.raises(ModelError) as caught:
        llama.complete(Prompt("system", "question", 30_000), Call(60, lambda: len(seen) > before, seen.append))
    assert caught.value.kind == FailureKind.CANCELLED


def test_the_official_ollama_client_gets_true_counts_through_a_face(url: str) -> None:
    prompt = Prompt("s" * 3_000, "question " * 10, 20)
    with ollama_face(upstream=url) as face:
        reply = Ollama(face.url, None, allow_remote=False).complete(prompt, Call(60))
    assert reply.text
    assert reply.usage.completion == 20
    # Each character is a token of this model, and the roles have some of their own.
    assert 3_090 <= (reply.usage.prompt or 0) < 3_200


def test_a_project_is_embedded_and_a_text_over_the_window_is_cut(home: Path, workspace: Path, tmp_path: Path) -> None:
    (workspace / "cart.py").write_text(
        'def add(cart, item):\n    """Add an item to the cart."""\n\n\n'
        'def pay(cart):\n    """' + "Pay all. " * 150 + '"""\n'
    )
    with llama_server(tmp_path, 2_048, "embed") as server:
        memory = Memory(Settings(home=home, vector_store="exact", embedding=f"openai:tiny@{server}"))
        report = memory.scan(str(workspace))
        answer = memory.query("how does the cart add an item", str(workspace))
        view = memory._brain.view(report.workspace_id).get()
        memory.close()
    assert report.warnings == ()
    assert view.vectors.shape[1] == 64
    assert view.vectors.any(axis=1).all()
    assert answer.results[0].name == "add"
    assert answer.results[0].distance is not None
