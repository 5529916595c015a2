"""The coding agents themselves, as reviewers and fixers: ``REAL_AGENTS=FOLDER pytest -m real_agents``."""

from __future__ import annotations

import json

import pytest

from selfreview.errors import ExitCode
from tests.agents.conftest import CLEAN, CODE, FOUND, MENDED, Installed
from tests.agents.server import INPUT_TOKENS, OUTPUT_TOKENS, ModelServer, Refusal, Request, Step, Use

pytestmark = pytest.mark.real_agents

NAMES = ("claude", "codex", "gemini", "opencode")
OLD, NEW = (text.splitlines()[1] for text in (CODE, MENDED))


def codex(tool: str, given: str | dict[str, str]) -> Step:
    """Return a call of a tool; newer versions have only one, which runs JavaScript that calls the others."""

    def step(request: Request) -> Use:
        call = f"text(JSON.stringify(await tools.{tool}({json.dumps(given)})))"
        return Use("exec", call) if "exec" in request.tools else Use(tool, given)

    return step


def reads(name: str, path: str) -> Step:
    return {
        "claude": Use("Read", {"file_path": path}),
        "codex": codex("exec_command", {"cmd": f"cat {path}"}),
        "gemini": Use("read_file", {"file_path": path}),
        "opencode": Use("read", {"filePath": path}),
    }[name]


def edits(name: str, path: str) -> Step:
    patch = f"*** Begin Patch\n*** Update File: {path}\n@@\n-{OLD}\n+{NEW}\n*** End Patch"
    return {
        "claude": Use("Edit", {"file_path": path, "old_string": OLD, "new_string": NEW}),
        "codex": codex("apply_patch", patch),
        "gemini": Use("replace", {"file_path": path, "old_string": OLD, "new_string": NEW, "instruction": "mend"}),
        "opencode": Use("edit", {"filePath": path, "oldString": OLD, "newString": NEW}),
    }[name]


@pytest.mark.parametrize("name", NAMES)
def test_it_finds_an_issue_and_mends_it(installed: Installed, name: str) -> None:
    report = json.dumps({"answers": [], "elsewhere": [], "notes": "mended"})
    read, edit = reads(name, "app.py"), edits(name, "app.py")
    with ModelServer(read, FOUND, read, edit, report, CLEAN) as model:
        ran = installed.run(name, model.url, "--fixer", f"agent-{name}", "--apply")
    assert ran.code == ExitCode.PASSED, ran.out
    assert installed.workspace.root.joinpath("app.py").read_text() == MENDED
    (issue,) = ran.json["iterations"][0]["addressed"]
    assert (issue["file"], issue["lineStart"], issue["severity"]) == ("app.py", 2, "high")
    # It was given what it asked for, and sends no more than it has to.
    assert "len(values)" in model.requests[1].text.rpartition("def mean")[2]
    assert len(model.requests) == 6
    usage = ran.json["usage"]
    charged = [(count * INPUT_TOKENS, count * OUTPUT_TOKENS) for count in (6, 6 + len(model.errands))]
    assert (usage["inputTokens"], usage["outputTokens"]) in charged  # not all count their errands
    bound = {"claude": "StructuredOutput", "codex": '"json_schema"'}.get(name, "")
    assert bound in json.dumps(model.requests[0].body)


@pytest.mark.parametrize("name", NAMES)
def test_a_key_that_is_wrong_is_told_in_the_service_s_words(installed: Installed, name: str) -> None:
    result, _ = installed.review(name, Refusal(401, "Incorrect API key provided"))
    (found,) = result["reviewers"]
    assert "Incorrect API key provided" in found["error"]
    assert f"start {name} by hand and sign in" in found["hint"]


def test_codex_without_a_network_says_so_and_does_not_wait_for_it(installed: Installed) -> None:
    (found,) = installed.run("codex", "http://127.0.0.1:1").json["reviewers"]
    assert found["status"] == "failed"
    assert "error sending request" in found["error"]


def test_doctor_tells_their_versions(installed: Installed) -> None:
    out = installed.doctor().out
    for name in NAMES:
        assert f"agent-{name}: " in out
    assert "too old" not in out
    assert out.count(", version ") == len(NAMES)


@pytest.mark.parametrize("confined", ["true", "false"])
def test_gemini_takes_variables_from_the_persons_own_file_alone(installed: Installed, confined: str) -> None:
    """In a temporary folder that is shared, anybody can leave one."""
    shared = installed.home / "shared"
    with ModelServer(CLEAN) as model:
        for folder, url in ((installed.home, model.url), (shared, "http://127.0.0.1:9")):
            for name in (".gemini/.env", ".env"):
                path = folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(f"GEMINI_API_KEY=made-up\nGOOGLE_GEMINI_BASE_URL={url}\n")
        settings = installed.home / ".gemini" / "settings.json"
        settings.write_text(json.dumps({"security": {"auth": {"selectedType": "gemini-api-key"}}}))
        env = {"PATH": installed.path, "HOME": str(installed.home), "TMPDIR": str(shared)}
        argv = ("run", "--format", "json", "--reviewer", "agent-gemini", "-o", "agent_timeout=60")
        ran = installed.workspace.selfreview(*argv, SELFREVIEW_AGENT_CONFINEMENT=confined, **env)
    assert (ran.code, len(model.requests)) == (ExitCode.PASSED, 1), ran.out
