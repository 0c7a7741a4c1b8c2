"""HTML of text and numbers: everything from outside is escaped, numbers keep their exact value beside what is shown."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files

from zerikai_memory.render import one_line

# No script, no request, nothing from anywhere: a browser holds the page to it.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table: what is shown, and of a number its exact value (None: unknown)."""

    shown: str
    value: float | int | None = None
    number: bool = True


def text(value: str) -> str:
    """Text of any origin on one line, safe within an element or a quoted attribute."""
    return html.escape(one_line(value), quote=True)


def page(title: str, body: Iterable[str]) -> str:
    """A whole page with its style inside."""
    style = files("zerikai_memory.pages").joinpath("style.css").read_text(encoding="utf-8")
    return "\n".join(
        (
            "<!doctype html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{text(title)}</title>",
            f"<style>\n{style}</style>",
            "</head>",
            "<body>",
            "<main>",
            *body,
            "</main>",
            "</body>",
            "</html>",
            "",
        )
    )


def section(title: str, *parts: str, note: str = "") -> str:
    """A titled part of a page; empty without content."""
    content = "\n".join(part for part in parts if part)
    if not content:
        return ""
    below = f'<p class="note">{text(note)}</p>' if note else ""
    return f"<section>\n<h2>{text(title)}</h2>\n{content}\n{below}</section>"


def table(
    name: str, headings: Sequence[str], rows: Sequence[Sequence[Cell]], total: Sequence[Cell] | None = None
) -> str:
    """A table that scrolls by itself where it is wider than the screen."""
    numbers = [cell.number for cell in rows[0]] if rows else [False] * len(headings)
    head = "".join(
        f'<th scope="col"{_class(number)}>{text(heading)}</th>'
        for heading, number in zip(headings, numbers, strict=True)
    )
    body = "\n".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    foot = f"\n<tfoot><tr>{''.join(map(_cell, total))}</tr></tfoot>" if total else ""
    return (
        f'<div class="scroll"><table data-name="{text(name)}">\n<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody>{foot}</table></div>"
    )


def folded(title: str, content: str, *, opened: bool = False) -> str:
    """Content that unfolds at a touch."""
    return f"<details{' open' if opened else ''}>\n<summary>{text(title)}</summary>\n{content}\n</details>"


def _cell(cell: Cell) -> str:
    exact = "" if cell.value is None else f' data-value="{exactly(cell.value)}"'
    return f"<td{_class(cell.number)}{exact}>{text(cell.shown)}</td>"


def exactly(value: float | int) -> str:
    """A number with all its digits, never in powers of ten."""
    return f"{value:.9f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def _class(number: bool) -> str:
    return ' class="number"' if number else ""
