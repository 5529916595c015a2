"""Rules that compare both sides of a change, for every language that they have words for."""

from selfreview.syntax.testcode import TESTS

LANGUAGES = tuple(TESTS)
