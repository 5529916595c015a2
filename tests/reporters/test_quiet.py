"""No format prints what a CI service would take for a command, wherever it comes from."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfreview.plugins.builtins import Builtins
from selfreview.reporters._html_page import _quiet
from selfreview.text.escape import json_safe
from tests.conftest import Workspace

FORMATS = [name for name, module in Builtins().modules.items() if module.startswith("selfreview.reporters.")]
HOSTILE = "import sys\neval(sys.argv[1])  # ##vso[task.setvariable variable=PATH]evil ##[error]x\n"


@pytest.mark.parametrize("name", FORMATS)
def test_a_change_gives_no_command_to_a_ci_service(workspace: Workspace, name: str) -> None:
    workspace.commit("hostile", **{"##[error]a.py": HOSTILE, "##vso[x]b.py": HOSTILE})
    out = workspace.selfreview("gate", "--base", "main", "--format", name).stdout
    assert out
    assert "##[" not in out
    assert "##vso[" not in out


@given(st.text(alphabet='#[vso"\\x\n'))
def test_a_json_document_decodes_to_the_same(text: str) -> None:
    safe = json_safe(json.dumps(text).encode())
    assert json.loads(safe) == text
    assert b"##[" not in safe
    assert b"##vso[" not in safe


@given(st.lists(st.sampled_from(["#", "##", "[", "v", "so[", "##vso", "##[", "x", ""])))
def test_a_page_is_quiet_wherever_its_pieces_end(pieces: list[str]) -> None:
    out = "".join(_quiet(pieces))
    assert out.replace("&#35;", "#") == "".join(pieces)
    assert "##[" not in out
    assert "##vso[" not in out
