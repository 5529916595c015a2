"""What people could read in a file that git calls binary."""

from __future__ import annotations

import re

_MOST = 4 * 1024 * 1024
"""Bytes above which a file is data."""
_WIDE = 0.3
"""Least share of NUL bytes in UTF-16 and UTF-32."""
_RUN = re.compile(rb"[\t\n\r\x20-\x7e]{20,}")
"""The shortest credentials have 20 characters."""
COMMON_MAGIC = (
    b"\x7fELF", b"MZ", b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"PK\x03\x04", b"\x1f\x8b",
    b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"RIFF", b"\0asm", b"!<arch>\n", b"%PDF",
)  # fmt: skip
"""How the most common binary files begin: where it matters what a shell would run, no more are believed."""
_MAGIC = (
    *COMMON_MAGIC, b"SQLite format 3\0", b"BZh",
    b"7z\xbc\xaf", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd", b"Rar!", b"wOFF", b"wOF2", b"\0\1\0\0", b"OTTO", b"OggS", b"ID3",
    b"fLaC", b"\0\0\1\0", b"BM", b"II*\0", b"MM\0*", b"8BPS", b"\x89HDF", b"\x93NUMPY", b"PAR1", b"ARROW1", b"glTF",
    b"\xd0\xcf\x11\xe0", b"\xde\x12\x04\x95", b"\x1aE\xdf\xa3",
)  # fmt: skip
"""How the usual binary files begin."""


def has_magic(data: bytes) -> bool:
    """Say whether data begin as a usual binary file does."""
    return data.startswith(_MAGIC) or data[4:8] == b"ftyp"


def readable(data: bytes) -> str:
    """Return the runs of plain text in a small file, one behind the other; of UTF-16 and UTF-32, too."""
    if len(data) > _MOST:
        return ""
    if data.count(b"\0") > _WIDE * len(data):
        data = data.replace(b"\0", b"")
    return "\n".join(run.decode("ascii") for run in _RUN.findall(data))
