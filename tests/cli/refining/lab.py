"""A person's repository with two issues in it, and everything that must stay as it is."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from selfreview.cli.main import execute
from selfreview.model.event import Event
from selfreview.model.session import Session
from selfreview.store import Store
from tests.conftest import Ran, Workspace
from tests.nursery import start_program
from tests.refine.lab import tree_of

HERE = Path(__file__).parent

BASE = b"def half(n):\n    return n\n"
APP = b"def half(n):\n    return n // 2  # BUG-one\n\n\ndef twice(n):\n    return n * 2  # BUG-two\n"
MENDED = APP.replace(b"  # BUG-one", b"").replace(b"  # BUG-two", b"")
TEST = b"from app import half\n\n\ndef test_half():\n    assert half(4) == 2\n"

CONFIG = """
reviewers = ["marks"]
[agents.mine]
run = {run}
fix = {run}
"""


class Lab:
    """A repository whose working tree differs from its base by two issues, and the program run in it.

    Args:
        person: The repository; its parent folder is where agents leave notes.
    """

    def __init__(self, person: Workspace) -> None:
        self.person = person
        self.outside = person.root.parent
        self.home = Path(os.environ["HOME"])
        person.git("switch", "--quiet", "main")
        person.commit(
            "app",
            **{"app.py": BASE, "other.py": "LIMIT = 1\n", "tests/test_app.py": TEST, "crlf.txt": b"a\r\nb\r\n"},
        )
        person.git("switch", "--quiet", "work")
        person.git("reset", "--quiet", "--hard", "main")
        person.write("app.py", APP)
        person.write("note.txt", "not yet added\n")
        self.use("good")

    def use(self, deed: str, more: str = "", *, top: str = "") -> None:
        """Say what the agent does."""
        folder = Path(os.environ["SELFREVIEW_CONFIG_DIR"])
        folder.mkdir(parents=True, exist_ok=True)
        run = json.dumps([sys.executable, str(HERE / "agent.py"), str(self.outside), deed])
        (folder / "config.toml").write_text(top + CONFIG.format(run=run) + more)

    @property
    def environment(self) -> dict[str, str]:
        """What the program needs to find the plugin, and where the plugin writes to."""
        return {
            "PYTHONPATH": str(HERE / "plugins"),
            "MARKS_TOLD": str(self.outside / "told-observers"),
            "SELFREVIEW_AGENT_CONFINEMENT": "false",  # agents leave notes outside
        }

    def call(self, *arguments: str, **environment: str) -> Ran:
        """Run a command line."""
        return self.person.selfreview(*arguments, **self.environment, **environment)

    def refine(
        self, *arguments: str, command: str = "run", fixer: str = "agent-mine", here: bool = False, **environment: str
    ) -> Ran:
        """Run the loop with the agent as its fixer, and print the result; ``here``: in this process, faster."""
        given = (command, "-p", "marks", "--fixer", fixer, "--format", "json", *arguments)
        return self._here(given, environment) if here else self.call(*given, **environment)

    def _here(self, arguments: Sequence[str], environment: Mapping[str, str]) -> Ran:
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
        with pytest.MonkeyPatch.context() as patch, Path(os.devnull).open(encoding="utf-8") as nothing:
            for name, value in {**self.environment, **environment}.items():
                patch.setenv(name, value)
            patch.chdir(self.person.root)
            patch.syspath_prepend(str(HERE / "plugins"))
            for name, stream in {"stdin": nothing, "stdout": out, "stderr": err}.items():
                patch.setattr(sys, name, stream)
            code = execute(arguments)
        texts = [stream.buffer.getvalue() for stream in (out, err) if isinstance(stream.buffer, io.BytesIO)]
        return Ran.of(subprocess.CompletedProcess(list(arguments), code, *texts))

    def start(self, *arguments: str, command: str = "run") -> subprocess.Popen[bytes]:
        """Begin to run the loop."""
        return start_program(
            (command, "-p", "marks", "--fixer", "agent-mine", "--format", "json", *arguments),
            cwd=self.person.root,
            env={**os.environ, **self.environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def snapshot(self) -> dict[str, Any]:
        """Return all that must not change: the tree, and what git's folder holds that is the person's."""
        root = self.person.root
        git = tree_of(root / ".git")
        ours = ("selfreview/", "objects/", "index", "logs/")
        return {
            "tree": tree_of(root),
            "git": {path: content for path, content in git.items() if not path.startswith(ours)},
            "index": self.person.git("ls-files", "--stage"),
            "outside": sorted(path.name for path in self.outside.iterdir() if not path.name.startswith("told")),
            "home": sorted(path.name for path in self.home.iterdir() if path.name != ".cache"),
        }

    @property
    def workspaces(self) -> list[str]:
        """What is left of workspaces, anywhere."""
        cache = [path for path in self.home.rglob("workspaces/*") if path.is_dir()]
        records = self.person.root / ".git" / "selfreview" / "workspaces"
        return [*map(str, cache), *(path.name for path in (records.iterdir() if records.is_dir() else ()))]

    def session(self) -> Session:
        """Return the branch's session."""
        with self._store() as store:
            found = store.session(str(self.person.root), "work")
        assert found is not None
        return found

    def events(self) -> list[Event]:
        """Return all events of the session, in order."""
        session = self.session()
        with self._store() as store:
            return store.session_events(session.id)

    def told(self) -> list[dict[str, Any]]:
        """Return what observers were told."""
        return [json.loads(line) for line in (self.outside / "told-observers").read_text().splitlines()]

    def _store(self) -> Store:
        return Store.open(self.person.root / ".git" / "selfreview")
