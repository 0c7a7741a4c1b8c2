"""The command line over the real memory."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from zerikai_memory.cli import main

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def project(tmp_path, monkeypatch):
    root = tmp_path / "shop"
    root.mkdir()
    (root / "pyproject.toml").write_text('[project]\nname = "shop"\n', encoding="utf-8")
    (root / "cart.py").write_text(
        'class Cart:\n    def add_item(self, item):\n        """Put an item into the cart."""\n        return item\n',
        encoding="utf-8",
    )
    monkeypatch.setenv("ZERIKAI_HOME", str(tmp_path / "brain"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("ZERIKAI_WORKSPACE", raising=False)
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def run(capsys):
    def run_command(*argv):
        status = main(argv)
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run_command


def test_scan_query_entities_and_notes(run, project):
    status, out, err = run("scan")
    assert (status, err) == (0, "")
    assert "Scan of shop" in out

    answer = json.loads(run("query", "put an item into the cart", "--json")[1])
    assert answer["results"][0]["qualified_name"] == "Cart.add_item"
    assert "Cart.add_item #cart.py:2 (" in run("query", "put an item into the cart")[1]

    records = json.loads(run("entities", ".", "--file", "cart.py", "--json")[1])
    method = next(record for record in records if record["name"] == "add_item")
    assert method["parent"] == "Cart"
    assert method["docstring"] == "Put an item into the cart."
    assert (method["start_line"], method["end_line"], method["language"]) == (2, 4, "python")

    note = json.loads(run("save", "-w", "shop", "Carts expire after an hour.", "--json")[1])
    assert f"note:{note['id']}" in run("query", "when do carts expire?")[1]
    (info,) = json.loads(run("workspace", "list", "--json")[1])
    assert (info["name"], info["notes"], info["exists"]) == ("shop", 1, True)
    assert run("doctor")[0] == 0


def test_a_second_scan_changes_nothing(run, project):
    run("scan", ".")
    report = json.loads(run("scan", str(project), "--json")[1])
    counts = report["counts"]
    assert (counts["added"], counts["changed"], counts["removed"], counts["embedded"]) == (0, 0, 0, 0)


def test_a_dry_run_writes_nothing(run, project, tmp_path):
    status, out, _ = run("scan", "--dry-run")
    assert status == 0
    assert "+ cart.py" in out
    assert json.loads(run("workspace", "list", "--json")[1]) == []


def test_the_brief_is_replaced_from_a_file(run, project):
    run("scan")
    assert "## Overview" in run("brief", "show")[1]
    (project / "B.md").write_text("# By hand\n", encoding="utf-8")
    assert run("brief", "set", "B.md")[0] == 0
    assert "# By hand" in run("brief", "show")[1]
    assert run("brief", "regenerate")[0] == 0
    assert "# By hand" not in run("brief", "show")[1]


@pytest.mark.parametrize(
    "argv",
    [
        ["scan", "no/such/folder"],
        ["scan", "cart.py"],
        ["scan", "/"],
        ["scan", "{home}"],
        ["scan", "bad\0path"],
        ["query", "cart", "-w", "nobody"],
        ["query", " "],
        ["entities", "nobody"],
        ["entities", "--file", "nope.py"],
        ["save", "-w", "nobody", "text"],
        ["save", " "],
        ["brief", "show", "-w", "nobody"],
        ["workspace", "drop", "nobody", "--yes"],
    ],
)
def test_a_refusal_is_one_line_and_status_1(run, project, tmp_path, argv):
    run("scan")
    status, out, err = run(*[word.format(home=tmp_path) for word in argv])
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert "unexpected" not in err


def test_a_brain_that_cannot_be_written_is_one_line(run, project, monkeypatch):
    monkeypatch.setenv("ZERIKAI_HOME", "/dev/null/brain")
    status, _, err = run("scan")
    assert status == 1
    assert "unexpected" not in err
    assert "/dev/null/brain" in err


def drop(tmp_path, *argv):
    env = os.environ | {"ZERIKAI_HOME": str(tmp_path / "brain")}
    command = [sys.executable, str(ROOT / "scripts" / "drop_memory.py"), *argv]
    return subprocess.run(command, capture_output=True, text=True, env=env, stdin=subprocess.DEVNULL, check=False)


def test_drop_memory_removes_one_project_and_keeps_its_notes(run, project, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.py").write_text("def a():\n    return 1\n", encoding="utf-8")
    run("scan", str(other))
    run("scan", str(project))
    run("save", "-w", "shop", "Carts expire.")
    refused = drop(tmp_path, "shop")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "--yes" in refused.stderr
    done = drop(tmp_path, "shop", "--yes")
    assert done.returncode == 0
    assert "Kept as recorded data: 1 note, " in done.stdout
    names = [info["name"] for info in json.loads(run("workspace", "list", "--json")[1])]
    assert names == ["other"]
    assert json.loads(run("query", "a", "-w", "other", "--json")[1])["results"]
    assert (project / "cart.py").exists()

    run("scan", str(project))  # the notes are there again
    assert "Carts expire." in run("query", "carts expire", "-w", "shop")[1]
    assert drop(tmp_path, str(project), "--yes", "--all").returncode == 0
    run("scan", str(project))
    assert "Carts expire." not in run("query", "carts expire", "-w", "shop")[1]
    assert drop(tmp_path, "nobody", "--yes").returncode == 1


def test_undo_and_snapshots(run, project):
    run("scan")
    (project / "cart.py").write_text("def checkout():\n    return 1\n", encoding="utf-8")
    run("scan")
    assert "a scan" in run("workspace", "snapshots")[1]
    assert json.loads(run("workspace", "snapshots", "--json")[1])[0]["files"] == 1
    assert "checkout" in run("entities")[1]
    report = json.loads(run("undo", "--json")[1])
    assert (report["workspace"], report["restored"]["number"]) == ("shop", 1)
    assert "Cart.add_item" in run("entities")[1]
    status, _, err = run("undo", "--to", "9")
    assert (status, "snapshots 1 to 2" in err) == (1, True)
    assert run("undo", "--to", "zero")[0] == 2


def test_move_merge_and_backups(run, project, tmp_path, monkeypatch):
    run("scan")
    run("save", "Prices are in cents.")
    monkeypatch.chdir(tmp_path)
    moved = project.rename(tmp_path / "store")
    status, _, err = run("query", "cart", "-w", str(moved))
    assert (status, "zerikai-memory workspace move" in err) == (1, True)
    assert "called store" in run("workspace", "move", str(project), str(moved))[1]
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "a.py").write_text("def a():\n    return 1\n", encoding="utf-8")
    run("scan", str(tmp_path / "other"))
    assert "This gives 1 notes" in run("workspace", "merge", "store", "other", "--dry-run")[1]
    status, _, err = run("workspace", "merge", "store", "other")
    assert (status, "no terminal to ask on" in err) == (1, True)
    assert json.loads(run("workspace", "merge", "store", "other", "--yes", "--json")[1])["notes"] == 1
    assert [w["name"] for w in json.loads(run("workspace", "list", "--json")[1])] == ["other"]
    names = [backup["name"] for backup in json.loads(run("backup", "list", "--json")[1])]
    (before_merge,) = [name for name in names if "before-merge" in name]
    assert f"Restored {before_merge}" in run("backup", "restore", before_merge, "--yes")[1]
    assert [w["name"] for w in json.loads(run("workspace", "list", "--json")[1])] == ["other", "store"]


def test_doctor_repair(run, project, tmp_path):
    run("scan")
    (index,) = (tmp_path / "brain" / "index").glob("*.db")
    index.write_bytes(b"")
    status, out, _ = run("doctor")
    assert (status, "the file is empty" in out) == (1, True)
    status, out, _ = run("doctor", "--repair")
    assert (status, "was scanned again" in out) == (0, True)
    assert "Cart.add_item" in run("entities")[1]
