"""What is documented exists, and what exists is documented."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import click
import pytest

from selfreview import hookspecs
from selfreview.cli.main import COMMANDS, group
from selfreview.config.keys import CORE_KEYS, LOOP_KEYS
from selfreview.errors import ExitCode
from selfreview.fixers.claude import KEYS as FIX_KEYS
from selfreview.llm.exclusions import Exclusions
from selfreview.llm.prompts import LENSES
from selfreview.model.refinement import Stop
from selfreview.reviewers._claude_keys import KEYS

LOOP_HOOKS = (
    "register_fixers",
    "before_apply",
    "should_stop",
    "state_changed",
    "refinement_completed",
    "ready_for_human",
)
ROOT = Path(__file__).parent.parent


_PAGES = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "docs" / "refinement.md")


def test_every_key_is_documented_with_its_default() -> None:
    text = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    documented = set(re.findall(r"^\| `([a-z_]+)` \|", text, re.MULTILINE))
    assert documented == {key.name for key in (*CORE_KEYS, *LOOP_KEYS)}


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda page: page.stem)
def test_no_blank_line_breaks_off_a_table(page: Path) -> None:
    broken = re.findall(r"^\|.*\|\n\n\|.*\|\n(?!\|[- |:]+\|\n)", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert not broken


def test_the_revision_for_pre_commit_is_a_placeholder_that_says_what_to_put_there() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"^ *rev: *(\S+) *# (.*)$", readme, re.MULTILINE) == [("TAG-OR-COMMIT", "a tag or commit of it")]


def test_every_key_of_the_model_is_documented_with_its_default() -> None:
    text = (ROOT / "docs" / "models.md").read_text(encoding="utf-8")
    documented = dict(re.findall(r"^\| `(claude\.[a-z_]+)` \| ([^|]+) \|", text, re.MULTILINE))
    shown = {"claude.verify_model": "the same", "claude.base_url": "the provider's", "claude.prices": "a table"}
    shown |= {"claude.fix_model": "that of `claude.model`"}
    keys = (*KEYS, *FIX_KEYS)
    assert documented == {key.name: shown.get(key.name, f"`{json.dumps(key.default)}`") for key in keys}


def test_every_stop_and_every_hook_of_the_loop_is_documented() -> None:
    text = (ROOT / "docs" / "refinement.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `(\w+)` \| ", text, re.MULTILINE)) >= {stop.value for stop in Stop}
    hooks = set(re.findall(r"`(selfreview_\w+)`", text))
    assert hooks >= {f"selfreview_{name}" for name in LOOP_HOOKS}
    assert all(hasattr(hookspecs, name) for name in hooks)


def test_every_exit_code_is_in_the_readme() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    codes = {int(code) for code in re.findall(r"^\| (\d+) \|", text, re.MULTILINE)}
    assert codes == {int(code) for code in ExitCode}


def test_every_command_of_the_readme_exists() -> None:
    texts = [path.read_text(encoding="utf-8") for path in _PAGES]
    named = {name for text in texts for name in re.findall(r"(?:`|\$ |bin/|\| )selfreview ([a-z]+)", text)}
    assert named
    assert named <= set(COMMANDS)


def _invocations() -> list[str]:
    """Return what README and docs show of selfreview's command lines, without what only a shell reads."""
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
    found: set[str] = set()
    for page in pages:
        text = page.read_text(encoding="utf-8")
        found.update(re.findall(r"`(?:\w+=\S+ )*selfreview ([a-z][^`\n]*)`", text))
        found.update(re.findall(r"^\$ (?:\S*/)?selfreview ([a-z][^#\n|>&]*)", text, re.MULTILINE))
    return sorted(line.strip() for line in found if "…" not in line and "..." not in line)


@pytest.mark.parametrize("line", _invocations())
def test_every_documented_invocation_can_be_typed(line: str) -> None:
    words = shlex.split(line)
    command: click.Command = group
    context = click.Context(command)
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        found = command.get_command(context, words[0])
        assert found is not None, words[0]
        command, words = found, words[1:]
        context = click.Context(command, parent=context)
    known = {option for each in command.get_params(context) for option in (*each.opts, *each.secondary_opts)}
    for word in words:
        if word.startswith("-"):
            assert word.partition("=")[0] in known, word


def test_the_names_of_prompts_are_those_that_are_documented() -> None:
    text = (ROOT / "docs" / "models.md").read_text(encoding="utf-8")
    names = re.findall(r"show --prompt ([\w:/]+)", text)
    assert names
    for name in names:
        assert name == "all" or name.startswith("sr-") or re.fullmatch(rf"(?:{'|'.join(LENSES)})(?::\d+/\d+)?", name)


def test_the_example_of_exclusions_can_be_read() -> None:
    text = (ROOT / "docs" / "models.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```toml\n(# \.selfreview/prompts/exclusions\.toml.*?)```", text, re.DOTALL)
    assert Exclusions.parse(example).words == ["how log messages are worded"]


def test_every_file_of_the_map_exists() -> None:
    text = (ROOT / "AGENTS.md").read_text(encoding="utf-8")
    for name in re.findall(r"`((?:tests|docs|benchmarks|src)/[\w/.]+)`", text):
        assert (ROOT / name).exists(), name
    for name in re.findall(r"^\| `(\w+(?:\.py|/))`", text, re.MULTILINE):
        assert (ROOT / "src" / "selfreview" / name).exists(), name
