"""Tracking of lines and issues through edits: where a line is now, and which issues of two reviews are the same."""

from __future__ import annotations

import difflib
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

import msgspec

from selfreview.git.workspace import Workspace
from selfreview.model.change import LineRange
from selfreview.model.issue import Edit, Issue, Side
from selfreview.model.result import Result


class LineMap:
    """Map from the lines of one text to those of another.

    Args:
        old: Lines that were reviewed.
        new: Lines of now.
    """

    def __init__(self, old: Sequence[str], new: Sequence[str]) -> None:
        self._to: dict[int, int] = {}
        self._old_length, self._new_length = len(old), len(new)
        above, below = _same(old, new)
        matcher = difflib.SequenceMatcher(
            None, old[above : len(old) - below], new[above : len(new) - below], autojunk=False
        )
        middle = [(above + block.a, above + block.b, block.size) for block in matcher.get_matching_blocks()]
        for start, there, size in ((0, 0, above), *middle, (len(old) - below, len(new) - below, below)):
            self._to.update({start + offset + 1: there + offset + 1 for offset in range(size)})

    def line(self, number: int) -> int | None:
        """Return the present number of a line; None where it was removed or edited."""
        if number == self._old_length + 1:  # just behind the end, where an edit of the last line ends
            return self._new_length + 1 if self._to.get(self._old_length) == self._new_length else None
        return self._to.get(number)

    def place(self, number: int) -> LineRange | None:
        """Return the present number of a line or, where it was edited, the lines that replaced it; None for none.

        Of an edit that left as many lines as there were, each is taken to be the one in its row.
        """
        there = self._to.get(number)
        if there is not None:
            return LineRange(there, there)
        above = next((line for line in range(number - 1, 0, -1) if line in self._to), 0)
        below = next((line for line in range(number + 1, self._old_length + 1) if line in self._to), None)
        first = self._to.get(above, 0) + 1
        last = (self._to[below] if below is not None else self._new_length + 1) - 1
        gone = (below if below is not None else self._old_length + 1) - above - 1
        if last - first + 1 == gone:
            first = last = first + number - above - 1
        return LineRange(first, last) if first <= last else None

    def is_untouched(self, first: int, last: int) -> bool:
        """Return whether the existing lines of a range are still adjacent, with nothing in between."""
        there = [self._to.get(number) for number in range(max(first, 1), min(last, self._old_length) + 1)]
        start = there[0] if there else None
        return start is not None and there == list(range(start, start + len(there)))

    def issue(self, issue: Issue) -> Issue | None:
        """Return an issue with its present lines; None where its first line was removed.

        Edits come with it where all lines that they touch are what they were, one next to the other.
        """
        if issue.side is Side.OLD or issue.line_start == 0:
            return issue
        start = self.line(issue.line_start)
        if start is None:
            return None
        end = self.line(issue.line_end)
        edits = [self._edit(edit) for edit in issue.edits]
        whole = [edit for edit in edits if edit is not None]
        return msgspec.structs.replace(
            issue,
            line_start=start,
            line_end=max(start, end if end is not None else start),
            edits=whole if len(whole) == len(edits) else [],
        )

    def _edit(self, edit: Edit) -> Edit | None:
        start, end = self.line(edit.line_start), self.line(edit.line_end)
        if edit.column_end == 0 and edit.line_end > edit.line_start:
            last = self.line(edit.line_end - 1)  # the end is exclusive: only what lies before it must be the same
            end = last + 1 if last is not None else None
        if start is None or end is None or end - start != edit.line_end - edit.line_start:
            return None
        return msgspec.structs.replace(edit, line_start=start, line_end=end)


def _same(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """Return how many lines two texts have in common at their beginning and at their end.

    What is compared takes time in proportion to the square of its length, and a fix is mostly small.
    """
    shorter = min(len(old), len(new))
    above = next((number for number in range(shorter) if old[number] != new[number]), shorter)
    below = next((number for number in range(shorter - above) if old[-1 - number] != new[-1 - number]), shorter - above)
    return above, below


class LineTracker:
    """Tracks issues through an edit.

    Args:
        workspace: The workspace.
        old, new: Its tree before and after.
    """

    def __init__(self, workspace: Workspace, old: str, new: str) -> None:
        self._workspace = workspace
        self._trees = old, new
        self._maps: dict[str, LineMap] = {}

    def __call__(self, issue: Issue) -> LineRange | None:
        """Return the lines that an issue of the old tree would begin on now; None where there are none."""
        if issue.side is Side.OLD or issue.line_start == 0:
            return None
        if issue.file not in self._maps:
            old, new = (self._lines(tree, issue.file) for tree in self._trees)
            self._maps[issue.file] = LineMap(old, new)
        return self._maps[issue.file].place(issue.line_start)

    def _lines(self, tree: str, path: str) -> Sequence[str]:
        entry = self._workspace.at(tree, path)
        return () if entry is None else entry.lines


Track = Callable[[Issue], LineRange | None]
Key = tuple[str, str, str, str]


def key_of(issue: Issue) -> Key:
    """Return the identity of an issue, wherever it is: its reviewer, rule or words, file and code."""
    what = issue.rule if issue.rule is not None else issue.category.value
    return (issue.reviewer, what, issue.file, "".join((issue.evidence or "").split()))


def pair(before: Sequence[Issue], after: Sequence[Issue], track: Track | None = None) -> dict[str, str]:
    """Return the ids of ``after`` by the ids of ``before``, of those that are the same issue.

    First by fingerprint; then by what they are about, in order: an edit beside an issue gives it another fingerprint.
    Last by where they stand: an edit within an issue's own line leaves it what it was while the same is said there.

    A duplicate stands for the issue that it was merged into, so that an issue is the same whichever of its reviewers
    reports it this time; but not for a worse one than there was before, which is new. Where ``before`` has duplicates,
    they are paired by their own ids, too: what was part of an issue, and stands for itself now, is not new either.

    Args:
        before, after: The issues of two reviews, those that count with their duplicates.
        track: Returns the lines that took the place of an issue's first one.
    """
    was, now = {issue.id: issue for issue in before}, {issue.id: issue for issue in after}
    pairs = _pair_each(before, after, track)
    for old, new in list(pairs.items()):
        shown = was.get(was[old].duplicate_of or old, was[old])
        lead = now.get(now[new].duplicate_of or new, now[new])
        pairs[old] = new if lead.severity.rank > shown.severity.rank else lead.id
        pairs.setdefault(shown.id, pairs[old])
    return pairs


def open_with_duplicates(result: Result) -> list[Issue]:
    """Return the open issues of a review, and the duplicates that were merged into them."""
    names = {issue.id for issue in result.open_issues}
    return [issue for issue in result.issues if issue.id in names or issue.duplicate_of in names]


def _pair_each(before: Sequence[Issue], after: Sequence[Issue], track: Track | None) -> dict[str, str]:
    by_print = {issue.fingerprint: issue for issue in after}
    pairs = {issue.id: by_print[issue.fingerprint].id for issue in before if issue.fingerprint in by_print}
    taken = set(pairs.values())
    unpaired: dict[Key, list[str]] = defaultdict(list)
    for issue in after:
        if issue.id not in taken:
            unpaired[key_of(issue)].append(issue.id)
    for issue in before:
        if issue.id not in pairs and unpaired[key_of(issue)]:
            pairs[issue.id] = unpaired[key_of(issue)].pop(0)
    return pairs if track is None else pairs | _by_place(before, after, pairs, track)


def _by_place(
    before: Sequence[Issue], after: Sequence[Issue], pairs: Mapping[str, str], track: Track
) -> dict[str, str]:
    """Return pairs of unpaired issues with the same rule and description, at the place where the issue would be now."""
    taken = set(pairs.values())
    unpaired: dict[tuple[str, ...], list[Issue]] = defaultdict(list)
    for issue in after:
        if issue.id not in taken and issue.side is Side.NEW:
            unpaired[_words_of(issue)].append(issue)
    found: dict[str, str] = {}
    for issue in before:
        same = unpaired.get(_words_of(issue)) if issue.id not in pairs and issue.rule is not None else None
        place = track(issue) if same else None
        if same and place is not None:
            twin = next((other for other in same if place.first <= other.line_start <= place.last), None)
            if twin is not None:
                same.remove(twin)
                found[issue.id] = twin.id
    return found


def _words_of(issue: Issue) -> tuple[str, ...]:
    return (issue.reviewer, issue.rule or "", issue.file, issue.description)
