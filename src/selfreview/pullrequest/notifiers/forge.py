"""Notifier on the pull request: a comment, a request for review, a label. The channel is named ``github``.

It asks a connection for what it can do, so it writes on any forge that has a plugin.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

from selfreview.api import (
    Comments,
    ConfigView,
    Connection,
    Key,
    Labels,
    Notice,
    NoticeEvent,
    Notifier,
    NotifyContext,
    OptionParser,
    Registry,
    RequestsReviews,
    channel_keys,
    hookimpl,
)
from selfreview.errors import BusyError, ForgeError, NotifyError, UnsureError

READY_LABEL = "ready-for-review"


class ForgeNotifier:
    """A notifier that writes on the pull request. Every step finds the results of an earlier try."""

    name = "github"
    leaves_mark = True
    needs_request = True

    def unavailable(self, config: ConfigView, environ: Mapping[str, str]) -> str | None:  # noqa: ARG002 - the protocol
        """Return None: whether there is a connection is another question."""
        return None

    def send(self, notice: Notice, context: NotifyContext) -> Sequence[str]:
        """Write the comment, set the label, ask for reviews.

        Returns:
            What the forge cannot do, and whom it cannot ask.

        Raises:
            NotifyError: If a step failed.
            UnsureError: If a step may have failed.
        """
        if context.forge is None or notice.number is None:
            raise NotifyError("there is no pull request to write on")
        try:
            return [
                *_comment(context.forge, notice.number, notice),
                *_label(context.forge, notice.number, notice.event),
                *_request(context.forge, notice.number, notice.event, context.config["notify.github.reviewers"]),
            ]
        except UnsureError:
            raise
        except ForgeError as error:
            wait_s = error.wait_s if isinstance(error, BusyError) else None
            raise NotifyError(error.message, hint=error.hint, wait_s=wait_s) from error


def mark_of(notice: Notice) -> str:
    """Return the hidden mark of a notice's comment: each notice has its own, for an edit would notify nobody."""
    return f"notice:{hashlib.sha256(notice.key.encode('utf-8', 'surrogatepass')).hexdigest()[:24]}"


def _comment(forge: Connection, number: int, notice: Notice) -> list[str]:
    if not isinstance(forge, Comments):
        return ["this forge takes no comments"]
    from selfreview.pullrequest.notifiers.render import render

    forge.comment(number, mark_of(notice), render("comment.md.j2", notice))
    return []


def _label(forge: Connection, number: int, event: NoticeEvent) -> list[str]:
    """Set or remove the label for pull requests that people can take over.

    That of a pull request that needs a person is the fix cycle's alone, which knows who put it there, and whether
    somebody is still called.
    """
    if event not in (NoticeEvent.READY, NoticeEvent.ESCALATED):
        return []
    if not isinstance(forge, Labels):
        return ["this forge has no labels"]
    if event is NoticeEvent.READY:
        forge.add_label(number, READY_LABEL)
    else:
        forge.remove_label(number, READY_LABEL)
    return []


def _request(forge: Connection, number: int, event: NoticeEvent, reviewers: Sequence[str]) -> list[str]:
    if event is not NoticeEvent.READY or not reviewers:
        return []
    if not isinstance(forge, RequestsReviews):
        return ["this forge cannot be asked for reviews"]
    not_asked = forge.request_reviews(number, reviewers)
    return [f"cannot be asked for a review: {', '.join(not_asked)}"] if not_asked else []


@hookimpl
def selfreview_addoption(parser: OptionParser) -> None:
    """Declare its keys."""
    for key in channel_keys("github"):
        parser.add_key(key)
    parser.add_key(
        Key(
            name="notify.github.reviewers",
            kind="list",
            default=[],
            help="Logins that are asked for a review once people can take over.",
        )
    )


@hookimpl
def selfreview_register_notifiers(registry: Registry[Notifier]) -> None:
    """Register it."""
    registry.add(ForgeNotifier())
