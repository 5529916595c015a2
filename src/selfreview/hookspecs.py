"""Every hook. A plugin implements any of them with ``@selfreview.api.hookimpl``.

Hooks that *register* are called whenever their things are needed: more than once in a command, and before
``selfreview_configure`` where settings are checked or secrets masked; ``config`` is all they may go by. All others with
a ``config`` are called between ``selfreview_configure`` and ``selfreview_unconfigure``. *Observers* are called plugin
by plugin: one that raises is reported and the rest still run. *Deciders* that raise fail the run. Misspelt hooks are
errors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
    from selfreview.api import (
        Agent,
        Analysis,
        Change,
        ChangedFile,
        CommandRegistry,
        ConfigView,
        Cycle,
        FeedbackItem,
        Fixer,
        Forge,
        Issue,
        IssueStatus,
        Judged,
        KeptPatch,
        Notifier,
        OptionParser,
        Refinement,
        Registry,
        Reporter,
        Result,
        Reviewer,
        Session,
        SessionState,
        TerminalWriter,
        Verdict,
    )

hookspec = pluggy.HookspecMarker("selfreview")


# --- setup ---------------------------------------------------------------------------------------------------------


@hookspec
def selfreview_addhooks(pluginmanager: pluggy.PluginManager) -> None:
    """Add hook specifications of your own with ``pluginmanager.add_hookspecs``; called first. No I/O.

    Raising fails the run.
    """


@hookspec
def selfreview_addoption(parser: OptionParser) -> None:
    """Declare configuration keys with ``parser.add_key``. No I/O. Raising fails the run."""


@hookspec
def selfreview_configure(config: ConfigView) -> None:
    """Set the plugin up, once the configuration is known. I/O is allowed. Raising fails the run.

    Called once for each configuration that a command goes by: a fix cycle has one for the pull request, and one for
    each review of a fix.
    """


@hookspec
def selfreview_unconfigure(config: ConfigView) -> None:
    """Tear down what ``selfreview_configure`` set up; called last, at every end. I/O is allowed.

    Called once for each call of ``selfreview_configure``, even where a plugin raised there. Raising is reported.
    """


# --- registration --------------------------------------------------------------------------------------------------


@hookspec
def selfreview_register_reviewers(registry: Registry[Reviewer], config: ConfigView) -> None:
    """Register reviewers with ``registry.add``. No I/O. Raising fails the run."""


@hookspec
def selfreview_register_agents(registry: Registry[Agent], config: ConfigView) -> None:
    """Register agents with ``registry.add``; each is the reviewer ``agent-NAME``. No I/O. Raising fails the run."""


@hookspec
def selfreview_register_fixers(registry: Registry[Fixer], config: ConfigView) -> None:
    """Register fixers with ``registry.add``. No I/O. Raising fails the run."""


@hookspec
def selfreview_register_reporters(registry: Registry[Reporter], config: ConfigView) -> None:
    """Register output formats with ``registry.add``. No I/O. Raising fails the run."""


@hookspec
def selfreview_register_forges(registry: Registry[Forge], config: ConfigView) -> None:
    """Register forges with ``registry.add``. No I/O. Raising fails the run."""


@hookspec
def selfreview_register_notifiers(registry: Registry[Notifier], config: ConfigView) -> None:
    """Register notifiers with ``registry.add``. No I/O. Raising fails the run."""


@hookspec
def selfreview_register_commands(registry: CommandRegistry) -> None:
    """Register commands of click with ``registry.add``. No I/O. Raising fails the run.

    Called to find a command that selfreview does not have itself, before any configuration is read. Import what a
    command needs inside of it. An entry point named ``command-NAME`` has ``selfreview --help`` list the command
    ``NAME``, and only that plugin loaded where it is run. A name of selfreview's own is not replaced: the person is
    warned.
    """


# --- change --------------------------------------------------------------------------------------------------------


@hookspec(firstresult=True)
def selfreview_ignore_file(file: ChangedFile, config: ConfigView) -> str | None:
    """Return why no reviewer should see a file, or None to leave that to others.

    Called for each changed file, before anything is read of it. No I/O. Raising fails the run.
    """


# --- review --------------------------------------------------------------------------------------------------------


@hookspec
def selfreview_modify_issues(issues: list[Issue], change: Change, config: ConfigView) -> None:
    """Change issues in place: severity, text, status with its reason; or append some.

    Called once, after anchoring and merging of duplicates, before the verdict. What is appended or moved is then placed
    and named as what reviewers report, secrets are hidden, and duplicates are merged anew; ``id``, ``fingerprint`` and
    ``also_reported_by`` are set by the engine. Removing one from the list fails the run. I/O is allowed. Raising fails
    the run.
    """


@hookspec(firstresult=True)
def selfreview_issue_status(issue: Issue, config: ConfigView) -> tuple[IssueStatus, str] | None:
    """Return another status for an open issue with the reason, or None.

    Called once per open issue. No I/O. Raising fails the run.
    """


@hookspec(firstresult=True)
def selfreview_verdict(result: Result, config: ConfigView) -> Verdict | None:
    """Return a stricter verdict, or None. A laxer one is ignored and reported.

    ``NEEDS_WORK`` and ``CRITICAL_ISSUES`` fail the result, whatever ``severity_threshold`` lets pass.
    Called with all that was found, and again where that changes: by checks, and by what a refinement closes. I/O is
    allowed. Raising fails the run.
    """


# --- loop ----------------------------------------------------------------------------------------------------------


@hookspec(firstresult=True)
def selfreview_before_apply(patch: KeptPatch, session: Session, config: ConfigView) -> str | None:
    """Return why a patch must not be applied to the person's tree, or None.

    Called before each that would be. I/O is allowed. Raising fails the run.
    """


@hookspec(firstresult=True)
def selfreview_should_stop(session: Session, result: Result, config: ConfigView) -> str | None:
    """Return why refinement should end, or None; asked before each iteration. I/O is allowed.

    Raising fails the run.
    """


# --- feedback ------------------------------------------------------------------------------------------------------


@hookspec(firstresult=True)
def selfreview_classify_feedback(item: FeedbackItem, config: ConfigView) -> Judged | None:
    """Return what an item means, or None to leave that to others; ``item`` of the answer must be the one given.

    Called for what someone with write access said and nothing mechanical settles, before the model. I/O is allowed.
    Raising fails the run.
    """


@hookspec(firstresult=True)
def selfreview_before_push(cycle: Cycle, config: ConfigView) -> str | None:
    """Return why a fix must not be pushed, or None. The commit exists; a veto leaves it, and calls a person.

    I/O is allowed. Raising fails the run.
    """


# --- events --------------------------------------------------------------------------------------------------------


@hookspec
def selfreview_review_completed(result: Result, config: ConfigView) -> None:
    """Observe a finished review: each within a refinement or a fix cycle, and the result that a run came to.

    I/O is allowed. Raising is reported.
    """


@hookspec
def selfreview_state_changed(session: Session, previous: SessionState, new: SessionState, config: ConfigView) -> None:
    """Observe a move of a session, before what it leads to begins. I/O is allowed. Raising is reported."""


@hookspec
def selfreview_refinement_completed(session: Session, refinement: Refinement, config: ConfigView) -> None:
    """Observe a refinement, after the review of what it led to. I/O is allowed. Raising is reported."""


@hookspec
def selfreview_feedback_received(session: Session, analysis: Analysis, config: ConfigView) -> None:
    """Observe what new feedback was taken to mean, before anything is done about it. I/O is allowed.

    Raising is reported.
    """


@hookspec
def selfreview_ready_for_human(session: Session, summary: str, config: ConfigView) -> None:
    """Observe that people can take over, or must: somebody said so, a pull request was opened for what passed, a fix
    cycle left nothing open, or the loop or a cycle cannot go on.

    I/O is allowed. Raising is reported.
    """


@hookspec
def selfreview_error(error: BaseException, stage: str, config: ConfigView) -> None:
    """Observe an error that ended a command with plugins; ``stage`` says which: ``run``, ``gate``, ``pr fix``, …

    A hook of git is the stage ``hook``. I/O is allowed.

    Raising is reported.
    """


# --- terminal ------------------------------------------------------------------------------------------------------


@hookspec
def selfreview_report_header(config: ConfigView) -> str | list[str] | None:
    """Return lines for the head of the terminal report. I/O is allowed. Raising is reported."""


@hookspec
def selfreview_terminal_summary(terminal: TerminalWriter, result: Result, config: ConfigView) -> None:
    """Write lines at the end of the terminal report. I/O is allowed. Raising is reported."""
