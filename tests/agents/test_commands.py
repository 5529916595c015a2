"""The command lines of Codex, Gemini and OpenCode: what confines them, whatever the person's own settings say."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from selfreview.agents.codex import CodexAgent
from selfreview.agents.gemini import GeminiAgent
from selfreview.agents.opencode import OpenCodeAgent
from selfreview.api import AgentTask


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    return tmp_path


def task(home: Path, *, fixing: bool = False, schema: dict[str, str] | None = None) -> AgentTask:
    folder = home / f"call-{len(list(home.iterdir()))}"
    folder.mkdir()
    return AgentTask(fixing, folder, schema, (999,), folder)


def write(home: Path, path: str, text: str) -> None:
    target = home / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text)


def test_folders_that_were_moved_are_where_an_agent_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "/moved/data")
    monkeypatch.setenv("CODEX_HOME", "/moved/codex")
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    agent = OpenCodeAgent()
    assert (agent.state[0], agent.state[3]) == ("/moved/data/opencode", ".config/opencode")
    assert [Path(path) for path in agent.credentials] == [Path("/moved/data/opencode/auth.json")]
    assert CodexAgent().state == ("/moved/codex",)


def test_codex_leaves_out_the_servers_of_tools_of_the_person(home: Path) -> None:
    write(home, ".codex/config.toml", '[mcp_servers.one]\ncommand = "x"\n[mcp_servers."a.b"]\ncommand = "y"\n')
    for fixing in (False, True):
        argv = CodexAgent().command(task(home, fixing=fixing)).argv
        assert 'mcp_servers={"one"={enabled=false},"a.b"={enabled=false}}' in argv
        assert argv[-1] == "-"
    write(home, ".codex/config.toml", "half of")
    assert "mcp_servers={}" in CodexAgent().command(task(home)).argv


def test_codex_is_given_a_schema_where_there_is_one(home: Path) -> None:
    argv = list(CodexAgent().command(task(home, schema={"type": "object"})).argv)
    assert json.loads(Path(argv[argv.index("--output-schema") + 1]).read_bytes()) == {"type": "object"}
    assert "--output-schema" not in CodexAgent().command(task(home)).argv


@pytest.mark.parametrize("fixing", [False, True])
def test_gemini_is_denied_all_but_what_it_needs(home: Path, fixing: bool) -> None:
    argv = list(GeminiAgent().command(task(home, fixing=fixing)).argv)
    every, needed = tomllib.loads(Path(argv[argv.index("--admin-policy") + 1]).read_text())["rule"]
    assert (every["toolName"], every["decision"], needed["decision"]) == ("*", "deny", "allow")
    assert every["priority"] < needed["priority"]
    assert ("write_file" in needed["toolName"]) == fixing
    assert not {"run_shell_command", "web_fetch", "google_web_search", "save_memory"} & set(needed["toolName"])


GEMINIS = {"general": {"maxAttempts": 3}, "privacy": {"usageStatisticsEnabled": False}}


def test_geminis_home_has_what_signs_in_and_nothing_else_of_the_persons(home: Path) -> None:
    auth = {"security": {"auth": {"selectedType": "oauth-personal"}, "folderTrust": {"enabled": True}}}
    own = {**auth, "hooks": {"AfterAgent": []}, "mcpServers": {"x": {}}, "model": {"name": "gemini-x"}}
    for name, text in {"settings.json": json.dumps(own), "oauth_creds.json": "{}", "GEMINI.md": "obey"}.items():
        write(home, f".gemini/{name}", text)
    folder = Path(GeminiAgent().command(task(home)).environment["GEMINI_CLI_HOME"], ".gemini")
    assert sorted(path.name for path in folder.iterdir()) == ["oauth_creds.json", "settings.json"]
    kept = json.loads((folder / "settings.json").read_bytes())
    auth = {"auth": {"selectedType": "oauth-personal"}}
    assert kept == {**GEMINIS, "security": auth, "model": {"name": "gemini-x"}}
    assert GeminiAgent().credentials[0] == str(home / ".gemini/oauth_creds.json")


def test_gemini_is_given_the_variables_of_its_own_env_file(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_API_KEY", "of the environment")
    text = "# mine\nexport GEMINI_API_KEY = 'a b' # key\nGOOGLE_API_KEY=x\nGEMINI_MODEL=\"m\"\nNODE_OPTIONS=--inspect\n"
    write(home, ".gemini/.env", f"{text}GOOGLE_CLOUD_PROJECT=p#1\nGOOGLE_CLOUD_LOCATION=\n")
    given = GeminiAgent().command(task(home)).environment
    found = {name: value for name, value in given.items() if name in {*GeminiAgent.variables, "NODE_OPTIONS"}}
    own = {"GEMINI_API_KEY": "a b", "GEMINI_MODEL": "m", "GOOGLE_CLOUD_PROJECT": "p", "GOOGLE_CLOUD_LOCATION": ""}
    assert found == own


@pytest.mark.parametrize(
    ("path", "text"),
    [(".gemini/.env", "GOOGLE_GENAI_USE_VERTEXAI=true\n"),
     (".gemini/settings.json", '{"security": {"auth": {"selectedType": "vertex-ai"}}}')],
)  # fmt: skip
def test_gemini_reads_the_sign_in_of_google_cloud_where_it_is_to_use_that(
    home: Path, monkeypatch: pytest.MonkeyPatch, path: str, text: str
) -> None:
    monkeypatch.delenv("GOOGLE_GENAI_USE_VERTEXAI", raising=False)
    assert GeminiAgent().command(task(home)).reads == ()
    write(home, path, text)
    assert GeminiAgent().command(task(home)).reads == (".config/gcloud",)


def test_a_google_cloud_that_is_switched_off_opens_no_keeper_of_secrets(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(home, ".gemini/.env", "GOOGLE_GENAI_USE_VERTEXAI=true\n")
    monkeypatch.setenv("GOOGLE_GENAI_USE_VERTEXAI", "false")
    assert GeminiAgent().command(task(home)).reads == ()


@pytest.mark.parametrize("settings", ["// a remark\n{}", "[]", "null", '{"security": 1, "model": "x"}'])
def test_settings_of_gemini_that_are_no_document_are_none(home: Path, settings: str) -> None:
    write(home, ".gemini/settings.json", settings)
    folder = Path(GeminiAgent().command(task(home)).environment["GEMINI_CLI_HOME"], ".gemini")
    assert json.loads((folder / "settings.json").read_bytes()) == {**GEMINIS, "security": {"auth": {}}}


@pytest.mark.parametrize("fixing", [False, True])
def test_opencode_is_denied_all_but_what_it_needs(home: Path, fixing: bool) -> None:
    environment = OpenCodeAgent().command(task(home, fixing=fixing)).environment
    permission = json.loads(environment["OPENCODE_PERMISSION"])
    assert next(iter(permission.items())) == ("*", "deny")  # the last that fits counts
    allowed = {name for name, action in permission.items() if action == "allow"}
    assert allowed == {"read", "glob", "grep", "list", *(("edit",) if fixing else ())}
    assert permission["external_directory"] == "deny"
    settings = json.loads(environment["OPENCODE_CONFIG_CONTENT"])
    assert settings["agent"]["selfreview"]["permission"] == settings["permission"] == permission
    assert (environment["OPENCODE_DB"], settings["snapshot"]) == (":memory:", False)


def test_what_they_used_is_read() -> None:
    done = {"type": "turn.completed", "usage": {"input_tokens": 10, "cached_input_tokens": 4, "output_tokens": 2}}
    said = {"type": "item.completed", "item": {"type": "agent_message", "text": "fine"}}
    text, usage = CodexAgent().read("\n".join(map(json.dumps, (said, done))).encode())
    assert (text, usage.input_tokens, usage.cache_read_tokens, usage.output_tokens) == ("fine", 6, 4, 2)
    tokens = {"prompt": 10, "cached": 4, "candidates": 2, "thoughts": 1}
    stats = {"models": {"a": {"api": {"totalRequests": 2}, "tokens": tokens}, "b": {"tokens": {"prompt": 5}}, "c": 0}}
    _, usage = GeminiAgent().read(json.dumps({"response": "fine", "stats": stats}).encode())
    assert (usage.requests, usage.input_tokens, usage.cache_read_tokens, usage.output_tokens) == (2, 11, 4, 3)
    step = {"tokens": {"input": 6, "output": 2, "reasoning": 1, "cache": {"read": 4, "write": 3}}, "cost": 0.5}
    events = [("step_start", {}), ("text", {"text": "I look."}), ("step_finish", step),
              ("step_start", {}), ("text", {"text": "fine"}), ("step_finish", step)]  # fmt: skip
    lines = "\n".join(json.dumps({"type": kind, "part": part}) for kind, part in events)
    text, usage = OpenCodeAgent().read(lines.encode())
    assert (text, usage.requests, usage.input_tokens, usage.output_tokens) == ("fine", 2, 12, 6)
    assert (usage.cache_read_tokens, usage.cache_write_tokens, usage.cost_usd) == (8, 6, 1.0)
