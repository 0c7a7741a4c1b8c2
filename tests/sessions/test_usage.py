"""Tokens in transcripts: every response is counted once, whatever is repeated, copied, forked or summed up."""

import json
from collections import Counter

import pytest

from tests.casekit import build_workspace, load_case
from tests.sessions.archives import open_archive

CLAUDE, CODEX, PI = "claude/projects/-home-dev-shop", "codex/sessions/2026/11/02", "pi/agent/sessions/--home-dev-shop--"
COPILOT = "copilot/session-state"
FIELDS = ("requests", "input", "cache_read", "cache_write", "output")


@pytest.fixture
def archive(tmp_path):
    made = []

    def opened(home):
        made.append(open_archive(home, brain=tmp_path / "brain"))
        return made[-1]

    yield opened
    for one in made:
        one.close()


def write(home, path, *records):
    target = home / path
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("a") as file:
        file.writelines(json.dumps(record) + "\n" for record in records)


def totals(tape, **wanted):
    tape.index()
    sums = Counter()
    for one in tape.spent(**wanted).sums:
        sums.update({name: getattr(one, name) for name in FIELDS})
    return {name: sums[name] for name in FIELDS}


# How each case's words for its totals are made of ours.
CASES = {
    "G01": {
        "input_tokens": ("input",),
        "cache_creation_input_tokens": ("cache_write",),
        "cache_read_input_tokens": ("cache_read",),
        "output_tokens": ("output",),
    },
    "G02": {
        "input_tokens": ("input", "cache_read"),
        "cached_input_tokens": ("cache_read",),
        "output_tokens": ("output",),
    },
    "G04": {"input": ("input",), "output": ("output",), "cacheRead": ("cache_read",)},
}


@pytest.mark.parametrize("case_id", CASES)
def test_the_tokens_of_a_session_file_are_as_the_case_says(case_id, tmp_path, archive):
    case = load_case(case_id)
    got = totals(archive(build_workspace(case, tmp_path / "home")))
    names = CASES[case_id]
    assert {word: sum(got[name] for name in names[word]) for word in case.expect["usage"]} == case.expect["usage"]
    assert got["requests"] == case.expect.get("responses", got["requests"])


def test_the_agent_the_model_and_the_agents_own_cost_are_told(tmp_path, archive):
    tape = archive(build_workspace(load_case("G04"), tmp_path / "home"))
    tape.index()
    (one,) = tape.spent().sums
    assert (one.agent, one.project, one.model, one.booked) == ("pi", "/home/dev/bakery", "deepseek-v4-flash", True)
    assert one.cost_usd == pytest.approx(0.0093)


def test_a_session_without_a_figure_is_silent_not_free(tmp_path, archive):
    step = {"step_index": 1, "source": "MODEL", "type": "PLANNER_RESPONSE", "content": "Done."}
    write(tmp_path, "gemini/antigravity/brain/a1/.system_generated/logs/transcript.jsonl", step)
    tape = archive(tmp_path)
    tape.index()
    assert tape.spent().sums == ()
    assert tape.spent().silent == {"antigravity": 1}


def test_reading_again_from_the_beginning_changes_no_figure(tmp_path, archive):
    home = build_workspace(load_case("G02"), tmp_path / "home")
    before = totals(archive(home))
    (path,) = home.rglob("*.jsonl")
    path.write_bytes(b"\n" + path.read_bytes())  # its beginning is another one now
    assert totals(archive(home)) == before


def test_a_file_read_in_pieces_gives_the_figures_of_one_read_at_once(tmp_path, archive):
    home = build_workspace(load_case("G02"), tmp_path / "whole")
    whole = totals(archive(home))
    (path,) = home.rglob("*.jsonl")
    lines = path.read_text().splitlines(keepends=True)
    pieces = open_archive(tmp_path / "pieces")
    target = tmp_path / "pieces" / path.relative_to(home)
    target.parent.mkdir(parents=True)
    for line in lines:
        with target.open("a") as file:
            file.write(line)
        pieces.index()
    assert totals(pieces) == whole
    pieces.close()


def claude(message, request, output, *, session="s1", second=0, **more):
    usage = {"input_tokens": 3, "cache_creation_input_tokens": 10, "cache_read_input_tokens": 50}
    line = {
        "type": "assistant",
        "sessionId": session,
        "cwd": "/home/dev/shop",
        "timestamp": f"2026-11-01T08:00:{second:02d}Z",
        "message": {"id": message, "model": "m", "content": [], "usage": usage | {"output_tokens": output}},
    }
    return line | ({"requestId": request} if request else {}) | more


def test_copies_of_a_response_in_resumed_sessions_and_side_chains_count_once(tmp_path, archive):
    write(tmp_path, f"{CLAUDE}/s1.jsonl", claude("m1", "r1", 1), claude("m1", "r1", 40), claude("m2", None, 5))
    write(tmp_path, f"{CLAUDE}/s2.jsonl", claude("m1", "r1", 40, session="s2"), claude("m2", None, 5, session="s2"))
    side = claude("m3", "r3", 7, isSidechain=True)
    write(tmp_path, f"{CLAUDE}/s1/subagents/agent-a.jsonl", side)
    told = {"type": "progress", "sessionId": "s1", "data": {"type": "agent_progress", "message": side}}
    write(tmp_path, f"{CLAUDE}/s1.jsonl", told)
    assert totals(archive(tmp_path)) == {
        "requests": 3,
        "input": 9,
        "cache_read": 150,
        "cache_write": 30,
        "output": 52,
    }


def test_what_the_program_wrote_itself_is_no_response(tmp_path, archive):
    line = claude("m1", "r1", 0)
    line["message"]["model"] = "<synthetic>"
    write(tmp_path, f"{CLAUDE}/s1.jsonl", line)
    assert totals(archive(tmp_path))["requests"] == 0


def meta(session, **more):
    return {"timestamp": "2026-11-02T09:00:00Z", "type": "session_meta", "payload": {"id": session} | more}


def counter(total, last=None, second=1):
    names = ("input_tokens", "cached_input_tokens", "output_tokens")
    info = {"total_token_usage": dict(zip(names, total, strict=True))}
    if last is not None:
        info["last_token_usage"] = dict(zip(names, last, strict=True))
    payload = {"type": "token_count", "info": info}
    return {"timestamp": f"2026-11-02T09:00:{second:02d}Z", "type": "event_msg", "payload": payload}


def record(response, given, cached, taken):
    usage = {"input_tokens": given, "cached_input_tokens": cached, "output_tokens": taken}
    payload = {"response_id": response, "usage": usage}
    return {"timestamp": "2026-11-02T09:00:01Z", "type": "token_usage_record", "payload": payload}


# Lines of one rollout file, then input with the cached part, cached, output, responses.
COUNTERS = {
    "repeats": ([counter((100, 20, 30)), counter((100, 20, 30)), counter((260, 120, 45))], (260, 120, 45, 2)),
    "old values come again": ([counter((100, 0, 30)), counter((200, 0, 40)), counter((100, 0, 30))], (200, 0, 40, 2)),
    "set back: the last part counts": (
        [counter((900, 0, 90)), counter((70, 0, 7), last=(60, 0, 6))],
        (960, 0, 96, 2),
    ),
    "set back without a last part": ([counter((900, 0, 90)), counter((70, 0, 7))], (970, 0, 97, 2)),
    "an empty last part is none": ([counter((900, 0, 90)), counter((70, 0, 7), last=(0, 0, 0))], (970, 0, 97, 2)),
    "each response has a record too": (
        [record("r1", 100, 20, 30), counter((100, 20, 30)), record("r2", 160, 100, 15), counter((260, 120, 45))],
        (260, 120, 45, 2),
    ),
    "the record comes after the counter": ([counter((100, 20, 30)), record("r1", 100, 20, 30)], (100, 20, 30, 1)),
    "a compaction has a record alone": (
        [
            record("r1", 100, 20, 30),
            counter((100, 20, 30)),
            record("c1", 500, 0, 50),
            record("r2", 10, 0, 1),
            counter((110, 20, 31)),
        ],
        (610, 20, 81, 3),
    ),
    "two records, one counter": (
        [record("r1", 100, 20, 30), record("r2", 50, 0, 5), counter((150, 20, 35))],
        (150, 20, 35, 2),
    ),
    "records alone, one repeated": ([record("r1", 100, 20, 30), record("r1", 100, 20, 30)], (100, 20, 30, 1)),
}


@pytest.mark.parametrize("name", COUNTERS)
def test_a_running_counter_is_counted_by_what_it_grows(name, tmp_path, archive):
    lines, (given, cached, taken, responses) = COUNTERS[name]
    write(tmp_path, f"{CODEX}/rollout-a.jsonl", meta("a"), *lines)
    got = totals(archive(tmp_path))
    assert (got["input"] + got["cache_read"], got["cache_read"]) == (given, cached)
    assert (got["output"], got["requests"]) == (taken, responses)


@pytest.mark.parametrize("parent_first", [True, False])
def test_a_fork_that_replays_the_counters_of_its_origin_adds_only_its_own(parent_first, tmp_path, archive):
    history = [counter((100, 20, 30)), counter((260, 120, 45))]
    replay = [counter((100, 20, 30), second=50), counter((260, 120, 45), second=50)]
    own, further = counter((300, 120, 50), second=55), counter((400, 120, 60), second=9)
    names = ("rollout-1.jsonl", "rollout-2.jsonl") if parent_first else ("rollout-2.jsonl", "rollout-1.jsonl")
    write(tmp_path, f"{CODEX}/{names[0]}", meta("a"), *history, further)
    write(tmp_path, f"{CODEX}/{names[1]}", meta("b", forked_from_id="a"), meta("a"), *replay, own)
    got = totals(archive(tmp_path))
    assert (got["input"] + got["cache_read"], got["output"]) == (400 + 40, 60 + 5)


def test_a_fork_of_a_fork_replays_both(tmp_path, archive):
    first, second, third = counter((100, 0, 10)), counter((200, 0, 20)), counter((300, 0, 30))
    write(tmp_path, f"{CODEX}/rollout-1.jsonl", meta("a"), first)
    write(tmp_path, f"{CODEX}/rollout-2.jsonl", meta("b", forked_from_id="a"), meta("a"), first, second)
    write(tmp_path, f"{CODEX}/rollout-3.jsonl", meta("c", forked_from_id="b"), meta("b"), first, second, third)
    got = totals(archive(tmp_path))
    assert (got["input"], got["output"]) == (300, 30)


def test_a_fork_whose_counter_goes_on_without_a_replay_adds_its_last_part(tmp_path, archive):
    write(tmp_path, f"{CODEX}/rollout-1.jsonl", meta("a"), counter((1000, 0, 100)))
    own = counter((1060, 0, 106), last=(60, 0, 6))
    write(tmp_path, f"{CODEX}/rollout-2.jsonl", meta("b", forked_from_id="a"), own)
    assert totals(archive(tmp_path))["input"] == 1060


def pi(entry, moment, given, **more):
    usage = {"input": given, "output": 2, "cacheRead": 1, "cacheWrite": 4, "cost": {"total": 0}}
    message = {"role": "assistant", "content": "x", "model": "m", "usage": usage, "timestamp": moment}
    return {"type": "message", "id": entry, "parentId": None, "message": message} | more


def test_entries_copied_into_a_fork_count_once_also_under_new_ids(tmp_path, archive):
    write(tmp_path, f"{PI}/1_a.jsonl", {"type": "session", "id": "a"}, pi("e1", 1793790001000, 10))
    fork = {"type": "session", "id": "b", "parentSession": "1_a.jsonl"}
    write(tmp_path, f"{PI}/2_b.jsonl", fork, pi("f9", 1793790001000, 10), pi("f10", 1793790002000, 10))
    tape = archive(tmp_path)
    assert totals(tape) == {"requests": 2, "input": 20, "cache_read": 2, "cache_write": 8, "output": 4}
    assert [one.booked for one in tape.spent().sums] == [False]  # a cost of 0 may be that of an unknown price


def event(kind, number, **data):
    return {"type": kind, "id": f"ev{number}", "timestamp": f"2026-11-06T12:00:{number:02d}Z", "data": data}


def answer(number, output):
    return event("assistant.message", number, messageId=f"m{number}", content="x", outputTokens=output)


def shutdown(number, given, output, requests):
    usage = {"inputTokens": given, "outputTokens": output, "cacheReadTokens": 5, "cacheWriteTokens": 2}
    metrics = {"model-a": {"requests": {"count": requests, "cost": 1}, "usage": usage}}
    return event("session.shutdown", number, modelMetrics=metrics)


START = event("session.start", 0, sessionId="c1", context={"cwd": "/home/dev/shop"})

# Events of one session, then input with the cached part, output, responses, responses without their input.
STRETCHES = {
    "only messages: the input is not known": ([answer(1, 10), answer(2, 20)], (0, 30, 2, 2)),
    "a summary replaces its messages": ([answer(1, 10), shutdown(2, 100, 10, 1)], (100, 10, 1, 0)),
    "summaries of each stretch add up": (
        [answer(1, 10), shutdown(2, 100, 10, 1), answer(3, 20), shutdown(4, 300, 20, 1)],
        (400, 30, 2, 0),
    ),
    "a summary of all so far holds the earlier one": (
        [answer(1, 10), shutdown(2, 100, 10, 1), answer(3, 20), shutdown(4, 400, 30, 1)],
        (400, 30, 2, 0),
    ),
    "messages after the last summary stay": (
        [answer(1, 10), shutdown(2, 100, 10, 1), answer(3, 20)],
        (100, 30, 2, 1),
    ),
    "measured responses replace messages": (
        [answer(1, 10), event("session.usage_record", 2, usage={"inputTokens": 90, "outputTokens": 10})],
        (90, 10, 1, 0),
    ),
}


@pytest.mark.parametrize("name", STRETCHES)
def test_a_stretch_is_counted_by_the_best_that_is_told_of_it(name, tmp_path, archive):
    events, (given, output, responses, without) = STRETCHES[name]
    write(tmp_path, f"{COPILOT}/c1/events.jsonl", START, *events)
    tape = archive(tmp_path)
    got = totals(tape)
    assert (got["input"] + got["cache_read"] + got["cache_write"], got["output"]) == (given, output)
    assert (got["requests"], sum(one.without_input for one in tape.spent().sums)) == (responses, without)


def test_chat_sessions_of_the_editor_tell_tokens_in_three_places(tmp_path, archive):
    requests = [
        {"requestId": "r1", "timestamp": 1793790001000, "modelId": "copilot/m", "message": {"text": "a"}},
        {
            "requestId": "r2",
            "timestamp": 1793790002000,
            "modelId": "copilot/m",
            "promptTokens": 7,
            "completionTokens": 1,
        },
        {"requestId": "r3", "timestamp": 1793790003000, "modelId": "copilot/m", "message": {"text": "c"}},
    ]
    metadata = {"promptTokens": 30, "outputTokens": 3, "resolvedModel": "m-1", "toolCallRounds": ["x" * 1000]}
    log = [
        {"kind": 0, "v": {"sessionId": "v1", "requests": requests}},
        {"kind": 1, "k": ["requests", 0, "promptTokens"], "v": 100},
        {"kind": 1, "k": ["requests", 0, "completionTokens"], "v": 10},
        {"kind": 1, "k": ["requests", 2, "result"], "v": {"metadata": metadata, "timings": {}}},
    ]
    write(tmp_path, "Code/User/workspaceStorage/w/chatSessions/v1.jsonl", *log)
    tape = archive(tmp_path)
    assert totals(tape) == {"requests": 3, "input": 137, "cache_read": 0, "cache_write": 0, "output": 14}
    assert {one.model for one in tape.spent().sums} == {"m", "m-1"}


def test_the_generic_format_tells_tokens_and_cost(tmp_path, archive):
    usage = {"input": 5, "cache_read": 4, "cache_write": 3, "output": 2, "cost_usd": 0.25}
    line = {"session": "s", "id": "1", "role": "assistant", "content": "x", "model": "m", "usage": usage}
    write(tmp_path, "other/a.jsonl", line, line, line | {"session": "t"})
    tape = archive(tmp_path)
    assert totals(tape) == {"requests": 2, "input": 10, "cache_read": 8, "cache_write": 6, "output": 4}
    assert sum(one.cost_usd for one in tape.spent().sums) == 0.5


@pytest.mark.parametrize("odd", [None, [], {"input_tokens": "7"}, {"input_tokens": -5}, {"output_tokens": True}, {}])
def test_odd_figures_are_no_tokens_and_no_damage(odd, tmp_path, archive):
    line = claude("m1", "r1", 1)
    line["message"]["usage"] = odd
    write(tmp_path, f"{CLAUDE}/s1.jsonl", line)
    tape = archive(tmp_path)
    assert tape.index().bad_lines == 0
    assert totals(tape)["requests"] == 0


def test_since_and_project_narrow_and_a_forgotten_session_is_gone(tmp_path, archive):
    write(tmp_path, f"{CLAUDE}/s1.jsonl", claude("m1", "r1", 1))
    write(tmp_path, f"{CLAUDE}/s2.jsonl", claude("m2", "r2", 5, session="s2", cwd="/home/dev/other", second=30))
    tape = archive(tmp_path)
    assert totals(tape)["output"] == 6
    assert totals(tape, since=1793520030.0)["output"] == 5
    assert totals(tape, workspace="/home/dev/shop")["output"] == 1
    tape.forget("s2")
    assert totals(tape)["output"] == 1


def test_records_of_one_response_id_count_each_when_they_differ(tmp_path, archive):
    lines = [record("resp", 100, 0, 10), record("resp", 100, 0, 10), record("resp", 250, 0, 20)]
    write(tmp_path, f"{CODEX}/rollout-a.jsonl", meta("a"), *lines)
    got = totals(archive(tmp_path))
    assert (got["requests"], got["input"], got["output"]) == (2, 350, 30)


def test_a_session_that_is_forgotten_takes_no_figure_from_a_fork_that_tells_it_too(tmp_path, archive):
    history = [counter((100, 20, 30)), counter((260, 120, 45))]
    write(tmp_path, f"{CODEX}/rollout-1.jsonl", meta("a"), *history)
    write(tmp_path, f"{CODEX}/rollout-2.jsonl", meta("b", forked_from_id="a"), *history, counter((300, 120, 50)))
    tape = archive(tmp_path)
    assert totals(tape)["output"] == 50
    tape.forget("b")
    assert totals(tape)["output"] == 45
    tape.forget("a")
    assert totals(tape)["output"] == 0


def make_anew(tape, tmp_path, archive):
    tape.close()
    for file in (tmp_path / "brain").glob("sessions.db*"):
        file.unlink()
    return archive(tmp_path)


@pytest.mark.parametrize("order", ["together", "fork later", "index made anew"])
@pytest.mark.parametrize("agent", ["claude-code", "codex"])
def test_what_a_forgotten_session_spent_is_not_counted_for_a_fork_that_copies_it(agent, order, tmp_path, archive):
    if agent == "claude-code":
        old = [claude("m1", "r1", 30), claude("m2", "r2", 15, second=4)]
        name, path, fork = "s1", f"{CLAUDE}/s1.jsonl", f"{CLAUDE}/s2.jsonl"
        new = [*(one | {"sessionId": "s2"} for one in old), claude("m3", "r3", 5, session="s2", second=9)]
    else:
        old = [meta("a"), counter((100, 20, 30)), counter((260, 120, 45))]
        name, path, fork = "a", f"{CODEX}/rollout-1.jsonl", f"{CODEX}/rollout-2.jsonl"
        new = [meta("b", forked_from_id="a"), *old[1:], counter((300, 120, 50))]
    write(tmp_path, path, *old)
    if order != "fork later":
        write(tmp_path, fork, *new)
    tape = archive(tmp_path)
    assert totals(tape)["output"] == (45 if order == "fork later" else 50)
    tape.forget(name)
    if order == "fork later":
        write(tmp_path, fork, *new)
    if order == "index made anew":
        tape = make_anew(tape, tmp_path, archive)
    assert totals(tape)["output"] == 5


@pytest.mark.parametrize("anew", [False, True])
def test_a_fork_that_is_forgotten_takes_its_own_figures_and_no_others(anew, tmp_path, archive):
    old = [claude("m1", "r1", 30), claude("m2", "r2", 15, second=4)]
    write(tmp_path, f"{CLAUDE}/s1.jsonl", *old)
    copied = [one | {"sessionId": "s2"} for one in old]
    write(tmp_path, f"{CLAUDE}/s2.jsonl", *copied, claude("m3", "r3", 5, session="s2", second=9))
    tape = archive(tmp_path)
    tape.index()
    tape.forget("s2")
    assert totals(make_anew(tape, tmp_path, archive) if anew else tape)["output"] == 45


@pytest.mark.parametrize("first", ["original", "fork"])
def test_what_a_session_spends_after_it_was_forgotten_is_not_counted_for_a_fork_either(first, tmp_path, archive):
    write(tmp_path, f"{CLAUDE}/s1.jsonl", claude("m1", "r1", 30))
    tape = archive(tmp_path)
    tape.index()
    tape.forget("s1")
    more = claude("m2", "r2", 15, second=4)
    both = [
        (f"{CLAUDE}/s1.jsonl", [more]),
        (f"{CLAUDE}/s2.jsonl", [more | {"sessionId": "s2"}, claude("m3", "r3", 5, session="s2", second=9)]),
    ]
    for path, lines in both if first == "original" else both[::-1]:
        write(tmp_path, path, *lines)
        tape.index()
    for _ in range(2):
        assert totals(tape)["output"] == 5
        tape = make_anew(tape, tmp_path, archive)


def test_the_same_counters_of_two_sessions_are_two_spendings(tmp_path, archive):
    for name in "ab":
        write(tmp_path, f"{CODEX}/rollout-{name}.jsonl", meta(name), counter((100, 20, 30)), counter((260, 120, 45)))
    assert totals(archive(tmp_path))["output"] == 90


def test_a_fork_that_begins_with_a_late_counter_counts_only_its_own(tmp_path, archive):
    write(tmp_path, f"{CODEX}/rollout-1.jsonl", meta("a"), counter((100, 0, 30)), counter((260, 0, 45)))
    write(
        tmp_path,
        f"{CODEX}/rollout-2.jsonl",
        meta("b", forked_from_id="a"),
        counter((260, 0, 45)),
        counter((300, 0, 50)),
    )
    got = totals(archive(tmp_path))
    assert (got["input"], got["output"]) == (300, 50)
