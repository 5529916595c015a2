"""Sending of pending notices while a watcher runs: a channel that was down is tried again."""

from __future__ import annotations

import os
import time
from pathlib import Path

from selfreview.api import Connection, NotifyContext
from selfreview.cli.pr_watch_settings import Configured
from selfreview.cli.telling import WITHIN_S, channels
from selfreview.errors import SelfreviewError
from selfreview.feedback.outbox import Outbox
from selfreview.feedback.watching.ports import Tell
from selfreview.store.store import Store


class Sender:
    """A sender of pending notices.

    Args:
        configured: The configuration.
        connection: The forge.
        folder: Of the store that cycles keep their notices in.
        tell: Is told of what was sent.
    """

    def __init__(self, configured: Configured, connection: Connection, folder: Path, tell: Tell) -> None:
        self._configured = configured
        self._connection = connection
        self._folder = folder
        self._tell = tell

    def __call__(self) -> None:
        """Send due notices; a channel that fails is tried again by a later call."""
        session = self._configured.session
        config = session.loaded.config
        if not config["notification_channels"] or not self._folder.is_dir():
            return
        try:
            with Store.open(self._folder) as store:
                context = NotifyContext(config=config, environ=os.environ, forge=self._connection)
                for done in Outbox(store, channels(session), context).deliver(time.time(), within_s=WITHIN_S):
                    self._tell("notice", channel=done.channel, state=done.state.value, why=done.said)
        except SelfreviewError as error:  # pull requests are watched, whoever hears of it
            self._tell("problem", why=error.message)
