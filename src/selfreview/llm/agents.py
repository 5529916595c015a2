"""Running an agent: what it is given, and what its failure says."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol

from selfreview.api import Agent, AgentAnswer
from selfreview.errors import ToolError
from selfreview.text.escape import visible

_MOST_OUTPUT = 8 * 1024 * 1024
_MOST_WORDS = 300
_PROXY = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "NODE_EXTRA_CA_CERTS")
_KEY = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)S?$", re.IGNORECASE)
_SIGNED_OUT = re.compile(
    r"api.?key|log(ged)?.?in|sign(ed)?.?in|auth|credential|\b40[13]\b|token (is )?(invalid|expired)", re.IGNORECASE
)


class _Runs(Protocol):
    """The part of a reviewer's or a fixer's context that starts programs."""

    def run(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        stdin: bytes | None = None,
        ok: Iterable[int] = (0,),
        env: dict[str, str] | None = None,
        max_output: int = 64 * 1024 * 1024,
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a program."""


def ask(agent: Agent, argv: Sequence[str], prompt: str, context: _Runs, folder: Path) -> AgentAnswer:
    """Run an agent once, with its own credentials only, and return its answer.

    Args:
        agent: Who is asked.
        argv: Program and arguments.
        prompt: What is written to its standard input.
        context: Runs it.
        folder: Where it starts.

    Raises:
        ToolError: If it fails, prints something else than an answer, or does not end in time; with its own words.
    """
    env = {name: os.environ[name] for name in (*_PROXY, *agent.variables) if name in os.environ}
    env.setdefault("PYTHONDONTWRITEBYTECODE", "1")  # it may import from folders that are shared
    done = context.run(argv, cwd=folder, stdin=prompt.encode(), ok=range(256), env=env, max_output=_MOST_OUTPUT)
    if done.returncode:
        told = reason(done.stderr, last=True)
        said = _one_line(_in_json(done.stdout)) or ("" if told else reason(done.stdout, last=True))
        words = "; ".join(dict.fromkeys(filter(None, (told, said))))
        text = f"{Path(argv[0]).name} ended with status {done.returncode}" + (f": {words}" if words else "")
        raise ToolError(text, hint=_sign_in(agent, words))
    try:
        return agent.read(done.stdout)
    except ToolError as error:
        raise ToolError(error.message, hint=error.hint or _sign_in(agent, error.message)) from error


def settings_of(agent: Agent) -> list[str]:
    """Return the variables that an agent is given and that are no credentials, as ``NAME=value``."""
    return [f"{name}={os.environ[name]}" for name in agent.variables if name in os.environ and not _KEY.search(name)]


def reason(output: bytes, *, last: bool = False) -> str:
    """Return in one line what an output says: of a JSON document the text in it that does.

    Args:
        output: What a program printed.
        last: Whether the end of it matters, not the beginning.
    """
    return _one_line(_in_json(output) or output.decode("utf-8", "replace"), last=last)


def _one_line(text: str, *, last: bool = False) -> str:
    line = visible(" ".join(text.split()))
    if len(line) <= _MOST_WORDS:
        return line
    return f"…{line[1 - _MOST_WORDS :]}" if last else f"{line[: _MOST_WORDS - 1]}…"


def _in_json(output: bytes) -> str:
    try:
        value = json.loads(output)
    except (ValueError, RecursionError):
        return ""
    return _text_of(value)


def _text_of(value: Any) -> str:
    """Return what a document says went wrong, in the fields that agents use."""
    if isinstance(value, str):
        return value
    fields = [value.get(key) for key in ("error", "message", "result", "response")] if isinstance(value, dict) else []
    return next((text for text in map(_text_of, fields) if text.strip()), "")


def _sign_in(agent: Agent, words: str) -> str | None:
    if not _SIGNED_OUT.search(words):
        return None
    keys = [name for name in agent.variables if _KEY.search(name)]
    other = f", or set {' or '.join(keys[:2])}" if keys else ""
    return f"start {Path(agent.argv[0]).name} by hand and sign in{other}"
