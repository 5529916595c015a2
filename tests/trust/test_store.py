"""Permission for a repository's code to run: one digest over code and commands, remembered per repository."""

from __future__ import annotations

import datetime
import json
import math
import os
import stat
import subprocess
import sys
import tomllib
from pathlib import Path

import platformdirs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selfreview.errors import TrustError
from selfreview.trust.store import TrustStore
from selfreview.trust.subject import TrustSubject, canonical, executable_content

posix_only = pytest.mark.skipif(os.name != "posix", reason="POSIX permissions")


def subject(conf: bytes | None = b"x = 1\n", **tables: object) -> TrustSubject:
    found = executable_content(conf, tables)
    assert found is not None
    return found


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository" / ".git"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def store(tmp_path: Path) -> TrustStore:
    return TrustStore(tmp_path / "data" / "trust")


# --- the subject ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tables", [{}, {"command": {}}, {"workspace": []}])
def test_nothing_to_run_needs_no_trust(tables: dict[str, object]) -> None:
    assert executable_content(None, tables) is None


def test_an_empty_local_plugin_is_still_code() -> None:
    assert executable_content(b"", {}) is not None


SPELLINGS = [
    '[command.a]\nrun = ["x"]\nformat = "sarif"\n[command.b]\nrun = ["y"]\n',
    '[command.b]\nrun = ["y"]\n[command.a]\nformat = "sarif"\nrun = ["x"]\n',
    'command.a.run = ["x"]\ncommand.a.format = "sarif"\ncommand.b.run = ["y"]\n',
    "# a comment\n[command]\na = { run = ['x'], format = 'sarif' }\n\"b\".'run' = [\n  \"\\u0079\",\n]\n",
]


@pytest.mark.parametrize("text", SPELLINGS[1:])
def test_spelling_and_order_of_tables_do_not_count(text: str) -> None:
    assert subject(**tomllib.loads(text)).digest == subject(**tomllib.loads(SPELLINGS[0])).digest


def test_every_content_has_a_digest_of_its_own() -> None:
    tables: list[dict[str, object]] = [
        {},
        {"command": {"a": {"run": ["x", "y"]}}},
        {"command": {"a": {"run": ["y", "x"]}}},
        {"command": {"a": {"run": ["xy"]}}},
        {"command": {"a": {"run": "xy"}}},
        {"command": {"a": {"run": {"x": "y"}}}},
        {"command": {"a.run": ["x", "y"]}},
        {"command.a": {"run": ["x", "y"]}},
    ]
    codes = [b"", b"x = 1\n", b"x = 1\r\n"]
    digests = {subject(code, **table).digest for code in codes for table in tables}
    digests |= {subject(None, **table).digest for table in tables if table}
    assert len(digests) == len(codes) * len(tables) + len(tables) - 1


toml_values = st.recursive(
    st.one_of(
        st.text(),
        st.integers(-3, 3),
        st.floats(),
        st.booleans(),
        st.dates(),
        st.times(),
        st.datetimes(timezones=st.sampled_from([None, datetime.UTC, datetime.timezone(datetime.timedelta(hours=2))])),
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


def same(a: object, b: object) -> bool:
    """Equality as TOML has it: 1, 1.0 and true are three values; a date with another offset is another."""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, float) and isinstance(b, float):
        return (math.isnan(a) and math.isnan(b)) or (a == b and math.copysign(1, a) == math.copysign(1, b))
    return a == b and str(a) == str(b)


@settings(deadline=None)
@given(toml_values, toml_values)
def test_two_values_have_the_same_bytes_exactly_if_they_are_the_same(a: object, b: object) -> None:
    assert (canonical(a) == canonical(b)) == same(a, b)


@settings(deadline=None)
@given(st.dictionaries(st.text(max_size=3), toml_values, min_size=2, max_size=5), st.randoms())
def test_the_order_of_keys_does_not_count(table: dict[str, object], random: object) -> None:
    items = list(table.items())
    random.shuffle(items)  # type: ignore[attr-defined]
    assert canonical(dict(items)) == canonical(table)


def test_a_person_sees_what_they_trust() -> None:
    lines = subject(
        b"import os\nos.system('x')",
        command={"b": {"run": ["sh", "-c", "x"]}, "a": {"run": ["y"], "severity": {"error": "high"}}},
    ).describe()
    assert lines == [
        "selfreview_conf.py: 2 lines of Python",
        "command.a.run = ['y']",
        "command.a.severity.error = 'high'",
        "command.b.run = ['sh', '-c', 'x']",
    ]


def test_nothing_that_is_trusted_goes_unseen() -> None:
    tables = {"command": {"x": {}, "\u0435slint": {"run": ["y"]}}}
    assert subject(None, **tables).describe() == ["command.x = {}", "command.'\u0435slint'.run = ['y']"]


def test_what_a_person_sees_cannot_move_the_cursor_or_the_text() -> None:
    tables = {"command": {"a\x1b[2K\n": {"run": ["\x1b]0;x\x07", "\u202eevil", "a\nb"]}}}
    shown = "".join(subject(None, **tables).describe())
    assert not set(shown) & set("\x1b\x07\n\u202e")


# --- the record ----------------------------------------------------------------------------------------------------


def test_trust_is_for_one_content_of_one_repository(store: TrustStore, repository: Path, tmp_path: Path) -> None:
    agreed = subject(command={"a": {"run": ["x"]}})
    assert not store.is_trusted(repository, agreed)
    store.trust(repository, agreed)
    assert store.is_trusted(repository, agreed)
    assert not store.is_trusted(repository, subject(command={"a": {"run": ["y"]}}))
    assert not store.is_trusted(tmp_path / "elsewhere" / ".git", agreed)


def test_a_branch_that_was_trusted_before_is_not_asked_about_again(store: TrustStore, repository: Path) -> None:
    first, second = subject(b"1"), subject(b"2")
    store.trust(repository, first)
    store.trust(repository, second)
    assert store.is_trusted(repository, first)
    assert store.is_trusted(repository, second)


def test_a_repository_that_was_moved_is_asked_about_again(store: TrustStore, repository: Path) -> None:
    store.trust(repository, subject())
    moved = repository.parent.rename(repository.parent.with_name("moved")) / ".git"
    assert not store.is_trusted(moved, subject())


@posix_only
def test_a_link_to_a_repository_is_that_repository(store: TrustStore, repository: Path, tmp_path: Path) -> None:
    store.trust(repository, subject())
    link = tmp_path / "link"
    link.symlink_to(repository.parent)
    assert store.is_trusted(link / ".git", subject())


def test_untrust_forgets_every_content_of_that_repository_only(
    store: TrustStore, repository: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    for content in (b"1", b"2"):
        store.trust(repository, subject(content))
    store.trust(other, subject(b"1"))
    assert store.untrust(repository) == 2
    assert not store.is_trusted(repository, subject(b"1"))
    assert store.is_trusted(other, subject(b"1"))
    assert store.untrust(repository) == 0


def test_records_say_what_was_agreed_to(store: TrustStore, repository: Path) -> None:
    assert store.records() == []
    agreed = subject(command={"a": {"run": ["x"]}})
    store.trust(repository, agreed)
    store.trust(repository, agreed)
    (record,) = store.records()
    assert record.repository == os.path.realpath(repository)
    assert record.digest == agreed.digest
    assert list(record.contents) == agreed.describe()
    assert datetime.datetime.fromisoformat(record.at).utcoffset() == datetime.timedelta(0)


@posix_only
def test_only_the_user_can_read_or_write_the_record(store: TrustStore, repository: Path) -> None:
    previous = os.umask(0)
    try:
        store.trust(repository, subject())
    finally:
        os.umask(previous)
    (file,) = store.folder.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(store.folder.stat().st_mode) == 0o700


@posix_only
@pytest.mark.parametrize("mode", [0o720, 0o702, 0o777])
def test_a_folder_that_others_can_write_to_is_not_believed(store: TrustStore, repository: Path, mode: int) -> None:
    store.trust(repository, subject())
    store.folder.chmod(mode)
    with pytest.raises(TrustError, match="others can write") as error:
        store.is_trusted(repository, subject())
    assert error.value.hint == f"run: chmod 700 {store.folder}"
    with pytest.raises(TrustError, match="others can write"):
        store.trust(repository, subject(b"2"))


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_another_user_is_not_believed(store: TrustStore, repository: Path) -> None:
    store.trust(repository, subject())
    os.chown(store.folder, 12345, -1)
    with pytest.raises(TrustError, match="another user"):
        store.is_trusted(repository, subject())


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"{",
        b"[" * 100_000,
        b"\xff",
        b"[]",
        b"{}",
        b"null",
        b'{"repository": 1, "digest": 2, "contents": [], "at": 3}',
        b'{"repository": "", "digest": "", "contents": "", "at": ""}',
    ],
)
def test_a_damaged_record_is_never_trust(store: TrustStore, repository: Path, damage: bytes) -> None:
    store.trust(repository, subject())
    (file,) = store.folder.iterdir()
    file.write_bytes(damage)
    assert not store.is_trusted(repository, subject())
    with pytest.raises(TrustError, match="damaged") as error:
        store.records()
    assert str(file) in error.value.message
    store.trust(repository, subject())
    assert store.is_trusted(repository, subject())


def test_a_record_under_another_name_is_not_trust(store: TrustStore, repository: Path, tmp_path: Path) -> None:
    store.trust(repository, subject())
    (genuine,) = store.folder.iterdir()
    content = genuine.read_bytes()
    other = tmp_path / "other"
    store.trust(other, subject())
    (name,) = set(store.folder.iterdir()) - {genuine}
    name.write_bytes(content)
    assert not store.is_trusted(other, subject())


@posix_only
def test_a_path_that_is_not_utf8_is_remembered(store: TrustStore, tmp_path: Path) -> None:
    repository = tmp_path / os.fsdecode(b"caf\xe9")
    store.trust(repository, subject())
    assert store.is_trusted(repository, subject())
    assert store.records()[0].repository == os.path.realpath(repository)
    assert store.untrust(repository) == 1


def test_a_data_folder_that_is_a_file_is_an_error_for_people(repository: Path, tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    store = TrustStore(tmp_path / "data" / "trust")
    assert not store.is_trusted(repository, subject())
    with pytest.raises(TrustError, match="cannot record trust"):
        store.trust(repository, subject())


def test_a_record_that_cannot_be_put_in_place_leaves_nothing_behind(store: TrustStore, repository: Path) -> None:
    record = store.trust(repository, subject())
    (file,) = store.folder.iterdir()
    file.unlink()
    file.mkdir()
    (file / "in the way").write_text("")
    with pytest.raises(TrustError):
        store.trust(repository, subject())
    assert list(store.folder.iterdir()) == [file]
    assert record.digest == subject().digest
    for question in (lambda: store.is_trusted(repository, subject()), store.records):
        with pytest.raises(TrustError, match="cannot read"):
            question()


@posix_only
def test_a_folder_that_cannot_be_looked_into_is_an_error_for_people(store: TrustStore, repository: Path) -> None:
    store.folder.parent.mkdir()
    store.folder.symlink_to(store.folder)
    for question in (lambda: store.is_trusted(repository, subject()), store.records):
        with pytest.raises(TrustError, match="cannot read"):
            question()


def test_what_a_killed_process_left_is_passed_over(store: TrustStore, repository: Path) -> None:
    store.trust(repository, subject())
    (store.folder / ".new-abc").write_bytes(b"{")
    assert len(store.records()) == 1


# --- where it is ---------------------------------------------------------------------------------------------------


def test_the_data_folder_can_be_chosen(tmp_path: Path) -> None:
    assert TrustStore.of_user({"SELFREVIEW_DATA_DIR": str(tmp_path)}).folder == tmp_path / "trust"


def test_a_relative_data_folder_could_be_the_repositorys_own() -> None:
    with pytest.raises(TrustError, match="absolute"):
        TrustStore.of_user({"SELFREVIEW_DATA_DIR": "data"})


def test_without_a_home_folder_the_person_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless(*_: object, **__: object) -> Path:
        raise RuntimeError("could not determine the home directory")

    monkeypatch.setattr(platformdirs, "user_data_path", homeless)
    with pytest.raises(TrustError, match="no home folder") as error:
        TrustStore.of_user({})
    assert error.value.hint == "set SELFREVIEW_DATA_DIR to an absolute path"


def test_by_default_it_is_in_the_users_own_data_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    folder = TrustStore.of_user({}).folder
    assert folder.name == "trust"
    assert folder.parent.name == "selfreview"
    if sys.platform == "linux":
        assert folder.parent.parent == tmp_path


# --- several at once -----------------------------------------------------------------------------------------------

WRITER = """
import sys
from pathlib import Path
from selfreview.trust.store import TrustStore
from selfreview.trust.subject import executable_content
store, repository, number = TrustStore(Path(sys.argv[1])), Path(sys.argv[2]), int(sys.argv[3])
for index in range(20):
    store.trust(repository, executable_content(f"{number} {index}".encode(), {}))
    store.trust(repository, executable_content(b"shared", {}))
    assert store.is_trusted(repository, executable_content(b"shared", {}))
    store.records()
"""


def test_processes_that_record_at_once_lose_nothing(store: TrustStore, repository: Path) -> None:
    arguments = [sys.executable, "-c", WRITER, str(store.folder), str(repository)]
    writers = [subprocess.Popen([*arguments, str(number)]) for number in range(4)]
    assert [writer.wait() for writer in writers] == [0, 0, 0, 0]
    expected = {subject(f"{number} {index}".encode()).digest for number in range(4) for index in range(20)}
    assert {record.digest for record in store.records()} == expected | {subject(b"shared").digest}
    assert all(json.loads(file.read_bytes()) for file in store.folder.iterdir())
