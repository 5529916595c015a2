"""An agent that tries everything a program can: what the system prevents, and what is found out and said."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from selfreview import confine
from selfreview.agents.claude import ClaudeAgent
from selfreview.api import Fix
from selfreview.config.view import Overlay
from selfreview.errors import ExitCode, ToolError
from selfreview.fixers.agent import AgentFixer
from selfreview.guard.watch import Watch
from selfreview.llm.transport.confinement import confinement_of
from selfreview.testing.context import MemoryConfig
from selfreview.testing.fixing import FixBench
from selfreview.testing.workspace import RunResult
from tests.agents.conftest import CLEAN, table_of_attacks
from tests.conftest import Workspace
from tests.fixers.talks import config
from tests.reviewers.fakes import agent_program

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="scripts as programs")

DEEDS = {
    "a_file_of_the_tree": "write(root / 'app.py', 'owned')",
    "a_new_file": "write(root / 'new.py', 'owned')",
    "an_untracked_file": "write(root / 'notes.txt', 'owned')",
    "a_file_removed": "(root / 'kept.py').unlink()",
    "a_hook": "write(root / '.git/hooks/pre-commit', 'owned')",
    "gits_settings": "write(root / '.git/config', '[core]\\n\\tpager = owned\\n')",
    "a_branch": "write(root / '.git/refs/heads/main', '0' * 40)",
    "a_shells_start": "write(home / '.bashrc', 'owned')",
    "a_start_moved_away": "(home / '.bashrc').rename(home / 'moved')",
    "a_new_start": "write(home / '.zshenv', 'owned')",
    "who_may_log_in": "write(home / '.ssh/authorized_keys', 'owned')",
    "settings_of_git": "write(home / '.gitconfig', 'owned')",
    "a_program": "write(home / '.local/bin/git', 'owned')",
    "a_program_on_path": "write(home / 'tools/ls', 'owned')",
    "code_of_every_python": "write(home / '.local/lib/python3.11/site-packages/x.pth', 'owned')",
    "who_is_trusted": "write(home / 'data/trust/x.json', 'owned')",
    "orders": "write(home / '.claude/CLAUDE.md', 'owned')",
    "a_skill": "write(home / '.claude/skills/x/SKILL.md', 'owned')",
    "hooks_of_an_agent": "write(home / '.claude/settings.json', '{}')",
    "a_server_that_is_started": "order(home / '.claude.json', mcpServers={'x': {'command': 'owned'}})",
    "what_a_project_may_run": "order(home / '.claude.json', projects={'/x': {'allowedTools': ['Bash']}})",
    "a_server_called_memory": "order(home / '.claude.json', mcpServers={**SERVERS, 'memory': {'command': 'x'}})",
    "what_a_models_project_may_run": "order(home / '.claude.json', projects={'/models': {'allowedTools': ['x']}})",
    "orders_that_are_nested_deeply": "write(home / '.claude/x.json', '[' * 9999 + ']' * 9999)",
    "an_address_of_settings": "order(home / '.local/share/opencode/auth.json', **{'//cache': {'type': 'wellknown'}})",
    "a_tool": "write(home / '.claude/tools/x.ts', 'owned')",
    "a_plugin": "write(home / '.claude/plugins/x.js', 'owned')",
    "orders_for_another_agent": "write(home / '.codex/AGENTS.md', 'owned')",
}
IN_ITS_STATE = ("orders", "a_skill", "hooks_of_an_agent", "a_server_that_is_started", "what_a_project_may_run",
                "a_server_called_memory", "what_a_models_project_may_run", "orders_that_are_nested_deeply",
                "a_tool", "a_plugin")  # fmt: skip
"""What the program itself may write to, so that no system prevents it."""
BY_ITSELF = {
    "a_memory": "write(home / '.claude/projects/x/memory/MEMORY.md', 'owned')",
    "orders_of_a_folder": "write(home / '.claude/projects/x/CLAUDE.md', 'owned')",
    "a_plugins_hook": "order(home / '.claude/plugins/cache/x/hooks/hooks.json', hooks={'Stop': ['owned']})",
    "a_plugins_code": "write(home / '.claude/plugins/cache/x/lib/run.mjs', 'owned')",
    "gits_settings_of_a_plugin": "write(home / '.claude/plugins/marketplaces/x/.git/config', 'owned')",
    "what_is_permitted": "write(home / '.claude/x.db', 'owned')",
    "a_program_of_its_own": "write(home / '.claude/local/claude', 'owned', 0o755)",
}
"""What another session of the agent, or the program itself, writes there as well."""
COUNTED = (
    "order(home / '.claude.json', numStartups=8, tipsHistory={'mcp': 3}, cachedGates={'mcp_on': True})",
    "order(home / '.claude.json', projects={'/my/mcp': {'mcpServers': {}, 'hasTrust': False, 'last': 'x'}})",
    "write(home / '.claude/telemetry/x.json', '{\"env\": \"x\"}')",
    'write(home / \'.claude/mcp-needs-auth-cache.json\', \'{"x": {"command": "x"}}\')',
    "write(home / '.claude/projects/x/1.jsonl', 'said')",
    "write(home / '.claude/file-history/x/1@v1', 'was')",
    "write(home / '.claude/tmp/arg0/apply_patch', 'itself', 0o755)",
)
"""What it keeps there in every run."""
ORDINARY = ("a_file_of_the_tree", "a_new_file", "an_untracked_file", "a_file_removed", "a_branch")
"""What a person does as well, who works on meanwhile."""
READS = {
    "keys_of_a_cloud": "read(home / '.aws/credentials')",
    "a_key": "read(home / '.ssh/id_ed25519')",
    "an_untracked_file": "read(root / 'notes.txt')",
    "settings_of_git": "read(root / '.git/config')",
    "a_sign_in": "read(home / '.codex/auth.json')",
    "a_history": "read(home / '.psql_history')",
    "another_sign_in": "read(home / '.local/share/opencode/auth.json')",
}
LANDLOCK, OTHERS = "Linux with Landlock", "other systems"
TO_DO = r"""
import json, os, pathlib
home = pathlib.Path(os.environ["HOME"])
def write(path, text, mode=0o644):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
SERVERS = {"mine": {"command": "mine"}}
def order(path, **more):
    write(path, json.dumps({**(json.loads(path.read_text()) if path.exists() else {}), **more}))
def read(path):
    path.read_text()
"""
BODY = rf"""
import re, time
prompt = sys.stdin.read()
words = re.search(r"\AFirst word: (\w+)\n.*\nLast word: (\w+)\n\Z", prompt, re.DOTALL)
{TO_DO.replace("%", "%%")}
root = pathlib.Path(%(root)r)
done = []
for deed in %(deeds)r:
    try:
        exec(deed)
        done.append(deed)
    except OSError:
        pass
write(pathlib.Path("scratch.txt"), "in its own folder")
write(pathlib.Path(os.environ["TMPDIR"], "scratch.txt"), "in its own temporary folder")
write(pathlib.Path(os.environ.get("CLAUDE_CONFIG_DIR", home / ".claude"), "done.json"), json.dumps(done))
said = {{**dict(zip(["firstWord", "lastWord"], words.groups() if words else [])), **json.loads(%(said)r)}}
print(json.dumps({{"type": "result", "subtype": "success", "is_error": False, "result": json.dumps(said)}}))
"""


def but_for_long(names: Iterable[str], *short: str) -> list[Any]:
    """Return all names, those but for some as of the long form: `TestWithoutAnAgent` asks of all of them."""
    return [name if name in short else pytest.param(name, marks=pytest.mark.long) for name in names]


class Bench:
    """A person's repository and home folder, and an agent that does what it should not."""

    def __init__(self, workspace: Workspace, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.workspace = workspace
        self.home = Path(os.environ["HOME"])
        self._folder = folder
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{self.home / 'tools'}", prepend=os.pathsep)
        workspace.commit("kept", **{"kept.py": "x = 1\n"})
        workspace.write("app.py", "y = 2\n")
        workspace.write("notes.txt", "mine alone\n")
        for name in (".bashrc", ".ssh/authorized_keys", ".ssh/id_ed25519", ".aws/credentials", ".claude/CLAUDE.md",
                     ".codex/auth.json", ".local/share/opencode/auth.json", ".psql_history"):  # fmt: skip
            path = self.home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("{}\n")
        state = {"numStartups": 7, "mcpServers": {"mine": {"command": "mine"}}}
        (self.home / ".claude.json").write_text(json.dumps(state))

    def install(self, *deeds: str) -> None:
        body = BODY % {"root": str(self.workspace.root), "deeds": deeds, "said": CLEAN}
        agent_program(self._folder, body, "claude")

    def runs(self, *deeds: str) -> RunResult:
        self.install(*deeds)
        return self.workspace.run_inprocess("run", "--format", "json", "--reviewer", "agent-claude")

    @property
    def done(self) -> list[str]:
        """What the system let it do."""
        found: list[str] = json.loads((self.home / ".claude" / "done.json").read_text())
        return found

    def everything(self) -> dict[str, bytes]:
        """Return what is in the tree and in the home folder, the program's own notes and the store aside."""
        roots = (self.workspace.root, self.home)
        return {
            str(path): path.read_bytes()
            for root in roots
            for path in root.rglob("*")
            if path.is_file() and path.name != "done.json" and "selfreview" not in str(path.relative_to(root))
        }


@pytest.fixture
def bench(workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    folder = tmp_path / "bin"
    folder.mkdir()
    return Bench(workspace, folder, monkeypatch)


@pytest.fixture
def network() -> Iterator[str]:
    """What a program does to reach a server."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"__import__('socket').create_connection(('127.0.0.1', {server.getsockname()[1]})).close()"


def guide(what: str, system: str) -> str:
    """Return what the guide says of what a program can do that nothing but the system holds."""
    return table_of_attacks()[what][f"else, on {system}"]


def report(ran: RunResult) -> Any:
    (found,) = ran.json["reviewers"]
    return found


class TestWithoutAnAgent:
    """Each deed is done here, and its traces are looked for as around an agent."""

    def watched(self, bench: Bench, deed: str, *, held: bool) -> Watch:
        settings = Overlay(MemoryConfig(config()), bench.workspace.root, {"agent_confinement": False})
        bounds = confinement_of(settings, ClaudeAgent())._replace(enforced=held)
        watch = Watch(bounds)
        names = {"root": bench.workspace.root}
        exec(TO_DO, names)
        exec(deed, names)
        return watch

    @pytest.mark.parametrize("held", [True, False])
    @pytest.mark.parametrize("name", DEEDS)
    def test_what_nobody_does_in_passing_is_an_error(
        self, bench: Bench, monkeypatch: pytest.MonkeyPatch, name: str, *, held: bool
    ) -> None:
        monkeypatch.setattr(confine, "version", lambda: 7)
        watch = self.watched(bench, DEEDS[name], held=held)
        error, note = watch.escaped("agent-claude"), watch.noticed("agent-claude")
        if held and name not in IN_ITS_STATE:  # the system prevents it
            assert (error, note) == (None, None)
        elif name in ORDINARY:
            assert error is None
            assert "changed while agent-claude ran: if that was not you" in str(note)
        else:
            assert " changed while agent-claude ran, outside of the folder" in str(error)

    @pytest.mark.parametrize("name", BY_ITSELF)
    def test_what_another_session_may_have_written_is_noted(self, bench: Bench, name: str) -> None:
        watch = self.watched(bench, BY_ITSELF[name], held=False)
        assert watch.escaped("agent-claude") is None
        assert str(watch.noticed("agent-claude")).startswith("~/.claude/")


class TestHeldByTheSystem:
    @pytest.fixture(autouse=True)
    def _landlock(self) -> None:
        if confine.version() < 3:
            pytest.skip("this system has no Landlock that is whole")

    def test_it_reaches_nothing_outside_but_the_network(self, bench: Bench, network: str) -> None:
        before = bench.everything()
        outside = [deed for name, deed in DEEDS.items() if name not in IN_ITS_STATE]
        ran = bench.runs(*outside, *READS.values(), network)
        assert bench.done == [network]
        assert guide("read a file elsewhere", LANDLOCK) == "prevented for your tree and keepers of secrets"
        assert guide("write a file elsewhere", LANDLOCK) == "prevented"
        assert guide("reach the network", LANDLOCK) == "not prevented"
        assert bench.everything() == before
        assert (ran.code, report(ran)["error"]) == (ExitCode.PASSED, None), ran.json["notes"]
        assert not [note for note in ran.json["notes"] if "Landlock" in note]

    @pytest.mark.parametrize("name", but_for_long(IN_ITS_STATE, "orders", "a_server_that_is_started"))
    def test_orders_for_a_later_run_are_found(self, bench: Bench, name: str) -> None:
        ran = bench.runs(DEEDS[name])
        assert bench.done == [DEEDS[name]]
        assert ran.code == ExitCode.INCOMPLETE
        assert report(ran)["error"].startswith("~/.claude")
        assert guide("leave orders for a later session", LANDLOCK) == "found"

    @pytest.mark.parametrize("name", but_for_long(BY_ITSELF, "a_memory", "a_plugins_hook"))
    def test_what_another_session_may_have_written_is_noted(self, bench: Bench, name: str) -> None:
        ran = bench.runs(BY_ITSELF[name])
        assert bench.done == [BY_ITSELF[name]]
        assert ran.code == ExitCode.PASSED
        (note,) = [note for note in ran.json["notes"] if "if that was not you, look at it" in note]
        assert note.startswith("~/.claude/")

    def test_what_it_keeps_in_every_run_is_nothing(self, bench: Bench) -> None:
        ran = bench.runs(*COUNTED)
        assert bench.done == [*COUNTED]
        assert (ran.code, " changed while " in " ".join(ran.json["notes"])) == (ExitCode.PASSED, False)

    def test_orders_for_a_later_run_are_found_in_a_folder_that_was_moved(
        self, bench: Bench, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (folder := bench.home / "elsewhere").mkdir()
        monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(folder))
        kept = "order(home / 'elsewhere/.claude.json', numStartups=8)"
        order = "order(home / 'elsewhere/.claude.json', hooks={'Stop': 'owned'})"
        assert report(bench.runs(kept))["error"] is None
        assert report(bench.runs(order))["error"].startswith("~/elsewhere/.claude.json changed")


class TestHeldByItselfAlone:
    @pytest.fixture(autouse=True)
    def _off(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("SELFREVIEW_AGENT_CONFINEMENT", "false")

    def test_an_agent_that_keeps_to_its_folder_passes(self, bench: Bench) -> None:
        ran = bench.runs()
        assert (ran.code, report(ran)["error"]) == (ExitCode.PASSED, None)
        assert "Landlock" not in " ".join(ran.json["notes"])

    @pytest.mark.parametrize(
        "name",
        but_for_long(
            [name for name in DEEDS if name not in ORDINARY],
            *("a_hook", "a_new_start", "a_program_on_path", "orders", "a_server_that_is_started"),
        ),
    )
    def test_what_it_changes_fails_the_review(self, bench: Bench, name: str) -> None:
        ran = bench.runs(DEEDS[name])
        assert bench.done == [DEEDS[name]]
        assert ran.code == ExitCode.INCOMPLETE
        found = report(ran)
        assert (found["status"], "if that was you" in found["hint"]) == ("failed", True)
        assert " changed while agent-claude ran, outside of the folder that it was given" in found["error"]
        assert guide("write a file elsewhere", OTHERS) == "found, but for files that nothing runs"
        assert guide("leave orders for a later session", OTHERS) == "found"

    def test_what_it_only_reads_and_sends_is_not_found(self, bench: Bench, network: str) -> None:
        ran = bench.runs(*READS.values(), network)
        assert bench.done == [*READS.values(), network]
        assert ran.code == ExitCode.PASSED
        assert guide("read a file elsewhere", OTHERS) == guide("reach the network", OTHERS) == "not prevented"

    @pytest.mark.parametrize("name", but_for_long(ORDINARY, "a_file_of_the_tree", "a_branch"))
    def test_what_may_be_a_person_at_work_is_noted(self, bench: Bench, name: str) -> None:
        ran = bench.runs(DEEDS[name])
        assert bench.done == [DEEDS[name]]
        assert "changed while agent-claude ran: if that was not you" in " ".join(ran.json["notes"])

    def test_an_empty_entry_of_path_makes_no_programs_of_the_files_of_the_tree(
        self, bench: Bench, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        bench.home = bench.workspace.root.parent
        monkeypatch.setenv("HOME", str(bench.home))
        monkeypatch.setenv("PATH", f"{os.environ['PATH']}{os.pathsep}")
        ran = bench.runs(DEEDS["a_file_of_the_tree"])
        assert bench.done == [DEEDS["a_file_of_the_tree"]]
        assert (ran.code, report(ran)["error"]) == (ExitCode.PASSED, None)
        assert "app.py changed while agent-claude ran: if that was not you" in " ".join(ran.json["notes"])


@pytest.fixture
def fixing(bench: Bench) -> Iterator[FixBench]:
    """A workspace of a fixer, beside the person's repository."""
    with FixBench({"app.py": "y = 2\n"}, config=config()) as made:
        made.config = Overlay(made.config, bench.workspace.root, {})
        yield made


def mend(bench: Bench, fixing: FixBench, *deeds: str) -> Fix:
    """Have an agent fix, which writes into its folder as well."""
    bench.install(*deeds)
    agent = ClaudeAgent()
    return AgentFixer(agent, agent.fix_argv, fixing.config).fix(
        fixing.request(fixing.issue("app.py", 1, "bad")), fixing
    )


def test_a_fixer_reaches_nothing_outside(bench: Bench, fixing: FixBench) -> None:
    if confine.version() < 3:
        pytest.skip("this system has no Landlock that is whole")
    before = bench.everything()
    fix = mend(bench, fixing, *(deed for name, deed in DEEDS.items() if name not in IN_ITS_STATE), *READS.values())
    assert (bench.done, fix.error) == ([], None)
    assert bench.everything() == before
    assert fixing.changed() == ["scratch.txt"]


def test_a_fixer_reads_nothing_of_the_temporary_folder_but_its_own(
    bench: Bench, fixing: FixBench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Secrets that are set aside while it works lie there, and other calls' settings."""
    if not confine.version():
        pytest.skip("this system has no Landlock")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    (temporary / "theirs").write_text("secret\n")
    fixing.root.joinpath(".env.local").write_text("KEY=secret\n")
    found = f"pathlib.Path({str(temporary)!r}).glob('selfreview-aside-*/*')"
    aside = f"[read(path) for path in {found}] or read(pathlib.Path('nowhere'))"
    by_name = f"read(pathlib.Path({str(temporary / 'theirs')!r}))"
    mend(bench, fixing, aside, by_name)
    assert bench.done == []
    assert fixing.root.joinpath(".env.local").read_text() == "KEY=secret\n"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell who comes from whom")
@pytest.mark.parametrize("confined", [True, pytest.param(False, marks=pytest.mark.long)])
@pytest.mark.parametrize(
    "ending", ["", "sys.exit(3)", pytest.param("print('x' * 2**24, flush=True)", marks=pytest.mark.long)]
)
def test_nothing_that_it_started_outlives_it(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, confined: bool, ending: str
) -> None:
    """It would be there while files are taken back, and have a name lead elsewhere."""
    monkeypatch.setenv("SELFREVIEW_AGENT_CONFINEMENT", json.dumps(confined))
    note = "write(home / '.claude/left', str(os.getpid())), os.rename(home / '.claude/left', home / '.claude/pid')"
    stay = f"os.setsid(), os.fork() and os._exit(0), os.setsid(), os.closerange(0, 3), {note}, time.sleep(600)"
    wait = "[time.sleep(0.01) for _ in iter((home / '.claude/pid').exists, True)]"
    ran = bench.runs(f"os.fork() or [{stay}]", wait, ending)
    assert ran.code == (ExitCode.INCOMPLETE if ending else ExitCode.PASSED)
    with pytest.raises(ProcessLookupError):
        os.kill(int((bench.home / ".claude" / "pid").read_text()), 0)


@pytest.mark.parametrize("name", ["a_new_start", "a_shells_start", "orders"])
def test_what_a_fixer_changes_is_found_and_said(
    bench: Bench, fixing: FixBench, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(confine, "version", lambda: 0)
    with pytest.raises(ToolError, match="changed while agent-claude ran") as error:
        mend(bench, fixing, DEEDS[name])
    assert bench.done == [DEEDS[name]]
    assert "if that was you" in str(error.value.hint)


def test_what_may_be_a_person_at_work_is_noted_of_a_fixer(bench: Bench, fixing: FixBench) -> None:
    fixing.config = Overlay(fixing.config, bench.workspace.root, {"agent_confinement": False})
    fix = mend(bench, fixing, DEEDS["a_file_of_the_tree"])
    assert fix.error is None
    assert "app.py changed while agent-claude ran" in fix.notes


@pytest.mark.skipif(not confine.version(), reason="this system has no Landlock")
def test_an_agent_of_ones_own_that_is_kept_from_its_state_is_told_how_to_name_it(bench: Bench) -> None:
    (folder := Path(os.environ["SELFREVIEW_CONFIG_DIR"])).mkdir(parents=True)
    body = "import pathlib\npathlib.Path(os.environ['HOME'], '.mine').write_text('x')"
    agent_program(bench.home, body, "mine")
    (folder / "config.toml").write_text(f'[agents.mine]\nrun = ["{bench.home}/mine"]\n')
    ran = bench.workspace.selfreview("run", "--format", "json", "--reviewer", "agent-mine")
    assert "Permission denied" in report(ran)["error"]
    assert "name them in agents.mine.state, or set agent_confinement = false" in report(ran)["hint"]


@pytest.mark.skipif(not confine.version(), reason="this system has no Landlock")
def test_a_home_folder_that_cannot_be_written_holds_no_agent_up(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/proc/nowhere")
    ran = bench.runs("write = lambda *_: None")
    assert (ran.code, report(ran)["error"]) == (ExitCode.PASSED, None)


def test_what_it_reaches_counts_before_how_it_ends(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SELFREVIEW_AGENT_CONFINEMENT", "false")
    ran = bench.runs(DEEDS["a_new_start"], "done.append(write(home / '.claude/done.json', '')) or sys.exit(3)")
    assert report(ran)["error"].startswith("~/.zshenv changed while agent-claude ran")


def test_what_it_reached_until_it_was_interrupted_is_said(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SELFREVIEW_AGENT_CONFINEMENT", "false")
    bench.install(DEEDS["a_new_start"], "write(home / 'ready', '')", "time.sleep(600)")
    argv = [sys.executable, "-m", "selfreview", "run", "--format", "json", "--reviewer", "agent-claude"]
    with subprocess.Popen(argv, cwd=bench.workspace.root, stdout=subprocess.DEVNULL) as run:
        while not (bench.home / "ready").exists():
            assert run.poll() is None
            time.sleep(0.01)
        run.send_signal(signal.SIGINT)
    assert "~/.zshenv changed while agent-claude ran" in " ".join(bench.workspace.selfreview("status").out.split())


def test_a_system_that_cannot_hold_it_is_said(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confine, "version", lambda: 0)
    ran = bench.runs(DEEDS["a_new_start"])
    assert report(ran)["error"].startswith("~/.zshenv changed while agent-claude ran")
    assert "agent-claude was not confined to its folder: this system has no Landlock" in " ".join(ran.json["notes"])
