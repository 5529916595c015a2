"""The part of the terminal report that is on refinement."""

from __future__ import annotations

from collections.abc import Iterator

from selfreview.api import Result
from selfreview.model.result import Iteration
from selfreview.reporters import refined, words
from selfreview.reporters.terminal.paint import Paint
from selfreview.text.layout import fit, fold, pack, wrap

_INDENT = "  "
_MOST_NEW = 3
_MOST_MENDED = 10
_NOT_KEPT = ("rejected:", "failed:")


def iterations(result: Result, paint: Paint, width: int) -> Iterator[str]:
    """Yield what each refinement did, oldest first; nothing where there was none."""
    for number, iteration in enumerate(result.iterations, start=1):
        yield from of_one(number, iteration, paint, width)
        if result.patch is not None and result.patch.applied and number <= result.patch.iteration:
            yield from _mended(iteration, width)
    if result.iterations:
        yield ""


def of_one(number: int, iteration: Iteration, paint: Paint, width: int, *, whole: bool = False) -> Iterator[str]:
    """Yield lines on one refinement: one on all of it, then each fixer's actions and answers.

    Args:
        number: Its number, from 1.
        iteration: The refinement.
        paint: Colours.
        width: Columns of the terminal.
        whole: Whether all that fixers said is wanted.
    """
    title = f"refinement {number}"
    first, *rest = pack([title, *refined.facts(iteration)], " · ", width - len(_INDENT))
    yield paint(title, "bold") + first.removeprefix(title)
    yield from (f"{_INDENT}{line}" for line in rest)
    for why in iteration.refinement.held:
        yield from _hanging(f"waits for you: {fold(why)}", _INDENT, width)
    if not whole:
        yield from _new(iteration, paint, width)
    for part in refined.parts(iteration.refinement, whole=whole):
        yield from _hanging(f"{part.name}: {part.did}", _INDENT, width)
        for text in part.words:
            lines = _hanging(text, _INDENT * 2, width)
            style = ("yellow",) if text.startswith(_NOT_KEPT) else ()
            yield from (_INDENT * 2 + paint(line.removeprefix(_INDENT * 2), *style) for line in lines)


def _mended(iteration: Iteration, width: int) -> Iterator[str]:
    """Yield issues that are no longer in the tree, and so in no other part of the report."""
    issues = sorted(iteration.addressed, key=lambda issue: -issue.severity.rank)
    for issue in issues[:_MOST_MENDED]:
        text = f"fixed: {issue.severity.value} {words.place(issue)} {fold(issue.description)}"
        yield _INDENT + fit(text, width - len(_INDENT))
    if len(issues) > _MOST_MENDED:
        yield f"{_INDENT}fixed: {len(issues) - _MOST_MENDED} more: selfreview show --iteration N"


def _new(iteration: Iteration, paint: Paint, width: int) -> Iterator[str]:
    """Yield new issues, which are in no other part of the report where the refinement is not applied."""
    names = set(iteration.refinement.new_issues_introduced)
    issues = [issue for issue in iteration.review.open_issues if issue.id in names]
    for issue in issues[:_MOST_NEW]:
        text = f"new: {issue.severity.value} {words.place(issue)} {fold(issue.description)}"
        yield _INDENT + paint(fit(text, width - len(_INDENT)), "yellow")
    if len(issues) > _MOST_NEW:
        yield f"{_INDENT}new: {len(issues) - _MOST_NEW} more: selfreview show --iteration N"


def _hanging(text: str, indent: str, width: int) -> Iterator[str]:
    first, *rest = wrap(text, width - len(indent) - len(_INDENT))
    yield f"{indent}{first}"
    yield from (f"{indent}{_INDENT}{line}" for line in rest)
