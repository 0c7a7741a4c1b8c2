"""Sessions that tell the same, files that are changed, replaced, cut: the same in whatever order they are read."""

import itertools

import pytest

from tests.sessions.archives import open_archive
from tests.sessions.states import UUID, claude_talk, put, state, steps


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
