"""Mistakes of a plugin's author: the error names the plugins, the places and what to do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from selfreview.api import Registry, Reviewer
from selfreview.config.keys import KeyRegistry
from selfreview.errors import PluginError, RegistrationError
from selfreview.plugins.builtins import Builtins
from selfreview.plugins.manager import PluginManager
from tests.plugins.test_hooks import Keys

REVIEWER = """
from selfreview.api import Depth, Review, hookimpl

class R:
    name = "{name}"
    depth = {depth}
    default = True
    def selects(self, file): return True
    def cache_key(self, context): return None
    def review(self, files, context): return Review()

@hookimpl
def selfreview_register_reviewers(registry):
    registry.add(R())
"""


def reviewer(name: str = "mine", depth: str = "Depth.TEXT") -> str:
    return REVIEWER.format(name=name, depth=depth)


def register(manager: PluginManager) -> None:
    registry: Registry[Reviewer] = Registry("reviewer")
    manager.call("selfreview_register_reviewers", registry=registry, config=None)


def test_an_object_that_is_wrong_is_told_with_its_plugin_and_place(
    load: Callable[..., PluginManager], write_plugin: Callable[..., Path]
) -> None:
    path = write_plugin("wrong", reviewer(depth="'text'"))
    with pytest.raises(RegistrationError) as caught:
        register(load("wrong"))
    assert caught.value.message.startswith("plugin 'wrong': reviewer 'mine'")
    assert caught.value.message.endswith(f"({path}:14)")


def test_a_name_that_is_taken_names_both_plugins_and_how_to_leave_one_out(
    load: Callable[..., PluginManager], write_plugin: Callable[..., Path]
) -> None:
    first, second = write_plugin("first", reviewer()), write_plugin("second", reviewer())
    with pytest.raises(RegistrationError) as caught:
        register(load("first", "second"))
    assert "there are two reviewers named 'mine': of plugin " in caught.value.message
    assert f"'first' ({first}:14)" in caught.value.message
    assert f"'second' ({second}:14)" in caught.value.message
    assert caught.value.hint in (
        "leave one out: -p no:first or -p no:second",
        "leave one out: -p no:second or -p no:first",
    )


def test_a_name_that_one_plugin_takes_twice_is_to_be_changed(
    load: Callable[..., PluginManager], write_plugin: Callable[..., Path]
) -> None:
    write_plugin("twice", reviewer() + "    registry.add(R())\n")
    with pytest.raises(RegistrationError) as caught:
        register(load("twice"))
    assert caught.value.message.count("of plugin 'twice'") == 2
    assert caught.value.hint == "give one another name"


def test_a_name_of_a_built_in_is_that_of_a_built_in_and_an_essential_one_cannot_be_left_out(
    write_plugin: Callable[..., Path],
) -> None:
    write_plugin("own", reviewer())
    write_plugin("other", reviewer())
    builtins = Builtins(essential={"own": "own"}, default={})
    manager = PluginManager(arguments=["other"], environ={}, builtins=builtins)
    manager.load()
    with pytest.raises(RegistrationError) as caught:
        register(manager)
    assert "of plugin 'own' (built-in)" in caught.value.message
    assert caught.value.hint == "leave one out: -p no:other"


def test_an_argument_that_a_hook_does_not_have_is_answered_with_those_it_has(
    load: Callable[..., PluginManager], write_plugin: Callable[..., Path]
) -> None:
    path = write_plugin(
        "argument",
        "from selfreview.api import hookimpl\n@hookimpl\ndef selfreview_register_reviewers(registry, conf): pass\n",
    )
    with pytest.raises(PluginError) as caught:
        load("argument")
    assert f"has no argument 'conf' ({path}:2)" in caught.value.message
    assert caught.value.hint is not None
    assert "it may take: registry, config" in caught.value.hint


def test_a_key_that_is_wrong_is_told_with_its_plugin_and_place(
    load: Callable[..., PluginManager], write_plugin: Callable[..., Path]
) -> None:
    path = write_plugin(
        "wrong",
        "from selfreview.api import Key, hookimpl\n@hookimpl\ndef selfreview_addoption(parser):\n"
        "    parser.add_key(Key(name='ticket.id', kind='string', default='', help='x'))\n",
    )
    with pytest.raises(RegistrationError) as caught:
        load("wrong").set_up(KeyRegistry())
    said = f"plugin 'wrong': configuration key 'ticket.id' has an unknown kind 'string' ({path}:4)"
    assert caught.value.message == said


@pytest.mark.parametrize("entry", ["mine:Mine", "mine:function", "mine:nothing", "empty"])
def test_what_has_no_hooks_is_no_plugin(
    entry: str, load: Callable[..., PluginManager], write_plugin: Callable[..., Path], install: Callable[..., Path]
) -> None:
    write_plugin("mine", reviewer() + "\nclass Mine: pass\nnothing = object()\ndef function(): pass\n")
    write_plugin("empty", "")
    install("acme", {"my-tool": entry})
    with pytest.raises(PluginError) as caught:
        load().set_up(Keys())
    assert caught.value.message == "plugin 'my-tool' (entry point acme 1.0) has no hooks"
    assert caught.value.hint is not None
    assert "name the module" in caught.value.hint


def test_the_file_of_a_repository_may_be_empty(load: Callable[..., PluginManager], tmp_path: Path) -> None:
    manager = load()
    manager.load_local(b"# nothing yet\n", tmp_path)
    manager.set_up(Keys())
    assert manager.records()[-1].hooks == ()
