"""Which entities a question names: identifiers, dotted names, paths and path:line."""

from __future__ import annotations

import functools
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from zerikai_memory.retrieve.foreign import fold
from zerikai_memory.retrieve.frames import innermost
from zerikai_memory.retrieve.imports import module_parts
from zerikai_memory.retrieve.modules import MODULE_BOOST, ModuleTable
from zerikai_memory.retrieve.query import PathMention, Query, content_words
from zerikai_memory.retrieve.rank import (
    EXACT_NAME,
    MEMBER_NAME_FACTOR,
    MODULE_NAME_FACTOR,
    SAME_NAME_OTHER_CASE,
    Flags,
    Floats,
)
from zerikai_memory.store.view import IndexView
from zerikai_memory.store.words import split_words

# A named file's entities stand above anything that only shares words with the question.
PATH_BOOST = 2.0
# path:line asks for the entity around that line and nothing else.
LINE_BOOST = 4.0
# Stems are asked for again and again, by every line of every card.
STEMS_KEPT = 20_000
# The question is the path alone: the file itself is what is asked for. More than a module loses inside its own file.
WHOLE_FILE_BOOST = 4.0
# Of several files that a path may mean the one whose whole path it is.
WHOLE_PATH_BOOST = 4.0

_SELECTOR_NAME = re.compile(r"[.#]([A-Za-z_][\w-]*)")


class NameTable:
    """Entities of a view by name and by file, built once per view."""

    def __init__(self, view: IndexView) -> None:
        self._view = view
        self._by_name: dict[str, list[int]] = defaultdict(list)
        self._by_folded: dict[str, list[int]] = defaultdict(list)
        self._by_words: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for i, name in enumerate(view.names):
            for spelling in _spellings(name, view.types[i]):
                self._by_name[spelling].append(i)
                self._by_folded[_folded(spelling)].append(i)
            self._by_words[_folded_words(content_words(split_words(name)))].append(i)
        self._by_basename: dict[str, list[int]] = defaultdict(list)
        for f, file in enumerate(view.files):
            self._by_basename[file.path.rsplit("/", 1)[-1].lower()].append(f)
        self._modules = ModuleTable(view)

    def boosts(self, query: Query) -> Floats:
        """[n] boost of every entity that the question names by an identifier or by all words of its name."""
        boost = np.zeros(len(self._view))
        for identifier in query.identifiers:
            for i, value in self._named(identifier).items():
                boost[i] = max(boost[i], value)
            for i in self._modules_of(identifier):
                if query.looked_up:  # as a path that is all of a question: what is in the file is asked for too
                    inside = self._view.file_of == self._view.file_of[i]
                    boost[inside] = np.maximum(boost[inside], EXACT_NAME)
                boost[i] = max(boost[i], MODULE_BOOST if query.looked_up else EXACT_NAME)
        if query.imported:
            bearers = {name: self._by_name.get(name, ()) for name in query.imported.names}
            for i, value in self._modules.boosts(query.imported, bearers).items():
                boost[i] = max(boost[i], value)
        # The question's words are the words of the name: a heading, or a name read aloud.
        for i in self._by_words.get(_folded_words(query.terms), ()):
            base = EXACT_NAME if self._view.types[i] == "section" else SAME_NAME_OTHER_CASE
            boost[i] = max(boost[i], base * self._owner_factor(i, ""))
        return boost

    def places(self, query: Query) -> Floats:
        """[n] boost of every entity at a path, or around a path:line, of the question."""
        boost = np.zeros(len(self._view))
        for mention in query.paths:
            self._add_path(boost, mention, only_path=query.looked_up is not None)
        return boost

    def looked_up(self, query: Query) -> Flags:
        """[n] whether each entity is what the question names; at a path:line those around the line, if any are."""
        found: Flags = self.boosts(query) + self.places(query) > 0
        found = found & ~self.namesakes(query)
        for line in (mention.line for mention in query.paths if mention.line is not None):
            around = found & (self._view.first_lines <= line) & (line <= self._view.end_lines)
            found = around if around.any() else found
        return found

    def namesakes(self, query: Query) -> Flags:
        """[n] whether each entity only has the last name of a dotted name that others bear in full."""
        flags = np.zeros(len(self._view), bool)
        for identifier in query.identifiers:
            owner = identifier.rpartition(".")[0]
            bearing = self._named(identifier) if owner else {}
            modules = self._modules_of(identifier)
            full = [i for i in bearing if self._owner_factor(i, owner) == 1.0] + modules
            if full:
                flags[list(bearing)] = True
                flags[full] = False
                flags[np.isin(self._view.file_of, self._view.file_of[modules])] = False
        return flags

    def lines(self, query: Query) -> Mapping[int, int | None]:
        """{position of the entity around a path:line of the question: that line}."""
        found: dict[int, int | None] = {}
        for mention in query.paths:
            for f in self.files_named(mention.path) if mention.line is not None else ():
                around = innermost(self._view, np.flatnonzero(self._view.file_of == f).tolist(), mention.line or 0)
                if around is not None:
                    found.setdefault(around, mention.line)
        return found

    def modules(self, query: Query) -> list[int]:
        """Positions of the modules of the files that the question names by path."""
        files = [f for mention in query.paths for f in self.files_named(mention.path)]
        inside = np.flatnonzero(np.isin(self._view.file_of, files)).tolist()
        return [i for i in inside if self._view.types[i] == "module"]

    def exact(self, identifier: str) -> list[int]:
        """Positions whose name, or dotted name, is the identifier."""
        return [i for i, value in self._named(identifier).items() if value >= EXACT_NAME * MODULE_NAME_FACTOR]

    def paths_named(self, path: str) -> list[str]:
        """Paths of the index that a spelling stands for, as `files_named` finds them."""
        return [self._view.files[f].path for f in self.files_named(path)]

    def files_named(self, path: str) -> list[int]:
        """File positions whose path ends with `path`, whole folder and file names only."""
        wanted = path.lower()
        if "/" not in wanted:
            return self._by_basename.get(wanted, [])
        ends = "/" + wanted
        found = [f for f in self._by_basename.get(wanted.rsplit("/", 1)[-1], []) if self._path(f).endswith(ends)]
        if found:
            return found
        # An absolute or longer spelling of one of our paths, as in a stack trace.
        return [f for f in self._by_basename.get(wanted.rsplit("/", 1)[-1], []) if ends.endswith(self._path(f))]

    def _modules_of(self, identifier: str) -> list[int]:
        """Modules that a dotted name names in full: `a.b` of a/b.py and of a/b/__init__.py."""
        return self._modules.named(module_parts(identifier)) if "." in identifier.strip(".") else []

    def _path(self, f: int) -> str:
        return "/" + self._view.files[f].path.lower()

    def _named(self, identifier: str) -> Mapping[int, float]:
        found: dict[int, float] = {}
        owner, _, last = identifier.rpartition(".")
        for positions, base in (
            (self._by_folded.get(_folded(last), ()), SAME_NAME_OTHER_CASE),
            (self._by_name.get(last, ()), EXACT_NAME),
        ):
            for i in positions:
                found[i] = base * self._owner_factor(i, owner)
        return found

    def _owner_factor(self, i: int, owner: str) -> float:
        """1 for what the dotted name says in full; less for members that are only meant by their last name."""
        view = self._view
        if owner:
            path = view.files[int(view.file_of[i])].path.rsplit(".", 1)[0].replace("/", ".")
            full = f"{path}.{view.qualified_names[i]}".lower()
            matched = f".{full}".endswith(f".{owner}.{view.names[i]}".lower())
            return 1.0 if matched else MEMBER_NAME_FACTOR * 0.5
        if view.types[i] == "module":
            return MODULE_NAME_FACTOR
        return MEMBER_NAME_FACTOR if "." in view.qualified_names[i] else 1.0

    def _add_path(self, boost: Floats, mention: PathMention, *, only_path: bool) -> None:
        view = self._view
        for f in self.files_named(mention.path):
            inside = np.flatnonzero(view.file_of == f)
            boost[inside] += PATH_BOOST
            if self._path(f) == f"/{mention.path.lower()}":
                boost[inside] += WHOLE_PATH_BOOST
            if mention.line is not None:
                around = innermost(view, inside.tolist(), mention.line)
                if around is not None:
                    boost[around] += LINE_BOOST
            elif only_path:
                boost[[i for i in inside if view.types[i] == "module"]] += WHOLE_FILE_BOOST


class KeywordTable:
    """How many words of a question an entity's name holds, over all entities at once."""

    def __init__(self, view: IndexView) -> None:
        holders: dict[str, list[int]] = defaultdict(list)
        self._lengths = np.ones(len(view))
        for i, name in enumerate(view.qualified_names):
            # A style rule is about what its selectors end in; `.menu a` is no rule for the menu.
            told = " ".join(_ends(view.names[i])) if view.types[i] == "rule" else name or view.names[i]
            stems = {stem(word) for word in split_words(told)}
            self._lengths[i] = max(len(stems), 1)
            for word in stems:
                holders[word].append(i)
        self._holders = {word: np.array(positions) for word, positions in holders.items()}

    def hits(self, terms: Iterable[str]) -> Floats:
        """[n] number of distinct question words in the entity's qualified name."""
        found = np.zeros(len(self._lengths))
        for word in {stem(term) for term in terms}:
            if (positions := self._holders.get(word)) is not None:
                found[positions] += 1
        return found

    def similarity(self, terms: Sequence[str]) -> Floats:
        """[n] cosine of the word sets of question and name: 1 when they are the same words."""
        return self.hits(terms) / np.sqrt(self._lengths * max(len(terms), 1))


@functools.lru_cache(maxsize=STEMS_KEPT)
def stem(word: str) -> str:
    """A word without accents and common English endings, enough to let `parsed` meet `parse`."""
    if not word.isascii():
        word = fold(word)
    for ending, rest in (("ings", ""), ("ing", ""), ("ied", "y"), ("ies", "y"), ("ed", ""), ("es", ""), ("s", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)] + rest
            break
    return word[:-1] if word.endswith("e") and len(word) > 4 else word


def _spellings(name: str, kind: str) -> list[str]:
    """What a name may be asked by: a style rule by the classes and ids it ends in, an element by its id."""
    if kind not in ("rule", "element"):
        return [name]
    return list(dict.fromkeys([name, *(part for end in _ends(name) for part in _SELECTOR_NAME.findall(end))]))


def _ends(selectors: str) -> list[str]:
    """The last part of each selector of a list: what the rule is applied to."""
    return [selector.split()[-1] for selector in selectors.split(",") if selector.split()]


def _folded_words(terms: Iterable[str]) -> tuple[str, ...]:
    return tuple(fold(term) for term in terms)


def _folded(name: str) -> str:
    """A name without its casing style and accents: getUserById, get_user_by_id and GetUserByID are one."""
    return fold("".join(split_words(name)) or name)
