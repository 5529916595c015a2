"""Whether what a verifier cites is code that can decide something."""

from __future__ import annotations

import re
from collections.abc import Iterator

from selfreview.api import Finding, ReviewContext, SourceText
from selfreview.llm.codepart import CODE, COMMENT, parts_of_lines
from selfreview.llm.marks import escape
from selfreview.llm.material import Material
from selfreview.llm.normal import squeeze
from selfreview.llm.reference import Reference
from selfreview.llm.view import FileView

_LEAST_QUOTE = 6
_NUMBER = re.compile(r"^\s*\d*\s*[+|]?\s")


class Citations:
    """Looks for cited lines in what a verifier was shown. Files are read and parsed only when something is cited.

    Args:
        material: What was shown.
        context: The change.
    """

    def __init__(self, material: Material, context: ReviewContext) -> None:
        self._material = material
        self._context = context
        self._parts: dict[tuple[str, str], list[str]] = {}

    def decides(self, finding: Finding, quote: str) -> bool:
        """Whether a quote holds a line of code, other than the one that the finding is about.

        Words decide nothing: not those of a comment or a string, and not a line that is mostly made of them.
        """
        said = self._material.redactor.restore(quote)
        quoted = {squeeze(form) for line in said.split("\n") for form in (line, _NUMBER.sub("", line))}
        wanted = [form for form in quoted if len(form) >= _LEAST_QUOTE]
        claimed = squeeze(finding.evidence or "")
        return bool(wanted) and any(
            squeeze(line) != claimed and any(_is_cited(form, line, parts) for form in wanted)
            for line, parts in self._shown(finding.file)
        )

    def _shown(self, path: str) -> Iterator[tuple[str, str]]:
        """Yield the lines that were shown with a file, and what their characters are."""
        view = self._material.views[path]
        yield from self._of_view(view)
        for reference in self._material.references.get(path, ()):
            yield from self._of_reference(reference)

    def _of_view(self, view: FileView) -> Iterator[tuple[str, str]]:
        text = self._context.text(view.file)
        if text is None:
            return
        parts = self._parts_of(view.file.path, text.text)
        for piece in view.pieces:
            for line in piece.lines:
                if line.number is not None and line.number <= len(parts):
                    yield text.line(line.number), parts[line.number - 1]

    def _of_reference(self, reference: Reference) -> Iterator[tuple[str, str]]:
        data = self._context.read_path(reference.path)
        if data is None:
            return
        text = SourceText.from_bytes(data)
        parts = self._parts_of(reference.path, text.text)
        shown = frozenset(reference.text.split("\n"))
        for number in range(reference.line_start, min(reference.line_end, len(text.lines)) + 1):
            if text.line(number) in shown:
                yield text.line(number), parts[number - 1]

    def _parts_of(self, path: str, text: str) -> list[str]:
        key = path, text
        if key not in self._parts:
            self._parts[key] = parts_of_lines(path, text)
        return self._parts[key]


def _is_cited(quote: str, line: str, parts: str) -> bool:
    """Whether a squeezed quote is most of a line, and code most of both; comments are no part of the line."""
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
