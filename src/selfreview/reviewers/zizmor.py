"""zizmor, where it is installed: security of GitHub Actions, without the network.

It reads workflows and actions, with the repository's ``zizmor.yml`` where it has one.
"""

from __future__ import annotations

import re

from selfreview.api import ChangedFile, FileStatus, Registry, Reviewer, hookimpl
from selfreview.reviewers.tools.reviewer import ToolOutput, ToolRecord, ToolReviewer

_NAMES = r"\.github/workflows/[^/]+\.ya?ml|(.*/)?action\.ya?ml"


@hookimpl
def selfreview_register_reviewers(registry: Registry[Reviewer]) -> None:
    """Register the reviewer."""
    registry.add(ToolReviewer(RECORD))


def _selects(file: ChangedFile) -> bool:
    named = re.fullmatch(_NAMES, file.path) is not None
    return named and file.status is not FileStatus.DELETED and not file.is_symlink


def _output() -> ToolOutput:
    from selfreview.reviewers.tools.zizmor_output import OUTPUT

    return OUTPUT


RECORD = ToolRecord(
    name="zizmor",
    package="zizmor",
    arguments=(
        "--offline", "--quiet", "--no-progress", "--color=never", "--no-exit-codes", "--strict-collection",
        "--format=json-v1", "--",
    ),
    selects=_selects,
    output=_output,
    settings=("zizmor.yml", "zizmor.yaml"),
    ok=(0, 1),
    takes_any_name=False,
)  # fmt: skip
