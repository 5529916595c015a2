"""Readable text in a file that git calls binary."""

from __future__ import annotations

import re

_MOST = 4 * 1024 * 1024
"""Maximum bytes of a file in which text is looked for."""
_WIDE = 0.3
"""Minimum share of NUL bytes in UTF-16 and UTF-32."""
_RUN = re.compile(rb"[\t\n\r\x20-\x7e]{20,}")
"""Runs of text; the shortest credentials have 20 characters."""
COMMON_MAGIC = (
    b"\x7fELF", b"MZ", b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"PK\x03\x04", b"\x1f\x8b",
    b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"RIFF", b"\0asm", b"!<arch>\n", b"%PDF",
)  # fmt: skip
"""Magic numbers of the most common binary formats: where a shell might run the file, no others are accepted."""


def readable(data: bytes) -> str:
    """Return the runs of plain text in a small file, one behind the other; of UTF-16 and UTF-32, too."""
    if len(data) > _MOST:
        return ""
    if data.count(b"\0") > _WIDE * len(data):
        data = data.replace(b"\0", b"")
    return "\n".join(run.decode("ascii") for run in _RUN.findall(data))
