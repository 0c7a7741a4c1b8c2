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


def module_doc(root: Node, source: Source) -> str | None:
    """The comment about the file."""
    return file_doc(source)


TYPESCRIPT = LanguageSpec(
    name="typescript",
    extensions=(".ts", ".mts", ".cts"),
    grammar=Grammar("tree_sitter_typescript", "language_typescript"),
    queries=("ecmascript.scm", "typescript.scm"),
    describe=describe,
    refer=refer,
    module_doc=module_doc,
    keep=keep,
    resume=RESUME,
)
TSX = LanguageSpec(
    name="typescript",
    extensions=(".tsx",),
    grammar=Grammar("tree_sitter_typescript", "language_tsx"),
    queries=("ecmascript.scm", "typescript.scm", "jsx.scm"),
    describe=describe,
    refer=refer,
    module_doc=module_doc,
    keep=keep,
    resume=RESUME,
)
