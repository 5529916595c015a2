"""What a fix cycle does on this machine: the working tree, the model, the fixers, the checks."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from selfreview.api import Analysis, ChangeRequest, CreatesRequests, Cycle, Document, Feedback, FeedbackItem, Judged
from selfreview.cli import console
from selfreview.cli.common import Session, find_repo, open_store
from selfreview.cli.forge import Place, is_of
from selfreview.cli.pr_away import away
from selfreview.cli.pr_fixing import FeedbackRun, occasion
from selfreview.cli.pr_may_read import nobody, saying, why_not
from selfreview.cli.pr_reading import ModelReader
from selfreview.cli.pr_requirements import requirements_of
from selfreview.cli.pr_tree import tree_of
from selfreview.cli.session import patches_folder
from selfreview.errors import CycleError, NotHereError, SelfreviewError
from selfreview.feedback.analysis import analyse
from selfreview.feedback.branch import Branch
from selfreview.feedback.issues import as_issues, key_of
from selfreview.feedback.landing import Landing
from selfreview.feedback.marks import block_key
from selfreview.feedback.pushing import demand_one_place
from selfreview.feedback.remembering import Remembering
from selfreview.feedback.seams import Fixed
from selfreview.feedback.trust import Policy
from selfreview.git.entry import read_file
from selfreview.git.names import only_commit
from selfreview.loop.patches import PatchStore
from selfreview.model.change import path_bytes
from selfreview.store.runs import utc_now


class LocalWorkshop:
    """Works in the working trees of the person's repository; moves the process into the one of the branch.

    Args:
        session: The configuration.
        place: The forge.
        own: Whether the pull request is the person's own: then their working tree's configuration counts.
        options: The command's options.
    """

    def __init__(self, session: Session, place: Place, *, own: bool, options: Mapping[str, Any]) -> None:
        assert session.repo is not None  # noqa: S101 - there is a forge
        self._session = session
        self._repo = session.repo
        self._place = place
        self._own = own
        self._options = options

    def branch(self, request: ChangeRequest) -> Branch:
        """Return the pull request's branch in its working tree.

        Raises:
            NotHereError: If no working tree has it.
            CycleError: If it is another repository's, or would be pushed to one, or is the default branch.
            ForgeError: If the forge cannot be asked which one that is.
        """
        if not request.same_repository:
            where = request.head_repository or "a repository that is gone"
            may = "people who may write here can push there" if request.may_push else "its author alone can push there"
            raise CycleError(f"the branch is in {where}, where nothing is pushed by selfreview: {may}")
        config = self._session.loaded.config
        if config["feedback.max_fix_cycles"]:  # else nothing is pushed
            if not config["feedback.fix_default_branch"]:
                self._demand_other_than_default(request)
            demand_one_place(self._repo, self._place.remote, lambda url: is_of(self._place, url, config))
        recreate = config["feedback.recreate_worktree"]
        folder = tree_of(self._repo, self._place.remote, request.head, recreate=recreate)
        os.chdir(folder)
        repo = find_repo()
        if repo.root.resolve() != Path(folder).resolve():
            raise NotHereError(f"{folder} is no working tree any more")
        return Branch(repo, self._place.remote, request.head, os.environ)

    def _demand_other_than_default(self, request: ChangeRequest) -> None:
        """Refuse the branch that others start from: what is pushed there is merged already.

        Raises:
            CycleError: If it is that.
            ForgeError: If the forge cannot be asked.
        """
        connection = self._place.connection
        if isinstance(connection, CreatesRequests) and connection.default_branch() == request.head:
            raise CycleError(
                f"{request.head} is the repository's default branch, where nothing is pushed by selfreview",
                hint="feedback.fix_default_branch = true allows it",
            )

    def landing(self, branch: Branch, request: ChangeRequest) -> Landing:
        """Return what lands fixes there."""
        return Landing(
            branch,
            PatchStore(patches_folder(branch.repo)),
            f"{self._place.location.path}#{request.number}",
            self._base(request),
            hooks=self._own,
            now=utc_now,
        )

    def _base(self, request: ChangeRequest) -> str:
        return f"refs/remotes/{self._place.remote}/{request.base}"

    def analyse(
        self,
        feedback: Feedback,
        policy: Policy,
        handled: frozenset[str],
        anew: frozenset[str] = frozenset(),
        *,
        asks: bool = True,
    ) -> Analysis:
        """Say what feedback means; with ``asks=False`` without a model."""
        loaded = self._session.loaded

        def plugin(item: FeedbackItem) -> Judged | None:
            answer: Judged | None = loaded.manager.call("selfreview_classify_feedback", item=item, config=loaded.config)
            return answer

        unread = why_not(self._session, self._options.get("fixers", ()))
        if unread is not None or not asks:
            reads = saying(unread) if unread is not None else nobody
            return analyse(feedback, policy, handled, plugin=plugin, reader=reads)
        name = f"{self._place.name}#{feedback.request.number}"
        with open_store(self._repo) as store:
            asked = ModelReader(loaded.config, feedback, self._requirements(feedback.request))
            reader = Remembering(asked, store.cache, name, about=asked.about, anew=anew, note=console.warn)
            return analyse(feedback, policy, handled, plugin=plugin, reader=reader)

    def _requirements(self, request: ChangeRequest) -> list[Document]:
        return requirements_of(self._repo, self._session.loaded.config["requirements"], self._base(request))

    def fix(self, branch: Branch, work: Sequence[Judged]) -> Fixed:
        """Have it fixed in a workspace."""
        request = self._request
        base = self._base(request)
        issues = as_issues(work, lambda commit, path: _read(branch, commit, path), _renames(branch, base, work))
        prompt = self._session.loaded.config["feedback.prompt"]
        read = {key_of(issue) for issue in issues if not issue.edits}
        told = [one for one in work if read & {one.item.key, block_key(one.item.key)}]
        run = FeedbackRun(
            base,
            issues,
            occasion(request.number, request.url, told, prompt),
            self._options,
            base_settings=None if self._own else only_commit(branch.repo.git, base),
        )
        try:
            run.execute()
        except SelfreviewError as error:
            if (why := away(error)) is not None:
                return Fixed(patch=None, away=why)
            return Fixed(patch=None, why=(f"{error.message}{f' ({error.hint})' if error.hint else ''}",))
        return run.fixed

    def begin(self, request: ChangeRequest) -> None:
        """Say which pull request it is about."""
        self._request = request

    def check(self, branch: Branch) -> str | None:
        """Review and check what is checked out; say what is wrong, or None."""
        from selfreview.cli.pr_checking import CheckRun

        request = self._request
        trusted = None if self._own else only_commit(branch.repo.git, self._base(request))
        run = CheckRun(self._base(request), self._options, base_settings=trusted)
        run.execute()
        return run.why

    def veto(self, cycle: Cycle) -> str | None:
        """Ask plugins whether a commit may be pushed."""
        loaded = self._session.loaded
        answer = loaded.manager.call("selfreview_before_push", cycle=cycle, config=loaded.config)
        return None if answer is None else str(answer)


def _read(branch: Branch, commit: str | None, path: str) -> bytes | None:
    if commit is None:
        try:
            entry = read_file(branch.repo.root, path)
        except OSError:
            return None
        return entry.data if entry is not None else None
    if len(commit) < 40 or not set(commit) <= set("0123456789abcdef"):
        return None
    done = branch.repo.git.call([b"cat-file", b"blob", commit.encode() + b":" + path_bytes(path)])
    return done.stdout if done.returncode == 0 else None


def _renames(branch: Branch, base: str, work: Sequence[Judged]) -> dict[str, str]:
    """Return what files that were commented on are called now, where they were renamed since."""
    from selfreview.git.rawdiff import DIFF_OPTIONS, parse

    found: dict[str, str] = {}
    for one in work:
        spot = one.item.spot
        if spot is None or spot.path in found or _read(branch, None, spot.path) is not None:
            continue
        for commit in dict.fromkeys(c for c in (spot.commit, spot.original_commit, base) if c):
            done = branch.repo.git.call(["diff", *DIFF_OPTIONS, commit, "HEAD", "--"])
            files = parse(done.stdout).files if done.returncode == 0 else []
            new = next((file.path for file in files if file.old_path == spot.path), None)
            if new is not None:
                found[spot.path] = new
                break
    return found
