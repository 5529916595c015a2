"""What a repository wants to run, as a digest and as lines for a person."""

from __future__ import annotations

import pytest

from selfreview.trust import executable_content


def described(conf: bytes | None, **tables: object) -> list[str]:
    subject = executable_content(conf, tables)
    assert subject is not None
    return subject.describe()


@pytest.mark.parametrize(
    ("conf", "count"),
    [(b"", "1 line"), (b"x", "1 line"), (b"x\n", "1 line"), (b"x\ny", "2 lines"), (b"x\ny\n", "2 lines")],
)
def test_code_is_told_by_its_lines(conf: bytes, count: str) -> None:
    assert described(conf) == [f"selfreview_conf.py: {count} of Python"]


def test_every_value_has_a_line_and_odd_keys_are_quoted() -> None:
    table = {"b-2_c": 1, "-": 2, "_": 3, "a.b": 4, "ä": 5, "": 6, "deep": {"x": {"y": ["z"]}, "empty": {}}}
    assert described(None, command=table) == [
        "command.'' = 6",
        "command.'-' = 2",
        "command.'_' = 3",
        "command.'a.b' = 4",
        "command.b-2_c = 1",
        "command.deep.empty = {}",
        "command.deep.x.y = ['z']",
        "command.'ä' = 5",
    ]


def test_a_digest_stays_what_it_is() -> None:
    """Were it to change, every person would be asked about everything again."""
    digests = [executable_content(conf, {"checks": {"test": "make"}}) for conf in (b"x = 1\n", None)]
    assert [subject.digest for subject in digests if subject is not None] == [
        "49171e56765f2247234c1394e19ab18ab314cd69b9afc8bcf3289f4200e7f7b2",
        "1db42d63d8b7d06718291be44d53b6264d989941a30ee299ee53623188b8ea43",
    ]
