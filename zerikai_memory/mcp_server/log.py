"""Logging of the server: warnings to stderr, everything worth keeping to a rotating file in the brain."""

from __future__ import annotations

import logging
import os
import sys
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any

from zerikai_memory.redact import mask_secrets

# Clients show stderr to people as errors, so it stays quiet; the file holds what a bug report needs.
STDERR_LEVEL, FILE_LEVEL = logging.WARNING, logging.INFO
FILE_BYTES, FILES_KEPT = 5_000_000, 2


def log_to(path: Path) -> None:
    """Send warnings to stderr and our own records to `path`; a file that cannot be written is done without."""
    stderr = logging.StreamHandler(sys.stderr)
    stderr.setLevel(STDERR_LEVEL)
    stderr.setFormatter(MaskingFormatter("zerikai-memory: %(message)s"))
    file = LazyLogFile(path)
    file.setFormatter(MaskingFormatter("%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"))
    # The SDK adds a handler of its own unless the root logger has one.
    logging.basicConfig(level=STDERR_LEVEL, handlers=[stderr, file])
    logging.getLogger("zerikai_memory").setLevel(FILE_LEVEL)


class MaskingFormatter(logging.Formatter):
    """Records without keys, tokens and passwords, whatever text of a person or file an error repeats."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as text, with its traceback, masked."""
        return mask_secrets(super().format(record))


class LazyLogFile(RotatingFileHandler):
    """A rotating log that is opened by its first record and gives up quietly when it cannot be written."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, maxBytes=FILE_BYTES, backupCount=FILES_KEPT, encoding="utf-8", delay=True)

    def _open(self) -> Any:
        path = Path(self.baseFilename)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600))
        return super()._open()

    def handleError(self, record: logging.LogRecord) -> None:
        """A read-only or full brain: log to stderr alone from now on."""
        if isinstance(sys.exc_info()[1], OSError):
            self.setLevel(logging.CRITICAL + 1)
        else:
            super().handleError(record)
