"""Checks of Go that a change folds into a loop are not lost; those that the loop does not make are."""

from __future__ import annotations

import pytest

from selfreview.reviewers.rules import RulesReviewer
from selfreview.testing.context import MemoryContext, review

OLD = "\tif f(1) != 1 {\n\t\tt.Fatal(1)\n\t}\n\tif f(2) != 2 { t.Fatal(2) }\n\tif f(3) != 3 {\n\t\tt.Error(3)\n\t}\n"
TEXTS = '\tif f("a") != 1 {\n\t\tt.Fatal()\n\t}\n\tif f("b") != 1 {\n\t\tt.Fatal()\n\t}\n'
LOOP = "\tfor _, n := range []int{1, 2, 3} {\n\t\tif f(n) != n {\n\t\t\tt.Fatal(n)\n\t\t}\n\t}\n"


def lost(new: str, old: str = OLD) -> list[int]:
    sides = [f"package a\n\nfunc TestF(t *testing.T) {{\n{body}}}\n" for body in (old, new)]
    findings = review(RulesReviewer(), MemoryContext({"a_test.go": (sides[0], sides[1])}))
    return [finding.line_start for finding in findings if finding.rule == "removed-assertion"]


@pytest.mark.parametrize(
    ("new", "old"),
    [
        (LOOP, OLD),
        ("\tfor _, n := range []int{3, 2, 1} { if f(n) != n { t.Fatal(n) } }\n", OLD),
        (LOOP.replace("1, 2, 3", "\n\t\t1,\n\t\t2,\n\t\t3,\n\t"), OLD),
        ('\tfor _, s := range []string{"a", "b"} {\n\t\tif f(s) != 1 {\n\t\t\tt.Fatal()\n\t\t}\n\t}\n', TEXTS),
    ],
)
def test_a_loop_over_the_same_values_keeps_them(new: str, old: str) -> None:
    assert lost(new, old) == []


@pytest.mark.parametrize(
    ("new", "line"),
    [
        (LOOP.replace("1, 2, 3", ""), 5),
        (LOOP.replace("1, 2, 3", "/* 1, 2, 3, 4 */"), 5),
        (LOOP.replace("f(n) != n", "f(n) /* != n"), 5),
        (LOOP.replace("1, 2, 3", "2, 3"), 5),
        (LOOP.replace("1, 2, 3", "1, 3"), 7),
        (LOOP.replace("f(n) != n", "f(n) == 0"), 5),
        (LOOP.replace("f(n) != n", "f(n) != n && g()"), 5),
        (LOOP.replace("t.Fatal", "t.Log"), 5),
        (LOOP.replace("\t\tif", "\t\tcontinue\n\t\tif"), 5),
        (LOOP.replace("\t}\n", "\t\tbreak\n\t}\n"), 5),
        (LOOP.replace("range []int{1, 2, 3}", "range values()"), 5),
        (f"\treturn\n{LOOP}", 5),
        (f"\t/*\n{LOOP}\t*/\n", 5),
        (f"\t_ = `\n{LOOP}`\n", 5),
        (f"\tif g() {{\n{LOOP.replace(chr(10), chr(10) + chr(9)).replace(chr(9) + 'for', chr(9) * 2 + 'for')}}}\n", 5),
    ],
)
def test_what_the_loop_does_not_look_at_is_lost(new: str, line: int) -> None:
    assert lost(new) == [line]
