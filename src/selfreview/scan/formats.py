"""Credential formats that providers document and the embedded scanner passes over.

It reports some only beside a second value (an Azure secret beside its tenant's id), some only beside the provider's
name, and some not at all. Lengths and alphabets are exact, so that nothing else looks like them.
"""

from __future__ import annotations

from typing import NamedTuple

HIGH, MEDIUM, LOW = "high", "medium", "low"

_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"


class Format(NamedTuple):
    """One format that starts with, or holds, literal text.

    Attributes:
        rule: Stable id; the embedded scanner's where it has one.
        title: What it is, for a person.
        marks: Literal texts, one of which every match holds.
        pattern: Regular expression of the whole value; what stands before and after must not continue it.
        offsets: How many characters of the match may stand before the mark.
        confidence: How sure it is.
        entropy: Fewest bits per character.
    """

    rule: str
    title: str
    marks: tuple[str, ...]
    pattern: str
    offsets: tuple[int, ...] = (0,)
    confidence: str = HIGH
    entropy: float = 3.0


FORMATS = (
    # The embedded scanner passes over a key that spells a word of its stop list by chance.
    Format("private-key", "Private key", ("-----BEGIN ",),
           r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[A-Za-z0-9+/=\s:,.()-]{64,12000}?"
           r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"),
    # Cloud providers
    Format("aws-access-token", "AWS access key ID", ("AKIA", "ASIA", "ABIA", "ACCA"),
           r"A(?:[KS]I|BI|CC)A[A-Z2-7]{16}", confidence=MEDIUM),
    Format("aws-session-token", "AWS session token", ("IQoJb3JpZ2lu", "FwoGZXIvYXdz"),
           r"(?:IQoJb3JpZ2lu|FwoGZXIvYXdz)[A-Za-z0-9+/]{100,2000}={0,2}", confidence=MEDIUM),
    Format("amazon-mws-token", "Amazon MWS auth token", ("amzn.mws.",), rf"amzn\.mws\.{_UUID}"),
    Format("amazon-oauth-secret", "Login with Amazon client secret", ("amzn1.oa2-cs.",),
           r"amzn1\.oa2-cs\.v1\.[0-9a-f]{64}"),
    Format("azure-ad-client-secret", "Microsoft Entra (Azure AD) client secret", ("Q~",),
           r"[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}", offsets=(4,)),
    Format("azure-storage-account-key", "Azure storage account key", ("AccountKey=",),
           r"AccountKey=(?P<value>[A-Za-z0-9+/]{86}==)"),
    Format("azure-account-key", "Azure account key", ("+ASt", "+ABa", "+AMC", "ACDb", "APIM"),
           r"[A-Za-z0-9+/]{76}(?:\+A(?:St|Ba|MC)|ACDb|APIM)[A-Za-z0-9+/]{5}[AQgw]==", offsets=(76,)),
    Format("azure-hub-key", "Azure hub or relay key", ("+ASb", "+AEh", "+ARm", "AIoT"),
           r"[A-Za-z0-9+/]{33}(?:\+A(?:Sb|Eh|Rm)|AIoT)[A-P][A-Za-z0-9+/]{5}=", offsets=(33,)),
    Format("azure-function-key", "Azure Functions key", ("AzFu",),
           r"[A-Za-z0-9_-]{44}AzFu[A-Za-z0-9_-]{5}[AQgw]==", offsets=(44,)),
    Format("azure-search-key", "Azure Search key", ("AzSe",), r"[A-Za-z0-9]{42}AzSe[A-D][A-Za-z0-9]{5}", offsets=(42,)),
    Format("azure-devops-token", "Azure DevOps personal access token", ("AZDO",),
           r"[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}", offsets=(76,)),
    Format("gcp-oauth-client-secret", "Google OAuth client secret", ("GOCSPX-",), r"GOCSPX-[A-Za-z0-9_-]{28}"),
    Format("gcp-oauth-access-token", "Google OAuth access token", ("ya29.",), r"ya29\.[A-Za-z0-9_-]{60,400}"),
    Format("alibaba-access-key-id", "Alibaba Cloud access key ID", ("LTAI",),
           r"LTAI[A-Za-z0-9]{20}", confidence=MEDIUM),
    Format("tencent-secret-id", "Tencent Cloud secret ID", ("AKID",),
           r"AKID[A-Za-z0-9]{32}", confidence=MEDIUM, entropy=3.5),
    Format("yandex-api-key", "Yandex Cloud API key", ("AQVN",), r"AQVN[A-Za-z0-9_-]{35,38}"),
    Format("firebase-server-key", "Firebase Cloud Messaging server key", (":APA91b",),
           r"AAAA[A-Za-z0-9_-]{7}:APA91b[A-Za-z0-9_-]{134}", offsets=(11,)),
    # Code and delivery
    Format("bitbucket-app-password", "Bitbucket app password", ("ATBB",), r"ATBB[A-Za-z0-9]{32}", entropy=3.5),
    Format("bitbucket-repository-token", "Bitbucket access token", ("ATCTT3",), r"ATCTT3[A-Za-z0-9_=-]{180,200}"),
    Format("artifactory-api-key", "Artifactory API key", ("AKCp",), r"AKCp[A-Za-z0-9]{69}", entropy=4.0),
    Format("artifactory-reference-token", "Artifactory reference token", ("cmVmd",),
           r"cmVmd[A-Za-z0-9]{59}", entropy=4.0),
    Format("netlify-access-token", "Netlify access token", ("nfp_", "nfc_", "nfo_"), r"nf[pco]_[A-Za-z0-9]{36}"),
    Format("tailscale-key", "Tailscale key", ("tskey-",),
           r"tskey-(?:auth|api|client|oauth|scim|webhook)-[A-Za-z0-9]{8,24}-[A-Za-z0-9]{20,48}"),
    Format("planetscale-api-token", "PlanetScale service token", ("pscale_tkn_",),
           r"pscale_tkn_[A-Za-z0-9=_.-]{32,64}"),
    Format("supabase-secret-key", "Supabase secret key", ("sb_secret_",), r"sb_secret_[A-Za-z0-9_-]{31}"),
    Format("mongodb-atlas-secret", "MongoDB Atlas service account secret", ("mdb_sa_sk_",),
           r"mdb_sa_sk_[A-Za-z0-9_-]{40}"),
    Format("clickhouse-cloud-api-secret-key", "ClickHouse Cloud API secret", ("4b1d",),
           r"4b1d[A-Za-z0-9]{38}", entropy=4.0),
    Format("flyio-access-token", "Fly.io access token", ("fm1r_", "fm1a_", "fm2_"),
           r"fm(?:1[ar]|2)_[A-Za-z0-9+/]{100,800}={0,3}"),
    Format("flyio-access-token", "Fly.io access token", ("fo1_",), r"fo1_[A-Za-z0-9_-]{43}"),
    Format("contentful-management-token", "Contentful management token", ("CFPAT-",), r"CFPAT-[A-Za-z0-9_-]{43}"),
    Format("launchdarkly-sdk-key", "LaunchDarkly server SDK key", ("sdk-",), rf"sdk-{_UUID}", confidence=MEDIUM),
    Format("new-relic-user-api-key", "New Relic user key", ("NRAK-",), r"NRAK-[A-Z0-9]{27}"),
    Format("langfuse-secret-key", "Langfuse secret key", ("sk-lf-",), rf"sk-lf-{_UUID}"),
    Format("bitwarden-access-token", "Bitwarden machine account token", ("0.",),
           rf"0\.{_UUID}\.[A-Za-z0-9]{{30}}:[A-Za-z0-9+/]{{22}}=="),
    Format("openai-api-key", "OpenAI API key", ("sk-proj-", "sk-svcacct-", "sk-admin-"),
           r"sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{20,80}T3BlbkFJ[A-Za-z0-9_-]{20,80}"),
    Format("langsmith-api-key", "LangSmith API key", ("lsv2_",), r"lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}"),
    # Business services
    Format("airtable-personal-token", "Airtable personal access token", ("pat",), r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    Format("asana-personal-token", "Asana personal access token", ("1/", "2/"),
           r"(?:1/[0-9]{15,17}|2/[0-9]{10,17}/[0-9]{10,17}):[0-9a-f]{32}"),
    Format("notion-api-token", "Notion integration token", ("secret_",), r"secret_[A-Za-z0-9]{43}"),
    Format("hubspot-private-app-token", "HubSpot private app token", ("pat-",), rf"pat-(?:na|eu|ap)[0-9]-{_UUID}"),
    Format("salesforce-access-token", "Salesforce session or access token", ("!",),
           r"00D[A-Za-z0-9]{12}![A-Za-z0-9._]{80,130}",
           offsets=(15,)),
    Format("dropbox-access-token", "Dropbox access token", ("sl.",),
           r"sl\.(?:u\.)?[A-Za-z0-9_-]{130,1400}", entropy=4.0),
    Format("resend-api-key", "Resend API key", ("re_",), r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}", entropy=3.5),
    Format("mapbox-secret-token", "Mapbox secret token", ("sk.eyJ",),
           r"sk\.eyJ[A-Za-z0-9_-]{30,120}\.[A-Za-z0-9_-]{22}"),
    Format("facebook-user-token", "Facebook user or page access token", ("EAA",),
           r"EAA[A-Za-z0-9]{120,400}", entropy=4.0),
    Format("discord-webhook-url", "Discord webhook address", ("/api/webhooks/",),
           r"/api/webhooks/[0-9]{17,20}/(?P<value>[A-Za-z0-9_-]{60,80})"),
    Format("twilio-api-key", "Twilio API key", ("SK",), r"SK[0-9a-f]{32}", confidence=LOW),
    # Payments
    Format("square-oauth-secret", "Square OAuth secret", ("sq0csp-",), r"sq0csp-[A-Za-z0-9_-]{43}"),
    Format("square-access-token", "Square access token", ("sq0atp-",), r"sq0atp-[A-Za-z0-9_-]{22}"),
    Format("braintree-access-token", "Braintree access token", ("access_token$production$",),
           r"access_token\$production\$[0-9a-z]{16}\$[0-9a-f]{32}"),
    Format("flutterwave-secret-key", "Flutterwave secret key", ("FLWSECK",), r"FLWSECK-[0-9a-f]{32}-X"),
    Format("stripe-webhook-secret", "Stripe webhook signing secret", ("whsec_",),
           r"whsec_[A-Za-z0-9]{32,48}", entropy=3.5),
)  # fmt: skip
