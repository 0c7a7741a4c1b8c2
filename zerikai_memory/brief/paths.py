"""What a path says about a file: code of the product, test, documentation, example, generated."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Sequence

_TEST = re.compile(
    r"(^|/)(tests?|testing|__tests__|spec|specs|e2e|js_tests|fixtures|testdata)/"
    r"|(^|/)(test_[^/]*|[^/]*_test|conftest|tests)\.py$|\.(test|spec)\.[cm]?[jt]sx?$",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r"(^|/)(docs?|documentation|examples?|samples?|demos?|benchmarks?|bench|scripts?|tools|dist|build|vendor|"
    r"third_party|node_modules|locale|migrations|\.[^/]+)/|(^|/)(setup|noxfile|conf)\.py$|\.config\.[cm]?[jt]s$|"
    r"(^|/)(Gruntfile|Gulpfile)\.js$|\.d\.[cm]?ts$|\.min\.js$",
    re.IGNORECASE,
)
_CODE = re.compile(r"\.(py|pyi|[cm]?jsx?|[cm]?tsx?|vue|svelte)$")
_PAGE = re.compile(r"\.(html?|s?css)$")


# Files that only gather what their folder offers: they speak for the folder.
GATHERING = ("__init__.py", "index.ts", "index.tsx", "index.js", "index.mjs", "mod.ts")


def is_test(path: str) -> bool:
    """Whether a file is a test or belongs to tests, by its name or folder."""
    return bool(_TEST.search(path))


def is_product_code(path: str) -> bool:
    """Whether a file is code or page of the product: no test, documentation, example, script, build output."""
    return bool(_CODE.search(path) or _PAGE.search(path)) and not is_test(path) and not _ASIDE.search(path)


def is_code(path: str) -> bool:
    """Whether a file is source code in a language with imports."""
    return bool(_CODE.search(path))


def code_base(paths: Sequence[str]) -> str:
    """The folder ("" or "a/b/") where the code branches out: four fifths of `paths` lie in it."""
    base = ""
    while True:
        inside = [path[len(base) :] for path in paths if path.startswith(base)]
        folders = Counter(path.partition("/")[0] for path in inside if "/" in path)
        if not folders:
            return base
        folder, count = min(folders.items(), key=lambda item: (-item[1], item[0]))
        if count < 0.8 * len(paths):
            return base
        base += folder + "/"


def area_of(path: str, base: str) -> str | None:
    """The folder (with a slash) or file right below `base` that holds `path`; None for paths elsewhere."""
    if not path.startswith(base):
        return None
    head, slash, _ = path[len(base) :].partition("/")
    return base + head + slash


def test_folders(paths: Iterable[str]) -> list[tuple[str, int]]:
    """[(outermost folder of tests, number of test files)], largest first; "" for tests beside the code."""
    counts: Counter[str] = Counter()
    for path in paths:
        match = re.match(r"((?:[^/]+/)*?(?:tests?|__tests__|spec|specs|e2e|js_tests)/)", path, re.IGNORECASE)
        counts[match[1] if match else ""] += 1
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def folders_at_top(files: Iterable[str]) -> list[str]:
    """Folders at the top of the workspace, with a slash."""
    return sorted({path.partition("/")[0] + "/" for path in files if "/" in path})


def stem(path: str) -> str:
    """Name of a file without folders and extension."""
    return posixpath.basename(path).partition(".")[0]


def is_gathering(path: str) -> bool:
    """Whether a file only hands out what its folder defines, by its name (`__init__.py`, `index.ts`)."""
    return posixpath.basename(path) in GATHERING
