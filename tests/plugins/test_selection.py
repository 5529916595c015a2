"""Which plugins are on: the built-in ones, ``-p``, ``SELFREVIEW_PLUGINS`` and entry points."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from selfreview.config.keys import KeyRegistry
from selfreview.errors import PluginError, UsageError
from selfreview.plugins.builtins import Builtins
from selfreview.plugins.manager import PluginManager

Load = Callable[..., PluginManager]
Write = Callable[..., Path]


def states(manager: PluginManager) -> dict[str, str]:
    return {record.name: record.state for record in manager.records()}


def sources(manager: PluginManager) -> dict[str, str]:
    return {record.name: record.source for record in manager.records()}


def answers(manager: PluginManager) -> list[str]:
    """What the plugins that are really registered answer, first registered first."""
    return list(reversed(manager.call("selfreview_report_header", config=None)))


# --- built-ins -----------------------------------------------------------------------------------------------------


def test_by_default_all_built_ins_are_on(load: Load) -> None:
    manager = load()
    assert states(manager) == {"json": "on", "ruff": "on", "text": "on", "extra": "on"}
    assert answers(manager) == ["own_json", "own_ruff", "own_text", "own_extra"]
    assert set(sources(manager).values()) == {"built-in"}
    assert [record.name for record in manager.records() if record.essential] == ["json"]


def test_records_name_hooks_and_file(load: Load, site: Path) -> None:
    (record,) = (record for record in load().records() if record.name == "ruff")
    assert record.hooks == ("selfreview_report_header",)
    assert record.file == str(site / "own_ruff.py")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["no:ruff"], {"ruff": "blocked"}),
        (["no:extra"], {"extra": "blocked"}),
        (["no:own_ruff"], {"ruff": "blocked"}),
        (["own_extra"], {"extra": "on"}),
        (["extra", "no:extra"], {"extra": "blocked"}),
        (["no:extra", "extra"], {"extra": "on"}),
        (["no:ruff", "no:text", "ruff"], {"text": "blocked"}),
        (["ruff", "ruff"], {}),
        ([" no:ruff"], {"ruff": "blocked"}),
    ],
)
def test_dash_p_turns_on_and_off_and_the_last_one_wins(
    load: Load, arguments: list[str], expected: dict[str, str]
) -> None:
    manager = load(*arguments)
    assert states(manager) == {"json": "on", "ruff": "on", "text": "on", "extra": "on", **expected}
    modules = {"json": "own_json", "ruff": "own_ruff", "text": "own_text", "extra": "own_extra"}
    assert answers(manager) == [modules[name] for name, state in states(manager).items() if state == "on"]


def test_a_blocked_plugin_is_not_even_imported(load: Load, write_plugin: Write) -> None:
    write_plugin("own_ruff", "raise RuntimeError")
    assert states(load("no:ruff"))["ruff"] == "blocked"


def test_an_essential_plugin_cannot_be_turned_off(load: Load) -> None:
    with pytest.raises(UsageError, match=r"-p no:json: plugin 'json' cannot be turned off"):
        load("no:json")


@pytest.mark.parametrize("argument", ["", "no:", " ", "no: "])
def test_an_empty_name_is_an_error(load: Load, argument: str) -> None:
    with pytest.raises(UsageError, match="names no plugin"):
        load(argument)


def test_blocking_what_does_not_exist_is_told(load: Load) -> None:
    assert load("no:rufff").notes == ["-p no:rufff has no effect: there is no such plugin; did you mean 'ruff'?"]
    assert load("no:zzz").notes == ["-p no:zzz has no effect: there is no such plugin"]
    assert load("no:ruff", "no:selfreview_conf").notes == []


def test_the_real_built_ins_load_and_set_up() -> None:
    manager = PluginManager()
    manager.load()
    manager.set_up(KeyRegistry())
    assert states(manager) == dict.fromkeys(Builtins().modules, "on")
    assert all(record.hooks for record in manager.records() if record.state == "on")


def test_the_real_lists_do_not_overlap_and_name_modules_of_the_package() -> None:
    lists = Builtins()
    assert len(lists.modules) == len(lists.essential) + len(lists.default)
    assert len(set(lists.modules.values())) == len(lists.modules)
    assert all(module.startswith("selfreview.") for module in lists.modules.values())


# --- modules -------------------------------------------------------------------------------------------------------


def test_dash_p_loads_a_module(load: Load, write_plugin: Write) -> None:
    write_plugin("company.review")
    manager = load("company.review")
    assert sources(manager)["company.review"] == "-p"
    assert [record.name for record in manager.records() if record.essential] == ["json"]
    assert answers(manager)[-1] == "company.review"


def test_the_environment_loads_modules_in_order(load: Load, write_plugin: Write) -> None:
    for name in ("one", "two"):
        write_plugin(f"env_{name}")
    manager = load(SELFREVIEW_PLUGINS=" env_two , env_one,,env_two")
    assert answers(manager)[-2:] == ["env_two", "env_one"]
    assert sources(manager)["env_one"] == "SELFREVIEW_PLUGINS"


def test_the_environment_can_name_a_built_in(load: Load) -> None:
    assert states(load("no:extra", "extra", SELFREVIEW_PLUGINS="extra"))["extra"] == "on"


def test_the_command_line_wins_over_the_environment(load: Load, write_plugin: Write) -> None:
    write_plugin("env_one", "raise RuntimeError")
    assert states(load("no:env_one", SELFREVIEW_PLUGINS="env_one"))["env_one"] == "blocked"


def test_a_module_named_twice_is_loaded_once(load: Load, write_plugin: Write) -> None:
    write_plugin("env_one")
    manager = load("env_one", SELFREVIEW_PLUGINS="env_one")
    assert answers(manager).count("env_one") == 1
    assert sources(manager)["env_one"] == "-p"


# --- entry points --------------------------------------------------------------------------------------------------


def test_entry_points_are_on_unless_blocked(load: Load, write_plugin: Write, install: Write) -> None:
    write_plugin("acme_review")
    install("acme-review", {"acme": "acme_review"}, "2.3")
    manager = load()
    assert sources(manager)["acme"] == "entry point acme-review 2.3"
    assert answers(manager)[-1] == "acme_review"


@pytest.mark.parametrize("name", ["acme", "acme_review"])
def test_a_blocked_entry_point_is_not_even_imported(load: Load, write_plugin: Write, install: Write, name: str) -> None:
    write_plugin("acme_review", "raise RuntimeError")
    install("acme-review", {"acme": "acme_review"})
    manager = load(f"no:{name}")
    assert states(manager)["acme"] == "blocked"
    assert manager.notes == []


def test_autoload_can_be_turned_off(load: Load, write_plugin: Write, install: Write) -> None:
    write_plugin("acme_review", "raise RuntimeError")
    install("acme-review", {"acme": "acme_review"})
    assert "acme" not in answers(load(SELFREVIEW_DISABLE_PLUGIN_AUTOLOAD="1"))
    with pytest.raises(PluginError):
        load(SELFREVIEW_DISABLE_PLUGIN_AUTOLOAD="")


@pytest.mark.parametrize("name", ["acme", "acme_review"])
def test_an_entry_point_can_be_asked_for_by_name_or_module(
    load: Load, write_plugin: Write, install: Write, name: str
) -> None:
    write_plugin("acme_review")
    install("acme-review", {"acme": "acme_review"})
    manager = load(name, SELFREVIEW_DISABLE_PLUGIN_AUTOLOAD="1")
    assert answers(manager)[-1] == "acme_review"
    assert sources(manager)["acme"] == "entry point acme-review 1.0"
    assert list(states(manager)).count("acme") == 1
    assert answers(load(name)).count("acme_review") == 1


def test_an_entry_point_may_be_an_object(load: Load, write_plugin: Write, install: Write) -> None:
    write_plugin(
        "acme_review",
        "from selfreview.api import hookimpl\n"
        "class Plugin:\n"
        "    @hookimpl\n"
        "    def selfreview_report_header(self, config):\n"
        "        return 'object'\n"
        "plugin = Plugin()\n",
    )
    install("acme-review", {"acme": "acme_review:plugin"})
    assert answers(load())[-1] == "object"


def test_two_distributions_with_one_name_are_an_error_that_names_both(
    load: Load, write_plugin: Write, install: Write
) -> None:
    write_plugin("first_review")
    write_plugin("second_review")
    install("first", {"acme": "first_review"})
    install("second", {"acme": "second_review"})
    with pytest.raises(PluginError) as error:
        load()
    assert error.value.message == "two plugins are named 'acme': entry point first 1.0 and entry point second 1.0"
    assert states(load(SELFREVIEW_DISABLE_PLUGIN_AUTOLOAD="1"))["json"] == "on"
    assert states(load("no:acme"))["acme"] == "blocked"


def test_an_entry_point_cannot_take_the_name_of_a_built_in(load: Load, write_plugin: Write, install: Write) -> None:
    write_plugin("evil", "raise RuntimeError")
    write_plugin("own_other")
    install("evil", {"ruff": "evil"})
    with pytest.raises(PluginError, match=r"two plugins are named 'ruff': built-in and entry point evil 1\.0"):
        load()
    for manager in (
        load(SELFREVIEW_DISABLE_PLUGIN_AUTOLOAD="1"),
        load("own_other", SELFREVIEW_DISABLE_PLUGIN_AUTOLOAD="1"),
    ):
        assert (states(manager)["ruff"], sources(manager)["ruff"]) == ("on", "built-in")


# --- what cannot be loaded -----------------------------------------------------------------------------------------


def test_a_plugin_that_is_nowhere_is_told_with_the_nearest_name(load: Load) -> None:
    with pytest.raises(PluginError) as error:
        load("extraa")
    assert error.value.message == "-p: there is no plugin named 'extraa'"
    assert error.value.hint == "did you mean 'extra'?"


def test_a_plugin_below_a_package_that_is_nowhere(load: Load) -> None:
    with pytest.raises(PluginError) as error:
        load(SELFREVIEW_PLUGINS="no_such_package.review")
    assert error.value.message == "SELFREVIEW_PLUGINS: there is no plugin named 'no_such_package.review'"
    assert error.value.hint


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("import no_such_module_at_all", "ModuleNotFoundError: No module named 'no_such_module_at_all'"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("raise SystemExit(0)", "it ended the program: SystemExit(0)"),
        ("def f(:\n    pass", "SyntaxError: invalid syntax"),
        ("raise ValueError('one\\ntwo')", "ValueError: one"),
        ("raise ValueError", "ValueError"),
    ],
)
def test_a_plugin_that_cannot_be_imported_is_one_line_with_its_place(
    load: Load, write_plugin: Write, source: str, said: str
) -> None:
    path = write_plugin("broken_plugin", f"\n\n{source}\n")
    with pytest.raises(PluginError) as error:
        load("broken_plugin")
    assert error.value.message == f"plugin 'broken_plugin' (-p) cannot be imported: {said} ({path}:3)"
    assert error.value.hint == "leave it out with -p no:broken_plugin"
    assert error.value.__cause__ is not None


def test_an_entry_point_to_nothing(load: Load, write_plugin: Write, install: Write) -> None:
    write_plugin("acme_review")
    install("acme-review", {"acme": "acme_review:missing"})
    with pytest.raises(PluginError) as error:
        load()
    assert error.value.message == (
        "plugin 'acme' (entry point acme-review 1.0) cannot be imported:"
        " AttributeError: module 'acme_review' has no attribute 'missing'"
    )


def test_an_object_that_is_not_hashable(load: Load, write_plugin: Write, install: Write) -> None:
    write_plugin("acme_review", "import dataclasses\n@dataclasses.dataclass\nclass P: pass\nplugin = P()\n")
    install("acme-review", {"acme": "acme_review:plugin"})
    with pytest.raises(PluginError, match="is not hashable"):
        load()


def test_managers_know_nothing_of_each_other(load: Load) -> None:
    first, second = load(), load("no:ruff")
    assert answers(first) == ["own_json", "own_ruff", "own_text", "own_extra"]
    assert answers(second) == ["own_json", "own_text", "own_extra"]


def test_one_plugin_can_be_loaded_alone() -> None:
    manager = PluginManager()
    manager.load(only="ruff")
    assert [record.name for record in manager.records()] == ["ruff"]


def test_a_hook_of_added_plugins_alone_is_called(
    load: Callable[..., PluginManager], write_plugin: Callable[..., Path]
) -> None:
    write_plugin("mine")
    assert load("mine").call_added("selfreview_report_header", config=None) == ["mine"]
    assert load().call_added("selfreview_register_reporters", registry=None, config=None) == []
