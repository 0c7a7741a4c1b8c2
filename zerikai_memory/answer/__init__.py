"""Answers composed from hits, notes and the brief."""
