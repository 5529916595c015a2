"""Secrets as people write them: beside any name, in any file, in a command, in a sentence, in pieces."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from selfreview.secrets.redactor import Redactor
from tests.secrets import tokens

WORD = "let" + "mein99"
PLAIN = "correct" + "horse"

AT_A_VALUE = """
URL = "postgres://app:a/@@@db.example.org/app"
jdbc:oracle:thin:scott/@@@db:1521:orcl
spring.datasource.url=jdbc:sqlserver://db;user=sa;password=@@;encrypt=true
fetch("https://api.example.org/v1?apikey=@@&q=1")
"Server=db;Uid=sa;Pwd=@@;"
DRIVER={ODBC};SERVER=db;UID=sa;PWD={@@}
Authorization: Bearer @@
machine example.org login bob password @@
machine example.org|	login bob|	password @@
db.example.org:5432:app:app_user:@@
*:*:*:postgres:@@
kind: Secret|stringData:|  conn: @@
kind: Secret|metadata:|  name: db|data:|  thing: "@@"
db:|  password: \\||    @@|  user: x
secret_key: >-|  @@
api_key:|  "@@"
passwords:|  - @@|  - other
TOKENS = ['@@', 'zz81kd02ma']
{"api_keys": ["k39fj2l0x", "@@"]}
password = "a b" + "@@"
SECRET = (|    "@@"|    "more")
$api_key = 'k39fj2' . '@@';
<password>|   @@|</password>
<password><![CDATA[@@]]></password>
<string name="api_key">@@</string>
<key>APIKey</key>|<string>@@</string>
passwd @@
ENV DB_PASSWORD @@
db_pass=@@
PG_PASS=@@ psql -h db
ansible_become_pass: @@
wpa_passphrase=@@
const char* wifi_psk = "@@";
vpn.example.org : PSK "@@"
snmp-server community @@ RO
enable password 7 @@
user, pw = 'bob', '@@'
Kennwort=@@
mot_de_passe = '@@'
hmac_key = b'@@ and more'
let password = String::from("@@");
val password = Some("@@")
val dbPassword by lazy { "@@" }
my $password = q(@@);
p = os.environ.get('PW') or '@@'
username,password|bob,@@
id,"API key",name|1,"@@",bob
user;secret|bob;@@
const secret = process.env.SECRET || '@@'
PASSWORD = os.environ.get('PASSWORD') or '@@'
const password = prod ? '@@' : ''
os.getenv("SECRET_KEY", "@@")
define('DB_PASSWORD', '@@');
if (strcmp(password, "@@") == 0)
source.setPassword("@@");
ConvertTo-SecureString -String '@@' -AsPlainText -Force
variable "db_password" {|  type    = string|  default = "@@"|}
- name: DB_PASSWORD|  value: @@
{"name": "DB_PASSWORD", "value": "@@"}
connect("db.example.org", "root", "@@")
requests.get(url, auth=("bob", "@@"))
new NetworkCredential("bob", "@@")
ldap.bind_s(dn, "@@")
htpasswd -b file bob @@
rootpw --plaintext @@
process.env.JWT_SECRET ?? "@@"
echo "@@" | gpg --passphrase-fd 0
page.find("password").send_keys("@@")
jwt.sign(payload, '@@')
hmac.new(b'@@', message, sha256)
CREATE USER a IDENTIFIED WITH plugin BY '@@';
INSERT INTO users (login, password) VALUES ('bob', '@@');
docker login -u bob -p @@
openssl rsa -passin pass:@@ -in k.pem
keytool -storepass @@ -alias x
zip -P @@ a.zip b
ldapsearch -D cn=admin -w @@ -b dc=x
smbclient //server/share -U bob%@@
net use Z: \\\\server\\share /user:bob @@
kubectl create secret generic x --from-literal=pw=@@
echo 'root:@@' | chpasswd
echo '@@' | sudo -S ls
Log in with user admin and password @@.
# credentials: admin / @@
(pw: @@)
| Password | `@@` |
**Password:** @@
Use `@@` as the API key.
""".strip().split("\n")

SHOWN: dict[str, Callable[[str], str]] = {
    "alone": lambda text: text,
    "in a diff": lambda text: "".join(f"+{line}\n" for line in text.split("\n")),
    "numbered": lambda text: "".join(f"{n:>5} + {line}\n" for n, line in enumerate(text.split("\n"), 98)),
    "removed": lambda text: "".join(f"      - {line}\n" for line in text.split("\n")),
    "with carriage returns": lambda text: text.replace("\n", "\r\n"),
}


def hidden(text: str, *values: str) -> None:
    """Hold that none of the values is left, and that the text can be had back."""
    for shown in SHOWN.values():
        redactor = Redactor()
        whole = shown(text)
        out = redactor.redact(whole)
        assert not [value for value in values if value in out], out
        assert redactor.restore(out) == whole
        assert out.count("\n") == whole.count("\n")
        assert redactor.redact(out) == out


@pytest.mark.parametrize("line", AT_A_VALUE)
def test_a_value_is_found_by_where_it_stands(line: str) -> None:
    text = line.replace("\\|", "\0").replace(" | ", "\1").replace("||", "\2")
    for left, right in (("|", "\n"), ("\0", "|"), ("\1", " | "), ("\2", "||")):
        text = text.replace(left, right) if not line.startswith("| ") else line
    hidden(text.replace("@@", WORD), WORD)


@pytest.mark.parametrize(
    "line",
    ["db_pass=@@", "requirepass @@", "password:\n  @@", "token: |\n  @@", '"Uid=sa;Pwd=@@;"', 'x.setPassword("@@")']
)  # fmt: skip
def test_plain_words_are_found_where_only_a_secret_stands(line: str) -> None:
    hidden(line.replace("@@", PLAIN), PLAIN)


@pytest.mark.parametrize("line", ["pin = @@", 'PIN_CODE = "@@"', '{"pin": @@}', "passcode = @@", "otp_code: '@@'"])
def test_numbers_are_found_beside_a_telling_name(line: str) -> None:
    hidden(line.replace("@@", "839" + "201"), "839201")


@pytest.mark.parametrize("size", [12, 15, 24])
def test_the_words_of_a_wallet_are_found_without_a_name(size: int) -> None:
    words = "zoo abandon gravity kitchen ladder magnet orbit pyramid velvet vendor acoustic ability".split()  # noqa: SIM905
    phrase = " ".join(random.Random(size).choices(words, k=size))
    for text in (f"Wallet.of('{phrase}')", f"phrase: {phrase}", phrase):
        hidden(text, phrase)


@pytest.mark.parametrize("joint", ['" + "', '" . "', '"\n    "', '" +\n    "', '" "'])
@pytest.mark.parametrize("name", ["github-pat", "aws-access-token", "stripe-access-token"])
def test_a_token_in_pieces_is_found(name: str, joint: str) -> None:
    value = tokens.FORMATS[name](random.Random(7))
    hidden(f'x = "{value[:6]}{joint}{value[6:]}"', value[6:])


def test_the_bytes_of_a_key_are_found() -> None:
    listed = ", ".join(f"0x{number:02x}" for number in random.Random(1).randbytes(16))
    hidden(f"static const uint8_t aes_key[16] = {{ {listed} }};", listed)


@pytest.mark.parametrize(
    "line",
    [
        'password = request.form["password"]',
        'token = getenv("TOKEN")',
        'PASSWORD_FIELDS = ["password", "passwd"]',
        "if password:\n    return check(password)",
        "password_max_length = 1024",
        'title = t("Forgot password?")',
        "raise ValueError('the password was not given')",
        "the files and the other two were not run because they had been there before",
        "led_pin = 13",
        "compass = 'north'",
        "tokens = [token for token in line.split()]",
        "color: #ff00aa; padding: 4px 12px",
        "def connect(host, port=5432, user='postgres'):",
        "path = 'src/' + 'selfreview/llm'",
        'signal.connect("clicked", "on_clicked")',
        "users identified by their number",
        "variable 'token' {\n  default = true\n}",
        "secrets:\n  inherit: true",
        "- name: token\n  required: true",
    ],
)
def test_plain_text_stays_readable(line: str) -> None:
    for shown in SHOWN.values():
        assert Redactor().redact(shown(line)) == shown(line)


@pytest.mark.parametrize(
    "text",
    [
        " " * 20_000,
        (" " * 200 + "\n") * 100,
        "?pass=" * 3_000,
        "password:\n" * 2_000,
        "password = a or " * 1_200,
        "login a password " * 1_200,
        "'ab'+" * 4_000,
        "seed word here some more then " * 600,
    ],
)
def test_long_hostile_text_comes_back(text: str) -> None:
    """A pattern that tries every way to read these would not come to an end."""
    redactor = Redactor()
    assert redactor.restore(redactor.redact(text)) == text


def test_a_secret_in_the_name_of_a_file_is_replaced():
    name = "File" + "N4me9"
    assert name not in Redactor().redact(f"## File: password={name}.py (new file)")


@pytest.mark.parametrize(
    "text",
    [
        "username, password, token = load(first, second, third)\n",
        "user,password\nnot a row\nbob,plain-name\n",
        "def f(user, password):\n    g(first, second)\n",
    ],
)
def test_what_is_below_no_heading_of_a_table_is_left(text):
    assert Redactor().redact(text) == text
