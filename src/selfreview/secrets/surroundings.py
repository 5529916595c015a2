"""Credentials that only their surroundings identify: a name, a header, an option, an address."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from selfreview.secrets.match import HIGH, LOW, MEDIUM, Confidence, RawMatch, mark_positions
from selfreview.secrets.plausibility import entropy, is_example, looks_random
from selfreview.secrets.providers import UUID, vendor_of

_ASSIGN = r"[\"'\]]{0,2}[ \t]{0,8}(?:=>|:=|[:=])[ \t]{0,8}"
_HEADER = r"\bauthorization[\"'\]]{0,2}[ \t]{0,8}(?:[:=,]|=>)[ \t]{0,8}[\"'`]?"
_END = r"(?![A-Za-z0-9+/=_-])"


class Keyed(NamedTuple):
    """Rule for a credential that its surroundings identify.

    Attributes:
        rule: Stable id.
        title: What it is, for a person.
        marks: Lower-case texts that a match may start with; looked for first.
        pattern: Regular expression with the group ``value``, from the mark on; read without regard to case.
        before: Regular expression of what must stand right before the mark, or None.
        confidence: How sure it is.
        entropy: Fewest bits per character.
        random: Whether the value must look as if a machine had made it.
    """

    rule: str
    title: str
    marks: tuple[str, ...]
    pattern: str
    before: str | None = None
    confidence: Confidence = MEDIUM
    entropy: float = 3.0
    random: bool = True


KEYED = (
    Keyed(
        "aws-secret-access-key",
        "AWS secret access key",
        ("aws",),
        rf"aws[_.-]?(?:secret[_.-]?)?(?:access[_.-]?)?key{_ASSIGN}[\"'`]?(?P<value>[A-Za-z0-9/+]{{40}}){_END}",
        confidence=HIGH,
        entropy=4.0,
    ),
    Keyed(
        "authorization-header",
        "Authorization header with a token",
        ("authorization",),
        rf"{_HEADER}(?:bearer|token|api-?key)[ \t](?P<value>[A-Za-z0-9_.~+/-]{{20,400}}={{0,4}}){_END}",
        entropy=3.5,
    ),
    Keyed(
        "basic-auth-header",
        "Authorization header with a user's password",
        ("authorization",),
        rf"{_HEADER}basic[ \t](?P<value>[A-Za-z0-9+/]{{8,200}}={{0,2}})",
        entropy=2.5,
        random=False,
    ),
    Keyed(
        "ansible-password",
        "Password of a managed host",
        ("ansible_",),
        rf"\bansible_(?:ssh_|become_|sudo_|winrm_)?pass(?:word)?{_ASSIGN}[\"']?(?P<value>[^\s\"'{{}}]{{6,80}})",
        confidence=LOW,
        random=False,
    ),
    Keyed(
        "url-parameter-password",
        "Password in an address or a connection string",
        ("password=", "passwd=", "pwd="),
        r"\w{3,8}=(?P<value>[^\s\"'`&;<>{}$]{8,80})",
        before=r"[?&;]",
    ),
    Keyed(
        "command-line-password",
        "Password on a command line",
        ("sshpass", "pgpassword=", "mysql_pwd="),
        r"\b(?:sshpass[ \t]{1,8}-p[ \t]{0,8}|\w{7,10}=)[\"']?(?P<value>[^\s\"'`;|&<>{}$()]{6,80})",
    ),
    Keyed(
        "netrc-password",
        "Password in a netrc entry",
        ("machine",),
        r"\bmachine[ \t]{1,8}\S{1,200}\s{1,8}login[ \t]{1,8}\S{1,200}\s{1,8}password[ \t]{1,8}(?P<value>\S{6,200})",
        random=False,
    ),
    Keyed(
        "private-key",
        "PuTTY private key",
        ("private-lines:",),
        r"private-lines:[ ]\d{1,3}\r?\n(?P<value>(?:[A-Za-z0-9+/=]{1,64}\r?\n){1,120}[A-Za-z0-9+/=]{1,64})(?=\r?\n|\Z)",
        confidence=HIGH,
    ),
    Keyed(
        "signing-key",
        "Secret key that signs sessions or cookies",
        ("secret_key",),
        rf"\bsecret_key(?:_base)?{_ASSIGN}[\"'](?P<value>[^\"'\s]{{24,200}})[\"']",
        entropy=3.5,
    ),
    Keyed(
        "discord-bot-token",
        "Discord bot token",
        ("login(", ".run(", "token", "bot "),
        r"[.\w]{1,40}+[\"'\]]{0,2}[ \t]{0,8}(?:=>|[(=:])?[ \t]{0,8}[\"'`]?"
        rf"(?P<value>[MNO][A-Za-z0-9_-]{{23,25}}\.[A-Za-z0-9_-]{{6}}\.[A-Za-z0-9_-]{{38}}){_END}",
        confidence=HIGH,
        entropy=4.0,
    ),
    Keyed(
        "jfrog-api-key",
        "JFrog API key or identity token",
        ("jfrog", "artifactory", "bintray", "xray"),
        rf"[\w.-]{{4,60}}+{_ASSIGN}[\"'`]?(?P<value>[A-Za-z0-9]{{73}}|[A-Za-z0-9]{{64}}){_END}",
        entropy=4.2,
    ),
    Keyed(
        "alibaba-secret-key",
        "Alibaba Cloud secret key",
        ("alibaba", "aliyun"),
        rf"[\w.-]{{4,60}}+{_ASSIGN}[\"'`]?(?P<value>[A-Za-z0-9]{{30}}){_END}",
        entropy=3.5,
    ),
    Keyed(
        "nuget-config-password",
        "Password in an XML setting",
        ("<add ",),
        r"<add[ \t]{1,8}key=[\"'](?:ClearText)?Password[\"'][ \t]{1,8}value=[\"'](?P<value>[^\"'<>%${}]{6,200})[\"']",
        confidence=LOW,
        entropy=2.0,
        random=False,
    ),
    Keyed(
        "curl-auth-header",
        "Token in a curl command",
        ("-h ", "--header"),
        r"(?:-h|--header)[ \t=]{1,8}\\?[\"'](?:(?:proxy-)?authorization:[ \t]{0,4}(?:[a-z-]{3,12}[ \t]{1,4})?|"
        r"[\w-]{0,40}(?:token|key|secret|auth)[\w-]{0,20}:[ \t]{0,4})"
        r"(?P<value>[\w.~+/=@:|!#%^&*-]{8,4000})\\?[\"']",
        entropy=2.5,
        random=False,
    ),
    Keyed(
        "curl-auth-user",
        "Password in a curl command",
        ("curl ", "curl\t"),
        r"curl(?:[^\n|;&]|\\\r?\n){0,300}?(?:[ \t](?:-u|--user)[ \t=]{1,4}|[ \t]-u)[\"']?"
        r"(?P<value>[^\s\"':$<>{}]{0,80}(?::[\"']?[^\s\"'$<>{}]{3,200}|(?<=[^\s\"':$<>{}]{12}):(?=[\s\"'])))",
        entropy=2.0,
        random=False,
    ),
    Keyed(
        "sidekiq-secret",
        "Sidekiq credential of the gem server",
        ("bundle_enterprise__contribsys__com", "bundle_gems__contribsys__com"),
        rf"\w{{28,36}}{_ASSIGN}[\"'`]?(?P<value>[a-f0-9]{{8}}:[a-f0-9]{{8}}){_END}",
        confidence=HIGH,
        entropy=2.0,
        random=False,
    ),
)


ADDRESS = "generic-credential-uri"
"""Rule of the passwords in addresses."""

_ADDRESS = (ADDRESS, "Password in an address", MEDIUM)
_MONGODB_ADDRESS = ("mongodb-connection-string", "MongoDB connection string", HIGH)
_PASSWORD_VALUE = ("generic-password", "Password", LOW)
_KEY_VALUE = ("generic-api-key", "Value that looks like a key or token", LOW)
PLACES = (_ADDRESS, _MONGODB_ADDRESS, _PASSWORD_VALUE, _KEY_VALUE)
"""Rule, title and confidence of what only its place gives away."""

_PASSWORD = re.compile(r"://(?P<user>[^\s:/@\"'`<>\\{}]{0,80}):(?P<value>[^\s/@\"'`<>\\{}$()]{4,200})@(?!sha\d)[\w\[]")
_BEFORE = re.compile(r"://([^\s:/@\"'`<>]{0,80}):\Z")
_AFTER = re.compile(r"@(\[[0-9a-f:]+\]|[\w.-]+)", re.IGNORECASE)
_MONGODB = re.compile(r"mongodb(?:\+srv)?\Z")
_LONGEST_USER = 84

_HERE = re.compile(r"localhost|127\.[\d.]+|0\.0\.0\.0|\[::1?\]|host\.docker\.internal", re.IGNORECASE)
_EXAMPLE = re.compile(r"(?:.*\.)?(?:example(?:\.(?:com|org|net))?|test|invalid|localhost)", re.IGNORECASE)
_MIXED = re.compile(r"(?=.*[A-Za-z])(?=.*[\d!#%^&*?+~=,;]).{8,}")
"""Passwords that people choose where password rules ask for more than letters."""


def address_matches(text: str, ask: Callable[[], None]) -> Iterator[RawMatch]:
    """Yield the password of every address that names one; ``ask`` is called at each address, and raises in the end."""
    position = text.find("://")
    while position >= 0:
        ask()
        match = _PASSWORD.match(text, position)
        if match:
            yield RawMatch(*_ADDRESS, *match.span("value"))
            scheme = _MONGODB.search(text, max(0, position - 11), position)
            if scheme:
                host = _AFTER.match(text, match.end("value"))
                end = host.end() if host else match.end("value")
                yield RawMatch(*_MONGODB_ADDRESS, scheme.start(), end)
        position = text.find("://", position + 3)


def password_in(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Return the extent of the password where a match is a whole address with one."""
    position = text.find("://", start, end)
    match = _PASSWORD.match(text, position) if position >= 0 else None
    return match.span("value") if match and match.end() <= end else None


def address_confidence(text: str, start: int, end: int) -> Confidence | None:
    """Grade a password by its form, its user and its host, or return None where it is an example.

    Args:
        text: The text that holds the address.
        start, end: The password's extent, the end exclusive.
    """
    before = _BEFORE.search(text, max(0, start - _LONGEST_USER), start)
    after = _AFTER.match(text, end)
    user, host = before[1] if before else "", after[1] if after else ""
    password = text[start:end]
    if is_example(password):
        return None
    here = _HERE.fullmatch(host) is not None
    if looks_random(password):
        return LOW if here else MEDIUM
    if here:
        return None  # the database of every developer
    if _MIXED.fullmatch(password):
        return LOW
    if _EXAMPLE.fullmatch(host) or (password == user and "." not in host):
        return None
    return Confidence.DOUBTFUL


_NAME_MARKS = ("key", "token", "secret", "credential", "creds", "auth", "access", "api", "passw", "pwd", "pass")
"""Parts of the names of secrets, in lower case; searched first."""
_NAME_BEFORE_MARK = 40
"""Maximum characters of a name before a mark."""
_NAME_HEAD = re.compile(r"[\w.$-]*")
"""Beginning of a name, read from its end."""
_NAME_TAIL = re.compile(r"[\w.-]{0,24}")
_ASSIGNED = re.compile(
    r"""
    (?:\\?["'`])?\]?[ \t]{0,8}
    (?::[ \t]?\w{1,12}[ \t]|[ \t]?[Ss]tring[ \t])?[ \t]{0,8}           # a type
    (?: => | (?:\?\?|[:?|.+]{0,3})={1,3} | : | ,(?=[ \t]{0,8}\\?["'`]) | \((?=\\?["'`]) | (?<!-)>\s{0,40} )
    [ \t]{0,8}
    """,
    re.VERBOSE,
)
_QUOTED = re.compile(r"""[rbuf]?\\?(?P<quote>["'`])(?P<value>[^"'`\s\\<>]{4,8000}+)\\?(?P=quote)""", re.IGNORECASE)
_PHRASE = re.compile(r"""[rbuf]?\\?(?P<quote>["'`])(?P<value>(?=\S)[^"'`\n\\]{4,100}+)\\?(?P=quote)""", re.IGNORECASE)
_ODD = re.compile(r"""(?P<quote>["'`])(?P<value>(?=\S)(?:(?!(?P=quote))[^\n\\]|\\[^\n]){4,100}+)(?P=quote)""")
"""Password that holds a quote of the other kind, or an escape."""
_BARE = re.compile(
    r"""
    (?P<value>
        [^\s"'`,;<>(){}\[\]\\|&]{4,200}+ (?![^\s"'`,;<>(){}\[\]\\|&])
        | [A-Za-z0-9_.~+/=!@#$%^*:-]{201,8000}+                          # what only keys are
    )
    (?P<whole> (?=[\s,;<&"'`\\]|\Z) )?
    """,
    re.VERBOSE,
)
_LONG = 200
"""Characters of a value without quotes above which no name is looked for in it: each would read the rest again."""

_CLOSING = re.compile(r"\s{0,40}</")

_OTHER_NAME = re.compile(
    r"(?<!re)public|publishable|site[_-]?key|^(?:primary|foreign)[_.-]?key$|"
    r"(?:^|[_.-])(?:pk|i18n|test[_-]?id)[_.-]|"
    r"(?:[_.-]?(?:id|ids|name|names|type|url|uri|path|file|dir|field|label|prefix|format|version|size|length|count|"
    r"expir\w*|ttl|at|time|arn|ref|index|param|kind|mode|map|pattern|regexp?|hash(?:es)?|digests?|checksums?|"
    r"(?:finger|thumb)print|headers?|scopes?|issuer|author|algo(?:rithm)?s?))$",
    re.IGNORECASE,
)
"""Names of things that belong to a secret and are not secret."""
_SURE_NAME = re.compile(
    r"token|secret|cred|passw|(?:api|app|auth|access|account|client|consumer|private|signing|encryption|master|service|"
    r"deploy|shared|license|session|ssh)[_.-]?key",
    re.IGNORECASE,
)
"""Names that only secrets have."""
_NAME_ENDING = re.compile(
    r"(?:key|api|auth|access)s?[_.-]?(?:\d{1,3}|prod\w*|dev\w*|live|test\w*|staging|value|string|data|b64|base64)?$",
    re.IGNORECASE,
)
"""Ends of names that may be those of a secret."""
_SURE_PASSWORD_NAME = re.compile(r"passw(?:or)?d[_.\-\d]*$", re.IGNORECASE)
_PASSWORD_NAME = re.compile(
    r"passw(?:or)?d?[_.\-\d]*$|(?:^|[_.$-]|user|db|root|admin|my|sql|smtp|mail|ftp|auth|(?-i:[a-z](?=P)))"
    r"(?:pass(?:phrase)?|pwd)[_.\-\d]*$",
    re.IGNORECASE,
)

_PUBLIC = re.compile(
    r"pk[._-]|phc_|pub(?:key)?-|FLWPUBK|(?:live|test)_pub_|NRJS-|sb_publishable_|glffct-|mob-|rzp_(?:live|test)_"
)
"""Prefixes of identifiers that a provider means to be public."""
_MIN_ENTROPY = 2.8
_KEY = re.compile(r"[A-Za-z0-9_.~+/=!@#$%^&*:|-]{10,8000}")
_CHANGE = re.compile(r"[A-Za-z](?=[0-9])|[0-9](?=[A-Za-z])")
"""Change from a letter to a digit, or back: words have few."""
_UUID = re.compile(UUID, re.IGNORECASE)
_CODE = re.compile(
    r"^[./~$@#&]|://|^(?:[A-Za-z_][\w-]{0,24}[./])+[A-Za-z_][\w-]{0,24}$|::|\$\{|%\(|%[sdr]|^(?:0x)?\d+$|^[A-Za-z]+\d{0,3}$|([#*xX.-])\1{4}"
)
"""Addresses, dotted names, numbers and words."""
_SUFFIX = re.compile(r"\.\w{1,4}")


def assignment_matches(text: str, low: str, ask: Callable[[], None]) -> Iterator[RawMatch]:
    """Yield the values of names that a secret has.

    Args:
        text: The text.
        low: The same in lower case, at the same offsets.
        ask: Called at each name; raises where no time is left.
    """
    seen = -1
    for position in mark_positions(low, _NAME_MARKS):
        if position < seen:
            continue  # the same name holds two of the marks
        ask()
        tail = _NAME_TAIL.match(text, position)
        seen = tail.end() if tail else position
        assign = _ASSIGNED.match(text, seen)
        if assign is None:
            continue
        head = _NAME_HEAD.match(text[max(0, position - _NAME_BEFORE_MARK) : position][::-1])
        name = text[position - (head.end() if head else 0) : seen]
        password = _PASSWORD_NAME.search(name) is not None
        match = (_PHRASE if password else _QUOTED).match(text, assign.end())
        if match is None and password:
            match = _ODD.match(text, assign.end())
        if match is None:
            match = _BARE.match(text, assign.end())
            if match and match.end() - match.start() > _LONG:
                seen = match.end()
            if match is None or match["whole"] is None:
                continue
        yield from _value(name, assign[0].strip(), text, match, password=password)


def _value(name: str, sign: str, text: str, match: re.Match[str], *, password: bool) -> Iterator[RawMatch]:
    if _OTHER_NAME.search(name):
        return
    if sign.endswith(">") and not sign.endswith("=>") and not _CLOSING.match(text, match.end()):
        return  # a placeholder such as <token>, and no element
    value = match["value"]
    if password:
        if looks_random(value) or (_SURE_PASSWORD_NAME.search(name) and not sign.endswith((",", "("))):
            yield RawMatch(*_PASSWORD_VALUE, *match.span("value"))
        return
    vendor = vendor_of(name.lower(), value)
    if vendor and entropy(value) >= _MIN_ENTROPY:
        yield RawMatch(vendor.rule, vendor.title, MEDIUM, *match.span("value"))
    elif _is_key(name, value):
        yield RawMatch(*_KEY_VALUE, *match.span("value"))


def _is_key(name: str, value: str) -> bool:
    if not _KEY.fullmatch(value) or _is_path(value) or _CODE.search(value) or _PUBLIC.match(value):
        return False
    made = looks_random(value) or len(_CHANGE.findall(value)) >= 6
    if _SURE_NAME.search(name):
        return _UUID.fullmatch(value) is not None or (made and entropy(value) >= 3.0)
    return made and entropy(value) >= 3.3 and _NAME_ENDING.search(name) is not None and not _UUID.fullmatch(value)


def _is_path(value: str) -> bool:
    return value.count("/") >= 2 and _SUFFIX.fullmatch(value, value.rfind(".")) is not None
