"""Mask secrets in text before it is stored or sent: keys, tokens, passwords, private keys, URLs with credentials.

Pure rules: known key formats are masked wherever they stand (`formats`), credentials in URLs and command lines by their
place (`addresses`), other values only where a name beside them says that they are secret (`named`, and in
what people write `spoken`), so that honest prose and code (`password = ask()`, `token: str`) stay as they are. Masking
twice changes nothing.
"""

from __future__ import annotations

import hashlib

from zerikai_memory.redact.addresses import mask_addresses
from zerikai_memory.redact.formats import MASK, mask_known_formats, mask_private_keys
from zerikai_memory.redact.named import mask_named
from zerikai_memory.redact.spoken import mask_spoken

__all__ = ["MASK", "echo", "mask_name", "mask_secrets", "mask_source"]

_MOST_PASSES = 8  # a mask can lay bare what stood behind the secret; two passes are usual, and only where one masked


def mask_secrets(text: str) -> str:
    """Replace keys, tokens, passwords and private keys by `[masked]`; text without them comes back unchanged."""
    return mask_spoken(_mask_values(mask_private_keys(text, keep_lines=False)))


def mask_name(text: str) -> str:
    """`mask_secrets` for what identifies something: where it masks, a short hash keeps two names two."""
    masked = mask_secrets(text)
    if masked == text:
        return text
    return f"{masked}~{hashlib.blake2b(text.encode('utf-8', 'replace'), digest_size=4).hexdigest()}"


def echo(value: str, most: int = 80) -> str:
    """What a caller gave, as an error may repeat it: masked before it is cut, quoted."""
    masked = mask_secrets(value)
    return repr(masked if len(masked) <= most else masked[: most - 3] + "...")


def mask_source(data: bytes) -> bytes:
    """`mask_secrets` for the UTF-8 bytes of a file; every line stays where it is."""
    text = data.decode("utf-8", "surrogateescape")
    masked = _mask_values(mask_private_keys(text, keep_lines=True))
    return data if masked == text else masked.encode("utf-8", "surrogateescape")


def _mask_values(text: str) -> str:
    """All but private keys, until nothing is left to mask."""
    for _ in range(_MOST_PASSES):
        masked = mask_named(mask_addresses(mask_known_formats(text)))
        if masked == text:
            break
        text = masked
    return text
