"""A base whose settings do not load: no gate passes for want of them, and what loads of them counts."""

from __future__ import annotations

import pytest

from selfreview.errors import ExitCode
from tests.conftest import Ran, Workspace
from tests.rows import crossed

ABSENT = "import a_module_that_is_nowhere\n"
LATE = """
from selfreview.api import hookimpl


@hookimpl
def selfreview_register_reviewers(registry, config):
    import a_module_that_is_nowhere
"""
UNKNOWN = "from selfreview.api import hookimpl\n\n\n@hookimpl\ndef selfreview_register_nothing(registry):\n    pass\n"
MINE = """
from selfreview.api import Category, Depth, Finding, Review, Severity, hookimpl


class Mine:
    name = "mine"
    depth = Depth.STATIC
    default = True

    def selects(self, file):
        return file.path == "app.py"

    def cache_key(self, context):
        return None

    def review(self, files, context):
        return Review(findings=[Finding(file="app.py", line_start=1, severity=Severity.HIGH, category=Category.LOGIC,
                               description="It is mine.", rule="mine")])


@hookimpl
def selfreview_register_reviewers(registry, config):
    registry.add(Mine())
"""
LOW = "try:\n    print()\nexcept Exception:\n    pass\n"
"""An issue of low severity."""


def gate(workspace: Workspace, *args: str) -> Ran:
    """Run a gate of a change of the repository's own."""
    return workspace.selfreview(
        "gate", "--format", "json", *args, SELFREVIEW_CI_BASE="main", SELFREVIEW_CI_FORK="false"
    )  # fmt: skip


def settle(workspace: Workspace, **files: str) -> None:
    """Put files on the base."""
    workspace.git("switch", "-q", "main")
    workspace.commit("settings", **files)
    workspace.git("switch", "-q", "work")
    workspace.git("merge", "-q", "main")


def rules(ran: Ran) -> dict[str, str]:
    return {issue["rule"]: issue["severity"] for issue in ran.json["issues"] if issue["status"] == "open"}


PLUGINS = {"absent": ABSENT, "late": LATE, "unknown": UNKNOWN, "exits": "raise SystemExit(0)\n", "no code": "def (\n"}
CHANGES = {
    "code": {"new.py": "LIMIT = 3\n"},
    "settings": {"selfreview.toml": 'severity_threshold = "low"\n# more\n'},
    "project": {"pyproject.toml": "#\n"},
}


@pytest.mark.parametrize(("plugin", "change"), crossed(PLUGINS, CHANGES))
def test_no_change_that_leaves_the_broken_plugin_passes(
    workspace: Workspace, plugin: str, change: dict[str, str]
) -> None:
    settle(workspace, **{"selfreview.toml": 'severity_threshold = "low"\n', "selfreview_conf.py": plugin})
    workspace.commit("change", **change)
    ran = gate(workspace)
    assert (ran.code, ran.json["status"], ran.json["passed"]) == (ExitCode.USAGE, "error", False)
    assert "the base's settings do not load, and this change does not fix them: " in ran.err
    assert "hint: " in ran.err


def test_a_change_that_edits_the_broken_plugin_needs_a_person_and_the_rest_of_the_base_counts(
    workspace: Workspace,
) -> None:
    settings = 'severity_threshold = "high"\nrequired_reviewers = ["ruff"]\n[mine]\nlimit = 3\n'
    settle(workspace, **{"selfreview.toml": settings, "selfreview_conf.py": ABSENT})
    workspace.commit("change", **{"selfreview_conf.py": f"# more\n{ABSENT}"})
    ran = gate(workspace)
    assert (ran.code, ran.json["severityThreshold"]) == (ExitCode.ISSUES, "high")
    assert rules(ran) == {"own-configuration": "medium"}
    (issue,) = ran.json["issues"]
    assert "nobody knows" in issue["description"]
    assert {report["name"] for report in ran.json["reviewers"] if report["required"]} == {"ruff"}
    assert "those that do load are used" in ran.err
    assert any("those that do load are used" in note for note in ran.json["notes"])
    assert gate(workspace, "--accept", issue["fingerprint"]).code == ExitCode.PASSED


def test_a_change_that_removes_the_broken_plugin_is_reviewed_by_what_loads_of_the_base(workspace: Workspace) -> None:
    command = '[command.x]\nrun = ["true"]\nformat = "sarif"\nrequired = true\n'
    settings = f'severity_threshold = "low"\n{command}'
    settle(workspace, **{"selfreview.toml": settings, "selfreview_conf.py": ABSENT})
    workspace.git("rm", "-q", "selfreview_conf.py")
    workspace.commit("remove", **{"app.py": LOW})
    ran = gate(workspace)
    assert (ran.code, ran.json["severityThreshold"]) == (ExitCode.INCOMPLETE, "low")
    assert rules(ran)["own-configuration"] == "low"
    assert any("x was skipped though required" in reason for reason in ran.json["incompleteReasons"])
    assert "Whether it loads" not in str(ran.json["issues"])


def test_a_link_in_place_of_the_plugin_can_be_mended(workspace: Workspace) -> None:
    workspace.git("switch", "-q", "main")
    (workspace.root / "selfreview_conf.py").symlink_to("app.py")
    workspace.commit("link", **{"selfreview.toml": 'severity_threshold = "high"\n'})
    workspace.git("switch", "-q", "work")
    workspace.git("merge", "-q", "main")
    workspace.commit("code", **{"new.py": "LIMIT = 3\n"})
    assert gate(workspace).code == ExitCode.USAGE
    workspace.git("rm", "-q", "selfreview_conf.py")
    workspace.commit("mend", **{"new.py": "LIMIT = 4\n"})
    ran = gate(workspace)
    assert (ran.code, ran.json["severityThreshold"]) == (ExitCode.PASSED, "high")


def test_a_plugin_counts_where_the_settings_beside_it_do_not_load(workspace: Workspace) -> None:
    settle(workspace, **{"selfreview.toml": "][", "selfreview_conf.py": MINE})
    workspace.commit("mend", **{"selfreview.toml": 'required_reviewers = ["mine"]\n', "app.py": "LIMIT = 3\n"})
    ran = gate(workspace)
    assert ran.code == ExitCode.ISSUES
    assert rules(ran) == {"own-configuration": "low", "mine": "high"}
    assert {report["name"] for report in ran.json["reviewers"] if report["required"]} == {"mine"}


def test_a_plugin_that_what_loads_lacks_needs_a_person(workspace: Workspace) -> None:
    """Nobody knows whether a key is the plugin's: the two load apart from each other, and not together."""
    settle(workspace, **{"selfreview.toml": "nonsense_key = 1\n", "selfreview_conf.py": MINE})
    workspace.commit("mend", **{"selfreview.toml": "", "app.py": "LIMIT = 3\n"})
    ran = gate(workspace)
    assert (ran.code, rules(ran)) == (ExitCode.ISSUES, {"own-configuration": "medium"})


@pytest.mark.parametrize(
    ("asked", "counts"),
    [
        ('"never"', {"default": "medium"}),
        ('"low"', {"default": "low"}),
        ('{security = "suggestion", testing = "never"}',
         {"default": "medium", "security": "suggestion", "testing": "medium"}),
    ],
)  # fmt: skip
def test_the_stricter_threshold_counts_where_the_base_has_none_that_can_be_read(
    workspace: Workspace, asked: str, counts: dict[str, str]
) -> None:
    settle(workspace, **{"selfreview.toml": "]["})
    workspace.commit("mend", **{"selfreview.toml": f"severity_threshold = {asked}\n"})
    assert gate(workspace).json["severityThreshold"] == counts


def test_both_have_to_be_mended(workspace: Workspace) -> None:
    settle(workspace, **{"selfreview.toml": "][", "selfreview_conf.py": ABSENT})
    workspace.commit("half", **{"selfreview.toml": ""})
    assert gate(workspace).code == ExitCode.USAGE
    workspace.git("rm", "-q", "selfreview_conf.py")
    workspace.commit("whole", **{"app.py": "LIMIT = 3\n"})
    assert gate(workspace).code == ExitCode.PASSED


def test_a_name_in_vain_has_to_be_mended_itself(workspace: Workspace) -> None:
    settings = 'reviewers = ["theirs", "mine"]\nrequired_reviewers = ["theirs"]\n'
    settle(workspace, **{"selfreview.toml": settings, "selfreview_conf.py": MINE})
    workspace.commit("more", **{"selfreview.toml": f"# more\n{settings}", "app.py": "LIMIT = 3\n"})
    assert gate(workspace).code == ExitCode.USAGE
    workspace.commit("mend", **{"selfreview.toml": ""})
    ran = gate(workspace)
    assert rules(ran) == {"own-configuration": "low", "mine": "high"}
    assert any(report["name"] == "ruff" for report in ran.json["reviewers"])


def test_a_new_plugin_is_said_to_be_unknown(workspace: Workspace) -> None:
    workspace.commit("plugin", **{"selfreview_conf.py": ABSENT})
    ran = gate(workspace)
    assert rules(ran) == {"own-configuration": "low"}
    assert "Whether it loads is not known" in ran.json["issues"][0]["description"]
