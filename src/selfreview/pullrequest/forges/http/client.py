"""HTTP client of a forge's API for one token, and its requests, which share a deadline."""

from __future__ import annotations

import json
import random
import re
import threading
import urllib.parse
from collections import OrderedDict
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from selfreview.api import RateLimit
from selfreview.errors import AwayError, BusyError, ForgeError, UnsureError
from selfreview.pullrequest.forges.http.answers import Graph, error_of, graph_limit, read_graph
from selfreview.pullrequest.forges.http.limits import Limit, Pauses, left_of, limit_of, owner_of
from selfreview.pullrequest.forges.http.wire import Answer, Clock, LostError, NotSentError, Service, TooLargeError, Wire
from selfreview.redirects import destination

_MAX_BYTES = 64 * 1024 * 1024


class CachedAnswer(NamedTuple):
    """Answer that can be revalidated by its ETag.

    Attributes:
        etag: The forge's name for it.
        body: What it said.
        link: Its ``Link`` header.
    """

    etag: str
    body: bytes
    link: str | None


class Etags:
    """Answers by URL, in memory; the oldest are dropped where they are too large together."""

    def __init__(self, max_bytes: int = _MAX_BYTES) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._cached: OrderedDict[str, CachedAnswer] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, url: str) -> CachedAnswer | None:
        """Return the last answer of a URL, or None."""
        with self._lock:
            cached = self._cached.get(url)
            if cached is not None:
                self._cached.move_to_end(url)
            return cached

    def drop(self, url: str) -> None:
        """Forget the answer of a URL."""
        with self._lock:
            before = self._cached.pop(url, None)
            self._bytes -= len(before.body) if before else 0

    def keep(self, url: str, cached: CachedAnswer) -> None:
        """Remember the answer of a URL."""
        with self._lock:
            before = self._cached.pop(url, None)
            self._bytes += len(cached.body) - (len(before.body) if before else 0)
            self._cached[url] = cached
            while self._bytes > self._max_bytes:
                self._bytes -= len(self._cached.popitem(last=False)[1].body)


_TARGET = re.compile(r"\s*,?\s*<([^>]*)>")
_PARAMETER = re.compile(r"""\s*;\s*([^\s=;,<>"]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?""")


def next_page(header: str | None) -> str | None:
    """Return the URL of the next page, or None on the last.

    A header that is malformed is read up to where it is. A URL may hold commas and semicolons.
    """
    position = 0
    text = header or ""
    while target := _TARGET.match(text, position):
        position = target.end()
        relation = None
        while parameter := _PARAMETER.match(text, position):
            position = parameter.end()
            if relation is None and parameter[1].lower() == "rel":
                relation = parameter[2] if parameter[2] is not None else parameter[3] or ""
        if relation is not None and "next" in relation.lower().split():
            return target[1]
    return None


_TRIES = 3
_FIRST_WAIT_S = 0.5
_MAX_PAGES = 200
_A_PAGE = 30  # where an address does not say how many
_MOVED = frozenset({301, 302, 307, 308})
_GATEWAY = frozenset({502, 503, 504})
_UNSURE = _GATEWAY | {500}


class _Request(NamedTuple):
    """A request to send; ``what`` is its name in errors, ``resource`` the rate limit that it counts for."""

    method: str
    url: str
    content: bytes | None
    what: str
    resource: str = "core"
    headers: Mapping[str, str] = MappingProxyType({})
    repeatable: bool = True


class Call:
    """Requests with one deadline, which also limits retries and pauses.

    Raises what :mod:`selfreview.errors` has for forges; BusyError where a pause ends after the deadline.
    """

    def __init__(self, client: Client, timeout_s: float) -> None:
        self._client = client
        self._timeout_s = timeout_s
        self._deadline = client.clock.now() + timeout_s

    def get(self, path: str, *, needs: str = "") -> Any:
        """Get a document; it costs nothing where it is unchanged."""
        return self._get(self._url(path), needs)[0]

    def pages(self, path: str, *, within: str | None = None, needs: str = "") -> list[Any]:
        """Get all pages of a list.

        Args:
            path: With ``per_page`` where it matters.
            within: The name of the list in the document; None where the document is the list.
            needs: The right that it takes.
        """
        found: list[Any] = []
        url: str | None = self._url(path)
        seen: set[str] = set()
        while url is not None:
            if url in seen or len(seen) == _MAX_PAGES:
                raise ForgeError(f"{self._client.service.name} sends too many pages of {path}")
            seen.add(url)
            data, link = self._get(url, needs, within)
            page = _page(data, within)
            if not isinstance(page, list):
                raise ForgeError(f"{self._client.service.name} answered without a list at {path}")
            found += page
            url = self._own(link, url) if link is not None else None
        return found

    def send(self, method: str, path: str, body: object = None, *, needs: str = "", repeatable: bool = False) -> Any:
        """Send a request that changes something.

        Args:
            method: ``POST``, ``PATCH``, ``PUT`` or ``DELETE``.
            path: Path of the request, below the forge's address.
            body: What, for JSON.
            needs: The right that it takes.
            repeatable: Whether doing it twice is as doing it once.

        Raises:
            UnsureError: If it may have happened or not, and is not repeatable.
        """
        answer = self._send(method, path, body, repeatable)
        if not 200 <= answer.status < 300:
            raise error_of(self._client.service, answer, f"{method} {path}", needs)
        try:
            return answer.data
        except ForgeError as error:
            raise UnsureError(f"it is not known whether {method} {path} worked: {error.message}") from error

    def accepted(self, method: str, path: str, body: object, *, needs: str = "") -> bool:
        """Send a change that can be repeated, and return whether the forge accepts it as valid."""
        answer = self._send(method, path, body, repeatable=True)
        if answer.status == 422:
            return False
        if not 200 <= answer.status < 300:
            raise error_of(self._client.service, answer, f"{method} {path}", needs)
        return True

    def query(self, text: str, variables: Mapping[str, object], *, tries: int = _TRIES) -> Graph:
        """Send a GraphQL query.

        Raises:
            GatewayError: If the forge gives up over the question.
        """
        return self._graph(text, variables, repeatable=True, tries=tries)

    def mutate(self, text: str, variables: Mapping[str, object]) -> Graph:
        """Send a GraphQL mutation.

        Raises:
            UnsureError: If it may have happened or not.
        """
        return self._graph(text, variables, repeatable=False, tries=_TRIES)

    def rest_a_moment(self, times: int) -> bool:
        """Wait before a retry; return False, without waiting, where there is no time for it."""
        wait = _FIRST_WAIT_S * 2 ** (times - 1) * (0.5 + self._client.random.random())
        if self._client.clock.now() + wait >= self._deadline:
            return False
        self._client.clock.sleep(wait)
        return True

    def _send(self, method: str, path: str, body: object, repeatable: bool) -> Answer:
        content = None if body is None else json.dumps(body).encode("ascii")
        what = f"{method} {path}"
        answer = self._perform(_Request(method, self._url(path), content, what, repeatable=repeatable))
        if answer.status in _MOVED:
            self._follow_repository(path)
            answer = self._perform(_Request(method, self._url(path), content, what, repeatable=repeatable))
        return answer

    def _graph(self, text: str, variables: Mapping[str, object], *, repeatable: bool, tries: int) -> Graph:
        service = self._client.service
        content = json.dumps({"query": text, "variables": variables}).encode("ascii")
        request = _Request("POST", service.graphql, content, "GraphQL", "graphql", repeatable=repeatable)
        answer = self._perform(request, tries)
        if not 200 <= answer.status < 300:
            raise error_of(service, answer, "GraphQL", "")
        return read_graph(service.name, answer)

    def _get(self, url: str, needs: str, within: str | None = None) -> tuple[Any, str | None]:
        """Return a document, and the URL of the next page; ``within`` as for pages."""
        service, etags = self._client.service, self._client.etags
        for _ in range(3):
            cached = etags.get(url)
            headers = {"If-None-Match": cached.etag} if cached else {}
            what = f"GET {url.removeprefix(service.rest)}"
            answer = self._perform(_Request("GET", url, None, what, headers=headers))
            if answer.status == 304 and cached is not None:
                return Answer(200, {}, cached.body).data, next_page(answer.headers.get("link") or cached.link)
            if answer.status in _MOVED:
                url = self._moved(url, answer)
                continue
            if answer.status != 200:
                raise error_of(service, answer, what, needs)
            data, link, etag = answer.data, answer.headers.get("link"), answer.headers.get("etag")
            following = next_page(link)
            if etag and (following is not None or not _is_full(_page(data, within), url)):
                etags.keep(url, CachedAnswer(etag, answer.body, link))
            else:  # a last page that is full stays as it is when a next one comes: it has to be read anew
                etags.drop(url)
            return data, following
        raise ForgeError(f"{service.name} sends GET requests in circles")

    def _perform(self, request: _Request, tries: int = _TRIES) -> Answer:
        """Send a request until it is answered, as often as that is safe and time remains."""
        service, clock = self._client.service, self._client.clock
        method, url, content, what = request[:4]
        sent_headers = {**({"Content-Type": "application/json"} if content else {}), **request.headers}
        failures = limits = 0
        while True:
            self._wait_for_pause(request.resource)
            sent = clock.now()
            problem: ForgeError
            try:
                answer = self._client.wire.exchange(method, url, sent_headers, content, self._deadline)
            except NotSentError as error:
                problem = _unreachable(service, error)
            except LostError as error:
                if not request.repeatable:
                    raise UnsureError(f"it is not known whether {what} arrived at {service.host}: {error}") from error
                problem = _unreachable(service, error)
                if isinstance(error, TooLargeError):
                    raise problem from error
            else:
                self._client.meter.note(request.resource, answer.headers, now=clock.now(), wall=clock.wall())
                limit = _limit(answer, request.resource, clock.wall())
                if limit is not None:
                    self._hit(request.resource, limit, sent, limits)
                    limits += 1
                    continue
                self._client.pauses.well(self._client.owner, request.resource, sent)
                if answer.status in _UNSURE and not request.repeatable:
                    raise UnsureError(f"{service.name} answered {what} with status {answer.status}: it may have worked")
                if answer.status not in _GATEWAY:
                    return answer
                problem = error_of(service, answer, what, "")
            failures += 1
            if failures >= tries or not self.rest_a_moment(failures):
                raise problem

    def _wait_for_pause(self, resource: str) -> None:
        client = self._client
        while (left := client.pauses.left(client.owner, resource, client.clock.now())) > 0:
            if client.clock.now() + left >= self._deadline:
                raise _busy(client.service.name, left)
            client.clock.sleep(left)

    def _hit(self, resource: str, limit: Limit, sent: float, limits: int) -> None:
        client = self._client
        wait = client.pauses.hit(client.owner, resource, limit, sent=sent, now=client.clock.now())
        if limits + 1 >= _TRIES:
            raise _busy(client.service.name, wait)

    def _url(self, path: str) -> str:
        return self._client.service.rest + self._client.place(path)

    def _own(self, target: str, url: str) -> str:
        """Return a URL that the forge names as an absolute one, if it is the forge's own."""
        try:
            absolute = urllib.parse.urljoin(url, target)
        except ValueError:
            absolute = ""
        if not self._client.service.holds(absolute):
            name, other = self._client.service.name, destination(url, target)
            raise ForgeError(
                f"{name} points to another server, which is not asked: {other}",
                hint=f"if {name} is there now, give its new address",
            )
        return absolute

    def _moved(self, url: str, answer: Answer) -> str:
        """Return the new URL of a moved document; where the whole repository moved, remember that."""
        new = self._own(answer.headers.get("location", ""), url)
        service = self._client.service
        old_path, new_path = url.removeprefix(service.rest), new.removeprefix(service.rest)
        old_parts, new_parts = old_path.partition("?")[0].split("/"), new_path.partition("?")[0].split("/")
        if old_parts[1:2] == ["repos"]:
            below = old_parts[4:]
            if not below or new_parts[-len(below) :] == below:
                ours = "/".join(new_parts[: len(new_parts) - len(below)])
                self._client.note_move("/".join(old_parts[:4]), ours)
        return new

    def _follow_repository(self, path: str) -> None:
        """Find the new location of a repository before sending to it: only reading follows redirects."""
        parts = path.partition("?")[0].split("/")
        if parts[1:2] != ["repos"] or self._url(path) != self._client.service.rest + path:
            raise ForgeError(f"{self._client.service.name} sends {path} somewhere else")
        self.get("/".join(parts[:4]))
        if not self._client.moved:
            raise ForgeError(f"{self._client.service.name} sends {path} somewhere else")


def _page(data: Any, within: str | None) -> Any:
    return data.get(within) if within is not None and isinstance(data, Mapping) else data


def _is_full(page: Any, url: str) -> bool:
    """Return whether a page of a list is full."""
    if not isinstance(page, list):
        return False
    per_page = urllib.parse.parse_qs(urllib.parse.urlsplit(url).query).get("per_page", [""])[0]
    return len(page) >= (int(per_page) if re.fullmatch(r"[0-9]{1,6}", per_page) else _A_PAGE)


def _limit(answer: Answer, resource: str, wall: float) -> Limit | None:
    found = limit_of(answer.status, answer.headers, answer.text if answer.status >= 400 else "", wall)
    return graph_limit(answer, wall) if found is None and resource == "graphql" else found


def _busy(name: str, wait_s: float) -> BusyError:
    return BusyError(f"{name} asks for a pause of {wait_s:.0f} s", wait_s=wait_s, hint="its limit was reached")


def _unreachable(service: Service, error: Exception) -> ForgeError:
    hint = "is there a network, and does the address stand for that forge? It can be tried again at any time"
    return AwayError(f"{service.name} at {service.host} cannot be reached: {error}", hint=hint)


class Meter:
    """Remaining rate limit of each resource; may be used by several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[str, tuple[int, int, float]] = {}

    def note(self, resource: str, headers: Mapping[str, str], *, now: float, wall: float) -> None:
        """Record the rate limit in an answer's headers."""
        found = left_of(headers, wall)
        if found is not None:
            limit, remaining, reset_s = found
            with self._lock:
                self._known[headers.get("x-ratelimit-resource") or resource] = (limit, remaining, now + reset_s)

    def scarcest(self, now: float) -> RateLimit | None:
        """Return the rate limit with the smallest remaining share; None where no limit is known."""
        with self._lock:
            # One that was renewed since is whole, as far as is known.
            known = [
                RateLimit(limit, remaining if now < until else limit, max(0.0, until - now))
                for limit, remaining, until in self._known.values()
            ]
        return min(known, key=lambda limit_: limit_.share, default=None)


class Client:
    """Creates calls, each with a deadline of its own."""

    def __init__(self, service: Service, token: str, *, clock: Clock, pauses: Pauses, timeout_s: float) -> None:
        self.service = service
        self.clock = clock
        self.pauses = pauses
        self.owner = owner_of(service.rest, token)
        self.wire = Wire(service, token, clock)
        self.etags = Etags()
        self.meter = Meter()
        self.random = random.Random()  # noqa: S311 - spreads clients
        self._timeout_s = timeout_s
        self._moved: tuple[str, str] | None = None
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"Client({self.service.rest!r})"

    def call(self) -> Call:
        """Begin a call of one or more requests."""
        return Call(self, self._timeout_s)

    def close(self) -> None:
        """Close the connections."""
        self.wire.close()

    @property
    def moved(self) -> bool:
        """Return whether the forge reported that a requested resource has moved."""
        return self._moved is not None

    def note_move(self, old: str, new: str) -> None:
        """Remember that everything below one path has moved below another."""
        with self._lock:
            self._moved = (old, new)

    def place(self, path: str) -> str:
        """Return the current location of a path."""
        with self._lock:
            if self._moved is None:
                return path
            old, new = self._moved
        below = path.removeprefix(old)
        return new + below if path.startswith(old) and (not below or below[0] in "/?") else path
