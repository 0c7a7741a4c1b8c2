"""Card texts: what of an entity or a file is embedded (path and name words, signature, docstring).

The first line is the title, which the static table counts twice. Bodies belong to full-text search: in the
vector they do not help (model card), but a module or a constant has little else to say and brings some code.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from zerikai_memory.model import CodeEntity, EntityType

# Part of every embedder's fingerprint: raise it when a text below changes; vectors are then made anew.
CARD_FORMAT = 2

DOCSTRING_CHARS = 500
CODE_CHARS = 400
FILE_DOCSTRING_CHARS = 600
# What a file's members say of themselves, first sentences: prose is nearer to a question in other words than names are.
# Right file among ten by minilm's vectors, for 160 questions that share no word with it: .56 without, .61 with it;
# in the whole ranking 108 and 112 of them.
FILE_SENTENCES_CHARS = 600
SENTENCE_CHARS = 200
# The encoder reads 256 sub-words; a file of thousands of names need not be joined whole.
FILE_NAMES_CHARS = 8_000

_WORD = re.compile(r"[^\W\d_]+|\d+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s|\n\s*\n")
_LICENCE = re.compile(r"copyright|licen[cs]e|SPDX", re.IGNORECASE)
_WITH_CODE = frozenset({EntityType.MODULE, EntityType.CONSTANT})


def entity_card(entity: CodeEntity, body: str) -> str:
    """Text to embed for an entity: path words, kind, name words; signature; docstring; a constant's code."""
    names = (_path_words(entity.file_path), entity.entity_type.value, split_words(entity.qualified_name))
    parts = [" ".join(filter(None, names)), entity.signature, (entity.docstring or "")[:DOCSTRING_CHARS]]
    if entity.entity_type in _WITH_CODE:
        parts.append(body[:CODE_CHARS])
    return "\n".join(filter(None, parts))


def file_card(path: str, leading_text: str | None, qualified_names: Iterable[str], docstrings: Iterable[str]) -> str:
    """Text to embed for a file: path words, module docstring or leading comment, what its members say, their names.

    `docstrings` are its entities', `qualified_names` those of entities not local to a function; a licence header is
    left out.
    """
    text = (leading_text or "")[:FILE_DOCSTRING_CHARS]
    if _LICENCE.search(text):
        text = ""
    sentences = _joined(map(_first_sentence, docstrings), FILE_SENTENCES_CHARS)
    names = _joined(map(split_words, qualified_names), FILE_NAMES_CHARS)
    return "\n".join(filter(None, (_path_words(path), text, sentences, names)))


def _joined(parts: Iterable[str], room: int) -> str:
    """Parts until `room` characters are used; the last one may go over."""
    taken: list[str] = []
    for part in parts:
        if room <= 0:
            break
        taken.append(part)
        room -= len(part) + 1
    return " ".join(taken)


def _first_sentence(docstring: str) -> str:
    sentence = _SENTENCE_END.split(docstring.strip()[: SENTENCE_CHARS * 2], maxsplit=1)[0]
    return " ".join(sentence[:SENTENCE_CHARS].split())


def split_words(identifier: str) -> str:
    """Words of an identifier or path: split at camelCase, snake_case and punctuation, joined by spaces."""
    return " ".join(word for part in _WORD.findall(identifier) for word in _CAMEL.split(part))


def _path_words(path: str) -> str:
    """Words of a path without its extension."""
    folder, slash, name = path.rpartition("/")
    stem = name.rpartition(".")[0] or name
    return split_words(folder + slash + stem)
