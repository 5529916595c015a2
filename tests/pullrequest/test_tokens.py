"""What forges and channels sign in with: nobody reads it anywhere, whatever form it has and whoever says it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from selfreview.errors import ExitCode
from tests.conftest import Ran
from tests.fixers.talks import says
from tests.pullrequest.lab import Lab, judged, report
from tests.pullrequest.stories import RENAME, configure, fix, model, said_by, suggest, talk

pytestmark = pytest.mark.long

ODD = 'sesame/"open"+42'
WITH = ("-p", "odd_forge", "-p", "no:forge-github")
PLUGIN = """
from selfreview.api import hookimpl
from selfreview.errors import ForgeError
from selfreview.pullrequest.forges.github.connection import GitHubConnection
from selfreview.pullrequest.forges.github.plugin import KEYS, GitHubForge

TOKEN = 'sesame/"open"+42'

class Odd(GitHubForge):
    name = "odd"
    known = ()

    def connect(self, location, config, environ):
        self.known = (TOKEN,)
        return super().connect(location, config, environ)

    def secrets(self, environ, config):
        return self.known

class Failing(Odd):
    def connect(self, location, config, environ):
        connection = super().connect(location, config, environ)
        def comment(number, mark, body):
            raise ForgeError(f"no answer from https://{TOKEN}@forge/", hint=f"is {TOKEN} right?")
        connection.comment = comment
        return connection

@hookimpl
def selfreview_addoption(parser):
    for key in KEYS:
        parser.add_key(key)

@hookimpl
def selfreview_register_forges(registry):
    registry.add(CLASS())
"""


def forge_plugin(lab: Lab, kind: str = "Odd") -> dict[str, str]:
    """Write the plugin beside the repository; return what has Python find it."""
    folder = lab.remote.parent / "plugins"
    folder.mkdir(exist_ok=True)
    (folder / "odd_forge.py").write_text(PLUGIN.replace("CLASS", kind))
    path = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    return {"PYTHONPATH": path}


def holds(lab: Lab, *texts: str) -> list[str]:
    """Return where the token stands: in what is given, in what is kept, or in what the forge was sent."""
    part = ODD[:6]  # of one that was cut in two, or written in another form, too
    found = [text for text in texts if part in text]
    for folder in (lab.workspace.root / ".git" / "selfreview", Path(os.environ["HOME"])):
        files = (path for path in folder.rglob("*") if path.is_file())
        found += [str(path) for path in files if part.encode() in path.read_bytes()]
    sent = [request.raw.decode() for request in lab.forge.requests]
    return found + [body for body in sent if part in body]


def hook(lab: Lab, name: str, text: str) -> None:
    """Have git run a hook in the clone."""
    path = lab.workspace.write(f".git/hooks/{name}", f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def both(lab: Lab, number: int, env: dict[str, str]) -> list[Ran]:
    """Answer the feedback, for a person and for a program."""
    return [lab.pr("fix", str(number), *WITH, *more, **env) for more in ((), ("--format", "json"))]


def test_in_an_error_of_the_forge(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    hook(lab, "pre-commit", "exit 1")  # so that a person is called
    ran = both(lab, pull.number, forge_plugin(lab, "Failing"))
    assert "no answer from https://" in ran[0].err, ran
    assert holds(lab, *(text for one in ran for text in (one.out, one.err))) == []


def test_in_what_a_hook_prints_and_in_what_it_is_given(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    hook(lab, "pre-commit", f"echo '{ODD}' >&2\nenv > '{lab.remote}/env'\nexit 1")
    ran = both(lab, pull.number, forge_plugin(lab) | {"ODD_KEY": f"key={ODD}"})
    assert ran[0].code == ExitCode.ISSUES, ran
    assert "note: " in ran[0].err
    assert "•••" in ran[0].err
    assert holds(lab, *(text for one in ran for text in (one.out, one.err))) == []
    assert "ODD_KEY" not in (lab.remote / "env").read_text()


@pytest.mark.parametrize("before", ["", "x" * 85 + " ", "x" * 7_984 + " "])
def test_in_a_comment(lab: Lab, before: str) -> None:
    configure(lab)
    pull = lab.open()
    pull.inline(lab.rev, "app.py", 10, f"{before}{ODD} is the key. Say the name in full.")
    with model(lab, talk()) as server:
        ran = fix(lab, pull, *WITH, **forge_plugin(lab))
        asked = [json.dumps(request.body, ensure_ascii=False) for request in server.requests]
    assert len(asked) > 1
    told = lab.pr("feedback", str(pull.number), "--all", *WITH, **forge_plugin(lab))
    assert holds(lab, *asked, ran.out, ran.err, told.out, told.err) == []


def test_in_a_comment_that_is_cut_where_it_stands(lab: Lab) -> None:
    pull = lab.open()
    pull.comment(lab.rev, "x" * 184 + f" {ODD} is the key.")
    ran = both(lab, pull.number, forge_plugin(lab))
    assert ran[0].code == ExitCode.ISSUES, ran
    assert "xxx" in pull.comments[-1].body
    assert holds(lab, *(text for one in ran for text in (one.out, one.err))) == []


def test_of_channels_in_a_comment(lab: Lab) -> None:
    webhook, password = "https://hooks.slack.example/services/T0/B0/" + "aBcD" * 6, "correct-horse"
    pull = lab.open()
    pull.comment(lab.rev, f"Who put {webhook} and {password} here? services/T0/B0/{'aBcD' * 6} is ours.")
    ran = fix(lab, pull, SLACK_WEBHOOK_URL=webhook, SELFREVIEW_SMTP_PASSWORD=password)
    assert "Who put •••••••• and •••••••• here? •••••••• is ours." in ran.out
    assert password not in str([comment.body for comment in pull.comments[1:]])
    assert "aBcD" not in str([comment.body for comment in pull.comments[1:]])


def test_one_that_does_not_say_what_it_holds_is_told_of(lab: Lab) -> None:
    pull = lab.open()
    env = forge_plugin(lab)
    path = lab.remote.parent / "plugins" / "odd_forge.py"
    path.write_text(path.read_text().replace("return self.known", "return TOKEN + 1"))
    ran = lab.pr("fix", str(pull.number), *WITH, **env)
    assert ran.code == ExitCode.PASSED, ran
    assert "warning: secrets of odd may be shown: it does not say what they are (TypeError)" in ran.err


def test_a_fixer_s_words_are_told_without_placeholders_and_folders_of_this_machine(lab: Lab) -> None:
    configure(lab)
    pull = lab.open()
    pull.inline(lab.rev, "app.py", 10, "Say it in full.")
    commit, secret = "5082096a1b2c3d4e5f60718293a4b5c6d7e8f901", "ghp_" + "aB3dE5fG7hJ9kL1mN3" + "pQ5rS7tU9vW1xY3zA5"
    why = f"as in {commit}; {secret} is gone; /home/dev/src/app/app.py alone has it"
    with model(lab, [judged({"description": "say it in full"}), says(RENAME), report(why=why)]):
        ran = fix(lab, pull)
    assert ran.code == ExitCode.PASSED, ran
    for told in (said_by(pull, "dev")[0], lab.there("log", "-1", "--format=%B", "refs/heads/topic")):
        assert f"as in {commit}; " in told
        assert " is gone; app.py alone has it" in told
        assert not any(word in told for word in (secret, "REDACTED", "/home"))
