from pathlib import Path

import numpy as np
import pytest

from zerikai_memory.app import Memory
from zerikai_memory.retrieve.documents import decisive_documents, with_best_section

FILE_OF = np.array([0, 0, 1, 2, 2, 3])
DOCUMENTS = np.array([False, False, True, False])
# two functions, a file of one, two sections and another file of one


@pytest.mark.parametrize(
    ("lexical", "terms", "decisive"),
    [
        ([1, 0, 0, 2, 0, 0], 4, True),
        ([1.5, 0, 0, 2, 0, 0], 4, False),  # the code fits nearly as well
        ([1, 0, 0, 2, 0, 0], 2, False),  # two words fit a heading and a name alike
        ([0, 0, 0, 0, 0, 0], 4, False),  # no word stands anywhere
    ],
)
def test_a_document_is_decisive_when_its_best_section_fits_far_better(
    lexical: list[float], terms: int, decisive: bool
) -> None:
    documents = np.array([False, False, True, False])
    found = decisive_documents(np.array(lexical, float), FILE_OF, documents, terms)
    assert found.tolist() == [False, False, decisive, False]


@pytest.mark.parametrize(
    ("order", "lexical", "shown"),
    [
        ([0, 1, 2, 5], [1, 0, 0, 2, 0, 0], [0, 1, 2, 3]),  # the last file makes room
        ([0, 1, 3], [1, 0, 0, 1, 2, 0], [0, 1, 4]),  # in its own file it takes the last place
        ([0, 1, 3], [1, 0, 0, 2, 1, 0], [0, 1, 3]),  # it is there already
        ([0, 1, 2], [2, 0, 0, 2.1, 0, 0], [0, 1, 2]),  # hardly better than the code
        ([0, 1], [1, 0, 0, 2, 0, 0], [0, 1]),  # the only file stays
        ([0, 1, 2], [3, 0, 0, 2, 0, 0], [0, 1, 2]),  # the code fits best
        ([], [0, 0, 0, 0, 0, 0], []),
    ],
)
def test_the_section_that_fits_best_of_all_has_a_place(
    order: list[int], lexical: list[float], shown: list[int]
) -> None:
    candidates = np.arange(6)
    assert with_best_section(order, np.array(lexical, float), FILE_OF, DOCUMENTS, candidates) == shown


def test_what_only_a_document_explains_comes_first(memory: Memory, workspace: Path) -> None:
    for name in ("cart", "order", "price", "stock", "invoice"):
        text = f"def load_{name}(path):\n    return path\n\n\ndef save_{name}(path, {name}):\n    return {name}\n"
        (workspace / f"{name}.py").write_text(text)
    guide = "# Shop\n\nBuy things.\n\n## Releasing\n\nTag the commit, then the nightly pipeline uploads the wheel.\n"
    (workspace / "CONTRIBUTING.md").write_text(guide)
    memory.scan(str(workspace))
    first = memory.query("the nightly pipeline uploads a wheel of the tagged commit", str(workspace)).results[0]
    assert first.name == "Releasing"
