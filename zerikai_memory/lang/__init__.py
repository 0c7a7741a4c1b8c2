"""Source bytes to entities and references, one specification and query file per language."""
