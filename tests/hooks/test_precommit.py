"""Under pre-commit, installed from a clone of this project, as its documentation says."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from filelock import FileLock

from selfreview.git import hooks as git_hooks
from tests.conftest import Workspace
from tests.hooks.hooked import BAD
from tests.hooks.precommitted import Installed, Precommitted, install, installed, isolated, offline

pytestmark = [
    pytest.mark.pre_commit,
    pytest.mark.skipif(sys.platform == "win32", reason="symbolic links, and where environments keep packages"),
]


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """What pre-commit installs once for all workers."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "pre-commit"
    folder.mkdir(exist_ok=True)
    with FileLock(folder / "lock"), isolated(folder / "person"):
        install(folder)
    return installed(folder)


@pytest.fixture
def repo(made: Installed, tmp_path: Path) -> Precommitted:
    """A repository with both hooks, on the branch ``work``, which is where ``main`` is."""
    return Precommitted(Workspace.copied(made.template, tmp_path / "repo"), made.home)


@pytest.fixture
def remote(repo: Precommitted, tmp_path: Path) -> Path:
    """Where ``main`` was pushed to already."""
    path = tmp_path / "remote.git"
    repo.git("init", "-q", "--bare", "--initial-branch=main", str(path))
    repo.git("remote", "add", "origin", str(path))
    repo.git("push", "-q", "origin", "main")
    return path


class TestCommits:
    def test_a_part_is_reviewed_as_it_is_staged(self, repo: Precommitted) -> None:
        repo.stage(**{"a.txt": BAD})
        repo.write("a.txt", "fine\n")
        repo.write("README.md", BAD)
        repo.write("untracked.txt", BAD)
        assert repo.stopped("commit", "-m", "the bad part").issues == [{"a.txt"}]
        repo.stage(**{"a.txt": "fine\n"})
        repo.write("a.txt", BAD)
        done = repo.passes("commit", "-m", "the good part")
        assert "Stashing unstaged files" in done.said
        assert done.files == [{"a.txt"}]
        assert repo.git("show", "HEAD:a.txt") == "fine"
        assert repo.git("diff", "--cached", "--name-only") == ""

    def test_all(self, repo: Precommitted) -> None:
        repo.write("README.md", BAD)
        repo.write("untracked.txt", BAD)
        assert repo.stopped("commit", "-a", "-m", "all").files == [{"README.md"}]

    def test_a_path_is_reviewed_alone(self, repo: Precommitted) -> None:
        repo.commit(**{"a.txt": "a\n", "b.txt": "b\n"})
        repo.stage(**{"a.txt": BAD})
        repo.write("b.txt", "fine\n")
        assert repo.passes("commit", "-m", "b", "b.txt").files == [{"b.txt"}]
        assert repo.git("show", ":a.txt") == BAD.strip(), "what else was staged stays staged"
        repo.write("b.txt", "more\n")
        assert repo.stopped("commit", "-m", "a", "a.txt").files == [{"a.txt"}]

    def test_an_amendment_is_reviewed_for_what_it_adds(self, repo: Precommitted) -> None:
        repo.commit(**{"old.txt": BAD})
        repo.stage(**{"new.txt": "fine\n"})
        done = repo.passes("commit", "--amend", "-m", "more")
        assert done.files == [{"new.txt"}]
        assert repo.git("diff", "--name-only", "main").split() == ["new.txt", "old.txt"]
        repo.stage(**{"new.txt": BAD})
        assert repo.stopped("commit", "--amend", "-m", "more").files == [{"new.txt"}]

    def test_a_merge_is_reviewed_for_what_no_side_has(self, repo: Precommitted) -> None:
        repo.commit(**{"both.txt": "mine\n", "mine.txt": BAD})
        repo.git("switch", "-q", "main")
        repo.commit(**{"both.txt": "theirs\n", "theirs.txt": BAD})
        repo.git("switch", "-q", "work")
        assert repo.hooked("merge", "--no-edit", "main").code == 1
        repo.stage(**{"both.txt": BAD})
        assert repo.stopped("commit", "--no-edit").files == [{"both.txt"}]
        repo.stage(**{"both.txt": "ours\n"})
        assert repo.passes("commit", "--no-edit").files == [{"both.txt"}]
        assert len(repo.git("rev-list", "--parents", "-1", "HEAD").split()) == 3

    @pytest.mark.parametrize(
        "skip", [{"SKIP": "selfreview"}, {"SELFREVIEW_SKIP": "1"}], ids=lambda env: next(iter(env))
    )
    def test_one_can_be_skipped(self, repo: Precommitted, skip: dict[str, str]) -> None:
        repo.stage(**{"bad.txt": BAD})
        done = repo.passes("commit", "-m", "bad", **skip)
        assert done.reviews == []
        assert "skipped" in done.said.casefold()

    def test_a_commit_of_nothing_says_that_nothing_was_reviewed(self, repo: Precommitted) -> None:
        config = (repo.root / ".pre-commit-config.yaml").read_text()
        repo.commit(**{".pre-commit-config.yaml": config.replace('"--format", "json"', "")})
        repo.write("README.md", BAD)
        done = repo.passes("commit", "--allow-empty", "-m", "empty")
        assert "selfreview: nothing is staged, so nothing was reviewed" in done.said


class TestRunByHand:
    def test_all_files_reviews_what_is_staged(self, repo: Precommitted) -> None:
        repo.commit(**{"old.txt": BAD})
        done = repo.pre_commit("run", "--all-files")
        assert (done.code, done.files) == (0, [set()]), "files are no change"
        repo.stage(**{"new.txt": BAD})
        repo.write("new.txt", "fine\n")
        done = repo.pre_commit("run", "--all-files")
        assert (done.code, done.files) == (1, [{"new.txt"}])

    @pytest.mark.parametrize("stage", [pytest.param("pre-commit", marks=pytest.mark.long), "pre-push"])
    def test_a_range_is_reviewed_from_the_merge_base(self, repo: Precommitted, stage: str) -> None:
        repo.commit(**{"before.txt": BAD})
        first = repo.commit(**{"bad.txt": BAD})
        repo.commit(**{"good.txt": "fine\n"})
        repo.git("switch", "-q", "-c", "upstream", first)
        repo.commit(**{"upstream.txt": "new\n"})
        repo.git("switch", "-q", "work")
        repo.stage(**{"staged.txt": BAD})
        repo.write("good.txt", BAD)
        run = ("run", "--hook-stage", stage, "--to-ref", "HEAD", "--from-ref")
        done = repo.pre_commit(*run, "upstream")
        assert (done.code, done.files) == (0, [{"good.txt"}])
        done = repo.pre_commit(*run, "HEAD~2")
        assert (done.code, done.files) == (1, [{"bad.txt", "good.txt"}])


class TestInCi:
    """On a detached head, of a clone that may lack history."""

    @pytest.fixture
    def upstream(self, repo: Precommitted) -> Precommitted:
        repo.commit(**{"bad.txt": BAD})
        repo.commit(**{"good.txt": "fine\n"})
        repo.git("switch", "-q", "main")
        repo.commit(**{"upstream.txt": "new\n"})
        repo.git("switch", "-q", "work")
        return repo

    def checkout(self, upstream: Precommitted, made: Installed, depth: int, *options: str) -> Precommitted:
        root = upstream.root.parent / "checkout"
        upstream.git("clone", "-q", f"--depth={depth}", *options, upstream.root.as_uri(), str(root))
        clone = Precommitted(Workspace(root), made.home)
        clone.git("switch", "-q", "--detach")
        return clone

    RUN = ("run", "--from-ref", "origin/main", "--to-ref", "HEAD")

    def test_the_range_of_a_pull_request(self, upstream: Precommitted, made: Installed) -> None:
        done = self.checkout(upstream, made, 3, "--no-single-branch").pre_commit(*self.RUN)
        assert (done.code, done.files, done.issues) == (1, [{"bad.txt", "good.txt"}], [{"bad.txt"}])

    def test_without_the_merge_base_nothing_passes(self, upstream: Precommitted, made: Installed) -> None:
        done = self.checkout(upstream, made, 1, "--no-single-branch").pre_commit(*self.RUN)
        assert done.code == 1
        assert [review["error"]["exitCode"] for review in done.reviews] == [4], done.said
        assert "the merge base with origin/main is beyond the end of this shallow clone" in done.said
        assert "fetch-depth: 0" in done.said

    def test_without_the_base_pre_commit_says_what_is_missing(self, upstream: Precommitted, made: Installed) -> None:
        done = self.checkout(upstream, made, 1).pre_commit(*self.RUN)
        assert done.code == 3
        assert done.reviews == []
        assert "ambiguous argument 'origin/main..HEAD'" in done.said


@pytest.mark.usefixtures("remote")
class TestPushes:
    def branch(self, repo: Precommitted, name: str, content: str) -> None:
        repo.git("switch", "-q", "-c", name, "main")
        repo.commit(**{f"{name}.txt": content})

    def test_what_the_remote_lacks_is_reviewed(self, repo: Precommitted) -> None:
        self.branch(repo, "topic", BAD)
        repo.stage(**{"topic.txt": "fine\n", "staged.txt": BAD})
        assert repo.stopped("push", "origin", "topic").files == [{"topic.txt"}]
        assert repo.passes("push", "origin", "topic", SKIP="selfreview-push").reviews == []
        repo.git("commit", "-q", "-m", "more")
        assert repo.stopped("push", "origin", "topic").issues == [{"staged.txt"}]

    def test_of_several_refs_pre_commit_names_the_first_only(self, repo: Precommitted) -> None:
        self.branch(repo, "a", "fine\n")
        self.branch(repo, "b", BAD)
        done = repo.passes("push", "origin", "a", "b")
        assert done.files == [{"a.txt"}]

    @pytest.mark.long
    def test_a_hook_of_our_own_reviews_every_ref_around_or_below_pre_commits(self, repo: Precommitted) -> None:
        self.branch(repo, "a", "fine\n")
        self.branch(repo, "b", BAD)
        folder = repo.root / ".git" / "hooks"
        kept = git_hooks.install(git_hooks.find(folder, "pre-push"), git_hooks.render("pre-push", sys.executable))
        assert kept is not None
        for again in (False, True):
            if again:
                assert repo.pre_commit("install", "--hook-type", "pre-push").code == 0
                assert (folder / "pre-push.legacy").exists()
            done = repo.stopped("push", "origin", "a", "b")
            assert "selfreview: 2 of 2: b (1 commit)" in done.said
            assert "b.txt:1" in done.said
            assert done.files == [{"a.txt"}], "pre-commit's own goes on as well"


@pytest.mark.long  # pre-commit builds another environment
def test_a_trial(made: Installed, workspace: Workspace, tmp_path: Path) -> None:
    repo = Precommitted(workspace, tmp_path / "home")
    repo.stage(**{"bad.txt": BAD})
    done = repo.pre_commit("try-repo", str(made.source), "selfreview", **offline(made.packages))
    assert done.code == 1, done.said
    assert "bad.txt:1" in done.said
    assert "selfreview stopped the commit" in done.said
