"""Notifier for other services through the library apprise: Teams, Discord, Matrix, Telegram, ntfy and many more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from selfreview.api import ConfigView, Notice, Notifier, NotifyContext, OptionParser, Registry, channel_keys, hookimpl
from selfreview.errors import NotifyError, UnsureError

URLS = "SELFREVIEW_APPRISE_URLS"


class AppriseNotifier:
    """A notifier for every configured service. The library does not report what arrived, so nothing is repeated."""

    name = "apprise"
    leaves_mark = False
    needs_request = False

    def unavailable(self, config: ConfigView, environ: Mapping[str, str]) -> str | None:  # noqa: ARG002 - the protocol
        """Return why it cannot send, or None."""
        from importlib.util import find_spec

        if not _urls(environ):
            return f"{URLS} is not set"
        if find_spec("apprise") is None:
            return "apprise is not installed: pip install '.[notify]' in the checkout of selfreview"
        return None

    def secrets(self, environ: Mapping[str, str], config: ConfigView) -> Sequence[str]:  # noqa: ARG002 - the protocol
        """Return the whole URLs, as only the library knows which part of them is secret."""
        return _urls(environ)

    def send(self, notice: Notice, context: NotifyContext) -> Sequence[str]:
        """Send a notice.

        Raises:
            NotifyError: If an address is none.
            UnsureError: If a service, or more, says that it failed.
        """
        import apprise

        from selfreview.pullrequest.notifiers.render import render
        from selfreview.redirects import FOLLOW_REDIRECTS

        _silence()
        urls = _urls(context.environ)
        services = apprise.Apprise()
        for number, url in enumerate(urls, 1):  # in numbers: they hold secrets
            if not services.add(url):
                raise NotifyError(f"address {number} in {URLS} is not known to apprise")
        for service in services:
            if not hasattr(service, "redirects"):
                raise NotifyError("this version of apprise follows redirects", hint="pip install 'apprise>=1.11'")
            service.redirects = FOLLOW_REDIRECTS  # whatever its address says
        try:
            sent = services.notify(
                body=render("plain.txt.j2", notice), title=" ".join(notice.title.split()), body_format="text"
            )
        except Exception as error:  # noqa: BLE001 - what it raises may hold an address
            raise UnsureError(f"apprise failed ({type(error).__name__})") from None
        if not sent:
            some = "the service" if len(urls) == 1 else "a service, or more,"
            raise UnsureError(f"{some} did not confirm the message")
        return ()


def _urls(environ: Mapping[str, str]) -> list[str]:
    """Return the URLs, which are separated by white space."""
    return environ.get(URLS, "").split()


def _silence() -> None:
    """Keep the library from logging errors, which include the URLs."""
    import logging

    logger = logging.getLogger("apprise")
    logger.propagate = False
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())


@hookimpl
def selfreview_addoption(parser: OptionParser) -> None:
    """Declare its keys."""
    for key in channel_keys("apprise"):
        parser.add_key(key)


@hookimpl
def selfreview_register_notifiers(registry: Registry[Notifier]) -> None:
    """Register it."""
    registry.add(AppriseNotifier())
