"""How much of a set has changed, told by two small samples."""

import sqlite3
from contextlib import closing

import pytest

from zerikai_memory.store.sketch import SIZE, Sketch, changed_share, sketch_of


def members(start: int, stop: int) -> list[str]:
    return [f"entity {number}" for number in range(start, stop)]


@pytest.mark.parametrize(
    ("old", "new", "share"),
    [
        ((0, 0), (0, 0), 0.0),
        ((0, 0), (0, 10), 1.0),
        ((0, 10), (0, 10), 0.0),
        ((0, 10), (3, 13), 0.3),  # three changed
        ((0, 7), (0, 10), 0.3),  # three came
        ((0, 10), (0, 7), 0.3),  # three went
        ((0, 10), (20, 30), 1.0),
    ],
)
def test_the_share_of_small_sets_is_exact(old, new, share):
    assert changed_share(sketch_of(members(*old)), sketch_of(members(*new))) == pytest.approx(share)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.3, 0.5, 0.9])
def test_the_share_of_large_sets_is_estimated_within_five_points(share):
    old, new = sketch_of(members(0, 20_000)), sketch_of(members(int(20_000 * share), int(20_000 * (1 + share))))
    assert len(old.smallest) == SIZE
    assert changed_share(old, new) == pytest.approx(share, abs=0.05)


def test_it_comes_back_from_bytes_and_other_bytes_are_refused():
    sketch = sketch_of(members(0, 3_000))
    assert Sketch.from_bytes(sketch.to_bytes()) == sketch
    for wrong in (b"", sketch.to_bytes()[:-8], b"\0" * 7):
        with pytest.raises(ValueError, match=r"sketch|multiple"):
            Sketch.from_bytes(wrong)


def test_entities_that_cannot_be_read_are_damage_and_no_reason_to_hold_a_brief_back(memory, workspace, home):
    (workspace / "a.py").write_text("def a():\n    pass\n")
    memory.scan(str(workspace))
    (path,) = home.glob("index/*.db")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE entities SET body_hash = x'00'")
    assert memory.brief(str(workspace)).warnings == ()
    assert path.with_suffix(".suspect").exists()  # the next scan makes the index anew
