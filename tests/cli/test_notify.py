"""People are told of the review on this machine, once, and no run suffers by it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from selfreview.errors import ExitCode
from tests.cli.refining.lab import Lab
from tests.cli.test_imports import modules
from tests.conftest import Workspace
from tests.pullrequest.notifiers.slackd import HttpServer, Reply


def slack(server: HttpServer) -> dict[str, str]:
    return {"SELFREVIEW_NOTIFICATION_CHANNELS": "slack", "SLACK_WEBHOOK_URL": server.url + "/services/hush"}


@pytest.fixture
def lab(workspace: Workspace) -> Lab:
    """A branch that no fixer brings to a pass."""
    lab = Lab(workspace)
    lab.use("wrong")
    return lab


def titles(server: HttpServer) -> list[str]:
    return [seen.json["blocks"][0]["text"]["text"] for seen in server.seen]


def messages(workspace: Workspace, **environ: str) -> list[dict[str, Any]]:
    done = workspace.selfreview("notify", "status", "--format", "json", **environ)
    assert done.code == 0, done.err
    found: list[dict[str, Any]] = json.loads(done.out)["messages"]
    return found


def test_that_the_loop_stopped_is_told_once(workspace: Workspace, lab: Lab) -> None:
    with HttpServer() as server:
        for _ in range(2):
            assert lab.refine("--max-iterations", "1", **slack(server)).code == ExitCode.ISSUES
        assert titles(server) == ["repo: the review of work needs a person"]
        lab.person.write("app.py", "def half(n):\n    return n  # BUG-one\n")
        lab.refine("--max-iterations", "1", **slack(server))
        assert len(server.seen) == 2
    (event,) = {message["notice"]["event"] for message in messages(workspace)}
    assert event == "human_review_required"


def test_that_people_can_take_over_is_told(workspace: Workspace) -> None:
    lab = Lab(workspace)
    lab.refine("--max-iterations", "0")
    with HttpServer() as server:
        done = lab.call("ready", "--reason", "Ana knows the rest", **slack(server))
        assert done.code == 0, done.err
    assert titles(server) == ["repo: work is ready for people to review"]
    assert "Ana knows the rest" in server.seen[0].body.decode()


def test_a_run_that_passes_tells_nobody(workspace: Workspace) -> None:
    lab = Lab(workspace)
    with HttpServer() as server:
        assert lab.refine("--apply", **slack(server)).code == ExitCode.PASSED
    assert server.seen == []


def test_an_error_is_told_once_a_cause(workspace: Workspace) -> None:
    workspace.write("app.py", "LIMIT = 3\n")
    workspace.write("selfreview-baseline.toml", "")
    with HttpServer() as server:
        for _ in range(2):
            workspace.selfreview("run", "--base", "nowhere", **slack(server))
        told = titles(server)
        workspace.selfreview("run", "--format", "nothing", **slack(server))
    assert told == ["repo: a review of work ended in an error"]
    assert titles(server) == told  # what was typed wrongly is for whoever typed it


def test_a_channel_that_is_down_changes_nothing_of_the_run(workspace: Workspace, lab: Lab) -> None:
    with HttpServer(Reply(500), Reply(404, "no_service")) as server:
        unsure = lab.refine("--max-iterations", "1", **slack(server))
        lab.person.write("app.py", "def half(n):\n    return n  # BUG-one\n")
        refused = lab.refine("--max-iterations", "1", **slack(server))
    assert (unsure.code, refused.code) == (ExitCode.ISSUES, ExitCode.ISSUES)
    assert "warning: slack may not have been notified: Slack failed (HTTP 500)" in unsure.err
    assert "warning: slack was not notified yet: Slack refused (HTTP 404: no_service)" in refused.err
    assert "hush" not in unsure.err + refused.err
    assert [message["state"] for message in messages(workspace)] == ["waiting", "unknown"]
    shown = workspace.selfreview("notify", "status").out
    assert "may have been sent" in shown
    store = (workspace.root / ".git/selfreview/store.db").read_bytes()
    assert b"hush" not in store


def test_a_channel_that_does_not_exist_keeps_its_messages(workspace: Workspace, lab: Lab) -> None:
    done = lab.refine("--max-iterations", "1", SELFREVIEW_NOTIFICATION_CHANNELS="carrier-pigeon")
    assert done.code == ExitCode.ISSUES
    environ = {"SELFREVIEW_NOTIFICATION_CHANNELS": "carrier-pigeon"}
    assert [message["state"] for message in messages(workspace, **environ)] == ["waiting"]
    assert "no plugin has it" in workspace.selfreview("notify", "status", **environ).out


def test_a_hook_sends_nothing(lab: Lab) -> None:
    lab.refine("--max-iterations", "1", SELFREVIEW_NOTIFICATION_CHANNELS="slack")
    lab.person.git("add", ".")
    assert [message["state"] for message in messages(lab.person)] == ["waiting"]
    with HttpServer() as server:
        lab.call("hook", "run", "pre-commit", **slack(server))
        assert server.seen == []


def test_without_the_plugin_nobody_hears(lab: Lab) -> None:
    with HttpServer() as server:
        lab.refine("--max-iterations", "1", "-p", "no:notify", **slack(server))
    assert server.seen == []


def test_nothing_is_loaded_where_nobody_is_told(workspace: Workspace, tmp_path: Path) -> None:
    workspace.write("app.py", "LIMIT = 3\n")
    loaded = modules(workspace, tmp_path, "run")
    sending = {"smtplib", "httpx2", "apprise", "jinja2"}
    own = {"selfreview.pullrequest.outbox", "selfreview.pullrequest.notifiers.post"}
    assert "selfreview.pullrequest.notify" in loaded
    assert loaded & (sending | own) == set()


@pytest.mark.parametrize("name", ["slack", "mail", "forge", "apprise"])
def test_a_channel_is_cheap_to_have(name: str) -> None:
    script = "import selfreview.api, sys; before = set(sys.modules); import selfreview.pullrequest.notifiers.{}; "
    script = script.format(name) + "print(*set(sys.modules) - before)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    package = "selfreview.pullrequest.notifiers"
    mine = {f"{package}.{name}", package, "selfreview.pullrequest"}
    assert {module for module in done.stdout.split() if "." in module} - mine <= {
        "json.decoder",
        "json.encoder",
        "json.scanner",
    }


def test_status_says_who_is_told_of_what(workspace: Workspace) -> None:
    workspace.write("selfreview.toml", 'notification_channels = ["github"]\n[notify.github]\nbranches = ["!wip/*"]\n')
    done = workspace.selfreview("notify", "status")
    (line,) = (line for line in done.out.splitlines() if line.startswith("github"))
    assert line.split()[:2] == ["github", "yes"]
    assert "!wip/*" in line
    assert "no notifications are sent" not in done.out


@pytest.mark.parametrize("setting", ['events = ["never"]', 'events = "error"'])
def test_settings_that_make_no_sense(workspace: Workspace, setting: str) -> None:
    workspace.write("selfreview.toml", f"[notify.slack]\n{setting}\n")
    done = workspace.selfreview("notify", "status")
    assert (done.code, done.err.startswith("error: selfreview.toml:2: notify.slack.events ")) == (4, True), done.err


def test_a_channel_that_is_not_known(workspace: Workspace) -> None:
    done = workspace.selfreview("notify", "test", "slak")
    assert done.err.splitlines() == ["error: there is no channel 'slak'", "hint: did you mean 'slack'?"]
