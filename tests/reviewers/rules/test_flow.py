"""How far values are followed."""

from __future__ import annotations

import pytest
from ast_grep_py import SgNode

from selfreview.reviewers.rules import RulesReviewer
from selfreview.reviewers.rules import flow as value_tracking
from selfreview.syntax.grammar import GRAMMARS
from selfreview.syntax.parsing import parse
from selfreview.testing.context import MemoryContext, review

SELECT = "SELECT a FROM b WHERE c = "


def injections(text: str, path: str = "src/app.py") -> list[int]:
    found = review(RulesReviewer(), MemoryContext({path: (None, text)}))
    return [finding.line_start for finding in found if finding.rule and finding.rule.endswith("sql-injection")]


@pytest.mark.parametrize(
    "value",
    [
        f"'{SELECT}' + x",
        f"'{SELECT}%s' % x",
        f"'{SELECT}%s' % (x,)",
        f"'{SELECT}%(x)s' % {{'x': x}}",
        f"'{SELECT}{{}}'.format(x)",
        f"'{SELECT}{{v}}'.format(v=x)",
        f"f'{SELECT}{{x}}'",
        f"f'{SELECT}{{x!r}}'",
        "'SELECT a FROM b ' 'WHERE c = %s' % x",
        "('SELECT a FROM b ' + \\\n  'WHERE c = ' + x)",
        f"('{SELECT}' + x).strip()",
        f"text('{SELECT}' + x)",
        f"('{SELECT}' + x) if x else None",
        "'INSERT INTO b VALUES (%s, %s)' % (x, x)",
        '"SELECT a FROM b WHERE c LIKE \'%" + x + "%\'"',
    ],
)
@pytest.mark.parametrize("shape", ["db.execute({})", "q = {}\ndb.execute(q)", "q = {}\nr = q\ndb.execute(r)"])
def test_every_way_to_build_a_text_is_seen(value: str, shape: str) -> None:
    assert len(injections(shape.format(value) + "\n")) == 1


@pytest.mark.parametrize(
    "text",
    [
        f"db.execute('{SELECT}%s', (x,))",
        f"db.execute('{SELECT}%s' % 1)",
        f"db.execute('{SELECT}%d' % x)",
        f"db.execute('{SELECT}{{}}'.format(int(x)))",
        f"db.execute('{SELECT}' + quote(x))",
        f"db.execute('{SELECT}' + LIMIT)",
        f"LIMIT = 5\nx = LIMIT\ndb.execute(f'{SELECT}{{x}}')",
        f"q = '{SELECT}' + x\nq = '{SELECT}%s'\ndb.execute(q)",
        f"db.execute(q)\nq = '{SELECT}' + x",
        f"def f(x):\n    q = '{SELECT}' + x\n\ndef g(q):\n    db.execute(q)",
        "db.execute('SELECT a FROM %s' % x)",
        "db.execute(f'SELECT {x} FROM b')",
        "db.execute(f'INSERT INTO b ({x}) VALUES ({marks})')",
        f"print('{SELECT}' + x)",
        "db.execute('please select one from ' + x)",
    ],
)
def test_what_is_constant_harmless_or_elsewhere_is_left_alone(text: str) -> None:
    assert injections(text + "\n") == []


def test_all_branches_count() -> None:
    text = f"if a:\n    q = '{SELECT}' + x\nelse:\n    q = '{SELECT}1'\ndb.execute(q)\n"
    assert injections(text) == [2]


def test_parts_that_are_added_later_count() -> None:
    text = "q = 'SELECT a FROM b'\nif x:\n    q += ' WHERE c = %s' % x\ndb.execute(q)\n"
    assert injections(text) == [3]


def test_a_constant_of_the_module_is_known_in_its_functions() -> None:
    text = f"QUERY = '{SELECT}%s'\n\n\ndef f(x):\n    db.execute(QUERY % x)\n"
    assert injections(text) == [5]


def test_one_text_that_goes_two_ways_is_reported_once() -> None:
    assert injections(f"q = '{SELECT}' + x\ndb.execute(q)\ndb.execute(q)\n") == [1]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.js", f"function f(x) {{\n  const q = `{SELECT}${{x}}`;\n  db.query(q);\n}}\n"),
        ("a.ts", f"async function f(x: string) {{\n  const q = '{SELECT}' + x;\n  await db.query(q);\n}}\n"),
        ("a.go", f'func f(x string) {{\n\tq := fmt.Sprintf("{SELECT}%s", x)\n\tdb.Query(q)\n}}\n'),
        ("A.java", f'class A {{ void f(String x) {{\n  String q = "{SELECT}" + x;\n  s.executeQuery(q);\n}} }}\n'),
        ("a.rb", f'def f(x)\n  q = "{SELECT}#{{x}}"\n  db.execute(q)\nend\n'),
        ("a.php", f'<?php function f($x) {{\n  $q = "{SELECT}$x";\n  $db->query($q);\n}}\n'),
        ("a.cs", f'class A {{ void F(string x) {{\n  var q = $"{SELECT}{{x}}";\n  new SqlCommand(q);\n}} }}\n'),
        ("a.kt", f'fun f(x: String) {{\n  val q = "{SELECT}$x"\n  db.rawQuery(q, null)\n}}\n'),
    ],
)
def test_other_languages_are_followed_alike(path: str, text: str) -> None:
    assert injections(text, path) == [2]


def test_where_a_value_is_set_is_looked_up_once_however_often_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of many calls follows many values back; with all of them anew for each step it would take very long."""
    looked: list[SgNode] = []
    block = value_tracking._block

    def look(node: SgNode) -> tuple[int, int]:
        looked.append(node)
        return block(node)

    monkeypatch.setattr(value_tracking, "_block", look)
    calls = "    c.execute(s + q)\n    s = s + q\n" * 300
    found = review(RulesReviewer(), MemoryContext({"a.py": (None, f"def f(c, q):\n    s = {SELECT!r}\n{calls}")}))
    assert found
    assert len(looked) <= 301


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("a = 1\na = 2\nb(a)", ["2"]),
        ("a = 1\nif b:\n    a = 2\nb(a)", ["1", "2"]),
        ("a = 1\na += 2\nb(a)\na += 3", ["1", "2"]),
        ("a += 1\nb(a)", ["1"]),
        ("a = 1\ndef f():\n    a = 2\nb(a)", ["1"]),
        ("a = 1\ndef f():\n    c = 2\n    def g():\n        b(a)", ["1"]),
        ("a = 1\ndef f():\n    a = 2\n    def g():\n        a = 3\n    def h():\n        b(a)", ["2"]),
        ("a = 1\ndef f():\n    b(a)\n    a = 2", ["1"]),
        ("b(a)\na = 1", []),
    ],
)
def test_the_values_that_may_reach_a_place(text: str, values: list[str]) -> None:
    variables = value_tracking.Variables(parse(text, "python"), GRAMMARS["python"], text)
    assert [item.value.text() for item in variables.reaching("a", text.index("b(a)") + 2)] == values
