"""What an agent is told besides the change: requirements, what is not reported, and instructions that count."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from selfreview import resources
from selfreview.api import ReviewContext, Side
from selfreview.llm import exclusions
from selfreview.llm.exclusions import Exclusions
from selfreview.llm.guidelines import Document, requirements
from selfreview.llm.instructions import Instructions
from selfreview.llm.unshown import agent_settings, instructs
from selfreview.model.wire import display_path
from selfreview.reviewers._tool import digest


@dataclasses.dataclass(frozen=True, kw_only=True)
class Brief:
    """What there is.

    Attributes:
        requirements: What the change is meant to do.
        exclusions: What is not reported.
        instructions: The files that agents take for instructions, by path, as they count for this change.
        held: Those of them that the change edits, so that they are not used as they are now.
        notes: What a person should know of how it was gathered.
        key: Stands for all of it.
    """

    requirements: tuple[Document, ...]
    exclusions: Exclusions
    instructions: Mapping[str, bytes]
    held: tuple[str, ...]
    notes: tuple[str, ...]
    key: bytes


def gather(context: ReviewContext) -> Brief:
    """Gather it, so that no change writes the instructions for its own review.

    Raises:
        ConfigError: If the person's own exclusions are broken.
        GitError: If git fails.
    """
    source, config = Instructions(context), context.config
    there = {*context.list_paths(), *context.list_paths(Side.OLD)}
    found = source.read(sorted(path for path in there if instructs(path) and agent_settings(path) is None))
    text = exclusions.load(source, resources.read("templates", f"prompts/{exclusions.FILE}").decode())
    named = config.origin("requirements") == "command line"
    documents = tuple(requirements(source, config["requirements"], named=named))
    parts: list[str | bytes] = [text]
    for document in documents:
        parts += [document.path, document.text]
    for path, data in sorted(found.items()):
        parts += [path, data]
    return Brief(
        requirements=documents,
        exclusions=Exclusions.parse(text),
        instructions=found,
        held=tuple(map(display_path, dict.fromkeys(source.held))),
        notes=tuple(source.notes),
        key=digest(parts),
    )
