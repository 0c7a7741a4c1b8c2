"""Views of the code map: pure functions from a graph and a target to rows with the lines that show them."""
