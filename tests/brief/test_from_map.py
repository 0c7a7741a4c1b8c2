"""Key files and data flow of a brief come from the code map, which follows what a simple look at paths does not."""

from zerikai_memory.errors import StoreError


def test_importers_count_for_the_file_that_defines_and_not_for_the_one_that_hands_on(memory, workspace):
    files = {
        "shop/__init__.py": "",
        "shop/money/__init__.py": "from shop.money.price import price_of\n",
        "shop/money/price.py": '"""Prices."""\n\n\ndef price_of(item):\n    return 1\n',
        "shop/web/__init__.py": "",
    }
    for i in range(4):
        files[f"shop/web/page{i}.py"] = (
            f"from shop.money import price_of\n\n\ndef page{i}():\n    return price_of({i})\n"
        )
    for path, text in files.items():
        (workspace / path).parent.mkdir(parents=True, exist_ok=True)
        (workspace / path).write_text(text)
    memory.scan(str(workspace))
    text = memory.brief(str(workspace)).text
    key_files = text.partition("## Key Files")[2].partition("## Data Flow")[0]
    assert "`shop/money/price.py`: imported by 5 other files" in key_files
    assert "`shop/web/` uses money 4" in text.partition("## Data Flow")[2]


def test_a_brief_is_written_without_a_map_too(memory, workspace, monkeypatch):
    (workspace / "a.py").write_text("import b\n")
    (workspace / "b.py").write_text("x = 1\n")

    def broken(*_):
        raise StoreError("the map cannot be written")

    monkeypatch.setattr(memory._scanning.maps, "graph", broken)
    memory.scan(str(workspace))
    assert "`b.py`: imported by 1 other file" in memory.brief(str(workspace)).text
