"""Small values to test the engine's parts with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from selfreview.api import ChangedFile, Depth, Review, ReviewContext
from selfreview.model.issue import Category, Finding, Issue, Severity, Side
from selfreview.proc import Runner
from selfreview.review.context import Workbench
from selfreview.testing.context import MemoryContext

if TYPE_CHECKING:
    from selfreview.git.content import Content


def make_issue(**fields: Any) -> Issue:
    defaults: dict[str, Any] = {
        "id": "sr-00000000",
        "severity": Severity.MEDIUM,
        "category": Category.LOGIC,
        "file": "a.py",
        "line_start": 1,
        "line_end": 1,
        "side": Side.NEW,
        "description": "something is wrong here",
        "reviewer": "one",
        "fingerprint": "v1:" + "0" * 32,
    }
    return Issue(**{**defaults, **fields})


def make_finding(**fields: Any) -> Finding:
    defaults: dict[str, Any] = {
        "file": "a.py",
        "line_start": 1,
        "severity": Severity.MEDIUM,
        "category": Category.LOGIC,
        "description": "something is wrong here",
    }
    return Finding(**{**defaults, **fields})


class Reviewing:
    """A reviewer made of a function.

    Args:
        review: Called with the files and the context.
        more: Further attributes, such as ``timeout``.
    """

    depth = Depth.STATIC
    default = True

    def __init__(
        self,
        name: str = "one",
        review: Callable[[Sequence[ChangedFile], ReviewContext], Review] = lambda _files, _context: Review(),
        **more: Any,
    ) -> None:
        self.name = name
        self.review = review
        vars(self).update(more)

    def selects(self, _file: ChangedFile) -> bool:
        """Take everything."""
        return True

    def cache_key(self, _context: ReviewContext) -> bytes | None:
        """Depend on nothing but the files."""
        return b""


class MemoryBlobs(dict[bytes, bytes]):
    """A cache in memory."""

    def get_many(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        return {key: self[key] for key in keys if key in self}

    def put_many(self, entries: Mapping[bytes, bytes]) -> None:
        self.update(entries)


def make_bench(**files: str | tuple[str | None, str | None]) -> Workbench:
    """A bench over contents in memory, new ones or pairs of an old and a new one; ``a_py`` stands for ``a.py``."""
    sides = {
        name.replace("_", "."): content if isinstance(content, tuple) else (None, content)
        for name, content in files.items()
    }
    context = MemoryContext(sides)
    content = cast(
        "Content",
        SimpleNamespace(read=context.read, is_partial=lambda _file: False, close=lambda: None, hunks=context.hunks),
    )
    return Workbench(context.change, content, context.config, Runner())
