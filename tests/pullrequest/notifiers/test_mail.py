"""Mail through a real server, over a real line."""

from __future__ import annotations

import shutil
import socket
from collections.abc import Mapping
from email.policy import SMTP
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selfreview.api import HistoryEntry, Notice, NoticeEvent, NotifyContext
from selfreview.errors import NotifyError, UnsureError
from selfreview.pullrequest.notifiers import mail as module
from selfreview.pullrequest.notifiers.mail import PASSWORD, SUBJECT, USER, MailNotifier, compose, is_address
from selfreview.testing.context import MemoryConfig, default_config
from selfreview.testing.notifying import notice
from tests.conftest import Workspace
from tests.pullrequest.notifiers.smtpd import MailServer, make_certificate

LOGIN = {USER: "me", PASSWORD: "hunter2hunter2"}


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("openssl") is None:
        pytest.skip("there is no openssl to make a certificate with")
    return make_certificate(tmp_path_factory.mktemp("certificate"))


@pytest.fixture
def trusted(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    return certificate


def send(port: int, told: Notice | None = None, environ: Mapping[str, str] | None = None, **more: Any) -> list[str]:
    values = {
        "host": "localhost", "port": port, "security": "none", "from": "bot@example.org", "to": ["ana@example.org"],
        **more,
    }  # fmt: skip
    config = MemoryConfig(
        {**default_config(module), **{f"notify.email.{name}": value for name, value in values.items()}}
    )
    notifier = MailNotifier()
    assert notifier.unavailable(config, environ or {}) is None
    return list(notifier.send(told or notice(), NotifyContext(config, environ or {}, timeout_s=10)))


def test_a_mail_by_starttls(trusted: Path) -> None:
    with MailServer(certificate=trusted, login=("me", "hunter2hunter2")) as server:
        assert send(server.port, environ=LOGIN, security="starttls") == []
    ((sender, receivers, mail),) = server.mails
    assert (sender, receivers) == ("bot@example.org", ["ana@example.org"])
    assert mail["Subject"] == "octo/app#7 is ready for a person"
    words = [command.split(" ")[0].upper() for command in server.commands]
    assert words.index("STARTTLS") < words.index("AUTH") < words.index("MAIL")


def test_a_mail_by_tls(trusted: Path) -> None:
    with MailServer(certificate=trusted, implicit=True, login=("me", "hunter2hunter2")) as server:
        send(server.port, environ=LOGIN, security="tls")
    assert len(server.mails) == 1


@pytest.mark.parametrize("security", ["starttls", "tls"])
def test_a_certificate_that_nobody_vouches_for(certificate: Path, security: str) -> None:
    with (
        MailServer(certificate=certificate, implicit=security == "tls", login=("me", "x")) as server,
        pytest.raises(NotifyError, match="certificate"),
    ):
        send(server.port, environ=LOGIN, security=security)
    assert not any("AUTH" in command for command in server.commands)


def test_a_server_without_starttls_gets_no_password() -> None:
    with MailServer(login=("me", "x")) as server, pytest.raises(NotifyError, match="STARTTLS"):
        send(server.port, environ=LOGIN, security="starttls")
    assert not any("AUTH" in command for command in server.commands)


def test_a_refused_password_is_not_repeated(trusted: Path) -> None:
    with MailServer(certificate=trusted, login=("me", "other")) as server, pytest.raises(NotifyError) as caught:
        send(server.port, environ=LOGIN, security="starttls")
    assert "535" in caught.value.message
    assert "hunter2" not in repr(caught.value) + str(caught.value.hint)


@pytest.mark.parametrize("start", ["MAIL", "RCPT", "DATA", "."])
@pytest.mark.parametrize("answer", ["451 later", "550 never"])
def test_a_mail_that_is_refused_was_not_sent(start: str, answer: str) -> None:
    with MailServer(answers={start: answer}) as server, pytest.raises(NotifyError, match=answer[:3]):
        send(server.port)
    assert server.mails == []


@pytest.mark.parametrize("start", ["MAIL", "RCPT"])
def test_a_line_that_breaks_before_the_mail(start: str) -> None:
    with MailServer(answers={start: "drop"}) as server, pytest.raises(NotifyError):
        send(server.port)


def test_a_line_that_breaks_after_the_mail() -> None:
    with MailServer(answers={".": "drop"}) as server, pytest.raises(UnsureError, match="broke"):
        send(server.port)


def test_a_server_that_is_not_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(NotifyError, match="cannot be reached"):
        send(port)


def test_a_receiver_that_is_refused_keeps_none_from_the_others() -> None:
    with MailServer(answers={"RCPT TO:<gone@": "550 unknown"}) as server:
        notes = send(server.port, to=["gone@example.org", "ana@example.org"])
    assert notes == ["localhost takes no mail for gone@example.org"]
    assert server.mails[0][1] == ["ana@example.org"]


def test_a_server_that_says_goodbye_badly_has_the_mail() -> None:
    with MailServer(answers={"QUIT": "drop"}) as server:
        assert send(server.port) == []
    assert len(server.mails) == 1


def parts(told: Notice) -> tuple[Any, str, str]:
    mail = compose(told, "bot@example.org", ["ana@example.org"])
    plain, rich = mail.get_body(("plain",)), mail.get_body(("html",))
    assert plain is not None
    assert rich is not None
    return mail, plain.get_content(), rich.get_content()


def test_both_forms_say_everything() -> None:
    told = notice(
        event=NoticeEvent.ESCALATED,
        text="The cap is reached.\n\nLook at <b>this</b>.",
        mention=("ana",),
        history=(
            HistoryEntry(who="ana", what="Rename\nit & go", outcome="renamed", cycle=1, url="https://example.org/1"),
            HistoryEntry(who="ben", what="No.", outcome=""),
        ),
    )
    _, plain, rich = parts(told)
    for text in ("octo/app#7", "The cap is reached.", "ana", "ben", "renamed", "cycle 1"):
        assert text in plain
        assert text in rich
    assert "<b>this</b>" in plain
    assert "&lt;b&gt;this&lt;/b&gt;" in rich
    assert 'href="https://github.com/octo/app/pull/7"' in rich


@pytest.mark.parametrize("url", ["javascript:alert(1)", 'https://x/"onclick=1', "https://x/\nb", "data:text/html,x"])
def test_an_address_that_is_none_is_no_link(url: str) -> None:
    _, _, rich = parts(notice(url=url, history=(HistoryEntry(who="a", what="b", outcome="c", url=url),)))
    assert "href" not in rich


def test_a_mail_that_is_sent_twice_is_one() -> None:
    first, second, other = (compose(notice(key), "b@x.org", ["a@x.org"]) for key in ("one", "one", "two"))
    assert first["Message-ID"] == second["Message-ID"] != other["Message-ID"]
    assert first["References"] == other["References"]


ANY = st.text(alphabet=st.characters() | st.sampled_from("\r\n\0\t\x0b\u2028\u202e\udc80<>&\"'"), max_size=300)


@settings(deadline=None, max_examples=15)  # each compiles the templates
@given(ANY, ANY, ANY, ANY, ANY)
def test_nothing_that_is_said_adds_a_header(title: str, text: str, key: str, repository: str, who: str) -> None:
    told = notice(
        f"k{key}", title=title, text=text, repository=repository, branch=who, at=who, mention=(who,),
        history=(HistoryEntry(who=who, what=text, outcome=title),),
    )  # fmt: skip
    mail = compose(told, "bot@example.org", ["ana@example.org"])
    raw = mail.as_bytes(policy=SMTP.clone(cte_type="7bit"))
    assert raw.isascii()
    assert max(map(len, raw.split(b"\r\n"))) <= 998
    assert b"\n" not in raw.replace(b"\r\n", b"")
    header, _, _ = raw.partition(b"\r\n\r\n")
    names = {line.partition(b":")[0].lower() for line in header.split(b"\r\n") if not line.startswith((b" ", b"\t"))}
    assert names == {
        b"from", b"to", b"subject", b"date", b"message-id", b"references", b"in-reply-to", b"auto-submitted",
        b"mime-version", b"content-type",
    }  # fmt: skip
    assert len(mail["Subject"]) <= SUBJECT
    assert len(list(mail.iter_parts())) == 2


@given(st.text())
def test_what_counts_as_an_address_can_hold_nothing_else(text: str) -> None:
    for address in (text, f"{text}@example.org", f"ana@{text}"):
        if is_address(address):
            assert address.isascii()
            assert address.count("@") == 1
            assert not set(address) & set(' \r\n\t\0<>,;:"()[]\\')


@pytest.mark.parametrize(
    ("values", "environ", "why"),
    [
        ({"host": ""}, {}, "notify.email.host"),
        ({"from": ""}, {}, "notify.email.from"),
        ({"to": []}, {}, "notify.email.to"),
        ({}, {USER: "me"}, PASSWORD),
        ({}, {PASSWORD: "x"}, USER),
        ({}, {USER: "mé", PASSWORD: "x"}, "ASCII"),
        ({"host": "mail.example.org", "security": "none"}, {}, "this machine"),
    ],
)
def test_what_it_lacks(values: dict[str, Any], environ: dict[str, str], why: str) -> None:
    given = {"host": "localhost", "from": "a@x.org", "to": ["b@x.org"], **values}
    config = MemoryConfig(
        {**default_config(module), **{f"notify.email.{name}": value for name, value in given.items()}}
    )
    lacks = MailNotifier().unavailable(config, environ)
    assert lacks is not None
    assert why in lacks
    assert "x" not in lacks.split()


@pytest.mark.parametrize(
    "key", ["host = 'evil.example.org'", "to = ['a@evil.example.org']", "from = 'a@x.org'", "port = 1"]
)
def test_a_repository_says_neither_where_nor_to_whom(workspace: Workspace, key: str) -> None:
    workspace.write("selfreview.toml", f"[notify.email]\n{key}\n")
    done = workspace.selfreview("notify", "status")
    assert done.code == 4
    assert "may not be set by a repository" in done.err


def test_a_person_says_both(workspace: Workspace, tmp_path: Path) -> None:
    with MailServer() as server:
        folder = tmp_path / "own"
        folder.mkdir()
        (folder / "config.toml").write_text(
            f"[notify.email]\nhost = 'localhost'\nport = {server.port}\nsecurity = 'none'\n"
            "from = 'bot@example.org'\nto = ['ana@example.org']\n"
        )
        done = workspace.selfreview("notify", "test", "email", SELFREVIEW_CONFIG_DIR=str(folder))
        assert (done.code, done.out) == (0, "email: sent\n"), done.err
    assert server.mails[0][2]["Subject"] == "A test of selfreview's notifications"


@pytest.mark.parametrize(
    ("name", "value"), [("from", "Ana <a@x.org>"), ("to", ["a@x.org\nBcc: b@x.org"]), ("port", 70_000)]
)
def test_values_that_make_no_sense(name: str, value: Any) -> None:
    from selfreview.config.keys import KeyRegistry
    from selfreview.config.values import check

    keys = KeyRegistry()
    module.selfreview_addoption(keys)
    key = keys.get(f"notify.email.{name}")
    assert key is not None
    assert check(key, value) is not None
