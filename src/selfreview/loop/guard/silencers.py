"""Suppression comments, which tell a checker to look away, as checkers read them."""

from __future__ import annotations

import re

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
        ("eslint-disable", r"(?:eslint|oxlint|tslint)[-:]disable(?:-next-line"
                           r"|-line)?\b(?P<rules>[ \t]+[\w@/-]+(?:\s*,\s*[\w@/-]+)*)?"),
        ("eslint: off", r"/\*+\s*(?:eslint|oxlint)\s[^*]*?:\s*\[?\s*[\"']?(?:0|off|1|warn)\b|/\*\s*eslint-env\b"),
        ("biome-ignore", r"(?:biome|rome|prettier|stylelint|istanbul|c8|v8|deno-lint|deno-fmt|dprint|jshint|solhint"
                         r"|slither)[ -](?:ignore|disable)\b"),
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
