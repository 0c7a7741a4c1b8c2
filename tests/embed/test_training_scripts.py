"""The opt-in training scripts: they compile, explain themselves, and evaluate without torch."""

import importlib.util
import json
import py_compile
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts" / "train_embedding"
TABLE = Path(__file__).parents[2] / "zerikai_memory" / "embed" / "data" / "code_static.npz"


@pytest.mark.parametrize("script", sorted(SCRIPTS.glob("*.py")), ids=lambda path: path.name)
def test_the_script_compiles(script, tmp_path):
    assert py_compile.compile(str(script), cfile=str(tmp_path / "out.pyc"), doraise=True)


@pytest.mark.parametrize("name", ["extract", "sentences", "export_mpnet", "teacher", "evaluate", "validate", "train"])
def test_the_script_explains_itself(name):
    if name == "train" and importlib.util.find_spec("torch") is None:
        pytest.skip("torch is not installed: it is needed for training alone")
    done = subprocess.run([sys.executable, SCRIPTS / f"{name}.py", "--help"], capture_output=True, text=True)
    assert done.returncode == 0
    assert "usage" in done.stdout


def test_the_held_out_evaluation_scores_a_table(tmp_path):
    def record(name, doc, body):
        code = {"qual": name, "sig": f"def {name}(self, value)", "body": body}
        return {"pkg": "flask", "path": "flask/app.py", "kind": "function", "first": doc, "doc": doc, **code}

    rows = [
        record("Flask.make_response", "Convert the return value from a view to a response.", "x = 1\n" * 9),
        record("Flask.url_for", "Build an address for the given endpoint name.", "y = 2\n" * 9),
        record("Config.from_envvar", "Load a configuration from a variable of the environment.", "z = 3\n" * 9),
    ]
    records = tmp_path / "records.jsonl"
    records.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, SCRIPTS / "evaluate.py", records, TABLE], capture_output=True, text=True, check=True
    )
    lines = done.stdout.splitlines()
    assert lines[0] == "{'flask': (3, 3, 3)}"
    assert [line.split()[0] for line in lines[1:]] == ["A"] * 3 + ["B"] * 3 + ["C"] * 3
    assert all("MRR@10 " in line for line in lines[1:])


def test_sentences_are_those_of_docstrings_or_of_common_words_in_wordnet(tmp_path):
    def made(*arguments):
        out = tmp_path / "out.json"
        subprocess.run([sys.executable, SCRIPTS / "sentences.py", out, *arguments], check=True, capture_output=True)
        return json.loads(out.read_text(encoding="utf-8"))

    records = tmp_path / "records.jsonl"
    rows = ["Keep what was read until the end.", "Too short.", "Keep what was read until the end."]
    records.write_text("".join(json.dumps({"pkg": "a", "first": row}) + "\n" for row in rows), encoding="utf-8")
    assert made(records) == ["Keep what was read until the end."]

    (tmp_path / "common.txt").write_text("letter\n", encoding="utf-8")
    for part, lines in {
        "noun": "  1 licence text\n"
        '01 10 n 02 letter 0 missive 0 000 | a written message; "she mailed a long letter" \n'
        "02 10 n 01 Letterman 0 000 | a person \n"
        "03 10 n 01 axolotl 0 000 | an animal \n",
        "verb": "",
        "adj": "",
        "adv": "",
    }.items():
        (tmp_path / f"data.{part}").write_text(lines, encoding="latin-1")
    found = made("--wordnet", tmp_path, "--common", tmp_path / "common.txt")
    assert sorted(found) == ["letter, missive: a written message", "she mailed a long letter"]
