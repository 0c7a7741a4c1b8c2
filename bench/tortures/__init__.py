"""Parts of bench/torture.py: each runs one kind of trouble and returns one row of the table."""
