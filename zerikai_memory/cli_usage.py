"""Commands for usage: what models and agents cost, comparison with a provider's export, purging of old rows."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zerikai_memory.errors import InputError
from zerikai_memory.model_usage_report import AGENTS_BY, BY

if TYPE_CHECKING:
    import argparse

    from zerikai_memory.app import Memory

DONE = 0
MAX_DAYS = 3660


def add_usage_commands(command: Callable[..., Any], whole: Callable[[int, int], Any]) -> None:
    """Add the commands to the parser; `whole` makes an argument type for a bounded whole number."""
    usage = command("usage", _run_report, "Show what models and agents cost.")
    keys = list(dict.fromkeys((*BY, *AGENTS_BY)))
    usage.add_argument(
        "--by", choices=keys, metavar="KEY", help=f"{', '.join(BY)}; with --agents {', '.join(AGENTS_BY)}"
    )
    usage.add_argument("--days", type=whole(1, MAX_DAYS), default=30, metavar="N", help="so many days, default 30")
    usage.add_argument("-w", "--workspace", metavar="WS", help="only this project (default: all)")
    usage.add_argument("--agents", action="store_true", help="what agents spent, by their own transcripts")
    usage.add_argument("--zone", metavar="ZONE", help="time zone of the days, such as UTC (default: this machine's)")
    form = usage.add_mutually_exclusive_group()
    form.add_argument("--csv", action="store_true", help="print the lines as CSV")
    form.add_argument("--html", metavar="FILE", help="write a page with plots and tables (- for stdout)")

    within = usage.add_subparsers(metavar="reconcile|purge")
    reconcile = command("reconcile", _run_reconcile, "Compare with a provider's export.", within=within)
    reconcile.add_argument("file", metavar="FILE", help="CSV, JSON or ZIP (docs/usage.md)")
    reconcile.add_argument("--tolerance", type=_percent, default=1.0, metavar="PERCENT", help="default 1")
    reconcile.add_argument("--key", metavar="NAME", help="only rows of the API key of this name")
    purge = command("purge", _run_purge, "Replace old rows by sums.", within=within)
    purge.add_argument("--before", required=True, metavar="DATE", help="rows before this day, such as 2026-11-30")
    purge.add_argument("--yes", action="store_true", help="do not ask")


def _percent(text: str) -> float:
    value = float(text)
    if not 0 <= value <= 100:
        raise ValueError(text)
    return value


_percent.__name__ = "number from 0 to 100"  # argparse names the type in its message


def _show(args: argparse.Namespace, value: Any, text: str) -> int:
    from zerikai_memory import terminal

    terminal.show(value, text, as_json=args.json)
    return DONE


def _run_report(memory: Memory, args: argparse.Namespace) -> int:
    from zerikai_memory import render_usage

    if args.csv and args.json:
        raise InputError("give either --csv or --json, not both")
    zone = memory.usage.reports.zone(args.zone)
    if args.html:
        return _write_page(memory, args, zone)
    report: Any
    if args.agents:
        report = memory.usage.reports.agents(args.by or "agent", args.days, args.workspace, zone)
        text = render_usage.agents_report(report)
    else:
        report = memory.usage.reports.report(args.by or "operation", args.days, args.workspace, zone)
        text = render_usage.usage_report(report)
    if args.csv:
        print(render_usage.usage_csv(report), end="")
        return DONE
    return _show(args, report, text)


def _write_page(memory: Memory, args: argparse.Namespace, zone: Any) -> int:
    from zerikai_memory.pages.usage import usage_page

    page = usage_page(memory.usage.reports.page(args.days, args.workspace, zone, agents=args.agents))
    if args.html == "-":
        print(page, end="")
        return DONE
    path = Path(args.html)
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write {args.html!r}: {error.strerror or error}") from error
    return _show(args, {"file": str(path.absolute()), "bytes": path.stat().st_size}, f"Wrote {path.absolute()}.")


def _run_reconcile(memory: Memory, args: argparse.Namespace) -> int:
    from zerikai_memory import render_usage

    report = memory.usage.books.reconcile(Path(args.file), args.tolerance / 100, args.key)
    return _show(args, report, render_usage.reconciliation(report))


def _run_purge(memory: Memory, args: argparse.Namespace) -> int:
    from zerikai_memory import render_usage

    plan = memory.usage.books.purge(args.before, dry_run=True)
    if plan.attempts and not args.yes:
        if not sys.stdin.isatty():
            raise InputError(f"{render_usage.purge_question(plan)} Pass --yes to confirm.")
        print(f"{render_usage.purge_question(plan)} Go on? [y/N] ", end="", file=sys.stderr, flush=True)
        if sys.stdin.readline().strip().lower() not in ("y", "yes"):
            raise InputError("nothing was purged")
    report = memory.usage.books.purge(args.before)
    return _show(args, report, render_usage.purge_report(report))
