from __future__ import annotations

import os
import uuid
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.casekit import build_workspace, load_case
from zerikai_memory.errors import WorkspaceError
from zerikai_memory.model import Workspace
from zerikai_memory.workspace.identity import (
    canonical_path,
    check_root,
    choose_workspace,
    display_name,
    find_workspace,
    looks_like_project,
    new_workspace,
    require_known,
    workspace_id,
    workspace_root,
)
from zerikai_memory.workspace.paths import disk_name, from_disk


def registered(*folders: Path) -> list[Workspace]:
    known: list[Workspace] = []
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
        known.append(new_workspace(canonical_path(folder, folder), known))
    return known


def test_case_b11_spellings_of_one_project_share_an_id_and_others_do_not(tmp_path: Path) -> None:
    case = load_case("B11")
    workspace = build_workspace(case, tmp_path / "ws")
    known = registered(workspace, tmp_path / "wt", tmp_path / "elsewhere" / "ws")
    places = {
        "ws": str(workspace),
        "link_to_ws": str(tmp_path / "link_to_ws"),
        "worktree_of_ws": str(tmp_path / "wt"),
        "elsewhere": str(tmp_path / "elsewhere"),
    }
    for spelling in case.expect["same_id"]:
        text = spelling.removeprefix("(cwd={ws}) ").format(**places)
        assert find_workspace(text, known, workspace) == known[0], spelling
    for spelling in case.expect["different_id"]:
        text = spelling.format(**places).replace("same_base_name", "ws")
        assert find_workspace(text, known, workspace) in known[1:], spelling
    with pytest.raises(WorkspaceError) as caught:
        find_workspace("ws", known, tmp_path)
    assert known[0].path in str(caught.value)
    assert known[2].path in str(caught.value)


def test_id_is_a_uuid5_of_the_canonical_path_and_stays_the_same(tmp_path: Path) -> None:
    assert uuid.UUID(workspace_id(Path("/srv/bakery"))).version == 5
    assert workspace_id(Path("/srv/bakery")) == "e14cf63b-cca8-5cd8-8323-aa776d0c1517"
    assert workspace_id(Path("/srv/bakery")) != workspace_id(Path("/srv/Bakery"))


@pytest.mark.parametrize(
    "spelling",
    ["app", "APP", "{id}", "{ID}", "{id8}", "{hex12}", "{path}", "{path}/", "{path}/../app", "./app", "link", "~/app"],
)
def test_workspace_is_found_by_any_spelling(spelling: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    known = registered(tmp_path / "other", tmp_path / "app")
    (tmp_path / "link").symlink_to("app")
    app = known[1]
    text = spelling.format(
        id=app.id, ID=app.id.upper(), id8=app.id[:8], hex12=app.id.replace("-", "")[:12], path=app.path
    )
    assert find_workspace(text, known, tmp_path) == app


@pytest.mark.parametrize(
    "text", ["nothing", "{id7}", "", "/", "x" * 100_000, "a\0b", "~nobody-of-this-name/x", "'; --"]
)
def test_unknown_text_finds_nothing(text: str, tmp_path: Path) -> None:
    known = registered(tmp_path / "app")
    assert find_workspace(text.format(id7=known[0].id[:7]), known, tmp_path) is None


def test_workspace_whose_folder_is_gone_is_still_found(tmp_path: Path) -> None:
    known = registered(tmp_path / "app")
    (tmp_path / "app").rmdir()
    assert find_workspace(str(tmp_path / "app"), known, tmp_path) == known[0]
    assert find_workspace("app", known, tmp_path) == known[0]


def test_name_of_a_workspace_wins_over_a_folder_of_that_name_here(tmp_path: Path) -> None:
    known = registered(tmp_path / "far" / "api", tmp_path / "here" / "web")
    (tmp_path / "here" / "api").mkdir()
    assert find_workspace("api", known, tmp_path / "here") == known[0]
    assert find_workspace("./api", known, tmp_path / "here") is None


@pytest.mark.parametrize(
    ("path", "taken", "name"),
    [
        ("/srv/shop/api", [], "api"),
        ("/srv/shop/api", ["API"], "api@shop"),
        ("/srv/shop/api", ["api", "api@shop"], "api@srv.shop"),
        ("/api", ["api"], "api-2"),
        ("/api", ["api", "api-2"], "api-3"),
        ("/srv/two\nlines", [], "two_lines"),
        (os.fsdecode(b"/srv/bad\xff"), [], "bad\\xff"),
    ],
)
def test_display_name_is_the_folder_name_made_unique(path: str, taken: list[str], name: str) -> None:
    assert display_name(Path(path), taken) == name


def test_refused_roots_say_why(tmp_path: Path) -> None:
    home, brain = tmp_path / "home", tmp_path / "data" / "brain"
    for folder in (home, brain / "index", tmp_path / "p" / ".brain"):
        folder.mkdir(parents=True)
    file = tmp_path / "file.py"
    file.touch()
    refused = {
        Path("/"): "whole drive",
        home: "home folder",
        brain: "inside the brain",
        brain / "index": "inside the brain",
        tmp_path / "p" / ".brain": "inside the brain",
        file: "is a file",
        tmp_path / "missing": "no folder",
    }
    for path, words in refused.items():
        with pytest.raises(WorkspaceError, match=words):
            check_root(path, home, brain)
    check_root(tmp_path / "p", home, brain)
    check_root(tmp_path / "data", home, brain)


def choose(argument: str | None, known: Sequence[Workspace], cwd: Path, **options: object) -> Workspace:
    return choose_workspace(argument, known, cwd=cwd, home=cwd.parent / "home", **options)  # type: ignore[arg-type]


def test_default_order_is_argument_setting_roots_working_folder(tmp_path: Path) -> None:
    one, two, three, four = known = registered(*(tmp_path / name for name in ("one", "two", "th ree", "four")))
    roots = ["https://example.org/x", f"file://{tmp_path}/th%20ree"]
    cwd = tmp_path / "four"
    assert choose("one", known, cwd, setting="two", roots=roots) == one
    assert choose(None, known, cwd, setting="two", roots=roots) == two
    assert choose("  ", known, cwd, setting="", roots=roots) == three
    assert choose(None, known, cwd) == four
    assert choose(None, known, cwd, roots=["file://otherhost/x"]) == four


def test_working_folder_inside_a_workspace_means_that_workspace(tmp_path: Path) -> None:
    known = registered(tmp_path / "app")
    (tmp_path / "app" / "src" / "deep").mkdir(parents=True)
    assert choose(None, known, tmp_path / "app" / "src" / "deep") == known[0]


def test_repository_inside_a_workspace_is_its_own_project(tmp_path: Path) -> None:
    known = registered(tmp_path / "app")
    worktree = tmp_path / "app" / "worktrees" / "fix"
    worktree.mkdir(parents=True)
    (worktree / ".git").write_text("gitdir: elsewhere")
    assert choose(None, known, worktree).path == str(worktree)


def test_new_project_folder_gets_an_unregistered_value(tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    with pytest.raises(WorkspaceError, match="Which workspace"):
        choose(None, [], tmp_path / "new")
    (tmp_path / "new" / "pyproject.toml").touch()
    found = choose(None, [], tmp_path / "new")
    assert found == choose(str(tmp_path / "new"), [], tmp_path)
    with pytest.raises(WorkspaceError, match="not indexed yet"):
        require_known(found, [])
    assert require_known(found, [found]) == found


def test_unknown_workspace_is_told_with_the_known_ones(tmp_path: Path) -> None:
    known = registered(tmp_path / "app", tmp_path / "web")
    for argument in ("shop", str(tmp_path / "shop"), "file:///nowhere"):
        with pytest.raises(WorkspaceError, match=r"'app'.*'web'"):
            choose(argument, known, tmp_path)
    with pytest.raises(WorkspaceError, match="ZERIKAI_WORKSPACE"):
        choose(None, known, tmp_path, setting="shop")


def test_home_and_root_are_no_projects_whatever_they_hold(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    assert looks_like_project(tmp_path, tmp_path / "home")
    assert not looks_like_project(tmp_path, tmp_path)
    assert not looks_like_project(Path("/"), tmp_path)


def test_workspace_path_with_bytes_that_are_not_utf8_opens_again(tmp_path: Path) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/pro\xffject"))
    known = registered(folder)
    known[0].path.encode("utf-8")
    assert workspace_root(known[0]).is_dir()


def test_percent_escapes_of_a_root_may_hide_any_bytes(tmp_path: Path) -> None:
    known = registered(Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff#?%")))
    assert choose(None, known, tmp_path, roots=[f"file://{tmp_path}/%ff%23%3F%25"]) == known[0]


names = st.binary(min_size=1, max_size=30).filter(lambda raw: b"\0" not in raw and b"/" not in raw)
tricky = st.lists(st.sampled_from(["\\", "x", "5", "c", "f", "8", "\udcff", "\udc80", "é", "\n"]), min_size=1).map(
    "".join
)


@given(st.one_of(names.map(os.fsdecode), tricky.filter(lambda text: os.fsdecode(os.fsencode(text)) == text)))
def test_stored_name_is_valid_text_and_comes_back_as_the_same_bytes(name: str) -> None:
    stored = from_disk(name)
    stored.encode("utf-8")
    assert disk_name(stored) == name
