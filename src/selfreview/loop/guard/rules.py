"""The rules, in the order in which they are tried."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from selfreview.loop.guard import (
    agentsettings,
    ciworkflow,
    commentedout,
    deletion,
    encoding,
    expectation,
    fileformat,
    gitfolder,
    githooks,
    hidden,
    largefile,
    lfs,
    links,
    markers,
    outside,
    ownconfig,
    paths,
    pyemptied,
    pyended,
    pyloosened,
    pyremoved,
    pyshadow,
    pytesthooks,
    pyunreached,
    rewrite,
    runners,
    secretvalues,
    shellerrors,
    skipped,
    stub,
    submodule,
    suppression,
    swallowed,
    syntax,
    testaware,
    testtext,
    toolconfig,
    unreviewed,
    widened,
)
from selfreview.loop.guard.model import Bounds, Edited, Rejection
from selfreview.loop.guard.patch import Patch, make_patch

Rule = Callable[[Patch], Iterator[Rejection]]

PLACES: tuple[Rule, ...] = (
    paths.escape,
    gitfolder.git_folder,
    submodule.submodule,
    lfs.lfs_pointer,
    ciworkflow.ci_workflow,
    githooks.git_hooks,
    ownconfig.own_configuration,
    agentsettings.agent_settings,
    toolconfig.tool_configuration,
    pyshadow.loaded_by_name,
    pytesthooks.test_hooks,
    links.symbolic_link,
    unreviewed.hidden_from_review,
    paths.collision,
)
"""Where nothing may be written; of a path that one of these rejects, no other rule says anything."""

CONTENT: tuple[Rule, ...] = (
    outside.outside_change,
    deletion.file_deleted,
    largefile.large_file,
    encoding.binary,
    encoding.encoding,
    encoding.hidden_code,
    fileformat.file_format,
    markers.conflict_marker,
    markers.placeholder,
    hidden.hidden_character,
    syntax.syntax_error,
    secretvalues.secret,
    rewrite.rewrite,
    rewrite.reformatted,
    suppression.suppression,
    swallowed.error_swallowed,
    shellerrors.shell_error_ignored,
    runners.check_removed,
    testaware.detects_tests,
    stub.stub,
    commentedout.commented_out,
    pyremoved.test_removed,
    pyremoved.assertion_removed,
    pyemptied.test_emptied,
    pyunreached.assertion_unreached,
    pyloosened.assertion_loosened,
    widened.expected_error_widened,
    expectation.expectation_changed,
    expectation.snapshot_changed,
    skipped.test_skipped,
    pyended.run_ended,
    testtext.text_test_removed,
    testtext.text_test_unreached,
    testtext.text_assertion_removed,
    testtext.text_assertion_loosened,
    testtext.text_failure_expected,
    testtext.text_expectation_changed,
)
"""What may not be written."""


def examine(edits: Sequence[Edited], bounds: Bounds) -> list[Rejection]:
    """Return why edits may not be kept, in the order of the rules; nothing where they may.

    Args:
        edits: All that a fixer changed since what it wrote was last kept.
        bounds: What they are measured against.

    Raises:
        ToolError: If the library that finds secrets is broken or fails.
    """
    patch = make_patch(edits, bounds)
    found: list[Rejection] = []
    for rule in PLACES:
        found += rule(patch)
        patch = patch.without({rejection.path for rejection in found})
    for rule in CONTENT:
        found += rule(patch)
    return list(dict.fromkeys(found))
