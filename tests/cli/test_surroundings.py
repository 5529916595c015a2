"""Whatever is wrong around it: one clear line, the right exit code, nothing lost, no traceback."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from selfreview.errors import ExitCode
from tests.conftest import Ran, Workspace
from tests.rows import few

BAD = "print(undefined_name)\n"
PROGRAM = [sys.executable, "-m", "selfreview"]
posix_only = pytest.mark.skipif(sys.platform == "win32", reason="POSIX files")


def one_line(ran: Ran, *, says: str, code: ExitCode = ExitCode.USAGE) -> None:
    assert ran.code == code, ran
    errors = [line for line in ran.err.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1, ran
    assert says in errors[0]
    assert all(line.startswith(("error: ", "hint: ", "note: ", "warning: ")) for line in ran.err.splitlines())
    assert "Traceback" not in ran.err + ran.out


def test_no_git(workspace: Workspace, tmp_path: Path) -> None:
    one_line(workspace.selfreview("run", PATH=str(tmp_path)), says="git is not installed")


def test_no_repository(workspace: Workspace, tmp_path: Path) -> None:
    one_line(workspace.selfreview("run", cwd=tmp_path), says="not in a git repository")


def test_a_bare_repository(workspace: Workspace, tmp_path: Path) -> None:
    workspace.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare.git"))
    one_line(workspace.selfreview("run", cwd=tmp_path / "bare.git"), says="bare repository")


def test_inside_the_git_directory(workspace: Workspace) -> None:
    one_line(workspace.selfreview("run", cwd=workspace.root / ".git"), says="inside a git directory")


@pytest.mark.parametrize("command", [["run"], ["gate", "--base", "main"], ["hook", "run", "pre-commit"]])
def test_a_git_directory_that_a_change_brings_is_none(workspace: Workspace, command: list[str]) -> None:
    workspace.write("svc/config", "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ..\n")
    workspace.write("svc/packed-refs", f"{workspace.git('rev-parse', 'main')} refs/heads/main\n")
    workspace.write("svc/HEAD", "ref: refs/heads/main\n")
    workspace.write("svc/refs/.keep", "")
    shutil.copytree(workspace.root / ".git" / "objects", workspace.root / "svc" / "objects")
    before = sorted((workspace.root / "svc").rglob("*"))
    assert workspace.git("-C", "svc", "rev-parse", "--is-inside-work-tree") == "true"
    one_line(workspace.selfreview(*command, cwd=workspace.root / "svc"), says="this folder is a bare repository ")
    assert sorted((workspace.root / "svc").rglob("*")) == before


@pytest.mark.parametrize("folder", ["linked", "sub", "sub/deep", "bare-linked"])
def test_git_directories_of_the_persons_own(workspace: Workspace, tmp_path: Path, folder: str) -> None:
    """A linked working tree, a submodule, a working tree of a bare repository."""
    workspace.git("branch", "other")
    workspace.git("worktree", "add", "--quiet", "linked", "other")
    workspace.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare.git"))
    workspace.git("--git-dir", str(tmp_path / "bare.git"), "worktree", "add", "--quiet", "bare-linked", "other")
    workspace.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(tmp_path / "bare.git"), "sub")
    workspace.write("sub/deep/a.txt", "a\n")
    workspace.write(f"{folder}/app.txt", "a\n")
    ran = workspace.selfreview("run", "--base", "HEAD", "--format", "json", cwd=workspace.root / folder)
    assert ran.code == ExitCode.PASSED, ran


def test_a_corrupt_repository(workspace: Workspace) -> None:
    workspace.write("app.py", BAD)
    workspace.write(".git/index", b"garbage")
    one_line(workspace.selfreview("run"), says="index")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("severity_threshold = 3\n", "selfreview.toml:1: severity_threshold"),
        ("\n\nmax_iteration = 3\n", "selfreview.toml:3: unknown key max_iteration"),
        ("a = [\n", "selfreview.toml"),
        ('[command.x]\nrun = "x"\n', "selfreview.toml:2: command.x.run"),
    ],
)
def test_bad_configuration_names_key_file_and_line(workspace: Workspace, content: str, says: str) -> None:
    workspace.write("selfreview.toml", content)
    one_line(workspace.selfreview("run"), says=says)


def test_bad_environment_variable(workspace: Workspace) -> None:
    one_line(workspace.selfreview("run", SELFREVIEW_SEVERITY_THRESHOLD="awful"), says="SELFREVIEW_SEVERITY_THRESHOLD")


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("import no_such_module_anywhere\n", "selfreview_conf.py"),
        ("def broken(:\n", "selfreview_conf.py"),
        (
            "from selfreview.api import hookimpl\n@hookimpl\ndef selfreview_regster_reviewers(registry): pass\n",
            "selfreview_regster_reviewers",
        ),
        (
            "from selfreview.api import hookimpl\n@hookimpl\ndef selfreview_verdict(result, config): return 1 / 0\n",
            "ZeroDivisionError",
        ),
    ],
)
def test_a_broken_local_plugin(workspace: Workspace, code: str, says: str) -> None:
    workspace.write("selfreview_conf.py", code)
    untrusted = workspace.selfreview("run", "--fail-on", "never")
    assert untrusted.code == ExitCode.PASSED
    assert "not trusted" in untrusted.err
    assert workspace.selfreview("trust").code == 0
    one_line(workspace.selfreview("run"), says=says)


def test_a_store_that_cannot_be_written_does_not_change_the_verdict(workspace: Workspace) -> None:
    workspace.write("app.py", BAD)
    workspace.write(".git/selfreview", "a file where the folder should be")
    ran = workspace.selfreview("run", "--format", "json")
    assert ran.code == ExitCode.ISSUES
    assert ran.json["verdict"] == "needs_work"
    warnings = [line for line in ran.err.splitlines() if line.startswith("warning: ")]
    assert len(warnings) == 1, ran.err


def test_an_output_file_that_cannot_be_written(workspace: Workspace, tmp_path: Path) -> None:
    workspace.write("app.py", BAD)
    (tmp_path / "file").write_text("")
    target = tmp_path / "file" / "result.json"
    one_line(workspace.selfreview("run", "--format", f"json:{target}"), says="cannot be written")


SCRIPT = [sys.executable, "-c", "from selfreview.cli.entry import main; main()"]  # what pip writes into bin/selfreview


@posix_only
@pytest.mark.parametrize(
    ("program", "language"),
    [(PROGRAM, "C"), pytest.param(PROGRAM, "POSIX", marks=pytest.mark.long), (SCRIPT, "POSIX"),
     pytest.param(SCRIPT, "C", marks=pytest.mark.long)],
)  # fmt: skip
def test_a_locale_in_which_file_names_cannot_be_written(
    workspace: Workspace, program: list[str], language: str
) -> None:
    """As LANG=de_DE is, or en_US without UTF-8 behind it."""
    names = {"grün.py", "✓ 中.py"}
    workspace.stage(**dict.fromkeys(names, BAD), **{"app.py": "LIMIT = 3\n"})
    env = {**os.environ, "LC_ALL": language, "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}

    def run(*arguments: str) -> Ran:
        command = [*program, *arguments]
        return Ran.of(subprocess.run(command, cwd=workspace.root, env=env, capture_output=True, check=False))

    ran = run("run", "--format", "json")
    assert (ran.code, {issue["file"] for issue in ran.json["issues"]}) == (ExitCode.ISSUES, names), ran
    for issue in ran.json["issues"]:
        accepted = run("accept", issue["id"], "--reason", "weil es so ist, größer")
        assert accepted.code == 0, accepted
    assert run("hook", "run", "pre-commit").code == ExitCode.PASSED
    assert "größer" in run("show", issue["id"]).out


@posix_only
@pytest.mark.parametrize("unbuffered", few(["", "1"], ""))
def test_a_full_disk(workspace: Workspace, unbuffered: str) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    workspace.write("app.py", BAD)
    for name in ("json", "terminal", "concise"):
        with Path("/dev/full").open("wb") as full:
            done = subprocess.run(
                [*PROGRAM, "run", "-f", name],
                cwd=workspace.root,
                env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
                stdout=full,
                stderr=subprocess.PIPE,
                check=False,
            )
        text = done.stderr.decode()
        assert done.returncode == ExitCode.USAGE, text
        assert [line for line in text.splitlines() if line.startswith("error: ")] == text.splitlines()[:1]
        assert "No space left" in text or "disk is full" in text


@posix_only
@pytest.mark.parametrize(
    "arguments",
    few({name: name.split() for name in ("run", "run -f json", "run --collect-only", "config")}, "run", "config"),
)
def test_a_reader_that_goes_away(workspace: Workspace, arguments: list[str]) -> None:
    workspace.write("app.py", BAD * 300)
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(
            [*PROGRAM, *arguments], cwd=workspace.root, stdout=writer, stderr=subprocess.PIPE, check=False
        )
    finally:
        os.close(writer)
    assert done.stderr == b""
    assert done.returncode == (ExitCode.ISSUES if arguments in (["run"], ["run", "-f", "json"]) else ExitCode.PASSED)


@posix_only
def test_hooks_are_installed_and_removed_whole_though_nobody_reads_of_it(workspace: Workspace) -> None:
    hooks = workspace.root / ".git" / "hooks"
    for action, expected in (("install", {"pre-commit", "pre-push"}), ("uninstall", set())):
        reader, writer = os.pipe()
        os.close(reader)
        try:
            done = subprocess.run([*PROGRAM, "hook", action], cwd=workspace.root, stdout=writer, check=False)
        finally:
            os.close(writer)
        assert done.returncode == ExitCode.PASSED
        assert {path.name for path in hooks.iterdir()} == expected


@posix_only
def test_closed_standard_streams(workspace: Workspace) -> None:
    workspace.write("app.py", BAD)
    command = f"{sys.executable} -m selfreview run -f json >&- 2>&-"
    assert subprocess.run(["sh", "-c", command], cwd=workspace.root, check=False).returncode in (
        ExitCode.ISSUES,
        ExitCode.USAGE,
    )


@posix_only
def test_a_folder_that_is_gone(workspace: Workspace, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    command = f"cd {gone} && rmdir {gone} && exec {sys.executable} -m selfreview run"
    done = subprocess.run(["sh", "-c", command], capture_output=True, cwd=tmp_path, check=False)
    assert done.returncode == ExitCode.USAGE
    assert b"Traceback" not in done.stderr


def test_a_crash_is_a_report_and_one_line(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "crashing.py").write_text(
        "from selfreview.api import hookimpl\n"
        "import selfreview.review.engine as engine\n"
        "engine.coverage_of = None\n"  # so the engine fails, and no plugin
        "@hookimpl\ndef selfreview_configure(config): pass\n"
    )
    workspace.write("app.py", BAD)
    ran = workspace.selfreview("run", "-p", "crashing", PYTHONPATH=str(tmp_path))
    one_line(ran, says="internal error: TypeError: 'NoneType' object is not callable", code=ExitCode.INTERNAL_ERROR)
    (path,) = [line.rpartition(" ")[2] for line in ran.err.splitlines() if line.startswith("hint: ")]
    assert "TypeError: 'NoneType'" in Path(path).read_text()


def test_errors_are_one_json_document_too(workspace: Workspace) -> None:
    ran = workspace.selfreview("run", "--base", "nowhere", "--format", "json")
    assert ran.code == ExitCode.USAGE
    assert ran.json["status"] == "error"
    assert ran.json["error"]["exitCode"] == ExitCode.USAGE
    assert "nowhere" in ran.json["error"]["message"]
