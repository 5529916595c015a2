"""A result as a SARIF 2.1.0 log, within what GitHub's code scanning takes.

Source: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html and
https://docs.github.com/en/code-security/code-scanning/integrating-with-code-scanning/sarif-support-for-code-scanning
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from selfreview import __version__
from selfreview.model import wire
from selfreview.model.issue import Category, Edit, Issue, IssueStatus, Place, Severity, Side
from selfreview.model.result import Result, ResultStatus
from selfreview.reporters import words
from selfreview.reporters.words import RULES, rule_id, rule_pack, rule_page
from selfreview.review.verdict import Threshold, exit_code
from selfreview.text.escape import readable
from selfreview.text.layout import fold, plural
from selfreview.text.markdown import code, plain

if TYPE_CHECKING:
    from selfreview.rules import Rule


SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
MOST_RESULTS = 25_000
"""Results of a run; a log with more is refused."""
MOST_BYTES = 10 * 1024 * 1024
"""Size of a log under gzip; a larger one is refused."""
ELSEWHERE = frozenset({IssueStatus.DUPLICATE, IssueStatus.OUT_OF_SCOPE, IssueStatus.ADDRESSED})
"""Statuses that are counted and not listed: another result stands for them, or they are not of this change as it is."""


def log(result: Result, environ: Mapping[str, str], *, incomplete_fails: bool = False) -> bytes:
    """Return the log.

    Args:
        result: What to report.
        environ: Where CI systems say which repository it is.
        incomplete_fails: Whether it is known that an incomplete review fails; else its exit code is left out.
    """
    issues = worst_first(result)
    limit = MOST_RESULTS
    while True:
        data = wire.document(_log(result, issues[:limit], len(issues), environ, incomplete_fails=incomplete_fails))
        size = _compressed(data)
        if size <= MOST_BYTES or not limit:
            return data
        limit = min(limit, len(issues)) * MOST_BYTES // size * 9 // 10


def worst_first(result: Result) -> list[Issue]:
    """Return the issues that are listed: the open ones before the others, those that block first, the worst first."""
    threshold = Threshold(result.severity_threshold)
    listed = [issue for issue in result.issues if issue.status not in ELSEWHERE]
    return sorted(listed, key=lambda issue: (not issue.is_open, not threshold.blocks(issue), -issue.severity.rank))


def _compressed(data: bytes) -> int:
    # Only what is larger uncompressed can be too large. Level 1 compresses least: others send less than this.
    return len(zlib.compress(data, 1)) if len(data) > MOST_BYTES else len(data)


def _log(
    result: Result, issues: Sequence[Issue], total: int, environ: Mapping[str, str], *, incomplete_fails: bool
) -> dict[str, Any]:
    names = [rule_id(issue) for issue in issues]
    described = rules(names, issues)
    index = {rule["id"]: number for number, rule in enumerate(described)}
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "selfreview",
                "version": __version__,
                "semanticVersion": __version__,
                "rules": described,
                "notifications": NOTIFICATIONS,
            }
        },
        "automationDetails": {"id": f"selfreview/{result.run_id or ''}"},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {SRCROOT: {"description": {"text": "The top level of the repository."}}},
        "invocations": [invocation(result, _left_out(result, issues, total), incomplete_fails=incomplete_fails)],
        "results": [to_result(issue, name, index[name]) for name, issue in zip(names, issues, strict=True)],
        "properties": {
            "status": result.status.value,
            "verdict": result.verdict.value if result.verdict is not None else None,
            "passed": result.passed,
            "severityThreshold": result.severity_threshold,
            "summary": result.summary,
        },
    }
    where = provenance(result, environ)
    if where is not None:
        run["versionControlProvenance"] = [where]
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _left_out(result: Result, issues: Sequence[Issue], total: int) -> list[str]:
    """Return what the results do not show, a sentence each."""
    sentences = []
    if total > len(issues):
        sentences.append(
            f"{total - len(issues)} of {total} issues are left out, the least severe ones: the log would be too large."
        )
    places = sum(max(len(issue.related) - MOST_LOCATIONS, 0) for issue in issues)
    if places:
        sentences.append(f"{places} related places are left out: there are more than {MOST_LOCATIONS} for one issue.")
    tally = Counter(issue.status for issue in result.issues)
    words = [f"{tally[status]} {status.value.replace('_', ' ')}" for status in IssueStatus if status in ELSEWHERE]
    if any(tally[status] for status in ELSEWHERE):
        sentences.append(f"Issues that are not results: {', '.join(word for word in words if word[0] != '0')}.")
    return sentences


_KINDS = {
    "error": "The review could not take place.",
    "reviewer-failed": "A reviewer did not finish: the change was not reviewed as asked.",
    "not-reviewed": "Something was not reviewed as asked.",
    "not-passed": "Something besides the issues keeps the change from passing.",
    "reviewer-skipped": "A reviewer took no part.",
    "left-out": "Something that was found is not among the results.",
    "note": "Something that a reader should know.",
}
NOTIFICATIONS = [{"id": f"selfreview/{kind}", "shortDescription": {"text": text}} for kind, text in _KINDS.items()]
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def invocation(result: Result, left_out: Sequence[str], *, incomplete_fails: bool) -> dict[str, Any]:
    """Return how the run went; it is no success where something was not reviewed as asked.

    Args:
        result: The result.
        left_out: What the log does not show, as sentences.
        incomplete_fails: Whether it is known that an incomplete review fails. ``on_incomplete = "warn"`` holds in a run
            and not in a gate, so that its exit code is left out.
    """
    whole = result.status in (ResultStatus.COMPLETE, ResultStatus.NOTHING_TO_REVIEW)
    fields: dict[str, Any] = {
        "executionSuccessful": whole,
        "toolExecutionNotifications": [
            _notification(kind, level, text)
            for kind, level, text in [*_notes(result), *(("left-out", "warning", text) for text in left_out)]
        ],
    }
    if incomplete_fails or result.status is not ResultStatus.INCOMPLETE:
        code = exit_code(result, Threshold(result.severity_threshold), warn_incomplete=False)
        fields |= {"exitCode": int(code), "exitCodeDescription": code.name.lower().replace("_", " ")}
    if _TIME.fullmatch(result.timestamp):
        fields["endTimeUtc"] = result.timestamp
    return fields


def _notification(kind: str, level: str, text: str) -> dict[str, Any]:
    index = list(_KINDS).index(kind)
    return {"descriptor": {"id": f"selfreview/{kind}", "index": index}, "level": level, "message": message(text)}


def _notes(result: Result) -> Iterator[tuple[str, str, str]]:
    """Yield kind, level and text of everything to know that is no issue."""
    if result.error is not None:
        hint = f"\nhint: {fold(result.error.hint)}" if result.error.hint else ""
        yield "error", "error", f"{fold(result.error.message)}{hint}"
    failed = words.missing(result)
    for report in failed:
        hint = f" ({fold(report.hint)})" if report.hint else ""
        yield "reviewer-failed", "error", f"{words.without(report)}{hint}"
    gaps = words.gaps(result)
    for gap in gaps:
        yield "not-reviewed", "error", gap
    if result.status is ResultStatus.INCOMPLETE and not failed and not gaps:
        yield "not-reviewed", "error", words.why_incomplete(result)
    for name, why in words.skipped(result):
        yield "reviewer-skipped", "note", f"{name}: {why}"
    if result.coverage.excluded:
        count = plural(len(result.coverage.excluded), "file")
        yield "note", "note", f"{count} excluded: {words.excluded(result)}"
    for reason in result.not_passed_reasons:
        yield "not-passed", "error", fold(reason)
    for note in words.remarks(result):
        yield "note", "note", note


def provenance(result: Result, environ: Mapping[str, str]) -> dict[str, Any] | None:
    """Return which revision of which repository was reviewed, where both are known and it is that revision exactly.

    Only CI systems say which repository it is.
    """
    scope = result.scope
    address = _repository(environ)
    if address is None or scope is None or not scope.head or scope.uncommitted or scope.mode in ("diff", "staged"):
        return None
    fields: dict[str, Any] = {
        "repositoryUri": address,
        "revisionId": scope.head,
        "mappedTo": {"uriBaseId": SRCROOT},
    }
    if scope.branch:
        fields["branch"] = scope.branch
    return fields


def _repository(environ: Mapping[str, str]) -> str | None:
    server, name = environ.get("GITHUB_SERVER_URL", ""), environ.get("GITHUB_REPOSITORY", "")
    address = f"{server}/{name}" if server and name else environ.get("CI_PROJECT_URL", "")
    return quote(address, safe="/:%.-_~") if re.match(r"https?://[^/]", address) else None


SRCROOT = "SRCROOT"
_LINK = re.compile(r"\[([^\[\]]*)\](?=\()")


def message(text: str) -> dict[str, str]:
    """Return a plain text message; what would be a link in it is escaped, as the standard asks."""
    shown = readable(text)
    return {"text": _LINK.sub(r"\\[\1\\]", shown) if "](" in shown else shown}


def artifact(path: str) -> dict[str, str]:
    """Return a file's location: its exact bytes, percent-encoded, relative to the top level."""
    try:
        raw = path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # surrogates that no bytes stand behind, from a reviewer's own text
        raw = path.encode("utf-8", "replace")
    uri = quote(raw, safe="/")
    if uri.startswith("/"):  # from a reviewer's own text: it would name another root, or a host
        uri = "%2F" + uri[1:]
    return {"uri": uri, "uriBaseId": SRCROOT}


def of_issue(issue: Issue) -> dict[str, Any]:
    """Return an issue's own location; a removed line is named in words, as its number counts in the old file."""
    if issue.commit is not None:
        line = f"line {issue.commit_line} of " if issue.commit_line else ""
        return _whole_file(issue.file, f"{line}commit {issue.commit}")
    if issue.side is Side.OLD or not issue.line_start:
        return _whole_file(issue.file, _removed(issue.side, issue.line_start, issue.line_end))
    region = {"startLine": issue.line_start}
    if issue.column:
        region["startColumn"] = issue.column
    if issue.line_end > issue.line_start:
        region["endLine"] = issue.line_end
    return {"physicalLocation": {"artifactLocation": artifact(issue.file), "region": region}}


def of_place(place: Place, number: int) -> dict[str, Any]:
    """Return a related location.

    Args:
        place: The place.
        number: Its id within the result, from 1.
    """
    words = _removed(place.side, place.line_start, place.line_end)
    if place.side is Side.OLD or place.line_start < 1:
        location = _whole_file(place.file, words)
    else:
        region = {"startLine": place.line_start}
        if place.line_end > place.line_start:
            region["endLine"] = place.line_end
        location = {"physicalLocation": {"artifactLocation": artifact(place.file), "region": region}}
    text = ": ".join(filter(None, (words, place.note)))
    return {"id": number, **location, **({"message": message(text)} if text else {})}


def _whole_file(path: str, words: str) -> dict[str, Any]:
    location: dict[str, Any] = {"physicalLocation": {"artifactLocation": artifact(path)}}
    if words:
        location["message"] = message(words)
    return location


def _removed(side: Side, first: int, last: int) -> str:
    if side is Side.NEW or first < 1:
        return ""
    return f"line {first} of the old file" if last <= first else f"lines {first} to {last} of the old file"


MOST_LOCATIONS = 999
"""Related places of a result: with its own, the 1,000 that GitHub takes."""
LEVELS = {
    Severity.CRITICAL: "error",
    Severity.HIGH: "error",
    Severity.MEDIUM: "warning",
    Severity.LOW: "note",
    Severity.SUGGESTION: "note",
}
_STEP = 20
"""Ranks, from 0 to 100, that a severity spans; confidence decides within it."""
SUPPRESSIONS = {
    IssueStatus.SUPPRESSED: ("inSource", "accepted"),
    IssueStatus.BASELINED: ("external", "accepted"),
    IssueStatus.ACCEPTED: ("external", "accepted"),
    IssueStatus.DISMISSED: ("external", "accepted"),
    IssueStatus.UNCONFIRMED: ("external", "underReview"),
}


def to_result(issue: Issue, rule: str, rule_index: int) -> dict[str, Any]:
    """Return an issue as a result.

    Args:
        issue: The issue.
        rule: Its rule's id in the log.
        rule_index: Where its rule stands in the driver's list.
    """
    result: dict[str, Any] = {
        "ruleId": rule,
        "ruleIndex": rule_index,
        "level": LEVELS[issue.severity],
        "rank": rank(issue),
        "message": message(_text(issue)),
        "locations": [of_issue(issue)] if issue.file else [],
        "partialFingerprints": {"selfreview/v1": issue.fingerprint},
        "properties": _properties(issue),
    }
    if issue.related:
        places = issue.related[:MOST_LOCATIONS]
        result["relatedLocations"] = [of_place(place, number) for number, place in enumerate(places, start=1)]
    if issue.edits and issue.file:
        result["fixes"] = [_fix(issue)]
    if issue.status in SUPPRESSIONS:
        kind, status = SUPPRESSIONS[issue.status]
        reason = f"{issue.status.value}: {fold(issue.status_reason)}" if issue.status_reason else issue.status.value
        result["suppressions"] = [{"kind": kind, "status": status, "justification": reason}]
    return result


def rank(issue: Issue) -> float:
    """Return 0 to 100: a worse issue ranks higher, and of two alike the surer one."""
    doubt = 1 - min(max(issue.confidence, 0.0), 1.0) if issue.confidence is not None else 0.0
    return round(_STEP * (issue.severity.rank + 1) - _STEP * doubt, 1)


def _text(issue: Issue) -> str:
    if not issue.suggested_fix:
        return issue.description
    return f"{issue.description}\n\nSuggested fix: {issue.suggested_fix}"


def _properties(issue: Issue) -> dict[str, Any]:
    properties: dict[str, Any] = {
        "id": issue.id,
        "severity": issue.severity.value,
        "category": issue.category.value,
        "reviewer": issue.reviewer,
        "status": issue.status.value,
        "side": issue.side.value,
        "tags": [issue.category.value],
    }
    if issue.also_reported_by:
        properties["alsoReportedBy"] = issue.also_reported_by
    if issue.confidence is not None:
        properties["confidence"] = issue.confidence
    if issue.category is Category.SECURITY:
        properties["security-severity"] = SECURITY[issue.severity]
    return properties


SECURITY = {
    Severity.CRITICAL: "9.5",
    Severity.HIGH: "8.0",
    Severity.MEDIUM: "5.5",
    Severity.LOW: "2.0",
    Severity.SUGGESTION: "0.5",
}
"""Scores that GitHub shows as critical (above 9.0), high (from 7.0), medium (from 4.0) and low."""


def _fix(issue: Issue) -> dict[str, Any]:
    replacements = [_replacement(edit) for edit in issue.edits]
    return {
        "description": message(issue.suggested_fix or "Apply the mechanical fix."),
        "artifactChanges": [{"artifactLocation": artifact(issue.file), "replacements": replacements}],
    }


def _replacement(edit: Edit) -> dict[str, Any]:
    region = {
        "startLine": edit.line_start,
        "startColumn": edit.column_start + 1,
        "endLine": edit.line_end,
        "endColumn": edit.column_end + 1,
    }
    replacement: dict[str, Any] = {"deletedRegion": region}
    if edit.replacement:
        replacement["insertedContent"] = {"text": edit.replacement}
    return replacement


_PROBLEM = {"error": "error", "warning": "warning", "note": "recommendation"}
"""GitHub's word for a level, for rules that are not about security."""


def rules(names: Iterable[str], issues: Iterable[Issue]) -> list[dict[str, Any]]:
    """Return each rule once, in the order of the issues.

    Args:
        names: The rule's id in the log for each issue.
        issues: The issues.
    """
    by_rule: dict[str, list[Issue]] = {}
    for name, issue in zip(names, issues, strict=True):
        by_rule.setdefault(name, []).append(issue)
    texts = rule_pack(group[0] for group in by_rule.values())
    return [_rule(name, group, texts) for name, group in by_rule.items()]


def _rule(name: str, issues: list[Issue], texts: Mapping[str, Rule]) -> dict[str, Any]:
    first = issues[0]
    worst = max((issue.severity for issue in issues), key=lambda severity: severity.rank)
    known = texts.get(first.rule or "") if first.reviewer == RULES else None
    level = LEVELS[worst]
    described: dict[str, Any] = {
        "id": name,
        "name": _pascal(fold(first.rule or f"{first.reviewer}-{first.category.value}")),
        "shortDescription": {"text": _short(first, known)},
        "help": _help(name, first, known),
        "defaultConfiguration": {"level": level},
        "properties": _rule_properties(issues, level),
    }
    address = rule_page(first)
    if address is not None:
        described["helpUri"] = address
    return described


def _short(first: Issue, known: Rule | None) -> str:
    if known is not None:
        return _general(known.message)
    if first.rule is None:
        return f"{first.category.value.capitalize()}, as the reviewer {fold(first.reviewer)} sees it."
    return f"{fold(first.rule)}, reported by {fold(first.reviewer)}."


def _help(name: str, first: Issue, known: Rule | None) -> dict[str, str]:
    if known is not None:
        parts = (_general(known.message), known.suggestion)
        text, markdown = "\n\n".join(parts), "\n\n".join(map(plain, parts))
        example = next((bad for bad in known.bad if isinstance(bad, str)), None)
        if example is not None and "```" not in example:
            markdown += f"\n\nReported, for example:\n\n```\n{_dedented(example)}\n```"
        return {"text": text, "markdown": markdown}
    address = rule_page(first)
    if address is not None:
        return {"text": f"{name}: see {address}", "markdown": f"{code(name)}: see <{address}>"}
    text = "The message of each result says what is wrong and what to do."
    return {"text": f"{name}: {text}", "markdown": f"{code(name)}: {text}"}


def _general(message: str) -> str:
    """Return the message of a rule without the name that an issue of it puts in."""
    return message.replace("The test {name}", "The test").replace("{name}", "The function")


def _dedented(example: str) -> str:
    from textwrap import dedent

    return dedent(example).replace("  <--", "").strip("\n")


def _rule_properties(issues: list[Issue], level: str) -> dict[str, Any]:
    categories = sorted({issue.category.value for issue in issues})
    dangerous = [issue.severity for issue in issues if issue.category is Category.SECURITY]
    properties: dict[str, Any] = {"tags": categories, "problem.severity": _PROBLEM[level]}
    if dangerous:
        properties["security-severity"] = SECURITY[max(dangerous, key=_rank)]
    return properties


def _rank(severity: Severity) -> int:
    return severity.rank


def _pascal(name: str) -> str:
    """Return ``PythonEval`` for ``python-eval``; codes such as ``F821`` stay."""
    return "".join(part[:1].upper() + part[1:] for part in name.replace("_", "-").split("-"))
