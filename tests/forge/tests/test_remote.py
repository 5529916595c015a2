"""The forge beside a bare repository that is pushed to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Workspace
from tests.forge import FakeGitHub
from tests.forge.tests.conftest import Scene

LINES = "".join(f"line {number}\n" for number in range(1, 21))


class Pushed(Scene):
    """A forge whose repository is pushed to from a clone; ``feature`` changes lines 5 and 15 of ``a.py``."""

    def __init__(self, forge: FakeGitHub, clone: Workspace, bare: Path) -> None:
        self.clone = clone
        clone.git("checkout", "-q", "main")
        clone.commit("base", **{"a.py": LINES})
        clone.git("checkout", "-q", "-b", "feature")
        clone.commit("change", **{"a.py": LINES.replace("line 5\n", "five\n").replace("line 15\n", "fifteen\n")})
        clone.git("init", "-q", "--bare", str(bare))
        clone.git("remote", "add", "origin", str(bare))
        clone.git("push", "-q", "origin", "main", "feature")
        forge.repository("octo/app", remote=bare)
        super().__init__(forge)

    def push(self, text: str, *options: str) -> str:
        """Change ``a.py``, commit and push."""
        sha = self.clone.commit("more", **{"a.py": text})
        self.clone.git("push", "-q", *options, "origin", "feature")
        return sha

    @property
    def text(self) -> str:
        return (self.clone.root / "a.py").read_text()


@pytest.fixture
def pushed(tmp_path: Path, workspace: Workspace) -> Iterator[Pushed]:
    with FakeGitHub() as forge:
        made = Pushed(forge, workspace, tmp_path / "app.git")
        yield made
        made.http.close()


def test_the_head_is_what_the_branch_points_at_packed_or_not(pushed):
    assert pushed.get("pulls/1")["head"]["sha"] == pushed.clone.git("rev-parse", "feature")
    before = pushed.get("pulls/1")["updated_at"]
    sha = pushed.push(pushed.text + "more\n")
    told = pushed.get("pulls/1")
    assert (told["head"]["sha"], told["commits"], told["additions"], told["deletions"]) == (sha, 2, 3, 2)
    assert told["updated_at"] > before
    pushed.clone.git("--git-dir", str(pushed.repository.remote.path), "pack-refs", "--all")
    assert pushed.get("pulls/1")["head"]["sha"] == sha


def test_a_push_moves_comments_and_those_whose_lines_it_changes_lose_them(pushed):
    five = pushed.pull.inline(pushed.bob, "a.py", 5, "Why five?")
    fifteen = pushed.pull.inline(pushed.bob, "a.py", 15, "Why?", start_line=14)
    before = pushed.pull.head_sha
    pushed.push("new\nnewer\n" + pushed.text.replace("five\n", "FIVE\n"))
    told = {one["id"]: one for one in pushed.get("pulls/1/comments")}
    assert [told[five.id][name] for name in ("line", "original_line", "commit_id")] == [None, 5, before]
    assert [told[fifteen.id][name] for name in ("start_line", "line", "original_line")] == [16, 17, 15]
    assert told[fifteen.id]["commit_id"] == pushed.pull.head_sha
    assert [thread.outdated for thread in pushed.pull.threads] == [True, False]


def test_lines_are_kept_by_changes_right_above_and_below_them_and_lost_with_their_file(pushed):
    comment = pushed.pull.inline(pushed.bob, "a.py", 15, "Why?")
    pushed.push(pushed.text.replace("line 14\n", "14\n").replace("line 16\n", "16\n"))
    pushed.push(pushed.text.replace("14\n", "a\nb\n").replace("fifteen\n", "fifteen\nafter\n"))
    pushed.get("pulls/1")
    assert comment.thread.line == 16
    pushed.clone.git("rm", "-q", "a.py")
    pushed.clone.git("commit", "-q", "-m", "gone")
    pushed.clone.git("push", "-q", "origin", "feature")
    pushed.get("pulls/1")
    assert comment.thread.outdated


def test_a_comment_has_to_be_in_the_diff_and_shows_it_up_to_its_line(pushed):
    body = {"body": "x", "commit_id": pushed.pull.head_sha, "path": "a.py", "line": 5, "side": "RIGHT"}
    made = pushed.ask("POST", "pulls/1/comments", json=body).json()
    assert made["diff_hunk"].splitlines() == [
        "@@ -2,7 +2,7 @@ line 1",
        *(f" line {number}" for number in (2, 3, 4)),
        "-line 5",
        "+five",
    ]
    removed = pushed.ask("POST", "pulls/1/comments", json={**body, "side": "LEFT"}).json()
    assert removed["diff_hunk"].endswith("\n-line 5")
    assert pushed.ask("POST", "pulls/1/comments", json={**body, "line": 10}).status_code == 422


def test_a_pull_request_is_closed_when_its_branch_is_gone(pushed):
    pushed.clone.git("push", "-q", "origin", ":feature")
    assert pushed.get("pulls/1")["state"] == "closed"


def test_a_pull_request_is_opened_from_what_was_pushed(pushed):
    body = {"title": "t", "head": "late", "base": "main"}
    assert pushed.ask("POST", "pulls", json=body).status_code == 422
    pushed.clone.git("push", "-q", "origin", "main:refs/heads/late")
    same = pushed.ask("POST", "pulls", json=body)
    assert same.json()["errors"][0]["message"] == "No commits between main and late"
    pushed.clone.git("push", "-q", "origin", "feature:refs/heads/late")
    assert pushed.ask("POST", "pulls", json=body).status_code == 201


def test_a_rewritten_branch_is_followed_as_any_other(pushed):
    comment = pushed.pull.inline(pushed.bob, "a.py", 15, "Why?")
    pushed.clone.git("reset", "-q", "--hard", "main")
    sha = pushed.push("first\n" + LINES.replace("line 15\n", "fifteen\n"), "--force")
    assert pushed.get("pulls/1")["head"]["sha"] == sha
    assert comment.thread.line == 16


def test_a_line_of_a_file_that_is_not_changed_takes_no_comment_without_a_hunk(pushed):
    with pytest.raises(ValueError, match=r"does not change .*: give the hunk"):
        pushed.pull.inline(pushed.bob, "other.txt", 1, "Why?")


def test_without_its_library_it_does_not_start_and_says_which_is_missing(monkeypatch):
    monkeypatch.setattr("tests.forge.server.find_spec", lambda _name: None)
    with pytest.raises(ModuleNotFoundError, match="needs graphql-core: pip install"):
        FakeGitHub()
