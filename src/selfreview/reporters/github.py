"""Workflow commands, the step's summary and its outputs, within the limits of GitHub Actions.

Source: https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands; the limits of ten
annotations of each kind a step are the runner's own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from selfreview.errors import OutputError
from selfreview.model.issue import Issue, Severity, Side
from selfreview.model.result import Result, ResultStatus
from selfreview.reporters import words
from selfreview.reporters.markdown import report as as_markdown
from selfreview.review.verdict import Threshold
from selfreview.text.escape import quiet, visible
from selfreview.text.layout import fold

EACH = 10
"""Annotations of a kind that a step may make; GitHub drops more without notice."""
SUMMARY_BYTES = 1024 * 1024
"""A larger summary is refused."""


def lines(result: Result) -> Iterator[str]:
    """Yield what goes to the log, without line feeds: commands first, then what there was no room for."""
    if result.error is not None:
        yield _command("error", _joined(result.error.message, result.error.hint), title="selfreview")
        return
    room = {"error": EACH, "warning": EACH, "notice": EACH}
    if result.status is ResultStatus.INCOMPLETE:
        room["error"] -= 1
        yield _command("error", words.why_incomplete(result), title="selfreview: not everything was reviewed")
    for reason in result.not_passed_reasons:
        room["error"] -= 1
        yield _command("error", reason, title="selfreview: did not pass")
    threshold = Threshold(result.severity_threshold)
    rest: list[Issue] = []
    for issue in words.worst_first(result):
        kind = _kind(issue, threshold)
        if room[kind] <= 0:
            rest.append(issue)
            continue
        room[kind] -= 1
        yield _annotation(kind, issue)
    for issue in rest:
        yield _harmless(f"selfreview: {issue.severity.value}: {words.place(issue)}: {fold(issue.description)}")
    for text in (fold(result.summary), words.looked_at(result)):
        if text:
            yield _harmless(f"selfreview: {text}")


def write_files(result: Result, environ: Mapping[str, str]) -> None:
    """Append the step's summary and its outputs to the files that GitHub names.

    Raises:
        OutputError: If one cannot be written.
    """
    outputs = {
        "status": result.status.value,
        "verdict": result.verdict.value if result.verdict is not None else "",
        "passed": "true" if result.passed else "false",
        "open-issues": str(len(result.open_issues)) if result.error is None else "",  # 0 would read as a clean review
    }
    _append(environ.get("GITHUB_OUTPUT"), "".join(f"{name}={value}\n" for name, value in outputs.items()))
    _append(environ.get("GITHUB_STEP_SUMMARY"), _summary(result))


def _summary(result: Result) -> str:
    kept, size = [], 0
    for line in as_markdown(result):
        size += len(line.encode("utf-8")) + 1
        if size > SUMMARY_BYTES - 100:
            kept.append("\n(cut off here)")
            break
        kept.append(line)
    return "\n".join(kept) + "\n"


def _append(name: str | None, text: str) -> None:
    if not name:
        return
    try:
        with Path(name).open("a", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except OSError as error:
        raise OutputError(f"{name} cannot be written: {error.strerror or error}") from error


def _kind(issue: Issue, threshold: Threshold) -> str:
    if threshold.blocks(issue):
        return "error"
    return "warning" if issue.severity.at_least(Severity.MEDIUM) else "notice"


def _annotation(kind: str, issue: Issue) -> str:
    where = {"file": issue.file}
    if issue.line_start and issue.side is Side.NEW:
        where |= {"line": str(issue.line_start), "endLine": str(issue.line_end)}
        if issue.column and issue.line_start == issue.line_end:
            where["col"] = str(issue.column)
    return _command(kind, _joined(issue.description, issue.suggested_fix), **where, title=words.author(issue, "/"))


def _joined(text: str, more: str | None) -> str:
    return f"{text}\n{more}" if more else text


def _command(kind: str, text: str, **properties: str) -> str:
    given = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    shown = "%0A".join(_data(_harmless(line)) for line in text.split("\n"))
    return f"::{kind} {given}::{shown}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(_harmless(text)).replace(":", "%3A").replace(",", "%2C")


def _harmless(text: str) -> str:
    """Return a line in which the runner finds no command, also none of the old kind, which may stand anywhere."""
    return quiet(visible(text))
