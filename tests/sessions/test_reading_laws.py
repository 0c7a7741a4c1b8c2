"""Whatever happens to transcript files, and however they grew: the index is what one reading of them all gives."""

import json
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.sessions.archives import open_archive
from tests.sessions.generator import MAKERS, START, Talk
from tests.sessions.states import UUID, claude_talk, live, state

# Runs of the law below differ in nothing but their seed, which is fixed.
LAW = settings(
    derandomize=True, deadline=None, max_examples=8, database=None, suppress_health_check=[HealthCheck.too_slow]
)


LINEWISE = [name for name in MAKERS if name != "vscode-chat"]


def lines(agent, session, said, started=START):
    talk = Talk(UUID.format(session), "/home/dev/p", started, list(said))
    return [json.dumps(line) + "\n" for line in MAKERS[agent].lines(talk)]


def path_of(home, agent, session):
    path = home / MAKERS[agent].path.format(session=UUID.format(session))
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


class World:
    """Files of one agent that live as files do, and what was read of those that are gone or replaced."""

    def __init__(self, home, agent):
        self.home, self.agent = home, agent
        self.said, self.started = {}, {}
        self.read = {}  # path: content at the last index run
        self.lost = []  # contents of files that were read and are gone
        self.clock = START

    def text(self, word):
        self.clock += 1
        return ("user" if self.clock % 2 else "assistant", f"{word} {self.clock}")

    def write(self, session, content):
        path_of(self.home, self.agent, session).write_text(content)

    def content(self, session):
        return "".join(lines(self.agent, session, self.said[session], self.started[session]))

    def lose(self, path):
        if path in self.read:
            self.lost.append((path, self.read.pop(path)))

    def act(self, action, session, number):
        path = path_of(self.home, self.agent, session)
        if session not in self.said or action == "replace":
            # Another program's run under the same name: other times, the same running numbers.
            self.started[session] = self.clock + 1_000
            self.clock += 2_000
            self.lose(path)
            self.said[session] = [self.text("new") for _ in range(1 + number % 3)]
        elif action == "append":
            self.said[session] = self.said[session] + [self.text("more") for _ in range(1 + number % 2)]
        elif action == "edit":
            at = number % len(self.said[session])
            said = list(self.said[session])
            said[at] = (said[at][0], f"edited {self.clock} {'x' * (number % 5)}")
            self.said[session] = said
        elif action == "cut":
            self.said[session] = self.said[session][: max(1, len(self.said[session]) - 1 - number % 2)]
        elif action == "remove":
            self.lose(path)
            path.unlink(missing_ok=True)
            return
        whole = self.content(session)
        if action == "tear":
            whole = whole[: max(1, len(whole) - 1 - number)]
        path.write_text(whole)

    def index(self, tape):
        """Read. A file that shares no line with what it was is another one: what it was is lost."""
        tape.index()
        for path in self.home.rglob("*.jsonl"):
            now, before = path.read_text(), self.read.get(path, "")
            if not set(whole_lines(now)) & set(whole_lines(before)):
                self.lose(path)
            self.read[path] = now


def whole_lines(text):
    return [line for line in text.splitlines() if line.endswith("}")]


ACTIONS = st.lists(
    st.tuples(
        st.sampled_from(["append", "append", "tear", "edit", "cut", "replace", "remove", "index", "index"]),
        st.sampled_from("ab"),
        st.integers(0, 40),
    ),
    min_size=4,
    max_size=14,
)


@pytest.mark.parametrize("agent", LINEWISE)
def test_whatever_happens_to_files_the_index_is_a_fresh_reading_of_them(agent):
    @LAW
    @given(ACTIONS)
    def law(actions):
        with tempfile.TemporaryDirectory() as folder:
            now, fresh = both_readings(Path(folder), agent, actions)
        assert {key: now[key] for key in fresh} == fresh
        # What is more was told by a file that is there and tells it no longer: it is kept, and marked.
        assert {key for key, said in now.items() if said} == {key for key, said in fresh.items() if said}

    law()


def both_readings(folder, agent, actions):
    """What is live after reading again and again, and after one fresh reading."""
    world = World(folder / "home", agent)
    tape = open_archive(folder / "home", brain=folder / "brain")
    for number, (action, session, amount) in enumerate(actions):
        if action == "index":
            world.index(tape)
            continue
        world.act(action, session, amount)
        for path in world.home.rglob("*.jsonl"):  # as if time had passed
            os.utime(path, ns=(number * 10**9, number * 10**9))
    world.index(tape)
    found, _ = state(tape)
    tape.close()
    fresh, _ = state_of_fresh_reading(folder, world)
    return live(found), live(fresh)


def state_of_fresh_reading(folder, world):
    """First all that is lost, as files of their own, then all that is there."""
    tape = open_archive(world.home, brain=folder / "fresh")
    aside = folder / "aside"
    world.home.rename(aside)
    for number, (path, content) in enumerate(world.lost):
        # The name of a file may be its session's id: each stands where it stood, one after the other.
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        os.utime(path, ns=(number, number))
        tape.index()
        path.unlink()
        tape.index()
    if world.home.exists():
        for file in sorted(world.home.rglob("*"), reverse=True):
            file.rmdir()
        world.home.rmdir()
    aside.rename(world.home)
    tape.index()
    found = state(tape)
    tape.close()
    return found


# For each session which of twelve messages it holds, and in how many lines a run its file has grown.
SHARED = st.dictionaries(
    st.sampled_from("abcd"), st.sets(st.integers(1, 12), min_size=1, max_size=8).map(sorted), min_size=2
)


def test_messages_that_sessions_share_have_the_same_owner_however_their_files_grew(tmp_path):
    @LAW
    @given(SHARED, st.randoms(use_true_random=False))
    def law(sessions, rng):
        with tempfile.TemporaryDirectory() as folder:
            home, brain = Path(folder) / "home", Path(folder) / "brain"
            grown = open_archive(home, brain=brain)
            left = {session: claude_talk(session, *numbers) for session, numbers in sessions.items()}
            while left:
                session = rng.choice(sorted(left))
                count = rng.randint(1, 4)
                path = home / f"claude/projects/-p/{session}.jsonl"
                path.parent.mkdir(parents=True, exist_ok=True)
                with path.open("a") as file:
                    file.writelines(json.dumps(line) + "\n" for line in left[session][:count])
                left[session] = left[session][count:]
                left = {name: rest for name, rest in left.items() if rest}
                grown.index()
            fresh = open_archive(home, brain=Path(folder) / "fresh")
            fresh.index()
            assert state(grown) == state(fresh)
            grown.close()
            fresh.close()

    law()


# A change of a chat session's log: what, which request, how many parts.
CHANGES = st.lists(
    st.tuples(
        st.sampled_from(["ask", "ask", "answer", "answer", "reword", "cut", "retitle", "tear", "index", "index"]),
        st.integers(0, 3),
    ),
    min_size=4,
    max_size=16,
)


def change(kind, number, asked, count):
    """The log entry of a change, or None where it has no target."""
    at = number % asked if asked else None
    if kind == "ask":
        request = {"requestId": f"r{count}", "timestamp": 1_770_000_000_000 + count * 1000}
        return {"kind": 2, "k": ["requests"], "v": [request | {"message": {"text": f"ask {count}"}, "response": []}]}
    if kind == "retitle":
        return {"kind": 1, "k": ["customTitle"], "v": f"title {count}"}
    if at is None:
        return None
    if kind == "answer":
        return {"kind": 2, "k": ["requests", at, "response"], "v": [{"value": f"part {count} "}]}
    if kind == "reword":
        return {"kind": 1, "k": ["requests", at, "message", "text"], "v": f"re{'x' * number} {count}"}
    return {"kind": 2, "k": ["requests"], "v": [], "i": at}  # all from there on


def test_however_a_chat_session_changes_the_index_is_a_fresh_reading_of_it(tmp_path):
    @LAW
    @given(CHANGES)
    def law(changes):
        with tempfile.TemporaryDirectory() as folder:
            home = Path(folder) / "home"
            path = home / "Code/User/workspaceStorage/h/chatSessions/v.jsonl"
            log, asked = [json.dumps({"kind": 0, "v": {"sessionId": "v", "requests": []}}) + "\n"], 0
            grown = open_archive(home, brain=Path(folder) / "brain")
            path.parent.mkdir(parents=True)
            for count, (kind, number) in enumerate(changes):
                if kind == "index":
                    grown.index()
                elif kind == "tear":
                    path.write_text("".join(log)[: -1 - number])
                elif entry := change(kind, number, asked, count):
                    asked = {"ask": asked + 1, "cut": number % asked if asked else 0}.get(kind, asked)
                    log.append(json.dumps(entry) + "\n")
                    path.write_text("".join(log))
                if path.exists():
                    os.utime(path, ns=(count * 10**9, count * 10**9))
            path.write_text("".join(log))
            grown.index()
            fresh = open_archive(home, brain=Path(folder) / "fresh")
            fresh.index()
            now, wanted = live(state(grown)[0]), live(state(fresh)[0])
            assert {key: said for key, said in now.items() if said} == wanted
            grown.close()
            fresh.close()

    law()
