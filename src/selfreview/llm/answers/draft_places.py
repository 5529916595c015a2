"""Placement of drafts: the file that a path means, and the line by the quoted code, the number only between equals."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeVar

from selfreview.api.context import SourceText
from selfreview.llm.answers.decode import DraftFinding
from selfreview.llm.answers.quotes import (
    Numbered,
    QuoteHit,
    full_quotes,
    gapped_hits,
    hits,
    quotes_of,
    squeeze,
    unspelled,
)
from selfreview.llm.context.view import shown_path
from selfreview.model.change import ChangedFile, FileStatus, overlaps
from selfreview.model.issue import Finding, Place, Side
from selfreview.model.wire import display_path

TextOf = Callable[[ChangedFile, Side], SourceText | None]

_TELLING = 12
"""Minimum characters of a line that identifies by itself the file it is from."""
_WORD = 3
"""Minimum characters of a line that is more than a bracket."""


class ShownLine(Protocol):
    """Line as it was shown; ``number`` is None for a removed line."""

    @property
    def number(self) -> int | None:
        """Line number on the new side."""


class ShownPiece(Protocol):
    """Consecutive lines that were shown."""

    @property
    def lines(self) -> Sequence[ShownLine]:
        """In order."""


class ShownFile(Protocol):
    """Changed file as it was shown."""

    @property
    def file(self) -> ChangedFile:
        """The file."""

    @property
    def pieces(self) -> Sequence[ShownPiece]:
        """In order."""


class Placed(NamedTuple):
    """Finding with a flag for whether it has a place.

    Attributes:
        finding: Where it stands; where it has no place, what the model says.
        found: Whether its file is one of the change, and its quote in it or its lines changed ones.
        counts: Whether the change is answerable for it: its lines, or others that it names, are changed ones.
    """

    finding: Finding
    found: bool
    counts: bool


class _Where(NamedTuple):
    """Location of a quote in one file; ``rank`` 0 is a changed line, 1 a line that was shown, 2 any."""

    view: ShownFile
    hit: QuoteHit
    rank: int


def place(draft: DraftFinding, shown: Mapping[str, ShownFile], text_of: TextOf) -> Placed:
    """Place a draft.

    The quoted lines are looked for without regard to white space or to how a character is spelled: among the changed
    lines of both sides, then among the lines that were shown, then in the whole file. Lines that stand together as
    they are quoted come before one alone, a changed line before others, and of equals the one nearest to the number
    given. A quote with gaps (``...``) comes last. Of several files that a name may mean, it is the one that holds the
    quote; a name that means none, or one without the quote, is overruled by a telling line that only one file changes,
    and by any line where only one file is shown.

    A finding on a line that did not change keeps as a related place what the model's lines touch of the change, else
    the nearest changed line of the piece that was shown.

    Args:
        draft: What the model says.
        shown: What it was shown, by path.
        text_of: Returns a file's text on one side.
    """
    named, surely = which_files(draft.file, {path: (view.file, view) for path, view in shown.items()})
    places = [where for view in named if (where := _where(draft, view, text_of)) is not None]
    if not places:
        places = _by_quote_alone(draft, shown, text_of)
    if places:
        best = min(places, key=lambda where: (where.rank, abs(where.hit.near - draft.line_start)))
        finding = _at(draft, best)
        return Placed(finding, True, best.rank == 0 or bool(finding.related) or _is_changed(finding, best.view.file))
    unquoted = [_without_quote(draft, view.file) for view in named if surely]
    found = [placed for placed in unquoted if placed.found]
    if len(unquoted) == 1 or len(found) == 1:
        return (found or unquoted)[0]
    return Placed(_finding(draft, draft.file, (draft.line_start, draft.line_end)), False, False)


def _without_quote(draft: DraftFinding, file: ChangedFile) -> Placed:
    """Place a finding about a file without a quote from it, by the lines; of a deleted file everything is changed."""
    extent = draft.line_start, draft.line_end
    if file.status is FileStatus.DELETED:
        return Placed(_finding(draft, file.path, (0, 0), side=Side.OLD), True, True)
    if draft.line_start == 0:
        return Placed(_finding(draft, file.path, (0, 0)), True, True)
    touched = _touched(file, *extent)
    if touched and all(part.side is Side.OLD for part in touched):
        gone = touched[0]
        return Placed(_finding(draft, file.path, (gone.line_start, gone.line_end), side=Side.OLD), True, True)
    return Placed(_finding(draft, file.path, extent), bool(touched), bool(touched))


def _is_changed(finding: Finding, file: ChangedFile) -> bool:
    ranges = file.removed if finding.side is Side.OLD else file.added
    return overlaps(ranges, finding.line_start, finding.line_end)


def _at(draft: DraftFinding, where: _Where) -> Finding:
    """Make a finding of what was found: a range around the quote stays, another one moves to it."""
    hit, file = where.hit, where.view.file
    if hit.side is Side.OLD:
        return _finding(draft, file.path, (hit.line, hit.line), hit)
    if 0 < draft.line_start <= hit.line <= draft.line_end:
        extent = draft.line_start, draft.line_end
    else:
        length = draft.line_end - draft.line_start if draft.line_start else 0
        extent = hit.line, hit.line + length
    related: dict[Place, None] = {}
    if where.rank > 0:
        given = _touched(file, draft.line_start, draft.line_end) if draft.line_start else []
        related = dict.fromkeys([*given, *_touched(file, hit.line, hit.line)])
        if not related and not overlaps(file.added, *extent):
            related = dict.fromkeys(_nearest_change(where.view, hit.line))
    return _finding(draft, file.path, extent, hit, related=tuple(related))


def _finding(
    draft: DraftFinding,
    path: str,
    extent: tuple[int, int],
    hit: QuoteHit | None = None,
    *,
    side: Side = Side.NEW,
    related: tuple[Place, ...] = (),
) -> Finding:
    failure = draft.failure if draft.failure not in draft.description else ""
    return Finding(
        file=path,
        line_start=extent[0],
        line_end=extent[1],
        side=hit.side if hit else side,
        severity=draft.severity,
        category=draft.category,
        description="\n".join(filter(None, (draft.description, failure))),
        suggested_fix=draft.suggested_fix,
        evidence=hit.text if hit else draft.evidence,
        confidence=draft.confidence,
        related=related,
    )


def _touched(file: ChangedFile, first: int, last: int) -> list[Place]:
    """Return the parts of the change that lines of the new side hold, or have beside them where lines are gone."""
    found = []
    for span in file.spans:
        if span.new_count and span.new_start <= last and first < span.new_start + span.new_count:
            end = span.new_start + span.new_count - 1
            found.append(Place(file=file.path, line_start=span.new_start, line_end=end))
        elif not span.new_count and first - 1 <= span.new_start <= last:
            end = span.old_start + span.old_count - 1
            found.append(Place(file=file.path, line_start=span.old_start, line_end=end, side=Side.OLD))
    return found


def _nearest_change(view: ShownFile, line: int) -> list[Place]:
    """Return the changed line that is nearest to an unchanged one, of those that were shown in one piece with it."""
    for piece in view.pieces:
        numbers = [shown.number for shown in piece.lines if shown.number is not None]
        if line not in numbers:
            continue
        near = [
            (abs(number - line), place)
            for place in _touched(view.file, min(numbers), max(numbers))
            for number in _lines_at(view.file, place)
            if number in numbers or place.side is Side.OLD
        ]
        if near:
            distance, place = min(near, key=lambda pair: pair[0])
            if place.side is Side.NEW:
                number = line + distance if line + distance <= place.line_end else line - distance
                place = Place(file=place.file, line_start=number, line_end=number)
            return [place]
    return []


def _lines_at(file: ChangedFile, place: Place) -> Sequence[int]:
    """Return the lines of the new side that a part of the change holds, or the one that it is gone from."""
    if place.side is Side.OLD:
        return (_near(file, place.line_start),)
    return range(place.line_start, place.line_end + 1)


def _where(draft: DraftFinding, view: ShownFile, text_of: TextOf) -> _Where | None:
    """Return the location of the quote in a file."""
    file = view.file
    new, old = text_of(file, Side.NEW), text_of(file, Side.OLD)
    changed = list(_changed(file, new, old))
    quotes = quotes_of(draft.evidence)
    extent = draft.line_start, draft.line_end
    together = full_quotes(quotes, Side.NEW, new, lambda line: line)
    together += full_quotes(quotes, Side.OLD, old, lambda line: _near(file, line))
    if together:
        own = {(line.side, line.number) for line in changed}
        best = [[hit for hit in run if (hit.side, hit.line) in own] for run in together]
        if any(best):
            return _Where(view, _nearest([_first(run) for run in best if run], extent), 0)
        # Of what did not change, only the new side was shown.
        whole_runs = [run for run in together if run[0].side is Side.NEW]
        beside = [[hit for hit in run if _touched(file, hit.line, hit.line)] for run in whole_runs]
        if whole_runs:
            return _Where(
                view, _nearest([_first(run) for run in (beside if any(beside) else whole_runs) if run], extent), 1
            )
    numbers = [line.number for piece in view.pieces for line in piece.lines if line.number is not None]
    whole = range(1, len(new.lines) + 1) if new else range(0)
    for rank, lines in enumerate((changed, _numbered(new, numbers), _numbered(new, whole))):
        found = hits(quotes, lines, contained=rank == 0)
        if found:
            return _Where(view, _nearest(found, extent), rank)
    for rank, lines in enumerate((changed, _numbered(new, numbers))):
        found = gapped_hits(quotes, lines)
        if found:
            return _Where(view, _nearest(found, extent), rank)
    return None


def _first(run: Sequence[QuoteHit]) -> QuoteHit:
    return next((hit for hit in run if hit.telling), run[0])


def _nearest(found: Sequence[QuoteHit], extent: tuple[int, int]) -> QuoteHit:
    """Return the hit in the lines given or nearest to them; of equals the first line that is quoted."""

    def key(hit: QuoteHit) -> tuple[int, int, int, bool]:
        first, last = extent
        outside = 0 if first <= hit.near <= last else min(abs(hit.near - first), abs(hit.near - last))
        return outside, hit.quote, abs(hit.near - first), hit.side is Side.OLD

    return min(found, key=key)


def _changed(file: ChangedFile, new: SourceText | None, old: SourceText | None) -> Iterator[Numbered]:
    for span in file.spans:
        yield from _numbered(new, range(span.new_start, span.new_start + span.new_count))
        for number in range(span.old_start, span.old_start + span.old_count) if old is not None else ():
            yield Numbered(number, max(span.new_start, 1), Side.OLD, old.line(number) if old is not None else "")


def _near(file: ChangedFile, line: int) -> int:
    """Return the line of the new side at which a removed line was."""
    spans = (span for span in file.spans if span.old_start <= line < span.old_start + span.old_count)
    return next((max(span.new_start, 1) for span in spans), line)


def _numbered(text: SourceText | None, numbers: Sequence[int]) -> list[Numbered]:
    if text is None:
        return []
    return [Numbered(n, n, Side.NEW, text.line(n)) for n in numbers if 0 < n <= len(text.lines)]


def _by_quote_alone(draft: DraftFinding, shown: Mapping[str, ShownFile], text_of: TextOf) -> list[_Where]:
    """Return the place of a changed line that is quoted in full, if only one file has it."""
    found = []
    least = _TELLING if len(shown) > 1 else _WORD
    for view in shown.values():
        where = _where(draft, view, text_of)
        if where is not None and where.rank == 0:
            line = squeeze(where.hit.text)
            if len(line) >= least and any(line in quote.forms for quote in quotes_of(draft.evidence)):
                found.append(where)
    return found if len(found) == 1 else []


Shown = TypeVar("Shown")

_AROUND = "`\"'*<>[]() \t\r\n,;"
_BEFORE = re.compile(r"\A(?:[#*\s]*\b(?:file|path|in)\b[*`\"']*\s*[:=]|[#*\-\s]+|\./|[ab]/)\s*", re.IGNORECASE)
_AFTER = re.compile(
    r"(?:\s*\([^()]*\)|:\d+(?::\d+)?(?:\s*[-\u2013]\s*\d+(?::\d+)?)?|#L\d+(?:-L?\d+)?|[\s,:]*\(?\b(?:lines?|L)\s*\d+"
    r"(?:\s*(?:-|\u2013|to)\s*L?\d+)?\)?|:)\s*\Z",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"[,;&|\n]|\s(?:and|or|und|et)\s|\s\+\s")
_ENDING = re.compile(
    r"\.(?:py|pyi|js|jsx|ts|tsx|mjs|cjs|go|rs|java|kt|rb|php|cs|cpp|cc|hpp|md|txt|toml|ya?ml|json|sql|sh)(?!\w)"
)
_MAX_FORMS = 24
_MAX_NAMES = 20
_LONGEST = 5_000
"""Maximum characters of a path with the text around it."""


def which_files(name: str, shown: Mapping[str, tuple[ChangedFile, Shown]]) -> tuple[list[Shown], bool]:
    """Return the files that a name may mean, and whether it surely means one of them.

    It does where it is a path, also in the forms in which a text shows one, or a path's end. Where a path is the
    *name's* end (of an absolute path), the file may be one outside of the change all the same.

    Args:
        name: As the model says it, perhaps with a diff's prefix, a line number, or marks of formatting.
        shown: What there is, by path.
    """
    names = list(dict.fromkeys(map(unspelled, _forms(name)))) if len(name) <= _LONGEST else []
    known = [(item, _paths(path, file)) for path, (file, item) in shown.items()]
    for form in names:  # the least altered form first: a file may well be called "a (1).py" or "b/c"
        exact = [item for item, paths in known if form in paths]
        if exact:
            return exact, True
    for form in names:
        ends = [item for item, paths in known if any(path.endswith("/" + form) for path in paths)] if form else []
        if ends:
            return ends, True
    within = [
        (max(len(path) for path in paths if f"/{form}".endswith("/" + path)), item)
        for item, paths in known
        for form in names
        if any(f"/{form}".endswith("/" + path) for path in paths)
    ]
    longest = max((length for length, _ in within), default=0)
    if within:
        return [item for length, item in within if length == longest][:1], False
    parts = [part for part in _BETWEEN.split(name[:_LONGEST]) if part.strip()]
    if 1 < len(parts) <= _MAX_NAMES:
        found = [which_files(part, shown)[0] for part in parts]
        return [item for number, items in enumerate(found) for item in items if items not in found[:number]], False
    return _by_parts(name, [(path, item) for path, (_, item) in shown.items()]), False


def _by_parts(name: str, known: Sequence[tuple[str, Shown]]) -> list[Shown]:
    """Return the one file whose name stands within what a model says (``f in app.py``), or that it names without its
    ending, or as a module (``app``, ``app.f``); nothing where several are alike."""
    text = name[:_LONGEST].strip(_AROUND).casefold()
    for is_meant in (_is_within, _is_module):
        found = [item for path, item in known if is_meant(path.casefold(), text)]
        if found:
            return found if len(found) == 1 else []
    return []


def _is_within(path: str, text: str) -> bool:
    base = path.rpartition("/")[2]
    return any(re.search(rf"(?<![\w./-]){re.escape(form)}(?![\w-]|\.\w)", text) for form in (path, base))


def _is_module(path: str, text: str) -> bool:
    stem, dot, _ = path.rpartition(".")
    base = stem.rpartition("/")[2]
    if not dot or not base:
        return False
    first = re.split(r"::|[#:\s(\u2192]|->", text, maxsplit=1)[0]
    for module in (stem.replace("/", "."), base):
        rest = first.removeprefix(module)
        if rest != first and (not rest or (rest.startswith(".") and not _ENDING.match(rest))):
            return True
    return first == stem


def _paths(path: str, file: ChangedFile) -> frozenset[str]:
    """Return how a file may be called: as it is, as a text shows it, and the same for its path at the base."""
    return frozenset(
        unspelled(form)
        for called in (path, file.path, file.path_at_base)
        for form in (called, display_path(called), shown_path(called))
    )


def _forms(name: str) -> Iterator[str]:
    """Yield a name, and the name without what models write around a path."""
    yield name
    waiting = [name, name.replace("\\", "/")]
    seen: set[str] = set()
    while waiting and len(seen) < _MAX_FORMS:
        form = waiting.pop(0)
        if form in seen:
            continue
        seen.add(form)
        yield form
        waiting += (form.strip(), form.strip(_AROUND), _AFTER.sub("", form), _BEFORE.sub("", form))
