"""Which tests run what, and what a test is about."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from zerikai_memory.codemap.views.table import CALLABLES, CLASSES, MapTable
from zerikai_memory.codemap.views.walk import STRENGTH, Step
from zerikai_memory.model import CodeEntity, EntityType
from zerikai_memory.model_map import EdgeKind, Evidence
from zerikai_memory.model_views import MapPart, MapRow

_RUN_FOR_ALL = re.compile(r"(set_?up|tear_?down)\w*|asyncSetUp|asyncTearDown", re.IGNORECASE)
_TEST_FILE = re.compile(r"(^|/)(test_[^/]*|[^/]*_tests?|tests?)\.pyw?$")
_TEST_METHOD = re.compile(r"test_|test[A-Z]|runTest$")
_TEST_CLASS = re.compile(r"(^|\.)Test[^.]*$|Test(s|Case)?$")
_STEM = re.compile(r"^(test_)?(.*?)(_tests?|[.\-](test|tests|spec))?$", re.IGNORECASE)


def runnable_rows(table: MapTable, steps: Sequence[Step], subject: Collection[str]) -> tuple[MapRow, ...]:
    """The tests among steps into test files, each once, the surest and nearest first.

    A helper counts through the tests that use it. A file stands for its tests where they have no names of their own
    (scripts), where it only imports the subject, or where only a helper of it was reached.
    """
    found: dict[str, MapRow] = {}
    files: dict[str, MapRow] = {}
    led_on = {step.via for step in steps}
    for step in steps:
        unit = _unit(table, step.entity)
        registers = unit is not None and unit.entity_type is EntityType.MODULE and step.kind is EdgeKind.REGISTER
        if registers or (unit is None and step.entity.id in led_on):
            continue  # a conftest that registers a fixture is no test, nor is a helper
        script = unit is not None and unit.entity_type is EntityType.MODULE and step.kind is EdgeKind.CALL
        if not script and not holds_tests(table, step.entity.file_path):
            continue  # a test client that a product brings along is none either
        told = found if unit is not None and unit.entity_type is not EntityType.MODULE else files
        unit = unit or table.module(step.entity.file_path) or step.entity
        row = step.row(table, subject)
        if unit.id != step.entity.id:
            detail = f"in {step.entity.qualified_name}" if step.entity.qualified_name else ""
            shown = table.row(unit)
            row = replace(
                row,
                name=shown.name,
                entity_type=shown.entity_type,
                start_line=shown.start_line,
                entity_id=shown.entity_id,
                detail=detail,
            )
        known = told.get(unit.id)
        told[unit.id] = row if known is None else _joined(known, row)
    named = {row.file_path for row in found.values()}
    rows = [*found.values(), *(row for row in files.values() if row.file_path not in named)]
    return tuple(sorted(rows, key=lambda row: (_weakness(row), row.depth, row.file_path, row.start_line)))


def holds_tests(table: MapTable, path: str) -> bool:
    """Whether a runner finds tests in a file, by its name or by test methods of a test class; of scripts always."""
    if not path.endswith((".py", ".pyw")) or _TEST_FILE.search(path):
        return True
    named = [e for e in table.by_file[path] if e.entity_type in CALLABLES and _TEST_METHOD.match(e.name)]
    return any(_TEST_CLASS.search(e.parent or "") for e in named)


def _joined(one: MapRow, other: MapRow) -> MapRow:
    """One row for two ways to the same test: the surer, then nearer one, with the lines of both."""
    best = min(one, other, key=lambda row: (_weakness(row), row.depth))
    return replace(best, lines=tuple(sorted({*one.lines, *other.lines})))


def _weakness(row: MapRow) -> int:
    return STRENGTH.index(Evidence(row.evidence))


def _unit(table: MapTable, entity: CodeEntity) -> CodeEntity | None:
    """What a runner can run for an entity of a test file; None for a helper."""
    if entity.language != "python":
        return table.module(entity.file_path)
    if entity.entity_type is EntityType.MODULE:
        return entity
    if entity.entity_type in CLASSES:
        return entity if entity.name.startswith("Test") or entity.name.endswith(("Test", "Tests", "TestCase")) else None
    if entity.name.startswith("test"):
        return entity
    if _RUN_FOR_ALL.fullmatch(entity.name):
        return table.owner(entity) or table.module(entity.file_path)
    return None


def namesake_tests(table: MapTable, paths: Iterable[str], known: Collection[str]) -> Iterator[MapRow]:
    """Test files that are named after one of the files (`test_orders.py` for `orders.py`)."""
    wanted: dict[str, str] = {}
    for path in paths:
        stem = _stem(path)
        if stem not in ("", "__init__", "index"):
            wanted[stem] = path
    for path in table.by_file:
        if table.is_test(path) and path not in known and (of := wanted.get(_stem(path))) is not None:
            module = table.module(path)
            if module is not None:
                yield table.row(module, kind="", evidence=Evidence.SAME_NAME.value, detail=f"named after {of}")


def importing_tests(table: MapTable, paths: Iterable[str], known: Collection[str]) -> tuple[MapRow, ...]:
    """Test files that import one of the files, straight or through others, the nearest first; not those in `known`.

    What a test runs by way of a framework, a registry or a template is reached by its imports alone.
    """
    level, seen, rows = list(dict.fromkeys(paths)), set(paths), []
    depth = 0
    while level:
        depth += 1
        level = [user for path in level for user in table.file_dependents.get(path, ()) if user not in seen]
        level = list(dict.fromkeys(level))
        seen.update(level)
        for path in sorted(level):
            module = table.module(path)
            if module is not None and table.is_test(path) and path not in known and holds_tests(table, path):
                evidence = Evidence.IMPORTED_NAME.value
                rows.append(table.row(module, kind=EdgeKind.IMPORT.value, evidence=evidence, depth=depth))
    return tuple(rows)


def _stem(path: str) -> str:
    name = path.rpartition("/")[2]
    bare = name.rpartition(".")[0] or name
    match = _STEM.match(bare)
    return (match[2] if match else bare).lower()


def with_files(part: MapPart) -> MapPart:
    """The part with the test files to name on a command line, in the order of their first test."""
    counts: dict[str, int] = defaultdict(int)
    for row in part.rows:
        counts[row.file_path] += 1
    return replace(part, note="run: " + " ".join(counts)) if counts else part
