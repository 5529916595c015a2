"""Commands that plugins add, ``selfreview pr`` among them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from selfreview.errors import ExitCode
from selfreview.testing.workspace import RunResult
from tests.conftest import Workspace

NO_PR = ("-p", "no:pullrequest")
PLUGIN = """
import click
from selfreview.api import hookimpl
from selfreview.errors import UsageError

@click.command(name="{name}")
@click.argument("where", default="here")
@click.option("--code", type=int)
def command(where, code):
    "Publish what was reviewed."
    if where == "nowhere":
        raise UsageError("there is no such place", hint="name another one")
    if where == "defect":
        raise ZeroDivisionError("of the plugin")
    click.echo("{name} of the plugin: " + where)
    return code

@hookimpl
def selfreview_register_commands(registry):
    registry.add(command)
"""


class Site:
    """A folder on the path of Python, with plugins and what installed distributions say of theirs."""

    def __init__(self, workspace: Workspace, folder: Path) -> None:
        self.folder = folder
        self._workspace = workspace
        folder.mkdir()

    def module(self, module: str, text: str) -> None:
        (self.folder / f"{module}.py").write_text(f"print('imported {module}')\n{text}", encoding="utf-8")

    def install(self, **entry_points: str) -> None:
        info = self.folder / f"acme{len(list(self.folder.iterdir()))}-1.0.dist-info"
        info.mkdir()
        name = info.name.partition("-")[0]
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        lines = [f"{key.replace('_', '-')} = {value}" for key, value in entry_points.items()]
        (info / "entry_points.txt").write_text("\n".join(["[selfreview]", *lines, ""]))

    def run(self, *arguments: str, **env: str) -> RunResult:
        return self._workspace.run_subprocess(*arguments, PYTHONPATH=str(self.folder), **env)


@pytest.fixture
def site(workspace: Workspace, tmp_path: Path) -> Site:
    return Site(workspace, tmp_path / "site")


def listed(ran: RunResult) -> set[str]:
    """Return the commands that a help text lists."""
    commands = ran.stdout.partition("\nCommands:\n")[2].partition("\n\n")[0]
    return {line.split()[0] for line in commands.splitlines() if line[:3].strip()}


# --- the built-in plugin ---------------------------------------------------------------------------------------------


def test_pr_goes_with_its_plugin_and_nothing_else_does(workspace: Workspace) -> None:
    whole = listed(workspace.selfreview("--help"))
    assert {"pr", "notify", "run"} <= whole
    for arguments in ((*NO_PR, "--help"), ("--help", *NO_PR)):
        assert listed(workspace.selfreview(*arguments)) == whole - {"pr"}
    for arguments in (
        (*NO_PR, "pr", "status"),
        ("pr", "status", *NO_PR),
        ("-pno:pullrequest", "pr", "--help"),
        ("-p", "no:selfreview.cli.pr.plugin", "pr", "watch"),
    ):
        ran = workspace.selfreview(*arguments)
        assert ran.code == ExitCode.USAGE
        assert ran.err == "error: there is no command 'pr'\nhint: -p no:pullrequest takes it away\n"
    assert workspace.selfreview(*NO_PR, "notify", "status").code == ExitCode.PASSED
    assert workspace.selfreview("notify", "status", *NO_PR).code == ExitCode.PASSED


def test_a_review_without_the_plugin_is_the_same(workspace: Workspace) -> None:
    workspace.write("app.py", "import os\n")
    with_it, without = workspace.review(), workspace.review(*NO_PR)
    assert [issue["fingerprint"] for issue in without["issues"]] == [
        issue["fingerprint"] for issue in with_it["issues"]
    ]
    assert without["verdict"] == with_it["verdict"]


def test_the_list_of_plugins_has_it(workspace: Workspace) -> None:
    rows = {row["name"]: row for row in workspace.selfreview("plugins", "-f", "json").json}
    assert rows["pullrequest"]["hooks"] == ["selfreview_register_commands"]
    rows = {row["name"]: row for row in workspace.selfreview(*NO_PR, "plugins", "-f", "json").json}
    assert rows["pullrequest"]["state"] == "blocked"


# --- plugins by name -------------------------------------------------------------------------------------------------


def test_a_plugin_by_name_adds_a_command(site: Site) -> None:
    site.module("mine", PLUGIN.format(name="publish"))
    for ran in (
        site.run("-p", "mine", "publish", "there", "--code", "1"),
        site.run("publish", "there", "--code", "1", SELFREVIEW_PLUGINS="mine"),
    ):
        assert ran.stdout == "imported mine\npublish of the plugin: there\n"
        assert (ran.exit_code, ran.stderr) == (1, "")
    ran = site.run("-p", "mine", "publish")
    assert (ran.exit_code, ran.stdout) == (0, "imported mine\npublish of the plugin: here\n")
    ran = site.run("-p", "mine", "publish", "--help")
    assert ran.exit_code == 0
    assert "Usage: selfreview publish" in ran.stdout
    ran = site.run("publish")
    assert ran.exit_code == ExitCode.USAGE
    assert ran.stderr == "error: there is no command 'publish'\nhint: selfreview --help lists the commands\n"


def test_its_errors_are_told_as_those_of_others_are(site: Site) -> None:
    site.module("mine", PLUGIN.format(name="publish"))
    ran = site.run("-p", "mine", "publish", "nowhere")
    assert ran.exit_code == ExitCode.USAGE
    assert ran.stderr == "error: there is no such place\nhint: name another one\n"
    ran = site.run("-p", "mine", "publish", "--nonsense")
    assert ran.exit_code == ExitCode.USAGE
    assert "no such option '--nonsense'" in ran.stderr
    ran = site.run("-p", "mine", "publish", "defect")
    assert ran.exit_code == ExitCode.USAGE
    assert "error: plugin 'mine' failed: ZeroDivisionError: of the plugin" in ran.stderr


@pytest.mark.parametrize(
    ("added", "message"),
    [
        ("object()", "plugin 'mine': command object is no click.Command ("),
        ("click.Command(None)", "command name '' is not made of"),
        ("click.Command('a b')", "command name 'a b' is not made of"),
    ],
)
def test_what_is_no_command_is_refused(site: Site, added: str, message: str) -> None:
    text = "import click\nfrom selfreview.api import hookimpl\n@hookimpl\n"
    site.module("mine", f"{text}def selfreview_register_commands(registry):\n    registry.add({added})\n")
    ran = site.run("-p", "mine", "zzz")
    assert ran.exit_code == ExitCode.USAGE
    assert message in ran.stderr


def test_two_plugins_cannot_add_the_same_command(site: Site) -> None:
    site.module("mine", PLUGIN.format(name="publish"))
    site.module("yours", PLUGIN.format(name="publish"))
    ran = site.run("-p", "mine", "-p", "yours", "publish")
    assert ran.exit_code == ExitCode.USAGE
    assert ran.stderr.startswith("error: there are two commands named 'publish': of plugin 'yours' (")
    assert "hint: leave one out: -p no:yours or -p no:mine" in ran.stderr


# --- installed plugins -----------------------------------------------------------------------------------------------


def test_help_lists_what_is_installed_without_importing_it(site: Site) -> None:
    site.module("mine", PLUGIN.format(name="publish"))
    site.module("other", "")
    site.install(command_publish="mine", other="other")
    ran = site.run("--help")
    assert "imported" not in ran.stdout
    assert "  publish     Added by a plugin (entry point acme2 1.0).\n" in ran.stdout
    for arguments, env in (
        (("--help",), {"SELFREVIEW_DISABLE_PLUGIN_AUTOLOAD": "1"}),
        (("-p", "no:command-publish", "--help"), {}),
    ):
        assert "publish" not in listed(site.run(*arguments, **env))


def test_only_the_chosen_command_is_imported(site: Site) -> None:
    site.module("mine", PLUGIN.format(name="publish"))
    site.module("other", PLUGIN.format(name="other"))
    site.install(command_publish="mine", other="other", command_further="other")
    ran = site.run("publish")
    assert (ran.stdout, ran.stderr) == ("imported mine\npublish of the plugin: here\n", "")
    assert site.run("other").stdout.endswith("other of the plugin: here\n")  # which no entry point names
    ran = site.run("further")
    assert ran.exit_code == ExitCode.USAGE
    assert "error: plugin 'command-further' adds no command 'further'" in ran.stderr
    for arguments, env in (
        (("publish",), {"SELFREVIEW_DISABLE_PLUGIN_AUTOLOAD": "1"}),
        (("-p", "no:command-publish", "publish"), {}),
    ):
        ran = site.run(*arguments, **env)
        assert ran.exit_code == ExitCode.USAGE
        assert "error: there is no command 'publish'" in ran.stderr


def test_a_plugin_that_cannot_be_imported_is_named(site: Site) -> None:
    site.module("mine", "import not_there_at_all\n")
    site.install(command_publish="mine")
    ran = site.run("publish")
    assert ran.exit_code == ExitCode.USAGE
    assert "error: plugin 'command-publish' (entry point acme1 1.0) cannot be imported" in ran.stderr
    ran = site.run("sttus")
    assert ran.stderr.startswith(
        "error: there is no command 'sttus'\nhint: did you mean 'status'? If it is of a plugin: "
    )
    assert "plugin 'command-publish' (entry point acme1 1.0) cannot be imported" in ran.stderr


def test_what_is_no_command_is_named_also_where_one_of_ours_is_called_alike(site: Site) -> None:
    site.module("mine", PLUGIN.format(name="reste").replace("add(command)", "add(command.callback)"))
    ran = site.run("-p", "mine", "reste")
    assert ran.exit_code == ExitCode.USAGE
    assert "hint: did you mean 'reset'? If it is of a plugin: plugin 'mine': command command is no click" in ran.stderr


def test_the_shell_is_offered_what_is_installed(site: Site) -> None:
    site.module("mine", PLUGIN.format(name="publish"))
    site.install(command_publish="mine")
    ran = site.run(_SELFREVIEW_COMPLETE="bash_complete", COMP_LINE="selfreview p")
    assert {line.partition(",")[2] for line in ran.stdout.splitlines()} == {"plugins", "pr", "publish"}


def test_the_help_lists_the_commands_of_plugins_that_are_asked_for(site: Site) -> None:
    site.module("mine", PLUGIN.format(name="publish"))
    assert "publish" not in listed(site.run("--help"))
    for arguments, env in ((("-p", "mine", "--help"), {}), (("--help",), {"SELFREVIEW_PLUGINS": "mine"})):
        ran = site.run(*arguments, **env)
        assert "publish" in listed(ran)
        assert "Publish what was reviewed." in ran.stdout
    ran = site.run("-p", "not_there", "--help")
    assert ran.exit_code == ExitCode.PASSED
    assert "run" in listed(ran)
    assert "warning: -p: there is no plugin named 'not_there'" in ran.stderr


# --- the repository's plugin -----------------------------------------------------------------------------------------


def test_a_local_plugin_adds_its_command_once_it_is_trusted(workspace: Workspace) -> None:
    workspace.write("selfreview_conf.py", PLUGIN.format(name="publish") + "\nprint('it was run')\n")
    ran = workspace.selfreview("publish")
    assert ran.code == ExitCode.USAGE
    assert "it was run" not in ran.out + workspace.selfreview("--help").out
    assert "note: not trusted, so not run: selfreview_conf.py of this repository" in ran.err
    assert "error: there is no command 'publish'" in ran.err
    assert workspace.selfreview("trust").code == ExitCode.PASSED
    assert workspace.selfreview("publish").out.endswith("publish of the plugin: here\n")
    assert "publish" in listed(workspace.selfreview("--help"))
    assert workspace.selfreview("-p", "no:selfreview_conf", "publish").code == ExitCode.USAGE


# --- names that are taken --------------------------------------------------------------------------------------------


def test_a_command_of_ours_is_not_replaced(site: Site) -> None:
    warning = "a plugin adds a command 'config', which selfreview has itself: selfreview's is the one that runs"
    site.module("mine", PLUGIN.format(name="config"))
    ran = site.run("-p", "mine", "config")
    assert "of the plugin" not in ran.stdout
    assert f"warning: {warning}\n" in ran.stderr
    assert ran.exit_code == site.run("config").exit_code
    assert "warning" not in site.run("-p", "mine", "plugins").stderr
    ran = site.run("-p", "mine", "zzz")
    assert f"warning: {warning}\n" in ran.stderr


def test_help_says_which_installed_command_is_not_there(site: Site) -> None:
    warning = "a plugin adds a command 'history', which selfreview has itself: selfreview's is the one that runs"
    site.module("mine", PLUGIN.format(name="history"))
    site.install(command_history="mine")
    ran = site.run("--help")
    assert f"warning: {warning}" in " ".join(ran.stdout.split())
    assert "List earlier reviews." in ran.stdout
    ran = site.run("history")
    assert "imported" not in ran.stdout
    assert ran.stderr == f"warning: {warning}\n"


def test_the_name_of_a_built_in_plugins_command_is_free_without_it(site: Site) -> None:
    site.module("mine", PLUGIN.format(name="pr"))
    ran = site.run("-p", "mine", "pr", "--help")
    assert "create" in listed(ran)
    ran = site.run("-p", "mine", *NO_PR, "pr")
    assert ran.stdout.endswith("pr of the plugin: here\n")


# --- -p before the command -------------------------------------------------------------------------------------------


def test_what_is_before_the_command_is_for_the_command_too(site: Site, tmp_path: Path) -> None:
    site.module("mine", PLUGIN.format(name="publish"))
    rows = json.loads(site.run("-p", "mine", "plugins", "-p", "no:ruff", "-f", "json").stdout.partition("\n")[2])
    states = {row["name"]: row["state"] for row in rows}
    assert (states["mine"], states["ruff"]) == ("on", "blocked")
    report = tmp_path / "report.json"
    assert site.run("-p", "no:ruff", "run", "-o", "nonsense=1", "--format", f"json:{report}").exit_code == 4
    assert json.loads(report.read_text())["status"] == "error"
