"""Language of a file, and the folder of the pack that holds its rules.

The names are ast-grep's. It aborts on a name that it does not know, so only names from these tables may reach it.
"""

from __future__ import annotations

import re

EXTENSIONS = {
    ".py": "python",
    ".pyi": "python",
    ".pyw": "python",
    ".wsgi": "python",
    ".js": "javascript",
    ".cjs": "javascript",
    ".mjs": "javascript",
    ".jsx": "javascript",
    ".ts": "typescript",
    ".cts": "typescript",
    ".mts": "typescript",
    ".tsx": "tsx",
    ".go": "go",
    ".java": "java",
    ".rb": "ruby",
    ".rake": "ruby",
    ".gemspec": "ruby",
    ".php": "php",
    ".phtml": "php",
    ".cs": "csharp",
    ".rs": "rust",
    ".c": "c",
    ".cpp": "cpp",
    ".cc": "cpp",
    ".cxx": "cpp",
    ".h": "cpp",
    ".hh": "cpp",
    ".hpp": "cpp",
    ".hxx": "cpp",
    ".sh": "bash",
    ".bash": "bash",
    ".kt": "kotlin",
    ".kts": "kotlin",
    ".swift": "swift",
}
"""Language by lower-case extension."""

FILE_NAMES = {
    "gemfile": "ruby",
    "rakefile": "ruby",
    "jenkinsfile.kts": "kotlin",
    ".bashrc": "bash",
    ".envrc": "bash",
    ".pythonrc": "python",
    ".pythonstartup": "python",
    "sconstruct": "python",
    "sconscript": "python",
    "wscript": "python",
}
"""Language by lower-case file name, for files that their name identifies."""

FOLDERS = {
    "python": "python",
    "javascript": "javascript",
    "typescript": "javascript",
    "tsx": "javascript",
    "go": "go",
    "java": "java",
    "ruby": "ruby",
    "php": "php",
    "csharp": "csharp",
    "rust": "rust",
    "c": "cfamily",
    "cpp": "cfamily",
    "bash": "bash",
    "kotlin": "kotlin",
    "swift": "swift",
}
"""The pack's folder by language."""


def language_of(path: str) -> str | None:
    """Return the language of a file that the pack has rules for, or None."""
    name = path.rpartition("/")[2].lower()
    if name in FILE_NAMES:
        return FILE_NAMES[name]
    stem, dot, extension = name.rpartition(".")
    return EXTENSIONS.get(dot + extension) if stem else None


def is_test(path: str) -> bool:
    """Return whether a path looks like a test, a fixture or test support, by the conventions of all languages."""
    folders, _, name = path.lower().rpartition("/")
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
