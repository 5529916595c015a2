"""Whose error an exception is that comes out of something that a plugin registered."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from selfreview.plugins.attribution import code_of
from selfreview.plugins.manager import PluginManager

RAISES = "def boom(call=None):\n    if call:\n        call()\n    raise ValueError('it broke')\n"


def raised_by(call: Callable[[], object]) -> BaseException:
    try:
        call()
    except ValueError as error:
        return error
    raise AssertionError


def function(name: str) -> Callable[..., object]:
    found: Callable[..., object] = __import__(name, fromlist=["boom"]).boom
    return found


def test_a_module_is_named_with_its_line(load: Callable[..., PluginManager], write_plugin: Callable[..., Path]) -> None:
    path = write_plugin("mine", RAISES)
    blamed = load("mine").blamed(raised_by(function("mine")))
    assert blamed is not None
    assert blamed.message == f"plugin 'mine' failed: ValueError: it broke ({path}:4)"
    assert blamed.hint == "fix it, or turn it off: -p no:mine"


def test_the_innermost_of_two_is_named(load: Callable[..., PluginManager], write_plugin: Callable[..., Path]) -> None:
    write_plugin("outer", RAISES)
    write_plugin("inner", RAISES)
    manager = load("outer", "inner")
    blamed = manager.blamed(raised_by(lambda: function("outer")(function("inner"))))
    assert blamed is not None
    assert "plugin 'inner' failed" in blamed.message


def test_a_package_is_all_of_its_files(load: Callable[..., PluginManager], write_plugin: Callable[..., Path]) -> None:
    write_plugin("pack.__init__", "")
    path = write_plugin("pack.deep", RAISES)
    blamed = load("pack").blamed(raised_by(function("pack.deep")))
    assert blamed is not None
    assert f"plugin 'pack' failed: ValueError: it broke ({path}:4)" in blamed.message


def test_what_is_nobodys_is_a_defect(load: Callable[..., PluginManager], write_plugin: Callable[..., Path]) -> None:
    write_plugin("mine", RAISES)
    write_plugin("other", RAISES)
    assert load("mine").blamed(raised_by(function("other"))) is None


def made(module: str) -> object:
    return __import__(module, fromlist=["Mine"]).Mine()


def test_the_code_of_an_object_is_that_of_its_module(write_plugin: Callable[..., Path]) -> None:
    path = write_plugin("mine", "class Mine: pass\n")
    write_plugin("beside", "")
    assert code_of(made("mine")) == [b"class Mine: pass\n"]
    path.write_text("class Mine: name = 'other'\n")
    assert code_of(made("mine")) == [b"class Mine: name = 'other'\n"]
    path.unlink()
    assert code_of(made("mine")) == []


def test_the_code_of_an_object_in_a_package_is_all_below_its_folder(write_plugin: Callable[..., Path]) -> None:
    write_plugin("pack.__init__", "")
    write_plugin("pack.mine", "class Mine: pass\n")
    write_plugin("pack.deep.helper", "HELPS = 1\n")
    assert sorted(code_of(made("pack.mine"))) == [b"", b"HELPS = 1\n", b"class Mine: pass\n"]


def test_no_code_is_that_of_our_own_objects_and_of_those_of_no_file() -> None:
    assert code_of(PluginManager(environ={})) == []
    assert code_of(object()) == []
