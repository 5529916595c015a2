"""The action for GitHub: its steps are run, against a repository, with the selfreview that is tested."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from selfreview.errors import ExitCode
from tests.composite import EXPRESSION, Ended, Job, program, run_action
from tests.conftest import Workspace

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="runs bash and programs with a shebang")

ROOT = Path(__file__).parent.parent
ACTION = ROOT / "action.yml"
BAD = 'def load(items=[]):\n    return f"{itmes}"\n'
LOGGING = """\
import json, os, pathlib, runpy, sys
log = pathlib.Path(os.environ["RUNNER_TEMP"], "arguments.json")
log.write_text(json.dumps({"arguments": sys.argv[1:], "key": os.environ.get("ANTHROPIC_API_KEY")}))
"""
REAL = LOGGING + "runpy.run_module('selfreview', run_name='__main__', alter_sys=True)\n"
FAKE = LOGGING + "sys.exit(int(os.environ.get('CODE', '0')))\n"
GH = """\
import json, os, pathlib, sys
arguments = sys.argv[1:]
if "graphql" in arguments:
    print(os.environ.get("COMMENTS", ""))
    sys.exit(int(os.environ.get("GH_CODE", "0")))
(body,) = [word.removeprefix("body=@") for word in arguments if word.startswith("body=@")]
said = {"to": arguments[3:5], "body": pathlib.Path(body).read_text(), "token": os.environ["GH_TOKEN"]}
pathlib.Path(os.environ["RUNNER_TEMP"], "gh.json").write_text(json.dumps(said))
"""


class Runner:
    """A job on a pull request."""

    def __init__(self, workspace: Workspace, folder: Path) -> None:
        self.workspace = workspace
        self.temp = folder / "temp"
        self.temp.mkdir()
        program(folder / "bin" / "gh", GH)
        self.programs = {name: program(folder / name, text) for name, text in (("real", REAL), ("fake", FAKE))}
        self.env = {
            "RUNNER_TEMP": str(self.temp),
            "GITHUB_WORKSPACE": str(workspace.root),
            "GITHUB_REPOSITORY": "us/it",
            "GITHUB_SERVER_URL": "https://github.com",
            "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
            "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
        }
        self.folder = folder

    def __call__(self, *, kind: str = "real", author: str = "someone", origin: str = "us/it", **inputs: str) -> Ended:
        given = {name.replace("_", "-"): value for name, value in inputs.items()}
        request = {"number": 7, "head": {"repo": {"full_name": origin}}, "user": {"login": author}}
        github = {"token": "t0ken", "event": {"pull_request": request}}
        job = Job({"inputs": given, "github": github}, self.env, self.folder)
        stand_ins = {"python": {}, "install": {"program": str(self.programs[kind])}}
        return run_action(ACTION, job, stand_ins)

    @property
    def said(self) -> Any:
        return json.loads((self.temp / "arguments.json").read_text())

    @property
    def comment(self) -> Any:
        path = self.temp / "gh.json"
        return json.loads(path.read_text()) if path.exists() else None


@pytest.fixture
def runner(workspace: Workspace, tmp_path: Path) -> Runner:
    folder = tmp_path / "runner"
    folder.mkdir()
    return Runner(workspace, folder)


def test_an_issue_fails_the_step_and_everything_is_reported_all_the_same(workspace: Workspace, runner: Runner) -> None:
    workspace.commit("bad", **{"app.py": BAD})
    ended = runner(base="main", comment="true", upload_sarif="true")
    assert ended.code == ExitCode.ISSUES, ended.log
    assert re.search(r"^::error file=app\.py,line=2", ended.log, re.MULTILINE)
    sarif = ended.outputs.pop("sarif-file")
    assert ended.outputs == {"status": "complete", "verdict": "needs_work", "passed": "false", "open-issues": "2"}
    assert json.loads(Path(sarif).read_text())["version"] == "2.1.0"
    assert ended.used == [{"sarif_file": sarif, "category": "selfreview"}]
    assert runner.comment["to"] == ["POST", "repos/us/it/issues/7/comments"]
    assert runner.comment["token"] == "t0ken"
    assert runner.comment["body"].startswith("<!-- selfreview: gate -->\n")
    assert "app.py" in runner.comment["body"]


def test_a_clean_change_passes_and_an_earlier_comment_is_edited(workspace: Workspace, runner: Runner) -> None:
    workspace.commit("clean", **{"app.py": "LIMIT = 3\n"})
    runner.env["COMMENTS"] = "41\n42"
    ended = runner(base="main", comment="true", annotations="false")
    assert ended.code == ExitCode.PASSED, ended.log
    assert ended.outputs["passed"] == "true"
    assert (runner.folder / "summary.md").read_text()
    assert runner.comment["to"] == ["PATCH", "repos/us/it/issues/comments/41"]
    # The report for people stands where the runner looks for no commands.
    (mark,) = re.findall(r"^::stop-commands::(\w{32})$", ended.log, re.MULTILINE)
    assert ended.log.endswith(f"\n::{mark}::\n")


def test_what_cannot_be_reviewed_has_not_passed(workspace: Workspace, runner: Runner) -> None:
    ended = runner(base="no-such-branch", comment="true", sarif_file="out.sarif")
    assert ended.code == ExitCode.USAGE
    assert (ended.outputs["status"], ended.outputs["passed"]) == ("error", "false")
    assert "::error title=selfreview::" in ended.log


def test_every_input_reaches_the_gate_as_it_is(workspace: Workspace, runner: Runner) -> None:
    hostile = "$(touch hacked) `touch hacked` '; touch hacked"
    ended = runner(
        kind="fake",
        fail_on="high",
        base=hostile,
        reviewers="auto, ruff\nclaude",
        require="ruff",
        accept="v1:aa\nv1:bb",
        allow_head_code="true",
        args="--effort\nquick\n-o\nexclude = [\"a b\", '*']\n",
        api_key="sk-key",
        sarif_file="reports/it.sarif",
    )
    assert ended.code == 0, ended.log
    assert runner.said["arguments"] == [
        "gate", "--reviewer=auto", "--reviewer=ruff", "--reviewer=claude", "--require=ruff", "--accept=v1:aa",
        "--accept=v1:bb", "--fail-on=high", f"--base={hostile}", "--allow-head-code", "--format=github",
        f"--format=sarif:{workspace.root}/reports/it.sarif", "--effort", "quick", "-o", "exclude = [\"a b\", '*']",
    ]  # fmt: skip
    assert runner.said["key"] == "sk-key"
    assert not list(workspace.root.glob("**/hacked"))


def test_by_itself_it_asks_for_nothing_but_annotations(runner: Runner) -> None:
    assert runner(kind="fake").code == 0
    assert runner.said == {"arguments": ["gate", "--format=github"], "key": None}


@pytest.mark.parametrize("limits", [{"origin": "them/it"}, {"origin": ""}, {"author": "dependabot[bot]"}])
def test_a_pull_request_without_secrets_is_reviewed_without_them(runner: Runner, limits: dict[str, str]) -> None:
    ended = runner(kind="fake", reviewers="auto claude", comment="true", upload_sarif="true", **limits)
    assert ended.code == 0
    assert [word for word in runner.said["arguments"] if word.startswith("--reviewer")] == ["--reviewer=auto"]
    assert "no model reviewed it" in ended.log
    assert ended.used == []


def test_a_fork_gets_neither_comment_nor_upload_and_is_told(workspace: Workspace, runner: Runner) -> None:
    workspace.commit("bad", **{"app.py": BAD})
    ended = runner(base="main", comment="true", upload_sarif="true", origin="them/it")
    assert ended.code == ExitCode.ISSUES
    assert (ended.used, runner.comment) == ([], None)
    assert "no comment was posted" in ended.log
    assert "nothing was uploaded" in ended.log


def test_a_reviewer_that_is_required_stays_required(runner: Runner) -> None:
    runner(kind="fake", reviewers="claude", require="claude", origin="them/it")
    assert runner.said["arguments"] == ["gate", "--require=claude", "--format=github"]


def test_the_exit_code_is_the_gates(runner: Runner) -> None:
    runner.env["CODE"] = "5"
    ended = runner(kind="fake")
    assert (ended.code, ended.outputs["status"]) == (ExitCode.INCOMPLETE, "error")


@pytest.mark.parametrize(
    ("code", "inputs"),
    [
        (ExitCode.USAGE, {"fail_on": "bogus"}),
        (ExitCode.USAGE, {"args": "--format=bogus"}),
        (ExitCode.INCOMPLETE, {"require": "claude"}),
    ],
)
def test_only_a_whole_review_is_uploaded(
    workspace: Workspace, runner: Runner, code: ExitCode, inputs: dict[str, str]
) -> None:
    """Code scanning closes the alerts that a report does not repeat."""
    workspace.commit("bad", **{"app.py": BAD})
    ended = runner(base="main", upload_sarif="true", **inputs)
    assert (ended.code, ended.used, ended.outputs["sarif-file"]) == (code, [], ""), ended.log
    assert ended.outputs["passed"] == "false"
    assert not list(runner.temp.rglob("*.sarif"))


def test_the_report_of_a_review_that_is_switched_off_is_not_uploaded(workspace: Workspace, runner: Runner) -> None:
    workspace.git("switch", "--quiet", "main")
    workspace.commit("off", **{"selfreview.toml": "enabled = false\n"})
    workspace.git("switch", "--quiet", "--create", "later")
    workspace.commit("bad", **{"app.py": BAD})
    ended = runner(base="main", upload_sarif="true")
    assert (ended.code, ended.used, ended.outputs["status"]) == (ExitCode.PASSED, [], "nothing_to_review"), ended.log


def test_one_without_a_report_is_no_issue(runner: Runner) -> None:
    runner.env["CODE"] = "1"
    assert runner(kind="fake").code == ExitCode.INTERNAL_ERROR


def test_no_report_that_is_there_after_another_code_is_uploaded(workspace: Workspace, runner: Runner) -> None:
    program(
        runner.folder / "fake", f"import pathlib; pathlib.Path({str(workspace.root / 'o.sarif')!r}).touch(); exit(3)"
    )
    ended = runner(kind="fake", sarif_file="o.sarif", upload_sarif="true")
    assert (ended.code, ended.used) == (ExitCode.INTERNAL_ERROR, [])
    assert ended.outputs["sarif-file"] == str(workspace.root / "o.sarif")


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        ({"working_directory": "nowhere"}, "::working-directory names no folder"),
        ({"sarif_file": "reports"}, "names a folder"),
        ({"sarif_file": "README.md/a.sarif"}, "error: "),
        ({"base": "no such ref"}, "error: "),
        ({"reviewers": "bogus"}, "'bogus'"),
    ],
)
def test_an_input_that_makes_no_sense_is_an_error_and_not_an_issue(
    workspace: Workspace, runner: Runner, inputs: dict[str, str], said: str
) -> None:
    workspace.write("reports/old.txt", "old\n")
    ended = runner(**{"base": "main", "upload_sarif": "true", **inputs})
    assert (ended.code, ended.used) == (ExitCode.USAGE, []), ended.log
    assert said in ended.log
    assert (ended.outputs["status"], ended.outputs["passed"]) == ("error", "false")


def test_paths_with_spaces_are_taken_as_they_are(workspace: Workspace, runner: Runner) -> None:
    place = runner.folder / "a place"
    workspace.commit("bad", **{"app.py": BAD})
    workspace.root.rename(place)
    runner.env["GITHUB_WORKSPACE"] = str(runner.folder)
    ended = runner(base="main", working_directory="a place", sarif_file="the reports/a b.sarif", args="--\napp.py")
    assert ended.code == ExitCode.ISSUES, ended.log
    assert ended.outputs["status"] == "complete"
    assert ended.outputs["sarif-file"] == f"{runner.folder}/the reports/a b.sarif"
    assert json.loads(Path(ended.outputs["sarif-file"]).read_text())["version"] == "2.1.0"


def test_a_step_that_does_not_run_has_not_passed(workspace: Workspace, runner: Runner) -> None:
    """The installation failed, so that the gate was never started."""
    runner.programs["real"] = runner.folder / "missing"
    ended = runner(base="main")
    assert ended.code not in (ExitCode.PASSED, ExitCode.ISSUES)
    assert (ended.outputs["status"], ended.outputs["passed"]) == ("error", "false")
    env = {**os.environ, **runner.env, "INPUT_PYTHON": "false", "GITHUB_ACTION_PATH": str(ROOT)}
    done = subprocess.run(
        ["bash", str(ROOT / "action" / "install.sh")], env=env, capture_output=True, text=True, check=False
    )
    assert (done.returncode, "could not be installed" in done.stdout) == (ExitCode.USAGE, True), done
    for name, value in (("status", "error"), ("passed", "false")):
        output = yaml.safe_load(ACTION.read_text())["outputs"][name]["value"]
        assert Job({"steps": {}}, {}, runner.folder).value(output) == value


@pytest.mark.parametrize(
    ("inputs", "env", "said"),
    [
        ({"comment": "yes"}, {}, "comment is neither true nor false"),
        ({}, {"GITHUB_EVENT_NAME": "pull_request_target"}, "pull_request_target"),
    ],
)
def test_what_would_review_nothing_is_refused(
    runner: Runner, inputs: dict[str, str], env: dict[str, str], said: str
) -> None:
    runner.env.update(env)
    ended = runner(kind="fake", **inputs)
    assert ended.code == ExitCode.USAGE
    assert said in ended.log
    assert not (runner.temp / "arguments.json").exists()


def test_a_report_is_not_written_through_a_link_of_the_change(workspace: Workspace, runner: Runner) -> None:
    target = runner.folder / "target"
    target.write_text("kept")
    (workspace.root / "out.sarif").symlink_to(target)
    runner(kind="fake", sarif_file="out.sarif")
    assert target.read_text() == "kept"
    assert not (workspace.root / "out.sarif").is_symlink()


def test_nothing_is_removed_through_a_folder_that_the_change_made_a_link(workspace: Workspace, runner: Runner) -> None:
    elsewhere = runner.folder / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "out.sarif").write_text("kept")
    (workspace.root / "reports").symlink_to(elsewhere)
    ended = runner(kind="fake", sarif_file="reports/out.sarif")
    assert ended.code == ExitCode.USAGE
    assert "leads out of the workspace" in ended.log
    assert (elsewhere / "out.sarif").read_text() == "kept"


@pytest.fixture
def comment(runner: Runner) -> Callable[..., tuple[str, Any]]:
    """Run the last step alone."""

    def run(report: str, **env: str) -> tuple[str, Any]:
        path = runner.temp / "report.md"
        path.write_text(report)
        (runner.temp / "selfreview").mkdir(exist_ok=True)
        given = {"COMMENT_FILE": str(path), "PULL_REQUEST": "7", "GH_TOKEN": "t", "PASSED": "false", "OPEN_ISSUES": "1"}
        environ = {**os.environ, **runner.env, **given, **env}
        script = ["bash", str(ROOT / "action" / "comment.sh")]
        done = subprocess.run(script, env=environ, capture_output=True, text=True, check=True)
        return done.stdout, runner.comment

    return run


def test_a_long_report_is_cut_off_at_a_line(comment: Callable[..., tuple[str, Any]]) -> None:
    _, said = comment("".join(f"line {number} é\n" for number in range(9000)))
    assert 50_000 < len(said["body"]) < 65_536
    assert said["body"].endswith("é\n\n(cut off here)\n")


def test_nothing_is_posted_where_nothing_is_to_say(comment: Callable[..., tuple[str, Any]]) -> None:
    assert comment("fine\n", PASSED="true", OPEN_ISSUES="0")[1] is None


def test_a_comment_that_cannot_be_posted_is_a_warning(comment: Callable[..., tuple[str, Any]]) -> None:
    log, said = comment("bad\n", GH_CODE="1")
    assert said is None
    assert "::warning title=selfreview::The comment could not be posted" in log


def test_what_it_uses_is_pinned_and_no_input_is_pasted_into_a_script() -> None:
    action = yaml.safe_load(ACTION.read_text())
    for step in action["runs"]["steps"]:
        assert ("uses" in step) != ("run" in step)
        assert not EXPRESSION.search(step.get("run", ""))
    pins = re.findall(r"^ *uses: (\S+) *(.*)$", ACTION.read_text(), re.MULTILINE)
    assert len(pins) == 2
    for name, note in pins:
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", name)
        assert re.fullmatch(r"# v\d+\.\d+\.\d+", note)
    used = set(re.findall(r"inputs\.([\w-]+)", ACTION.read_text()))
    assert used == set(action["inputs"])


def test_the_install_imports_nothing_from_the_change(workspace: Workspace, runner: Runner) -> None:
    """The current folder holds modules that shadow those of the standard library, and a pip of its own."""
    for name in ("pip", "venv", "json"):
        workspace.write(f"{name}.py", "raise SystemExit('imported')\n")
    fake = program(
        runner.folder / "python",
        "import os, pathlib, sys\n"
        "assert sys.argv[1] == '-I', sys.argv\n"
        "if sys.argv[2:4] == ['-m', 'venv']:\n"
        "    inside = pathlib.Path(sys.argv[4], 'bin'); inside.mkdir(parents=True)\n"
        "    (inside / 'python').symlink_to(__file__)\n"
        "else: print(*sys.argv[2:])\n",
    )
    output = runner.folder / "output"
    env = {**os.environ, **runner.env, "INPUT_PYTHON": str(fake), "GITHUB_ACTION_PATH": str(ROOT)}
    done = subprocess.run(
        ["bash", str(ROOT / "action" / "install.sh")], cwd=workspace.root, capture_output=True, text=True, check=True,
        env={**env, "GITHUB_OUTPUT": str(output)},
    )  # fmt: skip
    assert done.stdout.split()[:3] == ["-m", "pip", "install"]
    assert done.stdout.split()[-1] == str(ROOT)
    assert output.read_text() == f"program={runner.temp}/selfreview/venv/bin/selfreview\n"


def test_every_input_and_output_is_documented() -> None:
    action = yaml.safe_load(ACTION.read_text())
    text = (ROOT / "docs" / "guides" / "ci.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r'^\| `([\w-]+)` \| `"(.*?)"` \|', text, re.MULTILINE))
    assert rows == {name: entry["default"] for name, entry in action["inputs"].items()}
    assert all(f"`{name}`" in text for name in action["outputs"])
