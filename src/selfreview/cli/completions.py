"""Shell completion of the values of options and arguments.

No function here runs anything that a repository names, prints, or writes; each may raise, which offers nothing. They
are called at every Tab, so each imports what it needs by itself.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import click
    from click.shell_completion import CompletionItem

    from selfreview.git.repo import Repo
    from selfreview.model.issue import Issue
    from selfreview.store import Store

Items = list["CompletionItem[str]"]
Offer = Callable[["click.Context", "click.Parameter", str], Items]
Names = Mapping[str, str] | Iterable[str]
"""Values, with a line of help for each where it is a mapping."""

_RUNS = 50
"""Maximum number of runs offered."""
_GIT_SECONDS = 3.0
_BUSY_SECONDS = 0.5


def _offer(names: Callable[[click.Context], Names]) -> Offer:
    """Return a completion function that offers the names which begin as typed."""
    return lambda context, _, typed: _fitting(names(context), typed)


def _fitting(names: Names, typed: str, before: str = "") -> Items:
    from click.shell_completion import CompletionItem

    helps = names if isinstance(names, Mapping) else dict.fromkeys(names, "")
    return [CompletionItem(before + name, help=text or None) for name, text in helps.items() if name.startswith(typed)]


def _path(kind: str, before: str = "") -> Items:
    """Have the shell offer files (``file``) or folders (``dir``), after a prefix of the word."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(before, type=kind)]


def files(context: click.Context, parameter: click.Parameter, typed: str) -> Items:  # noqa: ARG001 - click's signature
    """Offer files."""
    return _path("file")


def folders(context: click.Context, parameter: click.Parameter, typed: str) -> Items:  # noqa: ARG001
    """Offer folders."""
    return _path("dir")


# --- names that come with selfreview, or stand in the settings -------------------------------------------------------


def formats(context: click.Context, parameter: click.Parameter, typed: str) -> Items:  # noqa: ARG001
    """Offer the formats, and files after a colon."""
    name, colon, _ = typed.partition(":")
    return _path("file", name + colon) if colon else _fitting(built_in_formats(), typed)


def built_in_formats() -> list[str]:
    """Return the names of selfreview's own formats."""
    return _own_plugins("reporters")


def _own_plugins(kind: str) -> list[str]:
    """Return the names of the plugins of one kind that come with selfreview."""
    from selfreview.plugins.builtins import Builtins

    return [name for name, module in Builtins().modules.items() if module.startswith(f"selfreview.{kind}.")]


def _reviewers(context: click.Context) -> Iterator[str]:  # noqa: ARG001
    yield "auto"
    yield from (name for name in (*_own_plugins("reviewers"), *_own_plugins("agents")) if not name.endswith("command"))
    yield from _tables("command")
    yield from (f"agent-{name}" for name in _tables("agents"))


def _fixers(context: click.Context) -> Iterator[str]:  # noqa: ARG001
    yield "auto"
    own = (name.removeprefix("fix-") for name in _own_plugins("fixers"))
    yield from (name for name in (*own, *_own_plugins("agents")) if not name.endswith("command"))
    yield from (name for name, table in _tables("command").items() if "fix" in table)
    yield from (f"agent-{name}" for name in _tables("agents"))


def _tables(key: str) -> Mapping[str, Mapping[str, object]]:
    """Return the named tables of a key in the person's and the repository's settings; runs nothing of them."""
    from selfreview.config.sources import repository_source, user_source, worktree_reader
    from selfreview.errors import GitError

    sources = [user_source(os.environ)]
    with contextlib.suppress(GitError):  # outside of a repository
        sources.append(repository_source(worktree_reader(_repo().root), []))
    tables = [source.values.get(key) for source in sources if source is not None]
    return {name: value for table in tables if isinstance(table, Mapping) for name, value in table.items()}


def plugin_names(context: click.Context, parameter: click.Parameter, typed: str) -> Items:  # noqa: ARG001
    """Offer plugins, and after ``no:`` those that can be blocked."""
    from selfreview.plugins.builtins import DEFAULT, Builtins
    from selfreview.plugins.finder import entry_points

    found = [entry.name for entry in entry_points()]
    if typed.startswith("no:"):
        return _fitting([*DEFAULT, *found], typed.removeprefix("no:"), "no:")
    return _fitting(["no:", *Builtins().modules, *found], typed)


def key_values(context: click.Context, parameter: click.Parameter, typed: str) -> Items:  # noqa: ARG001
    """Offer configuration keys, and after ``=`` their possible values."""
    key, equals, value = typed.partition("=")
    known = _settings()
    if not equals:
        return _fitting((f"{name}=" for name in known), typed)
    return _fitting(known[key][1], value, key + equals)


def _keys(context: click.Context) -> Names:  # noqa: ARG001
    return {name: text for name, (text, _) in _settings().items()}


def _settings() -> dict[str, tuple[str, list[str]]]:
    """Return the help and the choices of every key, without those of a repository's own plugin."""
    from selfreview.config import LoadOptions
    from selfreview.config.bootstrap import load
    from selfreview.errors import GitError

    try:
        root = _repo().root
    except GitError:
        root = None
    loaded = load(LoadOptions(trusted=False), root=root, common_dir=None, environ=os.environ)
    keys = [setting.key for setting in loaded.config.settings()]
    return {key.name: (key.help, ["true", "false"] if key.kind == "bool" else list(key.choices)) for key in keys}


def _rules(context: click.Context) -> Names:  # noqa: ARG001
    """Return the rules of the built-in reviewers that list theirs without starting a program."""
    from selfreview.reviewers.rules import RulesReviewer
    from selfreview.reviewers.secrets import SecretsReviewer
    from selfreview.reviewers.text import TextReviewer

    reviewers = (RulesReviewer(), SecretsReviewer(), TextReviewer())
    return {rule.id: rule.summary for reviewer in reviewers for rule in reviewer.rules()}


def _templates(context: click.Context) -> Names:  # noqa: ARG001
    from selfreview.resources import folder

    return sorted(
        p.name for kind in ("prompts", "fixing") for p in (folder("templates") / kind).iterdir() if p.is_file()
    )


def _items_of_init(context: click.Context) -> Names:  # noqa: ARG001
    from selfreview.cli.init_items import ITEMS

    return {name: item.what for name, item in ITEMS.items()}


def _channels(context: click.Context) -> Names:  # noqa: ARG001
    return [name.removeprefix("notify-") for name in _own_plugins("pullrequest.notifiers")]


# --- what git knows --------------------------------------------------------------------------------------------------


def _repo() -> Repo:
    from selfreview.cli.common import current_folder
    from selfreview.git.repo import discover

    return discover(current_folder(), os.environ)


def _refs(*kinds: str) -> Iterator[tuple[str, str]]:
    git = _repo().git.within(_GIT_SECONDS)
    found = git.run(["for-each-ref", "--format=%(refname)", *(f"refs/{kind}" for kind in kinds)])
    for line in found.decode("utf-8", "surrogateescape").splitlines():
        _, kind, name = line.split("/", 2)
        yield name, {"heads": "branch", "tags": "tag", "remotes": "remote branch"}[kind]


def _revisions(context: click.Context) -> Names:  # noqa: ARG001
    return {"HEAD": "", **dict(_refs("tags", "remotes", "heads"))}


def ranges(context: click.Context, parameter: click.Parameter, typed: str) -> Items:  # noqa: ARG001
    """Offer revisions on both sides of ``..`` or ``...``."""
    left, dots, right = typed.rpartition("..")
    return _fitting(_revisions(context), right, left + dots)


def _branches(context: click.Context) -> Names:  # noqa: ARG001
    return [name for name, _ in _refs("heads")]


def _remotes(context: click.Context) -> Names:  # noqa: ARG001
    return _repo().git.run(["remote"]).decode("utf-8", "surrogateescape").split("\n")[:-1]


# --- what earlier runs left -------------------------------------------------------------------------------------------


def _read(work: Callable[[Store, Repo, str | None], dict[str, str]]) -> dict[str, str]:
    """Run ``work`` on the store of the current repository, opened for reading only."""
    from selfreview.git.revisions import current_branch
    from selfreview.store import Store

    repo = _repo()
    with Store.open(repo.common_dir / "selfreview", read_only=True, busy_seconds=_BUSY_SECONDS) as store:
        return work(store, repo, current_branch(repo.git))


def _latest_issues(store: Store, branch: str | None) -> list[Issue]:
    from selfreview.app.session import branch_reviews

    whole, later = branch_reviews(store, branch)
    found = {issue.fingerprint: issue for result in (whole, *later) if result for issue in result.open_issues}
    return list(found.values())


def _words_of(issue: Issue) -> str:
    return f"{issue.severity.value} {issue.file}:{issue.line_start} {issue.description}"[:100]


def _open_issues(context: click.Context) -> dict[str, str]:
    if context.params.get("withdraw"):
        return _accepted()
    return _read(lambda store, _, branch: {issue.id: _words_of(issue) for issue in _latest_issues(store, branch)})


def _fingerprints(context: click.Context) -> Names:  # noqa: ARG001
    return _read(lambda store, _, branch: {one.fingerprint: _words_of(one) for one in _latest_issues(store, branch)})


def _accepted() -> dict[str, str]:
    from selfreview.app.decisions import valid_acceptances

    def work(store: Store, repo: Repo, branch: str | None) -> dict[str, str]:
        session = store.session(str(repo.root), branch or "")
        accepted = valid_acceptances(session.decisions if session is not None else [])
        return {name: decision.reason for name, decision in accepted.items()}

    return _read(work)


def _runs(context: click.Context) -> dict[str, str]:  # noqa: ARG001
    from selfreview.cli.stored import outcome, when

    def work(store: Store, _: Repo, __: str | None) -> dict[str, str]:
        return {one.run_id or "": f"{when(one.timestamp)} {outcome(one)}" for one in store.results(_RUNS)}

    return _read(work)


def _shown(context: click.Context) -> Names:
    """Return the runs that ``--iteration`` can show, or else open issues and runs."""
    return _runs(context) if context.params.get("iteration") else {**_open_issues(context), **_runs(context)}


def _patches(context: click.Context) -> Names:  # noqa: ARG001
    from selfreview.app.loading import patches_folder
    from selfreview.apply.patches import PatchStore

    return PatchStore(patches_folder(_repo())).names()


reviewers = _offer(_reviewers)
fixers = _offer(_fixers)
keys = _offer(_keys)
rules = _offer(_rules)
templates = _offer(_templates)
items_of_init = _offer(_items_of_init)
channels = _offer(_channels)
revisions = _offer(_revisions)
branches = _offer(_branches)
remotes = _offer(_remotes)
open_issues = _offer(_open_issues)
fingerprints = _offer(_fingerprints)
runs = _offer(_runs)
shown = _offer(_shown)
patches = _offer(_patches)
