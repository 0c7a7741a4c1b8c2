"""A map beside its index: made on use, kept up, gone with the workspace, safe beside other processes."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.casekit import write_tree
from zerikai_memory.app import Memory
from zerikai_memory.codemap.maps import CodeMaps
from zerikai_memory.errors import InputError
from zerikai_memory.model_map import CodeGraph
from zerikai_memory.workspace.commit import repo_commit

TREE = {"a.py": "def f():\n    pass\n", "b.py": "from a import f\n\ndef g():\n    f()\n"}


def maps_of(memory: Memory) -> CodeMaps:
    """Maps as another process has them: nothing in memory yet."""
    return CodeMaps(memory._brain.index, memory._brain.map)


def callers(graph: CodeGraph, name: str) -> list[tuple[str, int]]:
    found = []
    for entity in graph.entities():
        if entity.name == name:
            found += [(edge.file_path, edge.line) for edge in graph.to_entity(entity.id) if edge.kind == "call"]
    return found


def graph_of(memory: Memory, workspace: Path) -> CodeGraph:
    return maps_of(memory).graph(memory.resolve(str(workspace)))


def test_inbound_edges_stay_when_only_the_callee_s_file_changes(memory: Memory, workspace: Path) -> None:
    write_tree(workspace, TREE)
    memory.scan(str(workspace))
    (workspace / "a.py").write_text('\n\ndef f():\n    """Now documented."""\n')
    memory.scan(str(workspace))
    assert callers(graph_of(memory, workspace), "f") == [("b.py", 4)]


def test_a_renamed_or_deleted_target_leaves_no_ghost_edge(memory: Memory, workspace: Path) -> None:
    write_tree(workspace, TREE)
    memory.scan(str(workspace))
    (workspace / "a.py").rename(workspace / "c.py")
    memory.scan(str(workspace))
    graph = graph_of(memory, workspace)
    assert callers(graph, "f") == []
    assert {edge.evidence for e in graph.entities() for edge in graph.from_entity(e.id)} == {"external"}
    (workspace / "c.py").rename(workspace / "a.py")
    memory.scan(str(workspace))
    assert callers(graph_of(memory, workspace), "f") == [("b.py", 4)]


def test_a_map_that_is_missing_or_damaged_is_made_on_use(memory: Memory, workspace: Path, home: Path) -> None:
    write_tree(workspace, TREE)
    memory.scan(str(workspace))
    (path,) = (home / "maps").glob("*.db")
    for harm in (lambda: path.unlink(), lambda: path.write_bytes(b"no database at all" * 300)):
        memory._brain.map(memory.resolve(str(workspace)).id).close()
        for file in (home / "maps").glob("*-*"):
            if file.name.endswith(("-wal", "-shm")):
                file.unlink()
        harm()
        assert callers(graph_of(memory, workspace), "f") == [("b.py", 4)]


def test_undo_drop_and_move_take_the_map_along(memory: Memory, workspace: Path, home: Path, tmp_path: Path) -> None:
    write_tree(workspace, TREE)
    memory.scan(str(workspace))
    (workspace / "b.py").write_text("def g():\n    pass\n")
    memory.scan(str(workspace))
    assert callers(graph_of(memory, workspace), "f") == []
    memory.upkeep.undo(memory.resolve(str(workspace)))
    assert callers(graph_of(memory, workspace), "f") == [("b.py", 4)]
    moved = tmp_path / "moved"
    workspace.rename(moved)
    memory.upkeep.move(str(workspace), str(moved))
    assert callers(graph_of(memory, moved), "f") == [("b.py", 4)]
    assert len(list((home / "maps").glob("*.db"))) == 1
    memory.drop(str(moved))
    assert not list((home / "maps").glob("*.db*"))


def test_a_workspace_without_an_index_has_no_map_and_says_so(memory: Memory, workspace: Path) -> None:
    with pytest.raises(InputError, match="no index yet"):
        graph_of(memory, workspace)


def test_the_map_of_an_unchanged_index_is_loaded_once(memory: Memory, workspace: Path) -> None:
    write_tree(workspace, TREE)
    memory.scan(str(workspace))
    maps, target = maps_of(memory), memory.resolve(str(workspace))
    assert maps.graph(target) is maps.graph(target)
    (workspace / "b.py").write_text("def g():\n    pass\n")
    memory.scan(str(workspace))
    assert callers(maps.graph(target), "f") == []


UPDATE = """
import sys
from zerikai_memory.codemap.maps import CodeMaps
from zerikai_memory.model import Workspace
from zerikai_memory.store.brain import Brain
from pathlib import Path
brain = Brain(Path(sys.argv[1]))
maps = CodeMaps(brain.index, brain.map)
print("ready", flush=True)
while True:
    brain.map(sys.argv[2]).remove()
    maps.update(Workspace(sys.argv[2], "project", sys.argv[3]))
"""


def test_a_kill_while_the_map_is_written_leaves_a_whole_map(memory: Memory, workspace: Path, home: Path) -> None:
    write_tree(workspace, {**TREE, **{f"m{i}.py": TREE["b.py"] for i in range(40)}})
    memory.scan(str(workspace))
    target = memory.resolve(str(workspace))
    whole = sorted(callers(graph_of(memory, workspace), "f"))
    for delay in (0.0, 0.03, 0.08):
        process = subprocess.Popen(
            [sys.executable, "-c", UPDATE, str(home), target.id, target.path], stdout=subprocess.PIPE
        )
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(delay)
        process.kill()
        process.communicate()
        assert sorted(callers(graph_of(memory, workspace), "f")) == whole


def test_the_commit_of_a_checkout_is_read_without_git(tmp_path: Path) -> None:
    assert repo_commit(tmp_path) is None
    commit = "0123456789abcdef0123456789abcdef01234567"
    git = tmp_path / ".git"
    write_tree(tmp_path, {".git/HEAD": "ref: refs/heads/main\n"})
    assert repo_commit(tmp_path) is None  # before the first commit
    write_tree(git, {"packed-refs": f"# pack-refs\n{commit} refs/heads/main\n"})
    assert repo_commit(tmp_path / "below" / "it") == commit
    write_tree(git, {"refs/heads/main": commit.replace("0", "f") + "\n"})
    assert repo_commit(tmp_path) == commit.replace("0", "f")
    write_tree(tmp_path, {"linked/.git": "gitdir: ../.git/worktrees/linked\n"})
    write_tree(git, {"worktrees/linked/HEAD": "ref: refs/heads/main\n", "worktrees/linked/commondir": "../..\n"})
    assert repo_commit(tmp_path / "linked") == commit.replace("0", "f")
    (git / "HEAD").write_text(commit)
    assert repo_commit(tmp_path) == commit


def test_impact_names_tests_that_reach_the_file_by_imports_alone_apart(memory: Memory, workspace: Path) -> None:
    write_tree(
        workspace,
        {
            "shop.py": "TABLE = {}\n\ndef price():\n    pass\n",
            "app.py": "import shop\n\ndef run(name):\n    shop.TABLE[name]()\n",
            "tests/test_app.py": "import app\n\ndef test_run():\n    app.run('price')\n",
            "tests/test_price.py": "from shop import price\n\ndef test_price():\n    price()\n",
        },
    )
    memory.scan(str(workspace))
    parts = memory.mapping.view("impact", "price", str(workspace)).parts
    named = {part.title: [row.name for row in part.rows] for part in parts}
    assert named["tests to run"] == ["test_price"]
    assert named["tests that import it"] == ["tests/test_price.py", "tests/test_app.py"]
