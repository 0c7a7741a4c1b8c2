import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from zerikai_memory.retrieve.rank import (
    Evidence,
    Scores,
    classic,
    file_sums,
    fuse,
    group_by_file,
    raise_classes,
    rescale,
    score,
)

floats = st.floats(0, 10, allow_nan=False)


def evidence(**changes: object) -> Evidence:
    values = {
        "lexical": np.array([0.0, 2.0, 1.0]),
        "keyword": np.zeros(3),
        "cosines": np.array([0.1, 0.2, 0.9]),
        "file_cosines": np.array([0.1, 0.2]),
        "name_boost": np.zeros(3),
        "entity_factor": np.ones(3),
        "member_factor": np.ones(3),
        "file_factor": np.ones(2),
        "name_factor": np.ones(2),
        "file_of": np.array([0, 0, 1]),
        "class_of": np.array([-1, -1, -1]),
        "class_slack": np.zeros(3),
    }
    return Evidence(**{**values, **changes})


def test_rescaling_puts_the_median_at_zero_and_the_best_at_one() -> None:
    assert rescale(np.array([0.2, 0.3, 0.4, 0.8])).tolist() == pytest.approx([0, 0, 0.05 / 0.45, 1])
    assert rescale(np.array([0.5, 0.5])).tolist() == [0, 0]
    assert rescale(np.array([])).tolist() == []


def test_vectors_lead_when_no_word_matches() -> None:
    fused = fuse(np.zeros(3), np.array([0.1, 0.9, 0.2]))
    assert fused.argmax() == 1


def test_file_sums_count_the_best_five_and_the_best_file_is_one() -> None:
    values = np.array([1.0] * 5 + [9.0] * 0 + [1.0] * 7)
    file_of = np.array([0] * 5 + [1] * 7)
    assert file_sums(values, file_of, 3).tolist() == [1.0, 1.0, 0.0]  # the sixth and seventh do not count


def test_a_named_entity_stands_above_one_that_only_shares_words() -> None:
    same = {"lexical": np.ones(3), "cosines": np.array([0.5, 0.0, 0.5]), "file_cosines": np.zeros(2)}
    boosted = score(evidence(**same, name_boost=np.array([0.0, 0.0, 1.0])))
    assert boosted.entity.argmax() == 2
    assert boosted.member.argmax() == 2


def test_a_side_file_stands_behind() -> None:
    both = evidence(lexical=np.ones(3), cosines=np.array([0.5, 0.0, 0.5]), file_cosines=np.zeros(2))
    behind = evidence(
        lexical=both.lexical, cosines=both.cosines, file_cosines=both.file_cosines, file_factor=np.array([0.3, 1.0])
    )
    assert score(behind).entity[0] < score(behind).entity[2]


def test_a_class_as_near_as_its_member_takes_its_place_and_a_farther_one_does_not() -> None:
    member = np.array([0.1, 0.9, 0.2, 0.8])
    raise_classes(member, np.array([0.6, 0.62, 0.1, 0.7]), np.array([-1, 0, -1, 2]), np.full(4, 0.03))
    assert member[0] > member[1]
    assert member[2] == 0.2


@given(arrays.arrays(np.float64, 12, elements=floats), arrays.arrays(np.int64, 12, elements=st.integers(0, 3)))
def test_grouping_shows_each_entity_once_and_each_files_together(values: np.ndarray, file_of: np.ndarray) -> None:
    order = group_by_file(Scores(values, values), file_of, np.arange(12), files=3, entities=5)
    assert len(order) == len(set(order)) <= 5
    runs = [int(file_of[i]) for i in order]
    assert len(dict.fromkeys(runs)) == sum(a != b for a, b in zip([None, *runs], runs, strict=False))
    best = max(range(12), key=lambda i: values[i])
    assert values[order[0]] == values[best]


def test_the_classic_card_filters_by_distance_and_adds_keyword_hits() -> None:
    distances, hits = np.array([0.5, 1.0, 1.2, 1.9]), np.array([0.0, 0.0, 40.0, 40.0])
    order, scores = classic(distances, hits, weight=0.05, pool=75, threshold=1.5)
    assert order.tolist() == [2, 0, 1]
    assert scores.tolist() == pytest.approx([1 / 1.2 + 2.0, 2.0, 1.0])
    assert classic(distances, hits, weight=0.0, pool=2, threshold=1.5)[0].tolist() == [0, 1]
    assert classic(np.array([0.0]), np.array([0.0]), 0.0, 5, 1.0)[1][0] > 1000  # an exact text divides by no zero
