"""Language of a file, by its name or by the interpreter that its first line names.

The names are ast-grep's. It aborts on a name that it does not know, so only names from these tables may reach it.
"""

from __future__ import annotations

import posixpath
import re

import msgspec

from selfreview.api import ChangedFile, FileStatus, ReviewContext, SourceText

SCRIPTS = ("javascript", "typescript", "tsx")
"""JavaScript and what compiles to it."""

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


_SPOKEN = {
    "tsx": "TSX",
    "typescript": "TypeScript",
    "javascript": "JavaScript",
    "php": "PHP",
    "csharp": "C#",
    "cpp": "C++",
    "bash": "Shell",
}


def spoken_name(language: str) -> str:
    """Return a language's name as people write it."""
    return _SPOKEN.get(language, language.capitalize())


def language_of(path: str) -> str | None:
    """Return the language of a file that the pack has rules for, or None."""
    name = path.rpartition("/")[2].lower()
    if name in FILE_NAMES:
        return FILE_NAMES[name]
    stem, dot, extension = name.rpartition(".")
    return EXTENSIONS.get(dot + extension) if stem else None


_INTERPRETERS = (
    (re.compile(r"(?:i?python|pythonw|pypy)[\d.]*t?|uvx?|pipx|poetry|pdm|hatch|rye|xonsh|sage"), "python"),
    (re.compile(r"node(?:js)?[\d.]*"), "javascript"),
    (re.compile(r"deno|bun|bunx|tsx|ts-node(?:-\w+)?"), "typescript"),
    (re.compile(r"j?ruby[\d.]*|rake|truffleruby"), "ruby"),
    (re.compile(r"(?:ba|rba|da|a|k|mk|z)?sh[\d.]*|bats"), "bash"),
    (re.compile(r"php[\d.]*(?:-cgi|-cli)?"), "php"),
    (re.compile(r"kotlin"), "kotlin"),
    (re.compile(r"swift"), "swift"),
)
_NO_SCRIPTS = frozenset(
    """
    md mdx rst adoc txt html htm css scss less svg xml json jsonl json5 yml yaml toml ini cfg conf csv tsv po pot
    properties sql proto graphql tf hcl cmake mk vue svelte lua r jl pl pm ex exs scala groovy dart zig zsh fish ps1 bat
    """.split()  # noqa: SIM905 - a table to read
)
"""Extensions that determine what a file is, unless it can be executed."""

_NO_PROGRAMS = frozenset(
    """
    readme license licence copying changelog changes news authors notice contributing todo version codeowners owners
    makefile gnumakefile dockerfile containerfile jenkinsfile procfile justfile vagrantfile brewfile pipfile podfile
    """.split()  # noqa: SIM905
)
"""Names of texts and recipes, which often can be executed for no reason than a file system that knows no such bit."""
_LONGEST = 256
"""Characters of the first line that a kernel reads."""
_SPLIT = re.compile(r"\s--s[a-z-]*=|\s-[a-z0]*S")
_ESCAPE = re.compile(r"\\(.)")
"""Escapes that ``env -S`` replaces: ``\\_`` and the like are blanks."""
_QUOTES = re.compile(r"[\"']")


def may_be_script(file: ChangedFile) -> bool:
    """Return whether a file's name leaves its language open, so that its first line decides."""
    if file.binary or file.is_symlink or file.is_submodule or file.status is FileStatus.DELETED:
        return False
    _, dot, extension = posixpath.basename(file.path).lower().rpartition(".")
    named = dot and extension in _NO_SCRIPTS
    return language_of(file.path) is None and (not named or file.new_mode == "100755")


def has_no_name(file: ChangedFile) -> bool:
    """Return whether a shell would run a file as it is: executable, and with a name that is no text's or dotfile's."""
    name = posixpath.basename(file.path).lower()
    return file.new_mode == "100755" and "." not in name and name not in _NO_PROGRAMS


def language_in(file: ChangedFile, context: ReviewContext) -> str | None:
    """Return the language of a file of a change, by its name or else by the first line of its new side."""
    language = language_of(file.path)
    if language is not None or not may_be_script(file):
        return language
    text = context.text(file)
    return language_of_script(text.line(1), shell=has_no_name(file)) if text is not None else None


def language_before(file: ChangedFile, old: SourceText) -> str | None:
    """Return the language of the old side of a file, by its name then or else by its first line."""
    then = msgspec.structs.replace(file, path=file.path_at_base, old_path=None, new_mode=file.old_mode)
    language = language_of(then.path)
    if language is not None or not may_be_script(then):
        return language
    return language_of_script(old.line(1), shell=has_no_name(then))


def is_zsh(file: ChangedFile, context: ReviewContext) -> bool:
    """Return whether zsh runs a script, which not every tool for shell scripts can read."""
    text = context.text(file)
    return text is not None and re.match(r"#!.*\bzsh(?:\s|$)", text.line(1)) is not None


def language_of_script(first: str, *, shell: bool = False) -> str | None:
    """Return the language of the interpreter on the first line of a file; None where there is none.

    Args:
        first: The line.
        shell: Whether a shell runs the file where the line names nothing that does.
    """
    if not first.startswith("#!"):
        return "bash" if shell else None
    line = first[2:].lstrip(" \t")[:_LONGEST]
    if _SPLIT.search(line):
        line = _ESCAPE.sub(_unescaped, _SPLIT.sub(" ", line))
    for word in line.split():
        name = posixpath.basename(_QUOTES.sub("", word)).lower().removesuffix(".exe")
        if "=" in word or word.startswith("-"):
            continue
        for pattern, language in _INTERPRETERS:
            if pattern.fullmatch(name):
                return language
    return None


def _unescaped(match: re.Match[str]) -> str:
    return " " if match[1] in "_fnrtv" else match[1]
