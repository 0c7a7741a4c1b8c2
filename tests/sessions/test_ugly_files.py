"""Files and lines as no program should write them: never an exception, and nothing is lost without a word."""

import errno
import gzip
import json
import os
import threading

import pytest

from tests.sessions.archives import all_steps, open_archive, texts
from tests.sessions.generator import MAKERS, START, Talk, write
from zerikai_memory import render_sessions
from zerikai_memory.errors import StoreError
from zerikai_memory.sessions import archive as archive_module

FOLDER = "claude/projects/-p"


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


@pytest.fixture
def archive(home, tmp_path):
    made = open_archive(home, brain=tmp_path / "brain")
    yield made
    made.close()


def talk(session, *said, started=START):
    return Talk(
        session, "/home/dev/p", started, [("user" if n % 2 == 0 else "assistant", text) for n, text in enumerate(said)]
    )


def line(text, second=0, **more):
    message = {"role": "user", "content": text}
    at = f"2026-11-01T08:00:{second:02d}Z"
    return {"type": "user", "uuid": f"u{second}", "sessionId": "s", "timestamp": at, "message": message} | more


def put(path, *lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(one if isinstance(one, bytes) else json.dumps(one).encode() + b"\n" for one in lines))
    return path


# What stands in the file, the texts that are found, how many lines are damaged.
CONTENTS = {
    "nothing": ([b""], [], 0),
    "blank lines": ([b"\n\n  \n"], [], 0),
    "a byte order mark": ([b"\xef\xbb\xbf", line("first"), line("second", 1)], ["first", "second"], 0),
    "line ends of Windows": ([json.dumps(line("first")).encode() + b"\r\n", line("second", 1)], ["first", "second"], 0),
    "NUL bytes before a line": ([b"\0" * 500, line("first")], ["first"], 0),
    "NUL bytes at the end": ([line("first"), b"\0" * 4096], ["first"], 0),
    "bytes that are no UTF-8": ([json.dumps(line("caf#")).encode().replace(b"#", b"\xe9") + b"\n"], ["caf\ufffd"], 0),
    "two objects in one line": ([json.dumps(line("first")).encode(), line("second", 1)], ["first", "second"], 0),
    "half a line before a whole one": (
        [json.dumps(line("torn")).encode()[:70], line("first"), line("second", 1)],
        ["first", "second"],
        1,
    ),
    "a line without its end": ([b'{"type": "user", "message": {"content": "x"}\n', line("first")], ["first"], 1),
    "the same key twice": (
        [b'{"type": "user", "sessionId": "s", "message": {"content": "old", "content": "new"}}\n'],
        ["new"],
        0,
    ),
    "deeply nested": ([b'{"a":' * 100_000 + b"1" + b"}" * 100_000 + b"\n", line("first")], ["first"], 1),
    "numbers beyond any": ([line("first", big=2**64, huge=10**400, far=float("inf"))], ["first"], 0),
    "a number of 5000 digits": ([b'{"a": ' + b"9" * 5000 + b"}\n", line("first")], ["first"], 1),
    "no time at all": (
        [line("first", timestamp="yesterday"), line("second", timestamp=[], uuid="other")],
        ["first", "second"],
        0,
    ),
    "times out of all bounds": (
        [
            line("first", 1, timestamp=1e308),
            line("second", 2, timestamp=-(2**63)),
            line("third", 3, timestamp="99999-01-01"),
        ],
        ["first", "second", "third"],
        0,
    ),
    "other types everywhere": (
        [
            line("first", uuid=7, sessionId=["s"], cwd={"a": 1}, requestId=False, version=None),
            {"type": ["user"], "message": 3},
            {"type": "user", "message": {"content": 3}},
            {"type": "assistant", "message": {"content": [{"type": "tool_use", "name": 5, "input": "{"}], "id": []}},
            {"type": "assistant", "message": {"content": [None, 7, {"type": "text", "text": ["x"]}], "usage": [1]}},
            {"type": "progress", "data": {"message": {"type": "assistant", "message": {"usage": {}}}}},
            {"type": "summary", "summary": 12},
        ],
        ["first"],
        2,
    ),
    "lone surrogates": (
        [b'{"type": "user", "sessionId": "s\\ud800", "uuid": "\\udfff", "cwd": "/\\ud800", "message":'
         b' {"content": "a \\ud83d b"}}\n'],
        ["a \ufffd b"],
        0,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CONTENTS)
def test_what_can_be_read_is_read_and_the_rest_is_counted(name, home, archive):
    content, wanted, damaged = CONTENTS[name]
    put(home / FOLDER / "s.jsonl", *content)
    report = archive.index()
    assert sorted(texts(archive, "user")) == sorted(wanted)
    assert report.bad_lines == damaged
    assert archive.index().messages == 0


def test_odd_ids_are_kept_short_printable_and_apart(home, archive):
    ids = [
        "x" * 100_000,
        "x" * 99_999 + "y",
        "a\x1b[31mred\x07\nline",
        "\u202e\u2028",
        " ",
        "\x00",
        "übersee",
        "a" * 200,
    ]
    for number, one in enumerate(ids):
        put(home / FOLDER / f"f{number}.jsonl", line(f"words {number}", number, sessionId=one))
    assert archive.index().skipped == {}
    found = archive.recall(limit=100).sessions
    assert len(found) == len(ids)
    assert all(len(info.session) <= 200 for info in found)
    assert not any(ord(char) < 32 or 127 <= ord(char) < 160 for info in found for char in info.session)
    for info in found:
        assert archive.show(info.session)[0].text == info.title
        assert archive.recall(session=info.session, step=1).steps
    archive.forget(max((info.session for info in found), key=len))
    assert len(archive.recall(limit=100).sessions) == len(ids) - 1
    assert archive.index().messages == 0


@pytest.mark.parametrize("agent", MAKERS)
def test_lines_of_any_shape_do_no_harm_to_a_format(agent, home, archive):
    path = write(home, agent, talk("a1", "one", "two"))
    whole = [json.loads(each) for each in path.read_text().splitlines()]
    odd = [None, True, 0, -1, 2**70, 1e308, "", "\ud800", "x" * 5_000, [], [[]], {}, {"text": {}}, [{"type": "text"}]]
    broken = []
    for record in whole:
        for key in record:
            broken += [record | {key: value} for value in odd]
            if isinstance(record[key], dict):
                broken += [record | {key: record[key] | {inner: value}} for inner in record[key] for value in odd]
    put(path.with_name("broken.jsonl") if path.name.startswith("a1") else path, *broken, *whole)
    report = archive.index()
    assert report.skipped == {}
    assert {"one", "two"} <= {step.text.strip() for step in all_steps(archive)}
    archive.spent()


def test_a_file_that_two_names_lead_to_is_read_once(home, archive):
    path = put(home / FOLDER / "s.jsonl", line("first"))
    (home / "claude/projects/-q").symlink_to(path.parent)
    (path.parent / "also.jsonl").symlink_to(path)
    os.link(path, path.parent / "hard.jsonl")
    report = archive.index()
    assert (report.files, report.duplicates, report.skipped) == (1, 0, {})
    assert texts(archive, "user") == ["first"]


@pytest.mark.parametrize("unit", [1, 1_000, 1_000_000, 1_000_000_000])
def test_a_number_is_a_time_in_seconds_or_a_smaller_unit(unit, home, archive):
    put(home / "other/s.jsonl", {"role": "user", "content": "first", "time": 1_770_000_000 * unit})
    archive.index()
    assert [step.at for step in all_steps(archive)] == [1_770_000_000]


@pytest.mark.parametrize("name", ["s.jsonl", "other.jsonl.gz"])
def test_a_compressed_file_is_named_and_waits(name, home, archive):
    content = gzip.compress(json.dumps(line("first")).encode())
    path = put(home / FOLDER / name, content)
    reason = archive.index().skipped[str(path)]
    assert "compressed" in reason
    (place,) = [one for one in archive.places() if one.unread]
    assert "compressed" in place.unread[str(path)]
    assert f"not read: {path} (compressed" in render_sessions.place_table(archive.places())
    assert archive.recall("first").warnings == ()
    path.with_name("s.jsonl").write_bytes(gzip.decompress(content))
    if name.endswith(".gz"):
        path.unlink()
    assert archive.index().messages == 1
    assert not any(one.unread for one in archive.places())


def test_a_file_in_which_nothing_can_be_read_is_named(home, archive):
    path = put(home / FOLDER / "s.jsonl", "no json".encode("utf-16"), b"\n", b"neither is this\n")
    assert archive.index().skipped == {str(path): "none of its 2 lines could be read"}
    assert archive.index().skipped == {}
    assert [one.unread for one in archive.places() if one.unread] == [{str(path): "none of its 2 lines could be read"}]
    with path.open("ab") as file:
        file.write(json.dumps(line("first")).encode() + b"\n")
    assert archive.index().messages == 1
    assert not any(one.unread for one in archive.places())


def test_links_in_a_circle_links_to_nothing_and_folders_with_a_files_name(home, archive):
    put(home / FOLDER / "s.jsonl", line("first"))
    put(home / "elsewhere/t.jsonl", line("second", 1, sessionId="t"))
    folder = home / FOLDER
    (folder / "circle").symlink_to(folder.parent)
    (folder / "linked").symlink_to(home / "elsewhere")
    (folder / "self.jsonl").symlink_to(folder / "self.jsonl")
    (folder / "nothing.jsonl").symlink_to(folder / "not-there")
    (folder / "folder.jsonl").mkdir()
    put(folder / "folder.jsonl" / "u.jsonl", line("third", 2, sessionId="u"))
    report = archive.index()
    assert sorted(texts(archive, "user")) == ["first", "second", "third"]
    assert set(report.skipped) == {str(folder / "self.jsonl"), str(folder / "nothing.jsonl")}
    assert report.skipped[str(folder / "self.jsonl")] == os.strerror(errno.ELOOP)
    assert archive.index().messages == 0


def test_files_and_folders_without_permission_are_named(home, archive):
    path = put(home / FOLDER / "s.jsonl", line("first"))
    other = put(home / "claude/projects/-q/t.jsonl", line("second", 1, sessionId="t"))
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read everything")
    other.parent.chmod(0)
    try:
        assert set(archive.index().skipped) == {str(path), str(other.parent)}
        (place,) = [one for one in archive.places() if one.unread]
        assert set(place.unread) == {str(path), str(other.parent)}
        assert archive.recall("first").warnings == ()
    finally:
        path.chmod(0o600)
        other.parent.chmod(0o700)
    assert archive.index().messages == 2


@pytest.mark.parametrize("agent", MAKERS)
def test_a_file_that_is_written_while_it_is_read_is_read_whole_in_the_end(agent, home, archive):
    whole = write(home, agent, talk("a1", *(f"words {number} {'x' * 300}" for number in range(60))))
    content = whole.read_bytes()
    whole.write_bytes(b"")
    started = threading.Event()

    def grow():
        with whole.open("ab", buffering=0) as file:
            for start in range(0, len(content), 997):
                file.write(content[start : start + 997])
                started.set()

    writer = threading.Thread(target=grow)
    writer.start()
    started.wait()
    while writer.is_alive():
        archive.index()
    archive.index()
    fresh = open_archive(home, brain=home / "fresh")
    fresh.index()
    assert [(s.step, s.text) for s in archive.show("a1")] == [(s.step, s.text) for s in fresh.show("a1")]
    assert sum(step.role == "user" for step in fresh.show("a1")) == 30
    fresh.close()


def test_a_brain_that_cannot_be_written_is_said_and_searched_all_the_same(home, archive, monkeypatch):
    write(home, "claude-code", talk("a1", "one thing", "two"))
    archive.index()
    write(home, "claude-code", talk("b2", "one other", "four", started=START + 50))

    def no_lock(*args, **options):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), "sessions.lock")

    monkeypatch.setattr(archive_module.FileLock, "acquire", no_lock)
    with pytest.raises(StoreError, match=r"cannot be indexed.*not writable.*ZERIKAI_HOME"):
        archive.index()
    found = archive.recall("one")
    assert [hit.session for hit in found.hits] == ["a1"]
    assert "cannot be indexed" in found.warnings[0]
    monkeypatch.undo()
    assert {hit.session for hit in archive.recall("one").hits} == {"a1", "b2"}
