"""Names that a secret may have, and places that it may take: the lower threshold, for what is sent."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from selfreview.secrets.match import SuspectSpan, lower_case, mark_positions
from selfreview.secrets.plausibility import TEMPLATE

NUMBERED = r"[ ]{0,5}\d{1,9}[ ][+\- ][ ]|[ ]{6}-[ ]"
"""Prefix of a line of a file as it is shown: its number and its mark."""
MARGIN = r"(?:[ ]{0,5}\d{0,9}[ ][+\- ][ ]|[+\- ])?"
"""Prefix of a line of a file: nothing, a diff's mark, or a number and a mark."""
GAP = rf"(?:[ \t]*(?:\r?\n{MARGIN}[ \t]*)?)"
"""Space, also over one end of a line."""
SENSITIVE_NAMES = r"pass(?:word|wd|phrase|code)|pwd|secret|credential|token|(?:api|private|access)[ _-]?key"
"""What the names of secrets hold."""
_NAMES = rf"{SENSITIVE_NAMES}|(?<![a-z])psk\b"
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
          rf"[?&;](?:\w{{0,40}}(?:{_NAMES})|sig|signature|pw|pass)=\{{?(?P<value>[^\s\"'`&;<>{{}}$()"
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
          rf"[`'\"](?P<value>{_MIXED})[`'\"] (?:as|for|is) (?:the |your |an? |my )?(?:\w+ )?(?:{_NAMES})"),
    Place("SAID", ("credential", "login", "account", "user"), r"\b(?:credentials?|login|account|user(?:name)?)[ "
          r"]*[:=][ ]*[^\s/]+[ ]+/[ ]+"
          r"(?P<value>(?=\S*\d)[^\s\"'`,;]{4,100})"),
    # Services whose tokens have no mark of their own
    Place("WEBHOOK", ("hooks.slack.com/",), r"hooks\.slack\.com/(?P<value>[a-z]{4,20}/[A-Za-z0-9+/_-]{20,100})"),
    Place("APP_TOKEN", ("|",), r"\b(?P<value>\d{15,16}\|[A-Za-z0-9_-]{27,40})\b"),
    Place("APP_TOKEN", ("%",), r"\b(?P<value>\d{15,16}%(?:7c)?[A-Za-z0-9_-]{27,40})\b"),
    Place("SERVICE_ACCOUNT", ("service_account",), r"\"type\\?\":[ \t]*\\?\"(?P<value>service_account)\b"),
)  # fmt: skip


def placed_values(text: str) -> Iterator[SuspectSpan]:
    """Yield values by their places."""
    low = lower_case(text)
    for place in _PLACES:
        for start, end in _regions(low, place):
            for match in re.compile(place.pattern, re.IGNORECASE | re.MULTILINE).finditer(text, start, end):
                if not TEMPLATE.fullmatch(match["value"]):
                    yield SuspectSpan(*match.span("value"), place.kind)


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


_STRONG = (
    r"pass(?:word|wd|phrase|code|w\b)|passwort|(?<!by)(?<!com)(?<!ssh)(?<!sur)(?<!tres)(?<!under)(?<!over)pass\b|"
    r"pwd|secret|"
    r"credential|identified[ \t]+by|(?:private|api|access|hmac|signing|encryption|master|shared)[-_ ]?key|(?<![a-z])"
    r"pw\b|psk\b|"
    r"kennwort|mot_?de_?passe|contrase(?:ñ|n)a|senha\b|mnemonic|(?:seed|recovery)[-_ ]?phrase|(?:totp|mfa|otp)[-_ ]?"
    r"seed"
)
_WEAK = (
    r"token|auth|private|signing|(?<![a-z])key\b|salt|bearer|cookie|session|signature|\bpin\b|"
    r"dsn|conn(?:ection)?[-_ ]?str"
)
_NAMED = re.compile(
    rf"(?:(?P<strong>{_STRONG})|{_WEAK})[\w.-]{{0,60}}"
    r"(?P<close>\\?[\"'`\]]{0,2}(?:\[\w*\])?)"
    r"(?:(?P<op>[ \t]*:[ \t]*[\w.|\[\]&'<>*? ]{1,40}?=|[ \t]*(?:=>|:=|\?=|={1,3}|!=|:|,|\()|[ \t]+(?:is|was)(?=[ \t])|"
    r"(?=[ \t]+[\"'`]))[ \t]*)",
    re.IGNORECASE,
)
_STEMS = tuple(
    """
    pass pwd secret credential identified private api access token auth signing encryption key salt bearer cookie
    session signature pin dsn conn pw psk kennwort mot contrase senha mnemonic seed recovery totp mfa otp hmac master
    shared
    """.split()  # noqa: SIM905 - a table to read
)
"""Parts of the names, searched first: plain text is found far faster than alternatives that ignore case."""
_QUOTED = re.compile(
    r"[a-z@$]{0,2}(?P<quote>\\?(?:\"\"\"|'''|[\"'`]))(?P<value>(?:(?!(?P=quote))(?:\\.|[^\\\n]))*)(?P=quote)",
    re.IGNORECASE,
)
_PERL = re.compile(r"q[qw]?[({](?P<value>[^(){}\n]{3,200})[)}]")
_JOINER = re.compile(
    rf"{GAP}(?:"
    rf"(?P<sure>(?:String::from|Some|by lazy|new \w+|[A-Z]\w*(?:\.\w+)?)?[ \t]*[({{]{GAP}(?=[a-z]?[\"'`])|"
    rf"[+.&]{GAP}|(?=q[qw]?[({{])|"
    rf"[^\n\"'`#;,]{{0,60}}(?:\([^\n()]{{0,60}}\)|\[[^\n\[\]]{{0,60}}\])?[ \t]*(?:\|\||\?\?|\?:?|\bor\b|[ ]:|"
    rf"\belse\b)[ \t]*)|"
    rf"[\[,]{GAP}|(?=[a-z]?[\"']))"
)
"""Separators between a name and a literal of its value, or between two literals."""
_BARE = re.compile(r"[^\s\"'`,;(){}\[\]<>]{1,2000}")
_SCHEME = re.compile(r"(?:bearer|basic|token|digest|apikey)[ \t]+", re.IGNORECASE)
_NAME_BEFORE = re.compile(r"[\w.-]*\Z")
_NUMBERED = re.compile(NUMBERED)
_LINE_START = re.compile(r"[+\- ]?[ \t]*(?:-[ \t]+)?(?:(?:export|set|setenv|ENV|ARG|-e)[ \t]+)*[\"']?")
_EXPRESSION = re.compile(r"[A-Za-z_$@*&]+(?:(?:\.|::|->)[A-Za-z_]\w*)*[?!:]?|[A-Za-z_]\w*(?:(?:\.|::|->)\w+)+")
_JOINED_WORDS = re.compile(r"[A-Za-z_]+(?:(?:\.|::|/|-|:| )[A-Za-z_]\w*)*")
_PLAIN_ADDRESS = re.compile(r"[a-z]+://[^\s?@]*", re.IGNORECASE)
_SETTING = frozenset(("=", ":", "=>", ":=", "?="))
_MIXED_CASE = re.compile(r"(?=\w*\d)(?=\w*[a-z])(?=\w*[A-Z])\w{6,}(?:\.\w+)?$")
_TYPES = frozenset(
    """
    str string bytes byte int integer number float bool boolean any object none null nil true false undefined required
    optional text char self never unknown void dict list read write inherit
    """.split()  # noqa: SIM905 - a table to read
)
_SECTION = re.compile(rf"^{MARGIN}\[[\w .:/\"-]+\][ \t\r]*$", re.MULTILINE)


def assigned_values(text: str) -> Iterator[SuspectSpan]:
    """Yield the values of names that a secret may have."""
    settings = _SECTION.search(text) is not None
    for match in _names(text):
        strong = match["strong"] is not None
        kind = "PASSWORD" if strong else "TOKEN"
        op = (match["op"] or "").strip()
        quoted = _QUOTED.match(text, match.end())
        if quoted and _worth(quoted["value"], op, strong=strong):
            yield SuspectSpan(*quoted.span("value"), kind)
        if op in _SETTING or op.endswith(" ="):
            further = _more(text, quoted.end() if quoted else match.end(), op, strong=strong)
            yield from (SuspectSpan(*extent, kind) for extent in further)
        if quoted is None and op not in ("", "(", ",", "!=") and (strong or op != "=="):
            scheme = _SCHEME.match(text, match.end())
            bare = _BARE.match(text, scheme.end() if scheme else match.end())
            if bare and _worth_bare(text, match, bare, settings=settings):
                yield SuspectSpan(*bare.span(), kind)


def _names(text: str) -> Iterator[re.Match[str]]:
    """Yield the names that only secrets have, with what sets them, in order."""
    done = 0
    for position in mark_positions(lower_case(text), _STEMS):
        match = _NAMED.match(text, position) if position >= done else None
        if match:
            done = match.end()
            yield match


def _more(text: str, start: int, op: str, *, strong: bool) -> Iterator[tuple[int, int]]:
    """Yield the further literals that a name's value is made of: joined, in a list, as the other choice, in a call."""
    position = start
    while True:
        match = _JOINER.match(text, position)
        if match is None:
            return
        quoted = _QUOTED.match(text, match.end()) or _PERL.match(text, match.end())
        if quoted is None:
            return
        chosen = match["sure"] is not None
        if _worth(quoted["value"], op if chosen else ",", strong=strong):
            yield quoted.span("value")
        position = quoted.end()


def _worth(value: str, op: str, *, strong: bool) -> bool:
    """Return whether a quoted value could be a secret."""
    if len(value) < (3 if strong else 8) or TEMPLATE.fullmatch(value):
        return False
    if strong and op not in (",", "("):
        return True
    if strong and len(value) >= 12 and value.isalpha() and value.islower():
        return True  # words without anything between them: chosen, not a name
    return not (_JOINED_WORDS.fullmatch(value) or _PLAIN_ADDRESS.fullmatch(value) or re.search(r"\s", value))


def _worth_bare(text: str, match: re.Match[str], bare: re.Match[str], *, settings: bool) -> bool:
    """Return whether a value without quotes could be a secret: no name or expression of a language."""
    value, strong = bare[0], match["strong"] is not None
    after = text[bare.end() : bare.end() + 1]
    if len(value) < (4 if strong else 8) or TEMPLATE.fullmatch(value) or value.startswith("$") or after in ("(", "["):
        return False
    if match["op"].strip() in ("is", "was"):
        return re.search(r"\d", value) is not None
    line = text.rfind("\n", 0, match.start()) + 1
    shown = _NUMBERED.match(text, line, match.start())
    line = shown.end() if shown else line
    before = _NAME_BEFORE.search(text, max(line, match.start() - 80), match.start())
    first = before.start() if before else match.start()
    name = text[first : match.end("close")]
    opens = _LINE_START.fullmatch(text, line, first) is not None
    alone = opens and not text[bare.end() : min(_line_end(text, bare.end()), bare.end() + 100)].strip(" \t\r")
    tight = match["op"] == "="
    if tight and strong and _MIXED_CASE.match(value):
        return True  # perhaps the name of a file: password=VALUE.txt
    if tight and (name == name.upper() or name.startswith("--") or (alone and text[line : line + 3].strip("+- \t"))):
        return True  # NAME=value of a shell or a settings file, --name=value of a command
    if strong and alone and (settings or match["op"].lstrip().startswith(":")):
        word = value.rstrip("?!").lower()  # a key and a value of YAML, or a field and its type
        return word not in _TYPES and not re.fullmatch(r"[A-Z][a-z]+(?:[A-Z][A-Za-z]*)?", value)
    if _EXPRESSION.fullmatch(value) or re.fullmatch(r"[\d._+*/%-]+", value):
        return False
    return re.search(r"\d", value) is not None or strong


def _line_end(text: str, position: int) -> int:
    end = text.find("\n", position)
    return end if end >= 0 else len(text)
