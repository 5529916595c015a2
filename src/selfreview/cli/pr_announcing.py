"""Announcing a pull request that was opened for people to review."""

from __future__ import annotations

import os
import time

from selfreview.api import ChangeRequest, NoticeEvent, NotifyContext
from selfreview.cli import console
from selfreview.cli.common import Session
from selfreview.cli.forge import Place
from selfreview.cli.telling import send_what_waits
from selfreview.errors import SelfreviewError
from selfreview.feedback.channels import channels_for, setting
from selfreview.feedback.escalating import notice, ready_title
from selfreview.feedback.outbox import Outbox
from selfreview.store.runs import utc_now
from selfreview.store.store import Store


def announce(session: Session, store: Store, place: Place, request: ChangeRequest) -> None:
    """Announce once, on the configured channels, that people can take over; and send pending notices.

    Args:
        session: The configuration.
        store: Where notices wait to be sent.
        place: The repository that has the pull request.
        request: It.
    """
    config = session.loaded.config
    asked = (*request.requested, *setting(config, "github", "reviewers", ()))
    ready = notice(
        NoticeEvent.READY,
        request,
        place.name,
        title=ready_title(place.location.path, request),
        why=[request.title],
        about=["opened"],
        mention=asked,
        at=utc_now(),
    )
    channels = channels_for(ready, config)
    if not channels:
        return
    try:
        Outbox(store, [], NotifyContext(config, os.environ)).add(ready, channels, time.time())
    except SelfreviewError as error:  # the pull request is open, whoever hears of it
        console.warn(f"people are not told: {error.message}")
    send_what_waits(session, place.connection)
