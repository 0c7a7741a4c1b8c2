"""An answer without a model: the best entities and notes, quoted and cited."""

from __future__ import annotations

from collections.abc import Sequence

from zerikai_memory.model import BriefSection, CodeEntity, Hit, Note
from zerikai_memory.retrieve.pack import first_paragraph

_STATE_WORDS = {
    "moved": "the file has changed since the scan; the lines are today's",
    "changed": "its text has changed since the scan; the lines are today's",
    "stale": "the file has changed since the scan and this could not be found again in it",
    "gone": "no longer in the working files",
}
_ANCHOR_WORDS = {
    "moved": "moved since",
    "changed": "changed since",
    "gone": "gone since",
    "unknown": "not been checked",
}
MAX_SUMMARY_CHARS = 160
# Of a record or an entity that is only named as the nearest.
MAX_NEAREST_CHARS = 90


def extractive_answer(
    cited: Sequence[tuple[Hit, CodeEntity]], notes: Sequence[Note], sections: Sequence[BriefSection] = ()
) -> str:
    """The brief's sections that were asked for; a line per hit: what, where, and its first words; then the notes."""
    lines = [f"{section.name} (brief):\n{section.text}\n" for section in sections]
    lines += [_hit_line(hit, entity) for hit, entity in cited]
    lines += [_note_line(note) for note in notes]
    return "\n".join(lines)


def nothing_relevant_answer(nearest: Sequence[Hit], notes: Sequence[Note] = ()) -> str:
    """An honest no, with the nearest names and records so that the reader can judge and ask again."""
    # A style sheet's rule is named by all its selectors.
    names = [f"{_cut(hit.qualified_name or hit.name, MAX_NEAREST_CHARS)} ({hit.file_path})" for hit in nearest]
    return "Nothing relevant was found in this workspace." + _too_far([*names, *map(_named, notes)])


def no_note_answer(category: str, nearest: Sequence[Note]) -> str:
    """That no record of a category answers, with the nearest of them."""
    return f"No note of category {category!r} answers this." + _too_far([_named(note) for note in nearest])


def _too_far(names: Sequence[str]) -> str:
    return f" The nearest, too far to be cited: {', '.join(names)}." if names else ""


def _named(note: Note) -> str:
    """A record by its id and first words; not in the form of a citation, for it is none."""
    return f'record {note.id} ({note.category}: "{_cut(" ".join(note.content.split()), MAX_NEAREST_CHARS)}")'


def _note_line(note: Note) -> str:
    """Outcome first: before a fix it is what the reader needs to know."""
    line = f"note:{note.id} ({note.category}): {f'[{note.outcome}] ' if note.outcome else ''}{note.content}"
    marks = [f"{anchor.label} has {_ANCHOR_WORDS[anchor.state]}" for anchor in note.anchors if anchor.state != "fresh"]
    marks += [f"disagrees with note:{id}" for id in note.conflicts]
    return f"{line} [{'; '.join(marks)}]" if marks else line


def _hit_line(hit: Hit, entity: CodeEntity) -> str:
    where = f"{hit.file_path}:{hit.start_line}-{hit.end_line}"
    summary = _summary(entity)
    line = f"{hit.qualified_name or hit.name} ({hit.entity_type}, {where})" + (f": {summary}" if summary else "")
    return f"{line} [{hit.state}: {_STATE_WORDS[hit.state]}]" if hit.state in _STATE_WORDS else line


def _summary(entity: CodeEntity) -> str:
    text = first_paragraph(entity.docstring) if entity.docstring else " ".join(entity.signature.split())
    return _cut(text, MAX_SUMMARY_CHARS)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[:most].rsplit(" ", 1)[0] + " ..."
