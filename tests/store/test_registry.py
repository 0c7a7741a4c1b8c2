"""The registry under several processes."""

from zerikai_memory.model import Workspace
from zerikai_memory.store.brain import Brain


def test_two_folders_that_get_the_same_name_at_once_are_both_registered(tmp_path):
    brain = Brain(tmp_path / "brain")
    for number in range(3):
        brain.registry.add(Workspace(f"id{number}", "proj", f"/{number}/proj"))
    brain.registry.add(Workspace("id1", "proj", "/1/proj"))
    assert [(w.id, w.name) for w in brain.registry.known()] == [("id0", "proj"), ("id1", "proj-2"), ("id2", "proj-3")]
    brain.close()
