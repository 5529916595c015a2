"""What a plugin author implements and is given; see :mod:`selfreview.hookspecs` for when.

>>> from selfreview.api import hookimpl, Finding, Review, Severity, Category
"""

from __future__ import annotations

import pluggy

from selfreview.api.agent import Agent, AgentAnswer
from selfreview.api.config import ConfigView, Key, OptionParser
from selfreview.api.context import DiffLine, Hunk, ReviewContext, SourceText, WordHit
from selfreview.api.fixer import Attempt, CheckOutcome, Document, Fix, FixContext, Fixer, FixRequest
from selfreview.api.registry import Registry
from selfreview.api.reporter import Reporter, TerminalWriter
from selfreview.api.reviewer import Estimate, Review, Reviewer
from selfreview.model.change import Change, ChangedFile, FileStatus, LineRange, Scope
from selfreview.model.issue import Category, Edit, Finding, Issue, IssueStatus, Place, Severity, Side
from selfreview.model.refinement import FixAnswer, FixOutcome, Refinement
from selfreview.model.result import Depth, KeptPatch, Result, ReviewerStatus, Verdict
from selfreview.model.session import Session, SessionState
from selfreview.model.usage import Usage

PROJECT_NAME = "selfreview"

hookimpl = pluggy.HookimplMarker(PROJECT_NAME)

__all__ = [
    "PROJECT_NAME",
    "Agent",
    "AgentAnswer",
    "Attempt",
    "Category",
    "Change",
    "ChangedFile",
    "CheckOutcome",
    "ConfigView",
    "Depth",
    "DiffLine",
    "Document",
    "Edit",
    "Estimate",
    "FileStatus",
    "Finding",
    "Fix",
    "FixAnswer",
    "FixContext",
    "FixOutcome",
    "FixRequest",
    "Fixer",
    "Hunk",
    "Issue",
    "IssueStatus",
    "KeptPatch",
    "Key",
    "LineRange",
    "OptionParser",
    "Place",
    "Refinement",
    "Registry",
    "Reporter",
    "Result",
    "Review",
    "ReviewContext",
    "Reviewer",
    "ReviewerStatus",
    "Scope",
    "Session",
    "SessionState",
    "Severity",
    "Side",
    "SourceText",
    "TerminalWriter",
    "Usage",
    "Verdict",
    "WordHit",
    "hookimpl",
]
