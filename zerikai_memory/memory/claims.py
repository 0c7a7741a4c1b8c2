"""A record's statements taken apart: its content words and quantities in order, what part each plays, what is denied.

No grammar is parsed. Each word gets a part by the lists of claim_words; what is left over is content. The first
sentence is the first claim, later ones follow; reasons and remarks on how it was decided are dropped.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from zerikai_memory.memory import claim_words as parts
from zerikai_memory.memory.alternatives import ALIASES
from zerikai_memory.memory.quantities import Quantity, quantity_at
from zerikai_memory.retrieve.names import stem

# link: is, =. choice: use. placing: goes. polar, not: turn the sign. scope: limits by itself (since, before).
Part = Literal[
    "content", "quantity", "link", "choice", "placing", "preposition", "determiner", "filler", "polar", "not"
]
# Claims of one record that are compared; a long text tells a story, not a rule.
MOST_CLAIMS = 4
MOST_WORDS = 60


@dataclass(frozen=True, slots=True)
class Token:
    """One word of a claim: `key` is equal for words that mean the same; `scope` marks a limit such as `since`.

    `conditional`: it stands in a clause with when, if, while or which.
    """

    part: Part
    key: str
    word: str
    quantity: Quantity | None = None
    scope: bool = False
    conditional: bool = False

    @property
    def told(self) -> bool:
        """Whether the word says something of its own."""
        return self.part in ("content", "quantity")


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement. `denies`: an odd number of negations; the flags say what kind of statement it is.

    possible: of what can be; several: one of many is told; past: of what was; limited: holds `only` somewhere;
    pronoun: its subject is told elsewhere; listing: a list of things stands before the colon. `rejected`: keys of
    what is not chosen ("X instead of Y"); `keys`: of the content words and quantities.
    """

    tokens: tuple[Token, ...]
    denies: bool
    possible: bool
    several: bool
    past: bool
    limited: bool
    pronoun: bool
    listing: bool
    rejected: frozenset[str]
    keys: frozenset[str]

    @property
    def sought(self) -> frozenset[str]:
        """Keys of which a claim that could disagree shares one; where only a quantity is told, its other words."""
        told = {token.part for token in self.tokens if token.told}
        words = {token.word for token in self.tokens if not token.told} if told == {"quantity"} else set()
        return self.keys | self.rejected | words


_LABEL = re.compile(
    r"^\W*(decision|decided|fact|rule|note|convention|update|reminder|policy|agreed|adr[- ]?\d*|entscheidung|regel|"
    r"décision|decisión)\s*[:\-–]\s+",
    re.IGNORECASE,
)
_PREAMBLE = re.compile(
    r"^.{0,120}?\b(?=(decided|opted|agreed|chose) (on|for)\b)|^.{0,120}?\b(decided|agreed|chose) to\b\s*(?=\w)|"
    r"^.{0,120}?\b(agreed|decided|decision is|decision was|agreement is|rule is|noted|remember|found out|learned|"
    r"turns out|beschlossen|décidé|decidido)\b,? (that|dass|que|daß)\b\s*",
    re.IGNORECASE,
)
_REMARK = re.compile(r"[,(]\s*(as|wie|comme|como) (agreed|decided|discussed|besprochen|convenu|acordado)\b.*", re.I)
_REASON = re.compile(
    r"[,;:(]?\s*\b(because|since (?!v?\d|version|release|last|the (last|new)|(january|february|march|april|may|june|"
    r"july|august|september|october|november|december)\b|\w+ \d)|so that|due to|otherwise|as it|as they|as we|after we|"
    r"when we|weil|damit|sonst|parce qu|car |afin|porque|"
    r"para que)\b.*",
    re.IGNORECASE | re.DOTALL,
)
# Said of how often something is done, not of which one is meant ("the weekly call").
_ADVERB = r"(?=\s*($|[.,;)]|(at|on|in|by|from|for|and|to|um|since|using|with|via)\b))"
_PHRASES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), into)
    for pattern, into in (
        (r"[’‘]", "'"),
        (r"\bcan(no|')t\b", "can not"),
        (r"\bwon't\b", "will not"),
        (r"n't\b", " not"),
        (r"\b(go|going|goes|went) with\b", "use"),
        (r"\b(dropped|drops?|removed?|ended) support (for|of)\b", "not support"),
        (r"\bfrom now on\b|\bas of (now|today)\b|\bab sofort\b", " "),
        (rf"\b(hourly)\b{_ADVERB}", "every 1 hour"),
        (rf"\b(daily|nightly)\b{_ADVERB}", "every 1 day"),
        (rf"\bweekly\b{_ADVERB}", "every 1 week"),
        (rf"\bmonthly\b{_ADVERB}", "every 1 month"),
        (rf"\b(yearly|annually)\b{_ADVERB}", "every 1 year"),
        (r"\b(every|each|once an?|jede|chaque|cada) (second|minute|hour|day|week|month|year)\b", r"every 1 \2"),
        (r"\b(a )?quarter of an hour\b", "15 minutes"),
        (r"\bnot (every|all|each|always|only)\b", "sometimes"),
        (r"\b(do|does|did)? ?not? (?:longer|more|any more)\b|\bnicht mehr\b|\bya no\b", " not"),
        (r"\bstop(s|ped)? (?=\w+ing\b)", "not "),
        (r"\b(kept|keep|keeps|stay|stays) out of\b", "not in"),
        (r"\bn'(?=\w)", "ne "),
        (r"\b([ldjsq]u?)'(?=\w)", r"\1 "),
        (r"\b(turn|turns|turned|switch|switches|switched)( \w+)?( \w+)? off\b", r"disabled\2\3"),
        (r"\b(turn|turns|turned|switch|switches|switched)( \w+)?( \w+)? on\b(?! \w+day)", r"enabled\2\3"),
        (r"\b(is|are|be|stays?|remains?|bleibt|ist|sind)( \w+)? (off|aus)\b(?! (by|at|on) \d)", r"\1\2 disabled"),
        (r"\b(is|are|be|stays?|remains?)( \w+)? on\b(?=\s*($|[.,;!)]|(by|in|while|during|when|for|again)\b))",
         r"\1\2 enabled"),
        (r"\bby default\b|\bstandardmäßig\b|\bpar défaut\b|\bpor defecto\b", " "),
        (r"\bstandard (?:(out|in)put|(err)or)\b(?! \w+s\b)", r"std\1\2"),
        (r"\bcase (in)?sensitive\b", r"case-\1sensitive"),
        (r"\bahead of time\b", "ahead-of-time"),
        (r"\bat (run|build|compile) ?-?time\b", r"\1-time"),
        (r"\bby hand\b|\bvon hand\b|\bà la main\b|\ba mano\b", "manually"),
        (r"\bopt(ed)? (in|out)\b", r"opt-\2"),
        (r"\b(no|nicht|pas) (more|less|later|older) than\b", "max"),
        (r"\b(at least|a minimum of|minimum|minimal|mindestens|au moins|al menos|como mínimo)\b", "min"),
        (r"\b(at most|a maximum of|maximum|maximal|up to|höchstens|au plus|como máximo)\b", "max"),
    )
)  # fmt: skip
_INSTEAD = re.compile(
    r"\b(?:instead of|rather than|statt|anstatt|au lieu de|en vez de|(?P<kept>prefers?(?: \w\S*){1,3}?) over) "
    r"(?P<other>[^,;:.()]+?)"
    r"(?= (?:for|in|as|because|since|when|so|für|pour|para)\b|[,;:.()]|$)",
    re.IGNORECASE,
)
MOST_REJECTED = 3
# "It is safe to ...": nothing is pointed at.
_EXPLETIVE = re.compile(
    r"\W*(it|es|il) (is|ist|est|muss|faut)\b( \w+){1,3} (to|that|zu|dass|de|que)\b|\W*il faut\b", re.I
)
_PERFECT = re.compile(r"\b(have|has) (not |never |already |since )?\w{2,}(ed|en)\b", re.IGNORECASE)
_MARKS = re.compile(r"[`*\"“”„«»]|^\s*[-•#]+\s+|[=~_-]{3,}")
_EXAMPLE = re.compile(r"\b(for (example|instance)|e\.g\.|z\. ?B\.|par exemple|por ejemplo)[,:]?", re.IGNORECASE)
# Code is no statement about a project.
_CODE = re.compile(r"[{};]|=>|::|\w\([^)]*\)\s*=|=\s*[\w.]+\(|^\s*(def|class|import|from|const|return|async)\s")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+|\.\.\.\s*|\s[–—-]\s")
_WORD = re.compile(
    r",|=>|->|→|:=|==?|:(?=\s|$)|\d+(?:[.,:]\d+)*[a-zµ%€$]*|%|€|\$|/(?=\s)|[^\W\d_][\w.+#/&'-]*|[-]{1,2}[a-z][\w-]*|_\w+"
)
_SIGNS = frozenset(("=>", "->", "→", ":=", "=", "==", ":"))
# "MIT", "ES" and "IT" are names; in capitals "NOT" and "MUST" are still themselves.
_SHOUTED_NAMES = (parts.PREPOSITIONS | parts.DETERMINERS | parts.PRONOUNS | parts.LINKS) - frozenset(
    "is are be".split()
)
_YEAR = re.compile(r"(19|20)\d\d")


@functools.lru_cache(maxsize=4_096)
def claims(text: str) -> tuple[Claim, ...]:
    """The statements of a text, the main one first."""
    sentences = [part for part in _SENTENCE.split(_plain(text)) if part.strip()]
    found = [_claim(sentence) for sentence in sentences[: 2 * MOST_CLAIMS] if not _CODE.search(sentence)]
    return tuple(claim for claim in found if claim.keys)[:MOST_CLAIMS]


def _plain(text: str) -> str:
    """Without marks of Markdown and without what only introduces an example."""
    return _EXAMPLE.sub(" ", _MARKS.sub(" ", text.strip()))


def _claim(sentence: str) -> Claim:
    sentence = _LABEL.sub("", sentence.strip())
    sentence = _PREAMBLE.sub("", sentence)
    chosen = _INSTEAD.sub(lambda match: match["kept"] or " ", sentence)
    short = _REASON.sub("", _REMARK.sub("", chosen))
    for pattern, into in _PHRASES:
        short = pattern.sub(into, short)
    words = [word if word in _SIGNS else word.rstrip(".'-/") for word in _WORD.findall(short)][:MOST_WORDS]
    words = [word for word in words if word]
    words = _without_told_reason(words)
    tokens = tuple(_tokens(words))
    spoken = {token.word for token in tokens}
    denied = sum(token.part == "not" or (token.part == "polar" and parts.POLAR[token.word] < 0) for token in tokens)
    return Claim(
        tokens=tokens,
        denies=denied % 2 == 1,
        possible=bool(spoken & parts.POSSIBLE) or words[:1] in (["To"], ["to"], ["Um"], ["Pour"], ["Para"]),
        several=bool(spoken & parts.SEVERAL),
        past=bool(spoken & (parts.PAST | parts.PAST_LINKS))
        or _begins_in_the_past(words)
        or bool(_PERFECT.search(short)),
        limited=bool(spoken & parts.ONLY),
        pronoun=bool(tokens) and tokens[0].word in parts.PRONOUNS and not _EXPLETIVE.match(short),
        listing=_lists(tokens),
        rejected=_rejected(sentence),
        keys=frozenset(token.key for token in tokens if token.told),
    )


def _rejected(sentence: str) -> frozenset[str]:
    """Keys of the name behind `instead of`, up to three words."""
    match = _INSTEAD.search(sentence)
    if match is None:
        return frozenset()
    words = [word.rstrip(".'-/") for word in _WORD.findall(match["other"])]
    return frozenset(token.key for token in _tokens([word for word in words if word][:MOST_REJECTED]) if token.told)


def _without_told_reason(words: list[str]) -> list[str]:
    """`Chose Godot: two know it`: what follows a statement and a colon is its reason."""
    if ":" in words:
        at = words.index(":")
        if any(word.lower() in parts.CHOICES for word in words[:at]):
            return words[:at]
    return words


def _is_past(words: Sequence[str], tokens: Sequence[Token], sentence: str) -> bool:
    """Whether something is told that happened or was so once; a choice that was made stands."""
    spoken = {token.word for token in tokens}
    if any(token.part == "choice" for token in tokens):
        return bool(spoken & (parts.PAST - parts.DID))
    return bool(spoken & (parts.PAST | parts.PAST_LINKS) or _begins_in_the_past(words) or _PERFECT.search(sentence))


def _begins_in_the_past(words: Sequence[str]) -> bool:
    first = words[0].lower() if words else ""
    return (
        len(first) > 4
        and first.endswith("ed")
        and first not in parts.CHOICES | parts.POLAR.keys()
        and (len(words) < 2 or words[1].lower() in parts.DETERMINERS)
    )


def _lists(tokens: Sequence[Token]) -> bool:
    """Whether things in the plural stand before a colon: what follows is one of them."""
    for i, token in enumerate(tokens):
        if token.key == "=" and token.word == ":":
            before = [t for t in tokens[:i] if t.part == "content"]
            polar = any(t.part == "polar" for t in tokens[:i])
            return bool(before) and (
                polar or (before[-1].word.endswith("s") and not before[-1].word.endswith(("ss", "us", "is")))
            )
    return False


def _plural(word: str) -> bool:
    return word.endswith("s") and not word.endswith(("ss", "us", "is"))


def _tokens(words: list[str]) -> list[Token]:
    found: list[Token] = []
    conditional = False
    at = 0
    while at < len(words):
        quantity = quantity_at(words, at)
        if quantity is not None:
            found.append(
                Token(
                    "quantity", quantity[0].key, words[at].lower(), quantity[0], scope=bool(_YEAR.fullmatch(words[at]))
                )
            )
            at += quantity[1]
            continue
        word = words[at]
        lower = word.lower()
        if word == ",":
            conditional = False
            at += 1
            continue
        conditional = conditional or lower in parts.CONDITIONS
        token = _token(word, lower, first=at == 0, following=words[at + 1].lower() if at + 1 < len(words) else "")
        if token.part in ("not", "polar") and conditional:
            # What a condition denies belongs to the condition.
            token = Token("content", token.part if token.part == "not" else lower, lower)
        found.append(replace(token, conditional=conditional))
        at += 1
    return found


def _token(word: str, lower: str, *, first: bool, following: str) -> Token:
    if len(word) == 1 and word.isupper() and not (first and lower in "ai") and lower != "i":
        return Token("content", f"name {word}", lower)
    if word in _SIGNS:
        return Token("link", "=", word)
    if lower == "go" and word[0].isupper() and not first:
        return Token("content", lower, lower)  # the language
    if len(word) > 1 and word.isupper() and lower in _SHOUTED_NAMES:
        return Token("content", lower, lower)
    if lower in parts.NEGATIONS:
        return Token("not", "not", lower, scope=lower in parts.SCOPE_PREPOSITIONS)
    if lower in parts.POLAR:
        return Token("polar", "polar", lower)
    key = ALIASES.get(lower, lower)
    if key in ("before", "after") or lower in parts.SCOPE_CONTENT:
        return Token("content", key, lower, scope=True)
    if lower in parts.LINKS or lower in parts.PAST_LINKS:
        return Token("link", "is", lower)
    if lower in parts.CHOICES and (lower not in parts.CHOICES_WITH_TO or following in ("to", "zu", "à", "a")):
        return Token("choice", "use", lower)
    if lower in parts.DETERMINERS:
        return Token("determiner", "", lower)
    if lower in parts.PREPOSITIONS:
        return Token("preposition", lower, lower, scope=lower in parts.SCOPE_PREPOSITIONS)
    if lower in parts.LIGHT_PLACING:
        return Token("placing", "", lower)
    if lower in parts.FILLERS or lower in parts.POSSIBLE or lower in parts.PRONOUNS:
        return Token("filler", "", lower)
    return Token("content", key if key != lower else _root(lower), lower)


def _root(word: str) -> str:
    """Equal for `wrap` and `wrapped`."""
    root = stem(word)
    return root[:-1] if len(root) > 3 and root[-1] == root[-2] and root[-1] not in "ls" else root
