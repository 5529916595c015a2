"""Options of the commands on one pull request, and what they ask for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import click

from selfreview.app.pr.request import FeedbackRequest
from selfreview.cli import completions
from selfreview.cli.common import current_folder
from selfreview.cli.options import plugin_options


class RequestNumber(click.types.IntParamType):
    """The number of a pull request, with or without ``#``."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number."""
        text = str(value).removeprefix("#")
        if not text.isascii() or not text.isdigit() or not 0 < len(text.lstrip("0")) < 10:
            self.fail(f"{value!r} is not the number of a pull request, such as 5", param, ctx)
        return int(text)


def remote_options(function: Any) -> Any:
    """Add ``--remote``, ``-p`` and ``-o`` to a command about one pull request."""
    words = "The remote that has the pull requests; by default the branch's own, or what that is a fork of."
    return remote_option(words)(plugin_options(function))


def remote_option(words: str) -> Callable[[Any], Any]:
    """Return a decorator that adds ``--remote`` to a command, with its help."""
    return click.option("--remote", metavar="NAME", shell_complete=completions.remotes, help=words)


def request_of(number: int | None, options: Mapping[str, Any], **more: Any) -> FeedbackRequest:
    """Return the request of a command's number and options."""
    given = {name: options[name] for name in ("remote", "fixers", "plugins", "overrides") if name in options}
    return FeedbackRequest(folder=current_folder(), number=number, **given, **more)
