"""Required checks and reviewers that can never run in a gate like this one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from selfreview.api import ConfigView, Registry, Reviewer, capabilities
from selfreview.refine.checks import configured

_HEAD_CODE = "it would run code of the change, which needs --allow-head-code"


def unmet(config: ConfigView, reviewers: Registry[Reviewer], *, head_code: bool) -> Mapping[str, str]:
    """Return why required checks and reviewers cannot run, by a name for a person.

    Args:
        config: The configuration.
        reviewers: All that there are.
        head_code: Whether commands may run code of the change.
    """
    return dict(_unmet(config, reviewers, head_code))


def _unmet(config: ConfigView, reviewers: Registry[Reviewer], head_code: bool) -> Iterator[tuple[str, str]]:
    commands = config.table("command")
    if not head_code:
        yield from ((f"the check {check.name}", _HEAD_CODE) for check in configured(config) if check.insisted)
        yield from ((f"the reviewer {name}", _HEAD_CODE) for name, table in commands.items() if table.get("required"))
    for name in config["required_reviewers"]:
        if name in commands:
            continue
        why = capabilities.of_reviewer(reviewers.get(name)).why_unavailable()
        if why is not None:
            yield f"the reviewer {name}", why[0]
