"""Past agent sessions: transcripts on disk to a searchable index of what was said and decided."""
