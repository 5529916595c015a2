"""Notifier by mail, through an SMTP server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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

USER, PASSWORD = "SELFREVIEW_SMTP_USER", "SELFREVIEW_SMTP_PASSWORD"
_PORTS = {"starttls": 587, "tls": 465, "none": 25}


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

        from selfreview.pullrequest.notifiers.smtp import Server, compose, deliver

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
    from selfreview.pullrequest.notifiers.smtp import is_address

    return None if not value or is_address(value) else "must be a plain mail address"


def _check_to(value: Sequence[str]) -> str | None:
    from selfreview.pullrequest.notifiers.smtp import is_address

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


@hookimpl
def selfreview_addoption(parser: OptionParser) -> None:
    """Declare its keys."""
    for key in (*channel_keys("email"), *_keys()):
        parser.add_key(key)


@hookimpl
def selfreview_register_notifiers(registry: Registry[Notifier]) -> None:
    """Register it."""
    registry.add(MailNotifier())
