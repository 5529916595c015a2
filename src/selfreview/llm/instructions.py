"""Instructions for the model from files, read so that no change writes its own reviewer's instructions."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from selfreview.api import ReviewContext, Side
from selfreview.model.wire import display_path

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
            paths: Which.
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
