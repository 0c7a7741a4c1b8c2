"""Notes: what code cannot say."""
