"""Versions of a brief: none is lost, any comes back."""

from __future__ import annotations

from pathlib import Path

import pytest

from zerikai_memory.app import Memory
from zerikai_memory.errors import InputError


def test_every_version_is_kept_and_can_be_restored(memory: Memory, workspace: Path) -> None:
    (workspace / "a.py").write_text("def a():\n    pass\n")
    memory.scan(str(workspace))
    first = memory.brief(str(workspace)).text
    memory.set_brief("# second\n\n## Overview\nText.", str(workspace))
    assert [(b.version, b.source) for b in memory.brief_history(str(workspace))] == [(2, "edited"), (1, "rules")]
    restored = memory.restore_brief(1, str(workspace))
    assert (restored.version, restored.source, restored.text) == (3, "restored", first)
    assert memory.brief(str(workspace)).text == first
    with pytest.raises(InputError, match=r"no brief of version 9; the versions are 1 to 3"):
        memory.restore_brief(9, str(workspace))
