"""Mask credentials where their place tells: URLs, webhooks, signatures, Authorization headers, command lines."""

from __future__ import annotations

import re

from zerikai_memory.redact.formats import MASK
from zerikai_memory.redact.places import find_all, lower_in_place, substitute_at
from zerikai_memory.redact.words import is_mixed, is_placeholder, is_token

_URL = re.compile(
    r"(?<=[a-zA-Z0-9+.-])://(?P<user>(?:[\w.%~+,;=-]|\$?\{[^{}\s]{0,60}\}){0,200})(?P<colon>:?)"
    r"(?P<rest>[^\s'\"`<>\\]{0,400})"
)
# What may follow the @ of a URL when the text has several: a name with a dot or a port is a host, a word is not.
_HOST = re.compile(r"(?:localhost|[\w-]+(?:\.[\w-]+)+|\[[0-9a-fA-F:]+\]|[\w.-]+:\d+)(?![\w@])")
_NO_PASSWORD = re.compile(r"\d{1,5}(?:[/?#]|$)|/|[^@]*(?:\[\^|\]\+|\(\?)|[^@]*@sha256:")
_WEBHOOK = re.compile(
    r"(?P<head>https://(?:hooks\.slack\.com/(?:services|workflows)|(?:\w+\.)?discord(?:app)?\.com/api/webhooks"
    r"|[\w.-]+\.webhook\.office\.com/webhookb2|hooks\.zapier\.com/hooks/catch)/)(?P<value>[\w/@-]{16,})"
)
_SIGNATURE = re.compile(r"(?i)(?P<head>(?<=[?&;,_ -])sig(?:nature)?=)(?P<value>[A-Z0-9%+/=_-]{24,})")
_AUTHORIZATION = re.compile(
    r"(?i)(?P<head>\bauthorization\\?[\"']?\]?\s{0,3}[:=,]\s{0,3}\\?[\"'`]?(?P<scheme>(?:bearer|basic|token|api-?key)\s+)?"
    r"|(?P<bearer>\bbearer\s+))(?P<value>[A-Z0-9._~+/=-]{12,8000})(?P<more>\s\w)?"
)
_IDENTIFIED = re.compile(r"(?i)(?P<head>identified by\s{1,5})(?P<quote>[\"'])(?P<value>[^\"'\n]{3,200})(?P=quote)")
# mysql -pX, sshpass -p X, redis-cli -a X, curl -u user:X
_OPTION = re.compile(
    r"(?P<head>(?P<glued>\ -p)(?=[^\s=\"'-])|(?P<apart>\ -[paPw](?:[ ]+|(?=[\"'])))"
    r"|(?P<user>\ (?:-u|--user|--proxy-user)[ =]?[\"']?[\w.@\\-]{1,80}:))"
    r"(?P<quote>[\"']?)(?P<value>[^\s\"'`]{3,200})(?P=quote)"
)
_OPTION_OF = {
    "glued": re.compile(r"\b(?:mysql\w*|mariadb[\w-]*|mycli|7za?|sshpass)\b"),
    "apart": re.compile(
        r"\b(?:sshpass|redis-cli|valkey-cli|(?:docker|podman|helm|az|oc|argocd|skopeo|nerdctl)\b.*\blogin|mongo\w*"
        r"|ldap\w+|sqlcmd|bcp|zip|unzip|clickhouse-client)\b"
    ),
    "user": re.compile(r"\b(?:curl|https?|wget|lftp|skopeo)\b"),
}


def mask_addresses(text: str) -> str:
    """Replace what stands in a credential's place by `[masked]`."""
    slashes = find_all(text, ("://",))
    if slashes:
        text = substitute_at(_WEBHOOK, _value, text, [at - 5 for at in slashes if at >= 5])
        text = substitute_at(_URL, _url, text, find_all(text, ("://",)))
    lower = lower_in_place(text)
    for words, pattern, replace in _PLACES:
        if places := find_all(lower, words):
            text = substitute_at(pattern, replace, text, places)
            lower = lower_in_place(text)
    return substitute_at(_OPTION, _option, text, find_all(text, (" -",)))


def _value(match: re.Match[str]) -> str | None:
    return None if is_placeholder(match["value"]) else match["head"] + MASK


def _url(match: re.Match[str]) -> str | None:
    user, rest = match["user"], match["rest"]
    masked_user = MASK if is_token(user) else user
    if not match["colon"]:
        is_http = match.string[max(0, match.start() - 5) : match.start()].lower().endswith(("http", "https"))
        return f"://{MASK}{rest}" if is_http and rest.startswith("@") and masked_user == MASK else None
    if "@" not in rest or _NO_PASSWORD.match(rest):
        return None
    at = _end_of_password(rest)
    value = rest[:at]
    masked = value if not value or is_placeholder(value) else MASK
    return None if (masked, masked_user) == (value, user) else f"://{masked_user}:{masked}{rest[at:]}"


def _end_of_password(rest: str) -> int:
    """The first @ that a host follows, or the last one: a password may hold an @ and a slash."""
    places = [found.start() for found in re.finditer("@", rest)]
    return next((at for at in places if _HOST.match(rest, at + 1)), places[-1])


def _authorization(match: re.Match[str]) -> str | None:
    """Prose has words after "bearer", credentials have digits or are long."""
    value, more = match["value"], match["more"] or ""
    if (not any(c.isdigit() for c in value) and len(value) < 30) or value.startswith(("http:", "https:")):
        return None
    if not (match["scheme"] or match["bearer"]) and (more or "," in match["head"] or not is_mixed(value)):
        return None  # a scheme of its own, or a list of headers' names
    return None if is_placeholder(value) else match["head"] + MASK + more


def _identified(match: re.Match[str]) -> str | None:
    quote = match["quote"]
    evident = is_mixed(match["value"]) or match["head"].isupper()  # else it can be a sentence
    return f"{match['head']}{quote}{MASK}{quote}" if evident and not is_placeholder(match["value"]) else None


def _option(match: re.Match[str]) -> str | None:
    """Only behind a command whose option takes a password, in the same line."""
    kind, value = next(kind for kind in _OPTION_OF if match[kind]), match["value"]
    line = match.string[max(match.string.rfind("\n", 0, match.start()) + 1, match.start() - 300) : match.start()]
    if not _OPTION_OF[kind].search(line) or is_placeholder(value) or value[0] in "$-<{[" or _is_number(value, kind):
        return None
    if kind != "user" and not is_mixed(value) and value.isupper():
        return None  # PATH, PORT, PASSWORD in a manual
    return f"{match['head']}{match['quote']}{MASK}{match['quote']}"


def _is_number(value: str, kind: str) -> bool:
    return kind != "user" and value.isdigit()  # a port


_PLACES = (
    (("sig=", "signature="), _SIGNATURE, _value),
    (("authorization", "bearer"), _AUTHORIZATION, _authorization),
    (("identified by",), _IDENTIFIED, _identified),
)
