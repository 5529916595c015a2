"""``selfreview doctor``: every line is true."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from selfreview.errors import ExitCode
from tests.conftest import Workspace
from tests.reviewers.fakes import agent_program
from tests.rows import few
from tests.surroundings import only_git


def lines(out: str, mark: str) -> list[str]:
    return [line[6:] for line in out.splitlines() if line[:4].strip() == mark]


def test_an_ordinary_repository(workspace: Workspace) -> None:
    workspace.write("app.py", "LIMIT = 3\n")
    ran = workspace.selfreview("doctor")
    assert ran.code == ExitCode.PASSED
    fine = lines(ran.out, "ok")
    assert f"repository: {workspace.root}" in fine
    assert "change: 1 changed file against main" in fine
    assert "store: empty, the first review creates it" in fine
    assert "hooks: not installed (optional)" in lines(ran.out, "-")
    assert not (workspace.root / ".git" / "selfreview").exists()
    workspace.selfreview("run")
    workspace.selfreview("hook", "install")
    fine = lines(workspace.selfreview("doctor").out, "ok")
    assert f"store: {workspace.root / '.git' / 'selfreview' / 'store.db'}" in fine
    assert "hooks: pre-commit and pre-push" in fine


def corrupt_index(space: Workspace) -> str:
    space.write(".git/index", b"garbage")
    return "index"


def bad_configuration(space: Workspace) -> str:
    space.write("selfreview.toml", "nonsense = 3\n")
    return "selfreview.toml:1: unknown key nonsense"


def no_base(space: Workspace) -> str:
    space.write("selfreview.toml", 'base = "nowhere"\n')
    return "the base 'nowhere' names no commit"


def broken_head(space: Workspace) -> str:
    space.write(".git/refs/heads/work", "0" * 39 + "1\n")
    return "HEAD"


def no_base_at_all(space: Workspace) -> str:
    space.git("branch", "-m", "main", "trunk")
    return "no base found"


def conflicts(space: Workspace) -> str:
    blob = space.git("hash-object", "-w", "README.md").strip() if (space.root / "README.md").exists() else ""
    blob = blob or space.git("rev-parse", "HEAD:" + space.git("ls-files").split()[0]).strip()
    space.git("update-index", "--index-info", stdin=f"100644 {blob} 1\tx\n100644 {blob} 2\tx\n".encode())
    return "conflict"


def unknown_reviewer(space: Workspace) -> str:
    space.write("selfreview.toml", 'reviewers = ["auto", "rubocop"]\n')
    return "there is no reviewer named 'rubocop' (selfreview.toml:1)"


def unknown_required(space: Workspace) -> str:
    space.write("selfreview.toml", 'required_reviewers = ["rubocop"]\n')
    return "there is no reviewer named 'rubocop' (selfreview.toml:1)"


def unknown_fixer(space: Workspace) -> str:
    space.write("selfreview.toml", 'fixers = ["black"]\n')
    return "'black'"


def broken_baseline(space: Workspace) -> str:
    space.write("selfreview-baseline.toml", "[")
    return "selfreview-baseline.toml"


def bad_plugin_answer(space: Workspace) -> str:
    space.write("app.py", "x = 1\n")
    space.write(
        "selfreview_conf.py",
        "from selfreview.api import hookimpl\n@hookimpl\ndef selfreview_ignore_file(file, config):\n    return 3\n",
    )
    space.selfreview("trust")
    return "a plugin answered selfreview_ignore_file with 3"


def raising_plugin(space: Workspace) -> str:
    space.write(
        "selfreview_conf.py",
        "from selfreview.api import hookimpl\n\n"
        "@hookimpl\ndef selfreview_configure(config):\n    raise ValueError('no')\n",
    )
    space.selfreview("trust")
    return "selfreview_conf"


DAMAGES = [
    corrupt_index, bad_configuration, no_base, broken_head, no_base_at_all, conflicts, unknown_reviewer,
    unknown_required, unknown_fixer, broken_baseline, bad_plugin_answer, raising_plugin,
]  # fmt: skip


_SHORT = [corrupt_index, bad_configuration, conflicts, unknown_required, broken_baseline, raising_plugin]


@pytest.mark.parametrize("damage", few({one.__name__: one for one in DAMAGES}, *(one.__name__ for one in _SHORT)))
def test_what_stops_a_review_fails(workspace: Workspace, damage: object) -> None:
    says = damage(workspace)  # type: ignore[operator]
    refused = workspace.selfreview("run")
    assert refused.code == ExitCode.USAGE
    ran = workspace.selfreview("doctor")
    assert ran.code == ExitCode.USAGE
    (failed,) = lines(ran.out, "FAIL")
    assert says in failed
    assert f"error: {failed}" in refused.err.splitlines()
    hint = next((line for line in refused.err.splitlines() if line.startswith("hint: ")), "")
    assert hint in ran.out


def test_within_a_run_of_the_same_tree_fails(workspace: Workspace) -> None:
    refused = workspace.selfreview("run", SELFREVIEW_WITHIN=str(workspace.root))
    ran = workspace.selfreview("doctor", SELFREVIEW_WITHIN=str(workspace.root))
    assert ran.code == refused.code == ExitCode.USAGE
    assert lines(ran.out, "FAIL") == ["a tool of a run cannot start another run of the same tree"]


def test_a_reviewer_that_is_required_and_not_there_fails(workspace: Workspace, tmp_path: Path) -> None:
    workspace.write("selfreview.toml", 'required_reviewers = ["semgrep"]\n')
    workspace.write("app.py", "x = 1\n")
    if Path(sys.executable).with_name("semgrep").exists():
        pytest.skip("semgrep is installed beside the interpreter, and goes before PATH")
    path = str(only_git(tmp_path / "git"))
    assert workspace.selfreview("run", PATH=path).code == ExitCode.INCOMPLETE
    ran = workspace.selfreview("doctor", PATH=path)
    assert ran.code == ExitCode.USAGE
    (failed,) = lines(ran.out, "FAIL")
    assert failed.startswith("semgrep is required, but cannot be used: ")


@pytest.mark.parametrize(
    ("settings", "says", "why"),
    [
        ('reviewers = ["claude"]', "no reviewer", "hint: claude: there are no credentials for a model (set ANTHROPIC_"),
        ('reviewers = ["claude"]\noffline = true', "no reviewer", "hint: claude: it sends code to a model, which is "),
        ('required_reviewers = ["claude"]\noffline = true', "claude is required", "hint: run it without offline"),
        ('reviewers = ["shellcheck"]', "no reviewer that was selected can review these files", ""),
    ],
)
def test_a_change_that_nobody_could_review_fails(workspace: Workspace, settings: str, says: str, why: str) -> None:
    workspace.commit("settings", **{"selfreview.toml": settings + "\n"})
    workspace.git("branch", "-f", "main", "HEAD")
    workspace.write("app.py", "x = 1\n")
    assert workspace.selfreview("run").code == ExitCode.INCOMPLETE
    ran = workspace.selfreview("doctor")
    assert ran.code == ExitCode.USAGE
    (failed,) = lines(ran.out, "FAIL")
    assert failed.startswith(says)
    assert why in ran.out


def test_one_of_several_that_cannot_take_part_fails_nothing(workspace: Workspace) -> None:
    workspace.write("selfreview.toml", 'reviewers = ["auto", "claude"]\n')
    workspace.write("app.py", "x = 1\n")
    assert workspace.selfreview("doctor").code == workspace.selfreview("run").code == ExitCode.PASSED


def test_what_does_not_stop_a_review_does_not_fail(workspace: Workspace) -> None:
    workspace.write(".git/selfreview", "a file where the folder should be")
    workspace.write("selfreview_conf.py", "x = 1\n")
    ran = workspace.selfreview("doctor")
    assert ran.code == workspace.selfreview("run", "--fail-on", "never").code == ExitCode.PASSED
    missing = lines(ran.out, "-")
    assert any("reviews work, but nothing is remembered" in line for line in missing)
    assert "not trusted, so not run: selfreview_conf.py of this repository" in missing


def test_outside_of_a_repository(workspace: Workspace, tmp_path: Path) -> None:
    ran = workspace.selfreview("doctor", cwd=tmp_path)
    assert ran.code == ExitCode.USAGE
    assert lines(ran.out, "FAIL") == ["this folder is not in a git repository"]


def test_without_git_it_is_said_once(workspace: Workspace, tmp_path: Path) -> None:
    ran = workspace.selfreview("doctor", PATH=str(tmp_path))
    assert ran.code == ExitCode.USAGE
    assert ran.out.count("git is not installed") == 1


def test_a_library_that_cannot_be_imported_fails(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "unidiff.py").write_text("raise ImportError('wrong architecture')\n")
    ran = workspace.selfreview("doctor", PYTHONPATH=str(tmp_path))
    assert ran.code == ExitCode.USAGE
    assert lines(ran.out, "FAIL") == ["unidiff cannot be imported: wrong architecture"]


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX programs")
def test_tools_are_those_that_a_review_would_start(workspace: Workspace, tmp_path: Path) -> None:
    tool = tmp_path / "semgrep"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    out = workspace.selfreview("doctor", PATH=f"{tmp_path}:{only_git(tmp_path / 'git')}").out
    beside = Path(sys.executable).with_name("semgrep")  # goes before PATH, where it is installed there
    assert f"semgrep: {beside if beside.exists() else tool}" in lines(out, "ok")


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX programs")
def test_what_could_ask_a_model_is_named_and_no_key_is_shown(workspace: Workspace, tmp_path: Path) -> None:
    path = f"{tmp_path}:{only_git(tmp_path / 'git')}"
    missing = lines(workspace.selfreview("doctor", PATH=path).out, "-")
    assert "model: anthropic, no credentials (optional)" in missing
    assert "agent-codex: not installed, or not executable (optional)" in missing
    environ = {"ANTHROPIC_API_KEY": "sk-very-private", "ANTHROPIC_BASE_URL": "http://me:word@127.0.0.1:8080/x"}
    ran = workspace.selfreview("doctor", PATH=path, **environ)
    (model,) = [line for line in lines(ran.out, "ok") if line.startswith("model: ")]
    assert model.startswith("model: anthropic, server 127.0.0.1:8080, with ")
    assert "sk-very-private" not in ran.out
    assert "word" not in model


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX programs")
def test_an_agent_that_is_too_old_or_not_signed_in_is_told(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SELFREVIEW_AGENT_CONFINEMENT", "false")
    monkeypatch.delenv("CODEX_HOME", raising=False)
    tool = agent_program(tmp_path, "", "codex", version="codex-cli 0.20.0")
    path = f"{tmp_path}:{only_git(tmp_path / 'git')}"
    out = workspace.selfreview("doctor", PATH=path).out
    old = "agent-codex: codex 0.20.0 is too old: 0.142.0 is the oldest that works here"
    assert f"{old} (optional)" in lines(out, "-")
    assert "hint: npm install -g @openai/codex" in out
    ran = workspace.selfreview("doctor", "-o", "fixers=['agent-codex']", PATH=path)
    assert (ran.code, lines(ran.out, "FAIL")) == (ExitCode.USAGE, [f"{old} (named in command line)"])
    agent_program(tmp_path, "", "codex", version="codex-cli 0.171.0")
    told = f"agent-codex: {tool}, version 0.171.0, held by its own sandbox"
    home = tmp_path / "home"
    out = workspace.selfreview("doctor", PATH=path, HOME=str(home)).out
    assert f"{told}, no key, and no sign-in in {home}/.codex; a keychain may hold one" in lines(out, "-")
    assert "hint: start codex by hand and sign in, or set CODEX_API_KEY" in out
    assert f"{told}, with CODEX_API_KEY" in lines(
        workspace.selfreview("doctor", PATH=path, CODEX_API_KEY="k").out, "ok"
    )
    (tmp_path / "auth.json").write_text("{}")
    assert f"{told}, signed in" in lines(workspace.selfreview("doctor", PATH=path, CODEX_HOME=str(tmp_path)).out, "ok")


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX programs")
@pytest.mark.parametrize("name", few(["claude", "codex", "gemini", "opencode"], "codex"))
def test_an_agent_that_the_settings_name_and_that_is_not_there_fails(
    workspace: Workspace, tmp_path: Path, name: str
) -> None:
    path = only_git(tmp_path / "git")
    workspace.write("app.py", "x = 1\n")
    for key in ("fixers", "reviewers", "required_reviewers"):
        ran = workspace.selfreview("doctor", "-o", f"{key}=['agent-{name}']", PATH=path)
        assert (ran.code, lines(ran.out, "FAIL")) == (
            ExitCode.USAGE,
            [f"agent-{name}: not installed, or not executable (named in command line)"],
        )
    assert workspace.selfreview("doctor", "-o", f"reviewers=['auto', 'agent-{name}']", "-o", "offline=true").code == 0


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX programs")
def test_a_sign_in_of_claude_is_looked_for_where_it_was_moved(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SELFREVIEW_AGENT_CONFINEMENT", "false")
    tool = agent_program(tmp_path, "", "claude")
    path = f"{tmp_path}:{only_git(tmp_path / 'git')}"
    (tmp_path / ".credentials.json").write_text("{}")
    out = workspace.selfreview("doctor", PATH=path, CLAUDE_CONFIG_DIR=str(tmp_path)).out
    (line,) = [line for line in lines(out, "ok") if line.startswith(f"agent-claude: {tool}")]
    assert line.endswith(", held by itself alone, signed in")


@pytest.mark.parametrize("program", ["ghost-agent", "./ghost-agent"])
def test_an_agent_of_ones_own_that_is_not_there_is_not_ok(workspace: Workspace, program: str) -> None:
    ran = workspace.selfreview("doctor", "-o", f"agents.ghost.run=['{program}']")
    assert "agent-ghost: not installed, or not executable (optional)" in lines(ran.out, "-")


def test_an_agent_of_the_repository_that_nobody_trusts_is_not_ok(workspace: Workspace) -> None:
    table = f"[agents.mine]\nrun = ['{sys.executable}']\n"
    workspace.write("selfreview.toml", table)
    told = "agent-mine: not trusted yet, so it does not run"
    ran = workspace.selfreview("doctor")
    assert (ran.code, f"{told} (optional)" in lines(ran.out, "-")) == (ExitCode.PASSED, True), ran
    workspace.write("selfreview.toml", f"reviewers = ['agent-mine']\n{table}")
    ran = workspace.selfreview("doctor")
    assert (ran.code, lines(ran.out, "FAIL")) == (ExitCode.USAGE, [f"{told} (named in selfreview.toml:1)"]), ran
    assert 'hint: run "selfreview trust"' in ran.out
    workspace.selfreview("trust")
    ran = workspace.selfreview("doctor")
    assert ran.code == ExitCode.PASSED
    assert f"agent-mine: {sys.executable}, held" in ran.out
