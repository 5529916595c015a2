"""Replace secrets by placeholders before anything leaves, and turn the placeholders back afterwards."""

from __future__ import annotations

import re
import secrets
import threading
from collections.abc import Iterable

from selfreview.llm.secretlike import Span, find

_SHORTEST_KNOWN = 4


class Redactor:
    """Replaces what could be a secret; the same value by the same placeholder for as long as it lives.

    A placeholder (``REDACTED_5be1_PASSWORD_1_12CHARS``) is a word of any programming language, so that code keeps its
    shape: quotes stay around it, and a value of several lines keeps them. Its tag is random, so that no text can hold
    a placeholder that was not made here. May be used by several threads.

    Args:
        known: Values that are secret wherever they occur, such as what another reviewer found.
        tag: Hexadecimal digits in every placeholder, for output that must be repeatable; random where it is None.
    """

    def __init__(self, known: Iterable[str] = (), *, tag: str | None = None) -> None:
        self._tag = tag if tag is not None else secrets.token_hex(2)
        self._ours = re.compile(rf"REDACTED_{re.escape(self._tag)}_[A-Z0-9_]+?_[0-9]+_[0-9]+CHARS")
        self._names: dict[str, str] = {}
        self._values: dict[str, str] = {}
        self._everywhere: set[str] = set()
        self._lock = threading.Lock()
        for value in known:
            for line in value.split("\n"):
                if len(line.strip()) >= _SHORTEST_KNOWN:
                    self._name(line.strip(), "KNOWN", sure=True)

    @property
    def count(self) -> int:
        """How many different values were replaced."""
        return len(self._values)

    def learn(self, text: str) -> None:
        """Find a text's secrets, so that they are replaced in every text, also in those that show them less clearly.

        Raises:
            ToolError: If the scanning library is broken or fails.
        """
        self.redact(text)

    def redact(self, text: str) -> str:
        """Return a text with every value that could be a secret replaced; it has as many lines as before.

        Raises:
            ToolError: If the scanning library is broken or fails.
        """
        parts: list[str] = []
        done = 0
        for span in find(text):
            value = text[span.start : span.end]
            if self._ours.search(value):
                continue
            parts += (text[done : span.start], self._named(value, span))
            done = span.end
        return self._known("".join([*parts, text[done:]]))

    def restore(self, text: str) -> str:
        """Return a text with every placeholder that was made here turned back into its value."""
        return self._ours.sub(lambda match: self._values.get(match[0], match[0]), text)

    def _named(self, value: str, span: Span) -> str:
        return self._name(value, span.kind, sure=span.sure)

    def _name(self, value: str, kind: str, *, sure: bool) -> str:
        with self._lock:
            name = self._names.get(value)
            if name is None:
                name = f"REDACTED_{self._tag}_{kind}_{len(self._names) + 1}_{len(value)}CHARS"
                self._names[value] = name
                self._values[name] = value
            if sure:
                self._everywhere.add(value)
            return name

    def _known(self, text: str) -> str:
        with self._lock:
            values = sorted(self._everywhere, key=len, reverse=True)
        for value in values:
            if value in text:
                text = text.replace(value, self._names[value])
        return text
