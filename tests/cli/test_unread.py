"""A reviewer that was not given the change, or did not read it, reviews nothing, whatever it answers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from selfreview.errors import ExitCode
from selfreview.testing.messages import MessagesServer, RecordedRequest, Reply
from selfreview.testing.messages.script import prompt_of
from selfreview.testing.words import with_words, words_in
from tests.conftest import Ran, Workspace
from tests.llm.scripted_answers import CLEAN, NEW, OLD, found, issue, judged
from tests.rows import few

SAID = "The code could not be read when locked; that is mended. Rate limits are respected."
"""Of the code under review."""


def empty(summary: str = "Fine.", verdict: str = "pass", **more: Any) -> str:
    return json.dumps({"issues": [], "summary": summary, "verdict": verdict, **more})


@pytest.fixture
def change(workspace: Workspace) -> Workspace:
    workspace.commit("start", **{"app.py": OLD})
    workspace.git("branch", "--force", "main")
    workspace.write("app.py", NEW)
    return workspace


def asked(space: Workspace, server: MessagesServer, *arguments: str) -> Ran:
    environ = {"ANTHROPIC_BASE_URL": server.base_url, "ANTHROPIC_API_KEY": "sk-test-key"}
    return space.selfreview("run", "--format", "json", "--reviewer", "claude", *arguments, **environ)


def is_unread(ran: Ran, says: str) -> None:
    """Check that nothing passed, that the file counts as not reviewed, and why."""
    assert ran.code == ExitCode.INCOMPLETE, ran
    result = ran.json
    assert (result["status"], result["passed"], result["modelReviewed"]) == ("incomplete", False, False)
    assert result["coverage"]["depth"]["model"] == 0
    assert says in result["reviewers"][0]["error"]


def _words(request: RecordedRequest) -> tuple[str, ...]:
    words = words_in(prompt_of(request))
    assert words is not None
    return tuple(words.values())


def given(request: RecordedRequest, change_words: Callable[..., tuple[Any, Any]]) -> str:
    first, last = change_words(*_words(request))
    return empty(firstWord=first, lastWord=last)


WRONG: dict[str, Callable[..., tuple[Any, Any]]] = {
    "the first is lost": lambda first, last: ("", last),
    "the last is lost": lambda first, last: (first, ""),
    "both are": lambda first, last: ("", ""),
    "guessed": lambda first, last: ("tobakumi", "kelidona"),
    "swapped": lambda first, last: (last, first),
    "one for both": lambda first, last: (first, first),
    "half of one": lambda first, last: (first[:4], last),
    "no text": lambda first, last: ([first], {"word": last}),
    "null": lambda first, last: (None, last),
}


@pytest.mark.parametrize("wrong", few([*WRONG], "the first is lost", "the last is lost", "swapped", "no text"))
def test_an_answer_without_both_words_is_no_review(change: Workspace, wrong: str) -> None:
    with MessagesServer(default=lambda request: given(request, WRONG[wrong]), enforce_schema=False) as server:
        is_unread(asked(change, server), "does not repeat the word")
    assert len(server.requests) == 4  # two passes, each asked once more


def test_words_are_copied_as_people_copy_them(change: Workspace) -> None:
    with MessagesServer(default=lambda request: given(request, lambda a, b: (f" {a}\n", b.capitalize()))) as server:
        assert asked(change, server).code == ExitCode.PASSED


def test_an_answer_that_knows_of_no_words_is_no_review(change: Workspace) -> None:
    with MessagesServer(default=CLEAN, enforce_schema=False, repeat_words=False) as server:
        is_unread(asked(change, server), 'lacks "firstWord" and "lastWord"')


def cut(request: RecordedRequest, kept: Callable[[str], str]) -> str:
    """Answer as a model whose server cuts prompts: with what words it still sees."""
    prompt = kept(prompt_of(request))
    seen = {
        key: (re.findall(rf"^{name} word: (\w+)$", prompt, re.MULTILINE) or [""])[-1]
        for key, name in (("firstWord", "First"), ("lastWord", "Last"))
    }
    return empty(**seen)


@pytest.mark.parametrize(
    ("kept", "end"), [(lambda prompt: prompt[200:], "begins"), (lambda prompt: prompt[:-200], "ends")]
)
def test_a_server_that_cuts_a_prompt_at_either_end(change: Workspace, kept: Callable[[str], str], end: str) -> None:
    with MessagesServer(default=lambda request: cut(request, kept)) as server:
        is_unread(asked(change, server), f"the word that its prompt {end} with")
    with MessagesServer(default=lambda request: cut(request, lambda prompt: prompt)) as server:
        assert asked(change, server).code == ExitCode.PASSED


def test_one_part_that_was_cut_is_not_reviewed_and_the_others_are(change: Workspace) -> None:
    names = [f"part{number}.py" for number in range(4)]
    for name in names:
        change.write(name, "".join(f"def {name[:5]}_{n}(a):\n    return a + {n}\n\n\n" for n in range(30)))
    lost = f"File: {names[2]}"

    def answer(request: RecordedRequest) -> str:
        return cut(request, lambda prompt: prompt[100:] if lost in prompt else prompt)

    arguments = ("-o", "claude.task_tokens=1500", "-o", "claude.effort=quick")
    with MessagesServer(default=answer) as server:
        ran = asked(change, server, *arguments)
        shown = {tuple(re.findall("^## File: (.*)$", r.user, re.MULTILINE)): _words(r) for r in server.requests}
        first = len(server.requests)
        again = asked(change, server, *arguments)
    assert ran.code == again.code == ExitCode.INCOMPLETE
    assert "part2.py" in ran.json["incompleteReasons"][0]
    assert ran.json["coverage"]["depth"]["model"] >= 3 * 119
    assert len({word for words in shown.values() for word in words}) == 2 * len(shown) >= 8
    assert all(lost in request.user for request in server.requests[first:])  # the others are known


def test_the_answer_of_one_part_does_not_count_for_another(change: Workspace) -> None:
    answers: list[str] = []

    def replayed(request: RecordedRequest) -> str:
        answers.append(with_words(CLEAN, prompt_of(request)))
        return answers[0]

    with MessagesServer(default=replayed) as server:
        ran = asked(change, server)
    assert ran.code == ExitCode.INCOMPLETE
    assert "1 of 2 questions to the model were answered" in ran.json["notes"]


def test_what_passes_share_is_kept_by_the_service_and_words_are_in_no_key(change: Workspace) -> None:
    with MessagesServer(default=CLEAN) as server:
        asked(change, server)
        first = len(server.requests)
        bodies = [request.body for request in server.requests]
        again = asked(change, server)
        assert len(server.requests) == first
        asked(change, server, "--no-cache")
    assert again.json["reviewers"][0]["cached"]
    one, other = (body["messages"][0]["content"] for body in bodies)
    assert bodies[0]["system"] == bodies[1]["system"]
    assert one[0] == other[0]
    words = {word for request in server.requests for word in _words(request)}
    assert len(words) == 2 + 4  # the first for each material, the last for each request
    assert not [word for word in words if word in json.dumps(bodies[0]["system"])]


def test_a_model_says_that_it_could_not_review(change: Workspace) -> None:
    with MessagesServer(default=empty("It was cut off.", "could_not_review")) as server:
        is_unread(asked(change, server), 'says that the change could not be reviewed: "It was cut off."')


@pytest.mark.parametrize(
    "summary",
    few(
        [
            "I was unable to see the diff.",
            "No diff was provided.",
            "Review skipped.",
            "Fine so far. Rate limit reached.",
        ],
        *("No diff was provided.", "Fine so far. Rate limit reached."),
    ),
)
def test_a_model_says_in_words_that_it_read_nothing(change: Workspace, summary: str) -> None:
    with MessagesServer(default=empty(summary)) as server:
        is_unread(asked(change, server), f'could not be read: "{summary}"')


@pytest.mark.parametrize("verdict", [{}, {"verdict": None}, pytest.param({"verdict": ""}, marks=pytest.mark.long)])
def test_no_issue_and_no_verdict_is_no_review(change: Workspace, verdict: dict[str, Any]) -> None:
    answer = json.dumps({"issues": [], "summary": "Fine.", **verdict})
    with MessagesServer(default=answer, enforce_schema=False) as server:
        is_unread(asked(change, server), 'an answer lists no issue and gives no verdict: "Fine."')
    assert len(server.requests) == 4  # two passes, each asked once more
    with MessagesServer([answer], default=CLEAN, enforce_schema=False) as server:
        assert asked(change, server).code == ExitCode.PASSED


def test_a_summary_of_code_that_cannot_be_read_is_no_such_word_and_is_shown(change: Workspace) -> None:
    with MessagesServer(default=empty(SAID)) as server:
        ran = asked(change, server)
        shown = change.selfreview("status").out
    assert ran.code == ExitCode.PASSED
    assert ran.json["notes"].count(f'the model found nothing, and says: "{SAID}"') == 1
    assert SAID in " ".join(shown.split())


def test_what_an_unread_answer_found_is_kept(change: Workspace) -> None:
    with MessagesServer(default=found(issue()), enforce_schema=False, repeat_words=False) as server:
        ran = asked(change, server)
    assert ran.code == ExitCode.INCOMPLETE
    assert [one["status"] for one in ran.json["issues"]] == ["open"]


@pytest.mark.parametrize(
    "verdict",
    [
        judged("refuted"),
        judged("unsure"),
        json.dumps({"firstWord": "", "lastWord": "", **json.loads(judged("unsure"))}),
    ],
)
def test_a_verifier_that_read_nothing_clears_nothing(change: Workspace, verdict: str) -> None:
    def answer(request: RecordedRequest) -> str:
        return verdict if "try to refute" in request.user else with_words(found(issue()), prompt_of(request))

    with MessagesServer(default=answer, enforce_schema=False, repeat_words=False) as server:
        ran = asked(change, server)
    assert ran.code == ExitCode.ISSUES, ran
    assert any("could not be verified" in note for note in ran.json["notes"])


def test_a_verifier_that_says_it_had_nothing_to_judge_by_clears_nothing(change: Workspace) -> None:
    for told in (judged("could_not_review", ""), judged("unsure", "").replace("traced", "I could not read the diff.")):
        with MessagesServer(default=lambda r, a=told: a if "try to refute" in r.user else found(issue())) as server:
            assert asked(change, server, "--no-cache").code == ExitCode.ISSUES


@pytest.mark.long
def test_tokens_far_below_what_was_sent_are_told(change: Workspace) -> None:
    change.write("large.py", "".join(f"VALUE_{n} = {n}\n" for n in range(4_000)))
    with MessagesServer(default=CLEAN) as server:
        fine = asked(change, server, "--no-cache")
        server.meter.charge = lambda _request, _reply: {"input_tokens": 30, "output_tokens": 9}  # type: ignore[method-assign]
        short = asked(change, server, "--no-cache")
    told = r"the model's server counted 30 tokens of about [\d,]+ that it was sent: its window may be too small"
    assert [note for note in short.json["notes"] if re.fullmatch(told, note)]
    assert not [note for note in fine.json["notes"] if "counted" in note]
    assert short.code == ExitCode.PASSED  # caches and local servers count as they like: the words decide


def test_a_server_that_speaks_only_the_basics_is_asked_for_the_words_too(change: Workspace) -> None:
    refused = ("output_config", "cache_control")
    with MessagesServer(default=CLEAN, rejects=refused) as server:
        assert asked(change, server).code == ExitCode.PASSED
    last = server.requests[-1].user
    assert last.index("JSON Schema") < last.index("Last word: ")
    with MessagesServer(default=Reply(text=CLEAN), rejects=refused, repeat_words=False) as server:
        is_unread(asked(change, server, "--no-cache"), "firstWord")
