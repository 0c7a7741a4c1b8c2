"""Transcripts of every format made by rule: seeded, with torn lines, unknown events, replays and planted messages.

Run: python -m tests.sessions.generator FOLDER [MB] writes so many MB (10) of every format below FOLDER.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

START = 1_770_000_000
PROJECTS = tuple(f"/home/dev/project{number}" for number in range(25))
_SYLLABLES = "ba ce di fo gu ka le mi no pu ra se ti vo zu dra fle gri plo stu wen zor".split()
_TOOLS = ("Read", "Edit", "Bash", "Grep")


@dataclass
class Talk:
    """One session to write: pairs of (role, text) and where it ran."""

    session: str
    project: str
    started: float
    said: list[tuple[str, str]] = field(default_factory=list)

    def at(self, number: int) -> str:
        return datetime.fromtimestamp(self.started + number, UTC).isoformat().replace("+00:00", "Z")


def vocabulary(seed: int, size: int = 20_000) -> list[str]:
    rng = random.Random(seed)
    return ["".join(rng.choices(_SYLLABLES, k=rng.randint(2, 4))) for _ in range(size)]


def talks(seed: int, sessions: int, messages: int) -> list[Talk]:
    """Sessions of prose whose words are as unevenly frequent as in a language."""
    rng, words = random.Random(seed), vocabulary(seed)
    made = []
    for number in range(sessions):
        uuid = f"{number:08x}-{seed:04x}-4000-8000-{rng.getrandbits(48):012x}"
        talk = Talk(uuid, rng.choice(PROJECTS), START + number * 10_000)
        for index in range(messages):
            role = ("user", "assistant", "tool", "assistant")[index % 4]
            talk.said.append((role, _sentence(rng, words)))
        made.append(talk)
    return made


def _sentence(rng: random.Random, words: Sequence[str]) -> str:
    return " ".join(words[min(int(rng.paretovariate(0.6)) - 1, len(words) - 1)] for _ in range(rng.randint(6, 60)))


def claude_code(talk: Talk) -> Iterator[dict]:
    for n, (role, text) in enumerate(talk.said):
        line = {
            "type": "user" if role == "user" else "assistant",
            "uuid": f"{talk.session}-{n}",
            "sessionId": talk.session,
            "cwd": talk.project,
            "timestamp": talk.at(n),
        }
        if role == "user":
            yield line | {"message": {"role": "user", "content": text}}
            continue
        if role == "tool":
            name, call = _TOOLS[n % 4], f"toolu_{talk.session}_{n}"
            block = {"type": "tool_use", "id": call, "name": name, "input": {"file_path": f"src/m{n}.py"}}
        else:
            block = {"type": "text", "text": text}
        message = {"id": f"msg_{talk.session}_{n}", "role": "assistant", "content": [block]}
        yield line | {"requestId": f"req_{n}", "message": message}
        if role == "tool":
            result = [{"type": "tool_result", "tool_use_id": call, "content": text * 4}]
            yield line | {"type": "user", "message": {"role": "user", "content": result}}


def codex(talk: Talk) -> Iterator[dict]:
    yield _codex(talk, 0, "session_meta", {"id": talk.session, "cwd": talk.project})
    for n, (role, text) in enumerate(talk.said):
        if role == "tool":
            arguments = json.dumps({"command": ["cat", f"src/m{n}.py"]})
            call = {"type": "function_call", "name": "shell", "arguments": arguments, "call_id": f"c-{n}"}
            yield _codex(talk, n, "response_item", call)
            yield _codex(
                talk, n, "response_item", {"type": "function_call_output", "call_id": f"c-{n}", "output": text * 4}
            )
            continue
        kind = "input_text" if role == "user" else "output_text"
        content = [{"type": kind, "text": text}]
        yield _codex(talk, n, "response_item", {"type": "message", "role": role, "content": content})
        event = "user_message" if role == "user" else "agent_message"
        yield _codex(talk, n + 0.25, "event_msg", {"type": event, "message": text})


def _codex(talk: Talk, n: float, kind: str, payload: dict) -> dict:
    return {"timestamp": talk.at(n), "type": kind, "payload": payload}


def antigravity(talk: Talk) -> Iterator[dict]:
    for n, (role, text) in enumerate(talk.said):
        step = {"step_index": n, "status": "DONE", "created_at": talk.at(n)}
        if role == "user":
            content = f"<USER_REQUEST>\n{text}\n</USER_REQUEST>\n<ADDITIONAL_METADATA>now</ADDITIONAL_METADATA>"
            yield step | {"source": "USER_EXPLICIT", "type": "USER_INPUT", "content": content}
        elif role == "tool":
            calls = [{"name": "view_file", "args": {"AbsolutePath": f"/src/m{n}.py"}}]
            yield step | {"source": "MODEL", "type": "PLANNER_RESPONSE", "content": "", "tool_calls": calls}
            yield step | {"source": "MODEL", "type": "VIEW_FILE", "content": text * 4}
        else:
            yield step | {"source": "MODEL", "type": "PLANNER_RESPONSE", "content": text, "thinking": "hidden"}


def pi(talk: Talk) -> Iterator[dict]:
    yield {"type": "session", "version": 3, "id": talk.session, "timestamp": talk.at(0), "cwd": talk.project}
    for n, (role, text) in enumerate(talk.said):
        block = {"type": "text", "text": text}
        if role == "tool":
            block = {"type": "toolCall", "id": f"call_{n}", "name": "edit", "arguments": {"path": f"src/m{n}.py"}}
        message = {"role": "user" if role == "user" else "assistant", "content": [block]}
        entry = {"id": f"e{n}", "parentId": f"e{n - 1}" if n else None, "timestamp": talk.at(n)}
        yield {"type": "message", **entry, "message": message}


def copilot_cli(talk: Talk) -> Iterator[dict]:
    yield _event(talk, 0, "session.start", {"sessionId": talk.session, "context": {"cwd": talk.project}})
    for n, (role, text) in enumerate(talk.said):
        if role == "user":
            yield _event(talk, n, "user.message", {"content": text, "transformedContent": f"<hidden>{text}</hidden>"})
        elif role == "tool":
            request = {"toolCallId": f"t{n}", "name": "view", "arguments": {"path": f"src/m{n}.py"}}
            yield _event(talk, n, "assistant.message", {"content": "", "toolRequests": [request]})
            result = {"toolCallId": f"t{n}", "success": True, "result": {"content": text * 4}}
            yield _event(talk, n, "tool.execution_complete", result)
        else:
            yield _event(talk, n, "assistant.message", {"content": text})


def _event(talk: Talk, n: int, kind: str, data: dict) -> dict:
    return {"type": kind, "data": data, "id": f"ev{n}", "timestamp": talk.at(n), "parentId": None}


def vscode_chat(talk: Talk) -> Iterator[dict]:
    """The mutation log: an empty session, then a push per request and per part of the answer."""
    yield {"kind": 0, "v": {"version": 3, "sessionId": talk.session, "requests": []}}
    number = -1
    for n, (role, text) in enumerate(talk.said):
        if role == "user":
            number += 1
            stamp = int((talk.started + n) * 1000)
            request = {
                "requestId": f"r-{talk.session}-{n}",
                "timestamp": stamp,
                "message": {"text": text},
                "response": [],
            }
            yield {"kind": 2, "k": ["requests"], "v": [request]}
        elif role == "tool":
            part = {
                "kind": "toolInvocationSerialized",
                "toolId": "view",
                "pastTenseMessage": {"value": f"Read m{n}.py"},
            }
            yield {"kind": 2, "k": ["requests", number, "response"], "v": [part]}
        else:
            yield {"kind": 2, "k": ["requests", number, "response"], "v": [{"value": text + " "}]}


def generic(talk: Talk) -> Iterator[dict]:
    for n, (role, text) in enumerate(talk.said):
        line = {"session": talk.session, "cwd": talk.project, "role": role, "timestamp": talk.at(n)}
        yield line | ({"name": "read", "target": f"src/m{n}.py"} if role == "tool" else {"content": text})


@dataclass(frozen=True)
class Maker:
    """How a format's lines are made, and where its file lies below the fake home folder of `archives`."""

    lines: Callable[[Talk], Iterator[dict]]
    path: str


MAKERS = {
    "claude-code": Maker(claude_code, "claude/projects/-p/{session}.jsonl"),
    "codex": Maker(codex, "codex/sessions/2026/02/02/rollout-2026-02-02T09-00-00-{session}.jsonl"),
    "antigravity": Maker(
        antigravity, "gemini/antigravity/brain/{session}/.system_generated/logs/transcript_full.jsonl"
    ),
    "pi": Maker(pi, "pi/agent/sessions/--p--/2026-02-02T09-00-00-000Z_{session}.jsonl"),
    "copilot-cli": Maker(copilot_cli, "copilot/session-state/{session}/events.jsonl"),
    "vscode-chat": Maker(vscode_chat, "Code/User/workspaceStorage/h/chatSessions/{session}.jsonl"),
    "generic": Maker(generic, "other/{session}.jsonl"),
}


def write(home: Path, agent: str, talk: Talk, *, damage: bool = False) -> Path:
    """Write a session file; with `damage` every 50th line is torn or unknown, and every 70th is written again."""
    maker = MAKERS[agent]
    path = home / maker.path.format(session=talk.session)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        for number, line in enumerate(maker.lines(talk)):
            text = json.dumps(line) + "\n"
            file.write(text)
            if damage and number % 50 == 25:
                file.write(text[: len(text) // 2] + "\n" + '{"type": "brand.new", "kind": 99}\n')
            if damage and number % 70 == 35 and agent != "vscode-chat":  # there a copy is a change
                file.write(text)
    return path


def write_fork(home: Path, agent: str, talk: Talk, more: Talk) -> Path | None:
    """Write a session that tells all of `talk` again, as the agent's forks do, and goes on with `more`; None: no forks.

    Claude Code copies lines under its own session id, Codex says all anew at times of its own, pi copies entries.
    """
    if agent not in ("claude-code", "codex", "pi"):
        return None
    old, own = list(MAKERS[agent].lines(talk)), list(MAKERS[agent].lines(more))
    if agent == "claude-code":
        lines = [line | {"sessionId": more.session} for line in old] + own
    elif agent == "codex":
        anew = Talk(talk.session, talk.project, more.started - len(talk.said) - 1, talk.said)
        head = own[0]["payload"] | {"forked_from_id": talk.session}
        lines = [own[0] | {"payload": head}, *MAKERS[agent].lines(anew), *own[1:]]
    else:
        last = old[-1]["id"]
        moved = [line | {"id": f"n{line['id']}", "parentId": f"n{line['parentId']}"} for line in own[1:]]
        lines = [own[0] | {"parentSession": f"x_{talk.session}.jsonl"}, *old[1:], moved[0] | {"parentId": last}]
        lines += moved[1:]
    path = home / MAKERS[agent].path.format(session=more.session)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def write_much(home: Path, agent: str, size: int, seed: int = 7) -> list[Talk]:
    """Damaged sessions of one format until `size` bytes are written; what was said in them."""
    written, said = 0, []
    for talk in talks(seed, 2 + size // 100_000, 1_200):
        written += write(home, agent, talk, damage=True).stat().st_size
        said.append(talk)
        if written >= size:
            return said
    raise ValueError(f"only {written} bytes")


def main() -> int:
    """Write files of every format."""
    home, megabytes = Path(sys.argv[1]), int([*sys.argv, "10"][2])
    for agent in MAKERS:
        first, *_ = write_much(home, agent, megabytes * 1_000_000)
        more = Talk(
            f"f{first.session[1:]}",
            first.project,
            first.started + 5_000_000,
            [("user", "and now"), ("assistant", "go")],
        )
        write_fork(home, agent, first, more)
    return 0


if __name__ == "__main__":
    sys.exit(main())
