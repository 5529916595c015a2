"""Which language a file is in, and whether it is a test."""

from __future__ import annotations

import pytest
from ast_grep_py import SgRoot

from selfreview.rules.languages import EXTENSIONS, FILE_NAMES, FOLDERS, is_test, language_of


@pytest.mark.parametrize("language", sorted(FOLDERS))
def test_the_parser_knows_every_language(language: str) -> None:
    assert SgRoot("", language).root().is_named()


def test_names_and_extensions_lead_to_languages_with_rules() -> None:
    assert {*EXTENSIONS.values(), *FILE_NAMES.values()} == set(FOLDERS)


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("a.py", "python"),
        ("src/A.PY", "python"),
        ("a/b.tsx", "tsx"),
        ("lib/Rakefile", "ruby"),
        ("include/a.h", "cpp"),
        (".envrc", "bash"),
        ("a.test.ts", "typescript"),
        ("py", None),
        (".py", None),
        ("a.py/readme", None),
        ("a.sql", None),
        ("Dockerfile", None),
        ("\udcff.py", "python"),
        ("", None),
    ],
)
def test_a_language_is_told_by_the_name(path: str, language: str | None) -> None:
    assert language_of(path) == language


@pytest.mark.parametrize(
    "path",
    [
        "tests/a.py",
        "a/test/b.java",
        "src/test/java/TotalTest.java",
        "total_test.go",
        "test_total.py",
        "conftest.py",
        "src/total.test.ts",
        "src/__tests__/total.tsx",
        "spec/total_spec.rb",
        "TotalTests.cs",
        "testdata/a.go",
    ],
)
def test_tests_are_told_by_their_path(path: str) -> None:
    assert is_test(path)


@pytest.mark.parametrize("path", ["src/total.py", "contest.py", "src/latest.go", "attest/total.rb", "testify.js", "a"])
def test_other_files_are_no_tests(path: str) -> None:
    assert not is_test(path)
