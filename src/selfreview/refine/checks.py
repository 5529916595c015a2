"""A project's checks: what ``[checks]`` configures, and the issue that a check which fails is."""

from __future__ import annotations

import dataclasses
import re
import shlex
from pathlib import Path

from selfreview.api import Category, Change, CheckOutcome, ConfigView, Issue, Place, Severity, Side
from selfreview.model.change import overlaps
from selfreview.model.issue import CHECK_PREFIX
from selfreview.model.wire import base64_path
from selfreview.review.fingerprint import fingerprint_of, id_of

PREFIX = CHECK_PREFIX
"""Begins the name under which a check is listed among the reviewers."""
TIMEOUT_S = 600.0
"""Seconds that a check may take by default."""

Command = str | tuple[str, ...]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Check:
    """One check.

    Attributes:
        name: As configured.
        run: A command line as a person types it, or a program and its arguments.
        timeout: Seconds.
        required: Whether the result is incomplete where it cannot run.
        explicitly_required: Whether it is incomplete also where it may not run: only where the configuration says
            ``required``, or every fresh clone would be.
        files: Patterns in the manner of ``.gitignore``; it runs only where a changed file matches one.
    """

    name: str
    run: Command
    timeout: float = TIMEOUT_S
    required: bool = True
    explicitly_required: bool = False
    files: tuple[str, ...] = ("**",)

    @property
    def words(self) -> str:
        """The command for a person."""
        return words_of(self.run)

    def concerns(self, change: Change) -> bool:
        """Return whether the check runs for a change."""
        from pathspec import GitIgnoreSpec

        spec = GitIgnoreSpec.from_lines(self.files)
        return any(spec.match_file(path) for file in change.files for path in (file.path, file.path_at_base))


def configured_checks(config: ConfigView) -> list[Check]:
    """Return the checks of ``[checks]``, in the order of the configuration, trusted or not."""
    checks = []
    for name, value in config.table("checks").items():
        table = value if isinstance(value, dict) else {"run": value}
        run = table["run"]
        checks.append(
            Check(
                name=name,
                run=run if isinstance(run, str) else tuple(run),
                timeout=float(table.get("timeout", TIMEOUT_S)),
                required=bool(table.get("required", True)),
                explicitly_required=bool(table.get("required", False)),
                files=tuple(table.get("files", ("**",))),
            )
        )
    return checks


def is_trusted(check: Check, config: ConfigView) -> bool:
    """Return whether a check may run, and the workspace that it runs in may be set up."""
    return config.may_run(f"checks.{check.name}") and config.may_run("workspace")


def words_of(run: Command) -> str:
    """Return a command for a person."""
    return run if isinstance(run, str) else shlex.join(run)


_MAX_PLACES = 5
_PLACE = re.compile(r"""(?:^|[\s"'(\[])([^\s"'():\[\]]+\.\w+)(?::|", line |\()(\d{1,7})\b""", re.MULTILINE)
"""``app.py:3``, ``"app.py", line 3``, ``app.ts(3,1)``."""


def issue_of(
    check: Check,
    outcome: CheckOutcome,
    config: ConfigView,
    change: Change,
    *,
    first: Change | None = None,
    reason: str | None = None,
) -> Issue:
    """Return the issue that a check which fails is.

    It is about the file that declares the check, as a whole; where the output names changed lines, these are related.
    Its identity is the check's name and command, whatever it prints. The reason becomes its ``status_reason``. A change
    that a fix took back has no file: then it is about one of the change before the fix, ``first``.
    """
    fingerprint = fingerprint_of(f"check\0{check.name}\0{check.words}")
    related = _places(outcome.output, change)
    files = [place.file for place in related] + [
        file.path for now in (change, first) if now is not None for file in now.files
    ]
    path = _declared_in(check, config) or files[0]
    return Issue(
        id=id_of(fingerprint),
        severity=Severity.HIGH,
        category=Category.TESTING,
        file=path,
        path_bytes=base64_path(path),
        line_start=0,
        line_end=0,
        side=Side.NEW,
        description=f"check {check.name} failed: {check.words}\n{outcome.output}".rstrip(),
        suggested_fix="Make it pass without weakening it.",
        reviewer=PREFIX + check.name,
        rule=check.name,
        fingerprint=fingerprint,
        related=related,
        status_reason=reason,
    )


def _declared_in(check: Check, config: ConfigView) -> str | None:
    """Return the file of the repository that declares a check, or None: it may be the person's own."""
    last = config.origin(f"checks.{check.name}").rpartition(", ")[2]
    file, colon, line = last.rpartition(":")
    if config.root is None or not colon or not line.isdigit():
        return None
    path = config.root / file
    inside = path.is_relative_to(config.root) and ".git" not in path.relative_to(config.root).parts
    return path.relative_to(config.root).as_posix() if inside else None


def _places(output: str, change: Change) -> list[Place]:
    """Return the changed lines that an output names, the last ones first: tools report failures at the end."""
    added = {file.path: file.added for file in change.files}
    found: dict[tuple[str, int], None] = {}
    for match in _PLACE.finditer(output):
        path, line = Path(match[1]).as_posix(), int(match[2])
        if overlaps(added.get(path, ()), line, line):
            found.pop((path, line), None)
            found[path, line] = None
    latest = list(reversed(found))[:_MAX_PLACES]
    return [Place(file=path, line_start=line, line_end=line, note="named by the check") for path, line in latest]


_GIST_LINES, _GIST = 3, 300
"""Maximum of what a sentence quotes of an output: lines, and characters."""


def gist(text: str) -> str:
    """Return the end of an output, in one line: tools print their outcome last."""
    lines = [line.strip() for line in text.split("\n") if line.strip()][-_GIST_LINES:]
    line = " | ".join(lines)
    return line if len(line) <= _GIST else f"…{line[1 - _GIST :]}"
