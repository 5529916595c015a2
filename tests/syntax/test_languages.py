"""Which language a file is in."""

from __future__ import annotations

import pytest
from ast_grep_py import SgRoot

from selfreview.syntax.languages import EXTENSIONS, FILE_NAMES, FOLDERS, language_of


@pytest.mark.parametrize("language", sorted(FOLDERS))
def test_the_parser_knows_every_language(language: str) -> None:
    assert SgRoot("", language).root().is_named()


def test_names_and_extensions_lead_to_languages_with_rules() -> None:
    assert {*EXTENSIONS.values(), *FILE_NAMES.values()} == set(FOLDERS)


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("a.py", "python"),
        ("src/A.PY", "python"),
        ("a/b.tsx", "tsx"),
        ("lib/Rakefile", "ruby"),
        ("include/a.h", "cpp"),
        (".envrc", "bash"),
        ("a.test.ts", "typescript"),
        ("py", None),
        (".py", None),
        ("a.py/readme", None),
        ("a.sql", None),
        ("Dockerfile", None),
        ("\udcff.py", "python"),
        ("", None),
    ],
)
def test_a_language_is_told_by_the_name(path: str, language: str | None) -> None:
    assert language_of(path) == language
