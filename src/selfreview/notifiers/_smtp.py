"""Sending of one mail to one server, and whether it may have arrived when it breaks off."""

from __future__ import annotations

import contextlib
import smtplib
import ssl
from collections.abc import Sequence
from typing import NamedTuple

from selfreview.errors import NotifyError, UnsureError


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

    Args:
        server: Where to.
        sender, receivers: Plain addresses.
        mail: With its header, lines ended by CRLF, ASCII.
        timeout_s: Seconds that each step may take.

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
