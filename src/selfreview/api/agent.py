"""The agent: another program's command line that reads code and answers a prompt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from selfreview.model.result import Usage


class AgentAnswer(NamedTuple):
    """What an agent said.

    Attributes:
        text: Its final message.
        usage: What it says it cost, or None.
    """

    text: str
    usage: Usage | None = None


class Agent(Protocol):
    """One agent. The prompt is written to its standard input; its exit status counts before anything it prints.

    Optional attribute, looked up by name: ``fix_argv`` (program and arguments with permission to edit files below the
    folder that it starts in, and none to run anything; it makes the agent the fixer ``agent-NAME``, too; None: it
    cannot fix).

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
        """The configuration that names the program."""

    def read(self, output: bytes) -> AgentAnswer:
        """Take the final message out of what it printed.

        Raises:
            ToolError: If there is none.
        """
