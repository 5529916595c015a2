"""A notice as a mail, and its sending to one server: whether it may have arrived when that breaks off."""

from __future__ import annotations

import contextlib
import datetime
import hashlib
import re
import smtplib
import ssl
from collections.abc import Sequence
from email.message import EmailMessage
from email.utils import format_datetime
from typing import NamedTuple

from selfreview.api import Notice
from selfreview.errors import NotifyError, UnsureError
from selfreview.pullrequest.notifiers.render import render
from selfreview.text.escape import visible

SUBJECT = 200
_ADDRESS = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?")


def is_address(text: str) -> bool:
    """Return whether text is a plain mail address and nothing else."""
    return _ADDRESS.fullmatch(text) is not None


def compose(notice: Notice, sender: str, receivers: Sequence[str]) -> EmailMessage:
    """Return a mail.

    Its ``Message-ID`` is the notice's: a mail that arrives twice stands in one thread, or is dropped. All mails about
    one pull request, or one branch, stand in a thread, too.
    """
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
    if server.security == "tls":
        return smtplib.SMTP_SSL(server.host, server.port, timeout=timeout_s, context=context)
    return smtplib.SMTP(server.host, server.port, timeout=timeout_s)


def _open(
    smtp: smtplib.SMTP, server: Server, context: ssl.SSLContext | None, sender: str, receivers: Sequence[str]
) -> list[str]:
    """Do everything up to the mail itself; return the receivers that are refused."""
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
    if isinstance(error, smtplib.SMTPResponseException):
        return f"answer {error.smtp_code}"
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate: {error.verify_message}"
    if isinstance(error, smtplib.SMTPNotSupportedError):
        return "it has no STARTTLS" if "STARTTLS" in str(error) else "it has no login"
    return type(error).__name__
