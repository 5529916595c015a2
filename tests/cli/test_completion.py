"""Tab: what each shell offers, and that it never does more than that."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.conftest import Workspace

SHELLS = [
    pytest.param(
        name,
        marks=[
            pytest.mark.shells,
            pytest.mark.skipif(shutil.which(name) is None, reason=f"{name} is not installed"),
        ],
    )
    for name in ("bash", "zsh", "fish")
]
# What is run in the end is a function of the shell that says what it was given: the program itself only answers Tab.
SHOWS = "selfreview() { printf GIVEN; printf '<%s>' \"$@\"; echo END; }\n"
START = {
    "bash": (["bash", "--noprofile", "--rcfile", "{start}", "-i"], f"source {{script}}\nPS1='READY>'\n{SHOWS}"),
    "zsh": (
        ["zsh", "-d", "-i"],  # reads .zshrc of ZDOTDIR
        f"autoload -Uz compinit; compinit -u -D\nsource {{script}}\nPROMPT='READY>'\n{SHOWS}",
    ),
    "fish": (
        ["fish", "--no-config", "--private", "-i", "-C", "source {start}"],
        "source {script}\nfunction fish_prompt; printf 'READY>'; end\n"
        "function selfreview; printf GIVEN; printf '<%s>' $argv; echo END; end\n",
    ),
}


class Terminal:
    """A shell that somebody types into."""

    def __init__(self, shell: str, script: Path, cwd: Path) -> None:
        argv, text = START[shell]
        start = script.with_name(".zshrc")
        start.write_text(text.replace("{script}", str(script)))
        ours, theirs = pty.openpty()
        env = {**os.environ, "TERM": "xterm", "ZDOTDIR": str(script.parent)}
        self._process = subprocess.Popen(
            [word.format(start=start) for word in argv],
            cwd=cwd,
            env=env,
            pass_fds=[theirs],
            preexec_fn=lambda: os.login_tty(theirs),  # noqa: PLW1509 - a shell wants its terminal to be its own
        )
        os.close(theirs)
        self._ours, self._seen = ours, ""
        self._until(r"READY>")

    def given(self, line: str) -> list[str]:
        """Type a line with its tabs, and Enter; return what the program was given."""
        self._type(line + "\r")
        return re.findall(r"<([^>]*)>", self._until(r"GIVEN(.*?)END\r?\n")[1])

    def close(self) -> None:
        os.close(self._ours)
        self._process.kill()
        self._process.wait()

    def _type(self, text: str) -> None:
        os.write(self._ours, text.encode())

    def _until(self, pattern: str) -> re.Match[str]:
        while (found := re.search(pattern, self._seen, re.DOTALL)) is None:
            ready, _, _ = select.select([self._ours], [], [], 60)
            assert ready, f"nothing more came than {self._seen!r}"
            self._seen += os.read(self._ours, 65536).decode("utf-8", "replace")
        self._seen = self._seen[found.end() :]
        return found


def script(workspace: Workspace, shell: str, folder: Path) -> Path:
    file = folder / f"script.{shell}"
    file.write_text(workspace.selfreview("completion", shell).out)
    return file


@pytest.fixture
def terminal(workspace: Workspace, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Terminal]:
    workspace.git("branch", "release/2.0")
    started = Terminal(request.param, script(workspace, request.param, tmp_path), workspace.root)
    yield started
    started.close()


@pytest.mark.parametrize("terminal", SHELLS, indirect=True)
def test_a_shell_completes(terminal: Terminal, workspace: Workspace) -> None:
    (workspace.root / "my notes.md").write_text("x\n")
    assert terminal.given("selfreview statu\t") == ["status"]
    assert terminal.given("selfreview run --no-fi\t") == ["run", "--no-fix"]
    assert terminal.given("selfreview run --format sar\t") == ["run", "--format", "sarif"]
    assert terminal.given("selfreview run --format=sar\t") == ["run", "--format=sarif"]
    assert terminal.given("selfreview run -p no:hado\t") == ["run", "-p", "no:hadolint"]
    assert terminal.given("selfreview run --base rel\t --no-f\t") == ["run", "--base", "release/2.0", "--no-fix"]
    assert terminal.given("selfreview run -o on_inc\tw\t") == ["run", "-o", "on_incomplete=warn"]
    assert terminal.given("selfreview run --requirements my\t") == ["run", "--requirements", "my notes.md"]
    assert terminal.given("selfreview run --format json:my\t") == ["run", "--format", "json:my notes.md"]
    assert terminal.given("cd . && selfreview hook inst\t --type pre-p\t") == ["hook", "install", "--type", "pre-push"]


@pytest.mark.parametrize("terminal", SHELLS, indirect=True)
def test_the_name_of_a_branch_is_no_command(terminal: Terminal, workspace: Workspace) -> None:
    workspace.git("branch", "evil$(touch${IFS}pwned)`touch${IFS}pwned`;touch${IFS}pwned")
    given = terminal.given("selfreview run --base evil\t")
    assert given == ["run", "--base", "evil$(touch${IFS}pwned)`touch${IFS}pwned`;touch${IFS}pwned"]
    assert not (workspace.root / "pwned").exists()


@pytest.mark.parametrize("terminal", SHELLS, indirect=True)
def test_tab_runs_no_program_of_the_folder(terminal: Terminal, workspace: Workspace) -> None:
    workspace.write("selfreview", "#!/bin/sh\ntouch pwned\n")
    (workspace.root / "selfreview").chmod(0o755)
    terminal.given("./selfreview run --for\t\x15selfreview x")
    assert not (workspace.root / "pwned").exists()


@pytest.mark.shells
@pytest.mark.skipif(shutil.which("fish") is None, reason="not installed: fish")
@pytest.mark.parametrize("line", ["selfreview status ", "selfreview accept ", "selfreview run --max-iterations "])
def test_fish_says_nothing_where_nothing_fits(workspace: Workspace, tmp_path: Path, line: str) -> None:
    source = f"source {script(workspace, 'fish', tmp_path)}; complete -C '{line}'"
    argv = ["fish", "--no-config", "--private", "-c", source]
    done = subprocess.run(argv, cwd=workspace.root, capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b"", b"")


# --- what is offered, asked as a shell asks --------------------------------------------------------------------------


def offered(workspace: Workspace, line: str, cwd: Path | None = None, **env: str) -> dict[str, str]:
    """Return what is offered for a line, with its help; nothing else may be said."""
    ran = workspace.selfreview(cwd=cwd, _SELFREVIEW_COMPLETE="fish_complete", COMP_LINE=line, **env)
    assert (ran.code, ran.err) == (0, "")
    pairs = [item.partition(",")[2].partition("\t") for item in ran.out.splitlines() if item]
    return {value: text for value, _, text in pairs}


def issues(workspace: Workspace) -> dict[str, str]:
    workspace.write("app.py", "import os\n\n\ndef f(x=[]):\n    return x\n\n\ntry:\n    f()\nexcept:\n    pass\n")
    document = workspace.review()
    return {issue["id"]: issue["fingerprint"] for issue in document["issues"]}


def test_commands_and_their_choices(workspace: Workspace) -> None:
    assert offered(workspace, "selfreview statu") == {
        "status": "Show what the last review of this branch found, and what to do next."
    }
    assert "--version" in offered(workspace, "selfreview --")
    assert list(offered(workspace, "selfreview hook ")) == ["install", "status", "uninstall", "run", "turn"]
    assert list(offered(workspace, "selfreview hook install --type ")) == ["pre-commit", "pre-push"]
    assert list(offered(workspace, "selfreview run --fail-on h")) == ["high"]
    assert list(offered(workspace, "selfreview completion ")) == ["bash", "zsh", "fish"]
    assert offered(workspace, "selfreview nosuch ") == {}
    assert "precommit" in " ".join(offered(workspace, "selfreview init ")).replace("-", "")


def test_names_of_what_comes_with_it(workspace: Workspace) -> None:
    assert list(offered(workspace, "selfreview run --format j")) == ["json", "jsonl", "junit"]
    assert list(offered(workspace, "selfreview report -f g")) == ["github", "gitlab"]
    assert list(offered(workspace, "selfreview run --reviewer s")) == ["secrets", "shellcheck", "semgrep"]
    assert list(offered(workspace, "selfreview gate --require ru")) == ["ruff", "rules"]
    assert list(offered(workspace, "selfreview run --fixer agent-c")) == ["agent-claude", "agent-codex"]
    assert list(offered(workspace, "selfreview run -p sh")) == ["shellcheck"]
    assert list(offered(workspace, "selfreview notify test s")) == ["slack"]
    assert "severity_threshold" in offered(workspace, "selfreview config ")
    assert list(offered(workspace, "selfreview run -o severity_threshold=m")) == ["severity_threshold=medium"]
    assert list(offered(workspace, "selfreview config --template exc")) == ["exclusions.toml"]
    assert list(offered(workspace, "selfreview rule python-yaml-l")) == ["python-yaml-load"]


def test_what_the_settings_name(workspace: Workspace) -> None:
    workspace.write(
        "selfreview.toml", '[command.mylint]\nrun = ["./mine"]\nfix = ["./mine"]\n\n[agents.my]\nrun = ["./it"]\n'
    )
    workspace.write("mine", "#!/bin/sh\ntouch pwned\n")
    assert "mylint" in offered(workspace, "selfreview run --reviewer ")
    assert list(offered(workspace, "selfreview run --fixer m")) == ["mylint"]
    assert "agent-my" in offered(workspace, "selfreview run --reviewer agent-")
    assert not (workspace.root / "pwned").exists()


def test_what_git_knows(workspace: Workspace) -> None:
    workspace.git("branch", "release/2.0")
    workspace.git("tag", "v1.0")
    workspace.git("update-ref", "refs/remotes/origin/main", "HEAD")
    workspace.git("remote", "add", "origin", "https://example.com/x.git")
    found = offered(workspace, "selfreview run --base ")
    assert found.items() >= {("release/2.0", "branch"), ("v1.0", "tag"), ("origin/main", "remote branch"), ("HEAD", "")}
    assert list(offered(workspace, "selfreview gate --head v")) == ["v1.0"]
    assert list(offered(workspace, "selfreview run --range v1.0..rel")) == ["v1.0..release/2.0"]
    assert list(offered(workspace, "selfreview run --range v1.0...v")) == ["v1.0...v1.0"]
    assert list(offered(workspace, "selfreview pr create --remote o")) == ["origin"]
    assert "v1.0" not in offered(workspace, "selfreview pr create --base ")


@pytest.mark.parametrize("folder", ["", "."], ids=["empty", "dot"])
def test_git_is_never_that_of_the_folder(workspace: Workspace, folder: str) -> None:
    workspace.git("branch", "release/2.0")
    workspace.write("git", "#!/bin/sh\ntouch pwned\n")
    (workspace.root / "git").chmod(0o755)
    path = os.pathsep.join([folder, os.environ["PATH"]])
    assert "release/2.0" in offered(workspace, "selfreview run --base ", PATH=path)
    assert not (workspace.root / "pwned").exists()


def test_patches_that_are_kept(workspace: Workspace) -> None:
    workspace.write("app.py", "def f(a):\n    return a is 'x'\n")
    patch = workspace.selfreview("run", "--fixer", "ruff", "-f", "json").json["patch"]["id"]
    assert list(offered(workspace, "selfreview apply ")) == [patch]


def test_issues_and_runs_that_there_are(workspace: Workspace) -> None:
    known = issues(workspace)
    store = workspace.root / ".git" / "selfreview" / "store.db"
    before = (store.read_bytes(), store.stat().st_mtime_ns, sorted(store.parent.iterdir()))
    found = offered(workspace, "selfreview accept ")
    assert set(found) == set(known)
    assert all("app.py:" in text for text in found.values())
    first = next(iter(known))
    assert list(offered(workspace, f"selfreview show {first}")) == [first]
    (run,) = offered(workspace, "selfreview report --run ")
    assert run in offered(workspace, "selfreview show ")
    assert list(offered(workspace, "selfreview show --iteration 1 ")) == [run]
    assert set(offered(workspace, "selfreview gate --accept v1:")) == set(known.values())
    assert (store.read_bytes(), store.stat().st_mtime_ns, sorted(store.parent.iterdir())) == before
    assert workspace.selfreview("accept", first, "--reason", "it is fine").code == 0
    assert list(offered(workspace, "selfreview accept --withdraw ")) == [known[first]]


@pytest.mark.parametrize("line", ["accept ", "show ", "report --run ", "run --base ", "pr create --remote ", "apply "])
def test_outside_of_a_repository_there_is_nothing(workspace: Workspace, tmp_path: Path, line: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    assert offered(workspace, f"selfreview {line}", cwd=outside) == {}


def test_a_damaged_or_older_store_is_left_as_it_is(workspace: Workspace) -> None:
    issues(workspace)
    folder = workspace.root / ".git" / "selfreview"
    with closing(sqlite3.connect(folder / "store.db")) as connection, connection:
        connection.execute("PRAGMA user_version = 1")
    connection.close()
    older = (folder / "store.db").read_bytes()
    assert offered(workspace, "selfreview accept ") == {}
    assert (folder / "store.db").read_bytes() == older
    (folder / "store.db").write_bytes(b"no database" * 1000)
    assert offered(workspace, "selfreview show ") == {}
    assert (folder / "store.db").read_bytes() == b"no database" * 1000
    assert not list(folder.glob("*corrupt*"))


def test_what_cannot_be_read_offers_nothing_and_leaves_no_report(workspace: Workspace) -> None:
    workspace.write("selfreview.toml", "= broken\n")
    assert offered(workspace, "selfreview run --reviewer ") == {}
    assert offered(workspace, "selfreview config ") == {}
    assert offered(workspace, "selfreview run 'open quote") != {}
    assert offered(workspace, "") != {}
    assert not list(Path(os.environ["HOME"]).rglob("crash-*"))


def test_a_plugin_that_prints_and_raises_is_not_heard(workspace: Workspace, tmp_path: Path) -> None:
    plugin = tmp_path / "loudplugin.py"
    plugin.write_text("print('hello')\nraise SystemExit(1)\n")
    environ = {"PYTHONPATH": str(tmp_path), "SELFREVIEW_PLUGINS": "loudplugin"}
    assert offered(workspace, "selfreview config ", **environ) == {}


def test_an_untrusted_plugin_of_the_repository_is_not_run(workspace: Workspace) -> None:
    workspace.write("selfreview_conf.py", "open('pwned', 'w')\n")
    assert "jobs" in offered(workspace, "selfreview config ")
    assert workspace.selfreview("trust").code == 0
    (workspace.root / "pwned").unlink(missing_ok=True)
    assert "jobs" in offered(workspace, "selfreview config ")
    assert not (workspace.root / "pwned").exists()


def test_clicks_own_scripts_are_answered(workspace: Workspace) -> None:
    words = {"COMP_WORDS": "selfreview\nrun\n--format\nsar", "COMP_CWORD": "3"}
    assert workspace.selfreview(_SELFREVIEW_COMPLETE="bash_complete", **words).out == "plain,sarif\n"
    for shell in ("bash", "zsh", "fish"):
        source = workspace.selfreview(_SELFREVIEW_COMPLETE=f"{shell}_source")
        assert source.out.rstrip() == workspace.selfreview("completion", shell).out.rstrip()


def test_the_variable_turns_no_review_into_a_pass(workspace: Workspace) -> None:
    workspace.write("app.py", "def f(x=[]):\n    return x\n")
    ran = workspace.selfreview("run", _SELFREVIEW_COMPLETE="bash_complete", COMP_LINE="selfreview run --for")
    assert ran.code == 1
    assert workspace.selfreview(_SELFREVIEW_COMPLETE="tcsh_complete").out.strip() == ""


def test_a_shell_that_is_not_known(workspace: Workspace) -> None:
    ran = workspace.selfreview("completion", "tcsh")
    assert ran.code == 4
    assert "bash" in ran.err
