"""Write what the oracles say of the small repositories in tests/data/repos and maps beside them, as `expected.json`.

    python bench/oracles/record.py [--corpus FOLDER]

The parsers for Node come from the corpus that `run.py` fetches.
"""

from __future__ import annotations

import argparse
import ast
import json
from pathlib import Path
from typing import Any

from markdown_headings import headings_of
from node_oracle import answers
from python_ast import ast_records, ast_references
from run import HERE, fetch
from typescript_references import ask

REPOS = HERE.parents[1] / "tests" / "data" / "repos"
MAPS = HERE.parents[1] / "tests" / "data" / "maps"
SCRIPTS = {
    "javascript": "typescript_api.mjs",
    "typescript": "typescript_api.mjs",
    "html": "html_parse5.mjs",
    "css": "css_postcss.mjs",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, default=HERE.parent / "corpus")
    args = parser.parse_args()
    fetch(args.corpus)
    for folder in sorted(path for path in REPOS.iterdir() if path.is_dir()):
        paths = [path for path in sorted(folder.iterdir()) if path.name != "expected.json"]
        records = {path.name: records_of(folder.name, path, args.corpus / "npm") for path in paths}
        lines = ",\n".join(
            f"{json.dumps(name)}: [\n" + ",\n".join(json.dumps(r, ensure_ascii=False) for r in found) + "\n]"
            for name, found in records.items()
        )
        (folder / "expected.json").write_text(f"{{\n{lines}\n}}\n", "utf-8")

    for folder in sorted(path for path in MAPS.iterdir() if path.is_dir()):
        (folder / "expected.json").write_text(map_of(folder, args.corpus / "npm"), "utf-8")


def map_of(folder: Path, modules: Path) -> str:
    """Calls (file, line, name, places of the definition) and imports of a small project, one per line."""
    names = sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*.*") if p.name != "expected.json")
    said = ask(folder, names, modules)
    calls = [json.dumps([*site, sorted(said.sites[site])]) for site in sorted(said.functions)]
    imports = [json.dumps(pair) for pair in sorted(said.imports)]
    return '{"calls": [\n' + ",\n".join(calls) + '\n], "imports": [\n' + ",\n".join(imports) + "\n]}\n"


def records_of(language: str, path: Path, modules: Path) -> list[Any]:
    """Records of one file, in order."""
    if language == "python":
        tree = ast.parse(path.read_bytes())
        definitions = [list(record) for record in ast_records(tree).elements()]
        return sorted(definitions, key=lambda record: (record[2], record[1])) + sorted(map(list, ast_references(tree)))
    if language == "markdown":
        return [list(record) for record in headings_of(path.read_bytes())]
    (answer,) = answers(SCRIPTS[language], modules, [path])
    if answer.get("error") or answer.get("errors"):
        raise SystemExit(f"{path}: the oracle refuses it: {answer.get('error')}")
    if language in ("javascript", "typescript"):
        return sorted(record[:4] for record in answer["records"])
    return sorted(answer["records"], key=str)


if __name__ == "__main__":
    main()
