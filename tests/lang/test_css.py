from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from zerikai_memory.lang.disguise import plain_markup, plain_sheet, plain_svelte
from zerikai_memory.lang.extract import extract
from zerikai_memory.model import CodeEntity, EntityType


def found(text: str, path: str = "a.css") -> list[CodeEntity]:
    return list(extract(text.encode(), path).entities[1:])


def names(text: str, path: str = "a.css") -> list[str]:
    return [entity.name for entity in found(text, path)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # selector lists on one line, comments inside them gone
        ("a,\n  /* x */ b > c ,\nd{}", ["a, b > c , d"]),
        # conditions, however new, hide no rule
        ("@container card style(--mode: dark) and (width > 40rem) { .x {} }\n.y {}", [".x", ".y"]),
        ("@supports not (selector(:has(a))) { .x {} }", [".x"]),
        ("@scope (.card) to (.content) { img {} }", ["img"]),
        ("@starting-style { .x {} }", [".x"]),
        # at-rules that are things of their own
        ("@keyframes rise { from { top: 0 } }", ["@keyframes rise"]),
        ("@font-face { font-family: X }", ["@font-face"]),
        ("@property --size { syntax: '<length>' }", ["@property --size"]),
        # text in strings, comments and addresses is no rule
        (".a { content: '} .b {' } /* .c {} */ .d { background: url(data:x;{}) }", [".a", ".d"]),
        # a lost semicolon, a lost brace
        (".a { width: 3px\n}\n.b {}", [".a", ".b"]),
        (".a { color: red\n.b { color: blue }", [".a", ".b"]),
        # nothing at all
        ("", []),
        ("/* only a comment */", []),
    ],
)
def test_rules_are_found_by_selector(text: str, expected: list[str]) -> None:
    assert names(text) == expected


def test_nested_rule_shows_in_its_signature_what_it_is_nested_in() -> None:
    text = "@media (width > 1px) {\n  .card {\n    &:hover { color: red }\n  }\n}\n"
    card, hover = found(text)
    assert (card.signature, card.start_line, card.end_line) == ("@media (width > 1px) { .card }", 2, 4)
    assert hover.signature == "@media (width > 1px) { .card { &:hover } }"
    assert hover.parent == card.qualified_name


def test_custom_properties_are_entities_and_stay_in_the_text_of_their_rule() -> None:
    extraction = extract(
        b":root {\n  /* Main colour */\n  --brand: #a33;\n  --gap: 4px; /* between cards */\n}\n", "a.css"
    )
    _, root, brand, gap = extraction.entities
    assert "--brand: #a33" in extraction.bodies[root.id]
    assert (brand.name, brand.entity_type, brand.docstring) == ("--brand", EntityType.PROPERTY, "Main colour")
    assert (gap.name, gap.docstring, gap.start_line) == ("--gap", "between cards", 4)


def test_comment_right_above_a_rule_documents_it_and_the_first_one_the_sheet() -> None:
    extraction = extract(b"/* Site styles */\n\n/* A dish */\n.card {}\n\n/* apart */\n\n.b {}\n", "a.css")
    module, card, other = extraction.entities
    assert (module.docstring, card.docstring, other.docstring) == ("Site styles", "A dish", None)


def test_imports_and_uses_of_custom_properties_are_references() -> None:
    text = b"@import url('base.css') layer(x);\n@import \"b.css\";\n.a { color: var(--brand, red) }\n"
    references = [(r.kind.value, r.target_text, r.line) for r in extract(text, "a.css").references]
    assert references == [("import", "base.css", 1), ("import", "b.css", 2), ("call", "--brand", 3)]


SCSS = """// Cards
@use "sass:math";
$brand: #333 !default;
@mixin rounded($r: 4px) { border-radius: $r; }
%placeholder { color: red; }
.card {
  @include rounded(2px);
  @extend %placeholder;
  &__title { color: $brand; }
  &#{$infix} { color: red; }
  @each $n in a, b { .icon-#{$n} { width: 1px; } }
  #{$sel} & { x: y; }
  @include up(md) { .wide { a: b } }
}
"""


def test_scss_rules_mixins_and_variables_are_found() -> None:
    assert names(SCSS, "a.scss") == [
        "$brand",
        "@mixin rounded($r: 4px)",
        "%placeholder",
        ".card",
        "&__title",
        "&#{$infix}",
        ".icon-#{$n}",
        "#{$sel} &",
        ".wide",
    ]
    assert {e.language for e in found(SCSS, "a.scss")} == {"scss"}


def test_less_rules_mixins_and_variables_are_found() -> None:
    text = (
        "@brand: #333;\n.m(@a; @b: 2) when (@a > 1) { width: @a }\n.card { .m(1; 2); color: ~'x'; .in { a: b } }\n.z {}"
    )
    assert names(text, "a.less") == ["@brand", ".m(@a; @b: 2) when (@a > 1)", ".card", ".in", ".z"]


PIECES = """{{ a }}|{% if %}|<%|%>|<?php|?>|{#|#}|{|}|\n|@media (a) |$x: 1;|&-a|;|'|"|/*|*/|//|#{|@{|é|<script>
|</script>|%a|.m(|)|@use 'x'|~'y'|:|@supports |when |#|# a\n|`|<p id=x>|---\n""".split("|")
pieces = st.lists(st.sampled_from(PIECES)).map("".join)


@given(pieces)
@example("#{---\n#}")
@example("@supports \n(a) and (b) {}")
def test_disguised_text_keeps_length_and_lines(text: str) -> None:
    data = text.encode()
    for disguise in (plain_markup, plain_svelte, plain_sheet):
        plain = disguise(data)
        assert len(plain) == len(data)
        assert [i for i, b in enumerate(plain) if b == 10] == [i for i, b in enumerate(data) if b == 10]


@given(pieces)
def test_no_text_stops_the_extraction(text: str) -> None:
    for path in ("a.css", "a.scss", "a.less", "a.html", "a.vue", "a.svelte", "a.md"):
        extraction = extract(text.encode(), path)
        lines = text.count("\n") + 1
        assert all(1 <= e.start_line <= e.end_line <= lines for e in extraction.entities)
