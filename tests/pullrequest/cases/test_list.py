"""The list of cases: each is described, and has a test where the list says so."""

from __future__ import annotations

import re
from pathlib import Path

import tests.pullrequest.cases as cases

HERE = Path(__file__).parent
CASE = re.compile(r"^def test_case_((?:\d\d_(?:and_)?)+)", re.MULTILINE)

ELSEWHERE = {
    36: "watching/test_webhook.py::test_one_review_is_one_cycle_and_a_redelivery_is_none",
    37: "watching/test_webhook.py::test_one_that_is_lost_is_made_up_for_by_the_next_look",
    38: "watching/test_webhook.py::test_what_is_not_signed_as_it_must_be_is_refused",
    39: "watching/test_webhook.py::test_one_before_the_forge_shows_the_news_is_not_the_end_of_it",
    40: "watching/test_webhook.py::test_one_review_is_one_cycle_and_a_redelivery_is_none",
    57: "forges/test_http_limits.py::test_case_57_a_secondary_limit_is_seen_by_its_words",
    58: "forges/test_http_client.py::test_case_58_what_may_have_arrived_is_not_sent_again",
    59: "forges/test_github_looking.py::test_case_59_one_that_cannot_be_read_costs_no_other",
    60: "forges/test_http_limits.py::test_case_60_the_clock_of_this_machine_does_not_matter",
}
"""By number: what is tested where the part of the program is tested that it concerns."""


def numbers(file: Path) -> set[int]:
    """Return the cases that tests of a file name."""
    found = CASE.findall(file.read_text("utf-8"))
    return {int(number) for name in found for number in re.findall(r"\d\d", name)}


def listed() -> dict[int, list[str]]:
    """Return the files of each case, as the list has them."""
    found: dict[int, list[str]] = {}
    files: list[str] = []
    for line in (cases.__doc__ or "").splitlines():
        files = re.findall(r"``([\w./]+)``", line) or files
        if (case := re.match(r" ?(\d+)\. \w", line)) is not None:
            assert int(case[1]) not in found
            found[int(case[1])] = files
    return found


def test_every_number_is_described_once() -> None:
    assert set(listed()) == set(range(1, 63))


def test_every_case_has_a_test_in_the_file_that_the_list_names() -> None:
    tested: set[int] = set()
    for file in HERE.glob("test_*.py"):
        assert numbers(file) <= {number for number, files in listed().items() if file.name in files}, file.name
        tested |= numbers(file)
    assert tested == set(listed()) - set(ELSEWHERE)


def test_what_is_elsewhere_is_there() -> None:
    for number, place in ELSEWHERE.items():
        path, name = place.split("::")
        assert any(path.startswith(file.removeprefix("../")) for file in listed()[number])
        assert f"def {name}(" in (HERE.parent / path).read_text("utf-8"), place
