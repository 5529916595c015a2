"""Tests in code: their marks are the same for the reviewer of a file's functions and for its units."""

from __future__ import annotations

import pytest

from selfreview.syntax.parsing import live_lines, parse
from selfreview.syntax.source import Source
from selfreview.syntax.testcode import declared_tests, functions, is_test_function, is_turned_off


@pytest.mark.parametrize(
    ("path", "language", "text"),
    [
        ("ATest.java", "java", "class ATest {\n  @org.junit.jupiter.api.Test\n  void adds() {}\n}\n"),
        ("ATest.java", "java", "class ATest {\n  @TestFactory\n  Object adds() { return null; }\n}\n"),
        ("ATests.cs", "csharp", "class ATests {\n  [DataTestMethod]\n  public void adds() {}\n}\n"),
        ("lib.rs", "rust", "#[rstest]\nfn adds() {}\n"),
        ("lib.rs", "rust", "#[tokio::test]\nfn adds() {}\n"),
        ("ATest.kt", "kotlin", "class ATest {\n  @kotlin.test.Test\n  fun adds() {}\n}\n"),
    ],
)
def test_a_marked_function_is_a_test_for_every_reader(path: str, language: str, text: str) -> None:
    lines = text.split("\n")
    (function,) = functions(parse(text, language), language, lines)
    assert is_test_function(function, language, lines)
    assert [unit.test for unit in Source(path, text).tests] == ["adds"]


def test_a_comment_turns_no_test_off() -> None:
    text = 'it("adds", () => {\n  // it.skip("adds", () => {\n  run();\n});\n'
    root = parse(text, "javascript")
    code = live_lines(root, "javascript", text.split("\n"))
    (function,) = functions(root, "javascript", text.split("\n"))
    assert not is_turned_off(function, "javascript", code)
    assert is_turned_off(function, "javascript", ['it.skip("adds", () => {', *code[1:]])


def test_a_test_of_an_unread_language_goes_on_until_the_next() -> None:
    lines = ['@test "adds" {', "  run add", "}", '@test "takes" {', "}"]
    assert [(test.name, test.head, len(test.body)) for test in declared_tests(lines)] == [
        ("adds", 1, 4),
        ("takes", 4, 2),
    ]
