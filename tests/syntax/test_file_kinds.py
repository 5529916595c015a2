"""Test files and sample data by their paths."""

from __future__ import annotations

import pytest

from selfreview.syntax.file_kinds import is_sample, is_test


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


@pytest.mark.parametrize(
    "path", ["examples/a.py", "docs/Sample/a.cs", "mocks/a.js", "a/__snapshots__/b", "cassettes/a.yaml", "tests/a.py"]
)
def test_examples_mocks_and_recordings_hold_made_up_values_as_tests_do(path: str) -> None:
    assert is_sample(path)


@pytest.mark.parametrize("path", ["example.py", "src/mock.py", ".github/workflows/smoke-tests.yml", "run-tests.sh"])
def test_a_name_alone_makes_no_sample(path: str) -> None:
    assert not is_sample(path)
