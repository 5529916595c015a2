"""Test files, test support and test data, by their paths."""

from __future__ import annotations

import re

from selfreview.syntax.languages import language_of


def is_test(path: str) -> bool:
    """Return whether a path looks like a test, a fixture or test support, by the conventions of all languages."""
    folders, _, name = path.lower().rpartition("/")
    folders = f"/{folders}/".partition("/src/main/")[0]  # what is below it is the product, whatever it is called
    return (
        any(part in _TEST_FOLDERS for part in folders.split("/"))
        or name.partition(".")[0] == "conftest"
        or is_named_test(path)
    )


def is_named_test(path: str) -> bool:
    """Return whether a file's own name is that of a test, in any folder, by the conventions of all languages."""
    name = path.rpartition("/")[2]
    stem = name.lower().partition(".")[0]
    return (
        stem.startswith("test_")
        or stem.endswith(("_test", "_tests", "_spec", "-test", "-spec"))
        or ".test." in name.lower()
        or ".spec." in name.lower()
        or name.lower().endswith((".bats", ".feature"))
        or name.partition(".")[0].endswith(("Test", "Tests", "Spec", "TestCase"))
    )


def is_run_as_test(path: str) -> bool:
    """Return whether the usual runner of a file's language looks for tests in it, by its path alone."""
    language = language_of(path)
    if language in _RUN_BY_NAME:
        return _RUN_BY_NAME[language].search(path.rpartition("/")[2]) is not None
    return language in ("csharp", "rust") or (language is not None and is_test(path))  # these two look everywhere


def is_test_data(path: str) -> bool:
    """Return whether a path looks like that of test data or of a template: both may be broken on purpose."""
    folders, _, name = path.rpartition("/")
    parts = folders.lower().split("/")
    return not _DATA_FOLDERS.isdisjoint(parts) or (not _TEST_FOLDERS.isdisjoint(parts) and not is_test(name))


def is_sample(path: str) -> bool:
    """Return whether the values in a file are made up: it is a test, test data, an example, a mock or a recording."""
    return is_test(path) or not _SAMPLE_FOLDERS.isdisjoint(path.lower().split("/")[:-1])


def is_snapshot(path: str) -> bool:
    """Return whether a file holds expected output of a test, by its name."""
    return bool(_SNAPSHOT.search(path) or (is_test(path) and _EXPECTED.search(path)))


def is_loaded_by_runner(path: str) -> bool:
    """Return whether a test runner loads a file by itself, before any test."""
    return _LOADED.search(path) is not None


_SNAPSHOT = re.compile(r"\.(?:snap|ambr|golden|approved\.\w+)$|(?:^|/)(?:__snapshots__|snapshots)/", re.IGNORECASE)
_EXPECTED = re.compile(
    r"(?:^|/)(?:goldens?|expected|approvals)/|(?:^|[/._-])(?:expected|golden)(?:[._-][^/]*)?$", re.IGNORECASE
)
_LOADED = re.compile(
    r"(?:^|/)(?:conftest\.py|(?:jest|vitest|mocha|karma|cypress|test|tests)[.-]?setup(?:[.-][^/]*)?\.[cm]?[jt]sx?"
    r"|setup[.-]?(?:tests?|jest|vitest|env)(?:[.-][^/]*)?\.[cm]?[jt]sx?|(?:spec|rails|test)_helper\.rb|__mocks__/.*"
    r"|tests?/__init__\.py|tests?/(?:bootstrap|pest)\.php|junit-platform\.properties|META-INF/services/org\.junit\..*"
    r"|babel\.config\.[^/]*|\.babelrc(?:\.[^/]*)?|cypress/support/.*|support/e2e\.[jt]s|setup_suite\.bash)$",
    re.IGNORECASE,
)
_RUN_BY_NAME = {
    "python": re.compile(r"^test|_tests?\.py$"),
    "go": re.compile(r"_test\.go$"),
    "ruby": re.compile(r"^test_|_(?:test|spec)\.rb$"),
}
_DATA_FOLDERS = frozenset(
    """
    fixture fixtures __fixtures__ testdata test-data test_data testcases snapshots __snapshots__
    template templates stubs skeleton boilerplate
    """.split()  # noqa: SIM905 - a table to read
)
_TEST_FOLDERS = frozenset(
    {"test", "tests", "testing", "__tests__", "__mocks__", "spec", "specs", "e2e", "testdata", "fixtures", "cypress"}
)
_SAMPLE_FOLDERS = frozenset(
    """
    example examples sample samples mock mocks __fixtures__ fixture testdata test-data test_data cassettes snapshot
    snapshots __snapshots__
    """.split()  # noqa: SIM905 - a table to read
)
