"""The command line: `zerikai-memory` is the MCP server, `zerikai-memory COMMAND` does by hand what its tools do.

Exit status: 0 done, 1 a refusal with its reason in one line on stderr, 2 wrong use, 130 stopped by Ctrl-C.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from zerikai_memory import __version__
from zerikai_memory.errors import Cancelled, InputError, ZerikaiError, forbidden

if TYPE_CHECKING:
    import argparse

    from zerikai_memory.app import Memory

# A scan by hand waits for the Chroma mirror so that it is whole when the command ends; about 25,000 entities fit in.
MIRROR_WAIT_S = 30.0
# Nine sections by a model without a graphics card.
BRIEF_WAIT_S = 600.0
DONE, REFUSED, WRONG_USE, INTERRUPTED = 0, 1, 2, 130
# Arguments that may be the name of a folder or file on disk, which is any bytes.
_DISK_NAMES = frozenset({"path", "workspace", "old", "new", "name", "source"})


def main(argv: Sequence[str] | None = None, *, open_memory: Callable[[], Memory] | None = None) -> int:
    """Run one command and return its exit status; without a command, serve MCP and never return."""
    words = list(sys.argv[1:] if argv is None else argv)
    if not words:  # before anything is imported: clients wait for the server's first reply
        from zerikai_memory.mcp_server.process import serve

        serve()
    try:
        args = _parser().parse_args(words)
    except SystemExit as stop:  # argparse has printed the help, the version or what was wrong
        return stop.code if isinstance(stop.code, int) else WRONG_USE
    _prepare_streams(args.json)
    _show_odd_bytes(args)
    memory: Memory | None = None
    try:
        memory = (open_memory or _open_memory)()
        status: int = args.run(memory, args)
        sys.stdout.flush()
    except BrokenPipeError:  # `| head` has read enough
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except KeyboardInterrupt:
        return _complain("stopped", args, INTERRUPTED)
    except Cancelled as error:
        return _complain(str(error), args, INTERRUPTED)
    except ZerikaiError as error:
        return _complain(str(error), args, REFUSED)
    except PermissionError as error:
        return _complain(forbidden(error), args, REFUSED)
    except Exception as error:  # noqa: BLE001 -- the front: one line for the person, the trace on demand
        return _complain(f"unexpected {type(error).__name__}: {error} (--debug shows the trace)", args, REFUSED)
    finally:
        if memory is not None:
            memory.close()
    return status


def _open_memory() -> Memory:
    from zerikai_memory.app import Memory  # numpy, SQLite and more: not for --help

    memory = Memory()
    for problem in memory.settings.problems:
        print(f"zerikai-memory: {problem}", file=sys.stderr)
    return memory


def _prepare_streams(as_json: bool) -> None:
    """Whatever the locale: JSON is UTF-8; a byte that is no text, or what cannot be shown, becomes an escape."""
    if reconfigure := getattr(sys.stdin, "reconfigure", None):
        reconfigure(errors="backslashreplace")
    for stream, encoding in ((sys.stdout, "utf-8" if as_json else None), (sys.stderr, None)):
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(encoding=encoding, errors="backslashreplace")


def _show_odd_bytes(args: argparse.Namespace) -> None:
    r"""Write bytes of an argument that are not UTF-8 as `\xff`, as stored paths do; names on disk keep them."""
    for name, value in vars(args).items():
        if isinstance(value, str) and name not in _DISK_NAMES:
            setattr(args, name, _shown(value))


def _shown(text: str) -> str:
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _complain(message: str, args: argparse.Namespace, status: int) -> int:
    from zerikai_memory import render
    from zerikai_memory.redact import mask_secrets

    if args.debug:
        import traceback

        traceback.print_exc()
    print(f"zerikai-memory: {mask_secrets(render.one_line(message))}", file=sys.stderr)
    return status


def _parser() -> argparse.ArgumentParser:
    import argparse

    from zerikai_memory.cli_budget import add_budget_commands
    from zerikai_memory.cli_map import add_map_command
    from zerikai_memory.cli_notes import add_note_commands
    from zerikai_memory.cli_sessions import add_session_commands
    from zerikai_memory.cli_upkeep import add_upkeep_commands
    from zerikai_memory.cli_usage import add_usage_commands

    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print one JSON value")
    shared.add_argument("--debug", action="store_true", default=argparse.SUPPRESS, help="show the trace of an error")
    target = argparse.ArgumentParser(add_help=False)
    target.add_argument("-w", "--workspace", metavar="WS", help="path, name or id (default: the current project)")

    parser = argparse.ArgumentParser(
        prog="zerikai-memory",
        description="Local code memory for coding agents. Without a command: the MCP server on stdin and stdout.",
    )
    parser.set_defaults(json=False, debug=False)
    parser.add_argument("--version", action="version", version=f"zerikai-memory {__version__}")
    parser.add_argument("--debug", action="store_true", help="show the trace of an error")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    def command(
        name: str, run: Callable[..., int], text: str, *, in_workspace: bool = False, within: Any = commands
    ) -> Any:
        parents = [shared, target] if in_workspace else [shared]
        made = within.add_parser(name, help=text, description=text, parents=parents)
        made.set_defaults(run=run)
        return made

    _add_index_commands(command)
    add_note_commands(command, _whole)
    _add_brief_commands(command)
    add_map_command(command, _whole)
    add_session_commands(command, _whole)
    add_budget_commands(command, _whole)
    add_upkeep_commands(command, _whole)
    add_usage_commands(command, _whole)
    return parser


def _add_index_commands(command: Callable[..., Any]) -> None:
    scan = command("scan", _run_scan, "Index a project, or bring its index up to date.")
    scan.add_argument("path", nargs="?", metavar="PATH", help="folder, name or id (default: the current project)")
    scan.add_argument("--dry-run", action="store_true", help="only say what would be done")
    scan.add_argument("--force-refresh-brief", action="store_true", help="also rewrite the locked brief")

    query = command("query", _run_query, "Ask a project's memory.", in_workspace=True)
    query.add_argument("question", metavar="QUESTION")
    query.add_argument("--category", metavar="C", help="only such records; with an empty question the latest")
    query.add_argument("-k", "--limit", type=_whole(1, 50), metavar="N", help="most entities to cite, 1 to 50")
    query.add_argument("--budget-tokens", type=_whole(100, 100_000), metavar="N", help="most tokens of the answer")
    query.add_argument("--task", metavar="T", help="book what models cost under this task")

    entities = command("entities", _run_entities, "List the stored entities.")
    entities.add_argument("workspace", nargs="?", metavar="WS", help="path, name or id (default: the current project)")
    entities.add_argument("--file", metavar="F", help="only those of this file")


def _add_brief_commands(command: Callable[..., Any]) -> None:
    brief = command("brief", _run_brief_show, "Show or replace the project's brief.").add_subparsers(
        metavar="show|set|regenerate|history|restore", required=True
    )
    command("show", _run_brief_show, "Print the brief.", in_workspace=True, within=brief)
    setter = command("set", _run_brief_set, "Replace the brief.", in_workspace=True, within=brief)
    setter.add_argument(
        "source", nargs="?", default="-", metavar="FILE|-|TEXT", help="a file, - for stdin, or the text"
    )
    command(
        "regenerate", _run_brief_regenerate, "Write the brief anew from the index.", in_workspace=True, within=brief
    )
    command("history", _run_brief_history, "List all versions of the brief.", in_workspace=True, within=brief)
    restore = command(
        "restore", _run_brief_restore, "Make an older version the newest one.", in_workspace=True, within=brief
    )
    restore.add_argument("version", type=_whole(1, 1_000_000), metavar="VERSION", help="a number of `brief history`")


def _whole(low: int, high: int) -> Callable[[str], int]:
    def whole_number(text: str) -> int:
        value = int(text)
        if not low <= value <= high:
            raise ValueError(text)
        return value

    whole_number.__name__ = f"number from {low} to {high}"  # argparse names the type in its message
    return whole_number


def _show(args: argparse.Namespace, value: Any, text: str, pretty: Callable[[], Any] | None = None) -> int:
    from zerikai_memory import terminal

    terminal.show(value, text, as_json=args.json, pretty=pretty)
    return DONE


def _run_scan(memory: Memory, args: argparse.Namespace) -> int:
    from zerikai_memory import render, terminal

    if args.path is not None and not args.path.strip():
        raise InputError("PATH: got an empty text, perhaps an unset variable; leave it out for the current project")
    with _stop_on_interrupt() as stopped, terminal.progress_bar() as progress:
        report = memory.scan(
            args.path,
            dry_run=args.dry_run,
            force_refresh_brief=args.force_refresh_brief,
            mirror_wait_s=MIRROR_WAIT_S,
            progress=progress,
            cancelled=stopped,
        )
    _show(args, render.scan_summary(report), render.scan_report(report), lambda: terminal.scan(report))
    return {"cancelled": INTERRUPTED, "failed": REFUSED}.get(report.status, DONE)


def _run_query(memory: Memory, args: argparse.Namespace) -> int:
    from zerikai_memory import render

    answer = memory.query(
        args.question,
        args.workspace,
        category=args.category,
        limit=args.limit,
        budget_tokens=args.budget_tokens,
        task=args.task,
    )
    return _show(args, answer, render.query_answer(answer))


def _run_entities(memory: Memory, args: argparse.Namespace) -> int:
    from zerikai_memory import render, terminal

    entities = memory.entities(args.workspace, file=args.file)
    text = "" if args.json else render.entity_table(entities)  # there may be very many
    return _show(args, entities, text, lambda: terminal.entities(entities))


def _run_brief_show(memory: Memory, args: argparse.Namespace) -> int:
    from zerikai_memory import render

    brief = memory.brief(args.workspace)
    return _show(args, brief, render.brief_text(brief))


def _run_brief_set(memory: Memory, args: argparse.Namespace) -> int:
    from zerikai_memory import render

    brief = memory.set_brief(_text_from(args.source), args.workspace)
    return _show(args, brief, render.replaced_brief(brief))


def _run_brief_regenerate(memory: Memory, args: argparse.Namespace) -> int:
    from zerikai_memory import render

    brief = memory.regenerate_brief(args.workspace, wait_s=BRIEF_WAIT_S)
    return _show(args, brief, render.brief_text(brief))


def _run_brief_history(memory: Memory, args: argparse.Namespace) -> int:
    from zerikai_memory import render

    briefs = memory.brief_history(args.workspace)
    return _show(args, briefs, render.brief_versions(briefs))


def _run_brief_restore(memory: Memory, args: argparse.Namespace) -> int:
    from zerikai_memory import render

    brief = memory.restore_brief(args.version, args.workspace)
    return _show(args, brief, render.replaced_brief(brief))


def _text_from(source: str) -> str:
    """The text meant by `-` (stdin), a file's path, or the text itself."""
    from pathlib import Path

    if source == "-":
        return sys.stdin.read()
    is_path = len(source.split()) == 1
    try:
        if is_path and Path(source).is_file():
            return Path(source).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise InputError(f"Cannot read {_shown(source)!r} as UTF-8 text: {error}") from error
    if is_path:  # one word is a mistyped file name more often than it is a brief
        raise InputError(f"No such file: {_shown(source)!r}. Give a file, - for stdin, or the text of the brief.")
    return _shown(source)


@contextmanager
def _stop_on_interrupt() -> Iterator[Callable[[], bool]]:
    """A flag that the first Ctrl-C sets, so that a scan ends cleanly; the second one interrupts as usual."""
    import signal
    import threading

    stopped = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield stopped.is_set
        return

    def stop(number: int, frame: object) -> None:
        stopped.set()
        signal.signal(signal.SIGINT, signal.default_int_handler)

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield stopped.is_set
    finally:
        signal.signal(signal.SIGINT, before)
