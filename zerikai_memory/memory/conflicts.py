"""Do two records disagree? Rules over their words; both stay, and what the rules say is shown, never acted upon.

Two records are on one subject when they share an anchor or most of their content words. On one subject they disagree
when one denies what the other says, when they name different members of one class of alternatives (databases,
formats, numbers with the same unit), or when they say the opposite by a pair of words. What only says who does it
(the subject in front of the verb) is no disagreement.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from zerikai_memory.model_notes import Note
from zerikai_memory.retrieve.names import stem
from zerikai_memory.store.words import STOP_WORDS

# Shares of the smaller record's content words, stems, without alternatives and polarity words.
SAME_SUBJECT = 0.6
SAME_SUBJECT_ANCHORED = 0.34
# Fewer shared words than this are a coincidence of short sentences.
SHARED_WORDS = 2

_NEGATIONS = frozenset(
    "not never no cannot don't doesn't won't shouldn't mustn't isn't aren't stop avoid without".split()
)
_DENIALS = re.compile(
    r"\b(no longer|do not|does not|must not|should not|is not|are not|never|stop|avoid|don'?t)\b", re.I
)
OPPOSITES: tuple[tuple[str, str], ...] = (
    ("always", "never"), ("enable", "disable"), ("enabled", "disabled"), ("on", "off"), ("allow", "forbid"),
    ("allowed", "forbidden"), ("before", "after"), ("sync", "async"), ("synchronous", "asynchronous"),
    ("true", "false"), ("required", "optional"), ("public", "private"), ("manual", "automatic"),
    ("manually", "automatically"), ("include", "exclude"), ("add", "remove"), ("ascending", "descending"),
    ("daily", "weekly"), ("daily", "hourly"), ("nightly", "weekly"), ("hourly", "weekly"), ("weekly", "monthly"),
    ("client", "server"), ("safe", "unsafe"), ("keep", "delete"), ("sequential", "parallel"), ("eager", "lazy"),
    ("parallel", "sequentially"), ("concurrently", "sequentially"), ("parallel", "serially"), ("parallel", "serial"),
    ("strict", "lenient"), ("mutable", "immutable"), ("opt-in", "opt-out"), ("blocking", "non-blocking"),
)  # fmt: skip
ALTERNATIVES: Mapping[str, frozenset[str]] = {
    name: frozenset(members.split())
    for name, members in {
        "database": "postgres postgresql mysql mariadb sqlite mongodb mongo redis dynamodb oracle cassandra memcached",
        "queue": "kafka rabbitmq sqs nats celery rq",
        "format": "json yaml toml xml csv protobuf msgpack ini parquet",
        "python tool": "pip poetry uv pipenv conda pdm",
        "javascript tool": "npm yarn pnpm bun",
        "python tests": "pytest unittest nose",
        "javascript tests": "jest vitest mocha jasmine playwright cypress",
        "linter": "ruff flake8 pylint black eslint prettier biome",
        "web framework": "flask django fastapi express koa fastify nestjs starlette",
        "front end": "react vue svelte angular solid preact",
        "indent": "tabs spaces",
        "protocol": "rest graphql grpc soap websocket websockets sse polling",
        "authentication": "jwt cookie cookies oauth saml",
        "cloud": "aws gcp azure heroku fly",
        "case": "camelcase snake_case kebab-case pascalcase",
        "hash": "bcrypt argon2 scrypt md5 sha1 sha256",
        "clock": "utc local",
        "merge": "rebase squash merge",
        "branch": "main master develop trunk",
        "day": "monday tuesday wednesday thursday friday saturday sunday",
        "bundler": "webpack vite rollup esbuild parcel",
        "compression": "gzip zstd brotli lz4 snappy",
        "orchestration": "compose kubernetes k8s nomad swarm",
        "file storage": "s3 gcs minio disk filesystem",
        "log level": "debug info warning critical",
        "licence": "mit apache gpl lgpl agpl bsd mpl isc",
        "identifier": "uuid ulid autoincrement serial snowflake",
    }.items()
}
_TOKEN = re.compile(r"[A-Za-z_][\w'-]*|\d+(?:[.,]\d+)*")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_UNITS = re.compile(r"(?P<number>\d+(?:[.,]\d+)*)\s*(?P<unit>%|[A-Za-z]+)?")
_NUMBER_WORDS = {
    word: str(number)
    for number, word in enumerate("two three four five six seven eight nine ten eleven twelve".split(), start=2)
}
_NUMBER_WORD = re.compile(rf"\b({'|'.join(_NUMBER_WORDS)})\b", re.I)
_UNIT_NAMES = {"h": "hour", "hr": "hour", "min": "minute", "s": "second", "sec": "second", "d": "day"}
# "Stage 1" and "stage 2" are two things, not two values.
_NUMBERED = re.compile(r"\b(stage|step|phase|tier|part|chapter|issue|ticket|case|room|team|option) (\d+)\b", re.I)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
# Reasons are not what is claimed.
_REASON = re.compile(r"\b(because|since|so that|due to|otherwise|as it|after we|when we)\b.*", re.I | re.S)
# Words of choosing that say nothing about what is chosen for what.
_NEUTRAL = frozenset(
    stem(word) for word in "decide decided choose chose chosen pick picked prefer kept must be".split()
)
_VERBS = frozenset(
    "is are be use uses using run runs store stores live lives keep keeps must should goes go has have set sets write "
    "writes deploy deploys retry retries return returns listen listens default defaults expire expires".split()
)


@dataclass(frozen=True, slots=True)
class Claim:
    """What a record says, taken apart once: stems, the alternatives it names, whether it denies."""

    tokens: tuple[str, ...]
    stems: frozenset[str]
    members: Mapping[str, frozenset[str]]
    numbers: Mapping[str, frozenset[str]]
    denies: bool
    subject: frozenset[str]


def disagreement(newer: Note, older: Note) -> str | None:
    """Why two live records disagree, in a few words, or None."""
    if newer.outcome and older.outcome:
        return None  # attempts are told apart by their outcomes, and both are worth knowing
    one, two = claim(newer.content), claim(older.content)
    anchored = bool(_places(newer) & _places(older))
    if not _same_subject(one, two, anchored):
        return None
    same_thing = not _names_other_things(one, two)
    for name in one.members.keys() & two.members.keys():
        mine, theirs = one.members[name], two.members[name]
        if same_thing and not mine & theirs and not (one.denies or two.denies):
            return f"{name}: {_listed(mine)} or {_listed(theirs)}"
    for unit in one.numbers.keys() & two.numbers.keys():
        mine, theirs = one.numbers[unit], two.numbers[unit]
        value = unit or (
            _VERBS & set(one.tokens) and _VERBS & set(two.tokens)
        )  # "note 3" is a name, "the size is 3" a value
        if value and same_thing and not mine & theirs and len(mine) == len(theirs) == 1 and _close_wording(one, two):
            return f"{unit or 'number'}: {_listed(mine)} or {_listed(theirs)}"
    for left, right in OPPOSITES:
        a, b = set(one.tokens), set(two.tokens)
        if (left in a and right in b and left not in b and right not in a) or (
            right in a and left in b and right not in b and left not in a
        ):
            return f"{left} or {right}"
    if (
        one.denies != two.denies
        and same_thing
        and _overlap(one.stems, two.stems) >= SAME_SUBJECT
        and not _numbers_differ(one, two)
    ):
        return "one denies what the other says"
    return None


def claim(text: str) -> Claim:
    """Take a record's first sentence without its reason apart."""
    sentence = _REASON.sub("", _SENTENCE.split(text.strip())[0]) or text
    sentence = _NUMBER_WORD.sub(lambda match: _NUMBER_WORDS[match[0].lower()], sentence)
    sentence = _NUMBERED.sub(r"\1_\2", sentence)
    tokens = tuple(match.group().lower() for match in _TOKEN.finditer(sentence))
    classes = {name: frozenset(token for token in tokens if token in members) for name, members in ALTERNATIVES.items()}
    named = {token for found in classes.values() for token in found}
    opposite = {word for pair in OPPOSITES for word in pair}
    content = [
        token
        for token in tokens
        if token not in STOP_WORDS and token not in _NEGATIONS and token not in named and token not in opposite
        and not _NUMBER.fullmatch(token)
    ]  # fmt: skip
    return Claim(
        tokens=tokens,
        stems=frozenset(stem(token) for token in content if len(token) > 1),
        members={name: found for name, found in classes.items() if found},
        numbers=_numbers(sentence),
        denies=bool(_DENIALS.search(sentence)),
        subject=_subject(tokens),
    )


def _same_subject(one: Claim, two: Claim, anchored: bool) -> bool:
    common = _all_members(one) & _all_members(two)  # an alternative that both name is a part of the subject
    mine, theirs = one.stems | common, two.stems | common
    shared = mine & theirs
    needed = 1 if anchored else SHARED_WORDS
    if len(shared) < needed:
        return False
    if not anchored and one.subject - two.subject and two.subject - one.subject:
        return False  # another thing does it
    return _overlap(mine, theirs) >= (SAME_SUBJECT_ANCHORED if anchored else SAME_SUBJECT)


def _all_members(claim: Claim) -> frozenset[str]:
    return frozenset(member for members in claim.members.values() for member in members)


def _names_other_things(one: Claim, two: Claim) -> bool:
    """Whether each has a content word of its own: then they may well speak of two things."""
    neutral = _NEUTRAL | {stem(verb) for verb in _VERBS}
    return bool(one.stems - two.stems - neutral) and bool(two.stems - one.stems - neutral)


def _overlap(one: frozenset[str], two: frozenset[str]) -> float:
    smaller = min(len(one), len(two))
    return len(one & two) / smaller if smaller else 0.0


def _close_wording(one: Claim, two: Claim) -> bool:
    """Numbers need more than a shared subject: most words of both."""
    union = one.stems | two.stems
    return bool(union) and len(one.stems & two.stems) / len(union) >= 0.5


def _numbers_differ(one: Claim, two: Claim) -> bool:
    mine = {n for found in one.numbers.values() for n in found}
    theirs = {n for found in two.numbers.values() for n in found}
    return bool(mine and theirs and not mine & theirs)


def _subject(tokens: tuple[str, ...]) -> frozenset[str]:
    """Stems in front of the first verb we know; empty where there is none, or the sentence begins with it."""
    for i, token in enumerate(tokens):
        if token in _VERBS:
            return frozenset(
                stem(t) for t in tokens[:i] if t not in STOP_WORDS and t not in _NEGATIONS and t not in ("we", "always")
            )
    return frozenset()


def _numbers(sentence: str) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for match in _UNITS.finditer(sentence):
        unit = (match["unit"] or "").lower()
        unit = unit if unit not in STOP_WORDS else ""
        unit = unit.rstrip("s") if len(unit) > 2 else unit
        found.setdefault(_UNIT_NAMES.get(unit, unit), set()).add(match["number"])
    return {unit: frozenset(numbers) for unit, numbers in found.items()}


def _places(note: Note) -> frozenset[tuple[str, str]]:
    return frozenset((anchor.path, anchor.qualified_name) for anchor in note.anchors)


def _listed(words: frozenset[str]) -> str:
    return ", ".join(sorted(words))
