"""What is shown never holds a value, and everything around it stays."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selfreview.secrets.masking import hide, mask, mask_secrets
from selfreview.secrets.scanner import scan
from selfreview.text.masking import MASK
from tests.secrets import tokens

MAKERS = [*tokens.FORMATS.values(), tokens.pem]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\"'`"), max_size=20),
        min_size=1,
        max_size=5,
    ),
    st.integers(0, 2**32),
)
def test_no_value_remains_and_the_rest_does(pieces: list[str], seed: int) -> None:
    rng = random.Random(seed)
    values = [rng.choice(MAKERS)(rng) for _ in pieces[1:]]
    text = pieces[0] + "".join(f'\n"{value}"\n{piece}' for value, piece in zip(values, pieces[1:], strict=True))
    matches = scan(text)
    masked = mask(text, matches)
    for match in matches:
        assert match.value not in masked
    assert masked.count("\n") == text.count("\n")
    assert mask_secrets(text) == masked
    if not matches:
        assert masked == text


def test_every_line_of_a_key_is_hidden() -> None:
    key = tokens.pem(random.Random(1))
    masked = mask_secrets(f"a\n{key}\nb\n").split("\n")
    assert masked[0] == "a"
    assert masked[1] == key.split("\n")[0] + MASK
    assert masked[2:] == [MASK] * 13 + ["b", ""]


@pytest.mark.parametrize(("rule", "start"), [("github-pat", "gh" + "p_"), ("stripe-access-token", "sk_" + "live_")])
def test_what_every_value_of_a_format_starts_with_stays(rule: str, start: str) -> None:
    value = tokens.FORMATS[rule](random.Random(2))
    assert mask_secrets(f'x = "{value}"  # why') == f'x = "{start}{MASK}"  # why'


def test_of_a_value_without_a_public_start_nothing_stays() -> None:
    value = tokens.pick(random.Random(3), tokens.ALNUM, 20)
    assert mask_secrets(f'password = "{value}"') == f'password = "{MASK}"'


def test_hides_a_value_that_another_text_quotes() -> None:
    value = tokens.FORMATS["github-pat"](random.Random(4))
    matches = scan(f'x = "{value}"')
    assert hide(f"possible password: '{value}' ({value})", matches) == f"possible password: '{MASK}' ({MASK})"


def test_hides_each_line_of_a_key_that_another_text_quotes() -> None:
    key = tokens.pem(random.Random(5))
    matches = scan(key)
    second = key.split("\n")[1]
    assert second not in hide(f"line: {second}", matches)
    assert hide("-----BEGIN RSA PRIVATE" + " KEY-----", matches) == "-----BEGIN RSA PRIVATE" + " KEY-----"


@pytest.mark.parametrize(
    ("rule", "public"),
    [("github-fine-grained-pat", 11), ("github-pat", 4), ("slack-bot-token", 5), ("azure-ad-client-secret", 0)],
)
def test_hides_the_beginning_of_a_value_where_a_quote_was_cut(rule: str, public: int) -> None:
    value = tokens.FORMATS[rule](random.Random(5))
    matches = scan(f'token = "{value}"\n')
    assert {match.value for match in matches} == {value}
    for length in range(max(12, public + 8), len(value) + 1):
        assert hide(f"`# noqa: {value[:length]}` and {value[:length]}|", matches) == f"`# noqa: {MASK}` and {MASK}|"
    other = value[: max(12, public + 8) - 1]
    assert hide(f"{value[:public]} {other}|", matches) == f"{value[:public]} {other}|"


def test_does_not_hide_a_common_word_everywhere() -> None:
    matches = scan('password = "password1"')
    assert hide("password1 is no good password", matches) == "password1 is no good password"
