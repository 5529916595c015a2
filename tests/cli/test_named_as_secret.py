"""A file that is called like a password of the person's is reviewed, mended and put back as any other."""

from __future__ import annotations

from tests.conftest import Workspace

BAD = "import requests\n\n\ndef get(url):\n    return requests.get(url, verify=False)\n"
PASSWORD = {"SELFREVIEW_SMTP_PASSWORD": "password"}


def test_a_patch_for_it_is_applied_and_taken_back(workspace: Workspace) -> None:
    path = workspace.write("password_reset.py", BAD)
    assert workspace.review("--fixer", "rules", **PASSWORD)["patch"]["files"] == 1
    assert workspace.selfreview("apply", **PASSWORD).code == 0
    assert path.read_text() == BAD.replace("verify=False", "verify=True")
    assert workspace.selfreview("undo", **PASSWORD).code == 0
    assert path.read_text() == BAD
