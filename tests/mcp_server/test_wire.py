import io
import json

import pytest

from zerikai_memory.mcp_server.wire import RepairedLines, repair


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
    data = b'{"a": 1}\n' + b"x" * 20_000 + b"\n\xff\xfe\nlast"
    stream = io.BufferedReader(RepairedLines(io.BytesIO(data)), buffer_size=size)
    assert stream.read() == data
