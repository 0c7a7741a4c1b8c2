"""The command `map`: views of the code map as text, JSON, Mermaid or DOT."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from zerikai_memory.errors import InputError
from zerikai_memory.model_views import VIEWS

if TYPE_CHECKING:
    import argparse

    from zerikai_memory.app import Memory

MAX_DEPTH = 20
# What has no relations to draw.
_NO_PICTURE = ("profile", "entrypoints", "unused")


def add_map_command(command: Callable[..., Any], whole: Callable[[int, int], Any]) -> None:
    """Add the command to the parser; `whole` makes an argument type for a bounded whole number."""
    made = command("map", _run_map, "Who imports, calls and tests what, and what a change touches.", in_workspace=True)
    made.add_argument("view", choices=VIEWS, metavar="VIEW", help=", ".join(VIEWS))
    made.add_argument(
        "target", nargs="?", metavar="TARGET", help='name, path, path:line or entity id; for path "A -> B"'
    )
    made.add_argument("--depth", type=whole(1, MAX_DEPTH), metavar="N", help="steps to follow (impact and tests: all)")
    made.add_argument("--guesses", action="store_true", help="also follow what is known by its name only")
    form = made.add_mutually_exclusive_group()
    form.add_argument("--mermaid", action="store_true", help="print a Mermaid flow chart")
    form.add_argument("--dot", action="store_true", help="print a DOT graph")


def _run_map(memory: Memory, args: argparse.Namespace) -> int:
    from zerikai_memory import render_map, terminal

    if (args.mermaid or args.dot) and args.json:
        raise InputError("--json, --mermaid and --dot are three forms of one answer; give one of them")
    if (args.mermaid or args.dot) and args.view in _NO_PICTURE:
        raise InputError(f"the view {args.view!r} has no relations to draw; print it as text or --json")
    reply = memory.mapping.view(args.view, args.target, args.workspace, depth=args.depth, guesses=args.guesses)
    if args.mermaid or args.dot:
        print(render_map.map_mermaid(reply) if args.mermaid else render_map.map_dot(reply))
        return 0
    terminal.show(render_map.map_data(reply), render_map.map_text(reply), as_json=args.json)
    return 0
