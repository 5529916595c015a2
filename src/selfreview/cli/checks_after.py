"""Checks of ``selfreview doctor`` for forges, their tokens and notifiers; no request is sent."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

from selfreview.app.notices import channels
from selfreview.cli.checks import Check
from selfreview.cli.common import load_session
from selfreview.cli.forge import locations, open_forge
from selfreview.cli.notify import standings
from selfreview.errors import SelfreviewError
from selfreview.git.repo import Repo


def forge(repo: Repo, plugins: tuple[str, ...], overrides: tuple[str, ...]) -> Iterator[Check]:
    """Say whether there is a token for the forge of the branch's remote; whether it is good, only the forge knows."""
    session = load_session(repo, plugins=plugins, overrides=overrides)
    if not locations(session):
        yield Check(None, "forge: no remote is on one that is known (optional)", "see docs/guides/pull-request.md")
        return
    try:
        place = open_forge(session)
    except SelfreviewError as error:
        yield Check(None, f"forge: {error.message} (optional)", error.hint)
        return
    with contextlib.closing(place.connection):
        yield Check(True, f"forge: {place.name}, the remote {place.remote}, with a token that was not tried")


def told(repo: Repo, plugins: tuple[str, ...], overrides: tuple[str, ...]) -> Iterator[Check]:
    """Check the notification channels: their events, and whether they could be sent."""
    session = load_session(repo, plugins=plugins, overrides=overrides)
    found = [one for one in standings(channels(session), session.loaded.config, os.environ) if one.told]
    for one in found:
        what = f"channel {one.name}: " + ("can send" if one.lacks is None else f"cannot send: {one.lacks}")
        yield Check(True if one.lacks is None else None, what, "selfreview notify status lists the channels")
    if not found:
        yield Check(None, "channels: nobody is told (optional)", "see docs/guides/notify.md")
