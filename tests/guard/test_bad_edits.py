"""What a fixer may not write: each edit is rejected by exactly one rule."""

from __future__ import annotations

import pytest

from selfreview.git.worktree_files import Entry
from selfreview.secrets.redactor import Redactor
from tests.guard.edits import Edit, judge

KEPT = "password = 'Tr0ub4dor" + "&3x'\n"
LONG = "".join(f"def f{n}(a):\n    return a + {n}\n" for n in range(60))
TEST = """
    import pytest
    from app import f

    def test_one():
        assert f(1) == 2
        assert f(2) == 4

    def test_two():
        with pytest.raises(ValueError, match="no"):
            f(-1)

    @pytest.mark.parametrize("n", [1, 2, 3])
    def test_three(n):
        assert f(n) == n * 2
"""
UNIT = """
    import unittest

    class TestF(unittest.TestCase):
        def test_one(self):
            self.assertEqual(f(1), 2)
            self.assertAlmostEqual(f(0.1), 0.2)
"""
JS = """
    describe("f", () => {
      it("doubles", () => {
        expect(f(1)).toBe(2);
        expect(f(2)).toEqual(4);
      });
      it("throws", () => {
        expect(() => f()).toThrow(TypeError);
      });
    });
"""
GO = """
package app

import "testing"

func TestDouble(t *testing.T) {
\tif got := Double(1); got != 2 {
\t\tt.Errorf("got %d", got)
\t}
}

func TestZero(t *testing.T) {
\trequire.Equal(t, 0, Double(0))
}
"""
JAVA = """
    class FTest {
        @Test
        void doubles() {
            assertEquals(2, F.of(1));
        }
    }
"""
RUST = """
    pub fn double(n: i32) -> i32 {
        n * 2
    }

    #[cfg(test)]
    mod tests {
        #[test]
        fn doubles() {
            assert_eq!(double(1), 2);
        }

        #[test]
        fn zero() {
            assert_eq!(double(0), 0);
        }
    }
"""
RUBY = """
    describe F do
      it "doubles" do
        expect(f(1)).to eq(2)
      end

      it "is zero" do
        expect(f(0)).to eq(0)
      end
    end
"""
PHP = """
    <?php
    class FTest extends TestCase {
        public function testDoubles() {
            $this->assertSame(2, f(1));
        }
    }
"""
CSHARP = """
    public class FTests {
        [Fact]
        public void Doubles() {
            Assert.Equal(2, F.Of(1));
        }
    }
"""
JAVA_LIKE = 'it("doubles", () => {\n  expect(f(1)).toBe(2);\n});\n'
CODE = """
    import os

    def f(n):
        total = n
        total += n
        return total

    def g(n):
        return f(n) + 1
"""
SHELL = "#!/bin/sh\nset -eu\nmake test\n"
SCRIPT = "tests/test_app.py"


def test(old: str, *swaps: tuple[str, str], path: str = SCRIPT) -> Edit:  # noqa: PT028 - no test of its own
    new = old
    for before, after in swaps:
        assert before in new
        new = new.replace(before, after, 1)
    return Edit({path: (old, new)}, issues=(("app.py", 1, "wrong"),))


test.__test__ = False  # type: ignore[attr-defined]


def code(old: str, *swaps: tuple[str, str], path: str = "app.py") -> Edit:
    edit = test(old, *swaps, path=path)
    return Edit(edit.files, issues=((path, 3, "it is wrong"),))


JS_TEST, GO_TEST, JAVA_TEST, RUBY_TEST = "src/f.test.ts", "app_test.go", "src/test/FTest.java", "spec/f_spec.rb"
PHP_TEST, CSHARP_TEST = "tests/FTest.php", "F.Tests/FTests.cs"

WEAKENED: dict[str, tuple[str, Edit]] = {
    "python test removed": ("held", test(TEST, ("def test_one", "def helper"))),
    "python test file deleted": ("held", Edit({SCRIPT: (UNIT, None)})),
    "python test in a class removed": ("held", test(UNIT, ("def test_one", "def one"))),
    "assertion removed": ("held", test(TEST, ("    assert f(2) == 4\n", ""))),
    "raises removed": (
        "held",
        test(TEST, ('        with pytest.raises(ValueError, match="no"):\n            f(-1)', "        f(1)")),
    ),
    "unittest assertion removed": ("held", test(UNIT, ("self.assertEqual(f(1), 2)", "f(1)"))),
    "case removed": ("held", test(TEST, ("[1, 2, 3]", "[1, 2]"))),
    "emptied": ("held", test(TEST, ("        assert f(1) == 2\n        assert f(2) == 4\n", "        pass\n"))),
    "emptied to a docstring": ("held", test(TEST, ("assert f(n) == n * 2", '"""Nothing."""'))),
    "== to in": ("held", test(TEST, ("assert f(1) == 2", "assert f(1) in (2, 3)"))),
    "== to >=": ("held", test(TEST, ("assert f(1) == 2", "assert f(1) >= 2"))),
    "== to is not None": ("held", test(TEST, ("assert f(1) == 2", "assert f(1) is not None"))),
    "== to a truth": ("held", test(TEST, ("assert f(1) == 2", "assert f(1)"))),
    "== to isinstance": ("held", test(TEST, ("assert f(1) == 2", "assert isinstance(f(1), int)"))),
    "== to approx": ("held", test(TEST, ("assert f(1) == 2", "assert f(1) == pytest.approx(2, abs=1)"))),
    "assert True": ("held", test(TEST, ("assert f(1) == 2", "assert True"))),
    "assert a tuple": ("held", test(TEST, ("assert f(1) == 2", "assert (f(1) == 2, 'msg')"))),
    "or True": ("held", test(TEST, ("assert f(1) == 2", "assert f(1) == 2 or True"))),
    "the same on both sides": ("held", test(TEST, ("assert f(1) == 2", "assert f(1) == f(1)"))),
    "assertEqual to assertTrue": (
        "held",
        test(UNIT, ("self.assertEqual(f(1), 2)", "self.assertTrue(f(1))")),
    ),
    "fewer places": ("held", test(UNIT, ("f(0.1), 0.2)", "f(0.1), 0.2, places=1)"))),
    "any error": ("held", test(TEST, ("raises(ValueError,", "raises(Exception,"))),
    "a base of the error": (
        "held",
        test(TEST.replace("ValueError", "KeyError"), ("KeyError", "LookupError")),
    ),
    "one more error": ("held", test(TEST, ("raises(ValueError,", "raises((ValueError, TypeError),"))),
    "any message": ("held", test(TEST, (', match="no"', ""))),
    "expectation": ("held", test(TEST, ("assert f(1) == 2", "assert f(1) == 3"))),
    "expectation of unittest": ("held", test(UNIT, ("(f(1), 2)", "(f(1), 3)"))),
    "expectation in a case": ("held", test(TEST, ("[1, 2, 3]", "[1, 2, 4]"))),
    "early return": ("held", test(TEST, ("assert f(1) == 2", "return\n        assert f(1) == 2"))),
    "if False": (
        "held",
        test(TEST, ("        assert f(2) == 4", "        if False:\n            assert f(2) == 4")),
    ),
    "snapshot": (
        "held",
        Edit({"tests/__snapshots__/test_app.ambr": ("a 1\n", "a 2\n")}, issues=(("app.py", 1, "x"),)),
    ),
    "go row": (
        "held",
        test('var rows = []row{\n    {"a", 1},\n}\n', ('"a", 1', '"a", 2'), path=GO_TEST),
    ),
    "class not collected": ("held", test(UNIT, ("class TestF(unittest.TestCase)", "class F"))),
    "file not collected": ("held", Edit({SCRIPT: (UNIT, None), "tests/helpers.py": (None, UNIT)})),
    "js file not collected": ("held", Edit({JS_TEST: (JAVA_LIKE, None), "src/f.helper.ts": (None, JAVA_LIKE)})),
    "go condition": ("held", test(GO, ("got != 2", "got < 0"), path=GO_TEST)),
    "go condition gone": ("held", test(GO, ("got != 2", "false"), path=GO_TEST)),
    "skip": ("held", test(TEST, ("    def test_one", "    @pytest.mark.skip\n    def test_one"))),
    "xfail": ("held", test(TEST, ("    def test_one", "    @pytest.mark.xfail(reason='x')\n    def test_one"))),
    "skip called": (
        "held",
        test(TEST, ("        assert f(1) == 2", "        pytest.skip()\n        assert f(1) == 2")),
    ),
    "whole module": (
        "held",
        test(TEST, ("    def test_one", "    pytestmark = pytest.mark.skipif(True)\n\n    def test_one")),
    ),
    "unittest skip": ("held", test(UNIT, ("        def", "        @unittest.skip('x')\n        def"))),
    "not collected": ("held", test(UNIT, ("        def", "        __test__ = False\n\n        def"))),
    "js test removed": ("held", test(JS, ('it("doubles"', 'run("doubles"'), path=JS_TEST)),
    "js assertion removed": ("held", test(JS, ("expect(f(2)).toEqual(4);", ""), path=JS_TEST)),
    "js commented out": (
        "held",
        test(JS, ("expect(f(2)).toEqual(4);", "/* expect(f(2)) */"), path=JS_TEST),
    ),
    "js truthy": ("held", test(JS, ("toBe(2)", "toBeTruthy()"), path=JS_TEST)),
    "js close": ("held", test(JS, ("toBe(2)", "toBeGreaterThan(1)"), path=JS_TEST)),
    "js true is true": (
        "held",
        test(JS, ("expect(f(1)).toBe(2)", "expect(true).toBe(true)"), path=JS_TEST),
    ),
    "js any error": ("held", test(JS, ("toThrow(TypeError)", "toThrow()"), path=JS_TEST)),
    "js expectation": ("held", test(JS, ("toBe(2)", "toBe(3)"), path=JS_TEST)),
    "js skip": ("held", test(JS, ('it("doubles"', 'it.skip("doubles"'), path=JS_TEST)),
    "js only": ("held", test(JS, ('it("doubles"', 'it.only("doubles"'), path=JS_TEST)),
    "js xit": ("held", test(JS, ('it("doubles"', 'xit("doubles"'), path=JS_TEST)),
    "go test removed": ("held", test(GO, ("TestZero", "checkZero"), path=GO_TEST)),
    "go assertion removed": ("held", test(GO, ('t.Errorf("got %d", got)', "println(got)"), path=GO_TEST)),
    "go loosened": (
        "held",
        test(GO, ("require.Equal(t, 0, Double(0))", "require.NotNil(t, Double(0))"), path=GO_TEST),
    ),
    "go skip": ("held", test(GO, ("\trequire", "\tt.Skip()\n\trequire"), path=GO_TEST)),
    "go expectation": ("held", test(GO, ("got != 2", "got != 3"), path=GO_TEST)),
    "java ignored": ("held", test(JAVA, ("@Test", "@Test @Disabled"), path=JAVA_TEST)),
    "java loosened": (
        "held",
        test(JAVA, ("assertEquals(2, F.of(1))", "assertNotNull(F.of(1))"), path=JAVA_TEST),
    ),
    "java emptied": ("held", test(JAVA, ("assertEquals(2, F.of(1));", ""), path=JAVA_TEST)),
    "rust ignored": ("held", test(RUST, ("#[test]", "#[test]\n        #[ignore]"), path="src/lib.rs")),
    "rust test removed": (
        "held",
        test(RUST, ("        #[test]\n        fn zero", "        fn zero"), path="src/lib.rs"),
    ),
    "rust loosened": (
        "held",
        test(RUST, ("assert_eq!(double(1), 2)", "assert!(double(1) > 0)"), path="src/lib.rs"),
    ),
    "ruby skipped": ("held", test(RUBY, ('it "doubles"', 'xit "doubles"'), path=RUBY_TEST)),
    "ruby loosened": ("held", test(RUBY, ("to eq(2)", "to be_truthy"), path=RUBY_TEST)),
    "ruby removed": (
        "held",
        test(RUBY, ('      it "is zero" do\n        expect(f(0)).to eq(0)\n      end\n', ""), path=RUBY_TEST),
    ),
    "php skipped": (
        "held",
        test(
            PHP, ("{\n            $this", "{\n            $this->markTestSkipped();\n            $this"), path=PHP_TEST
        ),
    ),
    "php loosened": ("held", test(PHP, ("assertSame(2, f(1))", "assertTrue(f(1) > 0)"), path=PHP_TEST)),
    "c# skipped": ("held", test(CSHARP, ("[Fact]", '[Fact(Skip = "x")]'), path=CSHARP_TEST)),
    "c# loosened": (
        "held",
        test(CSHARP, ("Assert.Equal(2, F.Of(1))", "Assert.NotNull(F.Of(1))"), path=CSHARP_TEST),
    ),
}

MARKS = {
    "app.py": (
        "# noqa",
        "# noqa: F401",
        "# type: ignore",
        "# type: ignore[arg-type]",
        "# nosec",
        "# pylint: disable=all",
        "# pyright: ignore",
        "# pragma: no cover",
        "# fmt: off",
        "# selfreview: ignore[x]",
        "# NOSONAR",
        "# nosemgrep",
        "# ruff: file-ignore[F821, B006]",
        "# ruff: disable[F821]",
        "#ruff:ignore [undefined-name]",
        "# mypy: disable-error-code=arg-type",
        "# mypy: strict, allow-untyped-defs",
        "# pyright: reportMissingImports=false",
        "# pyre-ignore[6]",
        "# pytype: disable=x",
        "# noinspection PyX",
        "# lgtm[py/x]",
        "# codeql[py/x]",
        "# trunk-ignore(ruff/F821)",
        "# pragma: allowlist nextline secret",
    ),
    "app.ts": (
        "// eslint-disable-line",
        "/* eslint-disable */",
        "// @ts-ignore",
        "// @ts-expect-error",
        "// biome-ignore lint: x",
        '/* eslint no-eval: 0, x: "error" */',
        "// deno-lint-ignore no-eval",
        "// dprint-ignore",
        "<!-- nosem -->",
    ),
    "app.go": ("//nolint", "//nolint:errcheck", "// #nosec G104", "//lint:ignore U1 x", "//revive:disable"),
    "app.rs": ("#[allow(unused)]",),
    "App.java": ('@SuppressWarnings("all") class App {}',),
    "App.kt": ('@Suppress("x") class App', "// ktlint-disable x"),
    "App.swift": ("// swiftlint:disable x",),
    "app.cpp": ("// cppcheck-suppress x",),
    "app.sql": ("SELECT a  -- noqa: L01", "-- sqlfluff:off"),
    "app.yaml": ("# yamllint disable", "# yamllint disable-line rule:x"),
    "app.tf": ("# tflint-ignore: x", "# kics-scan ignore", "#tfsec:ignore:x"),
    "Dockerfile": ("# hadolint shell=powershell", "# hadolint global ignore=DL3006"),
    "App.cs": ("#pragma warning disable CS1",),
    "app.rb": ("# rubocop:disable Style/X",),
    "app.sh": (
        "# shellcheck disable=SC2086",
        "# shellcheck shell=bash disable=all",
        "#shellcheck source=/dev/null disable=SC2000-SC2999",
        "# shellcheck extended-analysis=false",
    ),
    "app.php": ("// phpcs:ignore",),
}
MARKED = [(path, mark) for path, marks in MARKS.items() for mark in marks]

SILENCED: dict[str, tuple[str, Edit]] = {
    "noqa without rules": ("suppression", code("import os  # noqa: F401\n", ("noqa: F401", "noqa"))),
    "one more rule": ("suppression", code("import os  # noqa: F401\n", ("noqa: F401", "noqa: F401, E501"))),
    "except pass": (
        "error-swallowed",
        code(
            CODE, ("        total += n\n", "        try:\n            total += n\n        except:\n            pass\n")
        ),
    ),
    "except Exception": (
        "error-swallowed",
        code(
            CODE,
            (
                "        total += n\n",
                "        try:\n            total += n\n        except Exception:\n            pass\n",
            ),
        ),
    ),
    "suppress": (
        "error-swallowed",
        code(CODE, ("        total += n\n", "        with contextlib.suppress(Exception):\n            total += n\n")),
    ),
    "wider except": (
        "error-swallowed",
        code("try:\n    f()\nexcept ValueError:\n    pass\n", ("ValueError", "Exception")),
    ),
    "js catch": ("error-swallowed", code("f();\n", ("f();", "try { f(); } catch (e) {}"), path="a.js")),
    "js promise": ("error-swallowed", code("f();\n", ("f();", "f().catch(() => {});"), path="a.js")),
    "java catch": (
        "error-swallowed",
        code(
            "class A { void a() { f(); } }\n", ("f();", "try { f(); } catch (Exception e) { /* no */ }"), path="A.java"
        ),
    ),
    "ruby rescue": ("error-swallowed", code("f\n", ("f\n", "begin\n  f\nrescue\nend\n"), path="a.rb")),
    "go error": (
        "error-swallowed",
        code(
            "package a\n\nfunc a() error {\n\terr := f()\n\treturn err\n}\n",
            ("\treturn err\n", "\tif err != nil {\n\t}\n\treturn nil\n"),
            path="a.go",
        ),
    ),
    "|| true": ("shell-error-ignored", code(SHELL, ("make test", "make test || true"), path="ci.sh")),
    "set +e": ("shell-error-ignored", code(SHELL, ("make test", "set +e\nmake test"), path="ci.sh")),
    "no set -e": ("shell-error-ignored", code(SHELL, ("set -eu", "set -u"), path="ci.sh")),
    "make": ("shell-error-ignored", code("test:\n\tpytest\n", ("\tpytest", "\t-pytest"), path="Makefile")),
    "docker": ("shell-error-ignored", code("RUN make\n", ("make", "make || true"), path="Dockerfile")),
    "stub pass": ("stub", code(CODE, ("        total = n\n        total += n\n        return total", "        pass"))),
    "stub raise": ("stub", code(CODE, ("        return f(n) + 1", "        raise NotImplementedError"))),
    "stub return": (
        "stub",
        code(CODE, ("        total = n\n        total += n\n        return total", "        return None  # TODO")),
    ),
    "rust todo": ("stub", code("fn f() -> i32 {\n    1\n}\n", ("    1", "    todo!()"), path="a.rs")),
    "js not implemented": (
        "stub",
        code("function f() {\n  return 1;\n}\n", ("return 1;", 'throw new Error("Not implemented");'), path="a.js"),
    ),
    "commented out": ("commented-out", code(CODE, ("        total += n", "        # total += n"))),
    "js commented out": ("commented-out", code("f(1);\nadd(2);\n", ("add(2);", "// add(2);"), path="a.js")),
}

HANDLED = """def mean(lines):
    total = 0
    for line in lines:
        total += len(line)
    try:
        return total / len(lines)
    except:
        return None
"""

BIG = {
    "rewritten": (
        "rewrite",
        Edit(
            {"app.py": (LONG, LONG.replace("(a)", "(b)").replace("a + ", "1 + b * "))}, issues=(("app.py", 1, "wrong"),)
        ),
    ),
    "mostly gone": (
        "rewrite",
        Edit({"app.py": (LONG, LONG[: LONG.index("def f20")])}, issues=(("app.py", 1, "wrong"),)),
    ),
    "a function gone around what is wrong in it": (
        "code-deleted",
        Edit(
            {"app.py": (f"x = 1\n\n\n{HANDLED}", "x = 1\n")},
            issues=(("app.py", 10, "Every error is dropped here."),),
        ),
    ),
    "formatted": (
        "reformatted",
        Edit({"app.py": (LONG, LONG.replace("    return", "  return"))}, issues=(("app.py", 1, "wrong"),)),
    ),
    "lf to crlf": (
        "file-format",
        Edit({"a.py": (b"a = 1\nb = 2\n", b"a = 1\r\nb = 3\r\n")}, issues=(("a.py", 2, "x"),)),
    ),
    "crlf to lf": (
        "file-format",
        Edit({"a.py": (b"a = 1\r\nb = 2\r\n", b"a = 1\nb = 3\n")}, issues=(("a.py", 2, "x"),)),
    ),
    "the last line alone": (
        "file-format",
        Edit({"a.py": (b"a = 1\nb = 2\n", b"a = 1\nb = 3\r\n")}, issues=(("a.py", 2, "x"),)),
    ),
    "some of mixed": (
        "file-format",
        Edit({"a.py": (b"a = 1\r\nb = 2\nc = 3\n", b"a = 1\nb = 3\r\nc = 3\n")}, issues=(("a.py", 2, "x"),)),
    ),
    "byte order mark": (
        "file-format",
        Edit({"a.py": (b"\xef\xbb\xbfa = 1\nb = 2\n", b"a = 1\nb = 3\n")}, issues=(("a.py", 2, "x"),)),
    ),
    "last line break": (
        "file-format",
        Edit({"a.py": (b"a = 1\nb = 2\nc = 4\n", b"a = 1\nb = 3\nc = 4")}, issues=(("a.py", 1, "x"),)),
    ),
    "mode": (
        "file-format",
        Edit({"a.py": (b"a = 1\nb = 2\n", Entry("100755", b"a = 1\nb = 3\n"))}, issues=(("a.py", 2, "x"),)),
    ),
    "another file": ("outside-change", Edit({"other.py": ("a = 1\n", "a = 2\n")}, changed=("app.py",))),
    "a test of another": ("outside-change", Edit({"tests/test_other.py": ("a = 1\n", "a = 2\n")}, changed=("app.py",))),
    "a blank reason": (
        "outside-change",
        Edit({"other.py": ("a = 1\n", "a = 2\n")}, changed=("app.py",), reasons={"other.py": " "}),
    ),
    "deleted": ("file-deleted", Edit({"app.py": (CODE, None)}, issues=(("app.py", 3, "f returns the wrong sum"),))),
    "emptied": ("file-deleted", Edit({"app.py": (CODE, "\n")}, issues=(("app.py", 3, "f returns the wrong sum"),))),
    "test data deleted": ("held", Edit({"tests/data/a.json": ("{}", None)})),
    "test support deleted": ("held", Edit({"tests/helpers.py": ("a = 1\n", None)})),
    "prose that silences": ("suppression", Edit({"a.md": ("a\n", "a <!-- selfreview: ignore[x] -->\n")})),
    "large": ("large-file", Edit({"data.txt": (None, f"{'words ' * 100}\n" * 2_000)})),
    "binary": ("binary", Edit({"a.py": ("a = 1\n", b"a = 1\n\0")})),
    "new binary": ("binary", Edit({"a.bin": (None, b"\0\1\2")})),
    "edited binary": ("binary", Edit({"a.bin": (b"\0\1", b"\0\1\2")})),
    "not utf-8": ("encoding", Edit({"a.txt": ("caf\u00e9\n", "caf\u00e9!\n".encode("latin-1"))})),
    "conflict": ("conflict-marker", Edit({"a.txt": ("a\n", "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n")})),
    "bidi": ("hidden-character", Edit({"a.txt": ("a\n", "a\u202eb\n")})),
    "zero width": ("hidden-character", Edit({"a.txt": ("a\n", "a\u200bb\n")})),
    "tags": ("hidden-character", Edit({"a.txt": ("a\n", "a\U000e0041\n")})),
    "python syntax": ("syntax-error", Edit({"a.py": ("a = 1\n", "a = (1\n")})),
    "python return": ("syntax-error", Edit({"a.py": ("a = 1\n", "a = 1\nreturn a\n")})),
    "js syntax": ("syntax-error", Edit({"a.js": ("f();\n", "function f( { ;\n")})),
    "json": ("syntax-error", Edit({"a.json": ('{"a": 1}\n', '{"a": 1,,}\n')})),
    "toml": ("syntax-error", Edit({"a.toml": ("a = 1\n", "a = = 1\n")})),
    "secret": ("secret", Edit({"app.py": ("a = 1\n", "key = 'gh" + "p_1aB2cD3eF4gH5iJ6kL7mN8oP9qR0sT1uV2wX'\n")})),
}
BAD = {**WEAKENED, **SILENCED, **BIG}


def test_rejects_what_stood_for_a_secret_in_a_prompt() -> None:
    shown, again = Redactor().redact(KEPT), Redactor().redact(KEPT)
    for old in ("key\n", again):
        assert [found.rule for found in judge(Edit({"a.txt": (old, shown)}))] == ["redaction-placeholder"]


@pytest.mark.parametrize("name", BAD)
def test_rejects_by_the_right_rule(name: str) -> None:
    rule, edit = BAD[name]

    found = judge(edit)

    assert [r.rule for r in found] == [rule]
    assert found[0].path in edit.files
    assert found[0].reason[0].isupper()
    assert found[0].reason.endswith(".")


@pytest.mark.parametrize(("path", "mark"), MARKED, ids=[f"{path}:{mark}" for path, mark in MARKED])
def test_rejects_a_new_mark_that_silences(path: str, mark: str) -> None:
    line = "<?php\n" if path.endswith("php") else ""
    edit = Edit({path: (line, f"{line}{mark}\n")})

    assert [r.rule for r in judge(edit)] == ["suppression"]
