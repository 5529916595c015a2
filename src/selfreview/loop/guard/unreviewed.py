"""Code that goes where no review looks."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from selfreview.git.entry import LINK, Entry
from selfreview.loop.guard.gitfolder import plain_path
from selfreview.loop.guard.model import Bounds, Rejection
from selfreview.loop.guard.patch import Patch
from selfreview.model.change import ChangedFile
from selfreview.review import ignore
from selfreview.review.prepare import BY_CONFIGURATION, matcher
from selfreview.rules.languages import is_test, language_of


def hidden_from_review(patch: Patch) -> Iterator[Rejection]:
    """Reject what takes a file out of the review, and new content in a file that is out of it.

    That is a name, a mark or a size by which a file is excluded that was not, a new file that is, and other code in one
    that was all along. Data that was there, such as a lock file, may follow what is edited.
    """
    left_out = _excluder(patch.bounds)
    for file in patch.files:
        if file.new is None or file.new.mode == LINK:
            continue
        why = left_out(file.path, file.new)
        if why is None or is_test_data(file.path):
            continue
        was_out = file.old is not None and left_out(file.old_path, file.old) is not None
        is_code = language_of(file.path) is not None and (file.old is None or file.old.data != file.new.data)
        if not was_out or is_code:
            reason = f"Keep code where it is reviewed: a file like this is left out of the review ({why})."
            yield Rejection(file.path, "hidden-from-review", reason)


def ignored_by_git(patch: Patch) -> Iterator[Rejection]:
    """Reject patterns in a ``.gitignore`` that match files under review: the next run would not see new ones."""
    paths = [file.path for file in patch.bounds.change.files] + [file.path for file in patch.files if file.new]
    for file in patch.files:
        folder, _, name = plain_path(file.path).rpartition("/")
        if name.casefold() != ".gitignore" or file.new is None:
            continue
        head = f"{folder}/" if folder else ""
        before, after = (matcher(text.split("\n")) for text in (file.old_text, file.new_text))
        below = [path[len(head) :] for path in paths if path.startswith(head)]
        hidden = [path for path in below if after(path) and not before(path)]
        if hidden:
            reason = f"Let git see what is under review: take back the pattern that matches {head}{hidden[0]}."
            yield Rejection(file.path, "hidden-from-review", reason)


def is_test_data(path: str) -> bool:
    """Whether a file holds what a test compares with, as a snapshot does; tests of their own look at these."""
    return is_test(path) and language_of(path) is None


def _excluder(bounds: Bounds) -> Callable[[str, Entry], str | None]:
    """Return what says why a review leaves out a file of some path and content; None where it does not."""
    matches = matcher(bounds.config["exclude"])
    largest = bounds.config["max_file_bytes"]

    def why(path: str, entry: Entry) -> str | None:
        by_path = (
            (BY_CONFIGURATION if matches(path) else None)
            or ignore.by_name(ChangedFile(path=path))
            or bounds.marked.get(path)
        )
        if by_path is not None:
            return by_path
        by_mark = ignore.by_content(entry.data[: ignore.HEAD_BYTES], len(entry.data), largest)
        return by_mark or ("minified" if ignore.is_minified(path, entry.data) else None)

    return why
