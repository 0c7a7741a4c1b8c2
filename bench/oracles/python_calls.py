"""Python calls and imports of the code map against independent judges: Pyright's language server, and grimp.

For each call whose function is a name or an attribute, Pyright says where it is defined; our RESOLVED edges of the
same place must lead there. `precision`: of our edges that Pyright can judge, those it confirms. `recall`: of the calls
that Pyright leads to a function or class of the project, those that we lead there too. Imports are compared file by
file with grimp's, both ways.
"""

from __future__ import annotations

import argparse
import ast
import itertools
import json
import subprocess
import sys
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

from folder_facts import FolderFacts

from zerikai_memory.codemap.project import Project
from zerikai_memory.codemap.python import PythonResolver
from zerikai_memory.model import CodeEntity, EntityType
from zerikai_memory.model_map import Edge, EdgeKind, Evidence

DEFINED = (EntityType.FUNCTION, EntityType.METHOD, EntityType.CLASS)
Place = tuple[str, int, str]  # file, line, name
Target = tuple[str, int, str]  # file, line, the word there: a parameter stands on the line of its function
BATCH = 200
HERE = Path(__file__).resolve().parent
PACKAGES = {
    "click": "click", "flask": "flask", "httpx": "httpx", "jinja2": "jinja2", "starlette": "starlette",
    "networkx": "networkx==3.4.*", "django": "django==5.2.*",
}  # fmt: skip
BEGIN, END = "<!-- generated: python_calls.py -->", "<!-- end of python_calls.py -->"


@dataclass(frozen=True)
class FolderMap:
    """The Python part of a folder's code map; paths are relative to the root."""

    paths: tuple[str, ...]
    entities: dict[str, CodeEntity]
    edges: tuple[Edge, ...]


def map_of(root: Path, package: str) -> FolderMap:
    """Map a package below a root, from its files alone."""
    files = (path.relative_to(root).as_posix() for path in (root / package).rglob("*.py"))
    facts = FolderFacts(root, files)
    project = Project(facts, root.name)
    resolver = PythonResolver(project)
    paths = tuple(facts.paths())
    entities = {entity.id: entity for path in paths for entity in facts.file(path).entities}
    return FolderMap(paths, entities, tuple(edge for path in paths for edge in resolver.resolve(path)))


@dataclass
class Score:
    """Counts for one package; `misses` by cause, with one example each."""

    package: str
    files: int = 0
    judged: int = 0
    confirmed: int = 0
    unjudged: int = 0
    expected: int = 0
    found: int = 0
    imports_expected: int = 0
    imports_ours: int = 0
    imports_equal: int = 0
    wrong: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    @property
    def precision(self) -> float:
        return self.confirmed / max(1, self.judged)

    @property
    def recall(self) -> float:
        return self.found / max(1, self.expected)

    def note(self, where: Counter[str], cause: str, example: str) -> None:
        where[cause] += 1
        self.examples[cause].append(example)


def compare(root: Path, package: str, pyright: Path) -> Score:
    """Compare one package that lies in `root`."""
    mapped = map_of(root, package)
    score = Score(package, files=len(mapped.paths))
    calls = {path: list(calls_of(root / path)) for path in mapped.paths}
    truth = definitions(root, calls, pyright)
    _score_calls(mapped, calls, truth, score)
    _score_imports(mapped, root, package, score)
    return score


def calls_of(path: Path) -> Iterator[tuple[int, int, int, str, str]]:
    """(line of the name, 0-based line and character for the server, name, kind of receiver) of every call."""
    source = path.read_text("utf-8")
    lines = source.split("\n")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
            name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
            line = node.func.end_lineno or node.func.lineno
            text = lines[line - 1].encode()[: node.func.end_col_offset].decode()
            column = len((text[: len(text) - len(name)]).encode("utf-16-le")) // 2
            yield line, line - 1, column, name, _receiver(node.func)


def _receiver(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return "plain name"
    assert isinstance(node, ast.Attribute)
    inner = node.value
    if isinstance(inner, ast.Name):
        return "self or cls" if inner.id in ("self", "cls") else "a name's attribute"
    if isinstance(inner, ast.Call):
        return "super()" if isinstance(inner.func, ast.Name) and inner.func.id == "super" else "result of a call"
    if isinstance(inner, ast.Attribute):
        return "attribute of an attribute"
    return "other expression"


class Server:
    """A language server on standard streams."""

    def __init__(self, command: list[str], root: Path) -> None:
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=root)
        self._ids = itertools.count(1)
        uri = root.as_uri()
        self.request(
            "initialize",
            {"processId": None, "rootUri": uri, "capabilities": {}, "workspaceFolders": [{"uri": uri, "name": "x"}]},
        )
        self.send({"method": "initialized", "params": {}})

    def send(self, message: dict[str, object]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._process.stdin is not None
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._process.stdin.flush()

    def request(self, method: str, params: object) -> object:
        return next(iter(self.requests([(method, params)])))

    def requests(self, asked: list[tuple[str, object]]) -> list[object]:
        """Answers in the order of the questions."""
        ids = []
        for method, params in asked:
            ids.append(next(self._ids))
            self.send({"id": ids[-1], "method": method, "params": params})
        answers: dict[int, object] = {}
        while len(answers) < len(ids):
            message = self._receive()
            if "method" in message and "id" in message:
                wanted = message["params"].get("items", []) if message["method"] == "workspace/configuration" else None
                self.send({"id": message["id"], "result": [None] * len(wanted) if wanted is not None else None})
            elif "id" in message:
                answers[message["id"]] = message.get("result")
        return [answers[one] for one in ids]

    def close(self) -> None:
        self._process.terminate()
        self._process.communicate()

    def _receive(self) -> dict[str, object]:
        stream = self._process.stdout
        assert stream is not None
        length = 0
        while (line := stream.readline().strip()) != b"":
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        return json.loads(stream.read(length))


def definitions(
    root: Path, calls: dict[str, list[tuple[int, int, int, str, str]]], pyright: Path
) -> dict[Place, set[Target | None]]:
    """Where Pyright says that each call's name is defined; None for a place outside the project."""
    server = Server(["node", str(pyright / "langserver.index.js"), "--stdio"], root)
    found: dict[Place, set[Target | None]] = defaultdict(set)
    for path, places in calls.items():
        uri = (root / path).as_uri()
        text = (root / path).read_text("utf-8")
        document = {"uri": uri, "languageId": "python", "version": 1, "text": text}
        server.send({"method": "textDocument/didOpen", "params": {"textDocument": document}})
        for start in range(0, len(places), BATCH):
            part = places[start : start + BATCH]
            asked = [
                (
                    "textDocument/definition",
                    {"textDocument": {"uri": uri}, "position": {"line": line, "character": column}},
                )
                for _, line, column, _, _ in part
            ]
            for (line, _, _, name, _), answer in zip(part, server.requests(asked), strict=True):
                for location in answer or []:
                    found[path, line, name].add(_target(root, location))
        server.send({"method": "textDocument/didClose", "params": {"textDocument": {"uri": uri}}})
    server.close()
    return found


def _target(root: Path, location: dict[str, object]) -> Target | None:
    uri = str(location.get("uri") or location.get("targetUri"))
    place = location.get("range") or location.get("targetSelectionRange")
    path = Path(unquote(urlsplit(uri).path))
    if not path.is_relative_to(root):
        return None
    start, end = place["start"], place["end"]
    line = _lines(path)[start["line"]].encode("utf-16-le")
    word = line[2 * start["character"] : 2 * end["character"]].decode("utf-16-le", "replace")
    return path.relative_to(root).as_posix(), start["line"] + 1, word


@cache
def _lines(path: Path) -> list[str]:
    return [*path.read_text("utf-8").split("\n"), ""]


def _score_calls(
    mapped: FolderMap,
    calls: dict[str, list[tuple[int, int, int, str, str]]],
    truth: dict[Place, set[Target | None]],
    score: Score,
) -> None:
    defined = {(e.file_path, e.start_line, e.name): e for e in mapped.entities.values() if e.entity_type in DEFINED}
    receivers = {(path, line, name): kind for path, places in calls.items() for line, _, _, name, kind in places}
    ours: dict[Place, list[CodeEntity]] = defaultdict(list)
    for edge in mapped.edges:
        if edge.kind is EdgeKind.CALL and edge.evidence is Evidence.RESOLVED and edge.target:
            place = (edge.file_path, edge.line, edge.target_name.rpartition(".")[2])
            ours[place].append(mapped.entities[edge.target])
    for place, targets in ours.items():
        judged = truth.get(place)
        for entity in targets:
            if entity.name == "__init__" and any(other.qualified_name == entity.parent for other in targets):
                continue
            if entity.name == "__init__" and place[2] != "__init__":
                continue  # the constructor, inherited
            verdict = _verdict(entity, place[2], judged, defined)
            if verdict is None:
                score.unjudged += 1
                continue
            score.judged += 1
            score.confirmed += verdict
            if not verdict:
                said = sorted(str(one) for one in judged or ())
                example = f"{place[0]}:{place[1]} {place[2]} -> {entity.file_path}:{entity.start_line}; judge: {said}"
                score.note(score.wrong, receivers.get(place, "?"), example)
    for place, judged in truth.items():
        wanted = {defined[one] for one in judged if one in defined}
        if not wanted:
            continue
        score.expected += 1
        got = ours.get(place, [])
        if any(_same(one, entity) for one in wanted for entity in got):
            score.found += 1
        else:
            example = (
                f"{place[0]}:{place[1]} {place[2]}: {sorted(e.file_path + ' ' + e.qualified_name for e in wanted)}"
            )
            score.note(score.missed, f"missed: {receivers.get(place, '?')}", example)


def _verdict(
    entity: CodeEntity, name: str, judged: set[Target | None] | None, defined: dict[Target, CodeEntity]
) -> bool | None:
    """Whether the judge confirms a target; None where it says nothing or names a variable that holds it."""
    if not judged or name == "__class__":  # for Pyright an attribute of `object`, whatever the class is
        return None
    known = [defined[one] for one in judged if one in defined]
    if any(_same(one, entity) for one in known):
        return True
    if not known and any(one is not None for one in judged):
        return None
    return False


def _same(one: CodeEntity, other: CodeEntity) -> bool:
    """The same definition: overloads and branches of one name count as one, a class and its constructor too."""
    if one.file_path != other.file_path:
        return False
    names = {one.qualified_name, one.qualified_name.removesuffix(".__init__").removesuffix(".__new__")}
    return other.qualified_name in names or other.qualified_name.removesuffix(".__init__") in names


def _score_imports(mapped: FolderMap, root: Path, package: str, score: Score) -> None:
    import grimp

    sys.path.insert(0, str(root))
    try:
        graph = grimp.build_graph(package, cache_dir=None)
    finally:
        sys.path.remove(str(root))
    names = {_module(path): path for path in mapped.paths}
    truth = {
        (names[module], names[other])
        for module in graph.modules
        for other in graph.find_modules_directly_imported_by(module)
        if module in names and other in names
    }
    ours = {
        (edge.file_path, mapped.entities[edge.target].file_path)
        for edge in mapped.edges
        if edge.kind is EdgeKind.IMPORT and edge.evidence is Evidence.RESOLVED and edge.target
    }
    # Folders without `__init__.py` are no part of a package for grimp.
    seen = {names[module] for module in graph.modules if module in names}
    ours = {pair for pair in ours if seen.issuperset(pair)}
    score.imports_expected, score.imports_ours, score.imports_equal = len(truth), len(ours), len(truth & ours)
    for pair in sorted(truth - ours):
        score.note(score.missed, "import missed", " -> ".join(pair))
    for pair in sorted(ours - truth):
        score.note(score.wrong, "import that grimp has not", " -> ".join(pair))


def _module(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def report(scores: Iterable[Score], examples: int) -> str:
    """The table, and misses by cause."""
    scores = list(scores)
    lines = [
        "| package | files | resolved calls judged | precision | not judged | calls inside by Pyright | recall |"
        " imports: grimp / ours / equal |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for s in (*scores, _total(scores)):
        lines.append(
            f"| {s.package} | {s.files} | {s.judged:,} | {s.precision:.2%} | {s.unjudged:,} | {s.expected:,} |"
            f" {s.recall:.2%} | {s.imports_expected:,} / {s.imports_ours:,} / {s.imports_equal:,} |"
        )
    total = _total(scores)
    lines += ["", "Misses and errors by cause, all packages:", ""]
    for cause, count in (*total.wrong.most_common(), *total.missed.most_common()):
        kind = "wrong, receiver is: " if cause in total.wrong and "import" not in cause else ""
        lines.append(f"- {kind}{cause} ({count})")
        lines += [f"  - `{example}`" for example in total.examples[cause][:examples]]
    return "\n".join(lines)


def _total(scores: list[Score]) -> Score:
    total = Score("all")
    for s in scores:
        for name in ("files", "judged", "confirmed", "unjudged", "expected", "found"):
            setattr(total, name, getattr(total, name) + getattr(s, name))
        for name in ("imports_expected", "imports_ours", "imports_equal"):
            setattr(total, name, getattr(total, name) + getattr(s, name))
        total.wrong += s.wrong
        total.missed += s.missed
        for cause, found in s.examples.items():
            total.examples[cause] += found
    return total


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, default=HERE.parent / "corpus" / "python_map")
    parser.add_argument("--only", nargs="*", default=list(PACKAGES))
    parser.add_argument("--examples", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="renew this part of bench/oracles/README.md")
    args = parser.parse_args()
    fetch(args.corpus)
    pyright = args.corpus.resolve() / "node_modules" / "pyright"
    scores = [compare((args.corpus / name).resolve(), name, pyright) for name in args.only]
    text = report(scores, args.examples)
    print(text)
    if args.write:
        readme = HERE / "README.md"
        head, _, rest = readme.read_text("utf-8").partition(BEGIN)
        readme.write_text(f"{head}{BEGIN}\n\n{text}\n\n{END}{rest.partition(END)[2]}", "utf-8")
    total = _total(scores)
    imports = total.imports_equal / max(total.imports_expected, total.imports_ours, 1)
    return 0 if total.precision >= 0.98 and total.recall >= 0.8 and imports >= 0.995 else 1


def fetch(corpus: Path) -> None:
    """Packages from PyPI (unpacked, not installed) and Pyright from npm, once."""
    if (corpus / "done").exists():
        return
    corpus.mkdir(parents=True, exist_ok=True)
    pip = [sys.executable, "-m", "pip"]
    subprocess.run([*pip, "install", "-q", "grimp>=3"], check=True)
    wanted = [*pip, "download", "-q", "--no-deps", "--only-binary=:all:", "-d", str(corpus), *PACKAGES.values()]
    subprocess.run(wanted, check=True)
    for wheel in corpus.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(corpus / wheel.name.partition("-")[0].lower())
    (corpus / "package.json").write_text('{"private": true}\n')
    npm = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "pyright@1.1"]
    subprocess.run(npm, cwd=corpus, check=True)
    (corpus / "done").touch()


if __name__ == "__main__":
    sys.exit(main())
