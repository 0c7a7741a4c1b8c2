"""Mask passwords and tokens as people write them in a sentence, in several languages.

`set password to Pl4nted99`, `the password for prod is 'x y 9'`, `use Pl4nted99 as the password`, `log in with
ann/Pl4nted99`, a column of a table, `Passwort lautet ...`, `密码：...`. Not for source code, where a colon or `to`
behind such a word has other meanings.
"""

from __future__ import annotations

import re

from zerikai_memory.redact.formats import MASK
from zerikai_memory.redact.words import is_message, is_mixed, is_placeholder

LONGEST = 200
_NAMES = (
    "passphrase|passwords?|passcodes?|passwd|pwd|passwort|kennwort|contraseña|mot de passe|senha|wachtwoord|parola"
    "|hasło|пароль|şifre|lösenord|salasana|heslo|jelszó|密码|密碼|口令|パスワード|비밀번호|ｐａｓｓｗｏｒｄ|secret|token"
)
_KEYS = rf"{_NAMES}|(?:api|access|secret|auth)[ _-]?keys?"
# "for the staging database", "(prod)": of what it is.
_WHOSE = r"(?:\s*\([^()\n]{1,40}\))?(?:\s+(?:for|of|on|in|at|to)(?:\s+[\w'@./-]{1,30}){1,5}?)?"
_TURNED = r"(?:\s+(?:(?:rotated|changed|set|reset|switched|updated)\s+to|now|still))?"
_SIGNS = (
    rf"\s*[:：=]\s*|\s+(?:is|was|are|to be|to|will be|should be|has been|ist|lautet|es|est|era|é){_TURNED}\s*:?\s+"
    r"|\s*(?:是|は|는|은)\s*"
)
_BARE = r"[^\s'\"“”‘’,;。，()\[\]{}<>|]{6,200}"
_VALUE = rf"(?:(?P<quote>['\"“‘])(?P<quoted>[^'\"”’\n]{{6,120}})['\"”’]|(?P<bare>{_BARE}))"
_SPOKEN = re.compile(rf"(?i)(?<![\w-])(?P<name>{_KEYS}){_WHOSE}(?P<head>{_SIGNS}){_VALUE}")
# Names that mean nothing else may stand right before the value or the line above it.
_BEFORE = re.compile(
    rf"(?i)(?<![\w-])(?P<name>пароль|şifre|passwor[dt]|kennwort)(?P<head>[ \t]+|[ \t]*\n[ \t]*){_VALUE}"
)
# The value stands in front: what is looked for is the end, which few texts have.
_BEHIND = re.compile(
    rf"(?i)['\"”’`]?\s+(?:as|is|was)\s+(?:the|our|my|your|a|its)\s+(?:(?!not\b)[\w-]+\s+){{0,3}}(?:{_KEYS})\b"
)
# A name and its password: "creds are admin:X", "log in with admin/X", "user: admin pass X", "/user:ann X".
_LOGIN = re.compile(
    r"(?i)(?<![\w-])(?P<name>cred(?:ential)?s|log(?:ged)?[ -]?in|sign(?:ed)?[ -]?in)"
    rf"(?P<head>(?:\s+(?:are|is|as|with|by|using)|\s*:)+\s*[\w.@-]{{1,60}}[:/])(?P<bare>{_BARE})"
    r"|(?<![\w-])(?P<user>user(?:name)?)(?P<sign>\s*[:=]\s*\S{1,60}\s+(?:pass|pw)\s*[:=]?\s*|:\S{1,60}\s+)"
    rf"(?P<other>{_BARE})"
)
_LAST = re.compile(rf"{_BARE}\Z")
_PHRASE = re.compile(r"(?i)(?<![\w-])(passphrase\s*[:：=]\s*)((?:[a-z]{3,10} ){2,7}[a-z]{3,10})(?=\s*$)", re.MULTILINE)
_HEX = re.compile(r"(?i)(?<![\w-])((?:token|secret|api key)\s+)([0-9a-f]{32,128})\b")
_CELL_NAME = re.compile(rf"(?i)\s*(?:{_KEYS})\s*")
# Of each name or phrase above one part that stands in it: most texts have none, and looking for plain text is quick.
_PARTS = (
    "pass contraseña senha wachtwoord parola hasło пароль şifre lösen salasana heslo jelszó 密码 密碼 口令"
    " パスワード 비밀번호 ｐａｓｓ kennwort secret token key cred log sign user"
).split()


def mask_spoken(text: str) -> str:
    """Replace what a sentence or table says a password or token is by `[masked]`; other text comes back unchanged."""
    folded = text.lower()
    if not any(part in folded for part in _PARTS):
        return text
    text = _HEX.sub(rf"\1{MASK}", text)
    text = _PHRASE.sub(lambda match: match[0] if is_message(match[2]) else match[1] + MASK, text)
    for pattern in (_SPOKEN, _BEFORE, _LOGIN):
        text = pattern.sub(_masked, text)
    for match in reversed(list(_BEHIND.finditer(text))):
        value = _LAST.search(text, max(match.start() - LONGEST, 0), match.start())
        if value and _is_secret(value[0], blanks=False):
            text = text[: value.start()] + MASK + text[value.end() :]
    return _masked_tables(text) if "|" in text else text


def _masked(match: re.Match[str]) -> str:
    found = match.groupdict()
    value = found.get("quoted") or (found.get("bare") or found.get("other") or "").rstrip(".:!?")
    name = (found["name"] or found.get("user") or "").lower()
    head = (found["head"] or "").strip()
    renamed = head == "to" and name in ("token", "secret")  # "rename token to sessionToken2"
    if renamed or name in value.lower() or not _is_secret(value, blanks=found.get("quoted") is not None):
        return match[0]
    return match[0].replace(value, MASK, 1)


def _masked_tables(text: str) -> str:
    """Cells under a heading that names a password, and those right of such a name."""
    lines, column = text.split("\n"), -1
    for number, line in enumerate(lines):
        if line.count("|") < 2:
            column = -1
            continue
        cells = line.split("|")
        named = next((i for i, cell in enumerate(cells) if _CELL_NAME.fullmatch(cell)), -1)
        if named >= 0 and column < 0:
            column = named
            named += 1
        for place in {named, column} if named >= 0 else {column}:
            if 0 <= place < len(cells) and _is_secret(cells[place].strip().strip("`"), blanks=True):
                cells[place] = f" {MASK} "
        lines[number] = "|".join(cells)
    return "\n".join(lines)


def _is_secret(value: str, *, blanks: bool) -> bool:
    """Letters of both cases with digits, or a long mixture: neither a word, a version, a type nor a path."""
    if is_placeholder(value) or "/" in value or not is_mixed(value) or (not blanks and " " in value):
        return False
    cases = any(c.isupper() for c in value) and any(c.islower() for c in value)
    return (cases and len(value) >= 8) or len(value) >= 14
