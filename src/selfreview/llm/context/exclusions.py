"""Exclusions: kinds of findings that a model is asked not to report, and phrases by which they are dismissed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import msgspec

from selfreview.errors import ConfigError
from selfreview.llm.context.guidelines import Instructions
from selfreview.model.issue import Category, Finding, IssueStatus, Severity, Side
from selfreview.text.toml import parse_toml

FILE = "exclusions.toml"
PATH = f".selfreview/prompts/{FILE}"
"""Path of a repository's own exclusions."""

_MAX_CHARACTERS = 16 * 1024


class Exclusion(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Exclusion of one kind of finding that is not wanted.

    Attributes:
        name: Stands in the reason of what it sets aside.
        words: What the prompt says, or the empty text.
        categories: Categories that the phrases apply to; all where there are none.
        phrases: As :class:`Phrase` reads them; a finding with one of them in its description is dismissed.
        unless: Phrases that keep what one of them is in.
    """

    name: str
    words: str = ""
    categories: tuple[Category, ...] = ()
    phrases: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()


_HINT = f"[[exclude]] tables have the keys {', '.join(Exclusion.__struct_fields__)}"


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    exclude: tuple[Exclusion, ...] = ()


class Exclusions:
    """The exclusions of a run.

    Args:
        items: In order; the first that fits gives the reason.
    """

    def __init__(self, items: tuple[Exclusion, ...]) -> None:
        self._items = tuple((item, _read(at, item.phrases), _read(at, item.unless)) for at, item in enumerate(items))

    @classmethod
    def parse(cls, text: str, where: str = FILE) -> Exclusions:
        """Read the file's text: ``[[exclude]]`` tables with the keys of :class:`Exclusion`.

        Args:
            text: TOML.
            where: What the file is called in an error.

        Raises:
            ConfigError: If it is too long, is not TOML, has other keys, or a phrase cannot be read.
        """
        if len(text) > _MAX_CHARACTERS:
            raise ConfigError(f"{where}: it has more than {_MAX_CHARACTERS:,} characters")
        try:
            table: dict[str, Any] = parse_toml(text)
        except ValueError as error:
            raise ConfigError(f"{where}: {error}", hint=_HINT) from error
        try:
            return cls(msgspec.convert(table, _File).exclude)
        except msgspec.ValidationError as error:
            index: int | None = _first_invalid(table)
            problem: Exception = error
        except _PhraseError as error:
            index, problem = error.index, error
        raise ConfigError(f"{_place(where, text, index)}: {problem}", hint=_HINT) from problem

    @property
    def words(self) -> list[str]:
        """Text of the exclusions for the prompt, an entry each."""
        return [item.words for item, _, _ in self._items if item.words]

    def reason(self, finding: Finding) -> str | None:
        """Return why a finding is set aside (``"excluded: NAME"``), or None; it is shown with the finding."""
        description = words(finding.description)
        for item, phrases, unless in self._items:
            if item.categories and finding.category not in item.categories:
                continue
            occurs = any(phrase.is_in(description) for phrase in phrases)
            if occurs and not any(phrase.is_in(description) for phrase in unless):
                return f"excluded: {item.name}"
        return None

    def applied(self, finding: Finding) -> Finding:
        """Return a finding, set aside where an exclusion matches; a high or critical finding is never set aside."""
        if finding.severity.at_least(Severity.HIGH) or finding.status is not IssueStatus.OPEN:
            return finding
        reason = self.reason(finding)
        if reason is None:
            return finding
        return msgspec.structs.replace(finding, status=IssueStatus.DISMISSED, status_reason=reason)


class _PhraseError(ValueError):
    """Error of a phrase that cannot be read, in the table at an index."""

    def __init__(self, problem: ValueError, index: int) -> None:
        super().__init__(f"{problem} - at `$.exclude[{index}]`")
        self.index = index


def load(source: Instructions, bundled: str) -> str:
    """Return the text of the repository's exclusions, or of those that are bundled.

    A file that is broken in the base cannot be repaired by the change that is under review, so it is skipped with a
    note. One that git ignores is the person's own.

    Args:
        source: Reads the repository's; is told of one that is passed over.
        bundled: The text of those that are bundled.

    Raises:
        ConfigError: If the person's own file is broken.
    """
    data = source.read([PATH]).get(PATH)
    if data is None:
        return bundled
    context, text = source.context, data.decode("utf-8", "replace")
    at_base = context.read_paths([PATH], Side.OLD) or context.read_links([PATH], Side.OLD)
    try:
        Exclusions.parse(text, f"{PATH}, as it is at the base of the change" if at_base else PATH)
    except ConfigError as error:
        if not at_base:
            raise
        source.notes.append(f"{error.message}; the bundled exclusions are used instead ({error.hint})")
        return bundled
    return text


def _first_invalid(table: dict[str, Any]) -> int | None:
    """Return the index of the first table that is no exclusion, or None where the file has other keys besides."""
    tables = table.get("exclude") if table.keys() == {"exclude"} else None
    for index, item in enumerate(tables if isinstance(tables, list) else ()):
        try:
            msgspec.convert(item, Exclusion)
        except msgspec.ValidationError:
            return index
    return None


def _place(where: str, text: str, index: int | None) -> str:
    """Return the file and, where it is known which table is wrong, the line of that table."""
    headings = [
        number for number, line in enumerate(text.split("\n"), 1) if re.match(r"\s*\[\[\s*exclude\s*\]\]", line)
    ]
    return where if index is None or index >= len(headings) else f"{where}, line {headings[index]}"


def _read(index: int, phrases: tuple[str, ...]) -> tuple[Phrase, ...]:
    try:
        return tuple(map(Phrase, phrases))
    except ValueError as error:
        raise _PhraseError(error, index) from error


_WORD = re.compile(r"\w+(?:[-'\u2019]\w+)*|->|[^\w\s]")
_QUOTES = frozenset("`'\"*\u2018\u2019\u201c\u201d")
_PART = re.compile(r"(\[)?([^|\[\]]+(?:\|[^|\[\]]+)*)(?(1)\])")
_MAX_WORDS = 400
"""Maximum number of words that are read of a description."""


def words(text: str) -> list[str]:
    """Return a text's words, lower case, and its punctuation but for quotes; of a very long text the beginning."""
    found = (match.group().casefold() for match in _WORD.finditer(text))
    return [word for word, _ in zip((w for w in found if w not in _QUOTES), range(_MAX_WORDS), strict=False)]


class _Part(NamedTuple):
    """Element of a phrase: any of some words, or of some beginnings of words."""

    exact: frozenset[str]
    beginnings: tuple[str, ...]
    optional: bool

    def fits(self, word: str) -> bool:
        return word in self.exact or word.startswith(self.beginnings)


class Phrase:
    """Consecutive words, matched without regard to case.

    ``a|b`` is either word, ``[a|b]`` either or none, ``word*`` any word that begins so, and ``^`` at the beginning the
    beginning of the text.

    Args:
        text: Such as ``"missing|lacks [a|an|any] docstring*"``.

    Raises:
        ValueError: If it is not of this form.
    """

    def __init__(self, text: str) -> None:
        self._first = text.startswith("^")
        self._parts = tuple(_parts(text.removeprefix("^").strip()))
        if all(part.optional for part in self._parts):
            raise ValueError(f"the phrase {text!r} needs a word that is not optional")

    def is_in(self, text: Sequence[str]) -> bool:
        """Return whether the phrase occurs in a text, given as its words; takes as many steps as both have words."""
        reached: set[int] = set()
        start = next((number for number, word in enumerate(text) if word[0].isalnum()), 0)
        for number, word in enumerate(text):
            if not self._first or number == start:
                reached.add(0)
            here = self._without_optional(reached)
            reached = {place + 1 for place in here if place < len(self._parts) and self._parts[place].fits(word)}
            if len(self._parts) in self._without_optional(reached):
                return True
        return False

    def _without_optional(self, places: Iterable[int]) -> set[int]:
        """Return places, and those that are reached from them by leaving out what is optional."""
        result: set[int] = set()
        for place in places:
            last = place
            while last not in result:
                result.add(last)
                if last < len(self._parts) and self._parts[last].optional:
                    last += 1
        return result


def _parts(text: str) -> Iterable[_Part]:
    for part in text.split():
        match = _PART.fullmatch(part)
        choices = match[2].casefold().split("|") if match is not None else [""]
        if any("*" in choice[:-1] or choice in ("", "*", "^") for choice in choices):
            raise ValueError(f"the phrase {text!r} cannot be read at {part!r}")
        beginnings = tuple(choice[:-1] for choice in choices if choice.endswith("*"))
        exact = frozenset(choice for choice in choices if not choice.endswith("*"))
        yield _Part(exact, beginnings, part.startswith("["))
