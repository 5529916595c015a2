"""Look-up of the objects that a path names."""

from __future__ import annotations

from tests.forge.call import Call, not_found
from tests.forge.conversation import InlineComment, IssueComment, Remark, Review
from tests.forge.people import User
from tests.forge.pulls import PullRequest
from tests.forge.repository import Repository


def pull(repository: Repository, number: int) -> PullRequest:
    """Return a pull request."""
    for one in repository.pulls:
        if one.number == number:
            return one
    raise not_found()


def comment(repository: Repository, number: int) -> IssueComment:
    """Return a general comment."""
    for one in (comment for pull in repository.pulls for comment in pull.comments):
        if one.id == number:
            return one
    raise not_found()


def inline(repository: Repository, number: int, viewer: User | None) -> InlineComment:
    """Return an inline comment that the viewer may see."""
    for one in (comment for pull in repository.pulls for comment in pull.inline_comments):
        if one.id == number and visible(one.review, viewer):
            return one
    raise not_found()


def review(pull: PullRequest, number: int, viewer: User | None) -> Review:
    """Return a review that the viewer may see."""
    for one in pull.reviews:
        if one.id == number and visible(one, viewer):
            return one
    raise not_found()


def visible(review: Review, viewer: User | None) -> bool:
    """Return whether somebody may see a review: a pending one is its author's alone."""
    return review.state != "PENDING" or review.author is viewer


def may_edit(call: Call, repository: Repository, remark: Remark) -> bool:
    """Return whether the caller may change what somebody wrote."""
    return remark.author is call.viewer or repository.may(call.viewer, "write")
