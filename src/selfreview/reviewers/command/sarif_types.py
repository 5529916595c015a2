"""Types of the part of SARIF 2.1.0 that is read; what is null or absent is None."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from selfreview.reviewers.tools.results import Span

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
