"""Evidence for findings on a whole file, derived from its present content."""

from __future__ import annotations

import hashlib


def state_of(content: bytes | str) -> str:
    """Return the evidence of a finding on all of a file's content: an acceptance of it covers no other content."""
    data = content if isinstance(content, bytes) else content.encode("utf-8", "surrogateescape")
    return f"content {hashlib.sha256(data).hexdigest()}"
