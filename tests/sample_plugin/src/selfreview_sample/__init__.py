"""A reviewer with a key of its own, and a reporter: one plugin can bring several things."""

from __future__ import annotations

from selfreview.api import ConfigView, Key, OptionParser, Registry, Reporter, Reviewer, hookimpl
from selfreview_sample.longlines import LongLines
from selfreview_sample.tally import Tally


@hookimpl
def selfreview_addoption(parser: OptionParser) -> None:
    """Declare ``[sample]``."""
    parser.add_key(Key(name="sample.longest", kind="int", default=100, minimum=1, help="Longest line, in characters."))


@hookimpl
def selfreview_register_reviewers(registry: Registry[Reviewer], config: ConfigView) -> None:
    """Register the reviewer."""
    registry.add(LongLines(config["sample.longest"]))


@hookimpl
def selfreview_register_reporters(registry: Registry[Reporter]) -> None:
    """Register the format."""
    registry.add(Tally())
