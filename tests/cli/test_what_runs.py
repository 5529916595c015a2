"""What docs/trust.md says about the repository's programs and about what a change can leave out."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from tests.conftest import Workspace

BAD = "print(undefined_name)\n"


@pytest.mark.skipif(sys.platform == "win32", reason="shell commands as programs")
def test_programs_of_the_git_configuration(workspace: Workspace, tmp_path: Path) -> None:
    def program(name: str, then: str) -> str:
        return f"echo >> {shlex.quote(str(tmp_path / name))}; {then}"

    workspace.commit("first", **{"a.x": "a\n", ".gitattributes": "*.x filter=x diff=x\n"})
    workspace.git("config", "filter.x.clean", program("filter", "cat"))
    workspace.git("config", "diff.x.textconv", program("textconv", "cat"))
    workspace.git("config", "diff.external", program("external", "true"))
    workspace.git("config", "core.fsmonitor", program("fsmonitor", "true"))
    workspace.write("a.x", "b\n")
    assert workspace.review()["passed"]
    assert [n for n in ("filter", "textconv", "external", "fsmonitor") if (tmp_path / n).exists()] == ["filter"]


def test_what_a_change_leaves_out_is_listed(workspace: Workspace) -> None:
    workspace.write(".gitattributes", "marked.py linguist-generated\n")
    workspace.write("marked.py", BAD)
    workspace.write("generated.py", f"# @generated\n{BAD}")
    workspace.write("binary.py", f"{BAD}\0")
    workspace.write("vendor/code.py", BAD)
    workspace.write("configured.py", BAD)
    workspace.write("selfreview.toml", 'exclude = ["configured.py"]\n')
    workspace.write(".gitignore", "ignored.py\n")
    workspace.write("ignored.py", BAD)
    result = workspace.review()
    assert result["issues"] == []
    left_out = {entry["path"] for entry in result["coverage"]["excluded"]}
    assert left_out == {"marked.py", "generated.py", "binary.py", "vendor/code.py", "configured.py"}
    workspace.git("add", "--force", "ignored.py")
    assert [issue["file"] for issue in workspace.review()["issues"] if issue["status"] == "open"] == ["ignored.py"]
