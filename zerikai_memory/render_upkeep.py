"""Texts about what is stored: snapshots, undo, moves, merges, backups."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from zerikai_memory.model_upkeep import Backup, MoveReport, Snapshot, UndoReport
from zerikai_memory.render import columns, one_line


def snapshot_table(snapshots: Sequence[Snapshot]) -> str:
    """One line per snapshot: number for `undo --to`, when, before what, files, entities, size."""
    if not snapshots:
        return "No snapshots: one is taken before each scan that changes an index."
    rows = [("N", "TAKEN", "BEFORE", "FILES", "ENTITIES", "SIZE")]
    for snapshot in snapshots:
        counts = ("damaged", "-") if snapshot.files is None else (str(snapshot.files), str(snapshot.entities))
        before = f"a {snapshot.before}" if snapshot.before == "scan" else "an undo"
        rows.append((str(snapshot.number), _when(snapshot.made_at), before, *counts, _size(snapshot.size_bytes)))
    return columns(rows)


def undo_report(report: UndoReport) -> str:
    """What an undo brought back, and what it does not concern."""
    now = report.restored
    before = "a damaged index" if report.files_before is None else _holding(report.files_before, report.entities_before)
    return (
        f"The index of {one_line(report.workspace)} is as it was on {_when(now.made_at)}: "
        f"{_holding(now.files, now.entities)} (it held {before}). Files, notes and brief are untouched; the next scan "
        "brings the index up to the files again."
    )


def move_report(report: MoveReport) -> str:
    """What went with a moved workspace."""
    index = "no index" if report.files is None else f"the index ({_holding(report.files, report.entities)})"
    lines = [
        f"{one_line(report.old_path)} is now {one_line(report.new_path)}, called {one_line(report.workspace)}. Kept: "
        f"{index}, {_notes(report)}, {report.brief_versions} versions of the brief.",
        *_endings(report),
    ]
    return "\n".join(lines)


def merge_report(report: MoveReport) -> str:
    """What a merge did, or would do."""
    would = report.dry_run
    lines = [
        f"{'This gives' if would else 'Gave'} {_notes(report)} and {report.brief_versions} versions of the brief of "
        f"{one_line(report.old_path)} to {one_line(report.workspace)} ({one_line(report.new_path)}), whose live brief "
        f"stays unless only rules wrote it; {'it removes' if would else 'removed'} the index, snapshots and registry "
        "entry of the first.",
        *_endings(report),
    ]
    return "\n".join(lines)


def backup_table(backups: Sequence[Backup]) -> str:
    """One line per backup of zerikai.db."""
    if not backups:
        return "No backups yet: one is made before the first change of each day."
    rows = [("NAME", "MADE", "SIZE")]
    rows += [(one_line(backup.name), _when(backup.made_at), _size(backup.size_bytes)) for backup in backups]
    return columns(rows)


def _notes(report: MoveReport) -> str:
    joined = f" and {report.joined_notes} that the other has too" if report.joined_notes else ""
    return f"{report.notes} notes{joined}"


def _endings(report: MoveReport) -> list[str]:
    lines = [f"Warning: {one_line(text)}" for text in report.warnings]
    if report.backup:
        lines.append(f"zerikai.db as it was before: {one_line(report.backup)}.")
    return lines


def _holding(files: int | None, entities: int | None) -> str:
    return f"{files} files, {entities} entities"


def _when(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def _size(size_bytes: int) -> str:
    return f"{size_bytes / 1_000_000:.1f} MB"
