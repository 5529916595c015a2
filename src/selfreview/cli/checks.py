"""Checks of ``selfreview doctor`` for a repository: its configuration, change, store and hooks."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from selfreview.app.loading import JOURNAL, open_store
from selfreview.cli.common import current_folder, load_session
from selfreview.config.bootstrap import Loaded
from selfreview.git.repo import Repo
from selfreview.text.layout import plural


class Check(NamedTuple):
    """One line of the report; ``ok`` is None for what a review can do without."""

    ok: bool | None
    what: str
    hint: str | None = None


def configuration(repo: Repo | None, plugins: tuple[str, ...], overrides: tuple[str, ...]) -> Iterator[Check]:
    """Load plugins and configuration."""
    loaded = load_session(repo, plugins=plugins, overrides=overrides).loaded
    on = [record for record in loaded.manager.records() if record.state == "on"]
    yield Check(True, f"configuration and {plural(len(on), 'plugin')} load")
    for text in loaded.notes:
        yield Check(None, text)
    if loaded.trust.note:
        yield Check(None, loaded.trust.note, loaded.trust.hint)
    if not loaded.config["enabled"]:
        yield Check(None, f"nothing is reviewed here: enabled = false ({loaded.config.origin('enabled')})")
    yield from _models(loaded)


def _models(loaded: Loaded) -> Iterator[Check]:
    """Check whether models can be asked; credentials are named, never shown."""
    from urllib.parse import urlsplit

    from selfreview.llm.transport.credentials import find_credentials

    config = loaded.config
    try:
        provider, base_url = config["claude.provider"], config["claude.base_url"]
    except KeyError:  # the plugin that declares them is left out
        return
    source = find_credentials(provider, os.environ, base_url)
    url = base_url or (os.environ.get("ANTHROPIC_BASE_URL") if provider == "anthropic" else None)
    server = f", server {urlsplit(url).netloc.rpartition('@')[2]}" if url else ""
    what = f"model: {provider}{server}, " + (f"with {source}" if source else "no credentials (optional)")
    yield Check(True if source else None, what, "see docs/guides/model.md")


def review(plugins: tuple[str, ...], overrides: tuple[str, ...]) -> Iterator[Check]:
    """Do what ``selfreview run`` does before calling a reviewer, and report its errors in the same words."""
    from selfreview.app.change import read_change
    from selfreview.app.collection import why_unavailable
    from selfreview.app.fixers import check_options
    from selfreview.app.policies import HookPolicy
    from selfreview.app.request import RunRequest
    from selfreview.app.run import load_settings, open_repository, select_reviewers
    from selfreview.app.state import RunState
    from selfreview.app.ui import SilentUi
    from selfreview.cli.running import go_through
    from selfreview.review.tasks import Task, assign
    from selfreview.reviewers.agents import AgentReviewer

    tasks: list[Task] = []

    def rehearse(run: RunState) -> None:
        run.policy.known(run)
        tasks.extend(assign(run.selected.reviewers, run.bench))

    request = RunRequest(folder=current_folder(), plugins=plugins, overrides=overrides, collect_only=True)
    run = RunState(request=request, policy=HookPolicy(), ui=SilentUi())  # as a hook's, it completes nothing
    go_through(run, (open_repository, load_settings, check_options, select_reviewers, read_change, rehearse))
    change, required = run.bench.change, run.selected.required
    files = plural(len(change.files), "changed file")
    yield Check(True, f"change: {files} against {change.scope.base or 'the empty tree'}")
    for note in change.scope.notes:
        yield Check(None, f"change: {note}")
    others = [task for task in tasks if not isinstance(task.reviewer, AgentReviewer)]  # agents have lines of their own
    missing = {task.reviewer.name: why for task in others if (why := why_unavailable(task)) is not None}
    absent = required & missing.keys()
    for name in sorted(absent):
        yield Check(False, f"{name} is required, and cannot take part: {missing[name][0]}", missing[name][1])
    takers = [task.reviewer.name for task in tasks if task.files]
    if not absent and missing.keys() >= set(takers) and any(file.added_lines for file in change.reviewable):
        reasons = [f"{name}: {missing[name][0]} ({missing[name][1]})" for name in takers]
        yield Check(False, "no reviewer that was selected can review these files", "; ".join(reasons))


def store(repo: Repo) -> Iterator[Check]:
    """Check that the store can be read; a review works without one, but remembers nothing."""
    from selfreview.errors import StoreError

    try:
        with open_store(repo) as opened:
            opened.results(1)
            there = opened.path.exists()
            yield Check(True, f"store: {opened.path}" if there else "store: empty, the first review creates it")
            for warning in opened.warnings:
                yield Check(None, warning)
        if os.path.exists(repo.git_dir / "selfreview" / JOURNAL):  # noqa: PTH110 - as in find_repo
            yield Check(
                None, "an apply or undo was cut off", "the next command completes it, such as selfreview status"
            )
    except StoreError as error:
        yield Check(None, f"{error.message}; reviews work, but nothing is remembered", error.hint)


def hooks(repo: Repo) -> Iterator[Check]:
    """List git's hooks, and which of them run a review."""
    from selfreview.git import shims
    from selfreview.git.hooksfolder import hooks_folder
    from selfreview.git.shims import Kind

    folder = hooks_folder(repo).path
    found = [shims.find(folder, hook) for hook in shims.TYPES]
    ours = [item for item in found if item.kind is Kind.OURS]
    runs = [item.path.name for item in ours if item.runs]
    broken = [item.path.name for item in ours if not item.runs]
    if runs:
        yield Check(True, f"hooks: {' and '.join(runs)}")
    for name in broken:
        yield Check(None, f"hooks: {name} is installed but cannot run", "selfreview hook install")
    for item in ours:
        if item.python is not None and not os.path.exists(item.python):  # noqa: PTH110 - text from the shim
            yield Check(None, f"hooks: {item.path.name} names {item.python}, which is gone", "selfreview hook install")
    if not ours and not any(item.kind is Kind.PRE_COMMIT for item in found):
        yield Check(None, "hooks: not installed (optional)", "selfreview hook install")
