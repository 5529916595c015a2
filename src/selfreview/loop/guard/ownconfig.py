"""Configuration that decides how the change is reviewed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from selfreview.loop.guard.gitfolder import plain_path
from selfreview.loop.guard.model import Rejection
from selfreview.loop.guard.patch import Patch, text_of
from selfreview.loop.guard.tables import Table, read_toml

_OWN = re.compile(
    r"(?:.*/)?(?:\.?selfreview\.(?:toml|lock)|selfreview_conf\.py|\.selfreview/.*|\.?selfreview[-_.]baseline[^/]*"
    r"|\.selfreviewignore|\.gitattributes)",
    re.IGNORECASE | re.DOTALL,
)


def own_configuration(patch: Patch) -> Iterator[Rejection]:
    """Reject edits of selfreview's configuration, plugins and baseline, and of what takes files out of a review."""
    for edit in patch.edits:
        name = plain_path(edit.path).rpartition("/")[2].casefold()
        shared = name == "pyproject.toml" and _own(text_of(edit.old)) != _own(text_of(edit.new))
        if shared or _OWN.fullmatch(plain_path(edit.path)) or edit.path == patch.bounds.config["baseline"]:
            reason = "Fix the code, not the way it is reviewed: leave selfreview's configuration as it is."
            yield Rejection(edit.path, "own-configuration", reason)


def _own(text: str) -> Table:
    """Return selfreview's tables of a ``pyproject.toml``; none where it cannot be read, which others look at."""
    tool = (read_toml(text) or {}).get("tool")
    return (
        {name: value for name, value in tool.items() if name.startswith("selfreview")} if isinstance(tool, dict) else {}
    )
