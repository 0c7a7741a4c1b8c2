"""Where transcripts are looked for."""

from pathlib import Path

import pytest

from zerikai_memory.sessions.formats.registry import BY_NAME, FORMATS, places
from zerikai_memory.settings import AGENTS, load_settings

HOME = Path("/home/me")


def folders(chosen=(), platform="linux"):
    return [(place.format.name, place.folder.as_posix()) for place in places(HOME, chosen, platform)]


@pytest.mark.parametrize(
    ("platform", "agent", "folder"),
    [
        ("linux", "claude-code", "/home/me/.claude/projects"),
        ("linux", "codex", "/home/me/.codex/archived_sessions"),
        ("win32", "pi", "/home/me/.pi/agent/sessions"),
        ("linux", "vscode-chat", "/home/me/.config/Code/User"),
        ("darwin", "vscode-chat", "/home/me/Library/Application Support/Code/User"),
        ("win32", "vscode-chat", "/home/me/AppData/Roaming/Code - Insiders/User"),
    ],
)
def test_each_agent_has_its_places_on_each_system(platform, agent, folder):
    assert (agent, folder) in folders(platform=platform)


def test_a_named_agent_has_only_the_named_places_and_an_empty_one_none():
    settings = load_settings({"ZERIKAI_HOME": "/b", "SESSION_PLACES": "pi=~/a; pi=/c=d ;codex=;generic=~/logs"}, None)
    found = folders(settings.session_places)
    assert [folder for agent, folder in found if agent == "pi"] == ["/home/me/a", "/c=d"]
    assert [folder for agent, folder in found if agent == "generic"] == ["/home/me/logs"]
    assert not any(agent == "codex" for agent, _ in found)
    assert any(agent == "claude-code" for agent, _ in found)


@pytest.mark.parametrize("text", ["pi", "gemini=/x", "pi=/a;=", "/just/a/folder"])
def test_an_unusable_setting_is_named_and_the_default_used(text):
    settings = load_settings({"ZERIKAI_HOME": "/b", "SESSION_PLACES": text}, None)
    assert settings.session_places is None
    assert "SESSION_PLACES" in settings.problems[0]


def test_the_setting_the_formats_and_the_page_know_the_same_agents():
    page = (Path(__file__).resolve().parents[2] / "docs" / "sessions.md").read_text("utf-8")
    assert tuple(BY_NAME) == AGENTS == tuple(format.name for format in FORMATS)
    assert all(f"| `{agent}` |" in page for agent in AGENTS)
