"""Vectors from model servers: both protocols, the wall, keys, retries, odd replies."""

from __future__ import annotations

import logging
import socket
from pathlib import Path

import numpy as np
import pytest

from tests.fake_embedder import FakeEmbedder
from tests.llm.vector_server import VectorServer, vector_server
from zerikai_memory.embed.choose import open_embedder
from zerikai_memory.embed.remote import RemoteEmbedder
from zerikai_memory.errors import EmbeddingError
from zerikai_memory.llm.vectors import vector_source
from zerikai_memory.settings import Settings, load_settings

KINDS = ("ollama", "openai")


def settings_for(kind: str, server: VectorServer, **more: object) -> Settings:
    name = "ollama:tiny" if kind == "ollama" else f"openai:tiny@{server.url}/v1"
    return Settings(home=Path("/nowhere"), embedding=name, ollama_host=server.url, **more)


def embedder_for(kind: str, server: VectorServer, **more: object) -> RemoteEmbedder:
    settings = settings_for(kind, server, **more)
    return open_embedder(settings.embedding, vector_source(settings))


@pytest.mark.parametrize("kind", KINDS)
def test_texts_get_unit_vectors_in_their_order(kind: str) -> None:
    texts = [f"text number {i} of many" for i in range(150)]
    with vector_server() as server:
        embedder = embedder_for(kind, server)
        vectors = embedder.encode([*texts, " "])
        assert embedder.dimensions == 32
    assert np.abs(vectors[:-1] - FakeEmbedder("server", 32).encode(texts)).max() < 1e-6
    assert not vectors[-1].any()
    assert [len(part) for part in server.inputs] == [64, 64, 22]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("reply", "told"),
    [
        ([[1.0, 2.0]], "1 vectors for 2 texts"),
        ([[1.0, 2.0], [1.0]], "numbers"),
        ([[1.0, 2.0], [float("nan"), 1.0]], "without direction"),
        ([[1.0, 2.0], [0.0, 0.0]], "without direction"),
        ([[], []], "numbers"),
    ],
)
def test_a_reply_that_is_no_vectors_is_told(kind: str, reply: list[list[float]], told: str) -> None:
    with vector_server(reply=reply) as server, pytest.raises(EmbeddingError, match=told):
        embedder_for(kind, server).encode(["one", "two"])


@pytest.mark.parametrize("reply", ["no list", [["a", "b"], ["c", "d"]], [None, None], 7])
def test_a_reply_of_another_shape_is_told(reply: object) -> None:
    with vector_server(reply=reply) as server:
        for kind in KINDS:
            with pytest.raises(EmbeddingError):
                embedder_for(kind, server).encode(["one", "two"])


@pytest.mark.parametrize("kind", KINDS)
def test_another_length_than_before_is_told(kind: str) -> None:
    with vector_server() as server:
        embedder = embedder_for(kind, server)
        assert embedder.dimensions == 32
        server.dimensions = 16
        with pytest.raises(EmbeddingError, match=r"\[16\] numbers, expected 32"):
            embedder.encode(["one", "two"])


@pytest.mark.parametrize("kind", KINDS)
def test_a_busy_server_is_asked_again(kind: str) -> None:
    with vector_server(statuses=[429 if kind == "openai" else 503]) as server:
        assert embedder_for(kind, server).encode(["one", "two"]).any()
        assert len(server.inputs) == 2


@pytest.mark.parametrize("kind", KINDS)
def test_a_text_that_is_too_long_is_cut_and_the_others_are_not(kind: str) -> None:
    long = "word " * 200
    with vector_server(longest=300) as server:
        embedder_for(kind, server).encode(["short one", long, "short two", "short three"])
    kept = {text for part in server.inputs for text in part if len(text) <= 300}
    assert {"short one", "short two", "short three", long[:250]} <= kept


@pytest.mark.parametrize("kind", KINDS)
def test_secrets_are_masked_before_they_are_sent(kind: str) -> None:
    with vector_server() as server:
        embedder_for(kind, server).encode(["token = 'ghp_" + "a1B2" * 9 + "'", "plain"])
    assert "ghp_" not in str(server.inputs)
    assert "[masked]" in str(server.inputs)


def test_a_question_does_not_wait_for_a_server_that_has_just_failed() -> None:
    now = [0.0]
    with vector_server(statuses=[401, 401]) as server:
        source = vector_source(settings_for("openai", server))
        embedder = RemoteEmbedder(source, clock=lambda: now[0])
        for _ in range(3):
            with pytest.raises(EmbeddingError, match="key"):
                embedder.encode(["question"])
        assert len(server.inputs) == 1
        now[0] = 31.0
        with pytest.raises(EmbeddingError):
            embedder.encode(["question"])
        now[0] = 62.0
        assert embedder.encode(["question"]).any()


@pytest.mark.parametrize(
    ("embedding", "more"),
    [
        ("openai:m@https://api.openai.com/v1", {}),
        ("openai:m@http://192.0.2.7:8080/v1", {}),
        ("openai:m@http://localhost.evil.example/v1", {}),
        ("ollama:m", {"ollama_host": "http://192.0.2.7:11434"}),
        ("ollama:m:cloud", {}),
        ("ollama:m:120b-cloud", {}),
    ],
)
def test_behind_the_wall_nothing_beyond_this_machine_is_connected_to(
    embedding: str, more: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: object, **options: object) -> None:
        raise AssertionError(f"a socket was opened: {args}")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    settings = Settings(home=Path("/nowhere"), embedding=embedding, **more)
    embedder = open_embedder(embedding, vector_source(settings))
    for texts in (["one"], ["one", "two"]):
        with pytest.raises(EmbeddingError, match=r"EMBEDDING=.*(not on this machine|remote server)"):
            embedder.encode(texts)


def test_a_local_name_of_a_remote_model_is_refused_unasked() -> None:
    with vector_server(models=[{"name": "tiny:latest", "remote_host": "https://ollama.com"}]) as server:
        with pytest.raises(EmbeddingError, match="remote server"):
            embedder_for("ollama", server).encode(["one", "two"])
        assert server.inputs == []


def test_a_server_beyond_the_machine_is_asked_outside_the_wall() -> None:
    with vector_server(models=[{"name": "tiny:latest", "remote_host": "https://ollama.com"}]) as server:
        assert embedder_for("ollama", server, memory_mode="hybrid").encode(["one", "two"]).any()


@pytest.mark.parametrize(
    ("more", "sent"),
    [
        ({"embedding_api_key": "own-key-123"}, "own-key-123"),
        ({"openai_compat_api_key": "chat-key-123", "openai_compat_base_url": "{url}/v1"}, "chat-key-123"),
        # a key for another server is not sent to this one
        ({"openai_compat_api_key": "chat-key-123", "openai_compat_base_url": "https://other.example/v1"}, "none"),
    ],
)
def test_the_key_for_this_server_is_sent_and_never_shown(
    more: dict[str, str], sent: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with vector_server(statuses=[200, 401]) as server:
        filled = {name: value.format(url=server.url) for name, value in more.items()}
        embedder = embedder_for("openai", server, **filled)
        with pytest.raises(EmbeddingError) as first:  # 200 with an error as its body holds no vectors
            embedder.encode(["one", "two"])
        with pytest.raises(EmbeddingError) as second:
            embedder.encode(["one", "two"])
    assert set(server.keys) == {f"Bearer {sent}"}
    for shown in (str(first.value), str(second.value), embedder.fingerprint, caplog.text):
        assert "key-123" not in shown


def test_a_silent_server_ends_at_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zerikai_memory.embed.remote.QUESTION_DEADLINE_S", 0.3)
    with vector_server(silent_s=1.0) as server, pytest.raises(EmbeddingError, match=r"within|in time"):
        embedder_for("openai", server).encode(["question"])


@pytest.mark.parametrize(
    ("text", "embedding"),
    [
        ("minilm", "minilm"),
        ("ollama:nomic-embed-text:v1.5", "ollama:nomic-embed-text:v1.5"),
        ("openai:a/b@1@http://127.0.0.1:8080/v1/", "openai:a/b@1@http://127.0.0.1:8080/v1"),
    ],
)
def test_the_setting_names_a_model_and_its_server(text: str, embedding: str, tmp_path: Path) -> None:
    settings = load_settings({"ZERIKAI_HOME": str(tmp_path), "EMBEDDING": text})
    assert (settings.embedding, settings.problems) == (embedding, ())


@pytest.mark.parametrize(
    "text",
    [
        "ollama:",
        "openai:model",
        "openai:@http://127.0.0.1/v1",
        "openai:m@ftp://x",
        "openai:m@http://u:pass@h/v1",
        "glove",
    ],
)
def test_a_setting_that_names_none_is_told_and_the_default_used(text: str, tmp_path: Path) -> None:
    settings = load_settings({"ZERIKAI_HOME": str(tmp_path), "EMBEDDING": text})
    assert settings.embedding == "static"
    (problem,) = settings.problems
    assert problem.startswith("EMBEDDING ")
    assert "pass" not in problem
