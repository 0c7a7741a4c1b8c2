import pytest
from hypothesis import given
from hypothesis import strategies as st

from zerikai_memory.model import DiskFile
from zerikai_memory.scan.plan import RACY_NS, Freshness, files_to_hash, plan_scan
from zerikai_memory.store.records import FileState

NOW = 10**18
FRESH = Freshness(extractor=1, embedding="e")


def state(path: str = "a.py", **changes: object) -> FileState:
    values = {"path": path, "language": "python", "size": 10, "mtime_ns": NOW - 10 * RACY_NS, "hashed_at_ns": NOW,
              "sha256": "h", "extractor": 1, "embedding": "e"}  # fmt: skip
    return FileState(**{**values, **changes})


@pytest.mark.parametrize(
    ("stored", "disk", "digest", "expected"),
    [
        (None, DiskFile("a.py", 10, NOW), None, "add"),
        (state(), None, None, "remove"),
        (state(), DiskFile("a.py", 10, state().mtime_ns), None, "keep"),  # size and time alone, no reading
        (state(), DiskFile("a.py", 11, state().mtime_ns), "other", "change"),
        (state(), DiskFile("a.py", 10, NOW + 1), "h", "keep"),  # touched, content the same
        (state(), DiskFile("a.py", 10, NOW + 1), "other", "change"),
        # Written within the clock tick in which it was read: the time cannot be trusted.
        (state(mtime_ns=NOW - 1), DiskFile("a.py", 10, NOW - 1), "other", "change"),
        (state(extractor=0), DiskFile("a.py", 10, state().mtime_ns), None, "change"),
        (state(embedding="old"), DiskFile("a.py", 10, state().mtime_ns), None, "change"),
        (state(), DiskFile("a.py", 12, NOW), None, "change"),  # could not be read while hashing: apply will tell
    ],
)
def test_one_file(stored: FileState | None, disk: DiskFile | None, digest: str | None, expected: str) -> None:
    disks = [disk] if disk else []
    states = {"a.py": stored} if stored else {}
    suspects = files_to_hash(disks, states, FRESH)
    hashes = {"a.py": digest} if digest and suspects else {}
    plan = plan_scan(disks, states, hashes, FRESH)
    assert getattr(plan, expected) == ("a.py",)
    assert len(plan.add + plan.change + plan.remove + plan.keep) == 1


paths = st.sampled_from([f"{letter}.py" for letter in "abcdef"])


@given(st.dictionaries(paths, st.text("xy", max_size=2)), st.dictionaries(paths, st.text("xy", max_size=2)))
def test_a_plan_that_was_applied_plans_nothing_more(before: dict[str, str], now: dict[str, str]) -> None:
    disk = [DiskFile(path, len(text), NOW - 10 * RACY_NS) for path, text in now.items()]
    stored = {path: state(path, size=len(text), sha256=text) for path, text in before.items()}
    plan = plan_scan(disk, stored, now, FRESH)
    assert sorted(plan.add + plan.change + plan.keep) == sorted(now)
    applied = {path: state(path, size=len(text), sha256=text) for path, text in now.items()}
    assert plan_scan(disk, applied, now, FRESH).empty
