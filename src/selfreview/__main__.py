"""``python -m selfreview``."""

from selfreview.cli.entry import main

if __name__ == "__main__":
    main()
