"""Where the change starts when nobody says, and what happens when that place cannot be found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .expect import added, modified
from .registry import case
from .repo import Repo, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .expect import Check
    from .repo import Lab

TOPIC = added("topic.txt", 3)


def forked(lab: Lab, default: str = "main") -> Repo:
    """An upstream whose default branch has three commits, and a branch `topic` from the second one."""
    repo = lab.repo({"f.txt": text(9)}, name="upstream")
    if default != "main":
        repo.git("branch", "-q", "-M", default)
    repo.commit({"f.txt": text(9, {1: "one"})})
    repo.branch("topic").commit({"topic.txt": text(3, tag="topic")})
    repo.switch(default).commit({"f.txt": text(9, {1: "one", 9: "nine"}), "later.txt": text(2, tag="later")})
    return repo


@case()
def base_moved_on(lab: Lab) -> Iterator[Check]:
    """What the base got since the branch was cut is not part of the change."""
    repo = forked(lab).switch("topic")
    fork = repo.rev("main~1")
    repo.write({"f.txt": text(9, {1: "one", 5: "five"})})
    files = [TOPIC, modified("f.txt", 5, removed=1)]
    yield repo.check(files=files, scope={"mergeBase": fork})
    yield repo.check("--base", "main", files=files, scope={"mergeBase": fork})
    yield repo.check("--base", "main", "--head", "topic", files=[TOPIC], scope={"mergeBase": fork})


@case()
def remote_default_branch(lab: Lab) -> Iterator[Check]:
    """`origin/HEAD` wins over a local `main` that means something else."""
    clone = lab.clone(forked(lab, "develop"))
    clone.git("branch", "main", "origin/develop~2")
    clone.git("checkout", "-q", "-b", "topic", "origin/topic")
    yield clone.check(files=[TOPIC], scope={"mergeBase": clone.rev("origin/develop~1")})


@case()
def local_main_is_behind(lab: Lab) -> Iterator[Check]:
    """The remote's branch is what the change will be merged into."""
    clone = lab.clone(forked(lab))
    clone.git("checkout", "-q", "-b", "topic", "origin/topic")
    clone.git("branch", "-q", "-f", "main", "origin/main~2")
    yield clone.check(files=[TOPIC])


@case()
def remote_of_another_name(lab: Lab) -> Iterator[Check]:
    clone = lab.clone(forked(lab), "--origin", "company")
    clone.git("checkout", "-q", "-b", "topic", "company/topic")
    clone.git("branch", "-q", "-D", "main")
    yield clone.check(files=[TOPIC])


@case()
def remote_without_a_head(lab: Lab) -> Iterator[Check]:
    """`git remote add` and `git fetch` leave no `origin/HEAD`; build machines work this way."""
    source = forked(lab)
    repo = lab.repo()
    repo.git("remote", "add", "origin", source.path.as_uri())
    repo.git("fetch", "-q", "origin")
    repo.git("checkout", "-q", "-b", "topic", "origin/topic")
    yield repo.check(files=[TOPIC], scope={"mergeBase": repo.rev("origin/main~1")})


@case()
def local_master(lab: Lab) -> Iterator[Check]:
    repo = forked(lab, "master").switch("topic")
    yield repo.check(files=[TOPIC], scope={"mergeBase": repo.rev("master~1")})


@case()
def on_main_with_an_upstream(lab: Lab) -> Iterator[Check]:
    """Commits that were not pushed, and what is not committed."""
    clone = lab.clone(forked(lab))
    clone.commit({"local.txt": text(2, tag="local")})
    clone.write({"f.txt": text(9, {1: "one", 4: "four", 9: "nine"})})
    yield clone.check(
        files=[added("local.txt", 2), modified("f.txt", 4, removed=1)], scope={"mergeBase": clone.rev("origin/main")}
    )


@case()
def on_main_apart_from_its_upstream(lab: Lab) -> Iterator[Check]:
    clone = lab.clone(forked(lab))
    clone.git("reset", "-q", "--hard", "origin/main~1")
    clone.commit({"local.txt": text(2, tag="local")})
    yield clone.check(files=[added("local.txt", 2)], scope={"mergeBase": clone.rev("origin/main~1")})


@case()
def on_main_without_an_upstream(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"f.txt": text(9)})
    repo.commit({"g.txt": text(2)})
    repo.write({"f.txt": text(9, {4: "four"})})
    yield repo.check(files=[modified("f.txt", 4, removed=1)], scope={"mergeBase": repo.rev()})


@case()
def upstream_is_gone(lab: Lab) -> Iterator[Check]:
    """An upstream that is configured and was never fetched is no upstream."""
    repo = lab.repo({"f.txt": text(9)})
    repo.config({"branch.main.remote": "origin", "branch.main.merge": "refs/heads/main"})
    repo.write({"f.txt": text(9, {4: "four"})})
    yield repo.check(files=[modified("f.txt", 4, removed=1)])


@case()
def upstream_of_a_topic_is_not_its_base(lab: Lab) -> Iterator[Check]:
    """A pushed branch is still compared with the default branch, not with its own copy on the remote."""
    clone = lab.clone(forked(lab))
    clone.git("checkout", "-q", "-b", "topic", "--track", "origin/topic")
    yield clone.check(files=[TOPIC])


@case()
def detached(lab: Lab) -> Iterator[Check]:
    repo = forked(lab)
    repo.git("checkout", "-q", "--detach", "topic")
    repo.write({"f.txt": text(9, {1: "one", 2: "two"})})
    yield repo.check(files=[TOPIC, modified("f.txt", 2, removed=1)])
    repo.git("checkout", "-q", "--detach", "main", "-m")
    yield repo.check(files=[modified("f.txt", 2, removed=1)])
    yield repo.check("--commit", "HEAD", files=[modified("f.txt", 9, removed=1), added("later.txt", 2)])


@case()
def configured(lab: Lab) -> Iterator[Check]:
    """The repository's `selfreview.toml` names the base."""
    repo = lab.repo({"f.txt": text(3), "selfreview.toml": 'base = "release"\n'}).branch("release")
    repo.commit({"release.txt": text(4, tag="release")})
    repo.branch("topic").commit({"topic.txt": text(3, tag="topic")})
    yield repo.check(files=[TOPIC], scope={"mergeBase": repo.rev("release")})
    yield repo.check("--base", "main", files=[TOPIC, added("release.txt", 4)])


@case()
def no_base_anywhere(lab: Lab) -> Iterator[Check]:
    """Neither a remote nor main nor master: the person has to say."""
    repo = lab.repo({"f.txt": text(3)})
    repo.git("branch", "-q", "-M", "trunk")
    repo.branch("topic").write({"f.txt": text(3, {1: "one"})})
    yield repo.refuses(hint=True)
    yield repo.check("--base", "trunk", files=[modified("f.txt", 1, removed=1)])
    yield repo.check("--staged", files=[])


@case()
def missing_base(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"f.txt": text(3)}).write({"f.txt": text(3, {1: "one"})})
    for name in ("nope", "origin/main", "0123456789abcdef0123456789abcdef01234567", "main~5", ""):
        yield repo.refuses("--base", name, hint=bool(name))


def shallow(lab: Lab, depth: int, *more: str) -> Repo:
    """A shallow clone with `topic` checked out."""
    return lab.clone(forked(lab), f"--depth={depth}", "--branch", "topic", *more)


@case()
def shallow_without_a_merge_base(lab: Lab) -> Iterator[Check]:
    clone = shallow(lab, 1, "--no-single-branch")
    clone.write({"f.txt": text(9, {1: "one", 5: "five"})})
    yield clone.refuses("--base", "origin/main", hint=True)
    yield clone.refuses(hint=True)
    yield clone.refuses("--range", "origin/main...HEAD", hint=True)
    yield clone.check("--base", "HEAD", files=[modified("f.txt", 5, removed=1)])
    yield clone.check("--staged", files=[])


@case()
def shallow_with_a_merge_base(lab: Lab) -> Iterator[Check]:
    clone = shallow(lab, 2, "--no-single-branch")
    yield clone.check("--base", "origin/main", files=[TOPIC])


@case()
def shallow_without_the_base_branch(lab: Lab) -> Iterator[Check]:
    clone = shallow(lab, 1)
    yield clone.refuses("--base", "origin/main", hint=True)
    yield clone.refuses("--base", "main", hint=True)


@case()
def shallow_commit_has_lost_its_parent(lab: Lab) -> Iterator[Check]:
    """It looks like a root commit, and is none: showing the whole tree as new would be wrong."""
    clone = shallow(lab, 1)
    yield clone.refuses("--commit", "HEAD", hint=True)
    deeper = lab.clone(Repo(lab, lab.root / "upstream"), "--depth=2", "--branch", "topic", name="deeper")
    yield deeper.check("--commit", "HEAD", files=[TOPIC])


@case()
def branch_is_merged_already(lab: Lab) -> Iterator[Check]:
    repo = forked(lab)
    repo.git("merge", "-q", "-m", "merge", "topic")
    repo.switch("topic")
    yield repo.check(files=[])


@case()
def base_was_merged_into_the_branch(lab: Lab) -> Iterator[Check]:
    """The merge base moves along, and only the branch's own work remains."""
    repo = forked(lab).switch("topic")
    repo.git("merge", "-q", "-m", "merge", "main")
    yield repo.check(files=[TOPIC], scope={"mergeBase": repo.rev("main")})
