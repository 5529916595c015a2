"""Feedback of people, bots and checks on a pull request, in the same form for every forge.

Ids are opaque text that a forge chooses, unique within one pull request. Text is as it was written: nobody has judged,
cleaned or cut it yet. Times are UTC, ISO 8601, ending in ``Z``; they are shown,
and all that is decided by them is whether a label went after a comment.
"""

from __future__ import annotations

import enum
import hashlib
import re
import urllib.parse
from collections.abc import Iterator

import msgspec


class Permission(enum.StrEnum):
    """A person's permission in a repository; only the first two may have code changed by their feedback."""

    ADMIN = "admin"
    WRITE = "write"
    READ = "read"
    NONE = "none"

    @property
    def may_write(self) -> bool:
        """Return whether it includes pushing."""
        return self in (Permission.ADMIN, Permission.WRITE)


class Person(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """An account on a forge.

    Attributes:
        id: The account's id, which stays when it is renamed; None where the account is gone.
        login: Its name, ``ghost`` where it is gone; a bot's ends in ``[bot]`` where the forge has such names.
        is_bot: Whether the forge says that it is none of a person.
    """

    login: str
    id: str | None = None
    is_bot: bool = False


class RequestState(enum.StrEnum):
    """The state of a pull request."""

    OPEN = "open"
    CLOSED = "closed"
    MERGED = "merged"


class ChangeRequest(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A pull request, or what a forge calls it.

    Attributes:
        number: Its number in the repository.
        head, base: Names of the branches.
        head_sha: The commit that the head branch points at.
        head_repository: Where the head branch is, as ``owner/name``; None where that was deleted.
        same_repository: Whether head and base are branches of one repository.
        may_push: Whether the head branch takes pushes by those who may write to the base's repository.
    """

    number: int
    url: str
    title: str
    body: str
    state: RequestState
    draft: bool
    author: Person | None
    head: str
    head_sha: str
    base: str
    head_repository: str | None
    same_repository: bool
    may_push: bool
    updated: str
    labels: tuple[str, ...] = ()
    requested: tuple[str, ...] = ()


class ItemKind(enum.StrEnum):
    """The kind of a piece of feedback: by where it was given."""

    REVIEW = "review"
    INLINE = "inline"
    COMMENT = "comment"


class Opinion(enum.StrEnum):
    """A review's verdict."""

    APPROVED = "approved"
    CHANGES_REQUESTED = "changes_requested"
    COMMENTED = "commented"
    DISMISSED = "dismissed"


class Spot(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The place in the code of an inline comment.

    Attributes:
        path: The file.
        line, start_line: The last and the first line in today's head, from 1; None where it is outdated, or is about
            the whole file.
        original_line, original_start_line: The same in ``original_commit``.
        old_side: Whether the lines are of the base's file: removed ones.
        whole_file: Whether it is about the file and not about lines.
        commit, original_commit: The commits that ``line`` and ``original_line`` count in.
        hunk: The diff above it, as the forge keeps it; its last line is the one that is meant.
    """

    path: str
    line: int | None = None
    start_line: int | None = None
    original_line: int | None = None
    original_start_line: int | None = None
    old_side: bool = False
    whole_file: bool = False
    commit: str | None = None
    original_commit: str | None = None
    hunk: str = ""

    @property
    def outdated(self) -> bool:
        """Return whether its lines are not there any more."""
        return self.line is None and not self.whole_file


class FeedbackItem(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One item of feedback: a comment or a review.

    Attributes:
        id: Of the item; stays when it is edited.
        author: Who; None where the account is gone.
        body: What, raw.
        spot: Where in the code, for ``INLINE``.
        thread: Id of the thread that it belongs to, for ``INLINE``.
        review: Id of the review that it came with, or None.
        opinion: For ``REVIEW``.
        hidden: Whether somebody hid it on the forge (as spam, off-topic, resolved).
    """

    id: str
    kind: ItemKind
    author: Person | None
    body: str
    created: str = ""
    updated: str = ""
    url: str = ""
    spot: Spot | None = None
    thread: str | None = None
    review: str | None = None
    opinion: Opinion | None = None
    commit: str | None = None
    hidden: bool = False

    @property
    def digest(self) -> str:
        """Twelve hexadecimal digits of a digest of the text: white space and ticked boxes do not count."""
        return digest_of(self.body)

    @property
    def key(self) -> str:
        """The key by which it is known as handled: its id, and a digest of its text."""
        return f"{self.id}@{self.digest}"


_BOX = re.compile(r"^(\s*[-*+]\s+)\[[ xX]\]", re.MULTILINE)


def digest_of(body: str) -> str:
    """Return twelve hexadecimal digits of a digest of a text."""
    words = " ".join(_BOX.sub(r"\1[ ]", body).split())
    return hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()[:12]


class Thread(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A thread of inline comments.

    Attributes:
        items: Ids of its comments, oldest first.
        resolved: Whether somebody settled it.
        outdated: Whether its lines are not there any more.
        since: Ids of what was said after somebody settled it, as far as that is known.
    """

    id: str
    items: tuple[str, ...]
    resolved: bool = False
    outdated: bool = False
    since: tuple[str, ...] = ()


class CheckState(enum.StrEnum):
    """The state of a check of the forge."""

    PENDING = "pending"
    PASSING = "passing"
    FAILING = "failing"
    NEUTRAL = "neutral"


class RemoteCheck(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The latest attempt of one check.

    Attributes:
        id: Of this attempt.
        name: What it is called.
        state: How it stands.
        sha: The commit that it looked at.
        text: What it says in short, raw.
    """

    id: str
    name: str
    state: CheckState
    sha: str
    url: str = ""
    text: str = ""


class Feedback(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A snapshot of all feedback on a pull request.

    Attributes:
        request: The pull request, read at that moment.
        items: Reviews, inline comments and general comments, oldest first; pending reviews are left out.
        threads: The threads of the inline comments.
        checks: The latest attempt of each check on ``request.head_sha``.
        problems: What could not be read, one sentence each: then nothing may be concluded from what is missing.
        not_shown: What the forge does not show to this token and nothing hangs on, one sentence each.
    """

    request: ChangeRequest
    items: tuple[FeedbackItem, ...] = ()
    threads: tuple[Thread, ...] = ()
    checks: tuple[RemoteCheck, ...] = ()
    problems: tuple[str, ...] = ()
    not_shown: tuple[str, ...] = ()

    @property
    def opinions(self) -> dict[str, Opinion]:
        """The opinion that counts of each reviewer, by login: a comment changes none, a dismissal leaves none."""
        found: dict[str, Opinion] = {}
        for item in self.items:
            if item.opinion in (Opinion.APPROVED, Opinion.CHANGES_REQUESTED, Opinion.DISMISSED) and item.author:
                found[item.author.login] = item.opinion
        return {login: opinion for login, opinion in found.items() if opinion is not Opinion.DISMISSED}


class Sighting(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The result of a cheap look at a pull request; where ``mark`` is another than before, it has to be read whole.

    Attributes:
        mark: A digest of all that the look shows.
        head_sha: The commit that the head branch points at.
    """

    number: int
    state: RequestState
    draft: bool
    head_sha: str
    mark: str


class Marked(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A comment of our own on a forge.

    Attributes:
        id: As in :class:`FeedbackItem`.
        created: Whether it was not there before.
    """

    id: str
    url: str = ""
    created: bool = True


class LabelChange(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A label that was put on a pull request, or taken away.

    Attributes:
        name: The label's.
        added: Whether it was put there.
        by: Who did it; None where the account is gone.
        at: When, as the forge's comments have it.
    """

    name: str
    added: bool
    by: Person | None
    at: str


_MARK = re.compile(r"<!-- selfreview:([\w:=./@#%-]+) -->", re.ASCII)


def hidden(mark: str) -> str:
    """Return the line that carries a mark.

    Raises:
        ValueError: If the mark is empty.
    """
    if not mark:
        raise ValueError("no mark can be empty")
    plain = urllib.parse.quote(mark, safe=":=./@", errors="surrogatepass")
    return f"<!-- selfreview:{plain.replace('~', '%7E').replace('--', '-%2D')} -->"


def mark_of(body: str) -> str | None:
    """Return the mark that a comment carries, or None."""
    match = _MARK.match(body.lstrip())
    return _read(match[1]) if match else None


def marks_in(body: str) -> Iterator[str]:
    """Yield all marks in a text, wherever they stand."""
    for match in _MARK.finditer(body):
        yield _read(match[1])


def _read(written: str) -> str:
    try:
        return urllib.parse.unquote(written, errors="surrogatepass")
    except UnicodeDecodeError:  # we did not write that
        return written
