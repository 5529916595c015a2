"""Comments for other tools that name a rule: which weakness, on which lines, and where they count."""

from __future__ import annotations

import re
from contextlib import closing
from types import ModuleType
from typing import Any

import pytest

from selfreview.api.context import SourceText
from selfreview.model.change import ChangedFile, HunkSpan
from selfreview.model.issue import GATE, IssueStatus, Severity, Side
from selfreview.review import suppressions, tool_comments, topics
from selfreview.review.marks import Mark, OwnMarks
from selfreview.review.suppressions import Suppression
from selfreview.review.tool_comments import ToolComments, find_tool_comments, names_in
from selfreview.syntax import statements
from selfreview.syntax.suppression_comments import KINDS
from selfreview.testing.context import MemoryContext
from tests.review.builders import make_issue


def found(text: str, path: str = "a.py", **more: Any) -> list[Suppression]:
    return find_tool_comments(ChangedFile(path=path, **more), SourceText.from_bytes(text.encode()))


@pytest.mark.parametrize(
    ("kind", "text", "names"),
    [
        ("noqa", "# noqa: S307", ("ruff/S307",)),
        ("noqa", "# noqa:S307,E501 F401", ("ruff/S307", "ruff/E501", "ruff/F401")),
        ("noqa", "# noqa", ()),
        ("ruff: ignore", "# ruff: ignore[S307, E501]", ("ruff/S307", "ruff/E501")),
        ("nosec", "# nosec B307", ("bandit/B307", "ruff/S307")),
        ("nosec", "// #nosec G204 -- why", ("gosec/G204",)),
        ("nosec", "# nosec", ()),
        ("nosemgrep", "# nosemgrep: a.b-c, d", ("semgrep/a.b-c", "semgrep/d")),
        ("nosemgrep", "# nosemgrep", ()),
        ("type: ignore", "# type: ignore[unused-coroutine]", ("mypy/unused-coroutine",)),
        ("pylint: disable", "# pylint: disable=eval-used,W0127", ("pylint/eval-used", "pylint/W0127", "ruff/PLW0127")),
        ("pylint: disable", "# pylint: skip-file", ()),
        ("eslint-disable", "// eslint-disable-line no-eval, @x/y -- why", ("eslint/no-eval", "eslint/@x/y")),
        (
            "eslint-disable",
            "// tslint:disable-next-line:no-eval no-console, no-x",
            (
                "eslint/no-eval",
                "eslint/no-console",
                "eslint/no-x",
            ),
        ),
        ("eslint-disable", "// tslint:disable-line:no-eval", ("eslint/no-eval",)),
        ("eslint-disable", "// eslint-disable-line:no-eval", ()),
        ("eslint-disable", "// eslint-disable-line no-eval no-console", ("eslint/no-eval",)),
        ("eslint-disable", "/* eslint-disable */", ()),
        ("eslint-disable", "// eslint-disable-line -- why", ()),
        ("pyright: ignore", "# pyright: ignore[reportUnusedCoroutine]", ("pyright/reportUnusedCoroutine",)),
        ("biome-ignore", "// biome-ignore lint/security/noGlobalEval: x", ("biome/lint/security/noGlobalEval",)),
        ("lint:ignore", "//lint:ignore SA4000 why", ("staticcheck/SA4000",)),
        ("lint:ignore", "// swiftlint:disable:next force_try", ("swiftlint/force_try",)),
        ("nolint", "// NOLINT(cert-msc30-c)", ("clang-tidy/cert-msc30-c",)),
        ("nolint", "//nolint:errcheck", ("golangci-lint/errcheck",)),
        ("nolint", "// NOLINT", ()),
        ("rubocop:disable", "# rubocop:disable Security/Eval", ("rubocop/Security/Eval",)),
        ("shellcheck disable", "# shellcheck disable=SC2115", ("shellcheck/SC2115",)),
        ("gitleaks:allow", "# gitleaks:allow", ("secrets/*",)),
        ("gitleaks:allow", "# pragma: allowlist secret", ("secrets/*",)),
        ("NOSONAR", "// NOSONAR", ()),
    ],
)
def test_the_rules_that_a_comment_names(kind: str, text: str, names: tuple[str, ...]) -> None:
    mark = dict(KINDS)[kind].search(text)
    assert mark is not None
    assert names_in(kind, mark) == names


@pytest.mark.parametrize(
    "text",
    ["x = 1  # noqa", "x = '# noqa: S307'\n", '"""\n# noqa: S307\n"""\n', "x = 1  # nosec", "# S307\n"],
)
def test_a_comment_that_names_no_rule_and_a_string_are_none(text: str) -> None:
    assert found(text) == []


def test_prose_holds_none() -> None:
    assert found("# noqa: S307\n", "a.md") == []


@pytest.mark.parametrize(
    ("path", "text", "lines"),
    [
        ("a.py", "a\nb  # noqa: S307\nc\n", [2]),
        ("a.py", "\nb  # noqa: S307\nc\n", [2]),
        ("a.py", "a\n# noqa: S307\nc\n", [2]),
        ("a.py", "a\nb(\n  c\n)  # noqa: S307\nd\n", [2, 3, 4]),
        ("a.py", "a\nb(  # noqa: S307\n  c\n)\nd\n", [2]),
        ("a.py", "# ruff: noqa: S307\na\n", None),
        ("a.py", "a\n# flake8: noqa: S307\nb\n", None),
        ("a.py", "a\n# ruff: file-ignore[S307]\n", None),
        ("a.py", "a\n# ruff: ignore[S307]\n\nb\nc\n", [4]),
        ("a.py", "a  # ruff: ignore[S307]\nb\n", [1]),
        ("a.py", "a\n# ruff: disable[S307]\nb\n# ruff: enable[S307]\nc\n", [3, 4]),
        ("a.py", "a\n# ruff: disable[S307]\nb\n    # ruff: enable[S307]\nc\n# ruff: enable[S307]\nd\n", [3, 4]),
        ("a.py", "a\nb  # pylint: disable=eval-used\nc\n", [2]),
        ("a.py", "a\n# pylint: disable-next=eval-used\nb\nc\n", [3]),
        ("a.py", "def a():\n    # pylint: disable=eval-used\n    b\n\n    c\nd\n", [3, 4, 5]),
        ("a.py", "a\n# pylint: disable=eval-used\nb\n# pylint: enable=eval-used\nc\n", [3, 4]),
        ("a.py", "a\n# pylint: disable=eval-used\nb\nc\n", [3, 4]),
        ("a.py", "# why\n# pylint: disable=eval-used\nb\n", None),
        ("a.py", "a\n# nosec B307\nb\n", [2]),
        ("a.go", "a()\n// #nosec G204\nb()\nc()\n", [3]),
        ("a.go", "a()\n//lint:ignore SA4000 why\nb()\nc()\n", [3]),
        ("a.go", "a()\n//lint:file-ignore SA4000 why\nb()\nc()\n", None),
        ("a.go", "a()\n//nolint:errcheck\nb()\nc()\n", [3]),
        ("a.go", "a() //nolint:errcheck\nb()\n", [1]),
        ("a.py", "a\n# nosemgrep: x.y\nb\nc\n", [3]),
        ("a.py", "a\n# nosemgrep: x.y\n", []),
        ("a.js", "a();\n// eslint-disable-next-line no-eval\nb();\nc();\n", [3]),
        ("a.js", "a();\nb(); // eslint-disable-line no-eval\nc();\n", [2]),
        ("a.js", "a();\nb(); // eslint-disable-line no-eval, @next/next/no-img-element\nc();\n", [2]),
        ("a.js", "a();\n// nosemgrep: javascript.nextjs.eval\n\nb();\n", [4]),
        ("a.js", "/* eslint-disable no-eval, @next/next/no-img-element */\nb();\n", None),
        ("a.js", "/* eslint-disable no-eval, react/jsx-one-expression-per-line */\nb();\n", None),
        ("a.js", "a(); /* eslint-disable no-eval, standard/no-callback-literal */\nb();\nc();\n", [2, 3]),
        ("a.go", "a()\nb() //nolint:ignore-all\n", [2]),
        ("a.js", "a();\n/* eslint-disable no-eval */\nb();\n/* eslint-enable no-eval */\nc();\n", [3, 4]),
        ("a.js", "a();\n/* eslint-disable no-eval */\nb();\n/* eslint-enable no-x */\nc();\n", [3, 4]),
        ("a.js", "/* eslint-disable no-eval */\nb();\n", None),
        ("a.js", "a(); /* eslint-disable no-eval */\nb();\n", [2]),
        ("a.js", "a();\n/* eslint-disable-line no-eval */ b();\n", [2]),
        ("a.py", "def a():\n    b\n    # pylint: disable=eval-used\nc\n", []),
        ("a.js", "// eslint-disable no-eval\nb();\n", []),
        ("a.js", "// tslint:disable no-eval\nb();\n", None),
        ("a.js", "a();\n// tslint:disable-next-line:no-eval\nb();\nc();\n", [3]),
        ("a.js", "a();\nb(); // tslint:disable-line:no-eval\n", [2]),
        ("a.js", "a();\n// tslint:disable:no-eval\nb();\n// tslint:enable:no-eval\nc();\n", [3, 4]),
        ("a.py", "a\nb  # ruff: noqa: S307\nc\n", [2]),
        ("a.js", "/* eslint-disable no-eval */\nb();\n/* eslint-enable */\nc();\n", [2, 3]),
        ("a.js", "/* eslint-disable no-eval */\nb();\n/* eslint-enable -- it is over */\nc();\n", [2, 3]),
        ("a.js", "a();\n/* eslint-disable no-eval */ b(); /* eslint-enable no-eval */\nc();\n", []),
        ("a.js", "/* eslint-disable no-eval */\n" + "/* eslint-enable no-x */\n" * 30 + "b();\n", [2]),
        ("a.rb", "# rubocop:disable Security/Eval\na\n# rubocop:enable all\nb\n", [2, 3]),
        ("a.rb", "# rubocop:push\n# rubocop:disable Security/Eval\na\n# rubocop:pop\nb\n", [3, 4]),
        ("a.py", "# pylint: disable=eval-used\na\n# pylint: enable=W0123\nb\n", [2, 3]),
        ("a.py", "# pylint: disable=eval-used\na\n# so pylint: enable=all\nb\n", [2, 3]),
        ("a.py", "def f():\n    # ruff: file-ignore[S307]\n    a\n", []),
        ("a.py", "def f():\n# ruff: file-ignore[S307]\n    a\n", []),
        ("a.js", "a();\n// biome-ignore-all lint/security/noGlobalEval: x\nb();\n", []),
        ("a.js", "a();\n// biome-ignore lint/security/noGlobalEval: x\nb();\nc();\n", [3]),
        ("a.js", "// biome-ignore-all lint/security/noGlobalEval: x\nb();\n", None),
        (
            "a.js",
            "a();\n// biome-ignore-start lint/security/noGlobalEval: x\nb();\n"
            "// biome-ignore-end lint/security/noGlobalEval: x\nc();\n",
            [3, 4],
        ),
        ("a.c", "a();\nb(); // NOLINT(cert-msc30-c)\nc();\n", [2]),
        ("a.c", "a();\n// NOLINT(cert-msc30-c)\nc();\n", [2]),
        ("a.c", "a();\n// NOLINTNEXTLINE(cert-msc30-c)\nb();\n", [3]),
        ("a.c", "a();\n// NOLINTBEGIN(cert-msc30-c)\nb();\n// NOLINTEND(cert-msc30-c)\nc();\n", [3, 4]),
        ("a.c", "a();\n// NOLINTNEXTLINE(cert-msc30-c)\n// why\nb();\n", [3]),
        ("a.js", "a();\n// eslint-disable-next-line no-eval\n// why\nb();\n", [3]),
        ("a.js", "a();\n// eslint-disable-next-line no-eval\n\nb();\n", [3]),
        ("a.py", "def a():\n    # pylint: disable=eval-used\n    b\nc\n", [3]),
        ("a.rb", "a\nb # rubocop:disable Security/Eval\nc\n", [2]),
        ("a.rb", "a\n# rubocop:disable Security/Eval\nb\n# rubocop:enable Security/Eval\nc\n", [3, 4]),
        ("a.swift", "a()\n// swiftlint:disable:next force_try\nb()\n", [3]),
        ("a.swift", "a()\nb() // swiftlint:disable:this force_try\n", [2]),
        ("a.sh", "#!/bin/sh\na\n# shellcheck disable=SC2115\nb\nc\n", [4]),
        ("a.sh", "#!/bin/sh\n# shellcheck disable=SC2115\na\n", None),
        ("a.py", "a\nb  # gitleaks:allow\nc\n", [2]),
        ("a.py", "a\n# pragma: allowlist nextline secret\nb\n", [3]),
    ],
)
def test_the_lines_that_a_comment_is_about_are_those_of_its_tool(path: str, text: str, lines: list[int] | None) -> None:
    (comment,) = found(text, path)
    assert (None if comment.lines is None else list(comment.lines)) == lines


def comments(own: OwnMarks = OwnMarks.COUNT, **files: tuple[str | None, str | None]) -> ToolComments:
    with closing(MemoryContext({name.replace("_", "."): sides for name, sides in files.items()})) as context:
        return ToolComments(context.change, context.text, own)


EVAL = {"reviewer": "rules", "rule": "python-eval", "severity": Severity.HIGH}
LINE = "x = eval(y)  # noqa: S307\n"


def test_an_issue_of_the_same_weakness_is_marked_with_the_comment_as_it_stands() -> None:
    marker = comments(a_py=(None, "a = 1\n" + LINE))
    assert marker.mark(make_issue(**EVAL, line_start=2, line_end=2)) == Mark(
        IssueStatus.SUPPRESSED, "by the comment in line 2: # noqa: S307", line=2
    )
    assert marker.mark(make_issue(**EVAL, line_start=1, line_end=2)) is not None
    assert marker.mark(make_issue(**EVAL)) is None


@pytest.mark.parametrize(
    ("text", "last", "marked"),
    [
        ("x = f(\n    eval(y),  # noqa: S307\n    z,\n)\n", 4, True),
        ("x = f(\n    eval(y),  # noqa: S307\n    z,\n)\n", 1, False),
        ("x = f(\n    eval(y),  # noqa: S608\n    z,\n)\n", 4, False),
        ("try:\n    eval(y)  # noqa: S307\n    eval(z)\nfinally:\n    pass\n", 5, False),
        ("x = f(\n" + "    1,\n" * 56 + "    eval(y),  # noqa: S307\n    z,\n)\n", 60, True),
        ("f(() => {\n    eval(y);  // eslint-disable-line no-eval\n    eval(z);\n});\n", 4, False),
    ],
)
def test_a_comment_within_the_statement_that_an_issue_spans_is_about_it(text: str, last: int, marked: bool) -> None:
    name, rule = ("a_js", "javascript-eval") if "eslint" in text else ("a_py", "python-eval")
    issue = make_issue(**{**EVAL, "rule": rule}, file=name.replace("_", "."), line_end=last)
    assert (comments(**{name: (None, text)}).mark(issue) is not None) is marked


@pytest.mark.parametrize(
    ("text", "line", "marked"),
    [
        ("f(  # noqa: S307\n    1,\n    eval(y),\n)\n", 3, True),
        ("f(  # noqa: S307\n    g(\n        eval(y),\n    ),\n)\n", 3, False),
        ("f(\n    eval(z),  # noqa: S307\n    eval(y),\n)\n", 3, False),
        ("f()  # noqa: S307\neval(y)\n", 2, False),
        ("def f():  # noqa: S307\n    eval(y)\n", 2, False),
        ("f(  # noqa: S307\n" + "    1,\n" * 10 + "    eval(y),\n)\n", 12, True),
        ("f(  # noqa: S307\n" + "    1,\n" * 11 + "    eval(y),\n)\n", 13, False),
    ],
)
def test_a_comment_where_the_brackets_open_that_an_issue_begins_in_is_about_it(
    text: str, line: int, marked: bool
) -> None:
    issue = make_issue(**EVAL, line_start=line, line_end=line)
    assert (comments(a_py=(None, text)).mark(issue) is not None) is marked


def test_one_within_the_issue_is_told_before_one_above_it() -> None:
    text = "f(  # noqa: S307\n    eval(\n        y,  # noqa: S307\n    ),\n)\n"
    mark = comments(a_py=(None, text)).mark(make_issue(**EVAL, line_start=2, line_end=4))
    assert mark is not None
    assert mark.reason.startswith("by the comment in line 3:")


def test_several_comments_are_told_by_their_lines() -> None:
    text = "t = '# noqa: S1'\na  # noqa: S307\nb  # nosec B307\nc  # noqa: S608 # pylint: disable=eval-used\n"
    assert [(comment.number, comment.line, comment.names[0]) for comment in found(text)] == [
        (0, 2, "ruff/S307"), (1, 3, "bandit/B307"), (2, 4, "ruff/S608"), (3, 4, "pylint/eval-used"),
    ]  # fmt: skip
    assert all(comment.is_valid for comment in found(text))


def test_one_about_another_weakness_hides_none_behind_it() -> None:
    text = "a  # noqa: S608\nx = eval(y)  # nosec B307\n"
    assert comments(a_py=(None, text)).mark(make_issue(**EVAL, line_start=2, line_end=2)) is not None


def test_an_issue_of_a_whole_file_is_not_that_of_a_line() -> None:
    issue = make_issue(**EVAL, line_start=0, line_end=0)
    assert comments(a_py=(None, LINE)).mark(issue) is None
    assert comments(a_py=(None, FILE + LINE)).mark(issue) is not None


def test_the_comment_is_told_to_its_closing_bracket() -> None:
    (comment,) = found("a(); // NOLINT(cert-msc24-c) why\n", "a.c")
    assert comment.reason == "// NOLINT(cert-msc24-c)"
    (comment,) = found("a  # noqa: " + "S307, " * 30 + "S307\n")
    assert len(comment.reason) == 80


@pytest.mark.parametrize(
    "fields",
    [
        {"severity": Severity.CRITICAL},
        {"rule": "python-yaml-load"},
        {"rule": None},
        {"reviewer": "claude"},
        {"reviewer": GATE},
        {"side": Side.OLD},
        {"unreviewed": True},
        {"file": "b.py"},
    ],
)
def test_nothing_else_is(fields: Any) -> None:
    assert comments(a_py=(None, LINE)).mark(make_issue(**{**EVAL, **fields})) is None


@pytest.mark.parametrize(
    ("text", "reviewer", "rule"),
    [
        ("x = eval(y)  # nosec B307\n", "ruff", "S307"),
        ("x = y  # pylint: disable=W0127\n", "ruff", "PLW0127"),
        ("x = 'y'  # gitleaks:allow\n", "secrets", "generic-password"),
        ("x = y  # nosec B613\n", "text", "bidi-control"),
    ],
)
def test_what_the_other_embedded_reviewers_say_is_meant_too(text: str, reviewer: str, rule: str) -> None:
    assert comments(a_py=(None, text)).mark(make_issue(reviewer=reviewer, rule=rule)) is not None


def test_no_comment_is_about_what_nothing_can_read() -> None:
    issue = make_issue(reviewer="text", rule="broken-syntax")
    assert comments(a_sh=(None, "# shellcheck disable=SC1073\nif\n")).mark(issue) is None


FILE = "# ruff: noqa: S307\n"


@pytest.mark.parametrize(
    ("own", "before", "after", "marked"),
    [
        (OwnMarks.IGNORE, None, LINE, False),
        (OwnMarks.IGNORE, LINE, LINE + "b = 1\n", False),
        (OwnMarks.LIST, None, LINE, True),
        (OwnMarks.IGNORE, None, FILE + LINE, False),
        (OwnMarks.IGNORE, "a = 1\n", FILE + LINE, False),
        (OwnMarks.IGNORE, FILE, FILE + "x = eval(y)\n", True),
        (OwnMarks.IGNORE, "/* */\n", FILE + "x = eval(y)\n", False),
    ],
)
def test_in_a_gate_it_counts_as_our_own_comments_do(own: OwnMarks, before: str, after: str, marked: bool) -> None:
    line = after.splitlines().index(next(text for text in after.splitlines() if "eval" in text)) + 1
    mark = comments(own, a_py=(before, after)).mark(make_issue(**EVAL, line_start=line, line_end=line))
    assert (mark is not None) is marked


def test_one_about_a_whole_file_that_got_there_unwritten_is_the_change_s_own() -> None:
    """The change takes out what stood above it, so that it stands above all code now."""
    old = "import os\n# pylint: disable=eval-used\n# pylint: enable=eval-used\n"
    new = "# pylint: disable=eval-used\nx = eval(y)\n"
    issue = make_issue(**EVAL, line_start=2, line_end=2)
    assert comments(OwnMarks.IGNORE, a_py=(old, new)).mark(issue) is None
    assert comments(OwnMarks.COUNT, a_py=(old, new)).mark(issue) is not None


def test_one_of_a_renamed_file_is_the_change_s_own() -> None:
    (comment,) = found(FILE, path="a.py", old_path="b.py", spans=(HunkSpan(5, 0, 5, 1),))
    assert comment.own
    (comment,) = found(FILE, path="a.py", spans=(HunkSpan(5, 0, 5, 1),))
    assert not comment.own


def test_one_about_lines_is_the_change_s_own_wherever_it_was_before() -> None:
    (comment,) = found(LINE, spans=(HunkSpan(5, 0, 5, 1),))
    assert comment.own


def test_one_up_to_an_end_is_about_nothing_behind_it() -> None:
    text = "a\n# pylint: disable=eval-used\nx = eval(y)\n# pylint: enable=eval-used\nx = eval(y)\n"
    marker = comments(a_py=(None, text))
    marked = [marker.mark(make_issue(**EVAL, line_start=line, line_end=line)) is not None for line in range(1, 6)]
    assert marked == [False, False, True, True, False]


def test_many_comments_to_the_end_of_a_file_take_no_long_time() -> None:
    text = "a\n" + "# pylint: disable=eval-used\nb\n" * 20_000 + "x = eval(y)\n"
    last = text.count("\n")
    mark = comments(a_py=(None, text)).mark(make_issue(**EVAL, line_start=last, line_end=last))
    assert mark is not None
    assert re.search(r"line 2: # pylint", mark.reason)


def calls_of(monkeypatch: pytest.MonkeyPatch, module: ModuleType, name: str) -> list[tuple[Any, ...]]:
    """Return a list to which every call of a function adds its arguments."""
    calls: list[tuple[Any, ...]] = []
    real = getattr(module, name)

    def call(*args: Any) -> Any:
        calls.append(args)
        return real(*args)

    monkeypatch.setattr(module, name, call)
    return calls


def test_each_statement_is_looked_for_once_however_many_issues_are_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = calls_of(monkeypatch, statements, "statement")
    marker = comments(a_py=(None, "f(\n    eval(y),  # noqa: S307\n    z,\n)\n" * 100))
    for _ in range(10):
        marks = [marker.mark(make_issue(**EVAL, line_start=line, line_end=line + 3)) for line in range(1, 400, 4)]
        assert None not in marks
    numbers = [number for _, number in calls]
    assert len(numbers) == len(set(numbers))


def test_comments_are_not_gone_through_for_each_rule_that_reports(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = calls_of(monkeypatch, tool_comments, "subjects_named")
    marker = comments(a_py=(None, LINE * 200))
    for number in range(200):
        assert marker.mark(make_issue(**{**EVAL, "rule": f"of-our-own-{number}"})) is None
    assert len(calls) == 200


def test_rules_are_not_gone_through_for_each_name_in_a_comment(monkeypatch: pytest.MonkeyPatch) -> None:
    class Once(dict[str, str]):
        def __iter__(self) -> Any:
            raise AssertionError("all rules are gone through")

    monkeypatch.setattr(topics, "_TOPIC_OF", Once(topics._TOPIC_OF))
    assert comments(a_py=(None, "x = eval(y)  # nosemgrep: a.eval-detected\n")).mark(make_issue(**EVAL)) is None
    mark = comments(a_py=(None, "x = eval(y)  # nosemgrep: eval-detected\n")).mark(make_issue(**EVAL))
    assert mark is not None


def test_blocks_within_one_another_are_not_each_walked_to_their_end(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = calls_of(monkeypatch, tool_comments, "indent_of")
    text = "def a():\n" + "    # pylint: disable=eval-used\n    eval(b)\n" * 200 + "c\n"
    found_ = found(text)
    assert {list(comment.lines or ())[-1] for comment in found_} == {401}
    assert len(calls) <= text.count("\n")


@pytest.mark.parametrize("line", ["x = eval(y)  # noqa: S307\n", "# noqa: S307\nx = eval(y)\n"])
def test_a_deep_tree_is_not_gone_down_from_its_root_for_each_comment(
    line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Brackets that nothing closes make a tree in which each line is within the next one."""
    calls = calls_of(monkeypatch, suppressions, "_holds")
    text = "f(\n" * 100 + line * 300
    assert len(found(text)) == 300
    assert len(calls) <= 10 * text.count("\n")


def test_a_long_line_is_not_read_again_for_each_of_its_comments(monkeypatch: pytest.MonkeyPatch) -> None:
    class Opener:
        searched = 0

        def search(self, line: str) -> re.Match[str] | None:
            Opener.searched += 1
            return re.search("/[*]", line)

    monkeypatch.setattr(suppressions, "_OPENER", Opener())
    assert len(found("x# noqa: S307 " * 1_000 + "/* # noqa: S307 */ " * 10, "a.py")) == 10
    assert Opener.searched == 1
