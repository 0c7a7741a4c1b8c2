"""Mask passwords and tokens as people write them in a sentence, in several languages.

`set password to Pl4nted99`, `the password is 'x y 9'`, `Passwort lautet ...`, `密码：...`. Not for source code, where
a colon or `to` behind such a word has other meanings.
"""

from __future__ import annotations

import re

from zerikai_memory.redact.formats import MASK
from zerikai_memory.redact.words import is_message, is_mixed, is_placeholder

_NAMES = (
    "passphrase|passwords?|passwd|passwort|kennwort|contraseña|mot de passe|senha|wachtwoord|parola|hasło|пароль"
    "|密码|密碼|口令|パスワード|비밀번호|ｐａｓｓｗｏｒｄ|secret|token"
)
_SIGNS = r"\s*[:：=]\s*|\s+(?:is|was|to|ist|lautet|es|est|era|é|to be)\s*:?\s+|\s*(?:是|は|는|은)\s*"
_SPOKEN = re.compile(
    rf"(?i)(?<![\w-])(?P<name>{_NAMES})(?P<head>{_SIGNS})"
    r"(?:(?P<quote>['\"“‘])(?P<quoted>[^'\"”’\n]{6,120})['\"”’]|(?P<bare>[^\s'\"“”‘’,;。，()\[\]{}<>]{6,200}))"
)
_PHRASE = re.compile(r"(?i)(?<![\w-])(passphrase\s*[:：=]\s*)((?:[a-z]{3,10} ){2,7}[a-z]{3,10})(?=\s*$)", re.MULTILINE)
_HEX = re.compile(r"(?i)(?<![\w-])((?:token|secret|api key)\s+)([0-9a-f]{32,128})\b")


def mask_spoken(text: str) -> str:
    """Replace what a sentence says a password or token is by `[masked]`; other text comes back unchanged."""
    text = _HEX.sub(rf"\1{MASK}", text)
    text = _PHRASE.sub(lambda match: match[0] if is_message(match[2]) else match[1] + MASK, text)
    return _SPOKEN.sub(_masked, text)


def _masked(match: re.Match[str]) -> str:
    value = match["quoted"] or match["bare"].rstrip(".:!?")
    name = match["name"].lower()
    renamed = match["head"].strip() == "to" and name in ("token", "secret")  # "rename token to sessionToken2"
    if renamed or name in value.lower() or not _is_secret(value, blanks=match["quoted"] is not None):
        return match[0]
    return match[0].replace(value, MASK, 1)


def _is_secret(value: str, *, blanks: bool) -> bool:
    """Letters of both cases with digits, or a long mixture: neither a word, a version, a type nor a path."""
    if is_placeholder(value) or "/" in value or not is_mixed(value) or (not blanks and " " in value):
        return False
    cases = any(c.isupper() for c in value) and any(c.islower() for c in value)
    return (cases and len(value) >= 8) or len(value) >= 14
