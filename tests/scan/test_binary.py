"""Plain text in binary files."""

from __future__ import annotations

import pytest

from selfreview.scan.binary import readable

TEXT = "a line that is long enough\nanother one"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_wide_text_is_read(encoding: str) -> None:
    assert TEXT in readable(TEXT.encode(encoding))


def test_runs_are_kept_apart() -> None:
    assert readable(b"\0" + TEXT.encode() + b"\0short\0" + TEXT.encode() + b"\xff") == f"{TEXT}\n{TEXT}"


def test_what_is_large_is_data() -> None:
    assert readable(b"\0" + b"x" * 2**22) == ""
    assert readable(b"\0" + b"x" * 2**21 + b"\0" + TEXT.encode()).endswith(TEXT)
