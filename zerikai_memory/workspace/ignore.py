"""Which files are left out: the floor, `.memignore`, `.gitignore`, `.git/info/exclude`, the built-in defaults.

Rules are git's: per folder, the deepest ignore file first, its last matching line decides, and nothing below an
excluded folder comes back, because the walk never enters it. Any `.memignore` line outranks any `.gitignore` line.
A `.memignore` negation also lifts a default (a `.gitignore` negation does not, and a pattern of stars alone such
as `!*/` does not: an allow-list is no wish for `node_modules`). Not read: the ignore files of other tools, git's
global excludes file (it belongs to the machine, not to the project), and ignore files that are symbolic links
(git does not follow those either).
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from zerikai_memory.workspace.builtin import OUTPUT_RULES, default_rules, floor_rule
from zerikai_memory.workspace.gitglob import Rule, RuleList, pattern_lines
from zerikai_memory.workspace.opening import open_file

MEMIGNORE, GITIGNORE = ".memignore", ".gitignore"
# More than this is no ignore file, and every rule costs 0.2 ms at each scan; the longest we saw has 400 rules.
MAX_IGNORE_BYTES = 1_000_000
MAX_RULES = 10_000


@dataclass(frozen=True, slots=True)
class Verdict:
    """`rule` names what excludes the path (None: nothing does); `lifted` is set when `.memignore` asks for it."""

    rule: str | None
    lifted: bool = False


KEPT, _LIFTED = Verdict(None), Verdict(None, lifted=True)


@dataclass(frozen=True, slots=True)
class _Layer:
    """The rules of one ignore file; `skip` is the length of its folder's path in the paths it is asked about."""

    rules: RuleList
    skip: int = 0
    prefix: bytes = b""


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """The rules in force inside one folder; each group has the deepest ignore file first."""

    memignore: tuple[_Layer, ...] = ()
    gitignore: tuple[_Layer, ...] = ()
    ignore_case: bool = False

    def inside(self, folder: str, *, memignore: bytes | None, gitignore: bytes | None) -> IgnoreRules:
        """The rules inside `folder` (relative, as `os` spells it), given its ignore files' content."""
        rules = self
        if memignore:
            rules = replace(rules, memignore=(self._layer(folder, MEMIGNORE, memignore), *self.memignore))
        if gitignore:
            rules = replace(rules, gitignore=(self._layer(folder, GITIGNORE, gitignore), *self.gitignore))
        return rules

    def verdict(self, path: str, name: str, is_folder: bool) -> Verdict:
        """Whether a path below the root is left out, and by which rule; its parents are not looked at."""
        if floor := floor_rule(name, is_folder):
            return Verdict(floor)
        raw, raw_name = os.fsencode(path), os.fsencode(name)
        asked = _last_match(self.memignore, raw, raw_name, is_folder)
        if asked is not None and not asked.negated:
            return Verdict(asked.label)
        if asked is not None and not asked.bare:
            return _LIFTED
        git = None if asked else _last_match(self.gitignore, raw, raw_name, is_folder)
        if git is not None and not git.negated:
            return Verdict(git.label)
        default = default_rules().last_match(raw, raw_name, is_folder)
        return Verdict(default.label) if default else KEPT

    def _layer(self, folder: str, name: str, content: bytes) -> _Layer:
        source = f"{folder}/{name}" if folder else name
        rules = RuleList.parse(content, source, ignore_case=self.ignore_case)
        return _Layer(rules, skip=len(os.fsencode(folder)) + 1 if folder else 0)


def root_rules(root: Path, *, respect_gitignore: bool, ignore_case: bool) -> IgnoreRules:
    """The rules that hold at the root before its own ignore files: those of the git repository around it.

    When these leave out the root itself (`*` in the home folder of somebody who keeps dotfiles in git), they say
    nothing about what is in it, and do not hold.
    """
    rules = IgnoreRules(ignore_case=ignore_case)
    top = _repository_top(root) if respect_gitignore else None
    if top is None:
        return rules
    between = [folder for folder in root.parents if folder.is_relative_to(top)]
    sources = [(folder, folder / GITIGNORE) for folder in between] + [(top, _info_exclude(top))]
    layers = [
        (folder, RuleList.parse(content, str(file), ignore_case=ignore_case))
        for folder, file in sources
        if (content := read_ignore_file(file).content)
    ]
    if any(_leaves_out(layers, folder) for folder in [root, *between[:-1]]):
        return rules
    return replace(
        rules,
        gitignore=tuple(
            _Layer(parsed, prefix=os.fsencode(root.relative_to(folder).as_posix() + "/") if folder != root else b"")
            for folder, parsed in layers
        ),
    )


@dataclass(frozen=True, slots=True)
class IgnoreText:
    """Content of an ignore file as far as it is applied; `fault` says what is not and `reason` why."""

    content: bytes
    fault: str = ""
    reason: str = "too_large"


def read_ignore_file(path: Path) -> IgnoreText:
    """What an ignore file says; never waits for a pipe, never follows a link, and stops at the limits."""
    try:
        with open_file(path) as file:
            content = file.read(MAX_IGNORE_BYTES + 1)
    except OSError as error:
        return IgnoreText(b"", f"{error.strerror or error}; its rules are not applied", "unreadable")
    if len(content) > MAX_IGNORE_BYTES:
        content = content[: content.rfind(b"\n", 0, MAX_IGNORE_BYTES) + 1]
        fault = f"more than {MAX_IGNORE_BYTES:,} bytes; only the rules in the first {MAX_IGNORE_BYTES:,} are applied"
    else:
        fault = ""
    rules = pattern_lines(content)
    if next(islice(rules, MAX_RULES, None), None) is not None:
        numbers = islice(pattern_lines(content), MAX_RULES)
        last = max(number for number, _ in numbers)
        content = b"\n".join(content.split(b"\n", last)[:last])
        fault = f"more than {MAX_RULES:,} rules; only the first {MAX_RULES:,} are applied"
    return IgnoreText(content, fault)


def is_source_package(rule: str | None, names: frozenset[str]) -> bool:
    """Whether a folder that a default calls build output is a Python package after all."""
    return rule in OUTPUT_RULES and "__init__.py" in names


def _last_match(layers: tuple[_Layer, ...], path: bytes, name: bytes, is_folder: bool) -> Rule | None:
    for layer in layers:
        found = layer.rules.last_match(layer.prefix + path[layer.skip :], name, is_folder)
        if found is not None:
            return found
    return None


def _leaves_out(layers: list[tuple[Path, RuleList]], folder: Path) -> bool:
    for base, rules in layers:
        if base in folder.parents:
            relative = os.fsencode(folder.relative_to(base).as_posix())
            found = rules.last_match(relative, os.fsencode(folder.name), True)
            if found is not None:
                return not found.negated
    return False


def _repository_top(root: Path) -> Path | None:
    return next((folder for folder in (root, *root.parents) if (folder / ".git").exists()), None)


def _info_exclude(top: Path) -> Path:
    """`info/exclude` of the repository; in a worktree `.git` is a file that points to it."""
    git = top / ".git"
    try:
        if git.is_file():
            target = git.read_text("utf-8", "surrogateescape").removeprefix("gitdir:").strip()
            git = top / target
            common = git / "commondir"
            git = git / common.read_text("utf-8", "surrogateescape").strip() if common.is_file() else git
    except OSError:
        return top / ".git" / "info" / "exclude"
    return git / "info" / "exclude"
