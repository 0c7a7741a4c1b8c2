"""A small project that questions in everyday words are asked of."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from zerikai_memory.app import Memory
from zerikai_memory.settings import Settings

SOURCES = {
    "gzip_middleware.py": 'class GZipMiddleware:\n    """Compress the response with gzip."""\n\n'
    "    def encode(self, body):\n"
    "        return gzip.compress(body)\n",
    "locale.py": 'def get_language(user):\n    """Language of a user, for translation."""\n    return user.language\n',
    "session.py": 'class SessionStore:\n    """Keep a session in a cookie."""\n\n    def load(self, key):\n'
    "        return self.cache[key]\n",
    "routes.py": 'def resolve_url(path):\n    """Match a path against url patterns."""\n    return patterns[path]\n',
}


@contextmanager
def scanned(parent: Path, embedding: str = "static") -> Iterator[tuple[Memory, str]]:
    """The project, written under `parent` and scanned, and its folder."""
    folder = parent / "project"
    folder.mkdir()
    for name, text in SOURCES.items():
        (folder / name).write_text(text, encoding="utf-8")
    memory = Memory(Settings(home=parent / "home", vector_store="exact", embedding=embedding))
    memory.scan(str(folder))
    yield memory, str(folder)
    memory.close()
