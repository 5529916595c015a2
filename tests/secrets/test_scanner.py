"""What is found, how sure it is, and where exactly it stands."""

from __future__ import annotations

import base64
import random
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selfreview.errors import ToolTimeout
from selfreview.secrets.match import Confidence, SecretMatch
from selfreview.secrets.plausibility import entropy
from selfreview.secrets.providers import FORMATS, VENDORS, Format, Vendor
from selfreview.secrets.scanner import hide, mask, mask_secrets, scan
from selfreview.text.masking import MASK
from tests.secrets import tokens

TOKEN = tokens.FORMATS["github-pat"](random.Random(1))


def only(text: str, **options: bool) -> SecretMatch:
    (match,) = scan(text, **options)
    return match


def place(text: str, match: SecretMatch) -> None:
    """Check that every way in which a match says where it stands agrees with the text."""
    assert text[match.start : match.end] == match.value
    lines = text.split("\n")
    first = lines[match.line - 1]
    assert first[match.column - 1 :].startswith(match.value.split("\n")[0])
    assert match.end_line == match.line + match.value.count("\n")


class TestFormats:
    @pytest.mark.parametrize("rule", tokens.FORMATS)
    @pytest.mark.parametrize(
        "line", ["key = {!r}\n", "export KEY={}\n", "  key: {}\n", 'call("{}")\n', '{{"k": "{}"}}']
    )
    def test_finds_a_documented_format_wherever_it_stands(self, rule: str, line: str) -> None:
        value = tokens.FORMATS[rule](random.Random(rule))
        text = "first\n" + line.format(value)
        match = only(text)
        assert match.rule == rule
        assert match.value in value
        place(text, match)

    @pytest.mark.parametrize("form", FORMATS[1:], ids=lambda form: form.rule)
    def test_finds_everything_that_the_table_describes(self, form: Format) -> None:
        rng = random.Random(form.pattern)
        for mark in form.marks:
            values = (tokens.like(form.pattern, rng) for _ in range(1_000))
            value = next(value for value in values if mark in value and entropy(value) > max(form.entropy, 3.5))
            whole = re.fullmatch(form.pattern, value)
            inner = whole["value"] if whole and "value" in whole.groupdict() else value
            found = [match for match in scan(f"first\n<{value}>\n") if match.confidence is not Confidence.DOUBTFUL]
            assert inner in [match.value for match in found], (mark, value)

    @pytest.mark.parametrize("vendor", VENDORS, ids=lambda vendor: vendor.rule)
    @pytest.mark.parametrize("name", ["{}_API_KEY={}", '{}Token = "{}"', "  {}-secret: {}", '{{"{}_key": "{}"}}'])
    def test_finds_what_its_name_and_its_provider_give_away(self, vendor: Vendor, name: str) -> None:
        rng = random.Random(vendor.pattern)
        value = next(v for v in (tokens.like(vendor.pattern, rng) for _ in range(100)) if entropy(v) > 3.2)
        match = only(name.format(vendor.word, value))
        assert match.value == value
        assert match.confidence is Confidence.MEDIUM

    @pytest.mark.parametrize("rule", tokens.NAMED)
    def test_finds_what_its_name_gives_away(self, rule: str) -> None:
        name, value = tokens.NAMED[rule](random.Random(rule))
        text = f'{name} = "{value}"\n'
        match = only(text)
        assert match.rule == rule
        assert value.endswith(match.value)
        place(text, match)

    @pytest.mark.parametrize(
        "rule",
        [
            "azure-devops-token",
            "artifactory-api-key",
            "airtable-personal-token",
            "resend-api-key",
        ],
    )
    def test_a_longer_word_is_another_thing(self, rule: str) -> None:
        value = tokens.FORMATS[rule](random.Random(rule))
        assert not scan(f"call a{value} there")
        assert not scan(f"call {value}a there")

    @pytest.mark.parametrize("rule", ["github-pat", "npm-access-token", "supabase-secret-key"])
    def test_what_its_beginning_gives_away_may_be_longer_than_it_is_today(self, rule: str) -> None:
        value = tokens.FORMATS[rule](random.Random(rule)) + "aB3x"
        match = only(f"call {value} there")
        assert (match.rule, match.value) == (rule, value)

    @pytest.mark.parametrize(
        "before",
        ["token%3D", "Bearer%20", "x\\u003d", "a\\x0a", "first\\n", "\\t", "\x1b[31m", "\x1b[1;31m", "_", "token_"],
    )
    @pytest.mark.parametrize("rule", ["github-pat", "npm-access-token"])
    def test_an_escape_before_it_is_no_part_of_a_word(self, rule: str, before: str) -> None:
        value = tokens.FORMATS[rule](random.Random(rule))
        assert [match.value for match in scan(f"call {before}{value} there")] == [value]

    @pytest.mark.parametrize(
        "line",
        [
            "# {}",
            " * {}",
            "// {}",
            "; {}",
            "12 | {}",
            "+{}",
            "{}%0A",
            "{}<br>",
            'sb.append("{}\\n");',
            "echo '{}' >> key",
        ],
    )
    def test_finds_a_private_key_in_comments_code_and_escapes(self, line: str) -> None:
        key = tokens.pem(random.Random(7), "RSA PRIVATE")
        match = only("\n".join(line.format(part) for part in key.split("\n")))
        assert (match.rule, match.confidence) == ("private-key", Confidence.HIGH)
        assert match.value.startswith(key[:20])
        assert match.value.endswith(key[-20:])

    def test_finds_a_long_private_key_and_one_with_a_comment(self) -> None:
        assert only(tokens.pem(random.Random(8), "RSA PRIVATE", lines=400)).rule == "private-key"
        head, body = tokens.pem(random.Random(9), "RSA PRIVATE").split("\n", 1)
        assert only(f"{head}\nComment: A <a_b@host.example>, https://host.example/?a=b\n\n{body}").rule == "private-key"

    @pytest.mark.parametrize("end", ["\n", "\r\n"])
    @pytest.mark.parametrize("kind", ["RSA PRIVATE", "EC PRIVATE", "OPENSSH PRIVATE", "PRIVATE"])
    def test_finds_a_private_key_over_its_lines(self, kind: str, end: str) -> None:
        key = tokens.pem(random.Random(kind), kind, end=end)
        text = f"before{end}{key}{end}after{end}"
        match = only(text)
        assert (match.rule, match.confidence, match.value) == ("private-key", Confidence.HIGH, key)
        assert (match.line, match.column, match.end_line) == (2, 1, 15)

    def test_finds_a_private_key_on_one_line(self) -> None:
        key = tokens.pem(random.Random(2), "PRIVATE").replace("\n", "\\n")
        match = only(f'{{"type": "service_account", "private_key": "{key}\\n"}}')
        assert (match.rule, match.line, match.end_line) == ("private-key", 1, 1)

    @pytest.mark.parametrize("shift", [0, 1, 2])
    def test_finds_a_private_key_inside_base64(self, shift: int) -> None:
        inner = "x" * shift + tokens.pem(random.Random(3), "RSA PRIVATE")
        value = base64.b64encode(inner.encode()).decode()
        match = only(f"  tls.key: {value}\n")
        assert (match.rule, match.value) == ("private-key", value)

    def test_an_encrypted_private_key_is_less_certain(self) -> None:
        assert only(tokens.pem(random.Random(4), "ENCRYPTED PRIVATE")).confidence is Confidence.MEDIUM

    def test_code_that_names_a_keys_first_and_last_line_is_no_key(self) -> None:
        marks = [f"-----{word} PRIVATE KEY-----" for word in ("BEGIN", "END")]
        body = "\n\ndef body(text):\n    return text.replace(FIRST, '').replace(LAST, '').strip()\n\n"
        code = f'FIRST = "{marks[0]}"{body}LAST = "{marks[1]}"\n'
        assert not scan(code)

    def test_finds_a_putty_key(self) -> None:
        body = "\n".join(base64.b64encode(random.Random(5).randbytes(48)).decode() for _ in range(3))
        text = f"PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 3\n{body}\nPrivate-MAC: 00\n"
        assert only(text).value == body

    def test_finds_passwords_in_addresses_commands_and_files(self) -> None:
        word = tokens.pick(random.Random(6), tokens.ALNUM, 16)
        for text in (
            f"postgres://app:{word}@db.internal:5432/prod",
            f'url = "jdbc:mysql://db/prod?user=app&password={word}"',
            f"sshpass -p {word} ssh root@host",
            f"PGPASSWORD={word} psql",
            f"machine git.internal login bob password {word}",
            f"ansible_ssh_pass: {word}",
            f'<add key="ClearTextPassword" value="{word}" />',
        ):
            assert [m.value for m in scan(text)] == [word], text

    def test_reports_each_of_two_on_a_line_and_one_for_what_two_rules_find(self) -> None:
        other = tokens.FORMATS["stripe-access-token"](random.Random(7))
        text = f'curl -H "Authorization: Bearer {TOKEN}" -d token={other}'
        assert [(m.rule, m.value) for m in scan(text)] == [("github-pat", TOKEN), ("stripe-access-token", other)]


class TestNotSecrets:
    @pytest.mark.parametrize(
        "text",
        [
            "commit 3f2504e04f8941d39a0c0305e82c3301abcd1234",
            'revision = "3f2504e04f8941d39a0c0305e82c3301abcd1234"',
            'sha256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"',
            'integrity="sha384-oqVuAfXRKap7fdgcCY5uykM6+R9GqQ8K/uxy9rx7HNQlGYl1kPzQho1wx4JwY8wC"',
            "id: 550e8400-e29b-41d4-a716-446655440000",
            "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQDKz8q0yH9GfXc0mZbq7w user@host",
            '"settings.token.label": "user.profile.settings.token"',
            "token: ${{ secrets.DEPLOY_TOKEN }}",
            "API_KEY=${API_KEY:-}",
            "password = $(pass show db)",
            "apiKey: process.env.API_KEY",
            'password = os.environ["DB_PASSWORD"]',
            'secret = "<your-secret-here>"',
            'password = "changeme"',
            'token = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"',
            'api_key = "abcdefabcdefabcdefabcdefabcdef12"',
            'api_key = "12345678901234567890123456789012"',
            'password = "{{ vault_db_password }}"',
            "password = %(db_password)s",
            'DEFAULT_TOKEN_TYPE = "urn:ietf:params:oauth:token-type:access_token"',
            '<input type="password" name="password" value="">',
        ],
    )
    def test_leaves_look_alikes_alone(self, text: str) -> None:
        assert not scan(text)

    def test_leaves_the_examples_of_the_documentation_alone(self) -> None:
        assert not scan("aws_access_key_id = AKIA" + "IOSFODNN7EXAMPLE")

    def test_leaves_certificates_alone(self) -> None:
        body = tokens.pem(random.Random(8), "X").split("\n")[1:-1]
        marks = [f"-----{word} CERTIFICATE-----" for word in ("BEGIN", "END")]
        assert not scan("\n".join([marks[0], *body, marks[1]]))

    def test_in_source_a_value_without_quotes_is_a_name(self) -> None:
        code = "self.password = password_from_vault\n"
        assert scan(code)
        assert not scan(code, source=True)
        assert scan('password = "Tr0ub4dor&3x"\n', source=True)


class TestConfidence:
    def test_a_word_is_doubtful_and_a_random_value_is_not(self) -> None:
        assert only('password = "hunter2"').confidence is Confidence.DOUBTFUL
        word = tokens.pick(random.Random(9), tokens.ALNUM, 16)
        assert only(f'password = "{word}"').confidence is Confidence.LOW

    def test_a_guessable_password_of_a_real_host_is_doubtful(self) -> None:
        assert only("postgres://postgres:postgres@db.acme.io/shop").confidence is Confidence.DOUBTFUL

    def test_an_identifier_that_is_public_by_design_is_doubtful(self) -> None:
        token = (
            "pk."
            + "eyJ1"
            + tokens.pick(random.Random(10), tokens.ALNUM, 56)
            + "."
            + tokens.pick(random.Random(11), tokens.ALNUM, 22)
        )
        assert {m.confidence for m in scan(f'mapbox.accessToken = "{token}"')} <= {Confidence.DOUBTFUL}

    def test_a_key_id_without_its_secret_is_less_certain(self) -> None:
        assert only(tokens.FORMATS["aws-access-token"](random.Random(12))).confidence is Confidence.MEDIUM

    def test_a_key_of_a_test_mode_is_less_certain(self) -> None:
        assert only("sk_" + "test_" + tokens.pick(random.Random(18), tokens.ALNUM, 24)).confidence is Confidence.MEDIUM

    def test_the_web_token_of_every_tutorial_is_doubtful(self) -> None:
        token = tokens.web_token(random.Random(19)).split(".")
        token[1] = (
            base64.urlsafe_b64encode(b'{"sub":"1234567890","name":"John Doe","iat":1516239022}').decode().rstrip("=")
        )
        assert only(".".join(token)).confidence is Confidence.DOUBTFUL

    def test_titles_are_short_names(self) -> None:
        assert only(TOKEN).title == "GitHub Personal Access Token"
        assert only(tokens.FORMATS["jwt"](random.Random(13))).title == "JSON Web Token"


class TestMarkers:
    @pytest.mark.parametrize(
        "marker",
        ["gitleaks:allow", "betterleaks:allow", "pragma: allowlist secret", "noqa", "nosec", "trufflehog:ignore"],
    )
    def test_no_other_scanners_marker_hides_a_secret(self, marker: str) -> None:
        assert only(f'token = "{TOKEN}"  # {marker}\n').value == TOKEN

    def test_a_file_of_the_working_directory_cannot_switch_rules_off(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in (".gitleaks.toml", ".betterleaks.toml"):
            (tmp_path / name).write_text('title = "none"\n[[rules]]\nid = "none"\nregex = "nothing"\n')
        monkeypatch.chdir(tmp_path)
        assert only(TOKEN).value == TOKEN


class TestPlaces:
    @pytest.mark.parametrize(
        "before",
        [
            "",
            "a\n",
            "a\r\nb\r\n",
            "a\rb\r",
            "é = 1\nü€😀 ",
            "nul\0byte\n\0",
            "a\u2028b\u2029c\x85",
            "form\x0cfeed\x0bx\n\x0c",
            "\udcff\udc80 not utf-8\n\udce9",
            "\ufeff",
            "x" * 50_000 + " ",
            "x" * 50_000 + "\n",
            "line\n" * 9_000,
        ],
    )
    def test_agree_with_the_text_whatever_stands_before(self, before: str) -> None:
        text = f'{before}"{TOKEN}"\nafter'
        match = only(text)
        assert match.start == len(before) + 1
        place(text, match)

    @settings(max_examples=60, deadline=None)
    @given(
        st.lists(st.text(st.characters(codec=None, exclude_characters="\"'`"), max_size=30), min_size=1, max_size=6),
        st.integers(0, 2**32),
    )
    def test_agree_with_arbitrary_text_around(self, pieces: list[str], seed: int) -> None:
        token = tokens.FORMATS["github-pat"](random.Random(seed))
        text = f'\n"{token}"\n'.join(pieces)
        found = [match for match in scan(text) if match.value == token]
        assert len(found) == len(pieces) - 1
        for match in scan(text):
            place(text, match)

    @settings(max_examples=60, deadline=None)
    @given(st.text())
    def test_any_text_can_be_scanned(self, text: str) -> None:
        for match in scan(text):
            place(text, match)

    @pytest.mark.parametrize(
        ("text", "column"), [('"password": "password"', 14), ("password=password ", 10), ('f(password="password")', 13)]
    )
    def test_a_value_that_repeats_its_name_stands_after_it(self, text: str, column: int) -> None:
        assert only(text).column == column


class TestLongTexts:
    @settings(max_examples=8, deadline=None)
    @given(st.integers(0, 2**32), st.booleans())
    def test_finds_every_secret_at_its_place(self, seed: int, one_line: bool) -> None:
        rng = random.Random(seed)
        makers = [
            tokens.FORMATS[rule] for rule in ("github-pat", "stripe-access-token", "azure-ad-client-secret", "jwt")
        ]
        makers.append(lambda r: tokens.pem(r, "RSA PRIVATE", lines=r.randint(4, 60)))
        text, expected = "", []
        while len(text) < 60_000:
            text += " ".join(tokens.pick(rng, "abcdefgh", 6) for _ in range(rng.randint(1, 400)))
            text += " " if one_line else "\n"
            value = rng.choice(makers)(rng)
            expected.append((len(text) + 1, value))
            text += f'"{value}"' + (" " if one_line else "\n")
        assert [(m.start, m.value) for m in scan(text)] == expected

    def test_a_long_value_keeps_its_whole_extent(self) -> None:
        value = "ops_" + "eyJ" + tokens.pick(random.Random(14), tokens.ALNUM, 900)
        assert only(f'token = "{value}"\n').value == value

    def test_finds_a_long_value_by_its_name(self) -> None:
        value = tokens.pick(random.Random(17), tokens.ALNUM, 1_500)
        assert only(f'GOOGLE_CREDENTIALS="{value}"\n').value == value

    def test_a_long_base64_value_does_not_stop_the_scan(self) -> None:
        blob = base64.b64encode(random.Random(15).randbytes(600_000)).decode()
        text = f'key = "{blob}"\ntoken = "{TOKEN}"\n'
        assert TOKEN in [m.value for m in scan(text)]

    def test_stops_when_the_time_is_up(self) -> None:
        left = iter([10.0, 5.0, -1.0])
        with pytest.raises(ToolTimeout):
            scan("word " * 100_000, remaining=lambda: next(left))


def test_a_match_does_not_show_its_value() -> None:
    assert TOKEN not in repr(only(TOKEN))


def test_a_private_key_that_spells_a_common_word_is_found() -> None:
    key = tokens.pem(random.Random(1), "RSA PRIVATE", lines=50).split("\n")
    key[3] = "falsE" + key[3][5:]
    text = "\n".join(key)
    assert [(match.rule, match.value) for match in scan(text)] == [("private-key", text)]


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
