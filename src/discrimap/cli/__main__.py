"""``python -m discrimap.cli``."""

import sys

from discrimap.cli import main

if __name__ == "__main__":
    sys.exit(main())
