"""``selfreview_conf.py``: only the bytes that were trusted run, and nothing is left behind."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from selfreview.errors import PluginError
from selfreview.plugins import finder
from selfreview.plugins.manager import PluginManager

Load = Callable[..., PluginManager]


@pytest.fixture(autouse=True)
def forget_modules() -> Iterator[None]:
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if name.startswith(finder.LOCAL_NAME):
            del sys.modules[name]


def test_its_hooks_are_called_and_its_record_names_the_file(load: Load, tmp_path: Path) -> None:
    manager = load()
    manager.load_local(
        b"from selfreview.api import hookimpl\n@hookimpl\ndef selfreview_report_header(config): return 'mine'\n",
        tmp_path,
    )
    assert "mine" in manager.call("selfreview_report_header", config=None)
    record = manager.records()[-1]
    assert (record.name, record.source, record.state) == ("selfreview_conf", "selfreview_conf.py", "on")
    assert record.file == str(tmp_path / "selfreview_conf.py")
    assert record.hooks == ("selfreview_report_header",)
    assert not record.essential


def test_the_trusted_bytes_run_and_not_the_file(tmp_path: Path) -> None:
    (tmp_path / "selfreview_conf.py").write_text("which = 'the file'")
    assert finder.load_local(b"which = 'the bytes'", tmp_path).which == "the bytes"


def test_the_repository_cannot_bring_further_code(tmp_path: Path) -> None:
    (tmp_path / "helper_of_the_repository.py").write_text("")
    with pytest.raises(PluginError, match="No module named 'helper_of_the_repository'"):
        finder.load_local(b"import helper_of_the_repository", tmp_path)


def test_nothing_is_written_and_no_name_is_taken(tmp_path: Path) -> None:
    path, before = list(sys.path), set(sys.modules)
    module = finder.load_local(b"", tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert sys.path == path
    assert set(sys.modules) - before == {module.__name__}
    assert "selfreview_conf" not in sys.modules


def test_two_repositories_do_not_share_a_module(tmp_path: Path) -> None:
    one, two = finder.load_local(b"x = []", tmp_path / "one"), finder.load_local(b"x = []", tmp_path / "two")
    assert one.__name__ != two.__name__
    assert one.x is not two.x


def test_data_classes_and_structs_work_in_it(tmp_path: Path) -> None:
    source = b"""
from __future__ import annotations
import dataclasses, typing, msgspec
@dataclasses.dataclass
class Point:
    x: int
    y: typing.ClassVar[int] = 1
class Settings(msgspec.Struct):
    point: dict[str, int]
settings = msgspec.json.decode(b'{"point": {"x": 1}}', type=Settings)
point = Point(2)
"""
    module = finder.load_local(source, tmp_path)
    assert (module.settings.point, module.point.x) == ({"x": 1}, 2)


def test_it_does_not_inherit_our_future_imports(tmp_path: Path) -> None:
    assert finder.load_local(b"def f(x: int): pass\nkind = f.__annotations__['x']", tmp_path).kind is int


@pytest.mark.parametrize(
    ("source", "line", "said"),
    [
        (b"x = 1\ny = z\n", 2, "NameError: name 'z' is not defined"),
        (b"\n\ndef f(:\n", 3, "SyntaxError: invalid syntax"),
        (b"import json\n\n\njson.loads('{')", 4, "JSONDecodeError: Expecting property name"),
        (b"import sys\nsys.exit(0)", 2, "it ended the program: SystemExit(0)"),
        (b"def f():\n    f()\nf()", 2, "RecursionError"),
        (b"# coding: latin-1\nx = '\xe9'\n1/0", 3, "ZeroDivisionError"),
        (b"x = '\xe9'", 1, "SyntaxError"),
        (b"# coding: no-such-codec\n", 1, "SyntaxError"),
        (b"import ast\nast.parse('(')", 2, "SyntaxError: '(' was never closed"),
        (b"\nraise SyntaxError('mine')", 2, "SyntaxError: mine"),
    ],
)
def test_its_errors_name_file_and_line(tmp_path: Path, source: bytes, line: int, said: str) -> None:
    before = set(sys.modules)
    with pytest.raises(PluginError) as error:
        finder.load_local(source, tmp_path)
    assert error.value.message.startswith(f"{tmp_path / 'selfreview_conf.py'}:{line}: {said}")
    assert "\n" not in error.value.message
    assert error.value.hint == "fix selfreview_conf.py, or turn it off with -p no:selfreview_conf"
    assert not [name for name in set(sys.modules) - before if name.startswith("selfreview_conf")]


@pytest.mark.parametrize("source", [b"x = '\0'", b"\xff\xfe"])
def test_what_is_no_python_is_an_error_for_people(tmp_path: Path, source: bytes) -> None:
    with pytest.raises(PluginError, match=r"selfreview_conf\.py"):
        finder.load_local(source, tmp_path)


def test_a_load_that_fails_keeps_the_module_of_an_earlier_one(tmp_path: Path) -> None:
    source = b"import os\nif 'SELFREVIEW_TEST_FAIL' in os.environ: raise ValueError"
    earlier = finder.load_local(source, tmp_path)
    os.environ["SELFREVIEW_TEST_FAIL"] = "1"
    try:
        with pytest.raises(PluginError):
            finder.load_local(source, tmp_path)
    finally:
        del os.environ["SELFREVIEW_TEST_FAIL"]
    assert sys.modules[earlier.__name__] is earlier


def test_ctrl_c_while_it_loads_goes_through_and_leaves_no_module(tmp_path: Path) -> None:
    before = set(sys.modules)
    with pytest.raises(KeyboardInterrupt):
        finder.load_local(b"raise KeyboardInterrupt", tmp_path)
    assert set(sys.modules) == before


def test_it_can_be_blocked(load: Load, tmp_path: Path) -> None:
    manager = load("no:selfreview_conf")
    manager.load_local(b"raise RuntimeError", tmp_path)
    assert manager.records()[-1].state == "blocked"


def test_while_untrusted_it_is_listed(load: Load, tmp_path: Path) -> None:
    manager = load()
    manager.withhold_local("untrusted", tmp_path)
    record = manager.records()[-1]
    assert (record.name, record.state, record.hooks) == ("selfreview_conf", "untrusted", ())
