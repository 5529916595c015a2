"""An agent reads feedback where it is named and no model may: the same question, in an empty folder."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from selfreview.errors import ExitCode
from tests.conftest import Ran
from tests.pullrequest.lab import Lab, judged
from tests.pullrequest.stories import calls_for_a_person, commits, configure, fix, model, nothing_happened
from tests.reviewers.fakes import program
from tests.surroundings import only_git

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="scripts as programs")

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
TABLE = '[agents.mine]\nrun = ["my-agent"]\nfix = ["my-agent", "--edit"]\n'
PLAIN = 'reviewers = ["ruff", "rules", "secrets", "text"]\n'
NAMED = f'fixers = ["auto", "agent-mine"]\n{PLAIN}{TABLE}'
BODY = r"""
import re
prompt = sys.stdin.read()
asked = "what is to be done about it" in prompt
if not asked:
    open("app.py", "r+").write(open("app.py").read().replace('"app"', '"the app"'))
    print(json.dumps({"answers": [{"issue": i, "outcome": "addressed", "why": "said in full"}
                                  for i in re.findall(r"sr-[0-9a-f]{8,}", prompt)], "notes": ""}))
    sys.exit()
said = {"prompt": prompt, "files": os.listdir("."), "cwd": os.getcwd(), "argv": sys.argv[1:], "env": dict(os.environ)}
with open(RECORD, "a") as file:
    file.write(json.dumps(said) + "\n")
words = re.search(r"\AFirst word: (\w+)\n.*\nLast word: (\w+)\n\Z", prompt, re.DOTALL)
answer = json.loads(ANSWER) | {"firstWord": words[1], "lastWord": words[2]}
"""


class Agent:
    """A program that stands in for an agent; it notes what it is asked."""

    def __init__(self, lab: Lab, folder: Path) -> None:
        self.lab = lab
        self.folder = folder
        self.record = folder / "record"

    def says(self, *answers: dict[str, str], then: str = "print(json.dumps(answer))") -> None:
        items = json.loads(str(judged(*(answers or ({"description": "say it in full"},))).text))
        given = f"RECORD, ANSWER = {str(self.record)!r}, {json.dumps(items)!r}\n"
        program(self.folder, f"{given}{BODY}{then}", "my-agent")

    @property
    def asked(self) -> list[Any]:
        lines = self.record.read_text().splitlines() if self.record.exists() else []
        return [json.loads(line) for line in lines]

    def fix(self, pull: Any, *args: str, **env: str) -> Ran:
        path = f"{self.folder}{os.pathsep}{os.environ['PATH']}"
        own = {"PATH": path, "SELFREVIEW_AGENT_CONFINEMENT": "false"}  # it notes what it is asked
        return fix(self.lab, pull, *args, **{**own, **env})


@pytest.fixture
def agent(lab: Lab, tmp_path: Path) -> Agent:
    folder = tmp_path / "agents"
    folder.mkdir()
    found = Agent(lab, folder)
    found.says()
    return found


def test_it_reads_prose_and_the_fix_is_made_and_pushed(agent: Agent) -> None:
    configure(agent.lab, NAMED)
    pull = agent.lab.open()
    pull.inline(agent.lab.rev, "app.py", 10, "Say it in full.")
    ran = agent.fix(pull)
    assert ran.code == ExitCode.PASSED, ran
    assert len(commits(agent.lab)) == 1
    assert "the app" in agent.lab.file()
    assert len(agent.asked) == 1


@pytest.mark.parametrize(
    ("settings", "given"),
    [
        (f'reviewers = ["auto", "agent-mine"]\n{TABLE}', ()),
        (PLAIN + TABLE, ("--fixer", "auto", "--fixer", "agent-mine")),
    ],
)
def test_whoever_is_named_as_reviewer_or_fixer_reads(agent: Agent, settings: str, given: tuple[str, ...]) -> None:
    agent.says({"meaning": "praise"})
    configure(agent.lab, settings)
    pull = agent.lab.open()
    pull.comment(agent.lab.rev, "I like how this reads.")
    assert agent.fix(pull, *given).code == ExitCode.PASSED
    assert len(agent.asked) == 1


def test_it_is_asked_fenced_and_redacted_in_an_empty_folder_of_its_own(agent: Agent) -> None:
    agent.says({"meaning": "praise"})
    configure(agent.lab, NAMED)
    pull = agent.lab.open()
    pull.comment(agent.lab.rev, f"Nice, and {SECRET} is no key of ours.")
    agent.fix(pull)
    (said,) = agent.asked
    assert SECRET not in said["prompt"]
    fenced = r"<<<feedback f1 (\w+)>>>\n[^<]*is no key of ours\.\n<<<end of feedback f1 \1>>>"
    assert re.search(fenced, said["prompt"])
    assert said["files"] == []
    assert not Path(said["cwd"]).exists()
    assert said["argv"] == []
    assert "GH_TOKEN" not in said["env"]


def test_it_is_not_asked_twice_about_the_same_words(agent: Agent) -> None:
    agent.says({"meaning": "question", "suggestedResponse": "It is a name."})
    configure(agent.lab, NAMED)
    pull = agent.lab.open()
    pull.comment(agent.lab.rev, "What is this for?")
    agent.fix(pull)
    agent.fix(pull)
    assert len(agent.asked) == 1


def test_a_model_that_may_read_comes_first(agent: Agent) -> None:
    configure(agent.lab, f'fixers = ["auto", "agent-mine", "claude"]\n{PLAIN}{TABLE}')
    pull = agent.lab.open()
    pull.comment(agent.lab.rev, "I like how this reads.")
    with model(agent.lab, [judged({"meaning": "praise"})]) as server:
        agent.fix(pull)
        assert len(server.requests) == 1
    assert agent.asked == []


@pytest.mark.parametrize(
    "then",
    [pytest.param("print('Looks good.')", marks=pytest.mark.long), "print(json.dumps(answer | {'firstWord': 'x'}))"],
)
def test_what_cannot_be_used_is_asked_for_again_and_is_a_persons_then(agent: Agent, then: str) -> None:
    agent.says(then=then)
    configure(agent.lab, NAMED)
    pull = agent.lab.open()
    pull.inline(agent.lab.rev, "app.py", 10, "Say it in full.")
    ran = agent.fix(pull)
    assert len(agent.asked) == 2
    assert "no model read the feedback" in ran.err
    assert len(calls_for_a_person(agent.lab, pull)) == 1


@pytest.mark.parametrize(
    ("then", "told"),
    [
        pytest.param("sys.stderr.write('Not logged in'); sys.exit(1)", "no model could be asked", id="signed-out"),
        pytest.param(
            "sys.stderr.write('rate limit reached, try again in 10 minutes'); sys.exit(1)",
            "10 minutes",
            id="limit",
            marks=pytest.mark.long,
        ),
        pytest.param("time.sleep(600)", "did not finish within 5 s", id="late", marks=pytest.mark.long),
    ],
)
def test_where_it_cannot_be_asked_now_nobody_is_called_and_it_waits(agent: Agent, then: str, told: str) -> None:
    agent.says(then=then)
    configure(agent.lab, NAMED)
    pull = agent.lab.open()
    pull.inline(agent.lab.rev, "app.py", 10, "Say it in full.")
    ran = agent.fix(pull, "-o", "agent_timeout=5")
    assert ran.code == ExitCode.INCOMPLETE, ran
    assert told in ran.out + ran.err
    assert nothing_happened(agent.lab, pull)
    agent.says()
    assert agent.fix(pull).code == ExitCode.PASSED


def test_where_it_changed_what_is_the_persons_own_nothing_goes_on_and_they_are_called(agent: Agent) -> None:
    start = "os.path.expanduser('~/.zshenv')"
    agent.says(then=f"open({start}, 'a').write('owned'); print(json.dumps(answer))")
    configure(agent.lab, NAMED)
    pull = agent.lab.open()
    pull.inline(agent.lab.rev, "app.py", 10, "Say it in full.")
    ran = agent.fix(pull)
    assert "~/.zshenv changed while agent-mine ran" in ran.out + ran.err
    assert commits(agent.lab) == []
    (call,) = calls_for_a_person(agent.lab, pull)
    assert "zshenv" not in str(call)
    agent.says()
    agent.fix(pull)
    assert (len(agent.asked), commits(agent.lab)) == (1, [])


def test_what_changed_meanwhile_and_may_be_the_person_is_noted(agent: Agent) -> None:
    notes = agent.lab.workspace.root / "notes.txt"
    agent.says({"meaning": "praise"}, then=f"open({str(notes)!r}, 'w').write('x'); print(json.dumps(answer))")
    configure(agent.lab, NAMED)
    pull = agent.lab.open()
    pull.comment(agent.lab.rev, "I like how this reads.")
    assert "notes.txt changed while agent-mine ran" in agent.fix(pull).err


@pytest.mark.parametrize(
    ("settings", "given", "said"),
    [
        (PLAIN + TABLE, (), "nobody named it, or agreed"),
        (NAMED, ("-o", "offline=true"), "offline is set"),
        (NAMED + "[feedback]\nanalyzer = false\n", (), "feedback.analyzer is off"),
    ],
)
def test_one_that_may_not_is_not_asked(agent: Agent, settings: str, given: tuple[str, ...], said: str) -> None:
    configure(agent.lab, settings)
    pull = agent.lab.open()
    pull.inline(agent.lab.rev, "app.py", 10, "Say it in full.")
    ran = agent.fix(pull, *given, ANTHROPIC_API_KEY="made-up")
    assert said in ran.err
    assert agent.asked == []


def test_one_that_is_not_installed_is_said_by_its_name(agent: Agent, tmp_path: Path) -> None:
    configure(agent.lab, NAMED)
    pull = agent.lab.open()
    pull.inline(agent.lab.rev, "app.py", 10, "Say it in full.")
    ran = agent.fix(pull, PATH=only_git(tmp_path / "git"))
    assert "note: agent-mine may not read here: my-agent is not installed" in ran.err
