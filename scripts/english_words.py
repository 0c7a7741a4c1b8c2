#!/usr/bin/env python3
"""Makes zerikai_memory/embed/data/english_words.txt of lists of words, one a line.

    scripts/english_words.py american-english-large british-english-large > zerikai_memory/embed/data/english_words.txt

The lists are those of Debian's packages wamerican-large and wbritish-large (SCOWL). Words that the shipped table has
are left out, and so are regular forms of words that are in.
"""

from __future__ import annotations

import sys
from pathlib import Path

from zerikai_memory.embed.vocabulary import known_words
from zerikai_memory.retrieve.spelling import MAX_LETTERS, MIN_LETTERS, bases


def main() -> int:
    """Print the words that the table lacks, sorted."""
    listed = {word for path in sys.argv[1:] for word in Path(path).read_text(encoding="utf-8").splitlines()}
    listed = {word for word in listed if word.isascii() and word.isalpha() and word.islower()}
    listed = {word for word in listed if MIN_LETTERS <= len(word) <= MAX_LETTERS} - known_words().keys()
    told = listed | known_words().keys()
    for word in sorted(listed):
        if not any(base in told for base in bases(word)):
            print(word)
    return 0


if __name__ == "__main__":
    sys.exit(main())
