from pathlib import Path

import pytest

from zerikai_memory.app import Memory
from zerikai_memory.errors import WorkspaceError
from zerikai_memory.settings import Settings


def test_a_user_without_a_home_folder_has_a_memory_all_the_same(home, workspace, monkeypatch):
    def nowhere():
        raise RuntimeError("Could not determine home directory.")  # a container's user that no database knows

    monkeypatch.setattr(Path, "home", nowhere)
    memory = Memory(Settings(home=home), cwd=Path("/"))
    (workspace / "a.py").write_text("def login(): ...\n")
    assert memory.scan(str(workspace)).status == "completed"
    with pytest.raises(WorkspaceError, match="Which workspace"):
        memory.resolve()
    memory.close()
