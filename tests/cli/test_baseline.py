"""The baseline, through the command line."""

from __future__ import annotations

import json
import random
import tomllib
from collections.abc import Callable

import pytest

from selfreview.errors import ExitCode
from tests.conftest import Ran, Workspace
from tests.rows import crossed, few
from tests.secrets import tokens

NAME = "selfreview-baseline.toml"
BAD = "def load():\n    return itmes\n"


def run(workspace: Workspace, *args: str) -> Ran:
    return workspace.selfreview("run", "--no-fix", "--format", "json", *args)


def whole(workspace: Workspace) -> Ran:
    """Review the whole tree: everything is in scope."""
    return run(workspace, "--range", f"{workspace.git('mktree', stdin=b'')}..HEAD")


def baseline(workspace: Workspace, *args: str) -> Ran:
    ran = workspace.selfreview("baseline", *args)
    assert ran.code == ExitCode.PASSED, ran
    return ran


def standing(ran: Ran) -> dict[str, str]:
    return {issue["rule"]: issue["status"] for issue in ran.json["issues"]}


@pytest.fixture
def known(workspace: Workspace) -> Workspace:
    """A repository that knows of one issue, on its main branch."""
    workspace.git("switch", "-q", "main")
    workspace.commit("old", **{"app.py": BAD})
    baseline(workspace, "create", "--reason", "older than the gate")
    workspace.commit("baseline", **{NAME: (workspace.root / NAME).read_bytes()})
    workspace.git("switch", "-q", "work")
    workspace.git("merge", "-q", "main")
    return workspace


def test_what_is_known_is_marked_with_who_when_and_why(known: Workspace) -> None:
    (entry,) = (value for value in tomllib.loads((known.root / NAME).read_text()).values() if isinstance(value, dict))
    assert (entry["file"], entry["rule"], entry["reason"]) == ("app.py", "F821", "older than the gate")
    ran = whole(known)
    issue = next(issue for issue in ran.json["issues"] if issue["rule"] == "F821")
    assert issue["status"] == "baselined"
    assert "older than the gate" in issue["statusReason"]
    assert ran.code == ExitCode.PASSED


@pytest.mark.parametrize(("file", "fork"), crossed(["fixture.dat", "latin.py"], ["true", "false"]))
def test_what_is_known_of_a_file_as_a_whole_is_known_of_what_it_holds(
    workspace: Workspace, file: str, fork: str
) -> None:
    rng = random.Random(7)

    def content() -> bytes:
        token = tokens.FORMATS["github-pat"](rng).encode()
        return (
            b"data\0" + token
            if file == "fixture.dat"
            else b"# coding: latin-1\n# \xe9\nNAME = '%d'\n" % rng.randrange(9**9)
        )

    workspace.git("switch", "-q", "main")
    first = content()
    workspace.commit("old", **{file: first})
    baseline(workspace, "create", "--reason", "a dummy")
    workspace.commit("baseline", **{NAME: (workspace.root / NAME).read_bytes()})
    workspace.git("rm", "-q", file)
    workspace.commit("gone", **{"other.txt": "x\n"})
    workspace.git("switch", "-q", "-C", "work")
    gate = ("gate", "--format", "json", "--base", "main")
    variables = {"SELFREVIEW_CI_FORK": fork, "SELFREVIEW_CI_BASE": "main"}
    workspace.commit("again", **{file: first})
    assert workspace.selfreview(*gate, **variables).code == ExitCode.PASSED
    workspace.commit("another", **{file: content()})
    assert workspace.selfreview(*gate, **variables).code == ExitCode.ISSUES


def test_what_two_report_as_one_is_entered_as_one_issue(workspace: Workspace) -> None:
    workspace.commit(
        "old", **{"app.py": "import subprocess\n\n\ndef run(text):\n    subprocess.run(text, shell=True)\n"}
    )
    ran = baseline(workspace, "create", "--reason", "older than the gate")
    assert ran.stdout + ran.stderr == (
        f"1 issue (and 1 duplicate) added to {NAME}, 2 entries in total\n"
        f"commit {NAME}: a gate reads the committed file, and for forks that of the base\n"
    )
    first, note, same, total = baseline(workspace, "show").stdout.splitlines()
    assert first.startswith("app.py:5: ")
    assert note.startswith("    20")
    assert " says the same (v1:" in same
    assert total == "2 entries for 1 issue"


def test_an_entry_is_still_known_while_its_file_becomes_a_test_at_which_the_rule_does_not_look(
    workspace: Workspace,
) -> None:
    workspace.git("switch", "-q", "main")
    workspace.commit("old", **{"old.py": "def load(text):\n    return eval(text)\n"})
    baseline(workspace, "create", "--reason", "older than the gate")
    workspace.commit("baseline", **{NAME: (workspace.root / NAME).read_bytes()})
    workspace.git("switch", "-q", "-C", "work")
    workspace.git("mv", "old.py", "test_old.py")
    workspace.commit("a test", **{"other.txt": "x\n"})
    document = workspace.selfreview("gate", "--format", "json", SELFREVIEW_CI_BASE="main", SELFREVIEW_CI_FORK="true")
    assert [(i["rule"], i["status"]) for i in document.json["issues"]] == [("python-eval", "out_of_scope")]


def test_show_names_a_file_as_it_is_called_now(known: Workspace) -> None:
    known.git("mv", "app.py", "new.py")
    known.commit("moved")
    known.git("mv", "new.py", "newer.py")
    first, note, total = baseline(known, "show").stdout.splitlines()
    assert first.startswith("newer.py:2: ")
    assert note.endswith(", entered as app.py")
    assert total == "1 entry"


def test_show_says_where_a_file_is_gone(known: Workspace) -> None:
    known.git("rm", "-q", "app.py")
    known.commit("gone")
    first, note, _ = baseline(known, "show").stdout.splitlines()
    assert first.startswith("app.py:2: ")
    assert note.endswith(", the file is gone")


def test_an_entry_survives_a_move_of_its_line_and_a_rename_of_its_file(known: Workspace) -> None:
    known.git("mv", "app.py", "new.py")
    known.commit("moved", **{"new.py": "LIMIT = 3\n\n\n" + BAD})
    ran = whole(known)
    assert standing(ran)["F821"] == "baselined", ran
    assert ran.code == ExitCode.PASSED


def test_an_entry_survives_an_edit_beside_its_line(known: Workspace) -> None:
    known.write("app.py", BAD.replace("load()", "load(path)"))
    ran = run(known, "--strict")
    assert ran.code == ExitCode.PASSED, ran
    known.commit("edited", **{"app.py": BAD.replace("load()", "load(path)") + "\n\nLIMIT = 3\n"})
    assert standing(whole(known)) == {"F821": "baselined"}
    assert "1 renewed" in baseline(known, "update", "--reason", "never used").out
    (entry,) = json.loads(baseline(known, "show", "--format", "json").out)
    assert entry["reason"] == "older than the gate"
    assert standing(whole(known)) == {"F821": "baselined"}


def test_one_more_of_the_same_is_not_known(known: Workspace) -> None:
    known.write("app.py", BAD.replace("load()", "load(path)") + "\n\ndef more():\n    return itmes\n")
    assert run(known).code == ExitCode.ISSUES


def test_one_entry_whose_file_is_gone_stands_for_one_issue(known: Workspace) -> None:
    known.git("rm", "-q", "app.py")
    known.commit("copies", **{"b.py": BAD + "\n\nLIMIT = 3\n", "c.py": "LIMIT = 4\n\n\n" + BAD})
    assert run(known).code == ExitCode.ISSUES
    assert gate(known, "true").code == gate(known, "false").code == ExitCode.ISSUES


@pytest.mark.parametrize("later", [False, True])
def test_code_like_that_of_a_deleted_file_is_new(known: Workspace, later: bool) -> None:
    """Also long after the file was deleted, while nobody prunes."""
    known.git("rm", "-q", "app.py")
    if later:
        known.commit("gone")
        known.commit("more", **{"lib.py": "LIMIT = 3\n"})
        known.git("branch", "--force", "main")
    known.write("pay.py", "".join(f"LIMIT_{number} = {number}\n" for number in range(9)) + BAD)
    known.git("add", "--all")
    assert run(known).code == known.selfreview("hook", "run", "pre-commit").code == ExitCode.ISSUES
    known.commit("pay")
    assert [gate(known, fork).code for fork in ("false", "true")] == [ExitCode.ISSUES, ExitCode.ISSUES]
    assert "1 issue added" in baseline(known, "update", "--reason", "agreed").out


def test_what_is_entered_while_its_file_is_renamed_holds_after_the_merge(known: Workspace) -> None:
    known.git("mv", "app.py", "new.py")
    known.write("new.py", f"{BAD}LIMIT = valeu\n")
    baseline(known, "update", "--reason", "agreed")
    assert run(known, "--strict").code == ExitCode.PASSED
    known.git("add", "--all")
    known.git("commit", "-qm", "renamed")
    known.git("branch", "--force", "main")
    assert set(standing(whole(known)).values()) == {"baselined"}
    assert "0 entries removed, 2 remain" in baseline(known, "prune").out


def test_a_copy_of_known_code_is_new(known: Workspace) -> None:
    known.write("copy.py", BAD)
    ran = run(known)
    assert ran.code == ExitCode.ISSUES
    assert standing(ran) == {"F821": "open"}


def test_an_entry_that_matches_nothing_is_reported_and_pruned(known: Workspace) -> None:
    known.write("app.py", BAD.replace("itmes", "1"))
    ran = run(known)
    assert (ran.code, standing(ran)) == (ExitCode.PASSED, {"stale-baseline": "open"})
    assert run(known, "--strict").code == ExitCode.ISSUES
    told, total = baseline(known, "prune").stdout.splitlines()
    assert told.startswith("removed app.py:2: ")
    assert told.endswith("[ruff/F821]")
    assert total == "1 entry removed, 0 remain"
    assert run(known, "--strict").code == ExitCode.PASSED


def test_a_file_that_is_deleted_leaves_a_stale_entry(known: Workspace) -> None:
    known.git("rm", "-q", "app.py")
    assert standing(run(known, "--strict")) == {"stale-baseline": "open"}
    assert "1 entry removed" in baseline(known, "prune").out


def test_prune_keeps_what_still_holds_wherever_the_file_went(known: Workspace) -> None:
    known.git("mv", "app.py", "new.py")
    assert "0 entries removed, 1 remain" in baseline(known, "prune").out


@pytest.mark.parametrize("committed", [False, True])
def test_prune_follows_a_rename_though_the_same_line_is_elsewhere(known: Workspace, committed: bool) -> None:
    known.commit("same", **{"lib.py": BAD.replace("load", "read")})
    known.git("mv", "app.py", "new.py")
    if committed:
        known.commit("renamed")
    assert "0 entries removed, 1 remain" in baseline(known, "prune").out


def test_update_adds_what_blocks_and_keeps_what_is_there(known: Workspace) -> None:
    known.write("more.py", BAD)
    before = (known.root / NAME).read_text()
    baseline(known, "update", "--reason", "agreed")
    after = (known.root / NAME).read_text()
    assert before in after
    assert run(known).code == ExitCode.PASSED
    shown = json.loads(baseline(known, "show", "--format", "json").out)
    assert [(entry["file"], entry["reason"]) for entry in shown] == [
        ("app.py", "older than the gate"),
        ("more.py", "agreed"),
    ]


def test_nothing_of_it_counts_as_a_review_of_the_branch(known: Workspace) -> None:
    known.write("more.py", BAD)
    baseline(known, "update", "--reason", "agreed")
    assert "no review" in known.selfreview("status").out


def test_create_never_overwrites(known: Workspace) -> None:
    ran = known.selfreview("baseline", "create", "--reason", "again")
    assert (ran.code, "is there already" in ran.err) == (ExitCode.USAGE, True)
    assert "baseline update --all" in ran.err


def test_what_a_new_rule_finds_in_old_code_is_entered_beside_what_is_there(known: Workspace) -> None:
    before = tomllib.loads((known.root / NAME).read_text())
    rule = "id: no-load\nlanguage: Python\nseverity: error\nmessage: Loaded.\nrule: {pattern: itmes}\n"
    settings = 'rules_path = ["rules"]\nignore = ["F821"]\n'
    known.commit("rule", **{"selfreview.toml": settings, "rules/own.yml": rule, "more.py": BAD})
    assert baseline(known, "update", "--all", "--reason", "before the rule").out.startswith("2 issues added")
    after = tomllib.loads((known.root / NAME).read_text())
    assert {**after, **before} == after
    assert whole(known).code == ExitCode.PASSED
    assert "0 entries removed, 3 remain" in baseline(known, "prune").out
    assert known.selfreview("baseline", "update", "--all", "--base", "main", "--reason", "x").code == ExitCode.USAGE


def test_a_file_that_cannot_be_read_is_an_error_and_no_baseline(known: Workspace) -> None:
    known.write("more.py", BAD)
    for text in ("<<<<<<< HEAD\n", "version = 2\n", 'version = 1\n["v1:x"]\nfile = "a"\n'):
        known.write(NAME, text)
        ran = known.selfreview("run", "--no-fix")
        assert (ran.code, NAME in ran.err) == (ExitCode.USAGE, True)


def test_it_is_not_written_through_a_link(workspace: Workspace) -> None:
    (workspace.root / NAME).symlink_to("elsewhere")
    workspace.write("elsewhere", "version = 1\n")
    workspace.write("app.py", BAD)
    ran = workspace.selfreview("baseline", "update", "--reason", "agreed")
    assert (ran.code, "symbolic link" in ran.err) == (ExitCode.USAGE, True)
    assert (workspace.root / "elsewhere").read_text() == "version = 1\n"


# --- in a gate -------------------------------------------------------------------------------------------------------


def entered(workspace: Workspace, **files: str) -> None:
    """Commit files, and what they hold as entries of the baseline."""
    workspace.commit("bad", **files)
    baseline(workspace, "update", "--reason", "agreed with myself")
    workspace.commit("known", **{NAME: (workspace.root / NAME).read_bytes()})


def gate(workspace: Workspace, fork: str) -> Ran:
    return workspace.selfreview("gate", "--format", "json", SELFREVIEW_CI_BASE="main", SELFREVIEW_CI_FORK=fork)


def test_entries_of_the_base_count_for_everybody(known: Workspace) -> None:
    known.commit("moved", **{"app.py": "LIMIT = 3\n\n\n" + BAD, "other.py": "x = 1\n"})
    assert gate(known, "true").code == ExitCode.PASSED


def test_what_is_known_by_its_lines_alone_counts_only_for_who_could_merge_it(known: Workspace) -> None:
    """Around the same line, other code can mean something else."""
    known.commit("edited", **{"app.py": BAD.replace("load()", "load(path)").replace("return itmes", "return  itmes")})
    own, foreign = gate(known, "false"), gate(known, "true")
    assert (own.code, standing(own)["F821"]) == (ExitCode.PASSED, "baselined")
    assert (foreign.code, standing(foreign)["F821"]) == (ExitCode.ISSUES, "open")


def test_entries_of_the_change_count_only_for_who_could_merge_it(workspace: Workspace) -> None:
    entered(workspace, **{"app.py": BAD})
    own, foreign = gate(workspace, "false"), gate(workspace, "true")
    assert (own.code, standing(own)["F821"]) == (ExitCode.PASSED, "baselined")
    assert standing(own)["own-configuration"] == "open"
    assert (foreign.code, standing(foreign)["F821"]) == (ExitCode.ISSUES, "open")


def test_a_critical_issue_cannot_be_entered_by_the_change_itself(workspace: Workspace) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    entered(workspace, **{"app.py": f'TOKEN = "{token}"\n'})
    assert run(workspace).code == ExitCode.PASSED
    assert gate(workspace, "false").code == ExitCode.ISSUES


def test_a_stale_entry_that_the_change_takes_out_is_not_reported(known: Workspace) -> None:
    known.commit("mended", **{"app.py": BAD.replace("itmes", "1")})
    assert standing(gate(known, "false")) == {"stale-baseline": "open"}
    baseline(known, "prune")
    known.commit("pruned", **{NAME: (known.root / NAME).read_bytes()})
    assert standing(gate(known, "false")) == {"own-configuration": "open"}


def test_an_update_with_nothing_to_enter_leaves_no_file(workspace: Workspace) -> None:
    workspace.commit("clean", **{"app.py": "LIMIT = 3\n"})
    baseline(workspace, "update", "--reason", "old")
    assert not (workspace.root / NAME).exists()
    baseline(workspace, "create", "--reason", "old")
    assert (workspace.root / NAME).exists()


def test_an_update_says_what_it_compared_with(workspace: Workspace) -> None:
    workspace.commit("clean", **{"app.py": "LIMIT = 3\n"})
    assert (
        "note: reviewed the working tree against main"
        in workspace.selfreview("baseline", "update", "--reason", "old").err
    )


def windows(data: bytes) -> bytes:
    return data.replace(b"\n", b"\r\n")


SAVED = {
    "mark": lambda data: b"\xef\xbb\xbf" + data,
    "CRLF": windows,
    "both": lambda data: b"\xef\xbb\xbf" + windows(data),
}


@pytest.mark.parametrize("saved", few(SAVED, "both"))
def test_an_editor_of_windows_changes_nothing(known: Workspace, saved: Callable[[bytes], bytes]) -> None:
    file = known.root / NAME
    file.write_bytes(saved(file.read_bytes()))
    assert standing(whole(known)) == {"F821": "baselined"}
    assert "1 entry" in baseline(known, "show").out
    known.git("commit", "-qam", "saved")
    known.git("switch", "-q", "main")
    known.git("merge", "-q", "work")
    known.git("switch", "-q", "work")
    known.commit("more", **{"other.py": "LIMIT = 3\n"})
    assert known.selfreview("gate", "--base", "main").code == ExitCode.PASSED


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: text.encode("utf-16"), "not valid UTF-8"),
        (lambda text: "Gr\u00fc\u00dfe\n".encode("latin-1") + text.encode(), "not valid UTF-8"),
        (lambda text: f"<<<<<<< HEAD\n{text}=======\n>>>>>>> other\n".encode(), "holds a merge conflict"),
        (lambda text: (text + "[open\n").encode(), "not valid TOML"),
    ],
)
def test_what_is_wrong_with_it_is_said_as_it_is(known: Workspace, change: Callable[[str], bytes], said: str) -> None:
    file = known.root / NAME
    file.write_bytes(change(file.read_text("utf-8")))
    ran = known.selfreview("baseline", "show")
    assert ran.code == ExitCode.USAGE
    assert said in ran.err
    assert ("merge" in ran.err) == ("conflict" in said)
