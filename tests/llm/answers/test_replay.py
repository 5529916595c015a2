"""The replay of labelled findings runs, and counts what it says."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[3] / "benchmarks" / "replay.py"


def test_precision_and_recall_are_printed_before_and_after(tmp_path):
    same = "getValue returns None for an empty list"
    rows = [
        ("one", "TP", same),
        ("two", "TP", same + " and crashes"),
        ("one", "FP", "The lock is never released"),
        ("two", "FP", "Typo in the heading"),
    ]
    path = tmp_path / "rows.jsonl.gz"
    with gzip.open(path, "wt", encoding="utf-8") as out:
        for tool, label, words in rows:
            out.write(json.dumps({"judge": "j", "pr": "p", "tool": tool, "label": label, "candidate": words}) + "\n")
    done = subprocess.run([sys.executable, SCRIPT, path], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert lines[0] == "before: 4 findings, 2 true: precision 0.500, recall 1.000"
    assert lines[1] == "merged: 3 findings, 1 of them true"
    assert lines[2] == "changes that lost every true finding: 0"
    assert lines[4] == "said by 2 or more: 1 findings, precision 1.000, recall 1.000"
    assert lines[7] == "as if all of a change stood on one line:"
    assert lines[8:] == lines[:7]
