"""zizmor, where it is installed: security of GitHub Actions, without the network.

It reads workflows and actions, with the repository's ``zizmor.yml`` where it has one.
"""

from __future__ import annotations

from selfreview.api import Registry, Reviewer, hookimpl
from selfreview.reviewers.tools.reviewer import ToolOutput, ToolRecord, ToolReviewer


@hookimpl
def selfreview_register_reviewers(registry: Registry[Reviewer]) -> None:
    """Register the reviewer."""
    registry.add(ToolReviewer(RECORD))


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
    names=r"\.github/workflows/[^/]+\.ya?ml|(.*/)?action\.ya?ml",
    output=_output,
    settings=("zizmor.yml", "zizmor.yaml"),
    ok=(0, 1),
    takes_any_name=False,
)  # fmt: skip
