"""Text for a parser that does not know all of a file's syntax: same length, same lines, foreign parts made plain.

Names, signatures and bodies are cut from the real text; only the tree is built from this one.
"""

from __future__ import annotations

import re

_NOT_BREAK = re.compile(rb"[^\n]")
# What holds a tag is text that happens to have braces, not a template expression.
_NO_TAG = rb"(?:(?!\{[{%#]|</?[A-Za-z]).)*?"
_TEMPLATE = re.compile(
    (
        rb"\{%%%s%%\}|\{\{\{%s\}\}\}|\{\{%s\}\}|\{#(?!if|each|await|key|snippet)%s#\}|<%%(?:(?!<%%).)*?%%>|<\?(?:(?!<\?).)*?\?>"
        % ((_NO_TAG,) * 4)
    ),
    re.DOTALL,
)
_SVELTE = re.compile(
    rb"(<(script|style)\b.*?(?:</\2\s*>|\Z))|\{[^{}]*+(?:\{[^{}]*+(?:\{[^{}]*+\}[^{}]*+)*+\}[^{}]*+)*+\}",
    re.DOTALL | re.IGNORECASE,
)

# Possessive and bounded throughout: an unclosed bracket must not make every later one search to the end. What could
# begin the same thing anew (`$a: $b:`, `@a @b`) may occur only 20 times inside, or each would be searched from each.
_QUOTE = rb"\"[^\"\n]*\"|'[^'\n]*'|[#@]\{[^{}]*\}"
_PARTS = {
    b"value": rb"(?:[^;{}\"'$@]|[$@](?![\w-]+[ ]*:)|" + _QUOTE + rb")",
    b"condition": rb"(?:[^;{}\"'@#]|" + _QUOTE + rb")",
}
# What must be passed over whole, then what is rewritten; the first alternative that fits at a place counts.
_SHEET = re.compile(
    (
        rb"""(?P<keep>/\*(?:.*?\*/|.*\Z) | \\["'] | "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*' | url\([^()"']*\))
    | (?P<line>(?<![:\w])//[^\n]*)
    | (?P<import>@(?:import|use|forward|plugin)\b(?:[^;{}"'\n]|"[^"\n]*"|'[^'\n]*')*)
    | (?P<assign>[$@][\w-]+[ ]*:(?!\s*\{)%(value)s{0,4000}+(?:[$@]%(value)s{0,4000}+){0,20}+)(?=;)
    | (?P<at>@[-\w]+)(?P<prelude>%(condition)s{0,500}+(?:[@#](?!\{)%(condition)s{0,500}+){0,20}+)(?=[{;])
    | (?P<mixin>(?<=[\s;{}])[.#][\w-]+\([^(){}]*+(?:\([^(){}]*+\)[^(){}]*+)*+\)(?:[ ]*!important)?[ \t]*;)
    | (?P<guard>\([^(){}:@$]*+[@$][\w-]++[^(){}]*+\)[ \t]*(?:when\b[^{};]{0,300}+)?(?=\{)|\bwhen\b[^{};]{0,300}+(?=\{))
    | (?P<interpolation>[#@]\{[^{}]*\})
    | (?P<extend>&:extend\([^()]*\);?)
    | (?P<variable>\$(?=[\w-])|@(?=[\w-]+[ ]*:)|(?<=[:,+*/(-])[ ]?@@?(?=[\w-])|(?<=\w[ ])@(?=[\w-]+\s*[;,)}]))
    | (?P<placeholder>(?<=[\s;{,}])%%(?=[A-Za-z]))
    | (?P<suffix>&(?=[\w-]|\#\{))
    | (?P<escape>~(?=["'`]))"""
        % _PARTS
    ),
    re.DOTALL | re.VERBOSE,
)
# What the grammar reads as an error: `.a & {`, `& & {`, `@page :first`, and braces in an address.
_UNKNOWN = re.compile(rb"(?<=[\w\])&*>+~] )&(?=[\s{,.:#\[>+~])|(?<=@page )[\w-]*:")
_NO_TAGS = bytes.maketrans(b"<>", b"  ")
_PLAIN_URL = bytes.maketrans(b"{}", b"__")
_NAMED_RULES = (b"@keyframes", b"@-webkit-keyframes", b"@-moz-keyframes", b"@font-face", b"@page")
_OWN_FORM = (b"@charset", b"@namespace")
_WORD_BYTES = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
_STRING = re.compile(rb"\"[^\"\n]*\"|'[^'\n]*'|url\([^()]*\)")


def plain_markup(data: bytes) -> bytes:
    """HTML without template statements (Jinja, Handlebars, EJS, PHP)."""
    if b"{" in data or b"<%" in data or b"<?" in data:
        data = _TEMPLATE.sub(lambda match: _blank(match[0]), data)
    return _plain_text_elements(data)


def _plain_text_elements(data: bytes) -> bytes:
    """HTML in which what only looks like tags inside a text field or a title is text for the grammar too."""
    lower, plain = data.lower(), bytearray(data)
    for tag in (b"textarea", b"title"):
        start = lower.find(b"<" + tag)
        while start >= 0:
            begin, end = lower.find(b">", start), lower.find(b"</" + tag, start)
            if begin < 0 or end < 0:
                break
            plain[begin + 1 : end] = plain[begin + 1 : end].translate(_NO_TAGS)
            start = lower.find(b"<" + tag, end)
    return bytes(plain)


def plain_svelte(data: bytes) -> bytes:
    """Svelte markup without expressions and blocks in braces; scripts and styles stay."""
    return _SVELTE.sub(lambda match: match[0] if match[1] else _NOT_BREAK.sub(b"_", match[0]), data)


def plain_sheet(data: bytes) -> bytes:
    """CSS out of CSS, SCSS or LESS: conditions of at-rules, variables, mixins and interpolations made plain."""
    return _UNKNOWN.sub(_known, _SHEET.sub(_plain_part, data))


def _known(match: re.Match[bytes]) -> bytes:
    return b"x" if match[0] == b"&" else match[0].replace(b":", b"_")


def _plain_part(match: re.Match[bytes]) -> bytes:
    text = match[0]
    kind = match.lastgroup
    if kind in ("keep", "line"):
        return text.translate(_PLAIN_URL) if text.startswith(b"url(") else text
    if kind == "import":
        return _plain_import(text)
    if kind == "prelude":
        return _plain_at_rule(match)
    if kind == "assign":
        keyword, rest = _keyword(text)
        return b"@" + keyword[1:] + _plain_word(rest)
    if kind == "interpolation":
        return _NOT_BREAK.sub(b"_", text)
    if kind == "variable":
        return text.replace(b"@", b"_").replace(b"$", b"_")
    if kind in ("placeholder", "suffix"):
        return b"."
    return _blank(text)


def _plain_import(text: bytes) -> bytes:
    """An import without layers, conditions and options; `@use` may not have a string after it at all."""
    keyword, rest = _keyword(text)
    address = _STRING.search(rest)
    if keyword != b"@import" or address is None:
        return keyword + _plain_word(rest)
    return keyword + _blank(rest[: address.start()]) + address[0] + _blank(rest[address.end() :])


def _plain_at_rule(match: re.Match[bytes]) -> bytes:
    """`@media (width > 40rem) {` as `@media x               {`: the condition is read from the real text."""
    prelude = match["prelude"]
    if match["at"] in _OWN_FORM:
        return match[0]
    if match["at"] in _NAMED_RULES:
        return match["at"] + (_blank(prelude) if b"{" in prelude else prelude)
    if match["at"] == b"@supports":  # the grammar takes no plain word there
        return match["at"] + re.sub(rb" {6}", b" (a:b)", _blank(prelude), count=1)
    return match["at"] + _plain_word(prelude)


def _keyword(text: bytes) -> tuple[bytes, bytes]:
    end = len(text) - len(text[1:].lstrip(_WORD_BYTES))
    return text[:end], text[end:]


def _plain_word(text: bytes) -> bytes:
    """Blanks with one letter in the middle, the shortest condition there is."""
    blank = _blank(text)
    at = blank.find(b" ", 1)
    return blank if at < 0 else blank[:at] + b"x" + blank[at + 1 :]


def _blank(text: bytes) -> bytes:
    return _NOT_BREAK.sub(b" ", text)
