"""A blank, a line break or a comment where the language lets one stand hides nothing from a rule."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator

import pytest
from ast_grep_py import SgNode, SgRoot
from tests.rules.test_pack import MARK, RULE_BY_LANGUAGE, examples, rule_id, run, sides

from selfreview.reviewers.rules.apply import words_of
from selfreview.rules import Rule, load_all

BLOCK_COMMENTS = ("/**/", " /* ( */ ", " // eval(\n")
FILLERS = {"python": (" # eval(\n",), "ruby": (" # eval(\n",)}
NAMES = re.compile(r"\(|\.|->|::")
TEXTS = re.compile(r"string|char|heredoc|regex|word|concatenation|expansion|comment")
EXPLAINED = re.compile(r"catch|rescue|except|lock|=>|->|trust")
"""Where a comment may say why nothing is done; a rule that asks for one is content with it."""

CASES = [
    (rule, language)
    for rule, language in RULE_BY_LANGUAGE
    if not rule.coded and language not in ("bash", "typescript", "tsx")
]


def leaves(node: SgNode) -> Iterator[tuple[int, int]]:
    """Yield the extents of a tree's tokens; a text is one."""
    inner = node.children()
    if not inner or (TEXTS.search(node.kind()) and "template_sub" not in node.kind()):
        span = node.range()
        yield span.start.index, span.end.index
    else:
        for child in inner:
            yield from leaves(child)


def shape(node: SgNode) -> tuple[str, object]:
    """Return what a tree amounts to without its comments."""
    inner = tuple(shape(child) for child in node.children() if "comment" not in child.kind())
    return node.kind(), inner or node.text()


def is_python(text: str) -> bool:
    """Whether Python takes a text, which the grammar is not strict about."""
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def spread(text: str, language: str, filler: str) -> str:
    """Return code with a filler wherever the language takes one, within and around the names of what is called."""
    whole = shape(SgRoot(text, language).root())
    tokens = [extent for extent in leaves(SgRoot(text, language).root()) if text[slice(*extent)].strip()]
    for (start, end), (following, _) in reversed([*itertools.pairwise(tokens)]):
        if NAMES.match(text, following) or NAMES.fullmatch(text, start, end):
            longer = f"{text[:end]}{filler}{text[end:]}"
            if shape(SgRoot(longer, language).root()) == whole and (language != "python" or is_python(longer)):
                text = longer
    return text


@pytest.mark.parametrize(("rule", "language"), CASES, ids=rule_id)
def test_nothing_between_the_words_of_a_call_hides_it(rule: Rule, language: str) -> None:
    for example in examples(rule, language, "bad"):
        assert isinstance(example, str)
        text = MARK.sub("", sides(example)[1])
        fillers = FILLERS.get(language, () if EXPLAINED.search(text) else BLOCK_COMMENTS)
        for filler in (" ", "\n  ", *fillers):
            written = spread(text, language, filler)
            assert rule.id in [finding.rule for finding in run(rule, language, written)[0]], written


def test_what_a_rule_needs_holds_nothing_that_may_stand_apart() -> None:
    for rule in load_all():
        for words in words_of(rule.needs):
            assert not re.search(r"[\s()\[\]{}]", "".join(words)), rule.id
