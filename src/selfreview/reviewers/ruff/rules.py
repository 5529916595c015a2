"""Ruff's JSON as findings, and the table of its rules that find bugs, with the severity and the consequence of each."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import msgspec

from selfreview.api import Category, Edit, Finding, RuleExample, RuleInfo, Severity, SourceText
from selfreview.errors import ToolError
from selfreview.proc import Runner

_HIGH, _MEDIUM, _LOW = Severity.HIGH, Severity.MEDIUM, Severity.LOW

SYNTAX_ERROR = "invalid-syntax"
READ_ERROR = "E902"
INVALID_ENCODING = "invalid-encoding"
OTHER_ENCODING = "other-encoding"

BUGS: dict[str, tuple[Severity, str]] = {
    # Fails whenever it runs.
    "F404": (_HIGH, "A SyntaxError: __future__ imports come first"),
    "F406": (_HIGH, "A SyntaxError"),
    "F407": (_HIGH, "A SyntaxError"),
    "F501": (_HIGH, "A ValueError when it is formatted"),
    "F502": (_HIGH, "A TypeError when it is formatted"),
    "F503": (_HIGH, "A TypeError when it is formatted"),
    "F505": (_HIGH, "A KeyError when it is formatted"),
    "F506": (_HIGH, "A TypeError or ValueError when it is formatted"),
    "F507": (_HIGH, "A TypeError when it is formatted"),
    "F508": (_HIGH, "A TypeError when it is formatted"),
    "F509": (_HIGH, "A ValueError when it is formatted"),
    "F521": (_HIGH, "A ValueError when it is formatted"),
    "F524": (_HIGH, "An IndexError or KeyError when it is formatted"),
    "F525": (_HIGH, "A ValueError when it is formatted"),
    "F621": (_HIGH, "A SyntaxError"),
    "F622": (_HIGH, "A SyntaxError"),
    "F633": (_HIGH, "A TypeError when it runs"),
    "F701": (_HIGH, "A SyntaxError"),
    "F702": (_HIGH, "A SyntaxError"),
    "F704": (_HIGH, "A SyntaxError"),
    "F706": (_HIGH, "A SyntaxError"),
    "F707": (_HIGH, "A SyntaxError"),
    "F821": (_HIGH, "A NameError when this runs"),
    "F823": (_HIGH, "An UnboundLocalError when this runs"),
    "PLE0100": (_HIGH, "A TypeError when an instance is made"),
    "PLE0101": (_HIGH, "A TypeError when an instance is made"),
    "PLE0115": (_HIGH, "A SyntaxError"),
    "PLE0117": (_HIGH, "A SyntaxError"),
    "PLE0118": (_HIGH, "A SyntaxError"),
    "PLE0237": (_HIGH, "An AttributeError when it is assigned"),
    "PLE0241": (_HIGH, "A TypeError when the class is made"),
    "PLE0303": (_HIGH, "A TypeError when it is called"),
    "PLE0304": (_HIGH, "A TypeError when it is called"),
    "PLE0305": (_HIGH, "A TypeError when it is called"),
    "PLE0307": (_HIGH, "A TypeError when it is called"),
    "PLE0308": (_HIGH, "A TypeError when it is called"),
    "PLE0309": (_HIGH, "A TypeError when it is called"),
    "PLE0604": (_HIGH, "A star import of this module fails"),
    "PLE1132": (_HIGH, "A TypeError when it is called"),
    "PLE1142": (_HIGH, "A SyntaxError"),
    "PLE1300": (_HIGH, "A ValueError when it is formatted"),
    "PLE1307": (_HIGH, "A TypeError when it is formatted"),
    "PLE1507": (_HIGH, "A TypeError when it runs"),
    "PLE1700": (_HIGH, "A SyntaxError"),
    "B016": (_HIGH, "A TypeError instead of the exception that was meant"),
    "B030": (_HIGH, "A TypeError when an exception arrives here"),
    "PLW1501": (_HIGH, "A ValueError when it runs"),
    "RUF016": (_HIGH, "A TypeError when it runs"),
    # Does something else than it says; very likely a mistake.
    "F402": (_MEDIUM, "The import cannot be used after the loop"),
    "F601": (_MEDIUM, "The last value wins and the others are lost"),
    "F602": (_MEDIUM, "The last value wins and the others are lost"),
    "F631": (_MEDIUM, "The assertion can never fail"),
    "F632": (_MEDIUM, "Identity of a literal depends on the interpreter; == was meant"),
    "F634": (_MEDIUM, "The condition is always true"),
    "F811": (_MEDIUM, "The first definition is lost"),
    "F822": (_MEDIUM, "A star import of this module fails"),
    "F901": (_MEDIUM, "A TypeError instead of NotImplementedError"),
    "B002": (_MEDIUM, "Python has no increment operator: this does nothing"),
    "B003": (_MEDIUM, "The process's environment does not change"),
    "B005": (_MEDIUM, "It strips any of these characters, not the whole text"),
    "B006": (_MEDIUM, "All calls share one object, so what one call adds the next one sees"),
    "B012": (_MEDIUM, "An exception on its way out is swallowed"),
    "B015": (_MEDIUM, "The result is thrown away; an assert or an assignment was meant"),
    "B017": (_MEDIUM, "The test passes on any error, a misspelt name included"),
    "B022": (_MEDIUM, "Nothing is suppressed"),
    "B023": (_MEDIUM, "When it is called after the loop, it sees the last value"),
    "B025": (_MEDIUM, "The second handler never runs"),
    "B029": (_MEDIUM, "Nothing is caught"),
    "B032": (_MEDIUM, "Nothing is assigned"),
    "B034": (_MEDIUM, "The flags are taken for a count"),
    "B035": (_MEDIUM, "Every round overwrites the same key"),
    "B039": (_MEDIUM, "All contexts share one object"),
    "PIE794": (_MEDIUM, "The first value is lost"),
    "PLE0302": (_MEDIUM, "A TypeError when Python calls it"),
    "PLE0605": (_MEDIUM, "A star import of this module fails"),
    "PLE0643": (_MEDIUM, "An IndexError when this runs"),
    "PLE1205": (_MEDIUM, "The message is lost: logging prints a formatting error instead"),
    "PLE1206": (_MEDIUM, "The message is lost: logging prints a formatting error instead"),
    "PLE1310": (_MEDIUM, "It strips any of these characters, not the whole text"),
    "PLE1519": (_MEDIUM, "It dispatches on self; singledispatchmethod was meant"),
    "PLE1520": (_MEDIUM, "It does not work on a plain function; singledispatch was meant"),
    "PLW0128": (_MEDIUM, "The first value is lost"),
    "PLW0129": (_MEDIUM, "The assertion does not depend on the code under test"),
    "PLW0133": (_MEDIUM, "The exception is made and thrown away; raise was meant"),
    "PLW0177": (_MEDIUM, "NaN equals nothing, so the result never changes"),
    "PLW0245": (_MEDIUM, "An AttributeError when it runs"),
    "PLW0711": (_MEDIUM, "Only one of the exceptions is caught"),
    "PLW1507": (_MEDIUM, "A change of the copy changes the process's environment"),
    "PLW2101": (_MEDIUM, "Every thread locks a lock of its own"),
    "RUF006": (_MEDIUM, "The task may be collected before it has finished"),
    "RUF008": (_MEDIUM, "All instances share one object"),
    "RUF024": (_MEDIUM, "All keys share one object"),
    "RUF030": (_MEDIUM, "print() returns None, so the message is lost"),
    "RUF040": (_MEDIUM, "A comma instead of a comparison: the assertion does not compare"),
    "RUF049": (_MEDIUM, "The members lose their values"),
    "RUF060": (_MEDIUM, "The result never changes"),
    "RUF064": (_MEDIUM, "Decimal digits give quite other permissions; an octal literal was meant"),
    "SIM222": (_MEDIUM, "The condition never changes"),
    "SIM223": (_MEDIUM, "The condition never changes"),
    "ASYNC210": (_MEDIUM, "Everything else on the event loop waits meanwhile"),
    "ASYNC251": (_MEDIUM, "Everything else on the event loop waits meanwhile"),
    # Worth a look.
    "B018": (_LOW, "A call or an assignment may have been meant"),
    "B020": (_LOW, "The iterable is lost after the loop"),
    "B031": (_LOW, "A group can be read only once"),
    "E711": (_LOW, "__eq__ may answer anything; identity was meant"),
    "E713": (_LOW, "It reads as (not x) in y"),
    "E714": (_LOW, "It reads as (not x) is y"),
    "F541": (_LOW, "A placeholder may have been forgotten"),
    "F841": (_LOW, "A use may have been forgotten"),
    "LOG004": (_LOW, "Outside of a handler there is no exception to log"),
    "PLE0704": (_LOW, "A RuntimeError when no exception is being handled"),
    "PLW0127": (_LOW, "It does nothing"),
    "PLW1508": (_LOW, "The type differs with and without the variable"),
    "RUF059": (_LOW, "A use may have been forgotten"),
    "RUF068": (_LOW, "One of them may have been meant to be another name"),
    "W605": (_LOW, "A SyntaxWarning now, an error in a later Python"),
    # Security rules whose alarms are mostly right.
    "S201": (_MEDIUM, "Anyone who reaches an error page runs code"),
    "S306": (_MEDIUM, "Someone else can create the file first"),
    "S323": (_MEDIUM, "Anyone in between can read and change the traffic"),
    "S501": (_HIGH, "Anyone in between can read and change the traffic"),
    "S502": (_MEDIUM, "The protocol is broken"),
    "S506": (_HIGH, "A document can make any object and run code"),
    "S507": (_HIGH, "Anyone in between can take over the session"),
    "S602": (_MEDIUM, "What reaches the command line can run commands"),
    "S604": (_LOW, "What reaches the command line can run commands"),
    "S605": (_MEDIUM, "What reaches the command line can run commands"),
    "S608": (_MEDIUM, "What reaches the statement can change it; pass parameters instead"),
    "S612": (_MEDIUM, "Anyone who reaches the port runs code"),
    "S701": (_MEDIUM, "What users write becomes markup"),
}
"""Severity and consequence of each rule that looks for bugs; medium and above block by default."""

CURATED = tuple(sorted(BUGS))
"""Rules that are selected where the repository makes no selection of its own."""

UNRELIABLE = {
    "A005": "a module's full name depends on package markers that are not in the workspace",
    "EXE001": "file modes are not in the workspace",
    "EXE002": "file modes are not in the workspace",
    "I001": "which modules are first party depends on files that are not in the workspace",
    "INP001": "package markers are not in the workspace",
    "PLW0406": "a module's full name depends on package markers that are not in the workspace",
    "RUF200": "it checks pyproject.toml, which is there only as configuration",
    "TC001": "which modules are first party depends on files that are not in the workspace",
    "TC002": "which modules are first party depends on files that are not in the workspace",
    "TC003": "which modules are first party depends on files that are not in the workspace",
}
"""Rules that are dropped, and why."""

_CATEGORIES = (
    (r"S\d", Category.SECURITY),
    (r"(PERF|ASYNC)\d", Category.PERFORMANCE),
    (r"PT\d|(F631|B017)$", Category.TESTING),
    (r"D\d", Category.DOCUMENTATION),
    (rf"(F|B|PLE|PLW|RUF|E9|LOG|SIM22|PIE79)\d|{SYNTAX_ERROR}", Category.LOGIC),
)
"""Category by the start of the rule; the first that fits, else style."""


def category(rule: str) -> Category:
    """Return a rule's category."""
    return next((found for start, found in _CATEGORIES if re.match(start, rule)), Category.STYLE)


def severity(rule: str) -> Severity:
    """Return a rule's severity; what the repository selects besides bug rules does not block."""
    if rule in BUGS:
        return BUGS[rule][0]
    if rule == SYNTAX_ERROR:
        return Severity.HIGH
    quiet = category(rule) in (Category.STYLE, Category.DOCUMENTATION)
    return Severity.SUGGESTION if quiet else Severity.LOW


def description(rule: str, message: str) -> str:
    """Return a message with its consequence, where the table has one."""
    if rule not in BUGS:
        return message
    text = message.strip()
    return f"{text}{'' if text.endswith(('.', '?')) else '.'} {BUGS[rule][1]}."


class Location(msgspec.Struct, frozen=True):
    """A place: both count from 1, columns in code points."""

    row: int
    column: int


class RuffEdit(msgspec.Struct, frozen=True):
    """One replacement."""

    content: str | None
    location: Location
    end_location: Location


class Fix(msgspec.Struct, frozen=True):
    """A fix with ruff's own opinion of it."""

    applicability: str
    message: str | None
    edits: list[RuffEdit]


class Diagnostic(msgspec.Struct, frozen=True):
    """Diagnostic of ruff; the code is None for a rule that has only a name."""

    code: str | None
    filename: str
    location: Location
    end_location: Location
    message: str
    fix: Fix | None = None
    name: str | None = None
    severity: str | None = None

    @property
    def rule(self) -> str:
        """The code or, for a rule without one, the name."""
        return self.code or self.name or "unknown"


def decode(output: bytes) -> list[Diagnostic]:
    """Decode what ruff prints.

    Raises:
        ToolError: If it is not one whole JSON document of ruff's shape.
    """
    try:
        return msgspec.json.decode(output, type=list[Diagnostic])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ToolError(f"ruff printed something that is not its JSON: {error}") from error


def make_finding(diagnostic: Diagnostic, path: str, lines: PositionMap) -> Finding:
    """Make a finding of a diagnostic."""
    fix, rule = diagnostic.fix, diagnostic.rule
    line, column = lines.position(diagnostic.location.row, diagnostic.location.column)
    end_line, end_column = lines.position(diagnostic.end_location.row, diagnostic.end_location.column)
    if end_column == 1 and end_line > line:
        end_line -= 1  # it ends before that line
    return Finding(
        file=path,
        line_start=line,
        line_end=max(line, end_line),
        column=column,
        severity=severity(rule),
        category=category(rule),
        description=description(rule, diagnostic.message),
        rule=rule,
        suggested_fix=fix.message if fix else None,
        edits=tuple(_edit(edit, lines) for edit in fix.edits) if fix and fix.applicability == "safe" else (),
    )


def _edit(edit: RuffEdit, lines: PositionMap) -> Edit:
    line, column = lines.position(edit.location.row, edit.location.column)
    end_line, end_column = lines.position(edit.end_location.row, edit.end_location.column)
    return Edit(
        line_start=line,
        column_start=column - 1,
        line_end=end_line,
        column_end=end_column - 1,
        replacement=edit.content or "",
    )


_LONE_RETURN = re.compile(r"\r(?!$)")


class _Start(NamedTuple):
    line: int
    offset: int


class PositionMap:
    """Translates positions in one file.

    Args:
        text: The file as we split it.
    """

    def __init__(self, text: SourceText) -> None:
        self._starts: list[_Start] | None = None
        if any(_LONE_RETURN.search(line) for line in text.lines):
            self._starts = [
                _Start(number, offset)
                for number, line in enumerate(text.lines, 1)
                for offset in (0, *(match.end() for match in _LONE_RETURN.finditer(line)))
            ]

    def position(self, row: int, column: int) -> tuple[int, int]:
        """Return our line and column, both from 1, of a row and column of ruff's."""
        if self._starts is None or not 1 <= row <= len(self._starts):
            return row, column
        start = self._starts[row - 1]
        return start.line, start.offset + column


# --- its own list of its rules ---------------------------------------------------------------------------------------

_SECONDS = 30.0
_DOCS = "https://docs.astral.sh/ruff/rules/"
_SECTION = re.compile(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
_HOLE = re.compile(r"`?\{[^{}`]*\}`?")
"""Stands in a message for what differs from finding to finding."""
_FOLDED = re.compile(r"(?<!\n)\n(?![\n\-*`#>|])")
"""Line break within a paragraph."""
_EXAMPLES = ("Example", "Examples")

_OWN = (
    RuleInfo(
        id=INVALID_ENCODING,
        severity=Severity.HIGH,
        category=Category.LOGIC,
        summary="The file is not UTF-8 and declares no other encoding: Python refuses to import it.",
        advice="Save the file as UTF-8, or declare its encoding in the first line.",
        languages=("python",),
    ),
    RuleInfo(
        id=OTHER_ENCODING,
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        summary="Ruff reads UTF-8 alone, so it has not reviewed this file, which declares another encoding.",
        advice="Save the file as UTF-8, and delete the declaration.",
        languages=("python",),
        unreviewed=True,
    ),
    RuleInfo(
        id=SYNTAX_ERROR,
        severity=severity(SYNTAX_ERROR),
        category=category(SYNTAX_ERROR),
        summary="The file is not valid Python.",
        languages=("python",),
    ),
)
"""What the reviewer says without a rule of ruff's."""


class _Listed(msgspec.Struct, frozen=True):
    """One rule in ruff's list."""

    name: str
    code: str | None = None
    summary: str = ""
    explanation: str = ""
    fix_availability: str = "None"


def listed(program: Path) -> list[RuleInfo]:
    """Return the rules that a program of ruff lists, in its order; none where it cannot list them."""
    try:
        done = Runner().run(
            [str(program), "rule", "--all", "--output-format", "json"], cwd=program.parent, timeout=_SECONDS
        )
        found = msgspec.json.decode(done.stdout, type=list[_Listed])
    except (ToolError, msgspec.DecodeError):
        return []
    return [*_OWN, *map(_info, found)]


def _info(rule: _Listed) -> RuleInfo:
    name = rule.code or rule.name
    sections = dict(_SECTION.findall(rule.explanation))
    code = [part for title in _EXAMPLES for part in _CODE.findall(sections.get(title, ""))]
    return RuleInfo(
        id=name,
        severity=severity(name),
        category=category(name),
        summary=_HOLE.sub("…", description(name, rule.summary)),
        why=_FOLDED.sub(" ", sections.get("Why is this bad?", "").strip()) or None,
        languages=("python",),
        bad=tuple(RuleExample("example.py", text) for text in code[:1]),
        good=tuple(RuleExample("example.py", text) for text in code[1:2]),
        tested=False,  # they are about settings, too
        has_fix=rule.fix_availability != "None",
        url=f"{_DOCS}{rule.name}/",
    )
