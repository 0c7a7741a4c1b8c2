"""Unquoted values beside a secret's name: where they end, and whether they are a secret or code or prose.

`password=Tr0ub4dor&3x`, `secret: letmeinplease` and `--password hunter2` are secrets; `password = ask()`,
`password: str`, `token = tokens[i]` and "the password is hashed" are not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from zerikai_memory.redact.words import is_mixed, is_path, is_placeholder

_CUT = re.compile(
    r"</|<[a-z]|&&|\|\||&(?:amp;|quot;|\#)|&[\w.%\[\]-]+=|[,;](?=[\w.-]{1,40}\s?[=:]|[\"'{\[(]|$)|\\[nrt\"'\\]|%0[aAdD]|%26"
    r"|\*\*|\[masked\]"
)
_CLOSERS = {")": "(", "]": "[", "}": "{"}
_IDENTIFIER = re.compile(r"\$?[A-Za-z_][\w$]*")
_CHAIN = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\??\.|->|::)[A-Za-z_$][\w$]*!?)+")
_CALL = re.compile(r"[\w.$:>?!-]*([(\[{])")
_CODE = re.compile(r"=>|->|::|\$\{|\{\{|#\{|==(?=[\w'(])|\|\||\(\)|%\(|\$\(")
_GOES_ON = re.compile(r"\s*(?:[+*/?(\[]|\.(?=\w))|\s*=|\s+(?:-|%|if|or|and|else|as|in|is|not|for|instanceof)\b")
_USED_AFTER = re.compile(r"\s?=[^=]|\s?:=|\(|\[|\.[a-z_]|->")
_USED_BEFORE = re.compile(
    r"(?:\b(?:def|let|const|var|function|class|import|return|val|mut|String|char|int|auto|as|for)\s+"
    r"|\w\((?:[^()\n]*, ?)?)$"
)
_MOST_LOOKED_AT = 50  # uses of a name; bounds the time that a hostile text takes
_OWN_WORDS = re.compile(
    r"(?i)pass|secret|token|key|hash|salt|credential|pwd|string|text|bytes|value|input|param|config"
)
_LINE_START = re.compile(r"\s*(?:[-*>]\s+)?[\"']?[\w .-]{0,40}")
_PROSE_NO = re.compile(r"[()\[\]{}=/<>|]|\w\.\w|^\d+[-\u2013]?[A-Za-z]+$|:$")
_GENERIC = re.compile(
    r"(?i)(?:field|input|id|user|step|page|line|part|level|type|test|row|column|col|number|no|attempt|chapter|section"
    r"|table|figure|item|index|arg|param|var|value|val|option|rule|case|version|step|phase|round|group|slot|file|byte|bit|char"
    r"|mysql|postgres|sqlite|log|dict|word|top|rock|python|node|java|web|s|h|p|q|n|k|x|y|a|b)s?[-_]?\d+"
)
# Words that stand behind a name and a colon or an option without being its value.
_PLAIN = frozenset(
    "required optional incorrect invalid expired unchanged hidden missing empty disabled enabled encrypted hashed"
    " stored protected unknown default private public string number boolean object buffer bytearray unsigned varchar"
    " undefined option options flag flags argument arguments parameter prompt prompts authentication protection"
    " manager managers rotation policy reset change changes field fields before after without through should cannot"
    " instead because redacted masked removed withheld omitted generate generated random ignore ignored inherit"
    " nullable readonly static unique value name file path word here requires takes needs means works contains"
    " review needed pending always never sometimes supported unsupported deprecated correct matches".split()
)


@dataclass(frozen=True, slots=True)
class Bare:
    """A value without quotes and what stands around it."""

    text: str
    start: int  # of the value
    raw: str  # up to the next blank
    before: str  # the line up to the name
    key: str  # the whole name: "DB_PASS"
    sep: str
    is_password: bool

    @property
    def tight(self) -> bool:
        """`name=value` as in a shell, a query or a connection string."""
        return self.sep.lstrip("\"'") in ("=", "%3D", "%3d", ":-")

    @property
    def is_setting(self) -> bool:
        """`DB_PASS=x` in a shell, a Dockerfile or an .env file, where a word is a literal."""
        docker = re.match(r"\s*(?:ENV|ARG)\s", self.before) is not None
        return self.key.isupper() and ((self.tight and not re.search(r"[(\[{,]\s*$", self.before)) or docker)

    @property
    def after(self) -> str:
        """The rest of the line behind `raw`."""
        at = self.start + len(self.raw)
        end = self.text.find("\n", at)
        return self.text[at : end if end >= 0 else len(self.text)][:200]


def bare_value(bare: Bare) -> str:
    """The part of `raw` that is the value: without the closing brackets, commas and fields that follow it."""
    raw = bare.raw
    if cut := _CUT.search(raw, 1):
        raw = raw[: cut.start()]
    for at, char in enumerate(raw):
        if char in "\"'" and (at + 1 == len(raw) or not raw[at + 1].isalnum() or bare.before.count(char) % 2):
            raw = raw[:at]
            break
    in_brackets = any(bare.before.count(a) > bare.before.count(b) for b, a in _CLOSERS.items())
    depth = 0
    for at, char in enumerate(raw):
        depth += char in "([{"
        if char in _CLOSERS:
            depth -= 1
        if depth < 0 or (char == "," and in_brackets and not depth):
            raw = raw[:at]
            break
    return raw.rstrip(",;:.") if not re.search(r"[?*_~]$", raw) else raw.rstrip(",;:.?*_~")


def is_bare_secret(bare: Bare, value: str, *, prose: bool, verb: bool) -> bool:
    """Whether `value` is a literal secret; `prose` if only blanks or "is" (then `verb`) part it from the name."""
    if len(value) < 4 or is_placeholder(value) or is_path(value) or _is_expression(bare, value):
        return False
    if prose and not bare.is_setting:
        return _in_prose(bare, value, verb=verb)
    shortest = 4 if bare.is_setting else 6 if bare.is_password else 8
    if len(value) < shortest:
        return False
    if _IDENTIFIER.fullmatch(value):
        return _is_word_secret(bare, value)
    if value.isdigit():
        return bare.is_password and value != "0" * len(value)
    if _CHAIN.fullmatch(value):
        return bare.is_setting and is_mixed(value) and not _GOES_ON.match(bare.after)
    if is_mixed(value):
        return True
    cases = any(c.isupper() for c in value) and any(c.islower() for c in value)
    return bare.is_password and (bare.is_setting or (bare.tight and cases and bool(re.search(r"[!@#%^&*]", value))))


def _is_expression(bare: Bare, value: str) -> bool:
    if value[0] in "<{%[(/.=>|,)" or (value[0] in "&*-" and not bare.is_setting):
        return True
    if re.match(r"q[rqwx]?\W", value):
        return True
    if call := _CALL.match(value):
        closer = next(b for b, a in _CLOSERS.items() if a == call[1])
        rest = bare.raw[call.end() :] + bare.after
        if closer in rest or not bare.raw[-1].isalnum():
            return True
    return _CODE.search(bare.raw) is not None and not bare.is_setting


def _is_word_secret(bare: Bare, value: str) -> bool:
    """A value that could be a variable's name."""
    if value[0] == "$":
        odd = re.search(r"[a-z]\d+[A-Za-z]|[A-Za-z]\d+[a-z]+[A-Z]|\d[A-Za-z]", value)
        return bool(odd and any(c.isupper() for c in value) and not _is_known(bare, value))
    if bare.is_setting:
        return is_mixed(value) or (bare.is_password and value.lower() not in _PLAIN)
    if bare.tight and bare.is_password and value.islower() and value not in _PLAIN and not is_mixed(value):
        is_field = re.match(r"\s+\w+=\S", bare.after) and "," not in bare.raw  # host=x password=y user=z
        if bare.key.startswith("-") or is_field:
            return len(bare.raw.rstrip("\"'")) == len(value) and not is_own_name(value)
    if is_own_name(value):
        return False
    if goes_on := _GOES_ON.match(bare.text, bare.start + len(value)):
        # `password=hunter2 is in the vault`: after a shell's `name=value` a word is prose, not an operator.
        told = bare.tight and bare.is_password and is_mixed(value) and goes_on[0].strip().isalpha()
        if not told:
            return False
    if is_mixed(value):
        return not _is_known(bare, value)
    return bare.is_password and _is_plain_word(bare, value)


def is_own_name(value: str) -> bool:
    """`password2`, `new_password2`, `accessToken1`: names of further variables."""
    return (
        re.search(r"(?:^|_|(?<=[a-z])(?=[PTSK]))(?i:password|passwd|pass|pw|pwd|token|secret|key)_?\d?$", value)
        is not None
    )


def _is_plain_word(bare: Bare, value: str) -> bool:
    """`secret: letmeinplease` on a line of its own, the word being nowhere else in the text."""
    if not value.isascii() or not value.isalpha() or not value.islower() or value in _PLAIN or _OWN_WORDS.search(value):
        return False
    if len(value) < 6 or not _LINE_START.fullmatch(bare.before):
        return False
    if len(bare.raw) > len(value) or (bare.after.strip() and not re.match(r"\s+#", bare.after)):
        return False
    return _around(bare).count(value) < 2


def _is_known(bare: Bare, value: str) -> bool:
    """Whether the text uses the value as code uses a name: defined, called, assigned to, a parameter, indexed."""
    around = _around(bare)
    at = -1
    for _ in range(_MOST_LOOKED_AT):
        if (at := around.find(value, at + 1)) < 0:
            return False
        begins = not (around[at - 1 : at].isalnum() or around[at - 1 : at] in ("_", "$"))
        used = _USED_AFTER.match(around, at + len(value)) or _USED_BEFORE.search(around[max(0, at - 90) : at])
        if begins and used and not re.match(r"[\w$]", around[at + len(value) : at + len(value) + 1]):
            return True
    return False


def _around(bare: Bare) -> str:
    return bare.text[max(0, bare.start - 20_000) : bare.start + 20_000]


def _in_prose(bare: Bare, value: str, *, verb: bool) -> bool:
    """ "the password is X9", "--password X", "login me password X"; careful with "password field1"."""
    is_option = bare.key.startswith("-")
    if re.search(r"\blogin\s+\S+\s+$", bare.before):
        return True
    if is_option and not value.isupper():
        ends = re.match(r"\s*(?:$|--?\w|[|&;>\"'`)])", bare.raw[len(value) :] + bare.after)
        plain = (
            value.isalpha()
            and len(value) >= 6
            and value.lower() not in _PLAIN
            and not value.endswith(("ed", "es", "ing"))
            and ends is not None
        )
        return is_mixed(value) or plain
    if not is_mixed(value) or _PROSE_NO.search(value) or _PROSE_NO.search(bare.raw.rstrip(").,;!?")):
        return False
    if verb:
        return len(value) >= (6 if bare.is_password else 8)
    if bare.key.lower() in ("pass", "pw") or not bare.is_password or len(value) < 6:
        return False
    return not _GENERIC.fullmatch(value) and not is_own_name(value) and not _is_known(bare, value)
