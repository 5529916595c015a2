"""Code that detects whether a test or a CI service runs it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from selfreview.loop.guard.comments import without_comments
from selfreview.loop.guard.model import Rejection
from selfreview.loop.guard.patch import Patch
from selfreview.loop.guard.pointing import issues_of

_LOOKS = re.compile(
    r"['\"](?:pytest|unittest|_pytest|nose2?|pydevd|jest|mocha|vitest)['\"]\s+(?:not\s+)?in\s+[\w.]*sys\.(?:modules|argv)"
    r"|\bsys\.modules\.get\(\s*['\"](?:_?pytest|unittest)|\bPYTEST_(?:CURRENT_TEST|VERSION|XDIST_WORKER|ADDOPTS)\b|\b_called_from_test\b"
    r"|\b(?:JEST|VITEST)_(?:WORKER|POOL)_ID\b|\benv\.VITEST\b|\bNODE_ENV\s*={2,3}\s*['\"`]test|\btypeof\s+(?:jest|describe|it)\b"
    r"|\btesting\.Testing\(\)|\bflag\.Lookup\(\s*\"test\.|\bcfg!\(\s*test\s*\)|\bos\.Args\[0\],\s*\"\.test\""
    r"|\bXCTestConfigurationFilePath\b|\bRSPEC_VERSION\b|\bPHPUNIT_COMPOSER_INSTALL\b|\borg\.junit\.\w+.*\b(?:forName|StackTrace)"
)
_SERVICES = re.compile(
    r"(?:environ(?:\.get\(|\[)|getenv\(|Getenv\(|ENV(?:\.fetch\(|\[)|env::var\(|LookupEnv\()\s*['\"](?:CI|GITHUB_ACTIONS|GITLAB_CI"
    r"|SELFREVIEW\w*|TOX_ENV_NAME)['\"]|\bprocess\.env\.(?:CI|GITHUB_ACTIONS)\b"
)
_ABOUT_SERVICES = re.compile(r"\bCI\b|continuous integration|github|gitlab", re.IGNORECASE)


def detects_tests(patch: Patch) -> Iterator[Rejection]:
    """Reject additional code that detects whether a test runner or a CI service runs it.

    An issue that is about such a service may have the code look for it.
    """
    for file in patch.files:
        if file.is_test or file.language is None or not file.new_text:
            continue
        old, new = (without_comments(text, file.language) for text in (file.old_text, file.new_text))
        about = any(_ABOUT_SERVICES.search(issue.description) for issue in issues_of(file, patch.bounds))
        patterns = (_LOOKS,) if about else (_LOOKS, _SERVICES)
        if any(len(pattern.findall(new)) > len(pattern.findall(old)) for pattern in patterns):
            reason = "Behave the same whoever runs the code: do not ask whether it is being tested."
            yield Rejection(file.path, "detects-tests", reason)
