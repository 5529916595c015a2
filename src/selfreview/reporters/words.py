"""Parts of a result that the formats share: its wording, the texts of rules, the texts of files with issues."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from selfreview.api import ChangedFile, LineRange, ReviewContext, Side, SourceText
from selfreview.model.change import LeftOut
from selfreview.model.issue import Issue, IssueStatus, Severity
from selfreview.model.result import Depth, Result, ResultStatus, ReviewerReport, ReviewerStatus, ScopeSummary
from selfreview.model.usage import Usage
from selfreview.model.wire import display_path
from selfreview.review.summary import NO_CHANGES, NO_MODEL
from selfreview.review.verdict import Threshold
from selfreview.text.escape import visible
from selfreview.text.layout import cells, fold, listing, plural

if TYPE_CHECKING:
    from selfreview.rules import Rule

_PLAIN = {IssueStatus.DUPLICATE: "reported twice", IssueStatus.OUT_OF_SCOPE: "outside of the change"}
"""Wording for statuses whose wire name means little to a person."""


def place(issue: Issue) -> str:
    """Return ``path:line:col`` with what is known of it, made visible."""
    text = visible(issue.file)
    if issue.commit is not None:
        line = f"line {issue.commit_line} of " if issue.commit_line else ""
        return f"{text} ({line}commit {issue.commit[:8]})"
    if issue.line_start:
        text += f":{issue.line_start}"
        if issue.column:
            text += f":{issue.column}"
    return text


def author(issue: Issue, joint: str = " ") -> str:
    """Return the reviewer and its rule."""
    return fold(f"{issue.reviewer}{joint}{issue.rule}" if issue.rule else issue.reviewer)


def spoken(value: str) -> str:
    """Return a wire name as people write it: ``timed out``."""
    return value.replace("_", " ")


def amount(number: int, severity: Severity) -> str:
    """Return ``2 medium``, ``2 suggestions``."""
    return plural(number, severity.value) if severity is Severity.SUGGESTION else f"{number} {severity.value}"


def count_open(result: Result) -> str:
    """Return ``1 critical, 2 medium in 2 files``, or ``no issues``."""
    issues = result.open_issues
    tally = Counter(issue.severity for issue in issues)
    words = [amount(tally[severity], severity) for severity in Severity if tally[severity]]
    if not words:
        return "no issues"
    files = {issue.file for issue in issues if not issue.is_check}
    return ", ".join(words) + (f" in {plural(len(files), 'file')}" if files else "")


def count_others(result: Result) -> str:
    """Return ``2 suppressed, 1 outside of the change``: the issues that do not count; empty without any."""
    tally = Counter(issue.status for issue in result.issues)
    closed = [status for status in IssueStatus if status is not IssueStatus.OPEN and tally[status]]
    return ", ".join(f"{tally[status]} {_PLAIN.get(status, spoken(status.value))}" for status in closed)


def missing(result: Result) -> list[ReviewerReport]:
    """Return the reviewers without whom the result is incomplete."""
    return [report for report in result.reviewers if report.is_missing]


def skipped(result: Result) -> Iterator[tuple[str, str]]:
    """Yield reviewers that were skipped without making the result incomplete, by reason, with what to do about it."""
    names: dict[str, list[str]] = {}
    for report in result.reviewers:
        if report.status is ReviewerStatus.SKIPPED and not report.required and (report.error or report.hint):
            hint = f" ({fold(report.hint)})" if report.hint else ""
            names.setdefault(f"{fold(report.error or 'not run')}{hint}", []).append(visible(report.name))
    yield from ((", ".join(who), why) for why, who in names.items())


def ending(report: ReviewerReport) -> str:
    """Return how a reviewer's part ended and why: ``timed out: no answer in 60 s``."""
    text = spoken(report.status.value)
    return f"{text}: {fold(report.error)}" if report.error else text


def without(report: ReviewerReport) -> str:
    """Return how the part of a reviewer in :func:`missing` ended, with the files that it did not finish."""
    gap = report.gap if report.status.incomplete else None
    return fold(gap) if gap else f"{visible(report.name)} {ending(report)}"


def gaps(result: Result) -> list[str]:
    """Return what else was not reviewed and why, besides the reviewers in :func:`missing`."""
    told = {report.gap for report in missing(result)}
    return [fold(reason) for reason in dict.fromkeys(result.incomplete_reasons) if reason not in told]


def notes(result: Result) -> list[str]:
    """Return the notes that belong to every output, each once."""
    failed = [fold(f"not passed: {reason}") for reason in result.not_passed_reasons]
    return list(dict.fromkeys([*failed, *remarks(result)]))


def remarks(result: Result) -> list[str]:
    """Return the :func:`notes` that do not explain why the change has not passed."""
    scope = result.scope.notes if result.scope else []
    return [fold(note) for note in dict.fromkeys([*scope, *result.notes]) if note != NO_MODEL]


def limits(result: Result) -> list[str]:
    """Return those of the :func:`notes` that say to what the review was limited."""
    return [fold(note) for note in dict.fromkeys(result.scope.limits or ())] if result.scope else []


def why_incomplete(result: Result) -> str:
    """Return in one line why the result is incomplete."""
    reasons = [without(report) for report in missing(result)] + gaps(result)
    return "; ".join(reasons) or fold(result.summary) or "not everything was reviewed"


def failures(result: Result) -> Iterator[tuple[str, str, str]]:
    """Yield a kind, a sentence and a hint for each thing besides issues that keeps the review from passing."""
    if result.error is not None:
        hint = fold(result.error.hint) if result.error.hint else ""
        yield "error", f"The review could not take place: {fold(result.error.message)}", hint
    elif result.status is ResultStatus.ERROR:
        yield "error", "The review could not take place.", ""
    elif result.status is ResultStatus.INCOMPLETE:
        yield "incomplete", f"Not everything was reviewed: {why_incomplete(result)}", ""
    for reason in result.not_passed_reasons:
        yield "not-passed", f"Not passed: {fold(reason)}", ""


def _short(name: str | None) -> str:
    """Return an object id as git shortens it; other names as they are, made visible."""
    text = name or ""
    return text[:8] if len(text) in (40, 64) and not text.strip("0123456789abcdef") else visible(text)


def compared(scope: ScopeSummary) -> str:
    """Return what was reviewed, and against what where that needs saying."""
    base, start, head = _short(scope.base), _short(scope.merge_base), _short(scope.head)
    told = not start or start.startswith(base) or base.startswith(start)
    old = (base or start or "the empty tree") if told or not base else f"{base} ({start})"
    match scope.mode:
        case "diff":
            return "the diff given"
        case "commit":
            return f"commit {head}"
        case "staged":
            return f"the index against {'HEAD' if scope.head else 'the empty tree'}"
        case "branch":
            return f"the working tree against {old}"
        case _:
            return f"{head or 'the head'} against {old}"


def nothing(result: Result) -> str:
    """Return one line that says why there is nothing to review; where nothing has changed, since when."""
    told = fold(result.summary) or NO_CHANGES
    left = f"; not reviewed: {left_out(result.coverage.left_out)}" if result.coverage.left_out else ""
    if told == NO_CHANGES:
        return "nothing to review: no changes" + (f" in {compared(result.scope)}" if result.scope else "") + left
    return told[:1].lower() + told[1:].removesuffix(".") + left


def no_model(result: Result) -> bool:
    """Return whether to report that no model reviewed the change; a model that failed is reported elsewhere."""
    if result.status not in (ResultStatus.COMPLETE, ResultStatus.INCOMPLETE) or result.model_reviewed:
        return False
    return not any(report.depth is Depth.MODEL and report.status.incomplete for report in result.reviewers)


def dollars(usage: Usage) -> str:
    """Return ``, $0.02``, or nothing where no price is known."""
    return f", ${usage.cost_usd:.2f}" if usage.cost_usd else ""


def excluded(result: Result, limit: int = 5) -> str:
    """Return the first few files that nobody saw, by reason, and how many more there are."""
    files = result.coverage.excluded
    by_reason: dict[str, list[str]] = {}
    for item in files[:limit]:
        by_reason.setdefault(fold(item.why), []).append(visible(item.path))
    text = ", ".join(f"{', '.join(paths)} ({why})" for why, paths in by_reason.items())
    return f"{text} and {len(files) - limit} more" if len(files) > limit else text


def coverage(result: Result) -> Iterator[str]:
    """Yield how much was looked at, how deeply and by whom, and what had no more than a text scan."""
    covered = result.coverage
    files = plural(covered.files, "file")
    if covered.reviewed_files != covered.files:
        files = f"{covered.reviewed_files} of {files}"
    text = f"{files}, +{plural(covered.added_lines, 'line')}"
    depth = (("model", covered.depth.model), ("static", covered.depth.static), ("text", covered.depth.text))
    parts = [f"{name} {lines}" for name, lines in depth if lines]
    if parts:
        text += f" ({', '.join(parts)})"
    ok = [report for report in result.reviewers if report.status is ReviewerStatus.OK]
    # A check has no depth, and no files of its own.
    done = [visible(each.name) for each in ok if each.files or each.issues or each.depth is None]
    yield f"{text}: {', '.join(done)}" if done else text
    if covered.not_reviewed:
        left = covered.files - covered.reviewed_files
        reasons = listing((f"{reason.files} {fold(reason.why)}" for reason in covered.not_reviewed), 5)
        yield f"{plural(left, 'file')} not reviewed: {reasons}"
    if covered.left_out:
        yield f"not reviewed: {left_out(covered.left_out)}"
    if covered.text_only:
        files = plural(len(covered.text_only), "file")
        yield f"{files} had only a text scan: {listing(map(visible, covered.text_only), 3)}"


def left_out(work: Iterable[LeftOut]) -> str:
    """Return ``3 unstaged files, 1 untracked file``."""
    return ", ".join(f"{part.count} {fold(part.what)}" for part in work)


def looked_at(result: Result) -> str:
    """Return :func:`coverage` in one line; nothing where no review took place."""
    took_place = result.status in (ResultStatus.COMPLETE, ResultStatus.INCOMPLETE)
    return f"reviewed {'; '.join(coverage(result))}" if took_place else ""


_PAGES = (
    ("ruff", r"[A-Z]{1,5}[0-9]{3,4}", "https://docs.astral.sh/ruff/rules/{rule}/"),  # redirects from code to name
    ("shellcheck", r"SC[0-9]{4}", "https://www.shellcheck.net/wiki/{rule}"),
    ("hadolint", r"DL[0-9]{4}", "https://github.com/hadolint/hadolint/wiki/{rule}"),
    ("hadolint", r"SC[0-9]{4}", "https://www.shellcheck.net/wiki/{rule}"),
    ("zizmor", r"(?!invalid$)[a-z]+(?:-[a-z]+)*", "https://docs.zizmor.sh/audits/#{rule}"),
)
RULES = "rules"
"""The reviewer whose rules have texts of their own."""


def rule_id(issue: Issue) -> str:
    """Return ``reviewer/rule``; the category stands in where there is no rule, as from a model."""
    return fold(f"{issue.reviewer}/{issue.rule or issue.category.value}")


def rule_page(issue: Issue) -> str | None:
    """Return the address of the page that documents an issue's rule, or None where there is none that is known."""
    for reviewer, pattern, address in _PAGES:
        if issue.reviewer == reviewer and issue.rule is not None and re.fullmatch(pattern, issue.rule):
            return address.format(rule=issue.rule)
    return None


def rule_pack(issues: Iterable[Issue]) -> Mapping[str, Rule]:
    """Return the embedded pack's rules by id; empty, and nothing is loaded, where none of the issues needs them."""
    if not any(issue.reviewer == RULES for issue in issues):
        return {}
    from selfreview.rules import load_all

    return {rule.id: rule for rule in load_all()}


class Sources:
    """The texts of a change by an issue's path.

    Args:
        context: Where texts come from; None gives none.
    """

    def __init__(self, context: ReviewContext | None) -> None:
        self._context = context
        self._files: dict[str, ChangedFile] = {}
        files = context.change.files if context is not None else ()
        # A name at the head wins over the same name at the base: after a swap of two files both exist.
        for old in (True, False):
            for file in files:
                path = file.path_at_base if old else file.path
                self._files[path] = self._files[display_path(path)] = file

    def find(self, issue: Issue) -> tuple[SourceText | None, Sequence[LineRange]]:
        """Return the text on the issue's side, or None, and the lines that the change touches there."""
        file = self._files.get(issue.file)
        if file is None or self._context is None or not issue.line_start:
            return None, ()
        return self._context.text(file, issue.side), file.removed if issue.side is Side.OLD else file.added


def worst_first(result: Result) -> Sequence[Issue]:
    """Return the open issues, those that block first, then by severity and place."""
    threshold = Threshold(result.severity_threshold)
    return sorted(
        result.open_issues,
        key=lambda issue: (not threshold.blocks(issue), -issue.severity.rank, issue.file, issue.line_start),
    )


def by_file(issues: Sequence[Issue]) -> list[Issue]:
    """Order issues: the file with the worst one first; within it what is about the whole of it, the worst, the line."""
    worst: dict[str, int] = {}
    for issue in issues:
        worst[issue.file] = max(worst.get(issue.file, 0), issue.severity.rank)
    return sorted(
        issues,
        key=lambda i: (
            -worst[i.file],
            i.file,
            i.line_start > 0,
            -i.severity.rank,
            i.line_start,
            i.column or 0,
            i.description,
        ),
    )


BEFORE, AFTER = 2, 1
"""Lines of context around the marked ones."""
MOST_MARKED = 6
"""Marked lines shown before the middle of a long range is left out."""
TAB = 4


def shown(text: str, start: int = 0) -> str:
    """Return a piece of a line as it is printed: tabs expanded, everything invisible made visible.

    Args:
        text: The piece.
        start: Column that it begins at, counted from 0; the next tab stop depends on it.
    """
    first, *rest = text.split("\t")
    out = visible(first)
    for part in rest:
        out += " " * (TAB - (start + cells(out)) % TAB) + visible(part)
    return out


def numbers(first: int, last: int, source: SourceText) -> list[int | None]:
    """Return the numbers of the lines to show, None for a gap; no blank line stands at either end."""
    before = list(range(max(1, first - BEFORE), first))
    while before and not source.line(before[0]).strip():
        del before[0]
    after = list(range(last + 1, min(len(source.lines), last + AFTER) + 1))
    while after and not source.line(after[-1]).strip():
        del after[-1]
    if last - first < MOST_MARKED:
        return [*before, *range(first, last + 1), *after]
    return [*before, *range(first, first + MOST_MARKED - 2), None, last, *after]
