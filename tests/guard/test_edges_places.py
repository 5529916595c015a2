"""Just inside and just outside of where a fixer may write."""

from __future__ import annotations

import pytest

from selfreview.git.worktree_files import PLAIN, Entry
from selfreview.guard import Bounds
from selfreview.guard.content import large_file
from selfreview.guard.extent import is_test_of
from selfreview.guard.patch import File, Patch
from selfreview.guard.paths import is_hook
from selfreview.model.change import Change, Scope
from selfreview.testing.context import MemoryConfig
from tests.guard.edits import Content, Edit, judge

OLD, NEW = "x = 1\n", "x = 2\n"
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 3\n"


@pytest.mark.parametrize(
    ("path", "old", "new", "rejected"),
    [
        (".git::$INDEX_ALLOCATION/config", None, NEW, ["git-folder"]),
        ("ruff.toml::$DATA", OLD, NEW, ["tool-configuration"]),
        ("selfreview.toml:a", None, NEW, ["own-configuration"]),
        ("SelfReview.TOML", OLD, NEW, ["own-configuration"]),
        ("SELFREVIEW-BASELINE-old.json", OLD, NEW, ["own-configuration"]),
        ("sub/pyproject.toml", "", "[tool.selfreview]\nmax_iterations = 1\n", ["own-configuration"]),
        ("PyProject.toml", "", "[tool.selfreview]\nmax_iterations = 1\n", ["own-configuration"]),
        ("other.toml", "", "[tool.selfreview]\nmax_iterations = 1\n", []),
        ("pyproject.toml", "[tool.other]\na = 1\n", "[tool.other]\na = 2\n", []),
        ("pyproject.toml", "a = 1\n", "a = 2\n", []),
        (".Husky/common.sh", OLD, NEW, ["git-hooks"]),
        ("Lefthook.YML", OLD, NEW, ["git-hooks"]),
        ("logo.svg", POINTER.replace("git-lfs.github", "hawser.github"), "<svg/>\n", ["lfs-pointer"]),
        ("logo.svg", "<svg/>\n", POINTER, ["lfs-pointer"]),
        ("logo.svg", f"a\n{POINTER}", f"b\n{POINTER}", []),
        (".lfsconfig", OLD, NEW, ["lfs-pointer"]),
        ("sub/.lfsconfig", OLD, NEW, []),
        ("a.txt", "a\n", "a\x08b\n", ["hidden-character"]),
        ("a.txt", "a", "a\x1bb", ["hidden-character"]),
        ("a.txt", "a\u200bb\n", "a\u200bb\nc\n", []),
        ("a.txt", "a\u200bb\n", "a\u200bb\u200b\n", ["hidden-character"]),
        ("a.txt", "a [REDACTED-KEY-1a2b]\n", "b [REDACTED-KEY-1a2b]\n", []),
        ("a.txt", "<<<<<<< a\n", "<<<<<<< a\nb\n", []),
        ("a.txt", b"a\r\n", b">>>>>>>\r\n", ["conflict-marker"]),
        ("a.txt", "a\n", "b\n||||||| 1a2b\n", ["conflict-marker"]),
        ("a.txt", "a\n", "<<<<<<<< a\n", []),
    ],
)
def test_a_place_and_what_is_beside_it(path: str, old: Content, new: Content, rejected: list[str]) -> None:
    assert [found.rule for found in judge(Edit({path: (old, new)}, issues=((path, 1, "wrong"),)))] == rejected


@pytest.mark.parametrize(
    ("old", "new", "rejected"),
    [
        (None, 1_000_000, False),
        (None, 1_000_001, True),
        (999_999, 1_000_001, True),
        (1_000_000, 1_000_001, True),
        (1_000_001, 1_000_002, False),
        (1_000_001, None, False),
    ],
)
def test_a_file_does_not_grow_to_more_than_a_megabyte(old: int | None, new: int | None, rejected: bool) -> None:
    before, after = (None if size is None else Entry(PLAIN, b"x" * size) for size in (old, new))
    bounds = Bounds(Change(scope=Scope(mode="branch"), files=()), [], MemoryConfig({}))
    found = large_file(Patch([], [File("a.txt", "a.txt", before, after)], bounds))
    assert [one.rule for one in found] == (["large-file"] if rejected else [])


def test_hooks_that_a_project_offers_have_a_name_in_any_case() -> None:
    path = "sub/.Pre-Commit-Hooks.YAML"
    assert [found.rule for found in judge(Edit({path: (OLD, NEW)}, changed=("a.py",), reasons={path: "x"}))] == [
        "git-hooks"
    ]
    assert judge(Edit({path: (OLD, NEW)}, issues=((path, 1, "wrong"),))) == []


@pytest.mark.parametrize(("new", "rejected"), [(NEW, False), (Entry("120000", b"src"), True)])
def test_only_a_link_stands_where_a_folder_of_hooks_is_looked_for(new: Content, rejected: bool) -> None:
    found = judge(Edit({"tools": (None, new)}, hooks=("tools/hooks",)))
    assert ("git-hooks" in [one.rule for one in found]) is rejected
    assert not is_hook("tools", ("tools/hooks",))
    assert not is_hook("src/a.py", ("tools/hooks",), is_link=True)


@pytest.mark.parametrize(
    ("path", "changed", "is_of_it"),
    [
        ("tests/test_app.py", "src/app/__init__.py", True),
        ("tests/test_app.py", "src/app/__main__.py", True),
        ("src/app.test.ts", "src/app/index.ts", True),
        ("tests/app.rs", "src/app/mod.rs", True),
        ("tests/app.rs", "app/lib.rs", True),
        ("tests/app.rs", "cmd/app/main.go", True),
        ("tests/test_other.py", "src/app/main.py", False),
        ("tests/test_main.py", "main.py", True),
        ("tests/test_other.py", "src/tests.py", False),
        ("tests/unit/test_other.py", "src/unit.py", False),
        ("pkg/more_test.go", "pkg/app.go", True),
        ("other/more_test.go", "pkg/app.go", False),
        ("tests/test_io.py", "src/io.py", True),
        ("tests/test_x.py", "src/X.py", True),
        ("tests/test_io_more.py", "src/io.py", False),
        ("tests/test_app_more.py", "src/app.py", True),
        ("tests/test_more_app.py", "src/app.py", True),
        ("tests/test_the_app_more.py", "src/app.py", False),
        ("tests/form_parser/test_more.py", "src/form-parser.ts", True),
        ("tests/test_formparser.py", "src/form_parser.py", True),
        ("src/FormParserTest.java", "src/FormParser.java", True),
        ("src/FormParserErrorsTest.java", "src/FormParser.java", True),
        ("src/FormatterTest.java", "src/Form.java", False),
        ("tests/FormParserIT.java", "src/FormParser.java", True),
        ("tests/form_parser.spec.ts", "src/form_parser.ts", True),
        ("tests/test__spec_form.py", "src/form.py", True),
    ],
)
def test_a_test_is_named_after_what_it_tests(path: str, changed: str, is_of_it: bool) -> None:
    assert is_test_of(path, changed) is is_of_it


def test_a_file_is_of_the_change_where_an_issue_is_about_it() -> None:
    assert judge(Edit({"b.py": (OLD, NEW)}, changed=("a.py",), issues=(("b.py", 1, "wrong"),))) == []


@pytest.mark.parametrize(
    ("files", "changed", "rejected"),
    [
        ({"src/old.py": (OLD * 9, None), "lib/new.py": (None, OLD * 9)}, ("src/old.py",), []),
        ({"src/old.py": (OLD * 9, None), "lib/new.py": (None, OLD * 9)}, ("lib/new.py",), ["outside-change"]),
        ({"lib/new.py": (None, OLD * 9)}, ("src/old.py",), ["outside-change"]),
    ],
)
def test_a_file_of_the_change_may_move(
    files: dict[str, tuple[Content, Content]], changed: tuple[str, ...], rejected: list[str]
) -> None:
    assert [found.rule for found in judge(Edit(files, changed=changed))] == rejected


def test_a_reason_to_take_a_file_away_is_none_for_where_it_goes() -> None:
    files = {"src/old.py": (OLD * 9, None), "lib/new.py": (None, OLD * 9)}
    found = judge(Edit(files, changed=("a.py",), reasons={"src/old.py": "x"}))
    assert [(one.path, one.rule) for one in found] == [("lib/new.py", "outside-change")]
