"""Comments that tell a checker to look away."""

from __future__ import annotations

import collections
import re
from collections.abc import Iterator

from selfreview.loop.guard.model import Rejection
from selfreview.loop.guard.patch import Patch

_BLANKET = 100
"""Weight of a mark that names no rule: naming one instead is less, dropping the names is more."""
_KINDS = tuple(
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        ("noqa", r"#\s*(?:ruff\s*:\s*|flake8\s*[:=]\s*)?noqa\b(?P<rules>\s*:\s*[A-Z]+[0-9]+(?:[,\s]+[A-Z]+[0-9]+)*)?"),
        ("nosec", r"(?:#|//)\s*nosec\b(?P<rules>[:\s]+[BG][0-9]{3}(?:[,\s]+[BG][0-9]{3})*)?"),
        ("nosemgrep", r"(?:#|//)\s*nosem(?:grep)?\b(?P<rules>\s*:\s*[\w.-]+(?:[,\s]+[\w.-]+)*)?"),
        ("type: ignore", r"#\s*(?:type|ty)\s*:\s*ignore\b(?P<rules>\[[^\]\n]*\])?"),
        ("pyright: ignore", r"#\s*(?:pyright|pyrefly|mypy)\s*:\s*(?:ignore\b(?P<rules>\[[^\]\n]*\])?|ignore-errors"
                            r"|basic)"),
        ("no_type_check", r"@(?:typing\.)?no_type_check\b"),
        ("pylint: disable", r"#\s*pylint\s*:\s*(?:disable"
                            r"|skip-file)(?:-next)?(?P<rules>\s*=\s*[\w-]+(?:\s*,\s*[\w-]+)*)?"),
        ("eslint-disable", r"(?:eslint|oxlint|tslint)[-:]disable(?:-next-line"
                           r"|-line)?\b(?P<rules>[ \t]+[\w@/-]+(?:\s*,\s*[\w@/-]+)*)?"),
        ("biome-ignore", r"(?:biome|rome|prettier|stylelint|istanbul|c8|v8)[ -](?:ignore|disable)\b"),
        ("@ts-ignore", r"@ts-(?:ignore|expect-error|nocheck)\b"),
        ("nolint", r"(?://\s*nolint|NOLINT(?:NEXTLINE|BEGIN)?)\b(?P<rules>\s*[:(]\s*[\w.-]+(?:\s*,\s*[\w.-]+)*)?"),
        ("#[allow]", r"#!?\[\s*(?:allow|expect)\s*\((?P<rules>[^)]*)\)|cfg_attr\([^)]*allow\("),
        ("@SuppressWarnings", r"@Suppress(?:Warnings|FBWarnings|Lint)?\s*\((?P<rules>[^)]*)\)"
                              r"|#pragma\s+warning\s+disable"),
        ("SuppressMessage", r"\[(?:assembly:\s*)?SuppressMessage\b|@phpstan-ignore|@psalm-suppress|phpcs:(?:ignore"
                            r"|disable)|@codingStandardsIgnore"),
        ("NOSONAR", r"\bNOSONAR\b|\bNOPMD\b|\bCHECKSTYLE[:.]OFF\b"),
        ("rubocop:disable", r"#\s*(?:rubocop|standard|reek)\s*:\s*(?:disable"
                            r"|todo)\b(?P<rules>\s+[\w/]+(?:\s*,\s*[\w/]+)*)?|:nocov:"),
        ("selfreview: ignore", r"selfreview\s*:\s*ignore\b(?P<rules>\[[^\]\n]*\])?"),
        ("no cover", r"pragma\s*:\s*no\s*(?:cover|branch|mutate)|LCOV_EXCL|istanbul ignore|coverage:ignore"
                     r"|@codeCoverageIgnore"),
        ("fmt: off", r"#\s*(?:fmt\s*:\s*(?:off|skip)|yapf\s*:\s*disable|isort\s*:\s*skip|autopep8\s*:\s*off)"
                     r"|clang-format off"),
        ("shellcheck disable", r"#\s*shellcheck\s+disable\b(?P<rules>\s*=\s*\w+(?:\s*,\s*\w+)*)?"
                               r"|hadolint\s+(?:global\s+)?ignore\b"),
        ("gitleaks:allow", r"(?:gitleaks|betterleaks)\s*:\s*allow|pragma:\s*allowlist\s+secret"),
        ("markdownlint-disable", r"markdownlint-(?:disable|configure)\S*"),
        ("zizmor: ignore", r"#\s*(?:zizmor|yamllint|ansible-lint|checkov|tfsec|trivy|kics)\s*:\s*(?:ignore|skip"
                           r"|disable)"),
    )
)  # fmt: skip
_IN_PROSE = frozenset({"selfreview: ignore", "markdownlint-disable"})
_PROSE = (".md", ".rst", ".txt", ".adoc")
"""Files that may speak of marks, which mean nothing there but for a few."""
_SEPARATOR = re.compile(r"[\w@/.-]+")


def suppression(patch: Patch) -> Iterator[Rejection]:
    """Reject a file that silences more than before; marks on lines that came from another file do not count."""
    gone = sum((_lines(file.old_text) - _lines(file.new_text) for file in patch.files), collections.Counter[str]())
    for file in patch.files:
        kept = _without(file.new_text, (_lines(file.new_text) - _lines(file.old_text)) & gone)
        old, new = _weigh(file.old_text), _weigh(kept)
        more = sorted(
            name
            for name, weight in new.items()
            if weight > old[name] and (name in _IN_PROSE or not file.path.endswith(_PROSE))
        )
        if more:
            reason = f"Fix what is reported instead of silencing it: take out the new {more[0]}."
            yield Rejection(file.path, "suppression", reason)


def _weigh(text: str) -> dict[str, int]:
    weights: dict[str, int] = collections.Counter()
    for name, pattern in _KINDS:
        for match in pattern.finditer(text):
            rules = match.groupdict().get("rules")
            weights[name] += len(_SEPARATOR.findall(rules)) if rules else _BLANKET
    return weights


def _lines(text: str) -> collections.Counter[str]:
    found = (line.strip() for line in text.split("\n"))
    return collections.Counter(line for line in found if any(pattern.search(line) for _, pattern in _KINDS))


def _without(text: str, moved: collections.Counter[str]) -> str:
    if not moved:
        return text
    kept, left = [], moved.copy()
    for line in text.split("\n"):
        if left[line.strip()] > 0:
            left[line.strip()] -= 1
        else:
            kept.append(line)
    return "\n".join(kept)
