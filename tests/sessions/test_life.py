"""Files that grow, are cut, replaced, moved or gone, and messages that stand in several of them."""

import json
import os
import threading

import pytest

from tests.sessions.archives import all_steps, open_archive, texts
from tests.sessions.generator import MAKERS, START, Talk, write
from zerikai_memory.errors import DamagedError
from zerikai_memory.sessions import archive as archive_module
from zerikai_memory.sessions import lines as lines_module


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


@pytest.fixture
def archive(home, tmp_path):
    made = open_archive(home, brain=tmp_path / "brain")
    yield made
    made.close()


def talk(session, *said, started=START, project="/home/dev/p"):
    return Talk(
        session, project, started, [("user" if n % 2 == 0 else "assistant", text) for n, text in enumerate(said)]
    )


def lines_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def put(path, records, mode="w"):
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open(mode) as file:
        file.writelines(json.dumps(record) + "\n" for record in records)


@pytest.mark.parametrize("agent", [name for name in MAKERS if name != "vscode-chat"])
def test_only_the_added_bytes_are_read(agent, home, archive):
    path = write(home, agent, talk("a1", "one", "two", "three"))
    archive.index()
    before = path.stat().st_size
    longer = write(home / "other-home", agent, talk("a1", "one", "two", "three", "four"))
    path.write_bytes(longer.read_bytes())
    report = archive.index()
    assert (report.read_bytes, report.messages) == (path.stat().st_size - before, 1)
    assert [step.text for step in archive.show("a1")] == ["one", "two", "three", "four"]


@pytest.mark.parametrize("agent", MAKERS)
def test_a_file_that_is_cut_anywhere_and_completed_gives_each_message_once(agent, home, archive):
    path = write(home, agent, talk("a1", "one", "twö", "three"))
    whole = path.read_bytes()
    for size in range(0, len(whole), max(1, len(whole) // 40)):
        path.write_bytes(whole[:size])
        archive.index()
    path.write_bytes(whole)
    archive.index()
    assert sorted(step.text for step in archive.show("a1")) in (["one", "three", "twö"], ["one", "three", "twö "])


def test_a_last_line_without_its_line_feed_is_read_when_it_is_whole(home, archive):
    path = write(home, "claude-code", talk("a1", "one", "two"))
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    assert archive.index().messages == 2


def test_a_file_that_is_replaced_by_another_is_read_from_its_beginning(home, archive):
    path = write(home, "claude-code", talk("a1", "one", "two"))
    archive.index()
    put(path, [])
    archive.index()
    write(home, "claude-code", talk("a1", "neu", "zwei", "drei", "vier", started=START + 99))
    archive.index()
    assert [step.text for step in archive.show("a1")] == ["one", "two", "neu", "zwei", "drei", "vier"]


def test_what_a_vanished_file_said_stays_and_is_marked(home, archive):
    path = write(home, "claude-code", talk("a1", "keep this", "yes"))
    archive.index()
    kept = path.read_bytes()
    path.unlink()
    archive.index()
    assert archive.recall("keep this").hits
    assert [info.gone for info in archive.recall().sessions] == [True]
    path.write_bytes(kept)
    archive.index()
    assert [info.gone for info in archive.recall().sessions] == [False]


def test_a_moved_file_is_no_second_session(home, archive):
    path = write(home, "codex", talk("0bb0c0de-0000-4000-8000-000000000002", "one", "two"))
    archive.index()
    path.rename(path.parents[1] / path.name)
    assert archive.index().messages == 0
    assert len(archive.recall().sessions) == 1


def test_a_resumed_claude_session_adds_only_what_is_new(home, archive):
    old = lines_of(write(home, "claude-code", talk("a1", "one", "two")))
    new = lines_of(write(home, "claude-code", talk("b2", "one", "two", "three", "four")))
    copied = [record | {"sessionId": "b2", "uuid": f"c{n}"} for n, record in enumerate(old)]
    put(home / "claude/projects/-p/b2.jsonl", copied + new[2:])
    archive.index()
    assert [step.text for step in archive.show("a1")] == ["one", "two"]
    assert [step.text for step in archive.show("b2")] == ["three", "four"]


def test_a_codex_fork_with_new_times_leaves_its_replay_out(home, archive):
    first, second = "0bb0c0de-0000-4000-8000-00000000000a", "0bb0c0de-0000-4000-8000-00000000000b"
    write(home, "codex", talk(first, "one", "two", "continue", "yes"))
    path = write(home, "codex", talk(second, "one", "two", "continue", "yes", "other way", "fine", started=START + 500))
    records = lines_of(path)
    records[0]["payload"]["forked_from_id"] = first
    put(path, records)
    archive.index()
    assert [step.text for step in archive.show(second)] == ["other way", "fine"]


def test_the_same_words_said_twice_in_codex_are_two_messages(home, archive):
    write(home, "codex", talk("0bb0c0de-0000-4000-8000-00000000000c", "continue", "done", "continue", "done"))
    archive.index()
    assert [step.text for step in all_steps(archive)] == ["continue", "done", "continue", "done"]


def test_a_pi_fork_is_read_once_and_left_branches_follow_the_last_entry(home, archive):
    path = write(home, "pi", talk("p1", "one", "two"))
    records = lines_of(path)
    fork = [records[0] | {"id": "p2", "parentSession": str(path)}, *records[1:]]
    message = {"role": "assistant", "content": "another answer"}
    entry = {"type": "message", "id": "e9", "parentId": "e0", "timestamp": "2026-11-01T00:00:00Z"}
    put(home / "pi/agent/sessions/--p--/z_p2.jsonl", [*fork, entry | {"message": message}])
    archive.index()
    assert [step.text for step in all_steps(archive)] == ["another answer", "one", "two"]
    put(path, [entry | {"id": "e7", "message": {"role": "user", "content": "back to one"}}], "a")
    archive.index()
    assert texts(archive, "assistant", off_branch=True) == ["two"]
    assert texts(archive, "user") == ["one", "back to one"]


def test_antigravity_prefers_the_full_transcript(home, archive):
    full = write(home, "antigravity", talk("a1", "one", "the whole answer"))
    short = lines_of(full)
    short[1]["content"] = "the whole"
    put(full.with_name("transcript.jsonl"), short)
    full_text = full.read_text()
    full.unlink()
    archive.index()
    full.write_text(full_text)
    archive.index()
    assert [step.text for step in archive.show("a1")] == ["one", "the whole answer"]
    assert archive.recall("whole answer").hits


def test_vscode_replays_sets_cuts_and_deletes(home, archive):
    path = home / "Code/User/workspaceStorage/h/chatSessions/v1.jsonl"
    request = {
        "requestId": "r1",
        "timestamp": 1_770_000_000_000,
        "message": {"text": "ask"},
        "response": [{"value": "a"}],
    }
    put(
        path,
        [
            {"kind": 0, "v": {"sessionId": "v1", "requests": [], "draft": 1}},
            {"kind": 2, "k": ["requests"], "v": [request, request | {"requestId": "r2"}]},
            {"kind": 2, "k": ["requests"], "i": 1},  # cut the second
            {"kind": 2, "k": ["requests", 0, "response"], "v": [{"value": "better"}], "i": 0},
            {"kind": 1, "k": ["requests", 0, "result"], "v": {"metadata": "x" * 100}},
            {"kind": 1, "k": ["customTitle"], "v": "Named"},
            {"kind": 3, "k": ["draft"]},
            {"kind": 1, "k": ["requests", 9, "x"], "v": 1},  # its target is not there
        ],
    )
    put(path.parents[1] / "workspace.json", [{"folder": "file:///home/dev/my%20shop"}])
    put(path.with_suffix(".json"), [{"sessionId": "v1", "requests": [request | {"message": {"text": "stale"}}]}])
    archive.index()
    assert [(step.role, step.text) for step in archive.show("v1")] == [("user", "ask"), ("assistant", "better")]
    (info,) = archive.recall().sessions
    assert (info.title, info.project) == ("Named", "/home/dev/my shop")


def test_a_damaged_json_file_is_named_once_and_waits_for_a_change(home, archive):
    path = home / "Code/User/globalStorage/emptyWindowChatSessions/w1.json"
    path.parent.mkdir(parents=True)
    path.write_text('{"sessionId": "w1", "requests": [')
    assert list(archive.index().skipped) == [str(path)]
    assert archive.recall("anything").behind_bytes == 0
    assert archive.index().skipped == {}
    put(path, [{"sessionId": "w1", "requests": [{"requestId": "r", "message": {"text": "ask"}}]}])
    assert archive.index().messages == 1


def test_a_session_as_one_json_file_is_read(home, archive):
    path = home / "Code/User/globalStorage/emptyWindowChatSessions/w1.json"
    request = {
        "requestId": "r1",
        "timestamp": 1_770_000_000_000,
        "message": {"text": "ask"},
        "response": [{"value": "a"}],
    }
    put(path, [{"version": 3, "sessionId": "w1", "customTitle": "T", "requests": [request, None]}])
    assert archive.index().messages == 2


def test_a_line_longer_than_the_bound_is_passed_over(home, archive, monkeypatch):
    monkeypatch.setattr(lines_module, "MAX_LINE_BYTES", 2_000)
    path = write(home, "claude-code", talk("a1", "one", "x" * 10_000, "three"))
    with path.open("ab") as file:
        file.write(b'{"type": "user", ' + b" " * 9_000)  # longer than the bound and not ended yet
    report = archive.index()
    assert (report.messages, report.bad_lines) == (2, 1)


def test_much_that_is_new_is_told_and_not_read_before_a_search(home, archive, monkeypatch):
    write(home, "claude-code", talk("a1", "one thing", "two"))
    archive.index()
    write(home, "claude-code", talk("b2", "one other", "four", started=START + 50))
    monkeypatch.setattr(archive_module, "QUIET_BYTES", 100)
    found = archive.recall("one")
    assert [hit.session for hit in found.hits] == ["a1"]
    assert found.behind_bytes > 100
    assert "not in the index: run `zerikai-memory sessions index`" in found.warnings[0]
    monkeypatch.undo()
    assert {hit.session for hit in archive.recall("one").hits} == {"a1", "b2"}


def test_folders_devices_and_names_that_are_no_text_do_no_harm(home, archive):
    path = write(home, "claude-code", talk("a1", "one", "two"))
    os.mkfifo(path.with_name("pipe.jsonl"))
    (path.parent / "folder.jsonl").mkdir()
    odd = os.fsencode(path.parent) + b"/bad\xff.jsonl"
    with open(odd, "wb") as file:
        file.write(path.read_bytes().replace(b"one", b"odd").replace(b"msg_a1", b"msg_o"))
    report = archive.index()
    assert report.skipped == {str(path.with_name("pipe.jsonl")): "no regular file"}
    assert texts(archive, "user") == ["one", "odd"]
    assert archive.index().messages == 0


def test_a_damaged_index_is_told_by_a_search_and_made_anew_by_an_index_run(home, archive, tmp_path):
    write(home, "claude-code", talk("a1", "one", "two"))
    archive.index()
    archive.close()
    database = tmp_path / "brain" / "sessions.db"
    database.write_bytes(b"no database " * 2000)
    with pytest.raises(DamagedError, match="sessions index"):
        archive.recall("one")
    report = archive.index()
    assert report.messages == 2
    assert "made anew" in report.warnings[0]
    assert archive.recall("one").hits
    assert len(list(database.parent.glob("sessions.db.damaged-*"))) == 1
    assert archive.index().warnings == ()


def test_two_runs_at_once_store_everything_once(home, archive, tmp_path):
    for number in range(20):
        write(home, "claude-code", talk(f"s{number}", "one", "two", started=START + number * 10))
    others = [open_archive(home, brain=tmp_path / "brain") for _ in range(3)]
    threads = [threading.Thread(target=other.recall, args=("one",)) for other in others]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    archive.index()
    assert len(all_steps(archive)) == 40
    for other in others:
        other.close()


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("我们决定使用缓存来加速查询", "缓存"),
        ("データベースの移行を延期しました", "移行"),
        ("We renamed getUserById to load_user", "get user by id"),
        ("Wir haben die Überschrift geändert", "überschrift"),
        ("The migrations were failing", "migration fails"),  # stems
    ],
)
def test_words_of_any_script_are_found_and_marked(said, asked, home, archive):
    write(home, "claude-code", talk("a1", said, "ok", "something else entirely", "yes"))
    (hit,) = archive.recall(asked).hits
    assert hit.snippet.replace("*", "") == said
    assert "**" in hit.snippet


def test_a_snippet_shows_the_part_that_matches_within_its_length(home, archive):
    text = "before " * 300 + "the needle is here " + "after " * 300
    write(home, "claude-code", talk("a1", text, "ok"))
    (hit,) = archive.recall("needle").hits
    assert "the **needle** is here" in hit.snippet
    assert len(hit.snippet) <= 440
    assert (hit.snippet[:4], hit.snippet[-4:]) == ("... ", " ...")
