import io
import json

import pytest

from zerikai_memory.mcp_server.wire import RequestLines, repair, without_stale_probe


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        (rb'"plain \n text"', "plain \n text"),
        (rb'"\ud83c\udf5e"', "🍞"),  # a pair stays
        (rb'"\uD83C\uDF5E\uD83C"', "🍞\ufffd"),
        (rb'"\ud83d"', "\ufffd"),
        (rb'"\udcf6.py"', "\ufffd.py"),
        (rb'"\ud83d\ud83c\udf5e"', "\ufffd🍞"),
        (rb'"\\ud83d"', "\\ud83d"),  # an escaped backslash, then plain letters
        (rb'"\\\ud83d"', "\\\ufffd"),
        (rb'"\ue000"', "\ue000"),  # private use is no surrogate
    ],
)
def test_only_lone_surrogates_are_replaced(sent, read):
    assert json.loads(repair(sent)) == read


@pytest.mark.parametrize("size", [1, 7, 8192])
def test_lines_pass_whole_whatever_the_reader_asks_for(size):
    data = b'{"a": 1}\r\n' + b"x" * 200_000 + b"\n\n\xff\xfe\x0c\x1c\nlast"
    stream = io.BufferedReader(RequestLines(io.BytesIO(data)), buffer_size=size)
    assert stream.read() == data


PROBE, HELLO, OTHER = b'{"method": "server/discover"}\n', b'{"method": "initialize"}\n', b'{"method": "tools/list"}\n'


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        ([PROBE, HELLO], [HELLO]),  # the client gave up the probe
        ([PROBE, OTHER, HELLO], [OTHER, HELLO]),
        ([PROBE], [PROBE]),
        ([PROBE, OTHER], [PROBE, OTHER]),
        ([HELLO, PROBE], [HELLO, PROBE]),
        ([b"junk\n", PROBE, HELLO], [b"junk\n", PROBE, HELLO]),
        ([b"[1]\n"], [b"[1]\n"]),
    ],
)
def test_only_a_probe_that_was_given_up_is_dropped(sent, read):
    assert without_stale_probe(sent) == read
    assert RequestLines(io.BytesIO(b"".join(sent))).read() == b"".join(read)
