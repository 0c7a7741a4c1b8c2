"""The code map as a client meets it: scan, ask each view, edit, ask again; the same by hand on the command line."""

import json
import subprocess

import pytest
from mcp import Client

from zerikai_memory.cli import main
from zerikai_memory.mcp_server.server import create_server
from zerikai_memory.model_views import VIEWS

PROJECT = {
    "pyproject.toml": '[project]\nname = "shop"\n\n[project.scripts]\nshop = "shop.cli:main"\n',
    "shop/__init__.py": "",
    "shop/price.py": (
        '"""Prices."""\n\n\ndef price_of(item):\n    return _rate(item)\n\n\ndef _rate(item):\n    return 2\n\n\n'
        "def _forgotten_helper(item):\n    return 3\n"
    ),
    "shop/orders.py": (
        "from shop.price import price_of\n\n\nclass Order:\n"
        "    def __init__(self, items):\n        self.items = items\n\n"
        "    def total(self):\n        return sum(price_of(item) for item in self.items)\n"
    ),
    "shop/cli.py": (
        "from shop.orders import Order\n\n\ndef main():\n    order = Order([1])\n    print(order.total())\n\n\n"
        'if __name__ == "__main__":\n    main()\n'
    ),
    "tests/test_orders.py": "from shop.orders import Order\n\n\ndef test_total():\n    assert Order([1]).total()\n",
}
USE = "from shop.price import price_of\n\n\ndef use():\n    return price_of(1)\n"
TARGETS = {"profile": None, "overview": None, "entrypoints": None, "unused": None, "path": "main -> _rate"}


@pytest.fixture
def project(memory, workspace):
    for path, text in PROJECT.items():
        (workspace / path).parent.mkdir(exist_ok=True)
        (workspace / path).write_text(text)
    memory.scan(str(workspace))
    return workspace


async def ask(memory, **arguments):
    async with Client(create_server(lambda: memory)) as session:
        return await session.call_tool("code_map", arguments)


def text_of(result):
    return result.content[0].text


@pytest.mark.parametrize(
    ("view", "target", "lines"),
    [
        ("callers", "price_of", ["  Order.total #shop/orders.py:9"]),
        ("callees", "price_of", ["  _rate #shop/price.py:8 at shop/price.py:5"]),
        ("dependents", "shop/price.py", ["  shop/orders.py #shop/orders.py:1 (import)"]),
        ("dependencies", "shop/cli.py", ["  Order #shop/orders.py:4 at shop/cli.py:1,5"]),
        ("impact", "_rate", ["  test_total #tests/test_orders.py:5 (step 3 through Order.total)"]),
        ("tests", "price_of", ["  (run: tests/test_orders.py)"]),
        ("tests", "test_total", ["  Order.total #shop/orders.py:8 at tests/test_orders.py:5"]),
        ("entrypoints", None, ["  shop #shop/cli.py:4: [project.scripts]: runs main (pyproject.toml:5)"]),
        ("unused", None, ["  _forgotten_helper #shop/price.py:12: 2 lines"]),
        ("path", "main -> _rate", ["  price_of #shop/price.py:4 at shop/orders.py:9"]),
        ("overview", None, ["  shop/price.py: defines price_of; used by 1 file"]),
        ("profile", None, ["- shop/price.py: defines price_of; used by 1 file", "## Overview"]),
    ],
)  # fmt: skip
async def test_each_view_answers_with_lines_of_the_files(memory, project, view, target, lines):
    result = await ask(memory, workspace=str(project), view=view, target=target)
    assert not result.is_error, text_of(result)
    shown = text_of(result).splitlines()
    assert [line for line in lines if line not in shown] == [], text_of(result)
    assert "no file has changed since" in shown[-1]
    data = result.structured_content
    assert (data["view"], data["schema_version"], data["changed_files"]) == (view, 1, [])
    assert data["parts"] or data["text"]
    assert len(text_of(result)) <= 8_000


async def test_a_profile_is_what_is_asked_for_without_a_view_and_holds_decisions(memory, project):
    memory.save("Prices are never cached: rates change hourly.", str(project), category="decision")
    result = await ask(memory, workspace=str(project))
    text = text_of(result)
    assert len(text) <= 6_000  # 1,500 tokens of 4 characters
    assert "Prices are never cached" in text
    assert result.structured_content["text"] in text


async def test_edits_are_told_until_a_scan_and_leave_no_ghost(memory, project):
    (project / "shop" / "orders.py").write_text("# moved down\n" + PROJECT["shop/orders.py"])
    (project / "shop" / "new.py").write_text(USE)
    before = await ask(memory, workspace=str(project), view="callers", target="price_of")
    assert "  Order.total #shop/orders.py:9 [changed]" in text_of(before)
    assert "2 files have changed since: shop/new.py, shop/orders.py" in text_of(before)
    assert before.structured_content["changed_files"] == ["shop/new.py", "shop/orders.py"]
    memory.scan(str(project))
    after = await ask(memory, workspace=str(project), view="callers", target="price_of")
    assert {"  Order.total #shop/orders.py:10", "  use #shop/new.py:5"} <= set(text_of(after).splitlines())
    (project / "shop" / "new.py").unlink()
    memory.scan(str(project))
    gone = await ask(memory, workspace=str(project), view="callers", target="price_of")
    assert "new.py" not in text_of(gone)


async def test_the_commit_is_told_and_when_the_work_tree_stands_on_another(memory, project):
    def git(*words):
        subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=e@e", *words], cwd=project, check=True)

    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "one")
    (project / "shop" / "price.py").write_text(PROJECT["shop/price.py"] + "\n# more\n")
    memory.scan(str(project))
    told = await ask(memory, workspace=str(project), view="callers", target="price_of")
    commit = told.structured_content["repo_commit"]
    assert len(commit) == 40
    git("commit", "-qam", "two")
    later = await ask(memory, workspace=str(project), view="callers", target="price_of")
    assert later.structured_content["repo_commit"] == commit
    assert "the work tree is now at" in text_of(later)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"view": "callers", "target": "price_off"}, "is no entity, file or folder of the map; near names: price_of"),
        ({"view": "callers"}, "the view 'callers' needs one"),
        ({"view": "radius", "target": "price_of"}, "Argument 'view'"),
        ({"view": "callers", "target": "price_of", "depth": 99}, "depth: 99 is not a number from 1 to 20"),
        ({"view": "path", "target": "price_of"}, '"A -> B"'),
        ({"target": "price_of"}, "for 'price_of' ask for callers"),
        ({"name": "price_of"}, "code_map has no argument 'name'"),
    ],
)  # fmt: skip
async def test_a_wrong_call_says_what_is_right(memory, project, arguments, said):
    result = await ask(memory, workspace=str(project), **arguments)
    assert result.is_error
    assert said in text_of(result)


@pytest.mark.parametrize("view", VIEWS)
def test_the_command_line_gives_the_same_object_as_the_tool(memory, project, capsys, view):
    words = ["map", view, "-w", str(project), "--json"]
    target = TARGETS.get(view, "price_of")
    if target:
        words.insert(2, target)
    status = main(words, open_memory=lambda: Unclosed(memory))
    assert status == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["view"], data["target"]) == (view, target or "")
    assert data["parts"] or data["text"]


@pytest.mark.parametrize(
    ("words", "status", "out"),
    [
        (["callers", "price_of", "--mermaid"], 0, "flowchart LR\n"),
        (["callers", "price_of", "--dot"], 0, "digraph map {\n"),
        (["overview", "--dot"], 0, "digraph map {\n"),
        (["impact", "price_of", "--guesses", "--depth", "2"], 0, "impact of price_of #shop/price.py:4"),
        (["unused", "--mermaid"], 1, ""),
        (["callers", "price_of", "--mermaid", "--json"], 1, ""),
        (["callers", "nothing_like_it"], 1, ""),
        (["nonsense"], 2, ""),
        (["callers", "price_of", "--mermaid", "--dot"], 2, ""),
    ],
)
def test_the_command_line_draws_and_refuses(memory, project, capsys, words, status, out):
    assert main(["map", *words, "-w", str(project)], open_memory=lambda: Unclosed(memory)) == status
    shown = capsys.readouterr()
    assert shown.out.startswith(out)
    assert bool(shown.err) == (status != 0)


class Unclosed:
    """A memory that the command line does not close: the fixture does."""

    def __init__(self, memory):
        self._memory = memory

    def __getattr__(self, name):
        return getattr(self._memory, name)

    def close(self):
        """Left to the fixture."""
