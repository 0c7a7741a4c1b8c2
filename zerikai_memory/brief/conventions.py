"""Conventions measured from code: naming, type hints, docstrings, async, imports, layout; shares are rounded to 5 %."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from zerikai_memory.brief.paths import is_product_code, stem
from zerikai_memory.model import CodeEntity, EntityType, Reference, ReferenceKind

# Fewer definitions say nothing about a habit.
MIN_SAMPLE = 8

_SNAKE = re.compile(r"^_*[a-z0-9]+(_[a-z0-9]+)+_*$")
_CAMEL = re.compile(r"^_*[a-z]+[0-9]*([A-Z][a-z0-9]*)+$")
_SCRIPTS = frozenset({"javascript", "typescript", "tsx", "jsx"})
_FUNCTIONS = frozenset({EntityType.FUNCTION, EntityType.METHOD})

# A longer line was written by a program; its quotes are nobody's habit.
MAX_LINE_CHARS = 1_000


def measure_conventions(
    entities: Sequence[CodeEntity], references: Iterable[Reference], sources: Sequence[tuple[str, str]]
) -> tuple[str, ...]:
    """Sentences about how the product's code is written; `sources` are (path, text) of a sample of its files."""
    product = [entity for entity in entities if is_product_code(entity.file_path)]
    imports = [r for r in references if r.kind is ReferenceKind.IMPORT and is_product_code(r.file_path)]
    python = [e for e in product if e.language == "python"]
    scripts = [e for e in product if e.language in _SCRIPTS]
    said = _python(python, imports) if len(python) >= MIN_SAMPLE else []
    said += _script(scripts) if len(scripts) >= MIN_SAMPLE else []
    for label, pattern in (("Python", r"\.pyi?$"), ("JS/TS", r"\.[cm]?[jt]sx?$")):
        texts = [text for path, text in sources if re.search(pattern, path)]
        said += _layout(label, texts)
    return tuple(said)


def _python(entities: Sequence[CodeEntity], imports: Sequence[Reference]) -> list[str]:
    functions = [e for e in entities if e.entity_type in _FUNCTIONS]
    said = _naming("Python", functions)
    if len(functions) >= MIN_SAMPLE:
        hinted = _share(bool(e.return_type) or "->" in e.signature for e in functions)
        said.append(f"Type hints: {_degree(hinted)} Python functions declare a return type.")
    said += _docstrings("Python", entities)
    said += _async("Python", functions)
    classes = [e for e in entities if e.entity_type is EntityType.CLASS]
    data = [
        e
        for e in classes
        if any("dataclass" in d or d.lstrip("@").startswith(("attr.", "attrs.", "define")) for d in e.decorators)
    ]
    if len(classes) >= MIN_SAMPLE and len(data) >= 0.1 * len(classes):
        frozen = sum("frozen=True" in "".join(e.decorators) for e in data)
        kind = "frozen dataclasses" if frozen > len(data) / 2 else "dataclasses"
        said.append(f"{_percent(len(data) / len(classes))} of the classes are {kind}.")
    return said + _python_imports(entities, imports)


def _python_imports(entities: Sequence[CodeEntity], imports: Sequence[Reference]) -> list[str]:
    own = {part for e in entities for part in e.file_path.split("/")[:-1]}
    lines = [r for r in imports if r.file_path.endswith(".py")]
    inner = [r for r in lines if r.target_text.startswith(".") or r.target_text.partition(".")[0] in own]
    said = []
    if len(inner) >= MIN_SAMPLE:
        relative = _share(r.target_text.startswith(".") for r in inner)
        if relative >= 0.8 or relative <= 0.2:
            style = "relative (`from .x import y`)" if relative >= 0.8 else "absolute (`from package.x import y`)"
            said.append(f"Imports inside the package are {style}.")
    files = {e.file_path for e in entities}
    future = {r.file_path for r in lines if r.target_text == "__future__" and r.name == "annotations"}
    if len(files) >= MIN_SAMPLE and len(future) >= 0.7 * len(files):
        said.append("Files start with `from __future__ import annotations`.")
    return said


def _script(entities: Sequence[CodeEntity]) -> list[str]:
    functions = [e for e in entities if e.entity_type in _FUNCTIONS]
    said = _naming("JS/TS", functions) + _file_names({e.file_path for e in entities})
    components = {e.file_path for e in entities if e.entity_type is EntityType.COMPONENT}
    if len(components) >= MIN_SAMPLE:
        said.append(f"Components are functions in files such as `{min(components)}`.")
    typed = Counter(e.entity_type for e in entities if e.entity_type in (EntityType.INTERFACE, EntityType.TYPE))
    if sum(typed.values()) >= MIN_SAMPLE:
        interfaces = _percent(typed[EntityType.INTERFACE] / sum(typed.values()))
        said.append(f"Of the declared types, {interfaces} are interfaces, the others type aliases.")
    return said + _docstrings("JS/TS", entities) + _async("JS/TS", functions)


def _file_names(paths: Iterable[str]) -> list[str]:
    styles: Counter[str] = Counter()
    for path in paths:
        name = stem(path)
        if "-" in name:
            styles["kebab-case"] += 1
        elif "_" in name:
            styles["snake_case"] += 1
        elif name[:1].isupper():
            styles["PascalCase"] += 1
        elif _CAMEL.match(name):
            styles["camelCase"] += 1
    total = sum(styles.values())
    if total < MIN_SAMPLE:
        return []
    style, count = min(styles.items(), key=lambda item: (-item[1], item[0]))
    return [f"File names of several words are {style} ({_percent(count / total)})."] if count >= 0.6 * total else []


def _naming(label: str, functions: Sequence[CodeEntity]) -> list[str]:
    """The style of function names; names of one word fit every style and are not counted."""
    snake = sum(bool(_SNAKE.match(e.name)) for e in functions)
    camel = sum(bool(_CAMEL.match(e.name)) for e in functions)
    total = snake + camel
    if total < MIN_SAMPLE:
        return []
    style, count = ("snake_case", snake) if snake >= camel else ("camelCase", camel)
    return [f"{label} functions are named in {style} ({_degree(count / total)} names of several words)."]


def _docstrings(label: str, entities: Sequence[CodeEntity]) -> list[str]:
    wanted = (EntityType.FUNCTION, EntityType.CLASS, EntityType.METHOD, EntityType.COMPONENT)
    public = [e for e in entities if e.entity_type in wanted and not e.name.startswith("_")]
    if len(public) < MIN_SAMPLE:
        return []
    kind = "docstrings" if label == "Python" else "doc comments"
    return [
        f"{_degree(_share(bool(e.docstring) for e in public)).capitalize()} public {label} definitions have {kind}."
    ]


def _async(label: str, functions: Sequence[CodeEntity]) -> list[str]:
    share = _share(e.is_async for e in functions) if len(functions) >= MIN_SAMPLE else 0.0
    return [f"{_percent(share)} of the {label} functions are async."] if share >= 0.05 else []


def _layout(label: str, texts: Sequence[str]) -> list[str]:
    """Indentation, quotes and (for scripts) semicolons of the sampled files that a person wrote."""
    texts = [text for text in texts if max(map(len, text.splitlines()), default=0) <= MAX_LINE_CHARS]
    if len(texts) < 3:
        return []
    indents: Counter[str] = Counter()
    for text in texts:
        # The smallest indentation that a file uses is its unit; one blank belongs to a comment block.
        widths = {len(m[1]) for m in re.finditer(r"^( {2,8})(?=[^\s*])", text, re.MULTILINE)}
        if re.search(r"^\t+\S", text, re.MULTILINE) and not widths:
            indents["tabs"] += 1
        elif widths:
            indents[f"{min(widths)} spaces"] += 1
    single = sum(len(re.findall(r"'[^'\"\n]*'", text)) for text in texts)
    double = sum(len(re.findall(r'(?<!")"[^\'"\n]+"(?!")', text)) for text in texts)
    parts = [f"indent {indents.most_common(1)[0][0]}"] if indents else []
    if max(single, double) >= 4 * min(single, double) and single + double >= MIN_SAMPLE:
        parts.append(f"{'single' if single > double else 'double'} quotes")
    if label != "Python":
        ends = Counter(
            line.rstrip()[-1:] == ";"
            for text in texts
            for line in text.splitlines()
            if re.match(r"\s*(const|let|return|import)\b.*[\w)'\";]$", line)
        )
        if sum(ends.values()) >= MIN_SAMPLE:
            parts.append("semicolons" if ends[True] > ends[False] else "no semicolons")
    return [f"{label} layout: {', '.join(parts)}."] if parts else []


def _share(values: Iterable[bool]) -> float:
    counted = list(values)
    return sum(counted) / len(counted) if counted else 0.0


def _percent(share: float) -> str:
    """A share rounded to 5 %, so that the text does not change with every commit."""
    return f"{max(1, min(20, round(share * 20))) * 5} %"


def _degree(share: float) -> str:
    if share >= 0.95:
        return "nearly all"
    if share < 0.025:
        return "hardly any"
    return f"{_percent(share)} of the"
