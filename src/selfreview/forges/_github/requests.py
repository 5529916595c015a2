"""Conversion of GitHub's pull requests."""

from __future__ import annotations

from selfreview.forges._github.people import person
from selfreview.forges._github.shapes import Pull
from selfreview.model.feedback import ChangeRequest, RequestState


def change_request(pull: Pull) -> ChangeRequest:
    """Return a pull request in the form that is the same for all forges."""
    head, base = pull.head.repo, pull.base.repo
    same = head is not None and base is not None and head.id == base.id
    return ChangeRequest(
        number=pull.number,
        url=pull.html_url,
        title=pull.title or "",
        body=pull.body or "",
        state=_state(pull),
        draft=bool(pull.draft),
        author=person(pull.user),
        head=pull.head.ref,
        head_sha=pull.head.sha,
        base=pull.base.ref,
        head_repository=head.full_name if head else None,
        same_repository=same,
        may_push=same or _fork_takes_pushes(pull),
        updated=pull.updated_at or "",
        labels=tuple(label.name for label in pull.labels or ()),
        requested=tuple(user.login for user in pull.requested_reviewers or ()),
    )


def _fork_takes_pushes(pull: Pull) -> bool:
    """Return whether maintainers may push to a fork: never to an organisation's, whatever its author ticked.

    A list of pull requests does not tell; then the answer is no.
    """
    repository = pull.head.repo
    owner = repository.owner if repository else None
    return bool(pull.maintainer_can_modify) and owner is not None and owner.type != "Organization"


def _state(pull: Pull) -> RequestState:
    if pull.merged_at:
        return RequestState.MERGED
    return RequestState.OPEN if pull.state == "open" else RequestState.CLOSED
