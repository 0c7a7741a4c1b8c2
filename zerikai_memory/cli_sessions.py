"""Commands for past agent sessions: sources, index, search, list, show, forget, and proposals of records."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from zerikai_memory.errors import InputError

if TYPE_CHECKING:
    import argparse

    from zerikai_memory.app import Memory

DONE = 0
MAX_STEP = 10**9


def add_session_commands(command: Callable[..., Any], whole: Callable[[int, int], Any]) -> None:
    """Add the commands to the parser; `whole` makes an argument type for a bounded whole number."""
    sessions = command("sessions", _run_list, "Search what you and your agents said before.").add_subparsers(
        metavar="sources|index|search|list|show|forget|propose|proposals|accept|reject", required=True
    )
    command("sources", _run_sources, "List where transcripts are looked for.", within=sessions)
    command("index", _run_index, "Read what is new in the transcripts.", within=sessions)
    search = command("search", _run_search, "Search past sessions.", within=sessions)
    search.add_argument("query", metavar="QUERY")
    search.add_argument("--session", metavar="ID", help="only this session")
    search.add_argument("--role", metavar="R", help="only user, assistant or tool")
    listed = command("list", _run_list, "List sessions, the latest first.", within=sessions)
    for filtered, most in ((search, 5), (listed, 20)):
        filtered.add_argument("-w", "--workspace", metavar="WS", help="only this project (default: all)")
        filtered.add_argument("--agent", metavar="A", help="only this agent, as `sessions sources` names it")
        filtered.add_argument("--since", metavar="T", help="a date, or an age such as 24h, 7d, 2w")
        filtered.add_argument("--until", metavar="T", help="a date, or an age")
        filtered.add_argument(
            "-k", "--limit", type=whole(1, 1000), default=most, metavar="N", help=f"most results (default: {most})"
        )
    show = command("show", _run_show, "Print a session, or the dialogue around a step.", within=sessions)
    show.add_argument("session", metavar="SESSION", help="id or its beginning; AGENT:ID tells agents apart")
    show.add_argument("--step", type=whole(1, MAX_STEP), metavar="N", help="only around this step")
    forget = command("forget", _run_forget, "Remove a session from the index for good.", within=sessions)
    forget.add_argument("session", metavar="SESSION", help="id or its beginning; AGENT:ID tells agents apart")
    forget.add_argument("--yes", action="store_true", help="do not ask")
    _add_proposal_commands(command, whole, sessions)


def _add_proposal_commands(command: Callable[..., Any], whole: Callable[[int, int], Any], sessions: Any) -> None:
    propose = command("propose", _run_propose, "Look for what may be worth a record.", within=sessions)
    propose.add_argument(
        "--model", action="store_true", help="also ask the configured model; messages are sent to it, secrets masked"
    )
    listed = command("proposals", _run_proposals, "List what waits for your word.", within=sessions)
    listed.add_argument("-k", "--limit", type=whole(1, 1000), default=20, metavar="N", help="most (default: 20)")
    for filtered in (propose, listed):
        filtered.add_argument("-w", "--project", metavar="WS", help="only this project (default: all)")
        filtered.add_argument("--since", metavar="T", help="a date, or an age such as 24h, 7d, 2w")
    accept = command("accept", _run_accept, "Save a proposal as a record.", within=sessions)
    accept.add_argument("id", metavar="ID", help="id or the beginning of it")
    accept.add_argument("-w", "--workspace", metavar="WS", help="whose record it is (default: where it was said)")
    accept.add_argument("--text", metavar="TEXT", help="in your words instead")
    accept.add_argument("--supersedes", nargs="+", default=[], metavar="NOTE", help="records that it replaces")
    accept.add_argument("--by", default="user", metavar="WHO", help="who vouches for it (default: user)")
    reject = command("reject", _run_reject, "Take proposals off the list for good.", within=sessions)
    reject.add_argument("ids", nargs="+", metavar="ID", help="id or the beginning of it")


def _show(args: argparse.Namespace, value: Any, text: str) -> int:
    from zerikai_memory import terminal

    terminal.show(value, text, as_json=args.json)
    return DONE


def _run_sources(memory: Memory, args: argparse.Namespace) -> int:
    from zerikai_memory import render_sessions

    places = memory.sessions.places()
    return _show(args, places, render_sessions.place_table(places))


def _run_index(memory: Memory, args: argparse.Namespace) -> int:
    from zerikai_memory import render_sessions, terminal
    from zerikai_memory.model import ScanProgress

    with terminal.progress_bar() as show:

        def progress(done: int, total: int) -> None:
            if show is not None:
                show(ScanProgress("MB of transcripts", done // 1_000_000, total // 1_000_000))

        report = memory.sessions.index(progress)
    return _show(args, report, render_sessions.indexed(report))


def _run_search(memory: Memory, args: argparse.Namespace) -> int:
    from zerikai_memory import render_sessions

    if not memory.sessions.can_search(args.query):
        state = "has no word in it" if args.query.strip() else "is empty"
        raise InputError(f"QUERY {state}: give the words to search for; `sessions list` lists sessions")
    found = memory.sessions.recall(
        args.query,
        args.session,
        workspace=args.workspace,
        agent=args.agent,
        role=args.role,
        since=args.since,
        until=args.until,
        limit=args.limit,
    )
    return _show(args, found, render_sessions.recall(found))


def _run_list(memory: Memory, args: argparse.Namespace) -> int:
    from zerikai_memory import render_sessions

    found = memory.sessions.recall(
        workspace=args.workspace, agent=args.agent, since=args.since, until=args.until, limit=args.limit
    )
    return _show(args, found, render_sessions.recall(found))


def _run_show(memory: Memory, args: argparse.Namespace) -> int:
    from zerikai_memory import render_sessions

    if args.step is not None:
        found = memory.sessions.recall(session=args.session, step=args.step)
        return _show(args, found, render_sessions.recall(found))
    steps = memory.sessions.show(args.session)
    return _show(args, steps, render_sessions.dialogue(steps))


def _run_forget(memory: Memory, args: argparse.Namespace) -> int:
    from zerikai_memory import render_sessions

    if not args.yes:
        if not sys.stdin.isatty():
            raise InputError("sessions forget cannot be undone: pass --yes to confirm")
        print(f"Forget session {args.session} for good? [y/N] ", end="", file=sys.stderr, flush=True)
        if sys.stdin.readline().strip().lower() not in ("y", "yes"):
            raise InputError("nothing was forgotten")
    report = memory.sessions.forget(args.session)
    return _show(args, report, render_sessions.forgotten(report))


def _run_propose(memory: Memory, args: argparse.Namespace) -> int:
    from zerikai_memory import render_sessions

    report = memory.proposals.propose(args.project, args.since, use_model=args.model)
    return _show(args, report, render_sessions.proposed(report))


def _run_proposals(memory: Memory, args: argparse.Namespace) -> int:
    from zerikai_memory import render_sessions

    found = memory.proposals.waiting(args.project, args.since, args.limit)
    return _show(args, found, render_sessions.proposal_list(found))


def _run_accept(memory: Memory, args: argparse.Namespace) -> int:
    from zerikai_memory import render

    note = memory.proposals.accept(args.id, args.workspace, text=args.text, supersedes=args.supersedes, by=args.by)
    return _show(args, note, render.saved_note(note))


def _run_reject(memory: Memory, args: argparse.Namespace) -> int:
    from zerikai_memory import render_sessions

    found = memory.proposals.reject(args.ids)
    return _show(args, found, render_sessions.rejected(found))
