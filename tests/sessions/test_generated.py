"""Much of every format, with torn lines, unknown events, replays: everything said is found once, nothing else.

`python -m tests.sessions.generator` writes 10 MB of each; here a tenth of it is read in every run.
"""

import pytest

from tests.sessions.archives import open_archive
from tests.sessions.generator import MAKERS, Talk, write_fork, write_much

SIZE = 1_000_000


@pytest.mark.parametrize("agent", MAKERS)
def test_a_megabyte_of_a_format_is_read_whole_and_once(agent, tmp_path):
    home = tmp_path / "home"
    said = write_much(home, agent, SIZE)
    fork = Talk(
        f"f{said[0].session[1:]}", "/p", said[0].started + 5_000_000, [("user", "and now"), ("assistant", "go")]
    )
    forked = write_fork(home, agent, said[0], fork)
    archive = open_archive(home, brain=tmp_path / "brain")
    report = archive.index()
    assert report.skipped == {}
    assert report.bad_lines > 0
    assert report.unknown_events > 0 or agent in ("vscode-chat", "antigravity")  # there any kind is a tool's result
    for talk in said[:: max(1, len(said) // 2)]:
        steps = archive.show(talk.session)
        asked = [text for role, text in talk.said if role == "user"]
        assert [step.text for step in steps if step.role == "user"] == asked
        answers = [step.text for step in steps if step.role == "assistant"]
        if agent == "vscode-chat":  # all of an answer is one message
            assert " ".join(answers) == " ".join(text for role, text in talk.said if role == "assistant")
        else:
            assert answers == [text for role, text in talk.said if role == "assistant"]
        assert sum(step.role == "tool" for step in steps) == sum(role == "tool" for role, _ in talk.said)
    if forked:
        assert [step.text for step in archive.show(fork.session)] == ["and now", "go"]
    again = archive.index()
    assert (again.messages, again.read_bytes) == (0, 0)
    archive.close()
