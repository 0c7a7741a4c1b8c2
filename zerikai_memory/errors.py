"""Errors a caller can act on.

    ZerikaiError
    +-- InputError          the call is wrong: fix an argument and call again
    |   +-- WorkspaceError  the workspace is unknown, ambiguous or refused
    +-- BusyError           somebody else holds what is needed: try again later
    +-- StoreError          the brain on disk cannot be read or written: `zerikai-memory doctor`
    |   +-- DamagedError    a file of the brain is damaged: derived data is made anew, recorded data has backups
    +-- EmbeddingError      the embedding model cannot be used now: words answer alone, a scan waits for it
    |   +-- TooLongError    a text is longer than the model takes
    +-- Cancelled           the person or the client stopped the work; what was committed stays

Every message names what was got (with !r) and what to do next: it is shown to the person or the model as it is.
"""


class ZerikaiError(Exception):
    """Base of every error that this package raises on purpose."""


class InputError(ZerikaiError):
    """An argument is wrong; the message says which, what was got, and what would be right."""


class WorkspaceError(InputError):
    """The workspace argument names no project, several projects, or a folder that is refused."""


class BusyError(ZerikaiError):
    """Another process or thread holds the lock that this call needs."""


class StoreError(ZerikaiError):
    """A file of the brain cannot be read or written, or was written by a newer version."""


class DamagedError(StoreError):
    """The content of a file of the brain is damaged; the message names the file and how to get well."""


class EmbeddingError(ZerikaiError):
    """The embedding model cannot be loaded or asked, or gave something that is no vector; the message says why."""


class TooLongError(EmbeddingError):
    """The embedding model refuses a text for its length; a shorter beginning of it may do."""


class Cancelled(ZerikaiError):
    """The work was stopped on request; the store is consistent and the next run goes on."""


def forbidden(error: PermissionError) -> str:
    """What a front says of a file that this user may not touch: which, and what to do."""
    return (
        f"{error.filename}: {error.strerror}. Let this user read and write it, or set ZERIKAI_HOME to a folder where "
        "that is so"
    )
