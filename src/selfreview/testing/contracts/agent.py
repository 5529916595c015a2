"""The contract of agents."""

from __future__ import annotations

import re

import pytest

from selfreview.api import Agent, AgentAnswer, capabilities
from selfreview.errors import ToolError
from selfreview.testing.contracts.plugin import PluginContract

SAID = "Two words: ä 日 \u2028 and\na second line."
"""The message that the agent is made to print."""
GARBAGE = {
    "nothing": b"",
    "blanks": b" \r\n\t",
    "not_utf8": b"\xff\xfe{}",
}
"""Output that contains no message of any agent."""
ODD = {
    "null": b"null",
    "a_number": b"1e999",
    "a_list": b"[]",
    "an_empty_object": b"{}",
    "half_an_object": b'{"result": "abc',
    "deeply_nested": b"[" * 100_000,
    "other_types": b'{"result": 1, "response": [], "is_error": "no", "usage": 3, "total_cost_usd": "x"}',
    "nul": b"\x00\x00",
}
"""Output that is a message for one that prints plain text, and none for one that prints JSON."""


class AgentContract(PluginContract):
    """The contract of agents; a subclass gives the fixture ``agent``, and :meth:`output` where it is not plain text.

    Nothing is started: what a real program does with its arguments is for its author to try.
    """

    @pytest.fixture
    def agent(self) -> Agent:
        """The agent under test."""
        raise NotImplementedError("give a fixture that returns your agent")

    def output(self, text: str) -> bytes:
        """Return the program's output for a final message."""
        return text.encode()

    @pytest.fixture
    def plugin(self, agent: Agent) -> Agent:
        """The agent, for the contract of plugins of every kind."""
        return agent

    def test_its_command_lines_are_lists_of_words(self, agent: Agent) -> None:
        """The prompt goes to standard input: no argument is a placeholder for it."""
        for argv in (agent.argv, capabilities.of_agent(agent).fix_argv or agent.argv):
            assert not isinstance(argv, str), "a command line for a shell"
            assert argv[0].strip()
            assert all(isinstance(word, str) for word in argv)
            assert not any("\0" in word for word in argv)
            assert not any(re.search(r"\{(prompt|text|input)\}|\$\{?PROMPT", word) for word in argv)

    def test_it_is_given_no_more_than_its_own_variables(self, agent: Agent) -> None:
        """Its variables are credentials of its own; never git's, selfreview's or how programs are found and loaded."""
        for name in agent.variables:
            assert re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name), f"{name!r} is no name of a variable"
            assert not name.startswith(("GIT_", "SELFREVIEW_", "LD_", "DYLD_", "PYTHON")), name
            assert name not in ("PATH", "HOME", "GITHUB_TOKEN", "GH_TOKEN", "CI_JOB_TOKEN"), name
        assert agent.allowed_by is None or agent.allowed_by.strip()

    def test_its_message_is_read(self, agent: Agent) -> None:
        """The message is read as it was printed, and the same each time."""
        answers = [agent.read(self.output(SAID)) for _ in range(2)]
        assert answers[0] == answers[1]
        assert isinstance(answers[0], AgentAnswer)
        assert answers[0].text.strip() == SAID

    @pytest.mark.parametrize("output", GARBAGE)
    def test_no_message_is_an_error(self, agent: Agent, output: str) -> None:
        """An output without a message is no review without issues."""
        with pytest.raises(ToolError):
            agent.read(GARBAGE[output])

    def test_an_empty_message_is_an_error(self, agent: Agent) -> None:
        """An output whose message has no text is no review without issues."""
        for text in ("", " \n"):
            with pytest.raises(ToolError):
                agent.read(self.output(text))

    @pytest.mark.parametrize("output", ODD)
    def test_odd_output_is_no_crash(self, agent: Agent, output: str) -> None:
        """Odd output is a message with some text, or an error for people."""
        try:
            answer = agent.read(ODD[output])
        except ToolError:
            return
        assert isinstance(answer.text, str), "the text of a message is a string"
        assert answer.text

    def test_half_of_its_output_is_no_crash(self, agent: Agent) -> None:
        """Output that is cut off anywhere is a message with some text, or an error for people."""
        whole = self.output(SAID)
        for end in range(len(whole)):
            try:
                answer = agent.read(whole[:end])
            except ToolError:
                continue
            assert answer.text
