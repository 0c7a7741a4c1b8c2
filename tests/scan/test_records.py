"""What a scan records of registrations, notes, secrets and broken files, seen from the index and from a question."""

from __future__ import annotations

import json
import sqlite3
import zlib
from pathlib import Path

import pytest

from zerikai_memory.app import Memory

# Made up for this test, in pieces so that no scanner takes this file for a leak.
KEY = "AKIA" + "Q3EGRZ7MNOPLKJHG"
PASSWORD = "hunter2" + "correcthorse9"
TOKEN = "ghp_" + "a1B2c3D4" * 5
PLANTED = {
    "settings.py": f'''"""Connects with password: {PASSWORD}."""

AWS_ACCESS_KEY_ID = "{KEY}"
DB_PASSWORD = "{PASSWORD}"


@connect(token="{TOKEN}")
def login(user: str, password: str = "{PASSWORD}") -> str:
    # password = {PASSWORD}
    return send("postgres://app:{PASSWORD}@db/shop", user)
''',
    "client.js": f"const apiKey = '{TOKEN}';\n/** Bearer {TOKEN} */\nexport function call() {{ return '{KEY}'; }}\n",
    "README.md": f"# Set up\n\nexport DB_PASSWORD={PASSWORD}\n",
    "page.html": f"<form id=login data-token='{TOKEN}'><script>const key = '{KEY}';</script></form>\n",
}


def write(workspace: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (workspace / name).write_text(text, "utf-8")


def test_a_planted_secret_reaches_no_byte_of_the_brain_and_no_answer(
    memory: Memory, workspace: Path, home: Path
) -> None:
    write(workspace, PLANTED)
    memory.scan(str(workspace))
    secrets = (KEY, PASSWORD, TOKEN)
    for path in home.rglob("*"):
        if path.is_file():
            data = path.read_bytes().lower()
            assert not [secret for secret in secrets if secret.lower().encode() in data], path
    for path in (home / "index").glob("*.db"):
        connection = sqlite3.connect(path)
        rows = [json.loads(zlib.decompress(row[0])) for row in connection.execute("SELECT search_rows FROM files")]
        connection.close()
        assert "login" in str(rows)
        assert not [secret for secret in secrets if secret.lower() in str(rows)]
    answer = memory.query("login with the password of the database", str(workspace))
    assert "login" in str(answer.results)
    assert not [secret for secret in secrets if secret in str(answer)]


def test_code_around_a_secret_is_found_on_its_line(memory: Memory, workspace: Path) -> None:
    write(workspace, PLANTED)
    memory.scan(str(workspace))
    lines = {e.qualified_name: e.start_line for e in memory.entities(str(workspace)) if e.file_path == "settings.py"}
    assert lines["DB_PASSWORD"] == 4
    assert lines["login"] == 8


ROUTES = {
    "views.py": """@router.get("/users/{id}")
async def fetch_one(id): ...


@cache(60)
def rates(): ...


def unrelated(): ...
""",
    "server.js": """import express from 'express';
const app = express();

app.post('/users', (req, res) => {
  // TODO: limit the retries of the mailer
  mailer.send(req.body);
});
""",
}


@pytest.mark.parametrize(
    ("question", "place"),
    [
        ("routes under /users", ("views.py", 2)),
        ("routes under /users", ("server.js", 4)),
        ("which functions are cached", ("views.py", 6)),
        ("todo retries", ("server.js", 5)),
    ],
)
def test_a_question_about_what_code_is_for_cites_the_exact_line(
    question: str, place: tuple[str, int], memory: Memory, workspace: Path
) -> None:
    write(workspace, ROUTES)
    memory.scan(str(workspace))
    assert place in {(hit.file_path, hit.start_line) for hit in memory.query(question, str(workspace)).results}


def test_a_file_broken_between_two_scans_keeps_what_is_still_in_it(memory: Memory, workspace: Path) -> None:
    good = 'def first():\n    """One."""\n\n\ndef second():\n    return 2\n'
    write(workspace, {"a.py": good})
    memory.scan(str(workspace))
    write(workspace, {"a.py": "x = 1\n" + good.replace('One."""', "One.")})
    report = memory.scan(str(workspace))
    assert report.partial == ("a.py",)
    (hit, *_) = memory.query("second", str(workspace)).results
    assert (hit.qualified_name, hit.start_line, hit.state) == ("second", 6, "fresh")
