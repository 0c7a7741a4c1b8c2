"""When a locked brief says that it may be out of date."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from zerikai_memory.app import Memory
from zerikai_memory.brief.stale import stale_hint

TEXT = "# p\n\n## Key Files\n- `src/a.py`: imported by 3\n- entry: `run` -> `b.py`\n\n## Data Flow\nFrom `old.py`.\n"


@pytest.mark.parametrize(
    ("indexed", "changed", "on_disk", "told"),
    [
        ({"src/a.py", "lib/b.py"}, 0.0, (), ""),
        ({"src/a.py"}, 0.0, ("b.py",), ""),  # not indexed, but there
        ({"lib/b.py"}, 0.0, (), "src/a.py are gone"),
        ({"src/a.py", "b.py"}, 0.3, (), "30% of the entities"),
        ({"src/a.py", "b.py"}, 0.29, (), ""),
        ({"src/a.py", "b.py"}, None, (), ""),  # written by a version that kept no sketch
    ],
)
def test_gone_key_files_and_many_changed_entities_are_told(indexed, changed, on_disk, told) -> None:
    hint = stale_hint(TEXT, changed, indexed, lambda path: path in on_disk)
    assert told in (hint or "")
    assert bool(hint) == bool(told)


def test_the_hint_stands_beside_the_brief_which_stays_as_it_is(memory: Memory, workspace: Path) -> None:
    for name in ("a", "b"):
        (workspace / f"{name}.py").write_text(f"def {name}():\n    pass\n")
    memory.scan(str(workspace))
    before = memory.brief(str(workspace))
    assert before.warnings == ()
    for name in ("a", "b"):  # a checkout writes files again that are the same
        os.utime(workspace / f"{name}.py", (time.time() + 60, time.time() + 60))
    memory.scan(str(workspace))
    assert memory.brief(str(workspace)).warnings == ()
    (workspace / "b.py").write_text("def other():\n    pass\n")
    memory.scan(str(workspace))
    after = memory.brief(str(workspace))
    assert (after.text, after.version) == (before.text, before.version)
    assert "out of date" in after.warnings[0]
