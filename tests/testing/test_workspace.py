"""The kit's workspace: it is isolated, and both ways to run selfreview in it say the same."""

from __future__ import annotations

import os
import subprocess
import sys
import types
from pathlib import Path

import pytest

from selfreview.api import Depth, Review, ReviewerStatus, hookimpl
from selfreview.errors import ExitCode, ToolError
from selfreview.testing.fakes import FakeReviewer, finding
from selfreview.testing.isolation import isolate
from selfreview.testing.plugin import HookRecorder
from selfreview.testing.workspace import Workspace

SOURCE = """
    from selfreview.testing.fakes import FakeReviewer, finding

    plugin = FakeReviewer("ours", findings=[finding("app.py", 2)])
    selfreview_register_reviewers = plugin.selfreview_register_reviewers
"""
JSON = ("run", "--no-fix", "--format", "json")


def test_it_begins_with_a_commit_and_a_branch(selfreview_workspace: Workspace) -> None:
    assert selfreview_workspace.git("branch", "--format=%(refname:short)").split() == ["main", "work"]
    assert selfreview_workspace.git("status", "--porcelain") == ""
    assert selfreview_workspace.git("log", "--format=%an %s") == "Test Author first"


def test_what_is_written_staged_and_committed(selfreview_workspace: Workspace) -> None:
    space = selfreview_workspace
    space.write("a/b.txt", b"\xff\n")
    space.stage(**{"c.txt": "c\n"})
    assert space.git("status", "--porcelain").splitlines() == ["A  c.txt", "?? a/"]
    space.stage("a/b.txt")
    assert space.git("diff", "--cached", "--name-only").split() == ["a/b.txt", "c.txt"]
    space.write("d.txt", "d\n")
    space.stage()
    first = space.commit("second")
    space.branch("next")
    assert space.git("rev-parse", "next") == first
    assert space.git("ls-files").split() == ["README.md", "a/b.txt", "c.txt", "d.txt"]


def test_nothing_of_the_machine_is_left(tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIT_DIR", "/nowhere")
        patch.setenv("SELFREVIEW_OFFLINE", "1")
        patch.setenv("ANTHROPIC_API_KEY", "key")
        patch.setenv("XDG_CONFIG_HOME", "/nowhere")
        isolate(patch, tmp_path)
        left = {"GIT_DIR", "SELFREVIEW_OFFLINE", "ANTHROPIC_API_KEY", "XDG_CONFIG_HOME"} & set(os.environ)
        assert not left
        assert os.environ["HOME"] == os.environ["USERPROFILE"] == str(tmp_path)


def test_both_ways_of_running_say_the_same(selfreview_workspace: Workspace) -> None:
    space = selfreview_workspace
    space.write("app.py", "import os\n\nprint(missing)\n")
    for arguments in (("run", "--no-such-option"), ("run", "--no-fix", "--format", "concise")):
        here, there = space.run_inprocess(*arguments), space.run_subprocess(*arguments)
        assert (here.code, here.stdout.splitlines()[:-1]) == (there.code, there.stdout.splitlines()[:-1])
        assert here.stderr == there.stderr
    assert here.exit_code is ExitCode.ISSUES


@pytest.mark.parametrize("way", ["run_inprocess", "run_subprocess"])
def test_a_plugin_given_as_source_takes_part(selfreview_workspace: Workspace, way: str) -> None:
    selfreview_workspace.write("app.py", "X = 1\nY = 2\n")
    selfreview_workspace.plugin(SOURCE)
    ran = getattr(selfreview_workspace, way)(*JSON)
    ran.assert_issues(1, reviewer="ours", line=2)
    assert ran.exit_code is ExitCode.ISSUES


def test_one_given_as_an_object_takes_part_in_this_process_alone(selfreview_workspace: Workspace) -> None:
    reviewer = FakeReviewer("ours", findings=lambda file, context: [finding(file.path, 1)])
    selfreview_workspace.plugin(reviewer)
    selfreview_workspace.write("app.py", "X = 1\n")
    selfreview_workspace.run_inprocess(*JSON).assert_issues(1, reviewer="ours", file="app.py")
    assert reviewer.seen == [["app.py"]]
    with pytest.raises(TypeError, match="use run_inprocess"):
        selfreview_workspace.run_subprocess(*JSON)


def test_a_run_in_this_process_leaves_no_trace_in_it(selfreview_workspace: Workspace) -> None:
    space = selfreview_workspace
    space.plugin(SOURCE)
    space.plugin(FakeReviewer())
    before = (dict(os.environ), Path.cwd(), list(sys.path), sys.stdin, sys.stdout, sys.stderr)
    space.run_inprocess("plugins", SELFREVIEW_OFFLINE="1")
    assert (dict(os.environ), Path.cwd(), list(sys.path), sys.stdin, sys.stdout, sys.stderr) == before
    assert not [name for name in sys.modules if name.startswith("testing_plugin_")]


def test_a_name_that_stood_for_another_module_stands_for_it_again(
    selfreview_workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs, ours = types.ModuleType("their_module"), FakeReviewer("ours")
    monkeypatch.setitem(sys.modules, "their_module", theirs)
    selfreview_workspace.plugin(ours, name="their_module")
    assert "their_module" in selfreview_workspace.run_inprocess("plugins").stdout
    assert sys.modules["their_module"] is theirs


def test_source_that_is_written_anew_is_read_anew(selfreview_workspace: Workspace) -> None:
    for word in ("first", "second!"):
        source = f"from selfreview.api import hookimpl\n\n@hookimpl\ndef selfreview_report_header(): return {word!r}\n"
        selfreview_workspace.plugin(source, name="header")
        assert word in selfreview_workspace.run_inprocess("run").stdout


def test_standard_input_and_environment_reach_both(selfreview_workspace: Workspace) -> None:
    patch = b"--- /dev/null\n+++ b/app.py\n@@ -0,0 +1 @@\n+print(missing)\n"
    for run in (selfreview_workspace.run_inprocess, selfreview_workspace.run_subprocess):
        ran = run("run", "--diff", "-", "--format", "json", stdin=patch, SELFREVIEW_SEVERITY_THRESHOLD="critical")
        assert (ran.verdict.severity_threshold, ran.verdict.scope.mode) == ("critical", "diff")


def test_a_reviewer_that_fails_makes_it_incomplete(selfreview_workspace: Workspace) -> None:
    selfreview_workspace.write("app.py", "X = 1\n")
    selfreview_workspace.plugin(FakeReviewer("ill", raises=ToolError("it broke")))
    selfreview_workspace.plugin(FakeReviewer("off", review=Review(status=ReviewerStatus.SKIPPED), depth=Depth.TEXT))
    ran = selfreview_workspace.run_inprocess(*JSON)
    assert ran.exit_code is ExitCode.INCOMPLETE
    ran.assert_verdict(None)
    with pytest.raises(AssertionError, match=r"(?s)the verdict is none, not pass.*ill.*it broke"):
        ran.assert_verdict("pass")


class TestHooks:
    def test_they_are_recorded_in_order_with_what_they_were_given(
        self, selfreview_workspace: Workspace, selfreview_hooks: HookRecorder
    ) -> None:
        selfreview_workspace.write("app.py", "print(missing)\n")
        selfreview_workspace.run_inprocess(*JSON)
        names = selfreview_hooks.names
        order = ["addhooks", "addoption", "configure", "register_reviewers", "ignore_file", "modify_issues",
                 "issue_status", "verdict", "review_completed", "unconfigure"]  # fmt: skip
        assert [name for name in dict.fromkeys(names) if name in order] == order
        (seen,) = selfreview_hooks.of("ignore_file")
        assert seen.arguments["file"].path == "app.py"
        (found,) = selfreview_hooks.of("selfreview_modify_issues")
        assert [issue.rule for issue in found.arguments["issues"]] == ["F821"]
        selfreview_hooks.clear()
        assert repr(selfreview_hooks) == "<hooks none>"

    def test_it_answers_none_and_goes_before_the_others(
        self, selfreview_workspace: Workspace, selfreview_hooks: HookRecorder
    ) -> None:
        class Ignores:
            @hookimpl(tryfirst=True)
            def selfreview_ignore_file(self, file):
                return "not ours"

        selfreview_workspace.write("app.py", "print(missing)\n")
        selfreview_workspace.plugin(Ignores())
        selfreview_workspace.run_inprocess(*JSON)
        assert not selfreview_hooks.of("ignore_file")  # whoever registers later, and also first, goes before it
        assert selfreview_hooks.of("review_completed")

    def test_a_hook_that_does_not_exist_is_no_empty_list(self, selfreview_hooks: HookRecorder) -> None:
        with pytest.raises(ValueError, match="no hook 'selfreview_reviewed'"):
            selfreview_hooks.of("reviewed")


def test_the_kit_is_loaded_on_request_alone(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text("def test_it(selfreview_workspace): pass\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--basetemp=temp"]
    without, on = (
        subprocess.run([*command, *more], cwd=tmp_path, capture_output=True, text=True, check=False)
        for more in ([], ["-p", "selfreview.testing.plugin"])
    )
    assert (without.returncode, on.returncode) == (1, 0), without.stdout + on.stdout
    assert "fixture 'selfreview_workspace' not found" in without.stdout


@pytest.mark.parametrize("version", ["2", "4"])
def test_a_copy_is_as_clean_as_after_a_refresh_by_git(
    selfreview_workspace: Workspace, tmp_path: Path, version: str
) -> None:
    selfreview_workspace.write("deep/run.sh", "#!/bin/sh\n").chmod(0o755)
    (selfreview_workspace.root / "link").symlink_to("README.md")
    commit = selfreview_workspace.commit()
    selfreview_workspace.git("update-index", "--index-version", version)
    copy = Workspace.copied(selfreview_workspace.root, tmp_path / "copy")
    assert copy.git("diff-files") == ""
    known = copy.git("ls-files", "--debug")
    copy.git("update-index", "--really-refresh")
    assert copy.git("ls-files", "--debug") == known
    assert (copy.git("rev-parse", "HEAD"), copy.git("status", "--porcelain")) == (commit, "")


def test_the_commit_is_named_where_head_is_detached_or_the_folder_of_git_is_elsewhere(
    selfreview_workspace: Workspace, tmp_path: Path
) -> None:
    selfreview_workspace.git("checkout", "--quiet", "--detach")
    assert selfreview_workspace.commit("detached") == selfreview_workspace.git("rev-parse", "HEAD")
    selfreview_workspace.git("worktree", "add", "--quiet", str(tmp_path / "beside"))
    beside = Workspace(tmp_path / "beside")
    assert beside.commit("beside") == beside.git("rev-parse", "HEAD")


def test_plugins_that_are_installed_beside_the_tests_are_not_loaded(selfreview_workspace: Workspace) -> None:
    ran = selfreview_workspace.run_inprocess("plugins")
    assert ran.exit_code is ExitCode.PASSED, ran
    assert "entry point" not in ran.stdout
    assert os.environ["SELFREVIEW_DISABLE_PLUGIN_AUTOLOAD"]
