"""Fixers that do what they are told, and a refiner of them on a real workspace."""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from selfreview.api import ConfigView, Fix, FixAnswer, FixContext, Fixer, FixOutcome, FixRequest, Issue
from selfreview.git.workspace import Workspace
from selfreview.model.usage import Usage
from selfreview.refine.call_fixer import FixerContext
from selfreview.refine.fixing import GitPlaces, Materials, Refiner
from selfreview.testing.context import MemoryConfig, make_change

Deed = Callable[[Path, FixRequest], Fix | None] | Mapping[str, str | None] | None
CONFIG = {"fixer_timeout": 30.0, "baseline": "b.json", "exclude": [], "max_file_bytes": 2_000_000, "tests": "hold"}


@dataclasses.dataclass
class Scripted:
    """A fixer that does one deed a call: files to write (None removes one), or a function; None writes nothing.

    Attributes:
        rules: Rules of the issues that it takes; None takes all.
        requests: What it was given.
        fix: What it says besides.
    """

    name: str
    deeds: Iterable[Deed] = ()
    is_mechanical: bool = False
    rules: frozenset[str] | None = None
    fix_fields: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    requests: list[FixRequest] = dataclasses.field(default_factory=list)
    deadlines: list[float] = dataclasses.field(default_factory=list)

    def __post_init__(self) -> None:
        self._left = deque(self.deeds)

    @property
    def given(self) -> list[list[str]]:
        """The ids of the issues of each call."""
        return [[issue.id for issue in request.issues] for request in self.requests]

    def takes(self, issue: Issue, config: ConfigView) -> bool:
        return issue.rule in self.rules if self.rules is not None else issue.rule != "nobody's"

    def fix(self, request: FixRequest, context: FixContext) -> Fix:
        self.requests.append(request)
        self.deadlines.append(cast(Any, context).deadline)
        deed = self._left.popleft()
        fix: Fix | None = None
        if callable(deed):
            fix = deed(context.root, request)
        else:
            for path, text in (deed or {}).items():
                if text is None:
                    (context.root / path).unlink()
                else:
                    (context.root / path).parent.mkdir(parents=True, exist_ok=True)
                    (context.root / path).write_bytes(text.encode())
        answers = [FixAnswer(issue=i.id, outcome=FixOutcome.ADDRESSED, why="done") for i in request.issues]
        return fix or Fix(answers=answers, **self.fix_fields)


def replace(path: str, old: str, new: str) -> Deed:
    """Return the deed of replacing text that must be there."""

    def deed(root: Path, _: FixRequest) -> None:
        data = (root / path).read_bytes()
        assert old.encode() in data, (path, old, data)
        (root / path).write_bytes(data.replace(old.encode(), new.encode()))

    return deed


@dataclasses.dataclass
class Host:
    """Host of fixers that keeps what it is notified of."""

    root: Path
    crashes: list[str] = dataclasses.field(default_factory=list)
    watched: list[tuple[str, int]] = dataclasses.field(default_factory=list)
    spent: Usage = dataclasses.field(default_factory=Usage)

    def context(self, deadline: float) -> FixerContext:
        return cast(FixerContext, SimpleNamespace(root=self.root, deadline=deadline, stop=lambda: None))

    def began(self, fixer: str, issues: int) -> None:
        self.watched.append((fixer, issues))

    def spend(self, usage: Usage) -> None:
        self.spent.add(usage)

    def crashed(self, part: str, error: BaseException) -> str:
        self.crashes.append(f"{part}: {error!r}")
        return "the report"


def refiner_of(
    workspace: Workspace,
    *fixers: Scripted,
    files: Sequence[str] = ("app.py",),
    outside: Sequence[Path] = (),
    config: Mapping[str, Any] = CONFIG,
    hooks: Sequence[str] = (),
) -> tuple[Refiner, Host]:
    """Return a refiner of a workspace whose change is all of some files."""
    host = Host(workspace.root)
    sides: dict[str, tuple[None, bytes]] = {}
    for path in files:
        there = workspace.read(path)
        assert there is not None
        sides[path] = (None, there.data)

    materials, git = Materials(change=make_change(sides)), GitPlaces(outside, hooks)
    refiner = Refiner(workspace, cast(Sequence[Fixer], fixers), MemoryConfig(config), materials, git=git, host=host)
    return refiner, host
