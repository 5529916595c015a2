"""Tools that read, search and change the files of a workspace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from selfreview.llm.redaction import PLACEHOLDER, Redactor
from selfreview.llm.toolbox import Refusal, Said, Tool
from selfreview.llm.toolbox_edit import NOT_THERE, replace_once, stands_in
from selfreview.llm.toolbox_paths import Confined
from selfreview.model.wire import display_path

_MOST_CHARACTERS = 40_000
_LONGEST_LINE = 2_000
_MOST_HITS = 60
_MOST_NAMES = 500
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

    def tools(self) -> list[Tool]:
        """Return the tools."""
        line = {"type": "integer", "description": "Line number from 1"}
        text = {"type": "string"}
        return [
            Tool(
                name="read_file",
                description="Show a text file, or lines of it, each with its number, which is no part of the file.",
                properties={"path": _PATH, "first_line": line, "last_line": line},
                required=["path"],
                run=self.read,
            ),
            Tool(
                name="search",
                description="Find a text, exactly as it is given, in all files, in those of a folder, or in one file.",
                properties={"text": text, "path": _PATH},
                required=["text"],
                run=self.search,
                restored=False,
            ),
            Tool(
                name="list_files",
                description="List the repository's files, all or those of a folder.",
                properties={"path": _PATH},
                required=[],
                run=self.names,
            ),
            Tool(
                name="edit_file",
                description="Replace `old` by `new` in a file. `old` must stand there exactly once: copy whole "
                "lines as they are shown, without their numbers, and enough of them.",
                properties={"path": _PATH, "old": text, "new": text},
                required=["path", "old", "new"],
                run=self.edit,
                restored=False,
            ),
            Tool(
                name="create_file",
                description="Make a new text file.",
                properties={"path": _PATH, "content": text},
                required=["path", "content"],
                run=self.create,
            ),
        ]

    def read(self, given: Mapping[str, Any]) -> Said:
        """Show a file."""
        path = self._place.path(given["path"])
        lines = self._lines(path)
        first = max(1, given.get("first_line", 1))
        last = min(len(lines), given.get("last_line", len(lines)))
        if first > last:
            raise Refusal(f"there are no such lines: the file has {len(lines)}")
        return self._excerpt(path, lines, first, last)

    def search(self, given: Mapping[str, Any]) -> Said:
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
                    if len(hits) == _MOST_HITS:
                        return Said(f"The first {_MOST_HITS} hits:", "\n".join(hits))
        return Said(f"{len(hits)} hits:", "\n".join(hits)) if hits else Said("It is found nowhere.")

    def names(self, given: Mapping[str, Any]) -> Said:
        """List files."""
        names = [display_path(path) for path in self._place.files(self._folder(given))]
        if not names:
            raise Refusal("there are no files")
        head = f"{len(names)} files" + (f", the first {_MOST_NAMES}:" if len(names) > _MOST_NAMES else ":")
        return Said(head, "\n".join(names[:_MOST_NAMES]))

    def edit(self, given: Mapping[str, Any]) -> Said:
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
            return Said("Done. The file is empty now.")
        return self._excerpt(path, lines, first, last)._replace(head="Done. The lines are now:")

    def create(self, given: Mapping[str, Any]) -> Said:
        """Create a file."""
        path = self._place.path(given["path"])
        if self._place.exists(path):
            raise Refusal("there is something at that path already; use edit_file")
        self._known(given["content"], "")
        self._redactor.keep_hidden("", given["content"])
        self._place.write(path, given["content"])
        return Said("Done.")

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

    def _excerpt(self, path: str, lines: list[str], first: int, last: int) -> Said:
        shown: list[str] = []
        size = 0
        for number in range(first, last + 1):
            line = f"{number:>5}  {_short(lines[number - 1])}"
            size += len(line) + 1
            if size > _MOST_CHARACTERS and shown:
                last = number - 1
                break
            shown.append(line)
        return Said(f"Lines {first} to {last} of {len(lines)}:", "\n".join(shown), path)

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
