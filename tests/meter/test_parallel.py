"""Several processes and threads on one budget: never more is admitted than it holds."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path

from tests.meter.bookkit import COST, RESERVED, USED, attempt, books, budget, end
from zerikai_memory.llm.base import ModelError

ROOT = Path(__file__).resolve().parents[2]
SPENDER = """
import json, random, sys
from pathlib import Path
from tests.meter.bookkit import USED, attempt, books, end
from zerikai_memory.llm.base import ModelError, TokenUse
random.seed(sys.argv[2])
admitted = refused = 0
with books(Path(sys.argv[1]), session=sys.argv[2]) as kept:
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(40):
        sent, booking = attempt(f"{sys.argv[2]}-{number}"), kept.booking()
        try:
            booking.started(sent)
        except ModelError:
            refused += 1
            continue
        admitted += 1
        # all that was reserved is used
        booking.ended(sent, end(TokenUse(1000, 0, 100)))
print(json.dumps([admitted, refused]))
"""


def test_four_processes_spend_one_budget_and_never_more(home: Path) -> None:
    with books(home) as kept:
        # 25 calls fit, and a part of one more that is left over
        kept.brain.usage.budgets.put(budget(25 * RESERVED + RESERVED // 2))
    spenders = [
        subprocess.Popen(
            [sys.executable, "-c", SPENDER, str(home), f"s{number}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        for number in range(4)
    ]
    try:
        for spender in spenders:
            assert spender.stdout is not None
            assert spender.stdout.readline() == "ready\n"
        for spender in spenders:
            assert spender.stdin is not None
            spender.stdin.write("go\n")
            spender.stdin.flush()
        counts = [json.loads(spender.communicate(timeout=60)[0]) for spender in spenders]
    finally:
        for spender in spenders:
            spender.kill()
            spender.communicate()
    assert all(admitted + refused == 40 for admitted, refused in counts)
    assert sum(admitted for admitted, _ in counts) == 25
    with books(home) as kept:
        rows = kept.rows()
        assert len(rows) == 25
        assert sum(row.cost_nano_usd or 0 for row in rows) == 25 * RESERVED
        (state,) = kept.brain.usage.budgets.states(lambda _: None)
        assert (state.spent, state.reserved) == (25 * RESERVED, 0)


def test_calls_that_run_at_once_share_what_is_left(home: Path) -> None:
    with books(home) as kept:
        kept.brain.usage.budgets.put(budget(3 * RESERVED))
        begun, refused = [], []
        barrier = threading.Barrier(8)

        def call() -> None:
            sent, booking = attempt(), kept.booking()
            barrier.wait()
            try:
                booking.started(sent)
                begun.append((sent, booking))
            except ModelError as error:
                refused.append(error)

        threads = [threading.Thread(target=call) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert (len(begun), len(refused)) == (3, 5)
        for sent, booking in begun:
            booking.ended(sent, end(USED))
        for _ in range(2):  # what was reserved and not used is there for the next ones
            kept.run()
        assert sum(row.cost_nano_usd or 0 for row in kept.rows()) == 5 * COST
