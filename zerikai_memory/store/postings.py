"""Full text in memory: which entities hold which words, and BM25 as FTS5 computes it, to the last digit.

Made from the very words that were written into the full-text index, by SQLite's own tokenizer. A question costs a
fraction of a millisecond where FTS5 takes several (17,000 entities), for some ten megabytes and the state of a moment.
"""

from __future__ import annotations

import itertools
import json
import math
import sqlite3
import zlib
from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerikai_memory.store.index import WorkspaceIndex
from zerikai_memory.store.stemmer import Stemmer
from zerikai_memory.store.words import AskedWord

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Numbers = NDArray[np.int32]
# Positions of `terms`: from the first that an asked word stands for to after the last.
Span = tuple[int, int]

# Column weights qualified name, path, signature, docstring, body: the name says most, the body least
# (bench/RESULTS.md; flat around these values).
COLUMN_WEIGHTS = (5.0, 3.0, 2.0, 2.0, 1.0)
# FTS5's bm25(): its constants, and what a word weighs that more than half of all rows hold.
K1, B = 1.2, 0.75
LEAST_WEIGHT = 1e-6
# Rows whose words are counted at a time: more would take memory, fewer time.
BATCH = 300
# Between two columns of a row and after each row; no word holds it.
_MARK = "\0"


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """The words of every entity. `terms` are the stems in order; those who hold `terms[t]` stand from `starts[t]` to
    `starts[t + 1]` in `holders`, as places of `rowids`, ascending, and in `counts` how often, by column weight.

    `norms` [n] is what BM25 takes from an entity for the length of its texts.
    """

    rowids: Ints
    terms: list[str]
    starts: Ints
    holders: Numbers
    counts: NDArray[np.float32]
    norms: Floats
    stemmer: Stemmer

    def spans(self, asked: Sequence[AskedWord]) -> list[Span] | None:
        """The terms that each asked word stands for; None when the tokenizer takes one for no word or for several."""
        spans = []
        for (_, prefix), stems in zip(asked, self.stemmer.stems([word for word, _ in asked]), strict=True):
            if len(stems) != 1:
                return None
            # Nothing in a term sorts below the first code point or above the last.
            end = stems[0] + ("\U0010ffff" if prefix else "\0")
            spans.append((bisect_left(self.terms, stems[0]), bisect_left(self.terms, end)))
        return spans

    def scores(self, spans: Iterable[Span]) -> Floats:
        """[n] BM25 of every entity for the asked words; 0 for those that hold none."""
        total = np.zeros(len(self.rowids))
        for span in spans:
            places, counts = self._held(span)
            if len(places):
                total[places] += self._weight(len(places)) * (counts * (K1 + 1) / (counts + self.norms[places]))
        return total

    def among(self, spans: Iterable[Span], rows: Iterable[int]) -> list[set[int]]:
        """For each asked word those of `rows` that hold it."""
        wanted = np.unique(np.array(list(rows), np.int64))
        places = np.searchsorted(self.rowids, wanted)
        known = self.rowids[np.minimum(places, len(self.rowids) - 1)] == wanted
        places, wanted = places[known].astype(np.int32), wanted[known]
        return [set(wanted[self._hold(span, places)].tolist()) for span in spans]

    def _hold(self, span: Span, places: Numbers) -> NDArray[np.bool_]:
        """Whether each of the places holds the asked word."""
        holders = self.holders[self._slice(span)]
        if span[1] - span[0] != 1:
            return np.isin(places, holders)
        at = np.searchsorted(holders, places)
        found: NDArray[np.bool_] = holders[np.minimum(at, len(holders) - 1)] == places
        return found

    def frequency(self, span: Span) -> int:
        """How many entities hold the asked word."""
        holders = self.holders[self._slice(span)]
        return len(holders) if span[1] - span[0] < 2 else len(np.unique(holders))

    def _held(self, span: Span) -> tuple[NDArray[Any], Floats]:
        """Places of the entities that hold the asked word, and how often."""
        held = self._slice(span)
        counts = self.counts[held].astype(np.float64)
        if span[1] - span[0] < 2:
            return self.holders[held], counts
        # A beginning stands for many terms, of which an entity may hold several.
        summed = np.bincount(self.holders[held], counts, len(self.rowids)).astype(np.float64, copy=False)
        places = np.flatnonzero(summed > 0)
        return places, summed[places]

    def _slice(self, span: Span) -> slice:
        return slice(int(self.starts[span[0]]), int(self.starts[span[1]]))

    def _weight(self, holders: int) -> float:
        """What a word tells, by the number of entities that hold it."""
        weight = math.log((len(self.rowids) - holders + 0.5) / (holders + 0.5))
        return weight if weight > 0 else LEAST_WEIGHT


def load_postings(index: WorkspaceIndex, generation: int) -> Postings | None:
    """The words of a whole index; None when it is empty or no longer of that generation.

    Takes .25 s for 17,000 entities.
    """
    vocabulary: defaultdict[str, int] = defaultdict(itertools.count().__next__)
    tallies: deque[_Tally] = deque()
    numbers: list[int] = []
    with index.database.read() as connection, index.database.decoding():
        if int(connection.execute("SELECT value FROM meta WHERE key = 'generation'").fetchone()[0]) != generation:
            return None
        for rows in _batches(connection):
            tallies.append(_tally(rows, len(numbers), vocabulary))
            numbers += [row[0] for row in rows]
    rowids = np.array(numbers, np.int64)
    if not numbers or np.any(np.diff(rowids) <= 0):
        return None
    return _invert(rowids, list(vocabulary), tallies)


def written_words(index: WorkspaceIndex) -> set[str]:
    """Every word of a whole index as its texts have it, no stem; identifiers in parts and joined.

    Takes .12 s for 17,000 entities.
    """
    found: set[str] = set()
    with index.database.read() as connection, index.database.decoding():
        for rows in _batches(connection):
            found.update(*(column.split() for row in rows for column in row[1:]))
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Tally:
    """Which row holds which word, both by number, how often, and what that counts by the weights of the columns."""

    rows: Numbers
    words: Numbers
    times: Numbers
    counts: NDArray[np.float32]


def _batches(connection: sqlite3.Connection) -> Iterator[list[list[Any]]]:
    """Rows of the full text in order, a few files at a time."""
    found = connection.execute(
        # The rows of a file were numbered in one go.
        "SELECT search_rows FROM files WHERE skip_reason IS NULL"
        " ORDER BY (SELECT min(rowid) FROM entities WHERE file = files.id)"
    )
    rows: list[list[Any]] = []
    for (packed,) in found:
        rows += json.loads(zlib.decompress(packed))
        if len(rows) >= BATCH:
            yield rows
            rows = []
    if rows:
        yield rows


def _tally(rows: Sequence[Sequence[Any]], first: int, vocabulary: Mapping[str, int]) -> _Tally:
    """Count the words of rows, of which the first has the number `first`; new words get numbers of `vocabulary`."""
    mark = vocabulary[_MARK]
    text = f" {_MARK} ".join([column for row in rows for column in row[1:]]).split()
    words = np.fromiter(map(vocabulary.__getitem__, text), np.int32, len(text))
    marks = words == mark
    columns = np.cumsum(marks)[~marks]
    keys = (columns // len(COLUMN_WEIGHTS) << 32) + words[~marks]
    order = np.argsort(keys)
    keys = keys[order]
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    weights = np.array(COLUMN_WEIGHTS, np.float32)[columns[order] % len(COLUMN_WEIGHTS)]
    found = keys[starts]
    return _Tally(
        rows=(first + (found >> 32)).astype(np.int32),
        words=(found & 0xFFFFFFFF).astype(np.int32),
        times=np.diff(starts, append=len(order)).astype(np.int32),
        counts=np.add.reduceat(weights, starts) if len(starts) else weights,
    )


def _invert(rowids: Ints, words: Sequence[str], tallies: deque[_Tally]) -> Postings | None:
    """From rows with their words to terms with their rows; `tallies` are used up, so that little is held twice."""
    stemmer = Stemmer()
    stems = [(), *stemmer.stems(words[1:], keep=False)]  # the first is the mark
    terms = sorted({stem for each in stems for stem in each})
    if not terms:
        return None
    amount = np.array([len(each) for each in stems], np.int32)
    numbers = np.array(_numbers(stems, terms), np.uint16 if len(terms) < 2**16 else np.int32)
    lengths = np.zeros(len(rowids))
    parts = []
    while tallies:
        tally = tallies.popleft()
        lengths += np.bincount(tally.rows, tally.times * amount[tally.words], len(rowids))
        at, term = _terms_at(tally.words, amount, numbers)
        parts.append((term, tally.rows[at], tally.counts[at]))
    term, holders, counts = (np.concatenate(part) for part in zip(*parts, strict=True))
    parts.clear()
    order = np.argsort(term, kind="stable")  # of sixteen bits by radix
    term, holders, counts = term[order], holders[order], counts[order]
    # Several words of an entity may have one stem.
    first = np.flatnonzero(np.concatenate(([True], (term[1:] != term[:-1]) | (holders[1:] != holders[:-1]))))
    return Postings(
        rowids=rowids,
        terms=terms,
        starts=np.searchsorted(term[first], np.arange(len(terms) + 1)),
        holders=holders[first],
        counts=np.add.reduceat(counts, first),
        norms=K1 * (1 - B + B * lengths / (lengths.sum() / len(rowids))),
        stemmer=stemmer,
    )


def _numbers(stems: Iterable[Sequence[str]], terms: Sequence[str]) -> list[int]:
    """The places in `terms` of all stems one after the other."""
    number = {term: t for t, term in enumerate(terms)}
    return [number[stem] for each in stems for stem in each]


def _terms_at(words: Numbers, amount: Numbers, stems: NDArray[Any]) -> tuple[Numbers, NDArray[Any]]:
    """(places in `words`, terms there); a word with several stems has its place as often.

    `amount` is the number of stems of each word, `stems` are those of all words one after the other.
    """
    first = np.cumsum(amount, dtype=np.int32) - amount
    if amount[1:].min(initial=1) == amount.max(initial=1):  # one each but for the mark, which is nobody's word
        return np.arange(len(words), dtype=np.int32), stems[first[words]]
    repeats = amount[words]
    at = np.repeat(np.arange(len(words), dtype=np.int32), repeats)
    nth = np.arange(len(at), dtype=np.int32) - np.repeat(np.cumsum(repeats, dtype=np.int32) - repeats, repeats)
    return at, stems[first[words[at]] + nth]
