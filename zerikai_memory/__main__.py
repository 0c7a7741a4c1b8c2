"""`python -m zerikai_memory`: the same as the `zerikai-memory` command."""

import sys

from zerikai_memory.cli import main

if __name__ == "__main__":
    sys.exit(main())
