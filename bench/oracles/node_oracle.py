"""Run an oracle that is a Node script: a list of files in, one JSON line per file out."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any


def answers(script: str, modules: Path, paths: Sequence[Path]) -> Iterator[dict[str, Any]]:
    """What `script` (beside this file) says of each path; `modules` holds node_modules with its parser."""
    command = ["node", "--stack-size=8000", str(Path(__file__).with_name(script)), str(modules.resolve())]
    listing = "\n".join(map(str, paths))
    result = subprocess.run(command, input=listing, capture_output=True, text=True, check=True)
    for line in result.stdout.split("\n"):
        if line:
            yield json.loads(line)
