from collections.abc import Iterator

import pytest

from tests.llm.double import Double, deepseek_double


@pytest.fixture
def double() -> Iterator[Double]:
    with deepseek_double() as running:
        yield running
