"""A plugin for tests of refinement: lines with a mark are issues, and what observers are told is written down."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from selfreview.api import (
    Category,
    ChangedFile,
    ConfigView,
    Depth,
    Finding,
    Fix,
    FixContext,
    Fixer,
    FixRequest,
    Issue,
    Registry,
    Review,
    ReviewContext,
    Reviewer,
    Severity,
    Usage,
    hookimpl,
)

_MARK = re.compile(r"(BUG|NIT)-([\w-]+)")


class Marks:
    """Reports ``BUG-name`` as high and ``NIT-name`` as low."""

    name = "marks"
    depth = Depth.TEXT
    default = True

    def selects(self, file: ChangedFile) -> bool:
        return not (file.is_symlink or file.is_submodule)

    def cache_key(self, context: ReviewContext) -> bytes | None:
        return b"marks"

    def review(self, files: Sequence[ChangedFile], context: ReviewContext) -> Review:
        findings = [finding for file in files for finding in self._found(file, context)]
        if "MARKS_WAIT" in os.environ and "one" not in [finding.rule for finding in findings]:
            program = "import pathlib, sys, time; pathlib.Path(sys.argv[1]).touch(); time.sleep(600)"
            context.run([sys.executable, "-c", program, os.environ["MARKS_WAIT"]], cwd=context.workspace())
        if "MARKS_EDIT" in os.environ:  # the person goes on meanwhile
            edited = Path(os.environ["MARKS_EDIT"])
            edited.write_bytes(edited.read_bytes().replace(b"LAX = True\n", b""))
        return Review(findings=findings, usage=Usage(requests=1))

    @staticmethod
    def _found(file: ChangedFile, context: ReviewContext) -> Iterator[Finding]:
        source = context.text(file)
        for number, line in enumerate(source.lines if source is not None else (), 1):
            for match in _MARK.finditer(line):
                yield Finding(
                    file=file.path,
                    line_start=number,
                    line_end=number,
                    severity=Severity.HIGH if match[1] == "BUG" else Severity.LOW,
                    category=Category.LOGIC,
                    description=f"{match[2]} is wrong",
                    rule=match[2],
                )


class Crasher:
    """A fixer with a defect: it fails after it has written."""

    name = "crasher"
    is_mechanical = False

    def takes(self, issue: Issue, config: ConfigView) -> bool:
        return True

    def fix(self, request: FixRequest, context: FixContext) -> Fix:
        (context.root / "app.py").write_text("half of it")
        raise ZeroDivisionError("a defect")


@hookimpl
def selfreview_register_reviewers(registry: Registry[Reviewer]) -> None:
    registry.add(Marks())


@hookimpl
def selfreview_register_fixers(registry: Registry[Fixer]) -> None:
    registry.add(Crasher())


@hookimpl
def selfreview_state_changed(session: Any, previous: Any, new: Any) -> None:
    _write(hook="state", previous=previous.value, new=new.value, iteration=session.iteration)


@hookimpl
def selfreview_refinement_completed(session: Any, refinement: Any) -> None:
    _write(hook="refined", addressed=len(refinement.addressed_issue_ids), left=len(refinement.unaddressed_issue_ids))


@hookimpl
def selfreview_ready_for_human(session: Any, summary: str) -> None:
    _write(hook="ready", summary=summary)


@hookimpl
def selfreview_before_apply() -> str | None:
    why = os.environ.get("MARKS_FORBID")
    if why == "raise":
        raise RuntimeError(why)
    if why == "break the index":
        Path(".git/index").write_bytes(b"?")
        return None
    return why


@hookimpl
def selfreview_should_stop() -> str | None:
    return os.environ.get("MARKS_STOP")


def _write(**said: Any) -> None:
    if "MARKS_TOLD" in os.environ:
        with Path(os.environ["MARKS_TOLD"]).open("a") as stream:
            stream.write(json.dumps(said) + "\n")
