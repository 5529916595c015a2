"""What is documented exists, and what exists is documented."""

from __future__ import annotations

import json
import re
from pathlib import Path

from selfreview import hookspecs
from selfreview.cli.main import COMMANDS
from selfreview.config.keys import CORE_KEYS, LOOP_KEYS
from selfreview.errors import ExitCode
from selfreview.fixers.claude import KEYS as FIX_KEYS
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


def test_every_file_of_the_map_exists() -> None:
    text = (ROOT / "AGENTS.md").read_text(encoding="utf-8")
    for name in re.findall(r"`((?:tests|docs|benchmarks|src)/[\w/.]+)`", text):
        assert (ROOT / name).exists(), name
    for name in re.findall(r"^\| `(\w+(?:\.py|/))`", text, re.MULTILINE):
        assert (ROOT / "src" / "selfreview" / name).exists(), name
