"""Ruff's rules: which look for bugs, how bad they are, and which cannot be believed here."""

from __future__ import annotations

import re

from selfreview.api import Category, Severity

SYNTAX_ERROR = "invalid-syntax"
READ_ERROR = "E902"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


HIGH_RULES = _words(
    """
    F404 F406 F407 F501 F502 F503 F505 F506 F507 F508 F509 F521 F524 F525 F601 F621 F622 F633 F701 F702 F704 F706 F707
    F821 F822 F823
    PLE0100 PLE0101 PLE0115 PLE0117 PLE0118 PLE0237 PLE0241 PLE0302 PLE0303 PLE0304 PLE0305 PLE0307 PLE0308 PLE0309
    PLE0604 PLE0605 PLE0643 PLE0704 PLE1132 PLE1142 PLE1205 PLE1206 PLE1300 PLE1307 PLE1507 PLE1519 PLE1520 PLE1700
    B003 B016 B030 PLW1501 RUF016
    """
)
"""Fails, or does something else than it says, whenever it runs."""

MEDIUM_RULES = _words(
    """
    F402 F502 F602 F631 F632 F634 F811 F901
    B002 B005 B006 B012 B015 B017 B018 B020 B023 B025 B029 B031 B032 B035 B039
    E711 PLE1310 PLW0127 PLW0129 PLW0133 PLW0177 PLW0245 PLW0406 PLW0711 PLW2101
    RUF008 RUF024 RUF030 RUF049 RUF060 RUF068
    """
)
"""Very likely a mistake."""

SECURITY_RULES: dict[str, Severity] = {
    "S501": Severity.HIGH,  # a request without certificate validation
    "S502": Severity.MEDIUM,  # an SSL version that is broken
    "S506": Severity.HIGH,  # yaml.load that builds any object
    "S507": Severity.HIGH,  # SSH without host key verification
    "S302": Severity.MEDIUM,  # marshal.loads
    "S306": Severity.MEDIUM,  # tempfile.mktemp
    "S323": Severity.MEDIUM,  # an unverified SSL context
    "S201": Severity.MEDIUM,  # Flask with debug=True
    "S602": Severity.MEDIUM,  # subprocess with shell=True
    "S604": Severity.MEDIUM,
    "S605": Severity.MEDIUM,  # os.system with what is not a constant
    "S608": Severity.MEDIUM,  # SQL made of strings
    "S612": Severity.MEDIUM,
    "S701": Severity.MEDIUM,  # Jinja without autoescaping
}
"""Security rules whose alarms are mostly right."""

CURATED = tuple(sorted(HIGH_RULES | MEDIUM_RULES | SECURITY_RULES.keys()))
"""What is looked for where the repository makes no selection of its own."""

UNRELIABLE = {
    "I001": "import sorting depends on modules that are not in the workspace",
    "INP001": "package markers are not in the workspace",
    "RUF100": "whether a noqa comment is used depends on the whole selection",
}
"""Rules that are dropped, and why."""

OLD_PYTHON_NAMES = _words(
    "unicode basestring xrange raw_input unichr long reduce cmp file execfile reload intern apply buffer coerce"
)
"""Built-ins of Python 2; code that runs on both guards them by a version check that ruff does not follow."""

_CATEGORIES: tuple[tuple[str, Category], ...] = (
    ("S1", Category.SECURITY), ("S2", Category.SECURITY), ("S3", Category.SECURITY), ("S4", Category.SECURITY),
    ("S5", Category.SECURITY), ("S6", Category.SECURITY), ("S7", Category.SECURITY),
    ("PERF", Category.PERFORMANCE), ("PT", Category.TESTING), ("D", Category.DOCUMENTATION),
    ("F", Category.LOGIC), ("B", Category.LOGIC), ("PLE", Category.LOGIC), ("PLW", Category.LOGIC),
    ("ASYNC", Category.LOGIC), ("RUF", Category.LOGIC), ("E9", Category.LOGIC), ("invalid-syntax", Category.LOGIC),
)  # fmt: skip
"""Category by prefix; the first that fits, else style."""


def category(rule: str) -> Category:
    """Return a rule's category."""
    return next((found for prefix, found in _CATEGORIES if re.match(rf"{prefix}(\d|$)", rule)), Category.STYLE)


def severity(rule: str) -> Severity:
    """Return a rule's severity; what the repository selects besides bug rules is a suggestion or, for logic, low."""
    if rule in SECURITY_RULES:
        return SECURITY_RULES[rule]
    if rule in HIGH_RULES or rule in (SYNTAX_ERROR, READ_ERROR):
        return Severity.HIGH
    if rule in MEDIUM_RULES:
        return Severity.MEDIUM
    quiet = category(rule) in (Category.STYLE, Category.DOCUMENTATION)
    return Severity.SUGGESTION if quiet else Severity.LOW
