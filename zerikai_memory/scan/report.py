"""What a scan tells: computed from the walk, the plan and what the index holds afterwards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from zerikai_memory.model import ScanReport, ScanStatus, SkippedPath, Walk, Workspace
from zerikai_memory.scan.plan import ScanPlan
from zerikai_memory.store.index import IndexCounts
from zerikai_memory.store.records import FileState

# What the short reasons of an extraction mean.
CONTENT_REASONS = {
    "binary": "the content is not text",
    "minified": "written by a minifier, not by a person",
    "generated": "says of itself that it is generated",
    "timeout": "took too long to parse",
    "fault": "could not be read because of a fault in zerikai-memory; the log tells more",
}
# Rules named in a report; a project with more has them in its own ignore files.
MAX_RULES = 20
NOTHING = IndexCounts(0, 0, {}, {})


@dataclass(slots=True)
class Outcome:
    """What applying a plan met, file by file; `written` are paths whose records are committed."""

    status: ScanStatus = "completed"
    failed: list[SkippedPath] = field(default_factory=list)
    written: set[str] = field(default_factory=set)
    embedded: int = 0
    done: int = 0
    warnings: list[str] = field(default_factory=list)


def report_scan(
    workspace: Workspace,
    walk: Walk,
    plan: ScanPlan,
    outcome: Outcome,
    states: Mapping[str, FileState],
    counts: IndexCounts,
    seconds: float,
) -> ScanReport:
    """The report of a scan that wrote: counts are of what is stored, not of what was planned."""
    indexed = {path for path in outcome.written if path in states and states[path].skip_reason is None}
    lost = {failed.path for failed in outcome.failed}
    return ScanReport(
        workspace=workspace.name,
        workspace_id=workspace.id,
        root=workspace.path,
        status=outcome.status,
        added=tuple(path for path in plan.add if path in indexed),
        changed=tuple(path for path in plan.change if path in indexed),
        removed=tuple(sorted({*plan.remove, *(lost & {*plan.change})})),
        kept=sum(path in states and states[path].skip_reason is None for path in plan.keep),
        skipped=(*walk.skipped, *_content_skips(states)),
        excluded=_most(walk),
        partial=tuple(sorted(state.path for state in states.values() if state.partial)),
        failed=tuple(outcome.failed),
        files=counts.files,
        entities=counts.entities,
        entities_by_type=counts.by_type,
        entities_by_language=counts.by_language,
        embedded=outcome.embedded,
        done=outcome.done,
        total=len(plan.add) + len(plan.change),
        seconds=round(seconds, 3),
        warnings=(*_warnings(outcome, walk, plan, counts), *outcome.warnings),
    )


def report_plan(workspace: Workspace, walk: Walk, plan: ScanPlan, seconds: float) -> ScanReport:
    """The report of a dry run: what would be done, and nothing of what an earlier scan has stored."""
    return ScanReport(
        workspace=workspace.name,
        workspace_id=workspace.id,
        root=workspace.path,
        status="dry_run",
        added=plan.add,
        changed=plan.change,
        removed=plan.remove,
        kept=len(plan.keep),
        skipped=walk.skipped,
        excluded=_most(walk),
        total=len(plan.add) + len(plan.change),
        seconds=round(seconds, 3),
    )


def _content_skips(states: Mapping[str, FileState]) -> list[SkippedPath]:
    """Files that were read and left out for what is in them; known from the index, so that every report names them."""
    return [
        SkippedPath(state.path, state.skip_reason, CONTENT_REASONS.get(state.skip_reason, ""))
        for state in sorted(states.values(), key=lambda state: state.path)
        if state.skip_reason
    ]


def _most(walk: Walk) -> dict[str, int]:
    return dict(list(walk.excluded_by.items())[:MAX_RULES])


def _warnings(outcome: Outcome, walk: Walk, plan: ScanPlan, counts: IndexCounts) -> list[str]:
    """What a person must know that the counts do not say."""
    found = []
    if outcome.status == "cancelled":
        total = len(plan.add) + len(plan.change)
        found.append(f"stopped after {outcome.done} of {total} files; the next scan goes on from there")
    if counts.files == 0:
        found.append(_nothing_indexed(walk))
    return found


def _nothing_indexed(walk: Walk) -> str:
    """Why a scan ended with no file: the rule that left out most, when there is one."""
    if not walk.files and walk.excluded_by:
        rule, count = max(walk.excluded_by.items(), key=lambda item: (item[1], item[0]))
        return f"no file was indexed; the rule {rule} left out most ({count} paths)"
    return "no file was indexed: the folder holds no file of a known language"
