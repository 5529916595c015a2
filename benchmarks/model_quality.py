"""Measure what a model finds: ``python benchmarks/model_quality.py DATA --base-url URL --rows 26,29,84``.

DATA is ``bug_introducing_commits.jsonl.gz`` as :mod:`quality` describes it; rows count from 0. Each change is a real
repository, reviewed by the real command line with the model reviewer alone, through a server that speaks the Messages
API. Printed are, for every change, what was found and how it ended; then recall, alarms on clean changes, and how many
blocking issues stand on a known bug. Whether another blocking issue is worth fixing is for a reader to judge.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path
from typing import Any

from quality import blocking, hits, rows, run


def main() -> None:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--base-url", required=True)
    parser.add_argument("--rows", required=True, help="indexes of rows, with commas")
    parser.add_argument("--effort", default="normal")
    parser.add_argument("--concurrency", default="4")
    options = parser.parse_args()
    os.environ["ANTHROPIC_BASE_URL"] = options.base_url
    os.environ.setdefault("ANTHROPIC_API_KEY", "benchmark")
    wanted = [int(index) for index in options.rows.split(",")]
    arguments = ["--reviewer", "claude", "--no-cache"]
    for name, value in (
        ("effort", options.effort), ("timeout", "7200"), ("read_timeout", "7200"), ("concurrency", options.concurrency)
    ):  # fmt: skip
        arguments += ["-o", f"claude.{name}={value}"]
    everything = list(rows(options.data))
    totals = {"buggy": 0, "found": 0, "clean": 0, "alarmed": 0, "blocking": 0, "on a known bug": 0}
    for index in wanted:
        row = everything[index]
        before = {f["path"]: f["before"] for f in row["contents"]}
        after = {f["path"]: f["after"] for f in row["contents"]}
        start = time.monotonic()
        result = run(before, after, *arguments)
        _count(row, result, totals)
        usage = result["usage"]
        print(
            f"{index} {row['kind']} {row['project']}: {result['status']}, {usage['requests']} requests, "
            f"{usage['inputTokens']} tokens in, {time.monotonic() - start:.0f} s", flush=True,
        )  # fmt: skip
        for reason in [*result["incompleteReasons"], *result["notes"]]:
            print(f"    {reason}")
        for issue in result["issues"]:
            place = f"{issue['file']}:{issue['lineStart']}-{issue['lineEnd']} ({issue['side']})"
            print(f"    {issue['status']} {issue['severity']} {place}: {' '.join(issue['description'].split())}")
    print(f"known bugs found: {totals['found']} of {totals['buggy']}")
    print(f"clean changes that blocked: {totals['alarmed']} of {totals['clean']}")
    print(f"blocking issues: {totals['blocking']}, of them on a known bug: {totals['on a known bug']}")


def _count(row: dict[str, Any], result: dict[str, Any], totals: dict[str, int]) -> None:
    blockers = blocking(issue for issue in result["issues"] if issue["status"] == "open")
    totals["blocking"] += len(blockers)
    if row["kind"] == "clean":
        totals["clean"] += 1
        totals["alarmed"] += bool(blockers)
        return
    hit = hits(blockers, row)
    totals["buggy"] += 1
    totals["found"] += bool(hit)
    totals["on a known bug"] += len(hit)


if __name__ == "__main__":
    main()
