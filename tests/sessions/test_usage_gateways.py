"""Responses behind gateways that give all of them one id: told apart, and counted once each."""

import pytest

from tests.sessions.archives import open_archive
from tests.sessions.test_usage import CLAUDE, claude, totals, write


@pytest.fixture
def archive(tmp_path):
    made = []

    def opened(home):
        made.append(open_archive(home, brain=tmp_path / "brain"))
        return made[-1]

    yield opened
    for one in made:
        one.close()


def gateway(second, given, output, text="ok", **more):
    """A line behind a gateway: no request id, and one message id for every response."""
    line = claude("msg_gateway", None, output, second=second)
    line["message"]["usage"] |= {"input_tokens": given, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0}
    line["message"]["content"] = [{"type": "text", "text": text}]
    return line | more


def prompt(second, text="go on"):
    line = {"type": "user", "sessionId": "s1", "uuid": f"u{second}", "message": {"role": "user", "content": text}}
    return line | {"timestamp": f"2026-11-01T08:00:{second:02d}Z", "cwd": "/home/dev/shop"}


# Lines behind a gateway, then responses, input, output.
GATEWAYS = {
    "each response after a prompt counts": (
        [prompt(0), gateway(1, 100, 10), prompt(2), gateway(3, 200, 20), prompt(4), gateway(5, 300, 30)],
        (3, 600, 60),
    ),
    "the lines of one response count once": (
        [prompt(0), gateway(1, 100, 1), gateway(2, 100, 8), gateway(2, 100, 10)],
        (1, 100, 10),
    ),
    "tools that answer between the lines of a response part it not": (
        [prompt(0), gateway(1, 100, 1), prompt(2), gateway(3, 100, 10)],
        (1, 100, 10),
    ),
    "the first line does not know its input yet": (
        [prompt(0), gateway(1, 0, 1), gateway(2, 100, 10), prompt(3), gateway(4, 0, 1), gateway(5, 250, 5)],
        (2, 350, 15),
    ),
    "no line ever tells the input": ([prompt(0), gateway(1, 0, 7), prompt(2), gateway(3, 0, 8)], (2, 0, 15)),
    "a line that tells nothing is no response": ([prompt(0), gateway(1, 0, 0), gateway(2, 100, 10)], (1, 100, 10)),
}


@pytest.mark.parametrize("pieces", [False, True])
@pytest.mark.parametrize("name", GATEWAYS)
def test_responses_of_a_gateway_that_share_one_id_are_told_apart(name, pieces, tmp_path, archive):
    lines, (requests, given, output) = GATEWAYS[name]
    tape = archive(tmp_path)
    for one in lines if pieces else [lines]:
        write(tmp_path, f"{CLAUDE}/s1.jsonl", *([one] if pieces else one))
        tape.index()
    write(tmp_path, f"{CLAUDE}/s2.jsonl", *(line | {"sessionId": "s2"} for line in lines))  # a resumed copy
    got = totals(tape)
    assert (got["requests"], got["input"], got["output"]) == (requests, given, output)


def test_what_a_gateway_said_twice_under_one_id_is_two_messages(tmp_path, archive):
    lines = [prompt(0), gateway(1, 100, 10, "Done."), prompt(2), gateway(3, 200, 20, "Done.")]
    write(tmp_path, f"{CLAUDE}/s1.jsonl", *lines, *lines)
    tape = archive(tmp_path)
    tape.index()
    assert [step.text for step in tape.show("s1")] == ["go on", "Done.", "go on", "Done."]
