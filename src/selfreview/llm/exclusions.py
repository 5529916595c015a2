"""What a model is told not to report, and what is set aside where it reports it all the same."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from selfreview.errors import ConfigError
from selfreview.model.issue import Category, Finding

_FILE = "exclusions.toml"


class Exclusion(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One kind of finding that is not wanted.

    Attributes:
        name: Stands in the reason of what it sets aside.
        words: What the prompt says, or the empty text.
        categories: Categories that the patterns apply to; all where there are none.
        patterns: Regular expressions, read without regard to case; one that is found in a description sets it aside.
        unless: Regular expression that keeps what it is found in, or None.
    """

    name: str
    words: str = ""
    categories: tuple[Category, ...] = ()
    patterns: tuple[str, ...] = ()
    unless: str | None = None


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    exclude: tuple[Exclusion, ...] = ()


class Exclusions:
    """The exclusions of a run.

    Args:
        items: In order; the first that fits gives the reason.
    """

    def __init__(self, items: tuple[Exclusion, ...]) -> None:
        self._items = tuple((item, tuple(map(_compiled, item.patterns))) for item in items)
        self._unless = {item.name: _compiled(item.unless) for item in items if item.unless is not None}

    @classmethod
    def parse(cls, text: str) -> Exclusions:
        """Read the file's text: ``[[exclude]]`` tables with the keys of :class:`Exclusion`.

        Raises:
            ConfigError: If it is not TOML, has other keys, or a pattern is no regular expression.
        """
        import tomllib

        try:
            table: dict[str, Any] = tomllib.loads(text)
            return cls(msgspec.convert(table, _File).exclude)
        except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
            raise ConfigError(f"{_FILE}: {error}") from error

    @property
    def words(self) -> list[str]:
        """What the prompt says, an entry each."""
        return [item.words for item, _ in self._items if item.words]

    def reason(self, finding: Finding) -> str | None:
        """Return why a finding is set aside (``"excluded: NAME"``), or None; it is shown with the finding."""
        for item, patterns in self._items:
            if item.categories and finding.category not in item.categories:
                continue
            unless = self._unless.get(item.name)
            if unless is not None and unless.search(finding.description):
                continue
            if any(pattern.search(finding.description) for pattern in patterns):
                return f"excluded: {item.name}"
        return None


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern, re.IGNORECASE)
    except re.error as error:
        raise ConfigError(f"{_FILE}: a pattern is no regular expression: {error}") from error
