"""How long every registered format takes for 20,000 issues: ``pytest benchmarks/test_report_speed.py -n 0 -s``.

An absolute bound, in processor time.
"""

from __future__ import annotations

import io
import time

import pytest

from selfreview.api import Category, Issue, Place, Registry, Reporter, Result, Severity, Side
from selfreview.model.result import Counts, ResultStatus, ReviewerReport, ReviewerStatus, Verdict
from selfreview.plugins.builtins import Builtins, load

ISSUES = 20_000
SECONDS = 2.0
MODULES = [module for module in Builtins().modules.values() if module.startswith("selfreview.reporters.")]


class NoContext:
    """A change of which no text is known; the configuration's defaults."""

    config = {"on_incomplete": "fail"}  # noqa: RUF012

    class change:  # noqa: N801
        files = reviewable = ()


def outcome() -> Result:
    severities, reviewers = list(Severity), ["ruff", "rules", "claude", "command.eslint"]
    issues = [
        Issue(
            id=f"sr-{number:08x}",
            fingerprint=f"v1:{number:032x}",
            severity=severities[number % 5],
            category=list(Category)[number % 7],
            file=f"src/package{number % 50}/module{number % 997}.py",
            line_start=number % 500 + 1,
            line_end=number % 500 + 1 + number % 3,
            column=number % 80 + 1,
            side=Side.NEW,
            description=f"Something is wrong with `name{number}`: it is used before it is set.\nThat ends in an error.",
            suggested_fix="Set it first." if number % 2 else None,
            reviewer=reviewers[number % 4],
            rule=f"R{number % 300}" if number % 4 != 2 else None,
            related=[Place(file="src/other.py", line_start=3, line_end=3, note="here")] if number % 10 == 0 else [],
        )
        for number in range(ISSUES)
    ]
    return Result(
        status=ResultStatus.COMPLETE,
        verdict=Verdict.CRITICAL_ISSUES,
        issues=issues,
        counts=Counts(**{severity.value: ISSUES // 5 for severity in Severity}),
        timestamp="2026-11-27T21:00:00Z",
        reviewers=[ReviewerReport(name=name, status=ReviewerStatus.OK) for name in reviewers],
    )


@pytest.mark.parametrize("module", MODULES)
def test_twenty_thousand_issues(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)
    registry: Registry[Reporter] = Registry("format")
    load(module).selfreview_register_reporters(registry=registry)
    result = outcome()
    for name in registry.names():
        reporter, out = registry.get(name), io.BytesIO()
        start = time.process_time()
        reporter.write(result, out, context=NoContext(), color=False, width=100)
        taken = time.process_time() - start
        print(f"\n{name}: {taken:.2f} s for {ISSUES} issues, {len(out.getvalue()) / 1e6:.1f} MB (limit {SECONDS} s)")
        assert taken < SECONDS
