"""A secret's value is never printed and never kept, whoever quotes the line."""

from __future__ import annotations

import pytest

from tests.conftest import Workspace

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
    for path in (workspace.root / ".git" / "selfreview").rglob("*"):
        assert VALUE.encode() not in path.read_bytes()
    assert VALUE not in workspace.selfreview("show", "F821").out


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
