"""Which option a person picks ("option B", "the second one"), in the words of the answer that laid them out. Pure."""

from __future__ import annotations

import re

_OPTION = re.compile(
    r"(?i)\b(?:option|variant|alternative|approach|plan|proposal|number)\s+([a-e1-6])\b"
    r"|\b(?:go|going|went)\s+(?:with|for)\s+(?:the\s+)?([a-e1-6]|first|second|third|fourth)(?=\W*$|\s*[.,;:!)–—]|\s+(?:because|since|please|then|and|as)\b)"
    r"|\b(first|second|third|fourth)\s+(?:option|one|variant|alternative|approach|plan|proposal|layout|design)\b"
)
_ORDINALS = {"first": "1", "second": "2", "third": "3", "fourth": "4"}
_OPTION_LINE = re.compile(
    r"(?im)(?:^|(?<=[.:;?]\s))[ \t]*(?:[-*+][ \t]+)?\**(?:option|variant|alternative|approach|plan)?[ \t]*"
    r"\(?(?P<mark>[a-e1-6])\**[ \t]*[.):—–-]\**[ \t]+(?P<text>\S[^\n]{3,160})"
)


def without_pointing(sentence: str) -> str:
    """The sentence with the option by its letter: "the second one" alone tells nothing, but the option is known."""
    return _OPTION.sub("option a", sentence)


def picked_option(sentence: str, answer: str) -> str:
    """The text of the option that a sentence picks ("option B", "the second one") from a list in the answer before."""
    named = _OPTION.search(sentence)
    if not named:
        return ""
    word = next(group for group in named.groups() if group).lower()
    mark = _ORDINALS.get(word, word)
    listed = [(m["mark"].lower(), m["text"]) for m in _OPTION_LINE.finditer(answer)]
    if word in _ORDINALS and not any(label == mark for label, _ in listed):
        mark = chr(ord("a") + int(mark) - 1)
    return " ".join(next((text for label, text in listed if label == mark), "").replace("**", "").split()).strip(" .;")
