"""Token counts of every shape of usage object."""

from __future__ import annotations

import json

import pytest

from zerikai_memory.llm.base import TokenUse
from zerikai_memory.llm.token_counts import usage_of


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        # DeepSeek, whole and with one side of its cache
        (
            {"prompt_tokens": 9, "prompt_cache_hit_tokens": 4, "prompt_cache_miss_tokens": 5, "completion_tokens": 2},
            TokenUse(9, 4, 2),
        ),
        ({"prompt_tokens": 9, "prompt_cache_miss_tokens": 5}, TokenUse(9, 4)),
        ({"prompt_tokens": 10**30, "completion_tokens": 2}, TokenUse(None, None, 2)),  # damage, not a count
        ({"prompt_cache_hit_tokens": 4, "prompt_cache_miss_tokens": 5}, TokenUse(9, 4)),
        # its own field counts before OpenAI's; null is no count
        (
            {"prompt_tokens": 9, "prompt_cache_hit_tokens": 4, "prompt_tokens_details": {"cached_tokens": 1}},
            TokenUse(9, 4),
        ),
        ({"prompt_tokens": 9, "prompt_cache_hit_tokens": None, "prompt_cache_miss_tokens": None}, TokenUse(9)),
        # OpenAI, chat and responses
        (
            {"prompt_tokens": 9, "completion_tokens": 8, "completion_tokens_details": {"reasoning_tokens": 7}},
            TokenUse(9, None, 8, 7),
        ),
        (
            {
                "input_tokens": 9,
                "input_tokens_details": {"cached_tokens": 3},
                "output_tokens": 8,
                "output_tokens_details": {"reasoning_tokens": 7},
            },
            TokenUse(9, 3, 8, 7),
        ),
        # Anthropic counts what the cache gave and took apart from the rest
        (
            {"input_tokens": 5, "cache_read_input_tokens": 3, "cache_creation_input_tokens": 2, "output_tokens": 1},
            TokenUse(10, 3, 1),
        ),
        # Ollama
        ({"prompt_eval_count": 9, "eval_count": 2}, TokenUse(9, None, 2)),
        # a provider's tools are billed apart
        ({"prompt_tokens": 9, "server_tool_use": {"search": 2, "fetch": 1}}, TokenUse(9, tool_calls=3)),
        # no counts at all, and none of a usable type
        ({}, TokenUse()),
        (None, TokenUse()),
        ("9", TokenUse()),
        ({"prompt_tokens": -1, "completion_tokens": 2.5, "prompt_tokens_details": [1]}, TokenUse()),
    ],
)
def test_counts_mean_the_same_whoever_counts(usage, expected) -> None:
    assert usage_of(usage)[0] == expected


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({"prompt_tokens": 9, "prompt_cache_hit_tokens": 1, "prompt_cache_miss_tokens": 1}, TokenUse(9, 1)),
        ({"prompt_tokens": 9, "prompt_cache_hit_tokens": 20}, TokenUse(9, 9)),
        ({"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": 20}}, TokenUse(9, 9)),
    ],
)
def test_counts_that_contradict_each_other_are_marked(usage, expected) -> None:
    use, warnings = usage_of(usage)
    assert use == expected
    assert use.doubtful
    assert len(warnings) == 1


def test_the_providers_own_object_is_kept_unless_it_is_huge() -> None:
    usage = {"prompt_tokens": 9, "more": {"of": ["it"]}}
    assert json.loads(usage_of(usage)[0].raw) == usage
    assert usage_of({**usage, "more": "x" * 5_000})[0].raw == ""
    assert usage_of({**usage, "more": object()})[0].raw == ""
