"""From drafts to entities: order by position, nest by containment, name, number, hash and cut out bodies.

Pure and independent of tree-sitter; one loop with a scope stack, no recursion.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import PurePosixPath

from zerikai_memory.lang.deadline import Deadline
from zerikai_memory.lang.spec import ROOT, THIS, Draft, LanguageSpec, Mention
from zerikai_memory.lang.text import Source
from zerikai_memory.model import CodeEntity, EntityType, Extraction, Reference, ReferenceKind

_FUNCTIONS = {EntityType.FUNCTION, EntityType.METHOD, EntityType.COMPONENT}
# Kinds whose body is kept whole; the others are cut without the members that are entities of their own.
_WHOLE = _FUNCTIONS | {EntityType.ROUTE, EntityType.COMMAND, EntityType.HANDLER}
_CLASSES = {EntityType.CLASS, EntityType.COMPONENT, EntityType.INTERFACE}
# A definition's body holds those inside it once more: 1,000 levels of a 1 MB file would be 1 GB.
MAX_NESTING = 100


@dataclass(slots=True)
class _Scope:
    """A draft on its way to an entity.

    `members` are the byte ranges cut out of its body, `prefix` is what the names of its members begin with.
    """

    draft: Draft
    qualified_name: str
    parent: _Scope | None
    parent_name: str | None
    prefix: str
    members: list[tuple[int, int]] = field(default_factory=list)
    id: str = ""

    @property
    def owner(self) -> _Scope:
        """The nearest scope that is an entity."""
        scope = self
        while scope.draft.scope_only and scope.parent is not None:
            scope = scope.parent
        return scope


def outline(
    spec: LanguageSpec,
    source: Source,
    file_path: str,
    drafts: Iterable[Draft],
    mentions: Iterable[Mention],
    module_doc: str | None,
    partial: bool = False,
    *,
    deadline: Deadline,
) -> Extraction:
    """Entities, references and bodies of one file, from unordered drafts and mentions. Raises Late.

    What is nested in more than MAX_NESTING others is no entity.
    """
    module = _module_scope(spec, source, file_path, module_doc)
    scopes, homes = _nest(module, drafts, mentions, deadline)
    _number(scopes, file_path)
    references = [
        Reference(m.kind, m.name, _target(m, source), file_path, source.line(m.at), home.owner.id) for m, home in homes
    ]
    entities = []
    bodies = {}
    for scope in scopes:
        deadline.check()
        if scope.draft.scope_only:
            continue
        entities.append(_entity(scope, file_path, source))
        bodies[scope.id] = _body(scope, source)
        references.extend(
            Reference(m.kind, m.name, m.target, file_path, source.line(m.at), scope.id) for m in scope.draft.declares
        )
    references.sort(key=lambda reference: reference.line)
    return Extraction(
        spec.name,
        tuple(entities),
        tuple(reference for reference in references if reference.kind is not ReferenceKind.BIND),
        bodies,
        partial,
        bindings=_bindings(references, entities),
    )


def _bindings(references: Iterable[Reference], entities: Sequence[CodeEntity]) -> tuple[Reference, ...]:
    """Bindings, repeated ones once; of the values that are read, those that are no variable of the function itself."""
    local = {(e.id, name.lstrip("*")) for e in entities for name in e.params}
    found: dict[tuple[str | None, str, str, int], Reference] = {}
    last: dict[tuple[str | None, str], tuple[str, int]] = {}
    for reference in references:
        if reference.kind is ReferenceKind.BIND:
            name, text = (reference.from_entity, reference.name), reference.target_text
            # A name that is given something else in between is given it anew.
            before = last.get(name, (text, 0))
            turn = before[1] if before[0] == text or not reference.name else before[1] + 1
            last[name] = (text, turn)
            found.setdefault((*name, text, turn), reference)
            local.add((reference.from_entity or "", reference.name))
    module = entities[0].id
    return tuple(
        reference
        for (home, name, text, _), reference in found.items()
        if name or home == module or (home or "", text) not in local
    )


def _target(mention: Mention, source: Source) -> str:
    """The text of a mention; one that holds for some lines begins with them."""
    if mention.span is None:
        return mention.target
    start, end = mention.span
    return f"{source.line(start)}-{source.line(max(start, end - 1))} {mention.target}"


def _module_scope(spec: LanguageSpec, source: Source, file_path: str, docstring: str | None) -> _Scope:
    stem = PurePosixPath(file_path).stem
    draft = Draft(EntityType.MODULE, stem, 0, len(source.data), "", docstring=docstring, spec=spec)
    return _Scope(draft, "", None, None, "")


def _nest(
    module: _Scope, drafts: Iterable[Draft], mentions: Iterable[Mention], deadline: Deadline
) -> tuple[list[_Scope], list[tuple[Mention, _Scope]]]:
    """Scopes in source order, and each mention with the scope around it."""
    # At one position the longer range comes first, and a mention after the definitions that start there.
    events: list[tuple[int, int, Draft | Mention]] = [(d.outer_start, -d.end, d) for d in drafts]
    events += [(m.at, 0, m) for m in mentions]
    events.sort(key=lambda event: event[:2])
    scopes, homes, stack = [module], [], [module]
    for at, _, item in events:
        deadline.check()
        while len(stack) > 1 and at >= stack[-1].draft.end:
            stack.pop()
        inner = stack[-1]
        if isinstance(item, Mention):
            # Decorators and export lie before the definition's own start: they belong to what is around it.
            home = inner if inner.parent is None or at >= inner.draft.start else inner.parent
            homes.append((item, home))
            continue
        scope = _place(item, stack) if len(stack) <= MAX_NESTING else None
        if scope is not None:
            scopes.append(scope)
            stack.append(scope)
    return scopes, homes


def _place(draft: Draft, stack: list[_Scope]) -> _Scope | None:
    """Give a draft its qualified name and parent; None when the language does not keep it there."""
    around = stack[-1]
    spec = draft.spec
    assert spec is not None, "the engine sets it"
    # A script is at the top of its own language, whatever element of the page encloses it.
    embedded = around.draft.spec is not spec
    above = None if embedded or around.parent is None else around.draft
    if draft.kind is not EntityType.TODO and not spec.keep(draft, above):
        return None
    if above is not None and above.kind in _CLASSES and draft.owner is None:
        draft.kind = spec.member_kinds.get(draft.kind, draft.kind)
    prefix = "" if embedded else around.prefix
    if draft.owner == THIS:
        prefix = _this(stack).qualified_name
    elif draft.owner is not None and draft.owner.startswith(ROOT):
        prefix = draft.owner.removeprefix(ROOT)
    elif draft.owner is not None:
        prefix = f"{prefix}.{draft.owner}" if prefix else draft.owner
    if not draft.scope_only and not draft.in_parent:
        around.owner.members.append((draft.outer_start, draft.end))
    qualified = f"{prefix}.{draft.name}" if prefix else draft.name
    return _Scope(draft, qualified, around, prefix or None, qualified if draft.lends_name else around.prefix)


def _this(stack: list[_Scope]) -> _Scope:
    """What `this` means: the innermost class, else the innermost function, else the file."""
    for kinds in (_CLASSES, _FUNCTIONS):
        for scope in reversed(stack):
            if scope.draft.kind in kinds:
                return scope
    return stack[0]


def _number(scopes: list[_Scope], file_path: str) -> None:
    """Ids: path, kind, qualified name and the ordinal among equals; no line and no content."""
    seen: dict[tuple[str, str], int] = {}
    for scope in scopes:
        if scope.draft.scope_only:
            continue
        key = (scope.draft.kind.value, scope.qualified_name)
        ordinal = seen[key] = seen.get(key, -1) + 1
        text = "\0".join((file_path, *key, str(ordinal)))
        scope.id = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=10).hexdigest()


def _entity(scope: _Scope, file_path: str, source: Source) -> CodeEntity:
    draft = scope.draft
    assert draft.spec is not None, "the engine sets it"
    start_line = source.line(draft.start)
    is_module = draft.kind is EntityType.MODULE
    last_line = source.line(draft.end - 1) if draft.whole_lines else source.last_line(draft.end)
    decorator_line = None if draft.decorator_start is None else source.line(draft.decorator_start)
    return CodeEntity(
        id=scope.id,
        name=draft.name,
        qualified_name=scope.qualified_name,
        entity_type=draft.kind,
        language=draft.spec.name,
        file_path=file_path,
        start_line=start_line,
        end_line=source.line_count if is_module else max(start_line, last_line),
        signature=draft.signature,
        docstring=draft.docstring,
        parent=scope.parent_name,
        decorators=draft.decorators,
        decorator_start_line=decorator_line,
        params=draft.params,
        return_type=draft.return_type,
        type_params=draft.type_params,
        modifiers=draft.modifiers,
        body_hash=blake2b(source.data[draft.outer_start : draft.end], digest_size=10).hexdigest(),
    )


def _body(scope: _Scope, source: Source) -> str:
    draft = scope.draft
    if draft.kind in _WHOLE or not scope.members:
        return source.slice(draft.outer_start, draft.end)
    return source.without(draft.outer_start, draft.end, scope.members)
