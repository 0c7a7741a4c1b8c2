"""TypeScript and TSX: two grammars, one vocabulary."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from zerikai_memory.lang.ecmascript import describe, keep
from zerikai_memory.lang.ecmascript_references import refer
from zerikai_memory.lang.jsdoc import file_doc
from zerikai_memory.lang.spec import Grammar, LanguageSpec
from zerikai_memory.lang.text import Source

if TYPE_CHECKING:
    from tree_sitter import Node

RESUME = re.compile(
    rb"^(?:export\b|(?:async[ \t]+)?function\b|(?:declare[ \t]+)?(?:abstract[ \t]+)?class\b|interface\b|enum\b"
    rb"|namespace\b|type[ \t]+\w|const\b|let\b|var\b|module\.exports\b|exports\.|@\w)",
    re.MULTILINE,
)

# What tree-sitter-typescript 0.23 does not read: `import("x").Y<Z>` in types, variance marks, `export type *`, and the
# declaration `export default function (): T;`, which becomes `export function _______ (): T;`.
_UNKNOWN = re.compile(
    rb"""(?P<name>\bimport\((?:"[^"\n]*"|'[^'\n]*')\)(?=\.))"""
    rb"""|(?P<blank>(?<=[<,\s])(?:in\s+out|out|in)(?=\s+[A-Z]\w*\s*(?:[,>=]|extends\b))|\btype(?=\s+\*\s))"""
    rb"""|(?P<default>(?<=\bexport )default function(?=\s*\())"""
)


def mend(data: bytes) -> bytes:
    """Rewrite what the grammar does not know, every byte in its place."""
    return _UNKNOWN.sub(_same_length, data)


def _same_length(match: re.Match[bytes]) -> bytes:
    if match["default"]:
        return b"function _______"
    return b"_" * len(match["name"]) if match["name"] else re.sub(rb"[^\n]", b" ", match.group())


def module_doc(root: Node, source: Source) -> str | None:
    """The comment about the file."""
    return file_doc(source)


TYPESCRIPT = LanguageSpec(
    name="typescript",
    extensions=(".ts", ".mts", ".cts"),
    grammar=Grammar("tree_sitter_typescript", "language_typescript"),
    queries=("ecmascript.scm", "typescript.scm", "ecmascript_scopes.scm", "typescript_scopes.scm"),
    describe=describe,
    refer=refer,
    module_doc=module_doc,
    keep=keep,
    resume=RESUME,
    mend=mend,
)
TSX = LanguageSpec(
    name="typescript",
    extensions=(".tsx",),
    grammar=Grammar("tree_sitter_typescript", "language_tsx"),
    queries=("ecmascript.scm", "typescript.scm", "jsx.scm", "ecmascript_scopes.scm", "typescript_scopes.scm"),
    describe=describe,
    refer=refer,
    module_doc=module_doc,
    keep=keep,
    resume=RESUME,
    mend=mend,
)
