"""The contracts tell plugins that are broken: each of these is, in one way."""

from __future__ import annotations

import itertools
import socket
from pathlib import Path
from urllib.parse import urlsplit

import click
import pytest

from selfreview.api import (
    AgentAnswer,
    AwayError,
    Fix,
    FixAnswer,
    FixOutcome,
    ForgeError,
    Location,
    NotifyError,
    Person,
    Review,
    ReviewerStatus,
    RuleInfo,
    TokenError,
    hookimpl,
)
from selfreview.testing.context import default_config
from selfreview.testing.contracts import (
    AgentContract,
    CommandContract,
    FixerContract,
    ForgeContract,
    NotifierContract,
    ReporterContract,
    ReviewerContract,
)
from selfreview.testing.contracts.plugin import PluginContract, importing
from selfreview.testing.contracts.reporter import RESULTS
from selfreview.testing.fakes import Clock, FakeReviewer, finding
from selfreview.testing.notifying import FakeNotifier

COUNT = itertools.count()


class Broken(FakeReviewer):
    def __init__(self, said, **attributes):
        super().__init__()
        self.said = said
        vars(self).update(attributes)

    def review(self, files, context):
        return self.said(files, context)


def found(line: int = 1, **more):
    return lambda files, context: Review(findings=[finding(file.path, line, **more) for file in files])


class Contract(ReviewerContract):
    sample = "x = 1\n"


def writes(files, context):
    (context.tree() / files[0].path).write_text("mended")
    return Review()


def leaves(files, context):
    Path("precious.txt").unlink()
    return Review()


@pytest.mark.parametrize(
    ("test", "said", "says"),
    [
        ("finds", found(2), "line 2 of 1"),
        ("finds", found(1, line_end=9), "of 1 lines"),
        ("finds", found(description=" "), "without a description"),
        ("finds", found(confidence=2.0), "confidence"),
        ("finds", lambda files, context: Review(findings=[finding("other.py", 1)]), "not in the change"),
        ("finds", lambda files, context: Review(), "nothing in its own sample"),
        ("finds", lambda files, context: Review(status=ReviewerStatus.FAILED), "without a reason"),
        ("finds", lambda f, c: Review(findings=[finding(f[0].path, 1, str(next(COUNT)))]), "the second time"),
        ("finds", lambda files, context: Review(unreviewed={"other.py": "no"}), "other.py"),
        ("finds", lambda files, context: Review(crashes={files[0].path: ValueError("odd")}), "it crashes: .*odd"),
        ("finds", lambda files, context: Review(text_only={"other.py": "no"}), "other.py"),
        ("names", lambda f, c: Review(findings=[finding(i.path, 1) for i in f if i.path > "0"]), "did not review"),
        ("writes", writes, None),
        ("writes", leaves, None),
        ("deadline", lambda f, c: Review() if c.remaining() <= 0 else found()(f, c), "half a review"),
    ],
)
def test_a_reviewer(test: str, said, says: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    contract, broken, config = Contract(), Broken(said), default_config()
    (tmp_path / "precious.txt").touch()
    monkeypatch.chdir(tmp_path)
    calls = {
        "finds": lambda: contract.test_it_finds_something_on_a_changed_line(broken, config, None),
        "names": lambda: contract.test_odd_names_are_neither_options_nor_commands(broken, config, None, tmp_path),
        "writes": lambda: contract.test_it_writes_nothing_of_the_persons(broken, config, None, tmp_path),
        "deadline": lambda: contract.test_a_deadline_that_is_over_is_no_pass(broken, config, None),
    }
    with pytest.raises(AssertionError, match=says):
        calls[test]()


def test_a_reviewer_that_crashes() -> None:
    broken = Broken(lambda files, context: Review(findings=[finding("x", int(context.read(files[0])))]))
    with pytest.raises(ValueError, match="invalid literal"):
        Contract().test_odd_content_is_reviewed_or_named(broken, default_config(), None, "hostile")


def test_a_reviewer_that_lists_a_rule_twice() -> None:
    twice = Broken(found(), rules=lambda: [RuleInfo(id="a", summary="A.")] * 2)
    with pytest.raises(AssertionError):
        Contract().test_it_lists_its_rules_once_each(twice)


def test_a_reviewer_that_names_a_rule_that_it_does_not_list() -> None:
    other = Broken(found(rule="b"), rules=lambda: [RuleInfo(id="a", summary="A.")])
    with pytest.raises(AssertionError, match="does not list"):
        Contract().test_it_finds_something_on_a_changed_line(other, default_config(), None)


def test_a_key_that_changes_by_itself() -> None:
    broken = Broken(found(), cache_key=lambda context: b"%d" % next(COUNT))
    with pytest.raises(AssertionError):
        Contract().test_its_cache_key_is_the_same_for_the_same(broken, default_config())


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("import sqlite3", "import sqlite3 inside"),
        ("import subprocess, sys; subprocess.run([sys.executable, '-c', ''])", "subprocess.Popen"),
        ("open('left', 'w').close()", "write to left"),
        ("open('precious.txt', 'r+').close()", "write to precious.txt"),
        ("import os; os.close(os.open('left', os.O_WRONLY | os.O_CREAT))", "write to left"),
        ("import os; os.mkdir('left')", "os.mkdir"),
        ("import os; os.remove('precious.txt')", "os.remove"),
        ("import os; os.replace('precious.txt', 'left')", "os.rename"),
        ("import socket; socket.getaddrinfo('127.0.0.1', 80)", "socket.getaddrinfo"),
        ("import socket; socket.socket().connect_ex(('127.0.0.1', 9))", "socket.connect"),
        ("import no_such_module", "ModuleNotFoundError"),
    ],
)
def test_a_module_that_does_something(source: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "precious.txt").touch()
    (tmp_path / "broken_module.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    contract = PluginContract()
    contract.module = "broken_module"
    with pytest.raises(AssertionError, match=says):
        contract.test_importing_it_is_cheap_and_does_nothing(object())


def test_a_module_that_only_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = "import os; open(__file__).close(); os.close(os.open(__file__, os.O_RDONLY)); os.listdir()"
    (tmp_path / "reading_module.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    contract = PluginContract()
    contract.module = "reading_module"
    contract.test_importing_it_is_cheap_and_does_nothing(object())


def test_each_of_several_modules_has_what_is_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sources = {"makes": "import os, shared_part; os.mkdir('left')", "fails": "import shared_part; 1 / 0", "does": ""}
    (tmp_path / "shared_part.py").write_text("open('part', 'w').close()")
    for name, source in sources.items():
        (tmp_path / f"module_that_{name}.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    makes, fails, does = importing(*(f"module_that_{name}" for name in sources)).values()
    assert (makes.did, makes.imported) == (["write to part", "os.mkdir"], ["module_that_makes", "shared_part"])
    assert (fails.did, fails.error.splitlines()[-1]) == (["write to part"], "ZeroDivisionError: division by zero")
    assert does == ([], ["module_that_does"], "")


class Mends:
    """A fixer that does as its function says."""

    name, is_mechanical = "mends", True

    def __init__(self, does):
        self.does = does

    def takes(self, issue, config):
        return True

    def fix(self, request, context):
        outcome = self.does(context.root) or FixOutcome.ADDRESSED
        return Fix(answers=[FixAnswer(issue=issue.id, outcome=outcome) for issue in request.issues])


class Mending(FixerContract):
    def issue(self, bench):
        return bench.issue("app.py", 1, "wrong")


@pytest.mark.parametrize(
    ("test", "does"),
    [
        ("test_it_mends_its_issue_and_says_so", lambda root: None),
        ("test_it_mends_its_issue_and_says_so", lambda root: FixOutcome.NEEDS_PERSON),
        ("test_nothing_to_do_is_nothing_done", lambda root: (root / "new.py").touch()),
        ("test_a_file_that_is_gone_is_not_mended", lambda root: None),
        ("test_bytes_that_are_no_text_stay_as_they_are", lambda root: (root / "app.py").write_text("y\n") and None),
        ("test_it_edits_only_the_workspace", lambda root: (root / "bystander.txt").unlink()),
        ("test_it_edits_only_the_workspace", lambda root: (root / ".git" / "description").write_text("!") and None),
        ("test_it_edits_only_the_workspace", lambda root: Path("precious.txt").unlink()),
        ("test_it_does_not_follow_a_link_out_of_the_workspace", lambda root: (root / "app.py").write_text("") or None),
    ],
)
def test_a_fixer(test: str, does, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    contract = Mending()
    (tmp_path / "precious.txt").touch()
    monkeypatch.chdir(tmp_path)
    with contract.new_bench({}) as bench:
        given = {"fixer": Mends(does), "bench": bench, "elsewhere": tmp_path}
        function = getattr(contract, test)
        names = function.__code__.co_varnames[1 : function.__code__.co_argcount]
        with pytest.raises((AssertionError, OSError)):
            function(**{name: given[name] for name in names})


def test_a_fixer_that_needs_time_and_claims_to_have_mended() -> None:
    with Mending().new_bench({}) as bench, pytest.raises(AssertionError):
        Mending().test_a_deadline_that_is_over_is_no_success(Mends(lambda root: None), bench, Clock())


def test_a_fixer_that_has_no_time_may_answer_nothing() -> None:
    silent = Mends(lambda root: None)
    silent.fix = lambda request, context: Fix()
    with Mending().new_bench({}) as bench:
        Mending().test_a_deadline_that_is_over_is_no_success(silent, bench, Clock())


class Says:
    """An agent that takes anything for a message."""

    name, argv, variables, allowed_by = "says", ("says", "{prompt}"), ("GIT_DIR",), None

    def read(self, output):
        return AgentAnswer(output.decode("utf-8", "replace"))


def test_an_agent() -> None:
    with pytest.raises(AssertionError):
        AgentContract().test_its_command_lines_are_lists_of_words(Says())
    with pytest.raises(AssertionError, match="GIT_DIR"):
        AgentContract().test_it_is_given_no_more_than_its_own_variables(Says())
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        AgentContract().test_no_message_is_an_error(Says(), "nothing")
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        AgentContract().test_an_empty_message_is_an_error(Says())


class Writes:
    """A reporter that writes what its function says."""

    name = "writes"

    def __init__(self, text):
        self.text = text

    def write(self, result, out, *, context, color, width):
        out.write(self.text(result).encode("utf-8", "replace"))


@pytest.mark.parametrize(
    ("test", "text"),
    [
        ("test_results_that_differ_read_differently", lambda result: "fine"),
        ("test_the_same_result_reads_the_same", lambda result: str(next(COUNT))),
        ("test_every_open_issue_is_there", lambda result: result.issues[0].description),
        ("test_text_of_others_acts_on_nobody", lambda result: result.summary),
        ("test_text_of_others_acts_on_nobody", lambda result: f"{result.summary!a}\r\none line\n"),
        ("test_colour_is_for_those_who_ask", lambda result: "\x1b[31mred\x1b[0m"),
        ("test_it_reports_the_result_that_it_is_given", lambda result: str(next(COUNT))),
    ],
)
def test_a_reporter(test: str, text) -> None:
    with pytest.raises(AssertionError):
        getattr(ReporterContract(), test)(Writes(text))


def test_a_format_may_end_its_lines_as_csv_does() -> None:
    ReporterContract().test_text_of_others_acts_on_nobody(Writes(lambda result: f"{result.summary!a}\r\nend\r\n"))


def test_a_reporter_of_log_commands() -> None:
    with pytest.raises(AssertionError, match="a line that is a command"):
        ReporterContract().test_text_of_others_is_no_command_of_a_ci_log(Writes(lambda r: f"  {r.summary}"), "::")


def test_a_reporter_that_edits_the_result(tmp_path: Path) -> None:
    issues = list(RESULTS["needs_work"].issues)
    try:
        with pytest.raises(AssertionError):
            ReporterContract().test_the_result_and_the_stream_stay_as_they_are(
                Writes(lambda result: str(result.issues.pop())), tmp_path
            )
    finally:
        RESULTS["needs_work"].issues[:] = issues


@pytest.mark.parametrize(
    ("test", "commands", "says"),
    [
        ("test_its_name_can_be_typed", [], "no command is registered"),
        ("test_its_name_can_be_typed", [click.Command("run", help="Run.")], "of its own"),
        ("test_commands_and_options_say_what_they_do", [click.Command("go")], "go says nothing of itself"),
        (
            "test_commands_and_options_say_what_they_do",
            [click.Group("go", commands=[click.Command("there")], help="Go.")],
            "go there says nothing",
        ),
        (
            "test_commands_and_options_say_what_they_do",
            [click.Command("go", help="Go.", params=[click.Option(["--far"])])],
            "go --far says nothing",
        ),
    ],
)
def test_a_command(test: str, commands: list[click.Command], says: str) -> None:
    class Adds:
        @staticmethod
        def selfreview_register_commands(registry):
            for command in commands:
                registry.add(command)

    with pytest.raises(AssertionError, match=says):
        getattr(CommandContract(), test)(Adds)


def test_a_command_that_does_not_explain_itself(selfreview_workspace) -> None:
    @click.command(name="go", add_help_option=False, context_settings={"ignore_unknown_options": True})
    @click.argument("words", nargs=-1)
    def command(words):
        """Go."""

    class Adds:
        @hookimpl
        def selfreview_register_commands(self, registry):
            registry.add(command)

    for test in ("test_help_is_shown", "test_an_unknown_option_is_an_error_in_usage"):
        with pytest.raises(AssertionError):
            getattr(CommandContract(), test)(Adds(), selfreview_workspace)


class Tells(FakeNotifier):
    """A notifier with a secret, that lacks it where it is not set, and keeps the contract."""

    def unavailable(self, config, environ):
        return None if environ else "SECRET is not set"

    def secrets(self, environ, config):
        return list(environ.values())


class NotifierAtTest(NotifierContract):
    secret = "s3cr3t"
    environ = {"SECRET": secret}


def raising(error):
    def fails(*_):
        raise error

    return fails


@pytest.mark.parametrize(
    ("test", "part", "does", "says"),
    [
        ("test_its_channel_has_keys", "selfreview_addoption", lambda parser: None, "notify.fake.events is no key"),
        ("test_it_says_what_it_lacks", "unavailable", lambda config, environ: None, "does not say what it lacks"),
        ("test_it_says_what_it_lacks", "unavailable", lambda config, environ: "It.\nIs.", "it is unavailable"),
        ("test_it_says_what_it_lacks", "unavailable", lambda *_: socket.getaddrinfo("a", 1) and None, "refused"),
        ("test_its_secrets_are_named", "secrets", lambda environ, config: [], "s3cr3t"),
        ("test_its_secrets_are_named", "secrets", lambda environ, config: ["s3cr3t"], "any"),
        ("test_a_secret_that_is_none_is_not_repeated", "unavailable", lambda _, environ: str(environ), "quotes"),
        ("test_every_notice_can_be_sent", "send", raising(ValueError("odd")), "send raises ValueError"),
        ("test_every_notice_can_be_sent", "send", lambda notice, context: print("sent") or (), "it prints"),
        ("test_every_notice_can_be_sent", "send", lambda notice, context: "not all", "list of sentences"),
        ("test_a_network_that_fails_is_an_error_for_people", "send", raising(OSError()), "send raises OSError"),
        ("test_a_network_that_fails_is_an_error_for_people", "send", raising(NotifyError("s3cr3t")), "quotes"),
        ("test_a_network_that_fails_is_an_error_for_people", "send", lambda *_: ["s3cr3t"], "quotes"),
    ],
)
def test_a_notifier(test: str, part: str, does, says: str, capfd, caplog) -> None:
    given = {"capfd": capfd, "caplog": caplog, "name": "error", "fault": "refused"}
    for notifier, expected in ((Tells(), None), (Tells(), says)):
        if expected is not None:
            setattr(notifier, part, does)
        attempt(NotifierAtTest(), test, {**given, "notifier": notifier}, expected)


class ForgeConnection:
    """A connection that keeps the contract: nobody is there."""

    def __init__(self, location):
        self.location = location

    def whoami(self):
        raise AwayError("nobody is there")

    def close(self):
        pass


class Hosts:
    """A forge that keeps the contract."""

    name, connection = "hosts", ForgeConnection

    def locate(self, url, config):
        return Location("git.example.com", "octo/app") if url == "https://git.example.com/octo/app" else None

    def connect(self, location, config, environ):
        if location.host != "git.example.com" or "TOKEN" not in environ:
            raise TokenError("there is no token", hint="set TOKEN")
        return self.connection(location)

    def secrets(self, environ, config):
        return list(environ.values())


class ForgeAtTest(ForgeContract):
    addresses = {"https://git.example.com/octo/app": Location("git.example.com", "octo/app")}
    secret = "s3cr3t"
    environ = {"TOKEN": secret}


def connecting(**methods):
    return lambda location, config, environ: type("Broken", (ForgeConnection,), methods)(location)


@pytest.mark.parametrize(
    ("test", "part", "does", "says"),
    [
        ("test_it_locates_its_own_addresses", "locate", lambda url, config: None, "git.example.com"),
        ("test_it_locates_no_others", "locate", lambda url, config: Location("git.example.com", url), "no address of"),
        ("test_it_locates_no_others", "locate", lambda url, config: urlsplit(url) and None, "Invalid IPv6"),
        ("test_connecting_asks_nothing_yet", "connect", lambda *_: socket.getaddrinfo("a", 1), "refused"),
        ("test_connecting_asks_nothing_yet", "connect", lambda *_: ForgeConnection(Location("a", "b")), "octo/app"),
        ("test_connecting_asks_nothing_yet", "connect", connecting(allopen=lambda self: []), "'all_open'"),
        ("test_connecting_asks_nothing_yet", "connect", connecting(all_open=lambda self: []), "ReadsRequests"),
        ("test_connecting_asks_nothing_yet", "connect", connecting(whoami=lambda self: 1 / 0), "ZeroDivisionError"),
        ("test_connecting_asks_nothing_yet", "connect", connecting(whoami=raising(ForgeError("s3cr3t"))), "quotes"),
        ("test_connecting_asks_nothing_yet", "connect", connecting(whoami=lambda self: print("ana")), "it prints"),
        ("test_its_secrets_are_named", "secrets", lambda environ, config: [], "s3cr3t"),
        ("test_its_secrets_are_named", "secrets", lambda environ, config: ["s3cr3t"], "any"),
        ("test_without_a_token_it_says_how_to_give_one", "connect", connecting(), "DID NOT RAISE"),
        ("test_without_a_token_it_says_how_to_give_one", "connect", raising(ForgeError("no")), "what to set"),
        (
            "test_its_token_is_for_its_own_hosts",
            "connect",
            connecting(whoami=lambda self: Person(login="ana")),
            "DID NOT RAISE",
        ),
    ],
)
def test_a_forge(test: str, part: str, does, says: str, capfd) -> None:
    for forge, expected in ((Hosts(), None), (Hosts(), says)):
        if expected is not None:
            setattr(forge, part, does)
        attempt(ForgeAtTest(), test, {"forge": forge, "capfd": capfd}, expected)


def attempt(contract, test: str, given: dict, says: str | None) -> None:
    """Run a test of a contract: it passes, or fails and says so."""
    function = getattr(contract, test)
    names = function.__code__.co_varnames[1 : function.__code__.co_argcount]
    arguments = {name: given[name] for name in names}
    if says is None:
        function(**arguments)
        return
    with pytest.raises((AssertionError, OSError, ValueError, pytest.fail.Exception), match=says):
        function(**arguments)


def test_a_name_that_is_an_option() -> None:
    with pytest.raises(AssertionError, match="is an option"):
        PluginContract().test_its_name_can_be_typed(FakeReviewer("-p"))
