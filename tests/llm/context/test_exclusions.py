"""What is not wanted is set aside with a reason, and true findings stay."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfreview import resources
from selfreview.errors import ConfigError, ExitCode
from selfreview.llm.context.exclusions import Exclusions, Phrase, words
from selfreview.model.issue import Category, Finding, Severity
from selfreview.testing.messages import MessagesServer
from tests.llm.scripted_answers import CLEAN


def said(description: str, category: Category = Category.LOGIC, severity: Severity = Severity.MEDIUM) -> Finding:
    return Finding(file="a.py", line_start=1, severity=severity, category=category, description=description)


@pytest.fixture(scope="module")
def ours() -> Exclusions:
    return Exclusions.parse(resources.read("templates", "prompts/exclusions.toml").decode())


@pytest.mark.parametrize(
    ("description", "category", "name"),
    [
        ("Nit: rename x.", Category.STYLE, "style"),
        ("The function is missing a docstring.", Category.DOCUMENTATION, "missing documentation"),
        ("There are no tests for this.", Category.TESTING, "missing tests"),
        ("Consider extracting a helper.", Category.ARCHITECTURE, "refactoring"),
        ("Ensure that the value is never None.", Category.LOGIC, "speculation"),
        ("- **Nitpick**: x", Category.STYLE, "style"),
        ("The line is too long.", Category.STYLE, "style"),
        ("`f` would be more idiomatic as a loop", Category.STYLE, "style"),
        ("Lacks type hints.", Category.DOCUMENTATION, "missing documentation"),
        ("f has no docstring", Category.DOCUMENTATION, "missing documentation"),
        ("Needs any more unit tests", Category.TESTING, "missing tests"),
        ("A hard-coded string", Category.ARCHITECTURE, "refactoring"),
        ("  Should be a constant.", Category.STYLE, "refactoring"),
        ("Make sure that x is set", Category.PERFORMANCE, "speculation"),
    ],
)
def test_what_is_not_wanted_is_named(ours, description, category, name):
    assert ours.reason(said(description, category)) == f"excluded: {name}"


@pytest.mark.parametrize(
    ("description", "category"),
    [
        ("Missing a null check: x is None -> AttributeError", Category.LOGIC),
        ("Ensure that x is set: empty list -> raises IndexError", Category.LOGIC),
        ("The query is built from user input", Category.SECURITY),
        ("Ensure that the path stays inside of the folder", Category.SECURITY),
        ("The regular expression could cause a denial of service by catastrophic backtracking", Category.SECURITY),
        ("No tests fail when this is wrong", Category.TESTING),
        ("One should consider that x is None", Category.ARCHITECTURE),
        ("Ensure that x is set → a crash", Category.LOGIC),
        ("There are no tests left: the file is no longer collected", Category.TESTING),
        ("The docstring says bytes, the function returns str", Category.DOCUMENTATION),
        ("A pre-existing hole is now reachable without a login", Category.SECURITY),
    ],
)
def test_what_has_a_failure_stays(ours, description, category):
    assert ours.reason(said(description, category)) is None


def test_the_prompt_is_given_one_sentence_for_each(ours):
    assert len(ours.words) == len(set(ours.words)) >= 7
    assert all("\n" not in words for words in ours.words)


def test_a_repository_says_its_own_and_even_then_there_is_a_reason():
    own = Exclusions.parse("[[exclude]]\nname = 'anything'\nphrases = ['sql']\n")
    assert own.words == []
    assert own.reason(said("SQL injection", Category.SECURITY, Severity.CRITICAL)) == "excluded: anything"
    assert Exclusions.parse("").reason(said("x")) is None


@pytest.mark.parametrize(
    "text",
    [
        "[[exclude",
        "exclude = 1",
        "[[exclude]]\nname = 'x'\nwhat = 1",
        "[[exclude]]\nname='x'\ncategories=['bugs']",
        "[[exclude]]\nname = 'x'\nphrases = ['[']",
        "[[exclude]]\nname = 'x'\nunless = ['a||b']",
        "[[exclude]]\nname = 'x'\npatterns = ['.']",
        "#" * 100_000,
        "exclude = " + "[" * 16_000,
        "exclude = " + "1" * 5_000,
    ],
)
def test_a_file_that_cannot_be_read_is_an_error_for_a_person(text):
    with pytest.raises(ConfigError, match=r"exclusions\.toml"):
        Exclusions.parse(text)


BROKEN = "[[exclude]]\nname = 'a'\n\n[[exclude]]\nname = 'b'\n{}\n"
KEYS = "[[exclude]] tables have the keys name, words, categories, phrases, unless"


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ("what = 1", r"x\.toml, line 4: .*`what`"),
        ("phrases = ['a||b']", r"x\.toml, line 4: the phrase 'a\|\|b'"),
        ("unless = ]", r"x\.toml: .*line 6"),
    ],
)
def test_an_error_names_the_line_and_the_keys(wrong, says):
    with pytest.raises(ConfigError, match=says) as error:
        Exclusions.parse(BROKEN.format(wrong), "x.toml")
    assert error.value.hint == KEYS


def test_what_is_broken_at_the_base_is_told_of_and_locks_nothing_out(workspace):
    """The change that mends it can be reviewed."""
    path = ".selfreview/prompts/exclusions.toml"
    workspace.commit("start", **{path: BROKEN.format("what = 1")})
    workspace.git("branch", "--force", "main")
    workspace.write(path, "[[exclude]]\nname = 'ours'\nwords = 'our own words'\n")
    with MessagesServer(default=CLEAN) as server:
        ran = workspace.review("--reviewer", "claude", ANTHROPIC_BASE_URL=server.base_url, ANTHROPIC_API_KEY="k")
    assert ran["passed"], ran
    (note,) = [note for note in ran["notes"] if "bundled exclusions are used" in note]
    assert note.startswith(f"{path}, as it is at the base of the change, line 4: ")
    assert KEYS in note
    assert all("our own words" not in request.system for request in server.requests)
    assert all("- style, naming" in request.system for request in server.requests)


def test_an_ignored_file_that_is_broken_is_an_error(workspace):
    workspace.write(".git/info/exclude", "/.selfreview\n")
    workspace.write(".selfreview/prompts/exclusions.toml", "[exclude]\nname = 'x'\n")
    workspace.write("app.py", "x = 1\n")
    ran = workspace.selfreview("show", "--prompt", "all")
    assert ran.code == ExitCode.USAGE
    assert ".selfreview/prompts/exclusions.toml: Expected `array`" in ran.err
    assert KEYS in ran.err


@pytest.mark.parametrize(
    ("phrase", "text"),
    [
        ("nit", "Nit: rename"),
        ("nit", "a NIT"),
        ("a b", "x a b y"),
        ("a|b c", "b c"),
        ("a [b] c", "a c"),
        ("a [b] c", "a b c"),
        ("a [b] [c] d", "a c d"),
        ("a [b]", "a"),
        ("[a] b", "b"),
        ("a a b", "a a a b"),
        ("[a] a b", "a a a b"),
        ("test* fail*", "testing failed"),
        ("^a b", "- `a` b"),
        ("hard-coded", "a hard-coded path"),
        ("->", "x->y"),
        ("straße", "STRASSE"),
    ],
)
def test_it_is_there(phrase: str, text: str) -> None:
    assert Phrase(phrase).is_in(words(text))


@pytest.mark.parametrize(
    ("phrase", "text"),
    [
        ("nit", "unit nits"),
        ("a b", "a, b"),
        ("a b", "a x b"),
        ("a [b] c", "a b b c"),
        ("^a", "b a"),
        ("^a", "(b) a"),
        ("test", "testing"),
        ("coded", "hard-coded"),
        ("a", ""),
        (".*", "a"),
    ],
)
def test_it_is_not(phrase: str, text: str) -> None:
    assert not Phrase(phrase).is_in(words(text))


@pytest.mark.parametrize("text", ["", "^", "[a]", "[a", "a]", "a|", "|a", "a||b", "*", "a*b", "a ^b|^", "[a|b]c", "[]"])
def test_what_is_no_phrase(text: str) -> None:
    with pytest.raises(ValueError, match="phrase"):
        Phrase(text)


def test_every_step_goes_on_by_one_word() -> None:
    """What would take an engine that goes back longer than anyone waits."""
    many = Phrase(" ".join(["[a*|a|aa]"] * 300) + " a* b")
    assert not many.is_in(words("a " * 100_000))


@given(st.text())
def test_any_text_is_a_phrase_or_not(text: str) -> None:
    try:
        phrase = Phrase(text)
    except ValueError:
        return
    phrase.is_in(words(text))


@given(st.lists(st.sampled_from("abc"), min_size=1), st.lists(st.sampled_from("abc"), max_size=4))
def test_plain_words_are_found_where_they_stand_next_to_each_other(phrase: list[str], text: list[str]) -> None:
    whole = " ".join(text)
    assert Phrase(" ".join(phrase)).is_in(words(whole)) == (f" {' '.join(phrase)} " in f" {whole} ")
