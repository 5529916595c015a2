"""``selfreview init`` writes what was picked, and never over what is there."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from selfreview.cli.init_items import HOOKS, ITEMS, Source, fill, is_filled, parse_source
from selfreview.cli.main import execute
from selfreview.errors import ExitCode
from tests.conftest import Workspace
from tests.nursery import start_program

Init = Callable[..., tuple[int, str, str]]
FILES = {file.path for item in ITEMS.values() for file in item.files}
SOURCE = Source(url="https://github.com/us/selfreview.git", commit="c0ffee" + "0" * 34, name="v1.2.3")


@pytest.fixture
def init(workspace: Workspace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Init:
    """Run ``selfreview init`` where nobody can be asked; return exit code, standard output and standard error."""

    def run(*args: str, cwd: Path = workspace.root) -> tuple[int, str, str]:
        monkeypatch.chdir(cwd)
        code = execute(["init", *args])
        out, err = capsys.readouterr()
        return code, out, err

    return run


def files(workspace: Workspace) -> set[str]:
    return set(workspace.git("ls-files", "--others").split())


def test_everything_that_is_picked_is_written_and_passes_a_review(workspace: Workspace, init: Init) -> None:
    code, out, err = init(*ITEMS)
    assert code == ExitCode.PASSED
    assert [line[:6] for line in err.splitlines()] == ["note: ", "hint: "]  # pre-commit, and git's own hooks
    assert files(workspace) == FILES
    assert [line for line in out.splitlines() if line.startswith("wrote ")] == [
        f"wrote {path}" for path in dict.fromkeys(file.path for item in ITEMS.values() for file in item.files)
    ]
    assert out.count("  next: ") == len(ITEMS)
    assert (workspace.root / ".git" / "hooks" / "pre-push").exists()
    ran = workspace.selfreview("run", "--no-fix", "--format", "json")  # the written settings are loaded as well
    assert ran.code == ExitCode.PASSED, ran


def test_what_is_written_can_be_read_by_whoever_reads_it(workspace: Workspace, init: Init) -> None:
    init(*(name for name in ITEMS if name != HOOKS))
    for path in FILES:
        target = workspace.root / path
        runs = bool(target.stat().st_mode & stat.S_IXUSR)
        assert runs == path.endswith(".sh") or sys.platform == "win32"
        text = target.read_text(encoding="utf-8")
        read: Mapping[str, Callable[[str], Any]] = {
            ".yml": yaml.safe_load, ".yaml": yaml.safe_load, ".json": json.loads, ".toml": tomllib.loads
        }  # fmt: skip
        if target.suffix in read:
            assert read[target.suffix](text)


def test_only_what_is_named_is_written(workspace: Workspace, init: Init) -> None:
    folder = workspace.root / "below"
    folder.mkdir()
    assert init("config", "config", cwd=folder)[0] == ExitCode.PASSED
    assert files(workspace) == {"selfreview.toml"}


def test_what_is_there_stays_and_is_told_of_and_the_rest_is_written(workspace: Workspace, init: Init) -> None:
    workspace.write("AGENTS.md", "ours\n")
    workspace.write(".claude/settings.json", "{} // a comment\n")
    code, out, err = init("agents", "claude-code", "config")
    assert code == ExitCode.USAGE
    assert ".claude/settings.json is there already" in err
    assert "AGENTS.md is there already, and stays as it is" in out
    assert "stays as it is (it is not plain JSON: Extra data: line 1 column 4" in out
    assert "selfreview hook turn review" in out
    assert (workspace.root / "AGENTS.md").read_text() == "ours\n"
    assert (workspace.root / ".claude" / "settings.json").read_text() == "{} // a comment\n"
    assert files(workspace) >= {".claude/skills/selfreview/SKILL.md", "selfreview.toml"}
    assert out.count("  next: ") == 1


def test_a_second_time_there_is_nothing_to_do(workspace: Workspace, init: Init) -> None:
    init("config", HOOKS)
    before = (workspace.root / "selfreview.toml").stat().st_mtime_ns
    code, out, _ = init("config", HOOKS)
    assert code == ExitCode.PASSED
    assert "selfreview.toml is there already, as it would be written" in out
    assert (workspace.root / "selfreview.toml").stat().st_mtime_ns == before


def test_settings_in_pyproject_are_settings(workspace: Workspace, init: Init) -> None:
    workspace.write("pyproject.toml", '[tool.selfreview]\nseverity_threshold = "high"\n')
    code, _, err = init("config")
    assert code == ExitCode.USAGE
    assert "[tool.selfreview] in pyproject.toml is there already" in err
    assert files(workspace) == {"pyproject.toml"}


class TestSettingsOfAgents:
    """They are put into what is there, and taken out again; other people's stay."""

    THEIRS = {
        ".claude/settings.json": {
            "model": "opus",
            "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}], "PreToolUse": []},
            "permissions": {"deny": ["Read(.env)"], "allow": ["Bash(ls)"]},
        },
        ".codex/hooks.json": {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]}},
        ".gemini/settings.json": {"tools": {"allowed": ["read_file"]}, "ui": {"theme": "\u00e9"}},
    }

    def written(self, workspace: Workspace) -> dict[str, Any]:
        return {path: json.loads((workspace.root / path).read_text("utf-8")) for path in self.THEIRS}

    def test_they_are_merged_and_taken_out_again(self, workspace: Workspace, init: Init) -> None:
        for path, theirs in self.THEIRS.items():
            workspace.write(path, json.dumps(theirs, indent=4))
        code, out, _ = init("agents")
        assert code == ExitCode.PASSED
        assert "merged into .claude/settings.json" in out
        after = self.written(workspace)
        claude, codex, gemini = after.values()
        assert [group["hooks"][0]["command"] for group in claude["hooks"]["Stop"]] == [
            "mine",
            "selfreview hook turn end",
        ]
        assert claude["permissions"]["allow"] == ["Bash(ls)", "Bash(selfreview hook turn review)"]
        assert (claude["model"], claude["permissions"]["deny"]) == ("opus", ["Read(.env)"])
        assert len(codex["hooks"]["Stop"]) == 2
        assert gemini["hooks"]["AfterAgent"][0]["hooks"][0]["timeout"] == 300_000
        assert '\n    "model"' in (workspace.root / ".claude/settings.json").read_text("utf-8")
        assert "is there already, with what would be written in it" in init("agents")[1]
        assert self.written(workspace) == after
        assert init("--uninstall", "agents")[0] == ExitCode.PASSED
        assert self.written(workspace) == self.THEIRS
        assert files(workspace) == set(self.THEIRS)

    @pytest.mark.parametrize(
        "text", ["{} // x", "[]", '{"hooks": []}', '{"hooks": {"Stop": {}}}', '{"a": 1, "a": 2}', ""]
    )
    def test_what_cannot_be_merged_stays_and_is_printed(self, workspace: Workspace, init: Init, text: str) -> None:
        workspace.write(".claude/settings.json", text)
        code, out, _ = init("claude-code")
        assert code == ExitCode.USAGE
        assert "For you to merge:" in out
        assert (workspace.root / ".claude/settings.json").read_text() == text

    @pytest.mark.parametrize(
        "value",
        [
            '"\\ud800"',
            "1e999",
            "NaN",
            "-Infinity",
            "0.10000000000000000555",
            "1" * 5000,
            "1 // why",
        ],
    )
    def test_what_would_not_stay_as_it_is_is_not_touched(self, workspace: Workspace, init: Init, value: str) -> None:
        text = f'{{"theirs": {value}, "hooks": {{"Stop": [{{"hooks": [{{"command": "selfreview hook turn end"}}]}}]}}}}'
        workspace.write(".claude/settings.json", text)
        for words in (("claude-code",), ("--uninstall", "claude-code")):
            assert init(*words)[0] == ExitCode.USAGE
            assert (workspace.root / ".claude/settings.json").read_text() == text

    def test_what_somebody_changed_about_a_hook_stays(self, workspace: Workspace, init: Init) -> None:
        init("agents")
        edited = {}
        for path in self.THEIRS:
            text = (
                (workspace.root / path)
                .read_text()
                .replace("selfreview hook turn begin", "uv run selfreview hook turn begin")
            )
            edited[path] = text.replace('"timeout": 300', '"timeout": 900')
            workspace.write(path, edited[path])
        code, out, _ = init("agents")
        assert (code, out.count("with what would be written in it")) == (ExitCode.PASSED, 3), out
        assert edited == {path: (workspace.root / path).read_text() for path in edited}
        assert init("--uninstall", "agents")[0] == ExitCode.PASSED
        assert files(workspace) == set()

    @pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell")
    @pytest.mark.parametrize(
        ("path", "statuses"),
        # Claude Code and Codex are held up by 2 alone; Gemini CLI by all but 0 and 1.
        [(".claude/settings.json", {1, 127}), (".codex/hooks.json", {1, 127}), (".gemini/settings.json", {1})],
    )
    def test_where_selfreview_is_not_installed_no_agent_is_held_up(
        self, workspace: Workspace, init: Init, path: str, statuses: set[int]
    ) -> None:
        init("agents")
        hooks = json.loads((workspace.root / path).read_text())["hooks"]
        for group in hooks.values():
            ran = subprocess.run(
                ["/bin/sh", "-c", group[0]["hooks"][0]["command"]], env={"PATH": "/nowhere"}, check=False
            )
            assert ran.returncode in statuses

    def test_ends_of_lines_stay(self, workspace: Workspace, init: Init) -> None:
        workspace.write(".claude/settings.json", b'{\r\n\t"model": "opus"\r\n}\r\n')
        init("claude-code")
        text = (workspace.root / ".claude/settings.json").read_bytes()
        assert text.count(b"\n") == text.count(b"\r\n") > 3
        init("--uninstall", "claude-code")
        assert (workspace.root / ".claude/settings.json").read_bytes() == b'{\r\n\t"model": "opus"\r\n}\r\n'

    def test_a_skill_that_another_agent_reads_stays(self, workspace: Workspace, init: Init) -> None:
        skill = ".agents/skills/selfreview/SKILL.md"
        init("agents")
        assert f"{skill} stays: it goes with .gemini/settings.json, too" in init("--uninstall", "codex")[1]
        assert {skill, ".gemini/settings.json"} <= files(workspace)
        assert not (workspace.root / ".codex").exists()
        assert f"removed {skill}" in init("--uninstall", "gemini")[1]
        assert skill not in files(workspace)

    def test_what_was_edited_since_stays(self, workspace: Workspace, init: Init) -> None:
        init("agents", "config")
        workspace.write("AGENTS.md", "ours\n")
        code, out, _ = init("--uninstall", "agents", "config")
        assert code == ExitCode.PASSED
        assert "AGENTS.md is not as it was written, and stays" in out
        assert files(workspace) == {"AGENTS.md"}
        assert not (workspace.root / ".claude").exists()

    def test_an_edited_hook_of_git_stays_and_holds_up_nothing_else(self, workspace: Workspace, init: Init) -> None:
        init(HOOKS, "claude-code")
        hook = workspace.root / ".git/hooks/pre-push"
        hook.write_text(hook.read_text() + "echo mine\n")
        code, _, err = init("--uninstall", HOOKS, "claude-code")
        assert (code, "somebody changed it" in err) == (ExitCode.USAGE, True)
        assert (hook.exists(), files(workspace)) == (True, set())

    def test_it_has_to_be_said_what_is_taken_away(self, workspace: Workspace, init: Init) -> None:
        assert init("--uninstall")[0] == ExitCode.USAGE
        assert init("--uninstall", "agents")[:2] == (ExitCode.PASSED, "")
        assert files(workspace) == set()

    @pytest.mark.skipif(sys.platform == "win32", reason="needs rights to make links")
    @pytest.mark.parametrize("link", [".claude/settings.json", ".claude"])
    def test_nothing_is_merged_or_removed_behind_a_link(
        self, workspace: Workspace, init: Init, tmp_path: Path, link: str
    ) -> None:
        outside = tmp_path / "outside"
        outside.mkdir()
        (outside / "settings.json").write_text("{}")
        (workspace.root / link).parent.mkdir(exist_ok=True)
        (workspace.root / link).symlink_to(outside if link == ".claude" else outside / "settings.json")
        for words in (("claude-code",), ("--uninstall", "claude-code")):
            assert init(*words)[0] == ExitCode.USAGE
            assert (outside / "settings.json").read_text() == "{}"


@pytest.mark.skipif(sys.platform == "win32", reason="needs rights to make links")
@pytest.mark.parametrize("link", ["AGENTS.md", ".claude", ".claude/skills"])
def test_nothing_is_written_through_a_link(workspace: Workspace, init: Init, tmp_path: Path, link: str) -> None:
    outside = tmp_path / "outside"
    target = outside / "file" if link == "AGENTS.md" else outside
    outside.mkdir()
    (workspace.root / link).parent.mkdir(exist_ok=True)
    (workspace.root / link).symlink_to(target)
    code, _, _ = init("agents", "claude-code")
    assert code == (ExitCode.PASSED if link == "AGENTS.md" else ExitCode.USAGE)
    assert list(outside.iterdir()) == []
    assert (workspace.root / link).is_symlink()


def test_a_file_in_the_place_of_a_folder_is_an_error(workspace: Workspace, init: Init) -> None:
    workspace.write(".github", "a file")
    code, out, err = init("github", "config")
    assert code == ExitCode.USAGE
    assert "is no folder" in err
    assert "wrote selfreview.toml" in out


def test_hooks_of_others_are_an_error_and_the_rest_is_written(workspace: Workspace, init: Init) -> None:
    workspace.git("config", "core.hooksPath", "/elsewhere")
    code, out, err = init(HOOKS, "config")
    assert code == ExitCode.USAGE
    assert "/elsewhere" in err
    assert "wrote selfreview.toml" in out


@pytest.mark.parametrize(
    ("arguments", "said"), [((), "there is no terminal to ask on"), (("config", "nothing"), "there is no 'nothing'")]
)
def test_what_was_not_picked_is_not_written(
    workspace: Workspace, init: Init, arguments: tuple[str, ...], said: str
) -> None:
    code, _, err = init(*arguments)
    assert code == ExitCode.USAGE
    assert said in err
    assert files(workspace) == set()


def test_list_and_print_write_nothing(workspace: Workspace, init: Init) -> None:
    code, listed, _ = init("--list")
    assert (code, [line.split()[1] for line in listed.splitlines()]) == (ExitCode.PASSED, list(ITEMS))
    code, printed, _ = init("--print", "github")
    assert code == ExitCode.PASSED
    assert "--- .github/workflows/selfreview.yml\n" in printed
    assert files(workspace) == set()


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo terminal")
@pytest.mark.parametrize(
    ("keys", "code", "written"),
    [(b"1, generic\n", 0, {"selfreview.toml", ".ci/selfreview.sh"}), (b"\n", 0, set()), (b"99\n", 4, set())],
)
def test_a_terminal_is_asked(workspace: Workspace, keys: bytes, code: int, written: set[str]) -> None:
    import pty

    control, side = pty.openpty()
    streams = {"stdin": side, "stdout": subprocess.DEVNULL, "stderr": side}
    child = start_program(["init"], cwd=workspace.root, env=os.environ, **streams)
    os.close(side)
    os.write(control, keys)
    shown = b""
    while True:
        try:
            piece = os.read(control, 4096)
        except OSError:  # the other side is closed
            break
        if not piece:
            break
        shown += piece
    assert child.wait(60) == code
    os.close(control)
    assert b"claude-code" in shown
    assert files(workspace) == written


def record(**changed: Any) -> str:
    vcs = {"vcs": "git", "commit_id": SOURCE.commit, "requested_revision": "v1.2.3"}
    return json.dumps({"url": SOURCE.url, "vcs_info": vcs | changed.pop("vcs_info", {}), **changed})


def test_an_installation_from_a_repository_knows_where_it_came_from() -> None:
    assert parse_source(record(), "1.2.3") == SOURCE
    assert parse_source(record(vcs_info={"requested_revision": SOURCE.commit}), "1.2.3").name == "1.2.3"


@pytest.mark.parametrize(
    "text",
    [
        None, "", "]", "[]", "[" * 100_000, json.dumps({"url": "file:///here", "dir_info": {}}),
        record(url="https://user:secret@example.com/it"), record(url="ssh://git@example.com/it"),
        record(url="https://example.com/it\nx: y"), record(url='https://example.com/"; x'),
        record(vcs_info={"commit_id": "main"}), record(vcs_info={"vcs": "hg"}),
    ],
)  # fmt: skip
def test_what_others_cannot_reach_or_is_no_commit_is_not_named(text: str | None) -> None:
    assert parse_source(text, "1.2.3") is None


def test_what_is_known_is_filled_in_and_nothing_else() -> None:
    line = "uses: OWNER/selfreview@TAG-OR-COMMIT # a tag or commit of it"
    assert fill(line, SOURCE) == f"uses: us/selfreview@{SOURCE.commit} # v1.2.3"
    elsewhere = Source(url="https://git.example.com/us/selfreview", commit=SOURCE.commit, name="v1")
    assert fill(line, elsewhere) == line == fill(line, None)
    assert not is_filled(line)
    assert is_filled(fill(line, SOURCE))


def test_every_item_and_file_is_documented() -> None:
    text = (Path(__file__).parents[2] / "docs" / "guides" / "init.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `([a-z-]+)` \| (.*) \|$", text.partition("## ")[0], re.MULTILINE))
    assert list(rows) == list(ITEMS)
    for name, item in ITEMS.items():
        assert re.findall(r"`([\w./-]+\.[a-zA-Z]+)`", rows[name]) == [file.path for file in item.files]


@pytest.mark.parametrize("names", [("hooks", "pre-commit"), ("pre-commit", "hooks")], ids=" ".join)
def test_both_kinds_of_hooks_are_said_to_review_twice(workspace: Workspace, names: tuple[str, ...]) -> None:
    first, second = (workspace.selfreview("init", name) for name in names)
    said = ".pre-commit-config.yaml has selfreview, too: with pre-commit installed, all is reviewed twice"
    assert (said in first.err, said in second.err) == (False, True), second
    (workspace.root / ".pre-commit-config.yaml").write_text("repos: []\n")
    assert said not in workspace.selfreview("hook", "install").err
