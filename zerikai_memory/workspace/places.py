"""The working folder and the person's home folder, also where a process has none."""

from __future__ import annotations

from pathlib import Path


def working_folder() -> Path:
    """The working folder, or `/` when it was deleted under us: that is no project either way."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return Path("/")


def home_folder() -> Path:
    """The person's home folder, or `/` for a user that has none (a container's): neither is a project."""
    try:
        return Path.home()
    except RuntimeError:
        return Path("/")
