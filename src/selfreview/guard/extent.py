"""Extent of a fix: files outside of the change or of its review, deleted files, rewrites, and formatting alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from selfreview.git.worktree_files import LINK, Entry
from selfreview.guard.patch import (
    Bounds,
    File,
    Hunk,
    Patch,
    Rejection,
    asks_for_removal,
    is_binary,
    issues_of,
    lines_pointed_at,
)
from selfreview.guard.paths import plain_path
from selfreview.llm.fixing.prompt import FEEDBACK
from selfreview.model.change import ChangedFile
from selfreview.review import excluded_files
from selfreview.review.excluded_files import BY_CONFIGURATION, matcher
from selfreview.syntax.file_kinds import is_named_test, is_snapshot, is_test
from selfreview.syntax.languages import language_of

_AFFIX = re.compile(
    r"^(?:test|spec)[_.-]|(?:[_.-](?:tests?|specs?|unittest|e2e)|(?<=[a-z0-9])(?:Tests?|Specs?|TestCase|IT))$"
)
_TEST_FOLDER = re.compile(r"tests?|__tests__|specs?|__snapshots__|testdata|fixtures|unit|integration")
_BY_FOLDER = frozenset({"__init__", "__main__", "index", "mod", "lib", "main"})
"""File names that are less specific than their folder's name."""
_SHORTEST_STEM = 3


def outside_change(patch: Patch) -> Iterator[Rejection]:
    """Reject, without a reason, a file that is not of the change, not named by an issue, and no test of such a file.

    A new test may be called what it is about: other rules see to it that it changes nothing for those that are there.
    """
    bounds = patch.bounds
    ours = {name for file in bounds.change.files for name in (file.path, file.path_at_base)}
    ours.update(issue.file for issue in bounds.issues)
    ours.update(place.file for issue in bounds.issues for place in issue.related)
    for file in patch.files:
        for path in dict.fromkeys((file.old_path, file.path)):
            moved_within = (
                path == file.path and file.old is not None and file.old_path in ours and path != file.old_path
            )
            if path in ours or moved_within or bounds.reasons.get(path, "").strip():
                continue
            if file.old is None and language_of(path) is not None and is_named_test(path):
                continue
            if not any(is_test_of(path, other) for other in ours):
                reason = "Keep to the files of the change and their tests, or state why this file has to be edited."
                yield Rejection(path, "outside-change", reason)


def is_test_of(path: str, other: str) -> bool:
    """Return whether a path is that of a test of another file, by the conventions of languages and projects."""
    if not is_test(path):
        return False
    folder, _, name = path.rpartition("/")
    its_folder, _, its_name = other.rpartition("/")
    if name.endswith("_test.go") and folder == its_folder:
        return True  # a package is tested as a whole
    stem = _plain(its_name)
    if stem in _BY_FOLDER and its_folder:
        stem = _normal(its_folder.rpartition("/")[2])
    if len(stem) < _SHORTEST_STEM:
        return _plain(name) == stem
    if is_test(other):
        return (
            f"{folder}/".startswith(f"{its_folder}/" if its_folder else "")
            and stem in _words(name)
            and name != its_name
        )
    folders = [_normal(part) for part in folder.split("/") if not _TEST_FOLDER.fullmatch(part)]
    return stem in _words(name) or stem in folders


def _words(name: str) -> set[str]:
    """Return the names of what a test may test, by its own: its stem, and the stem's beginnings and ends at a word."""
    stem = _bare(name)
    parts = [part for part in re.split(r"[_.-]|(?<=[a-z0-9])(?=[A-Z])", stem) if part]
    heads = {"".join(parts[:count]).lower() for count in range(1, len(parts) + 1)}
    return heads | {"".join(parts[count:]).lower() for count in range(len(parts))} | {_normal(stem)}


def _plain(name: str) -> str:
    return _normal(_bare(name))


def _bare(name: str) -> str:
    stem = name.partition(".")[0] or name
    while (shorter := _AFFIX.sub("", stem)) not in (stem, ""):
        stem = shorter
    return stem


def _normal(stem: str) -> str:
    return re.sub(r"[_.-]", "", stem).lower() if set(stem) - set("_") and not stem.startswith("__") else stem


def file_deleted(patch: Patch) -> Iterator[Rejection]:
    """Reject a file that was deleted or emptied where no issue asks for it; those of tests wait for a person."""
    for file in patch.files:
        had = file.old is not None and (is_binary(file.old) or file.old.data.strip())
        has = file.new is not None and file.new.data.strip()
        if not had or has or file.has_tests:
            continue
        if not any(asks_for_removal(issue) for issue in issues_of(file, patch.bounds)):
            yield Rejection(file.path, "file-deleted", "Keep the file, and fix what the issue points at in it.")


_LARGE = 50
"""Lines of a file from which on its rewriting counts."""
_SHARE = 0.6
_GONE = 5
"""Lines of code that may go in passing."""
_COSMETIC = 15
"""Lines that may be formatted in passing."""
_NEUTRAL = re.compile(r"[\s\"'`;,()\\]")


def rewrite(patch: Patch) -> Iterator[Rejection]:
    """Reject an edit that takes away most of a large file, or code around what an issue points at, unasked."""
    added = sum(1 for file in patch.files for hunk in file.hunks for line in hunk.new if line.strip())
    for file in patch.files:
        lines = [line for line in file.old_lines if line.strip()]
        if file.old is None or file.new is None or not file.new_text.strip():
            continue
        pointed = lines_pointed_at(file, patch.bounds)
        gone = sum(_outside(hunk, pointed) for hunk in _joined(file) if not _is_cosmetic(hunk))
        if len(lines) >= _LARGE and gone > _SHARE * len(lines):
            reason = f"Change only what the issues need: {gone} of {len(lines)} lines that no issue is about are gone."
            yield Rejection(file.path, "rewrite", reason)
        elif file.language is not None and not file.is_test:
            deleted = sum(_outside(hunk, pointed) for hunk in file.hunks if not any(map(str.strip, hunk.new)))
            issues = issues_of(file, patch.bounds)
            if deleted - added > _GONE and not any(i.reviewer == FEEDBACK or asks_for_removal(i) for i in issues):
                reason = f"Fix the code: {deleted} lines that no issue is about are gone."
                yield Rejection(file.path, "code-deleted", reason)


def reformatted(patch: Patch) -> Iterator[Rejection]:
    """Reject the formatting of code that no issue is about."""
    for file in patch.files:
        if file.old is None or file.new is None:
            continue
        pointed = lines_pointed_at(file, patch.bounds)
        lines = sum(_outside(hunk, pointed) for hunk in _joined(file) if _is_cosmetic(hunk))
        if lines > _COSMETIC:
            reason = f"Leave the formatting of {lines} lines that the fix does not need as it was."
            yield Rejection(file.path, "reformatted", reason)


def _joined(file: File) -> Iterator[Hunk]:
    """Yield the hunks of a file as one where only blank lines are between them: a block that was put into another."""
    pending: Hunk | None = None
    for hunk in file.hunks:
        if pending is not None:
            gap = file.old_lines[pending.old_start + len(pending.old) - 1 : hunk.old_start - 1]
            if not any(map(str.strip, gap)):
                pending = pending._replace(old=[*pending.old, *gap, *hunk.old], new=[*pending.new, *gap, *hunk.new])
                continue
            yield pending
        pending = hunk
    if pending is not None:
        yield pending


def _outside(hunk: Hunk, pointed: set[int]) -> int:
    return sum(1 for n, line in enumerate(hunk.old, hunk.old_start) if line.strip() and n not in pointed)


def _is_cosmetic(hunk: Hunk) -> bool:
    """Return whether only spaces, quotes, brackets or the like differ."""
    old, new = ("".join(_NEUTRAL.sub("", line) for line in lines) for lines in (hunk.old, hunk.new))
    return bool(hunk.old) and old == new


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
