"""``selfreview hook run``: what is reviewed for whom, and how several reviews become one answer."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from selfreview.app.request import RunRequest
from selfreview.app.state import ReviewedRun, RunPolicy
from selfreview.cli.main import execute
from tests.conftest import Workspace
from tests.hooks.hooked import BAD, REVIEW

ZERO = "0" * 40
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(workspace: Workspace, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Run:
    """Run ``selfreview hook run``; return exit code, standard output and standard error."""
    monkeypatch.chdir(workspace.root)
    for name, value in REVIEW.items():
        monkeypatch.setenv(name, value)

    def hook(*args: str, stdin: str | None = "", **env: str) -> tuple[int, str, str]:
        with monkeypatch.context() as patch:
            for name, value in env.items():
                patch.setenv(name, value)
            patch.setattr(sys, "stdin", None if stdin is None else io.TextIOWrapper(io.BytesIO(stdin.encode())))
            code = execute(["hook", "run", *args])
        sys.stdout.flush()
        out, err = capfdbinary.readouterr()
        return code, out.decode(), err.decode()

    return hook


@pytest.fixture
def commits(workspace: Workspace) -> list[str]:
    """``main``, then a bad commit, then a clean one."""
    return [workspace.git("rev-parse", "main"), workspace.commit(**{"bad.txt": BAD}), workspace.commit(c="c\n")]


def line(local: str, remote: str = ZERO, name: str = "refs/heads/work") -> str:
    return f"{name} {local} {name} {remote}\n"


class TestUnderPreCommit:
    def test_a_commit(self, run: Run, workspace: Workspace) -> None:
        workspace.write("bad.txt", BAD)
        workspace.git("add", "--all")
        code, out, _ = run("pre-commit", PRE_COMMIT="1")
        assert code == 1
        assert "bad.txt:1" in out

    @pytest.mark.parametrize("stage", ["pre-commit", "pre-push"])
    def test_a_range_by_name(self, run: Run, commits: list[str], stage: str) -> None:
        env = {"PRE_COMMIT": "1", "PRE_COMMIT_TO_REF": "HEAD"}
        assert run(stage, **env, PRE_COMMIT_FROM_REF="HEAD~1")[0] == 0
        code, out, err = run(stage, **env, PRE_COMMIT_FROM_REF="main")
        assert code == 1
        assert "bad.txt:1" in out
        assert err == "selfreview stopped the run; SELFREVIEW_SKIP=1 goes ahead without a review\n"

    def test_a_range_starts_at_the_merge_base(self, run: Run, workspace: Workspace, commits: list[str]) -> None:
        workspace.git("switch", "-q", "--detach", "main")
        workspace.commit(**{"upstream.txt": "new\n"})
        env = {"PRE_COMMIT": "1", "PRE_COMMIT_FROM_REF": "HEAD", "PRE_COMMIT_TO_REF": "work"}
        code, out, _ = run("pre-commit", "--format", "json", **env)
        assert code == 1
        assert json.loads(out)["coverage"]["files"] == 2

    def test_a_range_without_a_merge_base(self, run: Run, workspace: Workspace) -> None:
        workspace.git("switch", "-q", "--orphan", "other")
        workspace.commit(**{"bad.txt": BAD})
        env = {"PRE_COMMIT": "1", "PRE_COMMIT_FROM_REF": "main", "PRE_COMMIT_TO_REF": "HEAD"}
        code, out, _ = run("pre-push", **env)
        assert code == 1
        assert "bad.txt:1" in out

    def test_a_range_that_is_not_there(self, run: Run) -> None:
        env = {"PRE_COMMIT": "1", "PRE_COMMIT_FROM_REF": "nowhere", "PRE_COMMIT_TO_REF": "HEAD"}
        code, _, err = run("pre-commit", **env)
        assert code == 4
        assert "'nowhere' names no commit" in err

    def test_a_push(self, run: Run, workspace: Workspace, commits: list[str]) -> None:
        workspace.git("update-ref", "refs/remotes/origin/work", commits[1])
        push = {"PRE_COMMIT": "1", "PRE_COMMIT_REMOTE_NAME": "origin", "PRE_COMMIT_LOCAL_BRANCH": "refs/heads/work",
                "PRE_COMMIT_REMOTE_BRANCH": "refs/heads/work"}  # fmt: skip
        assert run("pre-push", **push, PRE_COMMIT_FROM_REF=commits[1], PRE_COMMIT_TO_REF=commits[2])[0] == 0
        assert run("pre-push", **push, PRE_COMMIT_FROM_REF=commits[0], PRE_COMMIT_TO_REF=commits[1])[0] == 1

    def test_a_push_does_not_show_what_the_remote_has_elsewhere(
        self, run: Run, workspace: Workspace, commits: list[str]
    ) -> None:
        workspace.git("remote", "add", "origin", "../remote.git")
        workspace.git("update-ref", "refs/remotes/origin/other", commits[1])
        push = {"PRE_COMMIT": "1", "PRE_COMMIT_REMOTE_NAME": "origin", "PRE_COMMIT_LOCAL_BRANCH": "refs/heads/work",
                "PRE_COMMIT_REMOTE_BRANCH": "refs/heads/work"}  # fmt: skip
        assert run("pre-push", **push, PRE_COMMIT_FROM_REF=commits[0], PRE_COMMIT_TO_REF=commits[2])[0] == 0

    def test_a_first_push_names_no_range(self, run: Run, commits: list[str]) -> None:
        push = {"PRE_COMMIT": "1", "PRE_COMMIT_REMOTE_NAME": "origin", "PRE_COMMIT_LOCAL_BRANCH": "refs/heads/work",
                "PRE_COMMIT_REMOTE_BRANCH": "refs/heads/work"}  # fmt: skip
        code, out, _ = run("pre-push", **push)
        assert code == 1
        assert "bad.txt:1" in out
        assert "against the empty tree" in out

    def test_all_files_means_what_no_remote_has(self, run: Run, workspace: Workspace, commits: list[str]) -> None:
        assert run("pre-push", PRE_COMMIT="1")[0] == 1
        workspace.git("update-ref", "refs/remotes/origin/work", commits[1])
        assert run("pre-push", PRE_COMMIT="1")[0] == 0
        workspace.git("update-ref", "refs/remotes/origin/work", commits[2])
        assert "nothing to review" in run("pre-push", PRE_COMMIT="1")[2]

    def test_its_variables_do_not_count_for_a_plain_push(self, run: Run, commits: list[str]) -> None:
        env = {"PRE_COMMIT": "1", "PRE_COMMIT_FROM_REF": commits[1], "PRE_COMMIT_TO_REF": commits[2]}
        assert run("pre-push", "origin", "url", stdin=line(commits[2], commits[0]), **env)[0] == 1

    def test_without_its_mark_its_variables_do_not_count(self, run: Run, commits: list[str]) -> None:
        env = {"PRE_COMMIT_FROM_REF": "main", "PRE_COMMIT_TO_REF": "HEAD"}
        assert run("pre-commit", **env)[0] == 0


class TestSeveralRanges:
    def test_the_worst_result_counts(self, run: Run, commits: list[str], workspace: Workspace) -> None:
        lines = line(commits[1], commits[0], "refs/heads/a") + line(commits[2], commits[1], "refs/heads/b")
        code, out, err = run("pre-push", "origin", "url", stdin=lines)
        assert code == 1
        assert "selfreview: 1 of 2: a (1 commit)\n" in out
        assert "\n\nselfreview: 2 of 2: b (1 commit)\n" in out
        assert err == (
            "selfreview stopped the push; selfreview run looks again, "
            "SELFREVIEW_SKIP=1 git push goes ahead without a review\n"
        )

    def test_incomplete_is_worse_than_issues(self, run: Run, commits: list[str], workspace: Workspace) -> None:
        workspace.git("tag", "odd", "HEAD:c")
        lines = line(workspace.git("rev-parse", "odd"), name="refs/tags/odd") + line(commits[1], commits[0])
        code, out, err = run("pre-push", "origin", "url", stdin=lines)
        assert code == 5
        assert "bad.txt:1" in out
        assert "refs/tags/odd points at no commit" in err

    def test_an_error_in_one_does_not_hide_the_other(
        self, run: Run, commits: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from selfreview.cli.review import hook_run
        from selfreview.errors import GitError

        real = hook_run.review_request

        def fails(request: RunRequest, policy: RunPolicy, *stages: Any) -> tuple[ReviewedRun, int]:
            if str(request.range).endswith(commits[1]):
                raise GitError("the disk is on fire")
            return real(request, policy, *stages)

        monkeypatch.setattr(hook_run, "review_request", fails)
        lines = line(commits[1], commits[0], "refs/heads/a") + line(commits[2], commits[0], "refs/heads/b")
        code, out, err = run("pre-push", "origin", "url", stdin=lines)
        assert code == 4
        assert "error: the disk is on fire" in err
        assert "bad.txt:1" in out

    def test_other_formats_are_left_pure(self, run: Run, commits: list[str]) -> None:
        lines = line(commits[1], commits[0], "refs/heads/a") + line(commits[2], commits[1], "refs/heads/b")
        code, out, err = run("pre-push", "--format", "json", "origin", "url", stdin=lines)
        assert code == 1
        decoder, rest, documents = json.JSONDecoder(), out.strip(), []
        while rest:
            document, end = decoder.raw_decode(rest)
            documents.append(document["passed"])
            rest = rest[end:].strip()
        assert documents == [False, True]
        assert "selfreview: 2 of 2: b (1 commit)" in err

    def test_reports_cannot_share_a_file(self, run: Run, workspace: Workspace) -> None:
        code, _, err = run("pre-push", "--format", "json:out.json", "origin", "url")
        assert code == 4
        assert "cannot go to one file" in err

    def test_names_with_odd_characters_are_shown_harmless(self, run: Run, commits: list[str]) -> None:
        lines = line(commits[1], commits[0], "refs/heads/\u202ea") + line(commits[2], commits[1], "refs/heads/b")
        assert "\u202e" not in run("pre-push", "origin", "url", stdin=lines)[1]


def test_options_of_a_review_are_taken(run: Run, workspace: Workspace) -> None:
    workspace.write("bad.txt", BAD)
    workspace.git("add", "--all")
    code, out, _ = run("pre-commit", "--fail-on", "never", "--format", "concise")
    assert code == 0
    assert out.startswith("bad.txt:1")


@pytest.mark.parametrize("option", ["--staged", "--diff=x", "--base=main", "--collect-only", "--range=a..b"])
def test_what_is_reviewed_is_no_option(run: Run, option: str) -> None:
    assert run("pre-commit", option)[0] == 4


def test_a_line_that_is_not_gits_stops(run: Run) -> None:
    code, _, err = run("pre-push", "origin", "url", stdin="garbage\n")
    assert code == 4
    assert "not understood" in err


def test_without_gits_words_there_is_a_hint(run: Run) -> None:
    code, _, err = run("pre-push", stdin=None)
    assert code == 4
    assert "hint: " in err
    assert "--range @{push}..HEAD" in err


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo terminals")
def test_a_person_at_a_terminal_is_not_kept_waiting(workspace: Workspace) -> None:
    controller, terminal = os.openpty()
    done = subprocess.run(
        [sys.executable, "-m", "selfreview", "hook", "run", "pre-push"],
        cwd=workspace.root,
        stdin=terminal,
        capture_output=True,
        check=False,
        timeout=60,
    )
    os.close(terminal)
    os.close(controller)
    assert done.returncode == 4
    assert b"standard input" in done.stderr


def test_without_a_remotes_name_what_any_remote_has_is_known(
    run: Run, workspace: Workspace, commits: list[str]
) -> None:
    workspace.git("update-ref", "refs/remotes/anywhere/x", commits[1])
    assert run("pre-push", stdin=line(commits[2]))[0] == 0


def test_it_offers_to_mend_where_there_is_a_fixer(workspace: Workspace) -> None:
    looks = "selfreview stopped the commit; selfreview run --staged looks again"
    workspace.write("app.py", "def other():\n    return undefined_name\n")
    workspace.git("add", "app.py")
    assert workspace.selfreview("hook", "run", "pre-commit").err.startswith(f"{looks}, ")
    workspace.write("app.py", "import requests\n\n\ndef get(url):\n    return requests.get(url, verify=False)\n")
    workspace.git("add", "app.py")
    assert workspace.selfreview("hook", "run", "pre-commit").err.startswith(f"{looks} and offers fixes, ")
