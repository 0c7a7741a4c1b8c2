"""What a transcript's figures add up to: running counters, repeats, copies, forks and summaries counted once."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import astuple, dataclass, field, replace

from zerikai_memory.sessions.formats.spent import Counting, Spent, Tokens, without_cache
from zerikai_memory.store.tape_usage import ResponseRow, ResponseTable

# A response's own record and the counter that holds it too stand within a few lines of each other; so do the lines
# of one response.
MAX_UNMATCHED = 64
# How a response is called whose lines have not told its input.
_BLANK = "at "
_GRADES = {Counting.PART: 1, Counting.MEASURED: 2, Counting.SUMMARY: 3}
Figures = list[int]


@dataclass(slots=True)
class UsageState:
    """What must be known to go on in the middle of a file; lists of figures are in the order of `Tokens`.

    `total` is the running counter as last seen. `records` are responses that it does not hold yet, `steps` parts of
    it whose records were not seen yet. `stretch` numbers the stretches of a session, `parts` is the output of the
    present one by its parts, `reported` what the summaries before it told, by model. `inputs`: of identities that
    several responses may share, what the newest response of each took in; `turns` counts what was put to the agent.
    """

    model: str = ""
    total: Figures | None = None
    records: list[Figures] = field(default_factory=list)
    steps: list[Figures] = field(default_factory=list)
    stretch: int = 0
    parts: int = 0
    reported: dict[str, Figures] = field(default_factory=dict)
    inputs: dict[str, tuple[int, str]] = field(default_factory=dict)
    turns: int = 0


class UsageReader:
    """Books the figures of one file; `scope` tells identities that are unique only within a session apart."""

    def __init__(self, agent: str, state: UsageState, *, forked: bool, scope: str) -> None:
        self._agent = agent
        self._state = state
        self._forked = forked
        self._scope = scope
        self._is_named = True

    def take(self, table: ResponseTable, session: int, place: int, spent: Sequence[Spent]) -> None:
        """Book the figures of one line, which stands at `place` in its file."""
        for number, one in enumerate(spent):
            self._is_named = bool(one.identity)
            named = replace(one, identity=one.identity or f"{session}/{place}/{number}")
            if one.identity and one.weak:
                named = replace(named, identity=self._told_apart(table, session, one))
            if one.counting is Counting.RUNNING:
                self._advance(table, session, named)
            elif one.counting is Counting.RECORD:
                self._record(table, session, named)
            elif one.counting is Counting.SUMMARY:
                self._put(table, session, self._since_last(named))
            elif not one.tokens.empty:
                self._put(table, session, named)
                self._state.parts += (one.tokens.output or 0) if one.counting is Counting.PART else 0
        if any(one.counting is Counting.SUMMARY for one in spent):
            self._end_stretch(table, session, spent)

    def _told_apart(self, table: ResponseTable, session: int, spent: Spent) -> str:
        """The identity of one of the responses that may share an id: by what it took in.

        The lines of one response repeat its input, perhaps after a first one without any; an id that comes again with
        another input after the agent was asked again is another response.
        """
        turn, label = self._state.inputs.pop(spent.identity, (-1, ""))
        figures = _figures(spent.tokens)[:3]
        told = "/".join(map(str, figures)) if any(figures) else f"{_BLANK}{spent.at!r}"
        if not label or turn != self._state.turns:
            label = told
        elif label.startswith(_BLANK) and any(figures):
            table.remove(session, self._key("response", self._scope, f"{spent.identity}/{label}"))
            label = told
        self._state.inputs[spent.identity] = (self._state.turns, label)
        if len(self._state.inputs) > MAX_UNMATCHED:
            del self._state.inputs[next(iter(self._state.inputs))]
        return f"{spent.identity}/{label}"

    def _advance(self, table: ResponseTable, session: int, spent: Spent) -> None:
        """A running counter: what it has grown by. Its own figures identify it, so a fork that replays it is known."""
        total, before = _figures(spent.tokens), self._state.total
        key = self._key("total", *map(str, total))
        self._state.total = total
        if total == before or table.knows(session, key) or table.forgot(session, key, running=True):
            return
        step = _step(total, before, _figures(spent.last) if spent.last else None, forked=self._forked)
        if not any(step):
            return
        if _take_match(self._state.records, step):
            step = [0] * len(step)  # counted by their records; the row only makes a replay known
        else:
            _remember(self._state.steps, step)
        requests = 1 if any(step) else 0
        self._store(table, session, key, replace(spent, tokens=_tokens(step), requests=requests), running=True)

    def _record(self, table: ResponseTable, session: int, spent: Spent) -> None:
        figures = _figures(spent.tokens)
        key = self._key("record", spent.identity, *map(str, figures))  # some servers give every response one id
        if spent.tokens.empty or table.knows(session, key) or (self._is_named and table.forgot(session, key)):
            return
        if _take_match(self._state.steps, figures):
            spent = replace(spent, tokens=Tokens(0, 0, 0, 0, 0), requests=0)
        else:
            _remember(self._state.records, figures)
        self._store(table, session, key, replace(spent, tokens=without_cache(spent.tokens)))

    def _since_last(self, spent: Spent) -> Spent:
        """What a summary tells of its own stretch; some builds add up from the session's start, and the parts show it.

        A summary that takes in earlier ones has at least their figures, and their output beside that of the parts.
        """
        before = self._state.reported.get(spent.model)
        figures = _figures(spent.tokens)
        if before is None or any(now < then for now, then in zip(figures, before, strict=True)):
            return spent
        output, parts = figures[3], self._state.parts
        if not parts or abs(output - before[3] - parts) >= abs(output - parts):
            return spent
        left = [now - then for now, then in zip(figures, before, strict=True)]
        return replace(spent, tokens=_tokens(left, cached=False))

    def _end_stretch(self, table: ResponseTable, session: int, spent: Sequence[Spent]) -> None:
        state = self._state
        if any(not one.tokens.empty for one in spent):
            table.replace_lower(session, state.stretch, _GRADES[Counting.SUMMARY])
        for one in spent:
            if one.counting is Counting.SUMMARY:
                state.reported[one.model] = _figures(one.tokens)
        state.stretch, state.parts = state.stretch + 1, 0

    def _put(self, table: ResponseTable, session: int, spent: Spent) -> None:
        grade = _GRADES.get(spent.counting, 0)
        if grade == _GRADES[Counting.MEASURED]:
            table.replace_lower(session, self._state.stretch, grade)
        own = str(session) if grade else self._scope
        key = self._key("response", own, spent.identity)
        if grade or not (self._is_named and table.forgot(session, key)):
            self._store(table, session, key, spent, grade)

    def _store(
        self, table: ResponseTable, session: int, key: bytes, spent: Spent, grade: int = 0, *, running: bool = False
    ) -> None:
        tokens = spent.tokens
        table.put(
            ResponseRow(
                key=key,
                session=session,
                model=spent.model or self._state.model,
                at=spent.at,
                requests=spent.requests,
                input=tokens.input,
                cache_read=tokens.cache_read,
                cache_write=tokens.cache_write,
                output=tokens.output,
                reasoning=tokens.reasoning,
                cost_usd=spent.cost_usd,
                stretch=self._state.stretch if grade else 0,
                grade=grade,
                running=running,
            )
        )

    def _key(self, *parts: str) -> bytes:
        text = "\0".join((self._agent, *parts)).encode("utf-8", "replace")
        return hashlib.blake2b(text, digest_size=12).digest()


def _step(total: Figures, before: Figures | None, last: Figures | None, *, forked: bool) -> Figures:
    """What a running counter has grown by; one that was set back, or begins in a fork, tells only its last part."""
    fits = last is not None and any(last) and all(part <= whole for part, whole in zip(last, total, strict=True))
    if before is None:
        return last if forked and fits and last else total
    if total[0] < before[0] or total[3] < before[3]:
        return last if fits and last else total
    return [max(0, now - then) for now, then in zip(total, before, strict=True)]


def _take_match(waiting: list[Figures], step: Figures) -> bool:
    """Remove the newest run of waiting figures that add up to `step` in input and output; whether there is one."""
    for end in range(len(waiting), 0, -1):
        given = taken = 0
        for start in range(end - 1, -1, -1):
            given, taken = given + waiting[start][0], taken + waiting[start][3]
            if (given, taken) == (step[0], step[3]):
                del waiting[start:end]
                return True
            if given > step[0] or taken > step[3]:
                break
    return False


def _remember(waiting: list[Figures], figures: Figures) -> None:
    waiting.append(figures)
    del waiting[:-MAX_UNMATCHED]


def _figures(tokens: Tokens) -> Figures:
    return [value or 0 for value in astuple(tokens)]


def _tokens(figures: Figures, *, cached: bool = True) -> Tokens:
    """Figures as tokens; `cached`: the input among them is with what a cache gave or took."""
    tokens = Tokens(*figures)
    return without_cache(tokens) if cached else tokens
