"""Small jobs for a model beside the answers (compare records, draft a summary): asked one at a time, within a time."""

from __future__ import annotations

import logging
import time

from zerikai_memory.llm.attempts import Purpose, ask_model
from zerikai_memory.llm.base import AttemptLog, Backend, Call, ModelError, Prompt, Ready
from zerikai_memory.llm.choose import Backends
from zerikai_memory.llm.prompts import unmarked
from zerikai_memory.model_asking import Asker
from zerikai_memory.redact import mask_secrets

_LOG = logging.getLogger(__name__)

# All requests of one job together: somebody waits at the command line.
JOB_S, REQUEST_S = 120.0, 60.0
MAX_TOKENS = 600


class Clerk:
    """Asks the best model that the settings allow; in mode `local` only one on this machine."""

    def __init__(self, backends: Backends, log: AttemptLog, *, mode: str) -> None:
        self._backends = backends
        self._log = log
        self._mode = mode

    def hire(self, operation: str, workspace_id: str) -> Asker | None:
        """A model for one job, or None where none can be asked; a failure ends the job, not the caller."""
        chosen = self._chosen()
        if chosen is None:
            return None
        backend, ready = chosen
        purpose, end = Purpose(operation, workspace_id, self._log), time.monotonic() + JOB_S

        def ask(system: str, user: str) -> str | None:
            left = end - time.monotonic()
            if left <= 0 or self._backends.paused(backend):
                return None
            prompt = Prompt(
                mask_secrets(system), mask_secrets(unmarked(user)), min(MAX_TOKENS, ready.window_tokens // 4)
            )
            try:
                return ask_model(backend, ready, prompt, Call(min(left, REQUEST_S)), purpose).text
            except ModelError as error:
                self._backends.failed(backend, error)
                _LOG.warning("%s: no answer from %s: %s", operation, backend.name, error)
                return None

        return Asker(ready.model, ask)

    def _chosen(self) -> tuple[Backend, Ready] | None:
        """Mode `cloud` prefers a server elsewhere; `hybrid` keeps small jobs on this machine, like usual questions."""
        cloud = self._backends.cloud("fast") if self._mode == "cloud" else ()
        for backend in (*cloud, *self._backends.local):
            try:
                if (self._mode == "cloud" or not backend.remote) and self._backends.paused(backend) is None:
                    return backend, backend.ready()
            except ModelError:
                continue
        return None
