"""Requirements documents of the project, as context for a model that reads review feedback."""

from __future__ import annotations

from collections.abc import Sequence

from selfreview.api import Document
from selfreview.cli import console
from selfreview.git.names import only_commit
from selfreview.git.repo import Repo

_FILES = (b"100644", b"100755")


def requirements_of(repo: Repo, patterns: Sequence[str], base: str) -> list[Document]:
    """Return the requirements documents of the project.

    They are those of the base: no pull request waives what it is asked for.

    Args:
        repo: The repository.
        patterns: Globs as in ``.gitignore`` (``requirements``).
        base: The ref of the base.

    Raises:
        GitError: If git cannot read it.
    """
    if not patterns:
        return []
    commit = only_commit(repo.git, base)
    if commit is None:
        console.note(f"note: no requirements are shown: there is no {base} here")
        return []
    from pathspec import GitIgnoreSpec

    from selfreview.llm import guidelines

    matches = GitIgnoreSpec.from_lines(patterns).match_file
    found = []
    for entry in repo.git.run(["ls-tree", "-r", "-z", "--full-tree", commit]).split(b"\0"):
        header, _, name = entry.partition(b"\t")
        path = name.decode("utf-8", "surrogateescape")
        if header[:6] not in _FILES or not matches(path):
            continue
        data = repo.git.run([b"cat-file", b"blob", header.split()[2]])
        text = "" if b"\0" in data else data.decode("utf-8-sig", "replace").strip()
        if text:
            found.append(guidelines.Document(path, text))
    kept = guidelines.fitting(found, guidelines.REQUIREMENT_TOKENS)
    return [Document(document.path, document.text) for document in kept]
