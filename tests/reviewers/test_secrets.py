"""The secrets reviewer: severities by certainty and place, and no finding that holds a value."""

from __future__ import annotations

import random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selfreview.api import Category, Finding, Severity
from selfreview.errors import ToolTimeout
from selfreview.model.change import ChangedFile, FileStatus
from selfreview.model.wire import to_json
from selfreview.reviewers.secrets import SecretsReviewer
from selfreview.reviewers.secrets.findings import readable
from selfreview.secrets.scanner import mask_secrets
from selfreview.testing.context import MemoryContext, review
from selfreview.text.masking import MASK
from tests.conftest import Workspace
from tests.secrets import tokens

SECRETS = SecretsReviewer()
TOKEN = tokens.FORMATS["github-pat"](random.Random(1))


def found(text: str | bytes, path: str = "src/settings.py", old: str | None = None) -> list[Finding]:
    return review(SECRETS, MemoryContext({path: (old, text)}))


def severity(text: str, path: str = "src/settings.py") -> Severity:
    (finding,) = found(text, path)
    return finding.severity


def assignment(rule: str) -> str:
    name, value = tokens.NAMED[rule](random.Random(rule))
    return f'{name} = "{value}"\n'


class TestFindings:
    def test_says_what_where_and_what_to_do(self) -> None:
        (finding,) = found(f'import os\n\ntoken = "{TOKEN}"  # deploys\n')
        assert (finding.file, finding.line_start, finding.line_end, finding.column) == ("src/settings.py", 3, 3, 10)
        assert (finding.category, finding.rule) == (Category.SECURITY, "github-pat")
        assert finding.description.startswith("GitHub Personal Access Token in the file.")
        assert finding.suggested_fix
        assert finding.evidence == f'token = "{TOKEN[:4]}{MASK}"  # deploys'
        assert finding.confidence == 0.95

    def test_a_key_spans_its_lines(self) -> None:
        (finding,) = found("x\n" + tokens.pem(random.Random(2)) + "\n", "deploy/key")
        assert (finding.line_start, finding.line_end) == (2, 15)

    def test_what_was_there_before_is_not_on_a_changed_line(self) -> None:
        old = f'token = "{TOKEN}"\n'
        assert not found(old + "x = 1\n", old=old)
        assert len(review(SECRETS, MemoryContext({"a.py": (old, old + "x = 1\n")}), changed_lines_only=False)) == 1

    def test_another_scanners_marker_does_not_hide_one(self) -> None:
        assert len(found(f'token = "{TOKEN}"  # gitleaks:allow\n')) == 1

    def test_bytes_that_are_not_utf8_do_not_move_the_place(self) -> None:
        (finding,) = found(b"\xff\xfe\x80\n\xe9t\xe9 = '" + TOKEN.encode() + b"'\n", "data.txt")
        assert (finding.line_start, finding.column) == (2, 8)

    def test_a_long_line_is_not_kept(self) -> None:
        (finding,) = found(f'token = "{TOKEN}" ' + "x" * 100_000)
        assert finding.evidence is not None
        assert len(finding.evidence) <= 200


class TestNoValueLeaves:
    @settings(max_examples=60, deadline=None)
    @given(
        st.lists(st.sampled_from(sorted(tokens.FORMATS)), min_size=1, max_size=4),
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"), max_size=30),
        st.integers(0, 2**32),
    )
    def test_not_in_a_finding_and_not_on_the_wire(self, rules: list[str], comment: str, seed: int) -> None:
        rng = random.Random(seed)
        values = [tokens.FORMATS[rule](rng) for rule in rules]
        findings = found("".join(f'call("{value}")  # {comment}\n' for value in values), "a.txt")
        wire = to_json([*findings]).decode()
        for value in values:
            assert value not in str(findings)
            assert value not in wire

    def test_not_when_two_stand_on_one_line(self) -> None:
        other = tokens.FORMATS["stripe-access-token"](random.Random(3))
        findings = found(f'f("{TOKEN}", "{other}")\n')
        assert len(findings) == 2
        assert TOKEN not in str(findings)
        assert other not in str(findings)

    def test_no_line_of_a_key(self) -> None:
        key = tokens.pem(random.Random(4))
        findings = found(key, "key.txt")
        assert not any(line in str(findings) for line in key.split("\n")[1:-1])


class TestSeverity:
    def test_a_format_of_a_provider_is_critical(self) -> None:
        assert severity(f'token = "{TOKEN}"\n') is Severity.CRITICAL

    def test_and_still_high_in_a_test_and_in_documentation(self) -> None:
        for path in ("tests/test_api.py", "docs/setup.md", "README.md"):
            assert severity(f'token = "{TOKEN}"\n', path) is Severity.HIGH

    def test_a_private_key_is_critical_and_low_in_a_test(self) -> None:
        key = tokens.pem(random.Random(5))
        assert severity(key, "server.key") is Severity.CRITICAL
        assert severity(key, "tests/certs/server.key") is Severity.LOW

    def test_a_curl_command_in_documentation_is_medium(self) -> None:
        command = f'curl -H "X-Api-Key: {tokens.pick(random.Random(7), tokens.ALNUM, 30)}" https://api.internal/\n'
        assert severity(command, "deploy.txt") is Severity.HIGH
        assert severity(command, "README.md") is Severity.MEDIUM

    @pytest.mark.parametrize("value", ["hunter2-Prod!", "Welcome2023!", "Tr0ub4dor&3x", "P@ssw0rd-of-ours"])
    def test_a_password_that_a_person_chose_is_medium_and_low_in_a_test(self, value: str) -> None:
        assert severity(f'password = "{value}"\n') is Severity.MEDIUM
        assert severity(f'password = "{value}"\n', "tests/test_login.py") is Severity.LOW

    @pytest.mark.parametrize(
        "value", ["correct horse", "Password2Input", "user-name-1", "user?.name1", "f(x1)+b", "a2b&c=d"]
    )
    def test_a_word_and_code_are_not(self, value: str) -> None:
        assert not any(f.severity.at_least(Severity.MEDIUM) for f in found(f'password = "{value}"\n'))

    @pytest.mark.parametrize("code", ["user?.name1", "prefix1+suffix", "a2b&mask_of_it", "shared1*factor"])
    def test_an_expression_in_code_is_none(self, code: str) -> None:
        assert found(f"password = {code}\n", "app.ts") == []

    @pytest.mark.parametrize("path", [".env", "deploy/secrets.env", "app.env", ".env.production", ".envrc"])
    def test_a_word_is_a_password_where_a_program_is_given_its_own(self, path: str) -> None:
        assert severity("DB_PASSWORD=opensesame-now\n", path) is Severity.MEDIUM
        assert not any(f.severity.at_least(Severity.MEDIUM) for f in found("DB_PASSWORD=changeme\n", path))

    @pytest.mark.parametrize("path", [".env.example", "tests/.env", "settings.ini"])
    def test_and_only_there(self, path: str) -> None:
        assert severity("DB_PASSWORD=opensesame-now\n", path) is Severity.LOW

    @pytest.mark.parametrize("rule", ["authorization-header", "basic-auth-header", "signing-key"])
    def test_a_credential_by_its_place_is_high_and_low_in_a_test(self, rule: str) -> None:
        assert severity(assignment(rule)) is Severity.HIGH
        assert severity(assignment(rule), "tests/test_api.py") is Severity.LOW

    @pytest.mark.parametrize("rule", ["generic-api-key", "generic-password"])
    def test_a_random_value_is_medium_and_low_in_a_test(self, rule: str) -> None:
        assert severity(assignment(rule)) is Severity.MEDIUM
        assert severity(assignment(rule), "app/fixtures/data.py") is Severity.LOW

    def test_a_web_token_is_high_and_low_in_a_test(self) -> None:
        token = tokens.web_token(random.Random(6))
        assert severity(f'token = "{token}"\n') is Severity.HIGH
        assert severity(f'token = "{token}"\n', "spec/api.spec.ts") is Severity.LOW

    def test_a_word_is_low(self) -> None:
        assert severity('password = "hunter2"\n') is Severity.LOW

    def test_a_name_in_source_is_nothing_and_a_word_in_a_setting_is_low(self) -> None:
        assert not found("password = password_from_vault\n")
        assert severity("password = password_from_vault\n", "app.ini") is Severity.LOW


class TestReviewer:
    @pytest.mark.parametrize(
        ("file", "selected"),
        [
            (ChangedFile(path="a"), True),
            (ChangedFile(path="a.png", binary=True), False),
            (ChangedFile(path="a", status=FileStatus.DELETED), False),
            (ChangedFile(path="a", new_mode="120000"), False),
            (ChangedFile(path="a", new_mode="160000"), False),
        ],
    )
    def test_takes_every_text(self, file: ChangedFile, selected: bool) -> None:
        assert SECRETS.selects(file) is selected

    def test_a_file_that_cannot_be_read_is_not_reviewed(self) -> None:
        context = MemoryContext({"a.py": ("x\n", None), "b.py": (None, f'"{TOKEN}"\n')})
        files = context.change.files
        result = SECRETS.review(files, context)
        assert list(result.unreviewed) == ["a.py"]
        assert [finding.file for finding in result.findings] == ["b.py"]

    def test_stops_at_its_deadline(self) -> None:
        with pytest.raises(ToolTimeout):
            review(SECRETS, MemoryContext({"a.py": (None, "x = 1\n")}, timeout=0))


class TestAddresses:
    WORD = tokens.pick(random.Random(31), tokens.ALNUM, 12)

    @pytest.mark.parametrize(
        "address",
        [
            "postgres://shop:{}@db.internal.acme.io/shop",
            "postgres://shop:{}@example.com/shop",
            "mysql+pymysql://root:{}@10.0.0.3:3306/shop",
            "mongodb+srv://app:{}@cluster0.mongodb.net/?retryWrites=true",
            "redis://:{}@cache.internal:6379/0",
            "redis://:{}@localhost:6379/0",
            "https://bob:{}@packages.acme.io/simple",
        ],
    )
    @pytest.mark.parametrize("path", ["src/settings.py", "src/db.ts", "config.yaml", ".env", ".env.example"])
    @pytest.mark.parametrize("word", [WORD, "S3cret!pass", "Summer2023"])
    def test_a_password_blocks_and_is_hidden_in_every_file(self, address: str, path: str, word: str) -> None:
        if "localhost" in address and word != self.WORD:
            return  # what a person chose for their own machine
        text = f'URL = "{address.format(word)}"\n' if "env" not in path else f"URL={address.format(word)}\n"
        (finding,) = found(text, path)
        assert finding.severity.at_least(Severity.MEDIUM)
        assert finding.rule in ("generic-credential-uri", "mongodb-connection-string")
        assert word not in str(finding)
        assert word not in mask_secrets(text)

    def test_and_is_low_in_a_test(self) -> None:
        assert severity(f'URL = "postgres://a:{self.WORD}@db.acme.io/b"\n', "tests/test_db.py") is Severity.LOW

    @pytest.mark.parametrize(
        "address",
        [
            "postgres://user:password@localhost/shop",
            "postgres://user:password@db.acme.io/shop",
            "postgres://USER:PASSWORD@HOST:5432/NAME",
            "postgres://postgres:postgres@localhost/test",
            "postgres://app:app@db:5432/app",
            "postgres://app:hunter2@localhost/app",
            "postgres://app:hunter2@example.com/app",
            "amqp://guest:guest@rabbit:5672/",
            "postgres://app:changeme@db.acme.io/app",
            "mongodb+srv://app:password@cluster0.mongodb.net/app",
            "postgres://app:my-secret-password@db.acme.io/app",
            "postgres://${USER}:${PASS}@db.acme.io/app",
            "postgres://$USER:$PASS@db.acme.io/app",
            "postgres://{user}:{password}@{host}/app",
            "postgres://app:#{password}@db.acme.io/app",
            "postgres://app:%s@db.acme.io/app",
            "postgres://app:<password>@db.acme.io/app",
            "postgres://app:****@db.acme.io/app",
            "docker://alpine:3.18.4@sha256:0a1b2c3d4e5f",
            "https?://[^:]+:[^@]+@host",
        ],
    )
    @pytest.mark.parametrize("path", ["src/settings.py", "config.yaml", ".env", ".env.example"])
    def test_an_example_is_none(self, address: str, path: str) -> None:
        assert not found(f'URL = "{address}"\n' if "env" not in path else f"URL={address}\n", path)


class TestSigningSecrets:
    @pytest.mark.parametrize(
        "name", ["JWT_SECRET", "SESSION_SECRET", "cookie-secret", "appSecretKey", "webhook_secret"]
    )
    @pytest.mark.parametrize("path", ["src/settings.py", ".env"])
    def test_a_long_value_without_words_blocks(self, name: str, path: str) -> None:
        value = "9f8s7d6f5g4h" + "3j2k1lqwertyuiop"
        (finding,) = found(f'{name} = "{value}"\n' if path != ".env" else f"{name}={value}\n", path)
        assert finding.severity is Severity.MEDIUM
        assert value not in str(finding)

    def test_a_name_a_call_and_a_text_are_none(self) -> None:
        for value in ("secret_from_vault_number_2", "crypto.randomBytes(32)", '"change this before release 2 please"'):
            assert not found(f"jwt_secret = {value}\n")


class TestLockFiles:
    HASHES = "".join(
        f'github.com/a/token{i} v1.0.0 h1:{i:043}=\n  "integrity": "sha512-{i:086}=="\n  Secret{i}: {i:040x}\n'
        for i in range(50)
    )

    @staticmethod
    def look(text: str, old: str | None = None, excluded: str | None = "a lock file") -> list[tuple[str | None, int]]:
        context = MemoryContext({"yarn.lock": (old, text)})
        files = [msgspec.structs.replace(file, excluded=excluded) for file in context.change.files]
        context.change = msgspec.structs.replace(context.change, files=tuple(files))
        findings = SECRETS.review([], context).findings
        assert (SECRETS.cache_key(context) is None) == bool(findings)
        return [(finding.rule, finding.line_start) for finding in findings]

    def test_a_token_in_one_is_found_though_nobody_is_given_the_file(self) -> None:
        assert self.look(f"{self.HASHES}resolved https://{TOKEN}@example.com/\n") == [("github-pat", 151)]

    def test_hashes_are_no_secrets(self) -> None:
        assert self.look(self.HASHES) == []
        assert found(self.HASHES, "go.sum") == []

    def test_lines_that_were_there_before_and_files_excluded_for_another_reason_are_left_alone(self) -> None:
        token = f"resolved https://{TOKEN}@example.com/\n"
        assert self.look(token + self.HASHES, token) == []
        assert self.look(token, excluded="vendored") == []


class TestBinaries:
    KEY = tokens.pem(random.Random(6))

    @staticmethod
    def look(new: bytes, old: bytes | None = None, path: str = "k.pem") -> list[tuple[str | None, int, Severity]]:
        context = MemoryContext({path: (old, new)})
        files = [msgspec.structs.replace(file, binary=True, excluded="binary") for file in context.change.files]
        context.change = msgspec.structs.replace(context.change, files=tuple(files))
        findings = SECRETS.review([], context).findings
        assert (SECRETS.cache_key(context) is None) == bool(findings)
        return [(finding.rule, finding.line_start, finding.severity) for finding in findings]

    @pytest.mark.parametrize("path", ["k.pem", "server.key", "k.bin", "id_rsa", ".npmrc"])
    def test_a_nul_byte_hides_no_key(self, path: str) -> None:
        key = self.KEY.encode()
        for data in (b"\0" + key, key + b"\0", self.KEY.encode("utf-16"), self.KEY.encode("utf-16-be")):
            assert self.look(data, path=path) == [("private-key", 0, Severity.CRITICAL)]

    def test_a_token_is_found_and_a_guess_is_not(self) -> None:
        assert self.look(b"\0\0token " + TOKEN.encode() + b"\0", path="a.dat") == [("github-pat", 0, Severity.CRITICAL)]
        assert self.look(b'\0password = "correct horse battery"\0') == []

    def test_what_was_there_before_is_left_alone(self) -> None:
        assert self.look(b"\0\0" + self.KEY.encode(), b"\0" + self.KEY.encode()) == []

    @pytest.mark.parametrize("magic", [b"", b"SQLite format 3\0", b"\x89PNG\r\n\x1a\n", b"\x7fELF"])
    @pytest.mark.parametrize("path", ["k.png", "k.db", "k.o"])
    def test_neither_name_nor_beginning_of_a_binary_hides_a_key(self, path: str, magic: bytes) -> None:
        assert self.look(magic + b"\0" + self.KEY.encode(), path=path) == [("private-key", 0, Severity.CRITICAL)]

    def test_two_of_a_rule_are_two_and_one_that_stands_there_twice_is_one(self) -> None:
        second = tokens.FORMATS["github-pat"](random.Random(8))
        data = b"\0".join(token.encode() for token in (TOKEN, second, TOKEN))
        assert self.look(data, path="a.db") == [("github-pat", 0, Severity.CRITICAL)] * 2

    def test_each_of_many_files_is_looked_through(self) -> None:
        files: dict[str, tuple[bytes | None, bytes]] = {f"{n:02}.dat": (None, b"\0\0") for n in range(40)}
        files["39.dat"] = (None, b"\0" + self.KEY.encode())
        context = MemoryContext(files)
        marked = [msgspec.structs.replace(file, binary=True, excluded="binary") for file in context.change.files]
        context.change = msgspec.structs.replace(context.change, files=tuple(marked))
        assert [finding.file for finding in SECRETS.review([], context).findings] == ["39.dat"]


def test_the_target_of_a_link_hides_no_token(workspace: Workspace) -> None:
    (workspace.root / "known").symlink_to(TOKEN[:-1] + "Q")
    workspace.git("add", "--all")
    workspace.git("commit", "-qm", "known")
    known = workspace.git("rev-parse", "HEAD")
    workspace.git("mv", "known", "moved")
    (workspace.root / "key").symlink_to(TOKEN)
    (workspace.root / "plain").symlink_to("../share/0123456789abcdef0123456789abcdef")
    workspace.git("add", "--all")
    workspace.git("commit", "-qm", "links")
    ran = workspace.selfreview("gate", "--base", known, "--format", "json")
    found = [(issue["file"], issue["rule"], issue["status"]) for issue in ran.json["issues"]]
    assert (ran.code, found) == (1, [("key", "github-pat", "open")])
    assert TOKEN not in ran.out + ran.err


@pytest.mark.parametrize("line", ["# " + "token_" * 5_000, "# " + "token=" * 5_000, "api_key=" + "a/9/" * 1_900])
def test_a_long_line_of_names_is_reviewed_to_its_end(line: str, workspace: Workspace) -> None:
    workspace.commit(**{"settings.py": f'{line}\ntoken = "{TOKEN}"\n'})
    issues = workspace.review("--no-fix", "--reviewer", "secrets")["issues"]
    assert [(issue["rule"], issue["lineStart"]) for issue in issues] == [("github-pat", 2)]


LONG_ENOUGH = "a line that is long enough\nanother one"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_wide_text_is_read(encoding: str) -> None:
    assert LONG_ENOUGH in readable(LONG_ENOUGH.encode(encoding))


def test_runs_are_kept_apart() -> None:
    assert (
        readable(b"\0" + LONG_ENOUGH.encode() + b"\0short\0" + LONG_ENOUGH.encode() + b"\xff")
        == f"{LONG_ENOUGH}\n{LONG_ENOUGH}"
    )


def test_what_is_large_is_data() -> None:
    assert readable(b"\0" + b"x" * 2**22) == ""
    assert readable(b"\0" + b"x" * 2**21 + b"\0" + LONG_ENOUGH.encode()).endswith(LONG_ENOUGH)
