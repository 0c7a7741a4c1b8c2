"""Read in pieces, in any order, after any change of the files: the index is what one reading of everything gives."""

import itertools
import json
import os
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.sessions.archives import open_archive
from tests.sessions.generator import MAKERS, START, Talk

# Runs of the law below differ in nothing but their seed, which is fixed.
LAW = settings(
    derandomize=True, deadline=None, max_examples=8, database=None, suppress_health_check=[HealthCheck.too_slow]
)
LINEWISE = [name for name in MAKERS if name != "vscode-chat"]
UUID = "0bb0c0de-0000-4000-8000-00000000000{}"


def state(tape):
    """Everything a person can see: sessions with titles, folders and messages in their steps; and the figures."""
    shown = {}
    for info in tape.recall(limit=1000).sessions:
        steps = tape.show(f"{info.agent}:{info.session}")
        assert [step.step for step in steps] == list(range(1, len(steps) + 1))
        said = [(step.role, step.at, step.text, step.off_branch) for step in steps]
        shown[info.agent, info.session] = (info.title, info.project, said)
    sums = sorted(
        (replace(one, sessions=tuple(range(len(one.sessions)))) for one in tape.spent().sums),
        key=lambda one: (one.agent, one.project, one.model, one.at or 0, one.booked),
    )
    return shown, sums


def live(shown):
    return {key: [one for one in said if not one[3]] for key, (_, _, said) in shown.items()}


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
            check(Path(folder), agent, actions)

    law()


def check(folder, agent, actions):
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
    now = live(found)
    for key, said in live(fresh).items():
        assert now[key] == said, key
    # What is more was told by a file that is there and tells it no longer: it is kept, and marked.
    assert {key for key, said in now.items() if said} == {key for key, said in live(fresh).items() if said}


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


def orders(home, tmp_path, paths):
    """The states that come of reading the files in every order, one file a run, and all at once."""
    kept = {path: path.read_bytes() for path in paths}
    for number, order in enumerate([*itertools.permutations(paths), None]):
        for path in paths:
            path.unlink(missing_ok=True)
        tape = open_archive(home, brain=tmp_path / f"brain{number}")
        for path in order or ():
            path.write_bytes(kept[path])
            tape.index()
        for path in paths:
            path.write_bytes(kept[path])
        tape.index()
        yield state(tape)
        tape.close()


def put(path, records):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def claude_line(session, number, role, text, **more):
    message = {"role": role, "content": text}
    if role == "assistant":
        usage = {"input_tokens": 10 * number, "output_tokens": number}
        message = {"id": f"m{number}", "role": role, "model": "m", "usage": usage}
        message["content"] = [{"type": "text", "text": text}]
    at = f"2026-11-01T08:{number:02d}:00Z"
    line = {"type": role, "uuid": f"{session}{number}", "sessionId": session, "cwd": f"/p/{session}", "timestamp": at}
    return line | {"message": message, "requestId": f"r{number}"} | more


def claude_talk(session, *numbers, **more):
    return [
        claude_line(session, number, "assistant" if number % 2 == 0 else "user", f"words {number}", **more)
        for number in numbers
    ]


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


@pytest.mark.parametrize("names", [("x", "y", "z"), ("z", "y", "x"), ("y", "z", "x")])
def test_resumed_claude_sessions_have_only_what_is_new_whichever_was_read_first(names, tmp_path):
    first, second, third = names
    folder = tmp_path / "home/claude/projects/-p"
    paths = [
        put(folder / f"{first}.jsonl", claude_talk(first, 1, 2)),
        put(folder / f"{second}.jsonl", claude_talk(second, 1, 2, 3, 4)),
        put(folder / f"{third}.jsonl", claude_talk(third, 1, 2, 3, 4, 5, 6)),
    ]
    states = list(orders(tmp_path / "home", tmp_path, paths))
    shown, sums = states[0]
    assert all(one == states[0] for one in states)
    told = {session: [text for _, _, text, _ in said] for (_, session), (_, _, said) in shown.items()}
    assert told == {
        first: ["words 1", "words 2"],
        second: ["words 3", "words 4"],
        third: ["words 5", "words 6"],
    }
    assert sum(one.output for one in sums) == 2 + 4 + 6


def test_a_fork_that_names_its_origin_line_by_line_goes_after_it_even_when_the_origin_goes_on(tmp_path):
    folder = tmp_path / "home/claude/projects/-p"
    origin = {"forkedFrom": {"sessionId": "z", "messageUuid": "z1"}}
    fork = [*claude_talk("a", 1, 2, **origin), *claude_talk("a", 3, 4)]
    paths = [put(folder / "z.jsonl", claude_talk("z", 1, 2, 5, 6)), put(folder / "a.jsonl", fork)]
    states = list(orders(tmp_path / "home", tmp_path, paths))
    assert all(one == states[0] for one in states)
    told = {session: [text for _, _, text, _ in said] for (_, session), (_, _, said) in states[0][0].items()}
    assert told == {"z": ["words 1", "words 2", "words 5", "words 6"], "a": ["words 3", "words 4"]}


def codex_talk(name, texts, started, origin=None, counters=()):
    meta = {"id": UUID.format(name), "cwd": "/p"} | ({"forked_from_id": UUID.format(origin)} if origin else {})
    yield {"timestamp": started + "0:00Z", "type": "session_meta", "payload": meta}
    if origin:
        yield {"timestamp": started + "0:00Z", "type": "session_meta", "payload": {"id": UUID.format(origin)}}
    for number, text in enumerate(texts):
        role = "assistant" if number % 2 else "user"
        item = {"type": "message", "role": role, "content": [{"type": "text", "text": text}]}
        yield {"timestamp": f"{started}0:{number + 1:02d}Z", "type": "response_item", "payload": item}
    for number, total in enumerate(counters):
        info = {"total_token_usage": {"input_tokens": total, "output_tokens": total // 10}}
        payload = {"type": "token_count", "info": info}
        yield {"timestamp": f"{started}1:{number:02d}Z", "type": "event_msg", "payload": payload}


@pytest.mark.parametrize("names", ["abc", "cba", "bca"])
def test_forks_of_codex_that_say_everything_anew_keep_what_follows_whichever_was_read_first(names, tmp_path):
    a, b, c = names
    folder = tmp_path / "home/codex/sessions/2026"
    said = ["go on", "yes", "go on", "no", "go on", "fine"]
    paths = [
        put(folder / f"rollout-{UUID.format(a)}.jsonl", codex_talk(a, said[:2], "2026-11-01T08:0", None, [100])),
        put(folder / f"rollout-{UUID.format(b)}.jsonl", codex_talk(b, said[:4], "2026-11-01T09:0", a, [100, 300])),
        put(folder / f"rollout-{UUID.format(c)}.jsonl", codex_talk(c, said, "2026-11-01T10:0", b, [100, 300, 350])),
    ]
    states = list(orders(tmp_path / "home", tmp_path, paths))
    assert all(one == states[0] for one in states)
    shown, sums = states[0]
    told = {session: [text for _, _, text, _ in said] for (_, session), (_, _, said) in shown.items()}
    assert told == {UUID.format(a): said[:2], UUID.format(b): said[2:4], UUID.format(c): said[4:]}
    assert sum(one.input for one in sums) == 350


def test_what_an_origin_says_after_its_fork_takes_nothing_from_the_fork(tmp_path):
    folder = tmp_path / "home/codex/sessions/2026"
    first = list(codex_talk("a", ["one", "two"], "2026-11-01T08:0"))
    later = list(codex_talk("a", ["go on", "done"], "2026-11-01T12:0"))[1:]
    fork = codex_talk("b", ["one", "two", "go on", "other"], "2026-11-01T09:0", "a")
    paths = [
        put(folder / f"rollout-{UUID.format('a')}.jsonl", first + later),
        put(folder / f"rollout-{UUID.format('b')}.jsonl", fork),
    ]
    states = list(orders(tmp_path / "home", tmp_path, paths))
    assert all(one == states[0] for one in states)
    told = {session: [text for _, _, text, _ in said] for (_, session), (_, _, said) in states[0][0].items()}
    assert told == {UUID.format("a"): ["one", "two", "go on", "done"], UUID.format("b"): ["go on", "other"]}


def test_a_pi_fork_keeps_its_own_words_that_its_origin_said_too(tmp_path):
    def entry(number, text, parent, at):
        message = {"role": "user" if number % 2 else "assistant", "content": text}
        when = f"2026-11-01T08:{at:02d}:00Z"
        return {"type": "message", "id": f"e{at}", "parentId": parent, "timestamp": when, "message": message}

    folder = tmp_path / "home/pi/agent/sessions/--p--"
    shared = [entry(1, "one", None, 1), entry(2, "two", "e1", 2)]
    head = {"type": "session", "version": 3, "cwd": "/p", "timestamp": "2026-11-01T08:00:00Z"}
    own = [entry(1, "again", "e2", 9), entry(2, "better", "e9", 10)]
    paths = [
        put(
            folder / "9_a.jsonl", [head | {"id": "a"}, *shared, entry(1, "again", "e2", 3), entry(2, "worse", "e3", 4)]
        ),
        put(folder / "1_b.jsonl", [head | {"id": "b", "parentSession": "9_a.jsonl"}, *shared, *own]),
    ]
    states = list(orders(tmp_path / "home", tmp_path, paths))
    assert all(one == states[0] for one in states)
    told = {session: [text for _, _, text, _ in said] for (_, session), (_, _, said) in states[0][0].items()}
    assert told == {"a": ["one", "two", "again", "worse"], "b": ["again", "better"]}


def test_side_chains_stand_between_the_messages_of_their_time(tmp_path):
    folder = tmp_path / "home/claude/projects/-p"
    paths = [
        put(folder / "s.jsonl", claude_talk("s", 1, 2, 7, 8)),
        put(folder / "s/subagents/agent-1.jsonl", claude_talk("s", 4, 6, isSidechain=True)),
    ]
    states = list(orders(tmp_path / "home", tmp_path, paths))
    assert all(one == states[0] for one in states)
    ((_, _, said),) = states[0][0].values()
    assert [text for _, _, text, _ in said] == [f"words {number}" for number in (1, 2, 4, 6, 7, 8)]


def generic(session, number, text, at=None):
    line = {"session": session, "id": str(number), "role": "user", "content": text}
    return line | ({"timestamp": at} if at else {})


def steps(tape, session):
    return [(step.text, step.off_branch) for step in tape.show(session)]


@pytest.mark.parametrize("read_before", [True, False])
def test_an_edit_under_the_same_id_is_the_same_whenever_it_was_read(read_before, tmp_path):
    home = tmp_path / "home"
    path = home / "other/a.jsonl"
    at = "2026-11-01T08:00:00Z"
    tape = open_archive(home, brain=tmp_path / "brain")
    put(path, [generic("s", 1, "a long first version", at), generic("s", 2, "second", at)])
    if read_before:
        tape.index()
    put(path, [generic("s", 1, "short", at), generic("s", 2, "second", at), generic("s", 3, "third", at)])
    tape.index()
    assert steps(tape, "s") == [("short", False), ("second", False), ("third", False)]
    assert not tape.recall("version").hits
    tape.close()


@pytest.mark.parametrize("dated", [True, False])
def test_a_rotated_file_that_counts_its_ids_anew_loses_no_line(dated, tmp_path):
    home = tmp_path / "home"
    path = home / "other/a.jsonl"
    tape = open_archive(home, brain=tmp_path / "brain")
    for turn in range(3):
        times = [f"2026-11-0{turn + 1}T08:00:0{number}Z" if dated else None for number in range(2)]
        put(path, [generic("s", number, f"turn {turn} line {number}", times[number]) for number in range(2)])
        tape.index()
    wanted = [(f"turn {turn} line {number}", False) for turn in range(3) for number in range(2)]
    assert steps(tape, "s") == wanted
    tape.close()


def test_a_log_that_is_rotated_to_another_name_is_read_once(tmp_path):
    home = tmp_path / "home"
    tape = open_archive(home, brain=tmp_path / "brain")
    path = put(home / "other/a.jsonl", [generic("s", 1, "first line"), generic("s", 2, "second line")])
    tape.index()
    path.rename(path.with_name("a.1.jsonl"))
    put(path, [generic("s", 1, "another first"), generic("s", 2, "another second")])
    tape.index()
    assert {text for text, _ in steps(tape, "s")} == {"first line", "second line", "another first", "another second"}
    tape.close()


def test_what_a_file_no_longer_tells_is_kept_and_marked_and_what_comes_back_is_not(tmp_path):
    home = tmp_path / "home"
    path = home / "claude/projects/-p/s.jsonl"
    tape = open_archive(home, brain=tmp_path / "brain")
    put(path, claude_talk("s", 1, 2, 3))
    tape.index()
    put(path, claude_talk("s", 1, 4))
    tape.index()
    assert steps(tape, "s") == [("words 1", False), ("words 2", True), ("words 3", True), ("words 4", False)]
    put(path, claude_talk("s", 1, 2, 3, 4))
    tape.index()
    assert steps(tape, "s") == [(f"words {number}", False) for number in range(1, 5)]
    tape.close()


def test_a_file_that_was_written_anew_behind_its_first_line_and_has_grown_is_read_anew(tmp_path):
    home = tmp_path / "home"
    path = home / "claude/projects/-p/s.jsonl"
    tape = open_archive(home, brain=tmp_path / "brain")
    put(path, claude_talk("s", *range(1, 30)))
    tape.index()
    put(path, [*claude_talk("s", 1), *claude_talk("s", *range(31, 60))])
    report = tape.index()
    assert report.bad_lines == 0
    assert [text for text, off in steps(tape, "s") if not off] == [f"words {n}" for n in (1, *range(31, 60))]
    tape.close()


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


def test_a_request_that_was_taken_back_is_kept_and_marked(tmp_path):
    home = tmp_path / "home"
    request = {"requestId": "r1", "timestamp": 1_770_000_000_000, "message": {"text": "first try"}, "response": []}
    other = request | {"requestId": "r2", "message": {"text": "better asked"}}
    head = {"kind": 0, "v": {"sessionId": "v", "requests": [request]}}
    path = put(home / "Code/User/workspaceStorage/h/chatSessions/v.jsonl", [head])
    tape = open_archive(home, brain=tmp_path / "brain")
    tape.index()
    put(path, [head, {"kind": 2, "k": ["requests"], "v": [other], "i": 0}])
    tape.index()
    assert sorted(steps(tape, "v")) == [("better asked", False), ("first try", True)]
    tape.close()
