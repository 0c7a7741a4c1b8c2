"""Codes and flags in a question, `models.E006` or `--fake-initial`: they stand in the code as texts, not as names."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from zerikai_memory.retrieve.names import NameTable
from zerikai_memory.retrieve.prepared import Prepared
from zerikai_memory.retrieve.query import Query
from zerikai_memory.retrieve.rank import Floats
from zerikai_memory.store.index import WorkspaceIndex
from zerikai_memory.store.lexical import rows_with_phrase
from zerikai_memory.store.words import split_words

# Who holds it literally is meant before whoever is called as one part of it.
LITERAL_BOOST = 2.0
# A flag's name as an identifier, `fake_initial`, is what it sets.
SAME_WORDS_BOOST = 0.5
# What more entities hold is a word, such as SHA256 or ISO8601 where these are the subject.
MOST_HOLDERS = 24
MAX_LITERALS = 4

# `models.E006`, `W340`, `TS2304`, `auth.E003`; and `ERR-1042`.
_CODE = re.compile(r"(?<![\w.\-/:])(?:[a-z_]\w*\.)*[A-Z]{1,8}-?\d{2,6}(?!\w|[.\-/:]\w)")
# One word alone, `--fake`, cannot be told from the word.
_FLAG = re.compile(r"(?<![\w\-])--[a-z][a-z0-9]*(?:-[a-z0-9]+)+(?![\w\-])")


def literal_boosts(index: WorkspaceIndex, prepared: Prepared, query: Query) -> Floats:
    """[n] boost of every entity in whose text a code or flag of the question stands; not of one that is a name."""
    boost = np.zeros(len(prepared.view))
    for text in _literals(prepared.names, query):
        held = set(rows_with_phrase(index, text, in_path=False))
        if len(held) > MOST_HOLDERS:
            continue
        joined = (
            set(rows_with_phrase(index, "".join(split_words(text)), in_path=False)) if text.startswith("-") else set()
        )
        for row in held:
            if (i := prepared.position.get(row)) is not None:
                spelled = row not in joined or held <= joined
                boost[i] = max(boost[i], LITERAL_BOOST if spelled else SAME_WORDS_BOOST)
    return boost


def _literals(names: NameTable, query: Query) -> Iterator[str]:
    if query.frames:
        return
    found = [match.group() for pattern in (_CODE, _FLAG) for match in pattern.finditer(query.plain)]
    for text in list(dict.fromkeys(found))[:MAX_LITERALS]:
        if not names.exact(text.lstrip("-")) and not names.exact(text):
            yield text
