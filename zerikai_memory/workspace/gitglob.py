"""Gitignore patterns as git matches them: one line of an ignore file -> a pathspec pattern, a file -> a rule list.

pathspec 1.1 has a gitignore translation of its own, but it differs from git in bracket expressions, `***`, a
backslash before a slash, trailing tabs, CRLF ends, names that are not UTF-8, and `foo**/bar`. So the translation
here follows git's `wildmatch.c` and `dir.c`, byte by byte, and plugs into pathspec as a `RegexPattern`.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from pathspec.pattern import RegexPattern

_GLOB_SPECIAL = re.compile(rb"[*?\[\\]")
_NEVER = b"(?!)"
_BOM = b"\xef\xbb\xbf"
# Git uses its own ASCII tables whatever the locale.
_CLASSES: dict[bytes, bytes] = {
    b"alnum": (string.ascii_letters + string.digits).encode(),
    b"alpha": string.ascii_letters.encode(),
    b"blank": b" \t",
    b"cntrl": bytes([*range(32), 127]),
    b"digit": string.digits.encode(),
    b"graph": bytes(range(33, 127)),
    b"lower": string.ascii_lowercase.encode(),
    b"print": bytes(range(32, 127)),
    b"punct": string.punctuation.encode(),
    b"space": b" \t\n\r\v\f",
    b"upper": string.ascii_uppercase.encode(),
    b"xdigit": string.hexdigits.encode(),
}


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of an ignore file. `bare` is true for a pattern of stars and slashes alone (`*`, `**/`)."""

    label: str
    negated: bool
    bare: bool


class GitPattern(RegexPattern):
    """A gitignore line; `regex` matches a whole path, or a whole file name for a pattern without a slash inside.

    `include` is true when the line excludes, as pathspec has it. Folders are written without a slash at the end;
    whoever asks keeps `folders_only` lines from other files.
    """

    __slots__ = ("folders_only", "glob", "names_only")

    def __init__(self, line: bytes) -> None:
        self.glob = line.removeprefix(b"!").removesuffix(b"/")
        self.names_only = b"/" not in self.glob
        self.folders_only = line.endswith(b"/")
        super().__init__(line)

    @classmethod
    def pattern_to_regex(cls, pattern: bytes) -> tuple[bytes, bool]:  # type: ignore[override]
        """Translate one line, already without line end and trailing blanks."""
        glob = pattern.removeprefix(b"!").removesuffix(b"/")
        body = _translate_name(glob) if b"/" not in glob else _translate_path(glob.removeprefix(b"/"))
        return b"(?s:" + body + rb")\Z", not pattern.startswith(b"!")


def pattern_lines(content: bytes) -> Iterator[tuple[int, bytes]]:
    """(line number, pattern) of an ignore file: without byte order mark, comments, line ends, trailing blanks."""
    for number, line in enumerate(content.removeprefix(_BOM).split(b"\n"), start=1):
        if line.startswith(b"#"):
            continue
        text = _without_trailing_spaces(line.removesuffix(b"\r").partition(b"\0")[0])
        if text:
            yield number, text


class RuleList:
    """The rules of one ignore file; the last one that matches decides."""

    def __init__(self, lines: Iterable[tuple[str, bytes]], *, ignore_case: bool = False) -> None:
        """`lines` are (label, pattern) in file order; the label names the rule in reports."""
        self._rules: list[Rule] = []
        patterns: list[GitPattern] = []
        for label, line in lines:
            pattern = GitPattern(line)
            patterns.append(pattern)
            self._rules.append(Rule(label, line.startswith(b"!"), not pattern.glob.strip(b"*/")))
        self._files = _Matcher(patterns, ignore_case, folders=False)
        self._folders = _Matcher(patterns, ignore_case, folders=True)

    @classmethod
    def parse(cls, content: bytes, source: str, *, ignore_case: bool = False) -> RuleList:
        """The rules of an ignore file's content; `source` is its path, for the labels."""
        lines = ((f"{source}:{n} {line.decode('utf-8', 'replace')}", line) for n, line in pattern_lines(content))
        return cls(lines, ignore_case=ignore_case)

    def __bool__(self) -> bool:
        return bool(self._rules)

    def last_match(self, path: bytes, name: bytes, is_folder: bool) -> Rule | None:
        """The deciding rule for a path relative to the ignore file's folder, whose last part is `name`."""
        found = (self._folders if is_folder else self._files).last(path, name)
        return self._rules[found] if found >= 0 else None


class _Matcher:
    """All patterns that apply to files, or to folders: plain names by dictionary, the rest as two expressions."""

    def __init__(self, patterns: Sequence[GitPattern], ignore_case: bool, *, folders: bool) -> None:
        self._ignore_case = ignore_case
        self._exact: dict[bytes, int] = {}
        by_name: list[tuple[int, bytes]] = []
        by_path: list[tuple[int, bytes]] = []
        for index, pattern in enumerate(patterns):
            if pattern.folders_only and not folders:
                continue
            if pattern.names_only and not _GLOB_SPECIAL.search(pattern.glob):
                self._exact[pattern.glob.lower() if ignore_case else pattern.glob] = index
            else:
                assert pattern.regex is not None  # pathspec allows it for patterns that do nothing; ours have none
                (by_name if pattern.names_only else by_path).append((index, pattern.regex.pattern))
        self._names = _Alternatives(by_name, ignore_case)
        self._paths = _Alternatives(by_path, ignore_case)

    def last(self, path: bytes, name: bytes) -> int:
        """Index of the last matching pattern, or -1."""
        exact = self._exact.get(name.lower() if self._ignore_case else name, -1)
        return max(exact, self._names.last(name), self._paths.last(path))


class _Alternatives:
    """Many patterns as one expression, the last first, so that one match finds the last that fits."""

    def __init__(self, patterns: list[tuple[int, bytes]], ignore_case: bool) -> None:
        self._indexes = [index for index, _ in reversed(patterns)]
        joined = b"|".join(b"(" + source + b")" for _, source in reversed(patterns))
        self._match = re.compile(joined, re.IGNORECASE if ignore_case else 0).match if patterns else None

    def last(self, text: bytes) -> int:
        """Index of the last pattern that matches, or -1."""
        found = self._match(text) if self._match else None
        return self._indexes[(found.lastindex or 0) - 1] if found else -1


def _without_trailing_spaces(line: bytes) -> bytes:
    """Spaces at the end do not count unless a backslash stands before them; tabs do (git's dir.c)."""
    cut: int | None = None
    position = 0
    while position < len(line):
        if line[position] == 0x20:
            cut = position if cut is None else cut
        else:
            cut = None
            position += line[position] == 0x5C
        position += 1
    return line if cut is None else line[:cut]


def _translate_name(glob: bytes) -> bytes:
    """A pattern without a slash is matched against the last part of the path alone."""
    return _join(_tokens(re.sub(rb"(?<!\\)((?:\\\\)*)\*+", rb"\1*", glob))) if glob else _NEVER


def _translate_path(glob: bytes) -> bytes:
    """A pattern with a slash inside; git compares the part before the first wildcard on its own.

    That is visible: in `foo**/bar` the stars stand at the start of what is left, so they cross slashes.
    """
    special = _GLOB_SPECIAL.search(glob)
    if special is None:
        return re.escape(glob) if glob else _NEVER
    return re.escape(glob[: special.start()]) + _join(_tokens(glob[special.start() :]))


_STAR, _ACROSS, _ACROSS_SLASH = b"*", b"**", b"**/"


def _tokens(glob: bytes) -> list[bytes]:
    """Split a glob into the three star tokens and ready expressions of one byte each."""
    tokens: list[bytes] = []
    at = 0
    while at < len(glob):
        char = glob[at : at + 1]
        if char == b"*":
            token, at = _stars(glob, at)
        elif char == b"[":
            token, at = _bracket(glob, at + 1)
        elif char == b"?":
            token, at = b"[^/]", at + 1
        elif char == b"\\":  # at the very end there is nothing to take literally, and git never matches
            token, at = re.escape(glob[at + 1 : at + 2]) or _NEVER, at + 2
        else:
            token, at = re.escape(char), at + 1
        tokens.append(token)
    return tokens


def _stars(glob: bytes, at: int) -> tuple[bytes, int]:
    end = at
    while glob[end : end + 1] == b"*":
        end += 1
    rest = glob[end : end + 2]
    between_slashes = at == 0 or glob[at - 1 : at] == b"/"
    if end - at == 1 or not between_slashes or not (rest[:1] in (b"", b"/") or rest == b"\\/"):
        return _STAR, end
    return (_ACROSS_SLASH, end + 1) if rest[:1] == b"/" else (_ACROSS, end)


def _bracket(glob: bytes, at: int) -> tuple[bytes, int]:
    """The expression of a bracket whose content starts at `at`, and where the glob goes on."""
    negated = glob[at : at + 1] in (b"!", b"^")
    at += negated
    members: set[int] = set()
    previous = 0
    first = True
    while first or glob[at : at + 1] != b"]":
        first = False
        char = glob[at] if at < len(glob) else 0
        named = re.compile(rb"\[:([^\]]*)\]").match(glob, at) if char == 0x5B else None
        if not char:
            return _NEVER, len(glob)
        if named and named[1].endswith(b":"):
            if named[1][:-1] not in _CLASSES:
                return _NEVER, len(glob)
            members.update(_CLASSES[named[1][:-1]])
            previous, at = 0, named.end()
        elif char == 0x2D and previous and glob[at + 1 : at + 2] not in (b"", b"]"):
            at += 2 if glob[at + 1 : at + 2] == b"\\" else 1
            if at >= len(glob):
                return _NEVER, len(glob)
            members.update(range(previous, glob[at] + 1))
            previous, at = 0, at + 1
        else:
            at += char == 0x5C
            if at >= len(glob):
                return _NEVER, len(glob)
            members.add(glob[at])
            previous, at = glob[at], at + 1
    chosen = (set(range(256)) - members if negated else members) - {0x2F}
    return (b"[" + b"".join(b"\\x%02x" % byte for byte in sorted(chosen)) + b"]" if chosen else _NEVER), at + 1


def _join(tokens: list[bytes]) -> bytes:
    """One expression of all tokens; every star but the last of its kind is atomic, so none takes exponential time.

    When another star follows, the first place where the part between the two fits is as good as any later one.
    """
    leads = {_ACROSS: (b".*?", b".*"), _ACROSS_SLASH: (b"(?:.*?/)??", b"(?:.*/)?")}
    return _atomic_but_last(tokens, leads, _join_segments)


def _join_segments(tokens: list[bytes]) -> bytes:
    joined: list[bytes] = []
    segment: list[bytes] = []
    for token in [*tokens, b"/"]:
        if token == b"/":
            joined.append(_atomic_but_last(segment, {_STAR: (b"[^/]*?", b"[^/]*")}, b"".join))
            segment = []
        else:
            segment.append(token)
    return b"/".join(joined)


def _atomic_but_last(
    tokens: list[bytes], leads: dict[bytes, tuple[bytes, bytes]], join: Callable[[list[bytes]], bytes]
) -> bytes:
    """Split at the tokens in `leads` (their lazy and greedy forms) and join what lies between with `join`."""
    starts = [index for index, token in enumerate(tokens) if token in leads]
    expression = join(tokens[: starts[0]] if starts else tokens)
    ends = [*starts[1:], None] if starts else []
    for start, end in zip(starts, ends, strict=True):
        lazy, greedy = leads[tokens[start]]
        between = join(tokens[start + 1 : end])
        expression += greedy + between if end is None else b"(?>" + lazy + between + b")"
    return expression
