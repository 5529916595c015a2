"""SARIF 2.1.0 as results, whoever wrote it; of its types, the part that is read."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import Annotated, Any
from urllib.parse import unquote_to_bytes

import msgspec

from selfreview.errors import ToolError
from selfreview.reviewers.tools.results import Change, Reported, Span, Spot, ToolReport, decode_json, decode_text

_IGNORED_KINDS = frozenset({"pass", "notApplicable"})
_PLACEHOLDER = re.compile(r"\{(\d+)\}")
_LINK = re.compile(r"\[((?:[^\[\]\\]|\\.)*)\]\((?:[^()\s]*)\)")


def parse(data: bytes, tool: str) -> ToolReport:
    """Read a SARIF log, with all its runs.

    Results of the kinds ``pass`` and ``notApplicable`` and those that the baseline calls ``absent`` are no findings.
    Suppressed ones are counted.

    Args:
        data: What the tool printed.
        tool: Its name, for messages.

    Raises:
        ToolError: If it is not one whole log, holds no scan, or says that the tool failed.
    """
    log = decode_json(decode_text(data, tool), Log, tool)
    if not log.version.startswith("2."):
        raise ToolError(f"{tool} printed SARIF version {log.version!r}, and 2.1.0 is understood")
    if not log.runs:
        raise ToolError(f"{tool} printed a SARIF log without a run")
    kinds = {run.column_kind for run in log.runs}
    report = ToolReport(unit="codepoint" if kinds == {"unicodeCodePoints"} else "utf16")
    for run in log.runs:
        _read_run(run, report, tool)
    return report


def _read_run(run: Run, report: ToolReport, tool: str) -> None:
    artifacts = Artifacts(run)
    for invocation in run.invocations or ():
        report.unread |= _unread(invocation, artifacts, tool)
    if run.results is None:
        raise ToolError(f"{tool} printed a SARIF run without results")
    for result in run.results:
        if result.kind in _IGNORED_KINDS or result.baseline_state == "absent":
            continue
        if result.suppressed:
            report.suppressed += 1
        else:
            report.results.append(_result(result, run, artifacts))


def _unread(invocation: Invocation, artifacts: Artifacts, tool: str) -> dict[str, str]:
    """Return the files that a tool says it could not analyse, with the reason.

    Raises:
        ToolError: If it says that it failed.
    """
    notes = [note for note in invocation.notifications if note.level == "error"]
    if not invocation.execution_successful:
        reason = "; ".join(filter(None, (note.text for note in notes)))[:300]
        raise ToolError(f"{tool} says that it failed" + (f": {reason}" if reason else ""))
    places = ((artifacts.spot(location).path, note) for note in notes for location in note.locations or ())
    return {path: note.text or f"{tool} could not analyse it" for path, note in places if path is not None}


def _result(result: Result, run: Run, artifacts: Artifacts) -> Reported:
    rule = _rule(result, run)
    spots = _spots(result.locations, artifacts) or [Spot()]
    related = _spots(result.related_locations, artifacts)
    fix = result.fixes[0] if result.fixes and len(result.fixes) == 1 else None
    return Reported(
        message=_message(result, rule),
        spot=spots[0],
        level=_level(result, rule),
        score=rule.score if rule else None,
        security=rule is not None and rule.is_security,
        rule=result.named_rule or (rule.id if rule else None),
        related=tuple(spot for spot in (*spots[1:], *related) if spot.path is not None and spot.span.line),
        suggestion=fix.description.text if fix and fix.description else None,
        changes=tuple(_changes(fix, spots[0].path, artifacts)) if fix else (),
    )


def _spots(locations: list[Location] | None, artifacts: Artifacts) -> list[Spot]:
    return [artifacts.spot(location) for location in locations or ()]


def _rule(result: Result, run: Run) -> Rule | None:
    """Find the rule's metadata: by index, else by id, else by the id's parents (``a/b`` under ``a``)."""
    component = run.tool.driver
    index = result.rule_index
    if result.rule is not None:
        index = result.rule.index if index is None else index
        extension = result.rule.tool_component.index if result.rule.tool_component else None
        extensions = run.tool.extensions or []
        if extension is not None and 0 <= extension < len(extensions):
            component = extensions[extension]
    rules = component.rules or []
    if index is not None and 0 <= index < len(rules):
        return rules[index]
    name = result.named_rule
    while name:
        for known in rules:
            if known.id == name:
                return known
        name = name.rpartition("/")[0]
    return None


def _level(result: Result, rule: Rule | None) -> str:
    if result.level:
        return result.level
    if result.kind not in (None, "fail"):
        return "none"
    configured = rule.default_configuration.level if rule and rule.default_configuration else None
    return configured or "warning"


def _message(result: Result, rule: Rule | None) -> str:
    text = result.message.text or result.message.markdown
    if text is None and rule is not None:
        text = _described(result, rule)
    arguments = result.message.arguments or []

    def argument(match: re.Match[str]) -> str:
        number = int(match[1]) if len(match[1]) < 4 else len(arguments)
        return arguments[number] if number < len(arguments) else match[0]

    if arguments and text:
        text = _PLACEHOLDER.sub(argument, text)
    return _LINK.sub(r"\1", text or "").strip() or result.rule_id or "no message"


def _described(result: Result, rule: Rule) -> str | None:
    """Return the message that a result names by its id, or else what the rule is about."""
    known = (rule.message_strings or {}).get(result.message.id or "")
    described = known or rule.short_description or rule.full_description
    return (described.text if described else None) or rule.name


def _changes(fix: Fix, path: str | None, artifacts: Artifacts) -> Iterator[Change]:
    """Yield a fix's replacements where all are in the result's own file; a fix across files is not mechanical."""
    changes = fix.artifact_changes or []
    if any(artifacts.path(change.artifact_location) != path for change in changes):
        return
    for change in changes:
        for replacement in change.replacements or ():
            text = replacement.inserted_content.text if replacement.inserted_content else ""
            yield Change(replacement.deleted_region.span, text or "")


_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")  # two letters at least: a single one is a Windows drive
_DRIVE = re.compile(r"/[A-Za-z]:")
_MAX_BASES = 10


class Artifacts:
    """Resolves the locations of one run to paths as a tool would print them: relative to its folder, or absolute."""

    def __init__(self, run: Run) -> None:
        self._artifacts = run.artifacts or []
        self._bases = run.original_uri_base_ids or {}

    def spot(self, location: Location) -> Spot:
        """Return a location's file and region."""
        physical = location.physical_location
        note = location.message.text if location.message else None
        if physical is None:
            return Spot(note=note)
        span = physical.region.span if physical.region else Span()
        return Spot(self.path(physical.artifact_location), span, note)

    def path(self, location: ArtifactLocation | None) -> str | None:
        """Return the path, or None where none is named."""
        if location is None:
            return None
        index = location.index
        if location.uri is None and index is not None and 0 <= index < len(self._artifacts):
            location = self._artifacts[index].location or location
        if location.uri is None:
            return None
        return self._resolve(location.uri, location.uri_base_id, _MAX_BASES)

    def _resolve(self, uri: str, base_id: str | None, left: int) -> str:
        if _SCHEME.match(uri) or uri.startswith("/") or base_id is None or left == 0:
            return uri_to_path(uri)
        base = self._bases.get(base_id)
        if base is None or base.uri is None:  # such as %SRCROOT%, which stands for the top level
            return uri_to_path(uri)
        return posixpath.join(self._resolve(base.uri, base.uri_base_id, left - 1), uri_to_path(uri))


def uri_to_path(uri: str) -> str:
    """Return the path that a URI reference names; another scheme than ``file`` is returned as it is."""
    scheme = _SCHEME.match(uri)
    if scheme is None:
        return _unquote(uri)
    if scheme[0].lower() != "file:":
        return uri
    rest = uri[len("file:") :]
    if rest.startswith("//"):
        host, slash, tail = rest[2:].partition("/")
        rest = slash + tail if host in ("", "localhost") else f"//{host}{slash}{tail}"
    path = _unquote(rest)
    return path[1:] if _DRIVE.match(path) else path


def _unquote(text: str) -> str:
    return unquote_to_bytes(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogateescape")


Number = Annotated[int, msgspec.Meta(ge=-1, le=2**53)]


class _Node(msgspec.Struct, frozen=True, rename="camel"):
    """A SARIF object; keys that are not named are ignored."""


class Text(_Node, frozen=True):
    """A message or a piece of content."""

    text: str | None = None
    markdown: str | None = None
    id: str | None = None
    arguments: list[str] | None = None


class ArtifactLocation(_Node, frozen=True):
    """Location of a file."""

    uri: str | None = None
    uri_base_id: str | None = None
    index: Number | None = None


class Artifact(_Node, frozen=True):
    """A file of the run's table."""

    location: ArtifactLocation | None = None


class Region(_Node, frozen=True):
    """A part of a file."""

    start_line: Number | None = None
    start_column: Number | None = None
    end_line: Number | None = None
    end_column: Number | None = None
    char_offset: Number | None = None
    char_length: Number | None = None

    @property
    def span(self) -> Span:
        """The region in the common form of tools' results."""
        if not self.start_line or self.start_line < 1:
            offset = self.char_offset if self.char_offset is not None and self.char_offset >= 0 else None
            return Span(offset=offset, length=max(self.char_length or 0, 0))
        line = self.start_line
        return Span(
            line=line,
            column=max(self.start_column or 0, 0),
            end_line=max(self.end_line or line, line),
            end_column=max(self.end_column or 0, 0),
        )


class PhysicalLocation(_Node, frozen=True):
    """A place in a file."""

    artifact_location: ArtifactLocation | None = None
    region: Region | None = None


class Location(_Node, frozen=True):
    """A place, perhaps with a remark."""

    physical_location: PhysicalLocation | None = None
    message: Text | None = None


class Replacement(_Node, frozen=True):
    """One edit."""

    deleted_region: Region
    inserted_content: Text | None = None


class ArtifactChange(_Node, frozen=True):
    """The edits of one file."""

    artifact_location: ArtifactLocation
    replacements: list[Replacement] | None = None


class Fix(_Node, frozen=True):
    """A proposed repair."""

    description: Text | None = None
    artifact_changes: list[ArtifactChange] | None = None


class Suppression(_Node, frozen=True):
    """A reason why a result does not count."""

    status: str | None = None


class ComponentReference(_Node, frozen=True):
    """Reference to an extension of a tool."""

    index: Number | None = None


class RuleReference(_Node, frozen=True):
    """Reference to a rule."""

    id: str | None = None
    index: Number | None = None
    tool_component: ComponentReference | None = None


class Result(_Node, frozen=True):
    """One result."""

    message: Text
    rule_id: str | None = None
    rule_index: Number | None = None
    rule: RuleReference | None = None
    kind: str | None = None
    level: str | None = None
    baseline_state: str | None = None
    locations: list[Location] | None = None
    related_locations: list[Location] | None = None
    suppressions: list[Suppression] | None = None
    fixes: list[Fix] | None = None

    @property
    def named_rule(self) -> str | None:
        """The id of its rule, as far as the result itself names one."""
        return self.rule_id or (self.rule.id if self.rule else None)

    @property
    def suppressed(self) -> bool:
        """Return whether the result is suppressed, and every suppression accepted or without a status."""
        return bool(self.suppressions) and all(s.status in (None, "accepted") for s in self.suppressions or ())


class Configuration(_Node, frozen=True):
    """A rule's settings."""

    level: str | None = None


class Rule(_Node, frozen=True):
    """A rule's metadata."""

    id: str
    name: str | None = None
    short_description: Text | None = None
    full_description: Text | None = None
    message_strings: dict[str, Text] | None = None
    default_configuration: Configuration | None = None
    properties: dict[str, Any] | None = None

    @property
    def score(self) -> float | None:
        """GitHub's ``security-severity``: 0 to 10, or None."""
        try:
            value = float(str((self.properties or {})["security-severity"]))
        except (KeyError, ValueError):
            return None
        return value if 0 <= value <= 10 else None

    @property
    def is_security(self) -> bool:
        """Return whether the rule is about security."""
        tags = (self.properties or {}).get("tags")
        return self.score is not None or (isinstance(tags, list) and "security" in tags)


class Component(_Node, frozen=True):
    """A tool or its extension."""

    rules: list[Rule] | None = None


class Tool(_Node, frozen=True):
    """Tool that ran, with its extensions."""

    driver: Component
    extensions: list[Component] | None = None


class Notification(_Node, frozen=True):
    """Notification of the tool about its own run."""

    message: Text | None = None
    level: str | None = None
    locations: list[Location] | None = None

    @property
    def text(self) -> str | None:
        """The message in one line."""
        return " ".join(self.message.text.split()) if self.message and self.message.text else None


class Invocation(_Node, frozen=True):
    """One start of the tool."""

    execution_successful: bool
    tool_execution_notifications: list[Notification] | None = None
    tool_configuration_notifications: list[Notification] | None = None

    @property
    def notifications(self) -> list[Notification]:
        """Both kinds."""
        return [*(self.tool_execution_notifications or ()), *(self.tool_configuration_notifications or ())]


class Run(_Node, frozen=True):
    """One run of one tool."""

    tool: Tool
    results: list[Result] | None = None
    artifacts: list[Artifact] | None = None
    invocations: list[Invocation] | None = None
    original_uri_base_ids: dict[str, ArtifactLocation] | None = None
    column_kind: str | None = None


class Log(_Node, frozen=True):
    """A SARIF file."""

    version: str
    runs: list[Run]
