"""The context made of strings."""

from __future__ import annotations

from selfreview.testing.context import MemoryConfig, MemoryContext


def test_a_configuration_is_taken_as_it_is_or_made_of_a_dictionary() -> None:
    config = MemoryConfig({"mine.level": 2, "mine.rules": ["rules"]}, {"rules/a.yml": b"a"})
    context = MemoryContext({}, config=config)
    assert context.config["mine.level"] == 2
    assert context.config.files("mine.rules", ".yml") == {"rules/a.yml": b"a"}
    assert MemoryContext({}, config={"mine.level": 2}).config["mine.level"] == 2
