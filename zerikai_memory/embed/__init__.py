"""Text to vectors: what is embedded and by which model."""
