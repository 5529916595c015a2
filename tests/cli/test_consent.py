"""Nothing is sent to a model that the person did not choose: the question, its answer, and who is never asked."""

from __future__ import annotations

import json
import os
import select
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from selfreview.errors import ExitCode
from tests.conftest import Ran, Workspace
from tests.nursery import start_program

KEY = "sk-test-not-a-real-key"
INTERRUPT = b"\x03"
"""What Ctrl-C sends."""

# Stands for the model's reviewer, and writes down that it was called: this is where code would leave.
PLUGIN = """
import os
import select
from selfreview.api import Depth, Review, hookimpl

class Fake:
    name = "claude"
    depth = Depth.MODEL
    default = False
    def selects(self, file): return True
    def cache_key(self, context): return None
    def review(self, files, context):
        with open(os.environ["SENT"], "a") as sent:
            sent.write("sent\\n")
        return Review()

@hookimpl
def selfreview_register_reviewers(registry, config):
    registry.add(Fake())
"""

# Makes the terminal on standard input the controlling one, as a shell does, so that its keys send signals.
START = (
    "import fcntl, runpy, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
    "runpy.run_module('selfreview', run_name='__main__')"
)

terminal = pytest.mark.skipif(sys.platform == "win32", reason="a POSIX terminal")


class Person:
    """Runs the program with a model's reviewer at hand, on a terminal or without one."""

    def __init__(self, workspace: Workspace, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.workspace = workspace
        (folder / "fake_model.py").write_text(PLUGIN)
        self._sent = folder / "sent"
        monkeypatch.setenv("PYTHONPATH", str(folder))
        monkeypatch.setenv("SENT", str(self._sent))
        monkeypatch.setenv("SELFREVIEW_PLUGINS", "fake_model")
        monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)

    @property
    def sent(self) -> int:
        return self._sent.read_text().count("sent") if self._sent.exists() else 0

    def runs(self, *arguments: str, **env: str) -> Ran:
        return self.workspace.selfreview("run", "-p", "no:claude", "--format", "json", *arguments, **env)

    def types(self, keys: bytes, *arguments: str) -> tuple[int, str, bytes]:
        """Answer the question on a terminal; return the exit code, what the terminal showed, and standard output."""
        import pty

        control, side = pty.openpty()
        argv = ["run", "-p", "no:claude", "--format", "json", *arguments]
        given: dict[str, Any] = {"cwd": self.workspace.root, "env": dict(os.environ), "start_new_session": True}
        given |= {"stdin": side, "stdout": subprocess.PIPE, "stderr": side}
        if keys == INTERRUPT:
            child = subprocess.Popen([sys.executable, "-c", START, *argv], **given)
        else:
            child = start_program(argv, **given)
        os.close(side)
        shown, answered = b"", False
        while True:
            # A signal that comes between the question and the reading of its answer is only seen with the next key.
            while answered and keys == INTERRUPT and not select.select([control], [], [], 2.0)[0]:
                os.write(control, keys)
            try:
                piece = os.read(control, 4096)
            except OSError:  # the other side is closed
                break
            if not piece:
                break
            shown += piece
            if not answered and b"[y/N]" in shown:
                answered = True
                os.write(control, keys)
        out, _ = child.communicate(timeout=60)
        os.close(control)
        return child.returncode, shown.decode(), out


@pytest.fixture
def person(workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Person:
    workspace.write("app.py", "x = 1\n")
    return Person(workspace, tmp_path, monkeypatch)


def reviewers(document: Any) -> dict[str, str]:
    return {report["name"]: report["status"] for report in document["reviewers"]}


@terminal
class TestOnATerminal:
    def test_yes_is_asked_once_and_remembered(self, person: Person) -> None:
        code, shown, out = person.types(b"y\n")
        assert code == ExitCode.PASSED
        for part in ("ANTHROPIC_API_KEY", "api.anthropic.com", "1 changed file (+1 lines)", "selfreview untrust"):
            assert part in shown
        assert KEY not in shown
        result = json.loads(out)
        assert reviewers(result)["claude"] == "ok"
        assert reviewers(result)["ruff"] == "ok"
        assert not result["scope"]["partial"]
        assert person.sent == 1
        _, shown, _ = person.types(b"", "--no-cache")
        assert "[y/N]" not in shown
        assert person.sent == 2
        assert reviewers(person.runs().json)["claude"] == "ok"  # also where nobody could be asked

    @pytest.mark.parametrize("keys", [b"n\n", b"\n", b"what?\nno\n"])
    def test_no_is_remembered_too(self, person: Person, keys: bytes) -> None:
        code, _, out = person.types(keys)
        assert code == ExitCode.PASSED
        assert "claude" not in reviewers(json.loads(out))
        _, shown, _ = person.types(b"")
        assert "[y/N]" not in shown
        assert "hint" not in shown
        assert person.sent == 0

    def test_interrupted_is_no_answer(self, person: Person) -> None:
        code, shown, out = person.types(INTERRUPT)
        assert code == ExitCode.INTERRUPTED
        assert "error: interrupted" in shown
        assert json.loads(out)["status"] == "error"
        assert person.sent == 0
        assert "[y/N]" in person.types(b"n\n")[1]

    def test_the_end_of_the_input_is_no_answer(self, person: Person) -> None:
        code, shown, out = person.types(b"\x04")
        assert code == ExitCode.PASSED
        assert "hint: a model can review too" in shown
        assert "claude" not in reviewers(json.loads(out))
        assert "[y/N]" in person.types(b"n\n")[1]

    def test_the_answer_is_for_one_receiver(self, person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
        person.types(b"y\n")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", "https://someone:password@models.example:8443/v1")
        _, shown, _ = person.types(b"n\n")
        assert "models.example:8443" in shown
        assert "password" not in shown
        assert person.sent == 1

    def test_the_answer_is_for_one_repository(self, person: Person, tmp_path: Path) -> None:
        person.types(b"y\n")
        person.workspace.git("clone", "--quiet", ".", str(tmp_path / "other"))
        person.workspace.root = tmp_path / "other"
        person.workspace.write("app.py", "x = 2\n")
        assert "[y/N]" in person.types(b"n\n")[1]
        assert person.sent == 1

    @pytest.mark.parametrize(
        "arguments",
        [("--reviewer", "text"), ("--reviewer", "auto"), ("--collect-only",), ("--offline",),
         ("-o", "enabled=false"), ("-p", "no:fake_model")],
        ids=" ".join,
    )  # fmt: skip
    def test_who_is_not_asked(self, person: Person, arguments: tuple[str, ...]) -> None:
        assert "[y/N]" not in person.types(b"", *arguments)[1]
        assert person.sent == 0

    def test_without_a_key_or_a_change_nobody_is_asked(self, person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
        (person.workspace.root / "app.py").unlink()
        shown = person.types(b"")[1]
        person.workspace.write("app.py", "x = 1\n")
        monkeypatch.delenv("ANTHROPIC_API_KEY")
        assert "model" not in shown + person.types(b"")[1]

    def test_it_is_kept_with_the_person_and_can_be_seen_and_forgotten(self, person: Person) -> None:
        person.types(b"y\n")
        folder = Path(os.environ["SELFREVIEW_DATA_DIR"]) / "consent"
        (record,) = folder.iterdir()
        assert stat.S_IMODE(record.stat().st_mode) == 0o600
        assert not person.workspace.git("status", "--porcelain", "--ignored").replace("?? app.py", "")
        listed = person.workspace.selfreview("trust", "--list").out
        assert f"  upload        {person.workspace.root}/.git to api.anthropic.com\n" in listed
        assert "is asked again" in person.workspace.selfreview("untrust").out
        assert person.workspace.selfreview("trust", "--list").out == ""
        assert "[y/N]" in person.types(b"n\n")[1]
        assert "  no upload     " in person.workspace.selfreview("trust", "--list").out

    def test_a_hook_sends_nothing_that_was_not_configured(self, person: Person) -> None:
        person.types(b"y\n")
        person.workspace.git("add", "app.py")
        hook = ("hook", "run", "pre-commit", "-p", "no:claude")
        ran = person.workspace.selfreview(*hook)
        assert ran.code == ExitCode.PASSED
        assert "model can review" not in ran.err
        assert person.sent == 1
        assert person.workspace.selfreview(*hook, "-o", 'reviewers=["auto", "claude"]').code == ExitCode.PASSED
        assert person.sent == 2


class TestWithoutATerminal:
    def test_there_is_a_hint_on_standard_error(self, person: Person) -> None:
        ran = person.runs()
        assert ran.err.count("hint: a model can review too, with ANTHROPIC_API_KEY: ") == 1
        assert "claude" not in reviewers(ran.json)
        assert person.sent == 0

    def test_the_hint_says_what_works(self, person: Person) -> None:
        ran = person.runs("--reviewer", "auto", "--reviewer", "claude")
        assert "hint" not in ran.err
        assert {"claude", "ruff", "text"} <= reviewers(ran.json).keys()
        assert not ran.json["scope"]["partial"]
        assert person.sent == 1

    def test_a_repository_cannot_answer(self, person: Person) -> None:
        person.workspace.write("selfreview.toml", 'consent = "yes"\n')
        assert person.runs().code == ExitCode.USAGE
        assert person.sent == 0

    @terminal
    def test_an_answer_that_others_could_have_given_is_refused(self, person: Person) -> None:
        folder = Path(os.environ["SELFREVIEW_DATA_DIR"]) / "consent"
        person.types(b"y\n")
        folder.chmod(0o777)
        ran = person.runs()
        assert ran.code == ExitCode.USAGE
        assert "others can write to the consent folder" in ran.err
        assert person.sent == 1

    @terminal
    def test_a_damaged_answer_is_none(self, person: Person) -> None:
        person.types(b"y\n")
        (record,) = (Path(os.environ["SELFREVIEW_DATA_DIR"]) / "consent").iterdir()
        record.write_bytes(record.read_bytes().replace(b"true", b'"true"'))
        assert "claude" not in reviewers(person.runs().json)
        assert person.workspace.selfreview("trust", "--list").code == ExitCode.USAGE


class TestOffline:
    def test_named_on_the_command_line_together_is_a_mistake(self, person: Person) -> None:
        ran = person.runs("--offline", "--reviewer", "claude")
        assert ran.code == ExitCode.USAGE
        assert "'claude' sends code to a model, which offline forbids (command line)" in ran.err
        assert person.runs("--reviewer", "claude", SELFREVIEW_OFFLINE="1").code == ExitCode.USAGE
        assert person.sent == 0

    def test_configured_it_is_skipped_with_the_reason(self, person: Person) -> None:
        result = person.runs("--offline", "-o", 'reviewers=["auto", "claude"]').json
        (report,) = (report for report in result["reviewers"] if report["name"] == "claude")
        assert report["status"] == "skipped"
        assert report["error"] == "it sends code to a model, which is forbidden (--offline)"
        assert result["passed"]
        assert not result["modelReviewed"]
        assert person.sent == 0

    def test_required_it_is_incomplete(self, person: Person) -> None:
        ran = person.runs("-o", 'required_reviewers=["claude"]', SELFREVIEW_OFFLINE="1")
        assert ran.code == ExitCode.INCOMPLETE
        assert ran.json["incompleteReasons"] == [
            "claude was skipped though required: it sends code to a model, which is forbidden "
            "(offline = true, env SELFREVIEW_OFFLINE)"
        ]
        assert person.sent == 0
