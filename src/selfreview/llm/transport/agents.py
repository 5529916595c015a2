"""Run an agent: its environment, its version, its deadline, and the message where it fails."""

from __future__ import annotations

import json
import os
import re
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from selfreview.api import Agent, AgentAnswer, AgentCommand, AgentTask
from selfreview.api.capabilities import of_agent
from selfreview.errors import ToolError, ToolTimeout
from selfreview.git.private_folder import PrivateFolder
from selfreview.llm.transport.confinement import Confinement, confined_command
from selfreview.text.escape import visible

_LONGEST_LINE = 300
_PROXY = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "NODE_EXTRA_CA_CERTS")
_KEY = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)S?$", re.IGNORECASE)
_SIGNED_OUT = re.compile(
    r"api.?key|log(ged)?.?in|sign(ed)?.?in|auth|credential|\b40[13]\b|token (is )?(invalid|expired)", re.IGNORECASE
)
_KEPT_OUT = re.compile(r"permission denied|\bEACCES\b|not permitted|read-?only|unable to open database", re.IGNORECASE)
"""Messages of programs to which Landlock denies a file."""


Run = Callable[..., subprocess.CompletedProcess[bytes]]
"""Function that runs a program, as ``run`` of a reviewer's or a fixer's context does."""


def with_deadline(run: Run, seconds: float) -> Run:
    """Return a function that runs programs until a deadline of its own, and then raises :class:`ToolTimeout`.

    Args:
        run: Runs a program for at most ``timeout`` seconds.
        seconds: From now until the deadline.
    """
    deadline = time.monotonic() + seconds

    def bounded(argv: Sequence[str], **options: Any) -> subprocess.CompletedProcess[bytes]:
        left = deadline - time.monotonic()
        late = ToolTimeout(f"{Path(argv[0]).name} did not finish within {seconds:g} s")
        if left <= 0:
            raise late
        try:
            return run(argv, timeout=left, **options)
        except ToolTimeout as error:
            late.said = error.said
            raise late from error

    return bounded


class InstalledAgent(NamedTuple):
    """Agent whose program is installed, with its bounds.

    Attributes:
        agent: The agent.
        program: Its program.
        confinement: Its bounds.
        run: Runs programs, until a deadline.
    """

    agent: Agent
    program: Path
    confinement: Confinement
    run: Run

    def ask(
        self, prompt: str, folder: Path, *, fixing: bool = False, schema: Mapping[str, Any] | None = None
    ) -> AgentAnswer:
        """Run the agent once, with its own credentials only, and return its answer.

        Args:
            prompt: What is written to its standard input.
            folder: Where it starts.
            fixing: Whether it may edit what is in that folder.
            schema: JSON Schema of the answer, for agents that can be bound to one.

        Raises:
            ToolError: If it is too old, fails, prints something else than an answer, or does not end in time; with its
                own words.
        """
        agent = self.agent
        with PrivateFolder("agent-call") as own:
            version = installed_version(agent, self.program, self.run, Path(own))
            task = AgentTask(fixing, Path(own), schema, version, folder)
            command = _command(agent, task)
            env = {name: os.environ[name] for name in (*_PROXY, *agent.variables) if name in os.environ}
            env.setdefault("PYTHONDONTWRITEBYTECODE", "1")  # it may import from folders that are shared
            argv = [str(self.program), *command.argv[1:]]
            argv, more = confined_command(argv, agent, self.confinement, task, command.reads)
            env.update({**more, **command.environment})
            try:
                done = self.run(argv, cwd=folder, stdin=prompt.encode(), ok=range(256), env=env)
            except ToolError as error:
                # It is told of what was started, which need not be the agent itself.
                error.message = error.message.replace(Path(argv[0]).name, self.program.name, 1)
                if isinstance(error, ToolTimeout) and (told := reason(error.said, last=True)):
                    error.message += f"; it said: {told}"  # such as why it tried again and again
                raise
        if done.returncode:
            told = reason(done.stderr, last=True)
            said = _one_line(_in_json(done.stdout)) or ("" if told else reason(done.stdout, last=True))
            words = "; ".join(dict.fromkeys(filter(None, (told, said))))
            text = f"{self.program.name} ended with status {done.returncode}" + (f": {words}" if words else "")
            raise ToolError(text, hint=_remedy(agent, words, self.confinement))
        try:
            answer: object = agent.read(done.stdout)
        except ToolError as error:
            hint = error.hint or (sign_in(agent) if _SIGNED_OUT.search(error.message) else None)
            raise ToolError(quoting(error.message, done.stdout), hint=hint) from error
        if not isinstance(answer, AgentAnswer) or not isinstance(getattr(answer, "text", None), str):
            raise ToolError(f"read() of agent {agent.name!r} returned no AgentAnswer with a text")
        return answer


def _remedy(agent: Agent, words: str, confinement: Confinement) -> str | None:
    """Return a hint for an agent that failed, from its output."""
    if confinement.enforced and _KEPT_OUT.search(words):
        state = f"name them in agents.{agent.name}.state, or " if agent.allowed_by is not None else ""
        return f"if it needs files below your home folder, {state}set agent_confinement = false in your own settings"
    return sign_in(agent) if _SIGNED_OUT.search(words) else None


def _command(agent: Agent, task: AgentTask) -> AgentCommand:
    optional = of_agent(agent)
    if optional.command is not None:
        return optional.command(task)
    argv = optional.fix_argv if task.fixing else agent.argv
    return AgentCommand(argv or agent.argv)


def installed_version(agent: Agent, program: Path, run: Run, folder: Path) -> tuple[int, ...]:
    """Return the version of the program that is installed, as numbers.

    Raises:
        ToolError: If the version is older than the oldest that works, or the program does not tell it.
    """
    optional = of_agent(agent)
    oldest = optional.oldest
    if oldest is None and optional.command is None:
        return ()
    status, told = _version(program, run, folder)
    version = parse_version(told) if status == 0 else ()
    install = optional.install or f"update {program.name}"
    if oldest is not None and not version:
        said = reason(told.encode()) or "nothing"
        how = f"ended with status {status}" if status else "printed no version"
        raise ToolError(f"{program.name} --version {how}; it said: {said}", hint=f"reinstall it: {install}")
    if oldest is not None and version < parse_version(oldest):
        found = ".".join(map(str, version))
        raise ToolError(
            f"{program.name} {found} is too old: {oldest} is the oldest that works here",
            hint=install,
        )
    return version


def parse_version(text: str) -> tuple[int, ...]:
    """Return the first version in a text, as numbers: empty where there is none."""
    found = re.search(r"(?<![\d.])\d+(?:\.\d+)+", text)
    return tuple(map(int, found[0].split("."))) if found else ()


_VERSIONS: dict[tuple[Path, int], tuple[int, str]] = {}
"""Exit status and output of ``--version``, by program and time of its change: each runs once in a process."""
_VERSIONS_LOCK = threading.Lock()


def _version(program: Path, run: Run, folder: Path) -> tuple[int, str]:
    key = (program, program.stat().st_mtime_ns)
    with _VERSIONS_LOCK:  # parts of a change are asked about side by side
        if key not in _VERSIONS:
            done = run([str(program), "--version"], cwd=folder, ok=range(256))
            said = (done.stdout + b"\n" + done.stderr).decode("utf-8", "replace")
            _VERSIONS[key] = done.returncode, said.strip()
        return _VERSIONS[key]


def settings_of(agent: Agent) -> list[str]:
    """Return the variables that an agent is given and that are no credentials, as ``NAME=value``."""
    return [f"{name}={os.environ[name]}" for name in agent.variables if name in os.environ and not _KEY.search(name)]


def reason(output: bytes, *, last: bool = False) -> str:
    """Return the message in an output on one line: of a JSON document, its text about an error.

    Args:
        output: What a program printed.
        last: Whether the end of it matters, not the beginning.
    """
    return _one_line(_in_json(output) or output.decode("utf-8", "replace"), last=last)


def quoting(message: str, output: bytes) -> str:
    """Return a message about an output that is no answer, quoting the output unless the message does already."""
    told = reason(output)
    return message if told in message else f"{message}; it printed: {told}"


def _one_line(text: str, *, last: bool = False) -> str:
    line = visible(" ".join(text.split()))
    if len(line) <= _LONGEST_LINE:
        return line
    return f"…{line[1 - _LONGEST_LINE :]}" if last else f"{line[: _LONGEST_LINE - 1]}…"


def _in_json(output: bytes) -> str:
    """Return the error in an output that is a document, or that ends with a document at the start of a line."""
    for document in (output, output[output.rfind(b"\n{") + 1 :]):
        try:
            return _text_of(json.loads(document))
        except (ValueError, RecursionError):
            continue
    return ""


def _text_of(value: Any) -> str:
    """Return the error in a document, from the fields that agents use."""
    if isinstance(value, str):
        return (value.startswith("{") and _in_json(value.encode())) or value
    keys = ("error", "data", "message", "result", "response", "item", "part", "text")
    fields = [value.get(key) for key in keys] if isinstance(value, dict) else []
    return next((text for text in map(_text_of, fields) if text.strip()), "")


def keys_of(agent: Agent) -> list[str]:
    """Return the names of the variables in which an agent takes a credential."""
    return [name for name in agent.variables if _KEY.search(name)]


def sign_in(agent: Agent) -> str:
    """Return a hint for an agent that is not signed in."""
    keys = keys_of(agent)
    other = f", or set {' or '.join(keys[:2])}" if keys else ""
    return f"start {Path(agent.argv[0]).name} by hand and sign in{other}"
