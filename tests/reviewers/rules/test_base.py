"""What a change makes of code that it leaves: findings on unchanged lines."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator

import msgspec
import pytest

from selfreview.api import Category, ChangedFile, FileStatus, Finding, Severity, Side
from selfreview.reviewers.rules import MAX_CHARACTERS, RulesReviewer
from selfreview.reviewers.rules.apply import compare
from selfreview.rules import load_all
from selfreview.syntax.languages import EXTENSIONS
from selfreview.testing.context import MemoryContext, review

RULES = RulesReviewer()
MARK = re.compile(r"[ \t]*<--$", re.MULTILINE)
TIED = ("this line triggers it", "removing this line triggers it")
MARKS = {"python": ("'''", "'''"), "ruby": ("=begin", "=end"), "bash": (": <<'X'", "X")}
EXAMPLES = [
    (
        ("tests/test_example" if rule.where == "tests" else "src/example")
        + next(extension for extension, name in EXTENSIONS.items() if name == language),
        MARK.sub("", textwrap.dedent(example).strip("\n")).split("\n"),
        language,
    )
    for rule in load_all()
    if not rule.coded
    for language in rule.languages
    for example in rule.bad
    if isinstance(example, str)
]


def of_change(path: str, old: str | None, new: str) -> list[Finding]:
    return review(RULES, MemoryContext({path: (old, new)}))


def tied(findings: list[Finding]) -> list[tuple[str | None, int]]:
    """Return the findings that name a line that triggers them."""
    return [(f.rule, f.line_start) for f in findings if any(place.note in TIED for place in f.related)]


def placed(findings: list[Finding]) -> list[tuple[str | None, int, int | None]]:
    return sorted((f.rule or "", f.line_start, f.column) for f in findings)


def test_code_that_was_a_comment_or_a_text_is_judged_as_new_code() -> None:
    wrong = []
    for path, lines, language in EXAMPLES:
        opening, closing = MARKS.get(language, ("/*", "*/"))
        if any(mark in line for line in lines for mark in (opening, closing, "?>")):
            continue
        head = int(lines[0].startswith(("<?php", "#!", "package")))
        old = "\n".join([*lines[:head], opening, *lines[head:], closing, ""])
        new = "\n".join([*lines, ""])
        expected = placed(of_change(path, None, new))
        if placed(of_change(path, old, new)) != expected:
            wrong.append((new, expected, placed(of_change(path, old, new))))
    assert wrong == []


@pytest.mark.parametrize("opening", ["<?php", "<p><?PHP echo 1;", "<p><?= 1;"])
def test_markup_that_becomes_code_is_judged_as_new_code(opening: str) -> None:
    code = "\n eval($_GET['q']);\n"
    assert tied(of_change("a.php", f"hello{code}", opening + code)) == [("php-code-from-values", 2)]
    assert tied(of_change("a.php", f"hello{code}", f"good bye{code}")) == []
    assert tied(of_change("a.php", f"<?php{code}", opening + code)) == []


def edits(lines: list[str]) -> Iterator[list[str]]:
    for number in {0, 1, len(lines) // 2, len(lines)}:
        yield [*lines[:number], "", *lines[number:]]
    yield [*lines, "", *(f"  {line}" for line in lines)]
    yield [f"  {line}" for line in lines]
    yield [*lines[1:], lines[0]]


def test_an_edit_nearby_ties_no_finding_that_was_there_before(request: pytest.FixtureRequest) -> None:
    every = 1 if request.config.getoption("--long") else 4
    wrong = [
        (new, told)
        for path, lines, _ in EXAMPLES[::every]
        for new in edits(lines)
        if (
            told := [
                one for one in tied(of_change(path, "\n".join(lines), "\n".join(new))) if one[0] != "broken-syntax"
            ]
        )
    ]  # to move a line may break the code
    assert wrong == []


SINKS = """const cp = require("child_process");
function f(x, y) {
  const c = "ls " + x;
  cp.exec(c);
  let d = "ls";
  y();
  cp.execSync(d);
}
"""


@pytest.mark.parametrize(
    ("path", "old", "new", "told", "line"),
    [
        ("a.js", SINKS.replace("  cp.exec(c);\n", ""), ('"ls";', "c;"), ("javascript-shell-injection", 3), 4),
        ("a.js", SINKS, ('"ls";', "c;"), ("javascript-shell-injection", 3), 5),
        ("a.sh", '#!/bin/bash\nDIR=/opt/x\nrm -rf "$DIR/"*\n', ("/opt/x", '"$1"'), ("bash-remove-unset", 3), 2),
        (
            "a.sh",
            '#!/bin/bash\nset -eu\n\nDIR=$(make where)\n\n\n\nrm -rf "$DIR/"*\n',
            ("set -eu\n", ""),
            ("bash-remove-unset", 7),
            2,
        ),
        (
            "a.js",
            "function f(x) {\n  if (x)\n    return 1;\n  g();\n}\n",
            ("  if (x)\n", ""),
            ("javascript-unreachable", 2),
            2,
        ),
    ],
    ids=["the value between", "a second sink", "what a variable holds", "an option", "the condition around"],
)
def test_what_a_change_makes_dangerous_is_tied_to_it(
    path: str, old: str, new: tuple[str, str], told: tuple[str, int], line: int
) -> None:
    assert tied(of_change(path, None, old)) == []
    findings = of_change(path, old, old.replace(*new))
    assert [(f.rule, f.line_start) for f in findings if f.rule == told[0]] == [told]
    (finding,) = (f for f in findings if f.rule == told[0])
    assert [place.line_start for place in finding.related if place.note in TIED or place.line_start == line] == [line]


def test_a_value_that_goes_on_from_one_place_more_names_that_place() -> None:
    (finding,) = of_change("a.js", SINKS, SINKS.replace('"ls";', "c;"))
    assert [(place.line_start, place.note) for place in finding.related] == [
        (7, "goes into cp.execSync"),
        (5, "this line triggers it"),
    ]


def test_a_value_that_goes_on_from_a_changed_line_names_that_line_only() -> None:
    (finding,) = of_change("a.js", SINKS, SINKS.replace("execSync(d)", "execSync(c)"))
    assert [(place.line_start, place.note) for place in finding.related] == [(7, "goes into cp.execSync")]


def test_a_new_value_names_the_first_place_that_it_goes_on_from() -> None:
    (finding,) = of_change("a.js", None, SINKS.replace('"ls";', "c;"))
    assert [(place.line_start, place.note) for place in finding.related] == [(4, "goes into cp.exec")]


@pytest.mark.parametrize(
    "new",
    [
        SINKS.replace("  y();\n", ""),
        SINKS.replace("  y();\n", "  y(1);\n").replace('"ls";', '"pwd";'),
        SINKS.replace("function f", "\nfunction f"),
        SINKS.replace("  cp.execSync(d);\n", ""),
    ],
)
def test_a_value_that_goes_where_it_went_before_is_nothing_of_the_change(new: str) -> None:
    assert of_change("a.js", SINKS, new) == []


def test_a_finding_that_becomes_less_serious_is_nothing_of_the_change() -> None:
    strict, loose = "#!/bin/bash\nset -u\n{}rm -rf $A/*\n", "#!/bin/bash\n\n{}rm -rf $A/*\n"
    value = "A=$(b)\n\n\n"
    (before,), (after,) = (of_change("a.sh", None, text.format(value)) for text in (strict, loose))
    assert before.severity is Severity.LOW
    assert after.severity.at_least(Severity.MEDIUM)
    assert of_change("a.sh", loose.format(value), strict.format(value)) == []
    assert len(tied(of_change("a.sh", strict.format(value), loose.format(value)))) == 1


WITH_BODIES = {
    "javascript-async-executor": (
        "a.js",
        "new Promise(async (resolve) => {\n  const a = await one();\n  resolve(a);\n});\n",
        "new Promise((resolve) => {",
    ),
    "javascript-async-for-each": (
        "a.js",
        "items.forEach(async (item) => {\n  await one();\n  done(item);\n});\n",
        "items.forEach((item) => {",
    ),
    "javascript-effect-async": (
        "a.jsx",
        "useEffect(async () => {\n  await one();\n  done();\n}, [a]);\n",
        "useEffect(() => {",
    ),
    "csharp-lock-on-shared": (
        "src/a.cs",
        "class A {\n  void M() {\n    lock (this)\n    {\n      one();\n      two();\n    }\n  }\n}\n",
        "    lock (gate)",
    ),
    "ruby-rescue-everything": (
        "src/a.rb",
        "begin\n  two\nrescue Exception => e\n  one()\n  log(e)\nend\n",
        "rescue StandardError => e",
    ),
    "kotlin-swallowed-cancellation": (
        "src/a.kt",
        "suspend fun f() {\n  runCatching {\n    one()\n    two()\n  }\n}\n",
        "  run {",
    ),
}


def found_by(rule: str, path: str, old: str | None, new: str) -> list[int]:
    return [finding.line_start for finding in of_change(path, old, new) if finding.rule == rule]


@pytest.mark.parametrize("rule", WITH_BODIES)
def test_a_change_inside_of_what_stood_there_before_does_not_make_it(rule: str) -> None:
    path, code, right = WITH_BODIES[rule]
    (line,) = found_by(rule, path, None, code)
    lines = code.split("\n")
    mended = "\n".join([*lines[: line - 1], right, *lines[line:]])
    assert found_by(rule, path, None, mended) == [], "the head decides"
    assert found_by(rule, path, code, code.replace("one()", "three()")) == []
    assert found_by(rule, path, code, code.replace("one()", "one()\n\n")) == []
    assert found_by(rule, path, mended, code) == [line]
    assert found_by(rule, path, mended, code.replace("one()", "three()")) == [line]


@pytest.mark.parametrize(
    ("rule", "path", "old", "new"),
    [
        ("javascript-empty-catch", "src/a.js", "try {\n  a();\n} catch (e) {\n  log(e);\n}\n", ""),
        ("java-empty-catch", "src/A.java", "class A { void f() { try { a(); } catch (E e) {\n  log(e);\n} } }\n", "\n"),
        ("python-except-exception-pass", "src/a.py", "try:\n    a()\nexcept Exception:\n  log(e);\n", "  pass\n"),
    ],
)
def test_a_change_inside_that_makes_an_issue_counts(rule: str, path: str, old: str, new: str) -> None:
    changed = old.replace("  log(e);\n", new)
    assert len(found_by(rule, path, old, changed)) == 1, rule


def test_a_change_inside_of_what_is_dangerous_counts() -> None:
    rule, path = "javascript-html-from-text", "src/a.js"
    old = "box.innerHTML = `<ul>${rows.map((row) => {\n  return row.name;\n})}</ul>`;\n"
    assert found_by(rule, path, None, old) == [1]
    assert found_by(rule, path, old, old.replace("row.name", "row.title")) == [1]


class Renamed(MemoryContext):
    """A change that renames a file."""

    def __init__(self, old_path: str, path: str, old: str, new: str) -> None:
        super().__init__({path: (old, new)})
        (file,) = self.change.files
        file = msgspec.structs.replace(file, status=FileStatus.RENAMED, old_path=old_path)
        self.change = msgspec.structs.replace(self.change, files=(file,))


@pytest.mark.parametrize(
    ("old_path", "path", "told"),
    [
        ("src/a.js", "src/b.js", []),
        ("src/a.ts", "src/a.tsx", []),
        ("src/a.js", "lib/a.ts", []),
        ("tests/a.js", "src/a.js", []),
        ("src/a.txt", "src/a.js", [("javascript-eval", 3)]),
    ],
)
def test_a_file_is_held_against_what_its_old_name_made_of_it(
    old_path: str, path: str, told: list[tuple[str, int]]
) -> None:
    text = "f();\n\neval(x);\n"
    assert tied(review(RULES, Renamed(old_path, path, text, f"{text}g();\n"))) == told


@pytest.mark.parametrize(
    ("first", "told"),
    [("#!/bin/dash", []), ("#!/usr/bin/env bash", []), ("#!/usr/bin/perl", [("bash-eval", 3)])],
)
def test_a_script_is_held_against_what_its_first_line_made_of_it(first: str, told: list[tuple[str, int]]) -> None:
    assert tied(of_change("bin/run", f'{first}\n\neval "$1"\n', '#!/bin/bash\n\neval "$1"\n')) == told


def test_a_finding_on_a_new_line_asks_nothing_of_the_old_side() -> None:
    (file,) = MemoryContext({"a.py": ("a\n", "a\neval(x)\n")}).change.files

    def before(ids: object) -> list[Finding]:
        raise AssertionError(ids)

    found = Finding(
        file="a.py", line_start=2, line_end=2, severity=Severity.HIGH, category=Category.SECURITY, description=""
    )
    assert list(compare([found], file, ["a"], before)) == [found]


def test_only_the_rules_in_question_are_asked_of_the_old_side() -> None:
    (file,) = MemoryContext({"a.py": ("a\n", "a\neval(x)\n")}).change.files
    asked: list[object] = []

    def before(ids: object) -> list[Finding]:
        asked.append(ids)
        return []

    found = [
        Finding(
            file="a.py",
            line_start=n,
            line_end=n,
            severity=Severity.LOW,
            category=Category.LOGIC,
            description="",
            rule=f"r{n}",
        )
        for n in (1, 2)
    ]
    assert [len(finding.related) for finding in compare(found, file, ["a"], before)] == [1, 0]
    assert asked == [frozenset({"r1"})]


def test_an_old_side_that_nobody_would_parse_is_not_asked() -> None:
    old = "'''\neval(x)\n'''\n" + "a = 1\n" * (MAX_CHARACTERS // 5)
    assert tied(of_change("a.py", old, "eval(x)\n")) == []


def test_a_change_of_which_no_lines_are_known_ties_nothing() -> None:
    context = MemoryContext({"a.py": ("a\n", "eval(x)\n")})
    file = ChangedFile(path="a.py")
    assert [finding.related for finding in RULES.review([file], context).findings] == [()]


def test_the_line_that_is_nearest_is_named() -> None:
    old = "'''\na\n'''\n\n'''\neval(x)\n'''\n\n'''\nb\n'''\n"
    (finding,) = of_change("a.py", old, old.replace("'''\n", ""))
    assert [(place.line_start, place.side) for place in finding.related] == [(5, Side.OLD)]


TLS = "static void setup(CURL *hnd)\n{\n  curl_easy_setopt(hnd, CURLOPT_SSL_VERIFYPEER, 0L);\n}\n"


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("a.c", TLS, TLS.replace("hnd", "curl")),
        ("a.c", TLS, TLS.replace("setup", "begin").replace(" 0L", "0L")),
        ("a.c", TLS.replace("0L", "1L"), TLS),
        ("a.c", TLS, f"{TLS}{TLS}".replace("hnd", "curl").replace("setup", "begin", 1)),
        ("a.py", "def f(a, q):\n    return a and eval(q)\n", "def f(a, q):\n    return a or eval(q)\n"),
        ("a.rb", "def f(a, q)\n  eval(q) if a\nend\n", "def f(a, q)\n  eval(q) unless a\nend\n"),
        ("a.js", "f = (a, q) => a === true && eval(q);\n", "f = (a, q) => a === false && eval(q);\n"),
        ("a.rb", 'def f(q)\n  system("git status #{q}")\nend\n', 'def f(q)\n  system("git destroy #{q}")\nend\n'),
        ("a.js", "on('/a', auth, (q) => {\n  eval(q.x);\n});\n", "on('/b', anon, (r) => {\n  eval(r.x);\n});\n"),
    ],
)
def test_a_line_with_another_text_is_changed_however_alike_they_are(path: str, old: str, new: str) -> None:
    of_security = [found for found in of_change(path, old, new) if found.category is Category.SECURITY]
    assert len(of_security) == new.count("VERIFYPEER") + new.count("eval(") + new.count("system(")
