"""JavaScript with JSX; files with type annotations (Flow) are read with the TSX grammar."""

from __future__ import annotations

from dataclasses import replace

from zerikai_memory.lang.ecmascript import describe, keep
from zerikai_memory.lang.ecmascript_references import refer
from zerikai_memory.lang.spec import Grammar, LanguageSpec
from zerikai_memory.lang.typescript import RESUME, TSX, module_doc

JAVASCRIPT = LanguageSpec(
    name="javascript",
    extensions=(".js", ".mjs", ".cjs", ".jsx"),
    grammar=Grammar("tree_sitter_javascript"),
    queries=("ecmascript.scm", "javascript.scm", "jsx.scm", "ecmascript_scopes.scm", "javascript_scopes.scm"),
    describe=describe,
    refer=refer,
    module_doc=module_doc,
    keep=keep,
    resume=RESUME,
    fallback=replace(TSX, name="javascript"),
)
