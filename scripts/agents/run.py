"""Let real agents use the server, offline: each scans a project, asks, saves a note. Run: run.py FOLDER [NAME...]

FOLDER holds the installed agents. `make agents` puts pi and opencode there; `claude` and `codex` work too, by name,
once their npm packages are installed beside them. The model is scripted (scripted_model.py). Exit status 1 when an
agent did not get there.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from scripted_model import Call, ScriptedModel

SOURCE = '''\
def log_in(user):
    """Log a user in and count it."""
    return user
'''
NOTE = "Log-ins are counted per user on purpose."
SCRIPT = [
    Call("scan_workspace", {}),
    Call("query_memory", {"user_query": "where is a user logged in"}),
    Call("save_to_memory", {"content": NOTE, "category": "decision"}),
    Call("query_memory", {"user_query": "why are log-ins counted per user"}),
]
# What each reply must hold, whether the agent hands on our text or our data.
EXPECTED = ["completed", "log_in", "decision", NOTE]
TIMEOUT_S = 300


@dataclass(frozen=True, slots=True)
class Place:
    """Where one agent runs: the installed agents, an own home, the project, the brain and the model's address."""

    tools: Path
    home: Path
    project: Path
    brain: Path
    model_url: str

    @property
    def server(self) -> list[str]:
        """The command that the agent starts."""
        return [sys.executable, "-m", "zerikai_memory"]

    @property
    def settings(self) -> dict[str, str]:
        """The environment that the agent's configuration gives the server."""
        return {"ZERIKAI_HOME": str(self.brain)}

    def write(self, path: str, value: object) -> None:
        """A JSON file in the agent's home."""
        file = self.home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(value), encoding="utf-8")

    def bin(self, name: str) -> str:
        """An installed command."""
        return str(self.tools / "node_modules/.bin" / name)


def pi(place: Place) -> list[str]:
    """pi, with the snippet of the README."""
    entry = {"command": place.server[0], "args": place.server[1:], "env": place.settings, "exposure": "direct"}
    place.write(".pi/agent/mcp.json", {"mcpServers": {"zerikai-memory": entry}})
    provider = {"baseUrl": f"{place.model_url}/v1", "api": "openai-completions", "apiKey": "x"}
    place.write(".pi/agent/models.json", {"providers": {"scripted": provider | {"models": [{"id": "scripted"}]}}})
    return [place.bin("pi"), "-p", "--provider", "scripted", "--model", "scripted", "Use the memory."]


def opencode(place: Place) -> list[str]:
    """opencode, with the snippet of the docs."""
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": f"{place.model_url}/v1", "apiKey": "x"},
        "models": {"scripted": {"name": "scripted"}},
    }
    entry = {"type": "local", "command": place.server, "environment": place.settings, "enabled": True}
    settings = {
        "provider": {"scripted": provider},
        "model": "scripted/scripted",
        "small_model": "scripted/scripted",
        "autoupdate": False,
        "share": "disabled",
        "mcp": {"zerikai-memory": entry},
    }
    place.write(".config/opencode/opencode.json", settings)
    return [place.bin("opencode"), "run", "Use the memory."]


def claude(place: Place) -> list[str]:
    """Claude Code, registered by the command of the README."""
    env = [f"{name}={value}" for name, value in place.settings.items()]
    add = ["mcp", "add", "--env", *env, "--scope", "user", "zerikai-memory", "--", *place.server]
    subprocess.run(
        [place.bin("claude"), *add], env=_environment(place), cwd=place.project, check=True, stdout=subprocess.DEVNULL
    )
    allowed = ",".join(f"mcp__zerikai-memory__{call.tool}" for call in SCRIPT)
    return [place.bin("claude"), "-p", "Use the memory.", "--allowedTools", allowed]


def codex(place: Place) -> list[str]:
    """Codex, with the snippet of the docs."""
    env = ", ".join(f'{name} = "{value}"' for name, value in place.settings.items())
    folder = place.home / ".codex"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text(
        f"""
model = "scripted"
model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "{place.model_url}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
[mcp_servers.zerikai-memory]
command = "{place.server[0]}"
args = {json.dumps(place.server[1:])}
env = {{ {env} }}
startup_timeout_sec = 60
required = true
default_tools_approval_mode = "approve"
""",
        encoding="utf-8",
    )
    return [place.bin("codex"), "exec", "--skip-git-repo-check", "Use the memory."]


AGENTS: dict[str, Callable[[Place], list[str]]] = {"pi": pi, "opencode": opencode, "claude": claude, "codex": codex}


def main() -> int:
    """Run the agents named on the command line, or pi and opencode; the exit status."""
    names = sys.argv[2:] or ["pi", "opencode"]
    failed = 0
    print(f"{'agent':10} {'tools':>5} {'calls':>5} {'s':>5}")
    for name in names:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            failed += _try(name, Path(sys.argv[1]).resolve(), Path(folder))
    return 1 if failed else 0


def _try(name: str, tools: Path, folder: Path) -> bool:
    """Whether the agent failed; prints its line."""
    with ScriptedModel(SCRIPT) as model:
        place = Place(tools, folder / "home", folder / "project", folder / "brain", model.url)
        for path in (place.home, place.project):
            path.mkdir()
        (place.project / "users.py").write_text(SOURCE, encoding="utf-8")
        (place.project / "pyproject.toml").write_text('[project]\nname = "project"\n', encoding="utf-8")
        started = time.monotonic()
        command = AGENTS[name](place)
        done = subprocess.run(
            command,
            cwd=place.project,
            env=_environment(place),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        seconds = time.monotonic() - started
    missing = [
        f"{call.tool}: expected {wanted!r} in {result[:300]!r}"
        for call, wanted, result in zip(SCRIPT, EXPECTED, [*model.results, *[""] * len(SCRIPT)], strict=False)
        if wanted not in result
    ]
    ours = [
        tool for tool in model.offered if any(tool.endswith(call.tool) for call in SCRIPT) or "update_brief" in tool
    ]
    print(f"{name:10} {len(ours):5} {len(model.results):5} {seconds:5.1f}  {', '.join(ours)}", flush=True)
    for text in missing:
        print(f"  {text}")
    if missing:
        print(f"  status {done.returncode}, requests {model.requests}\n{done.stdout[-1500:]}{done.stderr[-1500:]}")
    return bool(missing)


def _environment(place: Place) -> dict[str, str]:
    """A fresh home, nothing of the person's, no way out but loopback asked for."""
    node = place.tools / "node_modules/node/bin"
    return {
        "PATH": f"{node}:{os.environ['PATH']}",
        "HOME": str(place.home),
        "PI_OFFLINE": "1",
        "SCRIPTED_KEY": "x",
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "ANTHROPIC_BASE_URL": place.model_url,
        "ANTHROPIC_AUTH_TOKEN": "x",
        "IS_SANDBOX": "1",
        "MCP_CONNECTION_NONBLOCKING": "0",
        "ENABLE_TOOL_SEARCH": "false",  # else only query_memory is shown from the start, by its alwaysLoad mark
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }


if __name__ == "__main__":
    sys.exit(main())
