"""Mask values beside a name that says that they are secret: `password = "x"`, `DB_PASS=x`, `<token>x</token>`.

Honest code has such names everywhere, so a value counts only if it looks like a literal: the rules for a quoted value
are here, those for a bare one, which may be an expression, in `bare`.
"""

from __future__ import annotations

import re

from zerikai_memory.redact.bare import Bare, bare_value, is_bare_secret, is_own_name
from zerikai_memory.redact.formats import MASK
from zerikai_memory.redact.places import find_all, lower_in_place, substitute_at
from zerikai_memory.redact.words import is_message, is_mixed, is_path, is_placeholder, is_words

_NAME_STARTS = ("pass", "pw", "secret", "token", "credential", "key")
_QUOTE = r"""'{3}|"{3}|\\{0,4}["'`]|&quot;|&\#34;|&\#39;"""
_NAMED = re.compile(
    rf"""(?xi)
    (?P<name> (?P<password> passw(?:or[dt]|d) | passphrase | passcode
                | (?:(?<![a-z])|(?-i:(?<=[a-z])(?=P))|(?<=db)|(?<=user)|(?<=root)
                    |(?<=admin)|(?<=smtp)|(?<=mail))pass
                | pwd | (?<![a-z])pw
                | secret(?:[ _-]?(?:access[ _-]?)?(?:key|token))? )
            | token | credentials?
            | (?:(?<=api)|(?<=api[ _-])|(?<=access)|(?<=access[ _-])|(?<=account)|(?<=account[ _-])|(?<=auth)
                |(?<=auth[ _-])|(?<=private)|(?<=private[ _-])|(?<=encryption)|(?<=encryption[ _-])|(?<=signing)
                |(?<=signing[ _-])|(?<=subscription-)|(?<=subscription_)|(?<=master[ _-])
                |(?<=hmac[ _-]))key )
    (?: [_-]?\d{{1,2}} | [_-](?:prod(?:uction)?|dev|staging|test|live|value|plain(?:text)?) )? (?!\w)
    (?P<sep>
      (?: {_QUOTE} | \*\*|\x20(?=[:=]) )? \]? (?:\[\d*\])?
      # a type annotation
      (?: \s{{0,3}}[?!]?: \s{{0,3}} [&A-Za-z_](?:[\w.\[\]&<>']|\x20?\|\x20?){{0,60}}? (?=\s{{0,3}}=(?!=)) )?
      (?: (?P<assign>     # the value may stand on the next line
            \s{{0,3}}(?:={{2,3}}|!={{1,2}}|:=|=>|:-|[:=]|%3[aAdD]) (?:\*\*)? (?:\s?[|>][+-]?(?=\s*\n))? \s{{0,20}} | > )
        | (?P<value_of> [\s,]{{0,40}}["']?\bvalue["']?\s{{0,3}}[:=]\s{{0,3}} )
        | (?P<default> \s{{0,3}}\)?\s{{0,3}}(?:\|\||\?\?|\bor\b)\s{{0,3}}(?=["'`]) )
        | (?P<pair> \s{{0,3}},\s{{0,3}}(?=["']) | \(\s{{0,20}}(?=["']) )
        | (?P<prose> \s+(?:is|was)\s*:?\s+ | [\x20\t]{{1,3}} ) )
    )
    (?P<wrap> (?:(?:SecretStr|Secret|Buffer\.from|bytes|str|String|String::from|(?:base64\.)?b64decode)\(\s{{0,20}})? )
    (?: (?P<prefix>(?:[rbuf@$]|rb|br)?) (?P<quote>{_QUOTE})
        (?P<quoted>(?:(?!(?P=quote))(?:\\.|[^\n\\])){{4,400}}) (?P=quote)
      | (?<=>)(?P<element>[^<\n"'`][^<\n]{{2,200}})(?=</)
      | (?P<bare>[^\s"'`][^\s`]{{3,400}}) )
    """
)
_KEY_BEFORE = re.compile(r"[\w-]{0,40}$")
_TYPE = re.compile(r"(?:[A-Z][a-z0-9]+|[A-Z]\d){2,}")  # "V1SecretProjection"
_VARIABLE = re.compile(r"\$[A-Za-z_]\w*")
_TEMPLATE = re.compile(r"\$\{|\{\{|#\{|%[sdr(]|<%")
# "Password" as the label of a password field is no password.
_LABELS = frozenset(("password", "passwd", "passphrase", "passcode", "secret", "pass", "invalid", "text", "hidden"))


def mask_named(text: str) -> str:
    """Replace the values of passwords, tokens and keys by `[masked]` where a name beside them tells what they are."""
    return substitute_at(_NAMED, _named, text, find_all(lower_in_place(text), _NAME_STARTS))


def _named(match: re.Match[str]) -> str | None:
    text, start = match.string, match.start()
    line = max(text.rfind("\n", 0, start) + 1, start - 400)
    before = text[line:start]
    prefix = _KEY_BEFORE.search(before)[0]  # type: ignore[index]  # it matches the empty end
    key = prefix + match["name"]
    if match["quote"]:
        return _quoted(match, key, before)
    if match["element"]:
        return _element(match, before)
    return _bare(match, key, before[: len(before) - len(prefix)])


def _quoted(match: re.Match[str], key: str, before: str) -> str | None:
    value, name, is_password = match["quoted"], match["name"], match["password"] is not None
    if is_placeholder(value) or is_path(value) or _TEMPLATE.search(value) or (match["prefix"] == "f" and "{" in value):
        return None
    is_fallback = match["default"] and ("or" not in match["default"] or re.search(r"[)\]]", match["sep"]))
    is_option = match["prose"] and key.startswith("-")
    literal = match["assign"] or is_option or is_fallback or match["value_of"]
    if match["assign"] == ">" or not (literal or _may_pair(match, before) or match["prose"]):
        return None
    if not literal and (before.endswith("/") or not _is_evident(match, value)):
        return None
    if match["value_of"] and before.rstrip("\"'").endswith("type=") and not is_mixed(value):
        return None  # an input field with its label
    if _VARIABLE.fullmatch(value) and not re.search(r"[a-z]\d+[A-Za-z]", value):
        return None
    if not _looks_secret(key, name, value, is_password=is_password, literal=bool(literal)):
        return None
    quote = match["quote"]
    return f"{match[0][: match.start('quote') - match.start()]}{quote}{MASK}{quote}"


def _is_evident(match: re.Match[str], value: str) -> bool:
    """Without a sign that assigns: letters and digits are mixed, and a word can only be what SQL calls PASSWORD."""
    if match["default"]:
        return False
    if match["prose"]:
        whole = (
            match["password"] is not None
            and len(match["name"]) > 4
            and re.fullmatch(r"[^\s,;(){}=]{4,60}", value) is not None
        )
        return whole and (is_mixed(value) or match["name"] == "PASSWORD")
    return is_mixed(value) and not is_own_name(value)


def _may_pair(match: re.Match[str], before: str) -> bool:
    """`getenv("DB_PASSWORD", "x")`, `define('DB_PASSWORD', 'x')`, `setPassword("x")`."""
    if not match["pair"]:
        return False
    return "(" in match["pair"] or re.search(r"\(\s*[\"'][\w.-]*$", before) is not None


def _looks_secret(key: str, name: str, value: str, *, is_password: bool, literal: bool) -> bool:
    """Whether a quoted value is a secret rather than a label, a message or an identifier."""
    if any(c.isspace() for c in value):
        return is_password and literal and len(value) <= 120 and not is_message(value)
    letters, own = _letters(value), _letters(key)
    is_name = letters.rstrip("s") in _LABELS or _letters(re.split(r"[/.]", value)[-1]) == own
    if (is_name and not is_mixed(value)) or "public" in key.lower():
        return False
    if _TYPE.fullmatch(value) and name.capitalize() in value:
        return False
    if is_password:
        unclear = key.lower() in ("pass", "pw") or (name.lower() == "pass" and value.isupper())
        return is_mixed(value) or not (unclear or value[-1] in ".?:\u2026")
    return (is_mixed(value) and len(value) >= 8) or (len(value) >= 24 and not is_words(value))


def _letters(value: str) -> str:
    return "".join(c for c in value.lower() if c.isalpha())


def _element(match: re.Match[str], before: str) -> str | None:
    """`<password>X</password>`, `<ns:dbPassword>X</...>`."""
    value = match["element"]
    is_tag = re.search(r"<[\w.:-]*$", before) is not None
    if not is_tag or is_placeholder(value) or _TEMPLATE.search(value) or _letters(value) in _LABELS:
        return None
    if any(c.isspace() for c in value) and is_message(value):
        return None
    if match["password"] is None and not is_mixed(value):
        return None
    return match[0][: -len(value)] + MASK


def _bare(match: re.Match[str], key: str, before: str) -> str | None:
    raw, start = match["bare"], match.start("bare")
    head = match[0][: start - match.start()]
    if match["assign"] == ">" or match["pair"] or match["default"] or match["wrap"]:
        return None
    bare = Bare(match.string, start, raw, before, key, match["sep"], match["password"] is not None)
    value = bare_value(bare)
    prose = match["prose"] is not None
    if not is_bare_secret(bare, value, prose=prose, verb=prose and bool(match["prose"].strip())):
        return None
    return head + MASK + raw[len(value) :]
