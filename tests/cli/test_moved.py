"""Code that only moved is not the change's: its issues are out of scope, and what changed while it moved is told."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import Workspace

FUNCTION = """\
def answer(text):
    print("the answer to", text, undefined_name)
    return eval(text)
"""
RULES = ("python-eval", "F821")
"""One of the embedded rules, and one of ruff."""
METHOD = "class Oracle:\n" + "".join(f"    {line}\n" for line in FUNCTION.splitlines())


def _base(workspace: Workspace, **files: str | bytes) -> None:
    workspace.git("switch", "--quiet", "main")
    workspace.commit("old sin", **files)
    workspace.git("switch", "--quiet", "work")
    workspace.git("merge", "--quiet", "main")


def _issues(document: Any) -> dict[str, tuple[str, str, str | None]]:
    return {
        issue["rule"]: (issue["file"], issue["status"], issue.get("statusReason"))
        for issue in document["issues"]
        if issue["rule"] in RULES
    }


def _moved(path: str, old: str, was: str) -> dict[str, tuple[str, str, str]]:
    """Return what is said of both issues that stood in an old text."""
    lines = {"python-eval": "eval", "F821": "undefined_name"}
    return {
        rule: (path, "out_of_scope", f"moved, not changed (was {was}:{1 + old[: old.index(word)].count(chr(10))})")
        for rule, word in lines.items()
    }


@pytest.mark.parametrize(
    ("old", "new"),
    [(FUNCTION, METHOD), (FUNCTION, FUNCTION.replace("\n", "\r\n")), (METHOD, METHOD.replace("    ", "\t"))],
    ids=["reindented", "line ends", "tabs"],
)
def test_a_line_that_only_looks_otherwise_is_not_new(workspace: Workspace, old: str, new: str) -> None:
    _base(workspace, **{"app.py": old})
    workspace.write("app.py", new.encode())
    for _ in range(2):  # the second one from the cache
        document = workspace.review()
        assert _issues(document) == _moved("app.py", old, "app.py")
        assert document["passed"] is True


def test_what_moved_to_another_file_is_not_new(workspace: Workspace) -> None:
    rest = "LIMIT = 1\n\n\ndef rest():\n    return LIMIT\n"
    _base(workspace, **{"app.py": f"{rest}\n\n{FUNCTION}", "lib.py": "LIMIT = 2\n"})
    workspace.write("app.py", rest)
    workspace.write("lib.py", f"LIMIT = 2\n\n\n{METHOD}")
    document = workspace.review()
    assert _issues(document) == _moved("lib.py", f"{rest}\n\n{FUNCTION}", "app.py")
    assert document["passed"] is True


CHANGED = {
    "another argument": FUNCTION.replace("eval(text)", "eval(other)"),
    "a line of its own in another function": FUNCTION.replace("def answer(text)", "def handle(request, text)"),
    "a decorator": f"@app.route('/answer')\n{FUNCTION}",
}


@pytest.mark.parametrize("new", CHANGED.values(), ids=CHANGED)
@pytest.mark.parametrize("fork", ["true", "false"])
def test_what_changed_while_it_moved_is_told(workspace: Workspace, new: str, fork: str) -> None:
    _base(workspace, **{"app.py": FUNCTION, "lib.py": "LIMIT = 2\n"})
    workspace.write("app.py", "LIMIT = 1\n")
    workspace.write("lib.py", f"LIMIT = 2\n\n\n{new}")
    workspace.git("commit", "--quiet", "--all", "-m", "the change")
    document = workspace.selfreview("gate", "--format", "json", SELFREVIEW_CI_BASE="main", SELFREVIEW_CI_FORK=fork).json
    assert _issues(document)["python-eval"] == ("lib.py", "open", None)
    assert document["passed"] is False


def test_each_old_place_excuses_one_new_place(workspace: Workspace) -> None:
    _base(workspace, **{"app.py": FUNCTION, "lib.py": "LIMIT = 2\n"})
    workspace.write("app.py", "LIMIT = 1\n")
    for name in ("lib.py", "two.py"):
        workspace.write(name, f"LIMIT = 2\n\n\n{FUNCTION}")
    statuses = sorted(i["status"] for i in workspace.review()["issues"] if i["rule"] == "python-eval")
    assert statuses == ["open", "out_of_scope"]


@pytest.mark.parametrize("place", ["vendor/app.py", "tests/test_app.py"])
def test_what_comes_from_where_it_did_not_count_is_told(workspace: Workspace, place: str) -> None:
    old = FUNCTION.replace("eval(text)", "subprocess.run(text, shell=True)").replace(", undefined_name", "")
    _base(workspace, **{place: f"import subprocess\n\n\n{old}", "lib.py": "import subprocess\n"})
    workspace.write(place, "LIMIT = 1\n")
    workspace.write("lib.py", f"import subprocess\n\n\n{old}")
    document = workspace.review()
    found = {i["status"] for i in document["issues"] if i["file"] == "lib.py" and i["category"] == "security"}
    assert "open" in found
    assert "out_of_scope" not in found
