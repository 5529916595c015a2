"""Interfaces and types for authors of plugins; see :mod:`selfreview.hookspecs` for the hooks.

>>> from selfreview.api import hookimpl, Finding, Review, Severity, Category
"""

from __future__ import annotations

import pluggy

from selfreview.api.agent import Agent, AgentAnswer, AgentCommand, AgentTask
from selfreview.api.config import ConfigView, Key, OptionParser
from selfreview.api.context import CommittedLines, DiffLine, Hunk, Review, ReviewContext, SourceText, WordHit
from selfreview.api.fixer import Attempt, CheckOutcome, Document, Fix, FixContext, Fixer, FixRequest, Occasion
from selfreview.api.forge import (
    AnswersThreads,
    Comments,
    Connection,
    CreatesRequests,
    Detects,
    Forge,
    Labels,
    Location,
    RateLimit,
    ReadsFeedback,
    ReadsRateLimit,
    ReadsRequests,
    RequestsReviews,
    TakesForks,
    TellsLabelChanges,
    TellsWhereabouts,
    Whereabouts,
)
from selfreview.api.notifier import KeepsSecrets, Notifier, NotifyContext, channel_keys
from selfreview.api.registry import CommandRegistry, Registry
from selfreview.api.reporter import Reporter, TerminalWriter
from selfreview.api.reviewer import Estimate, Reviewer, RuleExample, RuleInfo
from selfreview.errors import (
    AwayError,
    BusyError,
    ExitCode,
    ForgeError,
    NotFoundError,
    NotifyError,
    RefusedError,
    SelfreviewError,
    TokenError,
    ToolError,
    UnsureError,
    UsageError,
)
from selfreview.model.change import Change, ChangedFile, FileStatus, LineRange, Scope
from selfreview.model.cycle import Analysis, Cycle, Judged, Meaning, Overall
from selfreview.model.feedback import (
    ChangeRequest,
    CheckState,
    Feedback,
    FeedbackItem,
    ItemKind,
    LabelChange,
    Marked,
    Opinion,
    Permission,
    Person,
    RemoteCheck,
    RequestState,
    Sighting,
    Spot,
    Thread,
)
from selfreview.model.issue import Category, Edit, Finding, Issue, IssueStatus, Place, Severity, Side
from selfreview.model.notice import Delivery, HistoryEntry, Notice, NoticeEvent
from selfreview.model.refinement import FixAnswer, FixOutcome, Refinement
from selfreview.model.result import Depth, KeptPatch, Result, ReviewerStatus, Verdict
from selfreview.model.session import Session, SessionState
from selfreview.model.usage import Outage, Usage
from selfreview.text.escape import visible

PROJECT_NAME = "selfreview"

hookimpl = pluggy.HookimplMarker(PROJECT_NAME)

__all__ = [
    "PROJECT_NAME",
    "Agent",
    "AgentAnswer",
    "AgentCommand",
    "AgentTask",
    "Analysis",
    "AnswersThreads",
    "Attempt",
    "AwayError",
    "BusyError",
    "Category",
    "Change",
    "ChangeRequest",
    "ChangedFile",
    "CheckOutcome",
    "CheckState",
    "CommandRegistry",
    "Comments",
    "CommittedLines",
    "ConfigView",
    "Connection",
    "CreatesRequests",
    "Cycle",
    "Delivery",
    "Depth",
    "Detects",
    "DiffLine",
    "Document",
    "Edit",
    "Estimate",
    "ExitCode",
    "Feedback",
    "FeedbackItem",
    "FileStatus",
    "Finding",
    "Fix",
    "FixAnswer",
    "FixContext",
    "FixOutcome",
    "FixRequest",
    "Fixer",
    "Forge",
    "ForgeError",
    "HistoryEntry",
    "Hunk",
    "Issue",
    "IssueStatus",
    "ItemKind",
    "Judged",
    "KeepsSecrets",
    "KeptPatch",
    "Key",
    "LabelChange",
    "Labels",
    "LineRange",
    "Location",
    "Marked",
    "Meaning",
    "NotFoundError",
    "Notice",
    "NoticeEvent",
    "Notifier",
    "NotifyContext",
    "NotifyError",
    "Occasion",
    "Opinion",
    "OptionParser",
    "Outage",
    "Overall",
    "Permission",
    "Person",
    "Place",
    "RateLimit",
    "ReadsFeedback",
    "ReadsRateLimit",
    "ReadsRequests",
    "Refinement",
    "RefusedError",
    "Registry",
    "RemoteCheck",
    "Reporter",
    "RequestState",
    "RequestsReviews",
    "Result",
    "Review",
    "ReviewContext",
    "Reviewer",
    "ReviewerStatus",
    "RuleExample",
    "RuleInfo",
    "Scope",
    "SelfreviewError",
    "Session",
    "SessionState",
    "Severity",
    "Side",
    "Sighting",
    "SourceText",
    "Spot",
    "TakesForks",
    "TellsLabelChanges",
    "TellsWhereabouts",
    "TerminalWriter",
    "Thread",
    "TokenError",
    "ToolError",
    "UnsureError",
    "Usage",
    "UsageError",
    "Verdict",
    "Whereabouts",
    "WordHit",
    "channel_keys",
    "hookimpl",
    "visible",
]
