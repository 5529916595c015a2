"""Which remotes are GitHub's, and where its API is then."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfreview.api import Location
from selfreview.errors import ForgeError
from selfreview.pullrequest.forges.github.plugin import KEYS, GitHubForge, locate, service_of

APP = Location("github.com", "octo/app")


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/octo/app",
        "https://github.com/octo/app.git",
        "https://github.com/octo/app/",
        "https://github.com:443/octo/app",
        "https://x-access-token:secret@github.com/octo/app.git",
        "HTTPS://GitHub.com/octo/app.git",
        "git@github.com:octo/app.git",
        "git@github.com:octo/app",
        "git@github.com:/octo/app.git",
        "github.com:octo/app",
        "org-42@github.com:octo/app.git",
        "ssh://git@github.com/octo/app.git",
        "ssh://git@github.com:22/octo/app",
        "ssh://git@ssh.github.com:443/octo/app.git",
        "git://github.com/octo/app.git",
    ],
)
def test_remotes_of_github(url: str) -> None:
    assert locate(url, ()) == APP


@pytest.mark.parametrize(
    "url",
    [
        "",
        "/srv/git/octo/app.git",
        "./github.com/octo/app",
        "file:///github.com/octo/app",
        "http://github.com/octo/app",
        "ftp://github.com/octo/app",
        "ext::https://github.com/octo/app",
        "https://github.com.evil.example/octo/app",
        "https://evil.example/github.com/octo/app",
        "https://github.com@evil.example/octo/app",
        "https://evil.example#@github.com/octo/app",
        "https://github.com:8443/octo/app",
        "https://github.com/octo",
        "https://github.com/octo/app/pull/1",
        "https://github.com/octo/..",
        "https://github.com/../app",
        "https://github.com/octo/.git",
        "https://github.com/octo/app?x",
        "https://github.com/octo/a%2Fb",
        "https://github.com/octo/app\n",
        "https://ssh.github.com/octo/app",
        "git@evil.example:octo/app.git",
        "C:\\octo\\app",
        "C:/octo/app",
        "https://github.com/octo/\u0430pp",
    ],
)
def test_anything_else_is_not(url: str) -> None:
    assert locate(url, ()) is None


def test_enterprise_hosts_are_those_that_were_named() -> None:
    hosts = {"ghe.example", "ghe.example:8443"}
    assert locate("https://GHE.example/team/app.git", hosts) == Location("ghe.example", "team/app")
    assert locate("git@ghe.example:team/app.git", hosts) == Location("ghe.example", "team/app")
    assert locate("https://ghe.example:8443/team/app", hosts) == Location("ghe.example:8443", "team/app")
    assert locate("https://other.example/team/app", hosts) is None


_NAME = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,20}", fullmatch=True).filter(lambda name: not name.endswith(".git"))


@given(_NAME, _NAME, st.sampled_from(["", ".git"]))
def test_all_forms_mean_the_same(owner: str, name: str, ending: str) -> None:
    path = f"{owner}/{name}{ending}"
    forms = [f"https://github.com/{path}", f"git@github.com:{path}", f"ssh://git@github.com:22/{path}"]
    assert {locate(form, ()) for form in forms} == {Location("github.com", f"{owner}/{name}")}


@given(st.one_of(st.text(max_size=60), st.text(max_size=40).map("https://github.com/".__add__)))
def test_any_text_is_read(url: str) -> None:
    found = locate(url, ())
    if found is not None:
        assert found.host == "github.com"
        owner, name = found.path.split("/")
        assert not {owner, name} & {"", ".", ".."}
        assert not set(found.path) & set("?#%@:\\ \n")


def test_where_the_api_is() -> None:
    def where(host: str, **environ: str) -> tuple[str, str]:
        service = service_of(host, environ)
        return service.rest, service.graphql

    assert where("github.com") == ("https://api.github.com", "https://api.github.com/graphql")
    assert where("ghe.example") == ("https://ghe.example/api/v3", "https://ghe.example/api/graphql")
    assert where("corp.ghe.com") == ("https://api.corp.ghe.com", "https://api.corp.ghe.com/graphql")
    actions = {
        "GITHUB_SERVER_URL": "https://ghe.example",
        "GITHUB_API_URL": "https://ghe.example:9/api/v3/",
        "GITHUB_GRAPHQL_URL": "https://ghe.example:9/api/graphql",
    }
    assert where("ghe.example", **actions) == ("https://ghe.example:9/api/v3", "https://ghe.example:9/api/graphql")
    assert where("github.com", **actions) == ("https://api.github.com", "https://api.github.com/graphql")
    loopback = "http://127.0.0.1:1234"
    assert where("github.com", GITHUB_API_URL=loopback) == (loopback, f"{loopback}/graphql")
    assert where("github.com", GITHUB_API_URL="https://h/api/v3") == ("https://h/api/v3", "https://h/api/graphql")


@pytest.mark.parametrize("name", ["GITHUB_API_URL", "GITHUB_GRAPHQL_URL"])
@pytest.mark.parametrize("url", ["http://api.github.com", "http://127.0.0.1.evil@evil/x", "ftp://x", "x", "http://["])
def test_no_token_goes_over_a_network_unencrypted(name: str, url: str) -> None:
    with pytest.raises(ForgeError, match=name):
        service_of("github.com", {name: url})


def test_hosts_are_named_by_the_person_alone() -> None:
    (hosts,) = KEYS
    assert hosts.user_only
    assert hosts.check is not None
    assert hosts.check(["ghe.example:8443"]) is None
    assert hosts.check(["https://ghe.example"])
    assert hosts.check([" "])


def test_a_host_that_nobody_named_gets_no_token(config: dict[str, Any]) -> None:
    with pytest.raises(ForgeError, match="not known"):
        GitHubForge().connect(Location("evil.example", "o/r"), config, {"GH_ENTERPRISE_TOKEN": "t"})
