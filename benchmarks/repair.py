"""Run the loop on small functions with a seeded bug: ``python benchmarks/repair.py DATA [--limit N] [--jobs N]``.

DATA is a folder with ``repair_problems.jsonl.gz``: ``prompt``, ``buggy_solution``, ``canonical_solution``, ``test`` and
``entry_point`` of each; nothing of it is part of this project. The problem's own tests are the project's check, a
scripted agent is the fixer, and every case is a real repository and four runs of the real command line:

1. ``--no-fix``: the check is the open issue, exit code 1.
2. The agent gives the canonical solution: the loop passes, and the tree holds exactly that.
3. The agent gives the canonical solution and a new test of it beside one that is there: the same, with the test.
4. The agent gives another wrong answer each time: the check stays open, and the loop stops at the cap.

It prints how many of the right fixes, those of 2 and 3, are held for a person: at most one in ten may be.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

CAP = 3
TEST = "tests/test_solution.py"
RIGHT = {"canonical": ("test_canonical",), "canonical with a test": ("test_canonical", "test_canonical_again")}
"""Runs with a right fix, each with the tests that there are afterwards."""
AGENT = """
import json, os, pathlib, sys
sys.stdin.read()
answers = json.loads(pathlib.Path(os.environ["REPAIR_ANSWERS"]).read_text())
count = pathlib.Path(os.environ["REPAIR_ANSWERS"] + ".count")
number = int(count.read_text()) if count.exists() else 0
count.write_text(str(number + 1))
for path, text in answers[min(number, len(answers) - 1)].items():
    pathlib.Path(path).write_text(text)
print(json.dumps({"answers": [], "notes": "mended"}))
"""


def toml(value: object) -> str:
    """Return a value that JSON and TOML write alike."""
    return json.dumps(value)


class Case:
    """One problem in a repository of its own."""

    def __init__(self, row: dict[str, Any], folder: Path) -> None:
        self.row = row
        self.root = folder / "repo"
        self.config = folder / "config"
        self.answers = folder / "answers.json"
        self.environ = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "SELFREVIEW_"))},
            "SELFREVIEW_CONFIG_DIR": str(self.config),
            "REPAIR_ANSWERS": str(self.answers),
            "HOME": str(folder),
            "XDG_CACHE_HOME": str(folder / "cache"),
        }

    def prepare(self) -> None:
        """Make the repository: the tests are committed, the buggy solution is the change."""
        self.root.mkdir()
        self.config.mkdir()
        (self.config / "agent.py").write_text(AGENT)
        agent = toml([sys.executable, str(self.config / "agent.py")])
        check = toml([sys.executable, "check.py"])
        (self.config / "config.toml").write_text(
            # One canonical solution calls eval, which the rule pack blocks: here only the tests are to decide.
            # The scripted agent counts its calls in a file outside of the workspace.
            f'reviewers = ["text"]\nagent_confinement = false\n'
            f"[checks.tests]\nrun = {check}\ntimeout = 20\n"
            f'[agents.scripted]\nrun = {agent}\nfix = {agent}\nformat = "text"\nenv = ["REPAIR_ANSWERS"]\n'
        )
        test = f"from solution import *\n{self.row['test']}\ncheck({self.row['entry_point']})\n"
        (self.root / "check.py").write_text(test)
        (self.root / "tests").mkdir()
        (self.root / TEST).write_text(self.tests("test_canonical"))
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message=tests")
        self.git("switch", "--quiet", "--create", "work")
        self.write(self.row["buggy_solution"])

    def git(self, *args: str) -> None:
        """Run git."""
        who = ["-c", "user.name=benchmark", "-c", "user.email=benchmark@localhost"]
        subprocess.run(["git", *who, *args], cwd=self.root, env=self.environ, check=True, capture_output=True)

    def text(self, body: str) -> str:
        """Return a whole solution."""
        return f"{self.row['prompt']}{body}"

    def tests(self, *names: str) -> str:
        """Return a test file with tests of these names."""
        tests = (f"def {name}():\n    check({self.row['entry_point']})\n" for name in names)
        return "\n\n".join([f"from solution import *\n{self.row['test']}", *tests])

    def write(self, body: str) -> None:
        """Put a solution into the person's tree, beside the tests as they were committed."""
        (self.root / "solution.py").write_text(self.text(body))
        (self.root / TEST).write_text(self.tests("test_canonical"))

    def answer(self, bodies: list[str], **tests: str) -> None:
        """Say what the agent writes, one time after the other; with ``tests``, that test file, too."""
        files = {TEST: tests["tests"]} if tests else {}
        self.answers.write_text(json.dumps([{"solution.py": self.text(body), **files} for body in bodies]))
        Path(f"{self.answers}.count").unlink(missing_ok=True)

    def run(self, *options: str) -> tuple[int, dict[str, Any]]:
        """Run the tool and return its exit code and result."""
        argv = [sys.executable, "-m", "selfreview", "run", "--format", "json", *options]
        done = subprocess.run(argv, cwd=self.root, env=self.environ, capture_output=True, check=False, timeout=300)
        return done.returncode, json.loads(done.stdout)


def blocking(result: dict[str, Any]) -> list[str]:
    """Return the reviewers of what blocks."""
    severe = ("critical", "high", "medium")
    return [i["reviewer"] for i in result["issues"] if i["status"] == "open" and i["severity"] in severe]


def holds(result: dict[str, Any]) -> bool:
    """Return whether any edit waits for a person."""
    held = [iteration["refinement"].get("held") for iteration in result["iterations"]]
    return result["stop"] == "held" or result.get("held") is not None or any(held)


def judge(row: dict[str, Any]) -> tuple[dict[str, str], int]:
    """Run one problem; return by run ``ok`` or what was wrong, and how many right fixes were held."""
    with tempfile.TemporaryDirectory(prefix="repair-") as name:
        case = Case(row, Path(name))
        case.prepare()
        verdicts = {}
        code, result = case.run("--no-fix")
        good = code == 1 and "check-tests" in blocking(result)
        verdicts["no fix"] = "ok" if good else f"exit {code}, blocking: {blocking(result)}"
        held = 0
        for run, tests in RIGHT.items():
            case.write(row["buggy_solution"])
            text = case.tests(*tests)
            case.answer([row["canonical_solution"]], **({"tests": text} if len(tests) > 1 else {}))
            code, result = case.run("--apply", "--fixer", "agent-scripted")
            applied = (case.root / "solution.py").read_text() == case.text(row["canonical_solution"])
            applied = applied and (case.root / TEST).read_text() == text
            good = code == 0 and result["passed"] and applied and result["stop"] == "passed"
            verdicts[run] = "ok" if good else f"exit {code}, stop {result['stop']}, {said(result)}"
            held += holds(result)
        case.write(row["buggy_solution"])
        case.answer([f"    attempt = {number}\n{row['buggy_solution']}" for number in range(2, CAP + 2)])
        code, result = case.run("--apply", "--fixer", "agent-scripted")
        good = code == 1 and result["stop"] == "cap" and len(result["iterations"]) == CAP
        good = good and "check-tests" in blocking(result)
        verdicts["wrong"] = "ok" if good else f"exit {code}, stop {result['stop']}, {said(result)}"
        return verdicts, held


def said(result: dict[str, Any]) -> str:
    """Return what went wrong in a loop, as far as it says."""
    notes = [iteration["refinement"]["notes"] for iteration in result["iterations"]]
    return f"blocking {blocking(result)}, {' | '.join(notes)[:300]}"


def main() -> int:
    """Run all problems and print what came of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--limit", type=int, help="only the first so many")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    arguments = parser.parse_args()
    with gzip.open(arguments.data / "repair_problems.jsonl.gz", "rt", encoding="utf-8") as stream:
        rows = [json.loads(line) for line in stream][: arguments.limit]
    began = time.monotonic()
    totals: collections.Counter[str] = collections.Counter()
    held = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for row, (verdicts, waits) in zip(rows, pool.map(judge, rows), strict=True):
            held += waits
            for run, verdict in verdicts.items():
                totals[run] += verdict == "ok"
                if verdict != "ok":
                    print(f"{row['task_id']} {run}: {verdict}")
    for run, count in totals.items():
        print(f"{run}: {count} of {len(rows)} as expected")
    right = len(RIGHT) * len(rows)
    print(f"held: {held} of {right} right fixes")
    print(f"{time.monotonic() - began:.0f} s")
    return 0 if all(count == len(rows) for count in totals.values()) and held <= right / 10 else 1


if __name__ == "__main__":
    sys.exit(main())
