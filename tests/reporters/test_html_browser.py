"""The page in a real browser: it is inert, works by keyboard, and can be read by everyone."""

from __future__ import annotations

import importlib.util
import re
import shutil
from pathlib import Path

import pytest
from msgspec import structs

from selfreview.api import IssueStatus, Severity, Side
from selfreview.api.reporter import PatchText
from selfreview.model.issue import Edit
from selfreview.model.result import ResultStatus
from selfreview.reporters import formats

from .builders import issue, ran, render, result
from .samples import CONTEXT, SAMPLES
from .test_hostile import BAD, context_of, outcome_of

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATCH = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n"
MARKUP = (
    "</style></title></script></h4><script>alert(1)</script><img src=//x.test/a onerror=alert(1)><svg/onload=alert(1)>"
    "\" autofocus onfocus=alert(1) x='<base href=//x.test><meta http-equiv=refresh content=0;url=//x.test>"
    "<form id=filters><input name=q><!-- {{ 7*7 }} javascript:alert(1)"
)
EDIT = Edit(line_start=10, column_start=10, line_end=10, column_end=17, replacement="rows=None")
ALL = structs.replace(
    SAMPLES["refined"],
    status=ResultStatus.INCOMPLETE,
    issues=[*SAMPLES["needs_work"].issues, issue(line=10, edits=[EDIT], description="As an edit.\nAnd more.")],
    coverage=SAMPLES["needs_work"].coverage,
    reviewers=[*SAMPLES["needs_work"].reviewers, *SAMPLES["incomplete"].reviewers],
)
"""Every part that a page can have."""

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium"),
    pytest.mark.skipif(importlib.util.find_spec("playwright") is None, reason="there is no playwright"),
]


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield started
        started.close()


@pytest.fixture
def show(browser, tmp_path):
    """Open a result's page; whatever it asks for, says or complains of afterwards fails the test."""
    contexts, told = [], []

    def opened(outcome, context=CONTEXT, fragment="", **options):
        file = tmp_path / "page.html"
        reporter = formats.html.with_patches(lambda _: PatchText(PATCH, ""))
        file.write_text(render(reporter, outcome, context), "utf-8")
        contexts.append(browser.new_context(**options))
        page = contexts[-1].new_page()
        page.set_default_timeout(4000)
        page.on("console", lambda message: told.append(message.text))
        page.on("pageerror", lambda error: told.append(str(error)))
        page.on("dialog", lambda dialog: (told.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda request: told.append(request.url) if request.url != file.as_uri() else None)
        page.goto(file.as_uri() + fragment)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert told == []


def visible_issues(page):
    return page.locator(".issue:visible h4").all_inner_texts()


def tab_to(page, target, limit=60):
    """Press Tab until something has the focus, as a person without a mouse does."""
    for _ in range(limit):
        page.keyboard.press("Tab")
        if target.evaluate("node => node === document.activeElement"):
            ring = target.evaluate("node => getComputedStyle(node).outlineStyle")
            assert ring != "none"
            return
    raise AssertionError("it cannot be reached by Tab")


@pytest.mark.parametrize("text", [MARKUP, MARKUP.replace("<", "\u202e<") + BAD], ids=["markup", "characters"])
def test_what_others_say_is_inert(show, text):
    picked = {"line": 1, "more": 0, "column": 2, "severity": Severity.HIGH, "side": Side.NEW, "mode": "branch"}
    outcome = outcome_of(text, issue_status=IssueStatus.OPEN, status=ResultStatus.INCOMPLETE, **picked)
    outcome.issues.append(issue(reviewer=text))
    outcome.error = None
    page = show(outcome, context_of(outcome))
    assert page.locator("script").count() == 1
    assert page.locator("img, svg, base, main form, [onerror], [onfocus], meta[http-equiv=refresh]").count() == 0
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    page.locator("#q").fill("alert")
    page.wait_for_url(re.compile("#q=alert$"))
    assert page.title() == "selfreview: Incomplete: this change has not passed"


def test_filters_work_by_keyboard_and_are_kept_in_the_address(show):
    page = show(SAMPLES["needs_work"])
    count = page.get_by_role("status")
    assert count.inner_text() == "10 issues"
    medium = page.get_by_role("group", name="Severity").get_by_label("medium")
    tab_to(page, medium)
    page.keyboard.press("Space")
    assert count.inner_text() == "2 of 10 shown"
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    assert count.inner_text() == "4 of 10 shown"
    tab_to(page, page.get_by_role("group", name="Reviewer").get_by_label("ruff"))
    page.keyboard.press("Space")
    assert count.inner_text() == "2 of 10 shown"
    assert [text.split()[-1] for text in visible_issues(page)] == ["`undefined`", "argument"]
    assert page.url.split("#")[1] == "severity=medium&severity=low&reviewer=ruff"
    assert page.locator("#not-counted").is_hidden()
    page.reload()
    assert (count.inner_text(), len(visible_issues(page))) == ("2 of 10 shown", 2)
    tab_to(page, page.get_by_role("searchbox", name="Search"))
    page.keyboard.type("MUTABLE default")
    page.wait_for_url(re.compile(r"#q=MUTABLE\+default&"))
    assert count.inner_text() == "1 of 10 shown"
    tab_to(page, page.get_by_role("button", name="Clear"))
    page.keyboard.press("Enter")
    assert (count.inner_text(), len(visible_issues(page))) == ("10 issues", 10)
    assert "#" not in page.url


def test_an_address_brings_its_filters_or_shows_its_issue(show):
    page = show(SAMPLES["needs_work"], fragment="#status=suppressed&q=nothing-like-it")
    assert page.get_by_role("status").inner_text() == "0 of 10 shown"
    assert page.get_by_text("No issue matches the filters.").is_visible()
    page.evaluate("location.hash = '#sr-00000004'")
    page.locator("#sr-00000004").wait_for()
    assert len(visible_issues(page)) == 10
    assert page.url.endswith("#sr-00000004")


def test_everything_is_there_without_the_script(show):
    page = show(SAMPLES["needs_work"], java_script_enabled=False)
    assert page.locator("form").is_hidden()
    assert len(visible_issues(page)) == 10
    assert page.locator("#coverage tbody tr:visible").count() == 4


def test_a_narrow_window_scrolls_in_one_direction_only(show):
    page = show(ALL, viewport={"width": 320, "height": 600})
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    assert not page.locator("form details").evaluate("node => node.open")


def test_print_opens_what_is_folded_and_leaves_out_the_controls(show):
    page = show(SAMPLES["refined"])
    page.emulate_media(media="print")
    assert page.locator("form").is_hidden()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.get_by_text("+new", exact=True).first.is_visible()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.get_by_text("+new", exact=True).first.is_hidden()


def test_nothing_moves_where_that_is_not_wanted(show):
    page = show(SAMPLES["pass"], reduced_motion="reduce")
    assert page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == "auto"


@pytest.mark.skipif(importlib.util.find_spec("axe_playwright_python") is None, reason="there is no axe")
def test_axe_finds_nothing(show):
    spec = importlib.util.find_spec("axe_playwright_python")
    script = Path(spec.origin).with_name("axe.min.js").read_text("utf-8")
    page = show(ALL, color_scheme="light", bypass_csp=True)
    for details in page.locator("main details").all():
        details.evaluate("node => { node.open = true; }")
    page.evaluate(script)
    found = page.evaluate("axe.run({resultTypes: ['violations']})")
    assert len(found["passes"]) > 10  # it did look
    assert violations(found) == []
    page.emulate_media(color_scheme="dark")
    found = page.evaluate("axe.run({runOnly: ['color-contrast'], resultTypes: ['violations']})")
    assert len(found["passes"]) == 1
    assert violations(found) == []


def violations(found):
    return [(one["id"], one["impact"], [node["html"] for node in one["nodes"]][:3]) for one in found["violations"]]


def test_hundreds_can_be_filtered(show):
    found = (
        issue(f"f{n % 30}.py", n, "low" if n % 2 else "high", f"Number {n}.", id=f"sr-{n:08x}") for n in range(600)
    )
    page = show(result(*found, reviewers=[ran()]), None)
    page.get_by_label("high").check()
    assert page.get_by_role("status").inner_text() == "300 of 600 shown"
    assert page.locator(".issue").first.evaluate("node => getComputedStyle(node).contentVisibility") == "auto"
