"""Card texts: what of an entity or a file is embedded (path and name words, signature, docstring).

The first line is the title, which the static table counts twice. Bodies belong to full-text search: in the
vector they do not help (model card), but a module or a constant has little else to say and brings some code.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from zerikai_memory.model import CodeEntity, EntityType

# Part of every embedder's fingerprint: raise it when a text below changes; vectors are then made anew.
CARD_FORMAT = 1

DOCSTRING_CHARS = 500
CODE_CHARS = 400
FILE_DOCSTRING_CHARS = 600
# The encoder reads 256 sub-words; a file of thousands of names need not be joined whole.
FILE_NAMES_CHARS = 8_000

_WORD = re.compile(r"[^\W\d_]+|\d+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_LICENCE = re.compile(r"copyright|licen[cs]e|SPDX", re.IGNORECASE)
_WITH_CODE = frozenset({EntityType.MODULE, EntityType.CONSTANT})


def entity_card(entity: CodeEntity, body: str) -> str:
    """Text to embed for an entity: path words, kind, name words; signature; docstring; a constant's code."""
    names = (_path_words(entity.file_path), entity.entity_type.value, split_words(entity.qualified_name))
    parts = [" ".join(filter(None, names)), entity.signature, (entity.docstring or "")[:DOCSTRING_CHARS]]
    if entity.entity_type in _WITH_CODE:
        parts.append(body[:CODE_CHARS])
    return "\n".join(filter(None, parts))


def file_card(path: str, leading_text: str | None, qualified_names: Iterable[str]) -> str:
    """Text to embed for a file: path words, module docstring or leading comment, names of what it defines.

    `qualified_names` are those of entities not local to a function; a licence header is left out.
    """
    text = (leading_text or "")[:FILE_DOCSTRING_CHARS]
    if _LICENCE.search(text):
        text = ""
    names: list[str] = []
    room = FILE_NAMES_CHARS
    for name in qualified_names:
        if room <= 0:
            break
        names.append(split_words(name))
        room -= len(names[-1]) + 1
    return "\n".join(filter(None, (_path_words(path), text, " ".join(names))))


def split_words(identifier: str) -> str:
    """Words of an identifier or path: split at camelCase, snake_case and punctuation, joined by spaces."""
    return " ".join(word for part in _WORD.findall(identifier) for word in _CAMEL.split(part))


def _path_words(path: str) -> str:
    """Words of a path without its extension."""
    folder, slash, name = path.rpartition("/")
    stem = name.rpartition(".")[0] or name
    return split_words(folder + slash + stem)
