"""How a mirror's worker process is started: its task, command line and environment."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

# Runs before any import that costs: a process that ends within the delay spares the worker's work.
_START = """
import os, sys
root, delay, task = sys.argv[1:]
if float(delay) and os.name == "posix":
    import select
    if select.select([0], [], [], float(delay))[0]:
        os._exit(0)
sys.path.insert(0, root)
from zerikai_memory.store.mirror_worker import main
os._exit(main(task))  # a normal end would wait for the thread that reads stdin
"""


@dataclass(frozen=True, slots=True)
class WorkerTask:
    """What a worker is started for. `job`: drain (end when drained), serve (stay and answer), check, drop.

    `index` is the path of the index; with `url` the mirror is a collection on that Chroma server, else a folder.
    """

    home: str
    index: str
    workspace_id: str
    job: str
    url: str = ""


def worker_command(task: WorkerTask, delay_s: float = 0.0) -> list[str]:
    """This Python and this copy of the package, whatever the working folder holds.

    With `delay_s` the worker first waits so long for the end of stdin (nothing may be sent meanwhile).
    """
    root = str(Path(__file__).resolve().parents[2])
    return [sys.executable, "-P", "-c", _START, root, str(delay_s), json.dumps(asdict(task))]


def worker_environment() -> dict[str, str]:
    """Our environment without what would make Chroma warn, phone or go through a proxy to loopback."""
    env = {key: value for key, value in os.environ.items() if key not in ("PYTHONWARNINGS", "PYTHONDEVMODE")}
    local = "127.0.0.1,localhost,::1"
    for name in ("NO_PROXY", "no_proxy"):
        env[name] = ",".join(filter(None, (env.get(name), local)))
    return env | {"ANONYMIZED_TELEMETRY": "False"}
