"""Ruff's findings on unchanged lines that the change itself caused, by comparison with the version before.

Removing an import that is still used makes a line fail that the change does not touch; so does an opening bracket
without its partner. Such a finding names the changed line that triggers it.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from selfreview.api import ChangedFile, Finding, Place, ReviewContext, Severity, Side
from selfreview.git.privatefolder import PrivateFolder
from selfreview.model.change import overlaps
from selfreview.reviewers.ruff import rules
from selfreview.reviewers.ruff.judge import named
from selfreview.reviewers.ruff.output import Diagnostic

RunRuff = Callable[[Path, Sequence[str]], Iterable[Diagnostic]]
"""Looks for bugs in files of a folder, given by their names in it."""

_NOTES = {Side.NEW: "this line triggers it", Side.OLD: "removing this line triggers it"}
_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"\d+")


def compare(
    findings: Iterable[Finding], file: ChangedFile, before: Counter[str] | None, context: ReviewContext
) -> list[Finding]:
    """Return a file's findings with those tied to the change that it caused elsewhere in the file.

    A syntax error is reported once, and is of low severity where the file could not be parsed before either.

    Args:
        findings: Those of one file.
        file: The file.
        before: How often each was there before the change, as :func:`count_before` says; None for a new file.
        context: What is under review.
    """
    errors, kept, changed = [], [], _ChangedLines(file, context)
    for finding in findings:
        if finding.rule == rules.SYNTAX_ERROR:
            errors.append(finding)
        elif before is None or not is_suspect(finding, file):
            kept.append(finding)
        elif before[key := _key(finding.rule or "", finding.description)] > 0:
            before[key] -= 1
            kept.append(finding)
        else:
            kept.append(_blame(finding, file, changed))
    if errors:
        error = next((error for error in errors if _on_added(error, file)), errors[0])
        kept.append(error if before is None else _syntax_error(error, file, before, changed))
    return kept


def is_suspect(finding: Finding, file: ChangedFile) -> bool:
    """Return whether to check the version before the change, which may have caused this elsewhere in the file."""
    if finding.rule == rules.SYNTAX_ERROR:
        return True
    return finding.rule in rules.BUGS and finding.severity.at_least(Severity.MEDIUM) and not _on_added(finding, file)


def count_before(files: Sequence[ChangedFile], context: ReviewContext, run: RunRuff) -> dict[str, Counter[str]]:
    """Return how often each finding was there before the change, for the files that existed then."""
    counts: dict[str, Counter[str]] = {}
    with PrivateFolder() as folder:
        root = Path(folder).resolve()
        names: dict[str, str] = {}
        for number, file in enumerate(files):
            data = context.read(file, Side.OLD)
            if data is not None:
                name = f"module{number}{'.pyi' if file.path.endswith('.pyi') else '.py'}"
                (root / name).write_bytes(data)
                names[name] = file.path
                counts[file.path] = Counter()
        for diagnostic in run(root, list(names)) if names else ():
            path = names[Path(diagnostic.filename).name]
            counts[path][_key(diagnostic.rule, rules.description(diagnostic.rule, diagnostic.message))] += 1
    return counts


def _key(rule: str, description: str) -> str:
    """Return a key of a finding that stays the same when lines move."""
    return rule if rule == rules.SYNTAX_ERROR else f"{rule} {_NUMBER.sub('', description)}"


def _on_added(finding: Finding, file: ChangedFile) -> bool:
    return overlaps(file.added, finding.line_start, max(finding.line_start, finding.line_end))


def _syntax_error(error: Finding, file: ChangedFile, before: Counter[str], changed: _ChangedLines) -> Finding:
    if before[rules.SYNTAX_ERROR]:
        description = f"{error.description} (the file could not be parsed before the change either)"
        return msgspec.structs.replace(error, severity=Severity.LOW, description=description)
    return error if _on_added(error, file) else _blame(error, file, changed)


def _blame(finding: Finding, file: ChangedFile, changed: _ChangedLines) -> Finding:
    """Name the changed line that most likely triggers a finding elsewhere in the file."""
    trigger = changed.with_name(named(finding)) or _nearest(finding.line_start, file)
    return finding if trigger is None else msgspec.structs.replace(finding, related=(*finding.related, trigger))


class _ChangedLines:
    """The lines that a change takes out of a file and adds, by the words in them: there may be a finding of each."""

    def __init__(self, file: ChangedFile, context: ReviewContext) -> None:
        self._file = file
        self._context = context

    def with_name(self, name: str | None) -> Place | None:
        """Return the first line with a name, one that was taken out before one that was added."""
        if name is None:
            return None
        if _WORD.fullmatch(name):
            found = self._first.get(name)
        else:
            parts = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
            found = next(((number, side) for number, side, line in self._lines() if parts.search(line)), None)
        return None if found is None else _place(self._file, *found)

    @functools.cached_property
    def _first(self) -> dict[str, tuple[int, Side]]:
        first: dict[str, tuple[int, Side]] = {}
        for number, side, line in self._lines():
            for word in _WORD.findall(line):
                first.setdefault(word, (number, side))
        return first

    def _lines(self) -> Iterator[tuple[int, Side, str]]:
        for side, ranges in ((Side.OLD, self._file.removed), (Side.NEW, self._file.added)):
            text = self._context.text(self._file, side)
            for lines in ranges if text is not None else ():
                for number in range(lines.first, lines.last + 1):
                    if text is not None:
                        yield number, side, text.line(number)


def _nearest(line: int, file: ChangedFile) -> Place | None:
    """Return the changed line nearest to a line of the new side, an earlier one where two are as near."""
    if not file.spans:
        return None
    span = min(file.spans, key=lambda s: abs(s.new_start - line))
    if span.new_count:
        return _place(file, span.new_start, Side.NEW)
    return _place(file, span.old_start, Side.OLD)


def _place(file: ChangedFile, line: int, side: Side) -> Place:
    return Place(file=file.path, line_start=line, line_end=line, side=side, note=_NOTES[side])
