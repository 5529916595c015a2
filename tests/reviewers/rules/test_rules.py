"""The rules reviewer: places, limits, and both sides of a change."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfreview.api import Category, ChangedFile, Finding, Severity, Side
from selfreview.model.change import FileStatus
from selfreview.reviewers.rules import MAX_CHARACTERS, RulesReviewer
from selfreview.reviewers.rules.parseable import MAX_CODE, php_only
from selfreview.testing.context import MemoryContext, review

RULES = RulesReviewer()


def found(text: str | bytes, path: str = "src/app.py", old: str | bytes | None = None) -> list[Finding]:
    return review(RULES, MemoryContext({path: (old, text)}))


def only(text: str | bytes, path: str = "src/app.py") -> Finding:
    (finding,) = found(text, path)
    return finding


class TestPlaces:
    @pytest.mark.parametrize(
        ("text", "line", "column"),
        [
            ("eval(x)\n", 1, 1),
            ("a = 1\r\nb = eval(x)\r\n", 2, 5),
            ("a = 'é𝒳日'; eval(x)\n", 1, 12),
            ("# a\u2028b\x85c\x0bd\x0ce\nif a:\n\x0c    eval(x)\n", 3, 6),
            ("'''a\rb'''\neval(x)", 2, 1),
            ("\ufeffeval(x)\n", 1, 1),
            ("\ufeff# é\neval(x)\n", 2, 1),
        ],
    )
    def test_lines_are_split_at_line_feeds_and_columns_count_characters(
        self, text: str, line: int, column: int
    ) -> None:
        finding = only(text)
        assert (finding.line_start, finding.line_end, finding.column) == (line, line, column)

    def test_bytes_that_are_no_text_shift_nothing(self) -> None:
        finding = only(b"a = '\xff\xfe\xe9' # \xe2\x82\nb = '\xff'; eval(x)\n")
        assert (finding.line_start, finding.column) == (2, 10)

    def test_nul_bytes_and_broken_code_are_read_over(self) -> None:
        assert only("def f(:\n  '\0'\n\n\neval(x)\n").line_start == 5

    def test_old_python_is_read(self) -> None:
        text = "print 'a'\ntry:\n    b()\nexcept E, e:\n    print e\ncursor.execute('select a from b where c=' + d)\n"
        assert (only(text).rule, only(text).line_start) == ("python-sql-injection", 6)

    def test_a_finding_spans_what_it_is_about(self) -> None:
        finding = only("cursor.execute(\n    'select a from b '\n    'where c = %s'\n    % d\n)\n")
        assert (finding.line_start, finding.line_end) == (2, 4)

    @pytest.mark.parametrize(
        ("path", "text", "assignment"),
        [
            ("a.js", "if (x) { if (state = 'open') go(); }\n", "state = 'open'"),
            ("a.ts", "  if (a = 1) go(); else if (b) stop();\n", "a = 1"),
            ("a.php", "<?php if ($state = 'open') go();\n", "$state = 'open'"),
            ("a.c", "void f(int a) { if (a = 0) stop(); }\n", "a = 0"),
            ("a.cpp", "void f(int a) { if (a = 0) stop(); }\n", "a = 0"),
            ("a.rb", "go if state = :open\n", "state = :open"),
            ("a.rb", "if state = 'open'\n  go\nend\n", "state = 'open'"),
        ],
    )
    def test_an_assignment_in_a_condition_is_pointed_at(self, path: str, text: str, assignment: str) -> None:
        finding = only(text, path)
        assert finding.rule is not None
        assert finding.rule.endswith("assignment-in-condition")
        assert (finding.line_start, finding.line_end, finding.column) == (1, 1, text.index(assignment) + 1)

    def test_a_value_is_reported_where_it_is_built_and_names_where_it_goes(self) -> None:
        finding = only("def f(d):\n    q = f'select a from b where c = {d}'\n\n    cursor.execute(q)\n")
        assert finding.line_start == 2
        assert [(place.line_start, place.note) for place in finding.related] == [(4, "goes into cursor.execute")]


class TestPages:
    @pytest.mark.parametrize(
        ("text", "line"),
        [
            ('<b>\n<p><?= $_GET["a"] ?></p>\n', 2),
            ('<?= $_GET["a"] ?>', 1),
            ("<?php\n$a = '?>';\necho $_GET['a'];", 3),
            ("<?php // it's ?>\n<b>it's</b>\n<?php echo $_GET['a'];", 3),
            ("<?php /* ?> */ # ?>\n\n<? echo $_GET['a'] ?>", 3),
            ("<?php // ?> <?php echo $_GET['a'];", 1),
            ("<?php f(); # it's ?><?php echo $_GET['a'];", 1),
            ("<?php // ?>\n <?php // ?> <?= $_GET['a'] ?>", 2),
            ("<?xml version='1.0'?>\n<?php\necho $_GET['a'];", 3),
        ],
    )
    def test_the_php_of_a_page_is_found_between_the_markup(self, text: str, line: int) -> None:
        finding = only(text, "a.php")
        assert (finding.rule, finding.line_start) == ("php-page-from-request", line)

    @pytest.mark.parametrize(
        "text",
        [
            '<?php // ?> <?php eval($_GET["x"]);',
            '<?= eval($_GET["x"]) ?>',
            '<?=eval($_GET["x"]);',
            'a<?= eval($_GET["x"]) ?>',
        ],
    )
    def test_code_behind_a_comment_or_a_short_tag_is_read(self, text: str) -> None:
        assert "php-code-from-values" in {finding.rule for finding in found(text, "a.php")}

    @pytest.mark.parametrize(
        "before",
        [
            "$x = <<<'E'\n?>\nE;",
            "$x = <<<E\n?>\n  Ex\n  E;",
            '$x = <<<"E"\n\\\\{$a["?>"]}\nE;',
            "$x = <<<E\r\n?>\r\nE;",
            '$x = <<<E\n"\nE;\n?> <b>"</b> <?php ',
            "$x = <<<'E'\n'{$\nE;\n?> <b>'</b> <?php ",
            '$x = "{$a["?>"]}";',
            '$x = "${a["?>"]}";',
            '$x = "{$a[{$b["{$c["?>"]}"]}]} ?>";',
            "$x = `echo '{' ?>`;",
            '$x = "\\" { ?>"; ?> \'<?PHP ',
            "?><?php } ?><?php ",
        ],
    )
    def test_a_text_closes_no_page(self, before: str) -> None:
        line = before.count("\n") + 2
        named = [(one.rule, one.line_start) for one in found(f"<?php {before}\neval($_GET['x']);\n", "a.php")]
        assert ("php-code-from-values", line) in named

    def test_markup_is_no_code(self) -> None:
        assert found("<?php f(); ?>\necho $_GET['a']; system(\"a $b\");\n", "a.php") == []

    @given(st.text(alphabet="<?ph= \n'\"/*#>$a;\\{}`", max_size=60))
    def test_blanking_the_markup_moves_nothing(self, text: str) -> None:
        php = php_only(text)
        assert len(php) == len(text)
        assert [i for i, c in enumerate(php) if c == "\n"] == [i for i, c in enumerate(text) if c == "\n"]


class TestFixes:
    @pytest.mark.parametrize(
        ("text", "edit"),
        [
            ("def f():\n    breakpoint()\n    return 1\n", (2, 0, 3, 0, "")),
            ("x = 1; pdb.set_trace()\n", (1, 5, 1, 22, "")),
            ("é = requests.get(a, verify=False)\n", (1, 20, 1, 32, "verify=True")),
        ],
    )
    def test_are_edits_of_characters_or_of_whole_lines(self, text: str, edit: tuple[object, ...]) -> None:
        (made,) = only(text).edits
        assert (made.line_start, made.column_start, made.line_end, made.column_end, made.replacement) == edit


class TestLimits:
    @pytest.mark.parametrize(
        "before",
        [
            pytest.param("A = 1;" + " " * 15_000, id="spaces"),
            pytest.param(f"A = '{'aB3/' * 50_000}'; ", id="encoded bytes"),
            pytest.param(f"A = '{'a few plain words, ' * 5_000}'; ", id="prose"),
            pytest.param(f"A = [{'-1.25, 0x1f, ' * 5_000}]; ", id="numbers"),
            pytest.param("f(y); " * 3_000, id="code"),
        ],
    )
    def test_code_behind_a_long_line_is_found_at_its_column(self, before: str) -> None:
        context = MemoryContext({"a.py": (None, f"eval(x)\n{before}eval(x)\neval(y)\n")})
        result = RULES.review(context.change.files, context)
        assert [(f.rule, f.line_start, f.column) for f in result.findings] == [
            ("python-eval", 1, 1),
            ("python-eval", 2, len(before) + 1),
            ("python-eval", 3, 1),
        ]
        assert result.not_applicable == []

    @pytest.mark.parametrize("tie", ["=", " = ", "+=", "+", "/", "-", "=-", "=b+"])
    @pytest.mark.parametrize("length", range(200, 330, 5))
    def test_a_name_tied_to_an_endless_word_is_read_whole(self, tie: str, length: int) -> None:
        text = f"{'a' * length}{tie}eval(y)  # {'pad ' * 600}\n"
        assert [(f.rule, f.column) for f in found(text)] == [("python-eval", length + len(tie) + 1)]

    def test_an_endless_name_is_the_same_wherever_it_stands(self) -> None:
        name = "a" * 300
        text = f"def f(b):\n    {name}=f'rm -r {{b}}'; os.system({name})  # {'pad ' * 600}\n"
        assert [f.rule for f in found(text)] == ["python-shell-injection"]

    def test_a_fix_never_writes_data_that_was_broken_up(self) -> None:
        finding = only(f"requests.get('{'a' * 3_000}', verify=False)\n")
        assert (finding.rule, finding.edits) == ("python-tls-verify-off", ())

    def test_a_line_with_too_much_code_blocks_and_the_file_counts_as_not_looked_at(self) -> None:
        context = MemoryContext({"a.py": (None, f"eval(x)\nA = [{'f(y), ' * MAX_CODE}]; eval(x)\n")})
        result = RULES.review(context.change.files, context)
        assert [(f.rule, f.line_start, f.severity) for f in result.findings] == [
            ("line-too-long-to-review", 2, "medium"),
            ("python-eval", 1, "high"),
        ]
        assert result.not_applicable == ["a.py"]
        assert [f.unreviewed for f in result.findings] == [True, False]

    def test_a_line_that_was_long_before_does_not_count_against_the_change(self) -> None:
        long = f"A = [{'f(y), ' * MAX_CODE}]\n"
        context = MemoryContext({"a.py": (long, f"{long}b = 1\n")})
        assert RULES.review(context.change.files, context).not_applicable == []

    def test_encoded_words_cost_no_more_than_their_length(self) -> None:
        text = f"a = '{'a' * 1_000_000}'\nc.execute(a + b); password = a; assert a\n"
        assert isinstance(found(text, "tests/test_a.py", f"{text}\nassert b\n"), list)

    def test_a_huge_file_counts_as_not_looked_at(self) -> None:
        context = MemoryContext({"a.py": (None, "eval(x)\n" + "a = 1\n" * (MAX_CHARACTERS // 5))})
        result = RULES.review(context.change.files, context)
        assert (result.not_applicable, result.unreviewed) == (["a.py"], {})
        (finding,) = result.findings
        assert (finding.rule, finding.line_start, finding.severity) == ("file-too-large-to-review", 0, Severity.MEDIUM)
        assert (finding.category, finding.unreviewed) == (Category.SECURITY, True)
        assert (finding.evidence or "").startswith("content ")

    @pytest.mark.parametrize(
        "path", ["a.py", *(pytest.param(path, marks=pytest.mark.long) for path in ("a.js", "a.java"))]
    )
    def test_deep_nesting_ends_no_process(self, path: str) -> None:
        deep = "f(\n" * 30_000 + "a" + ")\n" * 30_000
        script = (
            "import sys\n"
            "from selfreview.reviewers.rules import RulesReviewer\n"
            "from selfreview.testing.context import MemoryContext, review\n"
            "review(RulesReviewer(), MemoryContext({sys.argv[1]: (None, sys.stdin.read())}))\n"
        )
        code = f"x = {deep} == {deep};\nif (a.b == a.b) {{}}\nx.equals(x); a.b = a.b;\nassertEqual({deep}, {deep})\n"
        done = subprocess.run(
            [sys.executable, "-c", script, path], input=code.encode(), capture_output=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, b"")

    def test_nested_and_endless_expressions_are_followed_only_so_far(self) -> None:
        parts = "cursor.execute('select a from b where c = ' + " + "(\n" * 5_000 + "d" + ")\n" * 5_000 + ")\n"
        chain = "".join(f"x{n + 1} = x{n} + 'where a = '\n" for n in range(3_000)) + "cursor.execute(x3000)\n"
        assert isinstance(found(parts + chain), list)


class TestSelection:
    @pytest.mark.parametrize("path", ["a.py", "a.ts", "b/Gemfile", "a.h"])
    def test_takes_languages_with_rules(self, path: str) -> None:
        assert RULES.selects(ChangedFile(path=path))

    @pytest.mark.parametrize(
        "file",
        [
            ChangedFile(path="a.md"),
            ChangedFile(path="a.sql"),
            ChangedFile(path="a.py", binary=True),
            ChangedFile(path="a.py", new_mode="120000"),
            ChangedFile(path="a.py", new_mode="160000"),
        ],
        ids=["prose", "no rules", "binary", "link", "submodule"],
    )
    def test_leaves_the_rest(self, file: ChangedFile) -> None:
        assert not RULES.selects(file)

    def test_a_deleted_file_has_nothing_to_say(self) -> None:
        context = MemoryContext({"a.py": ("eval(x)\n", None)})
        assert RULES.review(context.change.files, context).findings == []

    def test_content_that_cannot_be_had_is_not_reviewed(self) -> None:
        context = MemoryContext({"a.py": ("a\n", None)})
        file = ChangedFile(path="a.py", status=FileStatus.MODIFIED)
        assert RULES.review([file], context).unreviewed == {"a.py": "its content cannot be read"}

    def test_rules_for_products_leave_tests_alone(self) -> None:
        assert found("eval(x)\n", "tests/test_app.py") == []
        assert only("assert True\n", "tests/test_app.py").rule == "python-assert-constant"
        assert found("assert True\n", "src/app.py") == []


class TestCost:
    def test_importing_the_reviewer_loads_no_rules_and_no_parser(self) -> None:
        loaded = modules("import selfreview.reviewers.rules")
        assert not {m for m in loaded if m.startswith(("ast_grep_py", "selfreview.rules.python"))}

    def test_a_file_without_the_words_is_not_parsed(self) -> None:
        loaded = modules(
            "from selfreview.reviewers.rules import RulesReviewer\n"
            "from selfreview.testing.context import MemoryContext, review\n"
            "review(RulesReviewer(), MemoryContext({'a.py': ('import a\\n', 'import b\\n')}))"
        )
        assert "selfreview.rules.python.bugs" in loaded
        assert not {m for m in loaded if m.startswith(("ast_grep_py", "selfreview.rules.go", "selfreview.rules.ruby"))}


def modules(code: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint('\\n'.join(sys.modules))"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


def test_the_cache_key_holds_still_and_knows_the_pack() -> None:
    context = MemoryContext({})
    assert RULES.cache_key(context) == RulesReviewer().cache_key(context)
    assert len(RULES.cache_key(context) or b"") == 32


class TestRemoved:
    OLD = "@login_required\ndef show(request):\n    return render(request)\n"

    def test_a_check_is_reported_on_the_line_that_it_had(self) -> None:
        (finding,) = found("def show(request):\n    return render(request)\n", old=self.OLD)
        assert (finding.rule, finding.side, finding.line_start) == ("removed-access-check", Side.OLD, 1)
        assert finding.description.startswith("show no longer checks")

    def test_a_check_that_moved_is_none_that_went(self) -> None:
        new = "def show(request):\n    return render(request)\n\n\nurls = [login_required(show)]\n"
        assert found(new, old=self.OLD) == []

    def test_the_methods_of_two_classes_are_told_apart(self) -> None:
        method = "class {}:\n    def test_a(self):\n        {}\n"
        old = method.format("A", "assert f()") + method.format("B", "assert g()")
        new = method.format("A", "f()") + method.format("B", "assert g()")
        (finding,) = found(new, "tests/test_a.py", old)
        assert (finding.line_start, finding.description.split(" asserts")[0]) == (3, "The test A.test_a")

    def test_an_assertion_that_only_moved_within_the_file_is_still_there(self) -> None:
        old = "def test_a():\n    assert f()\n    assert g()\n"
        new = "def test_a():\n    assert f()\n\n\ndef test_b():\n    assert g()\n"
        assert found(new, "tests/test_a.py", old) == []

    def test_a_test_that_was_split_asserts_no_less(self) -> None:
        old = "def test_a():\n    assert f() == 1\n    assert g() == 2\n"
        new = "def test_a():\n    assert f() == 1\n\n\ndef test_b():\n    result = g()\n    assert result == 2\n"
        assert found(new, "tests/test_a.py", old) == []

    def test_decorators_of_several_lines_belong_to_the_function(self) -> None:
        old = "@app.route('/')\n@login_required\n@cached\ndef show(request):\n    return render(request)\n"
        (finding,) = found(old.replace("@login_required\n", ""), old=old)
        assert (finding.rule, finding.line_start) == ("removed-access-check", 2)

    def test_the_same_tests_in_the_product_are_not_looked_at(self) -> None:
        assert found("def test_a():\n    f()\n", "src/a.py", "def test_a():\n    assert f()\n") == []

    def test_a_new_file_takes_nothing_away(self) -> None:
        assert found("def show(request):\n    return 1\n", old=None) == []


class TestSkips:
    @pytest.mark.parametrize(
        ("path", "old", "new"),
        [
            ("a.test.ts", "it('adds', () => {\n  run();\n});\n", "it.skip('adds', () => {\n  run();\n});\n"),
            ("test_a.py", "def test_sum():\n    run()\n", "@pytest.mark.skip\ndef test_sum():\n    run()\n"),
            (
                "a_test.go",
                "func TestA(t *testing.T) {\n\trun()\n}\n",
                "func TestA(t *testing.T) {\n\tt.Skip()\n\trun()\n}\n",
            ),
            ("tests/a.rs", "#[test]\nfn adds() {\n    run();\n}\n", "#[test]\n#[ignore]\nfn adds() {\n    run();\n}\n"),
        ],
    )
    def test_one_that_ran_before_is_told_once(self, path: str, old: str, new: str) -> None:
        (finding,) = found(new, path, old)
        assert (finding.rule, finding.severity) == ("existing-test-skipped", Severity.MEDIUM)

    def test_a_new_one_is_told_as_such(self) -> None:
        (finding,) = found("it('a', run);\nit.skip('adds', run);\n", "a.test.ts", "it('a', run);\n")
        assert finding.rule == "javascript-skipped-test"


class TestSuggestions:
    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("if (user == null) debugger;\nsave(user);\n", "Remove it with its `if`."),
            ("if (user) save(user); else debugger;\nstop();\n", "Remove it with its `else`."),
            ("while (busy()) debugger;\nstop();\n", "Remove it with its `while`."),
            ("if (user == null) { debugger; }\nsave(user);\n", "Remove the statement."),
            ("debugger;\nsave(user);\n", "Remove the statement."),
        ],
    )
    def test_what_removes_a_statement_leaves_the_next_one_alone(self, text: str, said: str) -> None:
        assert only(text, "a.js").suggested_fix == said
