"""The page as a whole: its template, its parts, and the policy that keeps everything else out."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from selfreview import resources
from selfreview.api import Result, ReviewContext
from selfreview.api.reporter import PatchSource
from selfreview.model.result import ResultStatus, ReviewerReport, Verdict
from selfreview.reporters import refined, words
from selfreview.reporters.html.issues import Issues
from selfreview.reporters.html.iterations import rounds
from selfreview.review.summary import NO_MODEL, not_run
from selfreview.review.verdict import Threshold
from selfreview.text.escape import LOG_COMMANDS, visible
from selfreview.text.layout import fold, plural

_PIECES = 2000
"""Pieces of the page that are put together before they are written."""


class Reason(NamedTuple):
    """Reason for which a change has not passed, with what a person can do about it, or nothing."""

    text: str
    hint: str = ""


def page(result: Result, context: ReviewContext | None, patches: PatchSource | None) -> Iterator[bytes]:
    """Return the page in pieces.

    Args:
        result: What to report.
        context: Where code comes from, or None.
        patches: Where patches of refinements come from, or None.
    """
    css, js = _resource("html.css"), _resource("html.js")
    issues = Issues(result, context)
    stream = (
        _environment()
        .get_template("html.html.j2")
        .stream(
            result=result,
            css=Markup(css),  # noqa: S704 - our own file
            js=Markup(js),  # noqa: S704 - our own file
            policy=_policy(css, js),
            headline=headline(result),
            tone=_tone(result),
            facts=list(_facts(result)),
            reasons=list(reasons(result)),
            notes=list(_notes(result)),
            issues=issues,
            coverage=coverage(result),
            rounds=rounds(result, patches, issues.anchors),
            stopped=refined.stopped(result),
            patch="; ".join(filter(None, (refined.patch(result), refined.held(result)))),
        )
    )
    stream.enable_buffering(_PIECES)
    return (piece.encode("utf-8") for piece in _quiet(stream))


def _quiet(pieces: Iterable[str]) -> Iterator[str]:
    """Write ``#`` as a reference where CI services would find a command; a page shows the same text."""
    left = ""
    for piece in pieces:
        text = left + piece
        for command in LOG_COMMANDS:
            text = text.replace(command, f"&#35;{command[1:]}")
        # What a command can begin with stays in one piece with what follows.
        cut = max(len(text) - max(map(len, LOG_COMMANDS)) + 1, 0)
        left = text[cut:]
        yield text[:cut]
    yield left


def headline(result: Result) -> str:
    """Return the headline: what a person wants to know first."""
    match result.status:
        case ResultStatus.ERROR:
            return "Error: nothing was reviewed"
        case ResultStatus.INCOMPLETE:
            return "Incomplete: this change has not passed"
        case ResultStatus.NOTHING_TO_REVIEW:
            return "Nothing to review"
        case _:
            return ", ".join(["Passed", *filter(None, [not_run(result)])]) if result.passed else "Did not pass"


def reasons(result: Result) -> Iterator[Reason]:
    """Yield the reasons why the change has not passed: errors, what was not reviewed, blocking issues, limits."""
    if result.error is not None:
        yield Reason(fold(result.error.message), fold(result.error.hint or ""))
        return
    if result.status is ResultStatus.INCOMPLETE:
        reports, gaps = words.missing(result), words.gaps(result)
        for report in reports:
            yield Reason(words.without(result, report), fold(report.hint or ""))
        for gap in gaps:
            yield Reason(gap)
        unseen = result.coverage.files - len(result.coverage.excluded) - result.coverage.reviewed_files
        if unseen > 0:
            yield Reason(f"{unseen} of {plural(result.coverage.files, 'file')} had no review at all")
        if not (reports or gaps or unseen > 0):
            yield Reason(fold(result.summary) or "not everything was reviewed")
    blocking = sum(map(Threshold(result.severity_threshold).blocks, result.issues))
    if blocking:
        yield Reason(f"{plural(blocking, 'issue')} {'blocks' if blocking == 1 else 'block'} ({_limit(result)})")
    for reason in result.not_passed_reasons:
        yield Reason(fold(reason))
    if result.status is ResultStatus.COMPLETE and not (result.passed or blocking or result.not_passed_reasons):
        yield Reason(_decided(result))


def _decided(result: Result) -> str:
    """Return why a change has not passed where only a plugin can have decided so."""
    if result.verdict is Verdict.PASS:
        return fold(result.summary) or "a plugin decided so"
    return f"the verdict is {words.spoken(result.verdict.value if result.verdict else 'unknown')}"


def _limit(result: Result) -> str:
    limit = result.severity_threshold
    if isinstance(limit, str):
        return "nothing blocks" if limit == "never" else f"{visible(limit)} or worse"
    return ", ".join(f"{visible(name)} {visible(level)}" for name, level in limit.items())


def _tone(result: Result) -> str:
    if result.status in (ResultStatus.ERROR, ResultStatus.INCOMPLETE):
        return "bad"
    return "good" if result.passed or result.status is ResultStatus.NOTHING_TO_REVIEW else "bad"


def _facts(result: Result) -> Iterator[tuple[str, str]]:
    """Yield what was reviewed and when, each with its label."""
    scope = result.scope
    if scope is not None:
        size = f"{plural(scope.files, 'file')}, +{scope.added_lines} -{scope.removed_lines} lines"
        yield "Change", f"{words.compared(scope)}: {size}"
        if scope.branch:
            yield "Branch", visible(scope.branch)
        told = [
            text
            for flag, text in ((scope.uncommitted, "not all committed"), (scope.partial, "only a part of the change"))
            if flag
        ]
        if told:
            yield "Scope", ", ".join(told)
    if result.status in (ResultStatus.COMPLETE, ResultStatus.INCOMPLETE):
        verdict = result.verdict
        yield "Verdict", words.spoken(verdict.value) if verdict is not None else "none"
        yield "Threshold", _limit(result)
        others = words.count_others(result)
        if others:
            yield "Not counted", others
    if result.timestamp:
        yield "Reviewed", visible(result.timestamp) + (f" in {result.duration_ms / 1000:.1f} s" if result.scope else "")
    if result.run_id:
        yield "Run", visible(result.run_id)


def _notes(result: Result) -> Iterator[str]:
    if result.status is ResultStatus.NOTHING_TO_REVIEW:
        yield words.nothing(result)
    yield from words.remarks(result)
    if words.no_model(result):
        yield NO_MODEL


def _resource(name: str) -> str:
    return resources.read("templates", f"reports/{name}").decode("utf-8").replace("\r\n", "\n")


def _environment() -> Environment:
    """Return where templates come from: our own folder alone, for what is inert must not be for a repository to say."""
    return Environment(
        loader=FunctionLoader(_resource),
        autoescape=True,
        finalize=_seen,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        cache_size=0,
    )


def _seen(value: Any) -> Any:
    """Make every text visible that a template prints, whoever forgot to; what is our own markup stays."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _policy(css: str, js: str) -> str:
    """Return a Content-Security-Policy that lets in exactly the style and the script of the page."""
    digests = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (css, js)]
    return (
        f"default-src 'none'; style-src 'sha256-{digests[0]}'; script-src 'sha256-{digests[1]}'; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )


class Paths(NamedTuple):
    """Files with the same reason, and which."""

    why: str
    paths: list[str]


class Coverage(NamedTuple):
    """Coverage in words; ``reviewers`` come with the outcome of each, and the reason for it."""

    facts: list[tuple[str, str]]
    reviewers: list[tuple[ReviewerReport, str, str]]
    text_only: list[str]
    excluded: list[Paths]


def coverage(result: Result) -> Coverage:
    """Return the coverage of a result."""
    return Coverage(
        list(_coverage_facts(result)),
        [(report, words.spoken(report.status.value), _why(report)) for report in result.reviewers],
        result.coverage.text_only,
        _excluded(result),
    )


def _coverage_facts(result: Result) -> list[tuple[str, str]]:
    known = result.coverage
    if result.status not in (ResultStatus.COMPLETE, ResultStatus.INCOMPLETE):
        return []
    facts = [
        ("Files", f"{known.reviewed_files} of {known.files} reviewed"),
        (
            "Added lines",
            f"{known.added_lines}: model {known.depth.model}, static {known.depth.static}, text {known.depth.text}",
        ),
    ]
    if known.not_reviewed:
        facts.append(("Not reviewed", ", ".join(f"{reason.files} {fold(reason.why)}" for reason in known.not_reviewed)))
    if known.left_out:
        facts.append(("Left out", words.left_out(known.left_out)))
    usage = result.usage
    if usage.requests:
        sent = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
        cost = f"{plural(usage.requests, 'request')}, {sent} tokens in, {usage.output_tokens} out"
        facts.append(("Model", cost + words.dollars(usage)))
    return facts


def _why(report: ReviewerReport) -> str:
    why = fold(report.error or "")
    hint = fold(report.hint or "")
    return f"{why} ({hint})" if why and hint else why or hint


def _excluded(result: Result) -> list[Paths]:
    by_reason: dict[str, list[str]] = {}
    for item in result.coverage.excluded:
        by_reason.setdefault(item.why, []).append(item.path)
    return [Paths(why, paths) for why, paths in by_reason.items()]
