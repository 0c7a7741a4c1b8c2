"""What a value beside a secret's name is: a placeholder, a technical word, a sentence for a reader, or a secret."""

from __future__ import annotations

import re

# Values that stand for a secret without being one.
_PLACEHOLDER = re.compile(
    r"(?i)^(?:(?:[<{%\[]|\$[{(]).*|(?:x+|[*:]+|\.+|-+|_+)"
    r"|(?:.*[^a-z0-9])?(?:your|example|change[-_]?me|placeholder|dummy|redacted|masked|insert|todo)(?:[^a-z0-9].*)?"
    r"|your[a-z]+(?:here)?|<?[a-z_-]*(?:password|secret|token|key)[-_](?:here|goes[-_]here)>?"
    r"|pass|password|token|passwd|passphrase|pw|pwd|none|null|nil|true|false|undefined|optional|required|unset"
    r"|(?:str|string|bytes|bool|int|number)"
    r"|(?:os|process|settings|config|self|this|env|import)\.\w.*)$"
)
# Words with digits that name an algorithm, a type or a version.
_TECHNICAL = re.compile(
    r"(?i)(?<![a-z])(?:sha|md|pbkdf|base|utf|ucs|u?int|float|double|u?i|f|u|aes|des|rsa|argon|hs|rs|es|ps|ed|curve|x|v|ver"
    r"|version|oauth|http|https|tls|ssl|ipv|iso|latin|cp|rfc|varchar|char|nvarchar|text|win|python|py|php|es|utf-|sha-|sha3-"
    r"|aes-|ascii|ec|s|k|blake|bcrypt|scrypt|keccak|crypt|ntlm|totp|web|auth)[-_]?\d{1,5}(?:id|[sbdi])?(?![a-z0-9])"
)
# A text for the reader (a label, a message, a help text) has such words; a passphrase has none of them.
_MESSAGE = re.compile(
    r"(?i)\b(?:pass(?:word|phrase|code|wd)?s?|secrets?|tokens?|keys?|must|should|enter|your|please|characters?|invalid|incorrect"
    r"|required?|cannot|can't|could|minimum|least|short|long|forgot|fields?|does|doesn't|don't|match|reset|changed?|confirm"
    r"|wrong|missing|expired?|valid|used?|user|current|repeat|is|are|be|can|will|this|that"
    r"|login|account|email|name|access|string|value|default|optional)\b|[.?:…]$|%[sdr(]|[{}<>]"
)
_PATH = re.compile(
    r"^(?:~|\.{0,2})/|/\.\.?/|^[a-z]+://|^(?:[\w-]+/)+[\w-]+\.[a-z]{2,5}(?:\?.*)?$|^[A-Za-z]:\\|^[#.][a-z][\w-]*$"
)
_WORDS = re.compile(r"[A-Za-z][a-z]+(?:[A-Z][a-z]+)*(?:[-_. /:][A-Za-z]+)*")


def is_placeholder(value: str) -> bool:
    """Whether a value only stands for a secret: `<password>`, `changeme`, `None`, `${DB_PASSWORD}`."""
    return bool(_PLACEHOLDER.match(value))


def is_mixed(value: str) -> bool:
    """Whether letters and digits are mixed, other than in names of algorithms and versions such as `sha256`."""
    rest = _TECHNICAL.sub("", value)
    return any(c.isdigit() for c in rest) and any(c.isalpha() for c in value)


def is_token(value: str) -> bool:
    """Whether a value is long and random enough to be a token where a user's name could stand as well."""
    return len(value) >= 16 and is_mixed(value) and bool(re.fullmatch(r"[A-Za-z0-9_.~+/=%-]+", value))


def is_message(value: str) -> bool:
    """Whether a value with blanks is words for a reader rather than a passphrase."""
    if _MESSAGE.search(value):
        return True
    return not any(c.isdigit() for c in value) and not (value[0].islower() and value.isascii() and value.count(" ") > 1)


def is_path(value: str) -> bool:
    """Whether a value is a path, an address or a selector."""
    return bool(_PATH.search(value))


def is_words(value: str) -> bool:
    """Whether a value is words: an identifier, a dotted name, a slug."""
    return bool(_WORDS.fullmatch(value))
