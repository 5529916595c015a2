"""The situations that went wrong for others: each has a test that says its number."""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).parent
MOST = 62

ELSEWHERE = {
    36: "pullrequest/watching/test_webhook.py::test_one_review_is_one_cycle_and_a_redelivery_is_none",
    37: "pullrequest/watching/test_webhook.py::test_one_that_is_lost_is_made_up_for_by_the_next_look",
    38: "pullrequest/watching/test_webhook.py::test_what_is_not_signed_as_it_must_be_is_refused",
    39: "pullrequest/watching/test_webhook.py::test_one_before_the_forge_shows_the_news_is_not_the_end_of_it",
    40: "pullrequest/watching/test_webhook.py::test_one_review_is_one_cycle_and_a_redelivery_is_none",
    57: "pullrequest/forges/test_http_limits.py::test_case_57_a_secondary_limit_is_seen_by_its_words",
    58: "pullrequest/forges/test_http_client.py::test_case_58_what_may_have_arrived_is_not_sent_again",
    59: "pullrequest/forges/test_github_looking.py::test_case_59_one_that_cannot_be_read_costs_no_other",
    60: "pullrequest/forges/test_http_limits.py::test_case_60_the_clock_of_this_machine_does_not_matter",
}
"""By number: what is tested where the part of the program is tested that it concerns."""


def named() -> set[int]:
    """Return the numbers that tests here name."""
    found: set[int] = set()
    for file in HERE.glob("test_cases_*.py"):
        for name in re.findall(r"^def test_case_((?:\d\d_(?:and_)?)+)", file.read_text(), re.MULTILINE):
            found |= {int(number) for number in re.findall(r"\d\d", name)}
    return found


def test_every_case_has_a_test() -> None:
    assert named() | set(ELSEWHERE) == set(range(1, MOST + 1))
    assert not named() & set(ELSEWHERE)


def test_what_is_elsewhere_is_there() -> None:
    for place in ELSEWHERE.values():
        path, name = place.split("::")
        assert f"def {name}(" in (HERE.parent / path).read_text(), place
