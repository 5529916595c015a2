"""Which reviewers take part, and when a run is one of a part only."""

from __future__ import annotations

import pytest

from selfreview.api import Depth, Registry, Reviewer
from selfreview.errors import UsageError
from selfreview.review.select_reviewers import Selected, select
from selfreview.testing.context import MemoryConfig


class Named:
    def __init__(self, name: str, *, default: bool = True, depth: Depth = Depth.TEXT) -> None:
        self.name, self.default, self.depth = name, default, depth

    def selects(self, _file: object) -> bool:
        return True

    def cache_key(self, _context: object) -> bytes | None:
        return None

    def review(self, _files: object, _context: object) -> None:  # pragma: no cover - nobody reviews here
        raise AssertionError


def choose(*chosen: str, uploads: bool = False, insisted: tuple[str, ...] | None = None, **config: object) -> Selected:
    registry: Registry[Reviewer] = Registry("reviewer")
    for reviewer in (
        Named("ruff"),
        Named("text"),
        Named("lint", default=False),
        Named("claude", default=False, depth=Depth.MODEL),
        Named("agent-x", default=False, depth=Depth.MODEL),
    ):
        registry.add(reviewer)  # type: ignore[arg-type]
    values = {"reviewers": "auto", "required_reviewers": [], "offline": False, **config}
    return select(registry, MemoryConfig(values), chosen, uploads=uploads, insisted=insisted)


def names(selected: Selected) -> list[str]:
    return [reviewer.name for reviewer in selected.reviewers]


@pytest.mark.parametrize(
    ("chosen", "config", "expected", "limited"),
    [
        ((), {}, "ruff text", False),
        (("text",), {}, "text", True),
        (("auto",), {}, "ruff text", False),
        (("auto", "claude"), {}, "ruff text claude", False),
        (("claude", "auto", "auto"), {}, "ruff text claude", False),
        (("claude",), {}, "claude", True),
        (("text", "ruff"), {}, "ruff text", False),
        ((), {"reviewers": ["text"]}, "text", False),
        ((), {"reviewers": ["auto", "lint"]}, "ruff text lint", False),
        (("auto",), {"reviewers": ["auto", "lint"]}, "ruff text", True),
        (("auto", "lint"), {"reviewers": ["auto", "lint"]}, "ruff text lint", False),
        (("text",), {"reviewers": ["text"]}, "text", False),
        ((), {"required_reviewers": ["lint"]}, "ruff text lint", False),
        (("auto",), {"required_reviewers": ["lint"]}, "ruff text lint", False),
        (("ruff", "text"), {"required_reviewers": ["lint"]}, "ruff text", True),
    ],
)
def test_who_takes_part(chosen: tuple[str, ...], config: dict[str, object], expected: str, limited: bool) -> None:
    selected = choose(*chosen, **config)
    assert names(selected) == expected.split()
    assert selected.limited == limited


@pytest.mark.parametrize(
    ("chosen", "insisted", "expected", "required"),
    [
        (("text",), (), "text lint", "text lint"),
        (("text",), ("ruff",), "ruff text lint", "ruff text lint"),
        (("auto",), ("claude",), "ruff text lint claude", "lint claude"),
        ((), ("agent-x",), "ruff text lint agent-x", "lint agent-x"),
    ],
)
def test_a_gate_leaves_out_nobody_who_is_required(
    chosen: tuple[str, ...], insisted: tuple[str, ...], expected: str, required: str
) -> None:
    selected = choose(*chosen, insisted=insisted, required_reviewers=["lint"])
    assert names(selected) == expected.split()
    assert selected.required == set(required.split())


def test_a_command_that_is_required_is_so_where_it_would_take_part() -> None:
    config = {"reviewers": ["auto", "lint"], "command": {"lint": {"required": True}, "text": {"required": False}}}
    assert choose(**config).required == {"lint"}
    assert names(choose("text", insisted=(), **config)) == ["text", "lint"]
    assert choose("text", **config).required == {"text", "lint"}
    assert names(choose("text", **config)) == ["text"]
    assert choose("text", insisted=(), command={"lint": {"required": True}}).required == {"text"}


def test_a_required_name_that_is_no_reviewers_is_told_where_it_was_given() -> None:
    with pytest.raises(UsageError, match=r"'nobody' \(--require\)"):
        choose("text", insisted=("nobody",))


def test_consent_adds_the_model_to_the_automatic_set_alone() -> None:
    assert names(choose(uploads=True)) == ["ruff", "text", "claude"]
    assert names(choose("auto", uploads=True)) == ["ruff", "text", "claude"]
    assert names(choose("text", uploads=True)) == ["text"]
    assert names(choose(uploads=True, reviewers=["text"])) == ["text"]


def test_what_is_named_is_required_and_auto_is_not_a_reviewer() -> None:
    assert choose("auto", "claude", required_reviewers=["ruff"]).required == {"claude", "ruff"}
    assert choose(uploads=True).required == frozenset()


@pytest.mark.parametrize("config", [{}, {"reviewers": ["nobody"]}, {"required_reviewers": ["nobody"]}])
def test_a_name_that_is_no_reviewers(config: dict[str, object]) -> None:
    with pytest.raises(UsageError, match="there is no reviewer named 'nobody'") as error:
        choose(*([] if config else ["nobody"]), **config)
    assert error.value.hint == "there are: auto, ruff, text, lint, claude, agent-x"


class Keyless(Named):
    def unavailable(self) -> tuple[str, str]:
        return "there is no key", "set KEY"


@pytest.mark.parametrize(("depth", "refused"), [(Depth.MODEL, True), (Depth.STATIC, False)])
def test_a_model_that_cannot_be_asked_is_refused_where_it_was_named(depth: Depth, refused: bool) -> None:
    registry: Registry[Reviewer] = Registry("reviewer")
    registry.add(Keyless("far", depth=depth))  # type: ignore[arg-type]
    config = MemoryConfig({"reviewers": ["far"], "required_reviewers": [], "offline": False})
    assert names(select(registry, config, [])) == ["far"]
    if not refused:
        assert names(select(registry, config, ["far"])) == ["far"]
        return
    with pytest.raises(UsageError, match="'far' cannot be used: there is no key") as error:
        select(registry, config, ["far"])
    assert error.value.hint == "set KEY"


@pytest.mark.parametrize("name", ["claude", "agent-x"])
def test_offline_forbids_every_model(name: str) -> None:
    with pytest.raises(UsageError, match=f"'{name}' sends code to a model"):
        choose("auto", name, offline=True)
    assert names(choose("auto", "lint", offline=True)) == ["ruff", "text", "lint"]
    assert choose(offline=True, required_reviewers=[name]).required == {name}


@pytest.mark.parametrize(
    ("origin", "hint"),
    [
        ("command line", "leave out --offline, or leave out --reviewer claude"),
        ("SELFREVIEW_OFFLINE", "unset SELFREVIEW_OFFLINE, or leave out --reviewer claude"),
        ("selfreview.toml:3", "change offline in selfreview.toml:3, or leave out --reviewer claude"),
    ],
)
def test_the_hint_names_what_made_it_offline(monkeypatch: pytest.MonkeyPatch, origin: str, hint: str) -> None:
    monkeypatch.setattr(MemoryConfig, "origin", lambda _self, _name: origin)
    with pytest.raises(UsageError) as error:
        choose("claude", offline=True)
    assert error.value.hint == hint
