"""Source bytes to entities and references, one specification and query file per language."""

# Raised with every change of what extraction records: it is part of a file's freshness, so a scan by a newer version
# extracts unchanged files again.
EXTRACTOR_VERSION = 4
