"""Plant secrets and look whether one leaves: ``python benchmarks/leaks.py DATA/secret_vectors.b64.jsonl``.

Each secret is planted in a change, in a removed line, in a file that is shown as context, in the guidelines and in the
commit message, and the change is reviewed by the real command line through a loopback server; then all of them at once.
A leak is a request that holds a secret's value.
"""

from __future__ import annotations

import argparse
import base64
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from quality import environment, rows

from selfreview.secrets.match import Confidence
from selfreview.secrets.scanner import scan
from selfreview.testing.messages import MessagesServer

CLEAN = json.dumps({"issues": [], "summary": "Nothing is wrong in it.", "verdict": "pass"})


def values(text: str) -> list[str]:
    """Return what must not be sent of a secret's text: the values in it, else its long words."""
    found = [match.value for match in scan(text) if match.confidence is not Confidence.DOUBTFUL]
    return found or [word for word in re.findall(r"[^\s\"'`,;]{12,}", text) if re.search(r"\d", word)] or [text.strip()]


def sent(texts: list[str]) -> str:
    """Review a change that is full of secrets, and return everything that was sent."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        repo = Path(folder) / "repo"
        repo.mkdir()
        env = environment(Path(folder))

        def git(*args: str) -> None:
            subprocess.run(["git", *args], cwd=repo, env=env, check=True, capture_output=True)

        planted = "\n".join(texts)
        literals = "\n".join(f"VALUE_{n} = {text!r}" for n, text in enumerate(texts))
        git("init", "--quiet", "--initial-branch=main")
        helper = (
            "def connect(url):\n"
            + "".join(f"    key{n} = {text!r}\n" for n, text in enumerate(texts))
            + "    return url\n"
        )
        (repo / "helper.py").write_text(helper)
        (repo / "old.txt").write_text(planted + "\n")
        (repo / "AGENTS.md").write_text(f"Use these values:\n\n{planted}\n")
        git("add", "--all")
        git("commit", "--quiet", "--message=base", "--no-gpg-sign")
        git("switch", "--quiet", "--create", "work")
        (repo / "old.txt").write_text("nothing\n")
        (repo / "new.txt").write_text(planted + "\n")
        (repo / "settings.py").write_text(literals + "\n")
        (repo / "settings.json").write_text(json.dumps({"values": texts}, indent=1))
        (repo / "use.py").write_text("from helper import connect\n\n\ndef go():\n    return connect(1)\n")
        git("add", "--all")
        git("commit", "--quiet", f"--message=rotate\n\n{planted}", "--no-gpg-sign")
        with MessagesServer(default=CLEAN) as server:
            env |= {"ANTHROPIC_BASE_URL": server.base_url, "ANTHROPIC_API_KEY": "benchmark"}
            argv = [
                sys.executable,
                "-m",
                "selfreview",
                "run",
                "--reviewer",
                "claude",
                "--format",
                "json",
                "-o",
                "claude.effort=quick",
            ]
            done = subprocess.run(argv, cwd=repo, env=env, capture_output=True, check=False)
            status = json.loads(done.stdout)["status"]
            if status != "complete" or not server.requests:
                raise RuntimeError(f"the review did not take place: {done.stdout!r} {done.stderr!r}")
            return "\n".join(_plain(request.body) for request in server.requests)


def _plain(value: object) -> str:
    """Return every text of a request as it is, without JSON's escapes."""
    if isinstance(value, dict):
        return "\n".join(_plain(item) for item in value.values())
    return "\n".join(map(_plain, value)) if isinstance(value, list) else str(value)


def main() -> None:
    """Plant everything, print what leaves, and fail if anything does."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("vectors", type=Path)
    cases = [row for row in rows(parser.parse_args().vectors) if row["label"] == "secret"]
    texts = [base64.b64decode(case["b64"]).decode("utf-8", "replace") for case in cases]
    leaked = 0
    for case, text in zip(cases, texts, strict=True):
        out = sent([text])
        if any(value in out for value in values(text)):
            leaked += 1
            print(f"  leaked: {case['rule']}")
    together = sent(texts)
    lost = sum(any(value in together for value in values(text)) for text in texts)
    print(f"alone: {leaked} of {len(texts)} secrets left; together: {lost} of {len(texts)}")
    sys.exit(bool(leaked or lost))


if __name__ == "__main__":
    main()
