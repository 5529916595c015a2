"""From a draft to a finding: the quoted code decides where it stands, the number only between equals."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from selfreview.api.context import SourceText
from selfreview.llm.decode import Draft
from selfreview.llm.marks import escape
from selfreview.model.change import ChangedFile
from selfreview.model.issue import Finding, Side
from selfreview.model.wire import display_path

TextOf = Callable[[ChangedFile, Side], SourceText | None]

_NUMBER = re.compile(r"\s*(?:\d+\s*[|:]?\s*)?[+-]?\s?")
_DISTINCTIVE = 3
"""Letters and digits from which a line is more than a bracket."""


class ShownLine(Protocol):
    """A line as it was shown; ``number`` is None for a removed one."""

    @property
    def number(self) -> int | None:
        """On the new side."""


class ShownPiece(Protocol):
    """Lines shown together."""

    @property
    def lines(self) -> Sequence[ShownLine]:
        """In order."""


class ShownFile(Protocol):
    """What of a changed file was shown."""

    @property
    def file(self) -> ChangedFile:
        """The file."""

    @property
    def pieces(self) -> Sequence[ShownPiece]:
        """In order."""


class _Hit(NamedTuple):
    line: int
    """On its own side."""
    near: int
    """Where that is on the new side."""
    side: Side
    text: str


def to_finding(draft: Draft, shown: Mapping[str, ShownFile], text_of: TextOf) -> Finding:
    """Place a draft.

    The quoted line is looked for without regard to white space: among the changed lines of both sides, then among the
    lines that were shown, then in the whole file; of several the one nearest to the number given. A finding whose file
    is not of the change, or whose quote is nowhere, keeps what the model says.

    Args:
        draft: What the model says.
        shown: What it was shown, by path.
        text_of: Returns a file's text on one side.
    """
    view = _named(draft.file, shown)
    if view is None:
        return _finding(draft, draft.file, (draft.line_start, draft.line_end))
    hit = _found(draft, view, text_of)
    if hit is None:
        return _finding(draft, view.file.path, (draft.line_start, draft.line_end))
    if hit.side is Side.NEW and draft.line_start <= hit.line <= draft.line_end:
        return _finding(draft, view.file.path, (draft.line_start, draft.line_end), hit)
    length = draft.line_end - draft.line_start if hit.side is Side.NEW else 0
    return _finding(draft, view.file.path, (hit.line, hit.line + length), hit)


def _finding(draft: Draft, path: str, extent: tuple[int, int], hit: _Hit | None = None) -> Finding:
    failure = draft.failure if draft.failure not in draft.description else ""
    return Finding(
        file=path,
        line_start=extent[0],
        line_end=extent[1],
        side=hit.side if hit else Side.NEW,
        severity=draft.severity,
        category=draft.category,
        description="\n".join(filter(None, (draft.description, failure))),
        suggested_fix=draft.suggested_fix,
        evidence=hit.text if hit else draft.evidence,
        confidence=draft.confidence,
    )


def _named(name: str, shown: Mapping[str, ShownFile]) -> ShownFile | None:
    """Return the file that a model means: by its path, as it is displayed, with a diff's prefix, or by its end."""
    wanted = name.strip().strip("`\"'").removeprefix("./").replace("\\", "/")
    names = (name, wanted, wanted[2:] if wanted.startswith(("a/", "b/")) else wanted)
    for known in names:
        if known in shown:
            return shown[known]
    called = [(view, forms) for path, view in shown.items() for forms in [_forms(path, view.file)]]
    for matches in (
        lambda form: form in names,
        lambda form: any(form.endswith("/" + known) for known in names if known),
    ):
        found = [view for view, forms in called if any(map(matches, forms))]
        if len(found) == 1:
            return found[0]
        if found:
            return None
    return None


def _forms(path: str, file: ChangedFile) -> tuple[str, ...]:
    """Return how a file may be called: also as an escaped text shows it, and by its path at the base."""
    return (path, display_path(path), escape(path), file.path_at_base, display_path(file.path_at_base))


def _found(draft: Draft, view: ShownFile, text_of: TextOf) -> _Hit | None:
    """Return where the quote stands."""
    file = view.file
    new, old = text_of(file, Side.NEW), text_of(file, Side.OLD)
    numbers = [line.number for piece in view.pieces for line in piece.lines if line.number is not None]
    added = [number for item in file.added for number in range(item.first, item.last + 1)]
    removed = [
        (span.old_start + offset, max(span.new_start, 1)) for span in file.spans for offset in range(span.old_count)
    ]
    whole = range(1, len(new.lines) + 1) if new else range(0)
    changed = [*_hits(new, Side.NEW, ((n, n) for n in added)), *_hits(old, Side.OLD, removed)]
    stages: tuple[Callable[[], Iterable[_Hit]], ...] = (
        lambda: changed,
        lambda: _hits(new, Side.NEW, ((n, n) for n in numbers)),
        lambda: _hits(new, Side.NEW, ((n, n) for n in whole)),
    )
    quotes = _quotes(draft.evidence)
    for stage in stages:
        lines = [(hit, squeeze(hit.text)) for hit in stage()]
        for quote in quotes:
            hits = [hit for hit, line in lines if line == quote] or [hit for hit, line in lines if quote in line]
            if hits:
                return min(hits, key=lambda hit: (abs(hit.near - draft.line_start), hit.side is Side.OLD))
    return None


def _hits(text: SourceText | None, side: Side, places: Iterable[tuple[int, int]]) -> Iterator[_Hit]:
    for line, near in places if text is not None else ():
        if text is not None and 0 < line <= len(text.lines):
            yield _Hit(line, near, side, text.line(line))


def _quotes(evidence: str) -> list[str]:
    """Return what to look for: the first line with more than brackets, also without a number or a diff's mark."""
    lines = [line for line in evidence.split("\n") if len(re.findall(r"\w", line)) >= _DISTINCTIVE]
    line = lines[0] if lines else evidence.strip().split("\n")[0]
    plain = squeeze(_NUMBER.sub("", line, count=1))
    return [quote for quote in dict.fromkeys((squeeze(line), plain)) if quote]


def squeeze(line: str) -> str:
    """Return a line without white space, invisible characters shown as a model saw them."""
    return "".join(escape(line).split())
