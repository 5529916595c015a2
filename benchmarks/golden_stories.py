"""Stories of the golden record: what a person does with one version of the program, command by command."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

APP = """\
import os


def half(n):
    return n / 2


def names(values=[]):
    if not None in values:
        values.append(1)
    return values


def total(text):
    return eval(text)
"""
TESTS = "from app import half\n\n\ndef test_half():\n    assert half(4) == 2\n"
TOKEN = "ghp_" + "x1Y2" * 9
ONLINE = {"SELFREVIEW_OFFLINE": "false"}
FIXER = """\
import json, pathlib, sys
sys.stdin.read()
for name, before, after in json.load(open({edits!r})):
    path = pathlib.Path(name)
    text = path.read_text() if path.exists() else ""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text.replace(before, after) if before else text + after)
print("Done.")
"""
EVAL = ("app.py", "return eval(text)", "return int(text)")


class Desk(Protocol):
    """The part of a desk that stories use."""

    folder: Path
    root: Path
    environment: dict[str, str]
    lines: list[str]

    def say(self, *argv: str, **environment: str) -> None:
        """Run the program, and write down what it did."""

    def other(self, *argv: str, **environment: str) -> str:
        """Run another program, and return what it printed."""


def _start(at: Desk, files: Mapping[str, str] = MappingProxyType({"app.py": APP}), *, commit: bool = False) -> None:
    at.root.mkdir()
    at.other("git", "init", "--quiet", "--initial-branch", "main")
    _write(at, {"README.md": "App\n", "tests/test_app.py": TESTS})
    at.other("git", "add", "--all")
    at.other("git", "commit", "--quiet", "--message", "Begin")
    at.other("git", "checkout", "--quiet", "-b", "topic")
    _write(at, files)
    if commit:
        at.other("git", "add", "--all")
        at.other("git", "commit", "--quiet", "--message", "Work")


def _write(at: Desk, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = at.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _issue(at: Desk, rule: str) -> str:
    """Return the id of the open issue of a rule."""
    at.other("selfreview", "report", "--format", f"json:{at.folder / 'report.json'}")
    found = json.loads((at.folder / "report.json").read_bytes())
    return next(str(issue["id"]) for issue in found["issues"] if issue["rule"] == rule)


def _agent(at: Desk, *edits: tuple[str, str, str]) -> tuple[str, ...]:
    """Set up a fixer that makes edits, and return the options that ask it."""
    folder = Path(at.environment["HOME"], ".config", "selfreview")
    folder.mkdir(parents=True, exist_ok=True)
    (at.folder / "edits.json").write_text(json.dumps(edits))
    script = at.folder / "fixer.py"
    script.write_text(FIXER.format(edits=str(at.folder / "edits.json")))
    argv = json.dumps([sys.executable, str(script)])
    (folder / "config.toml").write_text(f"agent_confinement = false\n[agents.scripted]\nrun = {argv}\nfix = {argv}\n")
    return "--fixer", "agent-scripted"


def looking(at: Desk) -> None:
    """Review, look at what was found in every format, and accept an issue."""
    _start(at)
    at.say("run", "--no-fix")
    at.say("status")
    for name in ("json", "concise", "agent", "github", "markdown", "junit", "gitlab", "rdjson", "html"):
        at.say("report", "--format", name)
    at.say("show", _issue(at, "python-eval"))
    at.say("accept", _issue(at, "python-eval"), "--reason", "known")
    at.say("run", "--no-fix")
    at.say("accept", "--withdraw", "python-eval")
    at.say("skip", "--reason", "late")
    at.say("ready")
    at.say("history")
    at.say("reset")


def applying(at: Desk) -> None:
    """Apply what built-in fixers do, and take it back."""
    _start(at)
    at.say("run", "--apply")
    at.say("status")
    at.say("undo")
    at.say("run")
    at.say("apply", "--stage")
    at.say("undo")


def agents(at: Desk) -> None:
    """Have a scripted fixer mend what blocks."""
    _start(at, commit=True)
    options = _agent(at, EVAL)
    at.say("run", "--apply", "--fixer", "auto", *options, **ONLINE)
    at.say("undo")
    at.say("run", "--max-iterations", "1", *options, **ONLINE)
    at.say("resume", *options, **ONLINE)
    at.say("refine", "--apply", *options, **ONLINE)
    at.say("retry", *options, **ONLINE)


def cheating(at: Desk) -> None:
    """Have a scripted fixer quieten what it should mend, and edit what is not its own."""
    for edits in (
        [("app.py", "return eval(text)", "return eval(text)  # noqa: S307")],
        [EVAL, ("tests/test_app.py", "assert half(4) == 2", "assert half(4)")],
        [EVAL, ("tests/test_app.py", "", "\n\ndef test_none():\n    assert half(0) == 0\n")],
        [EVAL, ("tests/test_more.py", "", "def test_more():\n    assert True\n")],
        [EVAL, ("tests/conftest.py", "", "collect_ignore = ['test_app.py']\n")],
        [EVAL, ("pyproject.toml", "", "[tool.ruff]\nlint.ignore = ['ALL']\n")],
        [EVAL, ("app.py", "return n / 2", "return n")],
        [("app.py", "return eval(text)", "return")],
    ):
        if not at.root.exists():
            _start(at, commit=True)
        at.lines.append(f"== {edits}")
        at.say("run", "--apply", "--no-cache", *_agent(at, *edits), **ONLINE)
        at.say("undo")
        at.other("git", "checkout", "--quiet", ".")
        at.other("git", "clean", "--quiet", "--force", "-d")
        at.say("reset")


def checks(at: Desk) -> None:
    """Have checks of the repository run, before and after they are trusted."""
    settings = '[checks]\nunits = ["python3", "-c", "import app; assert app.half(4) == 2"]\n'
    _start(at, {"app.py": APP.replace("eval", "int"), "selfreview.toml": settings}, commit=True)
    at.say("run")
    at.say("trust", "--list")
    at.say("trust")
    at.say("run")
    _write(at, {"app.py": APP.replace("eval", "int").replace("n / 2", "n")})
    at.say("run")
    at.say("untrust")


def plugins(at: Desk) -> None:
    """Have a plugin of the repository take part."""
    conf = "from selfreview.api import hookimpl\n\n\n@hookimpl\ndef selfreview_collect_scope(change):\n    pass\n"
    _start(at, {"app.py": APP, "selfreview_conf.py": conf}, commit=True)
    at.say("run", "--no-fix")
    at.say("plugins")
    at.say("run", "--no-fix", "-p", "no:ruff")


def hooks(at: Desk) -> None:
    """Commit and push with hooks."""
    _start(at)
    at.say("hook", "install")
    at.say("hook", "status")
    remote = at.folder / "remote.git"
    subprocess.run(["git", "init", "--quiet", "--bare", str(remote)], check=True, capture_output=True)
    at.other("git", "remote", "add", "origin", str(remote))
    at.other("git", "push", "--quiet", "origin", "main")
    at.other("git", "add", "app.py")
    at.lines.append(at.other("git", "commit", "--quiet", "--message", "Bad"))
    at.lines.append(at.other("git", "commit", "--quiet", "--no-verify", "--message", "Bad"))
    at.lines.append(at.other("git", "push", "origin", "topic"))
    _write(at, {"app.py": "def half(n):\n    return n / 2\n"})
    at.lines.append(at.other("git", "commit", "--quiet", "--all", "--message", "Good"))
    at.lines.append(at.other("git", "push", "origin", "topic"))
    at.say("hook", "uninstall")


def gating(at: Desk) -> None:
    """Gate a change that loosens what it is held to, and keep a baseline."""
    _start(at, commit=True)
    at.say("gate", "--base", "main")
    _write(at, {"selfreview.toml": 'severity_threshold = "never"\n'})
    at.other("git", "add", "--all")
    at.other("git", "commit", "--quiet", "--message", "Loosen")
    at.say("gate", "--base", "main")
    at.say("run", "--no-fix")
    at.say("baseline", "create")
    at.say("baseline", "show")
    at.say("run", "--no-fix", "--severity-threshold", "low")
    at.say("baseline", "prune")


def patches(at: Desk) -> None:
    """Review other scopes than the branch."""
    _start(at, commit=True)
    _write(at, {"app.py": APP + "\n\ndef more(x):\n    return eval(x)\n", "new.py": "import os, sys\n"})
    at.other("git", "add", "app.py")
    (at.folder / "change.diff").write_text(at.other("git", "diff", "--cached").partition("\n")[2])
    for options in (
        ("--staged",), ("--commit", "HEAD"), ("--range", "main..HEAD"), ("--head", "HEAD"), ("--collect-only",),
        ("--diff", str(at.folder / "change.diff")), ("app.py",), ("--reviewer", "rules"), ("--reviewer", "nobody"),
        ("--max-issues", "0"), ("--base", "nowhere"), ("--severity-threshold", "never"),
    ):  # fmt: skip
        at.say("run", "--no-fix", *options)


def setting_up(at: Desk) -> None:
    """Write files for a repository, and say what there is."""
    _start(at)
    at.say("init", "--list")
    at.say("init", "config", "github", "gitlab", "pre-commit", "agents")
    at.say("config")
    at.say("schema", "verdict")
    at.say("completion", "bash")
    for command in ("", "run", "gate", "pr", "hook", "baseline", "notify", "trust"):
        at.say(*filter(None, (command,)), "--help")
    at.say("notify")
    at.say("nonsense")


def fixing_feedback(at: Desk) -> None:
    """Answer a reviewer's suggestion, and a question, on a forge."""
    _start(at, {"app.py": APP.replace("eval", "int")}, commit=True)
    remote = at.folder / "remote.git"
    subprocess.run(["git", "init", "--quiet", "--bare", "-b", "main", str(remote)], check=True, capture_output=True)
    url = "https://github.com/octo/app.git"
    at.other("git", "remote", "add", "origin", url)
    at.other("git", "config", f"url.{remote}.insteadOf", url)
    at.other("git", "push", "--quiet", "origin", "main")
    at.other("git", "push", "--quiet", "--set-upstream", "origin", "topic")
    with _forge() as forge:
        repository = forge.repository("octo/app", remote=remote)
        dev = repository.allow(forge.user("dev"), "write")
        reviewer = repository.allow(forge.user("rev"), "write")
        forge.token(TOKEN, dev)
        at.environment |= {
            "GH_TOKEN": TOKEN, "GITHUB_API_URL": forge.api_url, "GITHUB_GRAPHQL_URL": forge.graphql_url,
        }  # fmt: skip
        pull = repository.pull("topic", author=dev)
        review = pull.review(reviewer, "CHANGES_REQUESTED", "")
        pull.inline(reviewer, "app.py", 5, "```suggestion\n    return n * 0.5\n```", review=review)
        pull.inline(reviewer, "app.py", 15, "Why not a float?", review=review)
        for command in ("status", "feedback", "fix", "fix", "status"):
            at.say("pr", command, str(pull.number))
            at.lines.append("\n".join(c.body for thread in pull.threads for c in thread.comments))
            at.lines.append("\n".join(comment.body for comment in pull.comments))


def _forge():  # type: ignore[no-untyped-def]
    for name in ("tests.forge", "selfreview.testing.forge"):  # the latter in versions of before
        try:
            return importlib.import_module(name).FakeGitHub()
        except ImportError:
            continue
    raise ImportError("no fake forge is found")


STORIES: Mapping[str, Callable[[Desk], None]] = MappingProxyType(
    {
        story.__name__: story
        for story in (
            looking,
            applying,
            agents,
            cheating,
            checks,
            plugins,
            hooks,
            gating,
            patches,
            setting_up,
            fixing_feedback,
        )
    }
)
"""Every story, by name."""
