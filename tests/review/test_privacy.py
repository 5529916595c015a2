"""What tools and plugins say, without secrets."""

from __future__ import annotations

import pytest

from selfreview.api import Review, Severity
from selfreview.errors import ToolError
from selfreview.review.privacy import MOST_WORDS, Privacy
from selfreview.review.tasks import Outcome, Task, keep_nothing
from selfreview.text.masking import MASK
from tests.review.builders import Reviewing, make_bench, make_finding

TOKEN = "ghp_" + "9aF2kLq7Zx" + "W3mNb8RtYc" + "5VdHs1Jp6G" + "uEoTz0"
ODD = "q8Zt3Vn1Lw" + "6Ks0Xb9Rm2"


def privacy(*guilty: str, **files: str) -> Privacy:
    """What is known once the ``secrets`` reviewer has found something in some of the files."""
    bench = make_bench(**files)
    findings = [make_finding(file=path, severity=Severity.HIGH) for path in guilty]
    task = Task(Reviewing("secrets"), bench.change.reviewable)
    return Privacy(bench, [Outcome(task, Review(findings=findings), 0, cached=False, keep=keep_nothing)])


@pytest.mark.parametrize("text", [None, "", "semgrep is not installed (pip install semgrep)", "line 3: bad indent"])
def test_words_without_a_secret_stay(text: str | None) -> None:
    assert privacy().words(text) == text


def test_words_are_one_line_cut_after_they_were_scanned() -> None:
    said = privacy().words("no\n\tgood " + "x " * (MOST_WORDS // 2 - 10) + TOKEN)
    assert said.startswith("no good x x")
    assert len(said) == MOST_WORDS
    assert TOKEN[:6] not in said


def test_a_secret_of_a_file_is_hidden_wherever_it_is_quoted() -> None:
    knowing = privacy("a.py", a_py=f'api_key = "{ODD}"\n')
    assert knowing.words(f"cannot read <{ODD}>") == f"cannot read <{MASK}>"


def test_all_parts_of_a_review_are_cleaned() -> None:
    said = f"token={TOKEN}"
    finding = make_finding(description=said, evidence=said)
    review = Review(findings=[finding], error=said, hint=said, unreviewed={"a.py": said})
    cleaned = privacy("a.py", a_py=f'token = "{TOKEN}"\n').review(review)
    assert TOKEN not in repr(cleaned)
    assert (cleaned.error or "").startswith("token=ghp_")


def test_where_the_scanner_fails_what_looks_like_a_secret_is_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_text: str) -> str:
        raise ToolError("the secret scanner failed")

    monkeypatch.setattr("selfreview.review.privacy.mask_secrets", fail)
    said = privacy().words(f"the secret scanner failed: out of memory; token={TOKEN}")
    assert said == f"the secret scanner failed: out of memory; {MASK}"
