"""The question on a terminal whether to apply a patch, with the issues that it fixes and its lines."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from selfreview.app.outputs import use_color
from selfreview.app.ui import PatchOffer, Ui
from selfreview.model.wire import display_path
from selfreview.reporters import words
from selfreview.reporters.terminal.code import Paint, patch_lines
from selfreview.reporters.terminal.report import before_question
from selfreview.text.escape import quiet
from selfreview.text.layout import plural

_SHOWN_LINES = 60


def ask_to_apply(offer: PatchOffer, ui: Ui) -> bool:
    """Show the open issues and the patch, and ask: nobody can decide on a patch by its lines alone."""
    color = use_color(offer.color, is_terminal=True)
    issues = before_question(offer.before, offer.context, color=color, width=ui.columns)
    _show(quiet(line) for line in issues)
    passes = "passes" if offer.after.passed else "does not pass"
    ui.note(
        f"A refinement changes {plural(len(offer.files), 'file')}. With it, {words.count_open(offer.after)} "
        f"would remain, and the change {passes} the review."
    )
    lines = list(patch_lines(offer.text, Paint(color)))
    is_short = len(lines) <= _SHOWN_LINES
    if is_short:
        _show(lines)
    else:
        for file in offer.files:
            what = "new" if file.old is None else "removed" if file.new is None else "changed"
            ui.note(f"  {what}: {display_path(file.name)}")
    answers = "y: yes, n: no [y/N]" if is_short else "y: yes, n: no, d: show all of it [y/N/d]"
    while True:
        word = ui.ask(f"Apply it to your tree? {answers}")
        if word in ("y", "yes"):
            return True
        if word == "d":
            _show(lines)
        elif word in (None, "", "n", "no"):
            return False


def _show(lines: Iterable[str]) -> None:
    """Print lines on standard error as they are, for standard output is the report's."""
    sys.stderr.write("".join(f"{line}\n" for line in lines))
