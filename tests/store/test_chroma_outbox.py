from pathlib import Path

import pytest

from tests.store.mirror_cases import SHOP, index_of, left, put
from zerikai_memory.store.mirror_records import next_batch
from zerikai_memory.store.outbox import acknowledge, forget_mirror, mirror_token, note_everything


@pytest.fixture
def index(tmp_path: Path):
    index = index_of(tmp_path)
    put(index, tmp_path / "src", shop=SHOP)
    yield index
    index.close()


def batch(index, limit: int = 100):
    with index.database.read() as connection:
        return next_batch(connection, limit)


def mirror_everything(index) -> None:
    with index.database.write() as connection:
        note_everything(connection, [], "one")
    with index.database.write() as connection:
        acknowledge(connection, batch_of(connection), "two")


def batch_of(connection) -> tuple[int, ...]:
    return next_batch(connection, 100).seqs


def test_an_index_without_a_mirror_has_no_outbox_and_lacks_everything_in_one(index) -> None:
    with index.database.read() as connection:
        assert connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'outbox'").fetchone()[0] == 0
        assert mirror_token(connection) == ""
    assert left(index) == len(index.entities()) == 5


def test_a_change_is_noted_with_the_entities_that_it_wrote_and_removed(index, tmp_path: Path) -> None:
    mirror_everything(index)
    assert left(index) == 0
    put(index, tmp_path / "src", shop=SHOP.replace("open_shop", "close_shop"))
    found = batch(index)
    assert {record.metadata["name"] for record in found.records} == {"shop", "Till", "total", "pay", "close_shop"}
    assert len(found.gone) == 1
    put(index, tmp_path / "src", shop=None)
    found = batch(index)
    assert (found.records, len(found.gone)) == ((), 6)


def test_what_was_noted_again_meanwhile_is_not_acknowledged(index, tmp_path: Path) -> None:
    mirror_everything(index)
    put(index, tmp_path / "src", shop=SHOP + "\n# one\n")
    taken = batch(index)
    put(index, tmp_path / "src", shop=SHOP + "\n# two\n")
    with index.database.write() as connection:
        acknowledge(connection, taken.seqs, "three")
    assert left(index) == 5


def test_an_index_that_was_restored_is_mirrored_from_the_beginning(index) -> None:
    mirror_everything(index)
    with index.database.write() as connection:
        forget_mirror(connection)
    assert left(index) == 5


def test_a_record_has_every_key_with_a_flat_value(index) -> None:
    with index.database.write() as connection:
        note_everything(connection, [], "one")
    records = {record.metadata["qualified_name"]: record for record in batch(index).records}
    pay = records["Till.pay"]
    assert pay.metadata == {
        "language": "python",
        "entity_type": "method",
        "name": "pay",
        "qualified_name": "Till.pay",
        "file_path": "shop.py",
        "start_line": 12,
        "line_number": 12,
        "end_line": 13,
        "parent": "Till",
        "parent_class": "Till",
        "return_type": "bool",
        "param_count": 3,
        "decorators": "",
        "has_docstring": False,
    }
    assert "pay" in pay.document
    assert records["Till.total"].metadata["decorators"] == "property"
    assert records["Till.total"].metadata["has_docstring"] is True
    assert "Sum of the open basket" in records["Till.total"].document
    assert len({frozenset(record.metadata) for record in records.values()}) == 1
