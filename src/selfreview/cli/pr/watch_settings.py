"""Configuration of a watcher, reloaded when a file changes, and selection of the pull requests it watches."""

from __future__ import annotations

import os
import re
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from selfreview.api import ChangeRequest, Connection, NotifyContext
from selfreview.app.loading import Project, why_off
from selfreview.app.notices import WITHIN_S, channels
from selfreview.cli.common import load_project
from selfreview.config.files import PYPROJECT, REPO_FILE, user_folder
from selfreview.errors import SelfreviewError, UsageError
from selfreview.git.repo import Repo, working_trees
from selfreview.pullrequest.outbox import Outbox
from selfreview.pullrequest.watching.clones import clone_folder
from selfreview.pullrequest.watching.ports import Done, Settings, Tell
from selfreview.store.store import Store
from selfreview.trust import CONF_NAME


class Configured:
    """The current configuration. While a file is invalid, the earlier one stays, and that is reported once.

    Args:
        repo: The repository.
        project: The configuration as it was read first.
        options: The command's ``plugins`` and ``overrides``.
        tell: Is told of what cannot be read.

    Attributes:
        project: The configuration as it was read last.
        shared: Whether other watchers use the queue too.
        worker: This watcher's name among them.
    """

    def __init__(self, repo: Repo, project: Project, options: Mapping[str, Any], tell: Tell) -> None:
        self._repo = repo
        self.project = project
        self._options = options
        self._tell = tell
        self._seen = self._look()
        self.shared = bool(self["feedback.database_url"])
        self.worker = self["feedback.worker"] or _host() if self.shared else "watcher"

    def __getitem__(self, name: str) -> Any:
        return self.project.config[name]

    def __call__(self) -> Settings:
        """Return the current settings."""
        seen = self._look()
        if seen != self._seen:
            self._seen = seen
            self._read()
        off = why_off(self.project.config)
        return Settings(
            auto=off is None and self["auto_address_review_comments"],
            interval=self["feedback.poll_interval"],
            max_concurrency=self["feedback.max_concurrent_fixes"],
            off=off,
        )

    def longest_s(self) -> float:
        """Return the timeout of one cycle in seconds."""
        return float(self["feedback.fix_timeout"])

    def announced(self, number: int, run: Callable[[int], Done]) -> Done:
        """Run a cycle, and report that it begins."""
        self._tell("begun", number)
        return run(number)

    @property
    def lock(self) -> Path:
        """The lock file of a watcher of this name."""
        if self.shared:
            return self.clone("watch.lock")
        return self._repo.common_dir / "selfreview" / "watch.lock"

    def clone(self, forge: str) -> Path:
        """Return where this watcher's own clone of a repository is, ``host/owner/name``."""
        return clone_folder(self["feedback.clones"], self.worker, forge)

    @property
    def database(self) -> str:
        """The URL of the queue's database.

        Raises:
            UsageError: If its file cannot be made.
        """
        if self.shared:
            given: str = self["feedback.database_url"]
            return given
        path = self._repo.common_dir / "selfreview" / "watch.db"
        try:
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        except OSError as error:
            raise UsageError(f"the queue {path} cannot be written: {error.strerror}") from error
        return f"sqlite:///{path}"

    def _read(self) -> None:
        try:
            self.project = load_project(
                self._repo, plugins=self._options["plugins"], overrides=self._options["overrides"]
            )
        except SelfreviewError as error:
            self._tell("settings_broken", why=error.message)

    def _look(self) -> tuple[object, ...]:
        """Return a state that changes when a file of the configuration does."""
        folder = user_folder(os.environ)
        paths = [self._repo.root / name for name in (REPO_FILE, PYPROJECT, CONF_NAME)]
        paths += [folder / "config.toml"] if folder is not None else []
        return tuple(map(_state, paths))


def _state(path: Path) -> object:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _host() -> str:
    return re.sub(r"[^A-Za-z0-9._-]", "-", socket.gethostname())[:60] or "host"


class Which:
    """A filter of the pull requests that are watched.

    Args:
        repo: The repository.
        connection: The forge.
        every: Whether all are.
        shared: Whether no person's working tree counts.
        saw: Is given all that are open.
    """

    def __init__(
        self,
        repo: Repo,
        connection: Connection,
        *,
        every: bool,
        shared: bool,
        saw: Callable[[Sequence[ChangeRequest]], None],
    ) -> None:
        self._saw = saw
        self._repo = repo
        self._connection = connection
        self._every = every
        self._shared = shared
        self._me: str | None = None

    def __call__(self, requests: Sequence[ChangeRequest]) -> list[ChangeRequest]:
        """Return the pull requests that are watched."""
        self._saw(requests)
        if self._every:
            return list(requests)
        if self._me is None:
            self._me = self._connection.whoami().id
        branches = set() if self._shared else {tree.branch for tree in working_trees(self._repo.git) if not tree.gone}
        return [request for request in requests if self._is_ours(request, branches)]

    def _is_ours(self, request: ChangeRequest, branches: set[str | None]) -> bool:
        own = request.author is not None and request.author.id is not None and request.author.id == self._me
        return own or (request.same_repository and f"refs/heads/{request.head}" in branches)


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
        project = self._configured.project
        config = project.config
        if not config["notification_channels"] or not self._folder.is_dir():
            return
        try:
            with Store.open(self._folder) as store:
                context = NotifyContext(config=config, environ=os.environ, forge=self._connection)
                for done in Outbox(store, channels(project), context).deliver(time.time(), within_s=WITHIN_S):
                    self._tell("notice", channel=done.channel, state=done.state.value, why=done.said)
        except SelfreviewError as error:  # pull requests are watched, whoever hears of it
            self._tell("problem", why=error.message)
