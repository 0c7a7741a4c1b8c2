"""Reading broken source: after an error that swallowed a definition, parsing starts again at its line."""

from __future__ import annotations

from contextlib import suppress

from zerikai_memory.lang.deadline import Deadline, Late
from zerikai_memory.lang.engine import Reading, error_ranges, read
from zerikai_memory.lang.spec import Draft, LanguageSpec
from zerikai_memory.lang.text import Source

MAX_RESTARTS = 50  # each costs a parse of the rest of the file; beyond that a file is not source
RESTART_S = 2.0  # for all of them; a bad file must not cost more than a large one


def read_recovering(spec: LanguageSpec, source: Source, deadline: Deadline) -> Reading:
    """Like `engine.read`, but definitions at column 0 that an error swallowed are found too.

    Raises Late only if the first reading is; later ones just end the recovery.
    """
    whole = read(spec, source, deadline)
    if whole.broken and spec.resume is not None:
        starts = []
        for match in spec.resume.finditer(source.data):
            deadline.check()
            starts.append(match.start())
        with suppress(Late):
            _recover(spec, source, whole, starts, deadline.sooner(RESTART_S))
    return whole


def _recover(spec: LanguageSpec, source: Source, whole: Reading, starts: list[int], deadline: Deadline) -> None:
    part, base = whole, 0
    for _ in range(MAX_RESTARTS):
        lost = _first_lost(starts, whole.drafts, part, base, deadline)
        if lost is None:
            break
        part = read(spec, Source(source.data[lost:]), deadline)
        base = lost
        starts = [start for start in starts if start > lost]
        _splice(whole, part, lost, source)


def _first_lost(starts: list[int], drafts: list[Draft], part: Reading, base: int, deadline: Deadline) -> int | None:
    """Offset of the first line at column 0 that should be a top-level definition and is not.

    One sweep over starts, definitions and errors, all ascending.
    """
    errors = [(start + base, end + base) for start, end in error_ranges(part.tree, deadline)]
    if not errors:
        return None
    later = [draft for draft in drafts if draft.end > base]
    heads = sorted((draft.outer_start, draft.start) for draft in later)
    spans = sorted((draft.start, draft.end) for draft in later)
    root = part.tree.root_node
    covered_to = swallowed_to = head_to = -1
    head = span = error = 0
    for at in starts:
        deadline.check()
        while head < len(heads) and heads[head][0] <= at:
            head_to = max(head_to, heads[head][1])
            head += 1
        while span < len(spans) and spans[span][0] < at:
            covered_to = max(covered_to, spans[span][1])
            span += 1
        while error < len(errors) and errors[error][0] <= at:
            swallowed_to = max(swallowed_to, errors[error][1])
            error += 1
        if at >= errors[0][0] and (covered_to > at or (swallowed_to > at and head_to < at)):
            leaf = root.descendant_for_byte_range(at - base, at - base)
            if leaf is None or ("string" not in leaf.type and "comment" not in leaf.type):
                return at
    return None


def _splice(whole: Reading, part: Reading, at: int, source: Source) -> None:
    """Replace what `whole` says about the bytes from `at` by `part`, whose offsets count from there."""
    kept = [draft for draft in whole.drafts if draft.outer_start < at]
    end = len(source.data[:at].rstrip())
    for draft in kept:
        if draft.end > end:
            draft.end = max(end, draft.start + 1)
            # The head may have run on as well; its first line is what can be trusted.
            draft.signature = source.slice(draft.start, draft.end).partition("\n")[0].strip()
    part.shift(at)
    whole.drafts = kept + part.drafts
    whole.mentions = [mention for mention in whole.mentions if mention.at < at] + part.mentions
