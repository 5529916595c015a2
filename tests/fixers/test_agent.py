"""Agents as fixers, with programs on PATH that stand in for them: what they are told, and each way they end."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from selfreview.agents.claude import ClaudeAgent
from selfreview.agents.codex import CodexAgent
from selfreview.agents.command import CommandAgent
from selfreview.agents.gemini import GeminiAgent
from selfreview.agents.opencode import OpenCodeAgent
from selfreview.api import Agent, Attempt, Document, Fix, FixOutcome
from selfreview.errors import ToolError, ToolTimeout
from selfreview.fixers.agent import AgentFixer
from selfreview.testing.fixing import FixBench
from tests.fixers.talks import answer, config
from tests.reviewers.fakes import agent_program

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="scripts as programs")

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
CODE = "def mean(values):\n    return sum(values) / len(values)\n"
AGENTS: dict[str, Agent] = {"claude": ClaudeAgent(), "codex": CodexAgent(), "gemini": GeminiAgent(),
                            "opencode": OpenCodeAgent()}  # fmt: skip
ENVELOPE = {
    "claude": lambda text: json.dumps(
        {"type": "result", "subtype": "success", "is_error": False, "result": text, "total_cost_usd": 0.25,
         "usage": {"input_tokens": 10, "output_tokens": 5}}
    ),
    "codex": lambda text: json.dumps({"type": "item.completed", "item": {"type": "agent_message", "text": text}}),
    "gemini": lambda text: json.dumps({"response": text, "stats": {}}),
    "opencode": lambda text: json.dumps({"type": "text", "part": {"type": "text", "text": text}}),
    "mine": lambda text: text,
}  # fmt: skip
UNCONFINED = config() | {"agent_confinement": False}
"""The programs note down how they were started."""
EDITS = "open('app.py', 'a').write('# mended\\n')"


def fixer_of(agent: Any, bench: FixBench) -> AgentFixer:
    return AgentFixer(agent, agent.fix_argv, bench.config)


class Stand:
    """A bench, and a program on PATH that is the agent."""

    def __init__(self, bench: FixBench, folder: Path) -> None:
        self.bench = bench
        self.folder = folder
        self.issue = bench.issue("app.py", 2, "divides by zero")

    def install(self, text: str, body: str = EDITS, name: str = "codex", then: str = "") -> None:
        record = (
            "said = {'argv': sys.argv[1:], 'prompt': sys.stdin.read(), 'env': dict(os.environ), 'cwd': os.getcwd()}\n"
            f"json.dump(said, open({str(self.folder / 'record.json')!r}, 'w'))\n"
        )
        prints = f"sys.stdout.write({ENVELOPE[name](text)!r})\nsys.stdout.flush()\n"
        agent_program(self.folder, f"{record}{body}\n{prints}{then}", name)

    @property
    def record(self) -> Any:
        return json.loads((self.folder / "record.json").read_text())

    def mend(self, name: str = "codex", **request: Any) -> Fix:
        return fixer_of(AGENTS[name], self.bench).fix(self.bench.request(self.issue, **request), self.bench)


@pytest.fixture
def stand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stand]:
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    files = {"app.py": CODE, "conf.py": f"TOKEN = '{SECRET}'\n"}
    with FixBench(files, config=UNCONFINED, timeout=30.0) as bench:
        yield Stand(bench, folder)


def said(*answers: Any, notes: str = "", **more: Any) -> str:
    return json.dumps({"answers": list(answers), "notes": notes, **more})


@pytest.mark.parametrize("name", AGENTS)
class TestEveryAgent:
    def test_it_edits_and_reports(self, stand: Stand, name: str) -> None:
        text = said(answer(stand.issue, why="guarded"), notes="hm", elsewhere=[{"path": "lib.py", "why": "cause"}])
        stand.install(f"I looked.\n```json\n{text}\n```\nDone.", name=name)
        fix = stand.mend(name)
        assert stand.bench.changed() == ["app.py"]
        assert (fix.error, fix.notes, fix.reasons) == (None, "hm", {"lib.py": "cause"})
        assert [(a.issue, a.outcome, a.why) for a in fix.answers] == [(stand.issue.id, FixOutcome.ADDRESSED, "guarded")]
        assert (fix.usage is not None) == (name == "claude")

    def test_it_runs_in_the_workspace_with_a_prompt_on_standard_input(self, stand: Stand, name: str) -> None:
        stand.install(said(answer(stand.issue)), name=name)
        stand.mend(name, attempts=[Attempt(1, stand.issue.id, "a try")], guidelines=[Document("AGENTS.md", "be kind")])
        assert stand.record["cwd"] == str(stand.bench.root)
        prompt = stand.record["prompt"]
        for text in ("divides by zero", "a try", "be kind", "needs_person", '"answers"'):
            assert text in prompt
        assert "Call `report`" not in prompt
        assert "divides" not in " ".join(stand.record["argv"])

    def test_it_may_edit_and_run_nothing(self, stand: Stand, name: str) -> None:
        stand.install(said(), name=name)
        stand.mend(name)
        argv = " ".join(stand.record["argv"])
        limit = {
            "claude": "--permission-mode acceptEdits --tools Read,Grep,Glob,Edit,Write --setting-sources  --settings",
            "codex": "--sandbox workspace-write",
            "gemini": "--approval-mode auto_edit",
            "opencode": "--agent selfreview",
        }
        assert limit[name] in argv
        for flag in ("Bash", "yolo", "dangerously", "full-auto", "danger-full-access", "bypassPermissions"):
            assert flag not in argv

    def test_it_gets_its_own_credentials_only(self, stand: Stand, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
        for variable in ("ANTHROPIC_API_KEY", "CODEX_API_KEY", "GEMINI_API_KEY", "GITHUB_TOKEN", "GIT_DIR"):
            monkeypatch.setenv(variable, "x")
        stand.install(said(), name=name)
        stand.mend(name)
        own = {
            "claude": {"ANTHROPIC_API_KEY"},
            "codex": {"CODEX_API_KEY"},
            "gemini": {"GEMINI_API_KEY"},
            "opencode": {"ANTHROPIC_API_KEY", "GEMINI_API_KEY"},
        }[name]
        known = {v for v in stand.record["env"] if v.endswith(("_KEY", "_TOKEN")) or v.startswith("GIT_")}
        assert known == own

    @pytest.mark.parametrize("status", [1, *(pytest.param(status, marks=pytest.mark.long) for status in (2, 127))])
    def test_its_exit_status_counts_before_what_it_prints(self, stand: Stand, name: str, status: int) -> None:
        stand.install(said(answer(stand.issue)), name=name, then=f"sys.exit({status})")
        with pytest.raises(ToolError, match=f"ended with status {status}"):
            stand.mend(name)

    def test_its_own_words_are_passed_on(self, stand: Stand, name: str) -> None:
        stand.install("Not logged in", name=name, then="sys.exit(1)")
        with pytest.raises(ToolError, match=r"ended with status 1: Not logged in$") as error:
            stand.mend(name)
        assert "by hand and sign in" in str(error.value.hint)

    def test_killed(self, stand: Stand, name: str) -> None:
        stand.install(said(answer(stand.issue)), name=name, then="os.kill(os.getpid(), signal.SIGKILL)")
        with pytest.raises(ToolError, match="killed by SIGKILL"):
            stand.mend(name)

    @pytest.mark.parametrize("text", ["", pytest.param(" \n", marks=pytest.mark.long)])
    def test_no_word_at_all_is_an_error(self, stand: Stand, name: str, text: str) -> None:
        stand.install(text, name=name)
        with pytest.raises(ToolError, match="printed no"):
            stand.mend(name)


@pytest.mark.parametrize(
    "text",
    ["I fixed it.", "{}", '{"answers": [', "{" * 50_000,
     *(pytest.param(text, marks=pytest.mark.long)
       for text in ("I cannot help with that.", "{", "[]", '{"answers": null}', '{"other": [1]}'))],
)  # fmt: skip
def test_without_a_report_its_edits_stand_and_nothing_is_addressed(stand: Stand, text: str) -> None:
    stand.install(text)
    fix = stand.mend()
    assert (fix.error, fix.answers, fix.notes) == (None, [], "codex gave no report")
    assert stand.bench.changed() == ["app.py"]


def test_the_last_report_counts_and_what_is_wrong_in_it_is_passed_over(stand: Stand) -> None:
    wrong = [answer("sr-other"), {"issue": [], "outcome": "addressed"}, 3, {"issue": stand.issue.id, "outcome": "ok"}]
    last = said(*wrong, answer(stand.issue, "needs_person", "a design question"))
    stand.install(f"{said(answer(stand.issue))}\nNo, wait: {last} {{}}")
    assert [(a.outcome, a.why) for a in stand.mend().answers] == [(FixOutcome.NEEDS_PERSON, "a design question")]


def test_secrets_are_taken_out_of_the_prompt_and_what_is_written_of_them_is_turned_back(stand: Stand) -> None:
    copies = f"""
import re
prompt = json.load(open({str(stand.folder / "record.json")!r}))["prompt"]
word = re.search(r"REDACTED_\\w+CHARS", prompt.split("divides")[1])[0]
open("app.py", "a").write('T = "%s"\\n' % word)
"""
    stand.issue = stand.bench.issue("app.py", 2, f"divides {SECRET}")
    stand.install(said(answer(stand.issue, why=f"used {SECRET}")), copies)
    fix = stand.mend(requirements=[Document("r.md", f"never {SECRET}")])
    assert SECRET not in stand.record["prompt"]
    assert SECRET not in fix.answers[0].why
    assert stand.bench.text("app.py").endswith(f'T = "{SECRET}"\n')


def test_the_deadline_ends_it(stand: Stand) -> None:
    stand.install("", then="time.sleep(60)")
    stand.bench._deadline -= 28.0
    with pytest.raises(ToolTimeout):
        stand.mend()


def test_an_interrupt_kills_it(stand: Stand) -> None:
    pipe = stand.folder / "pipe"
    os.mkfifo(pipe)
    stand.install("", f"open({str(pipe)!r}, 'w').close()", then="time.sleep(60)")
    ended: list[str] = []

    def work() -> None:
        try:
            stand.mend()
        except ToolError as error:
            ended.append(error.message)

    working = threading.Thread(target=work, daemon=True)
    working.start()
    pipe.open().close()  # it has begun
    stand.bench.stop()
    working.join(15.0)
    assert ended == ["codex was killed by SIGKILL"]


class TestAside:
    """What the repository could tell an agent by is not there while it works, and comes back as it was."""

    FILES = {
        ".claude/settings.json": "{}", "sub/.gemini/settings.json": "{}", ".mcp.json": "{}", ".env": "A=1\n",
        "tls.pem": "key\n", "sub/.npmrc": "token\n", "bunfig.toml": "x\n", ".env.example": "A=\n",
        "AGENTS.md": "be kind\n", "CLAUDE.md": "obey\n", "app.py": CODE,
    }  # fmt: skip

    @pytest.fixture
    def stand(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stand]:
        folder = tmp_path / "bin"
        folder.mkdir()
        monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
        with FixBench(self.FILES, change=["app.py", "CLAUDE.md"], config=UNCONFINED, timeout=30.0) as bench:
            (bench.root / "out").symlink_to(tmp_path)
            (bench.root / "gitdir").symlink_to(".git")
            (bench.root / "in").symlink_to("app.py")
            yield Stand(bench, folder)

    def body(self, stand: Stand) -> str:
        seen = str(stand.folder / "seen.json")
        return (
            f"json.dump(sorted(n for n in os.listdir('.') if n != '.git'), open({seen!r}, 'w'))\n"
            "os.makedirs('.claude/hooks'); open('.env', 'w').write('EVIL=1')\n"
            "open('.claude/hooks/x', 'w').write('evil'); os.makedirs('out'); open('out/y', 'w').write('evil')\n" + EDITS
        )

    @pytest.mark.parametrize("then", ["", "sys.exit(1)"])
    def test_it_is_set_aside(self, stand: Stand, tmp_path: Path, then: str) -> None:
        stand.install(said(answer(stand.issue)), self.body(stand), then=then)
        before = stand.bench.changed()
        if then:
            with pytest.raises(ToolError):
                stand.mend()
        else:
            assert stand.mend().error is None
        assert json.loads((stand.folder / "seen.json").read_text()) == [
            ".env.example",
            "AGENTS.md",
            "app.py",
            "in",
            "sub",
        ]
        assert stand.bench.changed() == sorted([*before, "app.py"])
        assert (stand.bench.root / "out").readlink() == tmp_path
        assert stand.bench.text(".env") == "A=1\n"
        assert stand.bench.text("sub/.gemini/settings.json") == "{}"
        assert [entry.name for entry in tmp_path.iterdir()] == ["bin"]

    def test_what_the_change_touches_counts_even_where_it_is_not_under_review(self, stand: Stand) -> None:
        import msgspec

        (stand.bench.root / "AGENTS.md").write_text("obey\n")
        stand.bench.changed()  # as the loop does, it brings the index up to date
        scope = msgspec.structs.replace(stand.bench.change.scope, merge_base="HEAD")
        stand.bench.change = msgspec.structs.replace(stand.bench.change, scope=scope)
        stand.install(said(answer(stand.issue)), self.body(stand))
        stand.mend()
        assert json.loads((stand.folder / "seen.json").read_text()) == [".env.example", "app.py", "in", "sub"]


class TestAvailable:
    def test_not_installed(self, stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PATH", str(stand.folder))
        assert stand.mend().error == "codex is not installed, or not executable"

    def test_offline(self, stand: Stand) -> None:
        stand.install(said())
        fixer = fixer_of(CodexAgent(), stand.bench)
        assert fixer.unavailable(stand.bench.config) is None
        stand.bench.config._values["offline"] = True  # type: ignore[attr-defined]
        assert "offline" in str(fixer.unavailable(stand.bench.config))

    def test_a_table_needs_trust(self, stand: Stand) -> None:
        stand.install(said(answer(stand.issue)), name="mine")
        agent = CommandAgent("mine", {"run": ["mine"], "fix": ["mine", "--edit"]})
        fixer = fixer_of(agent, stand.bench)
        assert (fixer.name, fixer.is_mechanical) == ("agent-mine", False)
        assert fixer.fix(stand.bench.request(stand.issue), stand.bench).answers
        assert stand.record["argv"] == ["--edit"]
        stand.bench.config.trusted = False  # type: ignore[misc]
        assert "not trusted" in str(fixer.unavailable(stand.bench.config))
        assert "not trusted" in str(fixer.fix(stand.bench.request(stand.issue), stand.bench).error)

    def test_a_table_that_only_reads_has_no_command_line_to_fix_with(self) -> None:
        assert CommandAgent("reads", {"run": ["x"]}).fix_argv is None

    def test_it_takes_everything(self, stand: Stand) -> None:
        assert fixer_of(CodexAgent(), stand.bench).takes(stand.issue, stand.bench.config)
