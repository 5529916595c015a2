"""What a person or a program can ask for about pull requests, typed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from selfreview.config import LoadOptions
from selfreview.errors import UsageError


class _Asked(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked of a repository, and with which settings.

    Attributes:
        folder: A folder in the repository.
        remote: The remote that has the pull requests; None: the branch's own, or what that is a fork of.
        plugins: Plugins to load, ``NAME``, or to leave out, ``no:NAME``.
        overrides: Configuration, ``KEY=VALUE``.
    """

    folder: Path
    remote: str | None = None
    plugins: Sequence[str] = ()
    overrides: Sequence[str] = ()

    @property
    def loading(self) -> LoadOptions:
        """How plugins and configuration are loaded."""
        return LoadOptions(plugins=self.plugins, overrides=self.overrides)


class FeedbackRequest(_Asked, frozen=True, kw_only=True):
    """A pull request, and how its feedback is to be answered.

    Attributes:
        number: The pull request's; None: that of the branch which is checked out.
        fixers: Names of fixers; none: as configured.
        wait_s: Seconds to wait for another process that is answering the same feedback.
    """

    number: int | None = None
    fixers: Sequence[str] = ()
    wait_s: float = 0


class NewRequest(_Asked, frozen=True, kw_only=True):
    """A pull request that is to be opened for the branch which is checked out.

    Attributes:
        title: Its title; None: the subject of the only commit, or the branch's name.
        base: What to merge into; None: the forge's default branch.
        draft: Open it as a draft.
        force: Open it although the review did not pass.
        reason: Why; it stands in the pull request.

    Raises:
        UsageError: If it is forced without a reason.
    """

    title: str | None = None
    base: str | None = None
    draft: bool = False
    force: bool = False
    reason: str = ""

    def __post_init__(self) -> None:
        if self.force and not self.reason.strip():
            raise UsageError("--force needs a reason", hint='--reason "…": it stands in the pull request')


class WatchRequest(_Asked, frozen=True, kw_only=True):
    """The pull requests that are to be watched.

    Attributes:
        every: Every open one, not only the person's own and those whose branch is checked out here.
        address: Where to listen for the forge's webhooks; None: nowhere.
        secret: The webhooks' secret.
    """

    every: bool = False
    address: tuple[str, int] | None = None
    secret: str = ""
