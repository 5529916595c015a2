"""Suppression comments that are new, whatever moved around them."""

from __future__ import annotations

import re

import pytest

from selfreview.git.worktree_files import PLAIN, Entry
from selfreview.guard import patch
from selfreview.guard.newmarks import new_marks
from selfreview.guard.patch import File
from selfreview.model.change import HunkSpan
from selfreview.syntax.suppression_comments import KINDS


def found(old: str | None, new: str, path: str = "a.py", old_path: str | None = None) -> list[tuple[int, str]]:
    before = None if old is None else Entry(PLAIN, old.encode())
    return [mark[:2] for mark in new_marks(File(path, old_path or path, before, Entry(PLAIN, new.encode())))]


def test_each_mark_is_told_with_its_line_and_what_it_silences() -> None:
    text = "a  # noqa: F821, E501\nb = 1\n# ruff: disable[F821]\nc  # type: ignore[name-defined]\n"
    assert found(None, text) == [
        (1, "# noqa: F821, E501"), (3, "# ruff: disable[F821]"), (4, "# type: ignore[name-defined]"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a  # noqa\n", "b  # noqa\n"),
        ("a  # noqa: E501\n", "a  # noqa: F821\n"),
        ("a  # noqa\n", "a  # noqa: F821\n"),
        ("a  # noqa\n", "a  # noqa\nb\na  # noqa\n"),
        ("# ruff: ignore[F821]\na\nb\n", "a\n# ruff: ignore[F821]\nb\n"),
        ("# ruff: ignore[F821]\na\n", "# ruff: ignore[F821]\nb\n"),
        ("# ruff: ignore[F821]\na\nb\n", "# ruff: ignore[F821]\nb\n"),
        ('f("""\na\n""")  # noqa\n', 'f(f"""\n{b}\n""")  # noqa\n'),
        ('f("""\na\n""")  # noqa\n', 'f("""\nb\n""")  # noqa\n'),
        ("@SuppressWarnings(\n  'a')\nx\n", "@SuppressWarnings(\n  'all')\nx\n"),
    ],
)
def test_a_mark_of_other_code_or_of_other_rules_is_new(old: str, new: str) -> None:
    assert len(found(old, new)) == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a  # noqa\nb\n", "c\nb\na  # noqa\n"),
        ("a  # noqa\n", "if x:\n    a  # noqa\n"),
        ("a  # noqa: F821\nx1 = 1\n", "a  # noqa: F821\nx1 = 2\n"),
        ('f("""\na\n""")  # noqa\nb\n', 'f("""\na\n""")  # noqa\nc\n'),
        ("# ruff: noqa\na\n", "# ruff: noqa\nb\n"),
        ("# ruff: ignore[F821]\na\nb\n", "b\n\n# ruff: ignore[F821]\na\n"),
        ("a  # noqa\r\n", "a  # noqa\nb\n"),
        ("a  # noqa\n", "a\n"),
    ],
)
def test_the_same_mark_of_the_same_code_is_not_new(old: str, new: str) -> None:
    assert found(old, new) == []


CALL = "f(\n    a,\n    b,\n)"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x = a + \\\n    b  # noqa: F821\n", "x = evil + \\\n    b  # noqa: F821\n"),
        ("x = a + \\\n    b  # ruff: ignore[F821]\n", "x = evil + \\\n    b  # ruff: ignore[F821]\n"),
        (f"# ruff: ignore[F821]\n{CALL}\n", f"# ruff: ignore[F821]\n{CALL}\n".replace("b", "evil")),
        (f"// eslint-disable-next-line\n{CALL}\n", f"// eslint-disable-next-line\n{CALL}\n".replace("b,", "evil,")),
        ("# selfreview: ignore[x] y\nq = '''\na'''\n", "# selfreview: ignore[x] y\nq = '''\nb'''\n"),
        (f"{CALL}  # nosec\n", f"{CALL}  # nosec\n".replace("a", "evil")),
        ("f(  # type: ignore[x]\n    a,\n)\n", "f(  # type: ignore[x]\n    evil,\n)\n"),
        ("x = [  # type: ignore[x]\n    a,\n]\n", "x = [  # type: ignore[x]\n    a,\n    b,\n]\n"),
    ],
)
def test_a_mark_is_new_where_another_line_of_its_statement_changes(old: str, new: str) -> None:
    assert len(found(old, new)) == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("from a import (  # noqa: F401\n    a,\n)\n", "from a import (  # noqa: F401\n    a,\n    b,\n)\n"),
        ("from a import (  # type: ignore\n    a,\n)\n", "from a import (  # type: ignore\n    a,\n    b,\n)\n"),
        ("f(  # noqa: E501\n    a,\n)\n", "f(  # noqa: E501\n    b,\n)\n"),
        ("f(  # ruff: ignore[E501]\n    a,\n)\n", "f(  # ruff: ignore[E501]\n    b,\n)\n"),
        ("x = [\n    a,  # nosec\n    b,\n]\n", "x = [\n    a,  # nosec\n    b,\n    c,\n]\n"),
        ("x = [\n    a,\n]  # fmt: skip\n", "x = [\n    a,\n    b,\n]  # fmt: skip\n"),
        ("# fmt: skip\nx = [\n    a,\n]\n", "# fmt: skip\nx = [\n    a,\n    b,\n]\n"),
        ("// prettier-ignore\nf(\n  a,\n);\n", "// prettier-ignore\nf(\n  a,\n  b,\n);\n"),
        ("# pragma: no cover\nf(\n  a,\n)\n", "# pragma: no cover\nf(\n  a,\n  b,\n)\n"),
        ("// eslint-disable-next-line x\nit('a', () => {\n  a();\n});\n",
         "// eslint-disable-next-line x\nit('a', () => {\n  b();\n});\n"),
        ("#[allow(x)]\nfn f(\n  a: u8,\n) {\n  a\n}\n", "#[allow(x)]\nfn f(\n  a: u8,\n) {\n  b\n}\n"),
        (f"# nosec\n{CALL}\nx\n", f"x\n# nosec\n{CALL}\ny\n"),
    ],
)  # fmt: skip
def test_a_list_of_names_a_table_and_a_block_may_become_longer(old: str, new: str) -> None:
    assert found(old, new) == []


RANGE = "x\n# ruff: disable[F821]\na\n# ruff: enable[F821]\nb\nc\n"


@pytest.mark.parametrize(
    "new",
    [
        "x\n# ruff: disable[F821]\na\nb\n# ruff: enable[F821]\nc\n",
        "x\n# ruff: disable[F821]\na\nb\nevil\n# ruff: enable[F821]\n",
        "x\n# ruff: disable[F821]\na\nb\nc\n# ruff: enable[F821]\n",
        "x\n# ruff: disable[F821]\na\n # ruff: enable[F821]\nb\nc\n",
        "x\n# ruff: disable[F821]\na\n\nb\n# ruff: enable[F821]\nc\n",
        "x\n# ruff: disable[F821]\na\nevil\n# ruff: enable[F821]\nb\nc\n",
        "x\n# ruff: disable[F821]\na\n# ruff: enable[E501]\nb\nc\n# ruff: enable[F821]\n",
    ],
)
def test_a_mark_with_an_end_is_new_where_it_covers_other_lines(new: str) -> None:
    assert (2, "# ruff: disable[F821]") in found(RANGE, new)


@pytest.mark.parametrize(
    "new",
    [
        "x\n# ruff: enable[F821]\n# ruff: disable[F821]\na\nb\nc\n# ruff: enable[F821]\n",
        "x\nb\nc\n# ruff: disable[F821]\na\n# ruff: enable[F821]\n",
        "if x:\n    # ruff: disable[F821]\n    a\n    # ruff: enable[F821]\n    b\n",
        "# ruff: disable[F821]\n\na\n\n# ruff: enable[F821]\nx\nb\nc\n",
        "x\n# ruff: disable[F821]\n# ruff: enable[F821]\nb\nc\n",
        "x\n# ruff: disable[F821]\na\n# ruff: enable[F821]\nevil\nc\n",
    ],
)
def test_it_is_not_where_it_moves_with_its_lines_or_covers_less(new: str) -> None:
    assert found(RANGE, new)[1:] == []


@pytest.mark.parametrize(
    ("start", "end", "told"),
    [
        ("# pylint: disable=x", "# pylint: enable=x", True),
        ("# pylint: disable=x,y", "# pylint: enable=y", True),
        ("# pylint: disable=x", "# pylint: enable=y", False),
        ("# pylint: disable=x", "  # pylint: enable=x", True),
        ("# pylint: disable=x", "# ruff: enable[x]", False),
        ("/* eslint-disable */", "/* eslint-enable no-eval */", True),
        ("/* eslint-disable no-eval */", "/* eslint-enable */", True),
        ("// NOLINTBEGIN", "// NOLINTEND", True),
        ("// CHECKSTYLE:OFF", "// CHECKSTYLE:ON", True),
        ("# rubocop:disable A/B", "# rubocop:enable A/B", True),
        ("#pragma warning disable 1", "#pragma warning restore 1", True),
        ("// prettier-ignore-start", "// prettier-ignore-end", False),
        ("# fmt: off", "# fmt: on", False),
    ],
)
def test_an_end_is_one_of_the_same_tool_and_rules(start: str, end: str, told: bool) -> None:
    old = f"{start}\nfoo()\nbar()\n{end}\n"
    assert [line for line, _ in found(old, old.replace("bar", "evil"))] == ([1] if told else [])


def test_a_mark_that_gets_an_end_is_not_new() -> None:
    assert found("# ruff: disable[F821]\na\nb\n", "# ruff: disable[F821]\na\n# ruff: enable[F821]\nb\n") == []


def test_marks_without_number_up_to_one_end_take_no_long_time() -> None:
    """Were the lines of each looked at, this would take minutes."""
    text = "# ruff: disable[F821]\n" * 6_000 + "a\n# ruff: enable[F821]\n"
    assert len(found(text, text.replace("\na", "\nb"))) == 6_000
    ends = "# ruff: disable[F821]\n" * 6_000 + "# ruff: enable[E501]\n" * 6_000
    assert len(found(None, ends)) == 6_000


def test_a_name_of_prose_says_what_counts() -> None:
    assert found(None, "Write # noqa.\n", "a.md") == []
    assert found(None, "#!/usr/bin/env python3\nx  # noqa\n", "a.md") == [(2, "# noqa")]
    assert found(None, "\ufeff#!python\nx  # noqa\n", "a.txt") == [(2, "# noqa")]
    assert found(None, "Begin with #!\nx  # noqa\n", "a.md") == []
    assert found("Write # noqa.\n", "Write # noqa.\nx\n", "a.py", "a.md") == []
    assert found("Write # noqa.\n", "Write # noqa!\n", "a.py", "a.md") == [(1, "# noqa")]


@pytest.mark.parametrize("end", ["# ruff: enable[F821]", "# pylint: enable=x", "/* eslint-enable */", "// NOLINTEND"])
def test_an_end_that_is_taken_away_is_told(end: str) -> None:
    (mark,) = new_marks(File("a", "a", Entry(PLAIN, f"a\n{end}\nb\n".encode()), Entry(PLAIN, b"a\nb\n")))
    assert (mark.line, mark.is_end) == (2, True)
    moved = Entry(PLAIN, f"{end}\na\nb\n".encode())
    assert new_marks(File("a", "a", Entry(PLAIN, f"a\n{end}\nb\n".encode()), moved)) == []
    assert new_marks(File("a", "a", moved, None)) == []


def test_a_long_line_of_marks_takes_no_long_time() -> None:
    """The search would never end if it looked from each of these to the end of the line."""
    assert found(None, "# shellcheck " * 60_000, "a.sh") == []


def test_without_marks_nothing_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patch, "differing", None)
    assert found("a\nb  # noqa\n", "b\nc\n") == []


def test_lines_that_differ_are_those_that_git_says() -> None:
    spans = (HunkSpan(1, 0, 2, 2), HunkSpan(2, 1, 3, 0))
    file = File("a", "a", Entry(PLAIN, b"a\nb\nc\n"), Entry(PLAIN, b"a\nx\ny\nc\n"), spans)
    assert file.hunks == [(2, [], 2, ["x", "y"]), (2, ["b"], 4, [])]


OF_THE_CODE_BELOW = {
    "noqa": ["# noqa: S307"],
    "ruff: ignore": ["# ruff: ignore[S307]"],
    "nosec": ["# nosec B307", "// #nosec G101"],
    "nosemgrep": ["# nosemgrep: a.b"],
    "type: ignore": ["# type: ignore[x]"],
    "pyright: ignore": ["# pyright: ignore[x]"],
    "pyre-ignore": ["# pyre-ignore[16]: x", "# pyre-fixme[16]"],
    "no_type_check": ["@no_type_check"],
    "pylint: disable": ["# pylint: disable-next=eval-used"],
    "eslint-disable": ["// eslint-disable-next-line no-eval", "/* oxlint-disable-next-line */"],
    "biome-ignore": ["// biome-ignore lint: x", "/* stylelint-disable-next-line */", "/* istanbul ignore next */",
                     "// slither-disable-next-line reentrancy", "// solhint-disable-next-line"],
    "@ts-ignore": ["// @ts-ignore", "// @ts-expect-error"],
    "lint:ignore": ["//lint:ignore SA1000 x", "// swiftlint:disable:next force_cast",
                    "# credo:disable-for-next-line", "//revive:disable-next-line"],
    "suppressed inspection": ["# noinspection PyX", "// lgtm[js/x]", "<!-- suppress X -->"],
    "cppcheck-suppress": ["// cppcheck-suppress x"],
    "trunk-ignore": ["# trunk-ignore(bandit)", "# kics-scan ignore-line"],
    "sqlfluff: off": [],
    "nolint": ["//nolint:gosec", "// NOLINTNEXTLINE(x)"],
    "#[allow]": ["#[allow(unsafe_code)]", "#[expect(x)]", "#[cfg_attr(all(a, b), allow(x))]"],
    "@SuppressWarnings": ['@SuppressWarnings("x")', '@Suppress("x")', "@SuppressWarnings(\n)"],
    "SuppressMessage": ["// @phpstan-ignore-next-line", "// phpcs:ignore", "/** @psalm-suppress X */",
                        '[SuppressMessage("a")]', "// @codingStandardsIgnoreLine"],
    "NOSONAR": ["// NOSONAR"],
    "selfreview: ignore": ["# selfreview: ignore[rules] x"],
    "no cover": ["# pragma: no cover"],
    "fmt: off": ["# fmt: skip"],
    "shellcheck disable": ["# shellcheck disable=SC2086"],
    "hadolint ignore": ["# hadolint ignore=DL3008"],
    "gitleaks:allow": ["# pragma: allowlist nextline secret", "# gitleaks:allow"],
    "markdownlint-disable": ["<!-- markdownlint-disable-next-line -->"],
    "zizmor: ignore": ["# tfsec:ignore:aws-s3", "# trivy:ignore:AVD-1", "# checkov:skip=CKV_1"],
    "yamllint disable": ["# yamllint disable-line"],
}  # fmt: skip
OF_MORE = {
    "noqa": ["# ruff: noqa", "# flake8: noqa"],
    "ruff: ignore": ["# ruff: disable[F821]", "# ruff: file-ignore[F821]"],
    "pyright: ignore": ["# pyright: basic"],
    "mypy: settings": ["# mypy: disable-error-code=x"],
    "pyre-ignore": ["# pyre-unsafe"],
    "pytype: disable": ["# pytype: skip-file", "# pytype: disable=x"],
    "pylint: disable": ["# pylint: disable=x", "# pylint: skip-file"],
    "eslint-disable": ["/* eslint-disable no-eval */"],
    "eslint: off": ["/* eslint no-eval: off */"],
    "biome-ignore": ["// biome-ignore-all lint: x", "/* c8 ignore start */", "// deno-lint-ignore-file"],
    "@ts-ignore": ["// @ts-nocheck"],
    "lint:ignore": ["// swiftlint:disable force_cast", "//lint:file-ignore SA1 x"],
    "cppcheck-suppress": ['#pragma clang diagnostic ignored "-Wx"', "// cppcheck-suppress-begin x"],
    "sqlfluff: off": ["-- sqlfluff:off"],
    "nolint": ["// NOLINTBEGIN"],
    "#[allow]": ["#![allow(x)]"],
    "@SuppressWarnings": ["#pragma warning disable 1"],
    "SuppressMessage": ["// phpcs:disable", '[assembly: SuppressMessage("x")]'],
    "NOSONAR": ["// CHECKSTYLE:OFF"],
    "rubocop:disable": ["# rubocop:disable Security/Eval", "# :nocov:"],
    "no cover": ["// LCOV_EXCL_START"],
    "fmt: off": ["# fmt: off"],
    "markdownlint-disable": ["<!-- markdownlint-disable -->"],
    "yamllint disable": ["# yamllint disable rule:x"],
}  # fmt: skip
BETWEEN = ("", "\n", "# why\n// why\n@other\n#[inline]\n\n")


@pytest.mark.parametrize(("kind", "pattern"), KINDS, ids=dict(KINDS))
def test_a_mark_with_its_line_for_itself_is_new_where_its_code_becomes_another(
    kind: str, pattern: re.Pattern[str]
) -> None:
    assert kind in OF_THE_CODE_BELOW or kind in OF_MORE
    for mark in OF_THE_CODE_BELOW.get(kind, ()):
        assert pattern.search(mark)
        for between in BETWEEN:
            text = f"x;\n{mark}\n{between}foo();\ny;\n"
            assert [line for line, _ in found(text, text.replace("foo", "evil"))][:1] == [2], (mark, between)
            assert found(text, text.replace("y;", "z;")) == [], mark


@pytest.mark.parametrize("kind", OF_MORE)
def test_a_mark_of_a_file_or_of_all_lines_to_an_end_is_not(kind: str) -> None:
    for mark in OF_MORE[kind]:
        assert dict(KINDS)[kind].search(mark)
        text = f"x;\n{mark}\nfoo();\n"
        assert found(text, text.replace("foo", "other")) == [], mark


@pytest.mark.parametrize("end", ["", pytest.param("\n", marks=pytest.mark.long)])
@pytest.mark.parametrize(
    "start",
    ["@Suppress(", "#[allow(", "cfg_attr(", "lgtm[", "# type: ignore[", "# pyre-ignore[", "# pyright: ignore[",
     "selfreview: ignore[", "# noqa ", "# nosec B101,", "/* eslint a "],
)  # fmt: skip
def test_what_nothing_closes_takes_no_long_time(start: str, end: str) -> None:
    """Were each looked at up to the end of the text, or compared with all of its line, this would take minutes."""
    assert len(found(None, (start + end) * 8_000, "a.rs")) <= 8_000


@pytest.mark.parametrize(("line", "told"), [("x", False), ("a", True), ("b", False)])
def test_the_first_line_below_a_mark_is_the_first_that_it_is_about(line: str, told: bool) -> None:
    assert bool(found(RANGE, RANGE.replace(f"{line}\n", "evil\n", 1))) is told


@pytest.mark.parametrize(("others", "told"), [(0, True), (11, True), (12, False)])
def test_code_that_is_too_far_off_is_not_that_of_a_mark(others: int, told: bool) -> None:
    text = "# nosec\n" + "# why\n" * others + "foo()\n"
    assert bool(found(text, text.replace("foo", "evil"))) is told


def test_so_many_marks_of_one_line_are_told() -> None:
    marks = [f"# noqa: A{number}" for number in range(100, 122)]
    line = " ".join(marks)
    assert found(None, f"a  {line}\nb  {line}\n") == [(row, mark) for row in (1, 2) for mark in marks[:20]]


def test_a_mark_is_none_of_the_ends() -> None:
    file = File("a.py", "a.py", None, Entry(PLAIN, b"a  # noqa\n"))
    assert [mark.is_end for mark in new_marks(file)] == [False]


@pytest.mark.parametrize(("before", "after", "lines"), [(1, 1, []), (1, 2, [5]), (2, 2, []), (2, 3, [6])])
def test_as_many_marks_as_there_were_may_move(before: int, after: int, lines: list[int]) -> None:
    mark, rest = "a  # noqa\n", "b\nc\nd\n"
    assert [line for line, _ in found(mark * before + rest, rest + mark * after)] == lines


def test_lines_are_counted_from_the_top_of_a_file() -> None:
    assert found(None, "\n\na  # noqa\n\n\n\nb  # noqa\n") == [(3, "# noqa"), (7, "# noqa")]


def test_a_kind_that_prose_does_not_have_hides_no_other() -> None:
    assert found(None, "a # noqa\nb <!-- selfreview: ignore[x] -->\n", "a.md") == [(2, "selfreview: ignore[x]")]


def test_a_mark_before_lines_that_have_an_end_already_is_new() -> None:
    assert found(RANGE.replace("# ruff: disable[F821]\n", ""), RANGE) == [(2, "# ruff: disable[F821]")]


def test_a_blank_line_below_a_mark_changes_nothing() -> None:
    assert found(RANGE, RANGE.replace("a\n", "\na\n", 1)) == []


TEXT = 'f("""\na\n""")  # noqa\n'


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (TEXT, TEXT.replace("f(", "g("), True),
        (TEXT, TEXT.replace("\na", "\nb"), True),
        (TEXT.replace('"', "'"), TEXT.replace('"', "'").replace("\na", "\nb"), True),
        ('"""\na\n"""  # noqa\n', '"""\nb\n"""  # noqa\n', True),
        (f"x\n{TEXT}", f"y\n{TEXT}", False),
        (f"\n{TEXT}", f"x\n{TEXT}", False),
        ('"""a"""\nx\nf("""a""")  # noqa\n', '"""a"""\ny\nf("""a""")  # noqa\n', False),
    ],
)
def test_a_mark_behind_a_text_is_about_all_of_the_text(old: str, new: str, told: bool) -> None:
    assert bool(found(old, new)) is told


END, REST = "# pylint: enable=x\n", "a\nb\nc\n"


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        (END * 2 + REST, REST + END * 2, []),
        (END * 2 + REST, REST + END, [2]),
        (END * 3 + REST, REST + END, [2, 3]),
        (f"x\n{END}{REST}", REST, [2]),
    ],
)
def test_as_many_ends_as_there_were_may_move(old: str, new: str, lines: list[int]) -> None:
    assert [line for line, _ in found(old, new)] == lines
