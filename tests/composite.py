"""A small stand-in for the runner of GitHub Actions: it runs the ``run`` steps of a composite action for real."""

from __future__ import annotations

import dataclasses
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

EXPRESSION = re.compile(r"\$\{\{(.*?)\}\}", re.DOTALL)
_TOKEN = re.compile(r"\s*('(?:[^']|'')*'|!cancelled\(\)|&&|\|\||==|!=|\(|\)|[\w.-]+)")


@dataclasses.dataclass
class Job:
    """What a job gives to the action.

    Attributes:
        contexts: ``inputs``, ``github`` and ``steps``, as nested tables.
        env: The environment of every step.
        folder: An empty folder for the files of the runner.
    """

    contexts: dict[str, Any]
    env: Mapping[str, str]
    folder: Path

    def value(self, text: str) -> str:
        """Return a text with its expressions evaluated."""
        return EXPRESSION.sub(lambda found: _shown(self.evaluate(found[1])), text)

    def evaluate(self, text: str) -> Any:
        """Evaluate an expression of the forms that the action uses."""
        tokens, position = [], 0
        while text[position:].strip():
            found = _TOKEN.match(text, position)
            assert found is not None, f"not understood: {text[position:]}"
            tokens.append(self._python(found[1]))
            position = found.end()
        return eval(" ".join(tokens), {}, {"look": self._look})

    def _python(self, token: str) -> str:
        if token.startswith("'"):
            return repr(token[1:-1].replace("''", "'"))
        known = {"!cancelled()": "True", "&&": "and", "||": "or", "==": "==", "!=": "!=", "(": "(", ")": ")"}
        return known.get(token) or f"look({token!r})"

    def _look(self, name: str) -> Any:
        found: Any = self.contexts
        for part in name.split("."):
            found = found.get(part) if isinstance(found, dict) else None
        return "" if found is None else found


def _shown(value: Any) -> str:
    return {True: "true", False: "false"}.get(value, str(value)) if isinstance(value, bool) else str(value)


@dataclasses.dataclass
class Ended:
    """How the action ended: the first failure is its own, and its outputs are there all the same."""

    code: int
    log: str
    outputs: dict[str, str]
    used: list[dict[str, Any]]
    """What the steps with ``uses`` were given, but for those that the caller stands in for."""


def run_action(path: Path, job: Job, stand_ins: Mapping[str, Mapping[str, str]]) -> Ended:
    """Run an action.

    Args:
        path: Its ``action.yml``.
        job: What the job gives.
        stand_ins: Outputs of steps that are not run, by their ids.
    """
    action = yaml.safe_load(path.read_text())
    given = job.contexts.get("inputs", {})
    assert set(given) <= set(action["inputs"]), "an input that the action does not have"
    defaults = {name: job.value(str(entry["default"])) for name, entry in action["inputs"].items()}
    job.contexts["inputs"] = defaults | given
    steps: dict[str, Any] = {}
    job.contexts["steps"] = steps
    ended = Ended(0, "", {}, [])
    for number, step in enumerate(action["runs"]["steps"]):
        name = step.get("id", str(number))
        condition = EXPRESSION.sub(r"\1", step.get("if", ""))
        if ended.code != 0 and "cancelled()" not in condition:
            continue  # a condition that asks for no status means success() as well
        if condition and not job.evaluate(condition):
            continue
        if name in stand_ins:
            steps[name] = {"outputs": dict(stand_ins[name])}
        elif "uses" in step:
            ended.used.append({key: job.value(str(value)) for key, value in step.get("with", {}).items()})
        else:
            code, log, outputs = _run(step, job, path.parent)
            steps[name] = {"outputs": outputs}
            ended.log += log
            ended.code = ended.code or code
    ended.outputs = {name: job.value(entry["value"]) for name, entry in action["outputs"].items()}
    return ended


def _run(step: Mapping[str, Any], job: Job, action: Path) -> tuple[int, str, dict[str, str]]:
    assert step["shell"] == "bash"
    assert not EXPRESSION.search(step["run"]), "an expression pasted into a script"
    output = job.folder / "output"
    output.write_text("")
    own = {name: job.value(str(value)) for name, value in step.get("env", {}).items()}
    env = {**os.environ, **job.env, **own, "GITHUB_ACTION_PATH": str(action), "GITHUB_OUTPUT": str(output)}
    script = job.folder / "step.sh"
    script.write_text(step["run"])
    argv = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)]
    done = subprocess.run(
        argv, cwd=env["GITHUB_WORKSPACE"], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    outputs = dict(line.split("=", 1) for line in output.read_text().splitlines())  # the last one counts
    return done.returncode, done.stdout.decode(), outputs


def program(path: Path, python: str) -> Path:
    """Write a program in Python, and return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!{sys.executable}\n{python}")
    path.chmod(0o755)
    return path
