"""Whose words count."""

from __future__ import annotations

from typing import Any

import pytest

from selfreview.model.cycle import Meaning
from selfreview.model.feedback import Permission, Person
from selfreview.pullrequest.feedback.trust import folded
from tests.pullrequest.said import BOT, GUEST, ME, REV, policy

M = Meaning


@pytest.mark.parametrize(
    ("author", "settings", "expected"),
    [
        (REV, {}, None),
        (GUEST, {}, M.UNTRUSTED),
        (None, {}, M.UNTRUSTED),
        (Person(login="ghost"), {}, M.UNTRUSTED),
        (BOT, {}, M.IGNORED),
        (BOT, {"allowed_bots": ["Lint[bot]"]}, None),
        (BOT, {"allowed_bots": ["lint"]}, M.IGNORED),  # the exact name
        (BOT, {"allowed_users": ["lint[bot]"]}, M.IGNORED),
        (BOT, {"allowed_bots": ["lint[bot]"], "ignored_users": ["lint[bot]"]}, M.IGNORED),
        (Person(login="lint[bot]", id="9"), {"allowed_bots": ["lint[bot]"], "permission": lambda _: Permission.NONE},
         M.UNTRUSTED),  # a person with a bot's name
        (REV, {"allowed_users": ["REV"]}, None),
        (REV, {"allowed_users": ["ann"]}, M.IGNORED),
        (GUEST, {"allowed_users": ["guest"]}, M.UNTRUSTED),  # in addition to the right to write
        (REV, {"ignored_users": ["Rev"]}, M.IGNORED),
        (ME, {}, M.IGNORED),
        (ME, {"allowed_users": ["dev"]}, None),
        (REV, {"permission": lambda _: Permission.READ}, M.UNTRUSTED),
        (REV, {"permission": lambda _: Permission.ADMIN}, None),
    ],
)  # fmt: skip
def test_who_is_listened_to(author: Person | None, settings: dict[str, Any], expected: Meaning | None) -> None:
    given = {key: folded(value) if isinstance(value, list) else value for key, value in settings.items()}
    refusal = policy(**given).refusal(author)
    assert (refusal and refusal[0]) == expected
    assert refusal is None or refusal[1]


def test_an_account_is_known_by_its_id_and_not_by_its_name() -> None:
    assert policy().is_me(Person(login="renamed", id="1"))
    assert not policy().is_me(Person(login="dev", id="8"))
    assert not policy(me=Person(login="dev")).is_me(Person(login="dev"))
