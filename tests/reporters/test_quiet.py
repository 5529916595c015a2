"""No format prints what a CI service would take for a command, wherever it comes from."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

import selfreview.cli
from selfreview.plugins.builtins import Builtins
from selfreview.reporters.html.page import _quiet
from selfreview.text.escape import json_safe
from tests.conftest import Workspace

FORMATS = [name for name, module in Builtins().modules.items() if module.startswith("selfreview.reporters.")]
HOSTILE = "import sys\neval(sys.argv[1])  # ##vso[task.setvariable variable=PATH]evil ##[error]x\n"


def commands(text: str) -> list[str]:
    """Return the beginnings of commands of CI services in a text."""
    return [start for start in ("##[", "##vso[", "##teamcity[") if start in text]


def test_a_change_gives_no_command_to_a_ci_service(workspace: Workspace) -> None:
    workspace.commit("hostile", **{"##[error]a.py": HOSTILE, "##vso[x]b.py": HOSTILE, "##teamcity[x]c.py": HOSTILE})
    for name in FORMATS:
        out = workspace.run_inprocess("gate", "--base", "main", "--format", name).stdout
        assert (name, bool(out), commands(out)) == (name, True, [])


def test_nothing_that_is_printed_for_people_is_a_command(workspace: Workspace) -> None:
    """Neither on standard output nor on standard error."""
    workspace.write("selfreview.toml", 'exclude = ["##vso[x]y"]\n')
    workspace.commit("hostile", **{"##[error]a.py": HOSTILE, "##vso[x]b.py": HOSTILE, "##teamcity[x]c.py": HOSTILE})
    for args in (
        ("gate", "--base", "main", "--collect-only"),
        ("gate", "--base", "main"),
        ("gate", "--base", "##[error]x"),
        ("run", "--base", "main"),
        ("status",),
        ("show", "--code"),
        ("config",),
        ("##vso[task.x]y",),
    ):
        ran = workspace.run_inprocess(*args)
        assert (args, bool(ran.stdout + ran.stderr), commands(ran.stdout), commands(ran.stderr)) == (args, True, [], [])


def test_commands_print_lines_for_people_in_one_way() -> None:
    """What calls click itself prints documents, and what a shell asks for completions."""
    documents = {"baseline.py", "config.py", "init.py", "report.py", "shell_completion.py", "main.py"}
    known = {"console.py", *documents}
    folder = Path(selfreview.cli.__path__[0])
    assert {path.name for path in folder.rglob("*.py") if "click.echo(" in path.read_text("utf-8")} == known


@given(st.lists(st.sampled_from(["#", "[", "vso[", "teamcity[", '"', "\\", "\n"])).map("".join))
def test_a_json_document_decodes_to_the_same(text: str) -> None:
    safe = json_safe(json.dumps(text).encode())
    assert json.loads(safe) == text
    assert b"##[" not in safe
    assert b"##vso[" not in safe
    assert b"##teamcity[" not in safe


@given(st.lists(st.sampled_from(["#", "##", "[", "v", "so[", "##vso", "team", "city[", "##teamcity", "##[", "x", ""])))
def test_a_page_is_quiet_wherever_its_pieces_end(pieces: list[str]) -> None:
    out = "".join(_quiet(pieces))
    assert out.replace("&#35;", "#") == "".join(pieces)
    assert "##[" not in out
    assert "##vso[" not in out
    assert "##teamcity[" not in out
