"""Secrets in commits that a later commit mends: they are pushed all the same."""

from __future__ import annotations

import contextlib
import random
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from selfreview.errors import ExitCode
from tests.conftest import Ran, Workspace
from tests.rows import crossed, few
from tests.secrets import tokens

RNG = random.Random(14)
TOKEN = tokens.FORMATS["github-pat"](RNG)
SECOND = tokens.FORMATS["github-pat"](RNG)
KEY = tokens.pem(RNG) + "\n"
MENDED = 'TOKEN = os.environ["TOKEN"]\n'

Scope = Callable[[Workspace], Ran]


def line(value: str) -> str:
    return f'TOKEN = "{value}"\n'


def run(workspace: Workspace, *args: str, **env: str) -> Ran:
    return workspace.selfreview("run", "--reviewer", "secrets", "--reviewer", "text", "--format", "json", *args, **env)


def found(ran: Ran) -> list[tuple[str, str, int, str]]:
    """Path, rule, line and commit of what stands in commits alone."""
    issues = [issue for issue in ran.json["issues"] if issue["commit"] is not None]
    return [(i["file"], i["rule"], i["commitLine"], i["commit"]) for i in issues if i["status"] == "open"]


def pushed(workspace: Workspace) -> Ran:
    """What git's hook is told of the first push of the branch."""
    head = workspace.git("rev-parse", "HEAD")
    stdin = f"refs/heads/work {head} refs/heads/work {'0' * 40}\n".encode()
    return workspace.selfreview("hook", "run", "pre-push", "origin", "somewhere", "--format", "json", stdin=stdin)


@pytest.fixture
def mended(workspace: Workspace) -> str:
    """The commit that adds a token, which the next one replaces."""
    workspace.commit("first", **{"app.py": "import os\n"})
    guilty = workspace.commit("token", **{"app.py": "import os\n" + line(TOKEN)})
    workspace.commit("mend", **{"app.py": "import os\n" + MENDED})
    return guilty


SCOPES: dict[str, Scope] = {
    "run": run,
    "run --head": lambda space: run(space, "--head", "HEAD"),
    "run --range": lambda space: run(space, "--range", "main..HEAD"),
    "run --range ...": lambda space: run(space, "--range", "main...HEAD"),
    "pre-push": pushed,
    "gate": lambda space: space.selfreview("gate", "--base", "main", "--format", "json"),
}


@pytest.mark.parametrize("scope", SCOPES.values(), ids=SCOPES)
def test_a_token_that_the_next_commit_replaces_blocks(workspace: Workspace, mended: str, scope: Scope) -> None:
    ran = scope(workspace)
    assert ran.code == ExitCode.ISSUES
    assert found(ran) == [("app.py", "github-pat", 2, mended)]
    assert ran.json["verdict"] == "critical_issues"
    assert TOKEN not in ran.out + ran.err


def _replaced(workspace: Workspace, guilty: str) -> None:
    """Have git take another commit for the guilty one."""
    workspace.git("replace", guilty, f"{guilty}~1")


def _replaced_blob(workspace: Workspace, guilty: str) -> None:
    workspace.git("replace", f"{guilty}:app.py", "HEAD:app.py")


def _grafted(workspace: Workspace, guilty: str) -> None:
    """Have git take the commit before the guilty one for the parent of the next."""
    parents = workspace.git("rev-parse", "HEAD", f"{guilty}~1").split()
    workspace.write(".git/info/grafts", " ".join(parents) + "\n")


HIDING = {"replaced": _replaced, "a blob replaced": _replaced_blob, "grafted": _grafted}


@pytest.mark.parametrize(("hide", "scope"), crossed(HIDING, SCOPES))
def test_a_commit_is_read_as_it_is_pushed(
    workspace: Workspace, mended: str, hide: Callable[[Workspace, str], None], scope: Scope
) -> None:
    hide(workspace, mended)
    ran = scope(workspace)
    assert (ran.code, found(ran)) == (ExitCode.ISSUES, [("app.py", "github-pat", 2, mended)])
    assert SCOPES["gate"](workspace).code == ExitCode.ISSUES


def test_it_is_told_once_with_what_to_do_and_names_no_line_of_the_file(workspace: Workspace, mended: str) -> None:
    workspace.commit("back", **{"app.py": "import os\n\n" + line(TOKEN)})
    workspace.commit("and away", **{"app.py": "import os\n\n" + MENDED})
    (issue,) = run(workspace).json["issues"]
    assert (issue["lineStart"], issue["commit"], issue["commitLine"]) == (0, mended, 2)
    assert "rebase" in issue["suggestedFix"]
    assert "Revoke" in issue["suggestedFix"]
    shown = workspace.selfreview("run", "--reviewer", "secrets").out
    assert f"app.py (line 2 of commit {mended[:8]})" in shown


def _file(path: str, content: str | bytes, *after: str) -> Callable[[Workspace], None]:
    """Commit a file, then take it out again, or replace it."""

    def play(workspace: Workspace) -> None:
        workspace.commit("in", **{path: content})
        (workspace.root / path).unlink()
        workspace.commit("out", **dict.fromkeys(after or (), "nothing\n"), **{"other.txt": "x\n"})

    return play


def database(workspace: Workspace, path: str, *values: str) -> None:
    """Write an SQLite file that holds values."""
    (workspace.root / path).unlink(missing_ok=True)
    with contextlib.closing(sqlite3.connect(workspace.root / path)) as connection, connection:
        connection.execute("CREATE TABLE settings (value TEXT)")
        connection.executemany("INSERT INTO settings VALUES (?)", [(value,) for value in values])


def _database(path: str, *before: str) -> Callable[[Workspace], None]:
    """Commit a token in a database, then take it out again."""

    def play(workspace: Workspace) -> None:
        if before:
            workspace.git("switch", "--quiet", "main")
            database(workspace, path, *before)
            workspace.commit("base")
            workspace.git("switch", "--quiet", "--create", "later")
        database(workspace, path, *before, TOKEN)
        workspace.commit("in")
        database(workspace, path, *before)
        workspace.commit("out")

    return play


def _link(workspace: Workspace) -> None:
    (workspace.root / "link").symlink_to(f"https://{TOKEN}@example.org/")
    workspace.commit("in")
    (workspace.root / "link").unlink()
    workspace.commit("out", **{"other.txt": "x\n"})


def _merge(workspace: Workspace) -> None:
    """Let a merge add what neither side has; then take it out."""
    workspace.git("switch", "--quiet", "--create", "side")
    workspace.commit("side", **{"app.py": "side = 1\n"})
    workspace.git("switch", "--quiet", "work")
    workspace.commit("work", **{"app.py": "work = 1\n"})
    workspace.git("merge", "--quiet", "--no-commit", "--strategy=ours", "side")
    workspace.commit("merge", **{"app.py": "side = 1\nwork = 1\n" + line(TOKEN)})
    workspace.commit("mend", **{"app.py": "side = 1\nwork = 1\n"})


def _in_a_merge(
    path: str, content: str | bytes, attributes: str = "", *, of_base: bool = False
) -> Callable[[Workspace], None]:
    """Let a merge add a file that the next commit takes out; attributes are the base's or the change's."""

    def play(workspace: Workspace) -> None:
        if attributes:
            workspace.git("switch", "--quiet", "main" if of_base else "work")
            workspace.commit("attributes", **{".gitattributes": attributes})
            workspace.git("switch", "--quiet", "--create", "later")
        workspace.git("branch", "side")
        workspace.commit("work", **{"work.py": "work = 1\n"})
        workspace.git("switch", "--quiet", "side")
        workspace.commit("side", **{"side.py": "side = 1\n"})
        workspace.git("merge", "--quiet", "--no-ff", "--no-commit", "@{-1}")
        _file(path, content)(workspace)

    return play


def _side(workspace: Workspace) -> None:
    """Add it on a branch that is merged without it."""
    workspace.git("switch", "--quiet", "--create", "side")
    workspace.commit("side", **{"side.py": line(TOKEN)})
    workspace.git("switch", "--quiet", "work")
    workspace.commit("work", **{"app.py": "work = 1\n"})
    workspace.git("merge", "--quiet", "--no-commit", "side")
    workspace.commit("merge", **{"side.py": MENDED})


def _renamed(workspace: Workspace) -> None:
    rest = "".join(f"value_{n} = {n}\n" for n in range(30))
    workspace.commit("in", **{"app.py": rest + line(TOKEN)})
    workspace.git("mv", "app.py", "new.py")
    workspace.commit("renamed")
    workspace.commit("out", **{"new.py": rest + MENDED})


def _of_a_file_of_the_base(workspace: Workspace) -> None:
    rest = "".join(f"value_{n} = {n}\n" for n in range(30))
    workspace.git("switch", "--quiet", "main")
    workspace.commit("base", **{"app.py": rest})
    workspace.git("switch", "--quiet", "--create", "later")
    workspace.commit("in", **{"app.py": rest + line(TOKEN)})
    workspace.git("mv", "app.py", "new.py")
    workspace.commit("renamed, and out", **{"new.py": rest + MENDED})


def _hidden(workspace: Workspace) -> None:
    """Have an attribute say that it is no text."""
    workspace.commit("attributes", **{".gitattributes": "*.py -diff\n"})
    _file("app.py", line(TOKEN))(workspace)


def _still_in_the_tree(workspace: Workspace) -> None:
    workspace.commit("in", **{"app.py": line(TOKEN)})
    workspace.write("app.py", MENDED)


def _mended_where_vendored(workspace: Workspace) -> None:
    workspace.commit("in", **{"third_party/a.py": line(TOKEN)})
    workspace.commit("out", **{"third_party/a.py": MENDED})


def _nothing_left(workspace: Workspace) -> None:
    workspace.commit("in", **{"app.py": line(TOKEN)})
    (workspace.root / "app.py").unlink()
    workspace.commit("out")


FILES: dict[str, tuple[str, str | bytes]] = {
    "a file that is gone": ("app.py", line(TOKEN)),
    "an odd name": ('a\t"b" c\n.py', line(TOKEN)),
    "a name with a space": ("a b.py", line(TOKEN)),
    "a private key": ("server.pem", KEY),
    "without a last line feed": ("end.py", f'TOKEN = "{TOKEN}"'),
    "Windows line ends": ("windows.py", f'a = 1\r\nTOKEN = "{TOKEN}"\r\n'),
    "lines like git's": ("app.txt", f"commit 1\ndiff --git a/x b/x\n+++ b/y\n@@ -1 +1 @@\n{TOKEN}\n"),
    "UTF-16": ("notes.txt", line(TOKEN).encode("utf-16")),
    "a NUL byte": ("data.py", b"\0" + line(TOKEN).encode()),
    "an image": ("logo.png", b"\x89PNG\r\n\x1a\n\0" + line(TOKEN).encode()),
    "a name of built files": ("dist/app.js", line(TOKEN)),
    "a name of vendored files": ("vendor/lib/a.go", line(TOKEN)),
    "a name of minified files": ("lib/a.min.js", line(TOKEN)),
    "a lock file": ("package-lock.json", f'{{"resolved": "{TOKEN}"}}\n'),
}
ADDED = {
    "nothing that is left": (_nothing_left, ["app.py"]),
    "an attribute": (_hidden, ["app.py"]),
    "a link": (_link, ["link"]),
    "a merge": (_merge, ["app.py"]),
    "a binary file of a merge": (_in_a_merge("k.py", b"a\0\n" + line(TOKEN).encode()), ["k.py"]),
    "a text of a merge that the base's attributes hide": (
        _in_a_merge("k.sql", line(TOKEN), "*.sql -diff\n", of_base=True),
        ["k.sql"],
    ),
    "a text of a merge that its own attributes hide": (_in_a_merge("a b.py", line(TOKEN), "*.py binary\n"), ["a b.py"]),
    "a key store of a merge": (_in_a_merge("release.jks", b"\xfe\xed\xfe\xed\0\0\0\2"), ["release.jks"]),
    "a side that was merged without it": (_side, ["side.py"]),
    "a renamed file": (_renamed, ["app.py"]),
    "a file of the base that has another name": (_of_a_file_of_the_base, ["app.py"]),
    "two on one line": (_file("app.py", f'PAIR = "{TOKEN}", "{SECOND}"\n'), ["app.py", "app.py"]),
    "what the tree has mended and no commit": (_still_in_the_tree, ["app.py"]),
    "a new database": (_database("dev.sqlite3"), ["dev.sqlite3"]),
    "a database that was there": (_database("app.db", "a", "b"), ["app.db"]),
    "a vendored file that stays": (_mended_where_vendored, ["third_party/a.py"]),
}


@pytest.mark.parametrize("names", few({"all of them": [*FILES]} | {name: [name] for name in FILES}, "all of them"))
def test_whatever_the_file_is_called_and_holds(workspace: Workspace, names: list[str]) -> None:
    files = dict(FILES[name] for name in names)
    workspace.commit("in", **files)
    for path in files:
        (workspace.root / path).unlink()
    workspace.commit("out", **{"other.txt": "x\n"})
    ran = run(workspace)
    assert ran.code == ExitCode.ISSUES
    assert sorted(file for file, *_ in found(ran)) == sorted(files)
    assert TOKEN not in ran.out


@pytest.mark.parametrize(("play", "paths"), ADDED.values(), ids=ADDED)
def test_wherever_a_commit_holds_it(workspace: Workspace, play: Callable[[Workspace], None], paths: list[str]) -> None:
    play(workspace)
    ran = run(workspace)
    assert ran.code == ExitCode.ISSUES
    assert [file for file, *_ in found(ran)] == paths
    assert TOKEN not in ran.out


GUESS = tokens.pick(random.Random(5), tokens.ALNUM, 32)
AWS = f'"{tokens.pick(random.Random(3), tokens.ALNUM, 40)}"\n'


def _then(path: str = "k.py", *, begin: str = line(TOKEN), **files: str) -> Callable[[Workspace], None]:
    """Commit a token, then files."""

    def play(workspace: Workspace) -> None:
        workspace.commit("in", **{"k.py": begin})
        if path != "k.py":
            (workspace.root / path).parent.mkdir(exist_ok=True)
            workspace.git("mv", "k.py", path)
        workspace.commit("then", **(files or {path: MENDED}))

    return play


LEFT_OUT_LATER = {
    "too large, and mended": _then(**{"k.py": "value = 1\n" * 300_000}),
    "too large": _then(**{"k.py": line(TOKEN) + "value = 1\n" * 300_000}),
    "generated, and mended": _then(**{"k.py": "# @generated DO NOT EDIT\n" + MENDED}),
    "generated": _then(**{"k.py": "# @generated DO NOT EDIT\n" + line(TOKEN)}),
    "moved to vendored files, and mended": _then("vendor/k.py"),
    "moved to vendored files": _then("vendor/k.py", **{"vendor/k.py": line(TOKEN) + "a = 1\n"}),
    "an attribute, and mended": _then(**{".gitattributes": "k.py linguist-generated\n", "k.py": MENDED}),
    "an attribute": _then(**{".gitattributes": "k.py linguist-vendored\n"}),
    "a bare value": _then(begin="aws_secret_access_key = " + AWS, **{"k.py": "Z = " + AWS}),
    "moved to the tests": _then("tests/test_k.py", begin=KEY, **{"tests/test_k.py": KEY + "\n"}),
    "a NUL byte": _then(begin=line(GUESS), **{"k.py": "\0" + line(GUESS)}),
}
"""What becomes of a file after the commit, so that nobody tells of the value at the end, or as a lesser one."""


@pytest.mark.parametrize(
    ("play", "scope"), crossed(LEFT_OUT_LATER, {name: SCOPES[name] for name in ("run", "pre-push", "gate")})
)
def test_a_file_is_judged_by_what_it_was_in_the_commit(
    workspace: Workspace, play: Callable[[Workspace], None], scope: Scope
) -> None:
    play(workspace)
    guilty = workspace.git("rev-parse", "HEAD~1")
    ran = scope(workspace)
    assert ran.code == ExitCode.ISSUES, ran
    if scope is not SCOPES["gate"] or found(ran):  # which reviews at the end what the change itself leaves out
        assert [(file, commit) for file, _, _, commit in found(ran)] == [("k.py", guilty)]


def test_a_gate_goes_by_what_the_base_excludes(workspace: Workspace) -> None:
    workspace.commit("in", **{"k.py": line(TOKEN)})
    workspace.git("rm", "--quiet", "k.py")
    workspace.commit("out", **{"selfreview.toml": 'exclude = ["k.py"]\n'})
    assert [file for file, *_ in found(SCOPES["gate"](workspace))] == ["k.py"]


def _told_at_the_end(workspace: Workspace) -> None:
    workspace.commit("in", **{"app.py": line(TOKEN)})
    workspace.commit("moved", **{"app.py": "import os\n\n" + line(TOKEN)})


def _known_at_the_base(workspace: Workspace) -> None:
    workspace.git("switch", "--quiet", "main")
    workspace.commit("base", **{"app.py": line(TOKEN)})
    workspace.git("switch", "--quiet", "--create", "later")
    workspace.commit("out", **{"app.py": MENDED})
    workspace.commit("in", **{"app.py": "x = 1\n" + line(TOKEN) + "y = 2\n"})
    workspace.commit("out again", **{"app.py": MENDED})


def _of_others(workspace: Workspace) -> None:
    """Merge the base, where others had it for a while."""
    workspace.commit("ours", **{"ours.py": "x = 1\n"})
    workspace.git("switch", "--quiet", "main")
    workspace.commit("theirs", **{"theirs.py": line(TOKEN)})
    workspace.commit("mended", **{"theirs.py": MENDED})
    workspace.git("switch", "--quiet", "work")
    workspace.git("merge", "--quiet", "--no-edit", "main")


def _excluded(workspace: Workspace) -> None:
    workspace.git("switch", "--quiet", "main")
    workspace.commit("settings", **{"selfreview.toml": 'exclude = ["recorded/"]\n'})
    workspace.git("switch", "--quiet", "--create", "later")
    _file("recorded/one.json", line(TOKEN))(workspace)


NOT_ADDED = {
    "what the file holds at the end": _told_at_the_end,
    "what the base holds there": _known_at_the_base,
    "what others had": _of_others,
    "a file that is excluded": _excluded,
}


@pytest.mark.parametrize("play", NOT_ADDED.values(), ids=NOT_ADDED)
def test_what_is_no_news_of_a_commit(workspace: Workspace, play: Callable[[Workspace], None]) -> None:
    play(workspace)
    ran = run(workspace)
    assert found(ran) == []
    assert (ran.code == ExitCode.ISSUES) is (play is _told_at_the_end)


def test_no_commit_is_looked_at_where_none_is_reviewed(workspace: Workspace, mended: str) -> None:
    workspace.stage(**{"more.py": "x = 1\n"})
    assert run(workspace, "--staged").code == ExitCode.PASSED
    assert run(workspace, "--commit", "HEAD").code == ExitCode.PASSED
    patch = workspace.git("diff", "main", "HEAD").encode()
    assert workspace.selfreview("run", "--reviewer", "secrets", "--diff", "-", stdin=patch).code == ExitCode.PASSED
    assert run(workspace, "--commit", mended).code == ExitCode.ISSUES


@pytest.mark.parametrize(("path", "told"), [("app.py", 1), ("vendor/app.py", 0), ("dist/app.js", 0), ("a_pb2.py", 0)])
def test_what_only_may_be_one_is_not_told_of_vendored_and_generated_files(
    workspace: Workspace, path: str, told: int
) -> None:
    _file(path, line(GUESS))(workspace)
    assert len(found(run(workspace))) == told


def test_each_token_of_a_database_is_told_at_the_end_too(workspace: Workspace) -> None:
    database(workspace, "dev.sqlite3", TOKEN, SECOND)
    workspace.commit("in")
    ran = run(workspace)
    told = [i["fingerprint"] for i in ran.json["issues"] if i["rule"] == "github-pat"]
    assert (ran.code, len(told), len(set(told))) == (ExitCode.ISSUES, 2, 2)
    accepted = ["--accept", told[0]]
    gate = workspace.selfreview("gate", "--base", "main", "--format", "json", *accepted)
    statuses = [i["status"] for i in gate.json["issues"] if i["rule"] == "github-pat"]
    assert (gate.code, sorted(statuses)) == (ExitCode.ISSUES, ["accepted", "open"])


def test_paths_limit_it(workspace: Workspace, mended: str) -> None:
    workspace.commit("more", **{"lib/more.py": "x = 1\n"})
    assert found(run(workspace, "lib")) == []
    assert found(run(workspace, "app.py")) == [("app.py", "github-pat", 2, mended)]


def test_guesses_that_stay_in_generated_files_are_not_told(workspace: Workspace) -> None:
    workspace.commit("in", **{"app.py": "# @generated DO NOT EDIT\n" + line(GUESS)})
    assert run(workspace).json["issues"] == []


def test_a_file_of_credentials_that_is_harmless_by_now(workspace: Workspace) -> None:
    guilty = workspace.commit("in", **{".env": "API_KEY=abc\n"})
    workspace.commit("out", **{".env": "DEBUG=1\n"})
    assert found(run(workspace)) == [(".env", "sensitive-file", None, guilty)]


def test_it_is_graded_as_in_the_file(workspace: Workspace) -> None:
    _file("tests/test_it.py", KEY)(workspace)
    ran = run(workspace)
    assert ran.code == ExitCode.PASSED
    assert {issue["severity"] for issue in ran.json["issues"]} == {"low"}


@pytest.mark.parametrize(
    ("path", "content", "blocks"),
    [
        (".env", "DEBUG=1\nAPI_KEY=abc\n", True),
        (".env", "DEBUG=1\n", False),
        (".env.example", "API_KEY=abc\n", False),
        ("deploy/id_rsa", "a key\n", True),
        ("keys.p12", b"\x30\x82\0\1\2", True),
        (".DS_Store", b"\0\1", False),
    ],
)
def test_a_file_that_should_not_have_been_committed(
    workspace: Workspace, path: str, content: str | bytes, blocks: bool
) -> None:
    guilty = workspace.commit("in", **{path: content})
    (workspace.root / path).unlink()
    workspace.commit("out", **{"other.txt": "x\n"})
    ran = workspace.selfreview("run", "--reviewer", "text", "--format", "json")
    assert ran.code == (ExitCode.ISSUES if blocks else ExitCode.PASSED)
    expected = [(path, "sensitive-file", None, guilty)] if blocks else []
    assert found(ran) == expected


def _of_base(workspace: Workspace, **files: str) -> None:
    workspace.git("switch", "--quiet", "main")
    workspace.commit("base", **files)
    workspace.git("switch", "--quiet", "--create", "later")


FILLED = "DEBUG=1\nAPI_KEY=abc\n"


def _filled_later(workspace: Workspace) -> str:
    workspace.commit("in", **{".env": "DEBUG=1\n"})
    return workspace.commit("filled", **{".env": FILLED})


def _renamed_to_it(workspace: Workspace) -> str:
    guilty = workspace.commit("in", **{"env.txt": FILLED})
    workspace.git("mv", "env.txt", ".env")
    workspace.commit("moved")
    return guilty


def _renamed_from_it(workspace: Workspace) -> str:
    guilty = workspace.commit("in", **{".env": FILLED})
    workspace.git("mv", ".env", "env.txt")
    workspace.commit("moved", **{"x.txt": "x\n"})
    return guilty


def _filled_at_base(workspace: Workspace) -> str:
    _of_base(workspace, **{".env": "DEBUG=1\n"})
    return workspace.commit("filled", **{".env": FILLED})


def _emptied(workspace: Workspace) -> None:
    workspace.commit("out", **{".env": "DEBUG=1\n"})


def _removed(workspace: Workspace) -> None:
    workspace.git("rm", "--quiet", ".env")
    workspace.commit("out", **{"x.txt": "x\n"})


def _ignored(workspace: Workspace) -> None:
    """Take it out and leave it on the disk."""
    workspace.git("rm", "--quiet", "--cached", ".env")
    workspace.commit("out", **{".gitignore": ".env\n"})


FILLED_BY = {"filled later": _filled_later, "renamed": _renamed_to_it, "filled at the base": _filled_at_base}
OUT = {"emptied": _emptied, "removed": _removed, "ignored": _ignored}


@pytest.mark.parametrize(
    ("fill", "out", "scope"), crossed(FILLED_BY, OUT, {name: SCOPES[name] for name in ("run", "gate")})
)
def test_a_file_of_credentials_however_it_comes_and_goes(
    workspace: Workspace, fill: Callable[[Workspace], str], out: Callable[[Workspace], None], scope: Scope
) -> None:
    guilty = fill(workspace)
    out(workspace)
    ran = scope(workspace)
    assert ran.code == ExitCode.ISSUES
    assert [(rule, commit) for _, rule, _, commit in found(ran)] == [("sensitive-file", guilty)]


@pytest.mark.parametrize("fill", [_filled_later, _renamed_to_it, _renamed_from_it, _filled_at_base])
def test_a_file_of_credentials_that_stays_is_told_once(workspace: Workspace, fill: Callable[[Workspace], str]) -> None:
    fill(workspace)
    assert [issue["rule"] for issue in run(workspace).json["issues"]] == ["sensitive-file"]


def test_a_token_of_a_file_that_stays_on_the_disk_ignored(workspace: Workspace) -> None:
    _of_base(workspace, **{"k.py": MENDED})
    guilty = workspace.commit("in", **{"k.py": line(TOKEN)})
    workspace.git("rm", "--quiet", "--cached", "k.py")
    workspace.commit("out", **{".gitignore": "k.py\n"})
    assert found(run(workspace)) == [("k.py", "github-pat", 1, guilty)]


def test_a_token_that_the_change_moves_within_its_file_is_not_new(workspace: Workspace) -> None:
    _of_base(workspace, **{"app.py": line(TOKEN)})
    workspace.commit("moved", **{"app.py": f"if there:\n    {line(TOKEN)}"})
    ran = run(workspace)
    assert (ran.code, [one["status"] for one in ran.json["issues"]]) == (ExitCode.PASSED, ["out_of_scope"])
    workspace.commit("another", **{"app.py": f"if there:\n    {line(TOKEN)}{line(SECOND)}"})
    workspace.commit("elsewhere", **{"lib.py": line(TOKEN)})
    told = [(one["file"], one["lineStart"]) for one in run(workspace).json["issues"] if one["status"] == "open"]
    assert told == [("app.py", 3), ("lib.py", 1)]


class TestMarks:
    def test_what_was_accepted_stays_so_when_commits_are_rewritten(self, workspace: Workspace, mended: str) -> None:
        (issue,) = run(workspace).json["issues"]
        assert workspace.selfreview("accept", issue["id"], "--reason", "made up").code == ExitCode.PASSED
        assert run(workspace).code == ExitCode.PASSED
        workspace.git("switch", "--quiet", "main")
        workspace.commit("meanwhile", **{"other.txt": "x\n"})
        workspace.git("switch", "--quiet", "work")
        workspace.git("rebase", "--quiet", "main")
        ran = run(workspace)
        (again,) = ran.json["issues"]
        assert (ran.code, again["status"]) == (ExitCode.PASSED, "accepted")
        assert again["commit"] not in (mended, None)

    def test_another_value_in_the_same_place_is_not_accepted_with_it(self, workspace: Workspace, mended: str) -> None:
        (issue,) = run(workspace).json["issues"]
        workspace.selfreview("accept", issue["id"], "--reason", "made up")
        workspace.commit("another", **{"app.py": "import os\n" + line(TOKEN[:-4] + "Zq9X")})
        workspace.commit("mend again", **{"app.py": "import os\n" + MENDED})
        ran = run(workspace)
        assert ran.code == ExitCode.ISSUES
        assert [commit == mended for *_, commit in found(ran)] == [False]

    def test_a_baseline_knows_it_and_is_not_stale_for_that(self, workspace: Workspace, mended: str) -> None:
        assert workspace.selfreview("baseline", "update", "--reason", "made up").code == ExitCode.PASSED
        workspace.commit("baseline")
        assert "0 entries removed" in workspace.selfreview("baseline", "prune").out
        ran = run(workspace)
        assert ran.code == ExitCode.PASSED
        assert [(i["status"], i["commit"]) for i in ran.json["issues"] if i["rule"] == "github-pat"] == [
            ("baselined", mended)
        ]
        workspace.stage(**{"app.py": "x = 1\n"})
        assert [i["rule"] for i in run(workspace, "--staged").json["issues"]] == []

    def test_a_comment_that_went_with_it_does_not_count(self, workspace: Workspace) -> None:
        marked = f'TOKEN = "{TOKEN}"  # selfreview: ignore[secrets] made up\n'
        workspace.commit("in", **{"app.py": marked})
        workspace.commit("out", **{"app.py": "x = 1\n"})
        assert SCOPES["gate"](workspace).code == ExitCode.ISSUES


def test_a_second_run_reads_no_commit(workspace: Workspace, mended: str) -> None:
    first = run(workspace)
    objects = workspace.git("rev-parse", f"{mended}:app.py")
    workspace.git("config", "gc.auto", "0")
    (workspace.root / ".git" / "objects" / objects[:2] / objects[2:]).unlink()  # git log would fail at once
    second = run(workspace)
    assert found(second) == found(first) != []
    assert all(reviewer["cached"] for reviewer in second.json["reviewers"])


def test_commits_that_cannot_be_read_leave_it_incomplete(workspace: Workspace, mended: str) -> None:
    objects = workspace.git("rev-parse", f"{mended}:app.py")
    (workspace.root / ".git" / "objects" / objects[:2] / objects[2:]).unlink()
    ran = run(workspace)
    assert ran.code == ExitCode.INCOMPLETE
    assert "not every commit was looked at: git" in ran.json["incompleteReasons"][0]


def test_commits_beyond_the_end_of_a_shallow_clone_leave_it_incomplete(workspace: Workspace, mended: str) -> None:
    head = workspace.git("rev-parse", "HEAD")
    (workspace.root / ".git" / "shallow").write_text(f"{mended}\n{workspace.git('rev-parse', 'main')}\n")
    ran = run(workspace, "--range", f"main..{head}")
    assert ran.code == ExitCode.INCOMPLETE
    assert "shallow" in ran.json["incompleteReasons"][0]
    assert "git fetch --unshallow" in ran.json["incompleteReasons"][0]


SETTINGS = [
        "log.showRoot=false", "log.diffMerges=off", "diff.noprefix=true", "diff.mnemonicPrefix=true",
        "diff.external=false",         "color.ui=always", "core.quotePath=true", "log.showSignature=true",
        "format.pretty=oneline", "log.date=raw",
        "diff.renames=false", "diff.context=9", "diff.interHunkContext=9", "diff.algorithm=patience", "log.follow=true",
        "log.decorate=full", "notes.displayRef=*", "diff.wordRegex=.", "diff.relative=true", "log.mailmap=true",
]  # fmt: skip


@pytest.mark.parametrize("settings", few({"all of them": SETTINGS} | {one: [one] for one in SETTINGS}, "all of them"))
def test_no_setting_of_git_hides_it(workspace: Workspace, mended: str, settings: list[str]) -> None:
    for setting in settings:
        name, _, value = setting.partition("=")
        workspace.git("config", name, value)
    workspace.git("notes", "add", "-m", "commit 1234", mended)
    assert found(run(workspace)) == [("app.py", "github-pat", 2, mended)]


def test_the_collection_says_how_many_commits(workspace: Workspace, mended: str) -> None:
    assert workspace.selfreview("run", "--collect-only", "--format", "json").json["commits"] == 3
    assert "3 commits: what each adds" in workspace.selfreview("run", "--collect-only").out


MENDER = '''
from selfreview.api import Fix, hookimpl


class Mender:
    """Takes everything, and has another value for the token."""

    name = "mender"
    is_mechanical = False

    def takes(self, issue, config):
        return True

    def fix(self, request, context):
        assert all(issue.commit is None for issue in request.issues)
        path = context.root / "app.py"
        lines = path.read_text().splitlines(keepends=True)
        path.write_text("".join("TOKEN = None\\n" if line.startswith("TOKEN") else line for line in lines))
        return Fix()


@hookimpl
def selfreview_register_fixers(registry):
    registry.add(Mender())
'''


class TestRefinement:
    @pytest.fixture
    def mend(self, workspace: Workspace, tmp_path: Path) -> Scope:
        (tmp_path / "plugins").mkdir()
        (tmp_path / "plugins" / "mender.py").write_text(MENDER)
        more = {"PYTHONPATH": str(tmp_path / "plugins")}
        return lambda space: run(space, "-p", "mender", "--fixer", "mender", "--apply", **more)

    def test_no_fixer_is_asked(self, workspace: Workspace, mended: str, mend: Scope) -> None:
        ran = mend(workspace)
        assert (ran.code, ran.json["stop"], ran.json["iterations"]) == (ExitCode.ISSUES, "nothing_fixable", [])

    def test_a_fix_of_the_file_is_kept_and_the_commit_still_blocks(self, workspace: Workspace, mend: Scope) -> None:
        guilty = workspace.commit("token", **{"app.py": "import os\n" + line(TOKEN)})
        ran = mend(workspace)
        assert (workspace.root / "app.py").read_text() == "import os\nTOKEN = None\n", ran
        assert (ran.code, ran.json["stop"]) == (ExitCode.ISSUES, "nothing_fixable")
        assert found(ran) == [("app.py", "github-pat", 2, guilty)]
        (iteration,) = ran.json["iterations"]
        assert iteration["refinement"]["newIssuesIntroduced"] == []


PLUGIN = """
from selfreview.api import Category, Depth, Finding, Review, Severity, hookimpl
from selfreview.errors import ToolTimeout


class Commits:
    name = "commits"
    depth = Depth.TEXT
    default = False

    def selects(self, file):
        return True

    def cache_key(self, context):
        return None

    def review(self, files, context):
        return Review()

    def review_commits(self, context):
        lines = context.committed_lines()
        if any(part.path == "slow.txt" for part in lines):
            raise ToolTimeout("it did not finish in time")
        said = dict(severity=Severity.HIGH, category=Category.STYLE, description="no", rule="no")
        return [Finding(file=part.path, line_start=0, commit=part.commit, evidence=part.path, **said) for part in lines]


@hookimpl
def selfreview_register_reviewers(registry):
    registry.add(Commits())
"""


@pytest.mark.parametrize(
    ("path", "code", "reasons"),
    [
        ("quick.txt", ExitCode.ISSUES, []),
        ("slow.txt", ExitCode.INCOMPLETE, ["commits: not every commit was looked at: it did not finish in time "
         "(raise reviewer_timeout, or review the commits in parts: --range A..B)"]),
    ],
)  # fmt: skip
def test_a_plugin_may_look_at_commits(
    workspace: Workspace, tmp_path: Path, path: str, code: int, reasons: list[str]
) -> None:
    (tmp_path / "commitlooks.py").write_text(PLUGIN)
    _file(path, "here for a while\n")(workspace)
    more = ("-p", "commitlooks", "--reviewer", "commits", "--format", "json")
    ran = workspace.selfreview("run", *more, PYTHONPATH=str(tmp_path))
    assert (ran.code, ran.json["incompleteReasons"]) == (code, reasons)
    assert [file for file, *_ in found(ran)] == ([path] if code == ExitCode.ISSUES else [])
