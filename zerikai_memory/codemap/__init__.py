"""The code map: references resolved to edges between entities, with evidence, and what is read from them."""
