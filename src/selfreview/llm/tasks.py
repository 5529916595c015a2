"""Tasks, each asked at once: views packed under a token budget, never cut, every added line in exactly one task."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from selfreview.llm.affinity import together
from selfreview.llm.changed import changed_definitions
from selfreview.llm.reference import without
from selfreview.llm.splitting import cost, split
from selfreview.llm.tokens import estimate
from selfreview.llm.view import FileView, shown_path

if TYPE_CHECKING:
    from selfreview.llm.reference import Reference

MAX_TOKENS = 6000
"""Default size of a task: small, since only the tasks with a changed file are asked again."""


@dataclasses.dataclass(frozen=True)
class Task:
    """Views that are reviewed together.

    Attributes:
        name: Its number and first file, for a person (``"2/3 src/app.py"``).
        views: Whole files or parts of files, those that belong together side by side.
        references: Unchanged code that helps to judge them.
    """

    name: str
    views: tuple[FileView, ...]
    references: tuple[Reference, ...] = ()


def pack(
    views: Iterable[FileView], references: Mapping[str, Sequence[Reference]], max_tokens: int = MAX_TOKENS
) -> list[Task]:
    """Pack views into tasks.

    Args:
        views: One for each file, in any order.
        references: What helps to judge a file, by its path.
        max_tokens: Most tokens of a task's views by :func:`selfreview.llm.splitting.cost`; only a single line that is
            larger by itself makes a larger task. References come on top, at most half as much.

    Returns:
        Tasks of files that belong together; the same for any order of the views.
    """
    by_path = {view.file.path: view for view in views}
    parts = [part for path in together(by_path, references) for part in split(by_path[path], max_tokens)]
    groups: list[list[FileView]] = []
    used = 0
    for part in parts:
        size = cost(part)
        if groups and used + size <= max_tokens:
            groups[-1].append(part)
            used += size
        else:
            groups.append([part])
            used = size
    return [
        _task(group, references, f"{number}/{len(groups)}", max_tokens // 2) for number, group in enumerate(groups, 1)
    ]


def _task(group: list[FileView], references: Mapping[str, Sequence[Reference]], name: str, max_tokens: int) -> Task:
    paths = dict.fromkeys(view.file.path for view in group)
    shown: dict[str, set[str]] = {}
    numbered: dict[str, dict[int, str]] = {}
    for view in group:
        texts = (line.text.strip() for piece in view.pieces for line in piece.lines if line.mark != "-")
        shown.setdefault(view.file.path, set()).update(texts)
        lines = (line for piece in view.pieces for line in piece.lines)
        numbered.setdefault(view.file.path, {}).update({n: text for n, _, text in lines if n is not None})
    chosen = dict.fromkeys(
        left
        for path in paths
        for reference in references.get(path, ())
        if not shown.get(reference.path, set()).issuperset(map(str.strip, reference.text.split("\n")))
        and (left := without(reference, numbered.get(reference.path, {})))
    )
    return Task(f"{name} {group[0].file.path}", tuple(group), tuple(_fitting(chosen, max_tokens)))


def _fitting(references: Iterable[Reference], max_tokens: int) -> Iterator[Reference]:
    """Yield references while there is room, those of the first file first."""
    for reference in references:
        size = estimate(f"{reference.path} {reference.why}\n{reference.text}\n")
        if size <= max_tokens:
            max_tokens -= size
            yield reference


def overview(views: Sequence[FileView], references: Mapping[str, Sequence[Reference]], max_tokens: int) -> str:
    """Return the signatures that a change adds, edits or removes, and their users, to look at the change as a whole.

    Args:
        views: The changed files.
        references: Callers and the like, by changed file.
        max_tokens: Most tokens; what there is no room for is counted at the end.

    Returns:
        Text, or the empty string where no signature changed.
    """
    lines: list[str] = []
    for view in sorted(views, key=lambda v: v.file.path):
        own = []
        for item in changed_definitions(view):
            if item.signature_changed:
                place = f"{item.after.line_start:>5} " if item.after else "      "
                own += [f"      - {item.before.signature}"] if item.before else []
                own += [f"{place}+ {item.after.signature}"] if item.after else []
        if own:
            about = f" ({view.about})" if view.about else ""
            users = [r for r in references.get(view.file.path, ()) if r.why.startswith("uses ")]
            lines += [f"## File: {shown_path(view.file.path)}{about}", *own]
            lines += [f"{shown_path(r.path)}, lines {r.line_start}-{r.line_end}, {r.why}:\n{r.text}" for r in users]
    kept, room = [], max_tokens
    for line in lines:
        size = estimate(line + "\n")
        if size <= room:
            room -= size
            kept.append(line)
    if len(kept) < len(lines):
        kept.append(f"[{len(lines) - len(kept)} more left out for want of room]")
    return "\n".join(kept)
