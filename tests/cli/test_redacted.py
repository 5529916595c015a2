"""Nothing secret leaves: not from the change, not from what is shown with it."""

from __future__ import annotations

import base64
import json
import random
import string

from selfreview.testing.messages import MessagesServer
from tests.cli.test_claude import CLEAN
from tests.conftest import Workspace


def _random(alphabet: str, length: int, seed: str) -> str:
    chooser = random.Random(seed)
    return "".join(chooser.choice(alphabet) for _ in range(length))


_MIXED = string.ascii_letters + string.digits
_KEY = base64.b64encode(_random(_MIXED, 600, "pem").encode()).decode()

SECRETS = {
    "aws": "AKIA" + _random("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16, "aws"),
    "github": "ghp_" + _random(_MIXED, 36, "github"),
    "anthropic": "sk-ant-api03-" + _random(_MIXED, 93, "anthropic") + "AA",
    "stripe": "sk_live_" + _random(_MIXED, 24, "stripe"),
    "slack": f"xoxb-{_random(string.digits, 12, 's1')}-{_random(string.digits, 12, 's2')}-{_random(_MIXED, 24, 's3')}",
    "hex": _random("0123456789abcdef", 64, "hex"),
    "password": "correct-Horse7battery!",
}  # fmt: skip
_LINES = [_KEY[i : i + 64] for i in range(0, 512, 64)]
PEM = "\n".join(["-----BEGIN RSA PRIVATE KEY-----", *_LINES, "-----END RSA PRIVATE KEY-----"])


def test_no_request_holds_a_secret(workspace: Workspace) -> None:
    lines = {name: f'{name.upper()}_SECRET = "{value}"' for name, value in SECRETS.items()}
    helper = "def connect(url):\n" + "".join(
        f"    {line.lower().partition('=')[0]}= '{SECRETS[name]}'\n" for name, line in lines.items()
    )
    workspace.commit(
        "start",
        **{
            "helper.py": helper + "    return url\n",
            "AGENTS.md": "Use these:\n\n" + "\n".join(f"- {name} token: `{value}`" for name, value in SECRETS.items()),
            "SPEC.md": f"The database is postgres://admin:{SECRETS['password']}@db.example.net/app.\n",
        },
    )
    workspace.git("branch", "--force", "main")
    workspace.write("settings.py", "\n".join(lines.values()) + f'\nPRIVATE = """{PEM}"""\n')
    workspace.write("use.py", "from helper import connect\n\n\ndef go():\n    return connect('x')\n")
    workspace.write("config.yaml", "\n".join(f"{name}_token: {value}" for name, value in SECRETS.items()) + "\n")
    workspace.write(
        "deploy.sh", "\n".join(f"export {name.upper()}_TOKEN={value}" for name, value in SECRETS.items()) + "\n"
    )
    workspace.commit("rotate " + " ".join(SECRETS.values()))
    with MessagesServer(default=CLEAN) as server:
        ran = workspace.selfreview(
            "run",
            *("--format", "json", "--reviewer", "auto", "--reviewer", "claude", "-o", 'requirements=["SPEC.md"]'),
            ANTHROPIC_BASE_URL=server.base_url,
            ANTHROPIC_API_KEY="sk-test-key",
        )
    assert server.requests, ran
    sent = [json.dumps(request.body) for request in server.requests]
    for text in sent:
        for name, value in SECRETS.items():
            assert value not in text, name
        assert not any(line in text for line in PEM.split("\n")[1:-1])
    assert any("def connect(url)" in text for text in sent)  # the context that held them was sent
    assert any("db.example.net" in text for text in sent)
    reported = {issue["file"] for issue in ran.json["issues"] if issue["reviewer"] == "secrets"}
    assert {"settings.py", "config.yaml", "deploy.sh"} <= reported
    assert not any(value in ran.out for value in SECRETS.values())
