"""What doctor says of models; the cloud is never asked by it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.llm.ollama_face import ollama_face
from zerikai_memory.app import Memory
from zerikai_memory.settings import Settings


def finding(home: Path, **settings: object):
    memory = Memory(Settings(home=home, **({"ollama_host": "http://127.0.0.1:9"} | settings)))
    try:
        (found,) = [f for f in memory.doctor() if f.check == "models"]
        return found
    finally:
        memory.close()


@pytest.mark.parametrize(
    ("settings", "level", "said"),
    [
        ({}, "ok", "none, answers quote the index"),
        ({"memory_mode": "cloud"}, "warning", "no model can be asked"),
        ({"memory_mode": "cloud", "deepseek_api_key": "sk-1"}, "ok", "deepseek deepseek-flash beyond this machine"),
        ({"deepseek_api_key": "sk-1"}, "ok", "none, answers quote the index"),  # a key alone is no wish
    ],
)
def test_doctor_names_the_models_that_could_be_asked(home, settings, level, said) -> None:
    found = finding(home, **settings)
    assert found.level == level
    assert said in found.message


def test_doctor_names_the_model_on_this_machine(home: Path) -> None:
    with ollama_face() as face:
        assert "ollama small:latest on this machine" in finding(home, ollama_host=face.url).message
