"""A secret keeps its name, whichever version of the program found it, and with which scanner.

The baseline was written by the program as it was at commit e4346d5, where another scanner looked for secrets. It is
never made anew.
"""

from __future__ import annotations

import random
import shutil
import tomllib
from pathlib import Path

from tests.conftest import Workspace
from tests.secrets import tokens

BASELINE = Path(__file__).with_name("data") / "upgrade" / "secrets-baseline.toml"

FORMER = {
    "bittrex_token": lambda r: tokens.pick(r, tokens.ALNUM.lower(), 32),
    "gitter_token": lambda r: tokens.pick(r, tokens.ALNUM.lower(), 40),
    "beamer_token": lambda r: "b_" + tokens.pick(r, tokens.ALNUM.lower(), 44),
    "nytimes_api_key": lambda r: tokens.pick(r, tokens.ALNUM.lower(), 32),
    "BUNDLE_URL": lambda r: f"https://{tokens.pick(r, tokens.HEX, 8)}:1b7fa90c@gems.contribsys.com/",
}
"""What had rules of its own."""


def stored() -> str:
    """Return a file that holds a secret of every kind, always the same."""
    lines = [f'key = "{make(random.Random(rule))}"' for rule, make in tokens.FORMATS.items()]
    for rule, named in tokens.NAMED.items():
        name, value = named(random.Random(rule))
        lines.append(f'{name} = "{value}"')
    lines += [f'{name} = "{make(random.Random(name))}"' for name, make in FORMER.items()]
    lines += [
        tokens.pem(random.Random(1)),
        "postgres://app:" + tokens.pick(random.Random(2), tokens.ALNUM, 12) + "@db.acme.io/a",
    ]
    lines += ["mongodb+srv://app:" + tokens.pick(random.Random(3), tokens.ALNUM, 12) + "@db.mongodb.net/a"]
    lines += ['curl -H "X-Api-Key: ' + tokens.pick(random.Random(4), tokens.ALNUM, 30) + '" https://acme.io/']
    lines += ["curl -u deploy:" + tokens.pick(random.Random(5), tokens.ALNUM, 16) + " https://acme.io/"]
    return "".join(f"# {number}\n\n{line}\n\n" for number, line in enumerate(lines))


def test_what_a_baseline_knows_of_secrets_is_known_whatever_found_it(workspace: Workspace) -> None:
    workspace.git("switch", "--quiet", "main")
    shutil.copy(BASELINE, workspace.root / "selfreview-baseline.toml")
    workspace.commit("Keep a baseline")
    workspace.git("switch", "--quiet", "--create", "next")
    workspace.write("settings.txt", stored())
    issues = workspace.review("--no-fix", "--reviewer", "secrets", "--fail-on", "low")["issues"]
    known = tomllib.loads(BASELINE.read_text(encoding="utf-8"))
    assert {issue["fingerprint"] for issue in issues if issue["status"] != "baselined"} == set()
    assert len(issues) == len(known) - 1
