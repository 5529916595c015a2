"""Every notifier that comes with selfreview keeps the contract."""

from __future__ import annotations

import pytest

from selfreview.pullrequest.notifiers.apprise import URLS, AppriseNotifier
from selfreview.pullrequest.notifiers.forge import ForgeNotifier
from selfreview.pullrequest.notifiers.mail import PASSWORD, USER, MailNotifier
from selfreview.pullrequest.notifiers.slack import TOKEN, WEBHOOK, SlackNotifier
from selfreview.testing.contracts import NotifierContract
from selfreview.testing.notifying import FakeNotifier


class TestSlackWebhook(NotifierContract):
    secret = "https://hooks.slack.com/services/T0/B0/aBcDeFgHiJkLmNoPqRsTuVwX"
    environ = {WEBHOOK: secret}

    @pytest.fixture
    def notifier(self):
        return SlackNotifier()


class TestSlackBot(TestSlackWebhook):
    secret = "xoxb-1234-aBcDeFgHiJkL"
    environ = {TOKEN: secret}
    config = {"notify.slack.channel": "C0123ABCD"}


class TestMail(NotifierContract):
    secret = "correct horse"
    environ = {USER: "ana", PASSWORD: secret}
    config = {
        "notify.email.host": "smtp.example.org",
        "notify.email.from": "selfreview@example.org",
        "notify.email.to": ["ana@example.org"],
    }

    @pytest.fixture
    def notifier(self):
        return MailNotifier()


@pytest.mark.filterwarnings("ignore:'imghdr' is deprecated:DeprecationWarning")  # the library's own
class TestApprise(NotifierContract):
    secret = "json://ana:s3cr3t@example.org"
    environ = {URLS: secret}

    @pytest.fixture
    def notifier(self):
        return AppriseNotifier()

    def test_a_secret_that_is_none_is_not_repeated(self, notifier) -> None:
        """White space separates addresses, so that nothing in the variable is odd: the network's failures tell."""
        assert self.secret not in (notifier.unavailable(self.configured(notifier), {URLS: f"{self.secret}\n"}) or "")


class TestForge(NotifierContract):
    @pytest.fixture
    def notifier(self):
        return ForgeNotifier()


class TestFake(NotifierContract):
    @pytest.fixture
    def notifier(self):
        return FakeNotifier()
