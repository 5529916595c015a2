"""How a fix gets from a kept patch to the remote: applied, committed, pushed, each step found again after a kill."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from selfreview.errors import ApplyError, CycleError, StoreError, UsageError
from selfreview.feedback.branch import Branch
from selfreview.feedback.trailers import FixCommit, fix_commits
from selfreview.git.entry import read_file
from selfreview.loop.apply import Applier
from selfreview.loop.patches import Patch, PatchStore, replace_durably
from selfreview.model.wire import from_json, to_json
from selfreview.text.escape import visible


class Pending(msgspec.Struct, frozen=True, kw_only=True):
    """A fix that is about to be committed.

    Attributes:
        request: The pull request, as ``owner/name#5``.
        patch: Id of the patch.
        head: What was checked out.
        text: The message of the commit.
    """

    request: str
    patch: str
    head: str
    text: str


class Landing:
    """Lands fixes on one branch.

    Args:
        branch: It.
        patches: Where patches are kept.
        request: The pull request, as ``owner/name#5``.
        base: The remote-tracking ref of the base.
        hooks: Whether the repository's hooks run.
        now: Says the time, as results have it.
    """

    def __init__(
        self,
        branch: Branch,
        patches: PatchStore,
        request: str,
        base: str,
        *,
        hooks: bool,
        now: Callable[[], str],
    ) -> None:
        self._branch = branch
        self._applier = Applier(branch.repo, patches)
        self._patches = patches
        self._request = request
        self._base = base
        self._hooks = hooks
        self._now = now

    @property
    def _pending(self) -> Path:
        return self._branch.repo.git_dir / "selfreview" / "cycle.json"

    def pushed(self) -> list[FixCommit]:
        """Return the commits on the remote that answer feedback, oldest first; the branch was fetched before."""
        return fix_commits(self._branch.repo.git, self._request, self._branch.tracking, self._base)

    def unpushed(self) -> list[FixCommit]:
        """Return those that are here alone."""
        return fix_commits(self._branch.repo.git, self._request, "HEAD", self._branch.tracking)

    def recover(self) -> None:
        """Commit what a killed process put into the working tree and did not commit.

        Raises:
            CycleError: If the commit is refused; then the working tree is as it was.
        """
        try:
            pending = from_json(self._pending.read_bytes(), Pending)
        except FileNotFoundError:
            return
        except (OSError, msgspec.MsgspecError):
            pending = None  # cut off while it was written: nothing was applied yet
        if pending is not None and pending.request == self._request and pending.head == self._branch.head():
            try:
                patch = self._patches.get(pending.patch)
            except UsageError:
                patch = None
            if patch is not None and self._is_there(patch):
                self._commit(patch, pending.text)
        self._pending.unlink(missing_ok=True)

    def _is_there(self, patch: Patch) -> bool:
        """Whether the working tree differs from the commit by a patch and by nothing else."""
        files = {file.name: patch.entry(file.new) for file in patch.manifest.files}
        if set(self._branch.dirty()) != set(files):
            return False
        return all(read_file(self._branch.repo.root, path) == entry for path, entry in files.items())

    def commit(self, patch: Patch, text: str) -> str:
        """Put a patch into the clean working tree and commit it.

        Returns:
            The commit.

        Raises:
            CycleError: If it cannot be applied, or the commit is refused; then the working tree is as it was.
        """
        pending = Pending(request=self._request, patch=patch.id, head=self._branch.head(), text=text)
        self._pending.parent.mkdir(mode=0o700, exist_ok=True)
        replace_durably(self._pending, to_json(pending))
        try:
            self._applier.apply(patch, staged=False, at=self._now())
        except (ApplyError, StoreError) as error:
            self._pending.unlink(missing_ok=True)
            raise CycleError(
                f"the fix cannot be put into the working tree: {error.message}", hint=error.hint
            ) from error
        sha = self._commit(patch, text)
        self._pending.unlink(missing_ok=True)
        return sha

    def _commit(self, patch: Patch, text: str) -> str:
        try:
            return self._branch.commit(text, [file.name for file in patch.manifest.files], hooks=self._hooks)
        except CycleError:
            self._take_back(patch)
            raise

    def _take_back(self, patch: Patch) -> None:
        """Undo what was applied and cannot be committed."""
        self._branch.unstage([file.name for file in patch.manifest.files])
        try:
            self._applier.undo(self._now())
        except ApplyError as error:
            self._pending.unlink(missing_ok=True)
            raise CycleError(f"the commit was refused, and the fix is still in the tree: {error.message}") from error

    def push(
        self, commit: FixCommit, checked: Callable[[], str | None], veto: Callable[[str], str | None]
    ) -> FixCommit:
        """Push a commit that is checked out; put it on top of what others pushed meanwhile.

        Args:
            commit: It.
            checked: Runs the project's checks on what is checked out, and says what fails.
            veto: Asks plugins, about a commit.

        Returns:
            It, as it was pushed.

        Raises:
            CycleError: If it cannot be pushed, or somebody else has answered the same feedback.
        """
        for attempt in range(2):
            if (why := veto(commit.sha)) is not None:
                raise CycleError(f"a plugin stopped the push: {why}")
            refused = self._branch.push(commit.sha, hooks=self._hooks)
            self._branch.fetch()
            there = self._branch.there()
            if there is not None and self._branch.has(commit.sha, there):
                return commit
            if refused is None or there is None:
                raise CycleError(refused or f"{self._branch.remote} does not have what was pushed")
            if attempt or self._branch.has(there, commit.sha):  # nobody was faster: the remote does not want it
                raise CycleError(f"the push was refused: {refused}")
            commit = self._on_top(commit, there, checked)
        raise CycleError("somebody else keeps pushing to the branch")

    def _on_top(self, commit: FixCommit, there: str, checked: Callable[[], str | None]) -> FixCommit:
        """Return a commit again, on top of what somebody pushed meanwhile."""
        others = {key for other in self.pushed() for key in other.keys}
        if others & set(commit.keys):
            self._branch.drop(there)
            raise CycleError("another selfreview has answered the same feedback; what was made here is dropped")
        self._branch.rebase()
        if (why := checked()) is not None:
            raise CycleError(f"the fix does not pass on top of what was pushed meanwhile: {why}")
        return commit._replace(sha=self._branch.head())


def subject(cycle: int, paths: Sequence[str]) -> str:
    """Return the first line of a fix commit's message."""
    names = ", ".join(visible(Path(path).name) for path in paths[:2])
    more = f" and {len(paths) - 2} more" if len(paths) > 2 else ""
    return f"Address review comments in {names}{more} (fix cycle {cycle})"
