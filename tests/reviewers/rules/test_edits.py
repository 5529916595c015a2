"""What a rule's fix leaves: a program that parses, and is the same but for what the rule found."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

import pytest
from ast_grep_py import SgNode, SgRoot

from selfreview.api import Edit, FileStatus
from selfreview.reviewers.rules import RulesReviewer
from selfreview.rules import load_all
from selfreview.syntax.languages import FOLDERS
from selfreview.testing.context import MemoryContext
from tests.rules.test_pack import MARK, apply

SCRIPT = (
    "@",
    "a();\n@\nb();\n",
    "a(); @ b();\n",
    "a(); @\nb();\n",
    "a();\n@ b();\n",
    "if (a) {\n  @\n}\nb();\n",
    "if (a) { @ }\nb();\n",
    "if (a) {@}\nb();\n",
    "if (a) { b(); } else { @ }\nc();\n",
    "if (a) {\n  @ // why\n}\n",
    "while (a) { b(); @ }\nc();\n",
    "for (;;) {\n  @ b();\n  c();\n}\n",
    "function f() { @ return a }\n",
    "function f() { return a; @ }\n",
    "switch (a) { case 1: @ b(); break; default: @ }\n",
    "switch (a) {\n  case 1:\n    @\n  case 2: @\n    b();\n}\n",
    "try { @ } finally { @ }\na();\n",
    "/* why */ @\na();\n",
)
MADE = {
    "javascript": (*SCRIPT, "let a = {};\n@\nlet b = [];\n", "a()\n@\nb()\n", "const f = () => { @ };\nf();\n"),
    "php": (
        *(text.replace("let ", "$") for text in SCRIPT if text != "@"),
        "if ($a): @ endif;\nb();\n",
        "if ($a):\n  b();\nelse:\n  @\nendif;\nb();\n",
        "foreach ($a as $b): @ endforeach;\nb();\n",
    ),
    "python": (
        "@",
        "a()\n@\nb()\n",
        "a(); @; b()\n",
        "a(); @\nb()\n",
        "a(); @;\nb()\n",
        "@; a()\nb()\n",
        "@;\nb()\n",
        "if a:\n    @\nb()\n",
        "if a: @\nb()\n",
        "if a: @;\nb()\n",
        "if a: b(); @\nc()\n",
        "if a:\n    b()\nelse:\n    @\nc()\n",
        "if a:\n    # why\n    @  # here\nb()\n",
        "if a:\n    b()\n    @  # here\nc()\n",
        "for a in b:\n    @\n    c()\n",
        "while a: @; b()\nc()\n",
        "with a:\n    @\nb()\n",
        "def f(a):\n    @\n    return a\n",
        "try:\n    @\nfinally:\n    @\na()\n",
        "try:\n    a()\nexcept E:\n    @\n    raise\n",
        "class A:\n    @\n\n    a = 1\n",
        "if a: \\\n    @\nb()\n",
    ),
    "ruby": (
        "@",
        "a\n@\nb\n",
        "a; @; b\n",
        "a; @\nb\n",
        "@; a\nb\n",
        "if a\n  @\nend\nb\n",
        "if a; @; end\nb\n",
        "if a then @ else b end\nc\n",
        "if a\n  b\nelse\n  c\n  @\nend\nd\n",
        "while a do @ end\nb\n",
        "while a\n  @\n  b\nend\nc\n",
        "a.each { |b| @ }\nc\n",
        "a.each { b; @ }\nc\n",
        "a.each do |b|\n  @\n  c b\nend\n",
        "case a\nwhen 1\n  @\n  b\nend\n",
        "def f\n  @ # here\n  a\nend\n",
        "def f; @; a; end\n",
        "begin\n  @\n  a\nensure\n  @\n  b\nend\n",
    ),
}
REFUSED = {
    "javascript": (
        "if (a) @\nb();\n",
        "if (a) @\nelse b();\n",
        "if (a) b(); else @\nc();\n",
        "while (a) @\nb();\n",
        "for (const a of b) @\nc();\n",
        "for (;;) @\nb();\n",
        "do @ while (a);\nb();\n",
        "label: @\na();\n",
        "a = b\n@\n(c || d).e()\n",
        "a = b\n@\n[c].e()\n",
        "a = b\n@\n`c`.e()\n",
        "@\n'use strict';\na();\n",
        "try { a(); } catch (e) { @ }\n",
    ),
    "php": (
        "if ($a) @\nb();\n",
        "if ($a) b(); else @\nc();\n",
        "while ($a) @\nb();\n",
        "foreach ($a as $b) @\nc();\n",
        "try { a(); } catch (E $e) { @ }\n",
    ),
    "python": (
        "try:\n    a()\nexcept E:\n    @\nb()\n",
        "try: a()\nexcept E: @\nb()\n",
        "def f():\n    @\n    'text'\n    return 1\n",
        "a(); \\\n@\nb()\n",
    ),
    "ruby": (
        "@ if a\nb\n",
        "@ unless a\nb\n",
        "a && @\nb\n",
        "a or @\nb\n",
        "a = @\nb\n",
        "begin\n  a\nrescue => e\n  @\nend\n",
    ),
}
ENDINGS = {"javascript": ".js", "typescript": ".ts", "tsx": ".tsx", "php": ".php", "python": ".py", "ruby": ".rb"}
MAY_VANISH = defaultdict(
    frozenset[str], ruby=frozenset({"then", "body_statement", "block_body"}), python=frozenset({"block"})
)
"""What grammars leave out where it is empty, by language."""


def _removing() -> Iterator[tuple[str, str, str]]:
    for rule in load_all():
        for language in rule.languages if rule.fix == "" else ():
            for example in rule.bad:
                assert isinstance(example, str)
                marked = [line for line in example.split("\n") if MARK.search(line)] or [example]
                yield rule.id, language, MARK.sub("", marked[0]).strip()
    yield "ruby-debugger", "ruby", "binding.irb"
    yield "python-breakpoint", "python", "__import__('pdb').set_trace()"
    yield "javascript-debugger", "javascript", "debugger;  "  # as it stands before a space


REMOVING = sorted({(rule, language, code.strip()) for rule, language, code in _removing()})


def _cases(table: dict[str, tuple[str, ...]]) -> Iterator[tuple[str, str, str, str]]:
    for rule, language, code in REMOVING:
        for place in table["javascript" if FOLDERS[language] == "javascript" else language]:
            if ";" in code[:-1] and "(); " in place:
                continue  # two statements in one go are found as one line of their own
            yield rule, language, code, place


def _edits(path: str, text: str, rule: str) -> list[Edit | None]:
    context = MemoryContext({path: (None, text)})
    (file,) = context.change.files
    assert file.status is FileStatus.ADDED
    found = [f for f in RulesReviewer().review(context.change.files, context).findings if f.rule == rule]
    return [edit for finding in found for edit in finding.edits or (None,)]


def _mended(language: str, text: str, rule: str) -> str:
    """Make every edit of a rule, from the bottom up."""
    edits = _edits("src/example" + ENDINGS[language], text, rule)
    assert edits
    for edit in sorted(filter(None, edits), key=lambda e: (-e.line_start, -e.column_start)):
        text = apply(text, edit)
    return text


def _shape(language: str, text: str, without: Sequence[tuple[int, int]] = ()) -> object:
    """Return the tree of a program without what lies in some places of it; comments and separators do not count."""
    root = SgRoot(text, language).root()
    assert not root.find_all(kind="ERROR"), text

    def tree(node: SgNode) -> tuple[object, ...] | None:
        span = node.range()
        kind, children = node.kind(), node.children()
        if (
            any(a <= span.start.index and span.end.index <= b for a, b in without)
            and children
            and node.parent() is not None
        ):
            return None
        if "comment" in kind or kind in (";", "pass_statement"):
            return None
        if not children and node.parent() is not None:
            return None if any(a <= span.start.index < b for a, b in without) else (kind, node.text())
        below = tuple(shape for child in children if (shape := tree(child)) is not None)
        if kind in MAY_VANISH[language] and (not below or all(len(each) == 2 and each[0] == each[1] for each in below)):
            return None
        return (kind, *below)

    return tree(root)


def _put(place: str, code: str) -> tuple[str, list[tuple[int, int]]]:
    """Write a statement at every mark; return the text and where it stands."""
    parts, spans = place.split("@"), []
    text = parts[0]
    for part in parts[1:]:
        spans.append((len(text), len(text) + len(code)))
        text += code + part
    return text, spans


@pytest.mark.parametrize(("rule", "language", "code", "place"), list(_cases(MADE)))
def test_the_rest_of_the_program_stays_what_it_is(rule: str, language: str, code: str, place: str) -> None:
    opening = "<?php\n" if language == "php" else ""
    text, spans = _put(opening + place, code)
    mended = _mended(language, text, rule)
    assert code not in mended
    assert _shape(language, mended) == _shape(language, text, spans), mended
    assert not re.search(r"[ \t]$|;[ \t]*;(?!\))|^[ \t]*;|[ \t]{2,}\}", mended, re.MULTILINE), mended
    assert mended.count("\n") >= text.count("\n") - len(spans) - (place == "@")
    if language == "python":
        compile(mended, "<mended>", "exec")


@pytest.mark.parametrize(("rule", "language", "code", "place"), list(_cases(REFUSED)))
def test_nothing_goes_where_something_else_would_take_its_place(
    rule: str, language: str, code: str, place: str
) -> None:
    text, _ = _put(("<?php\n" if language == "php" else "") + place, code)
    assert set(_edits("src/example" + ENDINGS[language], text, rule)) <= {None}, text


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.py", "import pdb; pdb.set_trace()\nx()\n", "x()\n"),
        ("a.py", "import ipdb; ipdb.set_trace(); x()\n", "x()\n"),
        ("a.py", "def f():\n    import pdb; pdb.set_trace()\n", "def f():\n    pass\n"),
        ("a.py", "import pdb; pdb.set_trace()\npdb.run(x)\n", "import pdb\npdb.run(x)\n"),
        ("a.py", "breakpoint(), x()\n", None),
        ("src/a.py", "print('here', next(rows))\n", None),
        ("src/a.py", "print('here', (n := 1))\n", None),
        ("src/a.js", "console.log(total);\n", None),  # it may be what the program is for
        ("src/a.php", "<?php\nvar_dump($i++);\n", None),
        ("src/a.php", "<?php\nvar_dump($a = 1);\n", None),
        ("src/a.php", "<?php\nvar_dump(save($x));\n", None),
        ("src/a.php", "<b>\n<p><?php dd($x); ?></p>\n", "<b>\n<p><?php ?></p>\n"),
        ("src/a.php", "<p><?php dd($x) ?></p>\n", None),
        ("src/a.php", "<?php dd($x); // why ?></p>\n", "<?php // why ?></p>\n"),
        ("a.py", "assert (a, 'b')\n", "assert a, 'b'\n"),
        ("a.py", "assert (\n    a,\n    'b',\n)\n", "assert a, 'b'\n"),
        ("a.py", "assert (a ==\n    1, 'b')\n", None),
        ("a.py", "assert (a, 'b'\n'c')\n", None),
        ("a.py", "assert (a := b, 'c')\n", None),
        ("a.py", "assert (*a, 'c')\n", None),
        ("src/a.py", "if a:\n    ValueError('b')\n", "if a:\n    raise ValueError('b')\n"),
        ("src/a.py", "ValueError('b'), 1\n", None),
        ("src/a.py", "ValueError('b')\nx()\n", None),
        ("a.py", "async def f():\n    asyncio.sleep(1)\n", "async def f():\n    await asyncio.sleep(1)\n"),
        ("a.py", "def f():\n    asyncio.sleep(1)\n", None),
        ("a.py", "async def f():\n    def g():\n        asyncio.sleep(1)\n", None),
        (
            "src/A.java",
            "class A { void a() { if (b) new XException(); c(); } }",
            "class A { void a() { if (b) throw new XException(); c(); } }",
        ),
        ("src/A.java", "class A { int a() {\n new XException();\n return 1; } }", None),
    ],
)
def test_a_fix_is_whole_or_not_offered(path: str, before: str, after: str | None) -> None:
    context = MemoryContext({path: (None, before)})
    edits = [edit for f in RulesReviewer().review(context.change.files, context).findings for edit in f.edits]
    assert [apply(before, edit) for edit in edits] == ([] if after is None else [after])
