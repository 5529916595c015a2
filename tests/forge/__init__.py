"""A fake GitHub on a loopback port, to test forge clients without a forge.

It keeps state as the real one does, speaks HTTP, and people are its methods::

    from tests.forge import FakeGitHub

    def test_my_client():
        with FakeGitHub() as forge:
            repository = forge.repository("octo/app")
            ann, bob = forge.user("ann"), repository.allow(forge.user("bob"), "write")
            forge.token("t0", repository.allow(ann, "write"))
            pull = repository.pull("feature", author=ann)
            pull.inline(bob, "src/app.py", 3, "Why not `sum`?")
            talk_to(api_url=forge.api_url, token="t0")
            assert pull.threads[0].comments[-1].author is ann

With ``remote`` a repository's branches are those of a bare repository, and what is pushed there moves pull requests and
outdates comments. :meth:`FakeGitHub.fail` and its neighbours make things go wrong, before or after they have had their
effect; ``forge.requests`` is the log. :meth:`FakeGitHub.webhooks_to` has somebody told what happens.
"""

from __future__ import annotations

from tests.forge.checks import CheckRun, Status
from tests.forge.conversation import InlineComment, IssueComment, Review, Thread
from tests.forge.faults import Fault
from tests.forge.labels import Label
from tests.forge.people import Token, User
from tests.forge.pulls import PullRequest
from tests.forge.recorded import ForgeRequest
from tests.forge.repository import Repository
from tests.forge.server import FakeGitHub
from tests.forge.webhooks import Delivery, Webhook

__all__ = [
    "CheckRun",
    "Delivery",
    "FakeGitHub",
    "Fault",
    "ForgeRequest",
    "InlineComment",
    "IssueComment",
    "Label",
    "PullRequest",
    "Repository",
    "Review",
    "Status",
    "Thread",
    "Token",
    "User",
    "Webhook",
]
