"""What the README shows can be used as it is."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SNIPPETS = [json.loads(text) for text in re.findall(r"```json\n(.*?)```", README, re.DOTALL)]


@pytest.mark.parametrize("snippet", SNIPPETS, ids=lambda snippet: next(iter(snippet)))
def test_a_client_snippet_starts_our_command_by_absolute_path_on_the_shared_brain(snippet):
    (servers,) = snippet.values()
    server = servers["zerikai-memory"]
    assert server["command"].startswith("/")
    assert server["command"].endswith("/.venv/bin/zerikai-memory")
    assert server["env"] == {"ZERIKAI_HOME": "/abs/zerikai_memory/.brain"}


def test_every_client_has_its_snippet():
    assert [next(iter(snippet)) for snippet in SNIPPETS] == ["mcpServers", "servers", "mcpServers"]
    assert "claude mcp add" in README


@pytest.mark.parametrize("document", ["README.md", "CHANGELOG.md", "docs/settings.md", "docs/chroma.md"])
def test_linked_and_named_files_exist(document):
    text = (ROOT / document).read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#:]+)\)", text) + re.findall(r"`((?:docs|scripts|zerikai_memory)/[\w./-]+)`", text)
    assert [
        path for path in links if not ((ROOT / document).parent / path).exists() and not (ROOT / path).exists()
    ] == []


def test_named_make_targets_exist():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for document in ("README.md", "docs/settings.md"):
        for target in re.findall(r"\bmake ([a-z][a-z-]+)(?=`|\s{2,}#)", (ROOT / document).read_text("utf-8")):
            assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
