"""Paths where nothing may be written: git's folder, hooks, links, submodules, names that leave the tree."""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections.abc import Iterator, Sequence

from selfreview.git.worktree_files import LINK, Entry
from selfreview.guard.patch import Edited, Patch, Rejection
from selfreview.model.change import path_from_bytes

_IGNORED = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")
"""Characters that HFS+ leaves out of names."""
_GIT = re.compile(r"(?:\.git|git~\d+)(?:[. ]*|[. ]*:.*)", re.IGNORECASE | re.DOTALL)
_SEPARATORS = re.compile(r"[/\\]")


def goes_into_git(path: str) -> bool:
    """Return whether a path has a part ``.git``, also in other case, with invisible characters, or as a short name."""
    return any(_GIT.fullmatch(_IGNORED.sub("", part)) for part in _SEPARATORS.split(path))


def plain_path(path: str) -> str:
    """Return a path as file systems may read it: no invisible characters, nor dots and spaces at the ends of names."""
    parts = (_IGNORED.sub("", part).partition(":")[0] for part in _SEPARATORS.split(path))
    return "/".join(part.rstrip(". ") or part for part in parts)


def git_folder(patch: Patch) -> Iterator[Rejection]:
    """Reject whatever is in a folder called ``.git``, and a file of that name."""
    for edit in patch.edits:
        if goes_into_git(edit.path):
            yield Rejection(edit.path, "git-folder", "Leave git's own folder alone; only edit files that git tracks.")


_LEAVES = re.compile(r"/|[A-Za-z]:|\\|(?:.*[/\\])?\.\.(?:[/\\]|$)|.*[\0\\]", re.DOTALL)


def leaves_tree(path: str) -> bool:
    """Return whether a path, read on any system, could be outside of the tree that it is relative to."""
    return not path or _LEAVES.match(path) is not None


def escape(patch: Patch) -> Iterator[Rejection]:
    """Reject paths that are absolute, go up, or would do so on Windows."""
    for edit in patch.edits:
        if edit.new is not None and leaves_tree(edit.path):
            yield Rejection(edit.path, "path-escape", "Write only inside the workspace, under a plain relative path.")


def collision(patch: Patch) -> Iterator[Rejection]:
    """Reject new names that differ from another's by case or by the form of their accents only."""
    gone = {edit.path for edit in patch.edits if edit.new is None}
    known: dict[str, str] = {}
    paths = [file.path for file in patch.bounds.change.files]
    paths += [edit.path for edit in patch.edits if edit.old is not None]
    for path in paths:
        if path not in gone:
            known.update((_folded(part), part) for part in _prefixes(path))
    for edit in patch.edits:
        if edit.old is not None or edit.new is None:
            continue
        for part in _prefixes(edit.path):
            other = known.setdefault(_folded(part), part)
            if other != part:
                reason = f"Choose another name: on some systems it is the same as {other}."
                yield Rejection(edit.path, "path-collision", reason)
                break


def _prefixes(path: str) -> Iterator[str]:
    parts = path.split("/")
    return ("/".join(parts[:count]) for count in range(1, len(parts) + 1))


def _folded(path: str) -> str:
    path = plain_path(path)  # dots and spaces at the ends of names do not count on Windows
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def symbolic_link(patch: Patch) -> Iterator[Rejection]:
    """Reject a file that was replaced by a link, and a new target that is outside of the tree or in git's folder."""
    for edit in patch.edits:
        reason = _why(edit)
        if reason is not None:
            yield Rejection(edit.path, "symbolic-link", reason)


def _why(edit: Edited) -> str | None:
    if edit.new is None or edit.new.mode != LINK or edit.new == edit.old:
        return None
    if edit.old is not None and edit.old.mode != LINK:
        return "Edit the file itself; do not put a symbolic link in its place."
    target = path_from_bytes(edit.new.data)
    whole = posixpath.normpath(posixpath.join(posixpath.dirname(edit.path), target))
    if leaves_tree(target.replace("..", "_")) or leaves_tree(whole) or goes_into_git(target) or goes_into_git(whole):
        return "Let a symbolic link lead to a file of the repository only, by a relative path, and not into .git."
    return None


_HOOKS = re.compile(
    r"(?:.*/)?(?:\.husky/.*|\.githooks?/.*|\.git-hooks?/.*|\.lefthook(?:-local)?/.*|\.pre-commit-config\.ya?ml"
    r"|prek\.toml|\.?lefthook(?:-local)?\.(?:ya?ml|toml|json)|\.?overcommit\.ya?ml|\.huskyrc(?:\.[^/]*)?"
    r"|\.lintstagedrc(?:\.[^/]*)?|lint-staged\.config\.[^/]*|\.simple-git-hooks\.[^/]*|captainhook\.json"
    r"|(?:hooks/)?(?:pre-(?:commit|push|receive|rebase|merge-commit)|commit-msg|prepare-commit-msg|post-(?:commit|checkout"
    r"|merge|rewrite|receive)))",
    re.IGNORECASE | re.DOTALL,
)
_OFFERED = re.compile(r"(?:.*/)?\.pre-commit-hooks\.ya?ml", re.IGNORECASE | re.DOTALL)
_NAMES = frozenset(
    """
    applypatch-msg commit-msg fsmonitor-watchman p4-changelist p4-post-changelist p4-pre-submit p4-prepare-changelist
    post-applypatch post-checkout post-commit post-index-change post-merge post-receive post-rewrite post-update
    pre-applypatch pre-auto-gc pre-commit pre-merge-commit pre-push pre-rebase pre-receive prepare-commit-msg
    proc-receive push-to-checkout reference-transaction sendemail-validate update
    """.split()  # noqa: SIM905 - a table to read
)
"""Names of git's hooks."""


def git_hooks(patch: Patch) -> Iterator[Rejection]:
    """Reject edits of git hooks; those that a project offers to others are its product, and only not new work."""
    own = {file.path for file in patch.bounds.change.files}
    for edit in patch.edits:
        offered = _OFFERED.fullmatch(edit.path) and edit.path not in own
        is_link = edit.new is not None and edit.new.mode == LINK
        if (
            _HOOKS.fullmatch(plain_path(edit.path))
            or offered
            or is_hook(edit.path, patch.bounds.hooks, is_link=is_link)
        ):
            reason = "Leave git hooks to a person; call an issue in one not addressed, and say what to change."
            yield Rejection(edit.path, "git-hooks", reason)


def is_hook(path: str, hooks: Sequence[str], *, is_link: bool = False) -> bool:
    """Return whether git takes a file for a hook.

    Args:
        path: The file's path.
        hooks: Files, and folders of files, that git takes for hooks; ``""`` is the top level, where only the names of
            hooks count.
        is_link: Whether it is a symbolic link, which may stand where a folder on the way to hooks is looked for.
    """
    name = _comparable(path)
    for place in map(_comparable, hooks):
        if not place:
            if name in _NAMES:
                return True
        elif f"{name}/".startswith(f"{place}/") or (is_link and place.startswith(f"{name}/")):
            return True
    return False


def _comparable(path: str) -> str:
    """Return a path as file systems compare them that fold case."""
    return unicodedata.normalize("NFC", plain_path(path)).casefold() if path else ""


_GITLINK = "160000"


def submodule(patch: Patch) -> Iterator[Rejection]:
    """Reject submodules that are added, moved or removed, and repositories that were made in the tree."""
    for edit in patch.edits:
        modes = {entry.mode for entry in (edit.old, edit.new) if entry is not None}
        if not modes or _GITLINK in modes or edit.path.casefold() == ".gitmodules":
            reason = "Leave submodules as they are, and make no repository inside of this one."
            yield Rejection(edit.path, "submodule", reason)


_HEAD = (b"version https://git-lfs.github.com/spec/", b"version https://hawser.github.com/spec/")
_NAME = ".lfsconfig"


def lfs_pointer(patch: Patch) -> Iterator[Rejection]:
    """Reject an edited or a new pointer of Git LFS, one replaced by content, and changed settings of it."""
    for edit in patch.edits:
        if _is_pointer(edit.old) or _is_pointer(edit.new) or edit.path == _NAME:
            yield Rejection(edit.path, "lfs-pointer", "Leave files that Git LFS keeps as they are.")


def _is_pointer(entry: Entry | None) -> bool:
    return entry is not None and entry.data.startswith(_HEAD)
