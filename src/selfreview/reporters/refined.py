"""Wording for refinement that the formats for people share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from selfreview.model.issue import Issue
from selfreview.model.refinement import FixAnswer, FixerReport, FixOutcome, Refinement, Stop
from selfreview.model.result import Iteration, KeptPatch, Result, ResultStatus
from selfreview.model.usage import Usage
from selfreview.reporters import words
from selfreview.text.escape import visible
from selfreview.text.layout import fold, plural

OUTCOMES = {
    FixOutcome.ADDRESSED: "reported as addressed",
    FixOutcome.FALSE_POSITIVE: "reported as a false positive",
    FixOutcome.NEEDS_PERSON: "needs a person",
    FixOutcome.NOT_ADDRESSED: "not addressed",
}
"""Wording for a fixer's answers to issues; the review decides whether they are true."""
_MOST = 5
"""Sentences of one fixer, or issues of one patch, that are shown."""


class Sentence(NamedTuple):
    """A sentence on a fixer's part; ``not_kept`` where it says that something of it was not."""

    text: str
    not_kept: bool = False


class Part(NamedTuple):
    """A fixer's part of a refinement.

    Attributes:
        name: The fixer, made visible.
        did: What it came to: ``2 of 3 addressed``.
        words: What it said, and why something was not kept; nothing is made visible yet.
    """

    name: str
    did: str
    words: list[Sentence]


def known(result: Result) -> dict[str, Issue]:
    """Return every issue that a run came across, by its id."""
    found = {issue.id: issue for issue in result.issues}
    for iteration in result.iterations:
        for issue in (*iteration.addressed, *iteration.review.issues):
            found.setdefault(issue.id, issue)
    return found


def tally(iteration: Iteration) -> str:
    """Return ``3 open: 2 addressed, 1 still open, 1 new``."""
    if _is_unknown(iteration):
        return "what is open is not known: its review is incomplete"
    refinement, after = iteration.refinement, len(iteration.review.open_issues)
    addressed, new = len(refinement.addressed_issue_ids), len(refinement.new_issues_introduced)
    still = max(0, after - new)  # every issue of now is a new one or one of before
    parts = [f"{addressed} addressed" if addressed else "none addressed"]
    if still:
        parts.append(f"{still} still open")
    if new:
        parts.append(f"{new} new")
    return f"{addressed + still} open: {', '.join(parts)}"


def _is_unknown(iteration: Iteration) -> bool:
    """Return whether the review after a refinement found nothing, but did not see everything."""
    return iteration.review.status is ResultStatus.INCOMPLETE and not iteration.refinement.addressed_issue_ids


def size(refinement: Refinement) -> str:
    """Return ``+3 -1 in 2 files``, or that nothing was changed."""
    if not refinement.files:
        return "nothing changed"
    return f"+{refinement.added_lines} -{refinement.removed_lines} in {plural(refinement.files, 'file')}"


def cost(usage: Usage | None) -> str:
    """Return ``12000 tokens, $0.02``, without the price where none is known; empty where nothing was asked."""
    if usage is None or not usage.requests:
        return ""
    tokens = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens + usage.output_tokens
    return f"{tokens} tokens{words.dollars(usage)}"


def facts(iteration: Iteration) -> list[str]:
    """Return the outcome of a refinement: issues, size, cost and time."""
    refinement = iteration.refinement
    time = f"{refinement.duration_ms / 1000:.1f}s" if refinement.duration_ms else ""
    found = (tally(iteration), size(refinement), cost(refinement.usage), time)
    return [text for text in found if text]


def parts(iteration: Iteration, *, whole: bool = False) -> Iterator[Part]:
    """Yield what each fixer did; one that was asked twice appears once.

    Args:
        iteration: The refinement, and the review after it.
        whole: Whether everything that they said is wanted, as it was said, and not only what a person has to know.
    """
    refinement = iteration.refinement
    addressed = set(refinement.addressed_issue_ids)
    by_name: dict[str, list[FixerReport]] = {}
    for report in refinement.fixers:
        by_name.setdefault(report.name, []).append(report)
    for name, reports in by_name.items():
        given = {issue for report in reports for issue in report.issues}
        did = f"{len(given & addressed)} of {len(given)} addressed"
        if _is_unknown(iteration):
            did = f"was given {plural(len(given), 'issue')}"
        idle = given and not given & addressed and all(report.edited_nothing for report in reports)
        words = [Sentence("edited nothing")] if idle else []
        words += dict.fromkeys(said for report in reports for said in _words(report, whole=whole))
        if not whole:
            words = [said._replace(text=fold(said.text)) for said in words]
            if len(words) > _MOST:
                words[_MOST:] = [Sentence(f"and {len(words) - _MOST} more: selfreview show --iteration N")]
        yield Part(visible(name), did, words)


def _words(report: FixerReport, *, whole: bool) -> Iterator[Sentence]:
    if report.error:
        yield Sentence(f"failed: {report.error}" + (f" ({report.hint})" if report.hint else ""), not_kept=True)
    for reason in report.rejected:
        yield Sentence(f"rejected: {reason if whole else first_line(reason)}", not_kept=True)
    for answer in report.answers:
        if whole or answer.outcome is not FixOutcome.ADDRESSED:
            yield Sentence(answer_text(answer))
    if report.notes:
        yield Sentence(report.notes if whole else first_line(report.notes))


def answer_text(answer: FixAnswer) -> str:
    """Return a fixer's answer to an issue."""
    return f"{answer.issue} {OUTCOMES[answer.outcome]}" + (f": {answer.why}" if answer.why else "")


def first_line(text: str) -> str:
    """Return the first line of a text that is not empty."""
    return next((line for line in text.splitlines() if line.strip()), "")


def stopped(result: Result) -> str:
    """Return why refinement ended: ``after 2 refinements: nothing blocks any more``; empty where there was none."""
    if result.stop is None:
        return ""
    count = sum(1 for iteration in result.iterations if not iteration.refinement.held)
    after = f"after {plural(count, 'refinement')}" if count else "nothing was refined"
    who = "a plugin says: " if result.stop is Stop.PLUGIN else ""
    return f"{after}: {who}{fold(result.stop_reason or result.stop.value.replace('_', ' '))}"


def patch(result: Result) -> str:
    """Return what happened to the patch and what can be done with it; empty where there is none."""
    kept = result.patch
    if kept is None:
        return ""
    last = kept.iteration == len(result.iterations)
    which = "the best state" if kept.better else "the state"
    best = "" if last else f"{which}, after refinement {kept.iteration}, is "
    if kept.applied:
        return f"{best}applied to your tree{' and staged' if kept.staged else ''}; selfreview undo takes it back"
    why = f" ({fold(kept.reason)})" if kept.reason else ""
    return f"{best}not applied{why}: {_fixes(result, kept)}{ways(kept)}"


def _fixes(result: Result, kept: KeptPatch) -> str:
    """Return which of the open issues a patch fixes, as the beginning of a sentence; nothing where that is unknown."""
    review = result.iterations[kept.iteration - 1].review if 0 < kept.iteration <= len(result.iterations) else None
    if review is None or review.status is not ResultStatus.COMPLETE:
        return ""
    after, before = {issue.id for issue in review.open_issues}, [issue.id for issue in result.open_issues]
    if not after.issubset(before):  # an issue whose code changed has a new id: which are gone is not known
        return ""
    fixed = [visible(name) for name in before if name not in after]
    more = f" and {len(fixed) - _MOST} more" if len(fixed) > _MOST else ""
    return f"it fixes {', '.join(fixed[:_MOST])}{more}; " if fixed else ""


def held(result: Result) -> str:
    """Return which edits of tests wait beside the patch, and how to take them; empty where there are none."""
    kept = result.held
    if kept is None:
        return ""
    return f"edits of existing tests wait for your approval ({fold('; '.join(kept.held))}): {ways(kept)}"


def file_of(result: Result) -> str:
    """Return the path with which the text on a patch that is not applied ends; else nothing."""
    return visible(result.patch.file) if result.patch is not None and not result.patch.applied else ""


def ways(kept: KeptPatch) -> str:
    """Return how to look at a patch that is not applied, and how to apply it."""
    look = f"selfreview show --iteration {kept.iteration} shows it"
    return f"selfreview apply {kept.id} puts it into your tree, {look}; for git apply: {visible(kept.file)}"
