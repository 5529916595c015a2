"""Rules of a repository's own, in ast-grep's YAML."""

from __future__ import annotations

import textwrap

import pytest

from selfreview.api import Category, Finding, IssueStatus, Severity
from selfreview.errors import ConfigError
from selfreview.reviewers.rules import RulesReviewer
from selfreview.syntax.languages import FOLDERS, spoken_name
from selfreview.testing.context import MemoryConfig, MemoryContext, review
from tests.reviewers.fakes import apply

NO_PRINT = """
id: no-print
language: Python
severity: warning
message: Call of print with $ARG
note: Use a logger.
rule:
  pattern: print($ARG)
fix: log.info($ARG)
"""


def reviewer(*documents: str, **files: str) -> RulesReviewer:
    return RulesReviewer(config(*documents, **files))


def config(*documents: str, **files: str) -> MemoryConfig:
    texts = {"rules/own.yml": "---\n".join(map(textwrap.dedent, documents)), **files}
    return MemoryConfig({"rules_path": ["rules"]}, {path: text.encode() for path, text in texts.items()})


def found(rules: RulesReviewer, text: str, path: str = "a.py", old: str | None = None) -> list[Finding]:
    with_marks = review(rules, MemoryContext({path: (old, text)}))
    return [finding for finding in with_marks if finding.rule not in {rule.id for rule in RulesReviewer().rules()}]


def test_a_rule_finds_what_its_file_says() -> None:
    (finding,) = found(reviewer(NO_PRINT), "x = 1\n\n\nprint(x)\n")
    assert (finding.rule, finding.line_start, finding.severity) == ("no-print", 4, Severity.MEDIUM)
    assert finding.description == "Call of print with x"
    assert finding.suggested_fix == "Use a logger."
    assert finding.category is Category.LOGIC
    assert apply("x = 1\n\n\nprint(x)\n", finding.edits) == "x = 1\n\n\nlog.info(x)\n"


@pytest.mark.parametrize(
    ("level", "severity"),
    [("error", "high"), ("warning", "medium"), ("info", "low"), ("hint", "suggestion"), (None, "suggestion")],
)
def test_ast_greps_levels_are_severities(level: str | None, severity: str) -> None:
    line = f"severity: {level}" if level else ""
    (finding,) = found(reviewer(NO_PRINT.replace("severity: warning", line)), "print(1)\n")
    assert finding.severity.value == severity


def test_a_rule_that_is_off_is_listed_and_does_not_run() -> None:
    rules = reviewer(NO_PRINT.replace("severity: warning", "severity: off"))
    assert found(rules, "print(1)\n") == []
    assert "no-print" in [rule.id for rule in rules.rules()]


def test_constraints_utilities_and_made_variables_count() -> None:
    rules = reviewer(
        """
        id: no-upper
        language: py
        rule: {matches: call}
        utils: {call: {pattern: $NAME($$$ARGS)}}
        constraints: {NAME: {regex: '^[A-Z]+$'}}
        transform: {LOWER: {convert: {source: $NAME, toCase: lowerCase}}}
        fix: $LOWER($$$ARGS)
        message: $NAME is called
        metadata: {category: style, owner: us}
        """
    )
    text = "f(1)\nSEND(a, b=2)\n"
    (finding,) = found(rules, text)
    assert (finding.line_start, finding.description, finding.category) == (2, "SEND is called", Category.STYLE)
    assert apply(text, finding.edits) == "f(1)\nsend(a, b=2)\n"


def test_what_is_made_of_a_secret_is_not_shown() -> None:
    token = "ghp_" + "aB3dE5fG7hJ9" + "kL1mN3pQ5rS7tU9vW1xY3zA5"
    rules = reviewer(
        """
        id: no-token
        language: py
        rule: {pattern: token = $VALUE}
        transform: {PART: {substring: {source: $VALUE, startChar: 6, endChar: 38}}}
        fix: token = $PART
        message: it is $PART of $VALUE
        """
    )
    (plain, secret) = found(rules, f'token = "a name that is long"\ntoken = "{token}"\n')
    assert (plain.description, len(plain.edits)) == ('it is e that is long" of "a name that is long"', 1)
    assert (token[8:16] in secret.description.partition(" of ")[0], secret.edits) == (False, ())


@pytest.mark.parametrize(
    ("globs", "path", "is_found"),
    [
        ("files: ['src/**/*.py']", "src/a.py", True),
        ("files: ['src/**/*.py']", "src/b/c/a.py", True),
        ("files: ['src/*.py']", "src/b/a.py", True),
        ("files: ['./src/*']", "src/a.py", True),
        ("files: ['src/**/*.py']", "lib/a.py", False),
        ("files: ['{src,lib}/[ab].py']", "lib/a.py", True),
        ("files: ['{src,lib}/[!ab].py']", "lib/a.py", False),
        ("files: ['?ib/a.py']", "lib/a.py", True),
        ("files: ['lib/a,b.py']", "lib/a,b.py", True),
        ("files: ['lib/a,b.py']", "b.py", False),
        ("files: ['{src,{lib,bin}}/a,b.py']", "bin/a,b.py", True),
        ("files: [{glob: 'LIB/**', caseInsensitive: true}]", "lib/a.py", True),
        ("files: ['LIB/**']", "lib/a.py", False),
        ("files: []", "lib/a.py", False),
        ("ignores: ['**/a.py']", "lib/a.py", False),
        ("ignores: ['**/a.py']", "a.py", False),
        ("files: ['lib/**']\nignores: ['lib/old/**']", "lib/old/a.py", False),
    ],
)
def test_files_and_ignores_are_patterns_as_in_ast_grep(globs: str, path: str, is_found: bool) -> None:
    assert bool(found(reviewer(NO_PRINT + globs), "print(1)\n", path)) is is_found


def test_several_rules_stand_in_one_file_and_each_is_for_its_language() -> None:
    rules = reviewer(NO_PRINT, "id: no-log\nlanguage: TypeScript\nrule: {pattern: console.log($A)}\n")
    assert [finding.rule for finding in found(rules, "print(1)\n")] == ["no-print"]
    assert [finding.rule for finding in found(rules, "console.log(1);\n", "a.ts")] == ["no-log"]
    assert found(rules, "console.log(1);\n", "a.js") == []


def test_code_is_read_as_it_is_written() -> None:
    comment = "id: no-todo\nlanguage: Python\nrule: {kind: comment, regex: TODO}\n"
    (finding,) = found(reviewer(comment), "x = (1 +  # TODO\n     2)\n")
    assert finding.line_start == 1


def test_what_stood_before_is_not_new() -> None:
    rules = reviewer("id: no-function\nlanguage: Python\nrule: {kind: function_definition}\n")
    old = "def f():\n    a()\n"
    found = RulesReviewer.review(rules, *_changed(old, old.replace("a()", "b()"))).findings
    (mine,) = [finding for finding in found if finding.rule == "no-function"]
    assert mine.status is IssueStatus.OUT_OF_SCOPE


def _changed(old: str, new: str):
    context = MemoryContext({"a.py": (old, new)})
    return context.change.files, context


@pytest.mark.parametrize(
    ("text", "fix", "mended"),
    [
        ("if a:\n    print(b)\n    c()\n", "log(\n  $ARG)", "if a:\n    log(\n      b)\n    c()\n"),
        ("a()\nprint(b)\n", '""', "a()\n"),
        ("print(\n    b)\n", "log($ARG)", None),
        ("print(b)\n", "log($ARG, $NOTHING)", "log(b, )\n"),
    ],
)
def test_a_fix_is_made_where_it_can_be_written(text: str, fix: str, mended: str | None) -> None:
    written = f"fix: {fix}" if fix == '""' else "fix: |-\n  " + fix.replace("\n", "\n  ")
    (finding,) = found(reviewer(NO_PRINT.replace("fix: log.info($ARG)", written)), text)
    assert (apply(text, finding.edits) if finding.edits else None) == mended


@pytest.mark.parametrize(("text", "is_mended"), [(b"print('\xff')\n", False), (b"print('x')  # \xff\n", True)])
def test_a_fix_writes_no_character_that_the_parser_was_shown_instead_of_another(text: bytes, is_mended: bool) -> None:
    findings = review(reviewer(NO_PRINT), MemoryContext({"a.py": (None, text)}))
    (finding,) = [finding for finding in findings if finding.rule == "no-print"]
    assert bool(finding.edits) is is_mended


def test_a_fix_that_takes_more_than_the_match_brings_no_edit() -> None:
    table = "fix: {template: 'log($ARG)', expandEnd: {regex: ','}}"
    (finding,) = found(reviewer(NO_PRINT.replace("fix: log.info($ARG)", table)), "print(1)\n")
    assert finding.edits == ()
    (finding,) = found(reviewer(NO_PRINT.replace("fix: log.info($ARG)", "fix: {template: 'log($ARG)'}")), "print(1)\n")
    assert len(finding.edits) == 1


def test_truth_values_are_those_of_ast_grep() -> None:
    rules = reviewer(
        "id: no-yes\nlanguage: Python\nrule:\n  pattern: yes\nseverity: off\n---\nid: no-x\n" + NO_PRINT[13:]
    )
    assert found(rules, "yes\nprint(1)\n")[0].rule == "no-x"


def test_a_rule_of_ones_own_is_listed_with_its_place_and_tests() -> None:
    tests = "id: no-print\nvalid: [log(1)]\ninvalid: ['print(1)', 'print(2)']\n"
    listed = {rule.id: rule for rule in reviewer(NO_PRINT + "url: https://example.com/x\n", tests).rules()}
    rule = listed["no-print"]
    assert (rule.place, rule.languages, rule.has_fix, rule.url) == (
        "rules/own.yml:2",
        ("python",),
        True,
        "https://example.com/x",
    )
    assert ([one.code for one in rule.bad], [one.code for one in rule.good]) == (["print(1)", "print(2)"], ["log(1)"])


def test_settings_and_snapshots_of_ast_grep_are_no_rules() -> None:
    beside = {
        "rules/sgconfig.yml": "ruleDirs: [rules]\n",
        "rules/s.yml": "id: no-print\nsnapshots: {}\n",
        "rules/e.yml": "",
    }
    assert "no-print" in [rule.id for rule in reviewer(NO_PRINT, **beside).rules()]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("id: [", "rules/own.yml:2: "),
        ("id: a\tb: c\n", "rules/own.yml:1: "),
        ("- a\n", "rules/own.yml:1: this is no rule"),
        ("\n\nid: a\nlanguage: Python\n", "rules/own.yml:3: Object missing required field `rule`"),
        (
            "id: a\nlanguage: Python\nrule: {kind: nope}\n",
            "rules/own.yml:3: the rule 'a' cannot be used: .*`nope` is invalid",
        ),
        ("id: a\nlanguage: Python\nrule: {regex: '('}\n", "rules/own.yml:3: .*unclosed group"),
        ("id: a\nlanguage: Python\nrule: {patern: x}\n", "rules/own.yml:3: .*unknown field `patern`"),
        ("id: a\nlanguage: Python\nrule: {pattern: x}\nfoo: 1\n", "rules/own.yml:1: .*unknown field `foo`"),
        ("id: a\nlanguage: Cobol\nrule: {pattern: x}\n", "rules/own.yml:1: the rule 'a' is for 'Cobol'"),
        ("id: a b\nlanguage: Python\nrule: {pattern: x}\n", "rules/own.yml:1: the id 'a b'"),
        ("id: a\nlanguage: Python\nrule: {pattern: x}\nseverity: bad\n", "rules/own.yml:1: severity must be one of"),
        ("id: python-eval\nlanguage: Python\nrule: {pattern: x}\n", "rules/own.yml:1: .*embedded pack"),
        (NO_PRINT + "---" + NO_PRINT, "rules/own.yml:11: the rule 'no-print' is in rules/own.yml:2, too"),
        ("id: a\nvalid: [x]\n", "rules/own.yml:1: tests of a rule 'a', which is not there"),
        ("id: &a b\nlanguage: *a\nrule: {pattern: x}\n", "rules/own.yml:2: aliases"),
        ("a: " + "[" * 100 + "]" * 100, "rules/own.yml:1: this is nested too deeply"),
        ("a: !!python/object:os.system x\n", "rules/own.yml:1: could not determine a constructor"),
        (
            f"id: a\nlanguage: Python\nrule: {{pattern: {'f(' * 1_000 + ')' * 1_000}}}\n",
            "rules/own.yml:3: a text of the",
        ),
        (NO_PRINT + "files: ['[z-a]']\n", r"rules/own.yml:2: '\[z-a\]' is no pattern of paths"),
        (NO_PRINT + "ignores: ['{a']\n", "rules/own.yml:2: '{a' is no pattern of paths"),
        (NO_PRINT + f"ignores: ['{'*a' * 40}']\n", "rules/own.yml:2: .*too many wildcards"),
        ("x" * 300_000, "rules/own.yml is larger than 256 KiB"),
        ("id: \x00\n", "rules/own.yml"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(text: str, told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        RulesReviewer(MemoryConfig({"rules_path": ["rules"]}, {"rules/own.yml": text.encode()}))


def test_a_language_goes_by_the_names_that_messages_have() -> None:
    for language in FOLDERS:
        rules = reviewer(f"id: a\nlanguage: {spoken_name(language)}\nrule: {{kind: ERROR}}\n")
        assert [rule.languages for rule in rules.rules() if rule.id == "a"] == [(language,)]


def test_the_number_of_rules_is_bounded() -> None:
    text = "---\n".join(f"id: r{number}\nlanguage: Python\nrule: {{pattern: x}}\n" for number in range(1_001))
    with pytest.raises(ConfigError, match=r"rules/own\.yml:4001: there are more than 1,000 rules in rules_path"):
        RulesReviewer(MemoryConfig({"rules_path": ["rules"]}, {"rules/own.yml": text.encode()}))


def test_all_files_together_are_bounded() -> None:
    many = {f"rules/{number}.yml": b"#" * 255_000 for number in range(20)}
    with pytest.raises(ConfigError, match="larger than 4 MiB together"):
        RulesReviewer(MemoryConfig({"rules_path": ["rules"]}, many))


def test_the_cache_knows_the_rules() -> None:
    context = MemoryContext({"a.py": (None, "print(1)\n")})
    none, one, other = (
        rules.cache_key(context)
        for rules in (RulesReviewer(), reviewer(NO_PRINT), reviewer(NO_PRINT.replace("logger", "log")))
    )
    assert len({none, one, other}) == 3
    assert reviewer(NO_PRINT).cache_key(context) == one
