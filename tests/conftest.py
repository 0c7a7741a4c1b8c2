import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from zerikai_memory.app import Memory
from zerikai_memory.settings import Settings

# The same examples in every run, so that a red run is a change's fault; new ones: pytest --hypothesis-profile=default
settings.register_profile("same", derandomize=True, deadline=None)
settings.load_profile("same")

# A port of loopback where nothing listens.
NO_SERVER = "http://127.0.0.1:9"


@pytest.fixture(autouse=True)
def no_mirror(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes that a test starts fill no Chroma mirror; the tests of the mirror ask for it."""
    monkeypatch.setenv("VECTOR_STORE", "exact")


@pytest.fixture(autouse=True)
def no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model server of the person who runs the tests has no part in them."""
    monkeypatch.setenv("OLLAMA_HOST", NO_SERVER)


@pytest.fixture(autouse=True)
def no_fault_of_extraction(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """A file that is left out because of a fault of ours is a failed test, whatever the test is about."""
    yield
    faults = [r for r in caplog.get_records("call") if r.name == "zerikai_memory.lang.extract" and r.exc_info]
    assert not faults, faults


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A brain folder that does not exist yet."""
    return tmp_path / "brain"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """An empty project folder."""
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """An empty folder that other users may read; the folders of tmp_path are closed to them, and shared by tests."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.fixture
def memory(home: Path, tmp_path: Path) -> Iterator[Memory]:
    """A memory over an empty brain, started in a folder that is no project."""
    memory = Memory(Settings(home=home, vector_store="exact", ollama_host=NO_SERVER), cwd=tmp_path)
    yield memory
    memory.close()
