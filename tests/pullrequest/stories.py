"""What reviewers and models say in the stories of these tests."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from selfreview.testing.messages import MessagesServer, RecordedRequest, Reply, Script
from tests.cli.refining.talk import report
from tests.conftest import Ran
from tests.fixers.talks import edit, says
from tests.forge import InlineComment, PullRequest
from tests.pullrequest.lab import APP, Lab, judged

SETTINGS = 'fixers = ["auto", "claude"]\nreviewers = ["ruff", "rules", "secrets", "text"]\n'
SUGGESTED = APP.replace("n * 2", "n + n")
RENAMED = APP.replace('"app"', '"the app"')
RENAME = edit("app.py", '"app"', '"the app"')


def suggest(lab: Lab, pull: PullRequest, line: int = 6, code: str = "    return n + n", **more: Any) -> InlineComment:
    """Have the reviewer suggest a line."""
    body = f"```suggestion\n{code}\n```" if code else "```suggestion\n```"
    return pull.inline(lab.rev, more.pop("path", "app.py"), line, body, **more)


def configure(lab: Lab, text: str = SETTINGS) -> None:
    """Commit and push the repository's own settings, and trust them."""
    (lab.workspace.root / "selfreview.toml").write_text(text)
    lab.workspace.commit("settings")
    lab.workspace.git("push", "--quiet")
    done = (lab.workspace.here if lab.here else lab.workspace.selfreview)("trust")
    assert done.code == 0, done


def talk(
    *answers: Mapping[str, str], during: Callable[[], object] = lambda: None, deed: Reply | None = None
) -> list[Script]:
    """Return what a model says of the feedback, then while it fixes, when something may happen, then of its edits."""

    def fixing(_: RecordedRequest) -> Reply:
        during()
        return deed if deed is not None else says(RENAME)

    return [judged(*(dict(answer) for answer in answers or [{"description": "say it in full"}])), fixing, report()]


def hook(folder: Path, name: str, script: str) -> None:
    """Write a hook of git."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)


@contextlib.contextmanager
def model(lab: Lab, script: list[Script]) -> Iterator[MessagesServer]:
    """Have a model there that says something."""
    with MessagesServer(script) as server:
        lab.server = server
        try:
            yield server
        finally:
            lab.server = None


def fix(lab: Lab, pull: PullRequest, *args: str, **env: str) -> Ran:
    """Answer the feedback, and have nothing of it crash."""
    ran = lab.pr("fix", str(pull.number), *args, **env)
    assert "Traceback" not in ran.err, ran
    assert ran.code in (0, 1, 5), ran
    return ran


def commits(lab: Lab) -> list[str]:
    """Return the fix commits on the remote, newest first."""
    return [line for line in lab.log() if line.startswith("Address review comments")]


def push_there(lab: Lab, path: str, content: str | bytes, branch: str = "topic", *, force_on: str | None = None) -> str:
    """Have somebody else push a file to the remote's branch, on top of it or of another commit; return the commit."""
    data = content if isinstance(content, bytes) else content.encode()
    parent = force_on or lab.head(branch)

    def there(*args: str, stdin: bytes = b"", **env: str) -> str:
        done = subprocess.run(["git", *args], cwd=lab.remote, input=stdin, capture_output=True, check=True,
                              env={**os.environ, **env})  # fmt: skip
        return done.stdout.decode().strip()

    index = str(lab.remote / "their-index")
    blob = there("hash-object", "-w", "--stdin", stdin=data)
    there("read-tree", parent, GIT_INDEX_FILE=index)
    there("update-index", "--add", "--cacheinfo", f"100644,{blob},{path}", GIT_INDEX_FILE=index)
    tree = there("write-tree", GIT_INDEX_FILE=index)
    sha = there("commit-tree", tree, "-p", parent, "-m", f"Theirs: {path}")
    there("update-ref", f"refs/heads/{branch}", sha)
    return sha


def plugin(lab: Lab, source: str, name: str = "their_plugin") -> dict[str, str]:
    """Write a plugin beside the repository; return what has Python find it."""
    folder = lab.remote.parent / "plugins"
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.py").write_text(source)
    return {"PYTHONPATH": os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)}


def said_by(pull: PullRequest, login: str) -> list[str]:
    """Return what somebody wrote in threads and as general comments."""
    found = [*pull.inline_comments, *pull.comments]
    return [comment.body for comment in found if comment.author.login == login]


def calls_for_a_person(lab: Lab, pull: PullRequest) -> list[str]:
    """Return our comments that call a person."""
    return [body for body in said_by(pull, lab.dev.login) if "A person is needed here" in body]


def nothing_happened(lab: Lab, pull: PullRequest) -> bool:
    """Whether nothing was pushed, said, asked for or labelled."""
    quiet = not said_by(pull, lab.dev.login) and not pull.requested and not pull.labels
    return quiet and not commits(lab)
