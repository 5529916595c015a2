"""Words that stand where a secret would, and values that only hold such letters by chance."""

from __future__ import annotations

import random

import pytest

from selfreview.secrets.plausibility import entropy, is_placeholder, looks_random
from tests.secrets import tokens


@pytest.mark.parametrize(
    "value",
    [
        "",
        "********",
        "<your token>",
        "[redacted]",
        "${TOKEN}",
        "$TOKEN",
        "$(cat token)",
        "{{ token }}",
        "{token}",
        "%(token)s",
        "%TOKEN%",
        "@TOKEN@",
        "#{token}",
        "process.env.TOKEN",
        "changeme",
        "change-me-please",
        "your-api-key",
        "put-it-here",
        "AKIA" + "IOSFODNN7EXAMPLE",
        "XXXXXXXXXXXXXXXX",
        "1234567890123456",
        "abcabcabcabcabcabc",
        "0000000000000000000",
        "aaaaaaaaaaaaaaaaaab",
    ],
)
def test_stands_where_a_secret_would(value: str) -> None:
    assert is_placeholder(value)


@pytest.mark.parametrize("value", ["fake-token-1", "test-secret", "my_mock_key", "foobar123", "not-a-secret"])
def test_some_words_count_only_where_nothing_but_the_place_speaks_for_a_secret(value: str) -> None:
    assert is_placeholder(value, generic=True)
    assert not is_placeholder(value)


@pytest.mark.parametrize("rule", tokens.FORMATS)
def test_no_real_format_is_a_placeholder(rule: str) -> None:
    rng = random.Random(rule)
    wrong = sum(is_placeholder(tokens.FORMATS[rule](rng)) for _ in range(200))
    assert wrong <= 1


def test_a_key_that_holds_such_letters_by_chance_is_none() -> None:
    assert not is_placeholder(tokens.pem(random.Random(1)).replace("A", "xxxx"))


@pytest.mark.parametrize(("alphabet", "size"), [(tokens.ALNUM, 14), (tokens.ALNUM, 40), (tokens.HEX, 32)])
def test_most_machine_made_values_look_random(alphabet: str, size: int) -> None:
    rng = random.Random(size)
    assert sum(looks_random(tokens.pick(rng, alphabet, size)) for _ in range(500)) > 450


@pytest.mark.parametrize(
    "word",
    [
        *(
            "password",
            "Password123",
            "hunter2",
            "admin123",
            "MyPassword1!",
            "letmein2",
            "test1234",
            "P@ssw0rd",
            "changeit1",
        ),
        *("Welcome2024", "user_password_1", "superSecretKey1", "correct-Horse7", "access_token_2", "getPassword1"),
    ],
)
def test_words_do_not_look_random(word: str) -> None:
    assert not looks_random(word)


def test_entropy_counts_bits_per_character() -> None:
    assert entropy("") == 0
    assert entropy("aaaa") == 0
    assert entropy("abab") == 1
    assert entropy("abcdefgh") == 3
