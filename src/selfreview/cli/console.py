"""Output of the program: data to standard output, all else to standard error; colour; a closed pipe is no crash."""

from __future__ import annotations

import errno
import os
import sys

_VERDICTS = (0, 1, 5)
"""Exit codes of runs that report no error."""


def say(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Print lines for people on standard output, in which CI services find no command.

    Args:
        text: The lines; what comes from elsewhere in them was made visible.
        err: Whether to print on standard error instead.
        nl: Whether to end the last line.
    """
    import click

    from selfreview.text.escape import quiet

    click.echo("\n".join(map(quiet, text.split("\n"))), err=err, nl=nl)


def note(text: str) -> None:
    """Print a line on standard error, in which CI services find no command."""
    from selfreview.text.escape import quiet, visible

    try:
        sys.stderr.write(quiet(visible(text)) + "\n")
        sys.stderr.flush()
    except (OSError, ValueError):
        return  # nobody is listening on standard error, and there is no other place to say so


def progress(text: str) -> None:
    """Print progress, where a person is watching."""
    try:
        watched = sys.stderr.isatty()
    except ValueError:  # closed
        return
    if watched:
        note(text)


def warn(text: str) -> None:
    """Print a warning."""
    note(f"warning: {text}")


def use_color(setting: str, is_terminal: bool) -> bool:
    """Decide about colour: as configured; else by ``NO_COLOR`` or ``FORCE_COLOR``; else on a terminal that is not dumb.

    Source: https://no-color.org, https://force-color.org; where both are set, colour is not wanted.
    """
    if setting != "auto":
        return setting == "always"
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (is_terminal and os.environ.get("TERM") != "dumb")


def flush(code: int) -> int:
    """Flush standard output at the end of the program.

    A reader that went away (``| head``) does not change the verdict; an output that cannot be written does. What was an
    error before has been told: what is left of the output would fail in the same way.
    """
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _discard_stdout()
    except (OSError, ValueError) as error:
        _discard_stdout()
        if code in _VERDICTS:
            note(f"error: standard output cannot be written: {getattr(error, 'strerror', None) or error}")
            return 4
    return code


def is_full_disk(error: OSError) -> bool:
    """Return whether an error means a full disk or an exhausted quota."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT) if hasattr(errno, "EDQUOT") else error.errno == errno.ENOSPC


def left_behind() -> bool:
    """Return whether a thread is still running, which could make the interpreter hang or crash at exit."""
    import threading

    return len(threading.enumerate()) > 1


def _discard_stdout() -> None:
    """Let the interpreter's own flush at exit succeed."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
