"""What a person at a terminal sees: tables that fit its width, colours that mean something, a bar while a scan runs.

Only where the stream is a terminal; elsewhere the plain text of `render` is printed as it is. `NO_COLOR` switches the
colours off. rich is imported here alone, and only when there is a terminal.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from zerikai_memory import render
from zerikai_memory.model import CodeEntity, ScanProgress, ScanReport, WorkspaceInfo
from zerikai_memory.model_upkeep import Finding

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table

Pretty = Callable[[], "list[RenderableType]"]
# Beginnings of lines of `render` that a reader looks for.
_LINE_STYLES = {
    "Sources:": "bold",
    "Nearest:": "bold",
    "--- ": "cyan",
    "Warning:": "yellow",
    "+ ": "green",
    "~ ": "yellow",
    "- ": "red",
}
_LEVEL_STYLES = {"ok": "green", "warning": "yellow", "error": "bold red"}
PATHS_SHOWN = 3


def show(value: Any, text: str, *, as_json: bool = False, pretty: Pretty | None = None) -> None:
    """Print one answer: JSON when asked for, on a terminal `pretty` or the text with colours, else the text."""
    if as_json:
        print(render.json_line(value))
    elif not sys.stdout.isatty():
        print(text)
    elif pretty is None:
        _console(sys.stdout).print(_coloured(text), soft_wrap=True)  # the terminal breaks lines: copies stay whole
    else:
        _console(sys.stdout).print(*pretty())


def workspaces(known: Sequence[WorkspaceInfo]) -> list[RenderableType]:
    """The registered workspaces, each with its path below its name."""
    from rich.text import Text

    if not known:
        return [render.workspace_table(known)]
    table = _table("project", "id", "files", "entities", "notes", "last scan", numbers=(2, 3, 4))
    for info, row in zip(known, render.workspace_rows(known), strict=True):
        name, short_id, files, entities, notes, scanned, path = row
        project = Text.assemble((name, "bold"), "\n", (path, "" if info.exists and not info.incomplete else "yellow"))
        table.add_row(project, short_id, files, entities, notes, scanned)
    return [table]


def entities(found: Sequence[CodeEntity]) -> list[RenderableType]:
    """Entities under the file that holds them: line, kind, qualified name."""
    from rich.text import Text

    if not found:
        return [render.entity_table(found)]
    table = _table("line", "kind", "name", numbers=(0,))
    last = None
    for entity in found:
        if entity.file_path != last:
            table.add_row("", "", Text(render.one_line(entity.file_path), "cyan"))
            last = entity.file_path
        name = render.one_line(entity.qualified_name or entity.name)
        table.add_row(str(entity.start_line), str(entity.entity_type), Text(name))
    return [table]


def findings(found: Sequence[Finding]) -> list[RenderableType]:
    """What doctor found, with the fix below what is not well."""
    from rich.text import Text

    table = _table("", "check", "finding")
    for finding in found:
        message = Text(render.one_line(finding.message))
        if finding.fix:
            message.append(f"\nfix: {render.one_line(finding.fix)}", "bold")
        level = Text(finding.level, _LEVEL_STYLES[finding.level])
        table.add_row(level, Text(render.one_line(finding.check)), message)
    return [table]


def scan(report: ScanReport) -> list[RenderableType]:
    """A scan report with a table of what was left out, and why."""
    lines = [line for line in render.scan_report(report).splitlines() if not line.startswith(("Skipped ", "Failed "))]
    shown: list[RenderableType] = [_coloured("\n".join(lines))]
    left_out = [(path.reason, path.path) for path in report.skipped]
    left_out += [(f"failed: {path.detail or path.reason}", path.path) for path in report.failed]
    if left_out:
        failed = f", failed {len(report.failed)}" if report.failed else ""
        table = _table(f"skipped {len(report.skipped)}{failed}", "count", "for example", numbers=(1,))
        for reason, count in Counter(reason for reason, _ in left_out).most_common():
            paths = [render.one_line(path) for why, path in left_out if why == reason]
            more = f"\nand {count - PATHS_SHOWN} more" if count > PATHS_SHOWN else ""
            table.add_row(render.one_line(reason), str(count), "\n".join(paths[:PATHS_SHOWN]) + more)
        shown.append(table)
    return shown


@contextmanager
def progress_bar() -> Iterator[Callable[[ScanProgress], None] | None]:
    """A bar on stderr where that is a terminal, else nothing."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=_console(sys.stderr), transient=True) as bar:
        task = bar.add_task("looking for files", total=None)

        def advance(progress: ScanProgress) -> None:
            bar.update(task, description=progress.stage, completed=progress.done, total=progress.total or None)

        yield advance


def _console(stream: Any) -> Console:
    from rich.console import Console

    # Names of files and code are data: nothing in them is markup or an emoji code, or worth a guess at its colour.
    return Console(file=stream, markup=False, emoji=False, highlight=False)


def _table(*headings: str, numbers: tuple[int, ...] = ()) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold", show_edge=False)
    for i, heading in enumerate(headings):
        widest = i == len(headings) - 1 or heading == "project"
        table.add_column(
            heading, justify="right" if i in numbers else "left", overflow="fold", no_wrap=not widest, min_width=3
        )
    return table


def _coloured(text: str) -> RenderableType:
    from rich.text import Text

    shown = Text()
    for line in text.splitlines(keepends=True):
        style = next((style for start, style in _LINE_STYLES.items() if line.startswith(start)), "")
        shown.append(line, style)
    return shown
