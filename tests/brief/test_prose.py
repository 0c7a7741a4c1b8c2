"""Prose of READMEs, docstrings and licences."""

import pytest

from zerikai_memory.brief.prose import clip, first_sentence, licence_kind, read_readme, read_roadmap

README = """<h1 align="center">Shop</h1>
[![CI](https://ci/badge.svg)](https://ci) ![logo](logo.png)

# Shop

**Shop** sells [things](https://x.y) to people who
want `things`, see [docs].

```sh
rm -rf /   # code is no prose, not even long lines of it that read like sentences
```

- not a paragraph but a list item

## Why

Because buying things was hard before this program existed.

- Fast delivery of things
- [x] done item that stays out

## Installation

Run the installer and follow the steps it shows.

## Roadmap

- [ ] Sell services as well as things
- [x] Sell things to people

[docs]: https://docs
"""
RST = """Shop
====

Shop sells :class:`things <x.Thing>` and ``more`` to people.

Features
--------

* Delivery within the same day
"""


def readme(text, name="README.md"):
    return read_readme(["a.py", name], {name: text}.get)


def test_a_markdown_readme_gives_prose_purpose_and_plans():
    found = readme(README)
    assert found.intro == ("Shop sells things to people who want `things`, see docs.",)
    assert found.purpose == (
        "Because buying things was hard before this program existed.",
        "Fast delivery of things",
    )
    assert found.roadmap == ("Sell services as well as things",)


def test_a_restructured_text_readme_gives_prose():
    found = readme(RST, "README.rst")
    assert found.intro == ("Shop sells things and `more` to people.",)
    assert found.purpose == ("Delivery within the same day",)


@pytest.mark.parametrize("text", ["# Only a title\n", "![x](y)\n", "```\nopen fence", "<!-- only a comment -->"])
def test_a_readme_without_prose_gives_none(text):
    assert readme(text).intro == ()


def test_no_readme_is_none():
    assert read_readme(["docs/README.md", "a.py"], {}.get) is None


@pytest.mark.parametrize(
    ("docstring", "sentence"),
    [
        ("Send mail. And more.\n\nDetails.", "Send mail"),
        ("Two\nlines of one sentence", "Two lines of one sentence"),
        ("Version 3.11 is needed.", "Version 3.11 is needed"),
        ("Title\n=====\n\nText.", "Title"),
        ("==========\nBoxed title\n==========", "Boxed title"),
        ("Copyright 2020 Somebody", ""),
        ("eslint-disable no-console", ""),
        (None, ""),
        ("w" * 20 + " " + "x" * 200, "w" * 20 + "..."),
    ],
)
def test_the_first_sentence_of_a_docstring(docstring, sentence):
    assert first_sentence(docstring) == sentence


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Permission is hereby granted, free of charge, to any person obtaining\na copy", "MIT (LICENSE)"),
        ("Apache License\n   Version 2.0, January 2004", "Apache-2.0 (LICENSE)"),
        ("Redistribution and use in source and binary forms ...", "BSD-2-Clause (LICENSE)"),
        ("Redistribution and use ... Neither the name of the", "BSD-3-Clause (LICENSE)"),
        ("All rights reserved.", ""),  # unknown is not guessed
    ],
)
def test_the_licence_is_recognised_by_its_wording(text, kind):
    assert licence_kind(["LICENSE"], {"LICENSE": text}.get) == kind


def test_plans_come_from_roadmaps_and_never_from_a_changelog():
    texts = {
        "ROADMAP.md": "# Roadmap\n\n1. Support Windows in full\n",
        "CHANGELOG.md": "# Changes\n\n## Unreleased\n\n- A new way to search\n\n## 1.0\n\n- The first release\n",
    }
    found = read_roadmap(None, list(texts), texts.get)
    assert [(item.text, item.path) for item in found] == [("Support Windows in full", "ROADMAP.md")]


def test_a_bare_link_stays_in_its_sentence():
    readme = read_readme(
        ["README.md"], {"README.md": "# X\n\nTry it at <https://example.org/x>. It is made by us.\n"}.get
    )
    assert readme.intro == ("Try it at https://example.org/x. It is made by us.",)


@pytest.mark.parametrize("limit", [10, 20, 40])
def test_clipped_text_keeps_its_limit(limit):
    assert len(clip("some words that go on and on for a while", limit)) <= limit
