"""What a change takes out of the code by making a comment or a text of it."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable

import pytest
from ast_grep_py import SgRoot
from hypothesis import given
from hypothesis import strategies as st

from selfreview.api import Finding, Side
from selfreview.model.change import LineRange, overlaps
from selfreview.reviewers.rules import RulesReviewer
from selfreview.reviewers.rules.removed import differing
from selfreview.rules import Removal, load_all
from selfreview.syntax.grammar import GRAMMARS
from selfreview.syntax.languages import EXTENSIONS, FOLDERS
from selfreview.syntax.parsing import live_lines
from selfreview.testing.context import MemoryContext, review

RULES = RulesReviewer()
MARK = re.compile(r"[ \t]*<--$")
COMPARED = ("removed-assertion", "removed-access-check", "removed-safety-call", "bash-strict-mode-removed")
LINE = {"python": "# ", "ruby": "# ", "bash": "# "}
BLOCKS = {
    "python": [('"""', '"""'), ("x = '''", "'''")],
    "ruby": [("=begin", "=end"), ("x = <<~EOS", "EOS"), ("x = %q(", ")")],
    "bash": [(": <<'X'", "X"), ("x='", "'"), ('x="', '"')],
    "javascript": [("/*", "*/"), ("const x = `", "`;")],
    "go": [("/*", "*/"), ("_ = `", "`")],
    "php": [("/*", "*/"), ("$x = '", "';"), ("$x = <<<'EOS'", "EOS;")],
    "rust": [("/*", "*/"), ('let x = r#"', '"#;')],
    "csharp": [("/*", "*/")],
}
EXAMPLES = [
    (rule.id, example)
    for rule in load_all()
    if rule.id in COMPARED
    for example in rule.bad
    if isinstance(example, Removal)
]


def looked_at(rule: str, language: str, old: str, new: str) -> tuple[list[Finding], MemoryContext]:
    extension = next(extension for extension, name in EXTENSIONS.items() if name == language)
    testing = rule == "removed-assertion"
    context = MemoryContext({("tests/test_example" if testing else "src/example") + extension: (old, new)})
    return [f for f in review(RULES, context) if f.rule == rule], context


def assert_told(rule: str, language: str, old: list[str], new: list[str], lines: list[int]) -> None:
    found, context = looked_at(rule, language, "\n".join(old), "\n".join(new))
    assert [(f.line_start, f.side) for f in found] == [(line, Side.OLD) for line in lines], "\n".join(new)
    (file,) = context.change.files
    for finding in found:
        ranges = {Side.OLD: file.removed, Side.NEW: file.added}
        places = [(finding.side, finding.line_start), *((p.side, p.line_start) for p in finding.related)]
        assert any(overlaps(ranges[side], line, line) for side, line in places), "it is tied to the change"


def lines_of(side: str) -> list[str]:
    return textwrap.dedent(side).strip("\n").split("\n")


def parts(example: Removal) -> tuple[list[str], list[int], list[int]]:
    """Return the lines before, the numbers of those that the example marks, and of those that it takes away."""
    marked, after = lines_of(example.before), lines_of(example.after)
    old = [MARK.sub("", line) for line in marked]
    first = next(number for number, line in enumerate(old, 1) if [line] != after[number - 1 : number])
    gone = list(range(first, first + max(len(old) - len(after), 1)))
    return old, [number for number, line in enumerate(marked, 1) if MARK.search(line)], gone


WHOLE_LINES = [(rule, e) for rule, e in EXAMPLES if len(lines_of(e.before)) > len(lines_of(e.after))]


@pytest.mark.parametrize(("rule", "example"), EXAMPLES)
def test_a_check_that_becomes_a_comment_is_a_check_that_went(rule: str, example: Removal) -> None:
    old, lines, gone = parts(example)
    mark = LINE.get(example.language, "// ")
    kept = lines_of(example.after)
    new = kept[: gone[0] - 1] + [mark + old[number - 1] for number in gone] + kept[gone[0] - 1 :]
    assert_told(rule, example.language, old, new, lines)


@pytest.mark.parametrize(("rule", "example"), WHOLE_LINES)
def test_a_check_between_the_marks_of_a_comment_or_a_text_is_a_check_that_went(rule: str, example: Removal) -> None:
    old, lines, gone = parts(example)
    for opening, closing in BLOCKS.get(example.language, [("/*", "*/")]):
        first, last = gone[0] - 1, gone[-1]
        margin = " " * (len(old[first]) - len(old[first].lstrip())) if opening != "=begin" else ""
        new = [*old[:first], margin + opening, *old[first:last], margin + closing, *old[last:]]
        if '"""' in opening and old[first].lstrip().startswith("@"):
            continue  # a decorator of the next function; this does it with the first text
        assert_told(rule, example.language, old, new, lines)


VIEW = "def view(request, user):\n    if not user.is_admin:\n        raise Stop\n    return delete_all()\n"
LESS = "def view(request, user):\n    return delete_all()\n"
TEST = "def test_f():\n    x = f(1)\n    assert x == 2\n    assert f(2) == 3\n"


@pytest.mark.parametrize(
    "new",
    [
        LESS.replace("    return", "    # if is_admin\n    return"),
        LESS.replace("    return", '    """Only if is_admin."""\n    return'),
        LESS.replace("    return", '    "if not user.is_admin: raise"\n    return'),
        LESS.replace("all()", 'all("and is_admin")'),
        LESS + '\n\ndef other():\n    """\n    if is_admin\n    """\n',
    ],
)
def test_words_in_a_comment_or_a_text_are_no_check(new: str) -> None:
    assert_told("removed-access-check", "python", VIEW.split("\n"), new.split("\n"), [2])


@pytest.mark.parametrize("new", ["    x = f(1)  # see check()\n", '    """Is like check(x)."""\n    x = f(1)\n'])
def test_words_in_a_comment_or_a_text_assert_nothing(new: str) -> None:
    text = TEST.replace("    x = f(1)\n    assert x == 2\n", new)
    assert_told("removed-assertion", "python", TEST.split("\n"), text.split("\n"), [3])


@pytest.mark.parametrize(
    "new",
    [
        VIEW.replace("    if", "    # who may do so\n    if"),
        VIEW.replace("    if", '    """Delete all, if is_admin."""\n    if'),
        VIEW.replace("user.is_admin", 'user["is_admin"]'),
        VIEW.replace("if not user.is_admin:", "if not (f'{user.is_admin}' == 'True'):"),
        'HELP = """\nall\n"""\n\n\n' + VIEW,
    ],
)
def test_a_check_that_still_is_code_is_none_that_went(new: str) -> None:
    assert looked_at("removed-access-check", "python", VIEW, new)[0] == []


def test_a_check_that_never_was_code_is_none_that_went() -> None:
    commented = VIEW.replace("    if", "    # if").replace("        raise", "    #     raise")
    assert looked_at("removed-access-check", "python", commented, LESS)[0] == []


def test_a_skip_that_becomes_code_is_told() -> None:
    old = '"""\n@pytest.mark.skip\n"""\ndef test_f():\n    assert f()\n'
    (found,) = review(RULES, MemoryContext({"test_a.py": (old, old.replace('"""\n', ""))}))
    assert (found.rule, found.line_start, found.side) == ("existing-test-skipped", 1, Side.NEW)


def test_a_shell_line_names_options_though_it_is_a_comment() -> None:
    found, _ = looked_at("bash-strict-mode-removed", "bash", "#!/bin/bash -e\nmake\n", "#!/bin/bash\nmake\n")
    assert [finding.line_start for finding in found] == [1]


def test_what_is_sourced_in_a_text_sets_no_options() -> None:
    old, new = "set -e\nmake\n", "cat <<X\n. a.sh\nX\nmake\n"
    assert [f.line_start for f in looked_at("bash-strict-mode-removed", "bash", old, new)[0]] == [1]


@pytest.mark.parametrize(
    ("language", "text", "live"),
    [
        ("python", "x = 'a b' # c\n", "x = '   '    \n"),
        ("python", "x = f'a {b} c'\n", "x = f'  {b}  '\n"),
        ("python", "x['é'] = '''\na'''\n", "x['é'] = '''\n '''\n"),
        ("python", "'a'\nb('a')\n", "' '\nb('a')\n"),
        ("javascript", "x = `a ${b} c` /* d\ne */; // f\n", "x = `  ${b}  `     \n    ;     \n"),
        ("javascript", "<b>a {c} b</b>;\n<!-- d\n", "<b>  {c}  </b>;\n      \n"),
        ("tsx", "x = <b>a b</b>; // c\n", "x = <b>   </b>;     \n"),
        ("typescript", "x = 'a b'; /* c */\n", "x = '   ';        \n"),
        ("go", "package a\nvar x = `a\nb` + \"c d\" // e\n", "package a\nvar x = ` \n ` + \"   \"     \n"),
        ("java", 'class A { A x = a("b c", """\nd"""); /* */ } //', 'class A { A x = a("   ", """\n """);       }   '),
        ("kotlin", 'val x = "a ${b} c" /* d */ // e\n', 'val x = "  ${b}  "             \n'),
        ("csharp", 'class A { A x = $"a {b} c" + "d e"; /* f */ }', 'class A { A x = $"  {b}  " + "   ";         }'),
        ("csharp", 'class A { string x = @"a\nb" + """\nc\n"""; }', 'class A { string x =    \n   + """\n \n"""; }'),
        ("ruby", "x = \"a #{b} c\" # d\n=begin\ne\n=end\n", "x = \"  #{b}  \"    \n      \n \n    \n"),
        ("ruby", "x = <<~A\n  a #{b}\nA\n__END__\nc\n", "x = <<~A\n    #{b}\nA\n__END__\n \n"),
        ("php", "<?php $x = 'a b' . \"c $d\"; /* e */ # f\n", "<?php $x = '   ' . \"  $d\";            \n"),
        ("php", "<?php $x = <<<'A'\n b\nA;\n", "<?php $x = <<<'A'\n  \nA;\n"),
        ("rust", 'fn a() { b("c d"); /* e */ } // f', 'fn a() { b("   ");         }     '),
        ("rust", 'fn a() { b(r#"c\nd"#); }', 'fn a() { b(r#" \n "#); }'),
        ("c", 'a("b c"); // d\n/* e\n */', 'a("   ");     \n    \n   '),
        ("cpp", 'a(R"(b\nc)", "d e"); // f', 'a(R"( \n )", "   ");     '),
        ("swift", 'a("b \\(c) d") /* e */ // f', 'a("  \\(c)  ")             '),
        ("swift", 'a(#"b c"#)\nb(#"d \\#(e) f"#)\nc("""\nd\n""")', 'a(       )\nb(    \\#(e)    )\nc("""\n \n""")'),
        ("bash", "a 'b c' \"d $e\" # f\ncat <<A\ng\nA\n", 'a       "  $e"    \ncat <<A\n \nA\n'),
    ],
)  # fmt: skip
def test_only_code_is_left_and_keeps_its_place(language: str, text: str, live: str) -> None:
    root = SgRoot(text, language).root()
    assert "\n".join(live_lines(root, language, text.split("\n"))) == live


def test_every_language_is_known() -> None:
    assert set(GRAMMARS) == set(FOLDERS)


def text(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


LINES = st.lists(st.sampled_from("abc"), max_size=12)


@given(LINES, LINES, st.data())
def test_a_line_that_is_code_on_one_side_only_differs_on_both(
    old: list[str], new: list[str], data: st.DataObject
) -> None:
    (file,) = MemoryContext({"a.py": (text(old), text(new))}).change.files
    kept = [number for number in range(1, len(old) + 1) if not overlaps(file.removed, number, number)]
    blank = data.draw(st.sets(st.sampled_from(kept))) if kept else set()
    there = [number for number in range(1, len(new) + 1) if not overlaps(file.added, number, number)]
    gone, come = differing(["" if n in blank else line for n, line in enumerate(old, 1)], new, file.spans)
    assert numbers(gone) == numbers(file.removed) | blank
    assert numbers(come) == numbers(file.added) | {there[kept.index(number)] for number in blank}


def numbers(ranges: Iterable[LineRange]) -> set[int]:
    return {number for lines in ranges for number in range(lines.first, lines.last + 1)}
