"""The brain on disk: SQLite is the truth, every vector index can be rebuilt from it."""
