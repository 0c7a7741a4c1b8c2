"""The map of HTML, style sheets and Markdown: linked files, used classes, custom properties, headings, names."""

from __future__ import annotations

import pytest

from tests.codemap.small_project import lines_of
from zerikai_memory.codemap.markup_text import slug_of

SHEETS = {
    "css/site.css": (
        "@import './base.css';\n.btn { color: var(--ink); }\n.card .btn:hover { color: var(--far) }\n#top, .x {}\n"
    ),
    "css/base.css": ":root { --ink: black; }\n.box {}\n",
    "css/other.css": ":root { --far: red; }\n.lone {}\n",
}


def test_a_page_leads_to_its_scripts_and_sheets_and_their_rules() -> None:
    page = (
        '<link rel="stylesheet" href="css/site.css?v=1"><script src="js/app.js"></script><img src="a.png">\n'
        '<p class="btn box {{ more }}" id="top">\n<b class="lone none">\n<script src="https://cdn.invalid/x.js"></script>\n'
    )
    assert lines_of({**SHEETS, "js/app.js": "go();\n", "index.html": page}, "index.html") == [
        "1 link resolved css/site.css",
        "1 link resolved js/app.js",
        "2 use resolved css/site.css:.btn",
        "2 use resolved css/base.css:.box",
        "2 use resolved css/site.css:#top, .x",
        "3 use same-name css/other.css:.lone",
        "4 link external https://cdn.invalid/x.js",
    ]


def test_elements_in_scripts_use_the_sheets_that_the_script_imports() -> None:
    code = "import './css/site.css';\nconst A = () => <p className='btn' id={x}/>;\n"
    assert lines_of({**SHEETS, "a.jsx": code}, "a.jsx") == [
        "1 import resolved css/site.css",
        "2 use resolved css/site.css:.btn",
    ]


def test_styles_of_a_component_are_its_own() -> None:
    code = "<template><p class='own'/></template>\n<style>\n.own {}\n</style>\n"
    assert lines_of({"A.vue": code, "b.css": ".own {}\n"}, "A.vue") == ["1 use resolved A.vue:.own"]


def test_sheets_lead_to_imported_sheets_and_custom_properties() -> None:
    assert lines_of(SHEETS, "css/site.css") == [
        "1 import resolved css/base.css",
        "2 use resolved css/base.css::root.--ink",
        "3 use same-name css/other.css::root.--far",
    ]


def test_partial_sheets_are_found_without_their_mark() -> None:
    texts = {"a/_tools.scss": "$x: 1;\n", "a/main.scss": "@use 'tools';\n@use 'sass:math';\n@import 'kit';\n"}
    assert lines_of(texts, "a/main.scss") == [
        "1 import resolved a/_tools.scss",
        "2 import external sass:math",
        "3 import external kit",
    ]


GUIDE = {
    "README.md": "# The Tool\n\n## Getting started!\n\n## `Code` & more\n\n## Same\n\n## Same\n",
    "docs/guide.md": "# Guide\n",
    "src/shop.py": "class Cart:\n    def total(self):\n        pass\n\n\ndef total_of():\n    pass\n",
    "src/a.py": "def twice(): pass\n",
    "src/b.py": "def twice(): pass\n",
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[x](../README.md)", "link resolved README.md"),
        ("[x](/README.md)", "link resolved README.md"),
        ("[x](../README.md#getting-started)", "link resolved README.md:The Tool.Getting started!"),
        ("[x](../README.md#code--more)", "link resolved README.md:The Tool.Code & more"),
        ("[x](../README.md#same-1)", "link resolved README.md:The Tool.Same"),
        ("[x](../README.md#gone)", "link resolved README.md"),
        ("[x](guide.md 'title')", "link resolved docs/guide.md"),
        ("[x](<guide.md>)", "link resolved docs/guide.md"),
        ("[x][y]\n\n[y]: ./guide.md", "link resolved docs/guide.md"),
        ("<a href='guide.md'>x</a>", "link resolved docs/guide.md"),
        ("[x](..)", "link resolved README.md"),
        ("[x](guide)", "link imported-name docs/guide.md"),
        ("[x](guide.html#guide)", "link imported-name docs/guide.md:Guide"),
        ("[x](../src/shop.py#L2-L3)", "link resolved src/shop.py:Cart.total"),
        ("[x](#page)", "link resolved docs/page.md:Page"),
        ("`src/shop.py`", "use resolved src/shop.py"),
        ("`src/shop.py:6`", "use resolved src/shop.py:total_of"),
        ("`total_of()`", "use imported-name src/shop.py:total_of"),
        ("`Cart.total`", "use imported-name src/shop.py:Cart.total"),
        ("`shop.Cart`", "use imported-name src/shop.py:Cart"),
        ("`twice`", None),
        ("`other.Cart`", None),
        ("`unknown_name`", None),
        ("[x](https://example.invalid/README.md)", None),
        ("[x](gone.md)", None),
        ("`[x](guide.md)`", None),
        ("```\n[x](guide.md)\n```", None),
    ],
)
def test_a_document_leads_to_files_headings_and_names(text: str, expected: str | None) -> None:
    found = lines_of({**GUIDE, "docs/page.md": f"# Page\n\n{text}\n"}, "docs/page.md")
    assert [line.partition(" ")[2] for line in found] == ([] if expected is None else [expected])


@pytest.mark.parametrize(
    ("heading", "slug"),
    [("Hello, World!", "hello-world"), ("A  b", "a--b"), ("snake_case & co.", "snake_case--co"), ("Größe ✓", "größe-")],
)
def test_anchors_are_those_of_github(heading: str, slug: str) -> None:
    assert slug_of(heading) == slug


@pytest.mark.parametrize(
    ("path", "page", "expected"),
    [
        (
            "web/a.html",
            "<script>\nfunction go() {}\n</script>\n<b onclick='go()' onblur='return go(1)'>x</b>",
            ["4 call resolved web/a.html:go"],
        ),
        # a script that the page loads
        ("web/a.html", '<script src="x.js"></script><b onclick="later()">x</b>',
         ["1 call imported-name web/x.js:later"]),
        ("web/a.html", '<b onclick="this.value = 1" onblur="alert(1)">x</b>', []),
        ("a.vue", '<template><b @click="go">x</b></template>\n<script setup>\nfunction go() {}\n</script>',
         ["1 call resolved a.vue:go"]),
        ("a.vue", '<template><b v-on:input="go(x)">x</b></template>\n<script setup>\nconst go = () => 1;\n</script>',
         ["1 call resolved a.vue:go"]),
        ("a.svelte", "<script>\nfunction go() {}\n</script>\n<b on:click={go}>x</b>", ["4 call resolved a.svelte:go"]),
    ],
)  # fmt: skip
def test_handlers_in_attributes_are_calls(path: str, page: str, expected: list[str]) -> None:
    assert lines_of({path: page, "web/x.js": "function later() {}"}, path, "call") == expected


def test_an_address_of_the_site_is_looked_for_around_the_page() -> None:
    page = '<link rel="stylesheet" href="/css/a.css"><script src="/js/a.js"></script><b class="box">x</b>'
    files = {"css/a.css": ".box { top: 0 }", "js/a.js": "go();"}
    assert lines_of({"web/in/a.html": page, **files}, "web/in/a.html") == [
        "1 link resolved css/a.css",
        "1 link resolved js/a.js",
        "1 use resolved css/a.css:.box",
    ]
    # Which folder is served is not known where the project itself has no such file.
    nested = {f"web/{path}": text for path, text in files.items()}
    assert lines_of({"web/in/a.html": page, **nested}, "web/in/a.html") == [
        "1 link imported-name web/css/a.css",
        "1 link imported-name web/js/a.js",
        "1 use imported-name web/css/a.css:.box",
    ]
