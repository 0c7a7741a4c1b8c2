"""Every transcript format by its agent's name, and where each agent keeps its files on this system."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from zerikai_memory.sessions.formats.antigravity import ANTIGRAVITY
from zerikai_memory.sessions.formats.base import Format
from zerikai_memory.sessions.formats.claude_code import CLAUDE_CODE
from zerikai_memory.sessions.formats.codex import CODEX
from zerikai_memory.sessions.formats.copilot_cli import COPILOT_CLI
from zerikai_memory.sessions.formats.generic import GENERIC
from zerikai_memory.sessions.formats.pi import PI
from zerikai_memory.sessions.formats.vscode_chat import VSCODE_CHAT

FORMATS: tuple[Format, ...] = (CLAUDE_CODE, CODEX, ANTIGRAVITY, PI, COPILOT_CLI, VSCODE_CHAT, GENERIC)
BY_NAME = {format.name: format for format in FORMATS}

_PLACES = (
    ("claude-code", ".claude/projects"),
    ("claude-code", ".config/claude/projects"),
    ("codex", ".codex/sessions"),
    ("codex", ".codex/archived_sessions"),
    ("antigravity", ".gemini/antigravity/brain"),
    ("antigravity", ".gemini/antigravity-ide/brain"),
    ("antigravity", ".gemini/antigravity-cli/brain"),
    ("pi", ".pi/agent/sessions"),
    ("copilot-cli", ".copilot/session-state"),
)
_EDITORS = ("Code", "Code - Insiders", "VSCodium")
_EDITOR_DATA = {"darwin": "Library/Application Support", "win32": "AppData/Roaming"}


@dataclass(frozen=True, slots=True)
class Place:
    """A folder that holds transcripts of one format."""

    format: Format
    folder: Path


def places(home: Path, chosen: Sequence[tuple[str, str]] = (), platform: str = sys.platform) -> tuple[Place, ...]:
    """Where transcripts are looked for: the default places of each agent, replaced for the agents that `chosen` names.

    `chosen` is (agent, folder) pairs whose folders may begin with `~`; an agent named with an empty folder is left out.
    """
    data = home / _EDITOR_DATA.get(platform, ".config")
    defaults = [(agent, home / folder) for agent, folder in _PLACES]
    defaults += [("vscode-chat", data / editor / "User") for editor in _EDITORS]
    named = {agent for agent, _ in chosen}
    own = [(agent, _at_home(folder, home)) for agent, folder in chosen if folder]
    found = [(agent, folder) for agent, folder in defaults if agent not in named] + own
    return tuple(Place(BY_NAME[agent], folder) for agent, folder in found)


def _at_home(folder: str, home: Path) -> Path:
    return home / folder[2:] if folder.startswith(("~/", "~\\")) else Path(folder)
