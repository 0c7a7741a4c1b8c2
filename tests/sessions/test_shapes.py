"""Lines as agents of several versions write them: what a person reading along would call said, and no more."""

import json

import pytest

from tests.sessions.archives import all_steps, open_archive

CLAUDE = "claude/projects/-p/s.jsonl"
CODEX = "codex/sessions/2026/11/01/rollout-2026-11-01T08-00-00-0bb0c0de-0000-4000-8000-00000000000a.jsonl"
CHATS = "Code/User/workspaceStorage/w/chatSessions"
BRAIN = "gemini/antigravity/brain/s/.system_generated/logs/transcript.jsonl"
PI = "pi/agent/sessions/--p--/2026-11-01T08-00-00-000Z_s.jsonl"
COPILOT = "copilot/session-state/s/events.jsonl"
DENIED = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit)."


def claude(kind, second, content=None, **more):
    line = {"type": kind, "uuid": f"u{second}", "sessionId": "s", "timestamp": f"2026-11-01T08:00:{second:02d}.5Z"}
    if content is not None:
        line["message"] = {"role": kind, "content": content} | more.pop("message", {})
    return line | more


def result(text, **more):
    return [{"type": "tool_result", "tool_use_id": "t", "content": text} | more]


def queued(prompt, second, **more):
    return claude("attachment", second, attachment={"type": "queued_command", "prompt": prompt} | more)


def codex(kind, second, **payload):
    return {"timestamp": f"2026-11-01T08:00:{second:02d}Z", "type": kind, "payload": payload}


def item(role, text, second):
    kind = "output_text" if role == "assistant" else "input_text"
    return codex("response_item", second, type="message", role=role, content=[{"type": kind, "text": text}])


def chat(*requests, **more):
    return {"version": 3, "sessionId": "s", "requests": list(requests)} | more


def request(text, *parts, **more):
    return {"requestId": "r1", "timestamp": 1793520000000, "message": {"text": text}, "response": list(parts)} | more


def step(number, kind, content="", **more):
    return {
        "step_index": number,
        "type": kind,
        "created_at": f"2026-11-01T08:00:{number:02d}Z",
        "content": content,
    } | more


def event(kind, number, **data):
    return {"type": kind, "id": f"e{number}", "timestamp": f"2026-11-01T08:00:{number:02d}Z", "data": data}


# Path, lines, and what was said by whom.
SHAPES = {
    "claude: typed while the agent worked": (
        CLAUDE,
        [
            claude("user", 1, "start"),
            claude("queue-operation", 2, operation="enqueue", content="use sqlite please"),
            queued("use sqlite please", 3, commandMode="prompt", origin={"kind": "human"}),
            queued([{"type": "text", "text": "and keep the tests"}], 4),
            queued("<task-notification>done</task-notification>", 5, commandMode="task-notification"),
            queued("from another session", 6, commandMode="prompt", origin={"kind": "peer"}),
            claude("attachment", 7, attachment={"type": "task_reminder", "content": []}),
        ],
        [("user", "start"), ("user", "use sqlite please"), ("user", "and keep the tests")],
    ),
    "claude: a refused tool and its reason": (
        CLAUDE,
        [
            claude(
                "user", 1, result(f"{DENIED} To tell you how to proceed, the user said:\nno, keep redis", is_error=True)
            ),
            claude("user", 2, result(f"{DENIED} STOP what you are doing and wait.", is_error=True)),
            claude("user", 3, result("grep output: the user said:\nnothing of the kind")),
            claude(
                "user",
                4,
                result(
                    f"{DENIED} To tell you how to proceed, the user said:\nsmaller steps\n\nNote: The user's next"
                    " message may contain a correction or preference."
                ),
            ),
            claude("user", 5, result(f"{DENIED} the user said:\nThe user wants to clarify these questions.\n Start")),
        ],
        [("user", "no, keep redis"), ("user", "smaller steps")],
    ),
    "claude: answers to questions": (
        CLAUDE,
        [
            claude(
                "user",
                1,
                result(
                    'User has answered your questions: "Which?"="Postgres". You can now continue with the user\'s'
                    " answers in mind."
                ),
                toolUseResult={"questions": [], "answers": {"Which?": "Postgres"}},
            ),
            claude("user", 2, result('User has answered your questions: "Where?"="Here". You can now continue.')),
        ],
        [("user", "Which? Postgres"), ("user", '"Where?"="Here"')],
    ),
    "claude: a plan is an answer": (
        CLAUDE,
        [
            claude(
                "assistant",
                1,
                [{"type": "tool_use", "id": "t1", "name": "ExitPlanMode", "input": {"plan": "1. use cents"}}],
                message={"id": "m1"},
                requestId="r1",
            )
        ],
        [("assistant", "1. use cents"), ("tool", "ExitPlanMode")],
    ),
    "claude: what the program wrote": (
        CLAUDE,
        [
            claude("user", 1, [{"type": "text", "text": "[Request interrupted by user for tool use]"}]),
            claude("user", 2, "This session is being continued from a previous conversation that ran out of context."),
            claude("user", 3, "<command-name>/clear</command-name>\n<command-message>clear</command-message>"),
            claude("user", 4, "<local-command-stdout>Set model</local-command-stdout>"),
            claude("user", 5, "Caveat: ...", isMeta=True),
            claude("assistant", 6, [{"type": "text", "text": "API Error: 529"}], isApiErrorMessage=True),
            claude(
                "assistant", 7, [{"type": "text", "text": "No response requested."}], message={"model": "<synthetic>"}
            ),
            claude("assistant", 8, [{"type": "text", "text": "(no content)"}], message={"id": "m1"}),
            claude("assistant", 9, [{"type": "redacted_thinking", "data": "x"}], message={"id": "m2"}),
            claude("system", 10, subtype="compact_boundary", content="Conversation compacted"),
            claude("user", 11, "<system-reminder>x</system-reminder>real words"),
        ],
        [("user", "/clear"), ("user", "real words")],
    ),
    "claude: content as text, as blocks, with a picture": (
        CLAUDE,
        [
            claude("assistant", 1, "plain", message={"id": "m1"}),
            claude("user", 2, ["a bare text", {"type": "text", "text": "and a block"}]),
            claude(
                "user", 3, [{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QUJD"}}]
            ),
        ],
        [("assistant", "plain"), ("user", "a bare text\nand a block"), ("user", "[image/png, 4 characters]")],
    ),
    "codex: an editor's and the program's words around the person's": (
        CODEX,
        [
            codex("session_meta", 0, id="0bb0c0de-0000-4000-8000-00000000000a", cwd="/p", source="vscode"),
            item("developer", "<permissions instructions>x</permissions instructions>", 1),
            item("user", "# AGENTS.md instructions for /p\n\n<INSTRUCTIONS>x</INSTRUCTIONS>", 1),
            item("user", "<environment_context>\n<cwd>/p</cwd>\n</environment_context>", 1),
            item(
                "user", "# Context from my IDE setup:\n\n## Active file: a.py\n\n## My request for Codex:\nadd retry", 2
            ),
            codex("event_msg", 3, type="user_message", message="add retry", images=[]),
            item("user", '<image name=[Image #1] path="/x.png">\n</image>\nlook at this', 4),
            item("user", "<turn_aborted>\nThe user interrupted\n</turn_aborted>", 5),
            item("user", "<user_shell_command>\n<command>ls</command>\n<result>a</result>\n</user_shell_command>", 6),
            codex("response_item", 7, type="web_search_call", action={"type": "search", "query": "backoff"}),
            codex("response_item", 8, type="reasoning", summary=[{"type": "summary_text", "text": "hidden"}]),
            item("assistant", "## My request for Codex: is a heading", 9),
            codex("event_msg", 9, type="agent_message", message="## My request for Codex: is a heading"),
            codex("event_msg", 10, type="something_new", message="x"),
        ],
        [
            ("user", "add retry"),
            ("user", "look at this"),
            ("tool", "web_search: backoff"),
            ("assistant", "## My request for Codex: is a heading"),
        ],
    ),
    "codex: a file of the first builds, without envelopes": (
        CODEX,
        [
            {"id": "old-session", "timestamp": "2025-05-07T08:00:00Z", "instructions": None},
            {"record_type": "state"},
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hello"}]},
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hidden"}]},
            {"type": "function_call", "name": "shell", "arguments": '{"command": ["ls", "-l"]}', "call_id": "c"},
            {"type": "function_call_output", "call_id": "c", "output": "a"},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "hi"}]},
        ],
        [("user", "hello"), ("tool", "shell: ls -l"), ("assistant", "hi")],
    ),
    "vscode: references within sentences, commands, the host's requests": (
        f"{CHATS}/s.json",
        [
            chat(
                request(
                    "where is it?",
                    {"value": "The bug is in "},
                    {
                        "kind": "inlineReference",
                        "inlineReference": {"$mid": 1, "path": "/p/retry.go", "scheme": "file"},
                    },
                    {"value": ", "},
                    {
                        "kind": "inlineReference",
                        "inlineReference": {"name": "fetch", "location": {"uri": {"path": "/p"}}},
                    },
                    {"value": ": no limit."},
                    {"kind": "thinking", "value": "hidden"},
                    {
                        "kind": "toolInvocationSerialized",
                        "toolId": "run_in_terminal",
                        "pastTenseMessage": {"value": "Ran a command"},
                        "toolSpecificData": {"kind": "terminal", "commandLine": {"original": "go test"}},
                        "resultDetails": {"output": "secret output"},
                    },
                ),
                {
                    "timestamp": 1793520001000,
                    "message": {"text": "host says"},
                    "isSystemInitiated": True,
                    "response": [],
                },
            )
        ],
        [
            ("user", "where is it?"),
            ("tool", "run_in_terminal: go test"),
            ("assistant", "The bug is in retry.go, fetch: no limit."),
        ],
    ),
    "antigravity: arguments in quotes, content in an object": (
        BRAIN,
        [
            step(
                0,
                "USER_INPUT",
                "<USER_REQUEST>\nlist it\n</USER_REQUEST>\n<USER_SETTINGS_CHANGE>x</USER_SETTINGS_CHANGE>",
            ),
            step(1, "CONVERSATION_HISTORY", "x", source="SYSTEM"),
            step(2, "PLANNER_RESPONSE", tool_calls=[{"name": "list_dir", "args": {"DirectoryPath": '"/tmp/repo"'}}]),
            step(3, "LIST_DIRECTORY", "a.txt", source="MODEL"),
            step(4, "PLANNER_RESPONSE", {"text": "one file"}),
            step(5, "CHECKPOINT", "{{ CHECKPOINT 0 }}", source="SYSTEM"),
        ],
        [("user", "list it"), ("tool", "list_dir: /tmp/repo"), ("assistant", "one file")],
    ),
    "pi: the first version has no ids": (
        PI,
        [
            {"type": "session", "id": "s", "timestamp": "2026-11-01T08:00:00Z", "cwd": "/p", "provider": "x"},
            {"type": "message", "timestamp": "2026-11-01T08:00:01Z", "message": {"role": "user", "content": "one"}},
            {
                "type": "message",
                "timestamp": "2026-11-01T08:00:02Z",
                "message": {
                    "role": "assistant",
                    "content": [{"type": "thinking", "thinking": "x"}, {"type": "text", "text": "two"}],
                },
            },
            {"type": "message", "message": {"role": "toolResult", "content": [{"type": "text", "text": "output"}]}},
            {"type": "compaction", "summary": "x"},
            {"type": "custom_message", "customType": "x", "content": "x"},
        ],
        [("user", "one"), ("assistant", "two")],
    ),
    "copilot: events of many kinds": (
        COPILOT,
        [
            event("session.start", 0, sessionId="s", version=1, context={"cwd": "/p"}),
            event("session.info", 1, infoType="folder_trust", message="trusted"),
            event("user.message", 2, content="why?", transformedContent="<current_datetime>x</current_datetime>why?"),
            event("assistant.turn_start", 3, turnId="0"),
            event(
                "assistant.message",
                4,
                content="",
                toolRequests=[{"toolCallId": "t", "name": "bash", "arguments": {"command": "ls"}}],
            ),
            event("tool.execution_complete", 5, toolCallId="t", success=False, error={"message": "no", "code": "x"}),
            event("assistant.message", 6, content="because", reasoningText="hidden", toolRequests=None),
            event("session.compaction_complete", 7, summaryContent="x"),
            event("abort", 8, reason="user"),
        ],
        [("user", "why?"), ("tool", "bash: ls"), ("assistant", "because")],
    ),
}


@pytest.mark.parametrize("name", SHAPES)
def test_what_was_said_is_found_and_nothing_else(name, tmp_path):
    path, lines, wanted = SHAPES[name]
    target = tmp_path / "home" / path
    target.parent.mkdir(parents=True)
    target.write_text("".join(json.dumps(line) + "\n" for line in lines))
    archive = open_archive(tmp_path / "home", brain=tmp_path / "brain")
    report = archive.index()
    assert [(one.role, one.text) for one in all_steps(archive)] == wanted
    assert (report.bad_lines, report.skipped) == (0, {})
    archive.close()


@pytest.mark.parametrize(
    ("uri", "folder"),
    [
        ("file:///home/dev/my%20shop", "/home/dev/my shop"),
        ("file:///c%3A/Users/dev/shop", "c:/Users/dev/shop"),
        ("vscode-remote://ssh-remote%2Bhost/home/dev/shop", "/home/dev/shop"),
    ],
)
def test_the_folder_of_a_chat_session_is_a_path_of_its_own_system(uri, folder, tmp_path):
    storage = tmp_path / "home" / CHATS
    storage.mkdir(parents=True)
    (storage.parent / "workspace.json").write_text(json.dumps({"folder": uri}))
    (storage / "s.json").write_text(json.dumps(chat(request("ask"))))
    (storage / "t.json").write_text(json.dumps(chat(request("other"), sessionId="t", workingDirectory="file:///w")))
    archive = open_archive(tmp_path / "home", brain=tmp_path / "brain")
    archive.index()
    found = {info.session: info.project for info in archive.recall(limit=9).sessions}
    assert found["s"] == folder
    archive.close()


@pytest.mark.parametrize("times", [(1793520000000, 1793529000000), (None, None)])
def test_requests_that_every_window_counts_anew_are_told_apart(times, tmp_path):
    storage = tmp_path / "home" / CHATS
    storage.mkdir(parents=True)
    for name, at in zip("st", times, strict=True):
        one = request(f"ask {name}", {"value": f"answer {name}"}, requestId="request_0", timestamp=at, promptTokens=5)
        (storage / f"{name}.json").write_text(json.dumps(chat(one, sessionId=name)))
    archive = open_archive(tmp_path / "home", brain=tmp_path / "brain")
    archive.index()
    assert {step.text for step in all_steps(archive)} == {"ask s", "answer s", "ask t", "answer t"}
    assert sum(one.input for one in archive.spent().sums) == 10
    archive.close()
