"""Errors that vanish, tests that do not run, and what is left over."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.rule import Rule, node

RULES = (
    Rule(
        id="ruby-empty-rescue",
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="Every error is dropped here without a trace, misspelt names included.",
        suggestion="Rescue the errors that are expected, and log the rest or let them pass.",
        needs=("rescue",),
        hint=r"rescue\s*(=>\s*\w+|(StandardError|Exception)(\s*=>\s*\w+)?)?\s*(;|\n)\s*(nil\s*(;|\n)\s*)?end",
        match={
            "kind": "rescue",
            "regex": r"^rescue\s*((StandardError|Exception))?(\s*=>\s*\w+)?\s*(;|\n|$)?\s*(nil)?\s*;?\s*$",
        },
        where="product",
        bad=(
            """
            begin
              save
            rescue => e  <--
            end
            """,
            """
            def load
              read
            rescue StandardError  <--
              nil
            end
            """,
        ),
        good=(
            """
            begin
              save
            rescue => e
              log(e)
            end
            """,
            """
            begin
              save
            rescue KeyError
              nil
            end
            """,
        ),
    ),
    Rule(
        id="ruby-rescue-everything",
        severity=Severity.LOW,
        category=Category.LOGIC,
        message="This also catches exit, Ctrl-C and a full memory.",
        suggestion="Rescue StandardError.",
        needs=("rescue Exception",),
        match={"kind": "rescue", "regex": r"^rescue Exception\b", "not": {"regex": r"\braise\b"}},
        where="product",
        bad=("begin\n  save\nrescue Exception => e  <--\n  log(e)\nend",),
        good=(
            "begin\n  save\nrescue Exception => e\n  log(e)\n  raise\nend",
            "begin\n  save\nrescue ExceptionList\n  log\nend",
        ),
    ),
    Rule(
        id="ruby-debugger",
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="A debugger stops the program here and waits for somebody at a terminal.",
        suggestion="Remove the line.",
        needs=("binding.pry", "byebug", "binding.irb", "debugger", "binding.break"),
        match={
            "any": [
                {"kind": "call", "regex": r"^binding\.(pry|irb|break|b|remote_pry)(\(\s*\))?$"},
                {
                    "kind": "identifier",
                    "regex": r"^(byebug|debugger)$",
                    "inside": {
                        "any": [
                            {"kind": "program"},
                            {"kind": "body_statement"},
                            {"kind": "then"},
                            {"kind": "do_block"},
                            {"kind": "block_body"},
                            {"kind": "else"},
                            {"kind": "do"},
                            {"kind": "begin"},
                            {"kind": "ensure"},
                        ]
                    },
                },
            ]
        },
        fix="",
        bad=("def total\n  binding.pry  <--\n  sum\nend", "def total\n  byebug  <--\n  sum\nend"),
        good=("require 'byebug'", "gem 'debugger'", "binding.local_variables"),
    ),
    Rule(
        id="ruby-focused-test",
        severity=Severity.HIGH,
        category=Category.TESTING,
        message="Only this test runs; every other one is left out without anybody noticing.",
        suggestion="Remove the focus.",
        needs=("fit ", "fit(", "fdescribe", "fcontext", "focus"),
        match={
            "any": [
                node(
                    "call",
                    {"has": {"field": "arguments", "has": {"any": [{"kind": "string"}, {"kind": "constant"}]}}},
                    method="^(fit|fdescribe|fcontext|fspecify)$",
                ),
                node(
                    "call",
                    method="^(it|describe|context|specify|scenario|feature)$",
                    arguments=r",\s*(:focus\b|focus:\s*true|:focus\s*=>\s*true)",
                ),
            ]
        },
        where="tests",
        bad=("fit 'adds' do\nend", "it 'adds', :focus do\nend", "describe Sum, focus: true do\nend"),
        good=("it 'adds' do\nend", "image.fit 100", "it 'sets the focus' do\nend"),
    ),
    Rule(
        id="ruby-skipped-test",
        severity=Severity.LOW,
        category=Category.TESTING,
        message="The test is off; nothing says why or until when.",
        suggestion="Mend the test or remove it.",
        needs=("xit ", "xit(", "xdescribe", "xcontext", "skip", "pending"),
        match={
            "any": [
                node(
                    "call",
                    {"has": {"field": "arguments", "has": {"any": [{"kind": "string"}, {"kind": "constant"}]}}},
                    method="^(xit|xdescribe|xcontext|xspecify)$",
                ),
                {
                    "kind": "identifier",
                    "regex": "^(skip|pending)$",
                    "inside": {"any": [{"kind": "do_block"}, {"kind": "body_statement"}, {"kind": "block_body"}]},
                },
            ]
        },
        where="tests",
        bad=("xit 'adds' do\nend", "def test_sum\n  skip  <--\n  assert_equal 1, sum\nend"),
        good=("it 'adds' do\nend", "def test_sum\n  skip 'needs a printer'\nend"),
    ),
    Rule(
        id="ruby-assignment-in-condition",
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        message="A constant is assigned, not compared: the condition always has the same outcome.",
        suggestion="Compare with ==.",
        needs=("if ", "unless "),
        hint=r"(if|unless)\s+\(?\w+\s*=\s*['\"\d:tfn]",
        match={
            "kind": "assignment",
            "inside": {
                "field": "condition",
                "any": [{"kind": "if"}, {"kind": "unless"}, {"kind": "if_modifier"}, {"kind": "unless_modifier"}],
            },
            "has": {
                "field": "right",
                "any": [
                    {"kind": "string"},
                    {"kind": "integer"},
                    {"kind": "simple_symbol"},
                    {"kind": "true"},
                    {"kind": "false"},
                    {"kind": "nil"},
                ],
            },
        },
        bad=("if state = 'open'\n  go\nend", "go if state = :open"),
        good=("if state == 'open'\n  go\nend", "if user = find(id)\n  go\nend"),
    ),
)
