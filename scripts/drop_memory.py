#!/usr/bin/env python3
"""Drop what is stored for a project: ./scripts/drop_memory.py "Name or id or path" [--yes] [--all]."""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

try:
    import zerikai_memory.app  # noqa: F401 -- are the dependencies here?
    from zerikai_memory.cli import main
except ModuleNotFoundError as missing:
    # Started with the system's Python: go on with the one that `make` prepared.
    prepared = ROOT / ".venv" / "bin" / "python"
    if not prepared.exists() or Path(sys.prefix).resolve() == (ROOT / ".venv").resolve():
        sys.exit(f"drop_memory.py: {missing.name} is not installed here; run it with the project's Python")
    os.execv(prepared, [str(prepared), *sys.argv])

if __name__ == "__main__":
    sys.exit(main(["workspace", "drop", *sys.argv[1:]]))
