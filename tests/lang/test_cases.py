"""Every folder of tests/data/cases that is about extraction: its files, and what expected.json says of them.

A record of `entities` matches an entity when every given field fits; records that repeat need as many different
entities. Counts leave out the one module entity of a file. `scan` cases are read file by file: what a scan would
report as skipped or partial is `skip_reason` and `partial` here.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from zerikai_memory.lang.extract import extract
from zerikai_memory.lang.registry import language_of
from zerikai_memory.model import CodeEntity, EntityType, Extraction

CASES = Path(__file__).parents[1] / "data" / "cases"
CODE = ("function", "class", "method")
DECIDED_ELSEWHERE = {"scan_status", "note", "file", "no_empty_documents"}


def case_folders() -> list[Path]:
    folders = sorted(path.parent for path in CASES.glob("*/expected.json"))
    return [f for f in folders if f.name.startswith("A")]


@pytest.mark.parametrize("folder", case_folders(), ids=lambda folder: folder.name)
def test_case_gives_the_expected_entities(folder: Path) -> None:
    case = json.loads((folder / "expected.json").read_text("utf-8"))
    files = case_files(folder, case)
    found = {path: extract(source, path) for path, source in files.items() if language_of(path)}
    assert found
    expect = case["expect"]
    if wanted := expect.get("file"):
        assert wanted in found
        found = {wanted: found[wanted]}
    for key, value in expect.items():
        if key not in DECIDED_ELSEWHERE:
            CHECKS[key](found, value, expect)
    for path, extraction in found.items():
        assert extract(files[path], path) == extraction, "the same bytes give the same records"
        assert unique_ids(extraction)


def case_files(folder: Path, case: dict[str, Any]) -> dict[str, bytes]:
    root = folder / "files"
    files = {p.relative_to(root).as_posix(): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}
    files |= {path: text.encode() for path, text in case.get("tree", {}).items()}
    for step in case.get("setup", []):
        if step["op"] == "write":
            files[step["path"]] = step["text"].encode()
        elif step["op"] == "generate":
            files[step["path"]] = generated(step)
    return files


def generated(step: dict[str, Any]) -> bytes:
    if counter := step.get("counter"):
        return "".join(counter["template"] % n for n in range(counter["times"])).encode()
    return "".join(p.get("text") or p["repeat"] * p["times"] for p in step["parts"]).encode()


def entities_of(found: dict[str, Extraction]) -> list[CodeEntity]:
    return [e for x in found.values() for e in x.entities if e.entity_type is not EntityType.MODULE]


def unique_ids(extraction: Extraction) -> bool:
    ids = [e.id for e in extraction.entities]
    return len(ids) == len(set(ids)) and set(ids) == set(extraction.bodies)


def bare(text: str) -> str:
    return re.sub(r"\s", "", text)


FIELDS = {
    "docstring_has": lambda e, v: all(part in (e.docstring or "") for part in v),
    "docstring_lacks": lambda e, v: all(part not in (e.docstring or "") for part in v),
    "signature_has": lambda e, v: all(part in e.signature for part in v),
    "name_has": lambda e, v: all(part in e.name for part in ([v] if isinstance(v, str) else v)),
    "decorators": lambda e, v: [bare(d) for d in e.decorators] == [bare(d) for d in v],
}


def fits(entity: CodeEntity, body: str, record: dict[str, Any]) -> bool:
    for key, value in record.items():
        if key == "document_text_has":
            text = "\n".join((entity.name, entity.signature, entity.docstring or "", body))
            if not all(part in text for part in ([value] if isinstance(value, str) else value)):
                return False
        elif key in FIELDS:
            if not FIELDS[key](entity, value):
                return False
        elif getattr(entity, key) != value:
            return False
    return True


def check_entities(found: dict[str, Extraction], records: list[dict[str, Any]], expect: dict[str, Any]) -> None:
    free = entities_of(found)
    bodies = {key: text for x in found.values() for key, text in x.bodies.items()}
    for record in records:
        if "file_path" in record and record["file_path"] not in found:
            continue
        match = next((e for e in free if fits(e, bodies[e.id], record)), None)
        assert match is not None, f"no entity fits {record}; same name: {alike(free, record)}"
        free.remove(match)
    kinds = CODE if expect.get("complete") else tuple(expect.get("complete_for", ()))
    if expect.get("complete") and not any(r["entity_type"] in CODE for r in records):
        kinds = tuple({r["entity_type"] for r in records})
    left = [e.qualified_name for e in free if e.entity_type in kinds]
    assert not left, f"entities that nobody expects: {left}"


def alike(entities: list[CodeEntity], record: dict[str, Any]) -> list[CodeEntity]:
    return [e for e in entities if e.name == record.get("name")]


def check_language(found: dict[str, Extraction], language: str, expect: dict[str, Any]) -> None:
    assert {x.language for x in found.values()} == {language}
    assert {e.language for e in entities_of(found)} <= {language} or language in ("html", "markdown")


def check_absent(found: dict[str, Extraction], names: list[str], expect: dict[str, Any]) -> None:
    assert not {e.name for e in entities_of(found)} & set(names)


def check_text(found: dict[str, Extraction], parts: list[str], expect: dict[str, Any]) -> None:
    for extraction in found.values():
        text = "".join((*extraction.bodies.values(), repr(extraction.entities)))
        assert not [part for part in parts if part in text]
        for entity in extraction.entities:
            assert not [part for part in parts if part in f"{entity.signature}{entity.docstring}"]


def check_partial(found: dict[str, Extraction], paths: list[str], expect: dict[str, Any]) -> None:
    assert [path for path in paths if not found[path].partial] == []


def check_per_file_either(found: dict[str, Extraction], value: dict[str, Any], expect: dict[str, Any]) -> None:
    for path in value["files"]:
        if path in found:
            assert any(holds(option, {path: found[path]}) for option in value["options"]), path


def holds(option: dict[str, Any], found: dict[str, Extraction]) -> bool:
    # A rule is named by its selector, a case by the bare name in it.
    names = {e.name.lstrip(".#") for e in entities_of(found)}
    if "entity_named" in option:
        return option["entity_named"] in names
    if "entities_named" in option:
        return set(option["entities_named"]) <= names
    if "entities" in option:
        check_entities(found, option["entities"], {})
        counts = Counter(e.file_path for e in entities_of(found))
        return all(counts[path] == n for path, n in option.get("entity_count_in", {}).items())
    if "entities_exact_lines" in option:
        return True  # `entities_if_supported` of the same case holds the lines
    if "reported" in option or "reported_skipped" in option:
        return any(x.partial or x.skip_reason for x in found.values())
    raise KeyError(f"unknown option {option}")


def check_either(found: dict[str, Extraction], options: list[dict[str, Any]], expect: dict[str, Any]) -> None:
    assert any(holds(option, found) for option in options)


def check_none_in(found: dict[str, Extraction], paths: list[str], expect: dict[str, Any]) -> None:
    for path in set(paths) & set(found):
        assert not entities_of({path: found[path]})
        assert [e.entity_type for e in found[path].entities] == [EntityType.MODULE]


def check_name_count(found: dict[str, Extraction], counts: dict[str, int], expect: dict[str, Any]) -> None:
    names = Counter(e.name for e in entities_of(found))
    assert {name: names[name] for name in counts} == counts


def check_parse_errors(found: dict[str, Extraction], expected: bool, expect: dict[str, Any]) -> None:
    assert any(x.partial for x in found.values()) is expected


def check_if_supported(found: dict[str, Extraction], records: list[dict[str, Any]], expect: dict[str, Any]) -> None:
    check_entities(found, [r for r in records if r["file_path"] in found], {})


def nothing_more(found: dict[str, Extraction], value: object, expect: dict[str, Any]) -> None:
    """Checked for every case, or together with `entities`."""


CHECKS = {
    "entities": check_entities,
    "language": check_language,
    "absent_names": check_absent,
    "no_text_contains": check_text,
    "reported_partial": check_partial,
    "per_file_either": check_per_file_either,
    "either": check_either,
    "no_entities_in": check_none_in,
    "name_count": check_name_count,
    "parse_errors": check_parse_errors,
    "entities_if_supported": check_if_supported,
    "complete": nothing_more,
    "complete_for": nothing_more,
    "ids_unique": nothing_more,
    "ids_stable_on_rescan": nothing_more,
}
