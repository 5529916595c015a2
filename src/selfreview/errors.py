"""Exit codes, and the exceptions a person is meant to see.

Anything that is not a :class:`SelfreviewError` is a defect of this program: it becomes a crash
report and exit code 3, never a traceback on the terminal.
"""

from __future__ import annotations

import enum


class ExitCode(enum.IntEnum):
    """The process exit codes of every command; part of the public interface."""

    PASSED = 0
    """Passed, or there was nothing to review."""
    ISSUES = 1
    """Issues at or above the severity threshold, or more of them than `max_issues` allows."""
    INTERNAL_ERROR = 3
    """A defect of selfreview; a crash report file was written."""
    USAGE = 4
    """A usage, configuration or repository error that the person can fix."""
    INCOMPLETE = 5
    """Incomplete: the change could not be reviewed as asked, whatever was found."""
    INTERRUPTED = 130
    """Interrupted: Ctrl-C, SIGTERM, or a terminal that went away."""


class SelfreviewError(Exception):
    """An error for a person: one line, and where it helps a hint.

    Args:
        message: What is wrong, in one line without a trailing full stop.
        hint: What to do about it, in one line, or None.
    """

    exit_code: ExitCode = ExitCode.USAGE

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(SelfreviewError):
    """The command line asks for something that cannot be done."""


class ConfigError(SelfreviewError):
    """A configuration file, variable or option is wrong; names the key, the file and the line."""


class GitError(SelfreviewError):
    """Git is missing, failed, or the repository is not in a state that can be reviewed."""


class GitTimeoutError(GitError):
    """Git did not finish in the time that it had."""


class HookError(GitError):
    """A git hook cannot be installed, removed or run as it is."""


class ScopeError(GitError):
    """The change to review cannot be determined: a base is missing, history is cut off, and the like."""


class PatchError(SelfreviewError):
    """A unified diff given with ``--diff`` cannot be read in full."""


class PluginError(SelfreviewError):
    """A plugin cannot be found, imported or used."""


class RegistrationError(PluginError):
    """A plugin registers an object that cannot be used.

    Args:
        message: What is wrong, without the plugin's name, which the manager of plugins adds.
        hint: What to do about it, in one line, or None.
        earlier: Where the name was registered already, as ``FILE:LINE``; None where it was not.
    """

    def __init__(self, message: str, *, hint: str | None = None, earlier: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.earlier = earlier


class TrustError(SelfreviewError):
    """The record of trust cannot be read or written, or is not safe to believe."""


class Interrupted(KeyboardInterrupt):
    """The person stopped the run, and something of it was kept.

    Args:
        hint: How to see it.
    """

    def __init__(self, hint: str) -> None:
        super().__init__(hint)
        self.hint = hint


class ToolError(SelfreviewError):
    """A reviewer's tool failed, or said something that cannot be understood; the result is incomplete."""

    exit_code = ExitCode.INCOMPLETE


class ToolTimeout(ToolError):  # noqa: N818 - as subprocess.TimeoutExpired
    """A reviewer's tool did not finish before its deadline.

    Args:
        message: What is wrong, as in :class:`SelfreviewError`.
        said: The end of what it wrote to standard error until then.
    """

    def __init__(self, message: str, *, said: bytes = b"") -> None:
        super().__init__(message)
        self.said = said


class TooMuchOutputError(ToolError):
    """A tool printed more than is read of it."""


class OutputError(SelfreviewError):
    """A report cannot be written: the disk is full, the folder is read-only."""


class ApplyError(SelfreviewError):
    """A patch cannot be applied or undone: a file is not what it was, or cannot be written."""


class FixError(SelfreviewError):
    """A refinement cannot take place as asked."""


class StoreError(SelfreviewError):
    """The store in the git directory cannot be read or written."""


class ForgeError(SelfreviewError):
    """A forge cannot be reached or asked, or refuses."""


class NotFoundError(ForgeError):
    """A forge has no such thing, or does not show it to this token."""


class RefusedError(ForgeError):
    """A forge says that this token may not do that, or that what is asked for makes no sense."""


class TokenError(ForgeError):
    """A forge does not accept the token."""


class AwayError(ForgeError):
    """A forge cannot be reached, or fails by itself: later it may answer."""

    exit_code = ExitCode.INCOMPLETE


class BusyError(ForgeError):
    """A forge limits the rate of requests.

    Args:
        wait_s: Seconds until it may be asked again.
    """

    exit_code = ExitCode.INCOMPLETE

    def __init__(self, message: str, *, wait_s: float, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.wait_s = wait_s


class UnsureError(ForgeError):
    """A request was sent, and whether it arrived cannot be known; the next call looks."""

    exit_code = ExitCode.INCOMPLETE


class OccupiedError(SelfreviewError):
    """Somebody else is at work on the same thing: it has to wait until that is over."""

    exit_code = ExitCode.INCOMPLETE


class NotifyError(SelfreviewError):
    """A message to people was not sent.

    Args:
        wait_s: Seconds of the pause that the receiver asks for, or None.
    """

    def __init__(self, message: str, *, wait_s: float | None = None, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.wait_s = wait_s


class CycleError(SelfreviewError):
    """A fix cycle cannot go on: a person is needed."""


class LimitError(SelfreviewError):
    """A model or an agent has used up its quota, and may not be asked for now.

    Args:
        wait_s: Seconds until it is worth to ask again.
    """

    exit_code = ExitCode.INCOMPLETE

    def __init__(self, message: str, *, wait_s: float) -> None:
        super().__init__(message)
        self.wait_s = wait_s


class ModelAwayError(SelfreviewError):
    """A model could not be asked: the service is not available, or refuses access; the question stays open."""

    exit_code = ExitCode.INCOMPLETE


class NotFreeError(CycleError):
    """Somebody works on the branch, or has done the same: the next cycle sees what there is then."""


class NotHereError(NotFreeError):
    """It cannot be done on this machine as it is: another one may, or this one later."""
