"""From a folder and a command line to plugins, configuration and trust."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from selfreview.config import LoadOptions
from selfreview.config.bootstrap import Loaded, load
from selfreview.config.sources import RepoReader
from selfreview.errors import ConfigError, PluginError, UsageError
from selfreview.plugins.builtins import Builtins
from selfreview.trust.store import TrustStore

COMMAND = "[command.eslint]\nrun = ['eslint']\nformat = 'sarif'\n"

CONF = """
from selfreview.api import Key, hookimpl

@hookimpl
def selfreview_addoption(parser):
    parser.add_key(Key(name="mine.level", kind="int", default=1, help="x"))
    parser.add_key(Key(name="mine.tool", kind="str", default="", help="x", executes=True))

@hookimpl
def selfreview_report_header(config):
    return f"level {config['mine.level']}"
"""


class Place:
    """A repository, a person's folders, and the way to load them."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "root"
        self.common_dir = self.root / ".git"
        self.common_dir.mkdir(parents=True)
        self.config_dir = folder / "config"
        self.config_dir.mkdir()
        self.environ = {"SELFREVIEW_DATA_DIR": str(folder / "data"), "SELFREVIEW_CONFIG_DIR": str(self.config_dir)}

    @property
    def store(self) -> TrustStore:
        return TrustStore.of_user(self.environ)

    def write(self, **files: str) -> None:
        for name, text in files.items():
            (self.root / name.replace("_toml", ".toml").replace("_py", ".py")).write_text(text)

    def load(self, *plugins: str, options: Mapping[str, Any] | None = None, **changes: Any) -> Loaded:
        names = {field.name for field in dataclasses.fields(LoadOptions)}
        chosen = {name: value for name, value in changes.items() if name in names}
        arguments: dict[str, Any] = {
            "root": self.root,
            "common_dir": self.common_dir,
            "environ": self.environ,
            "builtins": Builtins(essential={}, default={}),
            **{name: value for name, value in changes.items() if name not in names},
        }
        return load(LoadOptions(keys=options or {}, plugins=plugins, **chosen), **arguments)

    def trust(self, loaded: Loaded | None = None) -> None:
        loaded = loaded or self.load()
        assert loaded.trust.subject is not None
        assert loaded.trust.repository is not None
        self.store.trust(loaded.trust.repository, loaded.trust.subject)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    before = set(sys.modules)
    yield Place(tmp_path)
    for name in set(sys.modules) - before:
        if name.startswith("selfreview_conf_"):
            del sys.modules[name]


def header(loaded: Loaded) -> list[str]:
    return list(loaded.manager.call("selfreview_report_header", config=loaded.config))


# --- without anything to run ---------------------------------------------------------------------------------------


def test_an_empty_repository(place: Place) -> None:
    loaded = place.load()
    assert loaded.trust.subject is None
    assert loaded.trust.trusted
    assert (loaded.trust.note, loaded.trust.hint, loaded.notes) == (None, None, ())
    assert loaded.config.trusted
    assert not (place.root.parent / "data").exists()


def test_outside_of_a_repository(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.write(selfreview_toml="jobs = 7", selfreview_conf_py="raise RuntimeError")
    monkeypatch.chdir(place.root)
    (place.config_dir / "config.toml").write_text("cache = false")
    loaded = place.load(root=None, common_dir=None)
    assert (loaded.config["jobs"], loaded.config["cache"], loaded.config.root) == (0, False, None)


def test_all_four_sources(place: Place) -> None:
    (place.config_dir / "config.toml").write_text("jobs = 1\ncache = false\nbase = 'a'\ncolor = 'always'")
    place.write(selfreview_toml="jobs = 2\nbase = 'b'\ncolor = 'never'")
    place.environ |= {"SELFREVIEW_JOBS": "3", "SELFREVIEW_COLOR": "auto"}
    config = place.load(options={"jobs": 4, "base": None, "exclude": "a,b"}).config
    assert config["exclude"] == ["a", "b"]
    assert [config[name] for name in ("jobs", "color", "base", "cache")] == [4, "auto", "b", False]
    assert [config.origin(name) for name in ("jobs", "color", "base", "cache")] == [
        "command line",
        "env SELFREVIEW_COLOR",
        "selfreview.toml:2",
        f"{place.config_dir / 'config.toml'}:2",
    ]


def test_options_of_a_call_are_toml_or_else_text(place: Place) -> None:
    config = place.load(overrides=["jobs=4", "color = 'never'", "base=main", "exclude=a,b"]).config
    assert [config[name] for name in ("jobs", "color", "base", "exclude")] == [4, "never", "main", ["a", "b"]]
    assert config.origin("base") == "command line"


@pytest.mark.parametrize("text", ["jobs", "=4", " = 4"])
def test_an_option_of_a_call_without_key_or_value_is_refused(place: Place, text: str) -> None:
    with pytest.raises(ConfigError, match="is not KEY=VALUE"):
        place.load(overrides=[text])


def test_notes_of_every_part_are_gathered(place: Place) -> None:
    place.environ["SELFREVIEW_NOTHING"] = "1"
    place.write(pyproject_toml="[broken = '\\d'")
    assert [note.split(" ")[0] for note in place.load("no:nothing").notes] == ["-p", "pyproject.toml:1:", "environment"]


def test_a_user_file_may_name_commands_without_any_question(place: Place) -> None:
    (place.config_dir / "config.toml").write_text(COMMAND)
    loaded = place.load()
    assert loaded.trust.subject is None
    assert loaded.config.may_run("command.eslint")


# --- commands ------------------------------------------------------------------------------------------------------


def test_a_command_waits_for_trust(place: Place) -> None:
    place.write(selfreview_toml=COMMAND)
    before = place.load()
    assert (before.trust.trusted, before.config.trusted) == (False, False)
    assert not before.config.may_run("command.eslint")
    assert before.trust.note == "not trusted, so not run: [command] of this repository"
    assert before.trust.hint is not None
    assert "selfreview trust" in before.trust.hint
    place.trust(before)
    after = place.load()
    assert (after.trust.trusted, after.config.trusted, after.trust.note) == (True, True, None)
    assert after.config.may_run("command.eslint")


@pytest.mark.parametrize(
    ("text", "trusted"),
    [
        (COMMAND, True),
        ("jobs = 4\nexclude = ['x']\n" + COMMAND, True),
        ("# a comment\n[command]\neslint = { format = 'sarif', run = ['eslint'] }\n", True),
        (COMMAND.replace("['eslint']", "['eslint', '--fix']"), False),
        (COMMAND + "files = ['*.js']\n", False),
        (COMMAND + COMMAND.replace(".eslint", ".other"), False),
        (COMMAND.replace(".eslint", ".other"), False),
    ],
)
def test_trust_is_asked_for_again_when_what_runs_changes_and_not_otherwise(
    place: Place, text: str, trusted: bool
) -> None:
    place.write(selfreview_toml=COMMAND)
    place.trust()
    place.write(selfreview_toml=text)
    assert place.load().trust.trusted is trusted


def test_moving_settings_to_pyproject_toml_needs_no_new_trust(place: Place) -> None:
    place.write(selfreview_toml=COMMAND)
    place.trust()
    (place.root / "selfreview.toml").unlink()
    place.write(pyproject_toml=COMMAND.replace("[command", "[tool.selfreview.command"))
    assert place.load().trust.trusted


def test_another_repository_with_the_same_content_is_asked_about(place: Place) -> None:
    place.write(selfreview_toml=COMMAND)
    place.trust()
    assert not place.load(common_dir=place.root.parent / "clone" / ".git").trust.trusted


def test_without_a_common_git_directory_nothing_is_trusted(place: Place) -> None:
    place.write(selfreview_toml=COMMAND)
    assert not place.load(common_dir=None).trust.trusted


# --- the local plugin ----------------------------------------------------------------------------------------------


def test_the_local_plugin_waits_for_trust(place: Place) -> None:
    place.write(selfreview_conf_py="raise RuntimeError('ran')", selfreview_toml=COMMAND)
    loaded = place.load()
    assert loaded.trust.note == "not trusted, so not run: selfreview_conf.py, [command] of this repository"
    assert [(record.name, record.state) for record in loaded.manager.records()] == [("selfreview_conf", "untrusted")]
    place.trust(loaded)
    with pytest.raises(PluginError, match="RuntimeError: ran"):
        place.load()


def test_once_trusted_its_hooks_and_keys_work(place: Place) -> None:
    place.write(selfreview_conf_py=CONF, selfreview_toml="[mine]\nlevel = 3")
    place.trust()
    loaded = place.load()
    assert header(loaded) == ["level 3"]
    assert loaded.config.origin("mine.level") == "selfreview.toml:2"
    assert loaded.notes == ()


def test_before_that_its_keys_are_excused(place: Place) -> None:
    place.write(selfreview_conf_py=CONF, selfreview_toml="jobs = 2\n[mine]\nlevel = 3")
    loaded = place.load()
    assert loaded.config["jobs"] == 2
    assert loaded.notes == (
        "selfreview.toml:2: mine has no effect: it is not a key, or one of selfreview_conf.py, which is untrusted",
    )


def test_but_not_in_the_persons_own_file(place: Place) -> None:
    place.write(selfreview_conf_py=CONF)
    (place.config_dir / "config.toml").write_text("[mine]\nlevel = 3")
    with pytest.raises(ConfigError, match="unknown key mine"):
        place.load()


def test_and_not_once_it_is_loaded(place: Place) -> None:
    place.write(selfreview_conf_py=CONF, selfreview_toml="[mine]\nlevle = 3")
    place.trust()
    with pytest.raises(ConfigError) as error:
        place.load()
    assert error.value.message == "selfreview.toml:2: unknown key mine.levle"
    assert error.value.hint == "did you mean 'mine.level'?"


@pytest.mark.parametrize("change", ["level = 4", "tool = 'evil'"])
def test_what_only_the_local_plugin_declares_is_part_of_what_is_trusted(place: Place, change: str) -> None:
    # It may run what these keys say, and whether it does is not known before its code runs.
    place.write(selfreview_conf_py=CONF, selfreview_toml="[mine]\nlevel = 3")
    place.trust()
    place.write(selfreview_toml=f"[mine]\n{change}")
    assert not place.load().trust.trusted


def test_a_change_of_the_code_is_asked_about(place: Place) -> None:
    place.write(selfreview_conf_py=CONF)
    place.trust()
    place.write(selfreview_conf_py=CONF + "\n")
    assert header(place.load()) == []


def test_the_bytes_that_were_judged_are_the_bytes_that_run(place: Place) -> None:
    place.write(selfreview_conf_py=CONF)
    place.trust()
    reads: list[str] = []

    def read(name: str) -> bytes | None:
        """Read a repository whose local plugin is replaced as soon as somebody has looked at it."""
        reads.append(name)
        if name != "selfreview_conf.py":
            return None
        return CONF.encode() if reads.count(name) == 1 else b"raise RuntimeError('replaced')"

    (place.root / "selfreview_conf.py").write_text("raise RuntimeError('replaced on disk')")
    assert header(place.load(read_repo_file=read)) == ["level 1"]
    assert sorted(reads) == ["pyproject.toml", "selfreview.toml", "selfreview_conf.py"]


def test_it_can_be_left_out(place: Place) -> None:
    place.write(selfreview_conf_py="raise RuntimeError", selfreview_toml="[mine]\nlevel = 3")
    place.trust()
    loaded = place.load("no:selfreview_conf")
    assert [record.state for record in loaded.manager.records()] == ["blocked"]
    assert "selfreview_conf.py, which is blocked" in loaded.notes[0]
    assert [record.state for record in place.load("no:selfreview_conf", trusted=False).manager.records()] == ["blocked"]


def test_a_misspelt_hook_in_it(place: Place) -> None:
    place.write(
        selfreview_conf_py="from selfreview.api import hookimpl\n@hookimpl\ndef selfreview_verdit(result, config): pass"
    )
    place.trust()
    with pytest.raises(PluginError) as error:
        place.load()
    assert error.value.message == "plugin 'selfreview_conf' implements an unknown hook 'selfreview_verdit'"
    assert error.value.hint == "did you mean 'selfreview_verdict'?"


def test_a_key_that_it_declares_twice(place: Place) -> None:
    place.write(selfreview_conf_py=CONF.replace('"mine.level"', '"jobs"'))
    place.trust()
    with pytest.raises(PluginError, match="configuration key 'jobs' is declared twice"):
        place.load()


# --- the caller decides --------------------------------------------------------------------------------------------


def test_a_gate_reads_from_elsewhere_and_decides_itself(place: Place, reader: Callable[..., RepoReader]) -> None:
    place.write(selfreview_toml="jobs = 9", selfreview_conf_py="raise RuntimeError")
    base = reader({"selfreview.toml": "jobs = 2\n" + COMMAND, "selfreview_conf.py": CONF})
    loaded = place.load(read_repo_file=base, trusted=True)
    assert (loaded.config["jobs"], loaded.config.may_run("command.eslint"), header(loaded)) == (2, True, ["level 1"])


def test_a_caller_can_make_sure_that_nothing_runs(place: Place) -> None:
    place.write(selfreview_conf_py="raise RuntimeError", selfreview_toml=COMMAND)
    place.trust()
    loaded = place.load(trusted=False)
    assert not loaded.config.may_run("command.eslint")
    assert loaded.trust.subject is not None


# --- plugins that are off ------------------------------------------------------------------------------------------


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Builtins]:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "own_lint.py").write_text(
        "from selfreview.api import Key, hookimpl\n"
        "@hookimpl\n"
        "def selfreview_addoption(parser):\n"
        "    parser.add_key(Key(name='lint.level', kind='int', default=1, help='x'))\n"
        "    parser.add_key(Key(name='lint.tool', kind='str', default='', help='x', executes=True))\n"
    )
    monkeypatch.syspath_prepend(tmp_path / "site")
    yield Builtins(essential={}, default={"lint": "own_lint"})
    sys.modules.pop("own_lint", None)


def test_settings_of_a_plugin_that_is_off_are_no_error(place: Place, plugin: Builtins) -> None:
    place.write(selfreview_toml="[lint]\nlevel = 2")
    assert place.load(builtins=plugin).config["lint.level"] == 2
    loaded = place.load("no:lint", builtins=plugin)
    assert loaded.notes == ("selfreview.toml:1: [lint] has no effect, because plugin 'lint' is blocked",)


PAGER = """
from selfreview.api import Key, channel_keys, hookimpl
@hookimpl
def selfreview_addoption(parser):
    for key in (*channel_keys("pager"), Key(name="ring", kind="bool", default=False, help="x")):
        parser.add_key(key)
"""


@pytest.fixture
def pager(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A plugin on the path, which is not installed."""
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "pager.py").write_text(PAGER)
    monkeypatch.syspath_prepend(folder)
    yield folder
    sys.modules.pop("pager", None)


ALONE = {"SELFREVIEW_DISABLE_PLUGIN_AUTOLOAD": "1"}


def install(folder: Path, **entry_points: str) -> None:
    info = folder / "acme-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    lines = [f"{key} = {value}" for key, value in entry_points.items()]
    (info / "entry_points.txt").write_text("\n".join(["[selfreview]", *lines, ""]))


def test_settings_below_a_table_of_many_plugins_are_no_error_where_theirs_is_off(place: Place, pager: Path) -> None:
    place.write(selfreview_toml="[notify.pager]\nevents = ['error']")
    slack = Builtins(essential={}, default={"notify-slack": "selfreview.pullrequest.notifiers.slack"})
    assert place.load("pager", builtins=slack).notes == ()
    notes = place.load("pager", "no:pager", builtins=slack).notes
    assert notes[-1] == "selfreview.toml:1: [notify.pager] has no effect, because plugin 'pager' is blocked"


def test_settings_may_be_those_of_an_installed_plugin_that_is_off(place: Place, pager: Path) -> None:
    install(pager, acme="pager")
    place.write(selfreview_toml="ring = true\n[notify.pager]\nevents = ['error']")
    assert place.load().notes == ()
    for loaded, state in (
        (place.load("no:acme"), "blocked"),
        (place.load(environ=place.environ | ALONE), "off"),
    ):
        assert loaded.notes == (
            f"selfreview.toml:1: ring has no effect: it is not a key, or one of plugin 'acme', which is {state}",
            f"selfreview.toml:2: notify has no effect: it is not a key, or one of plugin 'acme', which is {state}",
        )


def test_a_table_of_nobody_is_an_error_that_tells_of_plugins(place: Place, pager: Path) -> None:
    place.write(selfreview_toml="[notify.pager]\nevents = ['error']")
    with pytest.raises(ConfigError, match="unknown key notify") as caught:
        place.load(environ=place.environ | ALONE)
    assert caught.value.hint == "selfreview config lists the keys, those of a plugin while it is loaded (-p NAME)"


def test_a_table_of_a_plugin_that_is_none(place: Place, plugin: Builtins) -> None:
    place.write(selfreview_toml="lint = 1", selfreview_conf_py="")
    with pytest.raises(ConfigError, match=r"^selfreview\.toml:1: lint must be a table$"):
        place.load(builtins=plugin)


def test_leaving_a_plugin_out_is_no_reason_to_ask_again(place: Place, plugin: Builtins) -> None:
    place.write(selfreview_toml="[lint]\nlevel = 2", selfreview_conf_py=CONF)
    place.trust(place.load(builtins=plugin))
    assert place.load("no:lint", builtins=plugin).trust.trusted
    place.write(selfreview_toml="[lint]\nlevel = 3")
    assert place.load(builtins=plugin).trust.trusted
    assert not place.load().trust.trusted


def test_what_a_plugin_says_executes_is_asked_about(place: Place, plugin: Builtins) -> None:
    place.write(selfreview_toml="[lint]\nlevel = 2")
    assert place.load(builtins=plugin).trust.subject is None
    place.write(selfreview_toml="[lint]\nlevel = 2\ntool = 'x'")
    loaded = place.load(builtins=plugin)
    assert loaded.trust.subject is not None
    assert loaded.trust.subject.tables == {"lint": {"tool": "x"}}
    assert loaded.config["lint.tool"] == ""
    place.trust(loaded)
    assert place.load(builtins=plugin).config["lint.tool"] == "x"


def test_an_error_on_the_command_line_comes_before_any_file_is_read(place: Place) -> None:
    place.write(selfreview_toml="=")
    with pytest.raises(UsageError):
        place.load("no:")


def test_settings_that_only_a_call_completes_are_none_of_their_own(place: Place) -> None:
    (place.config_dir / "config.toml").write_text("[command.eslint]\nrun = ['eslint']\n")
    with pytest.raises(ConfigError, match="format"):
        place.load()
    loaded = place.load(options={"command.eslint.format": "sarif"})
    assert loaded.config.table("command")["eslint"]["format"] == "sarif"
    assert loaded.settings is None


def test_a_call_leaves_the_settings_of_the_files_as_they_are(place: Place) -> None:
    (place.config_dir / "config.toml").write_text("severity_threshold = 'low'\n")
    loaded = place.load(options={"severity_threshold": "never"})
    assert loaded.settings is not None
    assert (loaded.config["severity_threshold"], loaded.settings["severity_threshold"]) == ("never", "low")
    assert place.load().settings is not None
