"""The server as a process: it starts fast, logs to stderr and a file, and ends when told to.

stdout belongs to the protocol to the last byte. The end of stdin, SIGINT and SIGTERM end the process within a second,
also while a scan runs: the store is consistent at any instant, so there is nothing to wait for.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
from collections.abc import Callable, MutableMapping
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

from zerikai_memory.settings import Settings, source_checkout

if TYPE_CHECKING:
    from zerikai_memory.app import Memory

# The first replies (handshake, list of tools) go out before imports in a thread compete with them.
WARM_UP_AFTER_S = 0.3
TERMINAL_HINT = (
    "zerikai-memory: MCP server on stdin and stdout; a client such as an editor or an agent starts it "
    "(see `zerikai-memory --help` for commands, Ctrl-C to stop)"
)


def serve(open_memory: Callable[[Settings], Memory] | None = None) -> NoReturn:
    """Serve MCP on stdin and stdout until stdin ends or a signal comes; never returns."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _end)  # before the slow imports: a client may give up while we start
    if sys.stdin is None or sys.stdout is None:  # closed by whoever started us
        sys.stderr.write("zerikai-memory: the MCP server needs stdin and stdout, and one of them is closed\n")
        _leave(2)
    if sys.stdin.isatty():
        sys.stderr.write(TERMINAL_HINT + "\n")
    settings = Settings.from_env(os.environ, source_checkout())
    calm_threads(os.environ)

    # Here and not above: these imports take most of the start, and must not run before the signal handlers are set.
    from zerikai_memory.mcp_server.log import log_to
    from zerikai_memory.mcp_server.server import create_server
    from zerikai_memory.mcp_server.wire import claim_stdin

    log_to(settings.home / "server.log")
    log = logging.getLogger("zerikai_memory")
    for problem in settings.problems:
        log.warning("%s", problem)

    claim_stdin()
    try:
        create_server(
            lambda: (open_memory or _open_memory)(settings),
            top_k=settings.top_k,
            default_workspace=settings.workspace,
            warm_up_after_s=WARM_UP_AFTER_S,
        ).run()
    except Exception:
        log.exception("The server stopped")
        _leave(1)
    _leave(0)


def calm_threads(environ: MutableMapping[str, str]) -> None:
    """Have numpy work in one thread, unless the person has said otherwise; before numpy is imported.

    A second thread makes a search of 17,000 vectors .1 ms quicker, and then spins for ten, on a core that the client
    needs; on a busy machine a question waits for it (processor time of a question 28 -> 11 ms, p50 at load 10 halved).
    """
    environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def _open_memory(settings: Settings) -> Memory:
    from zerikai_memory.app import Memory  # numpy, SQLite and more: after the first reply

    return Memory(settings)


def _end(number: int, frame: FrameType | None) -> None:
    _leave(0)


def _leave(status: int) -> NoReturn:
    """End now. A normal exit would wait for working threads and flush a stray print() into the protocol."""
    os._exit(status)
