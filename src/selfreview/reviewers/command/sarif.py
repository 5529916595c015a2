"""SARIF 2.1.0 as results, whoever wrote it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from urllib.parse import unquote_to_bytes

from selfreview.errors import ToolError
from selfreview.reviewers.command import sarif_types as sarif
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
    log = decode_json(decode_text(data, tool), sarif.Log, tool)
    if not log.version.startswith("2."):
        raise ToolError(f"{tool} printed SARIF version {log.version!r}, and 2.1.0 is understood")
    if not log.runs:
        raise ToolError(f"{tool} printed a SARIF log without a run")
    kinds = {run.column_kind for run in log.runs}
    report = ToolReport(unit="codepoint" if kinds == {"unicodeCodePoints"} else "utf16")
    for run in log.runs:
        _read_run(run, report, tool)
    return report


def _read_run(run: sarif.Run, report: ToolReport, tool: str) -> None:
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


def _unread(invocation: sarif.Invocation, artifacts: Artifacts, tool: str) -> dict[str, str]:
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


def _result(result: sarif.Result, run: sarif.Run, artifacts: Artifacts) -> Reported:
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


def _spots(locations: list[sarif.Location] | None, artifacts: Artifacts) -> list[Spot]:
    return [artifacts.spot(location) for location in locations or ()]


def _rule(result: sarif.Result, run: sarif.Run) -> sarif.Rule | None:
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


def _level(result: sarif.Result, rule: sarif.Rule | None) -> str:
    if result.level:
        return result.level
    if result.kind not in (None, "fail"):
        return "none"
    configured = rule.default_configuration.level if rule and rule.default_configuration else None
    return configured or "warning"


def _message(result: sarif.Result, rule: sarif.Rule | None) -> str:
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


def _described(result: sarif.Result, rule: sarif.Rule) -> str | None:
    """Return the message that a result names by its id, or else what the rule is about."""
    known = (rule.message_strings or {}).get(result.message.id or "")
    described = known or rule.short_description or rule.full_description
    return (described.text if described else None) or rule.name


def _changes(fix: sarif.Fix, path: str | None, artifacts: Artifacts) -> Iterator[Change]:
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

    def __init__(self, run: sarif.Run) -> None:
        self._artifacts = run.artifacts or []
        self._bases = run.original_uri_base_ids or {}

    def spot(self, location: sarif.Location) -> Spot:
        """Return a location's file and region."""
        physical = location.physical_location
        note = location.message.text if location.message else None
        if physical is None:
            return Spot(note=note)
        span = physical.region.span if physical.region else Span()
        return Spot(self.path(physical.artifact_location), span, note)

    def path(self, location: sarif.ArtifactLocation | None) -> str | None:
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
