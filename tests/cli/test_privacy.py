"""A secret's value is never printed and never kept, whoever quotes the line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from selfreview.errors import ExitCode
from tests.conftest import Ran, Workspace
from tests.rows import few

VALUE = "ghp_" + "9aF2kLq7Zx" + "W3mNb8RtYc" + "5VdHs1Jp6G" + "uEoTz0"
CODE = f'import os\n\n\ndef f():\n    token = "{VALUE}"; return undefined_name(token)\n'


@pytest.mark.parametrize("limit", [[], ["--reviewer", "ruff"]], ids=["all", "without the secrets reviewer"])
@pytest.mark.parametrize("name", ["terminal", "concise", "json", "jsonl"])
def test_no_output_and_no_store_holds_it(workspace: Workspace, name: str, limit: list[str]) -> None:
    workspace.write("app.py", CODE)
    for _ in range(2):  # the second time from the cache
        ran = workspace.selfreview("run", "--format", name, *limit)
        assert "undefined_name" in ran.out
        assert VALUE not in ran.out + ran.err
    for path in filter(Path.is_file, (workspace.root / ".git" / "selfreview").rglob("*")):
        assert VALUE.encode() not in path.read_bytes()
    assert VALUE not in workspace.selfreview("show", "F821").out


FORMATS = [
    "terminal",
    "concise",
    "agent",
    "json",
    "jsonl",
    "markdown",
    "html",
    "sarif",
    "rdjson",
    "junit",
    "github",
    "gitlab",
]


def in_all_formats(workspace: Workspace, *args: str) -> dict[str, str]:
    """Run once, and return what each format says; what is printed is of the first."""
    folder = workspace.root.parent / "said"
    files = [word for name in FORMATS[1:] for word in ("--format", f"{name}:{folder / name}")]
    folder.mkdir()
    ran = workspace.selfreview("run", *args, "--format", FORMATS[0], *files)
    return {FORMATS[0]: ran.out + ran.err, **{name: (folder / name).read_text() for name in FORMATS[1:]}}


def test_a_value_is_hidden_on_every_line_of_its_file(workspace: Workspace) -> None:
    value = "vK8qLz2" + "mPw9Xr77"
    workspace.write("k.py", f'import os\npassword = "{value}"\nos.system("mysql -p{value} " + x)\n')
    for name, said in in_all_formats(workspace).items():
        assert "k.py" in said, name
        assert value not in said, name


OWN_RULE = """
id: {id}
language: Python
severity: error
message: "{message}"
note: "{note}"
fix: "{fix}"
rule: {{pattern: print($A)}}
"""
TEXTS = {"id": "own", "message": "Printed.", "note": "Log it.", "fix": "log($A)"}


def test_a_value_in_a_rule_of_the_repository_is_hidden(workspace: Workspace) -> None:
    workspace.write("selfreview.toml", 'rules_path = ["own.yml"]\n')
    rules = [OWN_RULE.format_map(TEXTS | {"id": f"own-{key}"} | {key: VALUE}) for key in TEXTS]
    workspace.write("own.yml", "---".join(rules))
    workspace.write("app.py", "def f(a):\n    print(a)\n")
    for name, said in in_all_formats(workspace, "--no-fix").items():
        assert "app.py" in said, name
        assert VALUE[4:16] not in said, name


@pytest.mark.parametrize("name", few(FORMATS, "terminal", "json", "jsonl", "html"))
def test_a_value_in_an_error_is_hidden(workspace: Workspace, name: str) -> None:
    workspace.write("selfreview.toml", f'ignore = ["{VALUE}"]\n')
    ran = workspace.selfreview("run", "--format", name)
    assert (ran.code, "there is no rule" in ran.err) == (ExitCode.USAGE, True)
    assert VALUE[4:16] not in ran.out + ran.err


def test_a_removed_secret_is_not_shown_either(workspace: Workspace) -> None:
    workspace.git("switch", "--quiet", "main")
    workspace.commit(**{"test_app.py": f'def test_a():\n    assert login("{VALUE}")\n    assert other()\n'})
    workspace.git("switch", "--quiet", "--create", "later")
    workspace.write("test_app.py", "def test_a():\n    other()\n")
    for name in ("terminal", "json"):
        assert VALUE not in workspace.selfreview("run", "--format", name).out


def test_a_key_store_alone_is_no_empty_change(workspace: Workspace) -> None:
    workspace.write("prod.p12", bytes(range(256)))
    result = workspace.review()
    assert (result["status"], result["verdict"]) == ("complete", "needs_work")
    assert [issue["file"] for issue in result["issues"] if issue["status"] == "open"] == ["prod.p12"]


TALKATIVE = """
import os
from selfreview.api import Category, Depth, Finding, Review, ReviewerStatus, Severity, hookimpl
from selfreview.errors import ToolError

VALUE = os.environ["VALUE"]


class Talkative:
    name = "talkative"
    depth = Depth.STATIC
    default = True

    def selects(self, file):
        return True

    def cache_key(self, context):
        return b"1"

    def review(self, files, context):
        said = f"cannot parse: token = {VALUE} " + "x" * 600
        match os.environ["SAYS"]:
            case "raises": raise ValueError("x " * 220 + VALUE)
            case "tool error": raise ToolError(said, hint=said)
            case "failed": return Review(status=ReviewerStatus.FAILED, error=said, hint=said)
            case "skipped": return Review(status=ReviewerStatus.SKIPPED, error=said, hint=said)
            case "hint": return Review(hint=said)
            case "unreviewed": return Review(unreviewed={files[0].path: said})
            case "findings":
                quotes = [f'token = "{VALUE}"', "tab\\there\\x0b and \\x1b[31m there", "plain = 1"]
                return Review(findings=[
                    Finding(file="app.py", line_start=line, severity=Severity.MEDIUM, category=Category.LOGIC,
                            description=f"number {number} {quote}", evidence=quote, rule=rule)
                    for number, quote in enumerate(quotes) for line in (1, 2, 3, 4) for rule in (None, "R1")
                ])


@hookimpl
def selfreview_register_reviewers(registry, config):
    registry.add(Talkative())
"""


@pytest.fixture
def talk(workspace: Workspace, tmp_path: Path) -> Callable[..., Ran]:
    (tmp_path / "talkative_plugin.py").write_text(TALKATIVE)

    def run(says: str, *arguments: str) -> Ran:
        more = {"PYTHONPATH": str(tmp_path), "SAYS": says, "VALUE": VALUE}
        return workspace.selfreview("run", "-p", "talkative_plugin", *arguments, **more)

    return run


@pytest.mark.parametrize("says", ["raises", "tool error", "failed", "skipped", "hint", "unreviewed"])
def test_no_word_of_a_tool_holds_it(workspace: Workspace, talk: Callable[..., Ran], says: str) -> None:
    workspace.write("app.py", "LIMIT = 3\n")
    ran = talk(says, "--format", "json", "--reviewer", "talkative")
    (report,) = ran.json["reviewers"]
    assert report["error"] or report["hint"] or ran.json["incompleteReasons"]
    assert VALUE[:12] not in ran.out + ran.err
    for path in filter(Path.is_file, (workspace.root / ".git" / "selfreview").rglob("*")):
        assert VALUE[:12].encode() not in path.read_bytes()


def test_a_secret_of_the_change_is_known_in_any_words(workspace: Workspace, talk: Callable[..., Ran]) -> None:
    workspace.write("app.py", CODE)
    assert VALUE not in talk("hint", "--format", "json").out


def test_the_second_run_gives_the_same_places_and_names(workspace: Workspace, talk: Callable[..., Ran]) -> None:
    code = f'a = 1\nplain = 1\ntoken = "{VALUE}"\nb = 2\ntab\there\x0b and \x1b[31m there\n'
    workspace.write("app.py", code)
    runs = [talk("findings", "--format", "json", "--reviewer", "talkative").json for _ in range(2)]
    assert [report["cached"] for run in runs for report in run["reviewers"]] == [False, True]
    assert len(runs[0]["issues"]) > 3
    assert runs[0]["issues"] == runs[1]["issues"]


LEAKING = """
import os
from selfreview.api import IssueStatus, hookimpl


@hookimpl
def selfreview_modify_issues(issues):
    issues[0].description += os.environ["VALUE"]


@hookimpl
def selfreview_issue_status(issue):
    return IssueStatus.ACCEPTED, "known: " + os.environ["VALUE"]
"""


def test_no_word_of_a_plugin_about_an_issue_holds_it(workspace: Workspace, tmp_path: Path) -> None:
    workspace.write("app.py", CODE)
    (tmp_path / "leaking.py").write_text(LEAKING)
    ran = workspace.selfreview("run", "-f", "json", "-p", "leaking", PYTHONPATH=str(tmp_path), VALUE=VALUE)
    assert {issue["status"] for issue in ran.json["issues"]} == {"accepted"}
    assert VALUE not in ran.out
