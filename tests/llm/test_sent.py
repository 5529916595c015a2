"""No secret leaves, whatever it stands in, and what requests share stays the same bytes."""

from __future__ import annotations

import json
import random
import re
import string

import msgspec
import pytest

from selfreview.api import Attempt, CheckOutcome, Document
from selfreview.testing.context import MemoryContext
from selfreview.testing.fixing import FixBench
from selfreview.testing.messages import MessagesServer, RecordedRequest
from tests.fixers.talks import answer, call, config, mend, reports, says
from tests.llm.answers.test_pipeline import review
from tests.llm.scripted_answers import NEW, OLD, found, issue, judged

_LETTERS = string.ascii_letters + string.digits


def canary(kind: str) -> str:
    """Return a token that stands for a kind of input."""
    return "ghp_" + "".join(random.Random(kind).choices(_LETTERS, k=36))


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "test-key-0123456789")


REVIEWED = (
    "changed file", "file name", "context file", "guideline", "guideline path", "requirement", "requirement path",
    "exclusion", "system prompt", "material prompt", "question", "question of the verifier", "claim",
)  # fmt: skip
"""Each is sent with a word of its own next to the secret, so that it is known to have been sent at all."""


def _hidden(kind: str) -> str:
    return f"{kind.replace(' ', '-')}: {canary(kind)}"


def _context() -> MemoryContext:
    prompts = ".selfreview/prompts"
    documents = "{% for one in guidelines + requirements %}{{ fence(one.path, one.text) }}\n{% endfor %}"
    new = f"from lib import load_values\n\n\ndef mean(value):\n    # {_hidden('changed file')}\n"
    new += "    return load_values(value)\n"
    folder = f"guideline-path.{canary('guideline path')}"
    return MemoryContext(
        {
            "app.py": (None, new),
            f"file-name.{canary('file name')}.py": (OLD, NEW),
            f"{folder}/a.py": (OLD, NEW),
        },
        others={
            "lib.py": f"def load_values(value):\n    # {_hidden('context file')}\n    return value\n",
            "AGENTS.md": _hidden("guideline"),
            f"{folder}/AGENTS.md": "Be strict.",
            "SPEC.md": _hidden("requirement"),
            f"requirement-path.{canary('requirement path')}.md": "All of it.",
            f"{prompts}/exclusions.toml": f"[[exclude]]\nname = 'x'\nwords = '{_hidden('exclusion')}'\n",
            f"{prompts}/system.md.j2": f"{_hidden('system prompt')}\n{{{{ exclusions|join(' ') }}}}\n{documents}",
            f"{prompts}/material.md.j2": f"{_hidden('material prompt')}\n{{{{ fence('x', body) }}}}{{{{ reference }}}}",
            f"{prompts}/correctness.md.j2": f"{_hidden('question')}\nLook for mistakes.",
            f"{prompts}/verify.md.j2": f"{_hidden('question of the verifier')}\ntry to refute {{{{ claims|join }}}}",
        },
    )


def test_no_secret_of_any_input_reaches_the_reviewers_model() -> None:
    def answered(request: RecordedRequest) -> str:
        claim = issue(file="app.py", evidence="    return load_values(value)", description=_hidden("claim"))
        return judged("confirmed") if "try to refute" in request.user else found(claim)

    patterns = ["SPEC.md", "requirement-path*.md"]
    with MessagesServer(default=answered) as server:
        done = review(server, _context(), patterns=patterns, effort="normal")
    sent = "\n".join(json.dumps(request.body) for request in server.requests)
    assert [kind for kind in REVIEWED if kind.replace(" ", "-") not in sent] == []
    assert [kind for kind in REVIEWED if canary(kind) in sent] == []
    assert len({request.system for request in server.requests}) == 1
    assert not done.unreviewed


def test_what_is_learnt_later_does_not_alter_what_requests_share() -> None:
    """A value that only a finding shows to be a secret stands in what was sent before."""
    word = "Tr0ub4dor" + "-3x-and-more"
    context = MemoryContext({"app.py": (OLD, NEW)}, others={"AGENTS.md": f"Call it {word}."})

    def answered(request: RecordedRequest) -> str:
        claim = issue(description=f"password = '{word}'")
        return judged("confirmed") if "try to refute" in request.user else found(claim)

    with MessagesServer(default=answered) as server:
        review(server, context, effort="normal")
    assert len(server.requests) == 3
    assert len({request.system for request in server.requests}) == 1
    assert word in server.requests[0].system


def test_nothing_of_ours_is_taken_for_a_secret() -> None:
    """A fence called after a word for secrets keeps its mark."""
    files = {"password.py": (OLD, NEW), "api_key.py": (OLD, NEW)}
    others = {"AGENTS.md": "Be strict.", "secret/token.md": "All of it."}
    with MessagesServer(default=judged("confirmed"), enforce_schema=False) as server:
        review(server, MemoryContext(files, others=others), patterns=["*.md"])
    assert server.requests
    for request in server.requests:
        made = set(re.findall("REDACTED_[0-9a-z]+", json.dumps(request.body)))
        assert made <= {"REDACTED_5be10c6a9f3d2714"}  # an example


FIXED = ("changed file", "guideline", "guideline path", "requirement", "requirement path",
         "issue", "suggestion", "attempt", "rejection", "threshold", "output of a check", "own prompt")  # fmt: skip


def test_no_secret_of_any_input_reaches_the_fixers_model() -> None:
    name = f"{canary('file name')}.py"
    files = {
        "app.py": f"def mean(values):\n    # {_hidden('changed file')}\n    return sum(values) / len(values)\n",
        name: "x = 1\n",
        ".selfreview/prompts/fixer.md.j2": f"{_hidden('own prompt')}\n"
        "{% for one in guidelines + requirements %}{{ fence(one.path, one.text) }}{% endfor %}",
    }
    with FixBench(
        files,
        change=["app.py", name],
        config=config(),
        checks={"unit": lambda _root: CheckOutcome(name="unit", passed=False, output=_hidden("output of a check"))},
    ) as bench:
        scope = msgspec.structs.replace(bench.change.scope, merge_base="HEAD")
        bench.change = msgspec.structs.replace(bench.change, scope=scope)
        one = bench.issue("app.py", 3, _hidden("issue"), suggested_fix=_hidden("suggestion"))
        script = [says(call("read_file", path="app.py"), call("run_check", name="unit")), reports(answer(one))]
        with MessagesServer(script) as server:
            mend(
                bench, server, one,
                attempts=[Attempt(1, one.id, _hidden("attempt"))],
                rejected=[_hidden("rejection")],
                threshold=_hidden("threshold"),
                guidelines=[Document("AGENTS.md", _hidden("guideline")),
                            Document(f"guideline-path.{canary('guideline path')}.md", "x")],
                requirements=[Document("SPEC.md", _hidden("requirement")),
                              Document(f"requirement-path.{canary('requirement path')}.md", "x")],
            )  # fmt: skip
    sent = "\n".join(json.dumps(request.body) for request in server.requests)
    assert [kind for kind in FIXED if kind.replace(" ", "-") not in sent] == []
    assert [kind for kind in (*FIXED, "file name") if canary(kind) in sent] == []
    first, second = (request.body for request in server.requests)
    assert second["system"] == first["system"]
    before, after = (body["messages"][0]["content"][0]["text"] for body in (first, second))
    assert before == after
