"""Notifier by mail, through an SMTP server; whether a mail may have arrived is known where the line breaks off, too."""

from __future__ import annotations

import contextlib
import datetime
import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from selfreview.api import (
    ConfigView,
    Key,
    Notice,
    Notifier,
    NotifyContext,
    OptionParser,
    Registry,
    channel_keys,
    hookimpl,
)
from selfreview.errors import NotifyError, UnsureError
from selfreview.text.escape import visible

if TYPE_CHECKING:
    import smtplib
    import ssl
    from email.message import EmailMessage

USER, PASSWORD = "SELFREVIEW_SMTP_USER", "SELFREVIEW_SMTP_PASSWORD"
_PORTS = {"starttls": 587, "tls": 465, "none": 25}
SUBJECT = 200
_ADDRESS = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?"


class MailNotifier:
    """A notifier by mail, as text and HTML. No server can be asked whether it has one, so none is repeated in doubt."""

    name = "email"
    leaves_mark = False
    needs_request = False

    def unavailable(self, config: ConfigView, environ: Mapping[str, str]) -> str | None:
        """Return why it cannot send, or None."""
        from selfreview.pullrequest.notifiers.post import is_local

        for name in ("host", "from", "to"):
            if not config[f"notify.email.{name}"]:
                return f"notify.email.{name} is not set"
        user, password = environ.get(USER, ""), environ.get(PASSWORD, "")
        if bool(user) != bool(password):
            return f"{USER if password else PASSWORD} is not set"
        if not (user + password).isascii():
            return f"{USER} and {PASSWORD} can be ASCII only"
        if config["notify.email.security"] == "none" and not is_local(config["notify.email.host"]):
            return 'notify.email.security = "none" is for a server on this machine alone'
        return None

    def secrets(self, environ: Mapping[str, str], config: ConfigView) -> Sequence[str]:  # noqa: ARG002 - the protocol
        """Return the password."""
        return [environ.get(PASSWORD, "")]

    def send(self, notice: Notice, context: NotifyContext) -> Sequence[str]:
        """Send a mail to all at once.

        Raises:
            NotifyError: If the server did not take it.
            UnsureError: If it may have.
        """
        from email.policy import SMTP

        config, environ = context.config, context.environ
        sender, receivers = config["notify.email.from"], config["notify.email.to"]
        security = config["notify.email.security"]
        server = Server(
            config["notify.email.host"],
            config["notify.email.port"] or _PORTS[security],
            security,
            environ.get(USER, ""),
            environ.get(PASSWORD, ""),
        )
        mail = compose(notice, sender, receivers).as_bytes(policy=SMTP.clone(cte_type="7bit"))
        refused = deliver(server, sender, receivers, mail, context.timeout_s)
        return [f"{server.host} takes no mail for {', '.join(refused)}"] if refused else []


def _check_from(value: str) -> str | None:
    return None if not value or is_address(value) else "must be a plain mail address"


def _check_to(value: Sequence[str]) -> str | None:
    wrong = next((address for address in value if not is_address(address)), None)
    return None if wrong is None else f"must hold plain mail addresses, not {wrong!r}"


def _check_host(value: str) -> str | None:
    good = value.isascii() and value.isprintable() and not set(value) & set(" /@")
    return None if good else "must be the name of a server"


def _check_port(value: int) -> str | None:
    return None if value <= 65_535 else "must be at most 65535"


def _keys() -> tuple[Key, ...]:
    """Return the keys of the configuration; receivers of a person's own server are theirs to name, as the server is."""
    return (
        Key(
            name="notify.email.host",
            kind="str",
            default="",
            user_only=True,
            check=_check_host,
            help=f"The SMTP server; `{USER}` and `{PASSWORD}` are its login.",
        ),
        Key(
            name="notify.email.port",
            kind="int",
            default=0,
            minimum=0,
            user_only=True,
            check=_check_port,
            help="Its port; 0: 587 for STARTTLS, 465 for TLS, 25 without.",
        ),
        Key(
            name="notify.email.security",
            kind="str",
            default="starttls",
            choices=("starttls", "tls", "none"),
            user_only=True,
            help="How the connection is encrypted; `none` is for a server on this machine.",
        ),
        Key(
            name="notify.email.from",
            kind="str",
            default="",
            user_only=True,
            check=_check_from,
            help="The address that mails come from.",
        ),
        Key(
            name="notify.email.to",
            kind="list",
            default=[],
            user_only=True,
            check=_check_to,
            help="The addresses that mails go to.",
        ),
    )


def is_address(text: str) -> bool:
    """Return whether text is a plain mail address and nothing else."""
    return re.fullmatch(_ADDRESS, text) is not None


def compose(notice: Notice, sender: str, receivers: Sequence[str]) -> EmailMessage:
    """Return a mail.

    Its ``Message-ID`` is the notice's: a mail that arrives twice stands in one thread, or is dropped. All mails about
    one pull request, or one branch, stand in a thread, too.
    """
    from email.message import EmailMessage

    from selfreview.pullrequest.notifiers.render import render

    mail = EmailMessage()
    domain = sender.rpartition("@")[2]
    mail["From"] = f"selfreview <{sender}>"
    mail["To"] = ", ".join(receivers)
    mail["Subject"] = _header(notice.title)
    mail["Date"] = _date(notice.at)
    mail["Message-ID"] = _id(notice.key, domain)
    about = (
        f"{notice.repository}#{notice.number}" if notice.number is not None else f"{notice.repository} {notice.branch}"
    )
    mail["References"] = mail["In-Reply-To"] = _id(about, domain)
    mail["Auto-Submitted"] = "auto-generated"  # RFC 3834: no answers by machines
    mail.set_content(render("plain.txt.j2", notice), cte="quoted-printable")
    mail.add_alternative(render("email.html.j2", notice), subtype="html", cte="quoted-printable")
    return mail


def _header(text: str) -> str:
    """Return text for one header, without line ends and invisible characters."""
    shown = visible(" ".join(text.split()))
    return shown if len(shown) <= SUBJECT else shown[: SUBJECT - 1] + "…"


def _id(text: str, domain: str) -> str:
    return f"<{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}.selfreview@{domain}>"


def _date(at: str) -> str:
    from email.utils import format_datetime

    try:
        when = datetime.datetime.fromisoformat(at)
    except ValueError:
        when = datetime.datetime.now(datetime.UTC)
    return format_datetime(when.astimezone(datetime.UTC))


class Server(NamedTuple):
    """A mail server, and the login for it.

    Attributes:
        host, port: Its address.
        security: ``starttls``, ``tls`` or ``none``.
        user, password: Its login, or empty.
    """

    host: str
    port: int
    security: str
    user: str
    password: str


def deliver(server: Server, sender: str, receivers: Sequence[str], mail: bytes, timeout_s: float) -> list[str]:
    """Send a mail.

    Returns:
        The receivers that the server does not take mail for.

    Raises:
        NotifyError: If it was not taken.
        UnsureError: If the line broke while it was sent.
    """
    import smtplib
    import ssl

    context = ssl.create_default_context() if server.security != "none" else None
    try:
        smtp = _connect(server, context, timeout_s)
    except (OSError, smtplib.SMTPException) as error:
        raise NotifyError(f"{server.host} cannot be reached ({_why(error)})") from None
    with contextlib.closing(smtp):
        try:
            refused = _open(smtp, server, context, sender, receivers)
        except (OSError, smtplib.SMTPException) as error:
            raise NotifyError(f"{server.host} does not take the mail ({_why(error)})") from None
        try:
            code, _ = smtp.data(mail)
        except smtplib.SMTPDataError as error:  # before a byte of the mail
            raise NotifyError(f"{server.host} does not take the mail ({_why(error)})") from None
        except (OSError, smtplib.SMTPException) as error:
            raise UnsureError(f"the connection to {server.host} broke ({_why(error)})") from None
        with contextlib.suppress(OSError, smtplib.SMTPException):  # it has the mail, or has refused it
            smtp.quit()
    if code != 250:
        raise NotifyError(f"{server.host} does not take the mail (answer {code})")
    return refused


def _connect(server: Server, context: ssl.SSLContext | None, timeout_s: float) -> smtplib.SMTP:
    import smtplib

    if server.security == "tls":
        return smtplib.SMTP_SSL(server.host, server.port, timeout=timeout_s, context=context)
    return smtplib.SMTP(server.host, server.port, timeout=timeout_s)


def _open(
    smtp: smtplib.SMTP, server: Server, context: ssl.SSLContext | None, sender: str, receivers: Sequence[str]
) -> list[str]:
    """Do everything up to the mail itself; return the receivers that are refused."""
    import smtplib

    smtp.ehlo_or_helo_if_needed()
    if server.security == "starttls":
        smtp.starttls(context=context)
        smtp.ehlo()
    if server.user:
        smtp.login(server.user, server.password)
    code, _ = smtp.mail(sender)
    if code != 250:
        raise smtplib.SMTPResponseException(code, "")
    answers = {receiver: smtp.rcpt(receiver)[0] for receiver in receivers}
    refused = [receiver for receiver, code in answers.items() if code not in (250, 251)]
    if len(refused) == len(answers):
        raise smtplib.SMTPResponseException(answers[receivers[0]], "")
    return refused


def _why(error: Exception) -> str:
    """Return the cause of an error, without the server's text, which may repeat a password."""
    import smtplib
    import ssl

    if isinstance(error, smtplib.SMTPResponseException):
        return f"answer {error.smtp_code}"
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate: {error.verify_message}"
    if isinstance(error, smtplib.SMTPNotSupportedError):
        return "it has no STARTTLS" if "STARTTLS" in str(error) else "it has no login"
    return type(error).__name__


@hookimpl
def selfreview_addoption(parser: OptionParser) -> None:
    """Declare its keys."""
    for key in (*channel_keys("email"), *_keys()):
        parser.add_key(key)


@hookimpl
def selfreview_register_notifiers(registry: Registry[Notifier]) -> None:
    """Register it."""
    registry.add(MailNotifier())
