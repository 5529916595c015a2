"""Landing of a fix, from a kept patch to the remote: applied, committed, pushed, each step found again after a kill."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from selfreview.apply import CYCLE
from selfreview.apply.applier import Applier
from selfreview.apply.patches import Patch, replace_durably
from selfreview.errors import (
    ApplyError,
    CycleError,
    GitError,
    NotFreeError,
    SelfreviewError,
    StoreError,
    UsageError,
)
from selfreview.git.repo import Repo
from selfreview.git.worktree_files import LINK, read_file, write_file
from selfreview.model.wire import display_path, from_json, to_json
from selfreview.pullrequest.feedback.suggestions import split
from selfreview.pullrequest.git.branch import Branch
from selfreview.pullrequest.git.remotes import way_out
from selfreview.pullrequest.git.trailers import FixCommit, fix_commits, read_message
from selfreview.pullrequest.git.transient_errors import transient_reason


class Pending(msgspec.Struct, frozen=True, kw_only=True):
    """A fix that is about to be committed.

    Attributes:
        request: The pull request, as ``owner/name#5``.
        patch: Id of the patch.
        head: What was checked out.
        text: The message of the commit.
        waits: Whether it is not in the working tree: it could not be committed for now.
    """

    request: str
    patch: str
    head: str
    text: str
    waits: bool = False


class Kept:
    """State of a landing, kept for one working tree."""

    def __init__(self, git_dir: Path) -> None:
        self._folder = git_dir / "selfreview"

    @property
    def _pending(self) -> Path:
        return self._folder / CYCLE

    @property
    def _passed(self) -> Path:
        return self._folder / "cycle-passed"

    def begin(self, pending: Pending) -> None:
        """Record that a fix is about to be put into the working tree and committed."""
        self._folder.mkdir(mode=0o700, exist_ok=True)
        replace_durably(self._pending, to_json(pending))

    def pending(self) -> Pending | None:
        """Return the fix that was begun and not ended; None too where the record is cut off."""
        try:
            return from_json(self._pending.read_bytes(), Pending)
        except (OSError, msgspec.MsgspecError):
            return None  # nothing was applied yet

    def end(self) -> None:
        """Remove the record of the begun fix."""
        self._pending.unlink(missing_ok=True)

    def passed(self, commit: str) -> None:
        """Record that a commit has passed the project's checks."""
        self._folder.mkdir(mode=0o700, exist_ok=True)
        replace_durably(self._passed, commit.encode("ascii"))

    def has_passed(self, commit: str) -> bool:
        """Return whether a commit is recorded as having passed the project's checks; without a record it has not."""
        try:
            return self._passed.read_bytes() == commit.encode("ascii")
        except OSError:
            return False


_MAX_PUSHES = 3


class Landing:
    """Lands fixes on one branch.

    Args:
        branch: The branch of the pull request.
        applier: Applies them, and keeps them as patches.
        request: The pull request, as ``owner/name#5``.
        base: The remote-tracking ref of the base.
        hooks: Whether the repository's hooks run.
        now: Says the time, as results have it.
    """

    def __init__(
        self,
        branch: Branch,
        applier: Applier,
        request: str,
        base: str,
        *,
        hooks: bool,
        now: Callable[[], str],
    ) -> None:
        self._branch = branch
        self._applier = applier
        self._kept = Kept(branch.repo.git_dir)
        self._request = request
        self._base = base
        self._hooks = hooks
        self._now = now

    def pushed(self) -> list[FixCommit]:
        """Return the commits on the remote that answer feedback, oldest first; the branch was fetched before."""
        return fix_commits(self._branch.repo.git, self._request, self._branch.tracking, self._base)

    def unpushed(self) -> list[FixCommit]:
        """Return the local fix commits still to be pushed, oldest first.

        One that the remote had once was taken off it by somebody, and one whose feedback is answered there is answered.
        """
        answered = {key for commit in self.pushed() for key in commit.keys}
        found = fix_commits(self._branch.repo.git, self._request, "HEAD", self._branch.tracking)
        return [new for new in found if not answered & set(new.keys) and not self._branch.was_there(new.sha)]

    def why_not_ours(self, ours: Sequence[FixCommit]) -> str | None:
        """Return why we must not push the checked-out commits, or None: the tree is free, and only fixes are ahead."""
        if (why := self._branch.why_not_free()) is not None:
            return why
        mine = {commit.sha for commit in ours}
        if any(sha not in mine and not self._branch.was_there(sha) for sha in self._branch.ahead()):
            return f"somebody works on {self._branch.name}: it has commits here that are not pushed"
        return None

    def recover(self, is_withdrawn: Callable[[Sequence[str]], bool]) -> str | None:
        """Commit the changes of a killed process that it did not commit, or undo them; commit a fix that waits.

        What it made for another pull request of the branch is taken back: that one may be closed by now.

        Args:
            is_withdrawn: Returns whether feedback, by its keys, is not asked for any more.

        Returns:
            Why it has to stay as it is, or None.

        Raises:
            CycleError: If the commit is refused; then the working tree is as it was.
        """
        pending = self._kept.pending()
        if (why := self._branch.why_locked()) is not None:
            return why
        if pending is not None:
            try:
                patch = self._applier.patches.get(pending.patch)
            except UsageError:
                patch = None
            if patch is not None and pending.waits:
                self._again(pending, patch, is_withdrawn)
            elif patch is not None and (why := self._go_on(pending, patch)) is not None:
                return why
        self._kept.end()
        return None

    def _again(self, pending: Pending, patch: Patch, is_withdrawn: Callable[[Sequence[str]], bool]) -> None:
        """Commit a fix that waits, where it is still wanted on what is checked out."""
        fix = read_message("", pending.text, self._request)
        answered = {key for commit in self.pushed() for key in commit.keys}
        if fix is None or self._branch.head() != pending.head or answered & set(fix.keys) or is_withdrawn(fix.keys):
            return
        self.commit(patch, pending.text)

    def _go_on(self, pending: Pending, patch: Patch) -> str | None:
        """Finish a begun landing of a patch; return why it has to stay as it is, or None."""
        head = self._branch.head()
        committed = pending.head == self._branch.parent(head)
        if committed and (self._is_there(patch) or head in (commit.sha for commit in self.unpushed())):
            # Git was killed between the commit and the index, which still has what was before.
            self._branch.unstage([file.name for file in patch.manifest.files])
        if not self._is_there(patch):
            if pending.head == head and self._is_touched(patch):
                return "a fix that was cut off is in the working tree, and was edited since: commit it, or take it back"
            return None
        if pending.head != head or pending.request != self._request:
            return self._give_back(pending, patch, head)
        self._commit(patch, pending)
        return None

    def _give_back(self, pending: Pending, patch: Patch, head: str) -> str | None:
        """Undo an applied, uncommitted patch in the working tree; return why it stays, or None."""
        files = [file.name for file in patch.manifest.files]
        stays = f"a fix for {pending.request} that was cut off is in the working tree: commit it, or take it back"
        last = self._applier.applied()
        if last is None or last.patch != patch.id or not self._branch.same(pending.head, head, files):
            return stays
        self._branch.unstage(files)
        try:
            self._applier.undo(self._now())
        except (ApplyError, StoreError):
            return stays
        return None

    def _is_touched(self, patch: Patch) -> bool:
        """Return whether the uncommitted changes are in files of a patch, and in no others."""
        dirty = set(self._branch.dirty())
        return bool(dirty) and dirty <= {file.name for file in patch.manifest.files}

    def _is_there(self, patch: Patch) -> bool:
        """Return whether the working tree differs from the commit by a patch and by nothing else."""
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
        self._kept.begin(pending)
        try:
            self._applier.apply(patch, staged=False, at=self._now())
        except (ApplyError, StoreError) as error:
            self._end_or_wait(pending, error)
            if (why := transient_reason(error)) is not None:
                raise NotFreeError(f"the fix cannot be put into the working tree: {why}", hint=error.message) from error
            raise CycleError(
                f"the fix cannot be put into the working tree: {error.message}", hint=error.hint
            ) from error
        sha = self._commit(patch, pending)
        self._kept.end()
        return sha

    def _end_or_wait(self, pending: Pending, error: SelfreviewError) -> None:
        """Keep a fix whose commit failed, for the next cycle, where the failure passes; else forget it."""
        if isinstance(error, NotFreeError) or transient_reason(error) is not None:
            self._kept.begin(msgspec.structs.replace(pending, waits=True))
        else:
            self._kept.end()

    def _commit(self, patch: Patch, pending: Pending) -> str:
        head = self._branch.head()
        applied = as_applied(self._branch.repo.root, patch) if self._hooks else frozenset()
        try:
            sha, is_as_given = self._branch.commit(
                pending.text, [file.name for file in patch.manifest.files], hooks=self._hooks
            )
            self._demand_trailers(sha, head)
        except (CycleError, GitError) as error:
            if isinstance(error, GitError) and self._branch.head() != head:
                raise  # git was ended when it had made the commit: the next cycle goes on with it
            notes = self._take_back(patch, applied, error)
            self._end_or_wait(pending, error)
            raise type(error)(error.message, hint="; ".join(filter(None, (error.hint, *notes)))) from error
        if is_as_given:
            self._kept.passed(sha)  # as the patch did
        return sha

    def taken_back(self, patch: Patch, places: Mapping[str, tuple[str, int, int]]) -> set[str]:
        """Return the keys of the feedback whose fixes hooks removed completely from the checked-out commit."""
        found = set()
        for file in patch.manifest.files:
            old, fixed = patch.entry(file.old), patch.entry(file.new)
            now = read_file(self._branch.repo.root, file.name)
            if now != fixed:
                texts = (*(entry.data if entry is not None else b"" for entry in (old, fixed, now)),)
                found |= {
                    k for k, (path, *lines) in places.items() if path == file.name and is_taken_back(texts, lines)
                }
        return found

    def commit_again(self, patch: Patch, sha: str, text: str) -> str:
        """Commit the content of a patch's commit again, with another message; return the commit.

        Raises:
            CycleError: If the commit is refused.
        """
        self._branch.uncommit(self._branch.parent(sha))
        files = frozenset(file.name for file in patch.manifest.files)
        paths = [path for path in self._branch.dirty() if path in files]
        try:
            return self._branch.commit(text, paths, hooks=self._hooks).sha
        except (CycleError, GitError) as error:
            self._take_back(patch, files, error)
            raise

    def _demand_trailers(self, sha: str, head: str) -> None:
        """Refuse a commit whose message no longer names the feedback it answers: it would be made again and again."""
        if sha not in (commit.sha for commit in fix_commits(self._branch.repo.git, self._request, sha, head)):
            self._branch.uncommit(head)
            raise CycleError("a hook of the repository takes away what the message says of the fix")

    def _take_back(self, patch: Patch, applied: frozenset[str], refused: SelfreviewError) -> list[str]:
        """Undo an applied patch that cannot be committed, and hooks' edits of it; return what to report of that."""
        self._branch.unstage([file.name for file in patch.manifest.files])
        notes: list[str] = []
        try:
            notes = put_back(self._branch.repo, patch, applied)
            self._applier.undo(self._now())
        except (ApplyError, GitError, OSError) as error:
            why = error.message if isinstance(error, SelfreviewError) else f"a file cannot be written: {error}"
            hint = "; ".join(filter(None, (why, refused.hint, *notes)))
            raise type(refused)("the commit was refused, and the fix is still in the tree", hint=hint) from error
        return [*notes, *left_over(self._branch.dirty())]

    def push(
        self, commit: FixCommit, checked: Callable[[], str | None], veto: Callable[[str], str | None]
    ) -> FixCommit:
        """Push a checked-out commit; rebase it onto commits that others pushed meanwhile.

        Args:
            commit: The checked-out commit.
            checked: Reviews what is checked out, runs the project's checks on it, and says what is wrong.
            veto: Asks plugins, about a commit.

        Returns:
            It, as it was pushed.

        Raises:
            CycleError: If it cannot be pushed, or somebody else has answered the same feedback.
        """
        for _ in range(_MAX_PUSHES):
            seen = self._branch.seen()
            if self._branch.parent(commit.sha) != seen:
                commit, seen = self._on_top(commit), self._branch.seen()
            if not self._kept.has_passed(commit.sha):
                self._check(commit, checked)
            if (why := veto(commit.sha)) is not None:
                raise CycleError("a plugin stopped the push", hint=why)
            pushed = self._branch.push(commit.sha, seen, hooks=self._hooks)
            try:
                self._branch.fetch()
            except GitError:
                if pushed.refused is not None:
                    raise
                return commit  # the remote said that it has it, and is away since
            there = self._branch.seen()
            if self._branch.has(commit.sha, there):
                return commit
            if pushed.refused is None:
                raise CycleError("the remote does not have what was pushed")
            if there == self._branch.parent(commit.sha):  # nobody was faster: it is not wanted
                if pushed.transient is not None:
                    raise NotFreeError(f"the push did not get through: {pushed.transient}", hint=pushed.output)
                raise CycleError(f"the push was refused: {pushed.refused}", hint=way_out(pushed.output))
        raise CycleError("somebody else keeps pushing to the branch")

    def _check(self, commit: FixCommit, checked: Callable[[], str | None]) -> None:
        """Require that a commit passes the self-review and the checks; discard one that fails: nothing pushes it later.

        Raises:
            NotFreeError: If somebody works in the tree by now.
            CycleError: If it does not pass.
        """
        why = checked() if self._branch.head() == commit.sha else None
        if (busy := self.why_not_ours([commit])) is not None or self._branch.head() != commit.sha:
            raise NotFreeError(busy or f"somebody works on {self._branch.name}")
        if why is not None:
            self._branch.drop(self._branch.parent(commit.sha))
            what = "with what hooks of the repository, or others who pushed, made of it"
            raise CycleError(f"the fix does not pass the self-review or the project's checks {what}", hint=why)
        self._kept.passed(commit.sha)

    def drop(self, commit: FixCommit) -> None:
        """Discard a checked-out commit that is not to be pushed any more.

        Raises:
            NotFreeError: If somebody works in the tree by now.
        """
        if (busy := self.why_not_ours([commit])) is not None or self._branch.head() != commit.sha:
            raise NotFreeError(busy or f"somebody works on {self._branch.name}")
        self.leave()

    def leave(self) -> None:
        """Discard the unpushed commits, which are all that is ahead, and check out the remote's state."""
        self._branch.drop(self._branch.seen())

    def _on_top(self, commit: FixCommit) -> FixCommit:
        """Return a commit rebased onto the remote's branch; nothing else here is touched.

        Raises:
            NotFreeError: If somebody works in the tree by now, or has answered the same feedback.
            CycleError: If it does not fit there; then it is discarded, so that the next one is made on what is there.
        """
        if (why := self.why_not_ours([commit])) is not None:
            raise NotFreeError(why)
        if self._branch.head() != commit.sha:
            raise NotFreeError(f"somebody works on {self._branch.name}")
        others = {key for other in self.pushed() for key in other.keys}
        if others & set(commit.keys):
            self.leave()
            raise NotFreeError("another selfreview has answered the same feedback; what was made here is dropped")
        try:
            self._branch.rebase(commit.sha)
        except NotFreeError:
            raise
        except CycleError:
            self.leave()
            raise
        again = self.unpushed()
        if len(again) != 1 or self._branch.ahead() != [again[0].sha]:
            raise NotFreeError(f"somebody works on {self._branch.name}")
        return again[0]


def as_applied(root: Path, patch: Patch) -> frozenset[str]:
    """Return the files of a patch that are in a tree as the patch has them."""
    files = {file.name: patch.entry(file.new) for file in patch.manifest.files}
    return frozenset(path for path, entry in files.items() if _is(root, path, entry))


def put_back(repo: Repo, patch: Patch, applied: Collection[str]) -> list[str]:
    """Restore files to the applied patch where they were changed since; git keeps the changed content.

    Args:
        repo: The repository whose files are restored.
        patch: What was applied.
        applied: The files that were as applied before hooks ran; what others are is somebody's work, and stays.

    Returns:
        Where what was made of them can be seen, as sentences.

    Raises:
        GitError: If it cannot be kept; then it stays where it is.
        OSError: If a file cannot be written.
    """
    notes = []
    for file in patch.manifest.files:
        entry = patch.entry(file.new)
        if file.name not in applied or _is(repo.root, file.name, entry):
            continue
        there = read_file(repo.root, file.name)
        if there is not None and there.mode != LINK:
            kept = repo.git.run(["hash-object", "-w", "--no-filters", "--stdin"], stdin=there.data).decode().strip()
            notes.append(f"what it made of {display_path(file.name)} is shown by: git cat-file -p {kept[:12]}")
        write_file(repo.root, file.name, entry)
    return notes


def left_over(dirty: Collection[str]) -> list[str]:
    """Return the report on uncommitted changes that remain though the fix is taken back."""
    if not dirty:
        return []
    first, *others = sorted(map(display_path, dirty))
    what = f"{first} and {len(others)} more were" if others else f"{first} was"
    return [f"{what} edited meanwhile, by the hook or by somebody, and left so"]


def is_taken_back(texts: Sequence[bytes], lines: Sequence[int]) -> bool:
    """Return whether nothing remains of a fix's edits at some lines; if it had none there, of all its edits.

    Args:
        texts: The file before the fix, with it, and with what hooks made of that.
        lines: The first and the last one, in the file before the fix; 0 for the whole file.
    """
    (old, fixed, now), (first, last) = texts, lines
    edits = list(_edits(old, fixed))
    here = [edit for edit in edits if first and _meet(edit, (first - 1, last))] or edits
    left = list(_edits(old, now))
    return bool(here) and not any(_meet(edit, other) for edit in here for other in left)


def _edits(old: bytes, new: bytes) -> Iterator[tuple[int, int]]:
    """Yield the ranges of edited lines, start included and end excluded; both are the same for an insertion."""
    matcher = difflib.SequenceMatcher(None, split(old), split(new), autojunk=False)
    return ((first, end) for kind, first, end, _, _ in matcher.get_opcodes() if kind != "equal")


def _meet(one: tuple[int, int], other: tuple[int, int]) -> bool:
    inserts = one[0] == one[1] or other[0] == other[1]
    return max(one[0], other[0]) < min(one[1], other[1]) + inserts


def _is(root: Path, path: str, entry: object) -> bool:
    try:
        return read_file(root, path) == entry
    except OSError:
        return False
