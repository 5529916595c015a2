"""Values assigned to a name that is usual for a key, a token or a password."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from selfreview.secrets.match import LOW, MEDIUM, RawMatch, mark_positions
from selfreview.secrets.plausibility import entropy, looks_random
from selfreview.secrets.providers import UUID, vendor_of

API_KEY = "generic-api-key"
PASSWORD = "generic-password"  # noqa: S105 - the rule's id

_MARKS = ("key", "token", "secret", "credential", "creds", "auth", "access", "api", "passw", "pwd", "pass")
"""Parts of the names of secrets, in lower case; searched first."""
_BEFORE, _AFTER = 40, 24
"""Maximum characters of a name that are looked at, on either side of a mark."""
_HEAD = re.compile(r"[\w.$-]*")
"""Beginning of a name, read from its end."""
_TAIL = re.compile(r"[\w.-]{0,24}")
_ASSIGN = re.compile(
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

_NO_SECRET = re.compile(
    r"(?<!re)public|publishable|site[_-]?key|^(?:primary|foreign)[_.-]?key$|"
    r"(?:^|[_.-])(?:pk|i18n|test[_-]?id)[_.-]|"
    r"(?:[_.-]?(?:id|ids|name|names|type|url|uri|path|file|dir|field|label|prefix|format|version|size|length|count|"
    r"expir\w*|ttl|at|time|arn|ref|index|param|kind|mode|map|pattern|regexp?|hash(?:es)?|digests?|checksums?|"
    r"(?:finger|thumb)print|headers?|scopes?|issuer|author|algo(?:rithm)?s?))$",
    re.IGNORECASE,
)
"""Names of things that belong to a secret and are not secret."""
_SURE = re.compile(r"token|secret|cred|passw|(?:api|app|auth|access|account|client|consumer|private|signing|"
                   r"encryption|master|service|deploy|shared|license|session|ssh)[_.-]?key", re.IGNORECASE)  # fmt: skip
"""Names that only secrets have."""
_ENDING = re.compile(
    r"(?:key|api|auth|access)s?[_.-]?(?:\d{1,3}|prod\w*|dev\w*|live|test\w*|staging|value|string|data|b64|base64)?$",
    re.IGNORECASE,
)
"""Ends of names that may be those of a secret."""
_PASSWORD = re.compile(r"passw(?:or)?d[_.\-\d]*$", re.IGNORECASE)
_PASS = re.compile(
    r"passw(?:or)?d?[_.\-\d]*$|(?:^|[_.$-]|user|db|root|admin|my|sql|smtp|mail|ftp|auth|(?-i:[a-z](?=P)))"
    r"(?:pass(?:phrase)?|pwd)[_.\-\d]*$",
    re.IGNORECASE,
)

_PUBLIC = re.compile(
    r"pk[._-]|phc_|pub(?:key)?-|FLWPUBK|(?:live|test)_pub_|NRJS-|sb_publishable_|glffct-|mob-|rzp_(?:live|test)_"
)
"""Prefixes of identifiers that a provider means to be public."""
_LEAST_ENTROPY = 2.8
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
    for position in mark_positions(low, _MARKS):
        if position < seen:
            continue  # the same name holds two of the marks
        ask()
        tail = _TAIL.match(text, position)
        seen = tail.end() if tail else position
        assign = _ASSIGN.match(text, seen)
        if assign is None:
            continue
        head = _HEAD.match(text[max(0, position - _BEFORE) : position][::-1])
        name = text[position - (head.end() if head else 0) : seen]
        password = _PASS.search(name) is not None
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
    if _NO_SECRET.search(name):
        return
    if sign.endswith(">") and not sign.endswith("=>") and not _CLOSING.match(text, match.end()):
        return  # a placeholder such as <token>, and no element
    value = match["value"]
    if password:
        if looks_random(value) or (_PASSWORD.search(name) and not sign.endswith((",", "("))):
            yield RawMatch(PASSWORD, "Password", LOW, *match.span("value"))
        return
    vendor = vendor_of(name.lower(), value)
    if vendor and entropy(value) >= _LEAST_ENTROPY:
        yield RawMatch(vendor.rule, vendor.title, MEDIUM, *match.span("value"))
    elif _is_key(name, value):
        yield RawMatch(API_KEY, "Value that looks like a key or token", LOW, *match.span("value"))


def _is_key(name: str, value: str) -> bool:
    if not _KEY.fullmatch(value) or _is_path(value) or _CODE.search(value) or _PUBLIC.match(value):
        return False
    made = looks_random(value) or len(_CHANGE.findall(value)) >= 6
    if _SURE.search(name):
        return _UUID.fullmatch(value) is not None or (made and entropy(value) >= 3.0)
    return made and entropy(value) >= 3.3 and _ENDING.search(name) is not None and not _UUID.fullmatch(value)


def _is_path(value: str) -> bool:
    return value.count("/") >= 2 and _SUFFIX.fullmatch(value, value.rfind(".")) is not None
