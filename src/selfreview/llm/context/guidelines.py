"""Guidelines and requirements: the repository's documents for reviewers, which no change writes for its own review."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from selfreview.api import Document, ReviewContext, Side
from selfreview.config.tables import path_of_pattern
from selfreview.llm.transport.request import estimate_tokens
from selfreview.model.wire import display_path
from selfreview.text.layout import plural

_NAMES = ("AGENTS.md", "CLAUDE.md", "CONTRIBUTING.md")
_TOP_NAMES = (".github/copilot-instructions.md",)
GUIDELINE_TOKENS = 4_000
"""Maximum tokens of all guidelines."""
REQUIREMENT_TOKENS = 8_000
"""Maximum tokens of all requirements."""


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
        listed.update(map(path_of_pattern, patterns))  # one that git ignores is meant as well
    else:
        listed.update(source.context.list_paths(Side.OLD))
    matches = GitIgnoreSpec.from_lines(patterns).match_file
    paths = sorted(path for path in listed if matches(path))
    found = source.read_now(paths) if named else source.read(paths, added=True)
    candidates = found if named else listed
    for pattern in patterns:
        alone = GitIgnoreSpec.from_lines([pattern.removeprefix("!")])
        if pattern.strip() and not pattern.startswith("#") and not any(map(alone.match_file, candidates)):
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
        costs = [estimate_tokens(line + "\n") for line in lines]
        count = 0
        while count < len(lines) and costs[count] <= max_tokens:
            max_tokens -= costs[count]
            count += 1
        if count < len(lines):
            max_tokens = 0
            lines[count:] = [f"[{plural(len(lines) - count, 'line')} left out for want of room]"]
        result.append(Document(document.path, "\n".join(lines)))
    return result


Read = Callable[[Sequence[str]], dict[str, bytes]]


class _Found(NamedTuple):
    """Regular files, and the targets of links, by path."""

    texts: dict[str, bytes]
    links: dict[str, str]

    def version(self, path: str) -> object:
        """Return the content at a path; line endings may differ between git and the working tree."""
        return self.links.get(path), self.texts[path].replace(b"\r\n", b"\n") if path in self.texts else None


class Instructions:
    """Reader of guidelines, prompts and requirements.

    What the base holds is read there, whatever the change makes of it: in a gate from its tip, else where the change
    began. What it does not hold counts only where it is no
    part of the change: a file that git ignores, which is the person's own. Whether a path is among the files under
    review is never asked: they may have been narrowed down.

    Args:
        context: The change.

    Attributes:
        held: Paths of which the change has another version than the one that is read.
        notes: Links that lead nowhere, a sentence each.
    """

    def __init__(self, context: ReviewContext) -> None:
        self.context = context
        self.held: list[str] = []
        self.notes: list[str] = []
        self._known: frozenset[str] | None = None

    def read(self, paths: Iterable[str], *, added: bool = False) -> dict[str, bytes]:
        """Return the content of those of the paths that count; a link is followed once, to a file of the repository.

        Args:
            paths: Paths from the top of the repository.
            added: Whether files count that the change adds.
        """
        found = self._counting(list(dict.fromkeys(paths)), added)
        return self._followed(found, lambda targets: self._counting(targets, added).texts)

    def read_now(self, paths: Iterable[str]) -> dict[str, bytes]:
        """Return the content of those of the paths that are there now, whoever wrote it; a link is followed once."""
        found = self._side(list(dict.fromkeys(paths)), Side.NEW)
        return self._followed(found, lambda targets: self._side(targets, Side.NEW).texts)

    def _counting(self, paths: Sequence[str], added: bool) -> _Found:
        new, found = self._side(paths, Side.NEW), self._side(paths, Side.OLD)
        missing = [p for p in paths if p not in found.texts and p not in found.links]
        for path in missing:
            if path not in new.texts and path not in new.links:
                continue
            if added or path.casefold() not in self._of_the_change():
                found.texts.update({path: new.texts[path]} if path in new.texts else {})
                found.links.update({path: new.links[path]} if path in new.links else {})
        self.held += [path for path in paths if new.version(path) != found.version(path)]
        return found

    def _followed(self, found: _Found, read: Read) -> dict[str, bytes]:
        targets = {path: _target(path, link) for path, link in found.links.items()}
        behind = read([target for target in targets.values() if target is not None])
        for path, target in targets.items():
            if target in behind:
                found.texts[path] = behind[target]
            else:
                why = "leads out of the repository" if target is None else f"leads to {target}, which cannot be read"
                self.notes.append(display_path(f"{path} was left out: it is a link and {why}"))
        return found.texts

    def _side(self, paths: Sequence[str], side: Side) -> _Found:
        if side is Side.OLD and self.context.settings_of_base:
            return _Found(self.context.read_settings(paths), {})
        links = self.context.read_links(paths, side)
        return _Found(self.context.read_paths([path for path in paths if path not in links], side), links)

    def _of_the_change(self) -> frozenset[str]:
        """Return the paths of the change and those that git lists, in lower case: many file systems ignore case."""
        if self._known is None:
            touched = (path for file in self.context.change.files for path in (file.path, file.path_at_base))
            self._known = frozenset(path.casefold() for path in (*touched, *self.context.list_paths()))
        return self._known


def _target(path: str, link: str) -> str | None:
    """Return the path that a link leads to, or None where that is outside of the repository."""
    target = posixpath.normpath(posixpath.join(posixpath.dirname(path), link))
    return None if target.startswith(("/", "../")) or target in (".", "..") else target
