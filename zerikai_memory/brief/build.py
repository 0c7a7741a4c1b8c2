"""Write the nine-section project brief by rules, without a model: only what was read or counted, in few words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from zerikai_memory.brief.facts import Area, Dependency, Flow, ProjectFacts
from zerikai_memory.brief.paths import is_gathering
from zerikai_memory.brief.prose import clip
from zerikai_memory.brief.sections import MAX_TOKENS, SECTIONS, token_count
from zerikai_memory.redact import mask_secrets

# From generous to terse: the first that fits MAX_TOKENS is taken, so a small project says all and a large one the top.
DETAILS = (16, 12, 10, 8, 6, 5, 4, 3, 2)

_LANGUAGE_NAMES = {
    "python": "Python",
    "javascript": "JavaScript",
    "typescript": "TypeScript",
    "tsx": "TypeScript (TSX)",
    "html": "HTML",
    "css": "CSS",
    "markdown": "Markdown",
}
# README paragraphs that send the reader elsewhere say nothing about a purpose.
_DIRECTIONS = re.compile(r"(?i)documentation|install|https?:|get(ting)? started|contribut|licen[cs]e|support|sponsor")
_PROSE_LANGUAGES = frozenset({"markdown"})


def build_brief(facts: ProjectFacts) -> str:
    """The brief of a project in Markdown: nine sections, at most 1,200 tokens; the same facts give the same bytes."""
    for items in DETAILS:
        text = mask_secrets(_write(facts, items))
        if token_count(text) <= MAX_TOKENS:
            return text
    return clip(text, MAX_TOKENS * 4 - 1) + "\n"


def _write(facts: ProjectFacts, items: int) -> str:
    """The brief with at most `items` entries in each list."""
    parts = [f"# {facts.name}"]
    for name in SECTIONS:
        lines = _WRITERS[name](facts, items)
        parts.append("\n".join([f"## {name}", *lines]))
    return "\n\n".join(parts) + "\n"


def _overview(facts: ProjectFacts, items: int) -> list[str]:
    said = next((m.description for m in facts.manifests if m.description), "")
    intro = [text for text in (facts.readme.intro if facts.readme else ()) if not _same(text, said)]
    bare = _plain(re.sub(r"(?i)^(an?|the)\s+", "", said))
    told = bool(intro) and bare in _plain(intro[0])
    lines = [_sentence(said)] if said and not told else []
    if intro:
        lines.append(clip(intro[0], 40 * items + 120))
    elif _plain(facts.package_says) not in _plain(said):
        lines.append(_sentence(facts.package_says))
    kind = _kind(facts)
    if kind:
        lines.append(kind)
    if facts.licence:
        lines.append(f"Licence: {facts.licence}.")
    return lines or [f"No README, manifest or package docstring describes `{facts.name}`."]


def _kind(facts: ProjectFacts) -> str:
    """What is delivered, as far as manifests and entry points say."""
    commands = [e.name for e in facts.entry_points if re.fullmatch(r"[\w.-]+", e.name) and ":" in e.target]
    parts = []
    if commands:
        parts.append(f"Installs the command{'s' if len(commands) > 1 else ''} {_code(commands[:4])}.")
    if facts.areas:
        bases = {area.path.rstrip("/").rpartition("/")[0] for area in facts.areas}
        base = min(bases)
        if base:
            parts.append(f"The code is in `{base}/`.")
    return " ".join(parts)


def _stack(facts: ProjectFacts, items: int) -> list[str]:
    lines = []
    if languages := _language_line(facts):
        lines.append(f"- Languages: {languages}.")
    runtimes = dict.fromkeys(m.runtime for m in facts.manifests if m.runtime)
    notes = dict.fromkeys(note for m in facts.manifests for note in m.notes)
    if runtimes or notes:
        lines.append(f"- Runtime and build: {', '.join([*runtimes, *notes])}.")
    if versions := [f"{m.version} (`{m.path}`)" for m in facts.manifests if m.version]:
        lines.append(f"- Version: {versions[0]}.")
    declared = [d for m in facts.manifests for d in m.dependencies]
    needed = _dependencies([d for d in declared if d.group == ""], items + 2)
    if needed:
        lines.append(f"- Depends on: {needed}.")
    elif facts.externals:
        lines.append(f"- Imports from other packages: {_code(facts.externals[:items])} (most used first).")
    elif any(m.name for m in facts.manifests):
        lines.append("- No run-time dependencies are declared.")
    peers = _dependencies([d for d in declared if d.group == "peer"], 4)
    if peers:
        lines.append(f"- Peer dependencies: {peers}.")
    groups: dict[str, list[Dependency]] = {}
    for dependency in declared:
        if dependency.group not in ("", "peer"):
            groups.setdefault(dependency.group, []).append(dependency)
    if groups:
        named = [f"`{group}`: {_names(members, items + 4)}" for group, members in list(groups.items())[:items]]
        lines.append(f"- Dependency groups: {'; '.join(named)}.")
    if facts.tools:
        lines.append(f"- Tools configured: {', '.join(facts.tools[: items + 2])}.")
    return lines or ["No manifest and no indexed source code were found."]


def _language_line(facts: ProjectFacts) -> str:
    shares = [share for share in facts.languages if share.language not in _PROSE_LANGUAGES] or list(facts.languages)
    total = sum(share.files for share in shares)
    parts = []
    for share in shares[:5]:
        name = _LANGUAGE_NAMES.get(share.language, share.language)
        percent = round(20 * share.files / total) * 5
        if len(shares) == 1:
            parts.append(name)
        elif percent == 100:
            parts.append(f"{name} (nearly all files)")
        else:
            parts.append(f"{name} ({percent} % of files)" if percent else f"some {name}")
    return ", ".join(parts)


def _dependencies(dependencies: Sequence[Dependency], limit: int) -> str:
    """Names with their first bound, as the manifest has them all; of many the names alone, which say more."""
    unique = list({d.name: d for d in reversed(dependencies)}.values())[::-1]
    if len(unique) > limit:
        return _names(unique, 3 * limit)
    shown = [f"{d.name} {clip(d.constraint.partition(',')[0], 20)}".strip() for d in unique[:limit]]
    rest = len(unique) - len(shown)
    return ", ".join(shown) + (f" and {rest} more" if rest > 0 else "")


def _names(dependencies: Sequence[Dependency], limit: int) -> str:
    names = list(dict.fromkeys(d.name for d in dependencies))
    rest = len(names) - limit
    return ", ".join(names[:limit]) + (f" and {rest} more" if rest > 0 else "")


def _architecture(facts: ProjectFacts, items: int) -> list[str]:
    if not facts.areas:
        return ["No product code was found in the indexed files."]
    # Areas that explain themselves or hold much of the code say more than a row of small files.
    used = Counter(flow.source for flow in facts.flows)
    chosen = sorted(facts.areas, key=lambda a: (-_weight(a) - used[a.path], a.path))[: items + 1]
    lines = [_area_line(area, 4 if items > 5 else 2) for area in sorted(chosen, key=lambda a: (-a.files, a.path))]
    if (rest := len(facts.areas) - len(chosen)) > 0:
        lines.append(f"- and {rest} smaller part{'s' if rest > 1 else ''} beside them.")
    if facts.bases:
        lines.append(f"- Base classes with most subclasses: {', '.join(facts.bases[: max(2, items // 2)])}.")
    if facts.other_folders:
        lines.append(f"- Beside the code: {_code(facts.other_folders[:items])}.")
    return lines


def _weight(area: Area) -> float:
    return area.files + area.importers + (2 if area.says else 0)


def _area_line(area: Area, names: int) -> str:
    said = f": {area.says}" if area.says else ""
    if len(area.parts) > 2:
        return f"- `{area.path}`{said} (in it: {_some(area.parts, 2 * names)})"
    listed = f" ({_code(area.names[:names])})" if area.names else ""
    return f"- `{area.path}`{said}{listed}"


def _conventions(facts: ProjectFacts, items: int) -> list[str]:
    if not facts.conventions:
        return ["Too little code was indexed to measure habits."]
    return [f"- {sentence}" for sentence in facts.conventions[: max(6, items)]]


def _purpose(facts: ProjectFacts, items: int) -> list[str]:
    readme = facts.readme
    lines = [f"- {clip(text, 180)}" for text in (readme.purpose if readme else ())][: max(2, items // 2)]
    if not lines and readme:
        told = [text for text in readme.intro[1:] if not _DIRECTIONS.search(text)]
        lines = [clip(text, 40 * items + 120) for text in told[:1]]
    described = "".join(_plain(m.description) for m in facts.manifests)
    if not lines and _plain(facts.package_says) not in described:
        lines = [_sentence(facts.package_says)]
    keywords = list(dict.fromkeys(word for m in facts.manifests for word in m.keywords))
    topics = list(dict.fromkeys(word for m in facts.manifests for word in m.topics))
    if keywords:
        lines.append(f"Keywords of its manifest: {', '.join(keywords[:10])}.")
    if topics:
        lines.append(f"Topics of its manifest: {', '.join(topics[:8])}.")
    if not lines:
        lines = ["Neither README, manifest nor package docstring says more about why the project exists."]
    return lines


def _key_files(facts: ProjectFacts, items: int) -> list[str]:
    lines = []
    for entry in facts.entry_points[: max(2, items // 2)]:
        target = entry.target.removeprefix("./")
        arrow = "" if entry.name == target else f" -> `{target}`"
        lines.append(f"- entry: `{entry.name}`{arrow}")
    for key in facts.key_files[:items]:
        said = f"; {key.says}" if key.says else ""
        if key.names and not said:
            said = f"; defines {_code(key.names[:3])}"
        files = "file" if key.importers == 1 else "files"
        lines.append(f"- `{key.path}`: imported by {key.importers} other {files}{said}")
    if facts.documents:
        lines.append(f"- Documents: {_code(facts.documents[: max(3, items // 2)])}.")
    return lines or ["No file of the project imports another one, and no entry point is declared."]


def _data_flow(facts: ProjectFacts, items: int) -> list[str]:
    if not facts.flows:
        return ["No imports between the parts of the project were found."]
    lines = ["Which part imports which (number of importing files):"]
    by_source: dict[str, list[Flow]] = {}
    for flow in facts.flows:
        by_source.setdefault(flow.source, []).append(flow)
    told = [(source, flows) for source, flows in by_source.items() if not is_gathering(source)] or by_source.items()
    ranked = sorted(told, key=lambda i: (-sum(f.files for f in i[1]), -len(i[1]), i[0]))
    for source, flows in ranked[: max(4, items // 2 + 2)]:
        targets = ", ".join(_short(f.target) + (f" {f.files}" if f.files > 1 else "") for f in flows[:5])
        targets += f" and {len(flows) - 5} more" if len(flows) > 5 else ""
        lines.append(f"- `{source}` uses {targets}")
    importing, imported = set(by_source), {flow.target for flow in facts.flows}
    if bottom := sorted(imported - importing):
        lines.append(f"- Import no other part: {_code(bottom[: max(3, items // 2)])}.")
    if top := sorted(importing - imported):
        lines.append(f"- Imported by no other part: {_code(top[: max(3, items // 2)])}.")
    return lines


def _development(facts: ProjectFacts, items: int) -> list[str]:
    lines = []
    for command in facts.commands[: items + 1]:
        does = f": {clip(command.does, 70)}" if command.does else ""
        lines.append(f"- `{command.text}` (`{command.source}`){does}")
    if (rest := len(facts.commands) - items - 1) > 0:
        lines.append(f"- and {rest} more command{'s' if rest > 1 else ''} in the same files.")
    lines += [f"- {sentence}" for sentence in facts.tests]
    return lines or ["No build, run or test commands are declared, and no tests were found."]


def _roadmap(facts: ProjectFacts, items: int) -> list[str]:
    lines = [f"- {clip(remark.text, 140)} (`{remark.path}`)" for remark in facts.roadmap[:items]]
    room = max(2, items // 2)
    lines += [f"- `{r.path}:{r.line}`: {clip(r.text, 100)}" for r in facts.remarks[:room]]
    return lines or ["No roadmap document and no TODO or FIXME comments were found."]


def _short(path: str) -> str:
    """The name of an area without folder and extension: all areas lie in the same folder."""
    return path.rstrip("/").rpartition("/")[2].rpartition(".")[0] or path.rstrip("/").rpartition("/")[2]


def _code(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _some(names: Sequence[str], limit: int) -> str:
    rest = len(names) - limit
    return _code(names[:limit]) + (f" and {rest} more" if rest > 0 else "")


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else text + "."


def _same(one: str, other: str) -> bool:
    """Whether two sentences say the same up to case and punctuation."""
    first, second = _plain(one), _plain(other)
    return bool(second) and first.startswith(second) and len(first) < len(second) + 20


def _plain(text: str) -> str:
    return re.sub(r"\W+", "", text).lower()


_WRITERS: dict[str, Callable[[ProjectFacts, int], list[str]]] = {
    "Overview": _overview,
    "Technical Stack": _stack,
    "Core Architecture": _architecture,
    "Primary Conventions": _conventions,
    "Purpose": _purpose,
    "Key Files": _key_files,
    "Data Flow": _data_flow,
    "Development & Testing": _development,
    "Future Roadmap": _roadmap,
}
