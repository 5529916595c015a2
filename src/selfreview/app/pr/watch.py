"""The watching of pull requests: polls for feedback, and has it answered."""

from __future__ import annotations

import contextlib
import os
import re
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from selfreview.api import ChangeRequest, Connection, Detects, NotifyContext, ReadsRequests
from selfreview.app.loading import Project, find_repo, load_project, open_store, tell_untrusted, why_off
from selfreview.app.notices import WITHIN_S, channels
from selfreview.app.pr.forge import Place, open_forge
from selfreview.app.pr.request import WatchRequest
from selfreview.app.pr.worktrees import ManagedClone, TreeRemover, clone_folder
from selfreview.app.ui import Ui
from selfreview.config import LoadOptions
from selfreview.config.sources import PYPROJECT, REPO_FILE, user_folder
from selfreview.errors import BusyError, ExitCode, ForgeError, SelfreviewError, TokenError, UsageError
from selfreview.git.repo import Repo, working_trees
from selfreview.proc import Runner
from selfreview.pullrequest.outbox import Outbox
from selfreview.pullrequest.watching.hints import Hints
from selfreview.pullrequest.watching.ports import Done, Settings, Tell
from selfreview.pullrequest.watching.schedule import QuotaPause
from selfreview.pullrequest.watching.tasks import FixProcess, QueueSettings, TaskQueue
from selfreview.pullrequest.watching.watcher import Watchable, Watcher, WatcherParts
from selfreview.pullrequest.watching.webhook import Receiver
from selfreview.store.store import Store
from selfreview.trust.subject import CONF_NAME

_WAIT_MARGIN_S = 30.0
SECRET = "SELFREVIEW_WEBHOOK_SECRET"  # noqa: S105 - the name of a variable
"""Variable with the secret of a webhook, which no fix cycle is given."""


@contextlib.contextmanager
def _listening(asked: WatchRequest, repository: str, hints: Hints, store: Store, tell: Tell) -> Iterator[None]:
    """Receive webhooks of the forge for as long as the context lasts, where an address is given."""
    if asked.address is None:
        yield
        return
    acted_on = store.watching.acted_on
    with Receiver(asked.address, asked.secret, repository, hints=hints, acted_on=acted_on, tell=tell) as receiver:
        tell("listening", host=asked.address[0], port=receiver.port)
        yield


@contextlib.contextmanager
def _only_one(path: Path) -> Iterator[None]:
    """Hold the lock of a watcher's name, so that it is the only one.

    Raises:
        UsageError: If there is another one.
    """
    import filelock

    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = filelock.FileLock(path, timeout=0)
    try:
        lock.acquire()
    except filelock.Timeout:
        raise UsageError(
            "another watcher is at work here", hint="stop that one, or share a database (feedback.database_url)"
        ) from None
    try:
        yield
    finally:
        lock.release()


class LiveSettings:
    """The current configuration. While a file is invalid, the earlier one stays, and that is reported once.

    Attributes:
        project: The configuration as it was read last.
        shared: Whether other watchers use the queue too.
        worker: This watcher's name among them.
    """

    def __init__(self, project: Project, repo: Repo, options: LoadOptions, tell: Tell, ui: Ui) -> None:
        self._repo = repo
        self.project = project
        self._options = options
        self._ui = ui
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
            self.project = load_project(self._repo, self._ui, self._options)
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


class WatchedRequests:
    """A filter of the pull requests that are watched."""

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


class NoticeSender:
    """A sender of pending notices."""

    def __init__(self, configured: LiveSettings, connection: Connection, folder: Path, tell: Tell) -> None:
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


class Watch:
    """A watcher that is ready to run.

    Attributes:
        tell: Is told of every event.
    """

    def __init__(
        self, watcher: Watcher, tasks: TaskQueue, configured: LiveSettings, runner: Runner, tell: Tell
    ) -> None:
        self._watcher = watcher
        self._tasks = tasks
        self._configured = configured
        self._runner = runner
        self.tell = tell

    def stop(self) -> None:
        """Begin no more cycles, and end when running ones have ended; may be called by a signal's handler."""
        self._watcher.stop()

    def kill(self) -> None:
        """End the cycles that run, whatever they are at; may be called by a signal's handler."""
        self._runner.kill_all()

    def run(self, *, once: bool) -> int:
        """Watch until told to stop, or look once and wait for what that leads to; return the worst exit code.

        Raises:
            TokenError: If the forge does not accept the token.
            ForgeError: With ``once``: if it cannot be asked.
        """
        tasks = self._tasks
        code = int(ExitCode.PASSED)
        wait_s = self._configured.longest_s() + _WAIT_MARGIN_S
        try:
            code = self._watcher.run(once=once)
        except TokenError as error:
            self.tell("token", why=error.message)
            code = int(error.exit_code)
            raise
        except BusyError as error:
            self.tell("put_off", why=[error.message])
            code = int(ExitCode.INCOMPLETE)
        except SelfreviewError as error:
            code = int(error.exit_code)
            raise
        except Exception:
            code = int(ExitCode.INTERNAL_ERROR)
            raise
        finally:
            if tasks.active and not once:
                self.tell("stopping", active=sorted(tasks.active))
            self._watcher.take(tasks.close(wait_s if tasks.active else 0))
            self.tell("stopped", code=code)
        return code


@contextlib.contextmanager
def watching(
    asked: WatchRequest, telling: Callable[[str], contextlib.AbstractContextManager[Tell]], *, ui: Ui
) -> Iterator[Watch]:
    """Have a watcher ready for as long as the context lasts.

    Args:
        asked: What to watch.
        telling: Returns what is told of events, by the repository's name on its forge; closed at the end.
        ui: The front end.

    Raises:
        UsageError: If the libraries of the queue are missing, or another watcher is at work.
        ForgeError: If the forge cannot be asked.
    """
    _demand_queue()
    repo = find_repo(asked.folder, ui)
    project = load_project(repo, ui, asked.loading)
    tell_untrusted(project.loaded, ui)
    place = open_forge(project, ui, asked.remote)
    with contextlib.closing(place.connection), telling(place.name) as tell:
        connection = _watchable(place.connection, place.forge.name)
        configured = LiveSettings(project, repo, asked.loading, tell, ui)
        hints = Hints()
        with _only_one(configured.lock), open_store(repo) as store:
            runner = Runner({name: value for name, value in os.environ.items() if name != SECRET})
            hold = QuotaPause(place.name, store, tell)
            tasks = _tasks((repo, place), configured, runner, hold, asked)
            trees = TreeRemover(configured.clone(place.name) if configured.shared else repo.root, tell)
            which = WatchedRequests(repo, connection, every=asked.every, shared=configured.shared, saw=trees.saw)
            sender = NoticeSender(configured, connection, _notices(repo, configured, place), tell)

            def between() -> None:
                if configured["enabled"]:
                    sender()
                    trees()

            parts = WatcherParts(
                concerns=which,
                settings=configured,
                memory=store.watching,
                tasks=tasks,
                hints=hints,
                hold=hold,
                tell=tell,
                between=between,
            )
            watcher = Watcher(connection, place.name, parts)
            with _listening(asked, place.location.path, hints, store, tell):
                yield Watch(watcher, tasks, configured, runner, tell)


def _demand_queue() -> None:
    """Raise where the libraries of the queue are missing, or some of them."""
    hint = "in the checkout of selfreview: pip install '.[watch]'"
    if find_spec("dbos") is None:
        raise UsageError("watching needs DBOS, which is not installed", hint=hint)
    try:
        import dbos  # noqa: F401 - it takes a part of a second, and a watcher needs it in any case
        import sqlalchemy  # noqa: F401 - the same
    except ImportError as error:
        raise UsageError(f"watching needs DBOS, which is not installed whole: {error}", hint=hint) from error


def _tasks(
    where: tuple[Repo, Place], configured: LiveSettings, runner: Runner, hold: QuotaPause, asked: WatchRequest
) -> TaskQueue:
    """Return the queue of cycles."""
    repo, place = where
    given = ["--remote", place.remote]
    for name in asked.plugins:
        given += ["-p", name]
    for text in asked.overrides:
        given += ["-o", text]
    folder: Any = lambda: repo.root  # noqa: E731 - or a clone
    if configured.shared:
        given += ["-o", "feedback.recreate_worktree=true"]
        url = repo.git.line(["config", "--get", f"remote.{place.remote}.url"]) or ""
        folder = ManagedClone(
            configured.clone(place.name),
            url,
            place.remote,
            os.environ,
            runner=runner,
            timeout_s=configured.longest_s,
        )
    run = FixProcess(runner, folder, given, configured.longest_s)
    settings = QueueSettings(
        configured.database,
        configured.worker,
        configured().max_concurrency,
        longest_s=configured.longest_s,
        shared=configured.shared,
    )

    def run_held(number: int) -> Done:
        return hold.run(number, lambda which: configured.announced(which, run))

    return TaskQueue(place.name, settings, run=run_held, stop=run.stop)


def _notices(repo: Repo, configured: LiveSettings, place: Place) -> Path:
    """Return the folder of the store in which cycles keep pending notices."""
    git_dir = configured.clone(place.name) / ".git" if configured.shared else repo.common_dir
    return git_dir / "selfreview"


def _watchable(connection: Connection, forge: str) -> Watchable:
    if isinstance(connection, Detects) and isinstance(connection, ReadsRequests):
        return connection
    raise ForgeError(f"{forge} does not show which pull requests have news")
