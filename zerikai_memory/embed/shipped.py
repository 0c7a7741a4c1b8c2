"""Open a data file that comes with the package; one that is missing or damaged gives an error that names it."""

from __future__ import annotations

import importlib.resources
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from zerikai_memory.errors import EmbeddingError

# What numpy, zip archives and our own readers raise over bytes that were cut short, changed or left out.
_UNREADABLE = (
    OSError,
    ValueError,
    KeyError,
    EOFError,
    NotImplementedError,
    struct.error,
    zlib.error,
    zipfile.BadZipFile,
)


@contextmanager
def shipped_file(package: str, name: str) -> Iterator[IO[bytes]]:
    """The file `name` in the folder data of a package, open while it is read. Raises EmbeddingError."""
    file = importlib.resources.files(package).joinpath("data", name)
    try:
        with file.open("rb") as opened:
            yield opened
    except _UNREADABLE as error:
        raise EmbeddingError(f"{file} is missing or damaged ({error}); install zerikai-memory again") from error
