"""Replay labelled findings of real review tools through merging and agreement: precision and recall, before and after.

    python benchmarks/replay.py labelled_findings.jsonl.gz

Each row of the file has ``judge``, ``pr``, ``tool``, ``label`` (TP or FP) and ``candidate`` (the finding's words). A
tool stands for a pass. The rows have no lines: what they come to is printed where words alone decide, and where all of
a change stood on one line and in one category, the worst case for merging.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import defaultdict
from pathlib import Path

from selfreview.llm.answers.reading import DEFAULT_CONFIDENCE, merge
from selfreview.model.issue import Category, Finding, Severity

THRESHOLDS = (1, 2, 3, 5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    with gzip.open(parser.parse_args().file, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    _report(rows, 0)
    print("as if all of a change stood on one line:")
    _report(rows, 1)


def _report(rows: list[dict[str, str]], line: int) -> None:
    changes: dict[tuple[str, str], dict[str, list[Finding]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        changes[row["judge"], row["pr"]][row["tool"]].append(_finding(row, line))
    true = sum(row["label"] == "TP" for row in rows)
    print(f"before: {len(rows)} findings, {true} true: precision {true / len(rows):.3f}, recall 1.000")
    merged = [finding for tools in changes.values() for finding in merge(list(tools.values()))]
    kept = sum(finding.severity is Severity.HIGH for finding in merged)
    print(f"merged: {len(merged)} findings, {kept} of them true")
    lost = 0
    for tools in changes.values():
        had = any(f.severity is Severity.HIGH for found in tools.values() for f in found)
        has = any(f.severity is Severity.HIGH for f in merge(list(tools.values())))
        lost += had and not has
    print(f"changes that lost every true finding: {lost}")
    for passes in THRESHOLDS:
        least = min(0.99, 1 - (1 - DEFAULT_CONFIDENCE) ** passes) if passes > 1 else 0.0
        chosen = [f for f in merged if (f.confidence or 0.0) >= least]
        good = sum(f.severity is Severity.HIGH for f in chosen)
        print(
            f"said by {passes} or more: {len(chosen)} findings, precision {good / max(len(chosen), 1):.3f}, "
            f"recall {good / max(kept, 1):.3f}"
        )


def _finding(row: dict[str, str], line: int) -> Finding:
    """Make a finding whose severity carries the label: what merging must not lose."""
    return Finding(
        file=row["pr"],
        line_start=line,
        severity=Severity.HIGH if row["label"] == "TP" else Severity.LOW,
        category=Category.LOGIC,
        description=row["candidate"],
        confidence=DEFAULT_CONFIDENCE,
    )


if __name__ == "__main__":
    main()
