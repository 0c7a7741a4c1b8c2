from pathlib import Path

import pytest

from zerikai_memory.app import Memory

PAGE = '<section id="transitions"><h2>Fade</h2></section>\n<my-clock></my-clock>\n'
STYLE = """.reveal .slide-number { color: red; }
.reveal .slide-number a { color: blue; }
.reveal .r-stack > * { margin: 0; }
.reveal .r-stack { display: grid; }
:root { --accent-color: #fff; }
"""
README = "# Shop\n\nBuy things.\n\n## Getting started\n\nInstall it.\n"
CODE = "class Cart:\n    def add_item(self, item):\n        return item\n\n\ndef merge_carts(a, b):\n    return a\n"


@pytest.mark.parametrize(
    ("question", "name"),
    [
        (".r-stack", ".reveal .r-stack"),  # a class as a style sheet writes it
        ("css rule for the slide number", ".reveal .slide-number"),  # what the selector ends in
        ("#transitions", "section#transitions"),
        ("getting started", "Getting started"),  # a heading by its words
        ("addItem", "Cart.add_item"),  # another casing
        ("Cart.add_item", "Cart.add_item"),
        ("merge carts", "merge_carts"),  # a name read aloud
    ],
)
def test_a_name_in_any_spelling_comes_first(question: str, name: str, memory: Memory, workspace: Path) -> None:
    for path, text in {"index.html": PAGE, "style.css": STYLE, "README.md": README, "cart.py": CODE}.items():
        (workspace / path).write_text(text)
    memory.scan(str(workspace))
    hit = memory.query(question, str(workspace)).results[0]
    assert name in (hit.qualified_name, hit.name)
