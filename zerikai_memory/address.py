"""Addresses of model servers: read as the servers' own tools read them, and whether they stay on this machine."""

from __future__ import annotations

import ipaddress
from urllib.parse import SplitResult, urlsplit

OLLAMA_PORT = 11434
# Where a server listens on every address, a client connects to the loopback one.
_ANY = {"0.0.0.0": "127.0.0.1", "::": "::1"}


def ollama_url(text: str) -> str:
    """OLLAMA_HOST as a URL: a bare host has port 11434, a bind address becomes loopback. Raises ValueError."""
    text = text.strip().strip("\"'").strip()
    if "://" not in text:
        bare = text.count(":") > 1 and not text.startswith("[")
        text = f"http://[{text}]" if bare else f"http://{text}"
        parts = _split(text)
        port = parts.port or OLLAMA_PORT
    else:
        parts = _split(text)
        port = parts.port or (443 if parts.scheme == "https" else 80)
    return f"{parts.scheme}://{_host_part(_ANY.get(parts.hostname or '', parts.hostname or ''))}:{port}"


def base_url(text: str) -> str:
    """The base URL of an OpenAI-compatible server without a slash at its end; raises ValueError."""
    parts = _split(text.strip())
    host = parts.hostname or ""
    netloc = _host_part(_ANY.get(host, host)) + (f":{parts.port}" if parts.port else "")
    return f"{parts.scheme}://{netloc}{parts.path.rstrip('/')}"


def is_loopback(url: str) -> bool:
    """Whether a URL names this machine itself: a loopback address or the name localhost, nothing that DNS decides."""
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _split(text: str) -> SplitResult:
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0:
        raise ValueError(text)
    if parts.username or parts.password or parts.query or parts.fragment or any(c.isspace() for c in text):
        raise ValueError(text)
    if ":" in parts.hostname:
        ipaddress.IPv6Address(parts.hostname.partition("%")[0])
    return parts


def _host_part(host: str) -> str:
    return f"[{host}]" if ":" in host else host
