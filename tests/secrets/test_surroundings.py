"""What a name gives away, however it is written, and what only looks so."""

from __future__ import annotations

import random

import pytest

from selfreview.secrets.match import Confidence
from selfreview.secrets.scanner import scan
from tests.secrets import tokens

VALUE = tokens.pick(random.Random(41), tokens.ALNUM, 24)
PASSWORD = tokens.pick(random.Random(42), tokens.ALNUM, 14)


@pytest.mark.parametrize(
    "text",
    [
        'apiToken="{}"',
        "API_TOKEN={}",
        'var apiToken string = "{}"',
        "const apiToken: string = `{}`;",
        "String apiToken = '{}';",
        "apiToken := '{}'",
        'API_TOKEN ?= "{}"',
        "'api_token' => '{}',",
        '{{"api_token": "{}"}}',
        '{{\\"api_token\\": \\"{}\\"}}',
        'config["api-token"] = "{}"',
        'System.setProperty("API_TOKEN", "{}")',
        'client.setApiToken("{}")',
        "<apiToken>{}</apiToken>",
        "<apiToken>\n  {}\n</apiToken>",
        "https://acme.io/?access_token={}&page=2",
        'if (apiToken == "{}") {{',
        "first\\nAPI_TOKEN={}\\nlast",
        "SIGNING_KEY_PROD = '{}'",
        "session.key: {}",
    ],
)
def test_a_key_is_found_in_every_notation(text: str) -> None:
    assert [match.value for match in scan(text.format(VALUE))] == [VALUE]


@pytest.mark.parametrize(
    "text",
    ["password: {}", "DB_PASS={}", 'userpass = "{}"', "<password>{}</password>", 'login(password="{}")', "pwd={};"],
)
def test_a_password_is_found_in_every_notation(text: str) -> None:
    assert [(match.rule, match.value) for match in scan(text.format(PASSWORD))] == [("generic-password", PASSWORD)]


@pytest.mark.parametrize(
    "text",
    [
        f"primaryKey={VALUE}",
        f"key_down_event={VALUE}",
        f"publishable_key: {VALUE}",
        f"token_id: {VALUE}",
        f'secretHash = "{VALUE}"',
        f"stripe_key: pk_live_{VALUE}",
        f"posthog_key: phc_{VALUE}",
        "|| pIdxKey->default_rc==0",
        "Token = <your-token-here-9>",
        "wheel_key = '%s/PKG-INFO'",
        "cache_key = 'app.views.v2.detail'",
        "key = 550e8400-e29b-41d4-a716-446655440000",
        "secret_file: /run/secrets/api-v2-token.json",
        "api = https://api.acme.io/v2/users9",
        'columns = ["password", "type"]',
        'ask("Password: ")',
        "('crc-16-buypass', 'Crc16Buypass', 0x18005)",
    ],
)
def test_what_only_looks_so_is_none(text: str) -> None:
    assert [match for match in scan(text) if match.confidence is not Confidence.DOUBTFUL] == []


@pytest.mark.parametrize(
    "name",
    """primary_access_key PRIMARY_SECRET COSMOS_PRIMARY_KEY TELESCOPE_SECRET SCOPED_API_KEY PASSWORD_HASHER_SECRET
    MAIL_DIGEST_SECRET FINGERPRINT_API_KEY THUMBOR_SECRET_KEY AUTHORITY_CLIENT_SECRET ISSUER_PRIVATE_KEY
    AUTH_HEADER_TOKEN REPUBLIC_TOKEN""".split(),  # noqa: SIM905 - a table to read
)
def test_a_word_within_a_name_makes_it_no_other_things(name: str) -> None:
    assert [match.value for match in scan(f'{name} = "{VALUE}"')] == [VALUE]


@pytest.mark.parametrize("value", [r"Ab\\3xY7qT9wZp", "a'k3J8sLq02ZpW", "k3J8`sLq02ZpW", r"Ab\"3xY7qT9wZp"])
def test_a_password_may_hold_quotes_and_escapes(value: str) -> None:
    assert [match.value for match in scan(f'password = "{value}"')] == [value]


def test_a_word_where_a_password_is_asked_for_is_not_even_doubtful() -> None:
    assert scan('getpass("Password: ")\nfields = ("password", "type")\n') == []


def test_a_bearer_token_that_begins_with_zeros_is_no_placeholder() -> None:
    value = "A" * 22 + tokens.pick(random.Random(43), tokens.ALNUM, 90)
    assert [match.rule for match in scan(f"TWITTER_BEARER_TOKEN={value}")] == ["twitter-bearer-token"]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("curl -u deploy:{} https://acme.io", ["deploy:{}"]),
        ('curl -s --user "deploy:{}" https://acme.io', ["deploy:{}"]),
        ("curl \\\n  -X POST \\\n  -u deploy:{} \\\n  https://acme.io", ["deploy:{}"]),
        ("curl -H 'X-Api-Key: {}' https://acme.io", ["{}"]),
        ('curl -X GET https://acme.io/\n  --header "Authorization: Token {}"', ["{}"]),
        ("curl -u user:password https://acme.io", []),
        ("curl -u $USER:$PASSWORD https://acme.io", []),
        ('curl -H "Authorization: Bearer $TOKEN" https://acme.io', []),
        ('curl -H "Accept: application/json" https://acme.io', []),
    ],
)
def test_what_a_curl_command_is_given(text: str, values: list[str]) -> None:
    assert [match.value for match in scan(text.format(VALUE) if values else text)] == [v.format(VALUE) for v in values]
