from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selfreview.llm.context.outline import GRAMMARS, enclosing, family_of, language_of, outline

PYTHON = """\
LIMIT = 3

@cached
def outer(
    first: int,
    second: str = "é😀",
) -> int:
    inside = 1
    def inner(): return inside
    return inner()

class Box(Base):
    async def open(self): ...
"""


def brief(path: str, text: str) -> list[tuple[str, str, int, int]]:
    return [item[:4] for item in outline(path, text)]


def test_python() -> None:
    assert brief("a.py", PYTHON) == [
        ("LIMIT", "value", 1, 1),
        ("outer", "function", 3, 10),
        ("inner", "function", 9, 9),
        ("Box", "class", 12, 13),
        ("open", "function", 13, 13),
    ]


def test_a_signature_is_what_stands_before_the_body_on_one_line() -> None:
    signatures = {item.name: item.signature for item in outline("a.py", PYTHON)}
    assert signatures["outer"] == 'def outer( first: int, second: str = "é😀", ) -> int:'
    assert signatures["inner"] == "def inner():"
    assert signatures["LIMIT"] == "LIMIT = 3"


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.js", "export const f = (a) => {\n}\nclass A {\n  m() {}\n}\n", ["f:1-2", "A:3-5", "m:4-4"]),
        ("a.js", "exports.h = function () {\n};\nconst o = {\n  z: function () {},\n};\n", ["h:1-2", "o:3-5", "z:4-4"]),
        ("a.ts", "interface I {\n  x(): void\n}\nenum E { A }\ntype T = 1\n", ["I:1-3", "x:2-2", "E:4-4", "T:5-5"]),
        ("a.tsx", "const C = () => <div/>;\n", ["C:1-1"]),
        ("a.go", "func (s *S) M() {\n}\ntype S struct {\n}\nvar V = 2\n", ["M:1-2", "S:3-4", "V:5-5"]),
        ("A.java", "class A {\n  A() {}\n  int f(int x) { int y = 1; }\n}\n", ["A:1-4", "A:2-2", "f:3-3"]),
        ("a.rb", "module M\n  def f(x)\n  end\n  def self.g; end\nend\n", ["M:1-5", "f:2-3", "g:4-4"]),
        ("a.php", "<?php\nclass A {\n  const C = 1;\n  function f() {}\n}\n", ["A:2-5", "C:3-3", "f:4-4"]),
        ("a.cs", "class A {\n  int F(int x) => 1;\n  int P { get; }\n}\n", ["A:1-4", "F:2-2", "P:3-3"]),
        ("a.rs", "impl<T> Show for Box<T> {\n  fn f(&self) {}\n}\nmod m {}\n", ["Box:1-3", "f:2-2", "m:4-4"]),
        ("a.c", "int *f(int a) {\n  Foo y(2); struct S s;\n}\n", ["f:1-3"]),
        ("a.h", "int f(int);\nint v;\n#define M(x) x\nstruct S { int a; };\n", ["f:1-1", "M:3-3", "S:4-4"]),
        ("a.cpp", "void n::A::m() {}\nA& operator+(A a) {}\n", ["m:1-1", "operator+:2-2"]),
        ("a.hpp", "template<class T>\nT h(T a) {}\n", ["h:1-2"]),
        ("a.sh", "f() {\n  X=1\n}\nfunction g { :; }\n", ["f:1-3", "g:4-4"]),
        ("a.kt", "class A {\n  fun f(a: Int) {}\n}\nfun String.e() {}\n", ["A:1-3", "f:2-2", "e:4-4"]),
        ("a.swift", "class A {\n  func f() {}\n}\nextension A {}\n", ["A:1-3", "f:2-2", "A:4-4"]),
        ("a.scala", "object O {\n  def f(x: Int) = 1\n}\n", ["O:1-3", "f:2-2"]),
        ("a.lua", "function M.h()\nend\nlocal z = function() end\n", ["h:1-2", "z:3-3"]),
        ("a.ex", "defmodule A.B do\n  defp g(), do: 1\nend\n", ["A.B:1-3", "g:2-2"]),
        ("a.hs", "f :: Int\nf = 1\ndata D = D\n", ["f:1-1", "f:2-2", "D:3-3"]),
        ("a.sol", "contract A {\n  function f() public {}\n}\n", ["A:1-3", "f:2-2"]),
        ("a.dart", "class A {\n  void f() {}\n}\nvoid g() {}\n", ["A:1-3", "f:2-2", "g:4-4"]),
    ],
)  # fmt: skip
def test_other_languages(path: str, text: str, expected: list[str]) -> None:
    assert [f"{item.name}:{item.line_start}-{item.line_end}" for item in outline(path, text)] == expected


def test_every_language_has_a_file_extension_here() -> None:
    ends = ".py .js .ts .tsx .go .java .kt .scala .rb .php .cs .rs .c .cpp .sh .swift .lua .ex .hs .sol .dart"
    assert {language_of("a" + end) for end in ends.split()} == set(GRAMMARS)


def test_languages_that_call_one_another_are_a_family() -> None:
    assert family_of("a.ts") == family_of("b.jsx") != family_of("c.py")
    assert family_of("a.java") == family_of("b.kt")
    assert family_of("README") is None


def test_what_is_not_code_has_no_outline() -> None:
    assert outline("a.txt", "def f(): pass\n") == ()


def test_broken_code_gives_what_can_be_made_out() -> None:
    assert "good" in [item.name for item in outline("a.py", "def good():\n    pass\n\nclass (:\n  x = [\n")]


def test_bytes_that_are_not_text_do_no_harm() -> None:
    assert [item.name for item in outline("a.py", "def f():\n    return '\udcff\x00\x0c'\n")] == ["f"]


@settings(deadline=None)
@given(st.text(max_size=200), st.sampled_from(["a.py", "a.ts", "a.c", "a.ex", "a.kt", "a.php"]))
def test_any_text_is_read(text: str, path: str) -> None:
    lines = text.count("\n") + 1
    assert all(1 <= item.line_start <= item.line_end <= lines for item in outline(path, text))


def test_what_encloses_a_line_is_outermost_first() -> None:
    definitions = outline("a.py", PYTHON)
    assert [item.name for item in enclosing(definitions, 9)] == ["outer", "inner"]
    assert enclosing(definitions, 1) == []
