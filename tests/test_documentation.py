"""What is documented by hand exists; the reference and the tutorial have tests of their own in ``tests/docs``."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from selfreview import hookspecs
from selfreview.llm.context.exclusions import Exclusions
from selfreview.llm.context.prompts import LENSES
from selfreview.model.refinement import Stop
from tests.docs import pages

LOOP_HOOKS = (
    "register_fixers",
    "before_apply",
    "should_stop",
    "state_changed",
    "refinement_completed",
    "ready_for_human",
)
ROOT = pages.ROOT
README = (ROOT / "README.md").read_text(encoding="utf-8")
MODEL = (ROOT / "docs" / "guides" / "model.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", pages.PAGES, ids=pages.name)
def test_no_blank_line_breaks_off_a_table(page: Path) -> None:
    broken = re.findall(r"^\|.*\|\n\n\|.*\|\n(?!\|[- |:]+\|\n)", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert not broken


class TestReadme:
    def test_two_commands_are_complete_each_by_itself_one_does_the_main_job_and_one_runs_the_tests(self) -> None:
        consoles = [body for language, body in pages.blocks(README) if language == "console"]
        set_up = "$ python3 -m venv .venv && .venv/bin/pip install -q -e '.[dev]' && "
        assert consoles == [
            f"{set_up}.venv/bin/selfreview demo\n",
            f"{set_up}.venv/bin/pytest\n",
            "$ selfreview run\n",
        ]

    def test_ci_runs_the_two_as_they_stand_there(self) -> None:
        run = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
        (pattern,) = re.findall(r"mapfile .*sed -n '(.*)' README.md", run)
        found = subprocess.run(
            ["sed", "-n", pattern, "README.md"], cwd=ROOT, check=True, capture_output=True, text=True
        )
        assert [line.split("/")[-1] for line in found.stdout.splitlines()] == ["selfreview demo", "pytest"]

    def test_the_first_screen_has_it_all_in_order(self) -> None:
        first = README.partition("\n## ")[0]
        parts = (
            "/selfreview demo",
            "/pytest",
            "![",
            "pipx install",
            "selfreview run\n",
            "- id: selfreview-push",
            "- uses: OWNER/",
        )
        places = [first.index(part) for part in parts]
        assert places == sorted(places)
        assert len(re.findall(r"\w\. |\w\.\n", first.partition("You need Python")[0])) == 2, "two sentences"

    @pytest.mark.parametrize("page", ["README.md", "docs/guides/pre-commit.md"])
    def test_the_revision_for_pre_commit_is_a_placeholder_that_says_what_to_put_there(self, page: str) -> None:
        text = (ROOT / page).read_text(encoding="utf-8")
        assert re.findall(r"^ *rev: *(\S+) *# (.*)$", text, re.MULTILINE) == [
            ("TAG-OR-COMMIT", "a tag or commit of it")
        ]

    def test_actions_are_pinned_as_in_the_workflow_that_init_writes(self) -> None:
        workflow = (ROOT / "templates" / "ci" / "github.yml").read_text(encoding="utf-8")
        pins = re.findall(r"uses: (actions/\S+@[0-9a-f]{40} # v\S+)", README)
        assert pins
        assert all(pin in workflow for pin in pins)


def test_every_stop_and_every_hook_of_the_loop_is_documented() -> None:
    text = (ROOT / "docs" / "explanation" / "refinement.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `(\w+)` \| ", text, re.MULTILINE)) >= {stop.value for stop in Stop}
    hooks = set(re.findall(r"`(selfreview_\w+)`", text))
    assert hooks >= {f"selfreview_{name}" for name in LOOP_HOOKS}
    assert all(hasattr(hookspecs, name) for name in hooks)


def test_the_names_of_prompts_are_those_that_are_documented() -> None:
    text = "".join(page.read_text(encoding="utf-8") for page in pages.PAGES)
    names = re.findall(r"show --prompt ([\w:/-]+)", text)
    assert names
    for name in names:
        assert (
            name == "all"
            or name.startswith(("sr-", "agent-"))
            or re.fullmatch(rf"(?:{'|'.join(LENSES)})(?::\d+/\d+)?", name)
        )


def test_the_example_of_exclusions_can_be_read() -> None:
    (example,) = re.findall(r"```toml\n(# \.selfreview/prompts/exclusions\.toml.*?)```", MODEL, re.DOTALL)
    assert Exclusions.parse(example).words == ["how log messages are worded"]


def test_every_file_of_the_map_exists() -> None:
    text = (ROOT / "AGENTS.md").read_text(encoding="utf-8")
    for name in re.findall(r"`((?:tests|docs|benchmarks|src)/[\w/.]+)`", text):
        assert (ROOT / name).exists(), name
    for name in re.findall(r"^\| `(\w+(?:\.py|/))`", text, re.MULTILINE):
        assert (ROOT / "src" / "selfreview" / name).exists(), name


def test_every_word_of_the_glossary_has_a_place_in_the_code() -> None:
    glossary = (ROOT / "AGENTS.md").read_text(encoding="utf-8").partition("## Words")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (?!word|-)(.+?) \| .+? \| (.+?) \|$", glossary, re.MULTILINE)
    words = [word for word, _ in rows]
    assert len(words) > 50
    assert words == sorted(words)
    for word, places in rows:
        for place in re.findall(r"`([^`]+)`", places):
            assert any((folder / place).exists() for folder in (ROOT / "src" / "selfreview", ROOT)), (word, place)


def test_every_file_that_the_code_sends_people_to_exists() -> None:
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py")]
    names = {name for text in sources for name in re.findall(r"see (docs/[\w/.-]+\.md)", text)}
    assert names
    assert not [name for name in names if not (ROOT / name).exists()]
