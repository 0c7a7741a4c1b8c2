"""CSS: rules by selector, at-rules, custom properties, nesting; SCSS and LESS as far as the CSS grammar reads them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from zerikai_memory.lang.disguise import plain_sheet
from zerikai_memory.lang.jsdoc import clean_comment, file_doc, lead_of
from zerikai_memory.lang.spec import Draft, Grammar, LanguageSpec, Match, Mention
from zerikai_memory.lang.text import Source, shorten
from zerikai_memory.model import EntityType, ReferenceKind

if TYPE_CHECKING:
    from tree_sitter import Node

_HEAD_LIMIT = 8_000  # bytes before a block that are looked at for its selector
_NAME_LIMIT = 200  # characters; the selector list of a reset sheet can fill a page
_COMMENT = re.compile(r"/\*.*?\*/|(?<!:)//[^\n]*", re.DOTALL)
_BLANKS = re.compile(r"\s+")
# What an error before a rule makes part of its selector: a statement, or a declaration that lost its semicolon.
_LOST = re.compile(r"(?!@)(?:.*;(?![^(]*\))\s*)?(?:-?-?[\w-]+\s*:\s[^{]*\n\s*(?=\S))?", re.DOTALL)
_VARIABLE = re.compile(r"[$@][\w-]+\s*:")
_QUOTED = re.compile(r"[\"']([^\"'\n]+)[\"']|url\(\s*([^()\"'\s]+)")
# They put a condition or a layer around rules, and are no thing of their own.
_WRAPPERS = frozenset(
    {"@media", "@supports", "@container", "@layer", "@scope", "@starting-style", "@document", "@-moz-document"}
)
# Statements of preprocessors inside a rule.
_FLOW = frozenset({"@if", "@else", "@each", "@for", "@while", "@include", "@at-root", "@return", "@extend", "@apply"})


def describe(match: Match, source: Source) -> Draft | None:
    """Draft of a rule, an at-rule with a block, a custom property or a variable."""
    node, block = match.node, match.first("block")
    if block is None:
        return _custom_property(match, source)
    start = max(node.start_byte, block.start_byte - _HEAD_LIMIT)
    name = _name(source.slice(start, block.start_byte))
    word = name.partition(" ")[0].partition("(")[0].lower()
    if not name or word in _FLOW:
        return None
    if lost := _LOST.match(source.slice(start, block.start_byte)):
        start += len(lost.group().encode("utf-8"))
    lead = lead_of(source, start)
    return Draft(
        EntityType.RULE,
        shorten(name, _NAME_LIMIT),
        start,
        node.end_byte,
        shorten(name, _NAME_LIMIT),
        outer_start=lead.outer,
        docstring=lead.docstring,
        scope_only=word in _WRAPPERS,
    )


def _custom_property(match: Match, source: Source) -> Draft | None:
    name, node = match.first("name"), match.node
    if name is None or (node.type == "at_rule" and not _VARIABLE.match(source.text(node))):
        return None
    lead = lead_of(source, node.start_byte)
    signature = shorten(_name(source.text(node).rstrip("; \n")))
    return Draft(
        EntityType.PROPERTY,
        source.text(name),
        node.start_byte,
        node.end_byte,
        signature,
        docstring=lead.docstring or _comment_behind(source, node.end_byte),
        in_parent=True,
    )


def keep(draft: Draft, parent: Draft | None) -> bool:
    """Show in the signature what a rule is nested in; drop what is nested too deep to be written by hand."""
    if parent is None or draft.kind is EntityType.PROPERTY:
        return True
    if len(parent.signature) > 3 * _NAME_LIMIT:
        return False
    head = parent.signature.rstrip(" }")
    draft.signature = f"{head} {{ {draft.signature} }}" + parent.signature[len(head) :]
    return True


def refer(match: Match, source: Source) -> Iterable[Mention]:
    """Imported sheets, and custom properties where `var()` uses them."""
    node = match.node
    text = source.text(node)
    if match.label == "reference.call":
        if text.startswith("--"):
            yield Mention(ReferenceKind.CALL, text, text, node.start_byte)
    elif address := _QUOTED.search(text):
        yield Mention(ReferenceKind.IMPORT, "*", address[1] or address[2], node.start_byte)


def module_doc(root: Node, source: Source) -> str | None:
    """The comment about the whole sheet."""
    return file_doc(source)


def _name(text: str) -> str:
    text = _COMMENT.sub(" ", text).strip()
    if lost := _LOST.match(text):
        text = text[lost.end() :]
    return _BLANKS.sub(" ", text).strip()


def _comment_behind(source: Source, end: int) -> str | None:
    line_end = source.data.find(b"\n", end)
    found = source.marked("comment", end, line_end if line_end >= 0 else len(source.data))
    if not found or source.data[end : found[0][0]].strip(b"; \t"):
        return None
    return clean_comment(source.slice(*found[0])) or None


CSS = LanguageSpec(
    name="css",
    extensions=(".css", ".pcss", ".postcss"),
    grammar=Grammar("tree_sitter_css"),
    queries=("css.scm",),
    describe=describe,
    refer=refer,
    module_doc=module_doc,
    keep=keep,
    disguise=plain_sheet,
    # A selector list of more than 100 lines is not looked for: every line of it could be its first.
    resume=re.compile(rb"^(?=[.#:@&*\[%A-Za-z])[^{};\n]*+(?:(?<=,)\n[^{};\n]*+){0,100}+\{", re.MULTILINE),
)
SCSS = replace(CSS, name="scss", extensions=(".scss",))
LESS = replace(CSS, name="less", extensions=(".less",))
