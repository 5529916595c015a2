"""The project's checks as real processes in a workspace: how they end, and what they must not leave behind."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from selfreview.api import CheckOutcome, Severity
from selfreview.config.tables import check_checks, check_runnable, check_workspace
from selfreview.git.repo import Repo
from selfreview.git.workspace import Workspace
from selfreview.proc import Runner
from selfreview.refine import leftovers
from selfreview.refine.check_runner import Checker
from selfreview.refine.checks import Check, configured_checks, is_trusted, issue_of
from selfreview.testing.context import MemoryConfig, make_change
from tests.conftest import Workspace as Person
from tests.refine.lab import fill, tree_of, workspace_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a shell's words")

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2


class Lab:
    """A workspace with everything in it, and checks to run there."""

    def __init__(self, person: Person, repo: Repo, workspace: Workspace) -> None:
        self.person, self.repo, self.workspace = person, repo, workspace

    def checker(self, **table: Any) -> Checker:
        return Checker(self.workspace, self.person.root, MemoryConfig({"workspace": table}), Runner())

    def run(self, run: str | tuple[str, ...], timeout: float = 60.0, **table: Any) -> CheckOutcome:
        check = Check(name="test", run=run, timeout=timeout)
        return self.checker(**table).run(check, time.monotonic() + timeout)

    def python(self, code: str, **more: Any) -> CheckOutcome:
        return self.run((sys.executable, "-c", code), **more)


@pytest.fixture
def lab(workspace: Person, tmp_path: Path) -> Iterator[Lab]:
    fill(workspace)
    with workspace_of(workspace, tmp_path) as (repo, scratch):
        yield Lab(workspace, repo, scratch)


def test_sees_exactly_what_is_under_review(lab: Lab) -> None:
    outcome = lab.run("cat edited.py new.py")
    assert outcome == CheckOutcome("test", True, "a = 1\nb = 3\nn = 1")
    assert lab.run("test -e gone.txt").passed is False


def test_how_it_ends(lab: Lab) -> None:
    for run, passed, said in [
        ("true", True, "(it ended with status 0 and printed nothing)"),
        ("false", False, "(it ended with status 1 and printed nothing)"),
        ("echo one && echo two >&2; exit 3", False, "one\ntwo"),
        ("WORD=x sh -c 'echo $WORD'", True, "x"),
        ("printf '%s' \"a  b\"", True, "a  b"),
        (("printf", "%s", "$HOME && *"), True, "$HOME && *"),
        ("echo *.txt", True, "crlf.txt kept.txt"),
        ("no-such-program --flag", None, "no such program"),
        ("no-such-program | cat; no-such-program", None, "not found"),
        ("./missing/tool", None, "cannot be started"),
        ("kill -9 $$", False, "(it was killed by SIGKILL)"),
        ("echo 'open", False, "nterminated"),
    ]:
        outcome = lab.run(run)
        assert (outcome.passed, said in outcome.output) == (passed, True), (run, outcome)


def test_one_that_hangs_is_killed_and_has_failed(lab: Lab) -> None:
    outcome = lab.run("cat /dev/zero > /dev/null & wait", timeout=1)
    assert outcome == CheckOutcome("test", False, "it did not finish within 1 s")


def test_without_time_it_does_not_run(lab: Lab) -> None:
    check = Check(name="test", run="touch ran")
    assert lab.checker().run(check, time.monotonic() - 1).passed is None


def test_the_end_of_the_output_is_readable_and_holds_no_secret(lab: Lab) -> None:
    code = (
        "import os, sys\n"
        "print('\\x1b[31mred\\x1b[0m', os.getcwd() + '/app.py:3', '\\u202e\\x07')\n"
        f"print('token = \"{SECRET}\"')\n"
        "print('10%\\r100%')\nsys.exit(1)"
    )
    outcome = lab.python(code)
    lines = outcome.output.split("\n")
    assert lines[0] == r"red app.py:3 <U+202E>\x07"
    assert SECRET not in outcome.output
    assert lines[2] == "100%"


def test_of_a_long_output_both_ends_are_shown(lab: Lab) -> None:
    code = "import sys\nfor n in range(100): print(f'out {n}'); print(f'err {n}', file=sys.stderr)"
    lines = lab.python(code).output.split("\n")
    assert lines == [f"out {n}" for n in range(80, 100)] + [f"err {n}" for n in range(80, 100)]
    lines = lab.python("import sys\nfor n in range(100): print(n)\nprint('last', file=sys.stderr)").output.split("\n")
    assert lines == [*map(str, range(61, 100)), "last"]
    assert len(lab.python("print('x' * 100_000)").output) == 4_000


def test_gets_no_credentials_and_no_git(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk")
    monkeypatch.setenv("GIT_DIR", str(lab.person.root / ".git"))
    outcome = lab.python("import os; print(sorted(n for n in os.environ if n.startswith(('GIT', 'ANTHROPIC'))))")
    assert outcome.output == "[]"


def test_what_it_changes_is_taken_back_and_said(lab: Lab) -> None:
    before = tree_of(lab.workspace.root)
    for code in [
        "open('kept.txt', 'a').write('more')",
        "open('edited.py', 'w').write('')",
        "import os; os.unlink('new.py'); os.unlink('crlf.txt')",
        "import os; os.unlink('kept.txt'); os.mkdir('kept.txt'); open('kept.txt/x', 'w')",
        "import shutil; shutil.rmtree('folder')",
        "import os; os.chmod('tool.sh', 0o644); os.chmod('kept.txt', 0o755)",
        "import os; os.unlink('link'); os.symlink('edited.py', 'link')",
        "open('.gitignore', 'a').write('*.snap\\n'); open('x.snap', 'w')",
        "import os; os.unlink('.gitignore'); os.mkfifo('.gitignore')",
    ]:
        outcome = lab.python(code)
        assert outcome.passed is False, (code, outcome)  # it judged something else than what is under review
        assert "which was reverted" in outcome.output
        assert tree_of(lab.workspace.root) == before, code
        assert lab.workspace.tree() == lab.workspace.start, code


def test_what_it_leaves_behind_is_removed(lab: Lab) -> None:
    before = tree_of(lab.workspace.root)
    for code in [
        "open('.coverage', 'w')",
        "import os; os.makedirs('a/b'); open('a/b/c', 'w')",
        "import os; os.mkdir('a'); os.mkfifo('a/.gitattributes')",
        "import subprocess; subprocess.check_call(['git', 'init', '-q', 'made'])",
        "import subprocess; open('x', 'w'); subprocess.check_call(['git', 'add', 'x'])",
        "import os; os.system('git -c user.name=x -c user.email=x commit -qam -')",
        "import subprocess; subprocess.check_call(['git', 'rm', '-q', '--cached', 'kept.txt'])",
    ]:
        outcome = lab.python(code)
        assert outcome.passed is True, (code, outcome)
        assert "taken back" not in outcome.output
        assert tree_of(lab.workspace.root) == before, code
        assert lab.workspace.tree() == lab.workspace.start, code


def test_what_git_ignores_stays_for_the_checks_of_the_same_tree(lab: Lab) -> None:
    checker, end = lab.checker(), time.monotonic() + 60
    build, use = (
        Check(name="build", run="mkdir -p ignored && echo x >> ignored/x"),
        Check(name="use", run="cat ignored/x"),
    )
    assert checker.run(build, end).passed
    assert checker.run(use, end) == CheckOutcome("use", True, "x")
    assert checker.run(build, end).passed  # again: a run of its own
    assert checker.run(use, end) == CheckOutcome("use", True, "x")
    (lab.workspace.root / "edited.py").write_text("another\n")
    assert checker.run(use, end).passed is False


@pytest.mark.parametrize(
    ("setup", "place", "stays"),
    [
        (["mkdir ignored && touch ignored/made"], "ignored/cache/x", True),
        (["mkdir -p ignored"], "ignored/cache/x", True),
        ([], "ignored/cache/x", False),
        ([], "ignored/target/x", True),
        (["touch made"], "made.log", False),
    ],
)
def test_what_the_setup_made_is_a_cache_that_stays(lab: Lab, setup: list[str], place: str, *, stays: bool) -> None:
    checker, end = lab.checker(setup=setup), time.monotonic() + 60
    write = Check(name="write", run=f"test ! -e {place} && mkdir -p $(dirname {place}) && touch {place}")
    assert checker.run(write, end).passed is True
    assert checker.run(write, end).passed is not stays
    assert lab.workspace.tree() == lab.workspace.start


def test_what_python_compiled_of_another_tree_is_not_run(lab: Lab) -> None:
    """It would count as fresh: the edit is of the same length and second."""
    Person(lab.workspace.root).write(".gitignore", "__pycache__/\n")
    module, checker, end = lab.workspace.root / "edited.py", lab.checker(), time.monotonic() + 60
    check = Check(name="test", run=(sys.executable, "-c", "import edited; print(edited.b)"))
    before = module.stat()
    assert checker.run(check, end).output == "3"
    module.write_bytes(module.read_bytes().replace(b"3", b"4"))
    os.utime(module, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert checker.run(check, end).output == "4"


def test_what_is_too_large_to_be_put_back_is_named(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leftovers, "_MAX_KEPT", 10)
    checker, end = lab.checker(setup=["echo 0123456789 > large.log"]), time.monotonic() + 60
    check = Check(name="test", run="echo more >> large.log; wc -l < large.log")
    assert checker.run(check, end).output.strip() == "2"
    said = checker.run(check, end).output
    assert "An earlier run changed large.log, which git ignores, and that could not be put back." in said


def test_a_fixers_edits_are_what_it_goes_back_to(lab: Lab) -> None:
    (lab.workspace.root / "crlf.txt").write_bytes(b"one\r\nfixed\r\n")
    (lab.workspace.root / "added.py").write_bytes(b"x\r\n")
    before = tree_of(lab.workspace.root)
    assert not lab.python("open('crlf.txt', 'w').write('snapshot'); open('added.py', 'w'); open('more', 'w')").passed
    assert tree_of(lab.workspace.root) == before


def test_it_is_taken_back_too_where_it_hangs(lab: Lab) -> None:
    before = tree_of(lab.workspace.root)
    assert lab.run("echo > kept.txt; cat /dev/zero > /dev/null", timeout=1).passed is False
    assert tree_of(lab.workspace.root) == before


def test_the_person_loses_and_gains_nothing(lab: Lab) -> None:
    before, status = tree_of(lab.person.root), lab.person.git("status", "--porcelain=v2")
    lab.run("touch ignored.log new2; rm -f kept.txt; git add --all; git stash list", setup=["touch made"])
    assert tree_of(lab.person.root) == before
    assert lab.person.git("status", "--porcelain=v2") == status


def test_setup_runs_once_and_what_it_makes_is_no_part_of_the_change(lab: Lab) -> None:
    checker = lab.checker(setup=["echo x >> 'made [1]'", ["cp", "edited.py", "kept.txt"]], share=["ignored", "missing"])
    end = time.monotonic() + 60
    assert checker.run(Check(name="a", run="cat 'made [1]' kept.txt"), end).output == "x\nkept"
    assert checker.run(Check(name="b", run="cat 'made [1]'; test -e ignored/cache.bin"), end).passed is True
    assert lab.workspace.tree() == lab.workspace.start


def test_what_is_shared_is_no_part_of_the_change_though_git_does_not_ignore_it(lab: Lab) -> None:
    lab.person.write(".git/info/exclude", "libraries\n")
    lab.person.write("libraries/a.txt", "a\n")
    checker = lab.checker(share=["libraries"])
    assert checker.prepare() is None
    assert (lab.workspace.root / "libraries" / "a.txt").read_text() == "a\n"
    assert lab.workspace.tree() == lab.workspace.start


def test_without_its_setup_no_check_runs(lab: Lab) -> None:
    outcome = lab.run("true", setup=["echo no network; exit 1"], share=["missing"])
    assert outcome.passed is None
    assert "echo no network; exit 1" in outcome.output
    assert "missing" in outcome.output
    hangs = lab.run("true", setup=["cat /dev/zero > /dev/null"], setup_timeout=1)
    assert (hangs.passed, "within 1 s" in hangs.output) == (None, True)


def test_reads_every_form_of_a_check() -> None:
    tables = {
        "a": "pytest -q",
        "b": ["pytest", "-q"],
        "c": {"run": "make", "timeout": 5, "required": False, "files": ["*.py"]},
    }
    config = MemoryConfig({"checks": tables})
    assert configured_checks(config) == [
        Check(name="a", run="pytest -q", timeout=600.0, required=True),
        Check(name="b", run=("pytest", "-q")),
        Check(name="c", run="make", timeout=5.0, required=False, files=("*.py",)),
    ]
    assert all(is_trusted(check, config) for check in configured_checks(config))
    config.trusted = False
    assert not any(is_trusted(check, config) for check in configured_checks(config))


def test_runs_where_a_changed_file_is_its_own() -> None:
    change = make_change({"docs/a.md": (None, "a"), "src/b.py": (None, "b")})
    assert Check(name="a", run="a").concerns(change)
    assert Check(name="a", run="a", files=("*.py",)).concerns(change)
    assert not Check(name="a", run="a", files=("/b.py", "*.js")).concerns(change)


@pytest.mark.parametrize(
    ("checks", "said"),
    [
        ({"a": ""}, "must be a command"),
        ({"a": []}, "must be a command"),
        ({"a": ["x", 1]}, "must be a command"),
        ({"a b": "x"}, "must be named"),
        ({"a": {"run": "x", "timeout": 0}}, "above 0"),
        ({"a": {"run": "x", "files": "*.py"}}, "list of patterns"),
        ({"a": {"run": "x", "requires": True}}, "is not a known key"),
        ({"a": {"run": "x", "required": "yes"}}, "true or false"),
        ({"a": {"timeout": 1}}, "lacks the key 'run'"),
    ],
)
def test_says_what_is_wrong_with_a_check(checks: dict[str, Any], said: str) -> None:
    assert said in str(check_checks(checks) or check_runnable(checks))


@pytest.mark.parametrize(
    "table",
    [
        {"setup": "uv sync"},
        {"share": ["../x"]},
        {"share": ["/x"]},
        {"share": [".git"]},
        {"setup_timeout": -1},
        {"x": 1},
    ],
)
def test_says_what_is_wrong_with_the_workspace(table: dict[str, Any]) -> None:
    assert check_workspace(table) is not None
    assert check_workspace({"setup": ["uv sync", ["a", "b"]], "share": ["node_modules"], "setup_timeout": 5}) is None


class Declared(MemoryConfig):
    """A configuration that a file of the repository holds."""

    root = Path("/src/tree")
    place = "selfreview.toml:3"

    def origin(self, name: str) -> str:
        return self.place


def test_a_failure_is_an_issue_of_the_file_that_declares_it() -> None:
    change = make_change({"app.py": (None, "a\nb\nc\n"), "b.ts": (None, "a\n")})
    check = Check(name="test", run="pytest -q")
    said = 'app.py:2: AssertionError\n  File "./app.py", line 3, in f\napp.py:9: no\nother.py:1: no\nb.ts(1,5): error'
    issue = issue_of(check, CheckOutcome("test", False, said), Declared(), change)
    assert (issue.reviewer, issue.severity, issue.category) == ("check-test", Severity.HIGH, "testing")
    assert (issue.file, issue.line_start, issue.line_end) == ("selfreview.toml", 0, 0)
    assert issue.is_open
    assert issue.description == f"check test failed: pytest -q\n{said}"
    assert [(place.file, place.line_start) for place in issue.related] == [("b.ts", 1), ("app.py", 3), ("app.py", 2)]


def test_it_stays_the_same_issue_whatever_it_prints() -> None:
    change = make_change({"app.py": (None, "a\n")})

    def name(check: Check, output: str) -> tuple[str, str]:
        issue = issue_of(check, CheckOutcome(check.name, False, output), Declared(), change)
        return issue.id, issue.fingerprint

    check = Check(name="test", run="pytest -q")
    assert name(check, "app.py:1: a") == name(check, "b")
    assert name(check, "a") != name(Check(name="test", run="pytest"), "a")
    assert name(check, "a") != name(Check(name="other", run="pytest -q"), "a")


@pytest.mark.parametrize("place", ["/home/me/config.toml:3", "command line", "default"])
def test_where_no_file_of_the_repository_declares_it_the_issue_is_of_the_change(place: str) -> None:
    config = Declared()
    config.place = place
    change = make_change({"app.py": (None, "a\n")})
    assert issue_of(Check(name="a", run="x"), CheckOutcome("a", False, ""), config, change).file == "app.py"


def test_a_run_whose_check_fails_needs_work_and_an_untrusted_one_is_listed(workspace: Person) -> None:
    workspace.commit(**{"selfreview.toml": "[checks]\ntest = 'cat app.py && exit 1'\n"})
    workspace.git("branch", "--force", "main")
    workspace.write("app.py", "x = 1\n")
    result = workspace.review("--no-fix")
    listed = {report["name"]: report for report in result["reviewers"]}["check-test"]
    assert (listed["status"], listed["hint"]) == ("skipped", 'run "selfreview trust"')
    assert workspace.selfreview("trust").code == 0
    result = workspace.review("--no-fix")
    assert result["verdict"] == "needs_work"
    (issue,) = result["issues"]
    assert (issue["file"], issue["reviewer"]) == ("selfreview.toml", "check-test")
    assert issue["description"] == "check test failed: cat app.py && exit 1\nx = 1\n(it ended with status 1)"


@pytest.mark.parametrize(("required", "code"), [("", 0), ("required = true", 5), ("required = false", 0)])
def test_an_untrusted_check_leaves_a_gap_only_where_it_is_required(workspace: Person, required: str, code: int) -> None:
    workspace.commit("checks", **{"selfreview.toml": f'[checks.test]\nrun = "true"\n{required}\n'})
    workspace.write("app.py", "VALUE = 1\n")
    assert workspace.selfreview("run", "--base", "HEAD").code == code


def test_a_check_has_a_git_of_its_own_whatever_ran_before(lab: Lab) -> None:
    """Else what a fixer made of ``.git`` decides what a check sees, or where it writes."""
    git, index = lab.workspace.root / ".git", lab.person.root / ".git" / "index"
    before = index.read_bytes()
    shutil.rmtree(git)
    git.symlink_to(lab.person.root / ".git")
    assert lab.run("git add --all && git grep --cached -c . edited.py").passed
    assert index.read_bytes() == before
    (git / "index").unlink()
    assert lab.run("git ls-files --error-unmatch edited.py").passed
