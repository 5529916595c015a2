"""What a hook stages is in the commit of the fix or nowhere: the person's next commit takes nothing of it along."""

from __future__ import annotations

import pytest

from selfreview.errors import ExitCode
from tests.pullrequest.git.test_hooks_that_edit import is_clean, pre_commit
from tests.pullrequest.lab import Lab
from tests.pullrequest.stories import SUGGESTED, calls_for_a_person, commits, fix, suggest

pytestmark = pytest.mark.long

FORMAT = "sed -i 's/n+n/n + n/' app.py"
STAGING = {
    "add": f"{FORMAT}; git add app.py",
    "add all": f"{FORMAT}; git add --all",
    "add what is known": f"{FORMAT}; git add --update",
    "of what is staged": f"git diff --cached --name-only -z | xargs -0 sed -i 's/n+n/n + n/'; {FORMAT}\n"
    "git diff --cached --name-only -z | xargs -0 git add --",
    "update-index": f"{FORMAT}; git update-index --again",
    "through the index": "blob=$(git show :app.py | sed 's/n+n/n + n/' | git hash-object -w --stdin)\n"
    'git update-index --cacheinfo "100644,$blob,app.py"; git checkout-index --force app.py',
    "with the unstaged aside": "git diff --binary > .git/aside.patch; git checkout --quiet -- .\n"
    f"{FORMAT}; git add app.py; test ! -s .git/aside.patch || git apply .git/aside.patch",
    "with a tree aside": "tree=$(git write-tree); git read-tree $tree; git checkout-index --all --force\n"
    f"{FORMAT}; git add app.py; git write-tree >/dev/null",
    "with a backup": f"git stash create >/dev/null; {FORMAT}; git add app.py",
}


def next_commit(lab: Lab) -> list[str]:
    """Have the person commit something else that they stage; return what is in that commit."""
    lab.workspace.write("other.py", "x = 1\n")
    lab.workspace.git("add", "other.py")
    lab.workspace.git("-c", "core.hooksPath=/dev/null", "commit", "--quiet", "-m", "Other")
    return lab.workspace.git("show", "--format=", "--name-status", "HEAD").split("\n")


@pytest.mark.parametrize("way", STAGING)
def test_what_a_formatter_stages_is_in_the_fix_and_not_reversed_by_the_next_commit(lab: Lab, way: str) -> None:
    pull = lab.open()
    suggest(lab, pull, code="    return n+n")
    pre_commit(lab, STAGING[way])
    ran = fix(lab, pull)
    assert ran.code == ExitCode.PASSED, ran
    assert lab.file() == SUGGESTED
    assert len(commits(lab)) == 1
    assert is_clean(lab)
    assert next_commit(lab) == ["A\tother.py"]


@pytest.mark.parametrize(
    ("script", "left"),
    [
        ("echo 'x = 2' > made.py; git add made.py", "?? made.py"),
        ("echo '# made' >> README.md; git add README.md", " M README.md"),
        ("git rm --quiet README.md", " D README.md"),
        (f"{FORMAT}; echo 'x = 2' > made.py; git add --all", "?? made.py"),
        (f"{FORMAT}; echo 'x = 2' > made.py; git add --all; exit 1", "?? made.py"),
    ],
    ids=["new", "edited", "removed", "beside the format", "refusing"],
)
def test_other_files_that_a_hook_stages_are_left_unstaged_and_nothing_is_pushed(
    lab: Lab, script: str, left: str
) -> None:
    lab.workspace.commit("read", **{"README.md": "# App\n"})
    lab.workspace.git("push", "--quiet")
    pull = lab.open()
    suggest(lab, pull, code="    return n+n")
    head = lab.head()
    pre_commit(lab, script)
    ran = fix(lab, pull)
    assert ran.code == ExitCode.ISSUES, ran
    assert lab.head() == head
    (call,) = calls_for_a_person(lab, pull)
    assert f"a hook of the repository adds {left.split()[1]} to the commit" in call or "exit 1" in script
    assert lab.workspace.git("diff", "--cached", "--name-status") == ""
    assert left.strip() in lab.workspace.git("status", "--porcelain", "--untracked-files=all")
    assert left.split()[1] in ran.err
    assert next_commit(lab) == ["A\tother.py"]
