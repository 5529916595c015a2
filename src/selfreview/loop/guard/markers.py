"""Conflict markers, and placeholders of hidden secrets."""

from __future__ import annotations

import re
from collections.abc import Iterator

from selfreview.llm.redaction.redactor import PLACEHOLDER
from selfreview.loop.guard.model import Rejection
from selfreview.loop.guard.patch import Patch

_CONFLICT = re.compile(r"^(?:<{7}|>{7}|\|{7})(?: .*)?\r?$", re.MULTILINE)


def conflict_marker(patch: Patch) -> Iterator[Rejection]:
    """Reject new markers of a merge conflict."""
    for file in patch.files:
        if len(_CONFLICT.findall(file.new_text)) > len(_CONFLICT.findall(file.old_text)):
            yield Rejection(file.path, "conflict-marker", "Resolve the conflict, and leave no conflict markers behind.")


def placeholder(patch: Patch) -> Iterator[Rejection]:
    """Reject placeholders of hidden secrets: written to a file, they would replace the secret."""
    for file in patch.files:
        if set(PLACEHOLDER.findall(file.new_text)) - set(PLACEHOLDER.findall(file.old_text)):
            reason = "Leave lines with a REDACTED placeholder as they are; it stands for a value that was hidden."
            yield Rejection(file.path, "redaction-placeholder", reason)
