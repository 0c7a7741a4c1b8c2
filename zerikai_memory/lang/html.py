"""HTML, templates and single-file components: elements that have an identity; scripts and styles in their languages."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from zerikai_memory.lang.disguise import plain_markup, plain_svelte
from zerikai_memory.lang.selectors import used_selectors
from zerikai_memory.lang.spec import Draft, Grammar, LanguageSpec, Match, Mention, Region
from zerikai_memory.lang.text import Source, fold, shorten
from zerikai_memory.model import EntityType, ReferenceKind

if TYPE_CHECKING:
    from tree_sitter import Node

_ATTRIBUTE = re.compile(r"""([^\s"'<>/=]+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+))?""")
# Found by text, not in the tree: template syntax around a script may break the tree, never the script.
_EMBEDDED = re.compile(
    rb"""<!--(?:.*?-->|.*\Z)|<(script|style)((?:\s(?:[^<>"']|"[^"]*"|'[^']*')*+)?)>(.*?)(?:</\1\s*>|\Z)""",
    re.DOTALL | re.IGNORECASE,
)
# Bounded: on hostile text every unclosed tag would be searched to the end of the page.
_TITLE = re.compile(rb"<title\b[^<>]*>(.{0,2000}?)</title\s*>", re.DOTALL | re.IGNORECASE)
_DESCRIPTION = re.compile(rb"<meta\b(?=[^<>]{0,300}?\bname=[\"']?description\b)[^>]{0,2000}>", re.IGNORECASE)
_CALLED = re.compile(r"[\"'{\s]*(?:return\s+)?([A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*)\s*(?:\(|[;\"'}]|$)")
_MAX_HANDLER = 200  # characters of an attribute in which its call is looked for
_MAX_VISIBLE = 4_000  # characters of a title or heading
_TAGS = re.compile(r"<!--.*?-->|<[^>]*>", re.DOTALL)
# An element of these kinds is a part of the page that people speak of; the others need an id or a name of their own.
_PARTS = frozenset({"header", "nav", "main", "aside", "footer", "form", "dialog", "template", "search"})
_ROLES = frozenset(
    {"banner", "navigation", "main", "complementary", "contentinfo", "form", "search", "region", "dialog"}
)
# Attributes that tell two elements of one kind apart, the first that is there.
_NAMES = ("name", "aria-label", "data-testid", "data-component", "x-data", "v-slot", "slot")
_SCRIPTS = {
    "": ".js",
    "module": ".js",
    "text/javascript": ".js",
    "application/javascript": ".js",
    "application/ecmascript": ".js",
    "text/babel": ".jsx",
    "text/jsx": ".jsx",
    "text/typescript": ".ts",
    "application/typescript": ".ts",
}
_LANGS = {"js": ".js", "jsx": ".jsx", "ts": ".ts", "tsx": ".tsx", "typescript": ".ts", "javascript": ".js"}
_STYLES = {"": ".css", "css": ".css", "postcss": ".css", "scss": ".scss", "less": ".less"}


def describe(match: Match, source: Source) -> Draft | None:
    """Draft of an element with an id, a custom tag, a landmark or a label; None for all others."""
    tag_node, name_node = match.first("tag"), match.first("name")
    if tag_node is None or name_node is None:
        return None
    attributes = _attributes(source.text(tag_node))
    name = _identity(source.text(name_node), attributes)
    if name is None:
        return None
    start, end = match.node.byte_range
    return Draft(
        EntityType.ELEMENT,
        shorten(name, 120),
        start,
        end,
        shorten(fold(source.text(tag_node)), 200),
        docstring=_comment_above(source, start)
        or attributes.get("aria-label")
        or _heading_inside(source, tag_node.end_byte, end),
    )


def refer(match: Match, source: Source) -> Iterable[Mention]:
    """Linked scripts, sheets and frames; elements that components define."""
    node = match.node
    if match.label == "reference.selector":
        return used_selectors(match, source)
    if match.label == "reference.component":
        tag = source.text(node)
        return (Mention(ReferenceKind.CALL, tag, tag, node.start_byte),)
    if match.label == "reference.handler":
        return _handler(node, source)
    attributes = _attributes(source.text(node))
    target = attributes.get("src") or attributes.get("href")
    return (Mention(ReferenceKind.IMPORT, "*", target, node.start_byte),) if target else ()


def _handler(node: Node, source: Source) -> Iterable[Mention]:
    """The function that `onclick="boot()"` or `@click="go"` calls."""
    found = _CALLED.match(html.unescape(source.text(node)[:_MAX_HANDLER]))
    if found is not None:
        yield Mention(ReferenceKind.CALL, found[1].rpartition(".")[2], found[1], node.start_byte)


def module_doc(root: Node, source: Source) -> str | None:
    """Title and description of a page."""
    title = _TITLE.search(source.data)
    description = _DESCRIPTION.search(source.data)
    parts = [
        _visible(title[1].decode("utf-8", "replace")) if title else "",
        _attributes(description[0].decode("utf-8", "replace")).get("content", "") if description else "",
    ]
    return "\n\n".join(part for part in parts if part) or None


def regions(root: Node, source: Source) -> Iterable[Region]:
    """Scripts and styles of a page; data blocks (JSON, import maps, templates) are left out."""
    for found in _EMBEDDED.finditer(source.data):
        if found[1] is None:
            continue
        attributes = _attributes(found[2].decode("utf-8", "replace"))
        language, kind = attributes.get("lang", "").lower(), attributes.get("type", "").lower().partition(";")[0]
        if found[1].lower() == b"style":
            extension = _STYLES.get(language)
        else:
            extension = _LANGS.get(language) if language else _SCRIPTS.get(kind.strip())
        if extension and found[3].strip():
            yield Region(found.start(3), found.end(3), extension)


def _identity(tag: str, attributes: Mapping[str, str]) -> str | None:
    """A name in the manner of a selector: `main#content`, `form[name=login]`, `bread-timer`; None when it has none."""
    if identifier := attributes.get("id"):
        return f"{tag}#{identifier}"
    label = next((f"{tag}[{key}={attributes[key]}]" for key in _NAMES if attributes.get(key)), tag)
    if "-" in tag or tag.lower() in _PARTS or attributes.get("role", "").lower() in _ROLES:
        return label
    labelled = tag.lower() in ("section", "article", "fieldset", "table", "iframe") and label != tag
    return label if labelled or attributes.get("data-testid") or attributes.get("data-component") else None


def _attributes(tag: str) -> dict[str, str]:
    """Attributes of a start tag, names in lower case, the first of equal ones."""
    body = re.sub(r"^<[^\s/>]+", "", tag)
    found: dict[str, str] = {}
    for name, value in _ATTRIBUTE.findall(body):
        found.setdefault(name.lower(), html.unescape(value.strip("\"'")).strip())
    return found


def _comment_above(source: Source, start: int) -> str | None:
    """The comment that ends right before an element, without a blank line between."""
    comment = source.marked_before("comment", start)
    if comment is None or comment[1] > start:
        return None
    gap = source.data[comment[1] : start]
    if gap.strip() or gap.count(b"\n") > 1:
        return None
    return source.slice(*comment).removeprefix("<!--").removesuffix("-->").strip(" -\n\t") or None


def _heading_inside(source: Source, start: int, end: int) -> str | None:
    found = source.marked("heading", start, end)
    return (_visible(source.slice(*found[0])) or None) if found else None


def _visible(text: str) -> str:
    return html.unescape(" ".join(_TAGS.sub(" ", text[:_MAX_VISIBLE]).split()))


HTML = LanguageSpec(
    name="html",
    extensions=(".html", ".htm", ".xhtml", ".jinja", ".jinja2", ".njk", ".hbs", ".ejs", ".twig"),
    grammar=Grammar("tree_sitter_html"),
    queries=("html.scm",),
    describe=describe,
    refer=refer,
    module_doc=module_doc,
    regions=regions,
    disguise=plain_markup,
    machine_made=False,
)
VUE = replace(HTML, name="vue", extensions=(".vue",))
SVELTE = replace(HTML, name="svelte", extensions=(".svelte",), disguise=plain_svelte)
