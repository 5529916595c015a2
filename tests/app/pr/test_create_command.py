"""Opening a pull request: what passed, or a draft that lists what is open."""

from __future__ import annotations

import os
import re

import pytest

from selfreview.app.session import hold_session
from selfreview.errors import ExitCode
from selfreview.git.repo import discover
from tests.forge import PullRequest
from tests.pullrequest.lab import Lab


def only(lab: Lab) -> PullRequest:
    """Return the one pull request that there is."""
    (pull,) = lab.repository.pulls
    return pull


def test_what_passed_becomes_a_pull_request_once(lab: Lab) -> None:
    lab.workspace.commit("Greet", **{"greet.py": 'def greet():\n    return "hello"\n'})
    assert lab.workspace.selfreview("run").code == ExitCode.PASSED
    ran = lab.pr("create", "--title", "Say hello")
    assert ran.code == ExitCode.PASSED, ran
    pull = only(lab)
    assert (pull.title, pull.draft, pull.head, pull.base) == ("Say hello", False, "topic", "main")
    assert "- Greet" in pull.body
    assert "The self-review passes" in pull.body
    assert lab.head() == lab.workspace.git("rev-parse", "HEAD")
    again = lab.pr("create")
    assert again.code == ExitCode.PASSED, again
    assert f"pull request #{pull.number} is open already: http" in again.out
    assert len(lab.repository.pulls) == 1
    assert "awaiting" in lab.pr("status").out


@pytest.mark.parametrize("state", ["unreviewed", "edited since", "failed"])
def test_what_did_not_pass_is_refused(lab: Lab, state: str) -> None:
    if state == "edited since":
        assert lab.workspace.selfreview("run").code == ExitCode.PASSED
        lab.workspace.commit("later", **{"later.py": "x = 1\n"})
    if state == "failed":
        lab.workspace.commit("bad", **{"bad.py": "def f(x):\n    return eval(x)\n"})
        assert lab.workspace.selfreview("run", "--no-fix").code == ExitCode.ISSUES
    ran = lab.pr("create")
    assert ran.code == ExitCode.USAGE, ran
    assert "--force with --reason" in ran.err
    assert not lab.repository.pulls
    unsaid = lab.pr("create", "--force")
    assert unsaid.code == ExitCode.USAGE, unsaid
    assert "--force needs a reason" in unsaid.err
    assert "hint: --reason" in unsaid.err
    forced = lab.pr("create", "--force", "--reason", "a spike to look at")
    assert forced.code == ExitCode.PASSED, forced
    assert "a spike to look at" in only(lab).body


def test_a_refinement_that_came_to_no_end_makes_a_draft_that_lists_what_is_open(lab: Lab) -> None:
    lab.workspace.commit("bad", **{"bad.py": "def f(x):\n    return eval(x)\n"})
    assert lab.workspace.selfreview("run", "--max-iterations", "1").code == ExitCode.ISSUES
    ran = lab.pr("create")
    assert ran.code == ExitCode.PASSED, ran
    pull = only(lab)
    assert pull.draft
    assert "bad.py:2" in pull.body
    assert "draft" in ran.out


def test_the_reason_of_a_skip_stands_in_the_draft(lab: Lab) -> None:
    lab.workspace.commit("bad", **{"bad.py": "def f(x):\n    return eval(x)\n"})
    assert lab.workspace.selfreview("run", "--no-fix").code == ExitCode.ISSUES
    assert lab.workspace.selfreview("skip", "--reason", "a demo of what eval does").code == ExitCode.PASSED
    assert lab.pr("create").code == ExitCode.PASSED
    assert "It is opened all the same: a demo of what eval does" in only(lab).body
    assert only(lab).draft


def test_a_skip_of_what_was_not_reviewed_makes_a_draft_that_says_so_and_of_another_tree_none(lab: Lab) -> None:
    assert lab.workspace.selfreview("skip", "--reason", "nothing to see").code == ExitCode.PASSED
    lab.workspace.commit("later", **{"later.py": "x = 1\n"})
    assert lab.pr("create").code == ExitCode.USAGE
    assert lab.workspace.selfreview("skip", "--reason", "only a constant").code == ExitCode.PASSED
    assert lab.pr("create").code == ExitCode.PASSED
    pull = only(lab)
    assert pull.draft
    assert "was not reviewed" in pull.body
    assert "only a constant" in pull.body
    assert "nothing to see" not in pull.body


def test_what_blocks_is_listed_first(lab: Lab) -> None:
    mild = "def add(one, some=[]):\n    some.append(one)\n    print(some)\n    return some\n"
    lab.workspace.commit("bad", **{"a.py": mild, "bad.py": "def late(x):\n    return eval(x)\n"})
    lab.workspace.selfreview("run", "--no-fix")
    assert lab.pr("create", "--force", "--reason", "to see").code == ExitCode.PASSED
    lines = [line for line in only(lab).body.split("Open:")[1].splitlines() if line.startswith("- ")]
    ranks = ["critical", "high", "medium", "low", "suggestion"]
    order = [ranks.index(line.removeprefix("- ").partition(":")[0]) for line in lines]
    assert len(set(order)) > 1
    assert order == sorted(order)


def test_the_reason_is_said_on_one_that_is_open_already_and_what_does_not_count_is_said_here(lab: Lab) -> None:
    assert lab.pr("create", "--force", "--reason", "the first").code == ExitCode.PASSED
    again = lab.pr("create", "--force", "--reason", "the `second`", "--title", "Other", "--base", "main", "--draft")
    assert again.code == ExitCode.PASSED, again
    pull = only(lab)
    assert pull.title != "Other"
    assert "--title, --base, --draft count only where one is opened" in again.err
    (comment,) = pull.comments
    assert "although its self-review does not pass: the \\`second\\`" in comment.body
    assert lab.pr("create", "--force", "--reason", "the third").code == ExitCode.PASSED
    assert len(pull.comments) == 1
    assert "the third" in comment.body
    assert "the third" not in lab.pr("feedback").out


@pytest.mark.parametrize("status", [403, 404])
def test_the_reason_where_a_conversation_takes_no_comment(lab: Lab, status: int) -> None:
    pull = lab.open()
    lab.workspace.commit("More", **{"more.py": "x = 1\n"})
    assert lab.workspace.selfreview("skip", "--reason", "it is urgent").code == ExitCode.PASSED
    lab.forge.fail("POST", "*comments*", status=status, message="Locked", times=None)
    again = lab.pr("create")
    assert again.code == ExitCode.PASSED, again
    assert f"warning: the reason is not shown on #{pull.number}: " in again.err
    assert "is open already" in again.out
    assert "a draft" not in again.out
    assert lab.head() == lab.workspace.git("rev-parse", "HEAD")
    assert "awaiting" in lab.pr("status").out


def test_what_is_committed_counts_where_an_untracked_file_lies_about(lab: Lab) -> None:
    lab.workspace.commit("Greet", **{"greet.py": 'def greet():\n    return "hello"\n'})
    lab.workspace.write("notes.txt", "mine\n")
    lab.workspace.write("todo.txt", "mine\n")
    assert lab.workspace.selfreview("run").code == ExitCode.PASSED
    refused = lab.pr("create")
    assert (refused.code, "the reviewed content is not that of HEAD" in refused.err) == (ExitCode.USAGE, True), refused
    assert "hint: notes.txt and 1 more are not committed: commit that, or selfreview run --head HEAD" in refused.err
    assert lab.workspace.selfreview("run", "--head", "HEAD").code == ExitCode.PASSED
    ran = lab.pr("create")
    assert ran.code == ExitCode.PASSED, ran
    assert (only(lab).draft, "The self-review passes" in only(lab).body) == (False, True)


@pytest.mark.parametrize("less", [False, True])
def test_a_review_of_what_is_committed_has_to_pass_and_to_ask_for_all(lab: Lab, less: bool) -> None:
    lab.workspace.commit("bad", **{"bad.py": "def f(x):\n    return eval(x)\n"})
    lab.workspace.write("notes.txt", "mine\n")
    options = ["--fail-on", "never"] if less else []
    lab.workspace.selfreview("run", "--no-fix", "--head", "HEAD", *options)
    ran = lab.pr("create")
    why = "was not reviewed" if less else "does not pass"
    assert (ran.code, why in ran.err, lab.repository.pulls) == (ExitCode.USAGE, True, []), ran


def test_while_a_run_goes_on_it_has_to_wait(lab: Lab) -> None:
    with hold_session(discover(lab.workspace.root, os.environ)) as hindrance:
        ran = lab.pr("create", "--force", "--reason", "now")
    assert hindrance is None
    assert ran.code == ExitCode.INCOMPLETE, ran
    assert "error: a run is in progress in this working tree" in ran.err
    assert lab.repository.pulls == []


def test_the_branch_that_others_merge_into_gets_none(lab: Lab) -> None:
    lab.workspace.git("checkout", "--quiet", "main")
    ran = lab.pr("create", "--force", "--reason", "why not")
    assert ran.code == ExitCode.USAGE, ran
    assert not lab.repository.pulls


def test_commits_of_others_are_not_pushed_over(lab: Lab) -> None:
    lab.there(
        "update-ref",
        "refs/heads/topic",
        lab.there("commit-tree", "-p", "refs/heads/topic", "-m", "theirs", "refs/heads/topic^{tree}"),
    )
    lab.workspace.commit("ours", **{"ours.py": "x = 1\n"})
    theirs = lab.head()
    ran = lab.pr("create", "--force", "--reason", "why not")
    assert ran.code == ExitCode.USAGE, ran
    assert "git pull --rebase" in ran.err
    assert lab.head() == theirs
    assert not lab.repository.pulls


@pytest.mark.parametrize(
    "less",
    [
        ["--reviewer", "text"],
        ["--fail-on", "never"],
        pytest.param(["--base", "HEAD"], marks=pytest.mark.long),
        pytest.param(["-o", 'exclude=["*.py"]'], marks=pytest.mark.long),
        pytest.param(["-p", "no:rules"], marks=pytest.mark.long),
    ],
    ids=" ".join,
)
def test_a_review_that_asks_for_less_opens_none(lab: Lab, less: list[str]) -> None:
    lab.workspace.commit("bad", **{"bad.py": "def f(x):\n    return eval(x)\n"})
    assert lab.workspace.selfreview("run", "--no-fix").code == ExitCode.ISSUES
    lab.workspace.selfreview("run", "--no-fix", *less)
    ran = lab.pr("create")
    assert (ran.code, "does not pass" in ran.err) == (ExitCode.USAGE, True), ran
    assert not lab.repository.pulls


def test_a_branch_on_another_one_goes_where_all_of_it_was_reviewed(lab: Lab) -> None:
    lab.workspace.commit("bad", **{"bad.py": "def f(x):\n    return eval(x)\n"})
    lab.workspace.git("push", "-q", "origin", "HEAD:refs/heads/below")
    lab.workspace.git("branch", "-q", "below")
    lab.workspace.commit("more", **{"more.py": "LIMIT = 3\n"})
    assert lab.workspace.selfreview("run", "--base", "below").code == ExitCode.PASSED
    ran = lab.pr("create")
    assert (ran.code, "what was reviewed is what below lacks" in ran.err) == (ExitCode.USAGE, True), ran
    assert not lab.repository.pulls
    ran = lab.pr("create", "--base", "below")
    assert ran.code == ExitCode.PASSED, ran
    assert only(lab).base == "below"


def test_more_issues_and_commits_than_are_listed_are_counted_and_can_be_seen(lab: Lab) -> None:
    for number in range(52):
        lab.workspace.git("commit", "--quiet", "--allow-empty", "-m", f"Step {number}")
    evals = "".join(f"def f{number}(x):\n    return eval(x)\n\n\n" for number in range(103))
    lab.workspace.commit("bad", **{"bad.py": evals})
    assert lab.workspace.selfreview("run", "--no-fix").code == ExitCode.ISSUES
    assert lab.pr("create", "--force", "--reason", "to see").code == ExitCode.PASSED
    body = only(lab).body
    commits, _, rest = body.partition("## Self-review")
    more = [line for line in body.splitlines() if line.startswith("- and ")]
    listed = [line for line in rest.splitlines() if line.startswith("- ")]
    assert len(listed) == 101
    assert "- and 4 more: see the commits of this pull request" in commits
    told = re.search(r"and (\d+) more: `selfreview (report --run [\w-]+)`, where it was reviewed, lists all", more[1])
    assert told is not None
    shown = lab.workspace.selfreview(*told[2].split(), "--format", "json").json
    assert len([issue for issue in shown["issues"] if issue["status"] == "open"]) == 100 + int(told[1])


def test_as_many_as_are_listed_are_no_more(lab: Lab) -> None:
    evals = "".join(f"def f{number}(x):\n    return eval(x)\n\n\n" for number in range(3))
    lab.workspace.commit("bad", **{"bad.py": evals})
    assert lab.workspace.selfreview("run", "--no-fix").code == ExitCode.ISSUES
    assert lab.pr("create", "--force", "--reason", "to see").code == ExitCode.PASSED
    assert " more: " not in only(lab).body


def test_where_the_review_took_others_commits_for_the_branch_s_own_it_is_said(lab: Lab) -> None:
    lab.workspace.git("branch", "--no-track", "release", "origin/main")
    lab.workspace.commit("Theirs", **{"theirs.py": "x = 1\n"})
    lab.workspace.git("update-ref", "refs/remotes/origin/release", "HEAD")
    lab.workspace.git("branch", "--set-upstream-to", "origin/release", "release")
    lab.workspace.commit("Mine", **{"mine.py": "x = 1\n"})
    assert lab.workspace.selfreview("run", "--base", "release").code == ExitCode.PASSED
    ran = lab.pr("create")
    assert ran.code == ExitCode.PASSED, ran
    assert re.search(r"^note: \d of \d commits since release (is|are) in origin/release already", ran.err, re.MULTILINE)
