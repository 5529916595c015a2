"""Files of credentials that a commit adds and a later one removes: whoever fetches the branch has them."""

from __future__ import annotations

from collections.abc import Iterator

from selfreview.api import ChangedFile, CommittedLines, FileStatus, Finding, ReviewContext, Side
from selfreview.reviewers._secrets_commits import REWRITE
from selfreview.reviewers._text_names import NameRule, name_rule
from selfreview.reviewers._text_table import CHECKS
from selfreview.reviewers.text import words_of
from selfreview.syntax.testfiles import is_sample

_CHECK = "sensitive-file"


def files_that_went(context: ReviewContext) -> Iterator[Finding]:
    """Yield a finding for every such file that is neither at the base nor at the head.

    Raises:
        ToolError: If the commits cannot be read in full.
    """
    added: dict[str, tuple[CommittedLines, NameRule]] = {}
    for part in context.committed_lines():
        rule = _rule(part) if part.status in (FileStatus.ADDED, FileStatus.COPIED) else None
        if rule is not None:
            added.setdefault(part.path, (part, rule))
    there = set(context.read_paths(added, Side.OLD)) if added else set()
    for path, data in context.read_paths(added, Side.NEW).items() if added else ():
        if _is_harmful(added[path][1], data):
            there.add(path)
    check = CHECKS[_CHECK]
    for path, (part, rule) in added.items():
        if path not in there:
            said = words_of(_CHECK, check, rule.what)
            said["description"] += (
                f" That is gone by now; whoever fetches commit {part.commit[:8]} has it all the same."
            )
            said["suggested_fix"] = f"Revoke what it holds, {REWRITE}"
            severity = (check.milder if is_sample(path) else None) or check.severity
            yield Finding(file=path, line_start=0, severity=severity, commit=part.commit, **said)


def _rule(part: CommittedLines) -> NameRule | None:
    """Return the rule for files of credentials that a file falls under, by its name and by what it holds, or None."""
    rule = name_rule(ChangedFile(path=part.path))
    if rule is None or rule.check != _CHECK:
        return None
    return rule if _is_harmful(rule, b"\n".join(lines for _, lines in part.hunks)) else None


def _is_harmful(rule: NameRule, data: bytes) -> bool:
    return rule.harmful is None or rule.harmful.search(data.decode("utf-8", "replace")) is not None
