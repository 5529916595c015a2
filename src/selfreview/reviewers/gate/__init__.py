"""Changes that affect their own review: settings, silenced tools, CI workflows, files too large to be read.

A gate adds this reviewer by itself; it is no plugin, so that no configuration leaves it out.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from selfreview.api import (
    Category,
    ChangedFile,
    Depth,
    FileStatus,
    Finding,
    Place,
    Review,
    ReviewContext,
    Reviewer,
    RuleInfo,
    Severity,
    Side,
    capabilities,
)
from selfreview.config.sources import PYPROJECT, REPO_FILE
from selfreview.git.worktree_files import LINK, PLAIN, Entry
from selfreview.guard.newmarks import NewMark, new_marks
from selfreview.guard.patch import Bounds, Edited, File, Patch, Rejection
from selfreview.guard.settings import ci_workflow, own_configuration, runner_setup, tool_configuration
from selfreview.model.issue import GATE
from selfreview.model.wire import display_path
from selfreview.review.tool_comments import QUIETED
from selfreview.review.topics import reviewers_about
from selfreview.reviewers.gate.unread import converted, unread_code
from selfreview.reviewers.tools.ruff_config import extends_outside
from selfreview.syntax.file_kinds import is_named_as_text
from selfreview.text.layout import listing
from selfreview.trust.subject import CONF_NAME

_OWN_VARIABLE = "SELFREVIEW_"
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))")
_JOINED = re.compile(r"\\\r?\n\s*|[\"'\\]")

_WORDS = {
    "own-configuration": "changes how selfreview reviews: this gate used the base's version, the next will use this",
    "tool-configuration": "changes what linters, type checkers or tests look at: reviewers used the base's version",
    "ci-workflow": "changes what CI runs, which may be this gate itself",
}
_SETTINGS = (REPO_FILE, PYPROJECT, CONF_NAME)
_REPAIRS = (
    "changes how selfreview reviews: this gate used only what loads of the base's settings, as they do not load as a "
    "whole, and the next will use this"
)
_UNSURE = (
    "may be what repairs the base's settings, which do not load as a whole, and nobody knows: that would run code of "
    "the change. What they ask of a review beyond what loads did not count here"
)
_LOOKS: tuple[Callable[[Patch], Iterator[Rejection]], ...] = (
    own_configuration,
    tool_configuration,
    runner_setup,
    ci_workflow,
)

_PERSON = "A person has to look at it."


def _rule(name: str, severity: Severity, summary: str, advice: str = _PERSON) -> RuleInfo:
    return RuleInfo(id=name, severity=severity, category=Category.SECURITY, summary=summary, advice=advice)


RULES = (
    _rule(
        "own-configuration",
        Severity.LOW,
        "The change edits how selfreview reviews: this gate used the base's version, the next will use this.",
    ),
    _rule(
        "tool-configuration",
        Severity.LOW,
        "The change edits what linters, type checkers or tests look at: reviewers used the base's version.",
    ),
    _rule("ci-workflow", Severity.LOW, "The change edits what CI runs, which may be this gate itself."),
    _rule(
        "broken-settings",
        Severity.CRITICAL,
        "The change breaks selfreview's settings, which would stop every later gate.",
        "Fix the file: selfreview config says what is wrong with it.",
    ),
    _rule(
        "outside-settings",
        Severity.CRITICAL,
        "The change has ruff's settings extend what is no file of the repository: no later gate would use them.",
        "Extend a file of the repository.",
    ),
    _rule("suppression", Severity.HIGH, "The change silences a tool in its own review."),
    _rule(
        "too-large",
        Severity.MEDIUM,
        "Nobody reviewed this file: it is too large.",
        "Raise max_file_bytes, or name the file in exclude, on the base.",
    ),
    _rule(
        "unreadable",
        Severity.MEDIUM,
        "Nobody reviewed this file: it is binary or a pointer, though it is text to whoever runs or reads it.",
        "Commit the text itself, or have a person look at it.",
    ),
    _rule(
        "linked-code",
        Severity.MEDIUM,
        "A symbolic link stands for code or settings: under this name, nobody reviewed it.",
        "Put the file itself here, or have a person look at it.",
    ),
    _rule(
        "converted-text",
        Severity.HIGH,
        "The change has git check out another text than was reviewed.",
        "Store files as they are to be used.",
    ),
    _rule("submodule", Severity.LOW, "The change takes another state of a submodule: nobody reviewed what is there."),
)
"""What a gate says of a change to its own review; no setting turns one off."""


class GateReviewer:
    """Reports what a change does to its own review.

    Args:
        lenient: Whether what the change says of itself is honoured, and so only listed.
        broken: By path, what is wrong with settings that load on the base, and not as the change has them.
        repaired: The files of settings that the change edits, where only what loads of the base's counts; else None.
        unsure: Whether the change may be what repairs them, and its local plugin would have to run to tell.
        reviewers: Who else may take part; None where nobody knows which tools do.
    """

    name = GATE
    depth = Depth.TEXT
    default = True
    sees_excluded = True

    def __init__(
        self,
        *,
        lenient: bool,
        broken: Mapping[str, str] | None = None,
        repaired: Sequence[str] | None = None,
        unsure: bool = False,
        reviewers: Sequence[Reviewer] | None = None,
    ) -> None:
        self._lenient = lenient
        self._repaired = repaired
        self._unsure = unsure
        self._broken = broken or {}
        self._reviewers = reviewers

    def selects(self, file: ChangedFile) -> bool:  # noqa: ARG002 - the protocol
        """Take every file."""
        return True

    def cache_key(self, context: ReviewContext) -> bytes | None:  # noqa: ARG002 - the protocol
        """Return None: it looks at the change as a whole, and is quick."""
        return None

    def rules(self) -> Sequence[RuleInfo]:
        """List what a gate says."""
        return RULES

    def review(self, files: Sequence[ChangedFile], context: ReviewContext) -> Review:  # noqa: ARG002 - excluded ones too
        """Look at every file of the change."""
        changed = context.change.files
        edits = [edit for file in changed for edit in _edits(file, context)]
        both = [_file(file, context) for file in changed]
        patch = Patch(edits, both, Bounds(change=context.change, issues=(), config=context.config))
        rejections = [rejection for look in _LOOKS for rejection in look(patch)]
        # Rules of the base that do not load are none that its settings name here.
        own = {file.path for file in changed}.intersection(self._repaired or ()) - {one.path for one in rejections}
        rejections += [Rejection(path, "own-configuration", _PERSON) for path in sorted(own)]
        findings = [self._finding(rejection, patch) for rejection in rejections]
        findings += _silenced(context, lenient=self._lenient, reviewers=self._reviewers)
        findings += [_unread(file) for file in changed if file.too_large]
        findings += unread_code(context, lenient=self._lenient)
        findings += converted(context, lenient=self._lenient)
        findings += [_broken(file, self._broken[file.path]) for file in changed if file.path in self._broken]
        findings += far_settings(context)
        findings += [self._module(file) for file in changed if _is_module(file)]
        states = _States(context)
        return Review(findings=[msgspec.structs.replace(found, evidence=states.of(found.file)) for found in findings])

    def _module(self, file: ChangedFile) -> Finding:
        """Return a finding on a submodule, which nobody reviewed; from another place, it is a way around the review."""
        elsewhere = not file.is_submodule
        what = "lets submodules come from other places" if elsewhere else "takes another state of a submodule"
        return Finding(
            file=file.path,
            line_start=0,
            side=Side.OLD if file.status is FileStatus.DELETED else Side.NEW,
            severity=Severity.MEDIUM if elsewhere and not self._lenient else Severity.LOW,
            category=Category.SECURITY,
            description=f"The change {what}: nobody reviewed what is there.",
            suggested_fix="A person has to look at it.",
            rule="submodule",
            unreviewed=elsewhere and not self._lenient,
        )

    def _finding(self, rejection: Rejection, patch: Patch) -> Finding:
        severity = Severity.LOW
        description = f"The change {_WORDS[rejection.rule]}."
        gone = all(edit.new is None for edit in patch.edits if edit.path == rejection.path)
        unsure = self._unsure and rejection.path in _SETTINGS
        if self._repaired is not None and rejection.rule == "own-configuration":
            description = f"The change {_UNSURE if unsure else _REPAIRS}."
            severity = Severity.MEDIUM if unsure else severity
        elif rejection.path == CONF_NAME and not gone:
            description += " Whether it loads is not known, for that would run it; the next gates stop if it does not."
        if rejection.rule == "ci-workflow" and _adds_own_variable(rejection.path, patch):
            severity = Severity.HIGH
            description = f"The change sets a variable {_OWN_VARIABLE}* in CI, which can loosen this gate."
        return Finding(
            file=rejection.path,
            line_start=0,
            side=Side.OLD if gone else Side.NEW,
            severity=severity,
            category=Category.SECURITY,
            description=description,
            suggested_fix="A person has to look at it.",
            rule=rejection.rule,
            unreviewed=unsure,
        )


class _States:
    """Fingerprints of files' content now: an acceptance of a gate's issue on a file covers no other content."""

    def __init__(self, context: ReviewContext) -> None:
        self._context = context
        self._files = {file.path_at_base: file for file in context.change.files}
        self._files |= {file.path: file for file in context.change.files}

    def of(self, path: str) -> str | None:
        """Return the name of a file's state; None where the change knows no such file."""
        file = self._files.get(path)
        if file is None:
            return None
        name = file.new_oid
        if name is None and file.status is not FileStatus.DELETED:
            name = hashlib.sha256(self._context.read(file) or b"").hexdigest()
        return f"{file.new_mode} {name or 'deleted'}"


def _adds_own_variable(path: str, patch: Patch) -> bool:
    added = ("\n".join(hunk.new) for file in patch.files if file.path == path for hunk in file.hunks)
    return any(_OWN_VARIABLE in text or _OWN_VARIABLE in _as_read(text).upper() for text in added)


def _as_read(text: str) -> str:
    """Return a text as YAML and a shell read it: its escapes resolved, its quotes gone."""
    resolved = _ESCAPE.sub(lambda match: chr(min(int(match[1] or match[2] or match[3], 16), sys.maxunicode)), text)
    return _JOINED.sub("", resolved)


def _is_module(file: ChangedFile) -> bool:
    return file.is_submodule or ".gitmodules" in (file.path.casefold(), file.path_at_base.casefold())


def _broken(file: ChangedFile, fault: str) -> Finding:
    return Finding(
        file=file.path,
        line_start=0,
        side=Side.OLD if file.status is FileStatus.DELETED else Side.NEW,
        severity=Severity.CRITICAL,
        category=Category.SECURITY,
        description=f"The change breaks selfreview's settings, which would stop every later gate: {fault}.",
        suggested_fix="Fix the file: selfreview config says what is wrong with it.",
        rule="broken-settings",
    )


def _unread(file: ChangedFile) -> Finding:
    return Finding(
        file=file.path,
        line_start=0,
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        description=f"Nobody reviewed this file: it is {file.excluded}.",
        suggested_fix="Raise max_file_bytes, or name the file in exclude, on the base.",
        rule="too-large",
        unreviewed=True,
    )


def _entry(file: ChangedFile, context: ReviewContext, side: Side) -> Entry | None:
    """Return one side of a file for rules that judge its name, and of some files a part.

    A tool may read a file that git calls binary, without its NUL bytes. Of other binaries and of what is too large only
    the name counts.
    """
    if (side, file.status) in ((Side.OLD, FileStatus.ADDED), (Side.NEW, FileStatus.DELETED)):
        return None
    if file.too_large or (file.binary and not any(map(is_named_as_text, (file.path, file.path_at_base)))):
        return Entry(PLAIN, b"")
    if not file.binary:
        return _entry_of(file, context, side)
    path = file.path if side is Side.NEW else file.path_at_base
    return Entry(PLAIN, context.read_paths([path], side).get(path, b"").replace(b"\0", b""))


def _file(file: ChangedFile, context: ReviewContext) -> File:
    """Return both sides of a file; a copy has no old one."""
    if not (file.binary or file.too_large):
        return _compared(file, context)
    old = None if file.status is FileStatus.COPIED else _entry(file, context, Side.OLD)
    return File(file.path, file.path_at_base, old, _entry(file, context, Side.NEW))


def _edits(file: ChangedFile, context: ReviewContext) -> Iterator[Edited]:
    """Return a file's edits; where it was renamed, its removal and its addition."""
    old, new = (_entry(file, context, side) for side in (Side.OLD, Side.NEW))
    if file.status is FileStatus.COPIED:
        yield Edited(file.path, None, new)
    elif file.path_at_base != file.path:
        yield Edited(file.path_at_base, old, None)
        yield Edited(file.path, None, new)
    else:
        yield Edited(file.path, old, new)


def far_settings(context: ReviewContext) -> Iterator[Finding]:
    """Yield a finding for every file of ruff's settings that extends one outside of the repository, and did not before.

    Any file may hold such settings, for others may extend it; those that are not named ``.toml`` are not looked at,
    and do no harm, for a gate refuses what they extend.
    """
    for file in context.change.files:
        if file.path.endswith(".toml") and file.status is not FileStatus.DELETED and not file.too_large:
            target = _target(file, context, Side.NEW)
            if target is not None and target != _target(file, context, Side.OLD):
                yield Finding(
                    file=file.path,
                    line_start=0,
                    severity=Severity.CRITICAL,
                    category=Category.SECURITY,
                    description=f"The change has ruff's settings extend {display_path(target)}, which is no file of "
                    "the repository: no later gate would use them.",
                    suggested_fix="Extend a file of the repository.",
                    rule="outside-settings",
                )


def _target(file: ChangedFile, context: ReviewContext, side: Side) -> str | None:
    path = file.path if side is Side.NEW else file.path_at_base
    data = context.read_paths([path], side).get(path)
    return None if data is None else extends_outside(path, data.replace(b"\0", b""))


_MAX_NAMED = 20
_MAX_PLACES = 100
_OWN = re.compile("selfreview", re.IGNORECASE)
_ANY = re.compile("")
_NONE = re.compile(r"(?!)")
_HONOURED = {
    "ruff": re.compile(r"noqa|\bruff\b|\bisort\b", re.IGNORECASE),
    "semgrep": re.compile("nosem", re.IGNORECASE),
    **{name: re.compile(name, re.IGNORECASE) for name in ("shellcheck", "hadolint", "zizmor")},
    **dict.fromkeys(("rules", "secrets", "text"), _NONE),
}
"""Marks that each embedded reviewer reads itself; those of commands and plugins are unknown, and models read none."""


def _silenced(
    context: ReviewContext, *, lenient: bool, reviewers: Sequence[Reviewer] | None = None
) -> Iterator[Finding]:
    """Yield one finding for every file in which the change silences a tool, with all marks that do.

    Args:
        context: What is under review.
        lenient: Whether such marks are honoured, and so only listed.
        reviewers: Who may take part in this review; None where nobody knows which tools do.
    """
    for file in context.change.files:
        marks = _marks(file, context)
        if marks:
            silent = None if reviewers is None else [_silent(mark, file, reviewers) for mark in marks]
            yield Finding(
                file=file.path,
                line_start=0,
                severity=Severity.LOW if lenient or not (silent is None or any(silent)) else Severity.HIGH,
                category=Category.SECURITY,
                description=_described(marks, silent),
                suggested_fix="A person has to look at it.",
                rule="suppression",
                related=tuple(_place(file, mark) for mark in marks[:_MAX_PLACES]),
            )


def _marks(file: ChangedFile, context: ReviewContext) -> Sequence[NewMark]:
    """Return the marks that a change adds to a file, as far as the file can hold any."""
    if file.binary or file.too_large or file.status is FileStatus.DELETED:
        return []
    both = _compared(file, context)
    marks = new_marks(both)
    if marks and not file.path.endswith(".ipynb") and _is_json(both.new_text):  # a notebook holds code
        return [mark for mark in marks if _OWN.search(mark.text) or _HONOURED["semgrep"].search(mark.text)]
    return marks


def _compared(file: ChangedFile, context: ReviewContext) -> File:
    """Return both sides of a file, with the lines that git found to differ; a copy has no old side."""
    new = _entry_of(file, context, Side.NEW)
    if file.status is FileStatus.COPIED:
        return File(file.path, file.path, None, new)
    return File(file.path, file.path_at_base, _entry_of(file, context, Side.OLD), new, file.spans or None)


def _entry_of(file: ChangedFile, context: ReviewContext, side: Side) -> Entry | None:
    """Return one side of a file, or None where it is not there."""
    data = context.read(file, side)
    return None if data is None else Entry(LINK if file.is_symlink else PLAIN, data)


def _is_json(text: str) -> bool:
    """Return whether a text is JSON, which has no comments; semgrep looks at whole lines nevertheless, and so do we."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _silent(mark: NewMark, file: ChangedFile, reviewers: Sequence[Reviewer]) -> list[str]:
    """Return the names of the reviewers of a file that may honour a mark in it."""
    if _OWN.search(mark.text):
        return ["selfreview"]
    quieted = {name for rule in mark.names for name in reviewers_about(rule)} & QUIETED
    return [
        reviewer.name
        for reviewer in reviewers
        if (
            reviewer.name in quieted
            or _HONOURED.get(reviewer.name, _NONE if reviewer.depth is Depth.MODEL else _ANY).search(mark.text)
        )
        and reviewer.selects(file)
        and capabilities.of_reviewer(reviewer).why_unavailable() is None
    ]


def _described(marks: Sequence[NewMark], silent: Sequence[Sequence[str]] | None) -> str:
    if silent is None:
        return f"The change silences a tool that reviews it: {_listed(marks)}."
    parts = []
    here = [mark for mark, names in zip(marks, silent, strict=True) if names]
    if here:
        names = sorted({name for names in silent for name in names})
        sure = all(name in _HONOURED or _OWN.fullmatch(name) for name in names)
        does = "silences" if sure else "may silence"
        parts.append(f"The change {does} {', '.join(names)} in its own review: {_listed(here)}.")
    others = [mark for mark, names in zip(marks, silent, strict=True) if not names]
    if others:
        parts.append(f"The change silences tools that take no part in this review: {_listed(others)}.")
    return " ".join(parts)


def _listed(marks: Sequence[NewMark]) -> str:
    words = (
        f"takes out `{mark.text}` (line {mark.line} before)" if mark.is_end else f"`{mark.text}` (line {mark.line})"
        for mark in marks
    )
    return listing(words, _MAX_NAMED)


def _place(file: ChangedFile, mark: NewMark) -> Place:
    side = Side.OLD if mark.is_end else Side.NEW
    return Place(file=file.path, line_start=mark.line, line_end=mark.line, side=side)
