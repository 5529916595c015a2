"""Just inside and just outside of what a test may come to expect."""

from __future__ import annotations

import pytest

from tests.loop.guard.edits import Edit, judge

PATH = "tests/test_app.py"
SNAPSHOT = "tests/__snapshots__/test_app.ambr"
LINES = "".join(f"a {n}\n" for n in range(1, 6))


def rules(
    *files: tuple[str, str, str], spans: tuple[int, int] | None = None, related: tuple[str, ...] = ()
) -> list[str]:
    edit = Edit(
        {path: (old, new) for path, old, new in files},
        spans={path: spans for path, *_ in files} if spans else {},
        issues=(("app.py", 1, "wrong"),),
        related=related,
    )
    return [found.rule for found in judge(edit)]


def became(old: str, new: str) -> list[str]:
    return rules(*((PATH, f"def test_one():\n    {old}\n", f"def test_one():\n    {new}\n"),))


@pytest.mark.parametrize("name", ["get", "getattr", "pop", "getlist", "hasattr", "import_module", "reverse", "url_for"])
def test_a_name_that_is_looked_up_may_become_another(name: str) -> None:
    assert became(f"assert {name}('old') == 3", f"assert {name}('new') == 3") == []
    assert became(f"assert {name}_it('old') == 3", f"assert {name}_it('new') == 3") == ["expectation-changed"]


@pytest.mark.parametrize("name", ["raises", "warns", "deprecated_call", "fail"])
def test_the_words_of_a_failure_may_change(name: str) -> None:
    assert became(f"pytest.{name}('no')", f"pytest.{name}('never')") == []


CONVERSIONS = ("set", "Decimal", "date", "datetime", "Path", "frozenset", "dict", "list", "approx")


@pytest.mark.parametrize("names", [*((name,) for name in CONVERSIONS), CONVERSIONS])
def test_what_converts_a_value_is_a_value(names: tuple[str, ...]) -> None:
    old = " + ".join(f"{name}([1])" for name in names)
    assert became(f"assert f(1) == {old}", f"assert f(1) == {old} + [2]") == ["expectation-changed"]


@pytest.mark.parametrize(("first", "last", "is_open"), [(1, 1, False), (2, 2, True), (3, 3, True), (4, 4, False)])
def test_a_snapshot_may_follow_lines_that_the_change_wrote(first: int, last: int, is_open: bool) -> None:
    new = LINES.replace("a 2\na 3\n", "b 2\nb 3\n")
    assert rules((SNAPSHOT, LINES, new), spans=(first, last)) == ([] if is_open else ["expectation-changed"])


@pytest.mark.parametrize(("line", "is_open"), [(2, False), (3, True), (4, False)])
def test_a_line_of_a_snapshot_may_come_before_one_that_the_change_wrote(line: int, is_open: bool) -> None:
    new = LINES.replace("a 2\n", "a 2\nb\n")
    assert rules((SNAPSHOT, LINES, new), spans=(line, line)) == ([] if is_open else ["expectation-changed"])


@pytest.mark.parametrize("path", [PATH, SNAPSHOT])
def test_what_an_issue_names_beside_its_place_is_open(path: str) -> None:
    texts = ("def test_one():\n    assert f(1) == 2\n", "def test_one():\n    assert f(1) == 3\n")
    assert rules((path, *texts), related=("other.py", path)) == []
    assert rules((path, *texts), related=("other.py",)) == ["expectation-changed"]


@pytest.mark.parametrize(
    ("old", "new", "rejected"),
    [
        ("f(1) == 2", "2 == f(1)", False),
        ("2 == f(1)", "3 == f(1)", True),
        ("f(1) == 2", "f(1) * 2 == 4", True),
        ("f(1) == 2", "(f(1) or 4) == 4", True),
        ("f(1) == 2", "(f(1) if x else 4) == 4", True),
        ("f(1) == 2", "-f(1) == -2", False),
        ("f(1) < 3 < f(2)", "f(1) < 4 < f(2)", False),
        ("g(f(1))", "g(f(2))", True),
        ("f(1, b=1) == 3", "f(1, b=2) == 3", True),
        ("f([1, -2], {3: (4,)}) == 3", "f([1, -2], {3: (5,)}) == 3", True),
        ("f({1}) == 3", "f({2}) == 3", True),
        ("f(1) == 2", "g(3) + 1 == 4", False),
        ("x + 1 == 2", "x + 1 == 3", True),
        ("f(x + 1) == 3", "f(x + 2) == 3", False),
    ],
)
def test_what_an_assertion_looks_at_and_expects(old: str, new: str, rejected: bool) -> None:
    assert became(f"assert {old}", f"assert {new}") == (["expectation-changed"] if rejected else [])


def test_a_message_is_no_side_of_an_assertion() -> None:
    old = (
        "class TestF(unittest.TestCase):\n    def test_one(self):\n        self.assertEqual(Decimal('2'), f(1), 'no')\n"
    )
    assert rules((PATH, old, old.replace("Decimal", "-Decimal"))) == ["expectation-changed"]


def test_parameters_without_cases_may_go() -> None:
    new = "@pytest.mark.parametrize('a', [1])\ndef test_one(a):\n    assert f(a) == 2\n"
    assert rules((PATH, new.replace("def ", "@pytest.mark.parametrize('b', [])\ndef "), new)) == []


def test_what_somebody_approved_is_a_snapshot() -> None:
    assert rules(("tests/app.approved.txt", LINES, LINES.replace("1", "2"))) == ["expectation-changed"]
