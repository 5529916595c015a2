"""The agent: another program's command line that reads code and answers a prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from selfreview.model.result import Usage


class AgentAnswer(NamedTuple):
    """An agent's answer.

    Attributes:
        text: Its final message.
        usage: Tokens and cost as it counts them, or None.
    """

    text: str
    usage: Usage | None = None


class AgentTask(NamedTuple):
    """One run of an agent, and the version of the program that is installed.

    Attributes:
        fixing: Whether it is to edit the files below the folder that it starts in; else it only reads them.
        folder: An empty folder that only this call uses, for files that the command line names. The agent does not
            start in it, and it is removed afterwards.
        schema: JSON Schema of the answer, or None where the answer is text.
        version: Version of the program, as numbers: ``(2, 1, 332)``. Empty where it tells none.
        start: The folder that the agent starts in.
    """

    fixing: bool
    folder: Path
    schema: Mapping[str, Any] | None
    version: tuple[int, ...]
    start: Path


class AgentCommand(NamedTuple):
    """Command line and environment of an agent for one task.

    Attributes:
        argv: Program and arguments; the program is replaced by the path that was found.
        environment: Variables that it is given besides those of ``variables``, with their values.
        reads: Paths below the home folder that it reads its sign-in from, though secrets are kept there: ``(".aws",)``.
    """

    argv: Sequence[str]
    environment: Mapping[str, str] = {}
    reads: Sequence[str] = ()


class Agent(Protocol):
    """One agent. The prompt is written to its standard input; its exit status counts before anything it prints.

    Optional attributes, looked up by name:

    - ``fix_argv``: Program and arguments with permission to edit files below the folder that it starts in, and none to
      run anything; it makes the agent the fixer ``agent-NAME``, too. None: it cannot fix.
    - ``command(task: AgentTask) -> AgentCommand``: The command line for one task, where it depends on more than whether
      the agent is to fix; ``argv`` and ``fix_argv`` then name the program, and say whether it can fix. Raises
      ``ToolError`` where the program that is installed cannot be confined.
    - ``oldest``: The oldest version of the program that works, as a text such as ``"2.1.0"``; older ones are refused.
    - ``install``: What a person types to install or update it: ``"npm install -g @openai/codex"``.
    - ``credentials``: Files in which it keeps a sign-in, such as ``"~/.codex/auth.json"``: ``doctor`` looks whether one
      is there.
    - ``state``: Paths that the program itself writes to, from the home folder on or absolute: ``(".codex",)``. Where
      the system can confine it, it writes nowhere else but in the folder that it starts in, and in a temporary folder
      of its own.
    - ``sandboxes``: Whether it confines what it runs by itself, in a way that cannot be nested in another confinement.

    Attributes:
        name: What a person types, as ``agent-NAME``, after ``--reviewer``.
        argv: Program and arguments: not interactive, with no permission to write.
        variables: Names of the environment variables that it gets besides the common ones: its own credentials only.
        allowed_by: The configuration whose trust it needs (``"agents.NAME"``), or None where the person installed it.
    """

    @property
    def name(self) -> str:
        """Unique name."""

    @property
    def argv(self) -> Sequence[str]:
        """Program and arguments."""

    @property
    def variables(self) -> Sequence[str]:
        """Names of environment variables."""

    @property
    def allowed_by(self) -> str | None:
        """The configuration key that names the program."""

    def read(self, output: bytes) -> AgentAnswer:
        """Parse the program's output for its final message.

        Raises:
            ToolError: If there is none.
        """
