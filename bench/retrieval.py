#!/usr/bin/env python3
"""Retrieval quality on a benchmark folder: default, words alone, and the classic card, in one paired run.

    bench/retrieval.py --data FOLDER [--corpus FOLDER] [--out FOLDER]

FOLDER holds `harness.py`, `annotations/` and `fetch_dev_corpus.sh` (fetched corpora come from package registries).
Prints the harness's table for the default and the paired differences with their 95 % intervals.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

HERE = Path(__file__).resolve().parent
RUNS = {
    "default": "",
    "words alone": "--no-vectors",
    "classic card": "--ranker classic",
    "default, entities as shown": "--flat",
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, type=Path)
    parser.add_argument("--corpus", type=Path, default=HERE / "corpus")
    parser.add_argument("--out", type=Path, default=HERE / "out")
    args = parser.parse_args()
    if not (args.data / "harness.py").is_file():
        print(f"--data: {args.data} holds no harness.py; give the folder of the benchmark", file=sys.stderr)
        return 2
    if not args.corpus.is_dir():
        subprocess.run(["bash", str(args.data / "fetch_dev_corpus.sh"), str(args.corpus)], check=True)
    harness = _load(args.data)
    repos = harness.load(args.data, corpus=args.corpus)
    args.out.mkdir(parents=True, exist_ok=True)
    results = {}
    for name, flags in RUNS.items():
        tool = harness.Process(f"{sys.executable} {HERE / 'retrieval_adapter.py'} {flags}")
        try:
            results[name] = harness.evaluate(tool.search, repos, 10, tool.index)
        finally:
            tool.close()
        (args.out / f"{name.replace(' ', '-').replace(',', '')}.json").write_text(json.dumps(results[name], indent=1))
    harness.show(results["default"])
    print(f"\n{'run':28} NDCG@10   default minus it, paired, 95 % interval")
    for name, result in results.items():
        mean = harness.summary(result)["all"]["ndcg"]
        gap = harness.compare(result, results["default"])
        print(f"{name:28} {mean:.3f}     {gap['diff']:+.3f} [{gap['low']:+.3f}, {gap['high']:+.3f}]")
    return 0


def _load(folder: Path) -> ModuleType:
    sys.path.insert(0, str(folder))
    import harness

    return harness


if __name__ == "__main__":
    sys.exit(main())
