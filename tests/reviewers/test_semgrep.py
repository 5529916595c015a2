"""Semgrep, by its recorded output; it is too large to be installed for tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from selfreview.api import Category, ReviewerStatus
from selfreview.errors import ToolError
from selfreview.model.change import ChangedFile, FileStatus
from selfreview.reviewers.semgrep import SemgrepReviewer
from tests.reviewers.fakes import key, only, opened, printer, program, run

RULES = {".semgrep.yml": "rules: []\n"}
FILES = {"a.py": "ä = '😀'; eval(x)\n", "b.txt": "b\n"}


def match(**extra: Any) -> dict[str, Any]:
    """Make a match as semgrep prints it."""
    return {
        "check_id": "no-eval",
        "path": "a.py",
        "start": {"line": 1, "col": 14, "offset": 13},
        "end": {"line": 1, "col": 21, "offset": 20},
        "extra": {"message": "eval is bad", "severity": "ERROR", "metadata": {}, **extra},
    }


def document(*results: Any, errors: Any = (), scanned: Any = ("a.py", "b.txt")) -> dict[str, Any]:
    """Make a whole report."""
    return {"version": "1", "results": list(results), "errors": list(errors), "paths": {"scanned": list(scanned)}}


def semgrep(folder: Path, *results: Any, status: int = 0, **extra: Any) -> SemgrepReviewer:
    """Make a reviewer whose semgrep prints a report."""
    return SemgrepReviewer(printer(folder, document(*results, **extra), status))


def test_takes_every_regular_file() -> None:
    assert SemgrepReviewer().selects(ChangedFile(path="any/thing"))
    assert not SemgrepReviewer().selects(ChangedFile(path="a", status=FileStatus.DELETED))
    assert not SemgrepReviewer().selects(ChangedFile(path="a", new_mode="120000"))


def test_without_rules_of_the_repository_it_has_nothing_to_say(tmp_path: Path) -> None:
    reviewer = semgrep(tmp_path, match())
    said = run(reviewer, FILES)
    assert (said.status, said.error) == (ReviewerStatus.NOT_APPLICABLE, "the repository has no rules for it")
    assert key(reviewer, FILES) is None


def test_with_rules_and_no_program_the_review_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("selfreview.reviewers.tools.program.find_program", lambda name: None)
    review = run(SemgrepReviewer(), FILES, others=RULES)
    assert (review.status, review.hint) == (ReviewerStatus.SKIPPED, "pip install semgrep")


def test_a_match_is_a_finding_and_columns_count_bytes(tmp_path: Path) -> None:
    found = only(run(semgrep(tmp_path, match()), FILES, others=RULES), "no-eval")
    assert (found.file, found.line_start, found.description) == ("a.py", 1, "eval is bad")
    assert FILES["a.py"][(found.column or 0) - 1 :].startswith("eval(x)")


def test_one_that_the_code_suppresses_is_none(tmp_path: Path) -> None:
    assert run(semgrep(tmp_path, match(is_ignored=True)), FILES, others=RULES).findings == []


@pytest.mark.parametrize(
    ("severity", "expected"),
    [("ERROR", "high"), ("WARNING", "medium"), ("INFO", "low"), ("CRITICAL", "critical"), ("odd", "medium")],
)
def test_severities(tmp_path: Path, severity: str, expected: str) -> None:
    assert only(run(semgrep(tmp_path, match(severity=severity)), FILES, others=RULES), "no-eval").severity == expected


@pytest.mark.parametrize(
    ("metadata", "category"),
    [
        ({"category": "security"}, Category.SECURITY),
        ({"category": "performance"}, Category.PERFORMANCE),
        ({"category": ["security"]}, Category.LOGIC),
        ({}, Category.LOGIC),
    ],
)
def test_categories(tmp_path: Path, metadata: Any, category: Category) -> None:
    review = run(semgrep(tmp_path, match(metadata=metadata)), FILES, others=RULES)
    assert only(review, "no-eval").category is category


def test_files_that_no_rule_looked_at_do_not_count_as_reviewed(tmp_path: Path) -> None:
    review = run(semgrep(tmp_path, match(), scanned=["a.py"]), FILES, others=RULES)
    assert (review.not_applicable, review.unreviewed) == (["b.txt"], {})


@pytest.mark.parametrize(
    ("level", "unreviewed", "not_applicable"), [("warn", {}, ["a.py"]), ("error", {"a.py": "out of time"}, [])]
)
def test_a_file_that_it_could_not_read(
    tmp_path: Path, level: str, unreviewed: dict[str, str], not_applicable: list[str]
) -> None:
    problem = {"level": level, "message": "out of\ntime", "path": "a.py", "type": ["PartialParsing", []]}
    review = run(semgrep(tmp_path, errors=[problem]), FILES, others=RULES)
    assert (review.unreviewed, review.not_applicable) == (unreviewed, not_applicable)


def test_rules_that_it_cannot_read_are_a_failure(tmp_path: Path) -> None:
    problem = {"level": "error", "message": "invalid configuration", "type": "SemgrepError"}
    with pytest.raises(ToolError, match="invalid configuration"):
        run(semgrep(tmp_path, errors=[problem], status=7), FILES, others=RULES)


def test_how_it_is_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEMGREP_APP_TOKEN", "token")
    body = (
        f"said = {document()!r}\nsaid['results'] = []\n"
        f"open({str(tmp_path / 'said')!r}, 'w').write(json.dumps([sys.argv[1:], dict(os.environ), os.listdir()]))\n"
        "print(json.dumps(said))"
    )
    with opened({"-x.py": "x\n"}, others={**RULES, ".semgrep/a.yml": "rules: []\n"}) as context:
        (tmp_path / ".semgrep").mkdir()
        context.config.root = tmp_path
        under_review = str(context.tree() / "-x.py")
        SemgrepReviewer(program(tmp_path, body)).review(context.change.files, context)
    arguments, environment, listing = json.loads((tmp_path / "said").read_text())
    assert arguments[-4:] == ["--config=.semgrep", "--config=.semgrep.yml", "--", under_review]
    assert {"scan", "--metrics=off", "--disable-version-check", "--json"} <= set(arguments)
    assert "SEMGREP_APP_TOKEN" not in environment
    assert not Path(environment["HOME"]).exists()
    assert sorted(listing) == [".semgrep", ".semgrep.yml"]


def test_the_key_covers_the_rules(tmp_path: Path) -> None:
    reviewer = semgrep(tmp_path)
    keys = {key(reviewer, FILES, others={".semgrep.yml": text}) for text in ("rules: []\n", "rules: [1]\n")}
    (tmp_path / ".semgrep").mkdir()
    for name in ("a.yml", "b.yml"):
        with opened(FILES, others={f".semgrep/{name}": "rules: []\n"}) as context:
            context.config.root = tmp_path
            keys.add(reviewer.cache_key(context))
    assert len(keys) == 4
    assert None not in keys
