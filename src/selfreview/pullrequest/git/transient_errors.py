"""Detection of failures of git, or of this machine, that may pass later: they wait, and are nobody's decision.

Git says so in words alone (``LC_ALL=C`` is set for it). What a remote refuses for good is told apart first, for that is
a person's matter. What is said here may be told to people; what git said, with its paths, is for the person here.
"""

from __future__ import annotations

import errno
import re

from selfreview.errors import CycleError, ForgeError, GitTimeoutError, NotFreeError, StoreError

_FOR_GOOD = re.compile(
    r"hook declined|protected branch|\bGH\d{3}:|push declined|HTTP 4(?!08|29)\d\d|returned error: 4(?!08|29)\d\d",
    re.IGNORECASE,
)
_ROOM = "there is no room on the disk"
_DISK = "a file cannot be written or read here"
_BUSY = "another git is at work here"
_IDENTITY = "git does not know here who commits: git config user.name, user.email"
_PROGRAM = "a program that a hook of the repository starts is not installed here"
_SIGNING = "git cannot sign the commit here"
_REMOTE = "the remote cannot be reached, or fails by itself"
_SLOW = "git took too long"
_KINDS = (
    (r"no space left on device|disk quota exceeded|the disk is full|not enough space on the disk", _ROOM),
    (r"\.lock'?: File exists", _BUSY),
    (
        r"gpg(?:sm)? failed to sign|cannot run gpg|ssh-keygen -Y sign is needed|failed (?:writing|reading) ssh signing"
        r"|user\.signingkey (?:needs|or gpg)|couldn't load (?:public|private) key|couldn't sign message",
        _SIGNING,
    ),
    (
        r"^(?:author|committer) identity unknown|^fatal: (?:unable to auto-detect email address|no (?:email|name) was"
        r" given and auto-detection is disabled|empty ident name)",
        _IDENTITY,
    ),
    (
        # It is what the hook ended with, so it comes last: status 127 itself is lost, git ends with 1.
        r"(?:^\S*(?:pre-commit|commit-msg|pre-push): (?:line )?\d+: .{1,100}: (?:command )?not found"
        r"|^\S*env: .{1,100}: no such file or directory|^`pre-commit` not found.*)\s*\Z",
        _PROGRAM,
    ),
    (
        r"(?:error|fatal|failed|started): .{0,200}(?:failed to write commit object"
        r"|unable to (?:write|create) .{0,200}file|read-only file system|input/output error"
        r"|insufficient permission for adding an object"
        r"|cannot allocate memory|resource temporarily unavailable|too many open files)",
        _DISK,
    ),
    (
        r"(?:fatal|failed): unable to access|(?:error|failed): rpc failed|the remote end hung up|early eof"
        r"|^remote: internal server error|\[remote rejected\].{0,200}internal server error|\(unpacker error\)"
        r"|send-pack: unexpected disconnect|(?:^|failed: )ssh: (?:connect to host|could not resolve)"
        r"|(?:^|failed: )(?:kex|ssh)_exchange_identification: |^client_loop: send disconnect"
        r"|(?:^|failed: )connection (?:(?:closed|reset|timed out) by \S+ port \d|to \S+ closed by remote host)",
        _REMOTE,
    ),
)
_PATTERNS = tuple((re.compile(words, re.IGNORECASE | re.MULTILINE), why) for words, why in _KINDS)
_SAID = re.compile(r"\b(git (?:[a-z-]+|fetch from \S+) failed): .*", re.DOTALL)
"""Message of an error of :class:`selfreview.git.run.Git`, with all that follows it."""
MOVED = "the remote's branch is another one by now"
"""Reason why a push is refused that is no fast-forward from the remote's branch."""
_UNPUSHED = "git, the remote, or a hook of the repository did not take it"
_REFUSALS = tuple(
    (re.compile(words, re.IGNORECASE), why)
    for words, why in (
        (r"\bGH006:|protected branch", "the branch is protected on the remote"),
        (r"\bGH013:|repository rule", "a rule of the repository does not allow it"),
        (r"refusing to allow .{0,100}workflow", "the token may not change workflows"),
        (r"hook declined", "a hook on the remote declines it"),
        (r"non-fast-forward|stale info|fetch first", MOVED),
        (r"returned error: 403|permission .{0,100}denied", "the remote does not let this account push there"),
    )
)
_NUMBERS = {
    getattr(errno, name): _ROOM if name in ("ENOSPC", "EDQUOT") else _DISK
    for name in (
        "ENOSPC", "EDQUOT", "EROFS", "EIO", "EACCES", "EPERM", "EMFILE", "ENFILE", "ENOMEM", "EAGAIN", "EBUSY", "EFBIG",
    )
    if hasattr(errno, name)
}  # fmt: skip


def transient_reason_in(*output: str | bytes) -> str | None:
    """Return why a failure of git may pass, as a sentence for people, by git's output; None where nothing says so."""
    text = "\n".join(part.decode("utf-8", "replace") if isinstance(part, bytes) else part for part in output)
    if _FOR_GOOD.search(text):
        return None
    return next((why for pattern, why in _PATTERNS if pattern.search(text)), None)


def is_disk_full(output: str) -> bool:
    """Return whether a program's output says that a disk, or somebody's quota of it, is full."""
    return transient_reason_in(output) == _ROOM


def transient_reason(error: BaseException) -> str | None:
    """Return why an error may pass, by its kind, its message and its cause.

    A forge's errors are its own: that it is away is said by their kind.
    """
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, ForgeError):
        if isinstance(cause, OSError) and cause.errno in _NUMBERS:
            return _NUMBERS[cause.errno]
        if isinstance(cause, GitTimeoutError):
            return _SLOW
        if (why := transient_reason_in(str(cause))) is not None:
            return why
        if isinstance(cause, StoreError):
            return _DISK
        cause = cause.__cause__
    return None


def without_git_output(sentence: str) -> str:
    """Return a sentence without git's output in it: its paths and URLs are for the person here."""
    return _SAID.sub(r"\1, and said why to whoever runs selfreview", sentence)


def push_refusal(output: str) -> str:
    """Return why a remote refuses a push, as words for people, by the output of git, the remote and hooks."""
    return next((why for pattern, why in _REFUSALS if pattern.search(output)), _UNPUSHED)


def refusal(message: str, *output: bytes, hint: str | None = None) -> CycleError:
    """Return the error to raise where git failed.

    Args:
        message: What it did not do here, as a sentence that may be told to people.
        output: What it printed.
        hint: What is told the person here.

    Returns:
        A :class:`NotFreeError` where that passes.
    """
    why = transient_reason_in(*output)
    # Hooks may print how they reached something; git itself reaches nothing there.
    return CycleError(message, hint=hint) if why in (None, _REMOTE) else NotFreeError(f"{message}: {why}", hint=hint)
