"""Calling hooks: mistakes are errors, deciders that raise are named, observers do not stop each other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from selfreview.errors import ConfigError, PluginError
from selfreview.plugins.attribution import culprits
from selfreview.plugins.manager import PluginManager

Load = Callable[..., PluginManager]
Write = Callable[..., Path]


class Keys:
    """A parser that remembers."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def add_key(self, key: object) -> None:
        self.names.append(key.name)  # type: ignore[attr-defined]


@pytest.fixture
def plugin(load: Load, write_plugin: Write) -> Callable[[str], PluginManager]:
    """Load one plugin of this source, named ``mine``, with the built-ins."""

    def plugin(body: str) -> PluginManager:
        write_plugin("mine", f"from selfreview.api import Key, hookimpl\n{body}")
        return load("mine")

    return plugin


Plugin = Callable[[str], PluginManager]


# --- mistakes ------------------------------------------------------------------------------------------------------


def test_a_misspelt_hook_is_an_error_with_the_nearest_name(plugin: Plugin) -> None:
    manager = plugin("@hookimpl\ndef selfreview_report_heder(config): pass")
    with pytest.raises(PluginError) as error:
        manager.set_up(Keys())
    assert error.value.message == "plugin 'mine' implements an unknown hook 'selfreview_report_heder'"
    assert error.value.hint == "did you mean 'selfreview_report_header'?"


def test_a_hook_that_may_be_missing_is_no_error(plugin: Plugin) -> None:
    plugin("@hookimpl(optionalhook=True)\ndef selfreview_of_the_future(config): pass").set_up(Keys())


def test_who_misspelt_it_is_named_and_not_who_may_miss_it(load: Load, write_plugin: Write) -> None:
    for name, options in (("a_plugin", "optionalhook=True"), ("b_plugin", ""), ("c_plugin", "optionalhook=True")):
        write_plugin(
            name, f"from selfreview.api import hookimpl\n@hookimpl({options})\ndef of_the_future(config): pass"
        )
    with pytest.raises(PluginError) as error:
        load("a_plugin", "b_plugin", "c_plugin").set_up(Keys())
    assert error.value.message == "plugin 'b_plugin' implements an unknown hook 'of_the_future'"
    assert error.value.hint == "a hook that may be missing is marked optionalhook=True"


def test_a_hook_that_another_plugin_brings_is_no_error(plugin: Plugin, write_plugin: Write) -> None:
    manager = plugin(
        "import pluggy\n"
        "class Specs:\n"
        "    @pluggy.HookspecMarker('selfreview')\n"
        "    def selfreview_of_mine(self, x): 'New.'\n"
        "@hookimpl\n"
        "def selfreview_addhooks(pluginmanager): pluginmanager.add_hookspecs(Specs)\n"
        "@hookimpl\n"
        "def selfreview_of_mine(x): return x + 1\n"
    )
    manager.set_up(Keys())
    assert manager.call("selfreview_of_mine", x=1) == [2]


def test_an_unmarked_hook_would_never_be_called_and_is_an_error(plugin: Plugin) -> None:
    manager = plugin("def selfreview_report_header(config): return 'x'")
    with pytest.raises(PluginError) as error:
        manager.set_up(Keys())
    assert error.value.message == "plugin 'mine' defines selfreview_report_header without marking it as a hook"
    assert error.value.hint is not None
    assert "@hookimpl" in error.value.hint


def test_names_that_only_look_like_hooks_are_left_alone(plugin: Plugin) -> None:
    source = "def selfreview_helper(): pass\nselfreview_report_header = 3\n"
    plugin(source + "@hookimpl\ndef selfreview_configure(config): pass\n").set_up(Keys())


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("@hookimpl\ndef selfreview_report_header(config, colour): pass", "'colour'"),
        ("@hookimpl(wrapper=True)\ndef selfreview_report_header(config): pass", "not a generator function"),
    ],
)
def test_a_hook_with_the_wrong_shape_is_one_line(plugin: Plugin, body: str, said: str) -> None:
    with pytest.raises(PluginError, match="plugin 'mine' implements a hook wrongly") as error:
        plugin(body)
    assert said in error.value.message
    assert "selfreview_report_header" in error.value.message
    assert "\n" not in error.value.message


def test_a_hook_of_another_plugin_with_the_wrong_shape(plugin: Plugin) -> None:
    manager = plugin(
        "import pluggy\n"
        "class Specs:\n"
        "    @pluggy.HookspecMarker('selfreview')\n"
        "    def selfreview_of_mine(self, x): 'New.'\n"
        "@hookimpl\n"
        "def selfreview_addhooks(pluginmanager): pluginmanager.add_hookspecs(Specs)\n"
        "@hookimpl\n"
        "def selfreview_of_mine(y): pass\n"
    )
    with pytest.raises(PluginError, match="plugin 'mine' implements a hook wrongly"):
        manager.set_up(Keys())


def test_each_plugin_is_set_up_once(plugin: Plugin, tmp_path: Path) -> None:
    manager = plugin(
        "@hookimpl\ndef selfreview_addoption(parser): parser.add_key(Key('a')) if 0 else calls.append(1)\ncalls = []"
    )
    keys = Keys()
    manager.set_up(keys)
    manager.load_local(
        b"from selfreview.api import Key, hookimpl\n"
        b"@hookimpl\n"
        b"def selfreview_addoption(parser): parser.add_key(Key(name='late', kind='int', default=1, help='x'))\n",
        tmp_path,
    )
    manager.set_up(keys)
    assert keys.names == ["late"]
    import mine  # type: ignore[import-not-found]

    assert mine.calls == [1]


# --- deciders ------------------------------------------------------------------------------------------------------

RAISES = "@hookimpl\ndef selfreview_ignore_file(file, config):\n    {}"


def test_a_decider_that_raises_is_named_with_hook_and_place(plugin: Plugin, site: Path) -> None:
    manager = plugin(RAISES.format("return {}['missing']"))
    with pytest.raises(PluginError) as error:
        manager.call("selfreview_ignore_file", file=None, config=None)
    assert error.value.message == (
        f"plugin 'mine' failed in hook selfreview_ignore_file: KeyError: 'missing' ({site / 'mine.py'}:4)"
    )
    assert isinstance(error.value.__cause__, KeyError)


def test_the_place_is_in_the_plugin_even_if_a_library_raised(plugin: Plugin, site: Path) -> None:
    manager = plugin(RAISES.format("import json; return json.loads('{')"))
    with pytest.raises(PluginError, match="JSONDecodeError") as error:
        manager.call("selfreview_ignore_file", file=None, config=None)
    assert error.value.message.endswith(f"({site / 'mine.py'}:4)")


def test_the_place_of_a_hook_that_lives_in_another_module(load: Load, write_plugin: Write, site: Path) -> None:
    write_plugin("elsewhere", "from selfreview.api import hookimpl\n" + RAISES.format("return {}['missing']"))
    write_plugin("mine", "from elsewhere import selfreview_ignore_file")
    with pytest.raises(PluginError, match="plugin 'mine' failed") as error:
        load("mine").call("selfreview_ignore_file", file=None, config=None)
    assert error.value.message.endswith(f"({site / 'elsewhere.py'}:4)")


def test_a_plugin_cannot_end_the_program_quietly(plugin: Plugin) -> None:
    manager = plugin(RAISES.format("raise SystemExit(0)"))
    with pytest.raises(PluginError, match="it ended the program"):
        manager.call("selfreview_ignore_file", file=None, config=None)


def test_ctrl_c_goes_through(plugin: Plugin) -> None:
    manager = plugin(RAISES.format("raise KeyboardInterrupt"))
    with pytest.raises(KeyboardInterrupt):
        manager.call("selfreview_ignore_file", file=None, config=None)


def test_an_error_for_people_passes_as_it_is(plugin: Plugin) -> None:
    manager = plugin(RAISES.format("from selfreview.errors import ConfigError; raise ConfigError('mine', hint='h')"))
    with pytest.raises(ConfigError, match=r"^mine$") as error:
        manager.call("selfreview_ignore_file", file=None, config=None)
    assert error.value.hint == "h"


def test_a_wrapper_that_passes_an_exception_on_is_not_to_blame(load: Load, write_plugin: Write) -> None:
    write_plugin("guilty", "from selfreview.api import hookimpl\n" + RAISES.format("raise ValueError('x')"))
    write_plugin(
        "innocent",
        "from selfreview.api import hookimpl\n"
        "@hookimpl(wrapper=True)\n"
        "def selfreview_ignore_file(file, config):\n"
        "    return (yield)\n",
    )
    with pytest.raises(PluginError, match="plugin 'guilty' failed"):
        load("guilty", "innocent").call("selfreview_ignore_file", file=None, config=None)


def test_a_wrapper_that_raises_itself_is_to_blame(load: Load, write_plugin: Write) -> None:
    write_plugin("calm", "from selfreview.api import hookimpl\n" + RAISES.format("return None"))
    write_plugin(
        "wrapping",
        "from selfreview.api import hookimpl\n"
        "@hookimpl(wrapper=True)\n"
        "def selfreview_ignore_file(file, config):\n"
        "    yield\n"
        "    raise ValueError('x')\n",
    )
    with pytest.raises(PluginError, match="plugin 'wrapping' failed"):
        load("calm", "wrapping").call("selfreview_ignore_file", file=None, config=None)


def test_methods_are_to_blame_as_functions_are(load: Load, write_plugin: Write, install: Write) -> None:
    write_plugin(
        "acme_review",
        "from selfreview.api import hookimpl\n"
        "class Plugin:\n"
        "    @hookimpl\n"
        "    def selfreview_ignore_file(self, file, config):\n"
        "        raise ValueError('x')\n"
        "plugin = Plugin()\n",
    )
    install("acme-review", {"acme": "acme_review:plugin"})
    with pytest.raises(PluginError, match="plugin 'acme' failed in hook selfreview_ignore_file: ValueError: x"):
        load().call("selfreview_ignore_file", file=None, config=None)


def test_where_a_decorator_hides_who_it_was_every_candidate_is_named(load: Load, write_plugin: Write) -> None:
    write_plugin("shared", "def loud(f):\n    def inner(file, config): raise ValueError('x')\n    return inner\n")
    for name in ("one", "two"):
        write_plugin(
            f"loud_{name}",
            "from selfreview.api import hookimpl\nfrom shared import loud\n"
            "@hookimpl\n@loud\ndef selfreview_ignore_file(file, config): pass\n"
            "selfreview_ignore_file.__name__ = 'selfreview_ignore_file'\n",
        )
    with pytest.raises(PluginError, match="plugin 'loud_one' or 'loud_two' failed"):
        load("loud_one", "loud_two").call("selfreview_ignore_file", file=None, config=None)


def test_an_implementation_without_code_of_its_own_is_passed_over() -> None:
    def fails() -> None:
        raise ValueError("x")

    written_in_c = SimpleNamespace(function=len, plugin_name="written in C")
    with pytest.raises(ValueError, match="x") as caught:
        fails()
    assert culprits(caught.value, [written_in_c, SimpleNamespace(function=fails, plugin_name="mine")]) == ["mine"]
    assert culprits(caught.value, [written_in_c]) == []


def test_the_first_answer_of_a_first_result_hook_counts(load: Load, write_plugin: Write) -> None:
    for name, answer in (("a_plugin", "'generated'"), ("b_plugin", "None")):
        write_plugin(name, "from selfreview.api import hookimpl\n" + RAISES.format(f"return {answer}"))
    assert load("a_plugin", "b_plugin").call("selfreview_ignore_file", file=None, config=None) == "generated"


# --- observers -----------------------------------------------------------------------------------------------------


def observe(manager: PluginManager, hook: str = "selfreview_report_header") -> tuple[list[object], list[str]]:
    reported: list[str] = []
    results = manager.call_observers(
        hook, report=lambda name, hook, error: reported.append(f"{name} {hook} {error!r}"), config=None
    )
    return results, reported


def test_an_observer_that_raises_is_reported_and_the_others_are_told(plugin: Plugin) -> None:
    manager = plugin("@hookimpl\ndef selfreview_report_header(config): raise ValueError('x')")
    results, reported = observe(manager)
    assert results == ["own_extra", "own_text", "own_ruff", "own_json"]
    assert reported == ["mine selfreview_report_header ValueError('x')"]


def test_an_observer_cannot_end_the_program(plugin: Plugin) -> None:
    manager = plugin("@hookimpl(trylast=True)\ndef selfreview_report_header(config): raise SystemExit(0)")
    assert observe(manager) == (
        ["own_extra", "own_text", "own_ruff", "own_json"],
        ["mine selfreview_report_header SystemExit(0)"],
    )


def test_a_person_who_interrupts_an_observer_ends_the_program(plugin: Plugin) -> None:
    with pytest.raises(KeyboardInterrupt):
        observe(plugin("@hookimpl\ndef selfreview_report_header(config): raise KeyboardInterrupt"))


def test_observers_keep_the_order_that_they_ask_for(plugin: Plugin) -> None:
    assert observe(plugin("@hookimpl(trylast=True)\ndef selfreview_report_header(config): return 'last'"))[0] == [
        "own_extra",
        "own_text",
        "own_ruff",
        "own_json",
        "last",
    ]


def test_nothing_is_no_result(plugin: Plugin) -> None:
    assert "None" not in map(str, observe(plugin("@hookimpl\ndef selfreview_report_header(config): pass"))[0])


def test_a_hook_that_nobody_implements_tells_nobody(load: Load) -> None:
    assert observe(load(), "selfreview_unconfigure") == ([], [])
