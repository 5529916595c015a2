"""Identity of an issue besides its fingerprint, computed where the working tree still has the lines it is about."""

from __future__ import annotations

from collections.abc import Sequence

from selfreview.api.context import SourceText
from selfreview.git.repo import Repo
from selfreview.git.safeopen import read_entry
from selfreview.model.issue import Issue, Side
from selfreview.model.session import Flagged
from selfreview.review.acceptance_match import flagged_key, is_of


def flagged(repo: Repo, accepted: Sequence[Issue], issues: Sequence[Issue]) -> list[Flagged]:
    """Return keys of the accepted issues whose lines are unchanged in the working tree.

    Args:
        repo: The repository.
        accepted: The issues.
        issues: All of their review.
    """
    found = []
    for one in accepted:
        key = key_in_tree(repo, one)
        if key is not None:
            lines = _lines(repo, one) or ()
            near = [other for other in issues if (other.file, other.side) == (one.file, one.side)]
            alike = sum(flagged_key(other, one.file, lines) == key for other in near)
            found.append(Flagged(fingerprint=one.fingerprint, key=key, alike=max(alike, 1)))
    return found


def key_in_tree(repo: Repo, issue: Issue) -> str | None:
    """Return the key of an issue, or None where the working tree does not have its lines, or that is unknown."""
    lines = _lines(repo, issue)
    if lines is None or not is_of(issue, issue.file, lines):
        return None
    return flagged_key(issue, issue.file, lines)


def _lines(repo: Repo, issue: Issue) -> Sequence[str] | None:
    if issue.side is Side.OLD or issue.line_start == 0:
        return None
    try:
        data = read_entry(repo.root, issue.file)
    except OSError:  # its fingerprint is what it is known by then
        return None
    return None if data is None else SourceText.from_bytes(data).lines
