"""The baseline as a file: what is wrong with one is said with its line, and what to do about it."""

from __future__ import annotations

import pytest

from selfreview.errors import ConfigError
from selfreview.review.baseline import format_baseline, parse_baseline

MARK = "v1:" + "a" * 32
FIELDS = {
    "file": '"a.py"',
    "line": "3",
    "severity": '"high"',
    "category": '"security"',
    "reviewer": '"ruff"',
    "description": '"wrong"',
    "reason": '"old"',
    "by": '"Ann"',
    "date": "2026-01-02",
}


def text(**changes: str | None) -> bytes:
    fields = {name: value for name, value in {**FIELDS, **changes}.items() if value is not None}
    body = "".join(f"{name} = {value}\n" for name, value in fields.items())
    return f'# known\nversion = 1\n\n["{MARK}"]\n{body}'.encode()


def refused(data: bytes) -> ConfigError:
    with pytest.raises(ConfigError) as error:
        parse_baseline(data, "known.toml")
    assert error.value.hint
    assert "\n" not in error.value.message
    return error.value


def test_what_is_written_is_read() -> None:
    entries = parse_baseline(text(), "known.toml")
    assert parse_baseline(format_baseline(entries.values()), "known.toml") == entries


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"file": None}, f"known.toml:4: {MARK} file is missing"),
        ({"line": '"3"'}, f"known.toml:6: {MARK} line is '3', not the number of a line"),
        ({"line": "true"}, f"known.toml:6: {MARK} line is True, not the number of a line"),
        ({"line": "2147483648"}, f"known.toml:6: {MARK} line is 2147483648, not the number of a line"),
        ({"line": "-1"}, f"known.toml:6: {MARK} line is -1, not the number of a line"),
        ({"severity": '"bad"'}, f"known.toml:7: {MARK} severity is 'bad', not one of "),
        ({"category": '"bad"'}, f"known.toml:8: {MARK} category is 'bad', not one of "),
        ({"reviewer": "1"}, f"known.toml:9: {MARK} reviewer is 1, not text"),
        ({"reason": '" "'}, f"known.toml:11: {MARK} reason is empty"),
        ({"date": '"some day"'}, f"known.toml:13: {MARK} date is 'some day', not a date"),
        ({"date": '"2026-02-31"'}, f"known.toml:13: {MARK} date is '2026-02-31', not a date"),
        ({"rule": "[]"}, f"known.toml:14: {MARK} rule is [], not text"),
    ],
)
def test_an_entry_that_is_wrong_is_told_with_its_line(changes: dict[str, str | None], said: str) -> None:
    error = refused(text(**changes))
    assert error.message.startswith(said)
    assert error.hint == "fix it, or remove the entry: selfreview baseline update adds open issues again"


def test_what_is_no_table_is_told_with_its_line() -> None:
    assert refused(f'version = 1\n"{MARK}" = 3\n'.encode()).message == f"known.toml:2: {MARK} is not a table"


@pytest.mark.parametrize(
    ("head", "said", "hint"),
    [
        ("version = 2\n", "version is 2, not 1", "use the version of selfreview that wrote it; or move the file away"),
        ("", "it says no version", "begin it with version = 1; or move the file away"),
    ],
)
def test_one_of_another_version_does_not_lead_in_a_circle(head: str, said: str, hint: str) -> None:
    error = refused(head.encode())
    assert error.message == f"known.toml: {said}"
    assert str(error.hint).startswith(hint)
    assert str(error.hint).endswith("then: selfreview baseline create --reason TEXT")


@pytest.mark.parametrize("text", ["x = " + "[" * 100_000, "version = " + "1" * 5_000, "version = 0x" + "f" * 9_000])
def test_what_no_reader_of_toml_gets_through_is_told_in_one_line(text: str) -> None:
    assert len(refused(text.encode()).message) < 100


def test_every_number_that_a_line_may_have_is_read() -> None:
    for line in ("0", "2147483647"):
        (entry,) = parse_baseline(text(line=line), "known.toml").values()
        assert str(entry.line) == line
