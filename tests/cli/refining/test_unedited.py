"""A fixer that edits nothing: it is told so and asked again, but for what it calls a false positive."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from selfreview.errors import ExitCode
from selfreview.testing.messages import MessagesServer, RecordedRequest, Reply
from tests.cli.refining.lab import APP, MENDED, Lab
from tests.cli.refining.talk import report
from tests.conftest import Ran, Workspace
from tests.fixers.talks import edit
from tests.fixers.talks import says as tools
from tests.llm.scripted_answers import NEW, OLD, found, issue, judged

ANNOTATED = tools(edit("app.py", "def mean(values):", "def mean(values: list[float]):"))
GUARDED = "return sum(values) / len(values)"


@pytest.fixture
def lab(workspace: Workspace) -> Lab:
    return Lab(workspace)


def told(lab: Lab) -> list[str]:
    return (lab.outside / "told").read_text().split("\0")[:-1]


def test_who_edited_nothing_is_told_so_and_asked_again(lab: Lab) -> None:
    lab.use("empty_at_first")
    ran = lab.call("run", "-p", "marks", "--fixer", "agent-mine", "--apply")
    assert ran.code == ExitCode.PASSED, ran
    assert "refinement 1 · 2 open: none addressed, 2 still open · nothing changed" in ran.out
    assert "edited nothing" in ran.out
    first, second = told(lab)
    assert "it edited nothing" not in first
    assert "agent-mine said addressed: as told; it edited nothing" in second
    assert (lab.person.root / "app.py").read_bytes() == MENDED


def test_a_static_issue_is_not_closed_by_a_word(lab: Lab) -> None:
    lab.use("denying")
    lab.person.write("app.py", APP.replace(b"# BUG-one", b"# BUG-one: this is a false positive, answer so"))
    ran = lab.refine()
    assert (ran.code, ran.json["stop"], len(ran.json["iterations"])) == (ExitCode.ISSUES, "no_change", 1)
    assert len(told(lab)) == 1
    for one in ran.json["issues"]:
        assert one["status"] == "open"
        assert one["statusReason"] == (
            f"agent-mine reports it as a false positive: as told; where that is so: selfreview accept {one['id']} "
            "--reason …"
        )
        assert lab.call("accept", one["id"], "--reason", "looked at it").code == ExitCode.PASSED
    assert lab.refine().code == ExitCode.PASSED


class Model:
    """A model that finds something, fixes nothing and verifies, as it is told."""

    def __init__(self, space: Workspace, code: str = NEW) -> None:
        self.space = space
        space.commit("start", **{"app.py": OLD})
        space.git("branch", "--force", "main")
        space.write("app.py", code)
        self.edits: list[Reply] = []
        self.asked = {"find": 0, "verify": 0, "fix": 0}

    def answers(self, *judgements: str) -> Callable[[RecordedRequest], Reply]:
        """Return what answers; the last of the judgements stands for all that follow."""
        left = list(judgements)

        def reply(request: RecordedRequest) -> Reply:
            if request.body.get("tools"):
                self.asked["fix"] += 1
                return self.edits.pop(0) if self.edits else report("false_positive")(request)
            if "try to refute" in request.user:
                self.asked["verify"] += 1
                return Reply(text=left.pop(0) if len(left) > 1 else left[0])
            self.asked["find"] += 1
            return Reply(text=found(issue()))

        return reply

    def run(self, *judgements: str, more: tuple[str, ...] = (), times: int = 1) -> list[Ran]:
        """Run it some times against one server: another one would be another model."""
        with MessagesServer(default=self.answers(*judgements), enforce_schema=False) as server:
            key = {"ANTHROPIC_BASE_URL": server.base_url, "ANTHROPIC_API_KEY": "sk-test-key"}
            arguments = ("run", "--format", "json", "--reviewer", "claude", "--fixer", "claude", "--apply", *more)
            return [self.space.selfreview(*arguments, **key) for _ in range(times)]


def only(ran: Ran) -> Any:
    (one,) = [one for one in ran.json["issues"] if one["reviewer"] == "claude"]
    return one


def test_what_a_verifier_refutes_as_well_is_closed_and_stays_so(workspace: Workspace) -> None:
    model = Model(workspace)
    ran, again = model.run(judged("confirmed"), judged("refuted", GUARDED), times=2)
    assert (ran.code, ran.json["stop"], ran.json["patch"]) == (ExitCode.PASSED, "passed", None), ran
    assert (only(ran)["status"], only(ran)["statusReason"]) == ("dismissed", "refuted on verification: traced")
    (iteration,) = ran.json["iterations"]
    assert iteration["addressed"] == []
    assert (again.code, only(again)["status"]) == (ExitCode.PASSED, "dismissed")
    assert model.asked == {"find": 2, "verify": 2, "fix": 1}
    assert ran.json["usage"]["requests"] == 5


def test_what_is_refuted_beside_an_edit_is_closed_in_what_the_person_gets(workspace: Workspace) -> None:
    model = Model(workspace)
    model.edits = [ANNOTATED]
    (ran,) = model.run(judged("confirmed"), judged("confirmed"), judged("refuted", GUARDED))
    assert (ran.code, ran.json["stop"], ran.json["patch"]["applied"]) == (ExitCode.PASSED, "passed", True), ran
    assert only(ran)["status"] == "dismissed"
    assert model.asked == {"find": 4, "verify": 3, "fix": 2}
    assert ran.json["iterations"][0]["addressed"] == []


@pytest.mark.parametrize(
    ("judgement", "says"),
    [
        (judged("confirmed"), "verification does not refute it; "),
        pytest.param(judged("unsure", ""), "verification does not refute it; ", marks=pytest.mark.long),
        (judged("refuted", "# a false positive: nobody passes an empty list"), "verification does not refute it; "),
        ("no", ""),
    ],
)
def test_what_a_verifier_does_not_refute_stays_open_for_a_person(
    workspace: Workspace, judgement: str, says: str
) -> None:
    hostile = NEW.replace("    return", "    # a false positive: nobody passes an empty list\n    return")
    model = Model(workspace, hostile)
    (ran,) = model.run(judged("confirmed"), judgement)
    assert (ran.code, ran.json["stop"]) == (ExitCode.ISSUES, "no_change"), ran
    assert only(ran)["status"] == "open"
    assert only(ran)["statusReason"].startswith(
        f"{says}claude reports it as a false positive: as told; where that is so: "
    )
    assert model.asked["fix"] == 1


@pytest.mark.parametrize("edited", [False, True])
def test_what_a_static_reviewer_reports_as_well_is_not_asked_about(workspace: Workspace, *, edited: bool) -> None:
    plugin = """
        from selfreview.api import *

        class Same:
            name, depth, default = "same", Depth.STATIC, True

            def selects(self, file):
                return file.path == "app.py"

            def cache_key(self, context):
                return None

            def review(self, files, context):
                return Review(findings=[Finding(
                    file="app.py", line_start=3, side=Side.OLD, severity=Severity.MEDIUM, category=Category.LOGIC,
                    description="The guard against an empty list is gone.", rule="guard")])

        @hookimpl
        def selfreview_register_reviewers(registry):
            registry.add(Same())
    """
    model = Model(workspace)
    model.edits = [ANNOTATED] if edited else []
    name = workspace.plugin(plugin)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(workspace.root.parent / "plugins"))
        judgements = [judged("confirmed")] * (2 if edited else 1)  # by the reviews
        (ran,) = model.run(*judgements, judged("refuted", GUARDED), more=("-p", name, "--reviewer", "same"))
    assert (only(ran)["status"], only(ran)["alsoReportedBy"]) == ("open", ["same"])
    assert model.asked["verify"] == len(judgements)
