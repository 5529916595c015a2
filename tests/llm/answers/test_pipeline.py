"""The model's part of a review, against a server over HTTP: whatever it answers, nothing passes unread."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Sequence
from typing import Any

import pytest

from selfreview.api import IssueStatus, Review, ReviewerStatus, Severity
from selfreview.errors import ConfigError
from selfreview.llm.answers import pipeline
from selfreview.llm.context.material import gather
from selfreview.llm.context.prompts import ModelSettings
from selfreview.llm.transport.budget import Budget
from selfreview.llm.transport.client import ClientSettings, SdkClient
from selfreview.llm.transport.request import price_of
from selfreview.testing.context import MemoryContext
from selfreview.testing.messages import Cut, ErrorEvent, MessagesServer, RecordedRequest, Reply, Reset, Script, Status
from tests.llm.scripted_answers import CLEAN, NEW, OLD, found, issue, judged

MODEL = "claude-sonnet-5-5"


def review(
    server: MessagesServer, context: MemoryContext | None = None, *, patterns: Sequence[str] = (), **settings: Any
) -> Review:
    """Review a change as the reviewer does, with short waits; patterns are those of requirements."""
    context = context if context is not None else MemoryContext({"app.py": (OLD, NEW)})
    given = ModelSettings(**{"model": MODEL, "verify_model": MODEL, "effort": "quick", **settings})
    deadline = time.monotonic() + 30
    client = SdkClient(ClientSettings(deadline=deadline, base_url=server.base_url, first_wait_s=0.01))
    files = context.change.files
    material = gather(context, files, given, patterns)
    budget = Budget(None, None, lambda model: price_of(model, {}))
    with contextlib.closing(client):
        return pipeline.review(files, context, material, given, client=client, budget=budget)


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test-key")


FOREVER = {
    "overloaded": Status(code=529),
    "server error": Status(code=500),
    "error in the stream": ErrorEvent(),
    "cut": Cut(),
    "cut without an end": Cut(clean=False),
    "reset": Reset(),
    "reset in the answer": Reset(text='{"issues"'),
    "an hour": Status(code=429, retry_after="3600"),
    "no key": Status(code=401),
    "forbidden": Status(code=403),
    "no model": Status(code=404),
    "too long": Status(code=400, message="prompt is too long: 210000 tokens > 200000 maximum"),
    "spend limit": Status(code=429, error_code="enforced_spend_limit_reached"),
    "empty": Reply(),
    "thinking": Reply(content=[{"type": "thinking", "thinking": "hm", "signature": "x"}]),
    "refusal": Reply(text="", stop_reason="refusal"),
    "max tokens": Reply(text='{"issues": [', stop_reason="max_tokens"),
    "window": Reply(text="", stop_reason="model_context_window_exceeded"),
    "prose": Reply(text="Looks good to me!"),
    "empty object": Reply(text="{}"),
    "error object": Reply(text='{"error": "overloaded"}'),
    "two objects": Reply(text=CLEAN + CLEAN),
    "a verdict without issues": Reply(text=found(verdict="critical_issues")),
    "nothing that can be read": Reply(text=found(issue(severity="urgent"))),
}


ASKED = dict.fromkeys(
    ("overloaded", "server error", "error in the stream", "cut", "cut without an end", "reset", "reset in the answer"),
    4,
) | dict.fromkeys(("an hour", "no key", "forbidden", "no model", "too long", "spend limit", "refusal", "window"), 1)
"""How often one question is sent: four attempts, once where that cannot help, and otherwise once more."""


STAND = {"overloaded", "cut", "reset in the answer", "no key", "empty", "refusal", "max tokens", "prose", "two objects",
         "a verdict without issues", "nothing that can be read"}  # fmt: skip
"""Those that stand for the others."""


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=[pytest.mark.long] * (kind not in STAND)) for kind in FOREVER]
)
def test_what_is_no_review_is_never_clean(kind: str) -> None:
    with MessagesServer(default=FOREVER[kind], enforce_schema=False) as server:
        done = review(server)
    assert done.status is ReviewerStatus.FAILED
    assert done.error
    assert "\n" not in done.error
    assert set(done.unreviewed) == {"app.py"}
    assert not done.findings
    assert len(server.requests) == ASKED.get(kind, 2)


@pytest.mark.parametrize("kind", ["an hour", "no key", "forbidden", "no model", "spend limit"])
def test_what_cannot_get_better_is_asked_once(kind: str) -> None:
    with MessagesServer(default=FOREVER[kind]) as server:
        review(server)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "first",
    [
        Status(code=529),
        Status(code=429, retry_after="0"),
        ErrorEvent(),
        Cut(),
        Cut(clean=False),
        Reset(),
        Reply(text="no JSON"),
        Reply(),
        Reply(text=CLEAN[:20], stop_reason="max_tokens"),
        Reply(text=found(verdict="critical_issues")),
    ],
)
def test_one_failure_is_got_over(first: Script) -> None:
    with MessagesServer([first], default=CLEAN, enforce_schema=False) as server:
        done = review(server)
    assert (done.status, done.unreviewed, done.error) == (ReviewerStatus.OK, {}, None)
    assert len(server.requests) == 2
    assert done.usage is not None


@pytest.mark.parametrize("verdict", ["critical_issues", "needs_work", "critical", "reject", "needs work"])
def test_an_answer_that_objects_without_an_issue_is_not_clean(verdict: str) -> None:
    with MessagesServer(default=found(verdict=verdict), enforce_schema=False) as server:
        done = review(server)
    assert done.status is ReviewerStatus.FAILED
    assert set(done.unreviewed) == {"app.py"}


def test_a_severe_finding_is_not_set_aside_for_its_words() -> None:
    severe = issue(
        severity="critical", category="style", description="Nit: a more readable name. And all data is lost."
    )
    with MessagesServer(default=found(severe, verdict="critical_issues")) as server:
        (one,) = review(server).findings
    assert one.status.value == "open"


CITED = '''\
# checked by the caller
LIMIT = compute_limit()  # never empty, as callers ensure
"""Usage:
    values = non_empty(values)
"""
MESSAGE = "values are never empty here"
raise_for("a list that is empty")
def check(values): return bool(values)
'''


@pytest.mark.parametrize(
    ("evidence", "status"),
    [
        ("LIMIT = compute_limit()", "dismissed"),
        ("3 + LIMIT = compute_limit()", "dismissed"),
        ("LIMIT = compute_limit()  # never empty, as callers ensure", "dismissed"),
        ("def check(values): return bool(values)", "dismissed"),
        ("    return sum(values) / len(values)\ndef check(values): return bool(values)", "dismissed"),
        ("def", "unconfirmed"),
        ("return", "unconfirmed"),
        ("# checked by the caller", "unconfirmed"),
        ("checked by the caller", "unconfirmed"),
        ("never empty, as callers ensure", "unconfirmed"),
        ("# never empty, as callers ensure", "unconfirmed"),
        ("    values = non_empty(values)", "unconfirmed"),
        ('MESSAGE = "values are never empty here"', "unconfirmed"),
        ("values are never empty here", "unconfirmed"),
        ("a list that is empty", "unconfirmed"),
        ("    return sum(values) / len(values)", "unconfirmed"),  # the very line that the issue is about
        ("2   return sum(values) / len(values)", "unconfirmed"),
    ],
)
def test_only_another_line_of_code_refutes(evidence: str, status: str) -> None:
    context = MemoryContext({"app.py": (OLD, CITED + NEW)})
    claim = issue(evidence="    return sum(values) / len(values)", lineStart=10, lineEnd=10)

    def answer(request: RecordedRequest) -> str:
        return judged("refuted", evidence) if "try to refute" in request.user else found(claim)

    with MessagesServer(default=answer) as server:
        (one,) = review(server, context, effort="normal").findings
    assert one.status.value == status


SHELL = """\
import os
from lib import (
    checked,
)


def quote(
    name,
):
    return checked(name)


class Runner(object):
    def run(self, name):
        if not name.isalnum():
            return 1
        command = "ls " + name
        os.system(command)
        return 0
"""
COMMAND, SYSTEM = '        command = "ls " + name', "        os.system(command)"


@pytest.mark.parametrize(
    ("cited", "claimed", "status"),
    [
        ("        if not name.isalnum():", COMMAND, "dismissed"),
        ("    return checked(name)", COMMAND, "dismissed"),
        ("    def run(self, name):", COMMAND, "unconfirmed"),
        ("def run(self, name)", COMMAND, "unconfirmed"),
        ("class Runner(object):", COMMAND, "unconfirmed"),
        ("def quote(", COMMAND, "unconfirmed"),
        ("import os", COMMAND, "unconfirmed"),
        ("from lib import (", COMMAND, "unconfirmed"),
        (SYSTEM, COMMAND, "unconfirmed"),  # a line that the claim is about too
        ("        if not name.isalnum():", "os.system(<user input>)", "unconfirmed"),  # its line is not known
    ],
)
def test_what_stands_there_anyway_refutes_nothing(cited: str, claimed: str, status: str) -> None:
    claim = issue(severity="critical", category="security", evidence=claimed, lineStart=17, lineEnd=18)

    def answer(request: RecordedRequest) -> str:
        if "try to refute" in request.user:
            return judged("refuted", cited)
        return found(claim, verdict="critical_issues")

    with MessagesServer(default=answer) as server:
        (one,) = review(server, MemoryContext({"app.py": (None, SHELL)}), effort="normal").findings
    assert one.status.value == status


@pytest.mark.parametrize(
    ("evidence", "status"),
    [("    return [value or 0]", "dismissed"), ("    Never returns an empty list, whatever.", "unconfirmed")],
)
def test_a_line_of_what_is_shown_beside_the_change_refutes_too(evidence: str, status: str) -> None:
    lib = 'def load_values(value):\n    """Load.\n\n    Never returns an empty list, whatever.\n    """\n'
    lib += "    return [value or 0]\n"
    new = "from lib import load_values\n\n\ndef mean(value):\n    values = load_values(value)\n"
    new += "    return sum(values) / len(values)\n"
    context = MemoryContext({"app.py": (None, new)}, others={"lib.py": lib})
    claim = issue(evidence="    return sum(values) / len(values)", lineStart=6, lineEnd=6)

    def answer(request: RecordedRequest) -> str:
        return judged("refuted", evidence) if "try to refute" in request.user else found(claim)

    with MessagesServer(default=answer) as server:
        (one,) = review(server, context, effort="normal").findings
    assert one.status.value == status


@pytest.mark.parametrize(
    "judgements",
    [
        [(1, "refuted")],
        [(0, "confirmed"), (1, "refuted")],
        [("1", "confirmed"), (2, "refuted")],
        [(1, "confirmed critical"), (2, "refuted")],
        [(1, "refuted"), (2, "refuted"), (3, "confirmed")],
        [(1, "confirmed"), (2, "refuted"), (2, "unsure")],
    ],
)
def test_a_verification_that_is_not_clear_is_asked_for_again_and_then_leaves_all_open(judgements: list[Any]) -> None:
    evidence = "LIMIT = compute_limit()"
    said = json.dumps(
        {"judgements": [{"index": i, "reason": "r", "evidence": evidence, "answer": a} for i, a in judgements]}
    )
    claim = issue(evidence="    return sum(values) / len(values)", lineStart=10, lineEnd=10)
    other = claim | {"description": "Callers that pass a generator now loop forever.", "failure": "a -> b"}

    def answer(request: RecordedRequest) -> str:
        return said if "try to refute" in request.user else found(claim, other)

    with MessagesServer(default=answer, enforce_schema=False) as server:
        done = review(server, MemoryContext({"app.py": (OLD, CITED + NEW)}), effort="normal")
    assert [one.status.value for one in done.findings] == ["open", "open"]
    assert sum("try to refute" in request.user for request in server.requests) == 2
    assert done.unsettled == ["app.py"]


LOW = issue(severity="low")
DOUBTFUL = {
    "a critical issue that cannot be read": found(LOW, issue(severity="critical", lineStart=-1), verdict="pass"),
    "one of an unknown severity": found(LOW, issue(severity="urgent"), verdict="pass"),
    "something that is none": json.dumps({"issues": [LOW, "SQL injection"], "summary": "", "verdict": "pass"}),
    "issues elsewhere": json.dumps({"issues": [LOW], "critical_issues": [issue()], "summary": "", "verdict": "pass"}),
    "a stricter verdict": found(LOW, verdict="critical_issues"),
}


@pytest.mark.parametrize("kind", DOUBTFUL)
def test_what_may_say_more_than_can_be_read_is_asked_again_and_then_incomplete(kind: str) -> None:
    with MessagesServer(default=DOUBTFUL[kind], enforce_schema=False) as server:
        done = review(server)
    assert len(server.requests) == 2
    assert (done.status, set(done.unreviewed)) == (ReviewerStatus.FAILED, {"app.py"})
    assert [one.severity for one in done.findings] == [Severity.LOW]  # what could be read is shown all the same
    with MessagesServer([Reply(text=DOUBTFUL[kind])], default=CLEAN, enforce_schema=False) as server:
        done = review(server)
    # What could be read of the first answer is kept; and what could not, and the second does not say, is missed.
    assert [one.severity for one in done.findings] == [Severity.LOW]
    assert set(done.unreviewed) == (set() if kind == "a stricter verdict" else {"app.py"})


UNREAD = issue(severity="urgent", description="Something else.")


@pytest.mark.parametrize("second", [CLEAN, "no JSON", found(verdict="critical_issues")])
def test_what_is_well_said_in_a_refused_answer_is_not_lost(second: str) -> None:
    first = found(issue(severity="critical"), UNREAD, verdict="critical_issues")
    with MessagesServer([first], default=second, enforce_schema=False) as server:
        done = review(server)
    assert len(server.requests) == 2
    assert [one.severity for one in done.findings] == [Severity.CRITICAL]
    assert set(done.unreviewed) == {"app.py"}


def test_what_a_second_answer_says_in_place_of_what_could_not_be_read_settles_it() -> None:
    words = {"description": "Callers that pass a generator now loop forever.", "failure": "generator -> hang"}
    readable = issue(severity="medium", category="performance", **words)
    second = found(issue(severity="critical"), readable, verdict="critical_issues")
    with MessagesServer([found(issue(severity="critical"), UNREAD)], default=second, enforce_schema=False) as server:
        done = review(server)
    assert (done.status, done.unreviewed) == (ReviewerStatus.OK, {})
    assert [one.severity for one in done.findings] == [Severity.CRITICAL, Severity.MEDIUM]


def test_a_grave_issue_elsewhere_in_the_first_answer_only_is_missed() -> None:
    with MessagesServer([found(issue(**LOST))], default=CLEAN) as server:
        done = review(server)
    assert [one.file for one in done.findings] == ["other.py"]
    assert "a high issue of an answer refers to no changed line: other.py, line 400" in done.unreviewed["app.py"]


def test_what_blocks_nothing_and_cannot_be_read_is_only_counted() -> None:
    answer = found(LOW, issue(severity="low", lineStart=-1), verdict="pass")
    with MessagesServer(default=answer, enforce_schema=False) as server:
        done = review(server)
    assert (len(server.requests), done.status, done.unreviewed) == (1, ReviewerStatus.OK, {})
    assert any("1 issue in the model's answer could not be read" in note for note in done.notes)


LOST = {"file": "other.py", "evidence": "nowhere_at_all()", "lineStart": 400, "lineEnd": 400}


def test_an_answer_about_something_else_is_asked_for_again() -> None:
    with MessagesServer([found(issue(**LOST))], default=found(issue())) as server:
        done = review(server)
    assert [one.file for one in done.findings] == ["app.py"]
    assert len(server.requests) == 2
    with MessagesServer(default=found(issue(**LOST), issue(**LOST, description="And more."))) as server:
        done = review(server)
    assert len(server.requests) == 2
    assert set(done.unreviewed) == {"app.py"}
    assert [one.file for one in done.findings] == ["other.py", "other.py"]
    assert any("2 issues of the model could not be matched to a line of the change" in note for note in done.notes)


def test_an_answer_of_which_a_grave_part_has_no_place_is_asked_for_again_and_then_incomplete() -> None:
    with MessagesServer(default=found(issue(severity="low"), issue(**LOST))) as server:
        done = review(server)
    assert (len(server.requests), set(done.unreviewed)) == (2, {"app.py"})


def test_an_answer_of_which_nothing_grave_has_no_place_is_not_asked_for_again() -> None:
    for answer in (found(issue(), issue(**LOST, severity="low")), found(issue(**LOST, severity="low"), verdict="pass")):
        with MessagesServer(default=answer) as server:
            done = review(server)
        assert len(server.requests) == 1
        assert any("1 issue of the model could not be matched to a line of the change" in note for note in done.notes)


def test_a_path_that_is_shown_with_a_placeholder_is_known() -> None:
    name = "AKIAQ3EGUZPRWT7HXL5N.py"
    context = MemoryContext({name: (OLD, NEW), "b.py": (OLD, NEW)})

    def answer(request: RecordedRequest) -> str:
        assert name not in json.dumps(request.body)
        (line,) = (line for line in request.user.split("\n") if line.startswith("## File: REDACTED"))
        return found(issue(file=line.split(" ")[2]))

    with MessagesServer(default=answer) as server:
        done = review(server, context)
    assert [one.file for one in done.findings] == [name]


def test_what_could_not_be_verified_is_not_kept() -> None:
    def answer(request: RecordedRequest) -> Script:
        return Status(code=400) if "try to refute" in request.user else found(issue())

    with MessagesServer(default=answer) as server:
        done = review(server, effort="normal")
    assert done.unsettled == ["app.py"]
    assert any("could not be verified" in note for note in done.notes)


def test_a_change_that_was_not_looked_at_as_a_whole_is_incomplete() -> None:
    def answer(request: RecordedRequest) -> Script:
        return Status(code=400) if "the change as a whole" in request.user else CLEAN

    with MessagesServer(default=answer) as server:
        done = review(server, _large(files=3), task_tokens=1_500)
    assert not done.unreviewed
    assert len(done.gaps) == 1


def test_a_server_that_asks_to_wait_for_an_hour_is_asked_nothing_more() -> None:
    with MessagesServer(default=Status(code=429, retry_after="3600")) as server:
        done = review(server, _large(files=4), task_tokens=1_500, concurrency=1)
    assert done.status is ReviewerStatus.FAILED
    assert len(server.requests) == 1


def test_an_answer_that_is_too_long_is_asked_for_with_more_room() -> None:
    with MessagesServer([Reply(text="{", stop_reason="max_tokens")], default=CLEAN, enforce_schema=False) as server:
        review(server)
    first, second = (request.body["max_tokens"] for request in server.requests)
    assert second == 2 * first


def _large(files: int = 1, lines: int = 120) -> MemoryContext:
    body = "".join(f"def f{n}(a):\n    return a + {n}\n\n\n" for n in range(lines))
    return MemoryContext({f"part{number}.py": (None, body) for number in range(files)})


def test_a_task_that_does_not_fit_is_split_and_not_cut() -> None:
    limit = 6_000

    def answer(request: RecordedRequest) -> Script:
        return CLEAN if len(request.user) < limit else Status(code=400, message="prompt is too long: 9 > 8 maximum")

    with MessagesServer(default=answer) as server:
        done = review(server, _large())
    assert (done.status, done.unreviewed) == (ReviewerStatus.OK, {})
    shown = [request.user for request in server.requests if len(request.user) < limit]
    for number in range(120):
        assert sum(f"+ def f{number}(a):" in text for text in shown) == 1


def test_every_added_line_is_in_one_task_of_each_pass() -> None:
    with MessagesServer(default=CLEAN) as server:
        done = review(server, _large(files=6, lines=60), effort="normal", task_tokens=1_500)
    assert done.status is ReviewerStatus.OK
    jobs: dict[str, str] = {}
    for request in server.requests:
        material, _, job = request.user.partition("# Your job: ")
        name = job.partition("\n")[0]
        jobs[name] = jobs.get(name, "") + material
    assert len(jobs) == 3  # two lenses and the change as a whole
    for lens in ("mistakes inside what changed", "the seams"):
        for number in range(60):
            assert jobs[lens].count(f"+ def f{number}(a):") == 6


@pytest.mark.parametrize(("effort", "asked"), [("quick", "low"), ("normal", None), ("thorough", "high")])
def test_the_effort_is_handed_on(effort: str, asked: str | None) -> None:
    with MessagesServer(default=CLEAN) as server:
        review(server, effort=effort)
    assert {request.body["output_config"].get("effort") for request in server.requests} == {asked}


def test_requests_share_their_first_part_and_the_first_goes_alone() -> None:
    with MessagesServer(default=CLEAN) as server:
        server.delay_s = 0.05
        review(server, _large(files=4), effort="normal", task_tokens=1_500)
    assert len({request.system for request in server.requests}) == 1
    assert len(server.requests) > 8
    first, second = sorted(request.at for request in server.requests)[:2]
    assert second - first >= 0.05


def test_two_passes_that_agree_are_one_finding() -> None:
    with MessagesServer(default=found(issue(severity="low"), verdict="pass")) as server:
        done = review(server, effort="normal")
    assert len(server.requests) == 2
    (one,) = done.findings
    assert one.severity is Severity.LOW
    assert one.confidence is not None
    assert one.confidence > 0.9


def test_what_is_not_reported_is_set_aside_with_a_reason() -> None:
    nit = issue(severity="medium", category="style", description="Nit: a more readable name would be better.")
    with MessagesServer(default=found(nit)) as server:
        done = review(server)
    (one,) = done.findings
    assert (one.status.value, one.status_reason) == ("dismissed", "excluded: style")


def test_a_quote_that_holds_a_placeholder_is_found() -> None:
    secret = "AKIAQ3EGUZPRWT7HXL5N"
    context = MemoryContext({"app.py": ("\n\n" + OLD, f'\n\nKEY = "{secret}"\n' + OLD)})

    def answer(request: RecordedRequest) -> str:
        assert secret not in json.dumps(request.body)
        line = next(line for line in request.user.split("\n") if "KEY =" in line)
        return found(issue(lineStart=1, lineEnd=1, evidence=line.partition("+ ")[2]))

    with MessagesServer(default=answer) as server:
        done = review(server, context)
    assert [(f.line_start, f.evidence) for f in done.findings] == [(3, f'KEY = "{secret}"')]


def test_a_second_pass_reads_the_change_from_the_cache() -> None:
    with MessagesServer(default=CLEAN) as server:
        done = review(server, _large(lines=60), effort="normal", concurrency=1)
    first, second = (request.body["messages"][0]["content"] for request in server.requests)
    assert first[0] == second[0]
    assert first[0]["cache_control"] == {"type": "ephemeral"}
    assert done.usage is not None
    assert done.usage.cache_read_tokens > done.usage.input_tokens


def _own(name: str, text: str, files: dict[str, tuple[str | None, str]] | None = None) -> MemoryContext:
    return MemoryContext(files or {"app.py": (OLD, NEW)}, others={f".selfreview/prompts/{name}.md.j2": text})


@pytest.mark.parametrize("name", ["system", "material", "correctness", "security", "overview", "verify", "answer"])
def test_a_prompt_that_is_broken_is_known_before_anything_is_paid(name: str) -> None:
    with (
        MessagesServer(default=CLEAN) as server,
        pytest.raises(ConfigError, match=rf"{name}\.md\.j2, line 2, .*division"),
    ):
        review(server, _own(name, "Fine.\n{{ 1/0 }}"))
    assert not server.requests


def test_a_question_that_cannot_be_made_leaves_the_others_their_answers() -> None:
    """The halves of a task that is too long break a prompt that held for the whole."""
    body = "".join(f"def f{n}(a):\n    return a + {n}\n\n\n" for n in range(120))
    seen = issue(file="big.py", evidence="    return a + 1", severity="low")

    def answer(request: RecordedRequest) -> Script:
        if "the seams" in request.user:
            return found(seen, verdict="pass")
        return Status(code=400, message="prompt is too long: 9 > 8 maximum")

    broken = "{% if 9 < body|length < 5000 %}{{ nothing }}{% endif %}{{ body }}"
    with MessagesServer(default=answer) as server:
        done = review(server, _own("material", broken, {"big.py": (None, body)}), effort="normal")
    assert [finding.file for finding in done.findings] == ["big.py"]
    assert "material.md.j2, line 1" in done.unreviewed["big.py"]
    assert len(server.requests) == 2


def test_a_claim_that_breaks_a_prompt_stays_open() -> None:
    with MessagesServer(default=found(issue())) as server:
        done = review(
            server,
            _own("verify", "{% if claims[0]|length > 9 %}{{ nothing }}{% endif %}"),
            effort="normal",
        )
    assert [one.status for one in done.findings] == [IssueStatus.OPEN]
    assert any("could not be verified" in note and "verify.md.j2, line 1" in note for note in done.notes)
    assert done.unsettled == ["app.py"]
    assert len(server.requests) == 2


def test_the_first_request_of_another_model_goes_alone_too() -> None:
    files = {f"app{number}.py": (OLD, NEW) for number in range(3)}
    issues = found(*(issue(file=name) for name in files))

    def answer(request: RecordedRequest) -> Script:
        return Reply(text='{"judgements": []}') if request.body["model"] == "claude-opus-5" else issues

    with MessagesServer(default=answer, enforce_schema=False) as server:
        server.delay_s = 0.05
        review(server, MemoryContext(files), effort="normal", verify_model="claude-opus-5")
    first, second = sorted(request.at for request in server.requests if request.body["model"] == "claude-opus-5")[:2]
    assert second - first >= 0.05


@pytest.mark.parametrize(("fault", "asked"), [(Status(code=529), 8), (Status(code=400), 2)])
def test_a_server_that_does_not_answer_is_left_alone(fault: Script, asked: int) -> None:
    with MessagesServer(default=fault) as server:
        done = review(server, _large(files=6), effort="normal", task_tokens=1_500)
    assert len(server.requests) == asked
    assert done.status is ReviewerStatus.FAILED
    assert any(note.startswith("0 of ") for note in done.notes)


def test_a_verifier_that_does_not_exist_is_asked_once() -> None:
    files = {f"app{number}.py": (OLD, NEW) for number in range(3)}
    issues = found(*(issue(file=name) for name in files))

    def answer(request: RecordedRequest) -> Script:
        return Status(code=404) if request.body["model"] == "claude-opus-5" else issues

    with MessagesServer(default=answer) as server:
        done = review(server, MemoryContext(files), effort="normal", verify_model="claude-opus-5")
    assert sum(request.body["model"] == "claude-opus-5" for request in server.requests) == 1
    assert done.unsettled == sorted(files)


@pytest.mark.parametrize(("tokens", "asked"), [(40_000, [40_000, 64_000]), (100_000, [100_000])])
def test_an_answer_that_was_cut_off_is_never_asked_for_with_less_room(tokens: int, asked: list[int]) -> None:
    with MessagesServer(default=Reply(text="{", stop_reason="max_tokens"), enforce_schema=False) as server:
        review(server, answer_tokens=tokens)
    assert [request.body["max_tokens"] for request in server.requests] == asked


def test_the_verifier_is_asked_with_the_same_effort() -> None:
    with MessagesServer(
        default=lambda r: judged("confirmed") if "try to refute" in r.user else found(issue())
    ) as server:
        review(server, effort="thorough")
    assert len(server.requests) == 4
    assert {request.body["output_config"].get("effort") for request in server.requests} == {"high"}
