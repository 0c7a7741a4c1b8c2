"""An archive over a fake home folder, laid out as the transcript cases are: `claude/projects`, `codex/sessions`, ..."""

from pathlib import Path

from filelock import FileLock

from zerikai_memory.sessions.archive import Archive, ArchiveParts
from zerikai_memory.store.tape import TapeStore

CHOSEN = (
    ("claude-code", "~/claude/projects"),
    ("codex", "~/codex/sessions"),
    ("antigravity", "~/gemini/antigravity/brain"),
    ("pi", "~/pi/agent/sessions"),
    ("copilot-cli", "~/copilot/session-state"),
    ("vscode-chat", "~/Code/User"),
    ("generic", "~/other"),
)


def open_archive(home: Path, *, brain: Path | None = None, max_chars: int = 10_000, known=()) -> Archive:
    brain = brain or home / ".brain"
    brain.mkdir(parents=True, exist_ok=True)
    return Archive(
        ArchiveParts(
            store=TapeStore(brain),
            lock=lambda: FileLock(brain / "sessions.lock", thread_local=False),
            known=lambda: known,
            home=home,
            cwd=home,
            chosen=CHOSEN,
            max_chars=max_chars,
        )
    )


def all_steps(archive: Archive, **wanted):
    return [step for info in archive.recall(limit=1000, **wanted).sessions for step in archive.show(info.session)]


def texts(archive: Archive, role: str, *, off_branch: bool = False) -> list[str]:
    return [step.text for step in all_steps(archive) if step.role == role and step.off_branch == off_branch]
