"""The guard: examine the edits of a fixer, and return the reasons for which they may not be kept.

Every rule is a pure function of the edits; they are listed here, in the order in which they are tried. What no rule can
see: a test that replaces the very thing that it tests by a mock, and code that is wrong in a way that only reviews and
checks find.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from selfreview.errors import SelfreviewError
from selfreview.guard import (
    checkscripts,
    content,
    extent,
    paths,
    python_subverted,
    settings,
    silencing,
)
from selfreview.guard.patch import Bounds, Edited, File, Held, Patch, Rejection, make_patch
from selfreview.guard.testpolicy import Split, split

__all__ = ["Bounds", "Edited", "Held", "Rejection", "Split", "examine", "split"]

Rule = Callable[[Patch], Iterator[Rejection]]
CrashReport = Callable[[str, BaseException], str | None]

PLACES: tuple[Rule, ...] = (
    paths.escape,
    paths.git_folder,
    paths.submodule,
    paths.lfs_pointer,
    settings.ci_workflow,
    paths.git_hooks,
    settings.own_configuration,
    settings.agent_settings,
    settings.tool_configuration,
    python_subverted.loaded_by_name,
    paths.symbolic_link,
    extent.hidden_from_review,
    extent.ignored_by_git,
    paths.collision,
)
"""Rules on paths where nothing may be written; of a path that any of these rejects, no other rule reports anything."""

CONTENT: tuple[Rule, ...] = (
    extent.outside_change,
    extent.file_deleted,
    content.large_file,
    content.binary,
    content.encoding,
    content.hidden_code,
    content.file_format,
    content.conflict_marker,
    content.placeholder,
    content.hidden_character,
    content.syntax_error,
    content.secret,
    extent.rewrite,
    extent.reformatted,
    silencing.suppression,
    silencing.error_swallowed,
    silencing.shell_error_ignored,
    checkscripts.check_removed,
    checkscripts.check_script,
    silencing.detects_tests,
    silencing.stub,
    silencing.commented_out,
    python_subverted.run_ended,
    python_subverted.run_subverted,
)
"""Rules on content that may not be written."""


def examine(edits: Sequence[Edited], bounds: Bounds, crash_report: CrashReport | None = None) -> list[Rejection]:
    """Return why edits may not be kept, in the order of the rules; nothing where they may.

    Args:
        edits: All that a fixer changed since what it wrote was last kept.
        bounds: What they are measured against.
        crash_report: Writes a report of a rule that failed, and returns where; without it, none is written.

    Raises:
        ToolError: If the library that finds secrets is broken or fails.
    """
    patch = checkscripts.with_tests(make_patch(edits, bounds))
    found: list[Rejection] = []
    for rule in PLACES:
        found += _asked(rule, patch, crash_report)
        patch = patch.without({rejection.path for rejection in found})
    for rule in CONTENT:
        found += _asked(rule, patch, crash_report)
    return list(dict.fromkeys(found))


def _asked(rule: Rule, patch: Patch, crash_report: CrashReport | None) -> list[Rejection]:
    """Return what a rule rejects; where it fails, what it could not judge: nothing is kept unseen."""
    try:
        return list(rule(patch))
    except SelfreviewError:
        raise
    except Exception as error:  # noqa: BLE001 - one strange file must not end the run; it is reported
        where = crash_report(f"guard {rule.__name__}", error) if crash_report is not None else None
    files = [file for file in patch.files if _fails(rule, patch, file)] or patch.files[:1]
    reason = f"Write it in a simpler way: it could not be judged{f', see {where}' if where else ''}."
    return [Rejection(file.path, "not-judged", reason) for file in files]


def _fails(rule: Rule, patch: Patch, file: File) -> bool:
    edits = [edit for edit in patch.edits if edit.path in (file.path, file.old_path)]
    try:
        list(rule(Patch(edits, [file], patch.bounds)))
    except Exception:  # noqa: BLE001 - reported above
        return True
    return False
