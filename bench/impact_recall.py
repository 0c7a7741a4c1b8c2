#!/usr/bin/env python3
"""Does `impact` name the tests that really run a function? Against coverage contexts of two packages.

    bench/impact_recall.py [--corpus FOLDER] [--functions 10]

Fetches the source distributions of click and jinja2, runs their tests under coverage.py with one context per test, and
takes functions that are spread evenly over those that tests execute. A change of such a function needs the tests that
executed a line of its body; `impact` names tests, or a file for all tests of it. Prints recall (named / executed) and
precision (executed / named), per function and together.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from entity_corpus import untar

from zerikai_memory.app import Memory
from zerikai_memory.model import CodeEntity, EntityType
from zerikai_memory.model_views import MapReply
from zerikai_memory.settings import Settings

HERE = Path(__file__).resolve().parent
PACKAGES = {"click": "src/click", "jinja2": "src/jinja2"}
# A function that so large a part of all tests runs (a constructor of everything) says nothing about finding tests.
MAX_SHARE = 0.5
SURE, BY_IMPORT = "tests to run", "tests that import it"
RC = "[run]\ndynamic_context = test_function\nsource = {source}\ndata_file = {data}\n"


@dataclass(frozen=True)
class Result:
    """Tests as `file::name`, classes left out."""

    function: str
    executed: frozenset[str]
    named: frozenset[str]

    @property
    def found(self) -> int:
        return len(self.executed & self.named)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, default=HERE / "corpus" / "impact")
    parser.add_argument("--functions", type=int, default=10)
    args = parser.parse_args()
    results = [result for name in PACKAGES for result in measure(fetch(args.corpus.resolve(), name), name, args)]
    print("| function | tests that ran it | named by impact | recall | precision |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for result in results:
        recall, precision = shares([result])
        print(f"| {result.function} | {len(result.executed)} | {len(result.named)} | {recall:.0%} | {precision:.0%} |")
    recall, precision = shares(results)
    mean = sum(shares([result])[0] for result in results) / len(results)
    print(f"| all ({len(results)}) | | | {recall:.1%}, mean {mean:.1%} | {precision:.1%} |")
    return 0 if mean >= 0.9 else 1


def shares(results: list[Result]) -> tuple[float, float]:
    found = sum(result.found for result in results)
    executed = sum(len(result.executed) for result in results)
    return found / max(1, executed), found / max(1, sum(len(result.named) for result in results))


def fetch(corpus: Path, name: str) -> Path:
    """The unpacked source distribution, and a virtual environment with what its tests need."""
    folder = corpus / name
    if not folder.exists():
        folder.mkdir(parents=True)
        pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary=:all:", "-d", str(folder), name]
        subprocess.run(pip, check=True)
        (archive,) = folder.glob("*.tar.gz")
        untar(archive, folder)
    python = corpus / "venv" / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(corpus / "venv")], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "-q", "coverage", "pytest", "trio", *PACKAGES], check=True)
    return next(path for path in folder.iterdir() if path.is_dir())


def measure(root: Path, name: str, args: argparse.Namespace) -> list[Result]:
    contexts = executed_lines(root, name, args.corpus.resolve())
    with tempfile.TemporaryDirectory() as brain:
        memory = Memory(Settings(home=Path(brain), vector_store="exact", ollama_host="http://127.0.0.1:9"), cwd=root)
        try:
            memory.scan(str(root))
            entities = memory.entities(str(root))
            chosen = choose(entities, contexts, args.functions)
            return [
                Result(
                    f"{entity.file_path.removeprefix('src/')} {entity.qualified_name}",
                    tests,
                    named_tests(memory.mapping.view("impact", target(entity), str(root)), entities),
                )
                for entity, tests in chosen
            ]
        finally:
            memory.close()


def target(entity: CodeEntity) -> str:
    return f"{entity.file_path}:{entity.start_line}"


def executed_lines(root: Path, name: str, corpus: Path) -> dict[str, dict[int, frozenset[str]]]:
    """{file: {line: tests that executed it}}"""
    data, rc = root / ".impact-coverage", root / ".impact-coveragerc"
    python = corpus / "venv" / "bin" / "python"
    if not data.exists():
        rc.write_text(RC.format(source=root / PACKAGES[name], data=data))
        command = [str(python), "-m", "coverage", "run", f"--rcfile={rc}", "-m", "pytest", "-q", "--no-header"]
        environment = {"PYTHONPATH": str((root / PACKAGES[name]).parent), "PATH": "/usr/bin:/bin"}
        subprocess.run([*command, "-p", "no:cacheprovider", "tests"], cwd=root, env=environment, check=False)
    script = (
        "import coverage, json, sys\n"
        "data = coverage.CoverageData(sys.argv[1]); data.read()\n"
        "print(json.dumps({f: data.contexts_by_lineno(f) for f in data.measured_files()}))\n"
    )
    told = subprocess.run([str(python), "-c", script, str(data)], check=True, capture_output=True).stdout
    found: dict[str, dict[int, frozenset[str]]] = {}
    for path, lines in json.loads(told).items():
        relative = Path(path).relative_to(root).as_posix()
        found[relative] = {int(line): frozenset(filter(None, map(test, tests))) for line, tests in lines.items()}
    return found


def test(context: str) -> str:
    """`tests.test_x.TestY.test_z` or `test_x.test_z` -> `test_x::test_z`; nothing for what is no test."""
    parts = context.split(".")
    file = next((part for part in parts if part.startswith("test_")), "")
    return f"{file}::{parts[-1]}" if file and parts[-1].startswith("test") and parts[-1] != file else ""


def choose(
    entities: list[CodeEntity], contexts: dict[str, dict[int, frozenset[str]]], count: int
) -> list[tuple[CodeEntity, frozenset[str]]]:
    """Functions that some and not most tests execute, evenly spread in the order of the files."""
    everything = frozenset(name for lines in contexts.values() for tests in lines.values() for name in tests)
    found = []
    for entity in entities:
        if entity.entity_type not in (EntityType.FUNCTION, EntityType.METHOD) or entity.file_path not in contexts:
            continue
        # The line of `def` runs when the module is imported.
        body = range(entity.start_line + 1, entity.end_line + 1)
        tests = frozenset().union(*(contexts[entity.file_path].get(line, frozenset()) for line in body))
        if tests and len(tests) <= MAX_SHARE * len(everything):
            found.append((entity, tests))
    step = len(found) / count
    return [found[int(index * step)] for index in range(count)]


def named_tests(
    reply: MapReply, entities: list[CodeEntity], titles: tuple[str, ...] = (SURE, BY_IMPORT)
) -> frozenset[str]:
    """Tests that the reply names; a row that is a file stands for all its tests, one that is a class for its own."""
    by_id = {entity.id: entity for entity in entities}
    names = set()
    for part in reply.parts:
        for row in part.rows if part.title in titles else ():
            entity = by_id[row.entity_id]
            prefix = f"{entity.qualified_name}." if entity.qualified_name else ""
            for other in entities:
                inside = other.id == entity.id or other.qualified_name.startswith(prefix)
                function = other.entity_type in (EntityType.FUNCTION, EntityType.METHOD)
                if other.file_path == entity.file_path and inside and function and other.name.startswith("test"):
                    names.add(f"{Path(other.file_path).stem}::{other.name}")
    return frozenset(names)


if __name__ == "__main__":
    sys.exit(main())
