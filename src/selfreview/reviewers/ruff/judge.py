"""False positives of ruff: findings whose rule is known to be wrong there, or does not matter."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable

import msgspec

from selfreview.api import Category, Finding, Severity
from selfreview.reviewers.ruff import rules
from selfreview.reviewers.ruff.python_file import PythonFile
from selfreview.reviewers.ruff.query import Query

OLD_PYTHON_NAMES = frozenset(
    {
        "unicode", "basestring", "xrange", "raw_input", "unichr", "long", "reduce", "cmp", "file", "execfile", "reload",
        "intern", "apply", "buffer", "coerce",
    }
)  # fmt: skip
"""Built-ins of Python 2; code that runs on both guards them by a version check that ruff does not follow."""

INJECTED_NAMES = frozenset({"_", "get_ipython", "__IPYTHON__", "profile", "reveal_type", "WindowsError", "dbutils"})
"""Names that something other than the module puts there."""

_TEST_FOLDER = re.compile(r"(^|/)(tests?|testing_data|test_?data|__fixtures__)/")
_TEST_MODULE = re.compile(r"(test_.*|.*_tests?|tests?|conftest)\.pyi?")
_HARMLESS_IN_TESTS = frozenset({"B006", "B017", "B018", "B023", "B039", "E711", "F841", "RUF008", "RUF012"})
_TOLD = re.compile(
    r"#[ \t]*(?:type:[ \t]*ignore\[[^\]\n]*\bname-defined\b|ty:[ \t]*ignore\[[^\]\n]*\bunresolved-reference\b"
    r"|pyright:[ \t]*ignore\[[^\]\n]*\breportUndefinedVariable\b"
    r"|pylint:[ \t]*disable=[\w, -]*\bundefined-variable\b)",
    re.ASCII,
)
"""Comments that tell another tool that a name is intended: the whole mark, as words may be in any comment.

It takes no more than what a gate finds to be a mark, so that no change makes a finding vanish without a trace.
"""

_DEFINITION = re.compile(r"\s*(async\s+def|def|class)\s")
_FIRST_LINE = re.compile(r"from line (\d+)")
_NAME = re.compile(r"`([^`]+)`")


def judge(finding: Finding, file: PythonFile) -> Finding | None:
    """Return the finding as it should be reported, or None for a false positive."""
    special = _SPECIAL.get(finding.rule or "")
    severity: Severity | None = special(finding, file) if special else finding.severity
    if severity is None:
        return None
    limit = _limit(finding)
    severity = severity if limit.at_least(severity) else limit
    return finding if severity is finding.severity else msgspec.structs.replace(finding, severity=severity)


def _limit(finding: Finding) -> Severity:
    """Return the highest severity that a finding can have at its place."""
    path, rule = finding.file, finding.rule or ""
    if rule != rules.SYNTAX_ERROR and path.endswith(".pyi"):
        return Severity.LOW  # stubs never run
    if _is_test_data(path):
        return Severity.LOW  # code that only tests read or call fails in those tests
    if _is_test_module(path) and (rule in _HARMLESS_IN_TESTS or rules.category(rule) is Category.SECURITY):
        return Severity.LOW
    return Severity.CRITICAL


def _is_test_module(path: str) -> bool:
    return _TEST_MODULE.fullmatch(posixpath.basename(path)) is not None


def _is_test_data(path: str) -> bool:
    return _TEST_FOLDER.search(path) is not None and not _is_test_module(path)


def _syntax_error(finding: Finding, file: PythonFile) -> Severity | None:
    """Return the severity of a syntax error, which is low in a template that generates Python."""
    return Severity.LOW if file.is_template else finding.severity


def _undefined_name(finding: Finding, file: PythonFile) -> Severity | None:
    name = named(finding)
    line = file.line(finding.line_start)
    before = line[: (finding.column or 1) - 1]
    if name in OLD_PYTHON_NAMES or name in INJECTED_NAMES or _is_told(finding, file):
        return None
    if before[-1:] in ("'", '"') and "Literal[" in before:
        return None  # text that ruff takes for an annotation where Literal is imported conditionally
    return _exported_name(finding, file)


def _is_told(finding: Finding, file: PythonFile) -> bool:
    return _TOLD.search(file.comments.get(finding.line_start, "")) is not None


def _redefinition(finding: Finding, file: PythonFile) -> Severity | None:
    """Keep what replaces one definition by another; a repeated import or a name set in advance is harmless."""
    match = _FIRST_LINE.search(finding.description)
    first = int(match[1]) if match else 0
    if not (_DEFINITION.match(file.line(first)) and _DEFINITION.match(file.line(finding.line_start))):
        return Severity.LOW
    is_test = (named(finding) or "").lower().startswith("test")
    decorated = any(file.line(number - 1).lstrip().startswith(("@", ")")) for number in (first, finding.line_start))
    return finding.severity if is_test or not decorated else Severity.LOW  # a decorator may have registered it


def _shared_default(finding: Finding, file: PythonFile) -> Severity | None:
    kept = file.shape.default_is_kept(finding.line_start, finding.column or 1)
    return finding.severity if kept else Severity.LOW


def _loop_variable(finding: Finding, file: PythonFile) -> Severity | None:
    kept = file.shape.closure_is_kept(finding.line_start, finding.column or 1)
    return finding.severity if kept else Severity.LOW


def _exported_name(finding: Finding, file: PythonFile) -> Severity | None:
    return Severity.LOW if file.dynamic.may_define(named(finding)) else finding.severity


def _shell(finding: Finding, file: PythonFile) -> Severity | None:
    del file
    return None if "seems safe" in finding.description else finding.severity


def _query(finding: Finding, file: PythonFile) -> Severity | None:
    ours = Query(file.root, finding.line_start, finding.column or 1).is_ours()
    return Severity.LOW if ours else finding.severity


def _unused_noqa(finding: Finding, file: PythonFile) -> Severity | None:
    del file  # what is enabled is known where the project selects it: we run other rules than ruff by default
    unknown = "non-enabled" in finding.description or any(rule in finding.description for rule in rules.UNRELIABLE)
    return None if unknown else finding.severity


def named(finding: Finding) -> str | None:
    """Return the name that a finding is about, as its text quotes it."""
    match = _NAME.search(finding.description)
    return match[1] if match else None


_SPECIAL: dict[str, Callable[[Finding, PythonFile], Severity | None]] = {
    "B006": _shared_default,
    "B023": _loop_variable,
    "F821": _undefined_name,
    "F822": _exported_name,
    "F811": _redefinition,
    "RUF100": _unused_noqa,
    rules.SYNTAX_ERROR: _syntax_error,
    "S602": _shell,
    "S605": _shell,
    "S608": _query,
}
