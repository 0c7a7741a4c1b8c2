"""Fourth schema of zerikai.db: a brief keeps a sketch of the entities that it was written from."""

from __future__ import annotations

import sqlite3


def sketch_schema(connection: sqlite3.Connection) -> None:
    """Add the sketch; NULL for versions from before, and for those written while there was no index."""
    connection.execute("ALTER TABLE briefs ADD COLUMN entities BLOB")
