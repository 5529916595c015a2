"""Finding programs, filling command lines, reading paths back."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from selfreview.errors import ConfigError
from selfreview.model.change import ChangedFile
from selfreview.model.wire import display_path
from selfreview.programs import as_argument, batches
from selfreview.reviewers.command import matcher
from selfreview.reviewers.tools.program import digest, find_on_path, find_program, folders_above, program_key
from selfreview.reviewers.tools.results import PathReader

ROOT = Path("/work tree/x")
NAMES = st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1).filter(
    lambda name: name not in (".", "..") and "\\" not in name
)


class TestFinding:
    def test_our_own_folder_comes_before_path(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setenv("PATH", str(tmp_path))
        assert find_program(Path(sys.executable).name) == Path(sys.executable)

    def test_then_path_in_its_order(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        for folder in ("a", "b", "c"):
            (tmp_path / folder).mkdir()
        (tmp_path / "a" / "some-tool").write_text("not executable")
        for folder in ("b", "c"):
            (tmp_path / folder / "some-tool").touch(0o755)
        (tmp_path / "a" / "dir-tool").mkdir()
        monkeypatch.setenv("PATH", os.pathsep.join(str(tmp_path / folder) for folder in ("nothing", "a", "b", "c")))
        assert find_program("some-tool") == find_on_path("some-tool") == tmp_path / "b" / "some-tool"
        assert find_program("dir-tool") is None

    def test_a_relative_entry_is_passed_over(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        (tmp_path / "some-tool").touch(0o755)
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("PATH", os.pathsep.join(["", ".", str(Path("..") / tmp_path.name)]))
        assert find_program("some-tool") is None

    def test_without_path_the_systems_default_counts(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("PATH")
        assert find_on_path("sh") in [Path(folder, "sh") for folder in os.defpath.split(os.pathsep)]

    def test_a_key_changes_with_the_file(self, tmp_path: Path) -> None:
        tool = tmp_path / "tool"
        keys = []
        for content, stamp in (("a", 1), ("b", 1), ("ab", 1), ("ab", 2)):
            tool.write_text(content)
            os.utime(tool, (stamp, stamp))
            keys.append(program_key(tool))
        assert len(set(keys)) == 3

    def test_a_digest_does_not_run_parts_together(self) -> None:
        assert len({digest(parts) for parts in (["ab", "c"], ["a", "bc"], ["abc"], [b"abc", ""], [])}) == 5


class TestBatches:
    @settings(deadline=None)
    @given(st.lists(st.integers(1, 40_000).map(lambda size: "x" * size)))
    def test_nothing_is_lost_and_nothing_is_too_long(self, arguments: list[str]) -> None:
        made = list(batches(arguments, used=["tool", "-x"]))
        assert [argument for batch in made for argument in batch] == arguments
        assert all(len(batch) == 1 or sum(len(a) + 9 for a in batch) <= 100_000 for batch in made)

    def test_short_ones_go_together(self) -> None:
        assert list(batches(["a", "b"])) == [["a", "b"]]

    @pytest.mark.parametrize(("path", "argument"), [("-a", "./-a"), ("a", "a"), ("--", "./--"), ("@a", "@a")])
    def test_no_path_is_an_option(self, path: str, argument: str) -> None:
        assert as_argument(path) == argument

    def test_every_folder_above(self) -> None:
        assert folders_above(["a/b/c.x", "a/d.x", "e.x"]) == ["", "a", "a/b"]
        assert folders_above([]) == [""]


class TestPaths:
    @settings(deadline=None)
    @given(st.lists(NAMES, min_size=1, max_size=3).map("/".join))
    def test_a_path_is_read_back_however_it_is_printed(self, path: str) -> None:
        reader = PathReader(ROOT, [ChangedFile(path=path)])
        assert (
            reader(path) == reader(f"./{path}") == reader(f"{ROOT}/{path}") == reader(f"{ROOT}/sub/../{path}") == path
        )

    @settings(deadline=None)
    @given(st.lists(st.binary(min_size=1, max_size=4), min_size=1, max_size=3))
    @example([b"C:", b"a.c"])
    def test_a_name_that_is_not_utf8_is_known_by_how_it_is_shown(self, raw: list[bytes]) -> None:
        names = [name.decode("utf-8", "surrogateescape") for name in raw]
        if any("/" in name or "\0" in name or "\\" in name or name in (".", "..") for name in names):
            return
        path = "/".join(names)
        reader = PathReader(ROOT, [ChangedFile(path=path)])
        assert reader(path) == reader(display_path(path)) == path

    def test_two_that_are_shown_alike_are_told_apart_only_in_full(self) -> None:
        reader = PathReader(ROOT, [ChangedFile(path="a\udcfe"), ChangedFile(path="a\udcff")])
        assert (reader("a\udcfe"), reader("a\udcff")) == ("a\udcfe", "a\udcff")
        assert reader("a\ufffd") == "a\ufffd"

    @pytest.mark.parametrize(
        "printed", ["/etc/x", "../x", "a/../../x", "..", ".", "", "C:\\x", "c:/x", "/work tree/xy/a", "/work tree"]
    )
    def test_what_is_outside_is_none(self, printed: str) -> None:
        assert PathReader(ROOT)(printed) is None

    def test_a_folder_that_is_a_link_has_two_names(self, tmp_path: Path) -> None:
        (tmp_path / "real").mkdir()
        (tmp_path / "link").symlink_to("real")
        for root in ("real", "link"):
            reader = PathReader(tmp_path / root)
            assert reader(f"{(tmp_path / root).resolve()}/a") == "a"
        assert PathReader(tmp_path / "link")(f"{tmp_path}/link/a") == "a"

    def test_relative_ones_count_from_the_base(self) -> None:
        reader = PathReader(ROOT, base="sub")
        assert (reader("a"), reader("../a"), reader("../../a"), reader(f"{ROOT}/a")) == ("sub/a", "a", None, "a")


@settings(deadline=None)
@given(st.text(), st.text())
def test_a_pattern_is_understood_or_refused(pattern: str, path: str) -> None:
    try:
        matches = matcher([pattern])
    except ConfigError:
        return
    assert matches(path) in (True, False)


@settings(deadline=None)
@given(NAMES)
def test_a_name_without_wildcards_matches_itself_in_any_folder(name: str) -> None:
    if not set("*?[") & set(name):
        matches = matcher([name])
        assert matches(name)
        assert matches(f"deep/down/{name}")
        assert not matches(f"{name}x")


def test_a_pattern_that_is_none_is_told_with_what_it_may_be() -> None:
    with pytest.raises(ConfigError, match=r"bad character range z-a$") as error:
        matcher(["[z-a]"])
    assert "[a-z]" in (error.value.hint or "")
