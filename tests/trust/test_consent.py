"""Consent to send a repository's code to a model: one answer for each repository and receiver."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from selfreview.errors import TrustError
from selfreview.trust.store import ConsentStore

RECEIVER = "api.anthropic.com"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository" / ".git"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def store(tmp_path: Path) -> ConsentStore:
    return ConsentStore(tmp_path / "data" / "consent")


@pytest.mark.parametrize("given", [True, False])
def test_an_answer_is_for_one_repository_and_one_receiver(
    store: ConsentStore, repository: Path, tmp_path: Path, given: bool
) -> None:
    assert store.answer(repository, RECEIVER) is None
    store.remember(repository, RECEIVER, given=given)
    assert store.answer(repository, RECEIVER) is given
    assert store.answer(repository, "localhost") is None
    assert store.answer(tmp_path, RECEIVER) is None


def test_a_later_answer_takes_the_place_of_an_earlier_one(store: ConsentStore, repository: Path) -> None:
    store.remember(repository, RECEIVER, given=True)
    store.remember(repository, RECEIVER, given=False)
    assert store.answer(repository, RECEIVER) is False
    assert len(store.records()) == 1


@pytest.mark.skipif(os.name != "posix", reason="links")
def test_a_link_to_a_repository_is_that_repository(store: ConsentStore, repository: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(repository)
    store.remember(link, RECEIVER, given=True)
    assert store.answer(repository, RECEIVER) is True
    assert store.records()[0].repository == os.path.realpath(repository)
    assert store.forget(link) == 1


def test_forgetting_takes_all_answers_of_one_repository(store: ConsentStore, repository: Path, tmp_path: Path) -> None:
    for receiver in ("b", "a"):
        store.remember(repository, receiver, given=True)
    store.remember(tmp_path, RECEIVER, given=True)
    assert [(record.repository, record.receiver) for record in store.records()] == sorted(
        [(os.path.realpath(repository), "a"), (os.path.realpath(repository), "b"), (str(tmp_path), RECEIVER)]
    )
    assert store.forget(repository) == 2
    assert store.forget(repository) == 0
    assert store.answer(repository, "a") is None
    assert store.answer(tmp_path, RECEIVER) is True


def test_a_record_says_when_in_utc(store: ConsentStore, repository: Path) -> None:
    store.remember(repository, RECEIVER, given=True)
    (record,) = store.records()
    assert (record.receiver, record.given) == (RECEIVER, True)
    assert len(record.at) == len("2026-01-02T03:04:05Z")
    assert (record.at[10], record.at[-1]) == ("T", "Z")


GOOD = {"repository": "x", "receiver": RECEIVER, "given": True, "at": "2026-01-02T03:04:05Z"}


def damaged(**changes: Any) -> bytes:
    return json.dumps({**GOOD, **changes}).encode()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff",
        b"[" * 100_000,
        b"[]",
        b"null",
        b"{}",
        damaged(given=1),
        damaged(given="true"),
        damaged(repository=None),
        damaged(receiver=1),
        damaged(at=1.5),
        damaged(more="x"),
        json.dumps({name: GOOD[name] for name in ("repository", "receiver", "given")}).encode(),
    ],
)
def test_a_damaged_record_is_no_answer(store: ConsentStore, repository: Path, data: bytes) -> None:
    store.remember(repository, RECEIVER, given=True)
    (path,) = store.folder.iterdir()
    path.write_bytes(data)
    assert store.answer(repository, RECEIVER) is None
    with pytest.raises(TrustError, match=r"^the consent record .*\.json is damaged") as error:
        store.records()
    assert error.value.hint == "delete that file to be asked again"


def test_a_record_that_was_renamed_is_no_answer(store: ConsentStore, repository: Path, tmp_path: Path) -> None:
    store.remember(repository, RECEIVER, given=True)
    (path,) = store.folder.iterdir()
    store.remember(tmp_path, RECEIVER, given=False)
    (other,) = set(store.folder.iterdir()) - {path}
    path.replace(other)
    assert store.answer(tmp_path, RECEIVER) is None


def test_a_path_that_is_not_utf8_is_remembered(store: ConsentStore, tmp_path: Path) -> None:
    odd = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff"))
    store.remember(odd, RECEIVER, given=True)
    assert store.answer(odd, RECEIVER) is True
    assert store.records()[0].repository == os.path.realpath(odd)


def test_it_is_kept_in_the_chosen_folder(tmp_path: Path) -> None:
    assert ConsentStore.of_user({"SELFREVIEW_DATA_DIR": str(tmp_path)}).folder == tmp_path / "consent"


@pytest.mark.skipif(os.name != "posix", reason="POSIX permissions")
def test_an_answer_that_others_could_have_written_is_not_believed(store: ConsentStore, repository: Path) -> None:
    store.remember(repository, RECEIVER, given=True)
    store.folder.chmod(0o777)
    with pytest.raises(TrustError, match=r"^others can write to the consent folder"):
        store.answer(repository, RECEIVER)
