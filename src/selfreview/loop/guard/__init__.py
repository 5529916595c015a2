"""placeholder"""
from __future__ import annotations
import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from selfreview.api import Change, ConfigView, Issue
from selfreview.git.entry import Entry
class Edited(NamedTuple):
    path: str
    old: Entry | None
    new: Entry | None
class Rejection(NamedTuple):
    path: str
    rule: str
    reason: str
@dataclasses.dataclass(frozen=True)
class Bounds:
    change: Change
    issues: Sequence[Issue]
    config: ConfigView
    reasons: Mapping[str, str] = dataclasses.field(default_factory=dict)
def examine(edits: Sequence[Edited], bounds: Bounds) -> list[Rejection]:
    return []
def surroundings(common_dir: Path) -> bytes:
    return b""
