"""A server is looked for once in half a minute."""

from __future__ import annotations

from zerikai_memory.llm.probe import Remembered, listens


def test_what_was_found_is_remembered_for_thirty_seconds() -> None:
    now, looks = [0.0], []
    there = Remembered(lambda: looks.append(now[0]) or len(looks), clock=lambda: now[0])
    for now[0] in (0.0, 29.9, 30.0, 31.0):
        there.get()
    assert looks == [0.0, 30.0]
    there.forget()
    assert there.get() == 3


def test_nobody_listens_on_a_closed_port() -> None:
    assert not listens("http://127.0.0.1:9")
