"""What a path says about a file: a test, a document, an example, an old copy. Pure, computed once per view."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from enum import StrEnum

# Whole checkouts hold as many tests and documents as code; unfactored they push the code out of the answer
# (NDCG@10 .800 -> .869 at x.6, .879 at x.2 in a lab over nine checkouts).
SIDE_FILE_FACTOR = 0.3
# Any factor from .5 to .9 gave the same gain; the middle is taken.
LEGACY_FACTOR = 0.7


class Side(StrEnum):
    """Kinds of files that support the code instead of being it."""

    TEST = "test"
    DOCS = "docs"
    EXAMPLE = "example"


_SIDE_FOLDERS = {
    folder: side
    for side, folders in {
        Side.TEST: "test tests __tests__ __mocks__ spec specs e2e testdata fixtures",
        Side.DOCS: "doc docs documentation wiki changelog changelogs",
        Side.EXAMPLE: "example examples sample samples demo demos benchmark benchmarks",
    }.items()
    for folder in folders.split()
}
_TEST_NAME = re.compile(
    r"(test_.*|.*_test|conftest)\.pyw?$|.*[.\-_](test|tests|spec|stories)\.[cm]?[jt]sx?$", re.IGNORECASE
)
_DOCS_NAME = re.compile(r".*\.(md|markdown|mdx|rst)$", re.IGNORECASE)
# What in a question asks for such a file: then it is not put behind the code. "The test runner" and "the test client"
# are code; tests are asked for as what they do or whom they are for (whole checkouts +.010).
_ASKS_FOR = {
    side: re.compile(pattern, re.IGNORECASE)
    for side, pattern in {
        Side.TEST: r"\b(tests|(unit|integration|e2e)[ -]test|tested|fixtures?|mocks|pytest|unittest|conftest)\b|"
        r"\btest (for|of|that|which|case|cases|file|files|suite|suites|data|about|covers|checks)\b|\btest_\w",
        Side.DOCS: r"\b(docs?|documentation|readme|guide|tutorial|changelog|markdown|section|chapter)\b|"
        # A person's question for instructions; code is asked for by "how does" and "where is".
        r"^\s*(how (to|do i|do you|can i|should i)|getting started)\b",
        Side.EXAMPLE: r"\b(examples?|samples?|demos?|benchmarks?)\b",
    }.items()
}
# A collection of documents with a few scripts; where tests or pages merely outnumber the code, the code is still what
# is meant (whole checkouts +.045 against "most of the files").
MOSTLY = 0.9

_LEGACY_FOLDER = re.compile(
    r"_?(deprecated|legacy|compat|obsolete|archived?|vendor(ed)?|third_party|locales?|i18n|old|backup)$", re.IGNORECASE
)
_VERSION_FOLDER = re.compile(r"v(\d{1,4})$", re.IGNORECASE)
# Names that honest sibling packages share; counting them would call those copies of each other.
_GENERIC_STEMS = frozenset(
    "__init__ index mod type types util utils constants helpers common main errors exceptions".split()
)
_COPY_MIN_FILES = 3
_COPY_MIN_SHARE = 0.4


def side_of(path: str) -> Side | None:
    """Whether a file is a test, a document or an example, by its folders and its name."""
    *folders, name = path.split("/")
    if _TEST_NAME.match(name):
        return Side.TEST
    for folder in folders:
        if (side := _SIDE_FOLDERS.get(folder.lower())) is not None:
            return side
    return Side.DOCS if _DOCS_NAME.match(name) else None


def main_sides(sides: Sequence[Side | None]) -> frozenset[Side]:
    """The kind of files besides which hardly anything is there."""
    return frozenset(side for side in Side if sides.count(side) > MOSTLY * len(sides))


def side_factors(question: str, main: frozenset[Side]) -> dict[Side | None, float]:
    """The factor of each kind of files: below 1 for side files, unless the question or the project is about them."""
    asked = {side for side, asking in _ASKS_FOR.items() if asking.search(question)} | main
    return {None: 1.0} | {side: 1.0 if side in asked else SIDE_FILE_FACTOR for side in Side}


def legacy_flags(paths: Sequence[str]) -> list[bool]:
    """Whether each file lies in a folder of old code: named so, an older version beside a newer, or a copy."""
    folders = {folder for path in paths for folder in _ancestors(path)}
    old = {folder for folder in folders if _LEGACY_FOLDER.match(folder.rsplit("/", 1)[-1])}
    old |= _older_versions(folders) | _copies(paths, folders)
    return [any(folder in old for folder in _ancestors(path)) for path in paths]


def _ancestors(path: str) -> list[str]:
    parts = path.split("/")[:-1]
    return ["/".join(parts[:i]) for i in range(1, len(parts) + 1)]


def _older_versions(folders: set[str]) -> set[str]:
    siblings: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for folder in folders:
        parent, _, name = folder.rpartition("/")
        if match := _VERSION_FOLDER.match(name):
            siblings[parent].append((int(match.group(1)), folder))
    return {folder for versions in siblings.values() for number, folder in versions if number < max(versions)[0]}


def _copies(paths: Sequence[str], folders: set[str]) -> set[str]:
    """Folders of which many files exist at the same relative path under the folder's parent."""
    telling = {path for path in paths if path.rsplit("/", 1)[-1].split(".")[0] not in _GENERIC_STEMS}
    inside: dict[str, list[str]] = defaultdict(list)
    for path in telling:
        for folder in _ancestors(path):
            inside[folder].append(path)
    found = set()
    for folder in folders:
        parent = folder.rpartition("/")[0]
        prefix = f"{parent}/" if parent else ""
        same = sum(prefix + path[len(folder) + 1 :] in telling for path in inside[folder])
        if same >= _COPY_MIN_FILES and same >= _COPY_MIN_SHARE * len(inside[folder]):
            found.add(folder)
    return found
