"""The deadline of one file counts what this thread works, not what passes."""

import time

import pytest

from zerikai_memory.errors import Cancelled
from zerikai_memory.lang.deadline import Deadline, Late


def work(seconds: float) -> None:
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        sum(range(1_000))


def test_time_in_which_others_work_does_not_count() -> None:
    deadline = Deadline(0.05)
    time.sleep(0.2)
    deadline.check()
    deadline.check()
    work(0.06)
    with pytest.raises(Late):
        deadline.check()


def test_a_part_ends_no_later_than_the_whole_and_the_last_step_gets_its_time() -> None:
    deadline = Deadline(0.02)
    part, last = deadline.sooner(60), deadline.later(60)
    work(0.03)
    for late in (deadline, part, deadline.sooner(0.0)):
        with pytest.raises(Late):
            late.check()
    last.check()


def test_a_cancelled_one_says_so_before_it_is_late() -> None:
    stopped: list[int] = []
    deadline = Deadline(60, lambda: bool(stopped))
    deadline.check()
    stopped.append(1)
    with pytest.raises(Cancelled):
        deadline.check()
