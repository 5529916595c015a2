"""Collect the change: run the diff, and correct what settings and attributes would hide.

Comparing makes git refresh the index and write it back, and untracked files must be in an index to take part in rename
detection. Both happen in a copy: the person's own index is never written.
"""

from __future__ import annotations

import dataclasses
import hashlib
import shutil
from collections.abc import Iterator
from pathlib import Path

import msgspec

from selfreview.errors import GitError
from selfreview.git import parse_diff
from selfreview.git.parse_diff import DIFF_OPTIONS, RawDiff
from selfreview.git.private_folder import PrivateFolder
from selfreview.git.repo import Repo
from selfreview.git.revisions import is_ancestor
from selfreview.git.run import Git, first_line, hint_of
from selfreview.git.scope import Resolved, ScopeRequest, resolve
from selfreview.git.worktree_files import is_special, read_entry
from selfreview.model.change import Change, ChangedFile, FileStatus, LeftOut, path_bytes, path_from_bytes

_SUBMODULE = "160000"
_TEXT_PROBE = 8000
"""Git looks at this many bytes for a NUL to tell binary from text (``buffer_is_binary``)."""


@dataclasses.dataclass(frozen=True)
class Collected:
    """A change and what is needed to read its content.

    Attributes:
        change: The files, none excluded yet but by what git itself cannot show.
        resolved: Both sides.
        diffs: What git printed; a later one wins for the paths that it holds.
        folder: A private folder with the copied index; removed by :meth:`close`.
        git: Git with the copied index where the working tree is reviewed.
        uncommitted: Paths with content not committed yet: of the change, and of files that are back at the base.
        elsewhere: How many files of the change are not under the paths given.
    """

    change: Change
    resolved: Resolved
    diffs: tuple[RawDiff, ...]
    git: Git
    folder: PrivateFolder
    uncommitted: frozenset[str] = frozenset()
    elsewhere: int = 0

    def compare_again(self, paths: list[str]) -> dict[str, str]:
        """Compare some paths of the working tree once more, and return the object ids of their current content."""
        names = [path_bytes(path) for path in paths]
        return parse_diff.parse(self.git.run(["diff", *_sides(self.resolved), "--", *names])).hashes

    def close(self) -> None:
        """Remove the private folder."""
        self.folder.cleanup()


def collect(repo: Repo, request: ScopeRequest, resolved: Resolved | None = None) -> Collected:
    """Collect what was asked for.

    Args:
        repo: The repository.
        request: What the person asked for.
        resolved: Both sides, where they are known already.

    Raises:
        GitError: If it cannot be determined or read in full.
    """
    resolved = resolved if resolved is not None else resolve(repo, request)
    # Asked before there is a private folder: TMPDIR may lie inside the repository.
    others = _untracked_files(repo.git) if resolved.new is None and not resolved.cached else ([], [])
    folder = PrivateFolder()
    try:
        return _collect(repo, request, resolved, others, folder)
    except BaseException:
        folder.cleanup()
        raise


def _collect(
    repo: Repo,
    request: ScopeRequest,
    resolved: Resolved,
    others: tuple[list[bytes], list[bytes]],
    folder: PrivateFolder,
) -> Collected:
    git, extra = repo.git, list[ChangedFile]()
    worktree = resolved.new is None and not resolved.cached
    if resolved.new is None:
        git = copy_index(repo, Path(folder.name))
    if worktree:
        untracked, embedded = others
        add_untracked(git, untracked, hashlib.new(repo.object_format, b"blob 0\0", usedforsecurity=False).hexdigest())
        extra = [_embedded(name) for name in embedded]
    diffs = [_diff(repo, git, resolved, extra)]
    hidden = _hidden_text(repo, git, resolved, diffs[0].files)
    if hidden:
        diffs.append(parse_diff.parse(git.run(["diff", "--text", *_sides(resolved), "--", *hidden])))
    files = {file.path: file for diff in diffs for file in diff.files}
    files.update((file.path, file) for file in extra)
    uncommitted = (
        frozenset(files) if resolved.cached else _uncommitted(git, resolved, files) if worktree else frozenset()
    )
    notes = resolved.scope.notes
    if worktree and (repo.root / ".gitmodules").exists():
        notes += _look_into_submodules(git, files)
    kept = [file for file in files.values() if is_wanted(file, request.paths)]
    elsewhere = len(files) - len(kept)
    if request.merge:
        notes += ("of this merge, only the files that are as in none of the merged commits were reviewed",)
    dirty, partial = any(f.path in uncommitted for f in kept), bool(request.paths) and not request.merge
    scope = msgspec.structs.replace(resolved.scope, notes=notes, uncommitted=dirty, partial=partial)
    change = Change(scope=scope, files=tuple(sorted(kept, key=lambda f: path_bytes(f.path))))
    return Collected(change, resolved, tuple(diffs), git, folder, uncommitted, elsewhere)


def _sides(resolved: Resolved) -> list[str]:
    cached = ["--cached"] if resolved.cached else []
    return [*DIFF_OPTIONS, *cached, resolved.old, *([resolved.new] if resolved.new else [])]


def _diff(repo: Repo, git: Git, resolved: Resolved, extra: list[ChangedFile]) -> RawDiff:
    """Run the diff. Git gives up where a FIFO or a socket stands in for a tracked file: leave that out and list it."""
    done = git.call(["diff", *_sides(resolved), "--"])
    if done.returncode == 0:
        return parse_diff.parse(done.stdout)
    raw = git.call(["diff", "--raw", "-z", "--no-abbrev", "--no-renames", *_raw_sides(resolved), "--"])
    special = [f for f in parse_diff.parse_raw_only(raw.stdout) if is_special(repo.root, f.path)]
    if not special or resolved.new is not None or resolved.cached:
        message = first_line(done.stderr)
        raise GitError(f"git diff failed: {message or done.returncode}", hint=hint_of(message))
    for file in special:
        why = "not a regular file"
        extra.append(ChangedFile(path=file.path, status=FileStatus.TYPE_CHANGED, old_mode=file.old_mode,
                                 new_mode="000000", old_oid=file.old_oid, excluded=why))  # fmt: skip
    # An entry that is up to date is not looked at, so the copied index says that these are unchanged in the tree.
    names = b"".join(path_bytes(file.path) + b"\0" for file in special)
    git.run(["update-index", "-z", "--assume-unchanged", "--stdin"], stdin=names)
    return parse_diff.parse(git.run(["diff", *_sides(resolved), "--"]))


def _raw_sides(resolved: Resolved) -> list[str]:
    return ["--cached", resolved.old] if resolved.cached else [resolved.old, *([resolved.new] if resolved.new else [])]


def _hidden_text(repo: Repo, git: Git, resolved: Resolved, files: list[ChangedFile]) -> list[bytes]:
    """Return paths that an attribute makes git call binary although their bytes are text."""
    binary = [file for file in files if file.binary]
    if not binary:
        return []
    names = b"".join(path_bytes(name) + b"\0" for file in binary for name in {file.path, file.path_at_base})
    answer = git.run(["check-attr", "-z", "--stdin", "diff"], stdin=names).split(b"\0")
    marked = {
        path_from_bytes(answer[i])
        for i in range(0, len(answer) - 2, 3)
        if answer[i + 2] not in (b"unspecified", b"set")
    }
    hidden: list[bytes] = []
    for file in binary:
        if not {file.path, file.path_at_base} & marked:
            continue
        if all(b"\0" not in head for head in _heads(repo, git, resolved, file)):
            hidden += [path_bytes(name) for name in dict.fromkeys([file.path, file.path_at_base])]
    return hidden


def _heads(repo: Repo, git: Git, resolved: Resolved, file: ChangedFile) -> list[bytes]:
    """Return the first bytes of both sides."""
    from selfreview.git.objects import read_blobs

    blobs = read_blobs(git, [oid for oid in (file.old_oid, file.new_oid) if oid])
    heads = [blob[:_TEXT_PROBE] for blob in blobs.values()]
    if resolved.new is None and not resolved.cached and (file.new_oid is None or file.new_oid not in blobs):
        heads.append(read_entry(repo.root, file.path, limit=_TEXT_PROBE) or b"")
    return heads


def _uncommitted(git: Git, resolved: Resolved, files: dict[str, ChangedFile]) -> frozenset[str]:
    """Return which paths differ between HEAD and the working tree, those of the change as it names them."""
    if resolved.scope.head is None or resolved.scope.head == resolved.old:
        return frozenset(files)
    output = git.run(
        ["diff", "--name-only", "-z", "--no-renames", "--ignore-submodules=dirty", resolved.scope.head, "--"]
    )
    dirty = {path_from_bytes(name) for name in output.split(b"\0")[:-1]}
    named = {p for p, f in files.items() if p in dirty or f.path_at_base in dirty or f.excluded is not None}
    return frozenset(named | dirty)


def _embedded(name: bytes) -> ChangedFile:
    path = path_from_bytes(name.rstrip(b"/"))
    why = "an embedded repository"
    return ChangedFile(path=path, status=FileStatus.ADDED, old_mode="000000", new_mode="160000", excluded=why)


def _look_into_submodules(git: Git, files: dict[str, ChangedFile]) -> tuple[str, ...]:
    """Add submodules in whose working trees something changed, with one commit on both sides where that stays.

    What counts as changed is as settings tell ``git status`` (``submodule.NAME.ignore``): no commit holds any of it.

    Returns:
        Notes for a person.
    """
    done = git.call(["status", "--porcelain=v2", "-z", "--untracked-files=normal", "--no-renames"])
    if done.returncode != 0:
        return (f"git cannot say whether something changed inside of submodules: {first_line(done.stderr)}",)
    for entry in done.stdout.split(b"\0"):
        fields = entry.split(b" ", 8)
        if fields[0] != b"1" or fields[2][:1] != b"S" or fields[2][2:] == b"..":
            continue
        path, commit = path_from_bytes(fields[8]), fields[7].decode()
        moved = files.get(path)  # to a commit in whose working tree there is more
        unmoved = ChangedFile(path=path, old_mode=_SUBMODULE, new_mode=_SUBMODULE, old_oid=commit, new_oid=commit)
        files[path] = unmoved if moved is None else msgspec.structs.replace(moved, new_oid=None)
    return ()


def is_wanted(file: ChangedFile, paths: tuple[str, ...]) -> bool:
    """Return whether a file is one of the paths or below one, on either side; without paths every file is."""
    if not paths:
        return True
    return any(
        p in ("", ".") or name == p or name.startswith(p + "/")
        for p in paths
        for name in (file.path, file.path_at_base)
    )


def copy_index(repo: Repo, folder: Path) -> Git:
    """Copy the index into ``folder`` and return a git that uses the copy.

    The modification time is kept: git compares it with the files' to know which entries it may trust.
    """
    target = folder / "index"
    if repo.index_file.exists():
        shutil.copy2(repo.index_file, target)
    return repo.git.with_env(GIT_INDEX_FILE=str(target))


def add_untracked(git: Git, paths: list[bytes], empty_blob: str) -> None:
    """Enter untracked files into a copied index, as empty and never up to date, so that git reads the real content."""
    if not paths:
        return
    lines = b"".join(b"100644 %s 0\t%s\0" % (empty_blob.encode(), path) for path in paths)
    git.run(["update-index", "--add", "--replace", "-z", "--index-info"], stdin=lines)


def _untracked_files(git: Git) -> tuple[list[bytes], list[bytes]]:
    """Return the untracked files that are not ignored, and the embedded repositories (ending in ``/``).

    Raises:
        GitError: If there are unmerged paths, of which git's diff against another commit than HEAD does not tell; or if
            git fails, or passes over a folder that it cannot read: it only warns of that.
    """
    done = git.call(["ls-files", "-z", "-t", "--unmerged", "--others", "--exclude-standard"])
    entries = done.stdout.split(b"\0")[:-1]
    unmerged = {path_from_bytes(entry.partition(b"\t")[2]) for entry in entries if entry.startswith(b"M ")}
    if unmerged:
        raise parse_diff.unmerged(sorted(unmerged))
    if done.returncode != 0 or b"could not open directory" in done.stderr:
        what = done.stderr.decode("utf-8", "replace").strip().partition("\n")[0].removeprefix("warning: ")
        raise GitError(f"untracked files cannot be listed: {what}", hint="make the folder readable, or ignore it")
    names = [entry.removeprefix(b"? ") for entry in entries]
    return [n for n in names if not n.endswith(b"/")], [n for n in names if n.endswith(b"/")]


_OPTIONS = ("--porcelain=v2", "-z", "--no-renames", "--untracked-files=all", "--ignore-submodules=dirty")


def left_out(repo: Repo, collected: Collected) -> tuple[LeftOut, ...]:
    """Return what a scope leaves out of the work in this working tree, besides what lies outside of the paths given.

    Of a revision that HEAD does not hold, nobody takes the working tree for a part.

    Raises:
        GitError: If git cannot tell.
    """
    return tuple(work for work in _counted(repo, collected) if work.count)


def elsewhere(count: int, *, merge: bool = False) -> LeftOut:
    """Return the changed files that are not under the paths given, or that a merge takes as one side has them."""
    return LeftOut.of(count, "changed file", " taken from one side" if merge else " elsewhere")


def _counted(repo: Repo, collected: Collected) -> Iterator[LeftOut]:
    resolved, head = collected.resolved, collected.resolved.scope.head
    if resolved.scope.mode == "branch":
        return
    if not resolved.cached:
        now = repo.git.line(["rev-parse", "--verify", "-q", "HEAD^{commit}"])
        if head is None or now is None or not is_ancestor(repo, head, now):
            return
        yield LeftOut.of(int(repo.git.line(["rev-list", "--count", f"{head}..{now}"]) or 0), "later commit")
    signs = [entry[:4] for entry in repo.git.run(["status", *_OPTIONS]).split(b"\0")]
    changed = [sign[2:] for sign in signs if sign[:2] in (b"1 ", b"u ")]
    count = sum(1 for sign in changed if sign[1:] != b".") if resolved.cached else len(changed)
    yield LeftOut.of(count, "unstaged file" if resolved.cached else "uncommitted file")
    yield LeftOut.of(sum(1 for sign in signs if sign[:2] == b"? "), "untracked file")
