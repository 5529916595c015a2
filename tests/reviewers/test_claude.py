"""What the model reviewer says of itself without asking a model."""

from __future__ import annotations

from typing import Any

import pytest

from selfreview.api import Estimate
from selfreview.reviewers.claude import KEYS, ClaudeReviewer, edited_settings
from selfreview.testing.context import MemoryContext

DEFAULTS: dict[str, Any] = {key.name: key.default for key in KEYS}
DEFAULTS |= {"requirements": [], "severity_threshold": "medium"}
SETTINGS = {
    "claude.provider": "vertex",
    "claude.base_url": "http://127.0.0.1:1",
    "claude.model": "other",
    "claude.verify_model": "other",
    "claude.effort": "thorough",
    "claude.task_tokens": 700,
    "severity_threshold": "never",
    "requirements": ["SPEC.md"],
}


def made(files: dict[str, Any] | None = None, **config: Any) -> tuple[ClaudeReviewer, MemoryContext]:
    context = MemoryContext(
        files or {"a.py": ("1\n", "2\n")}, config={**DEFAULTS, **config}, others={"SPEC.md": "All of it."}
    )
    return ClaudeReviewer(context.config), context


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test-key")
    monkeypatch.setenv("ANTHROPIC_VERTEX_PROJECT_ID", "project")
    monkeypatch.setenv("CLOUD_ML_REGION", "region")


@pytest.mark.parametrize("name", SETTINGS)
def test_another_reviewer_is_another_key(name: str) -> None:
    reviewer, context = made()
    other, same_context = made(**{name: SETTINGS[name]})
    key = reviewer.cache_key(context)
    assert key is not None
    assert key == made()[0].cache_key(context)
    assert other.cache_key(same_context) not in (key, None)


@pytest.mark.parametrize("path", ["selfreview.toml", "pyproject.toml"])
def test_a_change_that_sets_how_it_is_reviewed_is_told_of(path: str) -> None:
    table = "claude" if path == "selfreview.toml" else "tool.selfreview.claude"
    old = f"[{table}]\neffort = 'thorough'\nmodel = 'a'\n"
    new = f"[{table}]\neffort = 'quick'\nmodel = 'a'\ntimeout = 9\n"
    reviewer, context = made({path: (old, new), "a.py": ("", "x\n")})
    says = f"the change itself sets how the model reviews it: claude.effort, claude.timeout in {path}"
    assert reviewer.notes(context) == [says]


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        "[other]\nx = 1",
        "claude = 1",
        "[claude",
        "x = " + "[" * 100_000,
        "x = " + "1" * 5_000,
        "[tool]\nselfreview = 1",
        b"\xff",
    ],
)
def test_what_sets_nothing_is_not_told_of(text: str | bytes | None) -> None:
    files = {"selfreview.toml": ("[claude]\n", text), "pyproject.toml": ("", text)}
    assert edited_settings(MemoryContext(files)) == []


def test_what_the_change_has_no_say_in_is_told_of() -> None:
    files = {"AGENTS.md": ("strict", "lax"), "a.py": ("", "x\n")}
    reviewer, context = made(files, requirements=["*.rst"])
    assert reviewer.notes(context) == [
        "the model was given these as they were before the change, which edits them: AGENTS.md",
        "requirements: *.rst matches no file",
    ]


def test_an_estimate_of_nothing_is_nothing() -> None:
    reviewer, context = made()
    assert reviewer.estimate([], context) == Estimate()
