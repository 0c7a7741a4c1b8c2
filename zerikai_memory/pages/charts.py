"""Plots as inline SVG whose shapes stretch with the page while their words stay words: stacked bars, a line, meters.

A plot takes numbers and gives HTML. Each shape says in its title what it stands for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from zerikai_memory.pages.markup import exactly, text

# Told apart in light and dark and by colour-blind readers; more kinds share the last one.
COLOURS = 7
OTHERS = "others"
# Of a bar's place; the rest keeps it from its neighbours.
BAR_SHARE = 0.76
LABELS = 6


@dataclass(frozen=True, slots=True)
class Series:
    """Values of one name along the places of a plot; None where there is none."""

    name: str
    values: tuple[float | None, ...]


def stacked_bars(places: Sequence[str], series: Sequence[Series], show: Callable[[float], str], label: str) -> str:
    """A bar per place, put together of the series, with a legend. Empty where every value is 0 or none."""
    shown = _few(series)
    heights = [sum(one.values[i] or 0.0 for one in shown) for i in range(len(places))]
    top = _nice(max(heights, default=0.0))
    if not top:
        return ""
    bars = []
    for i, place in enumerate(places):
        base = 0.0
        for colour, one in enumerate(shown):
            value = one.values[i] or 0.0
            if value:
                y, height = 100 * (1 - (base + value) / top), 100 * value / top
                told = f"{place}, {one.name}: {show(value)}"
                bars.append(
                    f'<rect class="c{colour}" x="{i + (1 - BAR_SHARE) / 2:.3f}" y="{y:.3f}" width="{BAR_SHARE}" '
                    f'height="{height:.3f}" data-place="{text(place)}" data-name="{text(one.name)}" '
                    f'data-value="{exactly(value)}"><title>{text(told)}</title></rect>'
                )
            base += value
    names = [one.name for one in shown]
    return _frame(places, top, show, label, "\n".join(bars)) + _legend(names)


def line(places: Sequence[str], values: Sequence[float | None], show: Callable[[float], str], label: str) -> str:
    """A line from 0 to 1 with a dot per value; it breaks where there is none. Empty without any value."""
    points = [(i + 0.5, 100 * (1 - value), value) for i, value in enumerate(values) if value is not None]
    if not points:
        return ""
    path, before = [], None
    for x, y, _ in points:
        path.append(f"{'L' if before is not None and x - before < 1.5 else 'M'}{x:.3f} {y:.3f}")
        before = x
    dots = "\n".join(
        f'<path class="dot" d="M{x:.3f} {y:.3f}h0" data-place="{text(places[int(x)])}" data-value="{exactly(value)}">'
        f"<title>{text(f'{places[int(x)]}: {show(value)}')}</title></path>"
        for x, y, value in points
    )
    return _frame(places, 1.0, show, label, f'<path class="line" d="{"".join(path)}"/>\n{dots}')


def meter(name: str, share: float | None, told: str, state: str = "ok") -> str:
    """A bar of how much of something is used, with its words; what is unknown has no bar."""
    width = 0.0 if share is None else 100 * min(max(share, 0.0), 1.0)
    exact = "" if share is None else f' data-value="{exactly(float(share))}"'
    bar = f'<rect class="{text(state)}" width="{width:.2f}" height="10"{exact}/>'
    return (
        f'<div class="meter"><div class="words"><span>{text(name)}</span><span>{text(told)}</span></div>'
        f'<svg viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label="{text(f"{name}: {told}")}">'
        f'<rect class="track" width="100" height="10"/>{bar}</svg></div>'
    )


def _frame(places: Sequence[str], top: float, show: Callable[[float], str], label: str, shapes: str) -> str:
    marks = [top * part for part in (1.0, 0.75, 0.5, 0.25, 0.0)]
    scale = "".join(f"<span>{text(_trimmed(show(mark)))}</span>" for mark in marks)
    rules = "".join(f'<path class="rule" d="M0 {y}H{len(places)}"/>' for y in (0, 25, 50, 75, 100))
    return (
        f'<div class="plot"><div class="scale">{scale}</div>'
        f'<svg viewBox="0 0 {len(places)} 100" preserveAspectRatio="none" role="img" aria-label="{text(label)}">'
        f"{rules}\n{shapes}\n</svg>"
        f'<div class="places">{_labels(places)}</div></div>'
    )


def _trimmed(shown: str) -> str:
    """Marks of a scale are round: $0.2000 is $0.20."""
    whole, dot, decimals = shown.partition(".")
    return f"{whole}.{decimals.rstrip('0'):0<2}" if dot and decimals.isdigit() else shown


def _labels(places: Sequence[str]) -> str:
    """A few of the places, at their own distance from the left."""
    step = max(1, math.ceil(len(places) / LABELS))
    chosen = range(len(places) - 1, -1, -step)
    return "".join(
        f'<span style="left:{100 * (i + 0.5) / len(places):.2f}%">{text(_short(places[i]))}</span>'
        for i in reversed(chosen)
    )


def _short(place: str) -> str:
    return place[5:] if len(place) == 10 and place[4] == "-" else place


def _legend(names: Sequence[str]) -> str:
    items = "".join(f'<li><i class="c{colour}"></i>{text(name)}</li>' for colour, name in enumerate(names))
    return f'<ul class="legend">{items}</ul>'


def _few(series: Sequence[Series]) -> list[Series]:
    """The greatest series, by name; all that have no colour of their own as one."""
    sums: Mapping[str, float] = {one.name: sum(value or 0.0 for value in one.values) for one in series}
    order = sorted((one for one in series if sums[one.name]), key=lambda one: -sums[one.name])
    if len(order) <= COLOURS:
        return sorted(order, key=lambda one: one.name)  # the same colour in every plot of the page
    rest = order[COLOURS - 1 :]
    joined = tuple(sum(one.values[i] or 0.0 for one in rest) for i in range(len(rest[0].values)))
    return [*order[: COLOURS - 1], Series(OTHERS, joined)]


def _nice(value: float) -> float:
    """The next number above that is easily read in quarters."""
    if value <= 0:
        return 0.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in (1, 2, 4, 6, 8, 10) if step * power >= value * (1 - 1e-9))
