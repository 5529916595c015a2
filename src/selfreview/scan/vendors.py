"""Keys without a format of their own, which a provider's name beside them identifies."""

from __future__ import annotations

import re
from typing import NamedTuple

_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"


class Vendor(NamedTuple):
    """Form of the keys of one provider.

    Attributes:
        word: What the name holds, in lower case.
        rule: Stable id, part of what issues are known by.
        title: What it is, for a person.
        pattern: Regular expression of the whole value, read without regard to case.
    """

    word: str
    rule: str
    title: str
    pattern: str


VENDORS = (
    Vendor("adafruit", "adafruit-api-key", "Adafruit IO key", r"[a-z0-9_-]{32}"),
    Vendor("airtable", "airtable-api-key", "Airtable API key", r"[a-z0-9]{17}"),
    Vendor("asana", "asana-client-secret", "Asana client secret", r"[a-z0-9]{32}"),
    Vendor("bitbucket", "bitbucket-client-secret", "Bitbucket client secret", r"[a-z0-9=_-]{64}"),
    Vendor("cloudflare", "cloudflare-global-api-key", "Cloudflare global API key", r"[a-f0-9]{37}"),
    Vendor("cloudflare", "cloudflare-api-key.1", "Cloudflare API token", r"[a-z0-9_-]{40}"),
    Vendor("cohere", "cohere-api-token", "Cohere API token", r"[a-z0-9]{40}"),
    Vendor("coinbase", "coinbase-access-token", "Coinbase access token", r"[a-z0-9_-]{64}"),
    Vendor("confluent", "confluent-access-token", "Confluent access token", r"[a-z0-9]{16}"),
    Vendor("confluent", "confluent-secret-key", "Confluent secret key", r"[a-z0-9]{64}"),
    Vendor("contentful", "contentful-delivery-api-token", "Contentful delivery token", r"[a-z0-9_-]{43}"),
    Vendor("datadog", "datadog-api-key", "Datadog API key", r"[a-f0-9]{32}"),
    Vendor("datadog", "datadog-application-key", "Datadog application key", r"[a-z0-9]{40}"),
    Vendor("deepgram", "deepgram-api-key", "Deepgram API key", r"[a-f0-9]{40}"),
    Vendor("discord", "discord-api-token", "Discord API key", r"[a-f0-9]{64}"),
    Vendor("discord", "discord-client-secret", "Discord client secret", r"[a-z0-9_-]{32}"),
    Vendor("droneci", "droneci-access-token", "Drone CI access token", r"[a-z0-9]{32}"),
    Vendor("dropbox", "dropbox-api-token", "Dropbox API secret", r"[a-z0-9]{15}"),
    Vendor("facebook", "facebook-secret", "Facebook app secret", r"[a-f0-9]{32}"),
    Vendor("fastly", "fastly-api-token", "Fastly API token", r"[a-z0-9_-]{32}"),
    Vendor("finnhub", "finnhub-access-token", "Finnhub access token", r"[a-z0-9]{20}"),
    Vendor("flickr", "flickr-access-token", "Flickr key", r"[a-z0-9]{32}"),
    Vendor("freshbooks", "freshbooks-access-token", "FreshBooks token", r"[a-z0-9]{64}"),
    Vendor("heroku", "heroku-api-key", "Heroku API key", _UUID),
    Vendor("hubspot", "hubspot-api-key", "HubSpot API key", _UUID),
    Vendor("intercom", "intercom-api-key", "Intercom API key", r"[a-z0-9=_-]{60}"),
    Vendor("launchdarkly", "launchdarkly-access-token", "LaunchDarkly access token", r"[a-z0-9=_-]{40}"),
    Vendor("linear", "linear-client-secret", "Linear client secret", r"[a-f0-9]{32}"),
    Vendor("linkedin", "linkedin-client-secret", "LinkedIn client secret", r"[a-z0-9]{16}"),
    Vendor("looker", "looker-client-secret", "Looker client secret", r"[a-z0-9]{24}"),
    Vendor("mailchimp", "mailchimp-api-key", "Mailchimp API key", r"[a-f0-9]{32}-us[0-9]{1,2}"),
    Vendor("mailgun", "mailgun-signing-key", "Mailgun signing key", r"[a-f0-9]{32}-[a-f0-9]{8}-[a-f0-9]{8}"),
    Vendor("mattermost", "mattermost-access-token", "Mattermost access token", r"[a-z0-9]{26}"),
    Vendor("meraki", "cisco-meraki-api-key", "Cisco Meraki API key", r"[a-f0-9]{40}"),
    Vendor("messagebird", "messagebird-api-token", "MessageBird API token", r"[a-z0-9]{25}"),
    Vendor("mistral", "mistral-api-key", "Mistral API key", r"[a-z0-9]{32}"),
    Vendor("netlify", "netlify-access-token", "Netlify access token", r"[a-z0-9=_-]{40,46}"),
    Vendor("okta", "okta-access-token", "Okta API token", r"00[a-z0-9=_-]{40}"),
    Vendor("plaid", "plaid-secret-key", "Plaid secret", r"[a-z0-9]{30}"),
    Vendor("rapidapi", "rapidapi-access-token", "RapidAPI key", r"[a-z0-9_-]{50}"),
    Vendor("sendbird", "sendbird-access-token", "Sendbird API token", r"[a-f0-9]{40}"),
    Vendor("sentry", "sentry-access-token", "Sentry auth token", r"[a-f0-9]{64}"),
    Vendor("snyk", "snyk-api-token", "Snyk API token", _UUID),
    Vendor("squarespace", "squarespace-access-token", "Squarespace API key", _UUID),
    Vendor("sumo", "sumologic-access-token", "Sumo Logic access key", r"[a-z0-9]{64}"),
    Vendor("travis", "travisci-access-token", "Travis CI token", r"[a-z0-9_-]{22}"),
    Vendor("twilio", "twilio-api-key", "Twilio API key", r"SK[a-f0-9]{32}"),
    Vendor("twitch", "twitch-api-token", "Twitch token", r"[a-z0-9]{30}"),
    Vendor("twitter", "twitter-api-key", "X (Twitter) API key", r"[a-z0-9]{25}"),
    Vendor("twitter", "twitter-api-secret", "X (Twitter) API secret", r"[a-z0-9]{50}"),
    Vendor("twitter", "twitter-access-token", "X (Twitter) access token", r"[0-9]{15,25}-[a-z0-9]{20,40}"),
    Vendor("twitter", "twitter-access-secret", "X (Twitter) access token secret", r"[a-z0-9]{45}"),
    Vendor("twitter", "twitter-bearer-token", "X (Twitter) bearer token", r"A{20,22}[a-z0-9%]{80,100}"),
    Vendor("virustotal", "virustotal-api-key.1", "VirusTotal API key", r"[a-f0-9]{64}"),
    Vendor("wandb", "weights-and-biases-api-key", "Weights & Biases API key", r"[a-f0-9]{40}"),
    Vendor("zendesk", "zendesk-secret-key", "Zendesk secret key", r"[a-z0-9]{40}"),
)


def vendor_of(name: str, value: str) -> Vendor | None:
    """Return the provider of a key by its name and its form.

    Args:
        name: The name that it is given, in lower case.
        value: The value.
    """
    for vendor in VENDORS:
        if vendor.word in name and re.fullmatch(vendor.pattern, value, re.IGNORECASE):
            return vendor
    return None
