"""Measure review quality on labelled data: ``python benchmarks/quality.py DATA [--only bugs|pairs|secrets] [--list]``.

DATA is a folder with any of these files; nothing of them is part of this project:

``bug_introducing_commits.jsonl.gz``
    Real commits: ``kind`` buggy (with ``buggy_lines`` and a ``tier``) or clean, ``contents`` with every file before and
    after. Recall counts tiers A and B: a finding within one line of a buggy line. An alarm is a clean change that
    blocks. The truth lies on added lines only.
``vulnerable_fixed_pairs.jsonl.gz``
    Functions before and after a security fix. A pair is told apart when the vulnerable one is flagged and the fixed one
    is not.
``secret_vectors.b64.jsonl``
    Secrets and look-alikes, base64.

Every case is a real repository, reviewed by the real command line with the embedded reviewers.
"""

from __future__ import annotations

import argparse
import base64
import collections
import concurrent.futures
import gzip
import json
import os
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

BLOCKING = ("critical", "high", "medium")
IDENTITY = {
    f"GIT_{role}_{key}": value
    for role in ("AUTHOR", "COMMITTER")
    for key, value in (("NAME", "benchmark"), ("EMAIL", "benchmark@localhost"))
}


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """Read JSON lines, compressed or not."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as stream:
        for line in stream:
            yield json.loads(line)


def environment(home: Path) -> dict[str, str]:
    """Return an environment in which no configuration of this machine counts."""
    keep = {k: v for k, v in os.environ.items() if not k.startswith(("GIT_", "SELFREVIEW_"))}
    return keep | IDENTITY | {"HOME": str(home), "SELFREVIEW_CONFIG_DIR": str(home), "GIT_CONFIG_NOSYSTEM": "1"}


def review(
    before: dict[str, str | bytes | None], after: dict[str, str | bytes | None], *arguments: str
) -> list[dict[str, Any]]:
    """Commit one state, then the other, review the second commit and return its open issues."""
    result = run(before, after, *arguments)
    if result["status"] not in ("complete", "nothing_to_review"):
        raise RuntimeError(f"the review did not take place: {result.get('incompleteReasons') or result}")
    return [issue for issue in result["issues"] if issue["status"] == "open"]


def run(before: dict[str, str | bytes | None], after: dict[str, str | bytes | None], *arguments: str) -> dict[str, Any]:
    """Commit one state, then the other, review the second commit and return the result."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        repo = Path(folder) / "repo"
        repo.mkdir()
        env = environment(Path(folder))

        def git(*args: str) -> None:
            subprocess.run(["git", *args], cwd=repo, env=env, check=True, capture_output=True)

        git("init", "--quiet", "--initial-branch=main")
        for state in (before, after):
            for path, content in state.items():
                target = repo / path
                if content is None:
                    target.unlink(missing_ok=True)
                    continue
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(
                    content if isinstance(content, bytes) else content.encode("utf-8", "surrogateescape")
                )
            git("add", "--all", "--force")
            git("commit", "--quiet", "--allow-empty", "--message=state", "--no-gpg-sign")
        done = subprocess.run(
            [sys.executable, "-m", "selfreview", "run", "--commit", "HEAD", "--format", "json", *arguments],
            cwd=repo, env=env, capture_output=True, check=False,
        )  # fmt: skip
        return dict(json.loads(done.stdout))


def blocking(issues: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the issues that block by default."""
    return [issue for issue in issues if issue["severity"] in BLOCKING]


def show(issue: dict[str, Any]) -> str:
    """Return an issue as one line."""
    place = f"{issue['file']}:{issue['lineStart']}{'(old)' if issue['side'] == 'old' else ''}"
    return f"{place} {issue['severity']} {issue['reviewer']}/{issue['rule']}: {(issue['evidence'] or '').strip()[:100]}"


def hits(issues: Iterable[dict[str, Any]], row: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the issues that stand within one line of a known bug."""
    truth = {(b["path"], b["line"]) for b in row["buggy_lines"]}
    return [
        i
        for i in issues
        if i["side"] == "new" and any(i["file"] == p and i["lineStart"] - 1 <= n <= i["lineEnd"] + 1 for p, n in truth)
    ]


def commits(path: Path, pool: concurrent.futures.Executor, listing: bool) -> None:
    """Measure recall and alarms on real commits."""
    cases = [row for row in rows(path) if row["kind"] == "clean" or row["tier"] in ("A", "B")]
    before = [{f["path"]: f["before"] for f in row["contents"]} for row in cases]
    after = [{f["path"]: f["after"] for f in row["contents"]} for row in cases]
    answers = list(pool.map(review, before, after))
    alarms, found, flagged, buggy = [], [], 0, 0
    alarming: collections.Counter[str] = collections.Counter()
    for row, issues in zip(cases, answers, strict=True):
        blockers = blocking(issues)
        if row["kind"] == "clean":
            if blockers:
                alarms.append((row["id"], blockers))
                alarming.update({f"{issue['reviewer']}/{issue['rule']}" for issue in blockers})
            continue
        buggy += 1
        flagged += bool(blockers)
        hit = hits(issues, row)
        if hit:
            found.append((row["id"], hit))
    clean = len(cases) - buggy
    print(f"bug-introducing commits: {len(found)} of {buggy} known bugs found, {flagged} of {buggy} changes blocked")
    print(f"clean commits: {len(alarms)} of {clean} blocked ({100 * len(alarms) / max(clean, 1):.1f} %)")
    for rule, number in alarming.most_common():
        print(f"  alarm by {rule}: {number}")
    if listing:
        for title, group in (("alarm", alarms), ("found", found)):
            for name, issues in group:
                for issue in issues:
                    print(f"  {title} {name}: {show(issue)}")


def pairs(path: Path, pool: concurrent.futures.Executor, listing: bool) -> None:
    """Measure how many vulnerable functions are told from their fixed form."""
    cases = list(rows(path))
    sides = (
        [{"app.py": textwrap.dedent(case[key])} for case in cases] for key in ("func_src_before", "func_src_after")
    )
    vulnerable, fixed = (list(pool.map(review, [{}] * len(cases), side)) for side in sides)
    by_weakness: dict[str, list[int]] = collections.defaultdict(lambda: [0, 0, 0, 0])
    for case, bad, good in zip(cases, vulnerable, fixed, strict=True):
        security = [[i for i in blocking(issues) if i["category"] == "security"] for issues in (bad, good)]
        row = by_weakness[case["vul_type"]]
        row[0] += 1
        row[1] += bool(security[0])
        row[2] += bool(security[1])
        row[3] += bool(security[0]) and not security[1]
        if listing and not security[0]:
            print(f"  missed {case['func_name']} {case['vul_type']}")
        if listing and security[1]:
            print(f"  flagged though fixed {case['func_name']} {case['vul_type']}: {show(security[1][0])}")
    for weakness, row in sorted(by_weakness.items()):
        print(f"  {weakness}: {row[1]} of {row[0]} vulnerable flagged, {row[2]} fixed flagged, {row[3]} told apart")
    total = [sum(column) for column in zip(*by_weakness.values(), strict=True)]
    print(f"pairs: {total[1]} of {total[0]} vulnerable flagged, {total[2]} fixed flagged, {total[3]} told apart")


def secrets(path: Path, pool: concurrent.futures.Executor, listing: bool) -> None:
    """Measure how many secrets are found, and how many look-alikes are taken for one."""
    cases = list(rows(path))
    contents = [base64.b64decode(case["b64"]) for case in cases]
    answers = list(pool.map(review, [{}] * len(cases), [{"config.txt": content + b"\n"} for content in contents]))
    counts: collections.Counter[tuple[bool, bool]] = collections.Counter()
    for case, issues in zip(cases, answers, strict=True):
        hit = any(issue["reviewer"] == "secrets" for issue in blocking(issues))
        counts[case["label"] == "secret", hit] += 1
        if listing and hit is not (case["label"] == "secret"):
            print(f"  {'missed' if case['label'] == 'secret' else 'look-alike flagged'}: {case['rule']}")
    real, alike = counts[True, True] + counts[True, False], counts[False, True] + counts[False, False]
    print(f"secrets: {counts[True, True]} of {real} found ({100 * counts[True, True] / max(real, 1):.1f} %)")
    print(f"look-alikes: {counts[False, True]} of {alike} flagged ({100 * counts[False, True] / max(alike, 1):.1f} %)")


PARTS = {
    "bugs": ("bug_introducing_commits.jsonl.gz", commits),
    "pairs": ("vulnerable_fixed_pairs.jsonl.gz", pairs),
    "secrets": ("secret_vectors.b64.jsonl", secrets),
}


def main() -> None:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--only", choices=sorted(PARTS))
    parser.add_argument("--list", action="store_true", help="print every alarm and every miss")
    options = parser.parse_args()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, (file, measure) in PARTS.items():
            if options.only in (None, name) and (options.data / file).exists():
                measure(options.data / file, pool, options.list)


if __name__ == "__main__":
    main()
