"""Credentials that only their surroundings identify: a name, a header, an option of a command, an address."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from selfreview.secrets.match import HIGH, LOW, MEDIUM, Confidence, RawMatch
from selfreview.secrets.plausibility import is_example, looks_random

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
            yield RawMatch(ADDRESS, "Password in an address", MEDIUM, *match.span("value"))
            scheme = _MONGODB.search(text, max(0, position - 11), position)
            if scheme:
                host = _AFTER.match(text, match.end("value"))
                end = host.end() if host else match.end("value")
                yield RawMatch("mongodb-connection-string", "MongoDB connection string", HIGH, scheme.start(), end)
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
