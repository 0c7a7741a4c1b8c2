"""What an answer is asked for: the caller's wishes with the settings that go with them."""

from __future__ import annotations

from zerikai_memory.answer.ask import AskOptions
from zerikai_memory.errors import InputError
from zerikai_memory.retrieve.search import SearchOptions
from zerikai_memory.settings import Settings

# The frame of a reply alone is about 80 tokens.
LEAST_BUDGET = 100
# A question for a list is not answered by five of it; a limit other than the usual one is meant and holds.
USUAL_LIST = 10


def ask_options(
    settings: Settings, limit: int, category: str | None, use_cloud: bool | None, budget_tokens: int | None
) -> AskOptions:
    """The options of one question; `limit` counts entities, half as many files hold them. InputError for
    less than one result or than a reply's frame."""
    _at_least("limit", limit, 1)
    if budget_tokens is not None:
        _at_least("budget_tokens", budget_tokens, LEAST_BUDGET)
    search = SearchOptions(
        files=(limit + 1) // 2,
        entities=limit,
        ranker=settings.ranker,
        distance_threshold=settings.query_distance_threshold,
        lexical_rerank=settings.enable_lexical_rerank,
        lexical_rerank_weight=settings.lexical_rerank_weight,
    )
    list_limit = max(limit, USUAL_LIST) if limit == settings.top_k else limit
    return AskOptions(search, limit, list_limit, category, budget_tokens, use_cloud)


def _at_least(name: str, value: object, least: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise InputError(f"{name}: {value!r} is no whole number from {least} on")
