"""Input and output of the guard: edits, the bounds that they are checked against, rejections."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from selfreview.api.config import ConfigView
from selfreview.git.worktree_files import Entry
from selfreview.model.change import Change
from selfreview.model.issue import Issue


class Edited(NamedTuple):
    """A path that a fixer changed; a renamed file counts as two.

    Attributes:
        path: Its path, as in :class:`~selfreview.model.change.ChangedFile`.
        old, new: What was there before and what is there now; None where there is no file. Both are None where it is
            no file that can be read, such as a repository inside of the repository.
    """

    path: str
    old: Entry | None
    new: Entry | None


class Rejection(NamedTuple):
    """Rejection of edits by a rule.

    Attributes:
        path: The file.
        rule: Stable name of the rule.
        reason: One sentence that tells a fixer what to do instead.
    """

    path: str
    rule: str
    reason: str


class Held(NamedTuple):
    """An edit that waits for a person.

    Attributes:
        path: The file.
        line: Its first line now, from 1.
        why: Why it waits, as a clause.
    """

    path: str
    line: int
    why: str


@dataclasses.dataclass(frozen=True)
class Bounds:
    """Bounds that edits are checked against.

    Attributes:
        change: The change under review.
        issues: The issues that the fixer was given, with the lines of the old side of the edits.
        config: The configuration.
        reasons: By path, the fixer's reason to edit a file that is neither of the change nor a test of it.
        marked: By path, why ``.gitattributes`` takes an edited file out of the review.
        hooks: Files, and folders of files, that git takes for hooks; ``""`` is the top level.
    """

    change: Change
    issues: Sequence[Issue]
    config: ConfigView
    reasons: Mapping[str, str] = dataclasses.field(default_factory=dict)
    marked: Mapping[str, str] = dataclasses.field(default_factory=dict)
    hooks: Sequence[str] = ()
