"""Standard output and error: data goes to the one, everything else to the other, and a closed pipe is no crash."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence


def wants_json(arguments: Sequence[str]) -> bool:
    """Whether a command line asks for JSON on standard output, as far as one can tell without parsing it."""
    pairs = zip(arguments, [*arguments[1:], ""], strict=True)
    return any(
        one in ("--format=json", "-fjson") or (one in ("--format", "-f") and two == "json") for one, two in pairs
    )


def note(text: str) -> None:
    """Print a line on standard error."""
    try:
        sys.stderr.write(_visible(text) + "\n")
        sys.stderr.flush()
    except (OSError, ValueError):
        return  # nobody is listening on standard error, and there is no other place to say so


def warn(text: str) -> None:
    """Print a warning."""
    note(f"warning: {text}")


def fail(message: str, hint: str | None, code: int, *, as_json: bool) -> int:
    """Print an error for a person, on standard output as JSON too where that was asked for; return the code."""
    note(f"error: {message}")
    if hint:
        note(f"hint: {hint}")
    if as_json:
        from selfreview.model.result import ErrorInfo, Result, ResultStatus
        from selfreview.model.wire import to_json

        error = ErrorInfo(message=message, hint=hint, exit_code=int(code))
        result = Result(status=ResultStatus.ERROR, error=error, summary=message)
        try:
            sys.stdout.buffer.write(to_json(result) + b"\n")
        except OSError:
            return int(code)  # the message stands on standard error already
    return int(code)


def flush(code: int) -> int:
    """Flush standard output at the end of the program.

    A reader that went away (``| head``) does not change the verdict; an output that cannot be written does.
    """
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _discard_stdout()
    except (OSError, ValueError) as error:
        _discard_stdout()
        note(f"error: standard output cannot be written: {getattr(error, 'strerror', None) or error}")
        return 4
    return code


def is_full_disk(error: OSError) -> bool:
    """Whether an error says that a disk or a quota is full."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT) if hasattr(errno, "EDQUOT") else error.errno == errno.ENOSPC


def left_behind() -> bool:
    """Whether a thread did not come back; then the interpreter's own end could wait for it or crash in it."""
    import threading

    return len(threading.enumerate()) > 1


def _discard_stdout() -> None:
    """Let the interpreter's own flush at exit succeed."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _visible(text: str) -> str:
    from selfreview.text.escape import visible

    return visible(text)
