"""What SQLite's full-text tokenizer makes of a word: its stem without accents, as an index holds it."""

from __future__ import annotations

import sqlite3
import threading
import weakref
from collections.abc import Sequence

from zerikai_memory.store.index import TOKENIZER

# Stems of asked words that are kept; a question brings a few new ones.
STEMS_KEPT = 10_000


class Stemmer:
    """Asks SQLite itself, so that a stem is what this very version indexes; thread-safe."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._known: dict[str, tuple[str, ...]] = {}
        self._connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        weakref.finalize(self, self._connection.close)
        self._connection.execute(f"CREATE VIRTUAL TABLE said USING fts5(text, tokenize='{TOKENIZER}', columnsize=0)")
        self._connection.execute("CREATE VIRTUAL TABLE stems USING fts5vocab(said, 'instance')")

    def stems(self, words: Sequence[str], *, keep: bool = True) -> list[tuple[str, ...]]:
        """The stems of each word: one of most, none or several of some; `keep` remembers them."""
        with self._mutex:
            if not keep:
                return self._ask(words)
            if len(self._known) > STEMS_KEPT:
                self._known.clear()
            if new := [word for word in dict.fromkeys(words) if word not in self._known]:
                self._known.update(zip(new, self._ask(new), strict=True))
            return [self._known[word] for word in words]

    def _ask(self, words: Sequence[str]) -> list[tuple[str, ...]]:
        found: list[list[str]] = [[] for _ in words]
        # Plain words, one token each, share a row, which is much quicker than a row for each.
        plain = [i for i, word in enumerate(words) if word.isascii() and word.isalnum()]
        rows = [(0, " ".join([words[i] for i in plain]))]
        rows += [(i + 1, word) for i, word in enumerate(words) if not (word.isascii() and word.isalnum())]
        self._connection.execute("BEGIN")
        try:
            self._connection.executemany("INSERT INTO said (rowid, text) VALUES (?, ?)", rows)
            told = self._connection.execute("SELECT doc, offset, term FROM stems ORDER BY doc, offset")
            for row, place, stem in told:
                found[plain[place] if row == 0 else row - 1].append(stem)
        finally:
            self._connection.execute("ROLLBACK")
        return [tuple(stems) for stems in found]
