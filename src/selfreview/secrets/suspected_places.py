"""Places that a secret may take: addresses, headers, elements, options of commands, statements, prose."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from selfreview.secrets.match import Span, lower_case
from selfreview.secrets.plausibility import TEMPLATE

NUMBERED = r"[ ]{0,5}\d{1,9}[ ][+\- ][ ]|[ ]{6}-[ ]"
"""Prefix of a line of a file as it is shown: its number and its mark."""
MARGIN = r"(?:[ ]{0,5}\d{0,9}[ ][+\- ][ ]|[+\- ])?"
"""Prefix of a line of a file: nothing, a diff's mark, or a number and a mark."""
GAP = rf"(?:[ \t]*(?:\r?\n{MARGIN}[ \t]*)?)"
"""Space, also over one end of a line."""
_NAMES = (
    r"pass(?:word|wd|phrase)|pwd|secret|credential|token|api[-_]?key|private[-_]?key|access[-_]?key|"
    r"(?<![a-z])psk\b"
)
_WORD = r"[^\s\"'`<>|,;(){}\[\]]"
_MIXED = (
    rf"(?=[^\s\"'`]*\d)(?=[^\s\"'`]*[a-z]{{2}})(?!\w*[=(]|(?:sha|md|oauth|utf-?|base|pbkdf|ipv|x)\d){_WORD}{{6,100}}"
)
"""Word of no natural language: letters and digits, and no name of a method."""


class Place(NamedTuple):
    """Kind of place.

    Attributes:
        kind: Upper-case words joined by underscores.
        marks: Lower-case texts, one of which every match holds.
        pattern: Regular expression with the group ``value``, read without regard to case, ``^`` and ``$`` at lines.
        around: How many lines before and after the mark's own a match may reach.
    """

    kind: str
    marks: tuple[str, ...]
    pattern: str
    around: int = 0


_PLACES = (
    # Addresses
    Place("ADDRESS_PASSWORD", ("://",), r"://[^\s:/@\"'<>]{0,80}:(?P<value>[^\s/@\"'<>]{1,200})@"),
    Place("ADDRESS_PASSWORD", ("://",),
          r"://[^\s:/@\"'<>]{1,80}:(?!\d{1,5}/)(?P<value>[^\s@\"'<>:]{1,100})@[\w.-]+[:/]"),
    Place("ADDRESS_TOKEN", ("://",), r"://(?P<value>[^\s:/@\"'<>{}$]{16,200})@"),
    Place("ADDRESS_PASSWORD", ("oracle:", "sqlplus"), r"(?:oracle:\w+:|sqlplus[ ]+)\w+/(?P<value>[^\s@\"']{3,80})@"),
    Place("PARAMETER", ("=",),
          rf"[?&;](?:\w{{0,40}}(?:{_NAMES}|apikey)|sig|signature|pw|pass)=\{{?(?P<value>[^\s\"'`&;<>{{}}$()"
          rf"]{{3,400}})"),
    # Elements
    Place("ELEMENT", ("</",), rf"<[\w:.-]{{0,60}}(?:{_NAMES})[\w:.-]{{0,40}}(?:\s[^<>]{{0,200}})?>{GAP}(?"
          rf":<!\[CDATA\[)?"
          rf"(?P<value>[^<>\n\[\]]{{3,400}}?)(?:\]\]>)?{GAP}</", 2),
    Place("ELEMENT", ("</",), rf"name=[\"'][^\"'\n]{{0,60}}(?:{_NAMES})[^\"'\n]{{0,40}}[\"'][^<>\n]{{0,80}}>"
          r"(?P<value>[^<>\s]{4,400})</"),
    Place("ELEMENT", ("<key>",), rf"<key>[^<\n]{{0,60}}(?:{_NAMES})[^<\n]{{0,40}}</key>{GAP}<string>(?"
          rf"P<value>[^<>\n]+)</", 1),
    Place("ELEMENT", ("value=",), rf"[\"'][^\"'\n]{{0,60}}(?:{_NAMES})[^\"'\n]{{0,40}}[\"'][^<>\n]{{0,80}}?"
          r"value=[\"'](?P<value>[^\"'\n]{3,400})[\"']"),
    # Headers
    *(Place("AUTHORIZATION", (word,), rf"{word}[ \t]+(?P<value>(?=[^\s\"']*\d)[A-Za-z0-9_.~+/=-]{{8,2000}})")
      for word in ("bearer", "basic", "digest", "apikey")),
    Place("AUTHORIZATION", ("authorization",), r"authorization[\"']?[ \t]*(?::|=|,|=>)[ \t]*[\"'`]?"
          r"(?:bearer|basic|token|apikey|ssws)[ \t]+(?P<value>[A-Za-z0-9_.~+/=-]{8,2000})(?![\w(.])"),
    # Options of commands
    Place("OPTION", ("-",), rf"(?<![\w-])--?[\w-]{{0,40}}(?:{_NAMES}|(?:store|key)pass)[\w-]{{0,20}}[ \t]+"
          r"[\"']?(?P<value>[^\s\"'$-][^\s\"']{3,200})"),
    Place("OPTION", ("-u",), r"-u(?:ser)?[ \t=]*[\"']?[^\s:\"'/]{1,80}:(?P<value>[^\s\"'$][^\s\"']{2,200})"),
    *(Place("OPTION", (word,), rf"\b{word}\b[^\n]{{0,200}}?[ \t]-[pa][ \t]?[\"']?(?P<value>[^\s\"'$-]"
          rf"[^\s\"']{{2,200}})")
      for word in ("sshpass", "mysql", "mysqldump", "mysqladmin", "redis-cli", "docker login", "podman login", "az "
            "login", "mongo",
                   "mongosh", "mongodump", "7z a", "7z x")),
    Place("OPTION", ("zip -", "zip ", "ldap"),
          r"\b(?:(?:un)?zip\b[^\n]{0,80}?[ ]-P|ldap\w+\b[^\n]{0,200}?[ ]-w)[ \t]?[\"']?(?P<value>[^\s\"'$-]"
          r"[^\s\"']{2,200})"),
    Place("OPTION", ("pass:",), r"-pass(?:in|out)?[ \t]+[\"']?pass:(?P<value>[^\s\"'$]{3,200})"),
    Place("OPTION", ("user:", "net user"), r"\bnet[ ]use[r]?\b[^\n]{0,200}?(?:/user:\S+|(?<=net[ ]user)[ ]\S+)[ ](?"
          r"P<value>[^\s/*]\S{3,100})"),
    Place("OPTION", ("freerdp", "mstsc"), r"\w*(?:freerdp|mstsc)\b[^\n]{0,200}?[ ]/p:(?P<value>\S{3,100})"),
    Place("OPTION", ("smb", "rpcclient"), r"\b(?:smb\w+|rpcclient)\b[^\n]{0,200}?%(?P<value>[^\s\"']{3,100})"),
    Place("OPTION", ("from-literal",), r"--from-literal[= ][\"']?[\w.-]+=(?P<value>[^\s\"'$]{3,400})"),
    Place("PIPED", ("|",), r"\becho[ ]+(?:-n[ ]+)?[\"']?(?:[\w-]+:)?(?P<value>[^\s\"'|$:]{4,200})[\"']?[ ]*\|[ ]*"
          r"(?:sudo[ ]+(?:-S|chpasswd|passwd)|chpasswd|passwd\b|docker[ ]login|\S+[^|\n]*--?pass(?:word)?-?stdin)"),
    Place("ENVIRONMENT", ("env ", "setenv ", "setx "),
          rf"^{MARGIN}[ \t]*(?:ENV|setenv|setx)[ ]+\w*(?:{_NAMES}|pass\b)\w*[ ]+[\"']?(?P<value>[^\s\"'$=]"
          rf"[^\s\"']{{3,400}})"),
    # Files of settings
    Place("CREDENTIALS", ("login",), rf"\blogin[ \t]+\S+(?:[ \t]+|[ \t]*\r?\n{MARGIN}[ \t]*)password[ \t]+(?"
          rf"P<value>\S{{3,200}})", 1),
    Place("CREDENTIALS", (":",), rf"^{MARGIN}[\w.*-]+:(?:\d{{2,5}}|\*):[\w*-]+:[\w.*@-]+:(?P<value>[^\s:]{{3,100}})"
          rf"[ \t]*\r?$"),
    Place("SETTING", ("pass", "auth", "pw", "secret"), rf"^{MARGIN}[ \t]*(?:requirepass|masterauth|bindpw|rootpw(?:[ ]"
          rf"--plaintext)?|"
          r"(?:pass(?:word|wd)?|secret)(?=[ \t]+\S*[\d!@#$%^&*])(?=[ \t]+\S*[a-z]))[ \t]+(?P<value>[^\s\"'=({:]"
          r"[^\s\"'({]{3,200})[ \t]*\r?$"),
    Place("SETTING", ("password", "secret"), r"\b(?:password|secret)[ ]+[0-9][ ]+(?P<value>\S{6,200})[ \t]*\r?$"),
    Place("SETTING", ("snmp-server",), r"snmp-server[ ]community[ ](?P<value>\S+)"),
    Place("SETTING", ("psk", "pre-shared"), r"(?:\bPSK[ \t]+|pre-shared-key[ \t]+(?:\S+[ \t]+)?)[\"']?(?"
          r"P<value>[^\s\"']{4,200})"),
    Place("NAMED_VALUE", ("value",), rf"\b(?:name|key)[\"']?[ ]*[:=][ ]*[\"']?[\w.-]{{0,60}}(?:{_NAMES}|pass\b)"
          rf"[\w.-]{{0,40}}[\"']?,?"
          rf"{GAP}[\"']?value[\"']?[ ]*[:=][ ]*[\"']?(?P<value>[^\s\"'{{}}$,][^\s\"',]{{3,400}})", 1),
    Place("DEFAULT", ("default",), rf"\b[\w\"-]{{0,60}}(?:{_NAMES})[\w-]{{0,40}}\"?[ ]*[:{{][ \t\r]*\n(?:[^\n}}"
          rf"]{{0,200}}\n){{0,4}}?"
          rf"{MARGIN}[ \t]+default[ ]*[:=][ ]*[\"']?(?!true\b|false\b|none\b|null\b|\d+\b)(?P<value>[^\s\"'{{}}$,]"
          rf"[^\s\"',]{{3,400}})[\"']?[ \t]*\r?$", 6),
    # Statements and calls
    Place("STATEMENT", ("identified",), r"identified[ ](?:with[ ]\S+[ ])?by[ ](?:values[ ])?[\"'](?"
          r"P<value>[^\"'\n]{3,200})"),
    Place("STATEMENT", ("identified",), r"(?:user|role)[ ]\S+[ ]identified[ ]by[ ](?P<value>[^\s\"';]{3,200})"),
    Place("ARGUMENT", ("securestring",), r"ConvertTo-SecureString[ ](?:-String[ ])?[\"'](?P<value>[^\"'\n]{3,200})"
          r"[\"']"),
    Place("ARGUMENT", ("set", "with", "password("),
          rf"(?:\b(?:set|with)_?[\w]{{0,40}}(?:{_NAMES})|(?<![\w.])PASSWORD)\(\s*[\"'](?P<value>[^\"'\n]{{3,400}})"
          rf"[\"'][ ]*\)"),
    Place("ARGUMENT", ("define(", "cmp(", "env(", "environ.get(", "property(", "fill(", "type("),
          rf"(?:define|cmp|env|environ\.get|property|fill|type)\([^\n,]{{0,80}}(?:{_NAMES})[^\n,]{{0,20}},\s*[\"']"
          rf"(?P<value>[^\"'\n]{{3,400}})[\"']"),
    Place("ARGUMENT", ("send", "type(", "fill(", "settext("),
          rf"(?:{_NAMES})[^\n]{{0,40}}\.(?:send_?keys|type|fill|setText)\([\"'](?P<value>[^\"'\n]{{3,400}})[\"']"),
    Place("ARGUMENT", ("assword:",), rf"assword:[^\n]{{0,40}}{GAP}send(?:line)?[ ]+[\"'](?"
          rf"P<value>[^\"'\n\\]{{3,200}})", 1),
    Place("ARGUMENT", ("connect(", "login(", "auth=", "auth(", "logon(", "authenticate(", "credential(", "bind(", "b"
          "ind_s(", "ftp.open("),
          r"(?:connect|login|auth|auth=|logon|authenticate|credential|bind(?:_s)?|ftp\.open)\((?:[ ]*[^()\n,]{1,100}"
          r",){1,3}[ ]*"
          r"[\"'](?P<value>(?=[^\"']*[a-z])(?=[^\"']*[\d!#$%^&*])[^\"'\s<>]{5,200})[\"']"),
    Place("ARGUMENT", ("hmac", "fernet", "aes", "jwt.", "totp", "phrase(", "cookie(", "sign"),
          r"(?:hmac\.new|createHmac|Fernet|AES\.new|createCipher(?:iv)?|jwt\.\w+|TOTP|fromPhrase|set_cookie|"
          r"URLSafe\w*Serializer)\("
          r"(?:[^\"'\n]{0,60},[ ]*|[\"']sha\d+[\"'],[ ]*)?b?[\"'](?!sha|HS\d|RS\d|md5)(?P<value>[^\"'\n]{6,400})"
          r"[\"']"),
    Place("ARGUMENT", ("by lazy",), rf"(?:{_NAMES})\w*[ ]by[ ]lazy[ ]*\{{[ ]*\"(?P<value>[^\"\n]{{3,400}})\""),
    Place("SEED", ("totp", "otp", "mfa", "seed", "2fa"), r"(?<!\w)(?P<value>(?=[A-Z2-7])(?=[A-Z2-7 -]{0,80}\d)(?"
          r"-i:[A-Z2-7]{4}(?:[ -][A-Z2-7]{4}){3,15}))(?!\w)"),
    Place("KEY_BYTES", ("key", "secret", "seed"), r"(?:key|secret|seed)(?:\[\w*\])?[ ]*=[ ]*[\w.]*\(?[\[{][ ]*"
          r"(?P<value>(?:(?:0x[0-9a-f]{1,2}|\d{1,3}),[ ]*){15,}(?:0x[0-9a-f]{1,2}|\d{1,3}))"),
    Place("CUT_VALUE", ("\\",), rf"(?:{_NAMES})\w*[ ]*[=:][ ]*[\"'](?P<value>[^\s\"'\\]{{8,400}})\\\r?$"),
    Place("ARGUMENT", ("??", "||", " or ", "?:"), rf"(?:{_NAMES}|(?<![a-z])(?:pass|pw)(?![a-z]))[\w.\]\"')]{{0,20}}[ ]*"
          rf"(?:\?\?|\|\||\?:|\bor\b)[ ]*[\"'`](?P<value>[^\"'`\n]{{3,400}})[\"'`]"),
    Place("OPTION", ("htpasswd",), r"\bhtpasswd[ ]-[a-zA-Z]*b[a-zA-Z]*[ ]\S+[ ]\S+[ ](?P<value>[^\s$]\S{2,200})"),
    Place("PIPED", ("--passphrase-fd",), r"\becho[ ]+[\"']?(?P<value>[^\s\"'|$]{3,200})[\"']?[ ]*\|[^\n]{0,80}"
          r"--passphrase-fd"),
    # Numbers
    Place("PIN", ("pin", "otp", "cvv", "cvc", "pass", "pwd"), r"(?<![a-z])(?:pin|otp|passcode|password|passwd|pwd)(?"
          r":[_-]?(?:code|number))?"
          r"[\"'\]]{0,2}[ ]*(?:=>|:=|[:=])[ ]*[\"']?(?P<value>\d{4,12})\b(?![.\w])"),
    Place("PIN", ("cvv", "cvc"), r"(?<![a-z])cv[vc]2?[\"'\]]{0,2}[ ]*(?:=>|:=|[:=])[ ]*[\"']?(?P<value>\d{3,4})\b"),
    # Prose
    Place("SAID", ("pass", "pw", "key", "token", "secret"), r"(?<![\w.-])(?:pass(?:word|phrase|code|wd)|pw|api[ -]"
          r"key|secret)(?:[*`:|\"]|[ ](?![+=-])){1,6}"
          rf"(?:(?:is|was|to|of)[ ])?[\"'`*]{{0,2}}(?P<value>{_MIXED})"),
    Place("SAID", ("pass", "key", "token", "secret"),
          rf"[`'\"](?P<value>{_MIXED})[`'\"] (?:as|for|is) (?:the |your |an? |my )?(?:\w+ )?(?:{_NAMES}|api key)"),
    Place("SAID", ("credential", "login", "account", "user"), r"\b(?:credentials?|login|account|user(?:name)?)[ "
          r"]*[:=][ ]*[^\s/]+[ ]+/[ ]+"
          r"(?P<value>(?=\S*\d)[^\s\"'`,;]{4,100})"),
    # Services whose tokens have no mark of their own
    Place("WEBHOOK", ("hooks.slack.com/",), r"hooks\.slack\.com/(?P<value>[a-z]{4,20}/[A-Za-z0-9+/_-]{20,100})"),
    Place("APP_TOKEN", ("|",), r"\b(?P<value>\d{15,16}\|[A-Za-z0-9_-]{27,40})\b"),
    Place("APP_TOKEN", ("%",), r"\b(?P<value>\d{15,16}%(?:7c)?[A-Za-z0-9_-]{27,40})\b"),
    Place("SERVICE_ACCOUNT", ("service_account",), r"\"type\\?\":[ \t]*\\?\"(?P<value>service_account)\b"),
)  # fmt: skip


def placed_values(text: str) -> Iterator[Span]:
    """Yield values by their places."""
    low = lower_case(text)
    for place in _PLACES:
        for start, end in _regions(low, place):
            for match in re.compile(place.pattern, re.IGNORECASE | re.MULTILINE).finditer(text, start, end):
                if not TEMPLATE.fullmatch(match["value"]):
                    yield Span(*match.span("value"), place.kind)


def _regions(low: str, place: Place) -> list[tuple[int, int]]:
    """Return the whole lines around a place's marks, merged: plain text is found far faster than a pattern."""
    found = []
    for mark in place.marks:
        position = low.find(mark)
        while position >= 0:
            start, end = position + 1, position
            for _ in range(place.around + 1):
                start = low.rfind("\n", 0, max(0, start - 1))
                end = low.find("\n", end + 1) if end < len(low) else end
                end = end if end >= 0 else len(low)
                start = max(0, start)
            found.append((start + 1 if low[start : start + 1] == "\n" else start, end))
            position = low.find(mark, max(position + 1, low.find("\n", position)))
    merged: list[tuple[int, int]] = []
    for start, end in sorted(found):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged
