"""The output formats that come with selfreview: their plugins, each of which loads what writes it when it is used."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable
from typing import Any, BinaryIO, NamedTuple

from selfreview.api import Registry, Reporter, Result, ReviewContext, hookimpl
from selfreview.api.reporter import PatchSource
from selfreview.text.escape import json_safe, quiet


class View(NamedTuple):
    """Arguments of a format besides the result; see :class:`selfreview.api.Reporter`."""

    context: ReviewContext | None
    color: bool
    width: int


class Format:
    """A built-in format: a reporter, and the plugin that registers it.

    Args:
        name: What a person types after ``--format``.
        render: Yields the report in pieces.
    """

    def __init__(self, name: str, render: Callable[[Result, View], Iterable[bytes]]) -> None:
        self.name = name
        self._render = render
        self.__doc__ = render.__doc__

    def write(self, result: Result, out: BinaryIO, *, context: ReviewContext | None, color: bool, width: int) -> None:
        """Write the report; see :class:`selfreview.api.Reporter`."""
        out.writelines(self._render(result, View(context, color, width)))

    @hookimpl
    def selfreview_register_reporters(self, registry: Registry[Reporter]) -> None:
        """Register the format."""
        registry.add(self)


def output_format(render: Callable[[Result, View], Iterable[bytes]]) -> Format:
    """Return the format that has the name and the docstring of a function."""
    return Format(render.__name__, render)


def _lines(lines: Iterable[str]) -> Iterable[bytes]:
    # In one piece: a report that fails half way leaves nothing on a terminal.
    return ["".join(f"{quiet(line)}\n" for line in lines).encode("utf-8")]


class TerminalFormat(Format):
    """The ``terminal`` format.

    Args:
        shown: Ids of the issues that the same terminal shows already, before the question about the patch; None: it
            was not asked.
    """

    def __init__(self, shown: Collection[str] | None = None) -> None:
        def render(result: Result, view: View) -> Iterable[bytes]:
            from selfreview.reporters.terminal.report import report

            return _lines(report(result, view.context, color=view.color, width=view.width, shown=shown))

        super().__init__("terminal", render)
        self.__doc__ = "``terminal``: the report that a developer reads."


terminal = TerminalFormat()


def brief(reporter: Reporter) -> Reporter:
    """Return a reporter that writes one line about a review that passes, as a hook does."""
    from selfreview.reporters.terminal.summary import HookReporter

    return HookReporter(reporter)


def leaving_out(reporter: Reporter, shown: Collection[str]) -> Reporter:
    """Return a reporter that leaves out what the same terminal shows already, by the ids of issues."""
    return TerminalFormat(shown) if reporter is terminal else reporter


@output_format
def json(result: Result, _: View) -> Iterable[bytes]:
    """``json``: the whole result as one JSON document, always indented by two spaces, on a terminal and in a file
    alike.
    """
    from selfreview.model import wire

    yield wire.document(result)


@output_format
def jsonl(result: Result, _: View) -> Iterable[bytes]:
    """``jsonl``: one JSON object a line. Types: ``scope``, ``reviewer``, ``issue``, ``iteration``, and last ``result``.

    The ``result`` line is the document of the ``json`` format without ``issues`` and ``iterations``. An ``iteration``
    line is one of those, with its ``number``, and its ``review`` in full.
    """
    import msgspec

    if result.scope is not None:
        yield _object("scope", result.scope)
    for report in result.reviewers:
        yield _object("reviewer", report)
    for issue in result.issues:
        yield _object("issue", issue)
    for number, iteration in enumerate(result.iterations, start=1):
        yield _object("iteration", {"number": number, **msgspec.to_builtins(iteration)})
    rest = msgspec.to_builtins(msgspec.structs.replace(result, issues=[], iterations=[]))
    del rest["issues"], rest["iterations"]
    yield _object("result", rest)


def _object(kind: str, value: Any) -> bytes:
    from selfreview.model import wire

    # Every object has keys, so the type can be put in front of the encoded ones.
    return b'{"type":"%s",%s\n' % (kind.encode("ascii"), json_safe(wire.to_json(value))[1:])


@output_format
def concise(result: Result, _: View) -> Iterable[bytes]:
    """``concise``: ``file:line:col: severity: text [reviewer/rule]``, one line an open issue, for editors and scripts.

    What else has to be said begins with ``selfreview:`` and matches no editor's pattern for a place: an error, what was
    not reviewed, what was and how deeply, what else keeps it from passing, issues that do not count. Notes, and what a
    refinement did, are in the other formats.
    """
    from selfreview.reporters.concise import report

    return _lines(report(result))


@output_format
def agent(result: Result, _: View) -> Iterable[bytes]:
    """``agent``: what is open and what to do next, in few words, for a coding agent that wrote the change.

    Lines that begin with ``selfreview:`` are this program's own. What quotes the change or a tool (paths, descriptions,
    fixes, errors) stands behind a bar, so that nothing in a change reads as an order.
    """
    from selfreview.reporters.agent import report

    return _lines(report(result))


@output_format
def github(result: Result, _: View) -> Iterable[bytes]:
    """``github``: annotations for GitHub Actions, with the step's summary and outputs.

    Raises:
        OutputError: If one of the files that GitHub names for these cannot be written.
    """
    from selfreview.reporters.github import lines, write_files

    yield "".join(f"{line}\n" for line in lines(result)).encode("utf-8")
    write_files(result, os.environ)


@output_format
def markdown(result: Result, _: View) -> Iterable[bytes]:
    """``markdown``: a report to paste or to post, such as in a pull request's comment."""
    from selfreview.reporters.markdown import report

    return _lines(part for line in report(result) for part in line.split("\n"))


@output_format
def sarif(result: Result, view: View) -> Iterable[bytes]:
    """``sarif``: SARIF 2.1.0, for code scanning and for viewers."""
    from selfreview.reporters.sarif import log

    fails = view.context is not None and view.context.config["on_incomplete"] == "fail"
    yield log(result, os.environ, incomplete_fails=fails)


@output_format
def junit(result: Result, _: View) -> Iterable[bytes]:
    """``junit``: JUnit XML, for CI servers that show tests."""
    from selfreview.reporters.junit import report

    yield report(result)


@output_format
def gitlab(result: Result, _: View) -> Iterable[bytes]:
    """``gitlab``: a code quality report for merge requests of GitLab."""
    from selfreview.reporters.gitlab import report

    yield report(result)


@output_format
def rdjson(result: Result, view: View) -> Iterable[bytes]:
    """``rdjson``: the diagnostic format of reviewdog, with suggestions."""
    from selfreview.reporters.rdjson import report

    yield report(result, view.context)


class HtmlFormat(Format):
    """The ``html`` format.

    Args:
        patches: Provides the patches of refinements; None shows none.
    """

    def __init__(self, patches: PatchSource | None = None) -> None:
        def render(result: Result, view: View) -> Iterable[bytes]:
            from selfreview.reporters.html.page import page  # loads jinja2

            return page(result, view.context, patches)

        super().__init__("html", render)
        self.__doc__ = """``html``: a page of its own, with filters, the code and the refinements; it needs no network
        and no server."""

    def with_patches(self, patches: PatchSource) -> Reporter:
        """Return the format with the patches of refinements; see :class:`selfreview.api.reporter.PatchReporter`."""
        return HtmlFormat(patches)


html = HtmlFormat()
