"""Settings by which a change would have a tool read files of the machine that later gates run on."""

from __future__ import annotations

from collections.abc import Iterator

from selfreview.api import Category, ChangedFile, FileStatus, Finding, ReviewContext, Severity, Side
from selfreview.model.wire import display_path
from selfreview.reviewers._gate_marks import is_too_large
from selfreview.reviewers._toml_settings import extends_outside


def far_settings(context: ReviewContext) -> Iterator[Finding]:
    """Yield a finding for every file of ruff's settings that extends one outside of the repository, and did not before.

    Any file may hold such settings, for others may extend it; those that are not named ``.toml`` are not looked at,
    and do no harm, for a gate refuses what they extend.
    """
    for file in context.change.files:
        if file.path.endswith(".toml") and file.status is not FileStatus.DELETED and not is_too_large(file):
            target = _target(file, context, Side.NEW)
            if target is not None and target != _target(file, context, Side.OLD):
                yield Finding(
                    file=file.path,
                    line_start=0,
                    severity=Severity.CRITICAL,
                    category=Category.SECURITY,
                    description=f"The change has ruff's settings extend {display_path(target)}, which is no file of "
                    "the repository: no later gate would use them.",
                    suggested_fix="Extend a file of the repository.",
                    rule="outside-settings",
                )


def _target(file: ChangedFile, context: ReviewContext, side: Side) -> str | None:
    path = file.path if side is Side.NEW else file.path_at_base
    data = context.read_paths([path], side).get(path)
    return None if data is None else extends_outside(path, data.replace(b"\0", b""))
