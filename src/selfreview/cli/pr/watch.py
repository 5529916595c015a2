"""``selfreview pr watch``: poll for feedback, and have it answered."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from types import FrameType
from typing import Any

import click

from selfreview.api import ChangeRequest, Connection, Detects, NotifyContext, ReadsRequests
from selfreview.app.loading import Project, open_store, why_off
from selfreview.app.notices import WITHIN_S, channels
from selfreview.cli.common import find_repo, load_project, tell_untrusted
from selfreview.cli.forge import Place, open_forge
from selfreview.cli.options import plugin_options
from selfreview.cli.pr.opened import remote_option
from selfreview.cli.pr.watch_output import Output, output_as
from selfreview.cli.pr.worktrees import TreeRemover
from selfreview.config.sources import PYPROJECT, REPO_FILE, user_folder
from selfreview.errors import BusyError, ExitCode, ForgeError, SelfreviewError, TokenError, UsageError
from selfreview.git.repo import Repo, working_trees
from selfreview.proc import Runner
from selfreview.pullrequest.outbox import Outbox
from selfreview.pullrequest.watching.clones import ManagedClone, clone_folder
from selfreview.pullrequest.watching.hints import Hints
from selfreview.pullrequest.watching.ports import Done, Settings, Tell
from selfreview.pullrequest.watching.schedule import QuotaPause
from selfreview.pullrequest.watching.tasks import FixProcess, QueueSettings, TaskQueue
from selfreview.pullrequest.watching.watcher import Watchable, Watcher, WatcherParts
from selfreview.pullrequest.watching.webhook import Receiver
from selfreview.store.store import Store
from selfreview.trust import CONF_NAME

_WAIT_MARGIN_S = 30.0


SECRET = "SELFREVIEW_WEBHOOK_SECRET"  # noqa: S105 - the name of a variable


def address_of(webhook: str | None) -> tuple[tuple[str, int] | None, str]:
    """Return the address to listen on, and the secret.

    Raises:
        UsageError: If the address is none, or there is no secret.
    """
    if webhook is None:
        return None, ""
    host, _, port = webhook.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not host or re.fullmatch(r"[0-9]{1,5}", port) is None or int(port) > 65535:
        raise UsageError(f"--webhook {webhook!r} is not HOST:PORT", hint="such as 127.0.0.1:8765")
    secret = os.environ.get(SECRET, "").strip()
    if not secret:
        raise UsageError("--webhook needs a secret", hint=f"set {SECRET} to the secret of the webhook")
    return (host, int(port)), secret


@contextlib.contextmanager
def listening(
    address: tuple[str, int] | None, secret: str, repository: str, *, hints: Hints, store: Store, output: Output
) -> Iterator[None]:
    """Receive webhooks of the forge for as long as the context lasts, where an address is given."""
    if address is None:
        yield
        return

    with Receiver(address, secret, repository, hints=hints, acted_on=store.watching.acted_on, tell=output) as receiver:
        output("listening", host=address[0], port=receiver.port)
        yield


@contextlib.contextmanager
def only_one(path: Path) -> Iterator[None]:
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


@contextlib.contextmanager
def signals(stop: Callable[[], None], runner: Runner, output: Output) -> Iterator[None]:
    """Handle signals: the first one stops the watcher once its cycles are done, the second one at once."""
    seen = 0

    def heed(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - as signal calls it
        nonlocal seen
        seen += 1
        if seen == 1:
            stop()
            return
        code = int(ExitCode.INTERRUPTED)
        try:
            runner.kill_all()
            output("stopped", code=code)
            output.close()
            sys.stdout.flush()
        finally:  # also where a line was being written just now
            os._exit(code)

    numbers = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers}
    for number in numbers:
        if before[number] is not signal.SIG_IGN:
            signal.signal(number, heed)
    try:
        yield
    finally:
        for number in numbers:
            signal.signal(number, before[number])


class LiveSettings:
    """The current configuration. While a file is invalid, the earlier one stays, and that is reported once.

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


@click.command(name="watch")
@click.option("--once", is_flag=True, help="Look once, wait for what that leads to, and end with the worst exit code.")
@click.option("--all", "every", is_flag=True,
              help="Every open pull request; else your own, and those whose branch is checked out here.")  # fmt: skip
@click.option("--webhook", metavar="HOST:PORT",
              help=f"Also listen for the forge's deliveries, signed with the secret in {SECRET}.")  # fmt: skip
@click.option("-f", "--format", "format_", type=click.Choice(["auto", "table", "jsonl"]), default="auto",
              help="A live table, or a line of JSON for each event; auto: a table on a terminal.")  # fmt: skip
@remote_option("The remote whose pull requests are watched; by default the branch's own, else origin, or the only one.")
@plugin_options
def command(*, once: bool, every: bool, webhook: str | None, format_: str, **options: Any) -> int:
    """Watch pull requests for feedback, and answer it as `selfreview pr fix` does.

    Nothing is answered unless auto_address_review_comments is set: without it, news is only reported. Ctrl-C or
    SIGTERM stops it as soon as the running fix cycles are done; a second one stops these, too.
    """
    address, secret = address_of(webhook)
    _demand_queue()
    repo = find_repo()
    project = load_project(repo, plugins=options["plugins"], overrides=options["overrides"])
    tell_untrusted(project.loaded)
    place = open_forge(project, options["remote"])
    with contextlib.closing(place.connection), output_as(format_, place.name) as output:
        connection = _watchable(place.connection, place.forge.name)
        configured = LiveSettings(repo, project, options, output)
        hints = Hints()
        with only_one(configured.lock), open_store(repo) as store:
            runner = Runner({name: value for name, value in os.environ.items() if name != SECRET})
            hold = QuotaPause(place.name, store, output)
            tasks = _tasks((repo, place), configured, runner, hold, options)
            trees = TreeRemover(configured.clone(place.name) if configured.shared else repo.root, output)
            which = WatchedRequests(repo, connection, every=every, shared=configured.shared, saw=trees.saw)
            sender = NoticeSender(configured, connection, _notices(repo, configured, place), output)

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
                tell=output,
                between=between,
            )
            watcher = Watcher(connection, place.name, parts)
            with (
                listening(address, secret, place.location.path, hints=hints, store=store, output=output),
                signals(watcher.stop, runner, output),
            ):
                return _watch(watcher, tasks, configured, output, once=once)


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


def _watch(watcher: Watcher, tasks: TaskQueue, configured: LiveSettings, output: Output, *, once: bool) -> int:
    code = int(ExitCode.PASSED)
    wait_s = configured.longest_s() + _WAIT_MARGIN_S
    try:
        code = watcher.run(once=once)
    except TokenError as error:
        output("token", why=error.message)
        code = int(error.exit_code)
        raise
    except BusyError as error:
        output("put_off", why=[error.message])
        code = int(ExitCode.INCOMPLETE)
    except SelfreviewError as error:
        code = int(error.exit_code)
        raise
    except Exception:
        code = int(ExitCode.INTERNAL_ERROR)
        raise
    finally:
        if tasks.active and not once:
            output("stopping", active=sorted(tasks.active))
        watcher.take(tasks.close(wait_s if tasks.active else 0))
        output("stopped", code=code)
    return code


def _tasks(
    where: tuple[Repo, Place], configured: LiveSettings, runner: Runner, hold: QuotaPause, options: Mapping[str, Any]
) -> TaskQueue:
    """Return the queue of cycles."""
    repo, place = where
    given = ["--remote", place.remote]
    for name in options["plugins"]:
        given += ["-p", name]
    for text in options["overrides"]:
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
