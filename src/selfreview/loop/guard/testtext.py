"""Tests of languages other than Python, by pattern."""

from __future__ import annotations

import collections
import re
from collections.abc import Iterator

from selfreview.loop.guard.expectation import is_open
from selfreview.loop.guard.model import Rejection
from selfreview.loop.guard.patch import Hunk, Patch
from selfreview.loop.guard.pointing import asks_for_removal, issues_of
from selfreview.loop.guard.textcases import EXACT, NOTHING, TextCase, assertions, match_text_tests

_LITERAL = re.compile(
    r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`[^`\n]*`|(?<![\w.])-?\d[\w.]*|\b(?:true|false|null|nil|None)\b"
)
_ROW = re.compile(r"\s*[{\[(].*[}\])][,;]?\s*")
"""A row of a table of cases."""
_FAILING = re.compile(
    r"#\[should_panic\b|@Test\(\s*expected\s*=|\[ExpectedException\b|\bXCTExpectFailure\b|\bwithKnownIssue\b"
)
_WANTED = re.compile(r"\b(?:want|expected|expect)\b|!=|assert|\.to\b|should", re.IGNORECASE)


def text_test_removed(patch: Patch) -> Iterator[Rejection]:
    """Reject the removal of a test."""
    for old, new in match_text_tests(patch):
        if new is None and not _is_wanted_gone(old, patch):
            reason = f"Keep the test {old.name}; correct the code until it passes."
            yield Rejection(old.file.path, "test-removed", reason)


def text_test_unreached(patch: Patch) -> Iterator[Rejection]:
    """Reject a test that was moved under a condition, into a function, or where a build or a runner excludes it.

    Also one with fewer assertions than before that are reached whenever it runs, and no fewer in all.
    """
    for old, new in match_text_tests(patch):
        if new is not None and new.reached < old.reached and len(new.strengths) >= len(old.strengths):
            reason = f"Let {old.name} reach every assertion as before, and let each count; correct the code instead."
            yield Rejection(new.file.path, "assertion-unreached", reason)
        elif new is not None and (fresh := collections.Counter(new.under) - collections.Counter(old.under)):
            reason = f"Let {old.name} run as before, not under `{min(fresh)}`; correct the code instead."
            yield Rejection(new.file.path, "assertion-unreached", reason)


def text_assertion_removed(patch: Patch) -> Iterator[Rejection]:
    """Reject a test that asserts less often than before."""
    matches = match_text_tests(patch)
    before = sum(len(old.strengths) for old, _ in matches)
    known = {(case.file.path, case.name) for _, case in matches if case is not None}
    after = sum(len(new.strengths) for _, new in matches if new is not None)
    for old, new in matches:
        if new is None or len(new.strengths) >= len(old.strengths) or _is_wanted_gone(old, patch):
            continue
        if not new.code:
            yield Rejection(new.file.path, "test-emptied", f"Keep the body of {old.name}; correct the code instead.")
        elif after < before and known:
            reason = f"Keep every assertion of {old.name}; correct the code until they hold."
            yield Rejection(new.file.path, "assertion-removed", reason)


def text_assertion_loosened(patch: Patch) -> Iterator[Rejection]:
    """Reject a test with fewer assertions of one value, and as many as before in all."""
    for old, new in match_text_tests(patch):
        if new is None or len(new.strengths) < len(old.strengths):
            continue
        counts = [collections.Counter(case.strengths) for case in (old, new)]
        compares_less = new.comparisons < old.comparisons
        weaker = compares_less or counts[1][EXACT] < counts[0][EXACT] or counts[1][NOTHING] > counts[0][NOTHING]
        if weaker or (
            sum(new.strengths[: len(old.strengths)]) < sum(old.strengths) and sum(new.strengths) < sum(old.strengths)
        ):
            reason = f"Keep the assertions of {old.name} as strict as they were; correct the code instead."
            yield Rejection(new.file.path, "assertion-loosened", reason)


def text_failure_expected(patch: Patch) -> Iterator[Rejection]:
    """Reject a test that was to succeed and is to fail now."""
    for old, new in match_text_tests(patch):
        if new is not None and len(_FAILING.findall(new.text)) > len(_FAILING.findall(old.text)):
            reason = f"Let {old.name} succeed as before, not fail: correct the code instead."
            yield Rejection(new.file.path, "expected-error-widened", reason)


def text_expectation_changed(patch: Patch) -> Iterator[Rejection]:
    """Reject another literal in an assertion that the change does not touch and no issue is about."""
    for file in patch.files:
        if not file.has_tests or file.language in (None, "python") or file.old is None or file.new is None:
            continue
        for hunk in file.hunks:
            last = hunk.old_start + len(hunk.old) - 1
            if _only_literals(hunk) and not is_open(file, patch.bounds, hunk.old_start, last):
                reason = "Leave what this test expects as it was: it tests what was right before the change."
                yield Rejection(file.path, "expectation-changed", reason)
                break


def _only_literals(hunk: Hunk) -> bool:
    if len(hunk.old) != len(hunk.new):
        return False
    for old, new in zip(hunk.old, hunk.new, strict=True):
        is_assertion = bool(assertions(old)) or _WANTED.search(old) is not None or _ROW.fullmatch(old) is not None
        if is_assertion and old != new and _LITERAL.sub("0", old) == _LITERAL.sub("0", new):
            return _LITERAL.findall(old) != _LITERAL.findall(new)
    return False


def _is_wanted_gone(case: TextCase, patch: Patch) -> bool:
    return any(
        asks_for_removal(issue) and issue.line_start <= case.last and case.first <= issue.line_end
        for issue in issues_of(case.file, patch.bounds)
    )
