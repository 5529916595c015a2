"""States of a run: each stage hands on all of the one before, and what the next one lacks."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from selfreview.app import state


class Step(NamedTuple):
    """A place where a state is made of an earlier one; mypy looks into no ``**vars(run)``."""

    place: str
    before: str
    after: str
    added: frozenset[str]
    replaced: frozenset[str]


def steps() -> Iterator[Step]:
    for path in sorted(Path(state.__file__).parent.glob("*.py")):
        for function in ast.walk(ast.parse(path.read_bytes())):
            if not isinstance(function, ast.FunctionDef):
                continue
            classes = {a.arg: a.annotation.id for a in function.args.args if isinstance(a.annotation, ast.Name)}
            nodes = list(ast.walk(function))
            for node in nodes:
                if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
                    target, made = node.targets[0], node.value.func
                    if isinstance(target, ast.Name) and isinstance(made, ast.Name) and hasattr(state, made.id):
                        classes[target.id] = made.id
            for node in nodes:
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                    yield from made_by(node, node.func.id, classes, f"{path.name}:{node.lineno}")


def made_by(call: ast.Call, after: str, classes: dict[str, str], place: str) -> Iterator[Step]:
    added = frozenset(keyword.arg for keyword in call.keywords if keyword.arg is not None)
    for keyword in call.keywords:
        if keyword.arg is not None:
            continue
        inner = list(ast.walk(keyword.value))
        taken = [n.args[0].id for n in inner if isinstance(n, ast.Call) and isinstance(n.args[0], ast.Name)]
        names = frozenset(n.value for n in inner if isinstance(n, ast.Constant) and isinstance(n.value, str))
        yield from (Step(place, classes[name], after, added, names) for name in taken if name in classes)


STEPS = list(steps())


@pytest.mark.parametrize("step", STEPS, ids=lambda step: f"{step.before}-{step.after}-{step.place}")
def test_a_state_is_made_of_all_of_the_one_before_and_of_what_it_adds(step: Step) -> None:
    before, after = (
        {f.name: f for f in dataclasses.fields(getattr(state, name))} for name in (step.before, step.after)
    )
    needed = {name for name, field in after.items() if field.default is field.default_factory is dataclasses.MISSING}
    assert before.keys() | step.added <= after.keys()
    assert needed <= before.keys() | step.added
    assert not step.added & before.keys()
    assert step.replaced <= before.keys()


def test_every_stage_that_adds_to_a_run_is_looked_at() -> None:
    made = {step.after for step in STEPS}
    states = {name for name, value in vars(state).items() if isinstance(value, type) and issubclass(value, state.Run)}
    assert made == states - {"Run"}
