"""Fixes that people make: none is rejected."""

from __future__ import annotations

import pytest

from selfreview.git.worktree_files import Entry
from tests.guard.edits import Edit, judge
from tests.guard.test_bad_edits import (
    CODE,
    CSHARP,
    CSHARP_TEST,
    GO,
    GO_TEST,
    JAVA,
    JAVA_TEST,
    JS,
    JS_TEST,
    LONG,
    PHP,
    PHP_TEST,
    RUBY,
    RUBY_TEST,
    RUST,
    SCRIPT,
    SHELL,
    TEST,
    UNIT,
    code,
    test,
)

DEAD = """
    def used(n):
        return n

    def unused(n):
        total = 0
        for i in range(n):
            total += i
        return total
"""
DEAD_TEST = """
    from app import unused, used

    def test_used():
        assert used(1) == 1

    def test_unused():
        assert unused(3) == 3
"""
HELPED = """
    def check(n):
        assert f(n) == n * 2
        assert f(-n) == -n * 2

    def test_one():
        check(1)
"""
INLINE = """
    def test_one():
        assert f(1) == 2
        assert f(-1) == -2
"""
FLOAT = """
    def test_sum():
        assert total([0.1, 0.2]) == 0.3
"""
BOOL = """
    def test_flag():
        assert flag() == True
        assert items() == [1]
"""
SPACED = "def f():\n" + "\n\n".join(f"    g({n})" for n in range(20)) + "\n"

SHORT = "def f(a):\n" + "".join(f"    a += {n}\n" for n in range(9)) + "    return a\n"

GOOD: dict[str, Edit] = {
    "a corrected line": code(CODE, ("return f(n) + 1", "return f(n) - 1")),
    "a new function": code(CODE, ("    def g", "    def h(n):\n        return n\n\n    def g")),
    "a guard": code(CODE, ("        total = n", "        if n is None:\n            return 0\n        total = n")),
    "a narrow except": code(
        CODE,
        (
            "        total = n\n",
            "        try:\n            total = int(n)\n        except ValueError:\n            return None\n",
        ),
    ),
    "a broad except that raises": code(
        CODE,
        (
            "        total = n\n",
            "        try:\n            total = n\n        except Exception as error:\n            raise"
            " RuntimeError from error\n",
        ),
    ),
    "a broad except that logs": code(
        CODE,
        (
            "        total = n\n",
            "        try:\n            total = n\n        except Exception:\n            log.exception('no')\n   "
            "         raise\n",
        ),
    ),
    "a narrowed except": code("try:\n    f()\nexcept Exception:\n    pass\n", ("Exception", "ValueError")),
    "a removed noqa": code("import os  # noqa: F401\n\nos.x()\n", ("  # noqa: F401", "")),
    "a directive that silences nothing": Edit(
        {"a.sh": ("echo 1\n", "# shellcheck shell=sh source=/dev/null\necho 1\n# shellcheck would disable that\n")}
    ),
    "stricter settings in a comment": Edit({"a.py": ("x = 1\n", "# mypy: strict\n# pyright: strict\nx = 1\n")}),
    "stricter rules in a comment": Edit({"a.js": ("f();\n", '/* eslint no-eval: "error" */\nf();\n')}),
    "a narrower noqa": code("import os  # noqa\n", ("noqa", "noqa: F401")),
    "a removed type ignore": code("a: int = f()  # type: ignore\n", ("f()  # type: ignore", "int(f())")),
    "a suppression that moved": Edit(
        {
            "a.py": ("x = 1\nimport os  # noqa: F401\n", "x = 1\n"),
            "b.py": ("y = 1\n", "y = 1\nimport os  # noqa: F401\n"),
        }
    ),
    "an explaining comment": code(
        CODE, ("        total += n", "        # Twice, because the scale starts at two.\n        total += n")
    ),
    "a function that nothing uses removed": Edit(
        {"a.py": (f"x = 1\n{SHORT}", "x = 1\n")}, issues=(("a.py", 9, "This is never called."),)
    ),
    "a function moved": Edit({"a.py": (f"x = 1\n{SHORT}", "x = 1\n"), "b.py": ("y = 1\n", f"y = 1\n{SHORT}")}),
    "a comment removed": code("a = 1\n# b = 2\nc = 3\n", ("# b = 2\n", "")),
    "a block wrapped": code(
        LONG, *[(f"    return a + {n}\n", f"    with lock:\n        return a + {n}\n") for n in range(20)]
    ),
    "a block with blank lines wrapped": code(
        SPACED, ("def f():\n", "def f():\n    with lock:\n"), *[(f"    g({n})", f"        g({n})") for n in range(20)]
    ),
    "prose about options": Edit({"a.md": ("a\n", "Write `pytest --collect-only`.\n")}),
    "prose about marks": Edit({"a.md": ("a\n", "Write `# noqa: F401`.\n")}),
    "a snapshot that the change wrote": Edit(
        {"tests/__snapshots__/test_app.ambr": ("a 1\n", "a 2\n")}, spans={"tests/__snapshots__/test_app.ambr": (1, 1)}
    ),
    "an import removed": Edit(
        {"app.py": (CODE, CODE.replace("    import os\n", ""))}, issues=(("app.py", 1, "os is unused"),)
    ),
    "dead code removed": Edit(
        {"app.py": (DEAD, DEAD[: DEAD.index("    def unused")])}, issues=(("app.py", 4, "unused is never called"),)
    ),
    "dead code and its test removed": Edit(
        {
            "app.py": (DEAD, DEAD[: DEAD.index("    def unused")]),
            SCRIPT: (DEAD_TEST, DEAD_TEST[: DEAD_TEST.index("    def test_unused")].replace("unused, ", "")),
        },
        issues=(("app.py", 4, "unused is never called: remove it"),),
    ),
    "a long dead function removed": Edit(
        {"app.py": (LONG + "def dead():\n" + "    x()\n" * 400, LONG)}, issues=(("app.py", 121, "dead code"),)
    ),
    "a dead file removed": Edit(
        {"old.py": (CODE, None)}, issues=(("old.py", 0, "Nothing imports this file; delete it"),)
    ),
    "a renamed file": Edit(
        {"old.py": (LONG, None), "new.py": (None, LONG.replace("a + 3\n", "a - 3\n"))}, changed=("old.py", "new.py")
    ),
    "a crlf file": Edit({"a.py": (b"a = 1\r\nb = 2\r\n", b"a = 1\r\nb = 3\r\nc = 4\r\n")}, issues=(("a.py", 2, "x"),)),
    "a file with a mark": Edit({"a.py": (b"\xef\xbb\xbfa = 1\n", b"\xef\xbb\xbfa = 2\n")}, issues=(("a.py", 1, "x"),)),
    "mixed line ends": Edit(
        {"a.py": (b"a = 1\r\nb = 2\nc = 3\r\n", b"a = 1\r\nb = 5\nc = 3\r\n")}, issues=(("a.py", 2, "x"),)
    ),
    "mixed line ends around an edit": Edit(
        {
            "a.py": (
                b"a = 1\r\nb = 2\nc = 3\nd = 4\r\ne = 5\r\nf = 6\n",
                b"a = 1\r\nb = 5\nc = 3\nd = 4\r\ne = 5\r\nf = 6\n",
            )
        },
        issues=(("a.py", 2, "x"),),
    ),
    "a last line that goes and had no line break": Edit(
        {"a.py": (b"a = 1\nb = 2\nc = 3", b"a = 1\nb = 3\n")}, issues=(("a.py", 2, "x"),)
    ),
    "a last line break that an issue wants": Edit(
        {"a.py": (b"a = 1\nb = 2", b"a = 1\nb = 2\n")}, issues=(("a.py", 2, "no newline at end of file"),)
    ),
    "a mode that an issue wants": Edit(
        {"run.sh": (Entry("100644", b"#!/bin/sh\n"), Entry("100755", b"#!/bin/sh\n"))},
        issues=(("run.sh", 1, "not executable"),),
    ),
    "formatting that an issue wants": Edit(
        {"app.py": (LONG, LONG.replace("    return", "  return"))}, issues=(("app.py", 0, "not formatted"),)
    ),
    "a file that an issue names": Edit(
        {"b.py": ("a = 1\n", "a = 2\n")}, changed=("app.py",), issues=(("app.py", 1, "x"),), related=("b.py",)
    ),
    "a file with a reason": Edit(
        {"b.py": ("a = 1\n", "a = 2\n")}, changed=("app.py",), reasons={"b.py": "the caller passes the new argument"}
    ),
    "a new test": test(
        TEST, ("    def test_two", "    def test_zero():\n        assert f(0) == 0\n\n    def test_two")
    ),
    "a new test file": Edit({SCRIPT: (None, TEST)}, changed=("src/app.py",)),
    "a new test file elsewhere": Edit({"tests/unit/app/test_more.py": (None, TEST)}, changed=("src/app/__init__.py",)),
    "a new test beside": Edit({"src/form.spec.ts": (None, JS)}, changed=("src/form.ts",)),
    "a new go test": Edit({"pkg/more_test.go": (None, GO)}, changed=("pkg/app.go",)),
    "a new java test": Edit(
        {"src/test/java/a/ParserTest.java": (None, JAVA)}, changed=("src/main/java/a/Parser.java",)
    ),
    "a new test named after its subject": Edit(
        {"tests/test_parser_errors.py": (None, TEST)}, changed=("src/parser.py",)
    ),
    "one more assertion": test(TEST, ("assert f(1) == 2", "assert f(1) == 2\n        assert f(3) == 6")),
    "a stronger assertion": test(TEST.replace("assert f(1) == 2", "assert f(1)"), ("assert f(1)", "assert f(1) == 2")),
    "a narrower error": test(TEST.replace("ValueError", "Exception"), ("Exception", "ValueError")),
    "a match added": test(TEST.replace(', match="no"', ""), ("ValueError", 'ValueError, match="no"')),
    "one more case": test(TEST, ("[1, 2, 3]", "[1, 2, 3, 4]")),
    "a test split in two": test(TEST, ("assert f(2) == 4", "\n    def test_more():\n        assert f(2) == 4")),
    "a renamed test": test(TEST, ("test_one", "test_doubling")),
    "a renamed test that also asserts more": test(TEST, ("test_one():", "test_doubling():\n        assert f(9) == 18")),
    "a moved test": Edit(
        {
            SCRIPT: (DEAD_TEST, DEAD_TEST[: DEAD_TEST.index("    def test_unused")]),
            "tests/test_app_more.py": (None, DEAD_TEST[DEAD_TEST.index("    def test_unused") :]),
        },
        changed=(SCRIPT, "app.py"),
    ),
    "a helper": test(
        INLINE,
        (
            "def test_one():\n        assert f(1) == 2\n        assert f(-1) == -2",
            "def check(n):\n        assert f(n) == n * 2\n        assert f(-n) == -n * 2\n\n    def test_one():\n"
            "        check(1)",
        ),
    ),
    "a duplicate assertion removed": test(
        INLINE.replace("f(-1) == -2", "f(1) == 2"), ("        assert f(1) == 2\n", "")
    ),
    "and": test(
        INLINE, ("        assert f(1) == 2\n        assert f(-1) == -2", "        assert f(1) == 2 and f(-1) == -2")
    ),
    "unittest to pytest": test(UNIT, ("self.assertEqual(f(1), 2)", "assert f(1) == 2")),
    "a renamed function": test(TEST, ("assert f(1) == 2", "assert double(1) == 2")),
    "an argument": test(TEST, ("assert f(1) == 2", "assert f(1, strict=True) == 2")),
    "truth of a bool": Edit(
        {SCRIPT: (BOOL, BOOL.replace("flag() == True", "flag()"))}, issues=((SCRIPT, 2, "comparison to True"),)
    ),
    "an approximate float": Edit(
        {SCRIPT: (FLOAT, FLOAT.replace("== 0.3", "== pytest.approx(0.3)"))},
        issues=((SCRIPT, 2, "floating point equality"),),
    ),
    "an expectation that an issue is about": Edit(
        {SCRIPT: (TEST, TEST.replace("f(1) == 2", "f(1) == 3"))}, issues=((SCRIPT, 6, "wrong expectation"),)
    ),
    "an expectation that the change wrote": Edit(
        {SCRIPT: (TEST, TEST.replace("f(1) == 2", "f(1) == 3"))},
        spans={SCRIPT: (4, 7)},
        issues=(("app.py", 1, "wrong"),),
    ),
    "a test that an issue wants gone": Edit(
        {SCRIPT: (INLINE + DEAD_TEST, DEAD_TEST)}, issues=((SCRIPT, 1, "redefinition of unused test_one"),)
    ),
    "a skip removed": test(
        TEST.replace("    def test_one", "    @pytest.mark.skip\n    def test_one"), ("    @pytest.mark.skip\n", "")
    ),
    "js corrected": code("function f(a) {\n  return a == null;\n}\n", ("==", "==="), path="a.js"),
    "js or": code("const a = b;\n", ("b;", "b || true;"), path="a.js"),
    "js catch": code("f();\n", ("f();", "try { f(); } catch (e) { report(e); throw e; }"), path="a.js"),
    "js assertion": test(
        JS, ("expect(f(2)).toEqual(4);", "expect(f(2)).toEqual(4);\n        expect(f(3)).toBe(6);"), path=JS_TEST
    ),
    "js stronger": test(JS.replace("toBe(2)", "toBeTruthy()"), ("toBeTruthy()", "toBe(2)"), path=JS_TEST),
    "js strict": test(JS, ("toEqual(4)", "toStrictEqual(4)"), path=JS_TEST),
    "js each": test(JS, ('it("doubles", () => {', 'it.each([[1]])("doubles", () => {'), path=JS_TEST),
    "go reflect": test(GO, ("got != 2", "!reflect.DeepEqual(got, 2)"), path=GO_TEST),
    "js renamed": test(JS, ('it("doubles"', 'it("doubles numbers"'), path=JS_TEST),
    "js async": test(JS, ('it("doubles", () =>', 'it("doubles", async () =>'), ("f(1)", "await f(1)"), path=JS_TEST),
    "go error": code(
        "package a\n\nfunc a() error {\n\tf()\n\treturn nil\n}\n",
        ("\tf()\n", "\tif err := f(); err != nil {\n\t\treturn err\n\t}\n"),
        path="a.go",
    ),
    "go test": test(
        GO,
        (
            "func TestZero",
            "func TestTwo(t *testing.T) {\n\trequire.Equal(t, 4, Double(2))\n}\n\nfunc TestZero",
        ),
        path=GO_TEST,
    ),
    "go renamed": test(GO, ("TestDouble", "TestDoubling"), path=GO_TEST),
    "java": code("class A { int a() { return 1; } }\n", ("return 1", "return 2"), path="A.java"),
    "java assertion": test(
        JAVA,
        ("assertEquals(2, F.of(1));", "assertEquals(2, F.of(1));\n            assertEquals(4, F.of(2));"),
        path=JAVA_TEST,
    ),
    "rust": code(RUST, ("n * 2", "n.saturating_mul(2)"), path="src/lib.rs"),
    "rust test": test(
        RUST,
        (
            "        #[test]\n        fn zero",
            "        #[test]\n        fn two() {\n            assert_eq!(double(2), 4);\n        }\n\n       "
            " #[test]\n        fn zero",
        ),
        path="src/lib.rs",
    ),
    "ruby": test(
        RUBY, ("expect(f(1)).to eq(2)", "expect(f(1)).to eq(2)\n        expect(f(3)).to eq(6)"), path=RUBY_TEST
    ),
    "php": test(
        PHP,
        ("$this->assertSame(2, f(1));", "$this->assertSame(2, f(1));\n            $this->assertSame(4, f(2));"),
        path=PHP_TEST,
    ),
    "c#": test(CSHARP, ("Doubles()", "DoublesNumbers()"), path=CSHARP_TEST),
    "shell": code(SHELL, ("set -eu", "set -euo pipefail"), ("make test", 'make "$target"'), path="ci.sh"),
    "docker": code("FROM a\nRUN make\n", ("FROM a", "FROM a:1.2"), path="Dockerfile"),
    "json": code('{"a": 1}\n', ("1", "2"), path="a.json"),
    "json with comments": code('// x\n{"a": 1,}\n', ("1", "2"), path="a.json"),
    "a secret read from the environment": Edit(
        {"app.py": ("key = 'gh" + "p_1aB2cD3eF4gH5iJ6kL7mN8oP9qR0sT1uV2wX'\n", "key = os.environ['KEY']\n")}
    ),
    "a secret that was there": Edit(
        {
            "app.py": (
                "key = 'gh" + "p_1aB2cD3eF4gH5iJ6kL7mN8oP9qR0sT1uV2wX'\na = 1\n",
                "key = 'gh" + "p_1aB2cD3eF4gH5iJ6kL7mN8oP9qR0sT1uV2wX'\na = 2\n",
            )
        }
    ),
    "a conflict resolved": Edit({"a.txt": ("<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n", "a\n")}),
    "arabic and emoji": Edit({"a.txt": ("a\n", "\u0645\u06cc\u200c\u062e \U0001f469\u200d\U0001f4bb\n")}),
    "a syntax error corrected": Edit({"a.py": ("a = (1\n", "a = (1)\n")}),
    "an old dialect": Edit({"a.py": ("print 'a'\n", "print 'b'\n")}),
    "latin-1 kept": Edit({"a.txt": ("caf\u00e9 a\n".encode("latin-1"), "caf\u00e9 b\n".encode("latin-1"))}),
    "an abstract method": code(
        CODE,
        (
            "    def g(n):\n        return f(n) + 1",
            "    @abstractmethod\n    def g(n):\n        raise NotImplementedError",
        ),
    ),
    "a stub filled in": code("def f():\n    raise NotImplementedError\n", ("raise NotImplementedError", "return 1")),
    "an emptied package file": Edit(
        {"a/__init__.py": ("import os\n", "")}, issues=(("a/__init__.py", 1, "os imported but unused"),)
    ),
}


WAITS = frozenset(
    {
        "a duplicate assertion removed",
        "a helper",
        "a match added",
        "a moved test",
        "a narrower error",
        "a renamed function",
        "a renamed test",
        "a renamed test that also asserts more",
        "a skip removed",
        "a snapshot that the change wrote",
        "a stronger assertion",
        "a test split in two",
        "a test that an issue wants gone",
        "an argument",
        "an expectation that the change wrote",
        "and",
        "c#",
        "dead code and its test removed",
        "go reflect",
        "go renamed",
        "java assertion",
        "js assertion",
        "js async",
        "js each",
        "js renamed",
        "js strict",
        "js stronger",
        "one more assertion",
        "one more case",
        "php",
        "ruby",
        "unittest to pytest",
    }
)
"""Edits of tests that are there, which nobody but the person can call fair."""


@pytest.mark.parametrize("name", GOOD)
def test_lets_a_fix_pass(name: str) -> None:
    assert [found.rule for found in judge(GOOD[name])] == (["held"] if name in WAITS else [])
