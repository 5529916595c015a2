"""Redaction: secrets are replaced by placeholders before anything is sent, and restored afterwards."""

from __future__ import annotations

import base64
import re
import secrets
import threading
import urllib.parse
from collections.abc import Iterable, Iterator

from selfreview.secrets.suspected import find_suspects
from selfreview.text.masking import MASK

_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_SHORTEST_ENCODED = 8
_SHORTEST_SPLIT = 16
_WORDS = re.compile(r"[A-Za-z_. -]+|\d+")
_LONGEST_NAME = 120
"""Characters of a placeholder: those of a kind are the name of a rule."""
PLACEHOLDER = re.compile(r"REDACTED_[0-9a-f]{4,}_[A-Z0-9_]+?_[0-9]+_[0-9]+CHARS")
"""The form of every redactor's placeholders."""
_BEFORE_BREAK = "\"'\\ \t\r"
_AFTER_BREAK = " \t\"'"
_LINE_BREAK = re.compile(r"[\"'\\ \t\r]*\n[+\- ]?[ \t\"']*")


class Redactor:
    """Redactor of possible secrets; replaces the same value by the same placeholder for as long as it lives.

    A placeholder (``REDACTED_5be10c6a9f3d2714_PASSWORD_1_12CHARS``) is a word of any programming language, so that
    code keeps its shape: quotes stay around it, and a value of several lines keeps them. Its tag is random, so that
    no text can hold a placeholder that was not made here. May be used by several threads.

    Args:
        spared: Words of ours that are random and no secret, such as the mark of delimiters.
        tag: Hexadecimal digits in every placeholder, for output that must be repeatable; random where it is None.
    """

    def __init__(self, *, spared: Iterable[str] = (), tag: str | None = None) -> None:
        self._tag = tag if tag is not None else secrets.token_hex(8)
        placeholder = rf"REDACTED_{re.escape(self._tag)}_[A-Z0-9_]+?_[0-9]+_[0-9]+CHARS"
        self._ours = re.compile("|".join([placeholder, *map(re.escape, spared)]))
        self._names: dict[str, str] = {}
        self._values: dict[str, str] = {}
        self._everywhere: dict[str, tuple[str, ...]] = {}
        self._commits: set[str] = set()
        self._lock = threading.Lock()

    @property
    def count(self) -> int:
        """Number of different values that were replaced."""
        return len(self._values)

    def learn(self, text: str) -> None:
        """Find a text's secrets, so that they are replaced in every text, also where they are less recognizable."""
        self.redact(text)

    def redact(self, text: str) -> str:
        """Return a text with every value that could be a secret replaced; it has as many lines as before.

        Redacting it once more changes nothing.
        """
        parts: list[str] = []
        done = 0
        for span in find_suspects(text):
            value = text[span.start : span.end]
            if not self._touches(text, span[:2]):
                everywhere = len(value) >= _SHORTEST_ENCODED and _WORDS.fullmatch(value) is None
                parts += (text[done : span.start], self._name(value, span.kind, everywhere=everywhere))
                done = span.end
        return self._known("".join([*parts, text[done:]]))

    def keep_hidden(self, before: str, after: str) -> None:
        """Hide values also where nothing identifies them as secrets any more, once an edit has removed that.

        Args:
            before: A file's text before the edit; empty where there was no file.
            after: Its text now.
        """
        shown_before, shown_after = self.redact(before), self.redact(after)
        with self._lock:
            known = [value for value in self._names if value not in self._everywhere]
        bare = [value for value in known if shown_after.count(value) > shown_before.count(value)]
        with self._lock:
            self._everywhere.update((value, ()) for value in bare)

    def restore(self, text: str) -> str:
        """Return a text with every placeholder of this redactor replaced by its value."""
        return self._ours.sub(lambda match: self._values.get(match[0], match[0]), text)

    def masked(self, text: str) -> str:
        """Return a model's words for people: secrets masked, and without what is left of its placeholders.

        What looks like the id of a commit stays where the model itself brought it up: it was shown no secret.
        """
        with self._lock:
            shown = self._values.keys() - self._commits
        redacted = self.redact(text)
        with self._lock:
            self._commits |= {name for name in self._values.keys() - shown if _COMMIT.fullmatch(self._values[name])}
            commits = {name: self._values[name] for name in self._commits}
        return PLACEHOLDER.sub(lambda match: commits.get(match[0], MASK), redacted)

    def _touches(self, text: str, extent: tuple[int, int]) -> bool:
        """Return whether an extent of a text overlaps a placeholder."""
        near = self._ours.finditer(text, max(0, extent[0] - _LONGEST_NAME), extent[1] + _LONGEST_NAME)
        return any(ours.start() < extent[1] and extent[0] < ours.end() for ours in near)

    def _name(self, value: str, kind: str, *, everywhere: bool = False) -> str:
        with self._lock:
            name = self._names.get(value)
            if name is None:
                name = f"REDACTED_{self._tag}_{kind}_{len(self._names) + 1}_{len(value)}CHARS"
                self._names[value] = name
                self._values[name] = value
            if everywhere and value not in self._everywhere:
                self._everywhere[value] = tuple(_encodings(value)) if len(value) >= _SHORTEST_ENCODED else ()
            return name

    def _known(self, text: str) -> str:
        """Replace the known values: as they are, encoded, or broken over lines."""
        with self._lock:
            known = sorted(self._everywhere.items(), key=lambda item: -len(item[0]))
        for value, encodings in known:
            for form in (value, *encodings):
                if form in text:
                    text = self._replaced(text, form)
        broken = [value for value, _ in known if len(value) >= _SHORTEST_SPLIT]
        return self._unbroken(text, broken) if broken and "\n" in text else text

    def _replaced(self, text: str, form: str) -> str:
        """Replace a form of a value wherever it occurs, except inside placeholders."""
        name = self._name(form, "ENCODED")
        pattern = re.compile(f"({self._ours.pattern})|{re.escape(form)}")
        return pattern.sub(lambda match: match[1] or name, text)

    def _unbroken(self, text: str, values: list[str]) -> str:
        """Replace values that continue on the next line, also behind a diff's mark or between quotes, line by line."""
        joined = _joined(text)
        if not any(value in joined for value in values):
            return text
        for value in values:
            if value not in joined:
                continue
            gap = f"(?:{_LINE_BREAK.pattern})?"
            for match in reversed(list(re.finditer(gap.join(map(re.escape, value)), text))):
                pieces = re.split(f"({_LINE_BREAK.pattern})", match[0])
                pieces[::2] = [self._name(piece, "PART") for piece in pieces[::2]]
                text = text[: match.start()] + "".join(pieces) + text[match.end() :]
        return text


def _joined(text: str) -> str:
    """Return a text without its line breaks and what belongs to them.

    It is what replacing the pattern of a break would give; that takes the square of the length of a run of blanks.
    """
    first, *others = text.split("\n")
    lines = [first, *((line[1:] if line[:1] in ("+", "-") else line).lstrip(_AFTER_BREAK) for line in others)]
    return "".join([*(line.rstrip(_BEFORE_BREAK) for line in lines[:-1]), lines[-1]])


def _encodings(value: str) -> Iterator[str]:
    """Yield a value as addresses and base64 show it, where that differs."""
    raw = value.encode("utf-8", "surrogatepass")
    quoted = urllib.parse.quote(raw, safe="")
    if quoted != value:
        yield quoted
    for shift in range(3):
        # What depends on the bytes before and after is left out.
        encoded = base64.b64encode(b"\0" * shift + raw).rstrip(b"=").decode()
        yield encoded[(0, 2, 3)[shift] : len(encoded) - ((shift + len(raw)) % 3 != 0)]
