"""A result as JUnit XML: a suite for each reviewer, a case for each issue, and one for the review as a whole.

A case's name holds no line number, so that a server knows it again when lines move. A case for each file would not do:
Jenkins shows one failure of a case, and GitLab one case of a name.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from selfreview.model.issue import OWN, Issue, IssueStatus
from selfreview.model.result import Result, ResultStatus, ReviewerReport, ReviewerStatus
from selfreview.reporters import words
from selfreview.review.verdict import Threshold
from selfreview.text.escape import quiet, readable, visible
from selfreview.text.layout import fold

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_NOT_SHOWN = frozenset({IssueStatus.DUPLICATE, IssueStatus.OUT_OF_SCOPE, IssueStatus.ADDRESSED})
_PARTS = ("failure", "error", "skipped")


def report(result: Result) -> bytes:
    """Return the document."""
    from xml.etree import ElementTree

    threshold = Threshold(result.severity_threshold)
    by_reviewer: dict[str, list[Issue]] = {}
    for issue in result.issues:
        if issue.status not in _NOT_SHOWN:
            by_reviewer.setdefault(issue.reviewer, []).append(issue)
    marks = [_case(issue, threshold) for issue in by_reviewer.pop(OWN, ())]
    suites = [_suite(OWN, [_whole(result, threshold), *marks], result.duration_ms, result)]
    needed = {id(part) for part in words.missing(result)}
    for part in result.reviewers:
        cases = [_case(issue, threshold) for issue in by_reviewer.pop(part.name, ())]
        ended = _ending(part, failed=id(part) in needed, found=bool(cases))
        suites.append(_suite(part.name, [*ended, *cases], part.duration_ms, result))
    for name, issues in by_reviewer.items():  # from plugins, which are no reviewers
        suites.append(_suite(name, [_case(issue, threshold) for issue in issues], 0, result))
    root = ElementTree.Element("testsuites", name=OWN, time=_seconds(result.duration_ms))
    for name in ("tests", "failures", "errors"):
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in suites)))
    root.extend(suites)
    ElementTree.indent(root)
    data: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return b"".join(quiet(line).encode("utf-8") + b"\n" for line in data.decode("utf-8").split("\n"))


def _suite(name: str, cases: list[Element], duration_ms: int, result: Result) -> Element:
    from xml.etree.ElementTree import Element

    shown = fold(name)
    suite = Element("testsuite", name=shown if shown == OWN else f"{OWN}.{shown}", tests=str(len(cases)))
    for part, attribute in zip(_PARTS, ("failures", "errors", "skipped"), strict=True):
        suite.set(attribute, str(sum(1 for case in cases if case.find(part) is not None)))
    suite.set("time", _seconds(duration_ms))
    suite.set("timestamp", fold(result.timestamp).removesuffix("Z"))
    for case in cases:
        case.set("classname", suite.get("name", ""))
    suite.extend(cases)
    return suite


def _new(name: str, part: str | None = None, *, kind: str = "", message: str = "", body: Iterable[str] = ()) -> Element:
    """Return a test case that passes, or that holds a failure or the like."""
    from xml.etree.ElementTree import Element, SubElement

    case = Element("testcase", name=name)
    if part is not None:
        lines = readable("\n".join(body)).split("\n")
        SubElement(case, part, type=kind, message=message).text = "\n".join(map(quiet, lines))
    return case


def _case(issue: Issue, threshold: Threshold) -> Element:
    rule = fold(issue.rule or issue.category.value)
    name = f"{rule} in {visible(issue.file)} ({visible(issue.id)})"
    message = f"{issue.severity.value}: {fold(issue.description)}"
    body = [f"{words.place(issue)}{_side(issue)}", issue.description]
    if issue.suggested_fix:
        body.append(f"Suggested fix: {issue.suggested_fix}")
    if threshold.blocks(issue):
        return _new(name, "failure", kind=issue.severity.value, message=message, body=body)
    if issue.is_open:
        return _new(name, "skipped", kind="does not block", message=f"does not block: {message}", body=body)
    status = words.spoken(issue.status.value)
    why = f" ({fold(issue.status_reason)})" if issue.status_reason else ""
    return _new(name, "skipped", kind=status, message=f"{status}{why}: {message}", body=body)


def _side(issue: Issue) -> str:
    return f" of the {issue.side.value} file" if issue.side.value == "old" and issue.line_start else ""


def _ending(part: ReviewerReport, *, failed: bool, found: bool) -> list[Element]:
    """Return the test case for a reviewer's outcome, where its issues do not show it."""
    hint = [f"hint: {part.hint}"] if part.hint else []
    message = words.ending(part)
    if failed:
        return [_new("finishes", "error", kind=words.spoken(part.status.value), message=message, body=[message, *hint])]
    if part.status is not ReviewerStatus.OK:
        return [_new("finishes", "skipped", kind=words.spoken(part.status.value), message=message, body=hint)]
    return [] if found else [_new("finds no issue")]


def _whole(result: Result, threshold: Threshold) -> Element:
    """Return the case for the review as a whole: it passes only where everything was reviewed."""
    name = "review as a whole"
    if result.error is not None or result.status is ResultStatus.ERROR:
        message = fold(result.error.message) if result.error is not None else "error"
        hint = [f"hint: {result.error.hint}"] if result.error is not None and result.error.hint else []
        return _new(name, "error", kind="error", message=message, body=[message, *hint])
    if result.status is ResultStatus.INCOMPLETE:
        message = words.why_incomplete(result)
        return _new(name, "error", kind="incomplete", message=message, body=[message])
    if result.status is ResultStatus.NOTHING_TO_REVIEW:
        return _new(name, "skipped", kind="nothing to review", message=words.nothing(result))
    if result.not_passed_reasons:
        message = "; ".join(map(fold, result.not_passed_reasons))
        return _new(name, "failure", kind="not passed", message=message, body=result.not_passed_reasons)
    if not result.passed and not threshold.blocking(result.issues):
        message = fold(result.summary) or "a plugin made the verdict stricter than the issues"
        return _new(name, "failure", kind="verdict", message=message, body=[message])
    return _new(name)


def _seconds(duration_ms: int) -> str:
    return f"{duration_ms / 1000:.3f}"
