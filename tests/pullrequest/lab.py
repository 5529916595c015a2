"""A repository with a pull request: a bare remote, a forge that knows it, a model, and the program run in a clone."""

from __future__ import annotations

import json
import subprocess
import threading
from pathlib import Path
from typing import Any

from selfreview.testing.messages import MessagesServer, RecordedRequest, Reply
from tests.cli.refining.talk import report
from tests.conftest import Ran, Workspace
from tests.forge import FakeGitHub, PullRequest, User

APP = 'def half(n):\n    return n / 2\n\n\ndef twice(n):\n    return n * 2\n\n\ndef name():\n    return "app"\n'
TOKEN = "ghp_" + "x1Y2" * 9


URL = "https://github.com/octo/app.git"


def publish(workspace: Workspace, remote: Path) -> None:
    """Make the remote of a clone, and push the base and the branch."""
    git = workspace.git
    subprocess.run(["git", "init", "--quiet", "--bare", "-b", "main", str(remote)], check=True)
    git("remote", "add", "origin", URL)
    git("config", f"url.{remote}.insteadOf", URL)
    git("checkout", "--quiet", "main")
    workspace.commit("app", **{"app.py": "def half(n):\n    return n / 2\n"})
    git("push", "--quiet", "origin", "main")
    git("checkout", "--quiet", "-b", "topic")
    workspace.commit("more", **{"app.py": APP})
    git("push", "--quiet", "--set-upstream", "origin", "topic")


class Lab:
    """A pull request of ``dev`` for branch ``topic``, with the reviewer ``rev`` who may write.

    Args:
        workspace: The clone, on the branch, which is published.
        forge: The forge.
        outside: The folder of the remote, and for what is beside it.
        here: Whether ``selfreview pr`` runs in this process, which is quicker, and not as one of its own.
    """

    def __init__(self, workspace: Workspace, forge: FakeGitHub, outside: Path, *, here: bool = False) -> None:
        self.workspace = workspace
        self.here = here
        self.forge = forge
        self.remote = outside / "remote.git"
        self.repository = forge.repository("octo/app", remote=self.remote)
        self.dev = self.repository.allow(forge.user("dev"), "write")
        self.rev = self.repository.allow(forge.user("rev"), "write")
        forge.token(TOKEN, self.dev)
        self.server: MessagesServer | None = None

    def open(self, **more: Any) -> PullRequest:
        """Open the pull request."""
        return self.repository.pull("topic", author=self.dev, **more)

    def pr(self, *args: str, **env: str) -> Ran:
        """Run ``selfreview pr``."""
        given = {**self.environment, **env}
        # Not with modules from elsewhere, not beside another run here, and no watcher, whose threads print as well.
        apart = "PYTHONPATH" in given or args[0] == "watch" or threading.current_thread() is not threading.main_thread()
        if apart or not self.here:
            return self.workspace.selfreview("pr", *args, **given)
        return self.workspace.here("pr", *args, **given)

    @property
    def environment(self) -> dict[str, str]:
        """What connects the program with the forge and the model."""
        found = {"GH_TOKEN": TOKEN, "GITHUB_API_URL": self.forge.api_url, "GITHUB_GRAPHQL_URL": self.forge.graphql_url}
        if self.server is not None:
            found |= {"ANTHROPIC_BASE_URL": self.server.base_url, "ANTHROPIC_API_KEY": "sk-test-key"}
        return found

    def head(self, branch: str = "topic") -> str:
        """Return what the remote has for a branch."""
        return self.there("rev-parse", f"refs/heads/{branch}")

    def file(self, path: str = "app.py", branch: str = "topic") -> str:
        """Return a file of the remote's branch."""
        return self.there("show", f"refs/heads/{branch}:{path}") + "\n"

    def log(self, branch: str = "topic") -> list[str]:
        """Return the subjects of the remote's commits that are not on main, newest first."""
        return self.there("log", "--format=%s", f"refs/heads/{branch}", "--not", "refs/heads/main").splitlines()

    def there(self, *args: str) -> str:
        """Run git in the remote."""
        done = subprocess.run(["git", *args], cwd=self.remote, capture_output=True, check=True)
        return done.stdout.decode().strip()


def judged(*answers: dict[str, str]) -> Reply:
    """Return what a model says of feedback, one answer each, in order."""
    items = [
        {
            "id": f"f{number}", "meaning": "actionable", "severity": "medium", "description": "", "reason": "as told",
            "suggestedResponse": "", **answer,
        }
        for number, answer in enumerate(answers, 1)
    ]  # fmt: skip
    return Reply(text=json.dumps({"items": items}))


def is_analysis(request: RecordedRequest) -> bool:
    """Whether a request asks what feedback means."""
    return "what is to be done about it" in str(request.body["messages"])


__all__ = ["APP", "TOKEN", "Lab", "User", "is_analysis", "judged", "report"]
