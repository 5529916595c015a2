"""Contracts of what speaks with services: forges and notifiers."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pytest

from selfreview.api import (
    Forge,
    ForgeError,
    KeepsSecrets,
    Location,
    Notice,
    NoticeEvent,
    Notifier,
    NotifyContext,
    NotifyError,
    UnsureError,
)
from selfreview.api.registry import check
from selfreview.errors import RegistrationError
from selfreview.testing.context import MemoryConfig
from selfreview.testing.contracts.plugin import PluginContract, config_of, offline
from selfreview.testing.contracts.reporter import HOSTILE
from selfreview.testing.notifying import notice

ELSEWHERE = "elsewhere.invalid"
"""A host of no forge."""


class ForgeContract(PluginContract):
    """The contract of forges; a subclass gives the fixture ``forge``, its addresses, and how it signs in.

    There is no network here: what a connection reads and writes is for tests of your own.
    """

    addresses: Mapping[str, Location] = MappingProxyType({})
    """The addresses of repositories as git has them, in each form, and which repository each means."""
    environ: Mapping[str, str] = MappingProxyType({})
    """Environment variables with which it connects; ``secret`` is the value of one."""
    secret: str = ""
    """The token."""
    config: Mapping[str, Any] = MappingProxyType({})
    """Values of configuration keys with which it connects."""

    @pytest.fixture
    def forge(self) -> Forge:
        """The forge under test."""
        raise NotImplementedError("give a fixture that returns your forge")

    @pytest.fixture
    def plugin(self, forge: Forge) -> Forge:
        """The forge, for the contract of plugins of every kind."""
        return forge

    def test_it_locates_its_own_addresses(self, forge: Forge) -> None:
        """Each form of an address means its repository."""
        assert self.addresses, "give `addresses`"
        with offline() as tried:
            for url, location in self.addresses.items():
                assert forge.locate(url, self.configured(forge)) == location, url
        assert not tried, f"it asked for {tried[0]}"

    def test_it_locates_no_others(self, forge: Forge) -> None:
        """Addresses of other hosts, folders and what is no address are another plugin's: None, and no error."""
        (_, path), own = self.location, self.location.host.partition(":")[0]
        others = [
            *(f"https://{host}/{path}.git" for host in (ELSEWHERE, f"{own}.{ELSEWHERE}", f"{own}@{ELSEWHERE}")),
            *(f"git@{host}:{path}.git" for host in (ELSEWHERE, f"{own}.{ELSEWHERE}", f"not{own}")),
            *(f"https://{own}{odd}" for odd in ("", "/", "/../..")),
            *(f"https://{ELSEWHERE}/{own}/{path}", f"ssh://git@{ELSEWHERE}/{path}", f"file:///{own}/{path}"),
            *("", " ", ".", "../up", "/srv/git/app.git", "C:\\git\\app", "https://", "https://[", "a:b:c", "-x", "\0"),
        ]
        with offline() as tried:
            found = {url: forge.locate(url, self.configured(forge)) for url in others}
        assert not tried, f"it asked for {tried[0]}"
        wrong = [url for url, location in found.items() if location is not None]
        assert not wrong, f"{wrong[0]!r} is no address of this forge"

    def test_connecting_asks_nothing_yet(self, forge: Forge, capfd: pytest.CaptureFixture[str]) -> None:
        """A connection knows its repository and has every method of what it can do, and closing it twice is fine.

        The network is used when it is first asked.
        A network that fails then is a ForgeError for people, which does not quote the token.
        """
        with offline() as tried:
            connection = forge.connect(self.location, self.configured(forge), self.environ)
            assert not tried, f"it asked for {tried[0]}"
            try:
                check(connection, "connection")
            except RegistrationError as error:
                pytest.fail(f"{error.message} ({error.hint})")
            assert connection.location == self.location
            try:
                connection.whoami()
            except ForgeError as error:
                said = f"{error.message} {error.hint or ''}"
            except Exception as error:
                raise AssertionError(f"whoami raises {type(error).__name__}: only a ForgeError") from error
            else:
                said = ""
            connection.close()
            connection.close()
        assert self.secret not in said, "it quotes its token"
        assert capfd.readouterr() == ("", ""), "it prints"

    def test_its_secrets_are_named(self, forge: Forge) -> None:
        """The token is named from the start and once there is a connection; nothing is, where nothing is set."""
        assert self.secret, "give `secret`"
        assert self.secret in self.environ.values(), "no variable of `environ` holds `secret`"
        config = self.configured(forge)
        assert not any(forge.secrets({}, config))
        assert self.secret in forge.secrets(self.environ, config)
        forge.connect(self.location, config, self.environ).close()
        assert self.secret in forge.secrets(self.environ, config)

    def test_without_a_token_it_says_how_to_give_one(self, forge: Forge) -> None:
        """There is a ForgeError with a hint, and nothing is asked for."""
        with offline() as tried:
            with pytest.raises(ForgeError) as raised:
                forge.connect(self.location, self.configured(forge), {})
            assert raised.value.hint, "its hint does not say what to set"
        assert not tried, f"it asked for {tried[0]}"

    def test_its_token_is_for_its_own_hosts(self, forge: Forge) -> None:
        """A repository elsewhere is a ForgeError, before the token is sent there."""
        elsewhere, config = Location(ELSEWHERE, self.location.path), self.configured(forge)
        with offline() as tried, pytest.raises(ForgeError):
            forge.connect(elsewhere, config, self.environ).whoami()
        assert not tried, f"it asked for {tried[0]}"

    # --- helpers -----------------------------------------------------------------------------------------------------

    @property
    def location(self) -> Location:
        """The repository of the first address."""
        return next(iter(self.addresses.values()))

    def configured(self, forge: Forge) -> MemoryConfig:
        """Return the configuration."""
        return config_of(forge, self.module, self.config)


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
