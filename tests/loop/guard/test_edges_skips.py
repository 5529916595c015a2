"""Just inside and just outside of what keeps a test from running or from counting."""

from __future__ import annotations

import pytest

from tests.loop.guard.test_bad_edits import JS, RUBY, RUBY_TEST, TEST, UNIT
from tests.loop.guard.test_edges import rules

SWIFT = "class FTests: XCTestCase {\n    func testOne() throws {\n        XCTAssertEqual(f(1), 2)\n    }\n}\n"
PATH = "tests/test_app.py"
ONE = "    def test_one"
IN_ONE = "        assert f(1) == 2"


@pytest.mark.parametrize(
    "line",
    [
        "@unittest.skipIf(SLOW, 'x')",
        "@unittest.skipUnless(FAST, 'x')",
        "@unittest.expectedFailure",
        "@skipIf(SLOW, 'x')",
    ],
)
def test_a_decorator_of_unittest_skips(line: str) -> None:
    assert rules(PATH, UNIT, UNIT.replace("        def", f"        {line}\n        def", 1)) == ["test-skipped"]


@pytest.mark.parametrize("line", ["self.skipTest('x')", "cls.skipTest('x')", "pytest.importorskip('numpy')"])
def test_a_call_skips(line: str) -> None:
    assert "test-skipped" in rules(PATH, UNIT, UNIT.replace("self.assert", f"{line}\n            self.assert", 1))


def test_an_exception_of_unittest_skips() -> None:
    raised = f"        if SLOW:\n            raise unittest.SkipTest('x')\n{IN_ONE}"
    assert "test-skipped" in rules(PATH, TEST, TEST.replace(IN_ONE, raised, 1))


@pytest.mark.parametrize(
    ("line", "rejected"),
    [
        ("@mark.skip", ["test-skipped"]),
        ("@rerun(times=3)", ["test-skipped"]),
        ("@repeat_until_success", ["test-skipped"]),
        ("@pytest.mark.usefixtures('db')", []),
    ],
)
def test_a_decorator_of_pytest_skips_or_does_not(line: str, rejected: list[str]) -> None:
    assert rules(PATH, TEST, TEST.replace(ONE, f"    {line}\n{ONE}", 1)) == rejected


@pytest.mark.parametrize(
    ("line", "rejected"),
    [
        ("from _pytest.outcomes import XFailed", ["test-skipped"]),
        ("from _pytest.outcomes import Exit", []),
        ("from app import Skipped", []),
    ],
)
def test_what_pytest_raises_itself_skips(line: str, rejected: list[str]) -> None:
    assert rules(PATH, TEST, TEST.replace("    import pytest", f"    import pytest\n    {line}", 1)) == rejected


@pytest.mark.parametrize("path", ["src/f.test.js", "src/f.test.ts", "src/f.test.tsx"])
@pytest.mark.parametrize("now", ["it.only(", "it.each([])("])
def test_a_test_of_javascript_is_not_skipped(path: str, now: str) -> None:
    assert "test-skipped" in rules(path, JS, JS.replace("it(", now, 1))


@pytest.mark.parametrize("word", ["skip", "pending"])
def test_a_test_of_ruby_is_not_skipped(word: str) -> None:
    expected = "        expect(f(1))"
    assert "test-skipped" in rules(RUBY_TEST, RUBY, RUBY.replace(expected, f"        {word}\n{expected}", 1))


def test_a_test_of_swift_is_not_skipped() -> None:
    skipped = SWIFT.replace("        XCT", '        throw XCTSkip("x")\n        XCT')
    assert "test-skipped" in rules("Tests/FTests.swift", SWIFT, skipped)


def test_a_test_that_cannot_be_read_skips_nothing() -> None:
    assert rules(PATH, None, "def test_one(:\n    assert f(1) == 2\n") == ["syntax-error"]
