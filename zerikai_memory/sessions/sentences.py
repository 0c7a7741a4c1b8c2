"""A message as sentences that somebody said in prose: without code, quotes, tables, lists' marks and filler. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

MOST_SENTENCE_CHARS = 400
# Text that is broken at a width has lines of about this length.
LEAST_WRAPPED_CHARS, MOST_WRAPPED_CHARS = 55, 130
_FENCE = re.compile(r"(?ms)^[ \t]*(```|~~~).*?(?:^[ \t]*\1[^\S\n]*$|\Z)")
# Words of others: they are no decision of those who talk.
_QUOTED = re.compile(
    r'"[^"\n]*\s[^"\n]*"|“[^”\n]*\s[^”\n]*”|„[^“”\n]*\s[^“”\n]*[“”]|«[^»\n]*\s[^»\n]*»|「[^」\n]{4,}」'
    r"|(?<!\w)'[^'\n]{12,}'(?!\w)"
)
_NO_PROSE = re.compile(r"^\s*(?:>|\||#|[+-]{3}|\$ |\w+@\w+[:~]|\d{4}-\d\d-\d\d[T ]\d|at \S+\(|File \")")
_LIST_MARK = re.compile(r"^\s*(?:[-*+•]|\d{1,2}[.)])\s+(?:\[[ x]\]\s+)?")
# Not inside of code: `__init__` is a name.
_EMPHASIS = re.compile(r"(`+[^`]*`+)|\*\*|__|(?<!\w)[*_](?=\w)|(?<=[\w.!?])[*_](?!\w)")
# Not after "e.g." or "v1." and not inside of names and numbers.
_END = re.compile(
    r"(?<=[.!?…])(?<!\b[eE]\.g\.)(?<!\bi\.e\.)(?<!\bz\.B\.)(?<!\bvs\.)(?<!\betc\.)(?<!\s\.\.\.)[\"')”]*\s+|(?<=[。！？])"
)
_FILLER = re.compile(
    r"^(?:(?:ok(?:ay)?|alright|all right|right|so|well|great|perfect|good|nice|yes|yep|yeah|thanks|thank you|cool|then"
    r"|and|but|also|actually|finally|in the end|anyway|hm+|done|update|fine|sure|understood|got it|sounds good"
    r"|makes sense|no(?=[,.!:;])|unfortunately|sadly|luckily|fortunately|tl;?dr"
    r"|gut|also|dann|ja|bon|alors|oui|bueno|vale|entonces|ok)\b[,.!:;…–—-]*\s+)+(?=\S)",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"(?:[,;:–—-]\s*|\s)(?:because|since|so that|due to|otherwise|as it|as they|weil|denn|da es|parce que|car |puisque"
    r"|porque|ya que|потому)\b.*"
    r"|因为.*|ので.*",
    re.IGNORECASE | re.DOTALL,
)
GIVES_REASON = re.compile(
    r"^(?:because|(?:the\s+)?reasons?\b|otherwise|rationale|why:|weil|grund|begründung|parce que|raison|porque|motivo"
    r"|因为|理由|причина)",
    re.IGNORECASE,
)


def prose_sentences(text: str, foreign: Callable[[str], bool] = lambda line: False) -> Iterator[str]:
    """The sentences of a message in its order, each in one line, words of others as a pair of empty quotes.

    After a line that `foreign` knows as leading to words of others nothing is the speaker's own, up to a heading.
    """
    text = _FENCE.sub("\n", text) if "```" in text or "~~~" in text else text
    own = True
    for line in _unwrapped(text.split("\n")):
        own = own or line.lstrip().startswith("#")
        if not own or not line.strip() or _NO_PROSE.match(line):
            continue
        own = not foreign(line.strip())
        line = _EMPHASIS.sub(r"\1", _LIST_MARK.sub("", line))
        for part in _END.split(_QUOTED.sub('""', line)):
            sentence = " ".join(part.split())
            if 4 <= len(sentence) <= MOST_SENTENCE_CHARS and _is_prose(sentence):
                yield sentence


def _unwrapped(lines: Sequence[str]) -> Iterator[str]:
    """The lines, those that were broken at a width put together again."""
    whole = ""
    for line in lines:
        if whole and _goes_on(whole, line):
            whole = f"{whole.rstrip()} {line.strip()}"
            continue
        if whole:
            yield whole
        whole = line
    yield whole


def _goes_on(line: str, following: str) -> bool:
    """Whether a line was broken at a width before the one that follows: it is long and ends within a sentence."""
    last, first = line.rstrip()[-1:], following.strip()[:1]
    wide = len(line) >= LEAST_WRAPPED_CHARS and len(following) <= MOST_WRAPPED_CHARS
    inside = last not in ".!?:;|>。！？" and (first.islower() or first in "`(\"'" or first.isdigit())
    return wide and inside and not _NO_PROSE.match(line) and not _NO_PROSE.match(following)


def without_filler(sentence: str) -> str:
    """The sentence without the "OK, so" in front of it, beginning with a capital letter."""
    kept = _FILLER.sub("", sentence).strip() or sentence
    return kept[:1].upper() + kept[1:]


def without_reason(sentence: str) -> str:
    """What is claimed, without why."""
    return _REASON.sub("", sentence)


def _is_prose(sentence: str) -> bool:
    """Not a log line, a path or a piece of code."""
    letters = sum(character.isalpha() or character == " " for character in sentence)
    return letters >= 0.6 * len(sentence)
