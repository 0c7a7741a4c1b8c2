"""PageRank over weighted links: what many important files depend on is important."""

from __future__ import annotations

from collections.abc import Mapping

# The usual damping; differences below the tolerance change no order that anyone sees.
DAMPING = 0.85
ROUNDS = 40
TOLERANCE = 1e-7


def page_rank(links: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """{node: rank} with sum 1; `links` maps every node to the weights of the nodes it depends on, all of them nodes."""
    if not links:
        return {}
    count = len(links)
    sums = {node: sum(targets.values()) for node, targets in links.items()}
    rank = dict.fromkeys(links, 1 / count)
    for _ in range(ROUNDS):
        loose = sum(rank[node] for node, total in sums.items() if not total)
        base = (1 - DAMPING + DAMPING * loose) / count
        new = dict.fromkeys(links, base)
        for node, targets in links.items():
            if total := sums[node]:
                share = DAMPING * rank[node] / total
                for target, weight in targets.items():
                    new[target] += share * weight
        moved = sum(abs(new[node] - rank[node]) for node in links)
        rank = new
        if moved < TOLERANCE:
            break
    return rank
