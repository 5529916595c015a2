"""Selection of the model or agent that may read feedback, or the reason why none may."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from selfreview.api import Agent, FeedbackItem, Judged
from selfreview.cli import console
from selfreview.cli.common import Session
from selfreview.cli.registering import agents_of
from selfreview.programs import find_program
from selfreview.review.select import MODEL_REVIEWER
from selfreview.trust import ConsentStore

_NAME_IT = 'selfreview pr fix --fixer auto --fixer claude, or fixers = ["auto", "claude"] in the settings'
_TRUST = 'run "selfreview trust"'
_KEYS = {
    "anthropic": "set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL for a server of your own",
    "bedrock": "set AWS_REGION, and sign in with AWS",
    "vertex": "set CLOUD_ML_REGION and ANTHROPIC_VERTEX_PROJECT_ID",
}


class Unread(NamedTuple):
    """The reason why no model or agent reads feedback.

    Attributes:
        why: The reason, as a clause.
        hint: What to do about it, or None.
        who: Who would.
    """

    why: str
    hint: str | None = None
    who: str = MODEL_REVIEWER


class Chosen(NamedTuple):
    """An agent that reads feedback, and its program."""

    agent: Agent
    program: Path


def who_reads(session: Session, fixers: Sequence[str]) -> Chosen | Unread | None:
    """Return the agent that may read feedback, None where a model behind the API may, or the reason why none may.

    An agent may where it is named as a fixer or reviewer, on the command line or in the settings, and no model may.

    Args:
        session: The configuration.
        fixers: Those that the command line names.
    """
    unread = _why_off(session)
    if unread is not None:
        return unread
    unread = _why_no_model(session, fixers)
    return unread and _agent(session, fixers, unread)


def _agent(session: Session, fixers: Sequence[str], unread: Unread) -> Chosen | Unread:
    """Return the first named agent that can be asked, else why the first one cannot."""
    config = session.loaded.config
    agents = {f"agent-{agent.name}": agent for agent in agents_of(session.loaded.manager, config)}
    why: Unread | None = None
    for name in _named(session, fixers):
        agent = agents.get(name)
        if agent is None:
            continue
        program = find_program(agent.argv[0], config.root, os.environ)
        if agent.allowed_by is not None and not config.may_run(agent.allowed_by):
            why = why or Unread("agents of this repository's configuration are not trusted yet", _TRUST, name)
        elif program is None:
            why = why or Unread(
                f"{agent.argv[0]} is not installed, or may not be executed", "install it and sign in", name
            )
        else:
            return Chosen(agent, program)
    return why or unread


def _named(session: Session, fixers: Sequence[str]) -> list[str]:
    config = session.loaded.config
    values = [fixers, *(config[key] for key in ("fixers", "reviewers"))]
    return [name for value in values for name in ([value] if isinstance(value, str) else value)]


def _why_off(session: Session) -> Unread | None:
    config = session.loaded.config
    if not config["enabled"]:
        return Unread("selfreview is switched off (enabled)")
    if not config["feedback.analyzer"]:
        return Unread("feedback.analyzer is off")
    if config["offline"]:
        return Unread("offline is set")
    return None


def _why_no_model(session: Session, fixers: Sequence[str]) -> Unread | None:
    """Return why feedback may not be sent to a model, or None where it may.

    It may where it is named as a fixer or reviewer, on the command line or in the settings, or where the person agreed
    to it for this repository.
    """
    config, repo = session.loaded.config, session.repo
    try:
        provider, base_url = config["claude.provider"], config["claude.base_url"]
    except KeyError:  # the plugin that declares them is left out
        return Unread(f"the plugin {MODEL_REVIEWER} is left out")
    from selfreview.cli.consent import receiver
    from selfreview.llm.credentials import find_credentials

    if find_credentials(provider, os.environ, base_url) is None:
        return Unread(f"there are no credentials for {provider}", _KEYS.get(provider))
    if MODEL_REVIEWER in _named(session, fixers):
        return None
    where = receiver(provider, base_url, os.environ)
    if repo is not None and ConsentStore.of_user(os.environ).answer(repo.common_dir, where) is True:
        return None
    return Unread(f"nobody named it, or agreed to send anything of this repository to {where}", _NAME_IT)


def nobody(items: Sequence[FeedbackItem], trusted: Mapping[str, Sequence[FeedbackItem]]) -> Mapping[str, Judged]:  # noqa: ARG001 - a Reader
    """Read nothing."""
    return {}


def saying(unread: Unread) -> Callable[..., Mapping[str, Judged]]:
    """Return a reader that leaves all feedback to a person, and reports why where there is any."""

    def read(items: Sequence[FeedbackItem], trusted: Mapping[str, Sequence[FeedbackItem]]) -> Mapping[str, Judged]:  # noqa: ARG001 - a Reader
        console.note(f"note: {unread.who} may not read here: {unread.why}")
        if unread.hint is not None:
            console.note(f"hint: {unread.hint}")
        return {}

    return read
