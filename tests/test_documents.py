"""What the README shows can be used as it is."""

import json
import re
from pathlib import Path

import anyio
import pytest
from mcp import Client

from tests.fake_memory import FakeMemory
from zerikai_memory.mcp_server.server import create_server

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


@pytest.mark.parametrize(
    "document",
    [
        "README.md",
        "CHANGELOG.md",
        "docs/settings.md",
        "docs/chroma.md",
        "docs/clients.md",
        "docs/sessions.md",
        "docs/ledger.md",
        "docs/usage.md",
        "docs/map.md",
    ],
)
def test_linked_and_named_files_exist(document):
    text = (ROOT / document).read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#:]+)\)", text) + re.findall(r"`((?:docs|scripts|zerikai_memory)/[\w./-]+)`", text)
    assert [
        path for path in links if not ((ROOT / document).parent / path).exists() and not (ROOT / path).exists()
    ] == []


def test_named_make_targets_exist():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for document in ("README.md", "docs/settings.md", "docs/clients.md"):
        for target in re.findall(r"\bmake ([a-z][a-z-]+)(?=`|\s{2,}#)", (ROOT / document).read_text("utf-8")):
            assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_the_page_on_clients_names_what_the_server_serves():
    text = (ROOT / "docs/clients.md").read_text(encoding="utf-8")
    served = anyio.run(_served)
    assert re.findall(r"\| `(zerikai://[^`]+)`", text) == served["resources"]
    assert re.findall(r"\| `([a-z-]+)` \| `", text) == served["prompts"]
    (opencode,) = (json.loads(block) for block in re.findall(r"```json\n(.*?)```", text, re.DOTALL))
    entry = opencode["mcp"]["zerikai-memory"]
    assert (entry["type"], len(entry["command"])) == ("local", 1)
    assert entry["environment"] == {"ZERIKAI_HOME": "/abs/zerikai_memory/.brain"}


async def _served():
    async with Client(create_server(FakeMemory)) as session:
        resources = [resource.uri for resource in (await session.list_resources()).resources]
        templates = [t.uri_template for t in (await session.list_resource_templates()).resource_templates]
        prompts = [prompt.name for prompt in (await session.list_prompts()).prompts]
    return {"resources": resources + templates, "prompts": prompts}
