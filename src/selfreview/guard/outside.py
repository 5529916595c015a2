"""Files outside of the change."""

from __future__ import annotations

import re
from collections.abc import Iterator

from selfreview.guard.model import Rejection
from selfreview.guard.patch import Patch
from selfreview.syntax.languages import language_of
from selfreview.syntax.testfiles import is_named_test, is_test

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
        return folder.startswith(its_folder) and stem in _words(name) and name != its_name
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
