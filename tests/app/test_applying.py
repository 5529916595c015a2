"""The question whether to apply: what is shown before it, and what the answers do."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest

from selfreview.app.patch_text import printed
from selfreview.app.ui import PatchOffer
from selfreview.apply.patches import Patch, PatchStore
from selfreview.cli.terminal import Terminal, ask_to_apply
from selfreview.git.worktree_files import Entry
from selfreview.model.result import Result
from selfreview.text.masking import MASK
from tests.conftest import Workspace
from tests.refine.lab import AT
from tests.reporters.samples import CONTEXT

LONG = "".join(f"+line {number}\n" for number in range(80))


def patch_of(folder: Path, diff: str, old: bytes = b"a\n", new: bytes = b"b\n") -> Patch:
    files = {"app.py": (Entry("100644", old), Entry("100644", new))}
    return PatchStore(folder).keep(files, diff.encode(), at=AT, iteration=1)


def asked(patch: Patch) -> bool:
    offer = PatchOffer(
        before=Result(),
        after=Result(),
        text=printed(patch),
        files=patch.manifest.files,
        context=CONTEXT,
        color="never",
    )
    return ask_to_apply(offer, Terminal())


def test_all_of_a_long_patch_is_shown_line_by_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("what\nd\ny\n"))
    assert asked(patch_of(tmp_path, LONG + "+\tx\x1b[2J\n"))
    told = capsys.readouterr().err
    before, whole, rest = told.split("[y/N/d] ")[0], told.split("[y/N/d] ")[2], told.split("[y/N/d] ")[3:]
    assert "  changed: app.py\n" in before
    assert "line 0" not in before
    assert whole.startswith("+line 0\n+line 1\n")
    assert "+line 79\n+   x\\x1b[2J\n" in whole
    assert "\\n" not in told
    assert rest == [""]
    assert told.count("y: yes, n: no, d: show all of it [y/N/d]") == 3


@pytest.mark.parametrize("answer", ["", "\n", "n\n", "No\n"])
def test_no_word_but_yes_applies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], answer: str
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(answer))
    assert not asked(patch_of(tmp_path, "+short\n"))
    told = capsys.readouterr().err
    assert "+short\n" in told
    assert told.endswith("y: yes, n: no [y/N] ")
    assert "show all" not in told


def test_the_help_says_how_to_see_the_whole_patch(capsys: pytest.CaptureFixture[str]) -> None:
    from selfreview.cli.main import execute

    execute(["run", "--help"])
    assert "d shows the whole patch" in " ".join(capsys.readouterr().out.split())


TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
WORDS = "correct horse battery staple"
OLD = f"""TOKEN = "{TOKEN}"
password = "{WORDS}"
def connect():
    debug()
    return 1
"""


def diff_of(folder: Path, old: str, new: str) -> str:
    """The difference as git shows it, with one line of context and the function above it."""
    for name, text in {"old": old, "new": new}.items():
        (folder / name).write_bytes(text.encode())
    command = ["git", "diff", "--no-index", "-U1", "old", "new"]
    return subprocess.run(command, cwd=folder, capture_output=True, check=False).stdout.decode()


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_secrets_beside_an_edit_are_not_printed_and_the_file_is_exact(tmp_path: Path, end: str) -> None:
    old = OLD.replace("def connect():\n", "").replace("\n", end)
    new = old.replace(f"    debug(){end}", "")
    diff = diff_of(tmp_path, old, new)
    assert WORDS in diff
    patch = patch_of(tmp_path / "patches", diff, old.encode(), new.encode())
    shown = printed(patch)
    assert WORDS not in shown
    assert f' password = "{MASK}"' in shown
    assert "\n-    debug()" in shown
    assert len(shown.split("\n")) == len(diff.split("\n"))
    assert patch.file.read_bytes() == diff.encode()


def test_a_secret_that_an_edit_removes_is_not_printed(tmp_path: Path) -> None:
    new = OLD.replace(TOKEN, "").replace(WORDS, "")
    diff = diff_of(tmp_path, OLD, new)
    assert TOKEN in diff
    shown = printed(patch_of(tmp_path / "patches", diff, OLD.encode(), new.encode()))
    assert TOKEN not in shown
    assert WORDS not in shown


def test_the_head_of_a_hunk_quotes_no_secret(tmp_path: Path) -> None:
    old = OLD.replace("def connect():\n", "    a()\n" * 9)
    new = old.replace("    debug()\n", "")
    diff = diff_of(tmp_path, old, new)
    assert f'@@ password = "{WORDS}"' in diff
    shown = printed(patch_of(tmp_path / "patches", diff, old.encode(), new.encode()))
    assert WORDS not in shown
    assert "@@\n" in shown


@pytest.mark.parametrize("form", ["terminal", "json"])
def test_a_refinement_is_shown_without_secrets(workspace: Workspace, form: str) -> None:
    text = f'import requests\n\nTOKEN = "{TOKEN}"\nGOT = requests.get("https://host", verify=False, timeout=9)\n'
    workspace.write("app.py", text)
    document = workspace.review()
    assert TOKEN in Path(document["patch"]["file"]).read_text()
    shown = workspace.selfreview("show", "--iteration", "1", "-f", form).out
    assert "verify=False" in shown
    assert TOKEN not in shown
