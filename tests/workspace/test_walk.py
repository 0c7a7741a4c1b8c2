from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path, PurePosixPath

import pytest

from tests.casekit import apply_step, build_workspace, git, load_case, write_tree
from zerikai_memory.errors import Cancelled, InputError, WorkspaceError
from zerikai_memory.model import Walk
from zerikai_memory.workspace.paths import from_disk, to_disk
from zerikai_memory.workspace.walk import walk


def language_of(path: str) -> str | None:
    return {".py": "python", ".js": "javascript", ".md": "markdown"}.get(PurePosixPath(path).suffix)


def walked(root: Path, **options: object) -> Walk:
    return walk(root, language_of=language_of, **options)  # type: ignore[arg-type]


def paths(found: Walk) -> list[str]:
    return [file.path for file in found.files]


@pytest.mark.parametrize("case_id", ["B01", "B03", "B04", "B05", "B06"])
def test_ignore_case_keeps_exactly_the_expected_files(case_id: str, tmp_path: Path) -> None:
    case = load_case(case_id)
    found = set(paths(walked(build_workspace(case, tmp_path / "ws"))))
    expected = set(case.expect["files_indexed_exactly"])
    assert expected <= found <= expected | set(case.expect.get("may_also_index", []))


@pytest.mark.parametrize("case_id", ["B01", "B03", "B04"])
@pytest.mark.parametrize("ending", [b"\n", b"\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["plain", "bom"])
def test_ignore_file_means_the_same_with_other_line_ends_and_a_mark(
    case_id: str, ending: bytes, mark: bytes, tmp_path: Path
) -> None:
    case = load_case(case_id)
    workspace = build_workspace(case, tmp_path / "ws")
    rules = workspace / ".memignore"
    rules.write_bytes(mark + rules.read_bytes().replace(b"\n", ending))
    assert paths(walked(workspace)) == sorted(case.expect["files_indexed_exactly"])


def test_case_b08_unreadable_entries_are_named_and_pipes_are_not_opened() -> None:
    case = load_case("B08")
    with tempfile.TemporaryDirectory() as folder:  # tmp_path is closed to other users, and root can read everything
        Path(folder).chmod(0o755)
        workspace = build_workspace(case, Path(folder) / "ws")
        code = (
            "import json, os, sys; from pathlib import Path; from zerikai_memory.workspace.walk import walk\n"
            "if os.getuid() == 0: os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
            "found = walk(Path(sys.argv[1]), language_of=lambda path: 'x' if path.endswith('.py') else None)\n"
            "print(json.dumps([[f.path for f in found.files], {s.path: s.reason for s in found.skipped}]))"
        )
        done = subprocess.run(
            [sys.executable, "-c", code, str(workspace)],
            capture_output=True,
            check=True,
            timeout=10 * case.expect["max_seconds"],
        )
        (workspace / "locked").chmod(0o755)
    files, skipped = json.loads(done.stdout)
    assert files == case.expect["files_indexed_exactly"]
    assert skipped == {
        "locked": "unreadable",
        "b/noread.py": "unreadable",
        "a/pipe.py": "special",
        "a/sock.py": "special",
    }


def test_case_b10_odd_names_have_utf8_text_and_open_again(tmp_path: Path) -> None:
    case = load_case("B10")
    workspace = build_workspace(case, tmp_path / "ws")
    found = paths(walked(workspace))
    json.dumps(found, ensure_ascii=False).encode("utf-8")
    texts = {to_disk(workspace, path).read_text() for path in found}
    assert {text.split("def ")[1].split("(")[0] for text in texts} == set(case.expect["entities_named"])
    assert "bad\\xffname.py" in found or any("\\x" in path for path in found)


DEFAULTS = {
    # row: what protects it
    "build/lib/a.py": "build output",
    "coverage/b.py": "coverage report",
    "web/node_modules/x/index.js": "dependencies",
    "web/app.min.js": "minified",
    "proto/shop_pb2.py": "generated",
    "my env/pyvenv.cfg": "any virtual environment",
    "my env/lib/c.py": "any virtual environment",
    "cached/CACHEDIR.TAG": "a marked cache",
    "cached/d.py": "a marked cache",
}


def test_built_in_defaults_leave_out_what_no_person_wrote(tmp_path: Path) -> None:
    write_tree(tmp_path, dict.fromkeys(DEFAULTS, "") | {"app.py": "", "vendor/ours.py": "", "out/x.py": ""})
    assert paths(walked(tmp_path)) == ["app.py", "out/x.py", "vendor/ours.py"]


@pytest.mark.parametrize(
    ("rules", "lifted"),
    [
        ("!build/", ["build/lib/a.py"]),
        ("!/build", ["build/lib/a.py"]),
        ("!node_modules", ["web/node_modules/x/index.js"]),
        ("!*.min.js", ["web/app.min.js"]),
        ("!proto/*_pb2.py", ["proto/shop_pb2.py"]),
        ("!my env/", ["my env/lib/c.py"]),
        ("!cached/", ["cached/d.py"]),
        # git's own rule: a file below an excluded folder does not come back
        ("!build/lib/a.py", []),
        # an allow-list is no wish for dependencies
        ("*\n!*/\n!*.js\n!*.py", ["proto/shop_pb2.py", "web/app.min.js"]),
    ],
)
def test_memignore_negation_lifts_a_default_with_its_content(rules: str, lifted: list[str], tmp_path: Path) -> None:
    write_tree(tmp_path, dict.fromkeys(DEFAULTS, "") | {".memignore": rules})
    assert paths(walked(tmp_path)) == lifted


def test_python_package_named_like_build_output_is_source(tmp_path: Path) -> None:
    write_tree(tmp_path, {"src/build/__init__.py": "", "src/build/env.py": "", "build/gone.py": ""})
    assert paths(walked(tmp_path)) == ["src/build/__init__.py", "src/build/env.py"]


@pytest.mark.parametrize(
    "name",
    """.env .ENV .env.local.py .envrc prod.env id_rsa id_ed25519.md id_rsa_old.md a.KEY credentials.json .npmrc
    .pypirc client_secret_1.json service-account.json x.tfstate""".split(),
)
def test_no_rule_brings_a_secret_file_back(name: str, tmp_path: Path) -> None:
    write_tree(tmp_path, {name: "token", ".env.example": "", "app.env.sample": "", ".memignore": f"!{name}\n!*\n"})
    found = paths(walk(tmp_path, language_of=lambda path: None if path.startswith(".mem") else "text"))
    assert found == [".env.example", "app.env.sample"]


def test_brain_and_version_control_are_never_entered(tmp_path: Path) -> None:
    tree = dict.fromkeys(["a.py", "memory home/b.py", "sub/.brain/c.py", ".git/d.py", "x/.hg/e.py", ".SVN/f.py"], "")
    write_tree(tmp_path, tree | {".memignore": "!*\n!.git/\n!memory home/\n!.brain\n"})
    assert paths(walked(tmp_path, brain=tmp_path / "memory home")) == ["a.py"]


def test_memignore_outranks_gitignore_and_the_setting_switches_gitignore_off(tmp_path: Path) -> None:
    tree = {"gen/a.py": "", "keep.py": "", "sub/b.py": "", "sub/c.py": ""}
    tree |= {".memignore": "!gen/\n", ".gitignore": "gen/\nkeep.py\n", "sub/.gitignore": "*.py\n!c.py\n"}
    write_tree(tmp_path, tree)
    assert paths(walked(tmp_path)) == ["gen/a.py", "sub/c.py"]
    assert paths(walked(tmp_path, respect_gitignore=False)) == ["gen/a.py", "keep.py", "sub/b.py", "sub/c.py"]


def test_rules_of_the_repository_around_the_workspace_hold_in_it(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    tree = {
        ".gitignore": "*.gen.py\n/pkg/only/\n",
        ".git/info/exclude": "private.py\n",
        "pkg/.gitignore": "!b.gen.py\n",
    }
    files = ["a.py", "a.gen.py", "b.gen.py", "private.py", "only/c.py"]
    write_tree(tmp_path, tree | {f"pkg/{name}": "" for name in files})
    assert paths(walked(tmp_path / "pkg")) == ["a.py", "b.gen.py"]


def test_outer_repository_that_ignores_the_workspace_itself_says_nothing_about_it(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    write_tree(tmp_path, {".gitignore": "*\n", "project/a.py": "", "project/src/b.py": ""})
    assert paths(walked(tmp_path / "project")) == ["a.py", "src/b.py"]


def test_exclude_file_of_a_worktree_is_that_of_its_repository(tmp_path: Path) -> None:
    case = load_case("B11")
    workspace = build_workspace(case, tmp_path / "ws")
    (workspace / ".git" / "info").mkdir(exist_ok=True)
    (workspace / ".git" / "info" / "exclude").write_text("local.py\n")
    write_tree(tmp_path / "wt", {"local.py": "", "new.py": ""})
    assert paths(walked(tmp_path / "wt")) == ["new.py", "src/one.py"]


def test_links_are_named_and_not_followed_and_loops_end(tmp_path: Path) -> None:
    write_tree(tmp_path, {"ws/src/a.py": "", "outside/secret.py": "", "ws/notes.txt": ""})
    for name, target in {
        "loop": "..",
        "self": "self",
        "out": "../outside",
        "out.py": "../outside/secret.py",
        "in.py": "src/a.py",
        "dead.py": "nowhere.py",
        "quiet.txt": "notes.txt",
    }.items():
        (tmp_path / "ws" / name).symlink_to(target)
    found = walked(tmp_path / "ws")
    assert paths(found) == ["src/a.py"]
    named = {skip.path for skip in found.skipped if skip.reason == "symlink"}
    assert named == {"loop", "out", "out.py", "in.py", "dead.py"}


def test_workspace_given_by_a_link_is_walked(tmp_path: Path) -> None:
    write_tree(tmp_path / "ws", {"a.py": ""})
    (tmp_path / "link").symlink_to("ws")
    assert paths(walked(tmp_path / "link")) == ["a.py"]


def test_large_files_are_named_unless_memignore_asks_for_them(tmp_path: Path) -> None:
    write_tree(
        tmp_path, {"big.py": "x" * 101, "fits.py": "x" * 100, "wanted.py": "x" * 500, ".memignore": "!wanted.py"}
    )
    found = walked(tmp_path, max_file_bytes=100)
    assert paths(found) == ["fits.py", "wanted.py"]
    assert [(skip.path, skip.reason) for skip in found.skipped] == [("big.py", "too_large")]


def test_walk_without_files_names_the_rule_that_left_out_most(tmp_path: Path) -> None:
    tree = {f"src/m{n}.py": "" for n in range(9)} | {f"one{n}.py": "" for n in range(4)}
    write_tree(tmp_path, tree | {".memignore": "one*.py\n/src/\n"})
    found = walked(tmp_path)
    assert not found.files
    assert next(iter(found.excluded_by.items())) == (".memignore:2 /src/", 10)


def test_files_of_other_types_are_counted_not_listed(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a.rs": "", "b.rs": "", "c.RS": "", "LICENSE": "", "d.py": ""})
    found = walked(tmp_path)
    assert (found.other_types, found.skipped) == ({".rs": 3, "(no suffix)": 1}, ())


def test_files_come_sorted_with_their_size_and_time(tmp_path: Path) -> None:
    write_tree(tmp_path, {"b.py": "12345", "a/z.py": "", "a.py": "", "B.py": ""})
    found = walked(tmp_path)
    assert paths(found) == ["B.py", "a.py", "a/z.py", "b.py"]
    assert found.files[3].size == 5
    assert found.files[3].mtime_ns == (tmp_path / "b.py").stat().st_mtime_ns


def test_very_deep_folders_do_not_stop_the_walk(tmp_path: Path) -> None:
    write_tree(tmp_path, {"/".join(["d"] * 300) + "/deep.py" if n else "a.py": "" for n in range(2)})
    assert len(paths(walked(tmp_path))) == 2


def test_cancel_stops_the_walk(tmp_path: Path) -> None:
    with pytest.raises(Cancelled):
        walked(tmp_path, cancelled=lambda: True)


def test_root_that_cannot_be_listed_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match="cannot be listed"):
        walked(tmp_path / "nowhere")


def test_four_thousand_files_are_listed_in_half_a_second(tmp_path: Path) -> None:
    for folder in range(80):
        (tmp_path / f"p{folder}").mkdir()
        for number in range(50):
            (tmp_path / f"p{folder}" / f"m{number}.py").touch()
    write_tree(tmp_path, {".gitignore": "".join(f"*.o{n}\n/a{n}/*.x\nn{n}\n" for n in range(60))})
    started = time.process_time()
    assert len(walked(tmp_path).files) == 4000
    assert time.process_time() - started < 0.5


@pytest.mark.parametrize("path", ["../x.py", "/etc/passwd", "a/../../b", "", "a\0b", "a/\\x2e./..", "."])
def test_stored_path_never_leads_out_of_the_workspace(path: str, tmp_path: Path) -> None:
    with pytest.raises(InputError):
        to_disk(tmp_path, path)


def test_case_step_runs_twice_without_harm(tmp_path: Path) -> None:
    for _ in range(2):
        apply_step({"op": "write", "path": "a/b.py", "text": "x"}, tmp_path)
    assert (tmp_path / "a/b.py").read_text() == "x"
    assert from_disk(os.fsdecode(b"a\xff")) == "a\\xff"
