#!/usr/bin/env python3
"""Answer the JSON-lines protocol of the retrieval benchmark with this product.

One JSON object a line in, one a line out: {"op": "index", "path": ...} and {"op": "search", "path", "query", "k"}.
The benchmark gives nothing for a second result of one file, so each file is reported once, with its best entity;
`--flat` reports entities as a default reply shows them. `--no-vectors` answers from words alone, `--ranker classic`
by the documented card, `--embedding NAME` with another embedding. The brain is a temporary folder.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from zerikai_memory.app import Memory
from zerikai_memory.embed.choose import open_embedder
from zerikai_memory.model import Hit
from zerikai_memory.settings import Settings


class NoVectors:
    """The default embedding with every vector empty: what is left is the lexical side."""

    def __init__(self) -> None:
        self._real = open_embedder()
        self.fingerprint = "none"
        self.dimensions = self._real.dimensions
        self.relevance_cut = 4.0  # every distance is within it: nothing is refused for want of a vector

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        return np.zeros((len(texts), self.dimensions), np.float32)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--flat", action="store_true")
    parser.add_argument("--no-vectors", action="store_true")
    parser.add_argument("--embedding", default="static")
    parser.add_argument("--ranker", choices=("hybrid", "classic"), default="hybrid")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        settings = Settings(home=Path(home), ranker=args.ranker, vector_store="exact", embedding=args.embedding)
        memory = Memory(settings, embedder=NoVectors() if args.no_vectors else None)
        for line in sys.stdin:
            print(json.dumps(_answer(memory, json.loads(line), args.flat)), flush=True)
        memory.close()


def _answer(memory: Memory, request: dict, flat: bool) -> dict:
    try:
        if request.get("op") == "index":
            report = memory.scan(request["path"])
            return {"ok": report.status == "completed"}
        k = request.get("k", 10)
        limit = k if flat else min(50, 2 * k)  # half as many files as entities: k files
        answer = memory.query(request["query"], request["path"], limit=limit)
        hits = answer.results if flat else _first_of_each_file(answer.results)
        return {"results": [_result(hit) for hit in hits[:k]]}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


def _first_of_each_file(hits: Sequence[Hit]) -> list[Hit]:
    return list({hit.file_path: hit for hit in reversed(hits)}.values())[::-1]


def _result(hit: Hit) -> dict:
    return {
        "file": hit.file_path,
        "start": hit.start_line,
        "end": hit.end_line,
        "score": hit.score,
        "text": hit.citation + "\n" + hit.text,
    }


if __name__ == "__main__":
    main()
