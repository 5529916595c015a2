"""placeholder"""
from __future__ import annotations
import dataclasses
from selfreview.api import Change, CheckOutcome, ConfigView, Issue
@dataclasses.dataclass(frozen=True)
class Check:
    name: str
    run: str
    timeout: float = 1
    required: bool = True
def configured(config: ConfigView) -> list[Check]:
    return []
def is_trusted(check: Check, config: ConfigView) -> bool:
    return True
def issue_of(check: Check, outcome: CheckOutcome, config: ConfigView, change: Change) -> Issue:
    raise NotImplementedError
class Checker:
    def __init__(self, workspace, root, config, runner): pass
    def run(self, check, deadline) -> CheckOutcome: raise NotImplementedError
