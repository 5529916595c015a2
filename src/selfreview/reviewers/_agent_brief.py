"""The context of a review by an agent: guidelines, requirements, exclusions, and instructions that count."""

from __future__ import annotations

import dataclasses
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Set

from selfreview import resources
from selfreview.api import ReviewContext, Side
from selfreview.llm import exclusions
from selfreview.llm.exclusions import Exclusions
from selfreview.llm.guidelines import Document, guidelines, requirements
from selfreview.llm.instructions import Instructions
from selfreview.llm.unshown import agent_settings, instructs, keeps_secrets
from selfreview.llm.view import submodules
from selfreview.model.wire import display_path
from selfreview.reviewers._tool import digest

_IMPORT = re.compile(r"@((?:\\\s|\S){1,300})")
"""An import of another file in instructions, as Claude Code and Gemini read it, and the text behind it."""
_DEEPEST = 6
"""Files that bring in one another: as many as agents follow, and one more."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Brief:
    """Context of a review besides the change.

    Attributes:
        guidelines: How the project's code is written, as its documents say it; in a gate, those of the base.
        requirements: What the change is meant to do.
        exclusions: What is not reported.
        instructions: The files that agents take for instructions, by path, as they count for this change.
        absent: Files that instructions bring in and that were not there before the change: an agent is not given them.
        held: Instructions that the change edits: their content from before it counts.
        notes: Notes for the report.
        submodules: A line for each that the change moves to another commit.
        key: Digest of all of it.
    """

    guidelines: tuple[Document, ...]
    requirements: tuple[Document, ...]
    exclusions: Exclusions
    instructions: Mapping[str, bytes]
    absent: Set[str]
    held: tuple[str, ...]
    notes: tuple[str, ...]
    submodules: tuple[str, ...]
    key: bytes


def gather(context: ReviewContext) -> Brief:
    """Gather the context, so that no change writes the instructions for its own review.

    Raises:
        ConfigError: If the person's own exclusions are broken.
        GitError: If git fails.
    """
    source, config = Instructions(context), context.config
    there = {*context.list_paths(), *context.list_paths(Side.OLD)}
    found, absent = _with_imports(
        source, [path for path in there if instructs(path) and agent_settings(path) is None], there
    )
    text = exclusions.load(source, resources.read("templates", f"prompts/{exclusions.FILE}").decode())
    named = config.origin("requirements") == "command line"
    rules, required = tuple(guidelines(source)), tuple(requirements(source, config["requirements"], named=named))
    parts: list[str | bytes] = [text]
    for document in (*rules, *required):
        parts += [document.path, document.text]
    for path, data in sorted(found.items()):
        parts += [path, data]
    moved = submodules(context)
    parts += moved
    return Brief(
        guidelines=rules,
        requirements=required,
        exclusions=Exclusions.parse(text),
        instructions=found,
        absent=absent,
        held=tuple(map(display_path, dict.fromkeys(source.held))),
        notes=tuple(source.notes),
        submodules=moved,
        key=digest(parts),
    )


def _with_imports(
    source: Instructions, paths: Iterable[str], there: Set[str]
) -> tuple[dict[str, bytes], frozenset[str]]:
    """Return the content of instructions and of the files that they bring in by ``@path``, and which have none."""
    found: dict[str, bytes] = {}
    names = {path.casefold(): path for path in there if not keeps_secrets(path) and agent_settings(path) is None}
    seen = wanted = set(paths)
    for _ in range(_DEEPEST):
        new = source.read(sorted(wanted))
        found |= new
        wanted = {path for file, data in new.items() for path in _imported(file, data, names)} - seen
        seen = seen | wanted
        if not wanted:
            break
    return found, frozenset(seen - found.keys())


def _imported(file: str, data: bytes, names: Mapping[str, str]) -> Iterator[str]:
    """Yield the files of the tree that instructions may bring in, whatever ends a path for an agent."""
    folder = posixpath.dirname(file)
    for run in _IMPORT.findall(data.decode("utf-8", "surrogateescape")):
        name = re.sub(r"\\(\s)", r"\1", run).casefold()
        for end in range(1, len(name) + 1):
            path = names.get(posixpath.normpath(posixpath.join(folder.casefold(), name[:end])))
            if path is not None:
                yield path
