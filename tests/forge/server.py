"""The fake GitHub server."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Collection
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.forge.call import Answer
from tests.forge.faults import Fault, Faults
from tests.forge.graph.faults import GraphFault
from tests.forge.handler import Handler
from tests.forge.limits import Limits
from tests.forge.listening import Http, UnixHttp
from tests.forge.people import Token, User
from tests.forge.recorded import ForgeRequest
from tests.forge.render.links import Links
from tests.forge.repository import Repository
from tests.forge.service import Service
from tests.forge.webhooks import Postman, Webhook
from tests.forge.world import Clock, World

SECONDARY = (
    "You have exceeded a secondary rate limit. Please wait a few minutes before you try again. "
    "If you reach out to GitHub Support for help, please include the request ID."
)

TOO_QUICKLY = "was submitted too quickly"


class FakeGitHub:
    """A fake GitHub on a loopback port, on threads of this process; its methods are what people do there.

    Args:
        host: What it says to be in the addresses that people see.
        unix_socket: Whether it listens on a unix socket too.

    Attributes:
        requests: Every request, in the order of arrival.
        latency_s: Seconds that every answer waits first.
    """

    def __init__(self, *, host: str = "github.com", unix_socket: bool = False) -> None:
        if find_spec("graphql") is None:  # else the first question of a client is answered with an error of the server
            raise ModuleNotFoundError(
                "the fake GitHub needs graphql-core: pip install -e '.[dev]' in the checkout of selfreview",
                name="graphql",
            )
        self.requests: list[ForgeRequest] = []
        self.latency_s = 0.0
        self._world = World(host)
        self._service = Service(self._world)
        self._faults = Faults()
        self._closed = threading.Event()
        self._defects: list[Exception] = []
        self._folder = tempfile.TemporaryDirectory(prefix="forge-") if unix_socket else None
        kind = type("Handler", (Handler,), {"owner": self})
        self._servers: list[Http] = [Http(("127.0.0.1", 0), kind)]
        if self._folder is not None:
            self._servers.append(UnixHttp(str(Path(self._folder.name, "api.sock")), kind))
        self._postman = Postman(self._world, Links(self.url, f"https://{host}"))
        self._threads = [
            threading.Thread(target=one.serve_forever, args=(0.01,), name="fake-forge") for one in self._servers
        ]

    # --- where it is -------------------------------------------------------------------------------------------------

    @property
    def host(self) -> str:
        """The host name of the forge."""
        return self._world.host

    @property
    def url(self) -> str:
        """The URL that the server listens at."""
        return f"http://127.0.0.1:{self._servers[0].server_address[1]}"

    @property
    def api_url(self) -> str:
        """The URL of REST, for ``GITHUB_API_URL``; ``/api/v3`` below it as well, as of an enterprise server."""
        return self.url

    @property
    def graphql_url(self) -> str:
        """The URL of GraphQL, for ``GITHUB_GRAPHQL_URL``."""
        return f"{self.url}/graphql"

    @property
    def socket(self) -> Path:
        """The unix socket.

        Raises:
            ValueError: If it does not listen on one.
        """
        if self._folder is None:
            raise ValueError("no unix socket was asked for")
        return Path(self._folder.name, "api.sock")

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        self._postman.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closed.set()
        self._postman.stop()
        for server, thread in zip(self._servers, self._threads, strict=True):
            server.shutdown()
            thread.join()
            server.close_all()
        if self._folder is not None:
            self._folder.cleanup()
        if error is None and self._defects:
            raise AssertionError("the fake forge failed") from self._defects[0]

    # --- who and what is there ---------------------------------------------------------------------------------------

    @property
    def clock(self) -> Clock:
        """The forge's clock."""
        return self._world.clock

    @property
    def limits(self) -> Limits:
        """The rate limits, with the remaining requests."""
        return self._service.limits

    def user(self, login: str, *, kind: str | None = None, name: str | None = None) -> User:
        """Return the account of a name, which is made if there is none; a name that ends in ``[bot]`` is a bot's."""
        with self._world.lock:
            key = login.lower()
            if key not in self._world.users:
                self._world.users[key] = User(self._world, login, kind=kind, name=name)
            return self._world.users[key]

    def token(self, value: str, user: User | str, *, lacks: frozenset[str] | set[str] = frozenset()) -> Token:
        """Add a token of an account.

        Args:
            lacks: What it must not write to though they may: ``contents``, ``pull_requests``.
        """
        owner = self.user(user) if isinstance(user, str) else user
        self._service.tokens[value] = Token(value, owner, frozenset(lacks))
        return self._service.tokens[value]

    def revoke(self, value: str) -> None:
        """Revoke a token."""
        self._service.tokens.pop(value, None)

    def repository(
        self, full_name: str, *, remote: Path | None = None, private: bool = False, parent: Repository | None = None
    ) -> Repository:
        """Return the repository ``owner/name``, which is made if there is none.

        Args:
            remote: The bare repository that is pushed to; its branches are then the forge's. None makes branches up.
            parent: What it is a fork of.
        """
        with self._world.lock:
            owner, _, name = full_name.partition("/")
            key = full_name.lower()
            if key not in self._world.repositories:
                made = Repository(self._world, self.user(owner), name, remote=remote, private=private, parent=parent)
                self._world.repositories[key] = made
            return self._world.repositories[key]

    # --- what it tells ---------------------------------------------------------------------------------------------

    def webhooks_to(
        self, url: str, secret: str | None = None, *, events: Collection[str] = (), form: bool = False
    ) -> Webhook:
        """Add a webhook for the events of all repositories from now on.

        Args:
            secret: What it is signed with; None signs nothing.
            events: Names such as ``issue_comment``; none are all of them.
            form: Whether the payload is sent as a form's field instead of as JSON.
        """
        return self._postman.hook(url, secret, events=events, form=form)

    def flush_webhooks(self) -> None:
        """Wait until all webhooks are delivered."""
        self._postman.flush()

    # --- what goes wrong ---------------------------------------------------------------------------------------------

    def fail(
        self,
        method: str,
        pattern: str,
        *,
        status: int = 502,
        times: int | None = 1,
        retry_after: str | int | None = None,
        message: str = "Server Error",
        headers: dict[str, str] | None = None,
        after_effect: bool = False,
    ) -> Fault:
        """Answer the next requests of a kind with an error.

        Args:
            method: ``GET`` and so on; ``*`` is any.
            pattern: Of the path, as a shell has it; ``*`` also stands for ``/``.
            times: How often; None is always.
            retry_after: The ``Retry-After`` header, or None for none.
            after_effect: Whether what was asked for is done all the same, and only its answer is lost.
        """
        told = {} if retry_after is None else {"retry-after": str(retry_after)}
        return self._faults.add(
            Fault(method, pattern, status, message, {**told, **(headers or {})}, times, after_effect)
        )

    def limit(
        self,
        method: str,
        pattern: str,
        *,
        status: int = 403,
        retry_after: str | int | None = None,
        times: int | None = 1,
    ) -> Fault:
        """Answer the next requests of a kind with the secondary rate limit, which is not announced in headers.

        Args:
            status: 422 is that of what is written too quickly.
        """
        fault = self.fail(method, pattern, status=status, message=SECONDARY, retry_after=retry_after, times=times)
        if status == 422:
            fault.message = "Validation Failed"
            fault.errors = [{"resource": "IssueComment", "code": "custom", "field": "body", "message": TOO_QUICKLY}]
        return fault

    def reset(self, method: str, pattern: str, *, times: int | None = 1, after_effect: bool = False) -> Fault:
        """Reset the connection of the next requests of a kind."""
        return self._faults.add(Fault(method, pattern, None, times=times, after_effect=after_effect))

    def slow(self, method: str, pattern: str, seconds: float, *, times: int | None = 1) -> Fault:
        """Delay the answers to the next requests of a kind."""
        return self._faults.add(Fault(method, pattern, times=times, delay_s=seconds, harmless=True))

    def refuse(
        self, path: str, *, kind: str = "FORBIDDEN", message: str = "as scripted", times: int | None = 1
    ) -> GraphFault:
        """Leave a part out of the next answers of GraphQL: it is null, beside an error.

        Args:
            path: As in the answer, with aliases: ``repository.p7``; as a shell has it.
            kind: The error's type.
        """
        return self._service.graph.faults.add(GraphFault(path, kind, message, times))

    def mend(self) -> None:
        """Remove all faults."""
        self._faults.clear()
        self._service.graph.faults.clear()

    # --- called by the connections -----------------------------------------------------------------------------------

    def answer(self, request: ForgeRequest, *, secure: bool) -> Answer:
        """Record a request and answer it; status 0 is a reset."""
        with self._world.lock:
            self.requests.append(request)
            fault = self._faults.take(request)
        self._closed.wait(self.latency_s + (fault.delay_s if fault else 0.0))
        scheme = "https" if secure else "http"
        links = Links(f"{scheme}://{request.headers.get('host', self.host)}{request.prefix}", f"https://{self.host}")
        try:
            return self._service.answer(request, links, None if fault is not None and fault.harmless else fault)
        except Exception as error:  # noqa: BLE001 - a defect of the fake, which the test is told of when it ends
            self._defects.append(error)
            return Answer(500, {"message": f"The fake failed: {error!r}"})
