"""``python -m selfreview``."""

import sys

# ``-m`` puts the current folder first, which is the repository under review: nothing is imported from there.
if not sys.flags.safe_path:
    del sys.path[0]

from selfreview.cli.entry import main

if __name__ == "__main__":
    main()
