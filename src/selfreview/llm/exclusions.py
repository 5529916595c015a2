"""What a model is told not to report, and what is set aside where it reports it all the same."""

from __future__ import annotations

from typing import Any

import msgspec

from selfreview.errors import ConfigError
from selfreview.llm.phrases import Phrase, words
from selfreview.model.issue import Category, Finding

_FILE = "exclusions.toml"
_MOST_CHARACTERS = 16 * 1024


class Exclusion(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One kind of finding that is not wanted.

    Attributes:
        name: Stands in the reason of what it sets aside.
        words: What the prompt says, or the empty text.
        categories: Categories that the phrases apply to; all where there are none.
        phrases: As :class:`~selfreview.llm.phrases.Phrase` reads them; one that is in a description sets it aside.
        unless: Phrases that keep what one of them is in.
    """

    name: str
    words: str = ""
    categories: tuple[Category, ...] = ()
    phrases: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    exclude: tuple[Exclusion, ...] = ()


class Exclusions:
    """The exclusions of a run.

    Args:
        items: In order; the first that fits gives the reason.
    """

    def __init__(self, items: tuple[Exclusion, ...]) -> None:
        self._items = tuple((item, _read(item.phrases), _read(item.unless)) for item in items)

    @classmethod
    def parse(cls, text: str) -> Exclusions:
        """Read the file's text: ``[[exclude]]`` tables with the keys of :class:`Exclusion`.

        Raises:
            ConfigError: If it is too long, is not TOML, has other keys, or a phrase cannot be read.
        """
        import tomllib

        if len(text) > _MOST_CHARACTERS:
            raise ConfigError(f"{_FILE}: it has more than {_MOST_CHARACTERS:,} characters")
        try:
            table: dict[str, Any] = tomllib.loads(text)
            return cls(msgspec.convert(table, _File).exclude)
        except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
            raise ConfigError(f"{_FILE}: {error}") from error

    @property
    def words(self) -> list[str]:
        """What the prompt says, an entry each."""
        return [item.words for item, _, _ in self._items if item.words]

    def reason(self, finding: Finding) -> str | None:
        """Return why a finding is set aside (``"excluded: NAME"``), or None; it is shown with the finding."""
        said = words(finding.description)
        for item, phrases, unless in self._items:
            if item.categories and finding.category not in item.categories:
                continue
            if any(phrase.is_in(said) for phrase in phrases) and not any(phrase.is_in(said) for phrase in unless):
                return f"excluded: {item.name}"
        return None


def _read(phrases: tuple[str, ...]) -> tuple[Phrase, ...]:
    try:
        return tuple(map(Phrase, phrases))
    except ValueError as error:
        raise ConfigError(f"{_FILE}: {error}") from error
