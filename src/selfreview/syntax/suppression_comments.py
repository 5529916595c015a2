"""Suppression comments of all tools as these read them, and the lines that they cover up to their ends."""

from __future__ import annotations

import bisect
import re
from collections.abc import Sequence

# A pattern takes a list that nothing closes as far as it reads: it would else be read again from each place within it.
KINDS = tuple(
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        ("noqa", r"(?:#|--|//|/\*)\s*(?:ruff\s*:\s*|flake8\s*[:=]\s*)?noqa\b"
                 r"(?P<rules>[ \t]*:[ \t]*[A-Z]+[0-9]+(?:[, \t]+[A-Z]+[0-9]+)*)?"),
        ("ruff: ignore", r"#\s*ruff\s*:\s*(?:file-ignore|ignore|disable)\s*(?P<rules>\[[^\]\n]*\]?)"),
        ("nosec", r"(?:#|//|/\*|--)\s*(?:nosec\b|gosec:disable\b)"
                  r"(?P<rules>[: \t]+[BG][0-9]{3}(?:[, \t]+[BG][0-9]{3})*)?"),
        ("nosemgrep", r"\bnosem(?:grep)?\b(?P<rules>[ \t]*:[ \t]*[\w.-]+(?:[ \t]*,[ \t]*[\w.-]+)*)?"),
        ("type: ignore", r"#\s*(?:type|ty)\s*:\s*ignore\b(?P<rules>\[[^\]\n]*\]?)?"),
        ("pyright: ignore", r"#\s*(?:pyright|pyrefly|mypy)\s*:\s*(?:ignore\b(?P<rules>\[[^\]\n]*\]?)?|ignore-errors"
                            r"|(?:strict\s*,\s*)?(?:basic|standard|report\w+\s*=\s*(?!true|\"?error)))"),
        ("mypy: settings", r"#\s*mypy\s*:(?!\s*(?:ignore|strict|disallow|warn|check|enable)[\w-]*(?:\s*=\s*(?:true\b"
                           r"|[\w-]+))?\s*(?:\n|\Z))[^\n]*"),
        ("pyre-ignore", r"#\s*pyre-(?:ignore|fixme|unsafe|ignore-all-errors)\b(?P<rules>\[[^\]\n]*\]?)?"),
        ("pytype: disable", r"#\s*pytype\s*:\s*(?:disable|skip-file)(?P<rules>\s*=\s*[\w-]+(?:\s*,\s*[\w-]+)*)?"),
        ("no_type_check", r"@(?:typing\.)?no_type_check\b"),
        ("pylint: disable", r"#\s*pylint\s*:\s*(?:disable"
                            r"|skip-file)(?:-next)?(?P<rules>\s*=\s*[\w-]+(?:\s*,\s*[\w-]+)*)?"),
        ("eslint-disable", r"(?:eslint|oxlint|(?P<tslint>tslint))[-:]disable(?:-next-line|-line)?\b(?P<rules>(?(tslint)"
                           r"[ \t:]+[\w@/-]+(?:[ \t,]+[\w@/-]+)*|[ \t]+[\w@/-]+(?:\s*,\s*[\w@/-]+)*))?"),
        ("eslint: off", r"/\*+\s*(?:eslint|oxlint)\s[^*]*?:\s*\[?\s*[\"']?(?:0|off|1|warn)\b|/\*\s*eslint-env\b"),
        ("biome-ignore", r"(?:biome|rome|prettier|stylelint|istanbul|c8|v8|deno-lint|deno-fmt|dprint|jshint|solhint"
                         r"|slither)[ -](?:ignore|disable)\b(?:-all|-start)?(?P<rules>[ \t]+lint/[\w/]+)?"),
        ("@ts-ignore", r"@ts-(?:ignore|expect-error|nocheck)\b"),
        ("lint:ignore", r"(?://|#)\s*(?:lint:(?:file-)?ignore|revive:disable|swiftlint:disable|ktlint-disable"
                        r"|credo:disable|buildifier:\s*disable|scala(?:style|fix|fmt):\s*off|luacheck:)"
                        r"[\w:-]*(?P<rules>[ \t=]+[\w./-]+(?:\s*,\s*[\w./-]+)*)?|\bktlint-disable\b"),
        ("suppressed inspection", r"(?:#|//|/\*)\s*noinspection\b(?P<rules>[ \t]+\w+(?:\s*,\s*\w+)*)?|<!--\s*suppress\b"
                                  r"|\b(?:lgtm|codeql|coverity)\s*\[[^\]\n]*\]?|\bskipcq\b|\bdevskim:\s*ignore\b"),
        ("cppcheck-suppress", r"\bcppcheck-suppress\b(?:-\w+)?|#\s*pragma\s+(?:clang|gcc)\s+diagnostic\s+ignored"),
        ("trunk-ignore", r"\b(?:trunk|tflint)-ignore\b[\w-]*(?P<rules>\s*[:(]\s*[\w./-]+(?:\s*,\s*[\w./-]+)*)?"
                         r"|\bkics-scan\s+(?:ignore|disable)[\w-]*"),
        ("sqlfluff: off", r"--\s*sqlfluff\s*:\s*(?:off\b|[\w:]+)"),
        ("nolint", r"(?://\s*nolint|NOLINT(?:NEXTLINE|BEGIN)?)\b(?P<rules>\s*[:(]\s*[\w.-]+(?:\s*,\s*[\w.-]+)*)?"),
        ("#[allow]", r"#!?\[\s*(?:allow|expect)\s*\((?P<rules>[^)]{0,2000})\)?"
                     r"|cfg_attr\s*\((?:(?!cfg_attr)[^\]]){0,2000}?\b(?:allow|expect)\s*\("),
        ("@SuppressWarnings", r"@Suppress(?:Warnings|FBWarnings|Lint)?\s*\((?P<rules>[^)]{0,2000})\)?"
                              r"|#pragma\s+warning\s+disable"),
        ("SuppressMessage", r"\[(?:assembly:\s*)?SuppressMessage\b|@phpstan-ignore|@psalm-suppress|phpcs:(?:ignore"
                            r"|disable)|@codingStandardsIgnore"),
        ("NOSONAR", r"\bNOSONAR\b|\bNOPMD\b|\bCHECKSTYLE[:.]OFF\b"),
        ("rubocop:disable", r"#\s*(?:rubocop|standard|reek)\s*:\s*(?:disable"
                            r"|todo)\b(?P<rules>[ \t]+[\w/]+(?:\s*,\s*[\w/]+)*)?|:nocov:"),
        ("selfreview: ignore", r"selfreview\s*:\s*ignore\b(?P<rules>\[[^\]\n]*\]?)?"),
        ("no cover", r"pragma\s*:\s*no\s*(?:cover|branch|mutate)|LCOV_EXCL|istanbul ignore|coverage:ignore"
                     r"|@codeCoverageIgnore"),
        ("fmt: off", r"#\s*(?:fmt\s*:\s*(?:off|skip)|yapf\s*:\s*disable|isort\s*:\s*skip|autopep8\s*:\s*off)"
                     r"|clang-format off"),
        ("shellcheck disable", r"#\s*shellcheck[ \t](?:(?:(?!#\s*shellcheck)[^\n])*\s)?(?:extended-analysis\s*=\s*false"
                               r"|disable\s*=(?P<rules>[\"']?\w+(?:-\w+)?(?:\s*,\s*\w+(?:-\w+)?)*)?)"),
        ("hadolint ignore", r"#\s*hadolint[ \t](?:(?:(?!#\s*hadolint)[^\n])*\s)?(?:ignore|shell)\s*="
                            r"(?P<rules>\s*\w+(?:\s*,\s*\w+)*)?"),
        ("gitleaks:allow", r"(?:gitleaks|betterleaks)\s*:\s*allow|pragma:\s*(?:allow|white)list(?:\s+nextline)?\s+"
                            r"secret|trufflehog\s*:\s*ignore|\bggignore\b"),
        ("markdownlint-disable", r"markdownlint-(?:disable|configure)\S*"),
        ("zizmor: ignore", r"(?:#|//)\s*(?:zizmor|ansible-lint|checkov|tfsec|trivy|kics)\s*:\s*(?:ignore|skip"
                           r"|disable)(?P<rules>\s*[:=\[]\s*[\w./-]+(?:\s*,\s*[\w./-]+)*)?"),
        ("yamllint disable", r"#\s*yamllint\s*:?\s*disable(?:-line|-file)?"
                             r"(?P<rules>[ \t]+(?:rule:)?[\w-]+(?:[ \t]+rule:[\w-]+)*)?"),
    )
)  # fmt: skip
"""Name and pattern of each kind of suppression comment; the group ``rules`` matches the names that it silences."""

_IN_PROSE = frozenset({"selfreview: ignore", "markdownlint-disable"})
_PROSE = (".md", ".rst", ".txt", ".adoc")
"""Suffixes of prose files, which may mention suppression comments; only a few kinds have effect there."""


def counts(kind: str, path: str, text: str) -> bool:
    """Return whether a kind of suppression comment has effect in a file; prose that begins with ``#!`` is a script."""
    return kind in _IN_PROSE or not path.endswith(_PROSE) or text.removeprefix("\ufeff").startswith("#!")


ENDS = re.compile(
    r"#\s*ruff\s*:\s*enable\b|(?:eslint|oxlint|tslint|stylelint|markdownlint|biome|prettier)-(?:enable|ignore-end)\b"
    r"|tslint:enable\b|\bpylint\s*:\s*enable\b|\bNOLINTEND\b|\bCHECKSTYLE[:.]ON\b|#\s*yamllint\s+enable\b"
    r"|#\s*(?:rubocop|standard)\s*:\s*(?:enable|pop)\b"
    r"|--\s*sqlfluff\s*:\s*on\b|(?:swiftlint|revive|ktlint)[:-]enable\b|phpcs:enable\b|@codingStandardsIgnoreEnd\b"
    r"|#pragma\s+warning\s+restore\b|#\s*pragma\s+(?:clang|gcc)\s+diagnostic\s+pop\b|--\s*noqa\s*:\s*enable\b",
    re.IGNORECASE,
)
"""Ends of suppression comments that cover more than a line."""
_WORD = re.compile(r"[a-z]{4,}", re.IGNORECASE)
_NAME = re.compile(r"[\w@/-]*\w")
_MOST = 20
"""Maximum number of ends examined for a suppression comment."""
_BASE, _PRIME = 1_000_003, (1 << 61) - 1


class Ranges:
    """Finds the lines that the suppression comments of a text cover up to their ends.

    Args:
        lines: The text.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self._ends: dict[str, list[tuple[int, set[str]]]] = {}
        self._sums, self._counts = [0], [0]
        for number, line in enumerate(lines, 1):
            end = ENDS.search(line)
            if end is not None:
                names = set(_NAME.findall(line[end.end() :]))
                self._ends.setdefault(tool_of(end), []).append((number, names))
            text = line.strip()
            self._sums.append((self._sums[-1] * _BASE + hash(text)) % _PRIME if text else self._sums[-1])
            self._counts.append(self._counts[-1] + bool(text))

    def of(self, mark: re.Match[str], last: int) -> range | None:
        """Return the lines from the next after a suppression comment to its end, or None where it has none.

        An end that names other rules is none; nor does ruff take one that is not as far in as the mark.

        Args:
            mark: What the pattern of its kind matched.
            last: Its last line, from 1.
        """
        tool = tool_of(mark)
        ends = self._ends.get(tool, [])
        names = set(_NAME.findall(mark.groupdict().get("rules") or ""))
        at = bisect.bisect(ends, last, key=lambda end: end[0])
        for number, named in ends[at : at + _MOST]:
            apart = names and named and names.isdisjoint(named)
            if not apart and (tool != "ruff" or self._indent(number) == self._indent(last)):
                return range(last + 1, number + 1)
        return None

    def digest(self, lines: range) -> str:
        """Return a digest of the lines that are not blank, independent of their position and indentation."""
        before, to = lines.start - 1, lines.stop - 1
        factor = pow(_BASE, self._counts[to] - self._counts[before], _PRIME)
        return str((self._sums[to] - self._sums[before] * factor) % _PRIME)

    def _indent(self, number: int) -> str:
        line = self.lines[number - 1]
        return line[: len(line) - len(line.lstrip())]


def tool_of(match: re.Match[str]) -> str:
    """Return the beginning of the name of the tool that a suppression comment or its end is for."""
    word = _WORD.search(match.group())
    return word.group().casefold()[:6] if word is not None else ""


_OF_MORE = re.compile(
    r"#!\s*\[|\[\s*assembly\s*:|[#/*<!@;%\s-]*(?:(?:ruff|flake8)\s*[:=]\s*(?:flake8\s*[:=]\s*)?(?:noqa|disable|file-ignore)"
    r"|\w+\s*:\s*skip[-_]file|mypy\s*:|(?:pyright|pyrefly)\s*:\s*+(?!ignore\b(?!-))|pyre-(?:unsafe|ignore-all)"
    r"|(?:pylint|pytype)\s*:\s*disable(?!-next)|(?:eslint|oxlint)\s|eslint-env|markdownlint-configure"
    r"|(?:eslint|oxlint|tslint|stylelint|solhint|slither|markdownlint|phpcs|ktlint|revive)[-:]disable(?![-\w])"
    r"|[\w-]+[-:\s]+(?:ignore|disable|suppress)(?:[-\s]?(?:file|start)|-(?:all|begin))|@?ts-nocheck|lint:file-ignore"
    r"|swiftlint\s*:\s*disable(?!:)|scala\w+\s*:\s*off|credo:disable-for-this-file|luacheck:|NOLINTBEGIN"
    r"|pragma\s+(?:warning|clang|gcc)\s|codingStandardsIgnore(?:Start|File)|codeCoverageIgnoreStart|LCOV_EXCL_START"
    r"|CHECKSTYLE[:.]OFF|(?:rubocop|standard|reek)\s*:\s*(?:disable|todo)|:nocov:|yamllint\s*:?\s*disable(?!-line)"
    r"|(?:fmt|autopep8)\s*:\s*off|yapf\s*:\s*disable|clang-format off|sqlfluff\s*:\s*off|hadolint\s+global"
    r"|kics-scan\s+(?:ignore|disable)(?!-))",
    re.IGNORECASE,
)
"""Beginnings of suppression comments on a line of their own that cover a file, a scope or all lines until an end."""
_OF_THE_NEXT_LINE = re.compile(r"next[-_ ]?line|[-:]next\b", re.IGNORECASE)
_OF_NO_FAULTS = frozenset({"fmt: off", "no cover"})
_OF_A_FORMAT = re.compile(r"prettier|dprint|deno-fmt|istanbul|c8\b|v8\b", re.IGNORECASE)
"""Suppression comments of a format or of coverage, below which code may change: they silence no issue of it."""


def is_of_faults(kind: str, match: re.Match[str]) -> bool:
    """Return whether a suppression comment silences issues of the code, and not of its format or its tests."""
    return kind not in _OF_NO_FAULTS and _OF_A_FORMAT.match(match.group()) is None


def head_of(mark: re.Match[str]) -> str:
    """Return the words of a suppression comment in front of the rules that it names, whose names may hold any word."""
    is_named = mark.groupdict().get("rules") is not None
    return mark.string[mark.start() : mark.start("rules") if is_named else mark.end()]


def is_of_next(mark: re.Match[str]) -> bool:
    """Return whether a suppression comment says that it is about the next line."""
    return _OF_THE_NEXT_LINE.search(head_of(mark)) is not None


def is_of_more(line: str) -> bool:
    """Return whether a suppression comment on a line of its own covers a file, a scope or all lines until an end."""
    return _OF_MORE.match(line.strip()) is not None
