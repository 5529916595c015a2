"""The contract of forges."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pytest

from selfreview.api import Forge, ForgeError, Location
from selfreview.api.registry import check
from selfreview.errors import RegistrationError
from selfreview.testing.context import MemoryConfig
from selfreview.testing.contracts.plugin import PluginContract, config_of, offline

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
