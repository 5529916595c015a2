"""What is handed out for CI and for coding agents works as it stands."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from selfreview.cli.init_items import Source, fill
from selfreview.errors import ExitCode
from tests.composite import program
from tests.conftest import Workspace

Stop = Callable[..., subprocess.CompletedProcess[str]]
ROOT = Path(__file__).parent.parent
CI = ROOT / "templates" / "ci"
SCRIPTS = sorted([*CI.rglob("*.sh"), *(ROOT / "action").glob("*.sh")])
SOURCE = Source(url="https://github.com/us/selfreview", commit="c0ffee" + "0" * 34, name="v1.2.3")
BAD = 'def load(items=[]):\n    return f"{itmes}"\n'
REAL = "import runpy; runpy.run_module('selfreview', run_name='__main__', alter_sys=True)\n"

shell_only = pytest.mark.skipif(sys.platform == "win32", reason="runs sh and programs with a shebang")


def filled(name: str) -> str:
    return fill((CI / name).read_text(encoding="utf-8"), SOURCE)


def test_every_script_passes_shellcheck_and_can_be_run() -> None:
    checker = shutil.which("shellcheck", path=str(Path(sys.executable).parent)) or shutil.which("shellcheck")
    if checker is None:
        pytest.skip("shellcheck is not installed")
    done = subprocess.run([checker, *SCRIPTS], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert {path.name for path in SCRIPTS} >= {"generic.sh", "gate.sh"}


def test_the_workflow_gives_away_nothing_and_pins_everything() -> None:
    text = filled("github.yml")
    workflow = yaml.safe_load(text)
    assert set(workflow[True]) == {"pull_request", "merge_group"}  # YAML 1.1 takes ``on`` for true
    assert workflow["permissions"] == {}
    job = workflow["jobs"]["gate"]
    assert job["permissions"] == {"contents": "read"}
    checkout, review = job["steps"]
    assert checkout["with"] == {"fetch-depth": 0, "persist-credentials": False}
    assert review["uses"] == f"us/selfreview@{SOURCE.commit}"
    assert set(review["with"]) <= set(yaml.safe_load((ROOT / "action.yml").read_text())["inputs"])
    for name, note in re.findall(r"uses: (\S+) *(.*)", text):
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", name), name
        assert re.fullmatch(r"# v\d+\.\d+\.\d+", note), note


def test_the_job_for_gitlab_fetches_what_it_compares_with_and_keeps_its_report() -> None:
    job = yaml.safe_load(filled("gitlab.yml"))["selfreview"]
    assert job["variables"] == {"GIT_DEPTH": "0"}
    merge_request, push = (rule["if"] for rule in job["rules"])
    assert merge_request == '$CI_PIPELINE_SOURCE == "merge_request_event"'
    # Schedules and pipelines that are started by hand are of the default branch, too, and have no base.
    assert push.startswith('$CI_PIPELINE_SOURCE == "push" && $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH && ')
    assert push.endswith("$CI_COMMIT_BEFORE_SHA !~ /^0+$/")
    assert f"selfreview @ git+{SOURCE.url}@{SOURCE.commit}" in job["before_script"][-1]
    assert job["artifacts"] == {"when": "always", "reports": {"codequality": "gl-code-quality-report.json"}}
    assert job["script"][-1].endswith("gate --format terminal --format gitlab:gl-code-quality-report.json")


@shell_only
def test_the_job_for_gitlab_writes_its_report_and_fails(workspace: Workspace, tmp_path: Path) -> None:
    workspace.commit("bad", **{"app.py": BAD})
    script = "\n".join(yaml.safe_load(filled("gitlab.yml"))["selfreview"]["script"])
    real = program(tmp_path / "selfreview", REAL)
    script = script.replace("/opt/selfreview/bin/selfreview", str(real))
    base = workspace.git("rev-parse", "main")
    env = {"GITLAB_CI": "true", "CI_MERGE_REQUEST_IID": "1", "CI_MERGE_REQUEST_DIFF_BASE_SHA": base}
    done = subprocess.run(["sh", "-e", "-c", script], cwd=workspace.root, env={**os.environ, **env}, check=False)
    assert done.returncode == ExitCode.ISSUES
    report = json.loads((workspace.root / "gl-code-quality-report.json").read_text())
    assert {entry["location"]["path"] for entry in report} == {"app.py"}


@shell_only
@pytest.mark.parametrize("arguments", ["--base nowhere", "--require claude"])
def test_the_report_for_gitlab_of_no_whole_review_is_not_empty(
    workspace: Workspace, tmp_path: Path, arguments: str
) -> None:
    workspace.commit("clean", **{"app.py": "LIMIT = 3\n"})
    script = "\n".join(yaml.safe_load(filled("gitlab.yml"))["selfreview"]["script"])
    real = program(tmp_path / "selfreview", REAL)
    script = script.replace("/opt/selfreview/bin/selfreview", str(real)).replace(" gate ", f" gate {arguments} ")
    env = {"GITLAB_CI": "true", "CI_MERGE_REQUEST_DIFF_BASE_SHA": workspace.git("rev-parse", "main")}
    done = subprocess.run(["sh", "-e", "-c", script], cwd=workspace.root, env={**os.environ, **env}, check=False)
    assert done.returncode in (ExitCode.USAGE, ExitCode.INCOMPLETE)
    report = json.loads((workspace.root / "gl-code-quality-report.json").read_text())
    assert [entry["severity"] for entry in report] == ["blocker"]


@pytest.mark.parametrize("name", ["pre-commit.yaml", "pre-commit-local.yaml"])
def test_the_hooks_for_pre_commit_are_those_of_this_repository(name: str) -> None:
    ours = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}
    (repo,) = yaml.safe_load(filled(name))["repos"]
    assert {hook["id"] for hook in repo["hooks"]} == set(ours)
    for hook in repo["hooks"]:
        same = {key: value for key, value in hook.items() if key not in ("language",)}
        assert same.items() <= ours[hook["id"]].items()
    if repo["repo"] != "local":
        assert (repo["repo"], repo["rev"]) == (SOURCE.url, SOURCE.commit)


class Pipeline:
    """A clone in some CI system, with the generic script in it."""

    def __init__(self, workspace: Workspace, folder: Path) -> None:
        self.origin = workspace
        self.program = program(folder / "programs" / "selfreview", REAL)
        self.clone = Workspace(folder / "clone")

    def run(self, *arguments: str, clone: tuple[str, ...] = (), **env: str) -> subprocess.CompletedProcess[str]:
        url = self.origin.root.as_uri()
        self.origin.git("clone", "--quiet", *clone, "--branch", "work", url, str(self.clone.root))
        environ = {**os.environ, "SELFREVIEW_PROGRAM": str(self.program), **env}
        script = ["sh", str(CI / "generic.sh"), *arguments]
        return subprocess.run(script, cwd=self.clone.root, env=environ, capture_output=True, text=True, check=False)


@pytest.fixture
def pipeline(workspace: Workspace, tmp_path: Path) -> Pipeline:
    return Pipeline(workspace, tmp_path / "ci")


@shell_only
class TestTheGenericScript:
    def test_it_fails_on_an_issue_in_a_shallow_clone_of_one_branch(self, pipeline: Pipeline) -> None:
        pipeline.origin.commit("bad", **{"app.py": BAD})
        ran = pipeline.run("--format", "concise", clone=("--depth=1",), CHANGE_TARGET="main")
        assert ran.returncode == ExitCode.ISSUES, ran.stderr
        assert "app.py:2" in ran.stdout

    @pytest.mark.parametrize(
        "env",
        [{"CHANGE_TARGET": "no-such-branch"}, {"SELFREVIEW_PROGRAM": "/nowhere/selfreview"}],
    )
    def test_a_gate_that_cannot_start_is_an_error_and_not_an_issue(
        self, pipeline: Pipeline, env: dict[str, str]
    ) -> None:
        pipeline.origin.commit("bad", **{"app.py": BAD})
        ran = pipeline.run(**env)
        assert ran.returncode not in (ExitCode.PASSED, ExitCode.ISSUES), ran.stderr

    def test_it_passes_a_clean_change(self, pipeline: Pipeline) -> None:
        pipeline.origin.commit("clean", **{"app.py": "LIMIT = 3\n"})
        ran = pipeline.run(SYSTEM_PULLREQUEST_TARGETBRANCH="refs/heads/main")
        assert ran.returncode == ExitCode.PASSED, ran.stderr
        assert "app.py" not in ran.stdout

    def test_a_base_that_is_named_counts_for_more(self, pipeline: Pipeline) -> None:
        pipeline.origin.commit("bad", **{"app.py": BAD})
        ran = pipeline.run(SELFREVIEW_CI_BASE="origin/work", CHANGE_TARGET="main")
        assert ran.returncode == ExitCode.PASSED, ran.stderr

    def test_without_a_base_nothing_passes(self, pipeline: Pipeline) -> None:
        ran = pipeline.run()
        assert ran.returncode == ExitCode.USAGE
        assert "SELFREVIEW_CI_BASE" in ran.stderr


def test_the_skill_says_what_the_text_for_agents_says() -> None:
    skill = (CI / "agents" / "SKILL.md").read_text(encoding="utf-8")
    _, head, text = skill.split("---\n", 2)
    assert set(yaml.safe_load(head)) == {"name", "description", "allowed-tools"}
    assert text.strip() == (CI / "AGENTS.md").read_text(encoding="utf-8").strip()


def test_agents_are_told_what_every_exit_code_means() -> None:
    text = (CI / "AGENTS.md").read_text(encoding="utf-8")
    told = {int(code) for row in re.findall(r"^\| ([\d, ]+) \|", text, re.MULTILINE) for code in row.split(",")}
    assert told == {int(code) for code in ExitCode} - {ExitCode.INTERRUPTED}
