"""Which pairs of characters of a Chinese, Japanese or Korean question tell something.

Those scripts put no blanks between words, so a question gives every pair of neighbours, also those across the border
of two words and those that are grammar. What the index knows shows where the words are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

_PAIR = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af]{1,2}")
# Japanese writes its grammar in hiragana.
_HIRAGANA = re.compile(r"[\u3041-\u309f]")
# Pairs of question words and endings that say nothing of what is asked about.
_ASKING = frozenset(
    "如何 什么 甚么 怎么 怎样 哪里 哪个 哪些 在哪 为什 为何 多少 是否 可以 我们 这个 里的 的吗 的呢 "
    "何回 何処 何故 어디 디서 디에 어떻 떻게 무엇 무슨 언제 누가 하나 나요 하는 는지 "
    "인가 가요 습니 니까 니다 합니 됩니 되나 있나 있는 "
    "어요 해요 에서 으로".split()
)


def unspaced(terms: Iterable[str]) -> bool:
    """Whether any of the terms is of a script without blanks: vectors made for English say nothing of it."""
    return any(_PAIR.fullmatch(term) for term in terms)


def telling(terms: Sequence[str], counts: Mapping[str, int]) -> tuple[str, ...]:
    """The terms without pairs that are grammar or lie across two words; `counts` tells how many entities hold a term.

    All other terms stay, and so do all when nothing would be left.
    """
    pairs = [bool(_PAIR.fullmatch(term)) for term in terms]
    if not any(pairs):
        return tuple(terms)
    kept = tuple(
        term for i, term in enumerate(terms) if not pairs[i] or not (_is_grammar(term) or _across(terms, i, counts))
    )
    return kept or tuple(terms)


def _is_grammar(pair: str) -> bool:
    return pair in _ASKING or bool(_HIRAGANA.search(pair))


def _across(terms: Sequence[str], i: int, counts: Mapping[str, int]) -> bool:
    """An unknown pair that shares a character with a known neighbour: it ends one word and begins another."""
    if counts.get(terms[i], 0):
        return False
    before = terms[i - 1] if i else ""
    after = terms[i + 1] if i + 1 < len(terms) else ""
    return bool(
        (counts.get(before, 0) and before[-1] == terms[i][0]) or (counts.get(after, 0) and after[0] == terms[i][-1])
    )
