"""What a commit hook of the repository makes of a fix is read before it is pushed, as the fix was."""

from __future__ import annotations

import pytest

from selfreview.errors import ExitCode
from tests.fixers.talks import says
from tests.pullrequest.lab import APP, Lab
from tests.pullrequest.stories import (
    RENAME,
    RENAMED,
    SETTINGS,
    SUGGESTED,
    calls_for_a_person,
    commits,
    configure,
    fix,
    hook,
    model,
    nothing_happened,
    said_by,
    suggest,
    talk,
)

KEY = "AKIA" + "Q7RZ2MXWV5TNB3KD"


def pre_commit(lab: Lab, script: str) -> None:
    """Have git run a script before each commit in the clone."""
    hook(lab.workspace.root / ".git" / "hooks", "pre-commit", script)


def is_clean(lab: Lab) -> bool:
    """Whether nothing is staged, edited or waits to be pushed in the clone."""
    return lab.workspace.git("status", "--porcelain", "--branch") == "## topic...origin/topic"


@pytest.mark.long
@pytest.mark.parametrize(
    ("suggested", "script", "expected"),
    [
        ("    return n+n", "sed -i 's/n+n/n + n/' app.py; git add app.py", SUGGESTED),
        ("    return n+n", "sed -i 's/n+n/n + n/' app.py; git diff --quiet; exit $?", SUGGESTED),
        ("    return n + n  ", "sed -i 's/ *$//' app.py; git add app.py", SUGGESTED),
        (
            "    return len('ab' * n)",
            'sed -i "s/\'/\\"/g" app.py; git add app.py',
            APP.replace("n * 2", 'len("ab" * n)'),
        ),
    ],
    ids=["spaces", "pre-commit framework", "trailing", "quotes"],
)
def test_what_a_formatter_makes_of_a_fix_is_pushed(lab: Lab, suggested: str, script: str, expected: str) -> None:
    configure(lab)
    pull = lab.open()
    suggest(lab, pull, code=suggested)
    pre_commit(lab, script)
    ran = fix(lab, pull)
    assert ran.code == ExitCode.PASSED, ran
    assert lab.file() == expected
    assert "the suggestion is applied" in pull.threads[0].comments[-1].body
    assert is_clean(lab)
    suggest(lab, pull, line=2, code="    return n // 2")
    assert fix(lab, pull).code == ExitCode.PASSED
    assert len(commits(lab)) == 2


@pytest.mark.long
@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("sed -i 's/return n + n/return n +/' app.py; git add app.py", "app.py: "),
        (f"echo 'AWS_ACCESS_KEY_ID = \"{KEY}\"' >> app.py; git add app.py", "AWS"),
        (
            f"grep -q AWS app.py || {{ echo 'AWS_ACCESS_KEY_ID = \"{KEY}\"' >> app.py; exit 1; }}",
            "AWS",
        ),
        ("echo '# bad' >> app.py; git add app.py", "check"),
    ],
    ids=["syntax", "secret", "secret of a second attempt", "check"],
)
def test_what_a_hook_makes_of_a_fix_is_reviewed_before_it_is_pushed(lab: Lab, script: str, why: str) -> None:
    configure(lab, f'{SETTINGS}[checks.unit]\nrun = "! grep -q bad app.py"\n')
    pull = lab.open()
    suggest(lab, pull)
    head = lab.head()
    pre_commit(lab, script)
    ran = fix(lab, pull)
    assert ran.code == ExitCode.ISSUES, ran
    assert lab.head() == head
    assert "what hooks of the repository, or others who pushed, made of it" in calls_for_a_person(lab, pull)[0]
    assert why in ran.err, ran
    assert KEY not in ran.err
    assert is_clean(lab)


@pytest.mark.long
@pytest.mark.parametrize(
    "script",
    [
        "sed -i 's/n + n/n * 2/' app.py; git add app.py",
        "git checkout -q HEAD -- app.py",
        "sed -i 's/n + n/n * 2/' app.py; echo >> app.py; echo '# end' >> app.py; git add app.py",
    ],
    ids=["empty commit", "checkout", "something else"],
)
def test_a_fix_of_which_a_hook_leaves_nothing_is_not_said_to_be_made(lab: Lab, script: str) -> None:
    pull = lab.open()
    suggest(lab, pull)
    head = lab.head()
    pre_commit(lab, script)
    ran = fix(lab, pull)
    assert ran.code == ExitCode.ISSUES, ran
    assert lab.head() == head
    assert "a hook of the repository takes" in calls_for_a_person(lab, pull)[0]
    assert not any("applied" in said for said in said_by(pull, "dev"))
    assert is_clean(lab)


@pytest.mark.long
def test_of_two_fixes_the_one_that_a_hook_takes_back_is_left_to_a_person(lab: Lab) -> None:
    configure(lab)
    pull = lab.open()
    suggest(lab, pull)
    pull.inline(lab.rev, "app.py", 10, "Say it in full.")
    pre_commit(lab, 'sed -i \'s/"the app"/"app"/\' app.py; git add app.py')
    with model(lab, talk(deed=says(RENAME))):
        ran = fix(lab, pull)
    assert ran.code == ExitCode.ISSUES, ran
    assert lab.file() == SUGGESTED
    assert "the suggestion is applied" in pull.threads[0].comments[-1].body
    assert len(pull.threads[1].comments) == 1
    (call,) = calls_for_a_person(lab, pull)
    assert "a hook of the repository takes its fix back" in call
    assert lab.there("log", "-1", "--format=%B", "topic").count("inline:") == 1
    assert is_clean(lab)


def test_what_was_on_the_branch_before_does_not_keep_what_a_formatter_made(lab: Lab) -> None:
    configure(lab)
    lab.workspace.commit("key", **{"app.py": f'{APP}AWS_ACCESS_KEY_ID = "{KEY}"\n'})
    lab.workspace.git("push", "--quiet")
    pull = lab.open()
    suggest(lab, pull, code="    return n+n")
    pre_commit(lab, "sed -i 's/n+n/n + n/' app.py; git add app.py")
    ran = fix(lab, pull)
    assert ran.code == ExitCode.PASSED, ran
    assert "n + n" in lab.file()


@pytest.mark.long
@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("no-such-formatter app.py", "is not installed here"),
        ("exec no-such-formatter app.py", "is not installed here"),
        ("exec /usr/bin/env no-such-formatter app.py", "is not installed here"),
        (None, "git does not know here who commits"),
    ],
    ids=["program", "exec", "env", "identity"],
)
def test_what_only_this_machine_lacks_calls_nobody(lab: Lab, script: str | None, why: str) -> None:
    pull = lab.open()
    suggest(lab, pull)
    if script is not None:
        pre_commit(lab, script)
        ran = fix(lab, pull)
    else:
        ran = fix(lab, pull, GIT_AUTHOR_NAME="", GIT_COMMITTER_NAME="")
    assert ran.code == ExitCode.INCOMPLETE, ran
    assert why in " ".join(ran.out.split())
    assert nothing_happened(lab, pull)
    assert is_clean(lab)


@pytest.mark.long
@pytest.mark.parametrize("withdrawn", [False, True])
def test_a_fix_waits_for_what_this_machine_lacks_and_is_made_but_once(lab: Lab, withdrawn: bool) -> None:
    configure(lab)
    pull = lab.open()
    comment = pull.inline(lab.rev, "app.py", 10, "Say it in full.")
    pre_commit(lab, "no-such-formatter app.py")
    before = lab.head()
    with model(lab, talk()) as server:
        for _ in range(3):
            ran = fix(lab, pull)
            assert (ran.code, "reset" in ran.err + ran.out, is_clean(lab)) == (ExitCode.INCOMPLETE, False, True), ran
        if withdrawn:
            comment.thread.resolve(lab.rev)
        else:
            (lab.workspace.root / ".git" / "hooks" / "pre-commit").unlink()
        ran = fix(lab, pull)
    assert len(server.requests) == 3
    assert (ran.code, lab.head() == before, is_clean(lab)) == (ExitCode.PASSED, withdrawn, True), ran
    assert withdrawn or lab.file() == RENAMED


def test_a_hook_that_misses_a_program_and_goes_on_refuses_by_itself(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    pre_commit(lab, "no-such-formatter app.py\necho 'the line is too long' >&2\nexit 1")
    assert fix(lab, pull).code == ExitCode.ISSUES
    assert len(calls_for_a_person(lab, pull)) == 1
