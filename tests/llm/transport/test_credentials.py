"""Where credentials come from."""

from __future__ import annotations

import pytest

from selfreview.llm.transport.client import connect
from selfreview.llm.transport.credentials import find_credentials

FEDERATION = {"ANTHROPIC_IDENTITY_TOKEN": "t", "ANTHROPIC_FEDERATION_RULE_ID": "r", "ANTHROPIC_ORGANIZATION_ID": "o"}


@pytest.mark.parametrize(
    ("provider", "environ", "expected"),
    [
        ("anthropic", {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_AUTH_TOKEN": "t"}, "ANTHROPIC_API_KEY"),
        ("anthropic", {"ANTHROPIC_API_KEY": "", "ANTHROPIC_AUTH_TOKEN": "t"}, "ANTHROPIC_AUTH_TOKEN"),
        ("anthropic", {"ANTHROPIC_PROFILE": "work", **FEDERATION}, "ANTHROPIC_PROFILE"),
        ("anthropic", FEDERATION, "workload identity"),
        ("anthropic", {"ANTHROPIC_IDENTITY_TOKEN": "t"}, None),
        ("anthropic", {"ANTHROPIC_BASE_URL": "http://localhost:1"}, "a server of your own"),
        ("anthropic", {"AWS_ACCESS_KEY_ID": "k"}, None),
        ("bedrock", {"ANTHROPIC_API_KEY": "k"}, None),
        ("bedrock", {"AWS_ACCESS_KEY_ID": "k"}, "AWS_ACCESS_KEY_ID"),
        ("vertex", {"ANTHROPIC_VERTEX_PROJECT_ID": "p"}, None),
        ("vertex", {"ANTHROPIC_VERTEX_PROJECT_ID": "p", "CLOUD_ML_REGION": "eu"}, "ANTHROPIC_VERTEX_PROJECT_ID"),
    ],
)
def test_the_environment_is_searched_in_order(tmp_path, provider, environ, expected):
    assert (
        find_credentials(provider, {"HOME": str(tmp_path), "USERPROFILE": str(tmp_path), **environ}, None) == expected
    )


def test_a_configured_server_needs_none(tmp_path):
    assert find_credentials("anthropic", {"HOME": str(tmp_path)}, "http://localhost:1") == "a server of your own"


@pytest.mark.parametrize(
    ("active", "expected"),
    [(None, "profile default"), ("work\n", "profile work"), ("../default", None), ("gone", None)],
)
def test_a_profile_on_disk_counts_where_it_is_the_active_one(tmp_path, active, expected):
    for name in ("default", "work"):
        path = tmp_path / "configs" / f"{name}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text("{}")
    if active is not None:
        (tmp_path / "active_config").write_text(active)
    assert find_credentials("anthropic", {"ANTHROPIC_CONFIG_DIR": str(tmp_path)}, None) == expected


@pytest.mark.parametrize("provider", ["anthropic", "bedrock"])
def test_a_folder_that_cannot_be_looked_into_holds_none(provider):
    home = "/" + "x" * 5000  # like one of another user: no file system can look there
    assert find_credentials(provider, {"HOME": home, "USERPROFILE": home}, None) is None


@pytest.mark.parametrize("value", ["", " "])
def test_an_address_that_is_set_to_nothing_is_not_set(monkeypatch, value):
    monkeypatch.setenv("ANTHROPIC_BASE_URL", value)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "test-key")
    client = connect("anthropic", None, 5.0)
    assert str(client.base_url).rstrip("/") == "https://api.anthropic.com"
    client.close()
