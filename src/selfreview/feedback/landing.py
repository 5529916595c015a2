"""How a fix gets from a kept patch to the remote: applied, committed, pushed, each step found again after a kill."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from selfreview.errors import (
    ApplyError,
    CycleError,
    GitError,
    NotFreeError,
    SelfreviewError,
    StoreError,
    UsageError,
)
from selfreview.feedback.branch import Branch
from selfreview.feedback.last_words import way_out
from selfreview.feedback.leftover import as_applied, left_over, put_back
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
        """Return those that are here alone and still to be pushed, oldest first.

        One that the remote had once was taken off it by somebody, and one whose feedback is answered there is answered.
        """
        answered = {key for commit in self.pushed() for key in commit.keys}
        found = fix_commits(self._branch.repo.git, self._request, "HEAD", self._branch.tracking)
        return [one for one in found if not answered & set(one.keys) and not self._branch.was_there(one.sha)]

    def why_not_ours(self, ours: Sequence[FixCommit]) -> str | None:
        """Return why what is checked out is not for us to push, or None: it is free, and only fixes are ahead."""
        if (why := self._branch.why_not_free()) is not None:
            return why
        mine = {commit.sha for commit in ours}
        if any(sha not in mine and not self._branch.was_there(sha) for sha in self._branch.ahead()):
            return f"somebody works on {self._branch.name}: it has commits here that are not pushed"
        return None

    def recover(self) -> str | None:
        """Commit what a killed process put into the working tree and did not commit.

        Returns:
            Why it has to stay as it is, or None.

        Raises:
            CycleError: If the commit is refused; then the working tree is as it was.
        """
        try:
            pending = from_json(self._pending.read_bytes(), Pending)
        except FileNotFoundError:
            return None
        except (OSError, msgspec.MsgspecError):
            pending = None  # cut off while it was written: nothing was applied yet
        if (why := self._branch.why_locked()) is not None:
            return why
        if pending is not None and pending.request == self._request:
            head = self._branch.head()
            try:
                patch = self._patches.get(pending.patch)
            except UsageError:
                patch = None
            if patch is not None and pending.head == self._branch.parent(head) and self._is_there(patch):
                # Git was killed between the commit and the index, which still has what was before.
                self._branch.unstage([file.name for file in patch.manifest.files])
            elif patch is None or pending.head != head:
                pass  # it was committed, or somebody went on
            elif self._is_there(patch):
                self._commit(patch, pending.text)
            elif self._is_touched(patch):
                return "a fix that was cut off is in the working tree, and was edited since: commit it, or take it back"
        self._pending.unlink(missing_ok=True)
        return None

    def _is_touched(self, patch: Patch) -> bool:
        """Whether files of a patch are not as they are committed, and nothing else is."""
        dirty = set(self._branch.dirty())
        return bool(dirty) and dirty <= {file.name for file in patch.manifest.files}

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
            NotFreeError: If somebody works there by now.
            CycleError: If it cannot be applied, or the commit is refused; then the working tree is as it was.
        """
        if (why := self.why_not_ours(())) is not None:
            raise NotFreeError(why)
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
        head = self._branch.head()
        applied = as_applied(self._branch.repo.root, patch) if self._hooks else frozenset()
        try:
            sha = self._branch.commit(text, [file.name for file in patch.manifest.files], hooks=self._hooks)
            self._demand_trailers(sha, head)
        except CycleError as error:
            told = self._take_back(patch, applied, error.hint)
            raise CycleError(error.message, hint="; ".join(filter(None, (error.hint, *told)))) from error
        return sha

    def _demand_trailers(self, sha: str, head: str) -> None:
        """Refuse a commit whose message does not say any more what it answers: it would be made again and again."""
        if sha not in (one.sha for one in fix_commits(self._branch.repo.git, self._request, sha, head)):
            self._branch.uncommit(head)
            raise CycleError("a hook of the repository takes away what the message says of the fix")

    def _take_back(self, patch: Patch, applied: frozenset[str], said: str | None) -> list[str]:
        """Undo what was applied and cannot be committed, and what hooks made of that; return what is to be told of it.

        Args:
            patch: It.
            applied: The files that were as applied before hooks ran.
            said: What hooks said.
        """
        self._branch.unstage([file.name for file in patch.manifest.files])
        told: list[str] = []
        try:
            told = put_back(self._branch.repo, patch, applied)
            self._applier.undo(self._now())
        except (ApplyError, GitError, OSError) as error:
            why = error.message if isinstance(error, SelfreviewError) else f"a file cannot be written: {error}"
            hint = "; ".join(filter(None, (why, said, *told)))
            raise CycleError("the commit was refused, and the fix is still in the tree", hint=hint) from error
        self._pending.unlink(missing_ok=True)
        return [*told, *left_over(self._branch.dirty())]

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
        for attempt in range(3):
            seen = self._branch.seen()
            if self._branch.parent(commit.sha) != seen:
                commit, seen = self._on_top(commit, checked), self._branch.seen()
            if (why := veto(commit.sha)) is not None:
                raise CycleError("a plugin stopped the push", hint=why)
            refused = self._branch.push(commit.sha, seen, hooks=self._hooks)
            self._branch.fetch()
            there = self._branch.seen()
            if self._branch.has(commit.sha, there):
                return commit
            if refused is None:
                raise CycleError("the remote does not have what was pushed", hint=refused)
            if attempt > 1 or there == self._branch.parent(commit.sha):  # nobody was faster: it is not wanted
                raise CycleError(f"the push was refused: {refused}", hint=way_out(self._branch.said))
        raise CycleError("somebody else keeps pushing to the branch")

    def _on_top(self, commit: FixCommit, checked: Callable[[], str | None]) -> FixCommit:
        """Return a commit again, on top of what the remote has by now; whatever else is here is not touched.

        Raises:
            NotFreeError: If somebody works in the tree by now, or has answered the same feedback.
            CycleError: If it does not fit there, or does not pass there.
        """
        if (why := self.why_not_ours([commit])) is not None:
            raise NotFreeError(why)
        if self._branch.head() != commit.sha:
            raise NotFreeError(f"somebody works on {self._branch.name}")
        others = {key for other in self.pushed() for key in other.keys}
        if others & set(commit.keys):
            self._branch.drop(self._branch.seen())
            raise NotFreeError("another selfreview has answered the same feedback; what was made here is dropped")
        self._branch.rebase(commit.sha)
        if (why := checked()) is not None:
            raise CycleError("the fix does not pass on top of what was pushed meanwhile", hint=why)
        again = self.unpushed()
        if len(again) != 1 or self._branch.ahead() != [again[0].sha]:
            raise NotFreeError(f"somebody works on {self._branch.name}")
        return again[0]


def subject(cycle: int, paths: Sequence[str]) -> str:
    """Return the first line of a fix commit's message."""
    names = ", ".join(visible(Path(path).name) for path in paths[:2])
    more = f" and {len(paths) - 2} more" if len(paths) > 2 else ""
    return f"Address review comments in {names}{more} (fix cycle {cycle})"
