"""The transcript cases G: one file or more of an agent, with what must be found in it."""

import json
import resource

import pytest

from tests.casekit import apply_step, build_workspace, load_case
from tests.sessions.archives import open_archive, texts

PLAIN = ["G01", "G02", "G04", "G06"]


@pytest.fixture
def archive(tmp_path):
    made = []

    def opened(home):
        made.append(open_archive(home, brain=tmp_path / "brain"))
        return made[-1]

    yield opened
    for one in made:
        one.close()


@pytest.mark.parametrize("case_id", PLAIN)
def test_a_session_file_is_read_as_the_case_says(case_id, tmp_path, archive):
    case = load_case(case_id)
    tape = archive(build_workspace(case, tmp_path / "home"))
    report = tape.index()
    expect = case.expect

    (info,) = tape.recall(limit=10).sessions
    assert (info.session, info.agent, info.project) == (expect["session_id"], expect["format"], expect["cwd"])
    assert info.title == expect.get("title", expect["user_messages"][0])
    assert texts(tape, "user") == expect["user_messages"]
    assert texts(tape, "assistant") == expect["assistant_texts"]
    assert texts(tape, "assistant", off_branch=True) == expect.get("off_branch_texts", [])
    calls = [text.partition(":")[0] for text in texts(tape, "tool")]
    assert [name for name in calls if name != "bash"] == [call["name"] for call in expect["tool_calls"]]
    assert report.unknown_events == expect.get("unknown_events", 0)
    assert report.bad_lines == 0
    for question, hits in expect.get("search_hits", {}).items():
        assert len(tape.recall(question).hits) == hits, question


@pytest.mark.parametrize("case_id", PLAIN)
def test_reading_the_same_files_again_adds_nothing(case_id, tmp_path, archive):
    tape = archive(build_workspace(load_case(case_id), tmp_path / "home"))
    assert tape.index().messages > 0
    again = tape.index()
    assert (again.messages, again.read_bytes, again.changed_files) == (0, 0, 0)


def test_a_torn_last_line_waits_and_damaged_lines_are_only_counted(tmp_path, archive):
    case = load_case("G07")
    home = build_workspace(case, tmp_path / "home", with_setup=False)
    tape = archive(home)
    reports = []
    for step in case.setup:
        if step["op"] == "import":
            reports.append(tape.index())
            wanted = case.expect["steps"][len(reports) - 1]
            assert texts(tape, "user") == wanted["user_messages"]
        else:
            apply_step(step, home)
    assert [report.bad_lines for report in reports] == [case.expect["steps"][0]["bad_lines"], 0]
    assert len(tape.recall("third question").hits) == 1


def test_a_file_full_of_pictures_needs_little_memory_and_gives_no_picture_words(tmp_path, archive):
    case = load_case("G09")
    home = tmp_path / "home"
    path = home / case.setup[0]["path"]
    path.parent.mkdir(parents=True)
    with path.open("w") as file:
        for number in range(1, 61):
            file.write(json.dumps(_picture_line(number)) + "\n")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    tape = archive(home)
    tape.index()
    grown_mb = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    assert grown_mb < case.expect["max_rss_mb"] - 100
    for question, hits in case.expect["search_hits"].items():
        assert len(tape.recall(question).hits) == hits, question
    assert "[image/png, 1000000 characters]" in texts(tape, "user")[0]
    assert tape.index().read_bytes <= case.expect["second_import_reads_bytes_max"]


def _picture_line(number):
    source = {"type": "base64", "media_type": "image/png", "data": "QUJDREVGR0hJSktM" * 62_500}
    text = "needle in the hay" if number == 41 else f"picture {number}"
    return {
        "type": "user",
        "sessionId": "big",
        "uuid": f"u-{number}",
        "timestamp": f"2026-11-01T08:00:{number - 1:02d}.000Z",
        "message": {"role": "user", "content": [{"type": "image", "source": source}, {"type": "text", "text": text}]},
    }
