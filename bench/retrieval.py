#!/usr/bin/env python3
"""The table of retrieval quality: every figure that is promised, in one run.

    bench/retrieval.py --data FOLDER [--corpus FOLDER] [--only ROW ...] [--details]

FOLDER holds `harness.py`, `annotations/` and `fetch_dev_corpus.sh` of a file-level benchmark. What is not there is
fetched from package registries at pinned versions into --corpus (`dev`, `whole`, `entities`) and only unpacked. A row
whose corpus or package cannot be had says so; it is never a zero. `--details` prints the harness's own tables and what
words alone and the classic card reach.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import entity_corpus
import entity_recall

from zerikai_memory import render
from zerikai_memory.app import Memory
from zerikai_memory.settings import Settings

# Nothing listens there: no model of this machine answers.
NO_SERVER = "http://127.0.0.1:9"
HERE = Path(__file__).resolve().parent
# The Python projects of the benchmark as their authors ship them: with tests, documents and examples.
WHOLE = ("model2vec==0.8.1", "pydantic==2.13.0", "httpx==0.28.1", "starlette==1.0.0", "click==8.3.2")
# The projects of the sets on saying no and on paraphrases.
OTHERS = (
    {"name": "django", "wheel": "django==5.2.19"},
    {"name": "express", "npm": "express@5.2.1"},
    {"name": "trpc", "npm": "@trpc/server@11.16.0"},
    {"name": "reveal", "npm": "reveal.js@5.2.1"},
)
# Other projects that paraphrases.json asks about.
PARAPHRASED = frozenset(json.loads((HERE / "paraphrases.json").read_text(encoding="utf-8"))["sets"]["elsewhere"])
# The sets of which nobody who works on the search has read a question.
BLIND = ("natural", "fresh")
COMPARED = {"words alone": "--no-vectors", "classic card": "--ranker classic", "entities as shown": "--flat"}


class Missing(Exception):
    """Why a row has no figure."""


@dataclass(frozen=True)
class Run:
    """Where things are, and the benchmark's harness."""

    data: Path
    corpus: Path
    harness: ModuleType
    details: bool

    def repos(self, whole: bool = False) -> list[dict]:
        """The benchmark's projects with their questions: source folders, or whole checkouts of the Python ones."""
        folder = self.corpus / ("whole" if whole else "dev")
        if whole:
            for spec in WHOLE:
                fetched({"name": spec.split("==")[0], "sdist": spec}, folder)
        elif not folder.is_dir():
            subprocess.run(["bash", str(self.data / "fetch_dev_corpus.sh"), str(folder)], check=True)
        found = self.harness.load(self.data, corpus=folder, scope="full" if whole else "root")
        if not found:
            raise Missing(f"no project of the benchmark in {folder}")
        return found

    def evaluated(self, repos: list[dict], flags: str = "") -> dict:
        """The harness's result for our adapter."""
        tool = self.harness.Process(f"{sys.executable} {HERE / 'retrieval_adapter.py'} {flags}")
        try:
            return self.harness.evaluate(tool.search, repos, 10, tool.index)
        finally:
            tool.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, type=Path)
    parser.add_argument("--corpus", type=Path, default=HERE / "corpus")
    parser.add_argument("--only", nargs="*", choices=list(ROWS), default=list(ROWS))
    parser.add_argument("--details", action="store_true")
    args = parser.parse_args()
    if not (args.data / "harness.py").is_file():
        print(f"--data: {args.data} holds no harness.py; give the folder of the benchmark", file=sys.stderr)
        return 2
    sys.path.insert(0, str(args.data))
    import harness

    run = Run(args.data, args.corpus, harness, args.details)
    for name in args.only:
        try:
            for line in ROWS[name](run):
                print(line, flush=True)
        except (Missing, subprocess.CalledProcessError, RuntimeError, OSError) as error:
            print(row(name, f"not measured: {error}", ""), flush=True)
    return 0


def row(figure: str, value: str, goal: str) -> str:
    return f"{figure:62} {value:34} {goal}"


def dev(run: Run) -> Iterator[str]:
    """NDCG@10 of the default, and of symbol questions alone."""
    repos = run.repos()
    result = run.evaluated(repos)
    summary = run.harness.summary(result)
    yield row("NDCG@10, source folders, default embedding", f"{summary['all']['ndcg']:.3f}", ">= .905")
    yield row("  symbol questions", f"{summary['category']['symbol']['ndcg']:.3f}", ">= .97")
    if run.details:
        run.harness.show(result)
        for name, flags in COMPARED.items():
            other = run.evaluated(repos, flags)
            gap = run.harness.compare(other, result)
            mean = run.harness.summary(other)["all"]["ndcg"]
            shown = f"{mean:.3f}, default {gap['diff']:+.3f} [{gap['low']:+.3f}, {gap['high']:+.3f}]"
            yield row(f"  {name}", shown, "")


def minilm(run: Run) -> Iterator[str]:
    try:
        import onnxruntime  # noqa: F401
        import tokenizers  # noqa: F401
    except ImportError as error:
        raise Missing(f"the extra minilm is not installed ({error.name})") from error
    summary = run.harness.summary(run.evaluated(run.repos(), "--embedding minilm"))
    if summary["all"]["errors"]:
        raise Missing(f"{summary['all']['errors']} questions failed")
    yield row("NDCG@10, source folders, minilm", f"{summary['all']['ndcg']:.3f}", ">= .90")


def whole(run: Run) -> Iterator[str]:
    result = run.evaluated(run.repos(whole=True))
    if run.details:
        run.harness.show(result)
    mean = run.harness.summary(result)["all"]["ndcg"]
    yield row("NDCG@10, whole checkouts (tests, docs, examples present)", f"{mean:.3f}", ">= .885")


def tokens(run: Run) -> Iterator[str]:
    """Tokens (four characters) of the text of replies to the benchmark's questions."""
    repos = run.repos()
    with tempfile.TemporaryDirectory() as home:
        memory = Memory(Settings(home=Path(home), vector_store="exact", ollama_host=NO_SERVER))
        spent: dict[int, list[float]] = {5: [], 10: []}
        for repo in repos:
            memory.scan(repo["dir"])
            for limit, costs in spent.items():
                for question in repo["queries"]:
                    answer = memory.query(question["query"], repo["dir"], limit=limit)
                    costs.append(len(render.query_answer(answer)) / 4)
        memory.close()
    for limit, goal in ((5, "<= 400"), (10, "<= 800")):
        median, most = statistics.median(spent[limit]), max(spent[limit])
        yield row(f"tokens for {limit} cards", f"median {median:.0f}, most {most:.0f}", goal)
    yield row("four default replies, the largest four", f"{sum(sorted(spent[5])[-4:]):.0f} tokens", "<= 2,048")


def entities(run: Run) -> Iterator[str]:
    with entity_recall.indexed(run.corpus / "entities") as projects:
        asked = [one for project in projects for one in entity_recall.compare(project)]
    gap, *_ = entity_recall.gaps(asked)
    yield row(f"entity recall@5, {len(asked)} questions", entity_recall.told(gap), "better one + .05, interval > 0")
    for line in entity_recall.table(asked):
        yield f"    {line}"


def offtopic(run: Run) -> Iterator[str]:
    lines = _told("offtopic.py", _places(run, "django", "express", "trpc", "reveal"))
    for line in lines:
        if line.startswith(("off-topic refused", "answerable kept")):
            name, share = line.split("  ", 1)
            yield row(name, " ".join(share.split()), ">= .95" if name.startswith("off") else ">= .97")


def paraphrases(run: Run) -> Iterator[str]:
    places = _places(run, "django", "express", "trpc")
    places += [
        f"{project['name']}={fetched(project, run.corpus / 'entities')}"
        for project in entity_corpus.PROJECTS
        if project["name"] in PARAPHRASED
    ]
    lines = _told("paraphrases.py", places)
    blind = [line.split()[1:3] for line in lines if line.startswith(tuple(f"{name}  " for name in BLIND))]
    asked, found = (sum(int(counts[i]) for counts in blind) for i in (0, 1))
    figure = "paraphrases that share no content word with the file"
    yield row(figure, f"{found} of {asked} right file in ten, {found / asked:.2f}", ">= .70")
    yield from (f"    {line}" for line in lines)


def speed(run: Run) -> Iterator[str]:
    for project in entity_corpus.PROJECTS:
        fetched(project, run.corpus / "entities")
    yield row("a question through MCP, without a model", "", "p50 <= 12 ms on a quiet machine")
    yield from (f"    {line}" for line in _told("question_speed.py", [str(run.corpus / "entities")]))


def _places(run: Run, *projects: str) -> list[str]:
    wanted = [project for project in OTHERS if project["name"] in projects]
    return [f"{project['name']}={fetched(project, run.corpus / 'others')}" for project in wanted]


def _told(name: str, arguments: list[str]) -> list[str]:
    done = subprocess.run([sys.executable, str(HERE / name), *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise Missing(f"bench/{name}: {(done.stderr.strip() or 'failed').splitlines()[-1]}")
    return done.stdout.splitlines()


def fetched(project: dict, corpus: Path) -> Path:
    try:
        return entity_corpus.fetch(project, corpus)
    except (subprocess.CalledProcessError, OSError) as error:
        raise Missing(f"{project['name']} could not be fetched ({error})") from error


ROWS: dict[str, Callable[[Run], Iterator[str]]] = {
    "dev": dev,
    "minilm": minilm,
    "whole": whole,
    "paraphrases": paraphrases,
    "tokens": tokens,
    "offtopic": offtopic,
    "entities": entities,
    "speed": speed,
}

if __name__ == "__main__":
    sys.exit(main())
