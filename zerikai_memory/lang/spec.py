"""What a language is: data. Everything else about extraction is the engine's.

To add a language: write `queries/<name>.scm`, a module with one `LanguageSpec` and its hooks, name it in
`registry.py`, add its cases to `tests/data/cases`.

Query files. A pattern captures a definition node as `@definition.<kind>` (a word of `EntityType`) with what belongs
to it: `@name`, `@decorator`, `@doc`, `@outer` ... Patterns that capture the SAME node add up: a second pattern may
give it more captures as plain `@definition` (which never makes an entity on its own), so wrappers need no code:

    (function_definition name: (identifier) @name) @definition.function
    (decorated_definition (decorator)+ @decorator definition: (_) @definition) @outer

`@outer` is the node that includes everything that is cut out with the definition (decorators, export). The first
kind that is captured for a node, in the order of the file, wins. `@scope.<word>` makes a named range that lends its
name to what is inside without being an entity. `@reference.<word>` is a mention, given to `LanguageSpec.refer`.
`@mark.<word>` and `@word.<word>` leave byte ranges and texts in `Source.marks` and `Source.words`, complete before
the first `describe`.
Order, nesting, qualified names, ids, lines and bodies are the engine's work; hooks see one match at a time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from zerikai_memory.lang.text import Source
from zerikai_memory.model import EntityType, ReferenceKind

if TYPE_CHECKING:
    from tree_sitter import Node

THIS = "this"  # Draft.owner: the nearest enclosing class, or else the enclosing function (a constructor function)
_ARGUMENTS = re.compile(r"[(\[<]")
_LAST_NAME = re.compile(r"[\w$#-]+(?=[^\w$]*$)")
ROOT = "/"  # Draft.owner: the file itself, whatever encloses the definition; `/name` a member of a top-level name


@dataclass(frozen=True, slots=True)
class Grammar:
    """Where a tree-sitter grammar is found; imported on first use by the engine."""

    module: str
    function: str = "language"


@dataclass(slots=True)
class Match:
    """One definition node, or one mention, with everything the query captured for it."""

    label: str
    node: Node
    captures: dict[str, list[Node]]

    def first(self, capture: str) -> Node | None:
        """The first node captured under this name."""
        nodes = self.captures.get(capture)
        return nodes[0] if nodes else None


@dataclass(slots=True)
class Draft:
    """A definition before nesting, made by `LanguageSpec.describe`. All positions are byte offsets.

    `start`..`end` is the definition without decorators; `outer_start` (default: `start`) is where its decorators or
    export begin. `owner`: None = nested by containment; a dotted name = member of that (`Ledger.prototype.add =`);
    THIS and ROOT as above. `scope_only`: lends its name, is no entity. `in_parent`: its text also stays in the body
    of what encloses it (a custom property of a CSS rule). `whole_lines`: blank lines at
    its end count (a Markdown section). `lends_name`: whether members are named after it (a route handler's are not).
    `declares` are mentions that the definition's own head makes: bases, decorators, what it is registered as.
    """

    kind: EntityType
    name: str
    start: int
    end: int
    signature: str
    outer_start: int = -1
    decorator_start: int | None = None
    docstring: str | None = None
    decorators: tuple[str, ...] = ()
    params: tuple[str, ...] = ()
    return_type: str | None = None
    type_params: str | None = None
    modifiers: tuple[str, ...] = ()
    declares: tuple[Mention, ...] = ()
    owner: str | None = None
    scope_only: bool = False
    in_parent: bool = False
    whole_lines: bool = False
    lends_name: bool = True
    spec: LanguageSpec | None = None  # set by the engine

    def __post_init__(self) -> None:
        if self.outer_start < 0:
            self.outer_start = self.start if self.decorator_start is None else self.decorator_start


@dataclass(slots=True)
class Mention:
    """A reference before nesting, made by `LanguageSpec.refer`; `at` is its byte offset.

    IMPORT: `name` is the imported name (`*` for all, the module for a plain import), `target` the module as written.
    CALL: `name` is the last name, `target` the dotted text. PATCH: `name` is the attribute, `target` is
    `Class.attribute = function`, or of what a test replaces `owner.attribute` or `"module.attribute"`. ALIAS,
    REGISTER, BIND and EXPORT: see `ReferenceKind`. `span`: the bytes in which a BIND holds.
    """

    kind: ReferenceKind
    name: str
    target: str
    at: int
    span: tuple[int, int] | None = None


def declared(kind: ReferenceKind, text: str, at: int) -> Iterable[Mention]:
    """The mention that a base or a decorator makes; none where it has no name."""
    target = _ARGUMENTS.split(text, maxsplit=1)[0].strip()
    if found := _LAST_NAME.search(target):
        yield Mention(kind, found.group(), target, at)


@dataclass(frozen=True, slots=True)
class Region:
    """A part of a file in another language: bytes `start`..`end`, read as a file with this extension would be."""

    start: int
    end: int
    extension: str


def as_it_is(data: bytes) -> bytes:
    """The default of `LanguageSpec.disguise`."""
    return data


def keep_all(draft: Draft, parent: Draft | None) -> bool:
    """The default of `LanguageSpec.keep`."""
    return True


def refer_nothing(match: Match, source: Source) -> Iterable[Mention | Draft]:
    """The default of `LanguageSpec.refer`."""
    return ()


def no_module_doc(root: Node, source: Source) -> str | None:
    """The default of `LanguageSpec.module_doc`."""
    return None


def no_regions(root: Node, source: Source) -> Iterable[Region]:
    """The default of `LanguageSpec.regions`."""
    return ()


@dataclass(frozen=True, slots=True)
class LanguageSpec:
    """Everything the engine must know about a language.

    describe: a definition match -> Draft, or None to drop it.
    refer: a `@reference.x` match -> mentions, or the draft of what a call registers.
    keep: sees a draft with its enclosing draft (None = top of the file) and may change its kind or `scope_only`;
        False drops it (children stay).
    member_kinds: kinds that change directly inside a class (Python: a function becomes a method).
    resume: a multi-line regular expression for source lines that start a definition at column 0; after a syntax
        error that swallowed such a line, reading starts again there.
    regions: parts of the file in other languages, extracted with that language and merged.
    mend: rewrites source that the grammar does not know yet into what it does, byte for byte of the same length and
        with the same line ends; tried when there are errors. Names and texts still come from the file itself.
    fallback: another specification to try when the first one reports errors (Flow: the TSX grammar).
    disguise: text of the same length and lines that the grammar reads better (template tags blanked); hooks see the
        real text.
    machine_made: whether content may be judged minified or generated.
    minifiable: whether it may be judged minified (false where long lines are honest code).
    """

    name: str
    extensions: tuple[str, ...]
    grammar: Grammar
    queries: tuple[str, ...]
    describe: Callable[[Match, Source], Draft | None]
    refer: Callable[[Match, Source], Iterable[Mention | Draft]] = refer_nothing
    module_doc: Callable[[Node, Source], str | None] = no_module_doc
    keep: Callable[[Draft, Draft | None], bool] = keep_all
    regions: Callable[[Node, Source], Iterable[Region]] = no_regions
    member_kinds: Mapping[EntityType, EntityType] = field(default_factory=dict)
    resume: re.Pattern[bytes] | None = None
    mend: Callable[[bytes], bytes] | None = None
    fallback: LanguageSpec | None = None
    disguise: Callable[[bytes], bytes] = as_it_is
    machine_made: bool = True
    minifiable: bool = True
