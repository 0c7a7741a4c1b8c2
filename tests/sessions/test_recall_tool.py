"""`recall_session` and the commands over a real memory whose home folder holds transcripts."""

import json
import shutil

import pytest
from mcp import Client

from tests.casekit import CASES
from zerikai_memory.app import Memory
from zerikai_memory.cli import main
from zerikai_memory.mcp_server.server import create_server
from zerikai_memory.settings import Settings

CLAUDE = "0aa0c0de-0000-4000-8000-000000000001"


@pytest.fixture
def memory(tmp_path):
    home = tmp_path / "home"
    for case, folder in (("G01", "claude"), ("G04", "pi")):
        shutil.copytree(CASES / case / "files" / folder, home / folder)
    places = (("claude-code", str(home / "claude")), ("pi", str(home / "pi")))
    places += tuple((agent, "") for agent in ("codex", "antigravity", "copilot-cli", "vscode-chat"))
    made = Memory(Settings(home=tmp_path / "brain", session_places=places), cwd=tmp_path)
    yield made
    made.close()


async def call(memory, **arguments):
    async with Client(create_server(lambda: memory)) as session:
        return await session.call_tool("recall_session", arguments)


async def test_a_question_without_a_scan_finds_what_was_said_and_where(memory):
    result = await call(memory, query="float seconds")
    (hit,) = result.structured_content["hits"]
    assert (hit["session"], hit["step"], hit["role"], hit["project"]) == (CLAUDE, 4, "assistant", "/home/dev/bakery")
    assert f"{CLAUDE} step 4" in result.content[0].text
    assert "**float** **seconds**" in result.content[0].text


async def test_a_step_opens_with_its_neighbours(memory):
    result = await call(memory, session=CLAUDE[:8], step="4")
    assert [step["step"] for step in result.structured_content["steps"]] == [1, 2, 3, 4]
    assert "--- 1 user 2026-11-01 08:00\nWhy does the oven timer drift?" in result.content[0].text


async def test_with_nothing_asked_the_latest_sessions_are_listed(memory):
    sessions = (await call(memory)).structured_content["sessions"]
    assert [(one["agent"], one["title"]) for one in sessions] == [
        ("pi", "Timer rename"),
        ("claude-code", "Oven timer fix"),
    ]


@pytest.mark.parametrize(
    ("arguments", "agents"),
    [
        ({"query": "timer", "agent": "pi"}, {"pi"}),
        ({"query": "timer", "since": "2026-11-03"}, {"pi"}),
        ({"query": "timer", "until": "2026-11-02"}, {"claude-code"}),
        ({"query": "timer drift", "role": "assistant"}, {"claude-code"}),
        ({"query": "timer", "role": "", "until": ""}, {"pi", "claude-code"}),  # models send empty texts
        ({"query": "timer", "workspace": "bakery"}, {"pi", "claude-code"}),  # the folder's name
        ({"query": "timer", "workspace": "/home/dev"}, {"pi", "claude-code"}),  # a folder above
        ({"query": "timer", "agent": "Claude Code"}, {"claude-code"}),
        ({"query": '"oven timer drift"'}, {"claude-code"}),
        ({"query": '"timer oven drift"'}, set()),  # not said so
        ({"query": "timer", "session": CLAUDE}, {"claude-code"}),
        ({"query": "", "agent": ""}, set()),  # models send empty texts
        ({"query": '") OR (NEAR* ^ timer'}, {"pi", "claude-code"}),  # no operator survives
        ({"query": "🍞 ..."}, set()),
    ],
)
async def test_hits_are_those_the_filters_ask_for(memory, arguments, agents):
    result = await call(memory, **arguments)
    assert not result.is_error
    assert {hit["agent"] for hit in result.structured_content["hits"]} == agents


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"query": "x", "agent": "gemini"}, "agent: got 'gemini', expected one of claude-code"),
        ({"query": "x", "since": "soon"}, "since: got 'soon', expected a date such as 2026-11-30"),
        ({"query": "x", "workspace": "nope"}, "no project 'nope'; folders with sessions: /home/dev/bakery"),
        ({"query": "x", "workspace": "/home/dev/bak"}, "no project '/home/dev/bak'; folders with sessions: /home"),
        ({"query": "x", "workspace": "bakry"}, "no project 'bakry'; folders with sessions: /home/dev/bakery"),
        ({"query": "x", "role": "system"}, "role: got 'system', expected one of user, assistant"),
        ({"query": "x", "since": "2026-11-03", "until": "2026-11-02"}, "since: '2026-11-03' is after until"),
        ({"query": "x", "until": "2026-13-01"}, "until: got '2026-13-01', expected a date such as 2026-11-30"),
        ({"session": "zzz"}, "session: there is none 'zzz'"),
        ({"session": "0"}, "fits several"),
        ({"session": CLAUDE, "step": 9}, "step: 9 is none of session"),
        ({"step": 3}, "give the session"),
        ({"step": True}, "'step': got True"),
        ({"limit": 3}, "no argument 'limit'"),
    ],
)
async def test_a_wrong_argument_is_told_with_what_is_right(memory, arguments, said):
    await call(memory)  # indexed
    result = await call(memory, **arguments)
    assert result.is_error
    assert said in result.content[0].text


async def test_behind_hits_of_all_words_stand_those_of_most_and_none_of_few(memory, tmp_path):
    said = ["the wolverine cache writes through", "a wolverine cache writes to disk", "a wolverine sleeps"]
    lines = [{"session": "w", "role": "user", "content": text} for text in said]
    path = tmp_path / "home" / "claude" / "projects" / "-p" / "w.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        "".join(
            json.dumps({"type": "user", "uuid": str(n), "sessionId": "w", "message": {"content": line["content"]}})
            + "\n"
            for n, line in enumerate(lines)
        )
    )
    hits = (await call(memory, query="wolverine cache write through")).structured_content["hits"]
    assert [hit["step"] for hit in hits] == [1, 2]


async def test_words_for_the_kind_of_message_order_the_hits_and_need_not_stand_in_them(memory, tmp_path):
    said = [
        "look at wolverine again",
        "use badger in place of it, because wolverine loses data",
        "a cat",
        "WolverineTimer",
    ]
    said += ["a wolverine has a timer"]
    lines = [
        {"type": "user", "uuid": f"k{n}", "sessionId": "w", "message": {"role": "user", "content": text}}
        for n, text in enumerate(said)
    ]
    path = tmp_path / "home" / "claude" / "projects" / "-p" / "w.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    hits = (await call(memory, query="what was decided against wolverine data")).structured_content["hits"]
    assert hits[0]["step"] == 2
    hits = (await call(memory, query="what did we decide?", session="w")).structured_content["hits"]
    assert [hit["step"] for hit in hits] == [2]
    hits = (await call(memory, query="WolverineTimer")).structured_content["hits"]
    assert [hit["step"] for hit in hits] == [4, 5]  # the name itself first
    text = (await call(memory, query=CLAUDE)).content[0].text
    assert f"query: '{CLAUDE}' is a session; give it as session to open it" in text


async def test_with_a_question_and_a_session_only_it_is_searched_and_a_step_opens_it(memory):
    hits = (await call(memory, query="timer", session=CLAUDE)).structured_content["hits"]
    assert {hit["session"] for hit in hits} == {CLAUDE}
    opened = await call(memory, query="timer", session=CLAUDE, step=4)
    assert [step["step"] for step in opened.structured_content["steps"]] == [1, 2, 3, 4]
    assert "query: not searched, because a step opens its dialogue" in opened.content[0].text
    cited = await call(memory, session=f"session:{CLAUDE}", step=4)  # as a reply cites it
    assert cited.structured_content["steps"] == opened.structured_content["steps"]


async def test_where_a_project_or_agent_has_no_session_the_reply_says_so(memory, tmp_path):
    (tmp_path / "empty").mkdir()
    result = await call(memory, query="timer", workspace=str(tmp_path / "empty"))
    assert not result.is_error
    assert f"no session ran in {tmp_path / 'empty'}; folders with sessions: /home/dev/bakery" in result.content[0].text
    result = await call(memory, query="timer", agent="codex")
    assert "agent: no session of codex is in the index" in result.content[0].text


async def ask(memory, **arguments):
    async with Client(create_server(lambda: memory)) as session:
        return await session.call_tool("query_memory", arguments)


async def test_query_memory_answers_from_past_sessions_and_cites_them(memory):
    result = await ask(memory, user_query="float seconds", category="sessions")
    data, text = result.structured_content, result.content[0].text
    assert [(hit["session"], hit["step"]) for hit in data["sessions"]] == [(CLAUDE, 4)]
    assert (data["results"], data["notes"], data["nothing_relevant"]) == ([], [], False)
    assert text.startswith(f"Sources:\nsession:{CLAUDE} step 4\n")
    assert f"session:{CLAUDE} step 4 (assistant, claude-code, 2026-11-01): It adds **float** **seconds**" in text


@pytest.mark.parametrize(
    ("arguments", "steps"),
    [
        ({"user_query": "timer", "workspace": "bakery"}, {1, 2}),  # bound to a folder with sessions, never scanned
        ({"user_query": "zebra crossing"}, set()),
        ({}, {1}),  # the latest sessions, each opened at its first step
    ],
)
async def test_sessions_are_asked_by_project_or_listed_without_a_scan(memory, arguments, steps):
    result = await ask(memory, category="sessions", **arguments)
    assert not result.is_error
    found = result.structured_content["sessions"]
    assert steps <= {hit["step"] for hit in found}
    assert bool(found) is bool(steps)
    assert result.structured_content["nothing_relevant"] is not bool(steps)


async def test_sessions_keep_to_the_budget_of_a_query(memory):
    few = await ask(memory, user_query="timer", category="sessions", budget_tokens=100)
    assert len(few.structured_content["sessions"]) == 1
    assert few.structured_content["omitted"] > 0
    assert "more left out" in few.content[0].text


@pytest.fixture
def run(memory, capsys, monkeypatch):
    monkeypatch.setattr(memory, "close", lambda: None)

    def run_command(*argv):
        status = main(["sessions", *argv], open_memory=lambda: memory)
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run_command


@pytest.mark.parametrize(
    ("argv", "shown"),
    [
        (["sources"], "claude-code  1"),
        (["index"], "9 new messages from 2 changed of 2 files"),
        (["search", "float seconds"], f"{CLAUDE} step 4 (assistant, claude-code, /home/dev/bakery, 2026-11-01 08:00)"),
        (["search", "branch answer"], "[left branch]"),
        (["search", "timer", "--role", "user"], "Why does the oven **timer** drift?"),
        (["search", "nothing of the kind"], "Nothing found in past sessions."),
        (["list", "--agent", "pi"], "Timer rename"),
    ],
)
def test_each_command_prints_its_answer(run, argv, shown):
    status, out, err = run(*argv)
    assert (status, err) == (0, "")
    assert shown in out


def test_a_session_is_shown_as_its_transcript_is_now(run, memory, tmp_path):
    transcript = next((tmp_path / "home" / "claude").rglob("*.jsonl"))
    assert "It adds float seconds" in run("show", CLAUDE)[1]  # nothing was indexed before
    said = {"type": "user", "uuid": "new", "sessionId": CLAUDE, "message": {"role": "user", "content": "wolverine"}}
    transcript.write_text(transcript.read_text() + json.dumps(said) + "\n")
    assert "wolverine" in run("show", CLAUDE)[1]
    transcript.write_text(transcript.read_text() + json.dumps(said | {"uuid": "newer"}) + "\n")
    assert "6 messages removed" in run("forget", CLAUDE, "--yes")[1]


@pytest.mark.parametrize(
    ("question", "reason"), [(" ", "QUERY is empty"), ('"', "QUERY has no word"), ("?!", "QUERY has no word")]
)
def test_a_question_without_a_word_on_the_command_line_is_refused(question, reason, run):
    status, out, err = run("search", question)
    assert (status, out) == (1, "")
    assert reason in err


def test_json_is_what_the_tool_returns(run, memory):
    status, out, _ = run("search", "float seconds", "--json")
    assert status == 0
    assert json.loads(out)["hits"][0]["step"] == 4


def test_a_session_is_shown_forgotten_and_stays_forgotten(run, memory, tmp_path):
    run("index")
    assert "It adds float seconds" in run("show", CLAUDE[:6])[1]
    assert run("forget", CLAUDE)[::2] == (
        1,
        "zerikai-memory: sessions forget cannot be undone: pass --yes to confirm\n",
    )
    assert "4 messages removed" in run("forget", CLAUDE, "--yes")[1]
    for file in (tmp_path / "brain").glob("sessions.db*"):
        assert b"float" not in file.read_bytes()
        assert b"drift" not in file.read_bytes()
    transcript = next((tmp_path / "home" / "claude").rglob("*.jsonl"))
    transcript.write_bytes(transcript.read_bytes() + b"\n")
    assert run("index")[0] == 0
    assert "Nothing found" in run("search", "float seconds")[1]
    memory._brain.tape.close()
    (tmp_path / "brain" / "sessions.db").unlink()  # made anew from the transcripts
    assert "5 new messages" in run("index")[1]
    assert "Nothing found" in run("search", "float seconds")[1]
