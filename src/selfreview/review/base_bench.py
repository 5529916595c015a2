"""The base's files as a change of their own: what reviewers are asked about to know what they found there before."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from selfreview.api.context import Hunk, WordHit
from selfreview.git.content import Content, Probe
from selfreview.model.change import ChangedFile, FileStatus, HunkSpan
from selfreview.model.issue import Side
from selfreview.review.context import Workbench


class BaseBench(Workbench):
    """A bench that shows files of the base as if all their lines were new; settings are those of the review.

    Args:
        bench: The bench of the review.
        files: Files of its change that the base has.
    """

    def __init__(self, bench: Workbench, files: Iterable[ChangedFile]) -> None:
        before = {file.path_at_base: file for file in files}
        shown = [_as_new(file, bench) for _, file in sorted(before.items())]
        change = msgspec.structs.replace(bench.change, files=tuple(shown))
        super().__init__(change, _BaseContent(bench.content, before), bench.config, bench.runner)
        self._bench = bench
        bench.on_stop(self.stop)

    def settings(self, paths: Iterable[str]) -> dict[str, bytes]:
        """Return files of settings as the review reads them."""
        return self._bench.settings(paths)

    def list_settings(self, folder: str) -> list[str]:
        """Return the paths of files of settings as the review reads them."""
        return self._bench.list_settings(folder)

    @property
    def settings_of_base(self) -> bool:
        """Return whether the review reads settings from the base."""
        return self._bench.settings_of_base

    def close(self) -> None:
        """Remove what was written; the rest is the review's."""
        if self._folder is not None:
            self._folder.cleanup()


def _as_new(file: ChangedFile, bench: Workbench) -> ChangedFile:
    text = bench.text(file, Side.OLD)
    lines = len(text.lines) if text is not None else 0
    return ChangedFile(
        path=file.path_at_base,
        status=FileStatus.ADDED,
        old_mode="000000",
        new_mode=file.old_mode,
        new_oid=file.old_oid,
        spans=(HunkSpan(0, 0, 1, lines),) if lines else (),
    )


class _BaseContent:
    """The base's side of a change's content, as the new side of files that were not there before."""

    def __init__(self, content: Content, before: dict[str, ChangedFile]) -> None:
        self._content, self._before = content, before

    def read(self, file: ChangedFile, side: Side) -> bytes | None:
        """Return a file of the base."""
        return None if side is Side.OLD else self._content.read(self._before[file.path], Side.OLD)

    def probe(self, file: ChangedFile, side: Side, length: int) -> Probe | None:
        """Return a file's first bytes and its size."""
        data = self.read(file, side)
        return None if data is None else Probe(data[:length], len(data))

    def hunks(self, file: ChangedFile) -> tuple[Hunk, ...]:  # noqa: ARG002 - part of the protocol
        """Return nothing: only models look at hunks, and none is asked about the base."""
        return ()

    def is_partial(self, file: ChangedFile) -> bool:
        """Return whether only some lines are known."""
        return self._content.is_partial(self._before[file.path])

    def read_path(self, path: str, side: Side) -> bytes | None:
        """Return the bytes of a file of the base."""
        return None if side is Side.OLD else self._content.read_path(path, Side.OLD)

    def find(self, paths: Iterable[str], side: Side = Side.NEW) -> dict[str, bytes]:
        """Return the base's content of paths."""
        return {} if side is Side.OLD else self._content.find(paths, Side.OLD)

    def links(self, paths: Iterable[str], side: Side = Side.NEW) -> dict[str, str]:
        """Return the targets of the base's symbolic links."""
        return {} if side is Side.OLD else self._content.links(paths, Side.OLD)

    def list_paths(self, side: Side = Side.NEW) -> list[str]:
        """Return the paths of the base's files."""
        return [] if side is Side.OLD else self._content.list_paths(Side.OLD)

    def search(self, words: Sequence[str]) -> list[WordHit]:  # noqa: ARG002 - part of the protocol
        """Return nothing, as for hunks."""
        return []

    def checkout(self, folder: Path, side: Side = Side.NEW) -> Path:  # noqa: ARG002 - the base is the only side
        """Check the base out."""
        return self._content.checkout(folder, Side.OLD)

    def close(self) -> None:
        """Free nothing: the review goes on."""
