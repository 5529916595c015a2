"""Review real refactorings, and print every finding on lines that they touch as JSON, also as another version has it.

    python benchmarks/moved.py [--before PYTHON] REPOSITORY COMMIT [COMMIT…]

A commit and its parent are the change. ``--before`` names the interpreter of another version's environment. Statuses
differ where code only moved; whether that is right is for a person to judge, who finds line, evidence and reason there.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

_ELSEWHERE = "on no line that the change touches"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--before", metavar="PYTHON")
    parser.add_argument("repository", type=Path)
    parser.add_argument("commits", nargs="+", metavar="commit")
    options = parser.parse_args()
    versions = {"after": sys.executable} | ({"before": options.before} if options.before else {})
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "clone"
        _git("clone", "--quiet", "--shared", "--no-checkout", str(options.repository), str(clone))
        for commit in options.commits:
            found = {name: _review(clone, commit, python) for name, python in versions.items()}
            json.dump({"repository": options.repository.name, "commit": commit, "findings": _joined(found)}, sys.stdout)
            print(flush=True)


def _git(*args: str) -> None:
    subprocess.run(["git", *args], check=True)


def _review(clone: Path, commit: str, python: str) -> dict[str, dict[str, Any]]:
    """Return the findings of the embedded reviewers by fingerprint, without those on lines that the change left."""
    argv = [python, "-m", "selfreview", "run", "--commit", commit, "--no-fix", "--format", "json"]
    with tempfile.TemporaryDirectory() as home:
        env = {**os.environ, "HOME": home, "XDG_DATA_HOME": home, "XDG_CONFIG_HOME": home}
        done = subprocess.run(argv, cwd=clone, env=env, capture_output=True, check=False)
    try:
        result = json.loads(done.stdout)
    except ValueError:
        sys.exit(f"{commit}: {done.stderr.decode(errors='replace')}")
    return {issue["fingerprint"]: issue for issue in result["issues"] if issue.get("statusReason") != _ELSEWHERE}


def _joined(found: dict[str, dict[str, dict[str, Any]]]) -> list[dict[str, Any]]:
    """Return each finding once, with its status and reason in each version."""
    joined = {}
    for name, issues in found.items():
        for mark, issue in issues.items():
            place = f"{issue['file']}:{issue['lineStart']}"
            rule = f"{issue['reviewer']}/{issue['rule']}"
            one = joined.setdefault(mark, {"rule": rule, "place": place, "evidence": issue["evidence"]})
            one[name] = [issue["severity"], issue["status"], issue.get("statusReason")]
    return sorted(joined.values(), key=lambda one: (one["place"], one["rule"]))


if __name__ == "__main__":
    main()
