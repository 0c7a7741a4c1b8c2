"""Run other people's MCP test suites against the server and print one table. Run: python run.py FOLDER

FOLDER holds the installed suites (`make conformance` puts them there). Exit status 1 when anything failed.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from suites import Bench, run_all

SOURCE = '''\
def log_in(user):
    """Log a user in and count it."""
    return user
'''


def main() -> int:
    """Run every suite on a project of one file; the exit status."""
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(sys.argv[1]).resolve(), *(Path(folder) / name for name in ("brain", "project", "home")))
        for path in (bench.project, bench.home):
            path.mkdir()
        (bench.project / "users.py").write_text(SOURCE, encoding="utf-8")
        subprocess.run([*bench.server, "scan"], check=True, capture_output=True, cwd=bench.project)
        print(f"{'suite':52} {'passed':>6} {'failed':>6} {'s':>5}")
        failures = []
        for outcome in run_all(bench):
            figures = f"{outcome.passed:6} {len(outcome.failed):6} {outcome.seconds:5.1f}"
            print(f"{outcome.suite:52} {figures}  {outcome.remark}".rstrip(), flush=True)
            failures += [f"{outcome.suite}: {text}" for text in outcome.failed]
    print("\n".join(["", *failures]) if failures else "\n0 failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
