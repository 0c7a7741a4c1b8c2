"""Commands for what is stored: workspaces, undo, backups, doctor. Each prints one answer and returns a status."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from zerikai_memory.errors import InputError

if TYPE_CHECKING:
    import argparse

    from zerikai_memory.app import Memory
    from zerikai_memory.model import Workspace

DONE, REFUSED = 0, 1


def add_upkeep_commands(command: Callable[..., Any], whole: Callable[[int, int], Any]) -> None:
    """Add the commands to the parser; `whole` makes an argument type for a bounded whole number."""
    workspace = command("workspace", _run_list, "List, move, merge or drop workspaces.").add_subparsers(
        metavar="list|snapshots|move|merge|drop", required=True
    )
    command("list", _run_list, "List the registered workspaces.", within=workspace)
    command("snapshots", _run_snapshots, "List what undo can bring back.", in_workspace=True, within=workspace)
    move = command("move", _run_move, "Keep what is stored for a project that was moved.", within=workspace)
    move.add_argument("old", metavar="OLD", help="the old path, the name or the id")
    move.add_argument("new", metavar="NEW", help="the folder where the project is now")
    merge = command("merge", _run_merge, "Give notes and brief of one workspace to another.", within=workspace)
    merge.add_argument("old", metavar="A", help="gives its notes and is forgotten: path, name or id")
    merge.add_argument("new", metavar="B", help="receives them: path, name or id")
    merge.add_argument("--dry-run", action="store_true", help="only say what would be done")
    drop = command("drop", _run_drop, "Remove what is stored for a workspace.", within=workspace)
    drop.add_argument("name", metavar="NAME", help="name, id or path")
    drop.add_argument("--all", action="store_true", help="also remove notes and usage rows")
    for asking in (merge, drop):
        asking.add_argument("--yes", action="store_true", help="do not ask")

    undo = command("undo", _run_undo, "Bring the index back to before its last scan.", in_workspace=True)
    undo.add_argument("--to", type=whole(1, 1000), metavar="N", help="a number of `workspace snapshots`")

    backup = command("backup", _run_backups, "List or restore backups of notes, briefs and registry.").add_subparsers(
        metavar="list|restore", required=True
    )
    command("list", _run_backups, "List the backups of zerikai.db.", within=backup)
    restore = command("restore", _run_restore, "Put a backup in the place of zerikai.db.", within=backup)
    restore.add_argument("name", metavar="NAME", help="a name of `backup list`")
    restore.add_argument("--yes", action="store_true", help="do not ask")

    doctor = command("doctor", _run_doctor, "Check settings and the brain on disk.")
    doctor.add_argument("--repair", action="store_true", help="mend what can be made anew; recorded data stays")


def _show(args: argparse.Namespace, value: Any, text: str, pretty: Callable[[], Any] | None = None) -> int:
    from zerikai_memory import terminal

    terminal.show(value, text, as_json=args.json, pretty=pretty)
    return DONE


def _run_list(memory: Memory, args: argparse.Namespace) -> int:
    from zerikai_memory import render, terminal

    workspaces = memory.workspaces()
    return _show(args, workspaces, render.workspace_table(workspaces), lambda: terminal.workspaces(workspaces))


def _run_snapshots(memory: Memory, args: argparse.Namespace) -> int:
    from zerikai_memory import render_upkeep

    snapshots = memory.upkeep.snapshots(memory.resolve(args.workspace))
    return _show(args, snapshots, render_upkeep.snapshot_table(snapshots))


def _run_move(memory: Memory, args: argparse.Namespace) -> int:
    from zerikai_memory import render_upkeep

    report = memory.upkeep.move(args.old, args.new)
    return _show(args, report, render_upkeep.move_report(report))


def _run_merge(memory: Memory, args: argparse.Namespace) -> int:
    from zerikai_memory import render_upkeep

    plan = memory.upkeep.merge(args.old, args.new, dry_run=True)
    if args.dry_run:
        return _show(args, plan, render_upkeep.merge_report(plan))
    if not args.yes and not _agreed(render_upkeep.merge_report(plan)):
        return DONE
    report = memory.upkeep.merge(args.old, args.new)
    return _show(args, report, render_upkeep.merge_report(report))


def _run_drop(memory: Memory, args: argparse.Namespace) -> int:
    from zerikai_memory import render

    workspace = memory.resolve(args.name)
    if not args.yes and not _agreed(_drop_question(memory, workspace, args.all)):
        return DONE
    report = memory.drop(workspace.id, everything=args.all)
    return _show(args, report, render.drop_report(report))


def _run_undo(memory: Memory, args: argparse.Namespace) -> int:
    from zerikai_memory import render_upkeep

    report = memory.upkeep.undo(memory.resolve(args.workspace), args.to)
    return _show(args, report, render_upkeep.undo_report(report))


def _run_backups(memory: Memory, args: argparse.Namespace) -> int:
    from zerikai_memory import render_upkeep

    backups = memory.upkeep.backups()
    return _show(args, backups, render_upkeep.backup_table(backups))


def _run_restore(memory: Memory, args: argparse.Namespace) -> int:
    question = (
        f"This puts {args.name} in the place of zerikai.db; notes, briefs and usage saved after it was made are then "
        "only in the old file, which is renamed and kept. Stop the running servers first."
    )
    if not args.yes and not _agreed(question, done="restored"):
        return DONE
    kept = memory.upkeep.restore_backup(args.name)
    text = f"Restored {args.name}." + (f" The old file is {kept[-1]}." if kept else "")
    return _show(args, {"restored": args.name, "kept": kept}, text)


def _run_doctor(memory: Memory, args: argparse.Namespace) -> int:
    from zerikai_memory import render, terminal

    findings = memory.doctor(repair=True) if args.repair else memory.doctor()
    _show(args, findings, render.finding_lines(findings), lambda: terminal.findings(findings))
    return REFUSED if any(finding.level == "error" for finding in findings) else DONE


def _drop_question(memory: Memory, workspace: Workspace, everything: bool) -> str:
    from zerikai_memory import render

    known = next((info for info in memory.workspaces() if info.id == workspace.id), None)
    if known is None:
        raise InputError(f"Nothing is stored for {workspace.path!r}; see `zerikai-memory workspace list`.")
    return render.drop_question(known, everything=everything)


def _agreed(question: str, *, done: str = "removed") -> bool:
    if not sys.stdin.isatty():
        raise InputError(
            f"{question} Nothing was {done}: there is no terminal to ask on; --yes goes on without asking."
        )
    print(f"{question} Continue? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() in ("y", "yes"):
        return True
    print(f"Nothing was {done}.", file=sys.stderr)
    return False
