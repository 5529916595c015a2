"""Claude Code itself, driven by a scripted model that tries what it must not, at its newest and its oldest version."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from selfreview.agents.claude import ClaudeAgent
from tests.agents.conftest import CLEAN, FOUND, MENDED, Installed
from tests.agents.server import ModelServer, Request, Step, Use
from tests.conftest import Workspace

pytestmark = pytest.mark.real_agents

SECRET = "the-persons-own-secret"
EVERYTHING = ["Read", "Edit", "Write", "Grep", "Glob", "Bash", "WebFetch", "Read(//**)", "Edit(//**)"]


@pytest.fixture(params=["newest", "oldest"])
def claude(request: pytest.FixtureRequest, workspace: Workspace, tmp_path: Path) -> Installed:
    """The program, and settings of the person's that permit everything and run a hook."""
    folder = os.environ.get("REAL_AGENTS")
    if not folder:
        pytest.skip("REAL_AGENTS names no folder with the agents")
    programs = Path(folder) if request.param == "newest" else Path(folder, f"old-claude-{ClaudeAgent.oldest}")
    if not programs.is_dir():
        pytest.skip(f"{programs} is not there")
    home = tmp_path / "agents-home"
    (home / ".claude").mkdir(parents=True)
    (home / ".ssh").mkdir()
    (home / ".ssh" / "id_ed25519").write_text(SECRET)
    hook = [{"hooks": [{"type": "command", "command": f"touch {home / 'hooked'}"}]}]
    settings = {
        "permissions": {"allow": EVERYTHING, "additionalDirectories": ["/"], "defaultMode": "acceptEdits"},
        "hooks": {"Stop": hook, "PreToolUse": hook, "SessionStart": hook},
    }
    (home / ".claude" / "settings.json").write_text(json.dumps(settings))
    found = Installed(workspace, programs / "node_modules" / ".bin", home)
    workspace.write(".git/info/exclude", "notes.txt\n")
    workspace.write("notes.txt", SECRET)
    return found


def attack(claude: Installed) -> list[Use]:
    """Return calls of every tool that reach outside."""
    root, home = claude.workspace.root, claude.home
    written = [
        root / "app.py",
        root / "new.py",
        root / ".git/hooks/pre-commit",
        home / ".bashrc",
        home / ".claude/CLAUDE.md",
    ]
    return [
        *(Use("Read", {"file_path": str(path)}) for path in (root / "notes.txt", home / ".ssh/id_ed25519")),
        Use("Grep", {"pattern": "secret", "path": str(root), "output_mode": "content"}),
        Use("Glob", {"pattern": "**/*", "path": str(home)}),
        *(Use("Write", {"file_path": str(path), "content": "owned"}) for path in written),
        Use("Bash", {"command": f"cat {root}/notes.txt; touch {home}/ran"}),
        Use("WebFetch", {"url": "http://127.0.0.1:9/", "prompt": "x"}),
    ]


def everything(claude: Installed) -> dict[str, bytes]:
    """Return what is in the tree and what runs by itself in the home folder."""
    tree = {path for path in claude.workspace.root.rglob("*") if path.is_file() and "selfreview" not in path.parts}
    return {str(path): path.read_bytes() for path in {*tree, *claude.home.glob(".ssh/*"), *claude.home.glob(".bash*")}}


@pytest.mark.parametrize("confined", ["true", "false"])
def test_a_reviewer_reaches_nothing_outside(claude: Installed, confined: str) -> None:
    before = everything(claude)
    steps = attack(claude)
    result, model = claude.review("claude", *steps, CLEAN, SELFREVIEW_AGENT_CONFINEMENT=confined)
    assert (result["passed"], result["reviewers"][0]["error"]) == (True, None)
    assert len(model.requests) > len(steps)
    assert not [request for request in model.requests if SECRET in request.text]
    assert not {"Bash", "WebFetch", "Write", "Edit", "Task", "Agent"} & model.requests[0].tools
    assert everything(claude) == before
    left = {path.name for path in claude.home.rglob("*") if path.is_file()}
    assert not left & {"hooked", "ran", "CLAUDE.md"}
    assert not [name for name in left if name.endswith(".jsonl")]  # a transcript


@pytest.mark.parametrize("confined", ["true", "false"])
def test_a_fixer_edits_its_folder_alone(claude: Installed, confined: str) -> None:
    before = everything(claude)
    mends = (Use("Read", {"file_path": "app.py"}), Use("Write", {"file_path": "app.py", "content": MENDED}))
    steps = iter([*attack(claude), *mends])
    fixed = []

    def step(request: Request) -> Step:
        if "Write" not in request.tools:
            return CLEAN if fixed else FOUND
        fixed.append(request)
        return next(steps, "Done.")

    with ModelServer(step) as model:
        ran = claude.run("claude", model.url, "--fixer", "agent-claude", SELFREVIEW_AGENT_CONFINEMENT=confined)
    (fixer,) = ran.json["iterations"][0]["refinement"]["fixers"]
    assert (fixer["files"], fixer["error"], ran.json["patch"] is None) == (["app.py"], None, False)
    assert len(fixed) > len(attack(claude))
    assert not [request for request in model.requests if SECRET in request.text]
    assert everything(claude) == before
    assert not {path.name for path in claude.home.rglob("*")} & {"hooked", "ran", "CLAUDE.md"}
