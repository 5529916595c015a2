"""Apply a kept patch to the person's tree, and undo it: each file whole, the set completed or rolled back.

A journal names the patch before the first file is touched, and goes when the last is done. A process that is killed in
between leaves it, and the next command completes the set; where the person has edited one of the files meanwhile, it
puts the others back, and says so. A file is replaced by renaming a finished one over it: it is old or new at any time.
"""

from __future__ import annotations

import contextlib
import functools
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import msgspec

from selfreview.apply import JOURNAL
from selfreview.apply.file_swap import FileSwap, belongs, recorded
from selfreview.apply.journal import Journal, Recovery, read_journal
from selfreview.apply.patches import Patch, PatchStore, replace_durably
from selfreview.apply.staging import clear_index_lock, committed, indexed, stage, unstage
from selfreview.errors import ApplyError, SelfreviewError, UsageError
from selfreview.git.repo import Repo
from selfreview.git.revisions import commit_of, current_branch
from selfreview.model.wire import display_path, to_json
from selfreview.text.layout import listing

_STAGED_SINCE = "it holds something else by now"
_LATER = "the journal is kept: once that is fixed, 'selfreview status' completes it or undoes it"


Deferral = Callable[[str], contextlib.AbstractContextManager[object]]
"""Defers what asks the program to end for as long as a context lasts; given a hint on what is done all the same."""


class Applier:
    """Applies patches to one working tree.

    Args:
        repo: The person's repository.
        patches: Where patches are kept.
        uninterrupted: Defers interrupts while files are written.

    Attributes:
        patches: Where patches are kept.
        unstaged: Why the index was left alone where the last apply was to stage, or the last undo to take that back,
            by path.
        committed: The files of the last undo whose refined content was committed since: commit and index keep it.
    """

    def __init__(self, repo: Repo, patches: PatchStore, uninterrupted: Deferral) -> None:
        self._repo = repo
        self.patches = patches
        self._uninterrupted = uninterrupted
        self._folder = repo.git_dir / "selfreview"
        self.unstaged: dict[str, str] = {}
        self.committed: list[str] = []

    @property
    def _journal(self) -> Path:
        return self._folder / JOURNAL

    @property
    def _last(self) -> Path:
        return self._folder / "applied.json"

    @property
    def _root(self) -> str | None:
        """The top level of a tree that its git directory does not belong to, as with ``GIT_WORK_TREE``; else None.

        Such a tree is known by its path. One's own may be moved or copied, with what was applied there.
        """
        root, git_dir = self._repo.root, self._repo.git_dir
        return None if belongs(root, git_dir) else display_path(str(root))

    @property
    def interrupted(self) -> bool:
        """Return whether an earlier apply was interrupted."""
        return self._journal.exists()

    def applied(self) -> Journal | None:
        """Return what was applied last and can be undone, or None."""
        return read_journal(self._last)

    def moved(self, patch: Patch) -> list[str]:
        """Return the files that are not what they were when the patch was made, so that it cannot be applied."""
        swap = self._swap(patch)
        return sorted(step.path for step in swap.steps(undo=False) if not swap.stands(step.path, step.old))

    def apply(self, patch: Patch, *, staged: bool, at: str) -> None:
        """Apply a patch, all of it or nothing.

        Raises:
            ApplyError: If a file is not what it was, or another process applies one, or a file cannot be written.
            StoreError: If what was kept is damaged.
        """
        swap = self._swap(patch)
        there = {number: swap.permissions(file.name) for number, file in enumerate(patch.manifest.files)}
        known = {number: bits for number, bits in there.items() if bits is not None}
        head = commit_of(self._repo.git, "HEAD") or ""
        journal = Journal(
            patch=patch.id,
            undo=False,
            staged=staged,
            at=at,
            permissions=known,
            head=head,
            root=self._root,
            branch=display_path(current_branch(self._repo.git) or ""),
        )
        folders = recorded(self._repo.root, (file.name for file in patch.manifest.files))
        self._begin(patch, msgspec.structs.replace(journal, folders=folders))

    def undo(self, at: str) -> Patch:
        """Undo the last apply, all of it or nothing.

        Raises:
            ApplyError: If nothing was applied, or a file was edited since.
            StoreError: If what was kept is damaged.
        """
        last = self.applied()
        if last is None:
            raise ApplyError("there is nothing to undo here", hint="first: selfreview apply")
        if last.root != self._root:
            where = f"in another working tree: {last.root}" if last.root else "in the working tree of this repository"
            raise ApplyError(f"what was applied last was applied {where}")
        patch = self.patches.get(last.patch)
        files = {file.name: patch.entry(file.new) for file in patch.manifest.files}
        kept = committed(self._repo.git, last.head, files)
        done = self._begin(patch, msgspec.structs.replace(last, undo=True, at=at), kept)
        self.committed = list(kept)
        self.unstaged |= {path: _STAGED_SINCE for path in _by_path(patch, last) if path not in _by_path(patch, done)}
        self.unstaged = {path: why for path, why in self.unstaged.items() if path not in kept}
        return patch

    def recover(self) -> Recovery | None:
        """Complete or roll back an interrupted apply or undo; None where there is none, or its process still runs.

        Raises:
            ApplyError: If that cannot be done.
        """
        if not self.interrupted:
            return None
        with self._locked(wait=False) as own:
            journal = read_journal(self._journal) if own else None
            if journal is None or journal.root != self._root:
                return None  # one git directory may have several trees: it is completed where it was begun
            try:
                patch = self.patches.get(journal.patch)
            except UsageError as error:
                why = f"{self._journal} is of {journal.patch}, which is not kept any more"
                raise ApplyError(why, hint="look at your tree, and remove that file") from error
            if self._is_over(journal):
                try:
                    self._journal.unlink(missing_ok=True)
                except OSError as error:
                    raise ApplyError(f"the journal of what is done cannot be removed: {error}") from error
                return Recovery(journal, True, ())
            swap = self._swap(patch, journal)
            skipped = [
                step.path
                for step in swap.steps(undo=False)
                if not swap.stands(step.path, step.old) and not swap.stands(step.path, step.new)
            ]
            try:
                clear_index_lock(self._repo, self._folder)
                swap.clear()
                with self._uninterrupted("what an earlier command had begun has come to its end"):
                    if skipped:
                        skipped += self._roll_back(patch, swap, journal, skipped)
                    else:
                        self._perform(patch, swap, journal)
                    self._journal.unlink(missing_ok=True)
            except OSError as error:
                raise ApplyError(
                    f"the interrupted apply or undo cannot be completed: {_why(error)}", hint=_LATER
                ) from error
            return Recovery(journal, not skipped, tuple(skipped), self.unstaged)

    def _is_over(self, journal: Journal) -> bool:
        """Return whether only the removal of the journal is missing: edits since then are later work."""
        last = self.applied()
        return last is None if journal.undo else last == journal

    def _swap(self, patch: Patch, journal: Journal | None = None) -> FileSwap:
        if journal is None:
            return FileSwap(self._repo.root, patch, {}, modes=self._modes)
        return FileSwap(self._repo.root, patch, journal.permissions, journal.folders, modes=self._modes)

    @functools.cached_property
    def _modes(self) -> bool:
        """Whether git looks at the modes of files."""
        return self._repo.git.line(["config", "--type=bool", "--get", "core.fileMode"]) != "false"

    def _begin(self, patch: Patch, journal: Journal, kept: Mapping[str, str] = MappingProxyType({})) -> Journal:
        """Apply a patch, but leave the index of some files as given, by path; return the journal."""
        with self._locked(wait=True):
            if self._journal.exists():
                raise ApplyError("an earlier apply was interrupted", hint="'selfreview status' completes it")
            swap = self._swap(patch, journal)
            moved = [s.path for s in swap.steps(undo=journal.undo) if not swap.stands(s.path, s.old)]
            if moved:
                raise _refusal(patch, journal, sorted(moved))
            if journal.staged:
                names = [file.name for file in patch.manifest.files]
                index = self._index(patch, swap, undo=journal.undo)
                index = {number: entry for number, entry in index.items() if kept.get(names[number]) != entry}
                journal = msgspec.structs.replace(journal, index=index)
            back = "'selfreview apply' puts it in again" if journal.undo else "'selfreview undo' takes it back"
            with self._uninterrupted(f"the {'undo' if journal.undo else 'apply'} was done all the same; {back}"):
                try:  # held off already: an interrupt as it is written would leave it behind
                    replace_durably(self._journal, to_json(journal))
                except OSError as error:
                    raise ApplyError(f"the journal cannot be written: {error.strerror or error}") from error
                try:
                    self._perform(patch, swap, journal)
                except (SelfreviewError, OSError) as error:
                    what = _why(error)
                    try:
                        blocked = self._roll_back(patch, swap, journal, [])
                    except (SelfreviewError, OSError) as second:
                        what = f"{what}, nor can it be taken back now: {_why(second)}"
                        raise ApplyError(what, hint=_LATER) from error
                    self._journal.unlink(missing_ok=True)
                    outcome = f"it is undone except for {named(blocked)}" if blocked else "nothing was changed"
                    raise ApplyError(f"{what}; {outcome}") from error
                self._journal.unlink(missing_ok=True)
        return journal

    def _perform(self, patch: Patch, swap: FileSwap, journal: Journal) -> None:
        steps = swap.steps(undo=journal.undo)
        for step in steps:
            swap.put(step)
        if journal.undo:
            swap.put_back_folders()
        if journal.staged:
            new = {step.path: patch.entry(step.new) for step in steps}
            mine = _by_path(patch, journal)
            skipped = stage(self._repo, self._folder, mine, new)
            self.unstaged = {path: why for path, why in skipped.items() if path in mine} if journal.undo else skipped
        if journal.undo:
            self._last.unlink(missing_ok=True)
        else:
            replace_durably(self._last, to_json(journal))

    def _roll_back(self, patch: Patch, swap: FileSwap, journal: Journal, skipped: Sequence[str]) -> list[str]:
        """Put every file back that was changed already, and what was staged of it; return those without room."""
        blocked = []
        steps = swap.steps(undo=journal.undo)
        for step in reversed(steps):
            if step.path in skipped or step.old == step.new or not swap.stands(step.path, step.new):
                continue
            if step.new is None and not swap.has_room(step.path):
                blocked.append(step.path)
            else:
                swap.put(step.reversed())
        if not journal.undo:
            swap.put_back_folders()
        if journal.staged:
            new = {step.path: patch.entry(step.new) for step in steps}
            unstage(self._repo, self._folder, _by_path(patch, journal), new)
        return blocked

    def _index(self, patch: Patch, swap: FileSwap, *, undo: bool) -> dict[int, str]:
        """Return what the index holds of the files that are staged as they are in the tree."""
        steps = swap.steps(undo=undo)
        entries = indexed(self._repo.git, {step.path: patch.entry(step.old) for step in steps})
        return {step.number: entries[step.path] for step in steps if step.path in entries}

    @contextlib.contextmanager
    def _locked(self, *, wait: bool) -> Iterator[bool]:
        """Hold the lock of this working tree; yield whether it could be had."""
        import filelock

        lock = filelock.FileLock(self._folder / "apply.lock", timeout=10 if wait else 0)
        try:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            lock.acquire()
        except filelock.Timeout:
            if wait:
                raise ApplyError("another selfreview is applying a patch here") from None
            yield False
            return
        except OSError as error:
            why = f"git's folder cannot be written ({error.strerror or type(error).__name__})"
            raise ApplyError(why, hint=f"make {display_path(str(self._folder))} writable") from error
        try:
            yield True
        finally:
            lock.release()


def _by_path(patch: Patch, journal: Journal) -> dict[str, str]:
    """Return what the index held of the files that are staged, by path."""
    return {patch.manifest.files[number].name: entry for number, entry in journal.index.items()}


def _why(error: SelfreviewError | OSError) -> str:
    return error.message if isinstance(error, SelfreviewError) else f"a file cannot be written: {error}"


def named(paths: Sequence[str]) -> str:
    """Return paths to be shown, the first three of them."""
    return listing(map(display_path, paths), 3)


def _refusal(patch: Patch, journal: Journal, moved: Sequence[str]) -> ApplyError:
    what = "it was applied" if journal.undo else "it was reviewed"
    reverse = " --reverse" if journal.undo else ""
    return ApplyError(
        f"{listing(map(display_path, moved), 1)} is not what it was when {what}; nothing was changed",
        # Not --3way, which refuses what differs from the index: work that is not committed, as this is.
        hint=f"by hand, what still fits: git apply{reverse} --reject {shlex.quote(str(patch.file))}",
    )
