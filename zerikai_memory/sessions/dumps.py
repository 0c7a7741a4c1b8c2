"""Take pasted output out of a message: diffs, patches, stack traces, logs, listings; a mark says what stood there.

What tells most stays: the files of a diff, the error of a trace with its innermost frame, the lines of a log that name
an error. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

# Shorter runs are talk about output.
LEAST_LOG_LINES, LEAST_FRAMES, LEAST_STATS, LEAST_DATA_LINES = 6, 3, 2, 25
MOST_ERRORS, MOST_PATHS, MOST_PATH_CHARS = 3, 6, 120

# A quick look whether a message can hold any of it: most do not, and their lines cost time.
LEAST_LINES = 3
_SIGNS = tuple(
    "diff -;Author: ;@@ ;*** ;+++ ;Index: ;```diff;```patch;```con;```log;```out;```std;```ter;```shell;~~~diff"
    ";Traceback (;\n  File ;  at ;\tat ;goroutine ;#0;::;INFO;DEBUG;WARN;ERROR;TRACE;drwx;-rw-;npm ;Requirement "
    ';Collecting ;Compiling ;Unpacking ;Get:;$ ;❯ ;-+-;+--;": '
    ";=== RUN;PASS;FAIL;\nok ;not ok;... ok;%];ms\n;ms);..........; | ".split(";")
)
_TIMES = re.compile(r"\d:\d\d:\d\d|\d-\d\d[T ]\d")
_HEADER = re.compile(
    r"diff --(?:git|cc|combined)?|diff -[\w-]+ |Index: \S|={60,}$|index [0-9a-f]{6,}\.\.[0-9a-f]{6,}"
    r"|(?:new|deleted) file mode |(?:old|new) mode \d|(?:dis)?similarity index |(?:rename|copy) (?:from|to) "
    r"|Binary files .* differ$|GIT binary patch|\\ No newline at end of file"
)
_FILE_LINE = re.compile(r"(?:---|\+\+\+) (?:\"?[ab]/)?(?P<path>[^\t\n]+?)\"?(?:\t.*|\s\d{4}-\d\d-\d\d.*)?$")
_GIT_PATHS = re.compile(r"diff --git \"?a/(?P<path>.+?)\"? \"?b/")
_INDEX_PATH = re.compile(r"Index: (?P<path>\S.*)$")
_HUNK = re.compile(r"@@+ -\d+(?:,(?P<old>\d+))? \+\d+(?:,(?P<new>\d+))? @@")
_PATCH_FILE = re.compile(r"\*\*\* (?:Update|Add|Delete) File: (?P<path>.+?)\s*$")
_PATCH_END = re.compile(r"\*\*\* End Patch")
_PATCH_LINE = re.compile(r"[ +\-@]|\*\*\* (?:Begin Patch|Move to:|End of File)|$")
_FENCE = re.compile(r"\s*(?P<mark>```+|~~~+)\s*(?P<language>[\w+-]*)\s*$")
_DIFF_FENCES, _OUTPUT_FENCES = (
    ("diff", "patch"),
    ("console", "log", "logs", "output", "stdout", "terminal", "shell-session"),
)

_PY_TRACE = re.compile(r"\s*Traceback \(most recent call last\):")
_PY_FRAME = re.compile(r"\s+File \".+\", line \d+")
_PY_INNER = re.compile(r"\s+|(?:During handling of the above|The above exception was)")
_FRAME = re.compile(
    r"\s+at (?:async )?\S+.*[(:\d]|\s+\.\.\. \d+ more|\s*\d+: +(?:0x[0-9a-f]+ - )?[\w<].*::|\s+at [./\w].*:\d+"
    r"|goroutine \d+ \[|\t/?\S+\.go:\d+|[\w./*()]+\(.*\)$|created by \S+|#\d+ +0x[0-9a-f]+|#\d+ +\S+\(\d+\): "
)
_FRAME_START = re.compile(r"\s+at \S|goroutine \d+ \[|\s*\d+: +(?:0x[0-9a-f]+ - )?\S+::|#\d+ +(?:0x|\S+\(\d+\))")
_COMMIT_HEAD = re.compile(r"(?:Merge|Author|AuthorDate|Commit|CommitDate|Date): ")
_STAT = re.compile(r" \S.* \|\s+(?:\d+ ?[+-]*|Bin .*)$")
_LOG = re.compile(
    # times and levels
    r"\s*\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\s*\[?\d\d:\d\d:\d\d|[A-Z][a-z]{2} +\d+ \d\d:\d\d:\d\d "
    r"|\d{1,3}(?:\.\d{1,3}){3} - |\s*\[?(?:\S+ \| )?\[?(?:INFO|DEBUG|WARN(?:ING)?|ERROR|TRACE|FATAL|CRITICAL|NOTICE)\b"
    r"|[\w.-]+[-_]\d+\s+\| "
    # installing and building
    r"|npm (?:ERR!|WARN|warn|error|info)|\s*(?:Collecting|Downloading|Downloaded|Requirement already|Installing"
    r"|Building|Compiling|Fetching|Resolving|Unpacking|Preparing|Selecting|Using cached|Created wheel|Stored in"
    r"|Get:\d+|Hit:\d+|Setting up|added \d+ packages|Processing triggers|Successfully (?:installed|built)) ?\S*"
    r"|\s*\d+%(?:\[|\|)"
    # tests
    r"|=== (?:RUN|PAUSE|CONT)|\s*--- (?:PASS|FAIL|SKIP)|(?:PASS|FAIL|ok|not ok)\b|\s*[✓✔✗✖×] .*(?:\d ?ms|\(\d+)"
    r"|\S+\.(?:py|js|ts|rb)(?:::\S+)? +(?:PASSED|FAILED|SKIPPED|ERROR|[.FEsx]+(?: |$))|[.FEsxX]{10,}(?:\s|$)"
    r"|\S+::\S+ (?:PASSED|FAILED|SKIPPED|ERROR)|test \S+ \.\.\. (?:ok|FAILED|ignored)"
    # listings of folders and bytes
    r"|[d-][rwx-]{9}[.+@]? |total \d+$|[0-9a-f]{6,8}:? +(?:[0-9a-f]{2,4} ){4,}"
)
# One look at each line: of which kind a run of lines that begins with it may be.
_PROMPT = re.compile(r"(?:\(\w[\w.-]*\) )?(?:[\w.-]+@[\w.-]+[:~ ]?\S*)?[$❯] \S|PS [A-Z]:\\[^>\n]*> ?\S")
# What ends the output of a command: the next one, the end of a fence.
_STOP = re.compile(rf"{_PROMPT.pattern}|\s*(?:```|~~~)")
# Tables of databases: a line of signs below the names, or around them.
_BORDER = re.compile(r"\s*(?:\+(?:-{2,}\+)+|-{2,}(?:\+-{2,})+)\s*$")
_DATA_LINE = re.compile(
    r"\s*(?:\"(?:[^\"\\]|\\.)*\"\s*(?::.*|,?)|[{}\[\]]+[,;]?|[}\]],? *[{\[]?"
    r"|-?\d[\d.eE+-]*,?|(?:true|false|null),?)\s*$"
)
_BEGIN = re.compile(
    rf"commit (?P<commit>[0-9a-f]{{40}})|(?P<fence>{_FENCE.pattern})|(?P<diff>@@|\*\*\* |--- |{_HEADER.pattern})"
    rf"|(?P<trace>{_PY_TRACE.pattern}|{_PY_FRAME.pattern}|{_FRAME_START.pattern})|(?P<stats>{_STAT.pattern})|(?P<log>{_LOG.pattern})"
    rf"|(?P<prompt>{_PROMPT.pattern})|(?P<border>{_BORDER.pattern})|(?P<data>\s*(?:[{{\[]\s*$|\"[^\"]+\"\s*:))|(?P<table>[^|]+\|)"
)
_ERROR = re.compile(
    r"(?i)\b(?:error|exception|fatal|panic|fail(?:ed|ure)?|denied|refused|timed? ?out|not found|cannot|could not"
    r"|undefined|unhandled|critical|err!)"
)


def without_dumps(text: str) -> str:
    """The message with marks such as `[diff: cart.py, 12 lines]` in place of pasted output; else unchanged."""
    if text.count("\n") < LEAST_LINES - 1 or not (any(sign in text for sign in _SIGNS) or _TIMES.search(text)):
        return text
    reader = _Reader(text.split("\n"))
    return "\n".join(reader.kept())


@dataclass(slots=True)
class _Reader:
    """The lines of a message, and how far they were read."""

    lines: list[str]
    at: int = 0

    def kept(self) -> Iterator[str]:
        while self.at < len(self.lines):
            start = self.at
            if begin := _BEGIN.match(self.lines[start]):
                yield from self._run(begin)
            if self.at == start:
                yield self.lines[start]
                self.at += 1

    def _run(self, begin: re.Match[str]) -> list[str]:
        """What stands for the run of lines that begins here; nothing if it is none."""
        if begin["commit"]:
            return self._commit(begin["commit"])
        if begin["fence"]:
            return self._fenced()
        if begin["diff"]:
            return self._diff()
        if begin["prompt"]:
            return self._command()
        if begin["data"]:
            return self._data()
        if begin["table"] or begin["border"]:
            return self._table()
        return (begin["trace"] and self._trace()) or (begin["stats"] and self._stats()) or self._log()

    def _commit(self, name: str) -> list[str]:
        """The head of a commit as `git show` and `git log` print it, without who and when."""
        end = self.at + 1
        while end < len(self.lines) and _COMMIT_HEAD.match(self.lines[end]):
            end += 1
        if end == self.at + 1:
            return []
        self.at = end
        return [f"commit {name[:10]}"]

    def _fenced(self) -> list[str]:
        """A fence of a diff becomes its mark; of output only its errors stay."""
        opened = _FENCE.match(self.lines[self.at])
        if not opened or opened["language"].lower() not in (*_DIFF_FENCES, *_OUTPUT_FENCES):
            return []
        end = self.at + 1
        while end < len(self.lines) and self.lines[end].strip() != opened["mark"]:
            end += 1
        inner = self.lines[self.at + 1 : end]
        is_diff = opened["language"].lower() in _DIFF_FENCES
        if not is_diff and len(inner) < LEAST_LOG_LINES:
            return []
        self.at = min(end + 1, len(self.lines))
        if not is_diff:
            return _output(inner)
        paths: dict[str, None] = {}
        for line in inner:
            _note_path(line, paths)
        return [_diff_mark(paths, len(inner))]

    def _diff(self) -> list[str]:
        """A diff or patch as git, diff or a coding agent writes it; its hunks tell how long they are."""
        start, paths = self.at, dict[str, None]()
        while self.at < len(self.lines) and self._diff_part(paths):
            pass
        return [_diff_mark(paths, self.at - start)] if self.at > start else []

    def _diff_part(self, paths: dict[str, None]) -> bool:
        """Read a header or hunk, if one begins here."""
        line = self.lines[self.at]
        if hunk := _HUNK.match(line):
            self.at += 1
            self._hunk(int(hunk["old"] or 1), int(hunk["new"] or 1))
            return True
        if line.startswith("*** Begin Patch") or _PATCH_FILE.match(line):
            self._patch(paths)
            return True
        pair = line.startswith("--- ") and self._next().startswith("+++ ")
        if pair or _HEADER.match(line):
            _note_path(line, paths)
            self.at += 1
            if pair:
                _note_path(self.lines[self.at], paths)
                self.at += 1
            return True
        return False

    def _hunk(self, old: int, new: int) -> None:
        while self.at < len(self.lines) and (old > 0 or new > 0):
            sign = self.lines[self.at][:1]
            if sign not in ("", " ", "+", "-", "\\", "\t"):
                if not any(line[:1] in ("+", "-") for line in self.lines[self.at + 1 : self.at + 3]):
                    return
                sign = " "  # pasted without the blanks in front
            old -= sign in ("", " ", "-", "\t")
            new -= sign in ("", " ", "+", "\t")
            self.at += 1

    def _patch(self, paths: dict[str, None]) -> None:
        while self.at < len(self.lines):
            line = self.lines[self.at]
            file = _PATCH_FILE.match(line)
            if not file and not _PATCH_LINE.match(line) and not _PATCH_END.match(line):
                return
            if file:
                paths[file["path"]] = None
            self.at += 1
            if _PATCH_END.match(line):
                return

    def _trace(self) -> list[str]:
        """A stack trace: its error and innermost frame stay."""
        start = self.at
        if _PY_TRACE.match(self.lines[start]) or _PY_FRAME.match(self.lines[start]):
            return self._python_trace(start)
        if not _FRAME_START.match(self.lines[start]):
            return []
        end = start
        while end < len(self.lines) and _FRAME.match(self.lines[end]):
            end += 1
        if end - start < LEAST_FRAMES:
            return []
        self.at = end
        return [self.lines[start], f"[stack, {end - start - 1} more lines]"]

    def _python_trace(self, start: int) -> list[str]:
        end = start + 1
        while end < len(self.lines) and (not self.lines[end].strip() or _PY_INNER.match(self.lines[end])):
            end += 1
        while end > start and not self.lines[end - 1].strip():
            end -= 1
        frames = [line for line in self.lines[start:end] if _PY_FRAME.match(line)]
        if len(frames) < LEAST_FRAMES - 1:
            return []
        self.at = end
        return [f"[stack, {end - start} lines, the innermost:]", frames[-1].strip()]

    def _stats(self) -> list[str]:
        """The files of `git diff --stat`."""
        end = self.at
        while end < len(self.lines) and _STAT.match(self.lines[end]):
            end += 1
        if end - self.at < LEAST_STATS:
            return []
        paths = dict.fromkeys(line.split("|")[0].strip() for line in self.lines[self.at : end])
        mark = _diff_mark(paths, end - self.at)
        self.at = end
        return [mark]

    def _log(self) -> list[str]:
        """A run of lines as programs print them."""
        end = last = self.at
        while end < len(self.lines):
            if _LOG.match(self.lines[end]):
                last = end = end + 1
            elif end > self.at and end - last < 2 and (self.lines[end][:1] in (" ", "\t") or not self.lines[end]):
                end += 1  # a continuation
            else:
                break
        return self._output_to(last, LEAST_LOG_LINES)

    def _command(self) -> list[str]:
        """What a command printed, up to a blank line; the command stays, and the last line, which may be talk."""
        end = self.at + 1
        while end < len(self.lines) and self.lines[end].strip() and not _STOP.match(self.lines[end]):
            end += 1
        found = self.lines[self.at + 1 : end - 1]
        if len(found) < LEAST_LOG_LINES:
            return []
        kept = [self.lines[self.at], *_output(found), self.lines[end - 1]]
        self.at = end
        return kept

    def _table(self) -> list[str]:
        """A table as databases print it."""
        is_table = _BORDER.match(self.lines[self.at]) or _BORDER.match(self._next())
        end = self.at
        while is_table and end < len(self.lines) and ("|" in self.lines[end] or _BORDER.match(self.lines[end])):
            end += 1
        return self._output_to(end, LEAST_LOG_LINES)

    def _data(self) -> list[str]:
        """Values as programs exchange them, of some length: a short piece is talked about."""
        end = self.at
        while end < len(self.lines) and _DATA_LINE.match(self.lines[end]):
            end += 1
        return self._output_to(end, LEAST_DATA_LINES)

    def _output_to(self, end: int, least: int) -> list[str]:
        found = self.lines[self.at : end]
        if len(found) < least:
            return []
        self.at = end
        return _output(found)

    def _next(self) -> str:
        return self.lines[self.at + 1] if self.at + 1 < len(self.lines) else ""


def _output(lines: list[str]) -> list[str]:
    told = list(dict.fromkeys(line.strip() for line in lines if _ERROR.search(line)))[:MOST_ERRORS]
    return [*told, f"[output, {len(lines)} lines]"]


def _note_path(line: str, paths: dict[str, None]) -> None:
    for pattern in (_GIT_PATHS, _FILE_LINE, _INDEX_PATH, _PATCH_FILE):
        if (found := pattern.match(line)) and found["path"] != "/dev/null":
            paths[found["path"]] = None


def _diff_mark(paths: dict[str, None], lines: int) -> str:
    named = " ".join(path for path in list(paths)[:MOST_PATHS] if len(path) <= MOST_PATH_CHARS)
    return f"[diff: {named}, {lines} lines]" if named else f"[diff, {lines} lines]"
