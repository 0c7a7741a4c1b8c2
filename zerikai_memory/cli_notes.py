"""Commands for records: save, notes, ledger. Each prints one answer and returns a status."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zerikai_memory.errors import InputError

if TYPE_CHECKING:
    import argparse

    from zerikai_memory.app import Memory

DONE = 0
OUTCOMES = ("worked", "failed", "unknown")
LISTED = 20


def add_note_commands(command: Callable[..., Any], whole: Callable[[int, int], Any]) -> None:
    """Add the commands to the parser; `whole` makes an argument type for a bounded whole number."""
    save = command(
        "save", _run_save, "Save a record: a decision, a fix that worked or failed, a fact.", in_workspace=True
    )
    save.add_argument("text", metavar="TEXT")
    save.add_argument("--category", default="fact", metavar="C", help="fact, decision, fix, ... (default: fact)")
    save.add_argument("--outcome", choices=OUTCOMES, help="of a fix or an attempt")
    save.add_argument("--supersedes", nargs="+", default=[], metavar="ID", help="records that this one replaces")
    save.add_argument("--anchors", nargs="+", default=[], metavar="A", help="names, paths or citations it is about")
    save.add_argument("--detail", metavar="TEXT", help="more than the statement itself")
    save.add_argument("--tags", nargs="+", metavar="T")
    save.add_argument("--importance", type=float, metavar="0-1")
    save.add_argument("--confirmed", metavar="WHO", help="who vouches for it")
    save.add_argument("--run", dest="run_id", metavar="R", help="the run this attempt belongs to")

    notes = command("notes", _run_list, "List, confirm, look over, export or import records.").add_subparsers(
        metavar="list|confirm|review|agree|roll|history|export|import", required=True
    )
    listing = command("list", _run_list, "List the live records.", in_workspace=True, within=notes)
    listing.add_argument("question", nargs="?", metavar="QUESTION", help="only those that answer it, best first")
    listing.add_argument("--category", metavar="C")
    listing.add_argument("--as-of", metavar="DATE", help="what was live then: 2026-05-03, 2026-05, yesterday, 7d")
    listing.add_argument("--all", action="store_true", help="superseded ones too")
    listing.add_argument("--last", type=whole(1, 100_000), default=LISTED, metavar="N")
    confirm = command("confirm", _run_confirm, "Vouch for a record.", in_workspace=True, within=notes)
    confirm.add_argument("id", metavar="ID")
    confirm.add_argument("--by", default="user", metavar="WHO")
    review = command("review", _run_review, "Show what is out of date or in conflict.", in_workspace=True, within=notes)
    agree = command("agree", _run_agree, "Say that two records do not disagree.", in_workspace=True, within=notes)
    agree.add_argument("id", metavar="ID")
    agree.add_argument("other", metavar="OTHER")
    agree.add_argument("--by", default="user", metavar="WHO")
    roll = command("roll", _run_roll, "Replace records by one summary, after a look.", in_workspace=True, within=notes)
    roll.add_argument("ids", nargs="+", metavar="ID")
    roll.add_argument("--text", metavar="TEXT", help="the summary in your words; saved as it is")
    for asking in (review, roll):
        asking.add_argument("--no-model", action="store_true", help="rules alone, even if there is a model")
    history = command("history", _run_history, "Show the chain of a record.", in_workspace=True, within=notes)
    history.add_argument("id", metavar="ID")
    export = command("export", _run_export, "Write all records to standard output.", in_workspace=True, within=notes)
    export.add_argument("--markdown", action="store_true", help="for reading; JSON Lines otherwise")
    importing = command("import", _run_import, "Add records that were exported.", in_workspace=True, within=notes)
    importing.add_argument("file", metavar="FILE|-", help="JSON Lines or Markdown of `notes export`; - for stdin")

    ledger = command("ledger", _run_ledger, "Replay what was tried and decided, newest first.", in_workspace=True)
    ledger.add_argument("--kind", metavar="C", help="a category: fix, decision, error, ...")
    ledger.add_argument("--entity", metavar="X", help="what records are about: a name, path, path:line or citation")
    ledger.add_argument("--run", dest="run_id", metavar="R", help="records of one run")
    ledger.add_argument("--last", type=whole(1, 100_000), default=LISTED, metavar="N", help=f"default: {LISTED}")
    ledger.add_argument("--as-of", metavar="DATE", help="what was known then: 2026-05-03, 2026-05, yesterday, 7d")


def _moment(args: argparse.Namespace) -> dict[str, float]:
    """`as_of` in seconds, of a day its end; nothing when it is not given."""
    from zerikai_memory.times import moment

    return {} if args.as_of is None else {"as_of": moment(args.as_of, "--as-of", time.time(), end_of_day=True)}


def _no_blanks(args: argparse.Namespace, *names: str) -> None:
    """Refuse an option that was given an empty text: an unset variable is no wish for everything."""
    for name in names:
        value = getattr(args, name)
        if any(not text.strip() for text in ([value] if isinstance(value, str) else value or ())):
            option = {"run_id": "--run", "text": "TEXT", "id": "ID", "ids": "ID", "other": "OTHER"}.get(
                name, f"--{name}"
            )
            raise InputError(f"{option}: got an empty text, perhaps an unset variable")


def _show(args: argparse.Namespace, value: Any, text: str) -> int:
    from zerikai_memory import terminal

    terminal.show(value, text, as_json=args.json)
    return DONE


def _run_save(memory: Memory, args: argparse.Namespace) -> int:
    from zerikai_memory import render

    _no_blanks(args, "text", "category", "supersedes", "anchors", "detail", "tags", "confirmed", "run_id")
    details = {
        "detail": args.detail,
        "tags": args.tags,
        "importance": args.importance,
        "confirmed": args.confirmed,
        "run_id": args.run_id,
    }
    note = memory.save(
        args.text,
        args.workspace,
        category=args.category,
        outcome=args.outcome,
        supersedes=args.supersedes,
        anchors=args.anchors,
        details={name: value for name, value in details.items() if value is not None},
        by_command=True,
    )
    return _show(args, note, render.saved_note(note))


def _run_list(memory: Memory, args: argparse.Namespace) -> int:
    from zerikai_memory import render_notes

    _no_blanks(args, "category")
    then = _moment(args)
    records = memory.records(args.workspace)
    if args.question:
        found = records.asked(args.question, args.category, args.last, **then)
        nearest = () if found or then else records.nearest(args.question, args.category)
        return _show(args, found, render_notes.answering_notes(found, nearest))
    found = records.listed(args.category, args.last, live_only=not args.all, **then)
    return _show(args, found, render_notes.note_list(found))


def _run_ledger(memory: Memory, args: argparse.Namespace) -> int:
    from zerikai_memory import render_notes

    _no_blanks(args, "kind", "entity", "run_id")
    records = memory.records(args.workspace)
    found = records.listed(args.kind, args.last, run_id=args.run_id, entity=args.entity, **_moment(args))
    return _show(args, found, render_notes.note_list(found))


def _run_confirm(memory: Memory, args: argparse.Namespace) -> int:
    from zerikai_memory import render_notes

    note = memory.records(args.workspace).confirm(args.id, args.by)
    return _show(args, note, render_notes.note_list([note]))


def _run_review(memory: Memory, args: argparse.Namespace) -> int:
    from zerikai_memory import render_notes

    review = memory.records(args.workspace).review(use_model=not args.no_model)
    return _show(args, review, render_notes.note_review(review))


def _run_agree(memory: Memory, args: argparse.Namespace) -> int:
    from zerikai_memory import render_notes

    notes = memory.records(args.workspace).agree(args.id, args.other, args.by)
    return _show(args, notes, render_notes.note_list(notes))


def _run_roll(memory: Memory, args: argparse.Namespace) -> int:
    from zerikai_memory import render, render_notes

    records = memory.records(args.workspace)
    text = args.text
    if text is None:
        proposal = records.summary(args.ids, use_model=not args.no_model)
        if args.json or not sys.stdin.isatty():
            return _show(args, proposal, render_notes.roll_proposal(proposal))
        print(f"{render_notes.roll_draft(proposal)}\n\nSave it in their place? [y/N] ", end="", flush=True)
        if sys.stdin.readline().strip().lower() not in ("y", "yes"):
            raise InputError("nothing was saved")
        text = proposal.summary
    note = records.roll(args.ids, text)
    return _show(args, note, render.saved_note(note))


def _run_history(memory: Memory, args: argparse.Namespace) -> int:
    from zerikai_memory import render_notes

    history = memory.records(args.workspace).history(args.id)
    return _show(args, history, render_notes.note_history(history))


def _run_export(memory: Memory, args: argparse.Namespace) -> int:
    sys.stdout.write(memory.records(args.workspace).exported(markdown=args.markdown))
    return DONE


def _run_import(memory: Memory, args: argparse.Namespace) -> int:
    from zerikai_memory import render_notes

    try:
        text = sys.stdin.read() if args.file == "-" else Path(args.file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"Cannot read {args.file!r} as UTF-8 text: {error}") from error
    report = memory.records(args.workspace).imported(text)
    return _show(args, report, render_notes.import_report(report))
