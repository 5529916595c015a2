"""``selfreview pr watch``: poll for feedback, and have it answered."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from selfreview.api import Connection, Detects, ReadsRequests
from selfreview.app.loading import open_store
from selfreview.cli.common import find_repo, load_project, tell_untrusted
from selfreview.cli.forge import Place, open_forge
from selfreview.cli.options import plugin_options
from selfreview.cli.pr.opened import remote_option
from selfreview.cli.pr.watch_output import Told, told_as
from selfreview.cli.pr.watch_process import SECRET, address_of, listening, only_one, signals
from selfreview.cli.pr.watch_settings import Configured, Sender, Which
from selfreview.cli.pr.worktrees import Trees
from selfreview.errors import BusyError, ExitCode, ForgeError, SelfreviewError, TokenError, UsageError
from selfreview.git.repo import Repo
from selfreview.proc import Runner

if TYPE_CHECKING:
    from selfreview.pullrequest.watching.hold import Hold
    from selfreview.pullrequest.watching.ports import Done
    from selfreview.pullrequest.watching.tasks import TaskQueue
    from selfreview.pullrequest.watching.watcher import Watchable, Watcher


_WAIT_MARGIN_S = 30.0


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
    """Look for feedback on pull requests again and again, and answer it as `selfreview pr fix` does.

    Nothing is answered unless auto_address_review_comments is set: without it, it is only told who has news. Ctrl-C, or
    SIGTERM, begins nothing more and waits for what is under way; a second one ends that too.
    """
    from selfreview.pullrequest.watching.hints import Hints
    from selfreview.pullrequest.watching.hold import Hold

    address, secret = address_of(webhook)
    _demand_queue()
    repo = find_repo()
    project = load_project(repo, plugins=options["plugins"], overrides=options["overrides"])
    tell_untrusted(project.loaded)
    place = open_forge(project, options["remote"])
    with contextlib.closing(place.connection), told_as(format_, place.name) as told:
        connection = _watchable(place.connection, place.forge.name)
        configured = Configured(repo, project, options, told)
        hints = Hints()
        with only_one(configured.lock), open_store(repo) as store:
            runner = Runner({name: value for name, value in os.environ.items() if name != SECRET})
            hold = Hold(place.name, store, told)
            tasks = _tasks((repo, place), configured, runner, hold, options)
            trees = Trees(configured.clone(place.name) if configured.shared else repo.root, told)
            which = Which(repo, connection, every=every, shared=configured.shared, saw=trees.saw)
            sender = Sender(configured, connection, _notices(repo, configured, place), told)

            def between() -> None:
                if configured["enabled"]:
                    sender()
                    trees()

            from selfreview.pullrequest.watching.watcher import Watcher, WatcherParts

            parts = WatcherParts(
                concerns=which,
                settings=configured,
                memory=store.watching,
                tasks=tasks,
                hints=hints,
                hold=hold,
                tell=told,
                between=between,
            )
            watcher = Watcher(connection, place.name, parts)
            with (
                listening(address, secret, place.location.path, hints=hints, store=store, told=told),
                signals(watcher.stop, runner, told),
            ):
                return _watch(watcher, tasks, configured, told, once=once)


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


def _watch(watcher: Watcher, tasks: TaskQueue, configured: Configured, told: Told, *, once: bool) -> int:
    code = int(ExitCode.PASSED)
    wait_s = configured.longest_s() + _WAIT_MARGIN_S
    try:
        code = watcher.run(once=once)
    except TokenError as error:
        told("token", why=error.message)
        code = int(error.exit_code)
        raise
    except BusyError as error:
        told("put_off", why=[error.message])
        code = int(ExitCode.INCOMPLETE)
    except SelfreviewError as error:
        code = int(error.exit_code)
        raise
    except Exception:
        code = int(ExitCode.INTERNAL_ERROR)
        raise
    finally:
        if tasks.active and not once:
            told("stopping", active=sorted(tasks.active))
        watcher.take(tasks.close(wait_s if tasks.active else 0))
        told("stopped", code=code)
    return code


def _tasks(
    where: tuple[Repo, Place], configured: Configured, runner: Runner, hold: Hold, options: Mapping[str, Any]
) -> TaskQueue:
    """Return the queue of cycles."""
    from selfreview.pullrequest.watching.child import FixProcess
    from selfreview.pullrequest.watching.clones import ManagedClone
    from selfreview.pullrequest.watching.tasks import QueueSettings, TaskQueue

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


def _notices(repo: Repo, configured: Configured, place: Place) -> Path:
    """Return the folder of the store in which cycles keep pending notices."""
    git_dir = configured.clone(place.name) / ".git" if configured.shared else repo.common_dir
    return git_dir / "selfreview"


def _watchable(connection: Connection, forge: str) -> Watchable:
    if isinstance(connection, Detects) and isinstance(connection, ReadsRequests):
        return connection
    raise ForgeError(f"{forge} does not show which pull requests have news")
