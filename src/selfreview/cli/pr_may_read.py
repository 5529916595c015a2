"""Whether a model may read feedback, and why not."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from selfreview.api import FeedbackItem, Judged
from selfreview.cli import console
from selfreview.cli.common import Session
from selfreview.review.select import MODEL_REVIEWER
from selfreview.trust import ConsentStore

_NAME_IT = 'selfreview pr fix --fixer auto --fixer claude, or fixers = ["auto", "claude"] in the settings'
_KEYS = {
    "anthropic": "set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL for a server of your own",
    "bedrock": "set AWS_REGION, and sign in with AWS",
    "vertex": "set CLOUD_ML_REGION and ANTHROPIC_VERTEX_PROJECT_ID",
}


class Unread(NamedTuple):
    """Why no model reads feedback.

    Attributes:
        why: The reason, as a clause.
        hint: What to do about it, or None.
    """

    why: str
    hint: str | None = None


def why_not(session: Session, fixers: Sequence[str]) -> Unread | None:
    """Return why a model may not be sent what reviewers wrote, or None where it may.

    It may where it is named as a fixer or reviewer, on the command line or in the settings, or where the person agreed
    to it for this repository.

    Args:
        session: The configuration.
        fixers: Those that the command line names.
    """
    config, repo = session.loaded.config, session.repo
    if not config["feedback.analyzer"]:
        return Unread("feedback.analyzer is off")
    if config["offline"]:
        return Unread("offline is set")
    try:
        provider, base_url = config["claude.provider"], config["claude.base_url"]
    except KeyError:  # the plugin that declares them is left out
        return Unread(f"the plugin {MODEL_REVIEWER} is left out")
    from selfreview.cli.consent import receiver
    from selfreview.llm.credentials import find_credentials

    if find_credentials(provider, os.environ, base_url) is None:
        return Unread(f"there are no credentials for {provider}", _KEYS.get(provider))
    values = [fixers, *(config[key] for key in ("reviewers", "fixers"))]
    names = [name for value in values for name in ([value] if isinstance(value, str) else value)]
    if MODEL_REVIEWER in names:
        return None
    where = receiver(provider, base_url, os.environ)
    if repo is not None and ConsentStore.of_user(os.environ).answer(repo.common_dir, where) is True:
        return None
    return Unread(f"nobody named it, or agreed to send anything of this repository to {where}", _NAME_IT)


def nobody(items: Sequence[FeedbackItem], trusted: Mapping[str, Sequence[FeedbackItem]]) -> Mapping[str, Judged]:  # noqa: ARG001 - a Reader
    """Read nothing."""
    return {}


def saying(unread: Unread) -> Callable[..., Mapping[str, Judged]]:
    """Return a reader that reads nothing, and says why where there is something to read: all of it is a person's."""

    def read(items: Sequence[FeedbackItem], trusted: Mapping[str, Sequence[FeedbackItem]]) -> Mapping[str, Judged]:  # noqa: ARG001 - a Reader
        console.note(f"note: {MODEL_REVIEWER} may not read here: {unread.why}")
        if unread.hint is not None:
            console.note(f"hint: {unread.hint}")
        return {}

    return read
