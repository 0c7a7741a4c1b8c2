"""Texts about usage: tables of what was spent, comparison with a provider, purge; and the same lines as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import fields
from datetime import datetime

from zerikai_memory.model_usage_report import (
    AgentLine,
    AgentsReport,
    BudgetBar,
    Difference,
    PurgeReport,
    Reconciliation,
    ReplyCost,
    UsageLine,
    UsageReport,
)
from zerikai_memory.render import columns, one_line, safe_text

BAR_CELLS = 20
UNKNOWN = "unknown"
# A cell that begins so is a formula to a spreadsheet.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def usage_report(report: UsageReport) -> str:
    """A report as a table, then what the reader must know about its sums."""
    parts = [f"Usage of models {_where(report.workspace)}, {report.since} to {report.until} ({report.zone}):"]
    if report.total.attempts:
        parts += [_table(report.by, [*report.lines, report.total]), *_facts(report)]
    else:
        parts.append("No attempts at models.")
    if report.omitted:
        parts.append(f"({report.omitted} more lines left out; the command line shows all.)")
    if report.by != "task" and report.top_tasks:
        parts.append("Top tasks: " + "; ".join(f"{one_line(one.name)} {_cost(one)}" for one in report.top_tasks))
    parts += [budget_line(bar) for bar in report.budgets]
    if report.replies.replies:
        parts.append(reply_cost(report.replies))
    parts += [
        f"Estimated: {one.day} {one_line(one.backend)}: {one_line(one.reason)}" for one in report.estimated_periods
    ]
    parts += [f"Warning: {safe_text(text)}" for text in report.warnings]
    return "\n".join(parts)


def agents_report(report: AgentsReport) -> str:
    """What agents spent, by their own transcripts."""
    parts = [f"Usage of agents {_where(report.workspace)}, {report.since} to {report.until} ({report.zone}):"]
    if not report.lines:
        parts.append(
            "No responses of agents: `zerikai-memory sessions sources` shows where transcripts are looked for."
        )
    else:
        rows: list[tuple[str, ...]] = [
            (report.by.upper(), "SESSIONS", "RESPONSES", "INPUT", "CACHE READ", "CACHE WRITE", "OUTPUT", "COST")
        ]
        rows += [_agent_row(line) for line in (*report.lines, report.total)]
        parts.append(columns(rows))
        parts += _agent_facts(report.total)
    if report.omitted:
        parts.append(f"({report.omitted} more lines left out.)")
    parts += [f"Warning: {safe_text(text)}" for text in report.warnings]
    return "\n".join(parts)


def reconciliation(report: Reconciliation) -> str:
    """What a comparison found: every day and model, those beyond the tolerance marked."""
    rows: list[tuple[str, ...]] = [
        ("DAY", "MODEL", "PROMPT OURS", "THEIRS", "OUTPUT OURS", "THEIRS", "COST OURS", "THEIRS", "OFF")
    ]
    rows += [_difference_row(one) for one in report.differences]
    tolerance = f"{100 * report.tolerance:g} %"
    beyond = sum(one.beyond for one in report.differences)
    parts = [
        columns(rows),
        f"{len(report.differences)} days and models compared with {one_line(report.source)}: {beyond} differ by more "
        f"than {tolerance}.",
    ]
    if report.marked:
        days = ", ".join(f"{one.day} {one_line(one.backend)}".strip() for one in report.marked)
        parts.append(f"Marked as estimated: {days}.")
    if report.cleared:
        parts.append(f"No longer estimated: {report.cleared} days.")
    parts += [f"Warning: {safe_text(text)}" for text in report.warnings]
    return "\n".join(parts)


def purge_question(report: PurgeReport) -> str:
    """What a purge would do."""
    return (
        f"{report.attempts} attempts before {report.before} would be replaced by {report.kept_sums} sums. Totals "
        f"({dollars(report.kept_usd)}) and every grouping stay; single attempts and their times are gone for good."
    )


def purge_report(report: PurgeReport) -> str:
    """What a purge did."""
    return (
        f"{report.attempts} attempts before {report.before} were replaced by {report.kept_sums} sums; totals "
        f"({dollars(report.kept_usd)}) stay in every report."
    )


def dollars(amount: float | None) -> str:
    """An amount of money: to the cent where it is large, to the millionth where it is small, `unknown` for None."""
    if amount is None:
        return UNKNOWN
    if 0 < amount < 0.000001:
        return "<$0.000001"
    return (
        f"${amount:,.2f}" if amount >= 100 else f"${amount:.4f}" if amount >= 0.01 or not amount else f"${amount:.6f}"
    )


def reply_cost(cost: ReplyCost) -> str:
    """What our replies cost an agent beside the whole files that they cite, with the method."""
    text = f"Our replies: {cost.replies}, {cost.characters:,} characters (about {cost.characters // 4:,} tokens)."
    if cost.compared:
        share = f"{cost.compared_characters / cost.whole_file_characters:.1%}" if cost.whole_file_characters else "-"
        text += (
            f" {cost.compared} of them cite files: {cost.compared_characters:,} characters beside "
            f"{cost.whole_file_characters:,} of the whole files ({share}; both counted when the reply was given)."
        )
    return text


def budget_line(bar: BudgetBar) -> str:
    """A budget with a bar of how much of it is used."""
    if bar.share is None or bar.used is None:
        return f"{one_line(bar.name)}: {UNKNOWN}"
    full = min(BAR_CELLS, int(bar.share * BAR_CELLS))
    used = dollars(bar.used) if bar.unit == "usd" else f"{bar.used:,.0f} tokens"
    mark = "" if bar.state == "ok" else f" [{bar.state}]"
    return f"[{'#' * full}{'.' * (BAR_CELLS - full)}] {bar.share:.0%} {used} of {one_line(bar.name)}{mark}{_reset(bar)}"


def usage_csv(report: UsageReport | AgentsReport) -> str:
    """The lines and the total as CSV; what is unknown is an empty cell."""
    made = io.StringIO(newline="")
    writer = csv.writer(made, lineterminator="\n")
    kind = UsageLine if isinstance(report, UsageReport) else AgentLine
    names = [field.name for field in fields(kind)]
    writer.writerow([report.by, *names[1:]])
    for line in (*report.lines, report.total):
        writer.writerow([_cell(getattr(line, name)) for name in names])
    return made.getvalue()


def _table(by: str, lines: Sequence[UsageLine]) -> str:
    rows = [(by.upper(), "ATTEMPTS", "PROMPT", "CACHED", "OUTPUT", "COST")]
    for line in lines:
        hits = "" if line.cache_hit_rate is None else f" {line.cache_hit_rate:.0%}"
        attempts = f"{line.attempts}" + (f" ({_not_whole(line)})" if _not_whole(line) else "")
        rows.append(
            (
                one_line(line.name),
                attempts,
                _count(line.prompt_tokens),
                _count(line.cached_tokens) + hits,
                _count(line.completion_tokens),
                _cost(line),
            )
        )
    return columns(rows)


def _not_whole(line: UsageLine) -> str:
    told = ((line.failed, "failed"), (line.unknown, "unknown"), (line.running, "running"))
    return ", ".join(f"{count} {word}" for count, word in told if count)


def _facts(report: UsageReport) -> list[str]:
    total = report.total
    hits = UNKNOWN if total.cache_hit_rate is None else f"{total.cache_hit_rate:.1%}"
    facts = [
        f"Cache hits: {hits} of prompt tokens sent out, {dollars(total.saved_usd)} saved. Retries: {total.retried} "
        f"({dollars(total.retried_usd)}). Paid without a whole answer: {dollars(total.wasted_usd)}."
    ]
    if total.unpriced:
        facts.append(f"{total.unpriced} attempts have no known price and are in no sum of money.")
    if total.estimated:
        facts.append(f"{total.estimated} attempts are estimates of ours, not the server's count.")
    return facts


def _agent_facts(total: AgentLine) -> list[str]:
    facts = []
    if total.stated:
        facts.append(f"{total.stated} responses carry the agent's own cost; the others are priced by our table.")
    if total.unpriced:
        facts.append(f"{total.unpriced} responses have no known price and are in no sum of money.")
    if total.untold:
        facts.append(f"{total.untold} responses tell only a part of their tokens.")
    if total.silent_sessions:
        facts.append(f"{total.silent_sessions} sessions tell no tokens at all.")
    return facts


def _agent_row(line: AgentLine) -> tuple[str, ...]:
    nothing = line.responses == 0
    cost = UNKNOWN if nothing else _cost(line)
    counts = (line.input_tokens, line.cache_read_tokens, line.cache_write_tokens, line.output_tokens)
    sessions = f"{line.sessions}" + (f" ({line.silent_sessions} silent)" if line.silent_sessions else "")
    responses = UNKNOWN if nothing and line.silent_sessions else str(line.responses)
    return one_line(line.name), sessions, responses, *map(_count, counts), cost


def _difference_row(one: Difference) -> tuple[str, ...]:
    tokens = (one.ours_prompt, one.theirs_prompt, one.ours_completion, one.theirs_completion)
    money = ("-" if usd is None else dollars(usd) for usd in (one.ours_usd, one.theirs_usd))
    off = f"{100 * one.off:.1f} %" + (" !" if one.beyond else "")
    counts = ("-" if count is None else f"{count:,}" for count in tokens)
    return one.day, one_line(one.model), *counts, *money, off


def _cost(line: UsageLine | AgentLine) -> str:
    more = f" + {line.unpriced} {UNKNOWN}" if line.unpriced and line.cost_usd is not None else ""
    return dollars(line.cost_usd) + more


def _count(count: int | None) -> str:
    return UNKNOWN if count is None else f"{count:,}"


def _where(workspace: str) -> str:
    return f"in {one_line(workspace)}" if workspace else "in all workspaces"


def _reset(bar: BudgetBar) -> str:
    if bar.resets_at is None:
        return ""
    return f", resets {datetime.fromtimestamp(bar.resets_at).strftime('%Y-%m-%d %H:%M')}"


def _cell(value: object) -> object:
    if isinstance(value, str):
        shown = one_line(value)
        return f"'{shown}" if shown.startswith(_FORMULA) else shown
    return "" if value is None else f"{value:.9f}".rstrip("0").rstrip(".") if isinstance(value, float) else value
