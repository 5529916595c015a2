"""The console script: answers what needs no imports, then hands over to :mod:`selfreview.cli.main`."""

from __future__ import annotations

import os
import sys

from selfreview import __version__


def main() -> None:
    """Run the program on ``sys.argv`` and exit."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by who called us: there is nowhere to write, and the exit code stands
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, PTH123 - open until the end
    try:
        _start_again_in_utf8()
        _main(sys.argv[1:])
    except KeyboardInterrupt:  # before the rest of the program was there to say so
        sys.stderr.write("error: interrupted\n")
        sys.exit(130)
    except SystemExit:
        raise
    except BaseException as error:  # noqa: BLE001 - the last resort: Python would exit with 1, which means issues
        _give_up(error)


def _start_again_in_utf8() -> None:
    """Start again where the locale has another encoding: in it Python could give no tool some of git's file names."""
    if sys.getfilesystemencoding() != "utf-8" and not sys.flags.utf8_mode and sys.executable:
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])  # noqa: S606 - itself


def _give_up(error: BaseException) -> None:
    """Print the error in one line, and exit with 3 whatever happens."""
    try:
        from selfreview.text.masking import masking

        text = masking().hide(f"error: internal error: {type(error).__name__}: {error}")
    except Exception:  # noqa: BLE001 - an exception that cannot be printed
        text = f"error: internal error: {type(error).__name__}"
    try:
        line = " ".join(text.split())[:300].replace("##", "# #")  # CI services read commands there
        sys.stderr.write(line.encode("unicode_escape").decode("ascii") + "\n")
        sys.stderr.flush()
    finally:
        os._exit(3)  # the interpreter's own end could fail once more, and choose another code


def _main(arguments: list[str]) -> None:
    if arguments in (["--version"], ["-V"]):
        sys.stdout.write(f"selfreview {__version__}\n")
        return
    if arguments[:2] == ["hook", "run"]:
        from selfreview.cli.fastpath import answer_hook

        if answer_hook(arguments[2:]):
            return
    from selfreview.cli.main import run

    run(arguments)
