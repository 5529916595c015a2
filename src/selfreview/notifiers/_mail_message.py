"""A notice as a mail."""

from __future__ import annotations

import datetime
import hashlib
import re
from collections.abc import Sequence
from email.message import EmailMessage
from email.utils import format_datetime

from selfreview.api import Notice
from selfreview.notifiers._render import render
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

    Args:
        notice: What to tell.
        sender, receivers: Addresses that :func:`is_address` is true of.
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
