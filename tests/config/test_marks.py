"""What ``max_issues`` and ``baseline`` may hold."""

from __future__ import annotations

from typing import Any

import pytest

from selfreview.config.marks import check_baseline, check_max_issues


def test_numbers_of_issues_go_by_severity_category_and_total() -> None:
    assert check_max_issues({"total": 10, "low": 0, "security": 3}) is None
    assert check_max_issues({}) is None


def test_a_name_that_is_neither_gets_the_nearest_one() -> None:
    found = check_max_issues({"low": 1, "securty": 1})
    assert found is not None
    assert found.startswith("is no severity and no category; there are total, critical, high")
    assert (found.path, found.hint) == (("securty",), "did you mean 'security'?")


@pytest.mark.parametrize("most", [-1, True, 1.5, "3", None])
def test_what_is_no_number_of_issues(most: Any) -> None:
    found = check_max_issues({"high": 1, "low": most})
    assert found is not None
    assert (str(found), found.path) == ("must be a number of issues, 0 or more", ("low",))


@pytest.mark.parametrize("name", ["baseline.json", ".selfreview/baseline.json", "a/b/c", "x..y", ".gitignore"])
def test_a_baseline_is_a_file_of_the_repository(name: str) -> None:
    assert check_baseline(name) is None


@pytest.mark.parametrize("name", ["", " ", "/tmp/x", "../x", "..", ".git/x", "a/../b", "./a", "a//b", "a/", "a\\b"])
def test_a_baseline_lies_nowhere_else(name: str) -> None:
    assert check_baseline(name) == "must be a file's path from the repository's top level"
