"""Language of a file by its name, and the folder of the rule pack that holds its rules.

The names are ast-grep's. It aborts on a name that it does not know, so only names from these tables may reach it.
"""

from __future__ import annotations

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
