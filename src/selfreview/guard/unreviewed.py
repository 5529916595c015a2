"""Code in files that no review covers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from selfreview.git.worktree_files import LINK, Entry
from selfreview.guard.patch import Bounds, Patch, Rejection
from selfreview.guard.paths import plain_path
from selfreview.model.change import ChangedFile
from selfreview.review import excluded_files
from selfreview.review.excluded_files import BY_CONFIGURATION, matcher
from selfreview.syntax.file_kinds import is_snapshot, is_test
from selfreview.syntax.languages import language_of

_CLASS = re.compile(r"\[!?(?:\w(?:-\w)?|[.*#$])+\]", re.ASCII)
"""A class of characters that is the same to git and to us."""
_BOM = "\ufeff"


def hidden_from_review(patch: Patch) -> Iterator[Rejection]:
    """Reject what takes a file out of the review, and new content in a file that is out of it.

    That is a name, a mark or a size by which a file is excluded that was not, a new file that is, and other code in one
    that was all along. Data that was there, such as a lock file, may follow what is edited, and so may the snapshots of
    the tests of the change; any other new name below the tests is as good a place to hide as elsewhere.
    """
    left_out = _excluder(patch.bounds)
    tests = [file.path for file in patch.bounds.change.files]
    for file in patch.files:
        if file.new is None or file.new.mode == LINK:
            continue
        why = left_out(file.path, file.new)
        if why is None or (file.old is None and is_snapshot_of(file.path, tests)):
            continue
        if (
            file.old is not None
            and file.old_path == file.path
            and language_of(file.path) is None
            and is_snapshot(file.path)
        ):
            continue
        was_out = file.old is not None and left_out(file.old_path, file.old) is not None
        is_code = language_of(file.path) is not None and (file.old is None or file.old.data != file.new.data)
        if not was_out or is_code:
            reason = f"Keep code where it is reviewed: a file like this is left out of the review ({why})."
            yield Rejection(file.path, "hidden-from-review", reason)


def ignored_by_git(patch: Patch) -> Iterator[Rejection]:
    """Reject patterns in a ``.gitignore`` that match files under review: the next run would not see new ones.

    So are new ones that git may read in another way than we do.
    """
    paths = [file.path for file in patch.bounds.change.files] + [file.path for file in patch.files if file.new]
    for file in patch.files:
        folder, _, name = plain_path(file.path).rpartition("/")
        if name.casefold() != ".gitignore" or file.new is None:
            continue
        head = f"{folder}/" if folder else ""
        (before, odd_before), (after, odd) = (_patterns(lines) for lines in (file.old_lines, file.new_lines))
        new_odd = sorted(set(odd) - set(odd_before))
        if new_odd:
            reason = f"Write the new pattern {new_odd[0]!a} in a simpler way: what git takes it to match is not known."
            yield Rejection(file.path, "hidden-from-review", reason)
            continue
        was, now = matcher(before), matcher(after)
        below = [path[len(head) :] for path in paths if path.startswith(head)]
        hidden = [path for path in below if now(path) and not was(path)]
        if hidden:
            reason = f"Let git see what is under review: take back the pattern that matches {head}{hidden[0]}."
            yield Rejection(file.path, "hidden-from-review", reason)


def is_snapshot_of(path: str, changed: Iterable[str]) -> bool:
    """Return whether a file is named like a snapshot of a test that is among some files."""
    if language_of(path) is not None or not is_snapshot(path):
        return False
    if path.rpartition("/")[2] in excluded_files.LOCK_FILES or excluded_files.VENDORED.search(path):
        return False
    return any(_is_named_after(path, test) for test in changed if language_of(test) is not None and is_test(test))


def _is_named_after(path: str, test: str) -> bool:
    """Return whether a file lies beside a test, or in a folder beside it, and either's name begins with the test's."""
    folder, _, name = test.rpartition("/")
    head = f"{folder}/" if folder else ""
    stem = name.partition(".")[0]
    return path.startswith(head) and any(
        re.match(rf"{re.escape(stem)}(?![^\W_])", part) for part in path[len(head) :].split("/")
    )


def _patterns(lines: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return the patterns of a ``.gitignore``, and apart from them those that git may read in another way."""
    plain: list[str] = []
    odd: list[str] = []
    for number, line in enumerate(lines):
        pattern = line.removeprefix(_BOM) if number == 0 else line
        rest = _CLASS.sub("", pattern)
        is_odd = not pattern.startswith("#") and not {"[", "]", "\\"}.isdisjoint(rest)
        (odd if is_odd else plain).append(pattern)
    return plain, odd


def _excluder(bounds: Bounds) -> Callable[[str, Entry], str | None]:
    """Return a function that gives the reason for which a review excludes a path and content, or None."""
    matches = matcher(bounds.config["exclude"])
    largest = bounds.config["max_file_bytes"]

    def why(path: str, entry: Entry) -> str | None:
        by_path = (
            (BY_CONFIGURATION if matches(path) else None)
            or excluded_files.by_name(ChangedFile(path=path))
            or bounds.marked.get(path)
        )
        if by_path is not None:
            return by_path
        by_mark = excluded_files.by_content(entry.data[: excluded_files.HEAD_BYTES], len(entry.data), largest)
        return by_mark or ("minified" if excluded_files.is_minified(path, entry.data) else None)

    return why
