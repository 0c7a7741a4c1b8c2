"""The part of a message that answers a question, with the words that matched marked as `**word**`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from zerikai_memory.store.words import word_places

# With its line of facts, a hit stays within 150 tokens of 4 characters.
SNIPPET_CHARS = 360
MOST_MARKS = 8
# A longer match is marked at its beginning.
MOST_MATCH_CHARS = 80

Stems = Callable[[Sequence[str]], Sequence[tuple[str, ...]]]


@dataclass(frozen=True, slots=True)
class Snippet:
    """The part of a message that is shown, and how many different asked words the whole of it holds."""

    text: str
    words: int


@dataclass(frozen=True, slots=True)
class _Match:
    """A place in a line that the index matched, and the stems it matched by."""

    start: int
    end: int
    stems: frozenset[str]


def snippet(text: str, asked: Sequence[str], stems: Stems, chars: int = SNIPPET_CHARS) -> Snippet:
    """The part of a text, in one line, that holds most of the asked words, these marked.

    `stems` gives the stems of words as the full-text index holds them.
    """
    line = " ".join(text.split())
    found = _matches(line, _telling(asked), stems)
    room = chars - 4 * min(len(found), MOST_MARKS) - 8
    start, end = _window(line, found, room)
    shown = line[start:end]
    for match in reversed(_marked([one for one in found if one.start >= start and one.end <= end])):
        a, b = match.start - start, match.end - start
        shown = f"{shown[:a]}**{shown[a:b]}**{shown[b:]}"
    told = f"{'... ' if start else ''}{shown}{' ...' if end < len(line) else ''}"
    return Snippet(told, len({stem for match in found for stem in match.stems}))


def _telling(asked: Sequence[str]) -> list[str]:
    """The words without lone digits and letters, the parts of a name such as `v2`, unless there are no others."""
    return [word for word in asked if len(word) > 1 or not word.isascii()] or list(asked)


def _matches(line: str, asked: Iterable[str], stems: Stems) -> list[_Match]:
    """Places of the asked words in their order; those that overlap, as pairs of characters do, or touch, are one."""
    wanted = {stem for known in stems(list(asked)) for stem in known}
    # Only what begins alike can have an equal stem; to ask for all words of a message would cost time.
    heads = {stem[:2] for stem in wanted}
    places = [place for place in word_places(line) if place[0][:2] in heads or not place[0].isascii()]
    found: list[_Match] = []
    for (_, start, end), known in zip(places, stems([word for word, _, _ in places]), strict=True):
        told = wanted.intersection(known)
        if not told:
            continue
        while found and not line[found[-1].end : start].strip("_"):  # a joined name stands behind its parts
            last = found.pop()
            start, end, told = min(start, last.start), max(end, last.end), told | last.stems
        found.append(_Match(start, min(end, start + MOST_MATCH_CHARS), frozenset(told)))
    return found


def _window(line: str, found: Sequence[_Match], room: int) -> tuple[int, int]:
    """Where to cut: the part of `room` characters with most different matches, from one blank to another."""
    if len(line) <= room:
        return 0, len(line)
    if not found:
        return 0, _blank_before(line, room, 0)
    first, last = _best_run(found, room)
    start = max(0, min(found[first].start - room // 5, len(line) - room), found[last].end - room)
    end = min(len(line), start + room)
    if start and line[start - 1] != " ":
        blank = line.find(" ", start, found[first].start)
        start = blank + 1 if blank >= 0 else start
    if end < len(line):
        end = _blank_before(line, end, found[last].end)
    return start, end


def _best_run(found: Sequence[_Match], room: int) -> tuple[int, int]:
    """First and last of the matches that fit into the room together and are most different, then most."""
    best, best_score, last = (0, 0), (0, 0), 0
    inside = Counter[str]()
    for first in range(len(found)):
        while last < len(found) and found[last].end - found[first].start <= room:
            inside.update(found[last].stems)
            last += 1
        score = (len(inside), inside.total())
        if score > best_score:
            best, best_score = (first, last - 1), score
        inside -= Counter(found[first].stems)
    return best


def _blank_before(line: str, end: int, least: int) -> int:
    """The end of the last whole word before `end`, at least `least`; `end` where there is no blank."""
    if end >= len(line) or line[end] == " ":
        return end
    blank = line.rfind(" ", least, end)
    return blank if blank > least else end


def _marked(found: Sequence[_Match]) -> list[_Match]:
    """The matches to mark: each word once before any twice."""
    seen = Counter[str]()
    order = []
    for match in found:
        seen.update(match.stems)
        order.append((min(seen[stem] for stem in match.stems), match.start, match))
    return sorted((match for _, _, match in sorted(order, key=lambda one: one[:2])[:MOST_MARKS]), key=lambda m: m.start)
