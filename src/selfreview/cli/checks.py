"""What ``selfreview doctor`` says about a repository: its configuration, its change, its store, its hooks."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from selfreview.cli.common import load_session, open_store
from selfreview.config.bootstrap import Loaded
from selfreview.git.repo import Repo
from selfreview.text.layout import plural


class Check(NamedTuple):
    """One line of the report; ``ok`` is None for what a review can do without."""

    ok: bool | None
    what: str
    hint: str | None = None


def configuration(repo: Repo | None, plugins: tuple[str, ...], overrides: tuple[str, ...]) -> Iterator[Check]:
    """Load plugins and configuration; where that works, collect what ``selfreview run`` would review."""
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
    if repo is not None:
        yield _change(repo, loaded.config["base"] or None)


def _models(loaded: Loaded) -> Iterator[Check]:
    """Say whether models could be asked; what they are asked with is named, never shown."""
    from urllib.parse import urlsplit

    from selfreview.llm.credentials import find_credentials

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


def _change(repo: Repo, base: str | None) -> Check:
    from selfreview.git.collect import collect
    from selfreview.git.scope import Request

    collected = collect(repo, Request(base=base))
    collected.close()
    scope = collected.change.scope
    files = plural(len(collected.change.files), "changed file")
    return Check(True, f"change: {files} against {scope.base or 'the empty tree'}")


def store(repo: Repo) -> Iterator[Check]:
    """Read the store; a review works without one, but remembers nothing."""
    from selfreview.errors import StoreError

    try:
        with open_store(repo) as opened:
            there = opened.path.exists()
            opened.results(1)
            yield Check(True, f"store: {opened.path}" if there else "store: empty, the first review creates it")
            for warning in opened.warnings:
                yield Check(None, warning)
    except StoreError as error:
        yield Check(None, f"{error.message}; reviews work, but nothing is remembered", error.hint)


def hooks(repo: Repo) -> Iterator[Check]:
    """Say which of git's hooks review."""
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
