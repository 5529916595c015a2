"""Errors in configuration files: the key, the file, the line, and what to do."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from selfreview.api import Key
from selfreview.config.keys import LOOP_KEYS
from selfreview.config.view import Config
from selfreview.errors import ConfigError, PluginError

Configure = Callable[..., Config]

EXAMPLE = r"""for any lines: format = "pattern", pattern = '^(?P<file>[^:]+):(?P<line>\d+): (?P<message>.*)$'"""

LISTED = "selfreview config lists the keys, those of a plugin while it is loaded (-p NAME)"
CASES: list[tuple[str, str, str | None]] = [
    ('\nseverty_threshold = "low"', "2: unknown key severty_threshold", "did you mean 'severity_threshold'?"),
    ("zzz = 1", "1: unknown key zzz", LISTED),
    ("[zzz]\nx = 1", "1: unknown key zzz", LISTED),
    (
        "[tool.selfreview]\nbase = 'x'",
        "1: unknown key tool",
        "[tool.selfreview] is for pyproject.toml; here the keys stand at the top",
    ),
    ('"on_incomplete.x" = 1', "1: unknown key 'on_incomplete.x'", "did you mean 'on_incomplete'?"),
    ('"a\\nb\\u001b" = 1', "1: unknown key 'a\\nb\\x1b'", LISTED),
    ("base = 1", "1: base must be a string, not an integer", None),
    ("base = ''", "1: base must name a commit", None),
    ("base = '--output=x'", "1: base must name a commit", None),
    ('base = "a\\u0000b"', "1: base must not hold a NUL character", None),
    ("jobs = true", "1: jobs must be a whole number, not a boolean", None),
    ("jobs = 1.0", "1: jobs must be a whole number, not a float", None),
    ("jobs = -1", "1: jobs must be at least 0", None),
    ("jobs = 9223372036854775808", "1: jobs must be a number of reasonable size", None),
    ("jobs = 1" + "0" * 400, "1: jobs must be a number of reasonable size", None),
    ("cache = 1", "1: cache must be true or false, not an integer", None),
    ("cache = 1979-05-27", "1: cache must be true or false, not a date or time", None),
    ("reviewer_timeout = 'x'", "1: reviewer_timeout must be a number, not a string", None),
    ("reviewer_timeout = true", "1: reviewer_timeout must be a number, not a boolean", None),
    ("reviewer_timeout = nan", "1: reviewer_timeout must be a number of reasonable size", None),
    ("reviewer_timeout = inf", "1: reviewer_timeout must be a number of reasonable size", None),
    ("reviewer_timeout = 1e10", "1: reviewer_timeout must be at most 1000000", None),
    ("reviewer_timeout = 0.5", "1: reviewer_timeout must be at least 1", None),
    ("exclude = 'x'", "1: exclude must be a list of strings, not a string", None),
    ("exclude = [\n'a',\n1,\n]", "3: exclude[1] must be a string, not an integer", None),
    ("exclude = ['a', ' ']", "1: exclude[1] must hold patterns, not an empty string", None),
    (
        "on_incomplete = 'wran'",
        "1: on_incomplete must be one of fail, warn, not 'wran'",
        "did you mean 'warn'?",
    ),
    ("reviewers = 'ruff'", "1: reviewers must be \"auto\" or a list of strings, not 'ruff'", 'did you mean ["ruff"]?'),
    ("reviewers = 'auot'", "1: reviewers must be \"auto\" or a list of strings, not 'auot'", "did you mean 'auto'?"),
    ('"\u00e9" = 1', "1: unknown key '\u00e9'", LISTED),
    ("reviewers = []", '1: reviewers must name a reviewer, or be "auto"', None),
    ("reviewers = ['a',\n'a']", "2: reviewers[1] must hold names, each once", None),
    ("required_reviewers = ['']", "1: required_reviewers[0] must hold names, each once", None),
    (
        "severity_threshold = 'hihg'",
        "1: severity_threshold must be one of critical, high, medium, low, suggestion, never, not 'hihg'",
        "did you mean 'high'?",
    ),
    ("severity_threshold = 3", "1: severity_threshold must be a string or a table, not an integer", None),
    (
        "[severity_threshold]\ndefault = 'low'\nsecurty = 'low'",
        "3: severity_threshold.securty is not a category; there are default, security, architecture, logic, style,"
        " performance, testing, documentation",
        "did you mean 'security'?",
    ),
    (
        "[severity_threshold]\nstyle = 'often'",
        "2: severity_threshold.style must be one of critical, high, medium, low, suggestion, never",
        None,
    ),
    (
        "[severity_threshold]\nstyle = 1",
        "2: severity_threshold.style must be one of critical, high, medium, low, suggestion, never",
        None,
    ),
    ("command = 1", "1: command must be a table, not an integer", None),
    ("[command]\nrun = ['x']", "2: command.run must be a table such as [command.run], not an array", None),
    ("[[command.x]]\nrun = ['x']", "1: command.x must be a table such as [command.x], not an array", None),
    ("[command.'a b']", "1: command.'a b' must be named with letters, digits, '-' and '_'", None),
    ("[command.'a.b']", "1: command.'a.b' must be named with letters, digits, '-' and '_'", None),
    (
        "[per_file_ignores]\n'src/*' = ['x']\nrules_path = ['rules']",
        "3: per_file_ignores.rules_path is a configuration key, and no pattern of files",
        "rules_path belongs above [per_file_ignores]; for files of that name: **/rules_path",
    ),
    ("[command.x]\n", "1: command.x lacks the key 'run'", None),
    ("[command.x]\nrun = ['x']", "1: command.x lacks the key 'format'", EXAMPLE),
    ("[command.x]\nrun = ['x']\nfromat = 'sarif'", "3: command.x.fromat is not a known key", "did you mean 'format'?"),
    ("[command.x]\nrun = 'x'", "2: command.x.run must be a list of strings, not a string", None),
    ("[command.x]\nrun = []", "2: command.x.run must be a list of strings, not an empty one", None),
    ("[command.x]\nrun = ['x',\n 1]", "3: command.x.run[1] must hold strings only, not an integer", None),
    ("[command.x]\nrun = ['x', '']", "2: command.x.run[1] must hold strings only, not an empty one", None),
    ('[command.x]\nrun = ["x",\n"a\\u0000"]', "3: command.x.run[1] must not hold a NUL character", None),
    (
        "[command.x]\nrun = ['x',\n'--in={files}']",
        "3: command.x.run[1] must be {files} alone: every file becomes an argument of its own",
        None,
    ),
    (
        "[command.x]\nrun = ['x',\n'{files}',\n'{files}']",
        "4: command.x.run[2] repeats {files}, which may stand once",
        None,
    ),
    ("[command.x]\nrun = ['{files}']", "2: command.x.run[0] must be a program, not {files}", None),
    (
        "[command.x]\nfix = ['x', '--fix']",
        "2: command.x.fix must hold {files}: only the files with issues are to be fixed",
        None,
    ),
    ("[command.x]\nfix = 'x {files}'", "2: command.x.fix must be a list of strings, not a string", None),
    ("[command.x]\nformat = 'xml'", "2: command.x.format must be one of sarif, rdjson, rdjsonl, pattern", EXAMPLE),
    ("[command.x]\nformat = ['sarif']", "2: command.x.format must be one of sarif, rdjson, rdjsonl, pattern", EXAMPLE),
    ("[command.x]\npattern = '('", "2: command.x.pattern is not a regular expression: missing ), unterminated", None),
    ("[command.x]\npattern = '(?P<file>x)'", "2: command.x.pattern lacks the group (?P<line>…)", None),
    ("[command.x]\npattern = 3", "2: command.x.pattern must be a string, not an integer", None),
    ("[command.x]\nfiles = '*.js'", "2: command.x.files must be a list of strings, not a string", None),
    ("[command.x]\nrequired = 'yes'", "2: command.x.required must be true or false, not a string", None),
    (
        "[command.x]\nseverity = 'high'",
        "2: command.x.severity must be a table from the tool's levels to severities, not a "
        'string (for results without a level: severity = { default = "high" })',
        None,
    ),
    (
        "[command.x.severity]\nerror = 'high'\nnote = 'info'",
        "3: command.x.severity.note must be one of critical, high, medium, low, suggestion",
        None,
    ),
    ("[command.x]\ncategory = 'bugs'", "2: command.x.category must be one of security, architecture, logic", None),
    ("[command.x]\ninputs = [1]", "2: command.x.inputs[0] must hold strings only, not an integer", None),
    ("[command.x]\ntimeout = 0", "2: command.x.timeout must be a number of seconds", None),
    ("[command.x]\ntimeout = 'x'", "2: command.x.timeout must be a number of seconds", None),
    ("[command.x]\ntimeout = 1_000_001", "2: command.x.timeout must be a number of seconds", None),
    ("[command.x]\npattern = ''", "2: command.x.pattern must be a string, not an empty one", None),
    ("[command.x]\nok_exit_codes = 5", "2: command.x.ok_exit_codes must be a list of whole numbers", None),
    (
        "[command.x]\nok_exit_codes = []",
        "2: command.x.ok_exit_codes must be a list of whole numbers, not an empty",
        None,
    ),
    ("[command.x]\nok_exit_codes = ['x']", "2: command.x.ok_exit_codes[0] must hold whole numbers from 0", None),
    ("[command.x]\ntimeout = true", "2: command.x.timeout must be a number of seconds", None),
    ("[command.x]\ntimeout = nan", "2: command.x.timeout must be a number of seconds", None),
    (
        "[command.x]\nok_exit_codes = 0",
        "2: command.x.ok_exit_codes must be a list of whole numbers, not an integer",
        None,
    ),
    ("[command.x]\nok_exit_codes = [0, 256]", "2: command.x.ok_exit_codes[1] must hold whole numbers from 0", None),
    ("[command.x]\nok_exit_codes = [true]", "2: command.x.ok_exit_codes[0] must hold whole numbers from 0", None),
    (
        "[command.x]\nrun = ['x']\nformat = 'pattern'",
        "3: command.x.format goes with the key 'pattern' exactly if it is \"pattern\"",
        EXAMPLE,
    ),
    (
        "[command.x]\nrun = ['x']\nformat = 'sarif'\npattern = '(?P<file>x)(?P<line>x)(?P<message>x)'",
        "3: command.x.format goes with the key 'pattern' exactly if it is \"pattern\"",
        EXAMPLE,
    ),
]


@pytest.mark.parametrize(("text", "message", "hint"), CASES, ids=[case[0][:40] for case in CASES])
def test_an_error_names_key_file_and_line(configure: Configure, text: str, message: str, hint: str | None) -> None:
    with pytest.raises(ConfigError) as error:
        configure(text)
    assert error.value.message.startswith(f"selfreview.toml:{message}")
    assert error.value.hint == hint
    assert error.value.message.isprintable()


@pytest.mark.parametrize(
    "text",
    [
        "jobs = 0",
        "reviewer_timeout = 1",
        "reviewer_timeout = 1_000_000",
        "max_file_bytes = 1",
        "cache = false",
        "on_incomplete = 'warn'",
        "severity_threshold = 'never'",
        "reviewers = ['ruff']",
        "exclude = []",
    ],
)
def test_what_is_just_allowed_is_allowed(configure: Configure, text: str) -> None:
    (name,) = text.split(" = ")[:1]
    assert configure(text).origin(name) == "selfreview.toml:1"


def test_every_sub_key_of_a_command_is_accepted(configure: Configure) -> None:
    text = r"""
[command.eslint]
run = ["npx", "eslint", "{files}"]
format = "pattern"
pattern = '^(?P<file>[^:]+):(?P<line>\d+): (?P<message>.*)$'
files = ["*.js"]
required = true
severity = { error = "high", warning = "medium" }
category = "style"
inputs = []
timeout = 0.5
ok_exit_codes = [0, 255]
"""
    assert configure(text).table("command")["eslint"]["timeout"] == 0.5


def test_the_users_file_is_checked_as_the_repositorys_is(configure: Configure) -> None:
    with pytest.raises(ConfigError, match=r"^config\.toml:1: jobs must be a whole number"):
        configure(user="jobs = 'x'")


def test_a_command_may_be_made_by_two_files(configure: Configure) -> None:
    config = configure("[command.x]\nfiles = ['*.a']", user="[command.x]\nrun = ['x']\nformat = 'sarif'")
    assert config.table("command")["x"] == {"run": ["x"], "format": "sarif", "files": ["*.a"]}


def test_what_two_files_make_together_is_checked_where_it_stands(configure: Configure) -> None:
    with pytest.raises(ConfigError, match=r"^selfreview\.toml:2: command\.x\.format goes with"):
        configure("[command.x]\nformat = 'pattern'", user="[command.x]\nrun = ['x']\nformat = 'sarif'")


MINE = (
    Key(name="mine.token", kind="str", default="", help="x", user_only=True),
    Key(name="mine.url", kind="str", default="", help="x", user_only=True, env="MINE_URL"),
    Key(name="mine.deep.level", kind="int", default=1, help="x"),
    Key(name="mine.all", kind="table", default={}, help="x", user_only=True),
)


@pytest.mark.parametrize(
    ("name", "value", "hint"),
    [
        ("token", "'x'", "set it in your own configuration file, or as SELFREVIEW_MINE__TOKEN"),
        ("url", "'x'", "set it in your own configuration file, or as MINE_URL"),
        ("all", "{}", "set it in your own configuration file"),
    ],
)
def test_a_repository_cannot_set_what_is_the_persons(configure: Configure, name: str, value: str, hint: str) -> None:
    with pytest.raises(ConfigError) as error:
        configure(f"[mine]\n{name} = {value}", keys=MINE)
    assert error.value.message == f"selfreview.toml:2: mine.{name} may not be set by a repository"
    assert error.value.hint == hint
    configure(user=f"[mine]\n{name} = {value}", keys=MINE)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mine = 1", "1: mine must be a table"),
        ("[mine]\ndeep = 'x'", "2: mine.deep must be a table"),
        ("[mine.deep]\nlevle = 1", "2: unknown key mine.deep.levle"),
        ("[mine.deep]\nlevel = 'x'", "2: mine.deep.level must be a whole number, not a string"),
        ("mine.deep.level.x = 1", "1: mine.deep.level must be a whole number, not a table"),
    ],
)
def test_keys_of_tables(configure: Configure, text: str, message: str) -> None:
    with pytest.raises(ConfigError) as error:
        configure(text, keys=MINE)
    assert error.value.message == f"selfreview.toml:{message}"


def test_a_check_that_raises_is_the_plugins_defect(configure: Configure) -> None:
    key = Key(name="mine", kind="int", default=1, help="x", check=lambda value: str(value // 0))
    with pytest.raises(PluginError, match="the check of configuration key 'mine' failed: ZeroDivisionError"):
        configure("mine = 1", keys=(key,))


def test_a_plain_text_from_a_check_is_enough(configure: Configure) -> None:
    key = Key(name="mine", kind="int", default=1, help="x", check=lambda value: "must be even" if value % 2 else None)
    with pytest.raises(ConfigError, match=r"^selfreview\.toml:1: mine must be even$"):
        configure("mine = 1", keys=(key,))
    assert configure("mine = 2", keys=(key,))["mine"] == 2


def test_a_choice_of_a_plugin(configure: Configure) -> None:
    key = Key(name="mine", kind="str_or_list", default="a", help="x", choices=("a", "b"))
    with pytest.raises(ConfigError, match='mine must be "a" or "b" or a list of strings, not \'c\''):
        configure("mine = 'c'", keys=(key,))
    assert configure("mine = ['c']", keys=(key,))["mine"] == ["c"]


def test_the_example_of_a_pattern_is_one(configure: Configure) -> None:
    values = EXAMPLE.removeprefix("for any lines: ").replace(", pattern", "\npattern")
    table = configure(f"[command.x]\nrun = ['x']\n{values}\n").table("command")["x"]
    match = re.search(table["pattern"], "a/b.c:3: no good")
    assert match is not None
    assert match.groupdict() == {"file": "a/b.c", "line": "3", "message": "no good"}


@pytest.mark.parametrize(("names", "index"), [("['ruff', ' ']", 1), ("['ruff', 'auto', 'ruff']", 2)])
def test_fixers_are_named_once_each(configure: Configure, names: str, index: int) -> None:
    with pytest.raises(ConfigError, match=rf"^selfreview\.toml:1: fixers\[{index}\] must hold names, each once"):
        configure(f"fixers = {names}", keys=LOOP_KEYS)
    assert configure("fixers = ['ruff', 'auto']", keys=LOOP_KEYS)["fixers"] == ["ruff", "auto"]
    assert configure("fixers = 'auto'", keys=LOOP_KEYS)["fixers"] == "auto"
