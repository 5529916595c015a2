"""Comments that say of an issue that it does not count: which one, on which lines, and whose."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from selfreview.api.context import SourceText
from selfreview.model.change import ChangedFile, HunkSpan
from selfreview.model.issue import GATE, Issue, IssueStatus, Severity, Side
from selfreview.review.marks import Mark, OwnMarks
from selfreview.review.suppressions import Comments, OfFile, Suppression, Suppressions, find_suppressions
from selfreview.testing.context import MemoryContext
from tests.review.builders import make_issue


def found(*lines: str, path: str = "a.py", added: tuple[HunkSpan, ...] = ()) -> list[Suppression]:
    text = SourceText.from_bytes("\n".join([*lines, ""]).encode())
    return find_suppressions(ChangedFile(path=path, spans=added), text)


def one(*lines: str, **more: Any) -> Suppression:
    (comment,) = found(*lines, **more)
    return comment


@pytest.mark.parametrize(
    ("text", "names", "reason"),
    [
        ("# selfreview: ignore[F401] it registers itself", ("F401",), "it registers itself"),
        ("# selfreview:ignore [F401, ruff/E1 ,text] why", ("F401", "ruff/E1", "text"), "why"),
        ("# selfreview: ignore[F401]: why", ("F401",), "why"),
        ("# selfreview: ignore[F401] - why --", ("F401",), "why"),
        ("# selfreview: ignore[F401] \N{EM DASH} why", ("F401",), "why"),
        ("# selfreview: ignore[] why", (), "why"),
        ("# selfreview: ignore[ , ] why", (), "why"),
        ("# selfreview: ignore why", (), "why"),
        ("# selfreview: ignore[F401]", ("F401",), ""),
        ("# selfreview: ignore[F401] -->", ("F401",), ""),
        ("# selfreview: ignore[F401] " + "w" * 300, ("F401",), "w" * 200),
    ],
)
def test_what_a_comment_says(text: str, names: tuple[str, ...], reason: str) -> None:
    comment = one("x = 1", text, "y = 2")
    assert (comment.file, comment.line) == ("a.py", 2)
    assert (comment.names, comment.reason) == (names, reason)
    assert comment.is_valid is bool(names and reason)


@pytest.mark.parametrize(
    "text",
    [
        "# selfreview: ignored[F401] why",
        "# selfreview: ignore-files[F401] why",
        "# selfreview ignore[F401] why",
        "x = 'selfreview: ignore[F401] why'",
        "x = 1",
        "# selfreview: nothing",
    ],
)
def test_what_is_no_such_comment(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize("end", ["*/", "-->", "#}", "-}", "*)", "*}", "#>", "?>", "}"])
def test_no_end_of_a_comment_is_part_of_the_reason(end: str) -> None:
    assert one(f"# selfreview: ignore[F401] why *) {end}").reason == "why"


def test_the_end_of_a_block_comment_is_no_part_of_the_reason() -> None:
    assert one("f();", "/* selfreview: ignore[no-eval] why */", path="a.js").reason == "why"
    assert one("<b>", "<!-- selfreview: ignore[x] why -->", path="a.html").reason == "why"


def test_a_comment_behind_code_is_about_its_line_and_one_alone_about_the_next_too() -> None:
    assert one("x = 1", "y = 2  # selfreview: ignore[F] why", "z = 3").lines == (2,)
    assert one("x = 1", "# selfreview: ignore[F] why", "z = 3").lines == (2, 3)


def test_several_above_one_line_are_all_about_it() -> None:
    lines = ("# selfreview: ignore[F] why", "# selfreview: ignore[G] why", "# selfreview: ignore[H] why", "x = 1")
    assert [comment.lines for comment in found(*lines)] == [(1, 4), (2, 4), (3, 4)]


@pytest.mark.parametrize(
    ("path", "between"),
    [
        ("a.py", [""]),
        ("a.py", ["  ", "# said of it", "\t", "    # and more"]),
        ("a.js", ["// said of it", "/* and", "", "more */"]),
        ("Makefile", ["", "# said of it"]),
    ],
)
def test_blank_lines_and_comments_may_stand_between_it_and_the_code(path: str, between: list[str]) -> None:
    mark = ("//" if path == "a.js" else "#") + " selfreview: ignore[F] why"
    for comment in found(mark, *between, mark, *between, "x = 1", "y = 2", path=path):
        assert comment.lines == (comment.line, 2 * len(between) + 3)


@pytest.mark.parametrize("code", ["x = 1  # said of it", '"""a string"""', "/* said */ x = 1", "*"])
def test_nothing_else_may(code: str) -> None:
    path = "a.js" if code.startswith("/") else "a.py"
    mark = ("//" if path == "a.js" else "#") + " selfreview: ignore[F] why"
    assert one(mark, "", code, "y = 2", path=path).lines == (1, 3)


def test_where_no_code_follows_it_is_about_none() -> None:
    assert one("x = 1", "# selfreview: ignore[F] why", "", "# the end").lines == (2,)


def test_two_in_one_comment_both_count() -> None:
    comments = found("x = 1  # selfreview: ignore[F]")
    assert [comment.names for comment in comments] == [("F",)]
    source = ("/* selfreview: ignore[F] why", "   selfreview: ignore[G] why */", "f();")
    assert [(comment.line, comment.lines) for comment in found(*source, path="a.js")] == [(1, (1, 3)), (2, (2, 3))]


def test_a_comment_about_the_whole_file() -> None:
    assert one("x = 1", "# selfreview: ignore-file[F] why").lines is None


@pytest.mark.parametrize(("first", "own"), [(1, False), (2, True), (3, False)])
def test_whose_one_about_the_whole_file_is(first: int, own: bool) -> None:
    span = HunkSpan(0, 0, first, 1)
    assert one("x = 1", "# selfreview: ignore-file[F] why", "y = 2", added=(span,)).own is own


def test_one_in_a_long_comment_beside_code_is_about_the_lines_that_hold_code() -> None:
    source = ("x(1) /* a", *["b"] * 500, "selfreview: ignore[F] why", *["c"] * 500, "d */ y(2)")
    assert one(*source, path="a.js").lines == (1, 502, 1003)


@pytest.mark.parametrize("lines", [("x = 1  # selfreview: ignore[F] why",), ("# selfreview: ignore[F] why", "x = 1")])
def test_one_about_lines_is_always_about_what_the_change_does(lines: tuple[str, ...]) -> None:
    assert one(*lines).own


@pytest.mark.parametrize(("old_path", "own"), [("b.py", True), (None, False)])
def test_one_about_the_whole_file_is_the_changes_own_under_another_name(old_path: str | None, own: bool) -> None:
    text = SourceText.from_bytes(b"# selfreview: ignore-file[F] why\nx = 1\n")
    (comment,) = find_suppressions(ChangedFile(path="a.py", old_path=old_path), text)
    assert comment.own is own


COMMENT = Suppression(0, "a.py", 4, ("F401", "ruff", "text/long"), "why", (4, 5), own=False, odd=False)


@pytest.mark.parametrize(
    ("fields", "about"),
    [
        ({"line_start": 4, "line_end": 4}, True),
        ({"line_start": 5, "line_end": 9}, True),
        ({"line_start": 1, "line_end": 5}, True),
        ({"line_start": 3, "line_end": 6}, False),
        ({"line_start": 6, "line_end": 6}, False),
        ({"line_start": 4, "line_end": 4, "side": Side.OLD}, False),
    ],
)
def test_an_issue_that_begins_or_ends_on_its_lines_is_meant(fields: dict[str, Any], about: bool) -> None:
    assert bool(list(OfFile([COMMENT]).about(make_issue(**fields)))) is about


def test_the_whole_file_has_all_lines_of_both_sides() -> None:
    whole = COMMENT._replace(lines=None)
    assert list(OfFile([whole]).about(make_issue(line_start=99, side=Side.OLD))) == [whole]


@pytest.mark.parametrize(
    ("reviewer", "rule", "names"),
    [
        ("ruff", "F401", {"F401", "ruff"}),
        ("rules", "F401", {"F401"}),
        ("ruff", None, {"ruff"}),
        ("text", "long", {"text/long"}),
        ("text", None, set()),
        ("other", "long", set()),
    ],
)
def test_a_name_is_a_rule_a_reviewer_or_both(reviewer: str, rule: str | None, names: set[str]) -> None:
    assert COMMENT.names_of(make_issue(reviewer=reviewer, rule=rule)) == names


def test_none_is_no_name_of_an_issue_without_a_rule() -> None:
    comment = COMMENT._replace(names=("None", "one/None"))
    assert comment.names_of(make_issue(rule=None)) == set()


# --- a change's comments --------------------------------------------------------------------------------------------

OLD = "x = 1  # selfreview: ignore[F401] why\n"
WHOLE = "# selfreview: ignore-file[F401] why\n"


class Everybody:
    """Who has looked at everything, but for what is not known."""

    def __init__(self, *unknown: str) -> None:
        self.unknown = unknown

    def would_know(self, name: str, path: str) -> bool:
        return name not in self.unknown


def suppressions(own: OwnMarks = OwnMarks.COUNT, **files: tuple[str | None, str | None]) -> Suppressions:
    context = MemoryContext({name.replace("_", "."): sides for name, sides in files.items()})
    return Suppressions(context.change, context.text, own)


def test_a_suppressed_issue_says_by_which_comment() -> None:
    mark = suppressions(a_py=(None, "\n" + OLD)).mark(make_issue(line_start=2, line_end=2, rule="F401"))
    assert mark == Mark(IssueStatus.SUPPRESSED, "by the comment in line 2: why", merged=True, line=2)


@pytest.mark.parametrize(
    "fields",
    [
        {"rule": "F402"},
        {"rule": "F401", "line_start": 3, "line_end": 3},
        {"rule": "F401", "file": "b.py"},
        {"rule": "F401", "reviewer": GATE},
    ],
)
def test_others_are_left_alone(fields: dict[str, Any]) -> None:
    assert suppressions(a_py=(None, OLD)).mark(make_issue(**fields)) is None


def test_one_without_a_reason_suppresses_nothing_and_the_next_may() -> None:
    both = "# selfreview: ignore[F401]\n# selfreview: ignore[F401] why\nx = 1\n"
    mark = suppressions(a_py=(None, both)).mark(make_issue(line_start=3, line_end=3, rule="F401"))
    assert mark is not None
    assert mark.reason == "by the comment in line 2: why"


@pytest.mark.parametrize("own", list(OwnMarks))
@pytest.mark.parametrize("severity", [Severity.HIGH, Severity.CRITICAL])
@pytest.mark.parametrize("sides", [("y = 1\n", f"y = 1\n{OLD}"), (f"y = 0\n{OLD}", f"y = 1\n{OLD}")])
def test_a_comment_about_what_the_change_does_counts_as_far_as_it_reaches(
    own: OwnMarks, severity: Severity, sides: tuple[str, str]
) -> None:
    """Of one that was there before, too: nobody let be what the change makes of the lines that it is about."""
    issue = make_issue(rule="F401", severity=severity, line_start=1, line_end=2)
    assert (suppressions(own, a_py=sides).mark(issue) is not None) is own.applies_to(issue)


@pytest.mark.parametrize("own", list(OwnMarks))
@pytest.mark.parametrize(
    ("old", "new", "is_own"),
    [
        ("y = 1\n", f"y = 1\n{WHOLE}", True),
        (f"y = 0\n{WHOLE}", f"y = 1\n{WHOLE}", False),
        (f"y = 0\n{WHOLE}", f"y = 1\n\n{WHOLE}", False),
        (f'"""\n{WHOLE}"""\ny = 0\n', f"{WHOLE}y = 1\n", True),
        (f'"""\n{WHOLE}"""\n{WHOLE.replace("F401", "F402")}', f"y = 1\n{WHOLE}{WHOLE.replace('F401', 'F402')}", True),
        (f'"""\n{WHOLE}"""\n{WHOLE.replace(" why", "")}', f"y = 1\n{WHOLE}{WHOLE.replace(' why', '')}", True),
        (f'"""\n{WHOLE}"""\n{OLD}', f"y = 1\n{WHOLE}{OLD}", True),
        (None, WHOLE, True),
    ],
)
def test_one_about_the_whole_file_counts_where_it_was_there_before(
    own: OwnMarks, old: str | None, new: str, is_own: bool
) -> None:
    """Text of a string that became a comment was none."""
    issue = make_issue(rule="F401", line_start=1, line_end=1)
    marker = suppressions(own, a_py=(old, new))
    assert (marker.mark(issue) is not None) is (not is_own or own.applies_to(issue))


def test_a_deleted_file_suppresses_nothing() -> None:
    assert suppressions(a_py=(OLD, None)).mark(make_issue(rule="F401")) is None


def leftovers(text: str, *issues: Any, looked: Any = None) -> list[tuple[str | None, int, str]]:
    marker = suppressions(a_py=(None, text), b_py=(None, "x = 1\n"))
    findings = list(marker.leftovers(issues, looked or Everybody()))
    for finding in findings:
        assert (finding.file, finding.severity, finding.category.value) == ("a.py", Severity.LOW, "style")
        assert finding.suggested_fix
    return [(finding.rule, finding.line_start, finding.description) for finding in findings]


def test_a_comment_that_does_not_count_is_reported() -> None:
    assert leftovers("# selfreview: ignore why\n# selfreview: ignore[F]\n") == [
        ("invalid-suppression", 1, "This suppression does not count: it names no rule or reviewer."),
        ("invalid-suppression", 2, "This suppression does not count: it gives no reason."),
    ]


@pytest.mark.parametrize("word", ["Selfreview: ignore", "selfreview: Ignore", "SELFREVIEW: IGNORE-FILE"])
def test_one_in_other_letters_does_not_count_and_is_reported(word: str) -> None:
    text = f"x = 1  # {word}[F401] why\n"
    assert suppressions(a_py=(None, text)).mark(make_issue(rule="F401")) is None
    assert leftovers(text, make_issue(rule="F401")) == [
        ("invalid-suppression", 1, "This suppression does not count: it is not written in small letters."),
    ]
    assert leftovers(f"# {word} files that nobody wrote\n# Selfreview: a tool\n") == []


@pytest.mark.parametrize("name", ["python-evil", "some-linter-of-ours/python-evil", "B307", "eval-detected"])
def test_one_with_a_name_that_is_nearly_that_of_an_issue_there_says_so(name: str) -> None:
    marker = suppressions(a_py=(None, f"x = eval(y)  # selfreview: ignore[{name}] why\n"))
    (found,) = marker.leftovers(
        [make_issue(reviewer="rules", rule="python-eval", line_start=1, line_end=1)], Everybody()
    )
    assert found.suggested_fix == "Delete it; or did you mean 'python-eval'?"
    (found,) = marker.leftovers([make_issue(reviewer="rules", rule="other", line_start=1, line_end=1)], Everybody())
    assert found.suggested_fix == "Delete it."


def test_one_that_suppresses_nothing_is_reported_with_the_names_that_do_not() -> None:
    text = "x = 1  # selfreview: ignore[F, ruff, \u202eG] why\n"
    unused = ("unused-suppression", 1, "This suppression of F, <U+202E>G suppresses nothing.")
    assert leftovers(text, make_issue(reviewer="ruff", rule="X")) == [unused]
    elsewhere = make_issue(reviewer="ruff", rule="F", file="b.py")
    below = make_issue(reviewer="ruff", rule="F", line_start=2, line_end=2)
    assert leftovers(text, elsewhere, below) == [
        ("unused-suppression", 1, "This suppression of F, ruff, <U+202E>G suppresses nothing.")
    ]


def test_one_that_suppresses_nothing_is_reported_beside_another_of_the_same_name() -> None:
    issue = make_issue(rule="F401", line_start=1, line_end=1)
    assert [line for _, line, _ in leftovers(OLD + "y = 1\n" + OLD, issue)] == [3]


def test_one_that_suppresses_something_is_not_nor_what_nobody_can_know() -> None:
    issue = make_issue(rule="F", status=IssueStatus.SUPPRESSED)
    assert leftovers("x = 1  # selfreview: ignore[F] why\n", issue) == []
    assert leftovers("x = 1  # selfreview: ignore[F] why\n", looked=Everybody("F")) == []


def test_a_comment_is_not_used_because_another_of_the_same_rule_is() -> None:
    text = "x = 1  # selfreview: ignore[F] why\ny = 2  # selfreview: ignore[F] why\n"
    assert [line for _, line, _ in leftovers(text, make_issue(rule="F"))] == [2]


def merged() -> tuple[Issue, Issue]:
    issue = make_issue(id="sr-1", reviewer="rules", rule="shell", severity=Severity.CRITICAL, fingerprint="v1:1")
    reason = {"status": IssueStatus.DUPLICATE, "status_reason": "duplicate of sr-1"}
    return issue, make_issue(id="sr-2", reviewer="ruff", rule="S602", fingerprint="v1:2", **reason)


@pytest.mark.parametrize(("name", "marks"), [("S602", True), ("ruff/S602", True), ("ruff", True), ("S603", False)])
def test_a_comment_may_name_what_was_merged_into_an_issue(name: str, marks: bool) -> None:
    marker = suppressions(a_py=(None, f"x = 1  # selfreview: ignore[{name}] why\n"))
    issue, other = merged()
    marker.look([other, issue])
    assert (marker.mark(issue) is not None) is marks
    marker.look([issue])
    assert marker.mark(issue) is None


def test_it_reaches_no_further_for_that() -> None:
    marker = suppressions(OwnMarks.LIST, a_py=(None, "x = 1  # selfreview: ignore[S602] why\n"))
    marker.look(merged())
    assert marker.mark(merged()[0]) is None


def test_one_that_is_in_order_does_not_end_the_search() -> None:
    text = "x = 1  # selfreview: ignore[F] why\ny = 2  # selfreview: ignore[G] why\n"
    assert [line for _, line, _ in leftovers(text, make_issue(rule="F"))] == [2]
    text = "x = 1  # selfreview: ignore\ny = 2  # selfreview: ignore[G] why\n"
    assert [line for _, line, _ in leftovers(text)] == [1, 2]


def test_it_is_part_of_the_change_where_the_lines_that_it_is_about_are() -> None:
    marker = suppressions(a_py=(None, "# selfreview: ignore[F] why\nx = 1\n# selfreview: ignore\ny = 2\n"))
    related = [[(place.file, place.line_start, place.line_end) for place in finding.related]
               for finding in marker.leftovers([], Everybody())]  # fmt: skip
    assert related == [[("a.py", 2, 2)], [("a.py", 4, 4)]]
    whole = suppressions(a_py=(None, "# selfreview: ignore-file[F] why\n"))
    assert [finding.related for finding in whole.leftovers([], Everybody())] == [()]


def test_many_comments_and_long_lines_take_no_time() -> None:
    """In another process: were one of these quadratic, it would not end."""
    code = (
        "from selfreview.api import ChangedFile, SourceText\n"
        "from selfreview.review.suppressions import find_suppressions\n"
        "word = 'selfreview:' + ' ignore[x] y'\n"
        "many = SourceText(tuple('def f(): pass  # ' + word for _ in range(20000)), True)\n"
        "stack = SourceText(('# ' + word,) * 20000, True)\n"
        "blank = SourceText(('x = 1  # ' + word + ' ' * 200000 + 'z',), True)\n"
        "assert len(find_suppressions(ChangedFile(path='a.py'), many)) == 20000\n"
        "assert len(find_suppressions(ChangedFile(path='a.py'), stack)) == 20000\n"
        "assert len(find_suppressions(ChangedFile(path='a.py'), blank)) == 1\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


@pytest.mark.parametrize(
    ("path", "line", "is_comment"),
    [
        ("Makefile", 'NAME = "selfreview: x"', False),
        ("a.toml", '  "selfreview: x"', False),
        ("a.conf", "'selfreview: x'", False),
        ("a.vim", '  " selfreview: x', True),
        (".vimrc", '" selfreview: x', True),
        ("a.vbs", "' selfreview: x", True),
        ("a.vbs", 'NAME = "selfreview: x"', False),
        ("Makefile", "# selfreview: x", True),
    ],
)
def test_a_quote_begins_a_comment_in_some_languages_only(path: str, line: str, is_comment: bool) -> None:
    assert (Comments(path, [line]).at(1, line.index("selfreview")) is not None) is is_comment
