"""Formats of the providers' keys and tokens.

Most have a format of their own, as their providers document it: lengths and alphabets are exact, so that nothing else
looks like them. The others are identified by the provider's name beside them.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from selfreview.secrets.match import HIGH, LOW, MEDIUM, Confidence

PRIVATE_KEY_BEGIN = r"-----BEGIN[ A-Z0-9]{0,40}PRIVATE KEY(?: BLOCK)?-----"
PRIVATE_KEY_END = r"-----END[ A-Z0-9]{0,40}PRIVATE KEY(?: BLOCK)?-----"
"""Regular expressions of the first and the last line of a private key."""

UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"


class Format(NamedTuple):
    """Format that starts with, or holds, literal text.

    Attributes:
        rule: Stable id, part of what issues are known by.
        title: What it is, for a person.
        marks: Literal texts, one of which every match holds.
        pattern: Regular expression of the whole value; what stands before and after must not continue it.
        offsets: How many characters of the match may stand before the mark.
        confidence: How sure it is.
        entropy: Fewest bits per character.
        run: The class of characters of a long part that may hold the marks, too. Amid such a run that led to nothing,
            no further mark is tried: each would read the rest of it again.
    """

    rule: str
    title: str
    marks: tuple[str, ...]
    pattern: str
    offsets: tuple[int, ...] = (0,)
    confidence: Confidence = HIGH
    entropy: float = 3.0
    run: str = ""


def _starts(rule: str, title: str, start: str, rest: str, **more: Any) -> Format:
    """Return a format that starts with a literal text."""
    return Format(rule, title, (start,), re.escape(start) + rest, **more)


FORMATS = (
    Format("private-key", "Private key", ("-----BEGIN ",),
           # Whatever stands before, between and behind its lines (comments, code, escapes), they are runs of base64.
           PRIVATE_KEY_BEGIN + r"(?=(?:[^-]|-(?!----)){0,2000}?[A-Za-z0-9+/]{40})"
           r"(?:[^-]++|-(?!----(?:BEGIN|END) ))*+" + PRIVATE_KEY_END),
    # Cloud providers
    _starts("aws-amazon-bedrock-api-key-long-lived", "Amazon Bedrock API key", "ABSK", r"[A-Za-z0-9+/]{109,269}={0,2}"),
    _starts("aws-amazon-bedrock-api-key-short-lived", "Amazon Bedrock API key",
            "bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t", r"[A-Za-z0-9+/=_-]{20,4000}"),
    _starts("azure-servicebus-connection-string", "Azure Service Bus or Event Hubs key", "SharedAccessKey=",
            r"(?P<value>[A-Za-z0-9+/]{43}=)"),
    _starts("gcp-api-key", "Google API key", "AIza", r"[A-Za-z0-9_-]{35}"),
    _starts("gcp-gemini-api", "Gemini API key", "AQ.Ab8RN6", r"[A-Za-z0-9_-]{40,60}"),
    _starts("gcp-oauth-refresh-token", "Google OAuth refresh token", "1//0", r"[A-Za-z0-9_-]{40,120}", entropy=4.0),
    _starts("yandex-access-token", "Yandex Cloud access token", "t1.",
            r"[A-Za-z0-9_-]{20,300}={0,2}\.[A-Za-z0-9_-]{86}={0,2}"),
    _starts("yandex-aws-access-token", "Yandex Cloud static access key", "YC", r"[A-Za-z0-9_-]{38}",
            confidence=MEDIUM, entropy=4.0),
    _starts("digitalocean-pat", "DigitalOcean personal access token", "dop_v1_", r"[a-f0-9]{64}"),
    _starts("digitalocean-access-token", "DigitalOcean OAuth access token", "doo_v1_", r"[a-f0-9]{64}"),
    _starts("digitalocean-refresh-token", "DigitalOcean OAuth refresh token", "dor_v1_", r"[a-f0-9]{64}"),
    _starts("heroku-api-key-v2", "Heroku API key", "HRKU-AA", r"[A-Za-z0-9_-]{58}"),
    _starts("cloudflare-origin-ca-key", "Cloudflare origin CA key", "v1.0-", r"[a-f0-9]{24}-[a-f0-9]{146}"),
    _starts("scalingo-api-token", "Scalingo API token", "tk-us-", r"[A-Za-z0-9_-]{48}"),
    Format("vercel-api-token", "Vercel token", ("vcp_", "vci_", "vca_", "vcr_", "vck_"),
           r"vc[piacrk]_[A-Za-z0-9]{24,60}"),
    _starts("render-api-key", "Render API key", "rnd_", r"[A-Za-z0-9]{28,32}", entropy=3.5),
    _starts("deno-account-token", "Deno access token", "ddp_", r"[A-Za-z0-9]{36}"),
    _starts("pulumi-api-token", "Pulumi access token", "pul-", r"[a-f0-9]{40}"),
    _starts("hashicorp-vault-recovery-token", "Vault recovery token", "hvr.", r"[A-Za-z0-9_-]{90,300}"),
    _starts("vault-service-token", "Vault service token", "hvs.", r"[A-Za-z0-9_-]{24,300}"),
    _starts("vault-service-token", "Vault service token", "s.", r"(?=[A-Za-z]{0,23}[0-9])[A-Za-z0-9]{24}", entropy=3.5),
    _starts("vault-batch-token", "Vault batch token", "hvb.", r"[A-Za-z0-9_-]{138,300}"),
    Format("hashicorp-tf-api-token", "Terraform Cloud API token", (".atlasv1.",),
           r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,70}", offsets=(14,)),
    Format("doppler-api-token", "Doppler token", ("dp.pt.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."),
           r"dp\.(?:pt|ct|sa|scim|audit)\.[A-Za-z0-9]{40,44}"),
    _starts("doppler-api-token", "Doppler service token", "dp.st.", r"(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}"),
    _starts("databricks-api-token", "Databricks access token", "dapi", r"[a-f0-9]{32}(?:-[0-9])?"),
    _starts("datastax-astra-application-token", "DataStax Astra token", "AstraCS:", r"[A-Za-z0-9]{24}:[a-f0-9]{64}"),
    _starts("cockroachlabs-cloud-api-key", "CockroachDB Cloud API key", "CCDB1_", r"[A-Za-z0-9]{22}_[A-Za-z0-9]{40}"),
    _starts("planetscale-oauth-token", "PlanetScale OAuth token", "pscale_oauth_", r"[A-Za-z0-9=_.-]{32,64}"),
    _starts("planetscale-password", "PlanetScale password", "pscale_pw_", r"[A-Za-z0-9=_.-]{32,64}"),
    _starts("supabase-management-token", "Supabase access token", "sbp_", r"[a-f0-9]{40}"),
    _starts("openshift-user-token", "OpenShift user token", "sha256~", r"[A-Za-z0-9_-]{43}"),
    _starts("docker-swarm-join-token", "Docker Swarm join token", "SWMTKN-1-", r"[a-z0-9]{50}-[a-z0-9]{25}"),
    _starts("docker-swarm-unlock-key", "Docker Swarm unlock key", "SWMKEY-1-", r"[A-Za-z0-9+/]{43}"),
    _starts("defined-networking-api-token", "Defined Networking API token", "dnkey-",
            r"[A-Za-z0-9=_-]{26}-[A-Za-z0-9=_-]{52}"),
    _starts("grafana-api-key", "Grafana API key", "eyJrIjoi", r"[A-Za-z0-9+/]{70,400}={0,3}"),
    _starts("grafana-cloud-api-token", "Grafana Cloud token", "glc_", r"[A-Za-z0-9+/]{32,400}={0,3}"),
    _starts("grafana-service-account-token", "Grafana service account token", "glsa_",
            r"[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}"),
    Format("dynatrace-api-token", "Dynatrace token", ("dt0c01.", "dt0s01.", "dt0s16.", "dt0e01."),
           r"dt0(?:c01|s01|s16|e01)\.[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    _starts("new-relic-insert-key", "New Relic insert key", "NRII-", r"[A-Za-z0-9-]{32}"),
    _starts("sentry-org-token", "Sentry organization token", "sntrys_eyJ", r"[A-Za-z0-9+/=_]{100,800}"),
    _starts("sentry-user-token", "Sentry user token", "sntryu_", r"[a-f0-9]{64}"),
    _starts("okta-access-token", "Okta API token", "SSWS ", r"(?P<value>00[A-Za-z0-9_-]{40})"),
    Format("aws-access-token", "AWS access key ID", ("AKIA", "ASIA", "ABIA", "ACCA"),
           r"A(?:[KS]I|BI|CC)A[A-Z2-7]{16}", confidence=MEDIUM),
    Format("aws-session-token", "AWS session token", ("IQoJb3JpZ2lu", "FwoGZXIvYXdz"),
           r"(?:IQoJb3JpZ2lu|FwoGZXIvYXdz)[A-Za-z0-9+/]{100,2000}={0,2}", confidence=MEDIUM, run=r"[A-Za-z0-9+/]"),
    Format("amazon-mws-token", "Amazon MWS auth token", ("amzn.mws.",), rf"amzn\.mws\.{UUID}"),
    Format("amazon-oauth-secret", "Login with Amazon client secret", ("amzn1.oa2-cs.",),
           r"amzn1\.oa2-cs\.v1\.[0-9a-f]{64}"),
    Format("azure-ad-client-secret", "Microsoft Entra (Azure AD) client secret", ("Q~",),
           r"(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}", offsets=(4,)),
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
    _starts("github-pat", "GitHub Personal Access Token", "ghp_", r"[A-Za-z0-9]{36}"),
    _starts("github-fine-grained-pat", "GitHub fine-grained personal access token", "github_pat_", r"\w{82}"),
    _starts("github-oauth", "GitHub OAuth access token", "gho_", r"[A-Za-z0-9]{36}"),
    Format("github-app-token", "GitHub App token", ("ghu_", "ghs_"),
           r"gh[us]_(?:[A-Za-z0-9]{36,255}|[0-9]{1,20}_eyJ[A-Za-z0-9_.-]{100,1000})"),
    _starts("github-refresh-token", "GitHub refresh token", "ghr_", r"[A-Za-z0-9]{36,76}"),
    Format("gitlab-pat-routable", "GitLab personal access token", ("glpat-",),
           r"glpat-[A-Za-z0-9_-]{27,300}\.(?:[a-z0-9]{2}\.)?[a-z0-9]{9}"),
    _starts("gitlab-pat", "GitLab personal access token", "glpat-", r"[A-Za-z0-9_-]{20}"),
    _starts("gitlab-deploy-token", "GitLab deploy token", "gldt-", r"[A-Za-z0-9_-]{20}"),
    _starts("gitlab-cicd-job-token", "GitLab CI job token", "glcbt-", r"[a-f0-9]{1,5}_[A-Za-z0-9_-]{20,300}"),
    _starts("gitlab-feed-token", "GitLab feed token", "glft-", r"[A-Za-z0-9_-]{20}"),
    _starts("gitlab-incoming-mail-token", "GitLab incoming mail token", "glimt-", r"[A-Za-z0-9_-]{25}"),
    _starts("gitlab-kubernetes-agent-token", "GitLab Kubernetes agent token", "glagent-", r"[A-Za-z0-9_-]{50}"),
    _starts("gitlab-oauth-app-secret", "GitLab OAuth application secret", "gloas-", r"[A-Za-z0-9_-]{64}"),
    _starts("gitlab-ptt", "GitLab pipeline trigger token", "glptt-", r"[A-Za-z0-9_-]{40}"),
    _starts("gitlab-rrt", "GitLab runner registration token", "GR1348941", r"[A-Za-z0-9_-]{20}", entropy=3.5),
    _starts("gitlab-runner-authentication-token-routable", "GitLab runner authentication token", "glrt-",
            r"t[0-9]_[A-Za-z0-9_-]{27,300}\.[a-z0-9]{2}\.?[a-z0-9]{7}"),
    _starts("gitlab-runner-authentication-token", "GitLab runner authentication token", "glrt-",
            r"(?:t[0-9]_)?[A-Za-z0-9_-]{20}"),
    _starts("gitlab-scim-token", "GitLab SCIM token", "glsoat-", r"[A-Za-z0-9_-]{20}"),
    _starts("gitlab-session-cookie", "GitLab session cookie", "_gitlab_session=", r"(?P<value>[a-f0-9]{32})"),
    _starts("bitbucket-data-center-token", "Bitbucket Data Center token", "BBDC-", r"[A-Za-z0-9+/@_-]{40,50}"),
    _starts("atlassian-api-token", "Atlassian API token", "ATATT3", r"[A-Za-z0-9_=-]{186}"),
    _starts("npm-access-token", "npm access token", "npm_", r"[A-Za-z0-9]{36}"),
    Format("pypi-upload-token", "PyPI upload token", ("pypi-AgEIcHlwaS5vcmc", "pypi-AgENdGVzdC5weXBpLm9yZw"),
           r"pypi-Ag(?:EIcHlwaS5vcmc|ENdGVzdC5weXBpLm9yZw)[A-Za-z0-9_-]{50,1000}"),
    _starts("rubygems-api-token", "RubyGems API token", "rubygems_", r"[a-f0-9]{48}"),
    _starts("crates-io-api-key", "crates.io API token", "cio", r"[A-Za-z0-9]{32}", entropy=4.0),
    _starts("clojars-api-token", "Clojars deploy token", "CLOJARS_", r"[A-Za-z0-9]{60}"),
    _starts("nuget-api-key", "NuGet API key", "oy2", r"[a-z0-9]{43}", entropy=4.0),
    _starts("dockerhub-personal-access-token", "Docker Hub personal access token", "dckr_pat_", r"[A-Za-z0-9_-]{27}"),
    _starts("dockerhub-organization-access-token", "Docker Hub organization access token", "dckr_oat_",
            r"[A-Za-z0-9_-]{32}"),
    _starts("circleci-personal-token", "CircleCI personal token", "CCIPAT_", r"[A-Za-z0-9]{22}_[a-f0-9]{40}"),
    _starts("circleci-project-token", "CircleCI project token", "CCIPRJ_", r"[A-Za-z0-9]{22}_[a-f0-9]{40}"),
    _starts("buildkite-user-access-token", "Buildkite API token", "bkua_", r"[a-z0-9]{40}"),
    Format("harness-api-key", "Harness API key", ("pat.", "sat."),
           r"[ps]at\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}"),
    _starts("octopus-deploy-api-key", "Octopus Deploy API key", "API-", r"[A-Z0-9]{26,27}",
            confidence=MEDIUM, entropy=3.5),
    Format("sonar-api-token", "SonarQube token", ("squ_", "sqp_", "sqa_"), r"sq[upa]_[A-Fa-f0-9]{40}"),
    Format("sourcegraph-access-token", "Sourcegraph access token", ("sgp_",),
           r"sgp_(?:(?:[A-Fa-f0-9]{16}|local)_)?[A-Fa-f0-9]{40}"),
    Format("prefect-api-token", "Prefect API key", ("pnu_", "pnb_"), r"pn[ub]_[A-Za-z0-9]{36}"),
    Format("infracost-api-token", "Infracost API key", ("ico-",), r"(?<!\.)ico-[A-Za-z0-9]{32}", entropy=3.5),
    _starts("postman-api-token", "Postman API key", "PMAK-", r"[a-f0-9]{24}-[a-f0-9]{34}"),
    _starts("readme-api-token", "ReadMe API key", "rdme_", r"[a-z0-9]{70}"),
    _starts("1password-service-account-token", "1Password service account token", "ops_eyJ",
            r"[A-Za-z0-9+/_-]{200,4000}={0,3}", run=r"[A-Za-z0-9+/_-]"),
    _starts("1password-secret-key", "1Password Secret Key", "A3-",
            r"[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}", entropy=3.8),
    _starts("age-secret-key", "age secret key", "AGE-SECRET-KEY-1", r"[AC-HJ-NP-Z02-9]{58}"),
    # Models
    _starts("anthropic-api-key", "Anthropic API key", "sk-ant-api03-", r"[A-Za-z0-9_-]{93}AA"),
    _starts("anthropic-admin-api-key", "Anthropic admin API key", "sk-ant-admin01-", r"[A-Za-z0-9_-]{93}AA"),
    _starts("anthropic-oauth-token", "Anthropic OAuth token", "sk-ant-oat01-", r"[A-Za-z0-9_-]{93}AA"),
    _starts("openrouter-api-key", "OpenRouter API key", "sk-or-v1-", r"[a-f0-9]{64}"),
    _starts("huggingface-access-token", "Hugging Face access token", "hf_", r"[A-Za-z]{34}", entropy=3.5),
    _starts("huggingface-organization-api-token", "Hugging Face organization token", "api_org_",
            r"[A-Za-z]{34}", entropy=3.5),
    _starts("groq-api-key", "Groq API key", "gsk_", r"[A-Za-z0-9]{52}"),
    _starts("xai-api-key", "xAI API key", "xai-", r"[A-Za-z0-9]{80}"),
    _starts("perplexity-api-key", "Perplexity API key", "pplx-", r"[A-Za-z0-9]{48}"),
    _starts("replicate-api-token", "Replicate API token", "r8_", r"[A-Za-z0-9]{37}"),
    _starts("cerebras-api-key", "Cerebras API key", "csk-", r"[a-z0-9]{48}"),
    _starts("nvidia-api-key", "NVIDIA API key", "nvapi-", r"[A-Za-z0-9_-]{60,70}"),
    _starts("togetherai-api-key", "Together AI API key", "tgp_v1_", r"[A-Za-z0-9_-]{43}"),
    _starts("llama-cloud-api-key.1", "LlamaCloud API key", "llx-", r"[A-Za-z0-9]{48}"),
    _starts("pinecone-api-key.2", "Pinecone API key", "pcsk_", r"[A-Za-z0-9]{5,6}_[A-Za-z0-9]{63}"),
    _starts("elevenlabs-api-key", "ElevenLabs API key", "sk_", r"[a-f0-9]{48}"),
    _starts("apify-api-token", "Apify API token", "apify_api_", r"[A-Za-z0-9]{36}"),
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
    Format("launchdarkly-sdk-key", "LaunchDarkly server SDK key", ("sdk-",), rf"sdk-{UUID}", confidence=MEDIUM),
    Format("new-relic-user-api-key", "New Relic user key", ("NRAK-",), r"NRAK-[A-Z0-9]{27}"),
    Format("langfuse-secret-key", "Langfuse secret key", ("sk-lf-",), rf"sk-lf-{UUID}"),
    Format("bitwarden-access-token", "Bitwarden machine account token", ("0.",),
           rf"0\.{UUID}\.[A-Za-z0-9]{{30}}:[A-Za-z0-9+/]{{22}}=="),
    Format("openai-api-key", "OpenAI API key", ("sk-",),
           r"sk-(?:[a-zA-Z]{2,10}-)?[A-Za-z0-9_-]{20,80}T3BlbkFJ[A-Za-z0-9_-]{20,80}"),
    _starts("langchain-langsmith-personal-access-token", "LangSmith personal access token", "lsv2_pt_",
            r"[0-9a-f]{32}_[0-9a-f]{10}"),
    _starts("langchain-langsmith-service-key", "LangSmith service key", "lsv2_sk_", r"[0-9a-f]{32}_[0-9a-f]{10}"),
    # Business services
    Format("slack-bot-token", "Slack bot token", ("xoxb-",), r"xoxb-[0-9]{10,13}-[0-9]{10,13}[A-Za-z0-9-]{0,64}"),
    Format("slack-legacy-bot-token", "Slack bot token", ("xoxb-",), r"xoxb-[0-9]{8,14}-[A-Za-z0-9]{18,26}"),
    Format("slack-user-token", "Slack user token", ("xoxp-", "xoxe-"),
           r"xox[pe](?:-[0-9]{10,13}){3}-[A-Za-z0-9-]{28,34}"),
    Format("slack-legacy-token", "Slack token", ("xoxo-", "xoxs-"), r"xox[os]-(?:[0-9]{1,20}-){3}[A-Fa-f0-9]{1,64}"),
    Format("slack-legacy-workspace-token", "Slack workspace token", ("xoxa-", "xoxr-"),
           r"xox[ar]-(?:[0-9]-)?[A-Za-z0-9]{8,48}"),
    _starts("slack-app-token", "Slack app token", "xapp-", r"[0-9]-[A-Z0-9]{1,20}-[0-9]{1,20}-[a-z0-9]{20,80}"),
    Format("slack-config-access-token", "Slack configuration access token", ("xoxe.",),
           r"xoxe\.xox[bp]-[0-9]-[A-Za-z0-9]{100,250}"),
    _starts("slack-config-refresh-token", "Slack configuration refresh token", "xoxe-", r"[0-9]-[A-Za-z0-9]{100,250}"),
    Format("slack-session-token", "Slack session token", ("xoxc-",),
           r"xoxc-[0-9]{10,13}-[0-9]{10,13}-[0-9]{10,13}-[a-f0-9]{64}"),
    Format("slack-webhook-url", "Slack webhook address", ("hooks.slack.com/",),
           r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/]{43,80}"),
    Format("microsoft-teams-webhook", "Microsoft Teams webhook address", ("webhook.office.com/webhookb2/",),
           rf"webhook\.office\.com/webhookb2/{UUID}@{UUID}/IncomingWebhook/[a-z0-9]{{32}}/{UUID}"),
    Format("telegram-bot-api-token", "Telegram bot token", (":A",), r"[0-9]{8,10}:A[A-Za-z0-9_-]{34}", (8, 9, 10)),
    _starts("notion-api-token", "Notion integration token", "ntn_", r"[0-9]{11}[A-Za-z0-9]{35}"),
    _starts("linear-api-key", "Linear API key", "lin_api_", r"[A-Za-z0-9]{40}"),
    _starts("clickup-personal-api-token", "ClickUp API token", "pk_", r"[0-9]{5,12}_[A-Z0-9]{32}"),
    _starts("klaviyo-api-key", "Klaviyo API key", "pk_", r"[a-f0-9]{34}"),
    _starts("figma-personal-access-token", "Figma personal access token", "figd_", r"[A-Za-z0-9_-]{38,48}"),
    _starts("frameio-api-token", "Frame.io API token", "fio-u-", r"[A-Za-z0-9_=-]{64}"),
    _starts("typeform-api-token", "Typeform API token", "tfp_", r"[A-Za-z0-9_.=-]{59}"),
    _starts("posthog-personal-api-key", "PostHog personal API key", "phx_", r"[A-Za-z0-9]{43,50}"),
    _starts("sendgrid-api-token", "SendGrid API key", "SG.", r"[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}"),
    Format("sendinblue-api-token", "Brevo API key", ("xkeysib-", "xsmtpsib-"),
           r"x(?:key|smtp)sib-[a-f0-9]{64}-[A-Za-z0-9]{16}"),
    _starts("mailgun-private-api-token", "Mailgun private API key", "key-", r"[a-f0-9]{32}"),
    _starts("mailersend-api-token", "MailerSend API token", "mlsn.", r"[a-f0-9]{64}"),
    Format("facebook-access-token", "Facebook app access token", ("|",),
           r"[0-9]{15,16}\|[A-Za-z0-9_-]{27}", (15, 16), entropy=3.5),
    Format("intra42-client-secret", "42 API client secret", ("s-s4t2",), r"s-s4t2(?:ud|af)-[a-f0-9]{64}"),
    _starts("adobe-client-secret", "Adobe client secret", "p8e-", r"[A-Za-z0-9]{32}", entropy=3.5),
    _starts("shopify-access-token", "Shopify access token", "shpat_", r"[A-Fa-f0-9]{32}"),
    _starts("shopify-custom-access-token", "Shopify custom app access token", "shpca_", r"[A-Fa-f0-9]{32}"),
    _starts("shopify-private-app-access-token", "Shopify private app access token", "shppa_", r"[A-Fa-f0-9]{32}"),
    _starts("shopify-shared-secret", "Shopify shared secret", "shpss_", r"[A-Fa-f0-9]{32}"),
    Format("shippo-api-token", "Shippo API token", ("shippo_",), r"shippo_(?:live|test)_[a-f0-9]{40}"),
    _starts("easypost-api-token", "EasyPost API key", "EZAK", r"[A-Za-z0-9]{54}"),
    _starts("easypost-test-api-token", "EasyPost test API key", "EZTK", r"[A-Za-z0-9]{54}", confidence=MEDIUM),
    Format("duffel-api-token", "Duffel API token", ("duffel_",), r"duffel_(?:test|live)_[A-Za-z0-9_=-]{43}"),
    _starts("settlemint-application-access-token", "SettleMint application token", "sm_aat_", r"[A-Za-z0-9]{16}"),
    _starts("settlemint-personal-access-token", "SettleMint personal token", "sm_pat_", r"[A-Za-z0-9]{16}"),
    _starts("settlemint-service-access-token", "SettleMint service token", "sm_sat_", r"[A-Za-z0-9]{16}"),
    Format("jwt", "JSON Web Token", ("eyJ",),
           r"eyJ[A-Za-z0-9_-]{14,2000}\.eyJ[A-Za-z0-9_/\\-]{14,4000}\.(?:[A-Za-z0-9_/\\-]{10,2000}={0,2})?",
           run=r"[A-Za-z0-9_-]"),
    Format("jwt-base64", "JSON Web Token in base64", ("ZXlKaGJHY2lPaU", "ZXlKMGVYQWlPaU", "ZXlKcmFXUWlPaU"),
           r"(?:ZXlKaGJHY2lPaU|ZXlKMGVYQWlPaU|ZXlKcmFXUWlPaU)[A-Za-z0-9+/]{45,6000}={0,2}", confidence=MEDIUM,
           run=r"[A-Za-z0-9+/]"),
    Format("airtable-personal-token", "Airtable personal access token", ("pat",), r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    Format("asana-personal-token", "Asana personal access token", ("1/", "2/"),
           r"(?:1/[0-9]{15,17}|2/[0-9]{10,17}/[0-9]{10,17}):[0-9a-f]{32}"),
    Format("notion-api-token", "Notion integration token", ("secret_",), r"secret_[A-Za-z0-9]{43}"),
    Format("hubspot-private-app-token", "HubSpot private app token", ("pat-",), rf"pat-(?:na|eu|ap)[0-9]-{UUID}"),
    Format("salesforce-access-token", "Salesforce session or access token", ("!",),
           r"00D[A-Za-z0-9]{12}![A-Za-z0-9._]{80,130}",
           offsets=(15,)),
    Format("dropbox-access-token", "Dropbox access token", ("sl.",),
           r"sl\.(?:u\.)?[A-Za-z0-9_-]{130,1400}", entropy=4.0),
    Format("resend-api-key", "Resend API key", ("re_",), r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}", entropy=3.5),
    Format("mapbox-secret-token", "Mapbox secret token", ("sk.eyJ",),
           r"sk\.eyJ[A-Za-z0-9_-]{30,120}\.[A-Za-z0-9_-]{22}"),
    Format("facebook-page-access-token", "Facebook page access token", ("EAAM", "EAAC"), r"EAA[MC][A-Za-z0-9]{100,400}",
           entropy=4.0),
    _starts("facebook-user-token", "Facebook user access token", "EAA",
            r"[ABD-LN-Za-z0-9][A-Za-z0-9]{120,400}", entropy=4.0),
    Format("discord-webhook-url", "Discord webhook address", ("/api/webhooks/",),
           r"/api/webhooks/[0-9]{17,20}/(?P<value>[A-Za-z0-9_-]{60,80})"),
    Format("twilio-api-key", "Twilio API key", ("SK",), r"SK[0-9a-f]{32}", confidence=LOW),
    # Payments
    Format("stripe-access-token", "Stripe secret key",
           ("sk_live_", "rk_live_", "sk_test_", "rk_test_", "sk_prod_", "rk_prod_"),
           r"[sr]k_(?:live|test|prod)_[A-Za-z0-9]{10,120}"),
    _starts("square-access-token", "Square access token", "EAAA", r"[A-Za-z0-9_-]{60}", entropy=4.0),
    _starts("flutterwave-encryption-key", "Flutterwave test encryption key", "FLWSECK_TEST",
            r"-?[A-Za-z0-9]{12}", confidence=MEDIUM),
    Format("paddle-live-api-key", "Paddle API key", ("pdl_live_",),
           r"pdl_live_apikey_[a-z0-9]{26}_[A-Za-z0-9]{22}_[A-Za-z0-9]{3}"),
    Format("plaid-api-token", "Plaid access token", ("access-",),
           rf"access-(?:sandbox|development|production)-{UUID}"),
    Format("lob-api-key", "Lob API key", ("live_", "test_"), r"(?:live|test)_[a-f0-9]{35}"),
    Format("square-oauth-secret", "Square OAuth secret", ("sq0csp-",), r"sq0csp-[A-Za-z0-9_-]{43}"),
    Format("square-access-token", "Square access token", ("sq0atp-",), r"sq0atp-[A-Za-z0-9_-]{22,60}"),
    Format("braintree-access-token", "Braintree access token", ("access_token$production$",),
           r"access_token\$production\$[0-9a-z]{16}\$[0-9a-f]{32}"),
    Format("flutterwave-secret-key", "Flutterwave secret key", ("FLWSECK",), r"FLWSECK(?:_TEST)?-[a-z0-9]{32}-X"),
    Format("stripe-webhook-secret", "Stripe webhook signing secret", ("whsec_",),
           r"whsec_[A-Za-z0-9]{32,48}", entropy=3.5),
)  # fmt: skip


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
    Vendor("heroku", "heroku-api-key", "Heroku API key", UUID),
    Vendor("hubspot", "hubspot-api-key", "HubSpot API key", UUID),
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
    Vendor("snyk", "snyk-api-token", "Snyk API token", UUID),
    Vendor("squarespace", "squarespace-access-token", "Squarespace API key", UUID),
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
