"""The contract of notifiers."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pytest

from selfreview.api import KeepsSecrets, Notice, NoticeEvent, Notifier, NotifyContext, NotifyError, UnsureError
from selfreview.testing.context import MemoryConfig
from selfreview.testing.contracts.plugin import PluginContract, config_of, offline
from selfreview.testing.contracts.results import HOSTILE
from selfreview.testing.notifying import notice

NOTICES: Mapping[str, Notice] = MappingProxyType(
    {
        **{event.value: notice(event=event, mention=("octocat",)) for event in NoticeEvent},
        "of_no_pull_request": notice(number=None, url=""),
        "hostile": notice(title=HOSTILE, text=HOSTILE, repository=HOSTILE, branch=HOSTILE, mention=(HOSTILE,)),
        "long": notice(text="A line of text.\n" * 20_000),
    }
)
"""Notices of every event and of odd content, by name."""
FAULTS: Mapping[str, OSError] = MappingProxyType(
    {
        "refused": ConnectionRefusedError(111, "Connection refused"),
        "unknown_host": socket.gaierror(-2, "Name or service not known"),
        "too_late": TimeoutError("timed out"),
    }
)
"""Failures of the network, by name."""


class NotifierContract(PluginContract):
    """The contract of notifiers; a subclass gives the fixture ``notifier``, and what it needs to be available.

    Nothing is sent, for there is no network here: that a message arrives is for a test of your own.
    """

    environ: Mapping[str, str] = MappingProxyType({})
    """Environment variables with which it is available."""
    config: Mapping[str, Any] = MappingProxyType({})
    """Values of configuration keys with which it is available."""
    secret: str | None = None
    """The value in ``environ`` that nobody may see; None for a notifier that has none."""

    @pytest.fixture
    def notifier(self) -> Notifier:
        """The notifier under test."""
        raise NotImplementedError("give a fixture that returns your notifier")

    @pytest.fixture
    def plugin(self, notifier: Notifier) -> Notifier:
        """The notifier, for the contract of plugins of every kind."""
        return notifier

    # --- before it sends ---------------------------------------------------------------------------------------------

    def test_its_channel_has_keys(self, notifier: Notifier) -> None:
        """``channel_keys(NAME)`` are declared, so that a person can choose what the channel tells of."""
        config = self.configured(notifier, {})
        for key in (f"notify.{notifier.name}.events", f"notify.{notifier.name}.branches"):
            try:
                config[key]
            except KeyError:
                pytest.fail(f"{key} is no key: declare channel_keys({notifier.name!r}) in selfreview_addoption")

    def test_it_says_what_it_lacks(self, notifier: Notifier) -> None:
        """Without what it needs it says so in a line, with it nothing; neither asks the network."""
        with offline() as tried:
            lacks = notifier.unavailable(self.configured(notifier, {}), {})
            has_all = notifier.unavailable(self.configured(notifier), self.environ)
        assert not tried, f"it asked for {tried[0]}"
        assert has_all is None, f"it is unavailable: {has_all}"
        if self.environ or self.config:
            assert lacks is not None, "it does not say what it lacks"
            assert lacks.strip() == " ".join(lacks.split()) != "", "it is no line of text"

    def test_its_secrets_are_named(self, notifier: Notifier) -> None:
        """``secrets`` names what must be hidden, and nothing where nothing is set."""
        if self.secret is None:
            pytest.skip("it has no secret")
        assert self.secret in self.environ.values(), "no variable of `environ` holds `secret`"
        assert isinstance(notifier, KeepsSecrets), "it has no method `secrets`"
        with offline() as tried:
            assert self.secret in notifier.secrets(self.environ, self.configured(notifier))
            assert not any(notifier.secrets({}, self.configured(notifier, {})))
        assert not tried, f"it asked for {tried[0]}"

    def test_a_secret_that_is_none_is_not_repeated(self, notifier: Notifier) -> None:
        """A message about a variable that holds something odd does not quote it."""
        if self.secret is None:
            pytest.skip("it has no secret")
        for odd in (f"{self.secret} and more", f"{self.secret}\n\x00", f"ä{self.secret}"):
            environ = {name: odd if value == self.secret else value for name, value in self.environ.items()}
            lacks = notifier.unavailable(self.configured(notifier), environ)
            assert self.secret not in (lacks or ""), "it quotes its secret"

    # --- as it sends -------------------------------------------------------------------------------------------------

    @pytest.mark.parametrize("name", NOTICES)
    def test_every_notice_can_be_sent(self, notifier: Notifier, name: str, capfd: pytest.CaptureFixture[str]) -> None:
        """A notice of any event and with any text is sent, or there is a NotifyError; nothing is printed."""
        self.sent(notifier, NOTICES[name], FAULTS["refused"], capfd)

    @pytest.mark.parametrize("fault", FAULTS)
    def test_a_network_that_fails_is_an_error_for_people(
        self, notifier: Notifier, fault: str, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
    ) -> None:
        """NotifyError, or UnsureError where it may have been sent; no word of it, and none in a log, is the secret."""
        said = self.sent(notifier, notice(), FAULTS[fault], capfd)
        if self.secret is not None:
            assert self.secret not in said + caplog.text, "it quotes its secret"

    # --- helpers -----------------------------------------------------------------------------------------------------

    def configured(self, notifier: Notifier, values: Mapping[str, Any] | None = None) -> MemoryConfig:
        """Return the configuration, with ``config`` or other values."""
        return config_of(notifier, self.module, self.config if values is None else values)

    def sent(self, notifier: Notifier, message: Notice, fault: OSError, capfd: pytest.CaptureFixture[str]) -> str:
        """Send where there is no network; return all that the notifier said."""
        capfd.readouterr()
        context = NotifyContext(self.configured(notifier), self.environ, timeout_s=5.0)
        with offline(fault):
            try:
                notes = notifier.send(message, context)
            except (NotifyError, UnsureError) as error:
                said = f"{error.message} {error.hint or ''}"
            except Exception as error:
                raise AssertionError(f"send raises {type(error).__name__}: only NotifyError or UnsureError") from error
            else:
                assert not isinstance(notes, str), "notes are a list of sentences"
                said = " ".join(notes)
        assert capfd.readouterr() == ("", ""), "it prints: what is to be said it returns, or raises"
        return said
