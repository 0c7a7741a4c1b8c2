from __future__ import annotations

import pytest

from zerikai_memory.lang.extract import extract
from zerikai_memory.model import EntityType


def elements(text: str, path: str = "a.html") -> list[tuple[str, int, int]]:
    entities = extract(text.encode(), path).entities
    return [(e.name, e.start_line, e.end_line) for e in entities if e.entity_type is EntityType.ELEMENT]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # an id, however it is quoted, in any letter case
        ("<p id=a><DIV ID='b'></DIV><i id=\"c\"/></p>", ["p#a", "DIV#b", "i#c"]),
        # parts of a page, with their label where they have one
        ("<nav></nav><form name=login></form><footer/>", ["nav", "form[name=login]", "footer"]),
        ("<section></section><section aria-label='Offers'></section>", ["section[aria-label=Offers]"]),
        ("<div role=navigation></div><div role=button></div>", ["div"]),
        # custom elements and test hooks
        ("<bread-timer></bread-timer><b data-testid=go>x</b>", ["bread-timer", "b[data-testid=go]"]),
        # nothing that has no identity
        ("<div class=x><p>text</p></div>", []),
        # template syntax in and around tags
        ('<div {% if a < b %}class="x"{% endif %} id="a">{{ b > c }}</div><p id="z">', ["div#a", "p#z"]),
        ("<% if (a < b) { %><p id=a></p><% } %><?php echo '<p id=no>' ?>", ["p#a"]),
        ("{{#each x}}<p id=a>{{/each}}</p><main></main>", ["p#a", "main"]),
        # commented out, or text of a script
        ("<!-- <p id=a></p> --><script>x = '<p id=b>'</script>", []),
        # braces that are no template
        ("<pre>{{\n<b id=a>x</b>\n}}</pre>", ["b#a"]),
        ("", []),
    ],
)
def test_elements_with_an_identity_are_found(text: str, expected: list[str]) -> None:
    assert [name for name, _, _ in elements(text)] == expected


def test_unclosed_elements_end_where_their_parent_ends() -> None:
    text = "<main>\n<p id=a>one\n<p id=b>two\n</main>\n<nav id=c>\n"
    assert elements(text)[0] == ("main", 1, 4)
    assert [name for name, _, _ in elements(text)] == ["main", "p#a", "p#b", "nav#c"]


def test_words_of_an_element_are_in_its_body_and_its_heading_documents_it() -> None:
    extraction = extract(
        b"<title>Shop &amp; more</title><meta name=description content='Fresh bread'>\n"
        b"<!-- Sign in form -->\n<form class='card login'><label>Password</label></form>\n"
        b"<div id=faq><h2>Opening <b>hours</b></h2>From nine</div>\n",
        "a.html",
    )
    module, form, faq = extraction.entities
    assert module.docstring == "Shop & more\n\nFresh bread"
    assert form.docstring == "Sign in form"
    assert "Password" in extraction.bodies[form.id]
    assert "card login" in form.signature
    assert faq.docstring == "Opening hours"


@pytest.mark.parametrize(
    ("tag", "language"),
    [
        ("<script>", "javascript"),
        ('<script type="module" defer>', "javascript"),
        ('<script lang="ts" setup generic="T extends A<B>">', "typescript"),
        ("<SCRIPT TYPE='text/javascript'>", "javascript"),
        ('<script type="application/json">', None),
        ('<script type="text/template">', None),
        ('<script type="importmap">', None),
    ],
)
def test_scripts_are_read_in_their_language_with_lines_of_the_page(tag: str, language: str | None) -> None:
    text = f"<p>é\n</p>\n{tag}\n\nfunction go() {{\n  return 1\n}}\n</script>\n"
    got = [(e.name, e.language, e.start_line, e.end_line) for e in extract(text.encode(), "a.html").entities[1:]]
    assert got == ([("go", language, 5, 7)] if language else [])


@pytest.mark.parametrize("path", ["a.html", "a.vue", "a.svelte"])
def test_styles_are_read_as_css_with_lines_of_the_page(path: str) -> None:
    text = "<b>x</b>\n<style>\n.a { color: red }\n</style>\n"
    text += '<style lang="scss">\n$c: red;\n.b { &-c { color: $c } }\n</style>\n'
    got = [(e.name, e.language, e.start_line) for e in extract(text.encode(), path).entities[1:]]
    assert got == [(".a", "css", 3), ("$c", "scss", 6), (".b", "scss", 7), ("&-c", "scss", 7)]


def test_svelte_blocks_and_expressions_hide_no_script_or_element() -> None:
    text = "{#if a < b}<p id='x' on:click={() => a > b}>{@html c}</p>{/if}\n"
    text += "<script>\n  function f() { return {} }\n</script>\n"
    assert [(e.name, e.start_line) for e in extract(text.encode(), "a.svelte").entities[1:]] == [("p#x", 1), ("f", 3)]


def test_linked_files_and_used_components_are_references() -> None:
    text = (
        b"<link rel=stylesheet href='/a.css'>\n<script src=b.js></script>\n<UserCard/><x-y></x-y><a href=c.html>c</a>\n"
    )
    references = [(r.kind.value, r.target_text, r.line) for r in extract(text, "a.vue").references]
    assert references == [("import", "/a.css", 1), ("import", "b.js", 2), ("call", "UserCard", 3), ("call", "x-y", 3)]
