"""What could be a secret does not leave, comes back unchanged, and leaves code readable."""

from __future__ import annotations

import base64
import json
import random
import re
import subprocess
import sys
import urllib.parse
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfreview.secrets.redactor import _LINE_BREAK, Redactor, _joined
from selfreview.text.masking import MASK
from tests.secrets import tokens

WORD = "Tr0ub4dor" + "&3x"
LETTERS = "correct" + "horsebattery"


def redacted(text: str, value: str) -> str:
    """Redact, and hold what is promised of every text."""
    redactor = Redactor()
    out = redactor.redact(text)
    assert value not in out
    assert redactor.count
    assert out.count("\n") == text.count("\n")
    assert redactor.restore(out) == text
    assert redactor.redact(out) == out
    return out


def made(alphabet: str, length: int) -> str:
    return "".join(random.Random(length).choices(alphabet, k=length))


HEX = made("0123456789abcdef", 32)
MIXED = made("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", 40)
KEY_BODY = [made("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", 64 - n) for n in (0, 0, 0, 50)]
KEY = "\n".join(["-----BEGIN RSA " + "PRIVATE KEY-----", *KEY_BODY, "-----END RSA " + "PRIVATE KEY-----"])

SYNTAXES = [
    'password = "{}"',
    "db_passwd: str = '{}'",
    "    self.pwd = '{}'  # for now",
    'const char password[] = "{}";',
    'const API_KEY: &str = "{}";',
    "'api-key' => '{}',",
    '{{"client_secret": "{}", "x": 1}}',
    '{{\\"password\\": \\"{}\\"}}',
    'os.environ["DB_PASSWORD"] = "{}"',
    'if password == "{}":',
    'os.environ.setdefault("API_KEY", "{}")',
    "CREATE USER x IDENTIFIED BY '{}';",
    "ALTER ROLE x PASSWORD '{}';",
    '#define PASSWORD "{}"',
    "PASSWORD={}",
    "+export DB_PASSWORD={}",
    "  - DB_PASSWORD={}",
    "docker run -e DB_PASSWORD={} image",
    "  password: {}",
    "+  - password: {}",
    "[client]\npassword = {}\n",
    "<password>{}</password>",
    "<db:clientSecret kind='x'>{}</db:clientSecret>",
    '<add key="SmtpPassword" value="{}" />',
    "mysql -u root -p{} db",
    "tool --password {} --verbose",
    "tool --password={} --verbose",
    "curl -u admin:{} https://example.org",
    "curl --user admin:{} https://example.org",
    "postgres://app:{}@db.example.org/app",
    "redis://:{}@cache:6379",
    "Fix login, the password was `{}` before",
]


@pytest.mark.parametrize("syntax", SYNTAXES)
@pytest.mark.parametrize("value", [WORD.replace("&", "-"), LETTERS])
def test_a_password_is_found_in_any_syntax(syntax, value):
    redacted(syntax.format(value), value)


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Bearer {}",
        "auth: {}",
        "x-auth-token: {}",
        "headers = {{'X-Auth-Token': '{}'}}",
        "https://{}@github.com/x/y.git",
        "the token is {} today",
        "send({})",
        "# see {}",
        "+{}",
        "X={}",
    ],
)
@pytest.mark.parametrize("value", [HEX, MIXED])
def test_a_token_is_found_by_its_form_or_its_place(text, value):
    redacted(text.format(value), value)


PLACES: list[Callable[[str], str]] = [
    lambda value: value,
    lambda value: "@@ -1 +1,2 @@\n context\n" + "\n".join("+" + line for line in value.split("\n")) + "\n more\n",
    lambda value: "\n".join("-    " + line for line in value.split("\n")),
    lambda value: f"# Title\n\n```\n{value}\n```\nand `{value}` inline\n",
    lambda value: json.dumps({"text": value, "more": f"see {value}"}),
    lambda value: f"Fix the login\n\nUsed {value} to test.\n",
    lambda value: f"def f():\n    return '''{value}'''\n",
]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", tokens.FORMATS)
def test_known_formats_are_found_wherever_they_stand(name, place):
    value = tokens.FORMATS[name](random.Random(name))
    redacted(place(value), value)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    "lines", [slice(None), slice(0, 3), slice(2, None), slice(1, 4)], ids=["all", "top", "end", "middle"]
)
def test_private_keys_are_found_also_where_only_a_part_shows(place, lines):
    part = "\n".join(KEY.split("\n")[lines])
    text = place(part)
    out = redacted(text, part)
    for line in set(part.split("\n")) & set(KEY_BODY[:3]):
        assert line not in out
    if lines != slice(1, 4):
        assert KEY_BODY[3] not in out


def test_a_diff_keeps_its_marks_and_code_its_quotes():
    out = Redactor(tag="0000").redact(f'+api_secret("{WORD}")\n-{MIXED}\n')
    assert out == '+api_secret("REDACTED_0000_PASSWORD_1_12CHARS")\n-REDACTED_0000_RANDOM_2_40CHARS\n'


def test_the_frame_of_a_key_and_the_marks_of_its_lines_stay():
    text = "".join(f"+{line}\n" for line in KEY.split("\n"))
    out = Redactor().redact(text).splitlines()
    assert (out[0], out[-1]) == tuple(text.splitlines()[:: len(out) - 1])
    assert all(line.startswith("+REDACTED_") for line in out[1:-1])


def test_a_value_has_one_placeholder_for_the_whole_run():
    redactor = Redactor()
    first = redactor.redact(f"password = '{WORD}'")
    assert redactor.redact(f"password = '{WORD}'") == first
    assert redactor.redact("password = 'An0ther-one!'") != first
    assert redactor.count == 2


def test_what_is_learnt_in_one_text_is_hidden_in_every_other():
    redactor = Redactor()
    redactor.learn(f"DB_PASSWORD={WORD}\nOTHER_PASSWORD=postgres\n")
    assert WORD not in redactor.redact(f"connect('{WORD}')")
    assert redactor.redact("import postgres") == "import postgres"  # a word is hidden in its place only


def test_known_values_are_hidden_encoded_and_broken_over_lines():
    value = "plain words, " + "and more of them"
    redactor = Redactor()
    redactor.learn(f"password = '{value}'")
    shown = [
        value,
        f"x={urllib.parse.quote(value, safe='')}",
        *(f"+  {value[:at]}\n+  {value[at:]}" for at in (4, 20)),
        f"a = '{value[:9]}'\n    '{value[9:]}'\n",
    ]
    for text in shown:
        out = redactor.redact(text)
        assert value[:4] not in out
        assert value[-8:] not in out
        assert out.count("\n") == text.count("\n")
        assert redactor.restore(out) == text
    for before in ("", "u", "us", "usr"):
        text = base64.b64encode(f"{before}{value}!".encode()).decode()
        assert value[2:-2].encode() not in base64.b64decode(redactor.redact(text)[:4] + "=" * 4, validate=False)
        assert len(redactor.redact(text).replace("REDACTED", "")) < len(text) + 40
        assert "REDACTED" in redactor.redact(text)


@given(st.text(alphabet="a+- \t\r\n\"'\\"))
def test_lines_are_joined_as_breaks_are_found(text):
    assert _joined(text) == _LINE_BREAK.sub("", text)


def test_no_run_of_what_stands_around_a_break_is_too_long():
    value = "plain words, " + "and more of them"
    program = f"""
from selfreview.secrets.redactor import Redactor
redactor = Redactor()
redactor.learn("password = '{value}'")
for run in (" ", chr(9), chr(34), chr(39), chr(92), chr(39) + " "):
    out = redactor.redact("{value[:20]}" + chr(10) + "{value[20:]}" + chr(10) + "a" + run * 200_000 + "b")
    assert "{value[:20]}" not in out and "{value[20:]}" not in out
"""
    # Far more than it takes, and far less than a search from every place of the run would.
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_words_of_ours_are_spared():
    mark = HEX[:16]
    text = f"<<<password {mark}>>>\npassword = '{WORD}'\n<<<end of password {mark}>>>\nAuthorization: Bearer {mark}\n"
    out = Redactor(spared=[mark]).redact(text)
    assert out.count(mark) == 3
    assert WORD not in out
    assert mark not in Redactor().redact(text)


def test_a_placeholder_of_a_long_kind_is_left_as_it_is():
    redactor = Redactor()
    name = redactor._name(WORD, "_".join(["KIND"] * 12), everywhere=True)
    assert len(name) > 80
    for text in (f"password = '{name}'", f"password = {name}", f"curl -u admin:{name} https://example.org"):
        assert redactor.redact(text) == text


def test_the_tag_of_a_placeholder_cannot_be_guessed():
    names = {Redactor().redact(f"password = '{WORD}'") for _ in range(3)}
    assert len(names) == 3
    assert all(re.fullmatch(r"password = 'REDACTED_[0-9a-f]{16}_[A-Z_]+_1_12CHARS'", name) for name in names)


def test_no_text_can_hold_a_placeholder_that_was_not_made_here():
    redactor = Redactor()
    guess = Redactor(tag="0000").redact(f"password = '{WORD}'")
    redactor.learn(f"password = '{WORD}'")
    assert WORD not in redactor.restore(guess)


@pytest.mark.parametrize(
    "line",
    [
        "password = getpass.getpass()",
        "def login(user: str, password: str) -> Token:",
        "    password: str",
        "    token: SecretToken",
        "token = tokens[0]",
        "self.secret = secret",
        'token_type = "bearer"',
        'password = os.environ["PASSWORD"]',
        "PASSWORD=$DB_PASSWORD",
        "password: ${{ secrets.PASSWORD }}",
        "auth_backend = 'django.contrib.auth'",
        "key = lambda item: item.name",
        "for key, value in items:",
        "if token is None:",
        "from selfreview.secrets.scanner import scan",
        "author = 'A. Person'",
        "the password is wrong",
        "monkeypatch.setattr(session, 'timeout', 30)",
        "test_that_a_function_with_a_long_name_2_is_fine()",
    ],
)
def test_plain_code_stays_readable(line):
    assert Redactor().redact(line) == line


def test_less_than_one_line_in_two_hundred_of_this_program_is_altered(request):
    source = Path(sys.modules["selfreview"].__file__ or "").parent
    lines = altered = 0
    files = sorted(source.rglob("*.py"))
    for path in files if request.config.getoption("--long") else files[::3]:
        text = path.read_text("utf-8")
        pairs = list(zip(text.split("\n"), Redactor().redact(text).split("\n"), strict=True))
        lines += len(pairs)
        altered += sum(before != after for before, after in pairs)
    assert altered < 0.005 * lines


@given(
    st.text()
    | st.lists(st.sampled_from([WORD, KEY, HEX, "password", "=", "\n", "+", " ", '"', ":", "token", "//@"])).map(
        "".join
    )
)
def test_any_text_comes_back_as_it_was(text):
    redactor = Redactor()
    out = redactor.redact(text)
    assert redactor.restore(out) == text
    assert out.count("\n") == text.count("\n")
    assert redactor.restore(redactor.redact(out)) == text


@pytest.mark.parametrize(
    "text",
    [
        "DB_PASSWORD={}",
        "Authorization: Bearer {}",
        "x = '{}'",
        "https://u:{}@example.org",
        "https://hooks." + "slack.com/services/{}",
    ],
)
def test_a_value_that_its_place_gives_away_is_redacted(text):
    redacted(text.format(MIXED), MIXED)


def test_words_for_people_hold_dots_and_no_placeholder_but_the_commits_that_a_model_names() -> None:
    redactor, commit = Redactor(), "5082096a1b2c3d4e5f60718293a4b5c6d7e8f901"
    shown = "6" + "19f7c0b2ad8e4f3" * 2 + "5a0c4d7e1"
    hidden = redactor.redact(f'token = "{shown}"')
    assert shown not in hidden
    for _ in range(2):
        assert redactor.masked(f"as in {commit}") == f"as in {commit}"
        assert redactor.masked(f"{hidden} and {shown}") == f'token = "{MASK}" and {MASK}'
