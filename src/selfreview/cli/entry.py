"""The console script: answers what needs no imports, then hands over to :mod:`selfreview.cli.main`."""

from __future__ import annotations

import sys

from selfreview import __version__


def main() -> None:
    """Run the program on ``sys.argv`` and exit."""
    arguments = sys.argv[1:]
    if arguments in (["--version"], ["-V"]):
        sys.stdout.write(f"selfreview {__version__}\n")
        return
    if "--skip-when-unstaged" in arguments:
        from selfreview.cli.fastpath import nothing_staged

        if nothing_staged():
            return
    from selfreview.cli.main import run

    run(arguments)
