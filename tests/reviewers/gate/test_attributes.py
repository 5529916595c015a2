"""Attributes that have git check out another text than was reviewed."""

from __future__ import annotations

import pytest

from selfreview.api import Severity
from selfreview.reviewers.gate import GateReviewer
from selfreview.testing.context import MemoryContext

CONFIG = {"baseline": "selfreview-baseline.json", "exclude": [], "max_file_bytes": 2_000_000}
WEIRD = "*.py working-tree-encoding=ASCII//TRANSLIT\n"


def look(old: str | None, new: str | None, path: str = ".gitattributes", *, lenient: bool = False) -> list[Severity]:
    context = MemoryContext({path: (old, new)}, config=CONFIG)
    found = GateReviewer(lenient=lenient).review((), context).findings
    assert {finding.file for finding in found} <= {path}
    return [finding.severity for finding in found if finding.rule == "converted-text"]


@pytest.mark.parametrize(
    "line",
    [
        WEIRD,
        "*.py text working-tree-encoding=UTF-7 eol=lf",
        "  * filter=evil",
        "*\tident",
        "a.py export-subst\r",
        "[attr]x filter=y",
        '"a b" ident',
    ],
)
@pytest.mark.parametrize("path", [".gitattributes", "src/.gitattributes", ".GitAttributes", ".gitattributes "])
def test_what_changes_the_text_is_told(line: str, path: str) -> None:
    assert look(None, line, path) == [Severity.HIGH]
    assert look("*.py text\n", "*.py text\n" + line, path, lenient=True) == [Severity.MEDIUM]


@pytest.mark.parametrize(
    "line",
    [
        "*.psd filter=lfs diff=lfs merge=lfs -text",
        "*.rc working-tree-encoding=UTF-16LE-BOM eol=crlf",
        "*.txt working-tree-encoding=ISO-8859-15",
        "*.bat working-tree-encoding=windows-1252",
        "*.py -filter !ident -working-tree-encoding -export-subst",
        "ident text",
        "* text=auto eol=lf export-ignore",
        "# * filter=evil",
        "*.py linguist-generated identity filters=x",
    ],
)
def test_what_leaves_the_text_alone_is_not(line: str) -> None:
    assert look(None, line) == []
    assert look(None, line, "docs/gitattributes.txt") == []


def test_what_the_base_has_is_not_told_until_it_takes_more_files() -> None:
    assert look(WEIRD, WEIRD + "*.md text\n") == []
    assert look(WEIRD, None) == []
    assert look(WEIRD + "a.py -working-tree-encoding\n", WEIRD) == [Severity.HIGH]
    assert look(WEIRD, WEIRD.replace("*.py", "*")) == [Severity.HIGH]
    assert look(WEIRD, "*.py text\n") == []
