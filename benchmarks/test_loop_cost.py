"""What a loop costs beside its first review: ``pytest benchmarks/test_loop_cost.py -n 0 -s``.

Eight files change, three of them hold a mistake that a model reports; each iteration mends one. The reviews after the
first must send what changed, not the change.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from selfreview.testing.messages import MessagesServer, RecordedRequest
from selfreview.testing.messages.script import Answer, Reply

LIMIT = 1.75
FUNCTIONS = 30
AGENT = """
import json, pathlib, re, sys
sys.stdin.read()
for path in sorted(pathlib.Path().glob("part*.py")):
    text = path.read_text()
    if "BUG" in text:
        path.write_text(re.sub(r"  # BUG", "", text))
        break
print(json.dumps({"answers": [], "notes": ""}))
"""


def body(number: int) -> str:
    """Return a file; the first three have a mistake."""
    lines = [f"def part{number}_f{n}(value):\n    return value + {n}\n\n\n" for n in range(FUNCTIONS)]
    if number < 3:
        lines[5] = lines[5].replace("value + 5", "value + 5  # BUG")
    return "".join(lines).rstrip() + "\n"


def answer(request: RecordedRequest) -> Answer:
    """Report every line that is marked, and confirm whatever is asked about."""
    schema = json.dumps(request.body["output_config"])
    if '"issues"' not in schema:
        claims = len(re.findall(r"(?m)^\s*\d+\. ", request.user)) or 1
        judgement = {"answer": "confirmed", "reason": "it is so", "evidence": ""}
        return Reply(text=json.dumps({"judgements": [{"index": n + 1, **judgement} for n in range(claims)]}))
    issues = []
    path = ""
    for line in request.user.split("\n"):
        named = re.search(r"part\d+\.py", line)
        path = named[0] if named else path
        found = re.match(r"\s*(\d+) \+(.*# BUG)", line)
        if found:
            issues.append(issue(path, int(found[1]), found[2]))
    return Reply(text=json.dumps({"issues": issues, "summary": "Read.", "verdict": "needs_work" if issues else "pass"}))


def issue(path: str, line: int, text: str) -> dict[str, Any]:
    return {
        "file": path, "lineStart": line, "lineEnd": line, "evidence": text, "severity": "high", "category": "logic",
        "description": "The marked line is wrong.", "failure": "It fails.", "suggestedFix": "Mend it.",
        "confidence": 0.9,
    }  # fmt: skip


def test_the_loop_sends_what_changed(tmp_path: Path) -> None:
    """Three one-file iterations: the reviewers' input in all is at most 1.75 times the first review's."""
    root, config = tmp_path / "repo", tmp_path / "config"
    root.mkdir()
    config.mkdir()
    (config / "agent.py").write_text(AGENT)
    argv = json.dumps([sys.executable, str(config / "agent.py")])
    (config / "config.toml").write_text(f'[agents.scripted]\nrun = {argv}\nfix = {argv}\nformat = "text"\n')

    def git(*args: str) -> None:
        who = ["-c", "user.name=benchmark", "-c", "user.email=benchmark@localhost"]
        subprocess.run(["git", *who, *args], cwd=root, check=True, capture_output=True)

    git("init", "--quiet", "--initial-branch=main")
    (root / "README.md").write_text("# Sample\n")
    git("add", "--all")
    git("commit", "--quiet", "--message=first")
    git("switch", "--quiet", "--create", "work")
    for number in range(8):
        (root / f"part{number}.py").write_text(body(number))
    with MessagesServer(default=answer) as server:
        environ = {
            **os.environ,
            "SELFREVIEW_CONFIG_DIR": str(config),
            "XDG_CACHE_HOME": str(tmp_path / "cache"),
            "ANTHROPIC_API_KEY": "sk-test-key",
            "ANTHROPIC_BASE_URL": server.base_url,
        }
        options = ["--format", "json", "--reviewer", "claude", "--fixer", "agent-scripted", "--apply"]
        argv_ = [sys.executable, "-m", "selfreview", "run", *options]
        done = subprocess.run(argv_, cwd=root, env=environ, capture_output=True, check=False)
    result = json.loads(done.stdout)
    assert result["stop"] == "passed", (result["notes"], done.stderr)
    assert len(result["iterations"]) == 3
    sent = [inputs(iteration["review"]["usage"]) for iteration in result["iterations"]]
    total = inputs(result["usage"])
    first = total - sum(sent)
    print(f"\nreviewers: {first} tokens at first, then {sent}; {total / first:.2f} x the first (limit {LIMIT})")
    print(f"fixers: {[inputs(i['refinement']['usage']) for i in result['iterations']]} tokens (a command line's own)")
    assert total / first <= LIMIT


def inputs(usage: dict[str, int]) -> int:
    """Return the tokens that were sent, wherever they were read from."""
    return usage["inputTokens"] + usage["cacheReadTokens"] + usage["cacheWriteTokens"]
