"""The repository's own documents: how its code is written, and what a change is meant to do."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence, Set

from selfreview.api.context import ReviewContext
from selfreview.llm.tokens import estimate
from selfreview.model.issue import Side
from selfreview.text.layout import plural

_NAMES = ("AGENTS.md", "CLAUDE.md", "CONTRIBUTING.md")
_TOP_NAMES = (".github/copilot-instructions.md",)
GUIDELINE_TOKENS = 4_000
"""Most tokens of all guidelines."""
REQUIREMENT_TOKENS = 8_000
"""Most tokens of all requirements."""


@dataclasses.dataclass(frozen=True)
class Document:
    """A document, or as much of it as there is room for.

    Attributes:
        path: Where it stands.
        text: Its lines; what was left out is said at the end.
    """

    path: str
    text: str


def guidelines(context: ReviewContext, max_tokens: int = GUIDELINE_TOKENS) -> list[Document]:
    """Return the guidelines of the folders that hold changed files, of the nearest folder first.

    One that the change itself touches is taken from before the change, so that it cannot set its own rules.
    """
    folders = {""}
    for file in context.change.reviewable:
        parts = file.path.split("/")[:-1]
        folders.update("/".join(parts[:depth]) + "/" for depth in range(1, len(parts) + 1))
    ordered = sorted(folders, key=lambda folder: (-folder.count("/"), folder))
    paths = [folder + name for folder in ordered for name in (*_NAMES, *(() if folder else _TOP_NAMES))]
    return _fitting(_read(paths, context, touched=touched_paths(context)), max_tokens)


def touched_paths(context: ReviewContext) -> frozenset[str]:
    """Return every path that the change touches on either side, without case: many file systems know none."""
    return frozenset(path.casefold() for file in context.change.files for path in (file.path, file.path_at_base))


def requirements(
    context: ReviewContext, patterns: Sequence[str], max_tokens: int = REQUIREMENT_TOKENS
) -> list[Document]:
    """Return the documents that say what the change is meant to do, those of changed folders first.

    Args:
        context: The change.
        patterns: Globs as in ``.gitignore`` (``SPEC.md``, ``.specify/**/*.md``).
        max_tokens: Most tokens of all of them.

    Raises:
        GitError: If git cannot list the tree.
    """
    if not patterns:
        return []
    from pathspec import GitIgnoreSpec

    matching = GitIgnoreSpec.from_lines(patterns)
    paths = sorted(path for path in context.list_paths() if matching.match_file(path))
    # As they are now, other than guidelines: who works from a document writes it on the same branch as the code.
    return _fitting(_read(paths, context, touched=frozenset()), max_tokens)


def _read(paths: Sequence[str], context: ReviewContext, *, touched: Set[str]) -> Iterable[Document]:
    """Read documents, those of ``touched`` (case-folded paths) from the base; of equal ones only the first."""
    found = context.read_paths(path for path in paths if path.casefold() not in touched)
    seen = set()
    for path in paths:
        data = context.read_path(path, Side.OLD) if path.casefold() in touched else found.get(path)
        text = "" if data is None or b"\0" in data else data.decode("utf-8-sig", "replace").strip()
        if text and text not in seen:
            seen.add(text)
            yield Document(path, text)


def _fitting(documents: Iterable[Document], max_tokens: int) -> list[Document]:
    """Return whole documents while there is room; of the others their first lines, with a note."""
    result = []
    for document in documents:
        lines = document.text.replace("\r\n", "\n").split("\n")
        costs = [estimate(line + "\n") for line in lines]
        count = 0
        while count < len(lines) and costs[count] <= max_tokens:
            max_tokens -= costs[count]
            count += 1
        if count < len(lines):
            max_tokens = 0
            lines[count:] = [f"[{plural(len(lines) - count, 'line')} left out for want of room]"]
        result.append(Document(document.path, "\n".join(lines)))
    return result
