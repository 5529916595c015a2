"""The change as a CI system describes it."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True, kw_only=True)
class CiChange:
    """The change under test: its possible bases, its target branch, and whether it comes from a fork.

    Attributes:
        system: The system's name for a person (``"GitHub Actions"``).
        bases: Revisions that can serve as base, best first; empty where the system names none.
        merged: The head's commit where what is checked out is a merge that the system made of base and head, so that
            its first parent is the tip of the base; else None.
        fork: Whether the change comes from another repository; None where the system does not say.
        target: The branch that the change is meant for, or None.
        kind: What kind of run it is, in the system's own word and for a person, or empty.
    """

    system: str
    bases: tuple[str, ...]
    merged: str | None = None
    fork: bool | None = None
    target: str | None = None
    kind: str = ""


def commit_or_none(value: object) -> str | None:
    """Return a commit's id, or None for any other text."""
    text = value.strip().lower() if isinstance(value, str) else ""
    is_id = len(text) in (40, 64) and set(text) <= set("0123456789abcdef")
    return text if is_id and text.strip("0") else None


def remote_branch(name: str | None) -> tuple[str, ...]:
    """Return the refs of a remote's branch in a clone, or nothing for no name."""
    return (f"refs/remotes/origin/{name}",) if name else ()
