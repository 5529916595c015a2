"""The request of a command line: configuration, plugins, reviewers, and the change."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from selfreview.api import Agent, ConfigView, Registry, Reviewer
from selfreview.cli import console
from selfreview.cli.change import Opened, open_change, open_patch, repo_paths, with_tree
from selfreview.cli.common import Session, current_folder, find_repo, load_session, tell_untrusted
from selfreview.cli.registering import agents_of, reviewers_of
from selfreview.cli.stopwatch import Stopwatch
from selfreview.errors import GitError, PluginError, UsageError
from selfreview.git.collect import Collected
from selfreview.git.content import tree_id
from selfreview.git.repo import Repo
from selfreview.git.scope import Request
from selfreview.model.change import Change, ChangedFile
from selfreview.proc import Runner
from selfreview.review.commits import Commits
from selfreview.review.context import SettingsSource, Workbench
from selfreview.review.prepare import BY_CONFIGURATION, mark_by_content, mark_by_name, matcher


class Invocation:
    """The change that a command line asks to have reviewed, and the reviewers it chooses.

    Args:
        paths: Paths that limit it.
        options: The command's options by parameter name.
        hook: Whether git waits for it: without ``--format``, a pass is one line.

    Attributes:
        merge: Whether the paths are those that a merge takes from none of its parents.
        told: Ids of the issues that the terminal shows since before the question about the patch; None: nobody was
            asked there.
    """

    def __init__(self, paths: Sequence[str], options: dict[str, Any], *, hook: bool = False) -> None:
        self.hook = hook
        self.stopwatch = Stopwatch()
        self.paths = paths
        self.options = options
        self.repo = self._repo()
        self.paths_from_root = repo_paths(self.repo, paths) if self.repo is not None and options["diff"] is None else ()
        self.collected: Collected | None = None
        self.told: Collection[str] | None = None
        self.merge = False
        self.attributes: str | None = None
        self.settings: SettingsSource | None = None
        self.session = self._load()
        self.config = self.session.loaded.config
        self.manager = self.session.loaded.manager

    @property
    def stage(self) -> str:
        """The stage that plugins get with an error: ``run``, ``hook`` or ``gate``."""
        return "hook" if self.hook else "run"

    @property
    def checks(self) -> bool:
        """Return whether the project's checks take part: a hook does not wait for them; a patch has no tree."""
        return not self.hook and self.options["diff"] is None

    @property
    def insists(self) -> bool:
        """Return whether required checks take part although the command line names reviewers."""
        return False

    @property
    def why_withheld(self) -> tuple[str, str]:
        """The reason why a check does not run, and the command that would run it."""
        if self.hook:
            return "a hook does not wait for checks", "selfreview run"
        if not self.checks:
            return "a patch is no tree to run it in", "selfreview run, on a branch with the patch"
        return "the repository's checks are not trusted", "selfreview trust"

    def _load(self) -> Session:
        """Load plugins and configuration."""
        return load_session(
            self.repo, options=self._keys(), plugins=self.options["plugins"], overrides=self.options["overrides"]
        )

    def tell(self) -> None:
        """Print notes for the person before the review."""
        loaded = self.session.loaded
        for text in loaded.notes:
            console.note(f"note: {text}")
        tell_untrusted(loaded)
        if self.options["trace_config"]:
            from selfreview.cli.trace import trace

            trace(loaded)

    def _keys(self) -> dict[str, Any]:
        """Return the configuration keys that the command line sets; None where it does not."""
        return {
            "severity_threshold": self.options["threshold"],
            "max_issues": None if self.options["max_issues"] is None else {"total": self.options["max_issues"]},
            "strict": True if self.options["strict"] else None,
            "offline": True if self.options["offline"] else None,
            "color": self.options["color"],
            "claude.effort": self.options["effort"],
            "requirements": self._requirements() or None,
        }

    def _requirements(self) -> list[str]:
        """Return the documents that the command line names, as patterns for exactly these.

        Raises:
            UsageError: If one is not there.
        """
        given = self.options["requirements"]
        if given and self.repo is None:
            raise UsageError("--requirements needs a repository")
        for name in given:
            if not (current_folder() / name).is_file():
                hint = (
                    "repeat --requirements for each file"
                    if set(name) & set(",*?")
                    else "a path from the current folder"
                )
                raise UsageError(f"there is no file {name!r} (--requirements)", hint=hint)
        return ["/" + path for path in repo_paths(self.repo, given)] if self.repo is not None else []

    def _repo(self) -> Repo | None:
        if self.options["diff"] is None:
            return find_repo(hook=self.hook)
        scopes = ("base", "head", "staged", "commit", "range_")
        if any(self.options[name] for name in scopes):
            raise UsageError("--diff excludes every other choice of what to review")
        try:
            return find_repo()
        except GitError:
            return None  # a bare patch needs no repository; its configuration is then the user's own

    def reviewers(self, config: ConfigView | None = None) -> Registry[Reviewer]:
        """Return all reviewers, including agents, for a configuration: by default the run's own."""
        return reviewers_of(self.manager, self.config if config is None else config)

    def agents(self, config: ConfigView) -> Registry[Agent]:
        """Return all agents that there are."""
        return agents_of(self.manager, config)

    @contextlib.contextmanager
    def bench(self, *, whole: bool = True) -> Iterator[tuple[Workbench, dict[str, str]]]:
        """Open the change for as long as the context lasts.

        Args:
            whole: Whether reviewers will read the content.

        Yields:
            The change with its excluded files marked, and the files that cannot be read, each with the reason.
        """
        opened = self.open()
        self.collected = opened.collected
        bench = None
        try:
            change, unreadable = self.prepare(opened, whole=whole)
            commits = self.commits(opened.collected)
            bench = Workbench(change, opened.content, self.config, Runner(), settings=self.settings, commits=commits)
            if self.repo is not None and opened.collected is not None:
                bench.change = with_tree(bench.change, tree_id(self.repo, opened.collected))
            yield bench, unreadable
        finally:
            if bench is not None:
                bench.close()
            else:
                opened.content.close()

    def open(self) -> Opened:
        """Open the change; its content is to be closed."""
        if self.options["diff"] is not None or self.repo is None:
            return open_patch(self.options["diff"], self.paths)
        return open_change(
            self.repo,
            Request(
                base=self.options["base"] if self.options["base"] is not None else self._configured_base(),
                head=self.options["head"],
                staged=self.options["staged"],
                commit=self.options["commit"],
                range=self.options["range_"],
                paths=self.paths_from_root,
                merge=self.merge,
            ),
            attributes=self.attributes,
            tells_left_out=not self.hook,
        )

    def _configured_base(self) -> str | None:
        elsewhere = self.options["staged"] or self.options["commit"] or self.options["range_"]
        return None if elsewhere else self.config["base"] or None

    def prepare(self, opened: Opened, *, whole: bool) -> tuple[Change, dict[str, str]]:
        """Mark the files of a change that are not reviewed.

        Returns:
            The change, and the files that cannot be read, each with the reason.
        """

        change = self.reconsider(mark_by_name(opened.change, self.config["exclude"], self._ignored), opened)
        change, unreadable = mark_by_content(change, opened.content, self.config["max_file_bytes"], whole=whole)
        return self.reconsider(change, opened), unreadable

    def _ignored(self, file: ChangedFile) -> str | None:
        """Return why a plugin says that a file is not reviewed, or None.

        Raises:
            PluginError: If it says what is none.
        """
        reason = self.manager.call("selfreview_ignore_file", file=file, config=self.config)
        if reason is not None and not (isinstance(reason, str) and reason.strip()):
            raise PluginError(
                f"a plugin answered selfreview_ignore_file with {reason!r}",
                hint="answer the reason as text, or None",
            )
        return reason or None

    def commits(self, collected: Collected | None) -> Commits | None:
        """Return the commits that are reviewed one by one, or None where there are none."""
        if self.repo is None or collected is None or not collected.resolved.commits:
            return None
        patterns = tuple(self.config["exclude"])
        matches = matcher(patterns)

        def excluded(file: ChangedFile) -> str | None:
            return BY_CONFIGURATION if matches(file.path) else self._ignored(file)

        return Commits(self.repo, collected, excluded, self.paths_from_root, (*patterns, self.stage))

    def reconsider(self, change: Change, opened: Opened) -> Change:  # noqa: ARG002 - for whoever overrides it
        """Return the change with files that are reviewed in spite of exclusions; here there are none."""
        return change
