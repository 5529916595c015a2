"""What this program signs in with stands in nothing that it prints or keeps."""

from __future__ import annotations

import json
import urllib.parse
from collections.abc import Iterator
from pathlib import Path

import pytest

from selfreview.app.crash import write_report
from selfreview.model.wire import document, from_json, kept_json, to_json
from selfreview.secrets.scanner import mask_secrets, scan
from selfreview.text.escape import json_safe, quiet, visible
from selfreview.text.masking import MASK, Masking, masking

ODD = 'sesame/"öpen"+42'


@pytest.fixture
def odd() -> Iterator[str]:
    masking().add([ODD])
    yield ODD
    masking().clear()


def test_nothing_is_hidden_before_it_is_known() -> None:
    assert visible(f"a {ODD}") == quiet(f"a {ODD}") == mask_secrets(f"a {ODD}") == f"a {ODD}"
    assert json.loads(to_json([ODD])) == [ODD]
    assert list(masking().places(ODD)) == []


def test_what_is_printed_and_kept(odd: str) -> None:
    for show in (visible, quiet, mask_secrets):
        assert show(f"a {odd} b {odd}") == f"a {MASK} b {MASK}"
    assert from_json(kept_json({"why": f"no {odd}"}), dict[str, str]) == {"why": f"no {MASK}"}
    assert json.loads(document([odd, "\udcff"])) == [MASK, "\ufffd"]
    for ascii_only in (True, False):
        assert json.loads(json_safe(json.dumps([odd], ensure_ascii=ascii_only).encode())) == [MASK]


def test_what_keys_are_called_and_what_stands_before_an_escape_stay() -> None:
    hidden = Masking()
    hidden.add(["nothing", "sha256"])
    said = {"sha256": "a\nothing nothing", "nothing ": [{"nothing": 1}, "sha256:", '"sha256":']}
    for ascii_only in (True, False):
        shown = json.loads(hidden.hide_in_json(json.dumps(said, ensure_ascii=ascii_only, indent=1).encode()))
        assert shown == {"sha256": f"a\nothing {MASK}", "nothing ": [{"nothing": 1}, f"{MASK}:", f'"{MASK}":']}


def test_what_a_crash_report_says(odd: str) -> None:
    path = write_report("somewhere", ValueError(f"no {odd}"))
    assert path is not None
    assert f"ValueError: no {MASK}" in Path(path).read_text()


def test_the_form_that_addresses_have(odd: str) -> None:
    assert visible(f"https://x@{urllib.parse.quote(odd, safe='')}/") == f"https://x@{MASK}/"


def test_what_is_found_by_its_form_does_not_depend_on_it(odd: str) -> None:
    assert scan(f"x {odd}", own=False) == []
    (match,) = scan(f"x\nx {odd}")
    assert (match.rule, match.value, match.line, match.column) == ("own-secret", odd, 2, 3)


def test_of_two_the_longer_one_and_none_that_is_a_word() -> None:
    hidden = Masking()
    hidden.add(["token-1", "token-1234", "short", "", " padded-1 "])
    assert hidden.hide("token-1234 token-12 short padded-1") == f"{MASK} {MASK}2 short {MASK}"
    hidden.add(["another"])
    assert hidden.hide("another token-1") == f"{MASK} {MASK}"
    hidden.clear()
    assert hidden.hide("another token-1") == "another token-1"
    assert hidden.hide_in_json(b'"another"') == b'"another"'


def test_what_is_hidden_is_changed_by_one_thread_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    hidden = Masking()
    changed: list[tuple[str, bool]] = []

    def change(self: Masking, name: str, value: object) -> None:
        changed.append((name, hidden._lock.locked()))
        object.__setattr__(self, name, value)

    monkeypatch.setattr(Masking, "__setattr__", change)
    hidden.add([ODD])
    hidden.clear()
    assert changed == [("_values", True), ("_pattern", True), ("_pattern", True), ("_values", True)]
    assert not hidden._lock.locked()
