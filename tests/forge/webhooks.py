"""Webhooks of the forge."""

from __future__ import annotations

import hashlib
import hmac
import http.client
import json
import queue
import threading
import uuid
from collections.abc import Callable, Collection
from typing import Any
from urllib.parse import urlencode, urlsplit

from tests.forge.people import User
from tests.forge.render import payloads
from tests.forge.render.links import Links
from tests.forge.repository import Repository
from tests.forge.world import Entity, World

_TIMEOUT_S = 10.0


class Delivery(Entity):
    """A delivery of an event to a webhook, with its attempts.

    Attributes:
        hook: Who is told.
        guid: Stays the same when it is told again.
        event: Such as ``issue_comment``.
        payload: What is told.
        repository: Where it happened.
        statuses: What each attempt was answered with; None where nobody answered.
    """

    prefix = "HD"

    def __init__(self, hook: Webhook, event: str, payload: dict[str, Any], repository: Repository) -> None:
        super().__init__(hook.world)
        self.hook = hook
        self.guid = str(uuid.uuid4())
        self.event = event
        self.payload = payload
        self.repository = repository
        self.statuses: list[int | None] = []

    @property
    def action(self) -> str | None:
        """The action of the event, such as ``created``."""
        return self.payload.get("action")

    def again(self) -> None:
        """Redeliver it, under the same guid."""
        self.hook.post(self)


class Webhook(Entity):
    """A webhook that receives events.

    Attributes:
        url: Where.
        secret: What it is signed with; None signs nothing.
        form: Whether the payload is sent as a form's field instead of as JSON.
        lost: Whether what happens now never arrives, as if nobody were listening.
        post: Has something told.
        deliveries: All that was told, or lost, oldest first.
    """

    prefix = "H"

    def __init__(
        self,
        world: World,
        url: str,
        secret: str | None,
        *,
        events: Collection[str],
        form: bool,
        post: Callable[[Delivery], None],
    ) -> None:
        super().__init__(world)
        self.post = post
        self.url = url
        self.secret = secret
        self.events = frozenset(events)
        self.form = form
        self.lost = False
        self.deliveries: list[Delivery] = []

    def wants(self, event: str) -> bool:
        """Return whether the webhook receives an event; no names are all of them."""
        return not self.events or event in self.events

    def send(self, delivery: Delivery) -> int | None:
        """Send a delivery; return the status, or None where nobody answers."""
        body = json.dumps(delivery.payload).encode("ascii")
        kind = "application/json"
        if self.form:
            body, kind = urlencode({"payload": body}).encode("ascii"), "application/x-www-form-urlencoded"
        headers = {
            "content-type": kind,
            "user-agent": "GitHub-Hookshot/fake",
            "x-github-event": delivery.event,
            "x-github-delivery": delivery.guid,
            "x-github-hook-id": str(self.id),
        }
        if self.secret is not None:
            digest = hmac.new(self.secret.encode(), body, hashlib.sha256).hexdigest()
            headers["x-hub-signature-256"] = f"sha256={digest}"
        where = urlsplit(self.url)
        connection = http.client.HTTPConnection(where.netloc, timeout=_TIMEOUT_S)
        try:
            connection.request("POST", where.path or "/", body, headers)
            return connection.getresponse().status
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()


class Postman:
    """Delivers events to webhooks, in order, on a thread of its own."""

    def __init__(self, world: World, links: Links) -> None:
        self._world = world
        self._links = links
        self._queue: queue.Queue[Delivery | None] = queue.Queue()
        self._thread = threading.Thread(target=self._run, name="fake-forge-webhooks")
        world.listeners.append(self._hear)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Send the waiting deliveries, and end the thread."""
        self._queue.put(None)
        self._thread.join()

    def flush(self) -> None:
        """Wait until all deliveries are sent."""
        self._queue.join()

    def hook(self, url: str, secret: str | None, *, events: Collection[str], form: bool) -> Webhook:
        """Add a webhook."""
        with self._world.lock:
            made = Webhook(self._world, url, secret, events=events, form=form, post=self._queue.put)
            self._world.webhooks.append(made)
            return made

    def _hear(self, event: str, action: str, repository: Repository, by: User | None, about: dict[str, Any]) -> None:
        for hook in self._world.webhooks:
            if hook.wants(event):
                payload = payloads.payload(self._links, action, repository, by, about)
                delivery = Delivery(hook, event, payload, repository)
                hook.deliveries.append(delivery)
                if hook.lost:
                    delivery.statuses.append(None)
                else:
                    self._queue.put(delivery)

    def _run(self) -> None:
        while (delivery := self._queue.get()) is not None:
            delivery.statuses.append(delivery.hook.send(delivery))
            self._queue.task_done()
        self._queue.task_done()
