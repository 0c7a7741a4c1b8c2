"""10 MB of every format, with torn lines, unknown events and replays: everything said is found once, nothing else."""

import pytest

from tests.sessions.archives import open_archive
from tests.sessions.generator import MAKERS, talks, write

SIZE = 10_000_000


@pytest.mark.parametrize("agent", MAKERS)
def test_ten_megabytes_of_a_format_are_read_whole_and_once(agent, tmp_path):
    home, size, said = tmp_path / "home", 0, []
    for talk in talks(7, 60, 1_200):
        path = write(home, agent, talk, damage=True)
        size += path.stat().st_size
        said.append(talk)
        if size >= SIZE:
            break
    assert size >= SIZE
    archive = open_archive(home, brain=tmp_path / "brain")
    report = archive.index()
    assert report.skipped == {}
    assert report.bad_lines + report.unknown_events > 0 or agent == "vscode-chat"
    for talk in said[:: len(said) // 2]:
        steps = archive.show(talk.session)
        asked = [text for role, text in talk.said if role == "user"]
        assert [step.text for step in steps if step.role == "user"] == asked
        answers = [step.text for step in steps if step.role == "assistant"]
        if agent == "vscode-chat":  # all of an answer is one message
            assert " ".join(answers) == " ".join(text for role, text in talk.said if role == "assistant")
        else:
            assert answers == [text for role, text in talk.said if role == "assistant"]
        assert sum(step.role == "tool" for step in steps) == sum(role == "tool" for role, _ in talk.said)
    again = archive.index()
    assert (again.messages, again.read_bytes) == (0, 0)
    archive.close()
