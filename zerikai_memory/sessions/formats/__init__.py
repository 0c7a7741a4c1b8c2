"""Transcript formats, one module each: a line of JSON to what was said in it."""
