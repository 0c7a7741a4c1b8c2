"""What to say of a path in a question that no file of the index has, or of a line that its file does not have."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from zerikai_memory.lang.registry import language_of
from zerikai_memory.retrieve.cite import WorkingFile
from zerikai_memory.retrieve.names import NameTable
from zerikai_memory.retrieve.query import Query, clean_path, paths_written
from zerikai_memory.store.view import IndexView

# Files that projects have and the index does not read; `response.json` may be a method as well.
_UNREAD = frozenset("json toml yaml yml lock txt cfg ini xml svg png sh sql csv env rst map".split())
# `Node.js` and `vue.js` are names of things.
_BRANDS = frozenset({"js"})
# How alike the name of a file must be to be offered for one that is not there.
ALIKE = 0.75

Read = Callable[[str], WorkingFile]


def nowhere(path: str) -> WorkingFile:
    """No disk is looked at: nothing is on it."""
    return WorkingFile(path, None, None, missing=True)


def unplaced(view: IndexView, names: NameTable, query: Query, read: Read) -> tuple[str, ...]:
    """What is wrong with each path of the question that no entity is at; `read` gives a file of the project's folder.

    A word that only has the shape of a path is passed over.
    """
    said = []
    for mention in query.paths:
        if mention.line is None or names.lines(replace(query, paths=(mention,))):
            continue
        where = f"{mention.path}:{mention.line}"
        if files := names.files_named(mention.path):
            last = max(int(view.end_lines[view.file_of == f].max(initial=0)) for f in files)
            said.append(f"{where}: the file has {last} lines")
        else:
            said.append(_absent(view, where, mention.path, read))
    said += _taken_for(view, names, query)
    # `copy).py:1` may be the end of a path with blanks.
    with_lines = tuple(mention.path for mention in query.paths if mention.line is not None)
    for path in dict.fromkeys(_unknown(names, query)):
        if not any(known.endswith(path) for known in with_lines) and (
            _is_meant(names, query, path) or read(path).content is not None
        ):
            said.append(_absent(view, path, path, read))
    return tuple(said)


def _taken_for(view: IndexView, names: NameTable, query: Query) -> Iterator[str]:
    """Relative paths of which only the file's name is in the project; an absolute one has folders of elsewhere."""
    text = query.text.replace("\\", "/")
    for path in dict.fromkeys(mention.path for mention in query.paths if re.match(r"[^:]+/", mention.path)):
        files = [view.files[f].path for f in names.files_named(path)]
        if files and not any("/" in file for file in files) and f"/{path}" not in text.replace(f"./{path}", path):
            yield f"{path}: no such file is in the index; taken for {files[0]}"


def _unknown(names: NameTable, query: Query) -> Iterator[str]:
    """Texts of the question that may be a path and are none of the index."""
    if query.frames:
        return
    alone = query.text.strip(" `'\"?") if len(query.text.split()) == 1 else ""
    written = (path for path in (*paths_written(query.plain), alone) if path and "://" not in path)
    for path in map(clean_path, written):
        if path and f"://{path}" not in query.text and not names.files_named(path) and not names.exact(path):
            yield path


def _is_meant(names: NameTable, query: Query, path: str) -> bool:
    """Whether it cannot but be meant as the path of a file."""
    name, _, suffix = path.rpartition(".")
    alone = query.text.strip(" `'\"?").removeprefix("./") == path
    if language_of(path):
        return alone or "/" in name or suffix.lower() not in _BRANDS
    return alone and suffix.lower() in _UNREAD and not names.exact(suffix)


def _absent(view: IndexView, where: str, path: str, read: Read) -> str:
    if read(path).content is not None:
        why = "it is ignored, unreadable or newer than the last scan" if language_of(path) else "its kind is not read"
        return f"{where}: the file is there, but not in the index: {why}"
    near = _near(view, path)
    return f"{where}: no such file is in the index" + (f"; {near} is" if near else "")


def _near(view: IndexView, path: str) -> str:
    """The indexed path whose name is most alike, of these the one whose folders are; nothing where none is."""
    by_name: dict[str, list[str]] = {}
    for file in view.files:
        by_name.setdefault(file.path.rsplit("/", 1)[-1], []).append(file.path)
    names = difflib.get_close_matches(path.rsplit("/", 1)[-1], by_name, 1, ALIKE)
    return next(iter(difflib.get_close_matches(path, by_name[names[0]], 1, 0.0)), "") if names else ""
