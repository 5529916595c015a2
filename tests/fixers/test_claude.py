"""The fixer over the real SDK and a scripted server: what it sends, what it changes, and how it ends."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest

from selfreview.api import Attempt, CheckOutcome, Document, FixOutcome, Severity
from selfreview.fixers.claude import ClaudeFixer
from selfreview.testing.fixing import FixBench
from selfreview.testing.messages import Cut, MessagesServer, Reply, Silence, Status
from tests.fixers.talks import answer, call, config, edit, mend, reports, says, told

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
CODE = "def mean(values):\n    return sum(values) / len(values)\n"
GOOD = ("    return sum(values) / len(values)", "    return sum(values) / len(values) if values else 0.0")


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "test-key-0123456789")


def bench_of(files: Any = None, *, own: dict[str, Any] | None = None, **more: Any) -> FixBench:
    return FixBench(files or {"app.py": CODE}, config=config(**(own or {})), **more)


class TestGood:
    def test_reads_edits_and_reports(self):
        with bench_of() as bench:
            issue = bench.issue("app.py", 2, "divides by zero")
            script = [
                says(call("read_file", path="app.py")),
                says(edit("app.py", *GOOD)),
                reports(answer(issue, why="guarded"), notes="no tests"),
            ]
            with MessagesServer(script) as server:
                fix = mend(bench, server, issue)
            assert "if values else 0.0" in bench.text("app.py")
            assert bench.changed() == ["app.py"]
        assert (fix.error, fix.over_budget, fix.notes) == (None, False, "no tests")
        assert [(a.issue, a.outcome, a.why) for a in fix.answers] == [(issue.id, FixOutcome.ADDRESSED, "guarded")]
        assert fix.usage is not None
        assert fix.usage.requests == 3
        assert fix.usage.cost_usd > 0
        assert fix.usage.cache_read_tokens > fix.usage.input_tokens
        (read,), (edited,) = told(server.requests[1]), told(server.requests[2])
        assert "    2      return sum(values) / len(values)" in read["content"]
        assert "    2      return sum(values) / len(values) if values else 0.0" in edited["content"]

    def test_everything_that_is_known_is_told(self):
        with bench_of({"app.py": CODE, "README.md": "x\n"}, change=["app.py"]) as bench:
            worst = bench.issue("app.py", 2, "divides by zero", Severity.CRITICAL, suggested_fix="return 0")
            other = bench.issue("app.py", 1, "no docstring")
            request = {
                "attempts": [Attempt(1, worst.id, "added a try"), Attempt(1, "sr-00000000", "of another issue")],
                "rejected": ["tests/test_app.py: the test is weaker"],
                "requirements": [Document("spec.md", "the mean of nothing is 0")],
                "guidelines": [Document("AGENTS.md", "use type hints")],
                "threshold": "medium and worse",
                "iteration": 2,
            }
            with MessagesServer([reports(answer(worst), answer(other))]) as server:
                mend(bench, server, worst, other, **request)
        sent = server.requests[0]
        assert "use type hints" in sent.system
        assert "the mean of nothing is 0" in sent.system
        for text in ("medium and worse", "attempt 2", "return 0", "added a try", "the test is weaker", "app.py"):
            assert text in sent.user
        assert sent.user.index("divides by zero") < sent.user.index("no docstring")
        assert "of another issue" not in sent.user
        assert "    2      return sum(values)" in sent.user
        assert "run_check" not in [tool["name"] for tool in sent.body["tools"]]

    def test_a_reason_for_a_file_elsewhere_is_handed_on(self):
        with bench_of() as bench:
            issue = bench.issue("app.py", 2, "x")
            said = reports(answer(issue), elsewhere=[{"path": "./lib.py", "why": "the cause"}, {"path": 3}])
            with MessagesServer([said]) as server:
                assert mend(bench, server, issue).reasons == {"lib.py": "the cause"}

    def test_several_calls_in_one_message_are_all_answered_in_order(self):
        with bench_of() as bench:
            issue = bench.issue("app.py", 2, "x")
            calls = [call("read_file", path="app.py"), call("list_files"), edit("app.py", *GOOD)]
            with MessagesServer([says(*calls), reports(answer(issue))]) as server:
                mend(bench, server, issue)
            assert [t["tool_use_id"] for t in told(server.requests[1])] == [c["id"] for c in calls]
            assert bench.changed() == ["app.py"]

    def test_thinking_is_handed_back_unchanged(self):
        thinking = {"type": "thinking", "thinking": "so it is empty", "signature": "sig"}
        hidden = {"type": "redacted_thinking", "data": "opaque"}
        with bench_of() as bench:
            issue = bench.issue("app.py", 2, "x")
            listing = call("list_files")
            with MessagesServer([says(thinking, hidden, listing), reports(answer(issue))]) as server:
                mend(bench, server, issue)
        assert server.requests[1].body["messages"][1]["content"] == [thinking, hidden, listing]

    def test_a_check_can_be_run(self):
        def passed(root):
            return CheckOutcome("tests", "else 0.0" in (root / "app.py").read_text(), f"token {SECRET}\n")

        with bench_of(checks={"tests": passed}) as bench:
            issue = bench.issue("app.py", 2, "x")
            check = call("run_check", name="tests")
            script = [says(check), says(edit("app.py", *GOOD), call("run_check", name="tests")), reports(answer(issue))]
            with MessagesServer(script) as server:
                mend(bench, server, issue)
            results = [t["content"] for request in server.requests for t in told(request)]
        assert results[0].startswith("It failed.")
        assert results[2].startswith("It passed.")
        assert SECRET not in server.requests[-1].raw.decode()

    @pytest.mark.parametrize("outcome", list(FixOutcome))
    def test_every_outcome_comes_back(self, outcome):
        with bench_of() as bench:
            issue = bench.issue("app.py", 2, "x")
            with MessagesServer([reports(answer(issue, outcome.value, "because"))]) as server:
                (said,) = mend(bench, server, issue).answers
            assert (said.outcome, said.why, bench.changed()) == (outcome, "because", [])

    def test_a_search_finds_each_line_once_wherever_it_may_look(self):
        files = {
            "app.py": CODE,
            "sub/b.py": "x = 'one two'\r\ny = 'one'; z = 'one'\r\n",
            "bin": b"one\0",
            "-e": "one\n",
        }
        with bench_of(files) as bench:
            (bench.root / "new.txt").write_text("one\n")
            (bench.root / "link").symlink_to("new.txt")
            (bench.root / ".gitignore").write_text("ignored\n")
            (bench.root / "ignored").write_text("one\n")
            issue = bench.issue("app.py", 2, "x")
            calls = [
                call("search", text="one"),
                call("search", text="one", path="sub"),
                call("search", text="two'\ny = 'one'"),
                call("search", text="o.e"),
                call("search", text="x" * 2001),
            ]
            with MessagesServer([says(*calls), reports(answer(issue))]) as server:
                mend(bench, server, issue)
        found = [t["content"].split("\n")[2:-1] for t in told(server.requests[1])]
        assert found[0] == [
            "-e:1: one",
            "new.txt:1: one",
            "sub/b.py:1: x = 'one two'",
            "sub/b.py:2: y = 'one'; z = 'one'",
        ]
        assert found[1] == found[0][2:]
        assert found[2] == found[0][2:3]
        assert found[3:] == [[], []]


class TestSecrets:
    FILES = {"app.py": f"TOKEN = '{SECRET}'\nDEBUG = True\n"}

    def placeholder(self, request: Any) -> str:
        text = request.raw.decode()
        return text[text.index("REDACTED_", text.index("TOKEN")) :].split("'")[0]

    def test_none_leaves_and_a_placeholder_is_turned_back(self):
        def edits(request):
            line = f"TOKEN = '{self.placeholder(request)}'\nDEBUG = "
            return says(edit("app.py", f"{line}True", f"{line}False"))

        with bench_of(self.FILES) as bench:
            issue = bench.issue("app.py", 2, f"debug with {SECRET}")
            script = [says(call("search", text="TOKEN")), edits, reports(answer(issue, why=f"{SECRET} stays"))]
            with MessagesServer(script) as server:
                fix = mend(bench, server, issue, requirements=[Document("r.md", SECRET)])
            assert bench.text("app.py") == f"TOKEN = '{SECRET}'\nDEBUG = False\n"
        assert all(SECRET not in request.raw.decode() for request in server.requests[:2])
        assert SECRET not in fix.answers[0].why

    def test_one_that_is_made_up_is_refused(self):
        with bench_of(self.FILES) as bench:
            issue = bench.issue("app.py", 2, "x")
            made_up = edit("app.py", "DEBUG = True", "DEBUG = 'REDACTED_0000_PASSWORD_9_12CHARS'")
            with MessagesServer([says(made_up), reports(answer(issue, "needs_person"))]) as server:
                mend(bench, server, issue)
            assert bench.changed() == []
        (result,) = told(server.requests[1])
        assert result["is_error"]
        assert "stands for no value" in result["content"]

    def test_part_of_a_key_does_not_show(self):
        body = [f"ab{n}d" * 16 for n in range(10)]  # nothing about a line alone says that it is a secret
        key = "\n".join(["-----BEGIN RSA PRIVATE KEY-----", *body, "-----END RSA PRIVATE KEY-----"])
        with bench_of({"app.py": CODE, "conf/k.txt": key + "\n"}, change=["app.py"]) as bench:
            issue = bench.issue("app.py", 2, "x")
            calls = [call("read_file", path="conf/k.txt", first_line=4, last_line=6), call("search", text=body[5][:20])]
            with MessagesServer([says(*calls), reports(answer(issue))]) as server:
                mend(bench, server, issue)
        read, found = told(server.requests[1])
        assert not any(line in read["content"] for line in body)
        assert body[5] not in found["content"]


class TestConfined:
    FILES = {"app.py": CODE, "sub/b.py": "b = 1\n", ".env": "A=1\n", "id_rsa": "key\n"}

    @pytest.mark.parametrize(
        "path",
        ["../outside.txt", "sub/../../outside.txt", "/etc/passwd", "/proc/self/environ", ".git/config",
         ".git/hooks/pre-commit", ".GIT/hooks/pre-commit", "sub/.git/config", "git~1/config", ".git./config", "", ".",
         "link.py", "folder/b.py", "loose", ".env", "id_rsa", "a\0b", ".g\u200cit/config"],
    )  # fmt: skip
    def test_nothing_else_is_read_or_written(self, path, tmp_path):
        (tmp_path / "outside.txt").write_text("outside")
        tools = {"read_file": {}, "edit_file": {"old": "o", "new": "n"}, "create_file": {"content": "evil"}}
        with bench_of(self.FILES, change=["app.py"]) as bench:
            (bench.root / "link.py").symlink_to(tmp_path / "outside.txt")
            (bench.root / "loose").symlink_to(tmp_path / "none.txt")
            (bench.root / "folder").symlink_to(tmp_path)
            before = {p: p.read_bytes() for p in bench.root.rglob("*") if p.is_file() and not p.is_symlink()}
            issue = bench.issue("app.py", 2, "x")
            calls = [call(tool, path=path, **given) for tool, given in tools.items()]
            with MessagesServer([says(*calls), reports(answer(issue, "needs_person"))]) as server:
                assert mend(bench, server, issue).error is None
            after = {p: p.read_bytes() for p in bench.root.rglob("*") if p.is_file() and not p.is_symlink()}
            assert after == before
        assert [result["is_error"] for result in told(server.requests[1])] == [True] * len(tools)
        assert [entry.name for entry in tmp_path.iterdir()] == ["outside.txt"]
        assert (tmp_path / "outside.txt").read_text() == "outside"

    def test_keepers_of_secrets_are_not_listed_or_searched_but_where_they_are_under_review(self):
        with bench_of(self.FILES, change=["app.py", ".env"]) as bench:
            issue = bench.issue("app.py", 2, "x")
            calls = [call("list_files"), call("search", text="key"), call("read_file", path=".env")]
            with MessagesServer([says(*calls), reports(answer(issue))]) as server:
                mend(bench, server, issue)
        listed, found, read = told(server.requests[1])
        assert "id_rsa" not in listed["content"]
        assert ".env" in listed["content"]
        assert "is found nowhere" in found["content"]
        assert "is_error" not in read


def ends(script: list[Any], own: dict[str, Any] | None = None, **more: Any) -> tuple[Any, MessagesServer, str]:
    """Run a script for one issue whose id replaces ID in reports; return what came of it."""
    with bench_of(own=own, **more) as bench:
        issue = bench.issue("app.py", 2, "x")
        with MessagesServer([step(issue) if getattr(step, "late", False) else step for step in script]) as server:
            return mend(bench, server, issue), server, bench.text("app.py")


def late(made: Any) -> Any:
    made.late = True
    return made


DONE = late(lambda issue: reports(answer(issue)))
EDITS = says(edit("app.py", *GOOD))


class TestEnds:
    def test_without_a_report_it_is_asked_for_once(self):
        fix, server, _ = ends([EDITS, "All done!", DONE])
        assert len(fix.answers) == 1
        assert "call report now" in server.requests[2].user

    @pytest.mark.parametrize("reply", ["All done!", Reply(), Reply(text=" "), Reply(stop_reason="tool_use")], ids=repr)
    def test_without_a_report_twice_its_edits_stand_and_nothing_is_addressed(self, reply):
        fix, server, text = ends([EDITS, reply, reply])
        assert (fix.error, fix.answers, len(server.requests)) == (None, [], 3)
        assert "else 0.0" in text

    def test_a_message_that_is_cut_off_is_gone_on_with_once(self):
        cut = Reply(content=[{"type": "text", "text": "I will"}, call("list_files")], stop_reason="max_tokens")
        fix, server, _ = ends([cut, DONE])
        assert fix.error is None
        assert told(server.requests[1])[0]["tool_use_id"] == cut.content[1]["id"]
        assert "cut off" in server.requests[1].user
        fix, _, _ = ends([cut, cut])
        assert "longer than 16000 tokens" in fix.error
        assert "answer_tokens" in fix.hint

    def test_thinking_alone_that_is_cut_off(self):
        thinking = {"type": "thinking", "thinking": "hm", "signature": "s"}
        fix, server, _ = ends([Reply(content=[thinking], stop_reason="max_tokens"), DONE])
        assert fix.error is None
        assert server.requests[1].body["messages"][1]["content"][0] == thinking

    def test_a_pause_goes_on_as_it_is(self):
        fix, server, _ = ends([Reply(text="wait", stop_reason="pause_turn"), DONE])
        assert fix.error is None
        assert server.requests[1].body["messages"][-1] == {
            "role": "assistant",
            "content": [{"type": "text", "text": "wait"}],
        }

    @pytest.mark.parametrize(
        ("step", "words"),
        [
            (Reply(stop_reason="refusal"), "refused"),
            (Reply(text="x", stop_reason="something_new"), "something_new"),
            (Reply(text="x", stop_reason="model_context_window_exceeded"), "does not fit"),
            (Status(code=401), "credentials"),
            (Status(code=400, message="tools: not supported"), "refuses the request"),
        ],
        ids=str,
    )
    def test_what_is_no_message_is_an_error_that_is_paid_for(self, step, words):
        fix, _, _ = ends([EDITS, step])
        assert words in fix.error
        assert fix.usage.requests == 2

    def test_a_broken_stream_is_tried_again(self):
        fix, _, text = ends([Cut(), EDITS, DONE])
        assert fix.error is None
        assert "else 0.0" in text

    def test_no_end_in_sight(self):
        turns = [says(call("read_file", path="app.py", first_line=1)) for _ in range(5)]
        fix, server, _ = ends(turns, {"fix_max_turns": 5})
        assert "no end in 5 messages" in fix.error
        assert "fix_max_turns" in fix.hint
        assert len(server.requests) == 5
        assert "Only 1 more messages" in server.requests[4].user

    def test_the_same_wrong_call_three_times(self):
        wrong = [says(edit("app.py", "nowhere", "x")) for _ in range(3)]
        fix, server, _ = ends(wrong)
        assert "repeats a call" in fix.error
        assert len(server.requests) == 3

    @pytest.mark.parametrize(
        ("wrong", "words"),
        [
            (call("bash", command="rm -rf /"), "no such tool"),
            (call("delete_file", path="app.py"), "no such tool"),
            (call("run_check", name="tests"), "no such tool"),
            (call("read_file"), "missing"),
            (call("read_file", path=3), "type string"),
            (call("read_file", path="app.py", first_line=True), "type integer"),
            (call("read_file", path="app.py", first_line=9), "no such lines"),
            (call("read_file", path="none.py"), "no such file"),
            (call("read_file", path="app.py", shell="ls"), "no argument 'shell'"),
            (edit("app.py", "", "x"), "old is empty"),
            (edit("app.py", "values", "x"), "more than once"),
            (edit("app.py", "sum(", "sum("), "the same"),
            (call("create_file", path="app.py", content=""), "already"),
            (call("search", text=" "), "empty"),
            (call("search", text="a\0b"), "NUL"),
            (call("list_files", path="none"), "no files"),
            (call("report", answers="all"), "type array"),
            (call("report", answers=[answer("sr-other")]), "no issue 'sr-other'"),
            (call("report", answers=[]), "no answer for"),
        ],
        ids=lambda value: json.dumps(value.get("input")) + value["name"] if isinstance(value, dict) else "",
    )
    def test_a_wrong_call_is_told_and_changes_nothing(self, wrong, words):
        fix, server, text = ends([says(wrong), DONE])
        (result,) = told(server.requests[1])
        assert result["is_error"]
        assert words in result["content"]
        assert (fix.error, len(fix.answers), text) == (None, 1, CODE)

    def test_a_report_beside_a_failed_edit_is_not_taken(self):
        both = late(lambda issue: says(call("report", answers=[answer(issue)]), edit("app.py", "nowhere", "x")))
        fix, server, _ = ends([both, late(lambda issue: reports(answer(issue, "not_addressed")))])
        assert [result.get("is_error") for result in told(server.requests[1])] == [True, True]
        assert fix.answers[0].outcome is FixOutcome.NOT_ADDRESSED

    def test_a_report_that_stays_incomplete_is_taken_as_it_is(self):
        fix, _, _ = ends([reports(answer("sr-other")), reports(answer("sr-another"), notes="hm")])
        assert (fix.error, fix.answers, fix.notes) == (None, [], "hm")

    def test_too_many_calls_in_one_message(self):
        _, server, _ = ends([says(*(call("list_files") for _ in range(30))), DONE])
        assert [bool(t.get("is_error")) for t in told(server.requests[1])] == [False] * 24 + [True] * 6

    @pytest.mark.parametrize("own", [{"max_cost_usd": 0.2}, {"max_tokens_total": 30_000}], ids=str)
    def test_the_budget_is_kept_before_sending(self, own):
        spends = says(call("list_files"), output_tokens=15_000)
        fix, server, _ = ends([spends, EDITS, DONE], own)
        assert fix.over_budget
        assert fix.error.startswith("fixing might")
        assert len(server.requests) == 1

    def test_the_deadline(self):
        fix, _, _ = ends([EDITS, Silence()], timeout=3.0)
        assert "deadline" in fix.error
        assert fix.hint == "raise fixer_timeout"

    def test_an_interrupt_ends_it(self):
        arrived, ended = threading.Event(), []

        def silent(_request):
            arrived.set()
            return Silence()

        with bench_of(timeout=600.0) as bench, MessagesServer([silent]) as server:
            issue = bench.issue("app.py", 2, "x")
            working = threading.Thread(target=lambda: ended.append(mend(bench, server, issue)), daemon=True)
            working.start()
            arrived.wait(30.0)
            bench.stop()
            working.join(15.0)
            assert "interrupted" in ended[0].error


class TestAvailable:
    def test_no_credentials(self, monkeypatch, tmp_path):
        monkeypatch.delenv("ANTHROPIC_API_KEY")
        monkeypatch.setenv("ANTHROPIC_CONFIG_DIR", str(tmp_path))
        with bench_of() as bench:
            fixer = ClaudeFixer(bench.config)
            assert fixer.unavailable(bench.config) == "there are no credentials for a model"
            assert fixer.fix(bench.request(bench.issue("app.py", 2, "x")), bench).error is not None

    def test_offline(self):
        with bench_of() as bench:
            bench.config._values["offline"] = True
            assert "offline" in ClaudeFixer(bench.config).unavailable(bench.config)

    def test_without_the_reviewers_keys(self):
        with FixBench({"a.py": ""}, config={"offline": False}) as bench:
            assert "plugin claude" in ClaudeFixer(bench.config).unavailable(bench.config)

    def test_available_and_takes_everything(self):
        with bench_of() as bench:
            fixer = ClaudeFixer(bench.config)
            assert fixer.unavailable(bench.config) is None
            assert fixer.takes(bench.issue("app.py", 1, "x"), bench.config)
            assert not fixer.is_mechanical
