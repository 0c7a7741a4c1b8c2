"""Questions that name nothing: thanks!, who are you, why does it not work. No search can answer them."""

from __future__ import annotations

import re

from zerikai_memory.retrieve.foreign import fold, function_words, language_of_question
from zerikai_memory.retrieve.query import Query
from zerikai_memory.store.words import STOP_WORDS

WHAT_TO_ASK = (
    "It names nothing to look for: name a function, class or file, say in a few words what the code does, or ask "
    "for the project's architecture, conventions or tests."
)

# Said to somebody, in any question.
_SAID = frozenset(
    "thanks thank thx ty cheers hello hi hey howdy bye goodbye please pls ok okay yes yeah yep no nope really "
    "sorry wow lol huh great cool nice good morning evening danke hallo bitte ja nein tschuss merci bonjour "
    "salut oui non gracias hola adios obrigado obrigada ola sim grazie ciao prego bedankt dank hoi nee спасибо "
    "привет пожалуйста да нет".split()
)
# Say nothing beside function words, but may be the name of something alone, or with a name for it.
_LIGHT = frozenset(
    "up again not never now just only very still even also too here more much many else about like think want "
    "wants know tell show give explain help work works working worked go going goes went come do doing done "
    "happen happens happened happening wrong broken slow fix look see get got say said mean means understand "
    "try tried thing things stuff something anything everything nothing one way question answer mind robot bot "
    "human ai ll re ve d m s t don doesn didn isn aren wasn won couldn wouldn because funktioniert geht kaputt "
    "bist bin marche fonctionne funciona eres soy werkt funziona работает".split()
)
_UNSPACED = re.compile(
    "谢谢|謝謝|感谢|你好|您好|你是谁|再见|好的|为什么不行|怎么办|ありがとう(?:ございます)?|こんにちは|あなたは誰(?:ですか)?|すみません|"
    "감사합니다|고마워(?:요)?|안녕(?:하세요)?|누구세요|도와주세요"
)
_WORD = re.compile(r"[^\W_]+")
_NUMBER = re.compile(r"\W*(\d+(?:[.,]\d+)*)\W*", re.ASCII)
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")


def number_alone(query: Query) -> str:
    """The number that is all of a question: what is near in meaning to 42 says nothing, only what holds it does."""
    match = _NUMBER.fullmatch(query.plain)
    return match[1] if match and not (query.phrases or query.code or query.paths or query.frames) else ""


def names_nothing(query: Query) -> bool:
    """Whether a question has only words that are no name of anything: a single real word or a number is one."""
    if query.filters or query.phrases or query.code or query.paths or query.frames or not query.plain:
        return False
    if _CJK.search(query.plain):
        return not _WORD.search(_UNSPACED.sub(" ", query.plain))
    words = [fold(word) for word in _WORD.findall(query.plain)]
    if len(words) > len(query.plain.split()) * 2 or any(sign in query.plain for sign in "()[]{}_<>=$#@`"):
        return False
    empty = STOP_WORDS | _SAID | (function_words() if language_of_question(query.plain) else frozenset())
    return any(word in empty for word in words) and all(word in empty or word in _LIGHT for word in words)
