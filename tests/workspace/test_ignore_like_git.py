"""Git is the oracle: random ignore files and trees must give the files that git itself would add."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.casekit import git
from zerikai_memory.workspace.gitglob import RuleList
from zerikai_memory.workspace.paths import disk_name
from zerikai_memory.workspace.walk import walk

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

# Atoms that meet in gitignore lines; every bracket form of wildmatch, escapes, stars in all places.
ATOMS = [b"a", b"b", b"ab", b"c", b"A", b"*", b"**", b"***", b"/", b"/", b"?", b".", b"-", b"!", b"#", b" ", b"\t"]
ATOMS += [b"\\", b"\\*", b"\\/", b"\\ ", b"]", b"[ab]", b"[!a]", b"[^b]", b"[a-c]", b"[]a]", b"[a-]", b"[--b]"]
ATOMS += [b"[b-a]", b"[\\]]", b"[a/b]", b"[[:alpha:]]", b"[[:digit:]a-b]", b"[[:foo:]]", b"[[:alpha]", b"[a", b"\r"]
ATOMS += ["é".encode(), b"\xff"]
NAMES = [b"a", b"b", b"c", b"ab", b"abc", b"a b", b"a ", b"A", b"a.b", b"#a", b"!a", b"*", b"a\\b", b"b-", b"]", b"[a"]
NAMES += ["é".encode(), b"\xff", b"1"]

lines = st.lists(st.sampled_from(ATOMS), min_size=1, max_size=6).map(b"".join)
contents = st.tuples(
    st.sampled_from([b"", b"", b"\xef\xbb\xbf"]),
    st.lists(lines, min_size=1, max_size=5),
    st.sampled_from([b"\n", b"\r\n"]),
    st.booleans(),
).map(lambda t: t[0] + t[2].join(t[1]) + (t[2] if t[3] else b""))
tree_paths = st.lists(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4).map(b"/".join), max_size=25)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("oracle")
    git(path, "init", "-q")
    return path


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=contents, paths=tree_paths)
def test_deciding_line_is_the_one_git_names(repository: Path, content: bytes, paths: list[bytes]) -> None:
    (repository / ".gitignore").write_bytes(content)
    asked = sorted(set(paths))
    output = git(repository, "check-ignore", "--no-index", "-vnz", "--stdin", stdin=b"".join(p + b"\0" for p in asked))
    fields = output.split(b"\0")[:-1]
    expected = {fields[n + 3]: int(fields[n + 1] or 0) for n in range(0, len(fields), 4)}
    rules = RuleList.parse(content, "x")
    assert {path: deciding_line(rules, path) for path in asked} == expected


def deciding_line(rules: RuleList, path: bytes) -> int:
    parts = path.split(b"/")
    for depth in range(1, len(parts) + 1):
        rule = rules.last_match(b"/".join(parts[:depth]), parts[depth - 1], depth < len(parts))
        line = int(rule.label.split(":")[1].split(" ")[0]) if rule else 0
        if rule and not rule.negated:
            return line
    return line


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    ignore_files=st.dictionaries(st.sampled_from([b"", b"a", b"a/b", b"b", b"ab", b"c/a"]), contents, min_size=1),
    paths=tree_paths,
    name=st.sampled_from([b".gitignore", b".memignore"]),
)
def test_walk_keeps_what_git_would_add(
    repository: Path, ignore_files: dict[bytes, bytes], paths: list[bytes], name: bytes
) -> None:
    root = repository / "tree"
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir()
    (repository / ".gitignore").unlink(missing_ok=True)
    git(root, "init", "-q")
    for path in paths:
        _write(root, path, b"")
    for folder, content in ignore_files.items():
        _write(root, folder + b"/" + name if folder else name, content)
    exclude = ["--exclude-per-directory", os.fsdecode(name)]
    listed = git(root, "ls-files", "--others", "-z", *exclude).split(b"\0")[:-1]
    found = walk(root, language_of=lambda path: "any", respect_gitignore=True)
    assert sorted(os.fsencode(disk_name(file.path)) for file in found.files) == sorted(listed)


def _write(root: Path, path: bytes, content: bytes) -> None:
    target = Path(os.fsdecode(os.fsencode(root) + b"/" + path))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    except OSError:  # the name is a folder already, or a parent is a file
        return


def test_pattern_full_of_stars_takes_no_exponential_time() -> None:
    rules = RuleList.parse(b"*a*a*a*a*a*a*a*a*a*a*a*b\n" + b"**/a/" * 12 + b"b\n", "x")
    path = b"/".join([b"a"] * 400)
    assert rules.last_match(b"a" * 250, b"a" * 250, False) is None
    assert rules.last_match(path, b"a", False) is None


def test_letter_case_counts_only_where_the_file_system_says_so() -> None:
    content = b"Build\n*.TXT\n/Docs/x\n"
    exact, folded = RuleList.parse(content, "x"), RuleList.parse(content, "x", ignore_case=True)
    for path in (b"build", b"a.txt", b"docs/X"):
        name = path.rpartition(b"/")[2]
        assert exact.last_match(path, name, False) is None
        assert folded.last_match(path, name, False) is not None
