"""Overloads: the one with the body speaks for all of them, and takes no more cards than one."""

from pathlib import Path

import pytest

from tests.retrieve.written import scanned
from zerikai_memory.app import Memory
from zerikai_memory.lang.extract import extract
from zerikai_memory.retrieve.overloads import without_body

RETRY = """export function retry<T>(count?: number): Operator<T>;
export function retry<T>(config: RetryConfig): Operator<T>;
/** Subscribes once more after an error. */
export function retry<T>(countOrConfig: number | RetryConfig = Infinity): Operator<T> {
  const config = toConfig(countOrConfig);
  return repeated(config);
}

export function retrySoon(delay: number) {
  return retry(delay);
}
"""
OBSERVABLE = """export class Observable<T> {
  pipe(): Observable<T>;
  pipe<A>(op1: OperatorFunction<T, A>): Observable<A>;
  pipe<A, B, C>(
    op1: OperatorFunction<T, A>,
    op2: OperatorFunction<A, B>,
    op3: OperatorFunction<B, C>
  ): Observable<C>;
  pipe(...operations: OperatorFunction<any, any>[]): Observable<any> {
    return fromArray(operations)(this);
  }

  get value(): T {
    return this.held;
  }

  set value(value: T) {
    this.held = value;
  }

  static create(a: any) {
    return new Observable(a);
  }
}
"""
DECLARED = """export function declared(a: number): void;
/** What is described. */
export function declared(a: string): void;
export function declared(a: string, b: string): void;
"""
TESTS = """describe('one', () => {
  function setUp(a) {
    return a;
  }
});
describe('two', () => {
  function setUp(a) {
    return a + 1;
  }
});
"""
PYTHON = '''from typing import overload


@overload
def load(key: int) -> int: ...
@overload
def load(key: str) -> str: ...
def load(key):
    """Loads what is kept."""
    return kept[key]


class Box:
    @property
    def size(self):
        return self._size

    @size.setter
    def size(self, size):
        self._size = size
'''
FILES = {
    "src/retry.ts": RETRY,
    "src/Observable.ts": OBSERVABLE,
    "types/index.d.ts": DECLARED,
    "test/set-up.ts": TESTS,
    "box.py": PYTHON,
}


@pytest.fixture
def project(memory: Memory, workspace: Path) -> str:
    return scanned(memory, workspace, FILES)


@pytest.mark.parametrize(
    ("question", "place"),
    [
        ("how does retry work", "src/retry.ts:4"),
        ("retry", "src/retry.ts:4"),
        ("retry with a RetryConfig", "src/retry.ts:4"),
        ("Observable.pipe", "src/Observable.ts:9"),
        ("declared", "types/index.d.ts:3"),
        ("load", "box.py:8"),
        ("how is what is kept loaded by load", "box.py:8"),
    ],
)
def test_of_overloads_only_the_one_that_speaks_for_them_is_shown(
    question: str, place: str, memory: Memory, project: str
) -> None:
    hits = memory.query(question, project, limit=10).results
    assert f"{hits[0].file_path}:{hits[0].start_line}" == place
    assert [hit.qualified_name for hit in hits].count(hits[0].qualified_name) == 1


def test_the_body_is_shown_where_overloads_took_its_place(memory: Memory, project: str) -> None:
    assert "repeated(config)" in memory.query("how does retry work", project).results[0].text


def test_overloads_that_are_left_out_are_counted(memory: Memory, project: str) -> None:
    assert memory.query("Observable.pipe", project).omitted == 3


@pytest.mark.parametrize("line", [2, 3, 5])
def test_a_line_of_an_overload_gives_that_overload(line: int, memory: Memory, project: str) -> None:
    hit = memory.query(f"src/Observable.ts:{line}", project).results[0]
    assert hit.start_line <= line <= hit.end_line < 9


@pytest.mark.parametrize("name", ["setUp", "Box.size"])
def test_functions_of_one_name_with_bodies_of_their_own_are_all_shown(name: str, memory: Memory, project: str) -> None:
    names = [hit.qualified_name for hit in memory.query(name, project).results]
    assert names.count(name) == 2


@pytest.mark.parametrize(
    ("name", "lines"),
    [("Observable.pipe", [9, 2, 3, 4]), ("retry", [4, 1, 2]), ("declared", [3, 1, 4]), ("load", [8, 5, 7])],
)
def test_an_entity_opened_by_name_is_the_one_that_speaks_for_the_others_first(
    name: str, lines: list[int], memory: Memory, project: str
) -> None:
    assert [hit.start_line for hit in memory.entity(name, project)] == lines


@pytest.mark.parametrize(
    ("path", "bodiless"),
    [
        ("src/Observable.ts", [("pipe", 2), ("pipe", 3), ("pipe", 4)]),
        ("test/set-up.ts", []),
        ("box.py", [("load", 5), ("load", 7)]),
    ],
)
def test_a_signature_is_told_from_a_function_with_a_body(path: str, bodiless: list[tuple[str, int]]) -> None:
    entities = extract(FILES[path].encode(), path).entities
    found = [(entity.name, entity.start_line) for entity in entities if entity.entity_type in ("function", "method")]
    marked = [entity for entity in entities if entity.entity_type in ("function", "method") and without_body(entity)]
    assert [(entity.name, entity.start_line) for entity in marked] == bodiless
    assert len(found) > len(bodiless)
