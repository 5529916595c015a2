"""``report``: what was reviewed once, in any format; it reviews nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from selfreview.cli.main import execute
from selfreview.errors import ExitCode
from tests.conftest import Workspace

FLAWED = "import requests\n\n\ndef get(url):\n    return requests.get(url, verify=False, timeout=9)\n"


@pytest.fixture
def reviewed(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A workspace whose change did not pass and was refined once, the patch kept."""
    workspace.write("app.py", FLAWED)
    assert workspace.selfreview("run").code == ExitCode.ISSUES
    monkeypatch.chdir(workspace.root)
    return workspace


def test_a_review_is_written_once_more_and_the_exit_code_says_nothing_of_it(
    reviewed: Workspace, capfd: pytest.CaptureFixture[str]
) -> None:
    reviewed.write("app.py", "")  # nothing is reviewed again
    assert execute(["report", "--format", "json"]) == ExitCode.PASSED
    out, err = capfd.readouterr()
    document = json.loads(out)
    assert (document["passed"], document["issues"][0]["file"]) == (False, "app.py")
    assert err.startswith(f"note: run {document['runId']} of 20")
    assert execute(["report", "--run", document["runId"][:-1]]) == ExitCode.PASSED
    assert "python-tls-verify-off" in capfd.readouterr().out


def test_a_page_shows_the_patch_of_each_refinement(reviewed: Workspace, capfd: pytest.CaptureFixture[str]) -> None:
    assert execute(["report", "-f", "html:page.html", "-f", "concise"]) == ExitCode.PASSED
    page = Path("page.html").read_text("utf-8")
    assert '<div class="l del"><code>-    return requests.get(url, verify=False, timeout=9)</code></div>' in page
    assert '<div class="l add"><code>+    return requests.get(url, verify=True, timeout=9)</code></div>' in page
    assert capfd.readouterr().out.startswith("app.py:5:")
    assert b"diff --git" not in reviewed.selfreview("report", "-f", "json").raw


def test_a_run_writes_the_same_page(workspace: Workspace) -> None:
    workspace.write("app.py", FLAWED)
    ran = workspace.selfreview("run", "-f", "html")
    assert ran.code == ExitCode.ISSUES
    assert '<div class="l add"><code>+    return requests.get(url, verify=True, timeout=9)</code></div>' in ran.out
    assert '<span class="n">  4 + </span><code>def get(url):' in ran.out  # the code around the issue, which is at hand


def test_an_error_replaces_a_report_of_an_earlier_run(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(workspace.root)
    Path("page.html").write_text("<h1>Passed</h1>")
    assert execute(["report", "-f", "html:page.html"]) == ExitCode.USAGE
    error = "there is no review of branch work yet"
    assert capfd.readouterr().err.startswith(f"error: {error}\nhint: selfreview run")
    page = Path("page.html").read_text("utf-8")
    assert "Passed" not in page
    assert error in page


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(["--format", "nonsense"], "there is no format 'nonsense'"), (["--run", "r-x"], "there is no run 'r-x'")],
)
def test_what_is_not_there_is_an_error(
    workspace: Workspace,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(workspace.root)
    assert execute(["report", *arguments]) == ExitCode.USAGE
    assert message in capfd.readouterr().err
