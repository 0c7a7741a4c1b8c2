"""Commands for what models may cost and what they cost: budgets and prices."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse

    from zerikai_memory.app import Memory

DONE, REFUSED = 0, 1


def add_budget_commands(command: Callable[..., Any], whole: Callable[[int, int], Any]) -> None:
    """Add the commands to the parser; `whole` makes an argument type for a bounded whole number."""
    budget = command("budget", _run_list, "List, set or remove budgets for paid models.").add_subparsers(
        metavar="set|list|remove", required=True
    )
    setter = command(
        "set", _run_set, "Set a budget, in the place of one for the same and the same time.", within=budget
    )
    setter.add_argument("amount", metavar="AMOUNT", help="how much: 5, 0.25, 200000")
    setter.add_argument("unit", choices=("usd", "tokens"), help="US dollars, or tokens of prompts and answers")
    setter.add_argument("--per", choices=("day", "month", "total"), default="month", help="default: month")
    whose = setter.add_mutually_exclusive_group()
    whose.add_argument("-w", "--workspace", metavar="WS", help="only this one: path, name or id (default: all)")
    whose.add_argument("--session", metavar="S", help="only this session (ZERIKAI_SESSION)")
    whose.add_argument("--task", metavar="T", help="only this task (ZERIKAI_TASK, `query --task`)")
    setter.add_argument(
        "--action",
        choices=("refuse", "local", "cheaper"),
        default="refuse",
        help="when it is spent: quote the index alone, ask a model on this machine, or a cheaper one first "
        "(default: refuse)",
    )
    for name, what in (("warn", "replies warn"), ("stop", "paid models are not asked")):
        setter.add_argument(f"--{name}", type=float, metavar="PERCENT", help=f"from here on {what}")
    command("list", _run_list, "List the budgets and what is used of them.", within=budget)
    remove = command("remove", _run_remove, "Remove a budget.", within=budget)
    remove.add_argument("id", type=whole(1, 1_000_000_000), metavar="ID", help="a number of `budget list`")

    prices = command("prices", _run_prices, "List or check the prices of models.").add_subparsers(
        metavar="list|check", required=True
    )
    listing = command("list", _run_prices, "List the prices that apply today.", within=prices)
    listing.add_argument("--all", action="store_true", help="past and future ones too")
    command("check", _run_check, "Say which prices are old, missing or unusable.", within=prices)


def _show(args: argparse.Namespace, value: Any, text: str, pretty: Callable[[], Any] | None = None) -> int:
    from zerikai_memory import terminal

    terminal.show(value, text, as_json=args.json, pretty=pretty)
    return DONE


def _run_set(memory: Memory, args: argparse.Namespace) -> int:
    from zerikai_memory import render_budget

    report = memory.metering.set_budget(
        args.amount,
        args.unit,
        per=args.per,
        workspace=memory.resolve(args.workspace) if args.workspace else None,
        session=args.session,
        task=args.task,
        action=args.action,
        warn_percent=args.warn,
        stop_percent=args.stop,
    )
    return _show(args, report, render_budget.budget_set(report))


def _run_list(memory: Memory, args: argparse.Namespace) -> int:
    from zerikai_memory import render_budget

    budgets = memory.metering.budgets.listed()
    return _show(args, budgets, render_budget.budget_table(budgets))


def _run_remove(memory: Memory, args: argparse.Namespace) -> int:
    from zerikai_memory import render_budget

    removed = memory.metering.budgets.remove(args.id)
    return _show(args, removed, render_budget.budget_removed(removed))


def _run_prices(memory: Memory, args: argparse.Namespace) -> int:
    from zerikai_memory import render_budget

    prices = memory.metering.prices
    lines = prices.listed(everything=args.all)
    return _show(args, lines, render_budget.price_table(lines, prices.problem))


def _run_check(memory: Memory, args: argparse.Namespace) -> int:
    from zerikai_memory import render, terminal

    findings = memory.metering.prices.checked()
    _show(args, findings, render.finding_lines(findings), lambda: terminal.findings(findings))
    return REFUSED if any(finding.level == "error" for finding in findings) else DONE
