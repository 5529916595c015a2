"""Check of a verifier's citations: that they occur in what was shown, and are code that can decide something."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from selfreview.api import Finding, ReviewContext, Side, SourceText
from selfreview.llm.codepart import CODE, COMMENT, parts_of_lines
from selfreview.llm.marks import escape
from selfreview.llm.material import Material
from selfreview.llm.normal import squeeze
from selfreview.llm.outline import outline
from selfreview.llm.quoted import Numbered, gapped_hits, hits, quotes_of
from selfreview.llm.reference import Reference
from selfreview.llm.view import FileView

_LEAST_QUOTE = 6
_IMPORT = re.compile(
    r"[ \t]*(?:import\b|from[ \t]+\S+[ \t]+import\b|#[ \t]*include\b|using[ \t]+[\w.:]+[ \t]*;|"
    r"use[ \t]+[\w:\\{]|package[ \t]|(?:const|let|var)[ \t].{1,200}=[ \t]*require\()"
)
_NUMBER = re.compile(r"^\s*\d*\s*[+|]?\s")


class _Shown(NamedTuple):
    """Line that was shown: its file with its text, its number, and the kinds of its characters."""

    path: str
    text: str
    number: int
    line: str
    parts: str


class Citations:
    """Lookup of cited lines in what a verifier was shown. Files are read and parsed only when something is cited.

    Args:
        material: What was shown.
        context: The change.
    """

    def __init__(self, material: Material, context: ReviewContext) -> None:
        self._material = material
        self._context = context
        self._parts: dict[tuple[str, str], list[str]] = {}
        self._heads: dict[tuple[str, str], frozenset[int]] = {}

    def decides(self, finding: Finding, quote: str) -> bool:
        """Return whether a quote holds a line of code, other than those that the finding is about.

        Words decide nothing: not those of a comment or a string, and not a line that is mostly made of them. Neither
        does the first line of a function or a type with the rest of it below, an import, or a bracket: they stand
        there whether or not the finding is right. Of a finding whose own line is not known, nothing decides.
        """
        if not self._is_placed(finding):
            return False
        said = self._material.redactor.restore(quote)
        quoted = {squeeze(form) for line in said.split("\n") for form in (line, _NUMBER.sub("", line))}
        wanted = [form for form in quoted if len(form) >= _LEAST_QUOTE]
        claimed = squeeze(finding.evidence or "")
        return bool(wanted) and any(
            squeeze(shown.line) != claimed
            and not (shown.path == finding.file and _is_about(finding, shown.number))
            and not self._is_frame(shown)
            and any(_is_cited(form, shown.line, shown.parts) for form in wanted)
            for shown in self._shown(finding.file)
        )

    def stands(self, path: str, quote: str) -> bool:
        """Return whether any line of a quote is, or is in, a line shown with a file; removed lines and comments count.

        It need decide nothing. Who cites what is nowhere did not read.
        """
        texts = [line.text for piece in self._material.views[path].pieces for line in piece.lines]
        for reference in self._material.references.get(path, ()):
            texts += reference.text.split("\n")
        lines = [Numbered(0, 0, Side.NEW, text) for text in texts]
        quotes = quotes_of(self._material.redactor.restore(quote))
        return bool(hits(quotes, lines, contained=False) or gapped_hits(quotes, lines))

    def _is_placed(self, finding: Finding) -> bool:
        """Return whether the finding quotes a line that exists."""
        text = self._context.text(self._material.views[finding.file].file, finding.side)
        return text is not None and bool(finding.evidence) and finding.evidence in text.lines

    def _is_frame(self, shown: _Shown) -> bool:
        """Return whether a line only declares something: the head of a definition, an import, or a bracket."""
        if _IMPORT.match(shown.line) or not re.search(r"\w", shown.line):
            return True
        key = shown.path, shown.text
        if key not in self._heads:
            self._heads[key] = frozenset(_heads(shown.path, shown.text))
        return shown.number in self._heads[key]

    def _shown(self, path: str) -> Iterator[_Shown]:
        """Yield the lines that were shown with a file."""
        view = self._material.views[path]
        yield from self._of_view(view)
        for reference in self._material.references.get(path, ()):
            yield from self._of_reference(reference)

    def _of_view(self, view: FileView) -> Iterator[_Shown]:
        text = self._context.text(view.file)
        if text is None:
            return
        parts = self._parts_of(view.file.path, text.text)
        for piece in view.pieces:
            for line in piece.lines:
                if line.number is not None and line.number <= len(parts):
                    number = line.number
                    yield _Shown(view.file.path, text.text, number, text.line(number), parts[number - 1])

    def _of_reference(self, reference: Reference) -> Iterator[_Shown]:
        data = self._context.read_path(reference.path)
        if data is None:
            return
        text = SourceText.from_bytes(data)
        parts = self._parts_of(reference.path, text.text)
        shown = frozenset(reference.text.split("\n"))
        for number in range(reference.line_start, min(reference.line_end, len(text.lines)) + 1):
            if text.line(number) in shown:
                yield _Shown(reference.path, text.text, number, text.line(number), parts[number - 1])

    def _parts_of(self, path: str, text: str) -> list[str]:
        key = path, text
        if key not in self._parts:
            self._parts[key] = parts_of_lines(path, text)
        return self._parts[key]


def _is_about(finding: Finding, number: int) -> bool:
    return finding.side is Side.NEW and finding.line_start <= number <= max(finding.line_start, finding.line_end)


def _heads(path: str, text: str) -> Iterator[int]:
    """Yield the lines that functions and types of more than one line begin with, decorators and all, to their body."""
    lines = text.split("\n")
    for item in outline(path, text):
        if item.kind == "value" or item.line_end <= item.line_start:
            continue
        signature, said = squeeze(item.signature), ""
        for number in range(item.line_start, item.line_end):
            line = squeeze(lines[number - 1])
            decorates = not said and line.startswith("@")
            if not decorates and not (line and signature.startswith(said + line.rstrip("{:"))):
                break
            said += "" if decorates and not signature.startswith(line) else line
            yield number


def _is_cited(quote: str, line: str, parts: str) -> bool:
    """Return whether a quote without white space is at least half of a line without comments, and both mostly code."""
    whole = squeeze(line)
    marked = [
        (shown, part)
        for char, part in zip(line.removesuffix("\r"), parts, strict=False)
        if part != COMMENT and not char.isspace()
        for shown in escape(char)
    ]
    said = "".join(char for char, _ in marked)
    if said and quote.startswith(said) and quote in whole:
        quote = said  # with the comment behind it, or a part of that
    at = said.find(quote)
    # Most of a line, so that a word that stands anywhere decides nothing.
    if at < 0 or len(quote) < _LEAST_QUOTE or 2 * len(quote) < len(said):
        return False
    code = [part == CODE for _, part in marked]
    return 2 * sum(code) >= len(code) and 2 * sum(code[at : at + len(quote)]) >= len(quote)
