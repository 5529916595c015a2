"""The bytes that a digest is taken over: were they to change, every person would be asked about everything again."""

from __future__ import annotations

import datetime

import pytest

from selfreview.trust.canonical import canonical


@pytest.mark.parametrize(
    ("value", "data"),
    [
        ("x", b"s1:x"),
        ("\udcff", b"s3:\xed\xb3\xbf"),
        (b"x", b"b1:x"),
        (1, b"v5:int:1"),
        (True, b"v9:bool:True"),
        (1.0, b"v9:float:1.0"),
        (datetime.time(7, 32), b"v25:time:datetime.time(7, 32)"),
        ([], b"a0:"),
        (["x", []], b"a7:s1:xa0:"),
        (("x", []), b"a7:s1:xa0:"),
        ({"\udcff": 1}, b"t14:k3:\xed\xb3\xbfv5:int:1"),
        ({"b": 1, "a": "x"}, b"t20:k1:as1:xk1:bv5:int:1"),
    ],
)
def test_the_form_of_a_value_stays_what_it_is(value: object, data: bytes) -> None:
    assert canonical(value) == data
