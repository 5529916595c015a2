"""Guidelines and requirements: the repository's documents on how its code is written and what a change has to do."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence

from selfreview.llm.instructions import Instructions
from selfreview.llm.tokens import estimate
from selfreview.model.issue import Side
from selfreview.text.layout import plural

_NAMES = ("AGENTS.md", "CLAUDE.md", "CONTRIBUTING.md")
_TOP_NAMES = (".github/copilot-instructions.md",)
GUIDELINE_TOKENS = 4_000
"""Maximum tokens of all guidelines."""
REQUIREMENT_TOKENS = 8_000
"""Maximum tokens of all requirements."""


@dataclasses.dataclass(frozen=True)
class Document:
    """Document, or as much of it as there is room for.

    Attributes:
        path: Where it stands.
        text: Its lines; what was left out is said at the end.
    """

    path: str
    text: str


def guidelines(source: Instructions, max_tokens: int = GUIDELINE_TOKENS) -> list[Document]:
    """Return the guidelines of the folders that hold changed files, of the nearest folder first.

    One that the change itself touches is taken from before the change, so that it cannot set its own rules.
    """
    folders = {""}
    for file in source.context.change.reviewable:
        parts = file.path.split("/")[:-1]
        folders.update("/".join(parts[:depth]) + "/" for depth in range(1, len(parts) + 1))
    ordered = sorted(folders, key=lambda folder: (-folder.count("/"), folder))
    paths = [folder + name for folder in ordered for name in (*_NAMES, *(() if folder else _TOP_NAMES))]
    return fitting(_documents(paths, source.read(paths)), max_tokens)


def requirements(
    source: Instructions, patterns: Sequence[str], max_tokens: int = REQUIREMENT_TOKENS, *, named: bool = False
) -> list[Document]:
    """Return the documents that describe what the change is meant to do.

    One that the change adds is taken: who works from a document may write it on the same branch as the code. One that
    it edits or removes is taken from before it, so that no change waives what it was asked for.

    Args:
        source: Reads them; is told of patterns that match nothing.
        patterns: Globs as in ``.gitignore`` (``SPEC.md``, ``.specify/**/*.md``).
        max_tokens: Most tokens of all of them.
        named: Whether the person named them for this run, and means them as they are now.

    Raises:
        GitError: If git cannot list the tree.
    """
    if not patterns:
        return []
    from pathspec import GitIgnoreSpec

    listed = set(source.context.list_paths())
    if named:
        listed.update(pattern.removeprefix("/") for pattern in patterns)  # one that git ignores is meant as well
    else:
        listed.update(source.context.list_paths(Side.OLD))
    matches = GitIgnoreSpec.from_lines(patterns).match_file
    paths = sorted(path for path in listed if matches(path))
    found = source.read_now(paths) if named else source.read(paths, added=True)
    reached = found if named else listed
    for pattern in patterns:
        alone = GitIgnoreSpec.from_lines([pattern.removeprefix("!")])
        if pattern.strip() and not pattern.startswith("#") and not any(map(alone.match_file, reached)):
            source.notes.append(f"requirements: {pattern} matches no file")
    return fitting(_documents(paths, found), max_tokens)


def _documents(paths: Sequence[str], found: Mapping[str, bytes]) -> Iterable[Document]:
    """Make documents of the files found, in the order of the paths; of equal documents only the first."""
    seen = set()
    for path in paths:
        data = found.get(path, b"")
        text = "" if b"\0" in data else data.decode("utf-8-sig", "replace").strip()
        if text and text not in seen:
            seen.add(text)
            yield Document(path, text)


def fitting(documents: Iterable[Document], max_tokens: int) -> list[Document]:
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
