"""The brief of whole projects: true, bounded, always the same."""

import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

from zerikai_memory.brief.build import build_brief
from zerikai_memory.brief.collect import collect_facts
from zerikai_memory.brief.facts import Area, Command, Flow, KeyFile, ProjectFacts, Readme, Remark
from zerikai_memory.brief.reading import MAX_READ_BYTES, workspace_reader
from zerikai_memory.brief.sections import MAX_TOKENS, SECTIONS, check_sections, section_bodies, token_count
from zerikai_memory.lang.extract import extract

SHOP = {
    "pyproject.toml": '[project]\nname = "shop"\ndescription = "A till for corner shops."\n'
    'dependencies = ["rich>=14"]\n[project.scripts]\nshop = "shop.cli:main"\n[tool.pytest.ini_options]\n',
    "README.md": "# Shop\n\nShop sells things to people who like to own things.\n\nkey sk-"
    + "abcd1234" * 4
    + " is in this paragraph by mistake, as it happens.\n",
    "LICENSE": "Permission is hereby granted, free of charge, to any person obtaining a copy",
    "Makefile": "test: ## run the tests\n\tpytest\n",
    "src/shop/__init__.py": '"""A shop in one package."""\nfrom shop.cart import Cart\n',
    "src/shop/cli.py": '"""The command line."""\nfrom shop.cart import Cart\nfrom shop.store.db import Database\n'
    "# TODO: accept several currencies in one cart\ndef main(): Cart(Database())\n",
    "src/shop/cart.py": '"""Carts and their totals."""\nfrom shop.store.db import Database\nclass Cart: pass\n',
    "src/shop/store/__init__.py": '"""Storage of carts."""\n',
    "src/shop/store/db.py": "class Database: pass\n",
    "tests/test_cart.py": "import pytest\nfrom shop.cart import Cart\ndef test_total(): assert Cart()\n",
}


@pytest.fixture
def shop(tmp_path):
    for path, text in SHOP.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    return tmp_path


def brief_of(root, shuffle=None):
    files = sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
    extractions = [extract((root / path).read_bytes(), path) for path in files]
    entities = [entity for item in extractions for entity in item.entities]
    references = [reference for item in extractions for reference in item.references]
    if shuffle is not None:
        for values in (files, entities, references):
            random.Random(shuffle).shuffle(values)
    return build_brief(collect_facts(str(root), files, entities, references, workspace_reader(root, files)))


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ("Overview", "A till for corner shops."),
        ("Overview", "Shop sells things to people who like to own things."),
        ("Overview", "Installs the command `shop`"),
        ("Overview", "Licence: MIT (LICENSE)"),
        ("Technical Stack", "rich >=14"),
        ("Core Architecture", "`src/shop/store/`: Storage of carts"),
        ("Core Architecture", "`src/shop/cart.py`: Carts and their totals (`Cart`)"),
        ("Key Files", "`shop` -> `shop.cli:main`"),
        ("Key Files", "`src/shop/store/db.py`: imported by 2 other files"),
        ("Data Flow", "`src/shop/cli.py` uses cart, store"),
        ("Data Flow", "Import no other part: `src/shop/store/`"),
        ("Development & Testing", "`make test` (`Makefile`): run the tests"),
        ("Development & Testing", "`pytest` (`pyproject.toml`)"),
        ("Development & Testing", "Tests are in `tests/`, named `test_*.py`"),
        ("Future Roadmap", "`src/shop/cli.py:4`: accept several currencies in one cart"),
    ],
)
def test_a_project_is_described_by_what_it_holds(shop, section, said):
    assert said in section_bodies(brief_of(shop))[section]


def test_every_path_in_the_brief_exists(shop):
    text = brief_of(shop)
    paths = re.findall(r"`([\w./-]+/[\w./-]*|[\w-]+\.(?:toml|md))(?::\d+)?`", text)
    assert len(paths) > 8
    assert [path for path in paths if not (shop / path).exists()] == []


def test_the_same_project_gives_the_same_bytes_in_any_order(shop):
    assert {brief_of(shop, seed) for seed in range(5)} == {brief_of(shop)}


def test_secrets_of_a_readme_are_masked(shop):
    text = brief_of(shop)
    assert "abcd1234" not in text
    assert "[masked]" in text


def test_a_file_that_hands_out_names_is_not_said_to_import_nothing(shop):
    (shop / "src/shop/cli.py").write_text("from shop import Cart, VERSION\n")
    flow = section_bodies(brief_of(shop))["Data Flow"]
    assert "`src/shop/__init__.py`" not in flow.partition("Import no other part")[2].partition("\n")[0]


def test_no_date_is_in_the_brief(shop):
    assert not re.search(r"\b(19|20)\d\d\b", brief_of(shop).replace(str(shop), ""))


def test_an_empty_folder_has_nine_honest_sections(tmp_path):
    text = brief_of(tmp_path)
    assert check_sections(text) == ()
    assert list(section_bodies(text)) == list(SECTIONS)
    assert token_count(text) < 250


def test_a_huge_project_stays_within_the_limit():
    words = "a sentence of some length that a README or a docstring may well have " * 8
    names = tuple(f"SomewhatLongClassName{i}" for i in range(9))
    facts = ProjectFacts(
        "huge",
        readme=Readme("README.md", (words, words), (words,) * 4, (words,) * 6),
        areas=tuple(Area(f"packages/area_{i}/", 9, 9, words[:110], names, names) for i in range(300)),
        key_files=tuple(KeyFile(f"packages/area_{i}/file.py", 300 - i, words[:110]) for i in range(12)),
        flows=tuple(Flow(f"packages/area_{i}/", f"packages/area_{i + 1}/", 5) for i in range(299)),
        conventions=tuple(f"Convention {i} of some length, as they are." for i in range(12)),
        commands=tuple(Command(f"make target-{i}", "Makefile", words) for i in range(60)),
        remarks=tuple(Remark(words[:110], f"packages/area_{i}/file.py", i) for i in range(8)),
        roadmap=tuple(Remark(words, "ROADMAP.md", 0) for _ in range(9)),
    )
    text = build_brief(facts)
    assert token_count(text) <= MAX_TOKENS
    assert check_sections(text) == ()
    assert token_count(text) > 600


def test_reading_is_limited_to_the_listed_files_of_the_workspace(tmp_path):
    root = tmp_path / "project"
    root.mkdir()
    (tmp_path / "outside.txt").write_text("outside")
    (root / "link.txt").symlink_to(tmp_path / "outside.txt")
    (root / ".env").write_text("SECRET=1")
    (root / "big.txt").write_text("x" * (MAX_READ_BYTES + 10))
    (root / "binary.txt").write_bytes(b"a\x00b")
    (root / "windows.txt").write_bytes(b"\xffa\r\npassword = 'hunter2'\r\n")
    names = ["link.txt", "../outside.txt", "big.txt", "binary.txt", "windows.txt", "gone.txt"]
    read = workspace_reader(root, names)
    assert {name: read(name) for name in ("link.txt", "../outside.txt", "binary.txt", "gone.txt", ".env")} == {
        "link.txt": None,
        "../outside.txt": None,
        "binary.txt": None,
        "gone.txt": None,
        ".env": None,
    }
    assert len(read("big.txt")) == MAX_READ_BYTES
    assert read("windows.txt") == "\ufffda\npassword = '[masked]'\n"


def test_the_brief_of_this_project_holds_facts_written_beforehand_and_names_only_what_exists():
    root = Path(__file__).parents[2]
    command = [sys.executable, str(root / "bench" / "brief_facts.py"), f"zerikai_memory={root}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
