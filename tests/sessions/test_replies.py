"""A reply is worth its tokens."""

import pytest

from tests.sessions.archives import open_archive
from tests.sessions.generator import START, Talk, write
from zerikai_memory import render
from zerikai_memory.render_sessions import recall as rendered

WORDS = {
    "latin": "needle in the long haystack ",
    "chinese": "我们决定使用缓存来加速查询 ",
    "marks": "needle **x** `y` ",
}


@pytest.fixture
def archive(tmp_path):
    made = open_archive(tmp_path / "home", brain=tmp_path / "brain")
    yield made
    made.close()


@pytest.mark.parametrize("kind", WORDS)
def test_a_hit_costs_at_most_150_tokens_and_five_fit_into_a_reply(kind, tmp_path, archive):
    for number in range(8):
        talk = Talk(
            f"0aa0c0de-0000-4000-8000-{number:012d}", "/home/dev/a-rather-long-folder/" * 4, START + number * 99
        )
        talk.said = [("user", "ask"), ("assistant", f"{WORDS[kind] * 60}{number}")]
        write(tmp_path / "home", "claude-code", talk)
    found = archive.recall(WORDS[kind])
    assert len(found.hits) == 5
    assert len(rendered(found)) / 4 / 5 <= 150
    assert len(render.json_line(found).encode()) <= 8_000


@pytest.mark.parametrize("kind", WORDS)
def test_the_dialogue_around_a_step_fits_into_a_reply(kind, tmp_path, archive):
    talk = Talk(
        "s1", "/p", START, [("user" if n % 2 == 0 else "assistant", f"{WORDS[kind] * 20} {n}") for n in range(200)]
    )
    write(tmp_path / "home", "claude-code", talk)
    found = archive.recall(session="s1", step=100)
    steps = [step.step for step in found.steps]
    assert 100 in steps
    assert steps == list(range(steps[0], steps[-1] + 1))
    assert found.omitted == 200 - len(steps)
    assert len(render.json_line(found).encode()) <= 8_000


@pytest.mark.parametrize("kind", WORDS)
def test_a_long_step_among_long_ones_fits_into_a_reply_and_is_shown_furthest(kind, tmp_path, archive):
    write(tmp_path / "home", "claude-code", Talk("s1", "/p", START, [("user", WORDS[kind] * 300)] * 3))
    found = archive.recall(session="s1", step=2)
    assert len(render.json_line(found).encode()) <= 8_000
    sizes = {step.step: len(step.text) for step in found.steps}
    assert max(sizes, key=lambda step: sizes[step]) == 2


def test_a_step_that_is_huge_is_cut_and_still_shown(tmp_path, archive):
    write(tmp_path / "home", "claude-code", Talk("s1", "/p", START, [("user", "word " * 1_900)]))
    (step,) = archive.recall(session="s1", step=1).steps
    assert step.text.endswith("more characters)")
    assert len(archive.show("s1")[0].text) == 9_499
