"""Part of a workspace that a model may see and change: regular files inside it, without those that keep secrets."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection
from pathlib import Path

from selfreview.git.entry import LINK, PLAIN, Entry, read_file, write_file
from selfreview.git.safeopen import is_safe_path, native
from selfreview.llm.toolbox import Refusal
from selfreview.llm.unshown import keeps_secrets
from selfreview.model.wire import display_path

MOST_BYTES = 2_000_000
"""Maximum bytes of a file that is read or edited."""


class Confined:
    """Reader and writer of files by the paths that a model gives.

    Args:
        root: Top level of the workspace.
        own: Paths of the change; a file of secrets that is one of them may be read, since it is under review.
        listed: Returns every path of the workspace that git does not ignore.
        holding: Returns those whose content holds a text without line breaks.
    """

    def __init__(
        self,
        root: Path,
        own: Collection[str],
        listed: Callable[[], list[str]],
        holding: Callable[[str], list[str]],
    ) -> None:
        self._root = root
        self._own = frozenset(own)
        self._listed = listed
        self._holding = holding

    def path(self, given: str) -> str:
        """Return a path as git writes it.

        Raises:
            Refusal: If it leads out of the workspace, into ``.git``, or to a file that keeps secrets.
        """
        path = given.removeprefix("./").rstrip("/")
        named = next((own for own in self._own if display_path(own) == path), path)
        if not is_safe_path(named) or any(_is_git(part) for part in named.split("/")):
            raise Refusal(
                "a path must be relative to the top of the repository, and lead neither out of it nor to .git"
            )
        if self.is_private(named):
            raise Refusal("files that keep secrets are not shown; leave it to a person")
        return named

    def is_private(self, path: str) -> bool:
        """Return whether a file usually keeps secrets, and is no part of the change."""
        return path not in self._own and keeps_secrets(path)

    def files(self, under: str = "", holding: str | None = None) -> list[str]:
        """Return the files that may be shown.

        Args:
            under: Only those of this folder; a file's own path stands for itself.
            holding: Only those that hold this text.
        """
        found = self._listed() if holding is None else self._holding(holding)
        shown = sorted(path for path in found if not self.is_private(path))
        return [path for path in shown if not under or path == under or path.startswith(f"{under}/")]

    def read(self, path: str) -> Entry:
        """Return a text file.

        Raises:
            Refusal: If there is none, or it cannot be shown.
        """
        try:
            target = native(self._root, path)
            if target.is_file() and not target.is_symlink() and target.stat().st_size > MOST_BYTES:
                raise Refusal(f"the file is larger than {MOST_BYTES:,} bytes")
            entry = read_file(self._root, path)
        except OSError as error:
            raise Refusal(f"the file cannot be read: {error.strerror}") from error
        if entry is None:
            raise Refusal("there is no such file")
        if entry.mode == LINK:
            raise Refusal("it is a symbolic link, which is neither followed nor edited")
        if b"\0" in entry.data:
            raise Refusal("it is no text file")
        return entry

    def write(self, path: str, text: str, mode: str = PLAIN) -> None:
        """Write a file.

        Raises:
            Refusal: If it cannot be written there.
        """
        try:
            data = text.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            raise Refusal("the text holds something that is no character") from None
        if len(data) > MOST_BYTES:
            raise Refusal(f"the file would be larger than {MOST_BYTES:,} bytes")
        try:
            write_file(self._root, path, Entry(mode, data))
        except (OSError, ValueError) as error:
            raise Refusal(
                f"the file cannot be written: {getattr(error, 'strerror', None) or 'a link is on the way'}"
            ) from error

    def exists(self, path: str) -> bool:
        """Return whether anything exists at a path; a folder and a broken link count too."""
        try:
            native(self._root, path).lstat()
        except (OSError, ValueError):
            return False
        return True


def _is_git(part: str) -> bool:
    """Return whether some file system takes a name for ``.git``: in any case, shortened, or with ignored characters."""
    plain = "".join(char for char in unicodedata.normalize("NFKC", part) if unicodedata.category(char) != "Cf")
    plain = plain.casefold().partition(":")[0].rstrip(". ")
    return plain == ".git" or re.fullmatch(r"git~\d+", plain) is not None
