"""Token counts out of a provider's usage object, whichever of the usual shapes it has; pure.

- DeepSeek: `prompt_tokens` holds cached tokens too; `prompt_cache_hit_tokens` + `prompt_cache_miss_tokens` make it up.
- OpenAI: `prompt_tokens` (or `input_tokens`) with `..._tokens_details.cached_tokens` in it.
- Anthropic: `input_tokens` without `cache_read_input_tokens` and `cache_creation_input_tokens`.
- Ollama: `prompt_eval_count`, `eval_count`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from zerikai_memory.llm.base import TokenUse

# A usage object is some 400 characters; what is longer is not kept word for word.
MAX_RAW_CHARS = 4_000

# No window holds so many; what is larger is damage, and SQLite could not keep it.
MAX_COUNT = 2**53


def usage_of(value: Any) -> tuple[TokenUse, tuple[str, ...]]:
    """Counted tokens and what is odd about them; a count that is missing or no number is None."""
    if not isinstance(value, Mapping):
        return TokenUse(), ()
    prompt, cached = _prompt(value)
    completion = _first(value, "completion_tokens", "output_tokens", "eval_count")
    reasoning = _inner(value, "completion_tokens_details", "reasoning_tokens")
    if reasoning is None:
        reasoning = _inner(value, "output_tokens_details", "reasoning_tokens")
    odd = _odd(value, prompt, cached)
    if prompt is not None and cached is not None:
        cached = min(cached, prompt)
    warnings = [odd] if odd else []
    if reasoning:
        warnings.append(f"the model spent {reasoning} tokens on hidden reasoning although it is switched off")
    # What was written into a cache has a price of its own, which no table of ours has.
    doubtful = bool(odd or _first(value, "cache_creation_input_tokens"))
    use = TokenUse(
        prompt, cached, completion, reasoning, tool_calls=_tool_calls(value), raw=_raw(value), doubtful=doubtful
    )
    return use, tuple(warnings)


def _prompt(value: Mapping[str, Any]) -> tuple[int | None, int | None]:
    """All tokens of the prompt, and those of them that came from the cache."""
    read, written = _first(value, "cache_read_input_tokens"), _first(value, "cache_creation_input_tokens")
    if (bare := _first(value, "input_tokens")) is not None and "prompt_tokens" not in value:
        if read is not None or written is not None:
            return bare + (read or 0) + (written or 0), read
        return bare, _inner(value, "input_tokens_details", "cached_tokens")
    prompt = _first(value, "prompt_tokens", "prompt_eval_count")
    hit, miss = _first(value, "prompt_cache_hit_tokens"), _first(value, "prompt_cache_miss_tokens")
    if prompt is None and hit is not None and miss is not None:
        prompt = hit + miss
    if hit is None:
        hit = _inner(value, "prompt_tokens_details", "cached_tokens")
    if hit is None and miss is not None and prompt is not None:
        hit = max(prompt - miss, 0)
    return prompt, hit


def _odd(value: Mapping[str, Any], prompt: int | None, cached: int | None) -> str:
    hit, miss = _first(value, "prompt_cache_hit_tokens"), _first(value, "prompt_cache_miss_tokens")
    if prompt is not None and hit is not None and miss is not None and hit + miss != prompt:
        return f"the server counts {hit} cached + {miss} other tokens but {prompt} in all"
    if prompt is not None and cached is not None and cached > prompt:
        return f"the server counts {cached} cached tokens but {prompt} in all"
    return ""


def _tool_calls(value: Mapping[str, Any]) -> int | None:
    """Calls of tools that the provider ran itself and bills apart."""
    used = value.get("server_tool_use")
    if not isinstance(used, Mapping):
        return None
    counts = [count for item in used.values() if (count := _count(item)) is not None]
    return sum(counts) if counts else None


def _raw(value: Mapping[str, Any]) -> str:
    try:
        text = json.dumps(dict(value), separators=(",", ":"))
    except (TypeError, ValueError, RecursionError):
        return ""
    return text if len(text) <= MAX_RAW_CHARS else ""


def _first(value: Mapping[str, Any], *names: str) -> int | None:
    return next((count for name in names if (count := _count(value.get(name))) is not None), None)


def _inner(value: Mapping[str, Any], outer: str, name: str) -> int | None:
    details = value.get(outer)
    return _count(details.get(name)) if isinstance(details, Mapping) else None


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_COUNT else None
