"""Tools that read, search and change the files of a workspace that a model may see."""

from __future__ import annotations

import bisect
import re
import unicodedata
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from selfreview.git.worktree_files import LINK, PLAIN, Entry, is_safe_path, native, read_file, write_file
from selfreview.llm.context.beginning import MAX_BYTES
from selfreview.llm.fixing.conversation import ModelTool, Refusal, ToolResponse
from selfreview.llm.transport.confinement import keeps_secrets
from selfreview.model.wire import display_path
from selfreview.secrets.redactor import PLACEHOLDER, Redactor
from selfreview.secrets.scanner import common_length

_MAX_CHARACTERS = 40_000
_LONGEST_LINE = 2_000
_MAX_HITS = 60
_MAX_NAMES = 500
_AROUND = 2
_PATH = {"type": "string", "description": "Path from the top of the repository"}


class FileTools:
    """Tools over one workspace.

    Args:
        place: The files.
        redactor: That of the conversation.
    """

    def __init__(self, place: Confined, redactor: Redactor) -> None:
        self._place = place
        self._redactor = redactor

    def tools(self) -> list[ModelTool]:
        """Return the tools."""
        line = {"type": "integer", "description": "Line number from 1"}
        text = {"type": "string"}
        return [
            ModelTool(
                name="read_file",
                description="Show a text file, or lines of it, each with its number, which is no part of the file.",
                properties={"path": _PATH, "first_line": line, "last_line": line},
                required=["path"],
                run=self.read,
            ),
            ModelTool(
                name="search",
                description="Find a text, exactly as it is given, in all files, in those of a folder, or in one file.",
                properties={"text": text, "path": _PATH},
                required=["text"],
                run=self.search,
                restored=False,
            ),
            ModelTool(
                name="list_files",
                description="List the repository's files, all or those of a folder.",
                properties={"path": _PATH},
                required=[],
                run=self.names,
            ),
            ModelTool(
                name="edit_file",
                description="Replace `old` by `new` in a file. `old` must stand there exactly once: copy whole "
                "lines as they are shown, without their numbers, and enough of them.",
                properties={"path": _PATH, "old": text, "new": text},
                required=["path", "old", "new"],
                run=self.edit,
                restored=False,
            ),
            ModelTool(
                name="create_file",
                description="Make a new text file.",
                properties={"path": _PATH, "content": text},
                required=["path", "content"],
                run=self.create,
            ),
        ]

    def read(self, given: Mapping[str, Any]) -> ToolResponse:
        """Show a file."""
        path = self._place.path(given["path"])
        lines = self._lines(path)
        first = max(1, given.get("first_line", 1))
        last = min(len(lines), given.get("last_line", len(lines)))
        if first > last:
            raise Refusal(f"there are no such lines: the file has {len(lines)}")
        return self._excerpt(path, lines, first, last)

    def search(self, given: Mapping[str, Any]) -> ToolResponse:
        """Search for a text."""
        if not given["text"].strip():
            raise Refusal("the text to search for is empty")
        wanted = given["text"].replace("\r\n", "\n")
        restored = self._redactor.restore(wanted)
        longest = max(restored.split("\n"), key=len)
        if len(longest) > _LONGEST_LINE:
            raise Refusal(f"a line of the text is longer than {_LONGEST_LINE:,} characters")
        hits: list[str] = []
        for path in self._place.files(self._folder(given), longest):
            try:
                text = _text(self._place.read(path).data)
            except Refusal:
                continue  # no text, a link, or too large
            if restored not in text:
                continue
            whole = self._redactor.redact(text)
            if wanted in whole:  # what is hidden cannot be guessed bit by bit
                shown = whole.split("\n")
                for number in _lines_with(whole, wanted):
                    hits.append(f"{display_path(path)}:{number}: {_short(shown[number - 1])}")
                    if len(hits) == _MAX_HITS:
                        return ToolResponse(f"The first {_MAX_HITS} hits:", "\n".join(hits))
        return ToolResponse(f"{len(hits)} hits:", "\n".join(hits)) if hits else ToolResponse("It is found nowhere.")

    def names(self, given: Mapping[str, Any]) -> ToolResponse:
        """List files."""
        names = [display_path(path) for path in self._place.files(self._folder(given))]
        if not names:
            raise Refusal("there are no files")
        head = f"{len(names)} files" + (f", the first {_MAX_NAMES}:" if len(names) > _MAX_NAMES else ":")
        return ToolResponse(head, "\n".join(names[:_MAX_NAMES]))

    def edit(self, given: Mapping[str, Any]) -> ToolResponse:
        """Replace a part of a file."""
        path = self._place.path(given["path"])
        entry = self._place.read(path)
        text = entry.data.decode("utf-8", "surrogateescape")
        old, new = (self._redactor.restore(given[name]) for name in ("old", "new"))
        self._known(new, text)
        if not stands_in(self._redactor.redact(text), given["old"]):
            raise Refusal(NOT_THERE)  # the same whether it is there and hidden, or not at all
        replaced = replace_once(text, old, new)
        self._redactor.keep_hidden(text, replaced.text)
        self._place.write(path, replaced.text, entry.mode)
        lines = self._lines(path)
        first, last = max(1, replaced.first - _AROUND), min(len(lines), replaced.last + _AROUND)
        if first > last:
            return ToolResponse("Done. The file is empty now.")
        return self._excerpt(path, lines, first, last)._replace(head="Done. The lines are now:")

    def create(self, given: Mapping[str, Any]) -> ToolResponse:
        """Create a file."""
        path = self._place.path(given["path"])
        if self._place.exists(path):
            raise Refusal("there is something at that path already; use edit_file")
        self._known(given["content"], "")
        self._redactor.keep_hidden("", given["content"])
        self._place.write(path, given["content"])
        return ToolResponse("Done.")

    def excerpt(self, path: str, first: int, last: int) -> str:
        """Return numbered, redacted lines for a prompt; empty where they cannot be shown."""
        try:
            lines = self._lines(self._place.path(path))
        except Refusal:
            return ""
        return self._excerpt(path, lines, max(1, first), min(len(lines), last)).material

    def _lines(self, path: str) -> list[str]:
        """Return a file's lines. All of it is redacted: a secret of several lines cannot be recognized by one line."""
        text = _text(self._place.read(path).data)
        lines = self._redactor.redact(text).split("\n")
        return lines[:-1] if lines[-1] == "" else lines

    def _excerpt(self, path: str, lines: list[str], first: int, last: int) -> ToolResponse:
        shown: list[str] = []
        size = 0
        for number in range(first, last + 1):
            line = f"{number:>5}  {_short(lines[number - 1])}"
            size += len(line) + 1
            if size > _MAX_CHARACTERS and shown:
                last = number - 1
                break
            shown.append(line)
        return ToolResponse(f"Lines {first} to {last} of {len(lines)}:", "\n".join(shown), path)

    def _folder(self, given: Mapping[str, Any]) -> str:
        path = given.get("path", "")
        return self._place.path(path) if path not in ("", ".", "./") else ""

    def _known(self, text: str, before: str) -> None:
        """Refuse words that look like placeholders and have no value."""
        for match in PLACEHOLDER.finditer(text):
            if match[0] not in before:
                raise Refusal(f"{match[0]} stands for no value that was taken out: copy such words exactly")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape").replace("\r\n", "\n")


def _short(line: str) -> str:
    rest = len(line) - _LONGEST_LINE
    return line if rest <= 0 else f"{line[:_LONGEST_LINE]} … ({rest} more characters)"


def _lines_with(text: str, wanted: str) -> list[int]:
    """Return the lines in which a text begins, each once."""
    numbers: list[int] = []
    at, counted, number = text.find(wanted), 0, 1
    while at >= 0:
        number += text.count("\n", counted, at)
        counted = at
        if not numbers or numbers[-1] != number:
            numbers.append(number)
        at = text.find(wanted, at + 1)
    return numbers


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
            if target.is_file() and not target.is_symlink() and target.stat().st_size > MAX_BYTES:
                raise Refusal(f"the file is larger than {MAX_BYTES:,} bytes")
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
        if len(data) > MAX_BYTES:
            raise Refusal(f"the file would be larger than {MAX_BYTES:,} bytes")
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


_SHOWN = re.compile(r"\\u\{([0-9A-F]{4,6})\}")


NOT_THERE = "old does not stand in the file: read it again, and copy the lines exactly, without numbers"


class Replaced(NamedTuple):
    """Text after an edit.

    Attributes:
        text: All of it.
        first, last: The lines that changed, from 1.
    """

    text: str
    first: int
    last: int


def replace_once(text: str, old: str, new: str) -> Replaced:
    """Replace a part that must occur in a text exactly once.

    Args:
        text: The file.
        old: The part, with any line breaks; a character may be written as it is shown (``\\u{200B}``).
        new: What stands there afterwards.

    Raises:
        Refusal: If it stands there not at all or more than once, or nothing would change.
    """
    flat, old, new = (value.replace("\r\n", "\n") for value in (text, old, new))
    if not old:
        raise Refusal("old is empty: give the lines that are to be replaced")
    at = flat.find(old)
    if at < 0 and _SHOWN.search(old):
        old, new = _as_it_is(old), _as_it_is(new)
        at = flat.find(old)
    if at < 0:
        raise Refusal(NOT_THERE)
    if flat.find(old, at + 1) >= 0:
        raise Refusal("old stands in the file more than once: give more of the lines around it")
    if old == new:
        raise Refusal("old and new are the same: nothing would change")
    # Only what differs is written, so that the lines around it keep their line breaks where a file mixes them.
    head = common_length(old, new)
    tail = common_length(old[head:][::-1], new[head:][::-1])
    start, end, middle = at + head, at + len(old) - tail, new[head : len(new) - tail]
    pairs = _pairs(text)
    written = middle.replace("\n", "\r\n") if _breaks_with_pairs(flat, start, pairs) else middle
    whole = text[: _there(start, pairs)] + written + text[_there(end, pairs) :]
    first = flat.count("\n", 0, start) + 1
    return Replaced(whole, first, first + middle.count("\n"))


def stands_in(text: str, old: str) -> bool:
    """Return whether a part occurs in a text, as it is or as it is shown, with any line breaks."""
    flat, old = (value.replace("\r\n", "\n") for value in (text, old))
    return not old or old in flat or (_SHOWN.search(old) is not None and _as_it_is(old) in flat)


def _pairs(text: str) -> list[int]:
    r"""Return where the line breaks ``\r\n`` are in a text in which each is one character."""
    return [match.start() - index for index, match in enumerate(re.finditer("\r\n", text))]


def _there(place: int, pairs: list[int]) -> int:
    """Return the offset in the text as it is of an offset in the text with single line breaks."""
    return place + bisect.bisect_left(pairs, place)


def _breaks_with_pairs(flat: str, start: int, pairs: list[int]) -> bool:
    """Return whether the line that an edit begins in, or else the line before it, ends with a pair."""
    nearest = flat.find("\n", start)
    if nearest < 0:
        nearest = flat.rfind("\n", 0, start)
    index = bisect.bisect_left(pairs, nearest)
    return index < len(pairs) and pairs[index] == nearest


def _as_it_is(text: str) -> str:
    def char(match: re.Match[str]) -> str:
        code = int(match[1], 16)
        return chr(code) if code <= 0x10FFFF else match[0]

    return _SHOWN.sub(char, text)
