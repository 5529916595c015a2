"""Lookup of definitions and uses of names in the tree, and the names that lines of code use."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from selfreview.api.context import ReviewContext, SourceText, WordHit
from selfreview.llm.context.outline import GRAMMARS, Definition, family_of, language_of, outline, parse
from selfreview.syntax.file_kinds import is_test

_MAX_FILES = 40
_MAX_BYTES = 400_000
_MAX_WORDS = 400
_PLACES = 5
"""Maximum number of places where a name is defined; a name defined in more is ignored."""
_WORD = re.compile(r"\w+")
_KEYWORD = (
    r"\b(?:def|class|func|fun|fn|function|interface|type|struct|enum|trait|module|object|record|const|let|var|val"
    r"|macro_rules!|#define|defp|defmodule|typedef|static|public|private|protected|internal|abstract|override|impl"
    r"|contract|modifier)\b[^=;(]*"
)
_TYPED = r"^\s*(?!return\b|new\b|throw\b|else\b|await\b|case\b)(?:[\w:<>,*&\[\]?]+\s+)+[*&]*(?:\w+::)*"
_HEIR = r"\b(?:class|struct|object|interface)\s+(\w+)\b.*\b{0}\b|\bimpl\b.*\b{0}\b.*\bfor\s+(\w+)"
_ASSIGNED = r"^(?:export\s+)?"


class FoundDefinition(NamedTuple):
    """Definition and its path."""

    path: str
    definition: Definition


class Lookup:
    """Lookup of names in the tree; reads at most forty files.

    Args:
        names: All names that will be asked for, the most important first.
        context: The change.
    """

    def __init__(self, names: Iterable[str], context: ReviewContext) -> None:
        words = list(dict.fromkeys(names))[:_MAX_WORDS]
        self._words = frozenset(words)
        self._hits: dict[tuple[str, str], list[WordHit]] = defaultdict(list)
        for hit in sorted(context.search(words)):
            family = family_of(hit.path)
            for word in dict.fromkeys(_WORD.findall(hit.text)) if family is not None and len(hit.text) < 1000 else ():
                if word in self._words and family is not None:
                    self._hits[family, word].append(hit)
        self._texts = self._read(words, context)

    def _read(self, words: list[str], context: ReviewContext) -> Mapping[str, SourceText]:
        """Read the files that seem to define names; those with the most important names first."""
        paths: dict[str, None] = {}
        by_word: dict[str, list[WordHit]] = defaultdict(list)
        for (_, word), hits in self._hits.items():
            by_word[word] += hits
        for word in words:
            defining = {hit.path for hit in by_word[word] if looks_defined(word, hit.text)}
            chosen = {path for path in defining if not is_test(path)} or defining
            if len(chosen) <= _PLACES:
                paths.update(dict.fromkeys(sorted(chosen)))
        found = context.read_paths(list(paths)[:_MAX_FILES])
        return {path: SourceText.from_bytes(data) for path, data in found.items() if len(data) <= _MAX_BYTES}

    def text(self, path: str) -> SourceText | None:
        """Return the text of a file that was read, or None."""
        return self._texts.get(path)

    def definitions(self, name: str, path: str) -> list[FoundDefinition]:
        """Return where a name is defined in the family of a file; nothing where that is in too many places."""
        hits = self._hits.get((family_of(path) or "", name), ())
        found = [
            FoundDefinition(other, item)
            for other in sorted({hit.path for hit in hits} & self._texts.keys())
            for item in outline(other, self._texts[other].text)
            if item.name == name
        ]
        program = {item.path for item in found if not is_test(item.path)}
        return found if len(program or {item.path for item in found}) <= _PLACES else []

    def is_gone(self, name: str, path: str) -> bool:
        """Return whether a name was looked for and occurs nowhere in the language family of a file."""
        return name in self._words and not self._hits.get((family_of(path) or "", name))

    def heirs(self, name: str, path: str) -> list[tuple[str, WordHit]]:
        """Return the types declared on one line as heirs of a type, in the family of a file."""
        pattern = _HEIR.format(re.escape(name))
        hits = self._hits.get((family_of(path) or "", name), ())
        found = ((re.search(pattern, hit.text), hit) for hit in hits)
        return [(match[1] or match[2], hit) for match, hit in found if match and name not in (match[1], match[2])]

    def uses(self, name: str, path: str) -> list[WordHit]:
        """Return the uses of a name in the family of a file, without its definitions and imports.

        Nothing where it is defined in so many places that nobody can say which one is meant.
        """
        hits = self._hits.get((family_of(path) or "", name), [])
        defining = {hit.path for hit in hits if looks_defined(name, hit.text)} - {path}
        if len({other for other in defining if is_test(path) or not is_test(other)}) > 1:
            return []
        return [hit for hit in hits if not looks_defined(name, hit.text) and not is_import(hit.text)]


def looks_defined(name: str, text: str) -> bool:
    """Return whether a line looks like a definition of a name."""
    word = re.escape(name)
    pattern = (
        rf"{_KEYWORD}\b{word}\b|{_TYPED}{word}\s*\([^;]*$|{_ASSIGNED}{word}\s*(?::[^=]+)?=[^=]|^\s*{word}\s*\(\)\s*\{{"
    )
    return re.search(pattern, text) is not None


def is_import(text: str) -> bool:
    """Return whether a line is an import."""
    return re.match(r"\s*(?:from\b|import\b|use\b|using\b|#\s*include|require|export \{|@import)", text) is not None


_MIN_LETTERS = 3
_MAX_ROW = 20_000
_MAX_OWNER = 200
_MAX_CHARS = 1_000_000
_COMMON = frozenset(
    """
    abstract all and any append args array assert async await base begin bool boolean break byte bytes call case
    catch char class close cls clone code collections config const constructor content context continue copy count
    create data debug def default del delete description dict double elif else elsif end ensure enum equals error
    except exception exists exit export extend extends extra false fields file filter final finally find first float
    fmt for foreach format from func function get getattr global goto group has hash head header id impl implements
    import include index info init initialize insert instanceof int integer interface internal into isinstance
    item items iter iterator join json key keys kwargs lambda last left len length let line lines list load local log
    long loop main map match max message method min mod module mut name names namespace nat new next nil none not
    null number object open options out override package params parent parse pass path pop pre print printf println
    private protected public push put raise range read readonly record ref remove replace request require rescue
    reset response result return right root row rows run save sealed search self send set setattr setup short
    signed size sizeof sleep slice some sort sorted source split start start_line state static stop str string strip
    struct sub sum super switch sync tail target template test text the then this throw throws time title
    toString token trait trim true try tuple type typedef typeof undefined union unless unsigned until update use
    using value values var version void volatile when where while with write yield zip
    """.split()  # noqa: SIM905 - a table of words is read more easily than a list of strings
)
"""Keywords, builtins, and words that every code base uses for many things: no lookup of them helps."""
_OWNER = re.compile(r"(?<![\w.])([A-Z]\w*)\s*(?:\.|::)\s*$")


class Name(NamedTuple):
    """A name in use.

    Attributes:
        name: Itself.
        called: Whether a call or a construction follows, or it decorates something.
        owner: The type that stands before it wherever it is used (``Color`` of ``Color.WHITE``), or the empty string.
    """

    name: str
    called: bool
    owner: str = ""


def is_distinctive(name: str) -> bool:
    """Return whether a name is distinctive enough to be looked for in a whole repository."""
    return len(name) >= _MIN_LETTERS and name.casefold() not in _COMMON and not name.startswith("__")


def names_on(path: str, text: str, lines: Iterable[int]) -> list[Name]:
    """Return the distinctive names on some lines of a file, those that are called first, in order of appearance.

    No word of a string or a comment is a name; nothing is one in a file whose language is not known.

    Args:
        path: The file.
        text: All of its text.
        lines: 1-based numbers.
    """
    wanted = frozenset(lines)
    language = language_of(path)
    if language is None or len(text) > _MAX_CHARS:
        return []
    # To place a node takes time in proportion to its column: rows that no person wrote are passed over.
    rows = [row if len(row) <= _MAX_ROW else "" for row in text.split("\n")]
    text = "\n".join(rows)
    found: dict[str, Name] = {}
    for name in _identifiers(language, text, wanted, rows):
        if is_distinctive(name.name):
            seen = found.get(name.name, name)
            owner = name.owner if name.owner == seen.owner else ""
            found[name.name] = Name(name.name, seen.called or name.called, owner)
    return sorted(found.values(), key=lambda item: not item.called)


def _identifiers(language: str, text: str, wanted: frozenset[int], rows: list[str]) -> Iterator[Name]:
    for node in parse(language, text).find_all(any=[{"kind": kind} for kind in GRAMMARS[language].names]):
        span = node.range()
        if span.start.line + 1 in wanted:
            row = rows[span.end.line]
            rest = row[span.end.column :]
            is_called = node.kind() == "command_name" or rest[:2].lstrip("!?")[:1] in ("(", "<")
            match = _OWNER.search(rows[span.start.line][max(0, span.start.column - _MAX_OWNER) : span.start.column])
            owner = match[1] if match and is_distinctive(match[1]) else ""
            yield Name(node.text(), is_called or (not rest.strip() and row.lstrip().startswith("@")), owner)
