"""Mask secrets in text before it is stored or sent: keys, tokens, passwords, private keys, URLs with credentials.

Pure regular expressions: known key formats are masked wherever they stand; other values only where a name beside
them says that they are secret, so that honest prose and code (`password = ask()`, `token: str`) stay as they are.
Masking twice changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable

MASK = "[masked]"

# Formats that their issuers made recognisable; the whole match is the secret.
_KNOWN = re.compile(
    r"""(?x)
    \b(?:
        (?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}                       # AWS access key id
      | gh[pousr]_[A-Za-z0-9]{36,} | github_pat_[A-Za-z0-9_]{22,}
      | gl(?:pat|dt|rt|ptt|soat)-[A-Za-z0-9_-]{20,}
      | xox[abeoprs]-[A-Za-z0-9-]{10,} | xapp-[0-9]-[A-Za-z0-9-]{20,}
      | sk-(?:[a-z]+-)*[A-Za-z0-9_-]{20,}                         # OpenAI, Anthropic, DeepSeek and alike
      | (?:sk|rk|whsec)_(?:live_|test_)?[A-Za-z0-9]{24,}          # Stripe
      | AIza[0-9A-Za-z_-]{35} | ya29\.[0-9A-Za-z_-]{20,} | GOCSPX-[A-Za-z0-9_-]{20,}
      | npm_[A-Za-z0-9]{36} | pypi-AgE[A-Za-z0-9_-]{50,} | hf_[A-Za-z0-9]{30,} | dop_v1_[a-f0-9]{64}
      | SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,} | key-[0-9a-f]{32}
      | eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}   # JSON web token
    )(?![A-Za-z0-9])
    """
)
# What every match of the pattern above begins with (`_sub_at`); the same for the patterns below.
_KNOWN_STARTS = (
    *("AKIA", "ASIA", "ABIA", "ACCA", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "gldt-"),
    *("glrt-", "glptt-", "glsoat-", "xox", "xapp-", "sk-", "sk_", "rk_", "whsec_", "AIza", "ya29.", "GOCSPX-"),
    *("npm_", "pypi-AgE", "hf_", "dop_v1_", "SG.", "key-", "eyJ"),
)
_PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:(?!-----)[A-Za-z0-9+/=\s\\:,.\-]){40,20000}(?:-----END [A-Z0-9 ]{0,40}(?:-----)?)?"
)
_URL_PASSWORD = re.compile(r"(?P<head>(?<=[a-zA-Z0-9+.-])://[^\s/:@'\"<>]{0,200}:)(?P<value>[^\s/@'\"<>]{1,200})(?=@)")
_WEBHOOK = re.compile(
    r"(?P<head>https://(?:hooks\.slack\.com/services|discord(?:app)?\.com/api/webhooks)/)(?P<value>[\w/-]{16,})"
)
_AUTHORIZATION = re.compile(
    r"(?i)(?P<head>\bauthorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:bearer|basic|token)\s+|\bbearer\s+)"
    r"(?P<value>[A-Za-z0-9._~+/=-]{12,})"
)
_NAMED = re.compile(
    r"""(?xi)
    (?P<head>
      (?P<name> passw(?:or)?d | passphrase | pwd | secret(?:[_-]?(?:access[_-]?)?key)? | token
              | (?:api|access|account|auth|private|encryption|signing)[_-]?(?:key|token|secret) | credentials? )
      ["']?
      (?: \s{0,3}\?? : \s{0,3} [A-Za-z_][\w.\[\]|]{0,40} (?=\s{0,3}=) )?        # a type annotation
      (?: \s{0,3}(?::=|=>|[:=])\s{0,20} | \s+is\s+ )         # the value may stand on the next line
    )
    (?: (?P<quote>["'`]) (?P<quoted>[^"'`\s]{4,400}) (?P=quote)
      | (?P<bare>[^\s"'`,;&(){}\[\]<>$*]{6,400}) (?![\w(\[.]) )
    """
)
_WEBHOOK_STARTS = ("https://hooks.slack", "https://discord")
_NAMED_STARTS = (
    *("passwd", "password", "passphrase", "pwd", "secret", "token", "credential"),
    *("api", "access", "account", "auth", "private", "encryption", "signing"),
)
# Values that stand for a secret without being one.
_PLACEHOLDER = re.compile(
    r"(?i)^(?:[<{$%\[].*|(?:x+|\*+|\.+|-+)|.*(?:your|example|change-?_?me|placeholder|dummy|redacted|masked|insert|todo).*"
    r"|pass|password|pw|none|null|nil|true|false|undefined|optional|required|(?:str|string|bytes|bool|int|number)"
    r"|(?:os|process|settings|config|self|this|env|import)\.\w.*)$"
)
_PASSWORD_NAME = re.compile(r"(?i)^(?:passw|pwd|secret)")


def mask_secrets(text: str) -> str:
    """Replace keys, tokens, passwords and private keys by `[masked]`; text without them comes back unchanged."""
    text = _PRIVATE_KEY.sub(MASK, text) if "PRIVATE KEY" in text else text
    return _mask_values(text)


def mask_source(data: bytes) -> bytes:
    """`mask_secrets` for the UTF-8 bytes of a file; every line stays where it is."""
    text = data.decode("utf-8", "surrogateescape")
    masked = _PRIVATE_KEY.sub(_mask_lines, text) if "PRIVATE KEY" in text else text
    masked = _mask_values(masked)
    return data if masked is text else masked.encode("utf-8", "surrogateescape")


def _mask_lines(match: re.Match[str]) -> str:
    return MASK + "\n" * match[0].count("\n")


def _mask_values(text: str) -> str:
    """All but private keys. Each pattern is tried only where its first word stands: a search costs 20 times as much."""
    text = _sub_at(_KNOWN, lambda _: MASK, text, text, _KNOWN_STARTS)
    text = _sub_at(_URL_PASSWORD, _mask_value, text, text, ("://",))
    text = _sub_at(_WEBHOOK, _mask_value, text, text, _WEBHOOK_STARTS)
    text = _sub_at(_AUTHORIZATION, _mask_authorization, text, _lower(text), ("authorization", "bearer"))
    return _sub_at(_NAMED, _mask_named, text, _lower(text), _NAMED_STARTS)


def _lower(text: str) -> str:
    """Lower case, character by character: some letters have a longer lower case, and places must not move."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(c.lower() if c.isascii() else c for c in text)


def _sub_at(
    pattern: re.Pattern[str], replace: Callable[[re.Match[str]], str], text: str, where: str, starts: tuple[str, ...]
) -> str:
    """`pattern.sub(replace, text)` for a pattern whose every match begins with one of `starts` in `where`."""
    places: list[int] = []
    for start in starts:
        at = where.find(start)
        while at >= 0:
            places.append(at)
            at = where.find(start, at + 1)
    parts: list[str] = []
    done = 0
    for at in sorted(places):
        if at >= done and (match := pattern.match(text, at)):
            parts += (text[done:at], replace(match))
            done = match.end()
    return "".join((*parts, text[done:])) if parts else text


def _mask_value(match: re.Match[str]) -> str:
    if _PLACEHOLDER.match(match["value"]):
        return match[0]
    return match["head"] + MASK


def _mask_authorization(match: re.Match[str]) -> str:
    """Prose has words after "bearer", credentials have digits or are long."""
    value = match["value"]
    if not any(c.isdigit() for c in value) and len(value) < 30:
        return match[0]
    return _mask_value(match)


def _mask_named(match: re.Match[str]) -> str:
    value = match["quoted"] or match["bare"]
    if _PLACEHOLDER.match(value) or not _looks_secret(match["name"], value, quoted=bool(match["quoted"])):
        return match[0]
    quote = match["quote"] or ""
    return f"{match['head']}{quote}{MASK}{quote}"


def _looks_secret(name: str, value: str, *, quoted: bool) -> bool:
    """Whether a value beside a secret's name is a literal secret rather than a word, a path or an expression."""
    mixed = any(c.isdigit() for c in value) and any(c.isalpha() for c in value)
    if _PASSWORD_NAME.match(name):
        if name.lower() == "pwd" and value.startswith(("/", "~", ".")):
            return False  # the shell's working directory
        # "Password" as the label of a password field is no password.
        label = value.lower().replace("_", "").replace("-", "")
        return (quoted and label.rstrip("s:") not in ("password", "passwd", "secret", "invalid")) or mixed
    return (mixed and len(value) >= 8) or (quoted and len(value) >= 24)
