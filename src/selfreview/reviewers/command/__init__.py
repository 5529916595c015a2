"""Any command as a reviewer, from the configuration's ``[command.NAME]`` tables."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec

from selfreview.api import (
    Category,
    ChangedFile,
    ConfigView,
    Depth,
    FileStatus,
    Finding,
    Registry,
    Review,
    ReviewContext,
    Reviewer,
    ReviewerStatus,
    Severity,
    hookimpl,
)
from selfreview.config.tables import FILES
from selfreview.errors import ConfigError, ToolError
from selfreview.model.wire import display_path
from selfreview.reviewers.tools.program import digest, find_on_path, program_key
from selfreview.reviewers.tools.results import Change, Reported, Span, Spot, ToolReport, decode_json, decode_text

SEVERITIES = {
    "critical": Severity.CRITICAL,
    "high": Severity.HIGH,
    "fatal": Severity.HIGH,
    "error": Severity.HIGH,
    "medium": Severity.MEDIUM,
    "warning": Severity.MEDIUM,
    "warn": Severity.MEDIUM,
    "low": Severity.LOW,
    "note": Severity.LOW,
    "info": Severity.LOW,
    "suggestion": Severity.SUGGESTION,
    "hint": Severity.SUGGESTION,
    "none": Severity.SUGGESTION,
}
"""Severities of common words, unless the table says otherwise.

Any other word, and none, is what the table's word ``default`` says, else ``medium``.
"""

_SCORES = ((9.0, Severity.CRITICAL), (7.0, Severity.HIGH), (4.0, Severity.MEDIUM), (0.0, Severity.LOW))

_OK_STATUSES = (0, 1)
"""Exit statuses that are no failure by default: most linters exit with 1 when they found something."""


@hookimpl
def selfreview_register_reviewers(registry: Registry[Reviewer], config: ConfigView) -> None:
    """Register one reviewer for every table."""
    for name, table in config.table("command").items():
        registry.add(CommandReviewer(name, table))


class CommandReviewer:
    """Runs one configured command over the tree under review.

    Args:
        name: The table's name.
        table: ``run`` and ``format`` are required; ``pattern``, ``files``, ``required``, ``severity``, ``inputs``,
            ``category``, ``timeout`` (seconds) and ``ok_exit_codes`` are not.

    Raises:
        ConfigError: If a file pattern is wrong.

    Attributes:
        required: Whether the result is incomplete without it.
        timeout: Seconds that it may take, or None.
    """

    depth = Depth.STATIC
    default = True

    def __init__(self, name: str, table: Mapping[str, Any]) -> None:
        self.name = name
        self._table = table
        own = {word.lower(): Severity(severity) for word, severity in table.get("severity", {}).items()}
        self._severities = {**SEVERITIES, **own}
        self._matches = matcher(table.get("files") or ["**"])
        self.required = bool(table.get("required", False))
        self.timeout: float | None = table.get("timeout")

    def selects(self, file: ChangedFile) -> bool:
        """Take regular files of the new side that match ``files``."""
        regular = file.status is not FileStatus.DELETED and not file.is_symlink and not file.is_submodule
        return regular and self._matches(file.path)

    def cache_key(self, context: ReviewContext) -> bytes | None:
        """Cover the table, the executable and the declared ``inputs``; without ``inputs`` nothing is cached.

        Nor does an earlier result count where the command may not run: it would stand for a review that did not happen.
        """
        if "inputs" not in self._table or not self._may_run(context):
            return None
        return _cache_key(self._table, self._program(None), context)

    def review(self, files: Sequence[ChangedFile], context: ReviewContext) -> Review:
        """Run the command.

        Raises:
            ToolError: If it fails, or its output cannot be understood in full.
        """
        if not self._may_run(context):
            if context.config.trusted:
                error, hint = "it would run code of the change", "gate --allow-head-code allows that"
            else:
                error, hint = "commands of this repository are not trusted yet", 'run "selfreview trust"'
            return Review(status=ReviewerStatus.SKIPPED, error=error, hint=hint)
        root = context.tree()
        program = self._program(root)
        if program is None:
            return Review(
                status=ReviewerStatus.SKIPPED,
                error=f"{self._table['run'][0]} is not installed",
                hint=f"install it, or set command.{self.name}.required to fail without it",
            )
        from selfreview.reviewers.tools.results import Placer

        placer = Placer(context, root, files, self._grade)
        review, suppressed = Review(), 0
        for argv in self._command_lines(program, files):
            report, status = self._run(argv, root, context)
            found = placer.findings(report)
            if status and report.results:
                self._demand_known(found, status, report, root)
                review.notes = [f"{self.name}: {_outside(placer.outside)}"] if placer.outside else []
            review.findings += found
            suppressed += report.suppressed
            for printed, reason in report.unread.items():
                path = placer.path(printed)
                if path is not None and any(file.path == path for file in files):
                    review.unreviewed[path] = reason
        review.hint = _hint(suppressed, placer.outside)
        return review

    def _demand_known(self, found: Sequence[Finding], status: int, report: ToolReport, root: Path) -> None:
        """Refuse results none of which is in a file that is there, as of a tool that runs in a container.

        Raises:
            ToolError: If the tool failed for nothing but such results.
        """
        if report.suppressed or any(os.path.lexists(root / finding.file) for finding in found):
            return
        path = next((result.spot.path for result in report.results if result.spot.path is not None), "")
        raise ToolError(
            f"{self.name} ended with status {status}, and no file that it names is there, such as {display_path(path)}",
            hint="have it print paths from the top level of the repository, or turn them into such: "
            "sh -c '… | sed s#^/app/##'",
        )

    def _may_run(self, context: ReviewContext) -> bool:
        return context.config.may_run(f"command.{self.name}")

    def _grade(self, reported: Reported) -> tuple[Severity, Category]:
        """Apply the table's severities; a security score outweighs a word."""
        category = Category.SECURITY if reported.security else Category(self._table.get("category", Category.LOGIC))
        if reported.score is not None:
            return next(severity for score, severity in _SCORES if reported.score >= score), category
        word = (reported.level or "").strip().lower()
        return self._severities.get(word, self._severities.get("default", Severity.MEDIUM)), category

    def _program(self, root: Path | None) -> Path | None:
        """Find the executable: a path with a folder counts from the top level, a name is looked up on PATH."""
        given = self._table["run"][0]
        if Path(given).name == given:
            return find_on_path(given)
        return Path(given) if root is None or Path(given).is_absolute() else root / given

    def _command_lines(self, program: Path, files: Sequence[ChangedFile]) -> Iterator[list[str]]:
        from selfreview.programs import as_argument, batches

        rest = self._table["run"][1:]
        if FILES not in rest:
            yield [str(program), *rest]
            return
        at = rest.index(FILES)
        before, after = [str(program), *rest[:at]], rest[at + 1 :]
        for batch in batches((as_argument(file.path) for file in files), used=(*before, *after)):
            yield [*before, *batch, *after]

    def _run(self, argv: list[str], root: Path, context: ReviewContext) -> tuple[ToolReport, int]:
        allowed = self._table.get("ok_exit_codes")
        done = context.run(argv, cwd=root, ok=_OK_STATUSES if allowed is None else allowed, timeout=self.timeout)
        pattern = self._table["format"] == "pattern"
        report = self._parse(done.stdout + (b"\n" + done.stderr if pattern else b""))
        unread = pattern and bool(done.stdout.strip() or done.stderr.strip())  # it may be why the tool failed
        if done.returncode and not report.results and not report.suppressed and (unread or allowed is None):
            key = f"command.{self.name}"
            hint = f"no line of what it printed matches {key}.pattern"
            if allowed is None:
                hint = f"if that status means that it found nothing, list it in {key}.ok_exit_codes"
            printed = " ".join((done.stderr or done.stdout).decode("utf-8", "replace").split())[-300:]
            raise ToolError(
                f"{self.name} ended with status {done.returncode} and reported nothing" + (printed and f": {printed}"),
                hint=hint,
            )
        return report, done.returncode

    def _parse(self, output: bytes) -> ToolReport:
        kind = self._table["format"]
        if kind == "sarif":
            from selfreview.reviewers.command import sarif

            return sarif.parse(output, self.name)
        if kind == "pattern":
            return parse_pattern(output, self.name, re.compile(self._table["pattern"]))
        parse = parse_rdjsonl if kind == "rdjsonl" else parse_rdjson
        return parse(output, self.name)


def _outside(paths: Iterable[str]) -> str:
    return f"results in files outside of the tree are left out, such as {display_path(next(iter(paths)))}"


def _hint(suppressed: int, outside: Mapping[str, None]) -> str | None:
    parts = []
    if suppressed:
        results = "1 result is" if suppressed == 1 else f"{suppressed} results are"
        parts.append(f"{results} suppressed in the code and left out")
    if outside:
        parts.append(_outside(outside))
    return "; ".join(parts) or None


def _cache_key(table: Mapping[str, Any], program: Path | None, context: ReviewContext) -> bytes | None:
    """Digest the table, the executable and every file that ``inputs`` names.

    Returns:
        None where the program is missing, and where one of them cannot be read for what it is: a link, a pipe, a file
        that is not there any more.
    """
    if program is None:
        return None
    import json

    patterns = table["inputs"]
    root = context.tree()
    try:
        parts: list[str | bytes] = [json.dumps(dict(table), sort_keys=True), program_key(root / program)]
        for path in sorted({path for pattern in patterns for path in root.glob(pattern)}):
            mode = path.lstat().st_mode
            if stat.S_ISREG(mode):
                parts += [path.relative_to(root).as_posix(), path.read_bytes()]
            elif not stat.S_ISDIR(mode):
                return None
    except (OSError, NotImplementedError, ValueError):  # the latter two: a pattern that leads out of the tree
        return None
    return digest(parts)


def matcher(patterns: Iterable[str]) -> Callable[[str], bool]:
    """Return a function that matches a repository-relative path against patterns.

    ``*`` and ``?`` stay within a name, ``**`` spans folders. A pattern without a slash matches a name in any folder;
    one with a slash counts from the top level.

    Raises:
        ConfigError: If a pattern cannot be understood.
    """
    compiled = [_compile(pattern) for pattern in patterns]
    return lambda path: any(regex.fullmatch(path) for regex in compiled)


def _compile(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(_translate(pattern))
    except re.error as error:
        hint = "a range of characters goes from the lower one to the higher one: [a-z]"
        raise ConfigError(f"file pattern {pattern!r} cannot be understood: {error.msg}", hint=hint) from error


def _translate(pattern: str) -> str:
    parts = pattern.removeprefix("./").removeprefix("/").split("/")
    if "/" not in pattern:
        parts.insert(0, "**")
    if parts[-1] == "":
        parts[-1] = "**"
    regex = ""
    for position, part in enumerate(parts):
        last = position == len(parts) - 1
        if part == "**":
            regex += r"(?s:.+)" if last else r"(?:[^/]+/)*"
        else:
            regex += _translate_name(part) + ("" if last else "/")
    return regex


def _translate_name(name: str) -> str:
    regex, i = "", 0
    while i < len(name):
        char = name[i]
        end = name.find("]", i + 2) if char == "[" else -1
        if char == "*":
            regex += r"[^/]*"
        elif char == "?":
            regex += r"[^/]"
        elif end > 0:
            inside = name[i + 1 : end].replace("\\", r"\\").replace("[", r"\[").replace("^", r"\^")
            negated = "^/" if inside.startswith("!") else ""
            regex += f"[{negated}{inside.removeprefix('!')}]"
            i = end
        else:
            regex += re.escape(char)
        i += 1
    return regex


_GROUPS = ("file", "line", "end_line", "column", "severity", "code", "rule", "message")
"""Named groups that mean something; ``file`` is required, ``code`` and ``rule`` are the same."""

_MAX_DIGITS = 9


def parse_pattern(data: bytes, tool: str, pattern: re.Pattern[str]) -> ToolReport:
    """Read every line that the pattern matches somewhere; other lines are passed over.

    Args:
        data: What the tool printed.
        tool: Its name, for messages.
        pattern: With named groups of :data:`GROUPS`.

    Raises:
        ToolError: If a number that was matched is none.
    """
    matches = (pattern.search(line.rstrip("\r")) for line in data.decode("utf-8", "surrogateescape").split("\n"))
    return ToolReport(results=[_matched(match, tool) for match in matches if match])


def _matched(match: re.Match[str], tool: str) -> Reported:
    groups = {name: value for name, value in match.groupdict().items() if value is not None}
    line = _number(groups, "line", tool)
    span = Span(
        line=line, column=_number(groups, "column", tool), end_line=max(_number(groups, "end_line", tool), line)
    )
    return Reported(
        message=groups.get("message", match.string).strip() or match.string.strip() or "no message",
        spot=Spot(groups.get("file"), span),
        level=groups.get("severity"),
        rule=groups.get("code") or groups.get("rule"),
    )


def _number(groups: dict[str, str], name: str, tool: str) -> int:
    text = groups.get(name, "").strip()
    if not text:
        return 0
    if not (text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS):
        raise ToolError(f"the pattern of {tool} takes {text[:40]!r} for a {name} number")
    return int(text)


_Number = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
_LEVELS = ("UNKNOWN_SEVERITY", "ERROR", "WARNING", "INFO")


class _Position(msgspec.Struct, frozen=True):
    """Both count from 1; the column in bytes of UTF-8."""

    line: _Number | None = None
    column: _Number | None = None


class _Range(msgspec.Struct, frozen=True):
    """From ``start`` to before ``end``; whole lines where no column is given."""

    start: _Position | None = None
    end: _Position | None = None

    @property
    def span(self) -> Span:
        """The range in the common form of tools' results."""
        start, end = self.start or _Position(), self.end or _Position()
        line = start.line or 0
        return Span(
            line=line,
            column=start.column or 0,
            end_line=max(end.line or line, line),
            end_column=end.column or 0,
        )


class _Location(msgspec.Struct, frozen=True):
    """A place."""

    path: str | None = None
    range: _Range | None = None


class _Code(msgspec.Struct, frozen=True):
    """A rule id."""

    value: str | None = None


class _Suggestion(msgspec.Struct, frozen=True):
    """One replacement."""

    range: _Range
    text: str = ""


class _Related(msgspec.Struct, frozen=True):
    """Another place."""

    location: _Location
    message: str | None = None


class _Diagnostic(msgspec.Struct, frozen=True):
    """One diagnostic."""

    message: str
    location: _Location | None = None
    severity: str | int | None = None
    code: _Code | None = None
    suggestions: list[_Suggestion] | None = None
    related_locations: list[_Related] | None = None
    relatedLocations: list[_Related] | None = None  # noqa: N815 - the format allows both spellings


class Document(msgspec.Struct, frozen=True):
    """A whole report."""

    diagnostics: list[_Diagnostic]
    severity: str | int | None = None


def parse_rdjson(data: bytes, tool: str) -> ToolReport:
    """Read one ``rdjson`` document.

    Args:
        data: What the tool printed.
        tool: Its name, for messages.

    Raises:
        ToolError: If it is not one whole document.
    """
    document = decode_json(decode_text(data, tool), Document, tool)
    return ToolReport(results=[_result(d, document.severity) for d in document.diagnostics], unit="byte")


def parse_rdjsonl(data: bytes, tool: str) -> ToolReport:
    """Read ``rdjsonl``: one diagnostic a line; nothing at all is an empty report.

    Raises:
        ToolError: If a line is not a whole diagnostic.
    """
    lines = [line for line in decode_text(data, tool).split("\n") if line.strip()]
    return ToolReport(results=[_result(decode_json(line, _Diagnostic, tool), None) for line in lines], unit="byte")


def _result(diagnostic: _Diagnostic, default: str | int | None) -> Reported:
    suggestions = diagnostic.suggestions or []
    related = diagnostic.related_locations or diagnostic.relatedLocations or []
    return Reported(
        message=diagnostic.message.strip() or "no message",
        spot=_spot(diagnostic.location, None),
        level=_level(diagnostic.severity) or _level(default),
        rule=diagnostic.code.value if diagnostic.code and diagnostic.code.value else None,
        related=tuple(_spot(r.location, r.message) for r in related if r.location.path),
        changes=(Change(suggestions[0].range.span, suggestions[0].text),) if len(suggestions) == 1 else (),
    )


def _spot(location: _Location | None, note: str | None) -> Spot:
    if location is None or not location.path:
        return Spot(note=note)
    return Spot(location.path, location.range.span if location.range else Span(), note)


def _level(value: str | int | None) -> str | None:
    if isinstance(value, int):
        value = _LEVELS[value] if 0 <= value < len(_LEVELS) else None
    return None if value in (None, "", _LEVELS[0]) else value
