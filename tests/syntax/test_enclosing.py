"""Definitions around a line, in every language whose syntax is known."""

from __future__ import annotations

import pytest

from selfreview.syntax.enclosing import enclosing
from selfreview.syntax.source import Source

KNOWN = {
    "a method, its class and their decorators": (
        "a.py",
        "@a\n@b(\n  1)\nclass A(B):\n  # note\n  @c\n  def f(self):\n    # note\n    EVIL\n",
        ("@a@b(1)classA(B):", "@cdeff(self):"),
        (6, 9),
    ),
    "a function in another": (
        "a.py",
        "def f(user):\n  check(user)\n  def g(x):\n    EVIL\n",
        ("deff(user):", "defg(x):"),
        (1, 4),
    ),
    "TypeScript": (
        "a.ts",
        "@A()\nexport class B {\n  @C()\n  get(x) {\n    EVIL;\n  }\n}\n",
        ("@A()exportclassB", "@C()get(x)"),
        (3, 6),
    ),
    "a variable that is a function": (
        "a.js",
        "export const f = async (x) => {\n  EVIL;\n};\n",
        ("exportconstf=async(x)=>",),
        (1, 3),
    ),
    "a field that is a function": (
        "a.js",
        "class A {\n  f = (x) => {\n    EVIL;\n  };\n}\n",
        ("classA", "f=(x)=>"),
        (2, 4),
    ),
    "Go": ("a.go", "package a\n\nfunc (a *A) F(\n\tx int) error {\n\tEVIL()\n}\n", ("func(a*A)F(xint)error",), (3, 6)),
    "Rust": (
        "a.rs",
        "#[a]\nimpl A for B {\n  #[b]\n  pub(crate) fn f() {\n    EVIL();\n  }\n}\n",
        ("#[a]implAforB", "#[b]pub(crate)fnf()"),
        (3, 6),
    ),
    "Ruby": ("a.rb", "class A < B\n  def f\n    EVIL\n  end\nend\n", ("classA<B", "deff"), (2, 4)),
    "Ruby's class methods": (
        "a.rb",
        "class A\n  class << self\n    def f(x)\n      EVIL\n    end\n  end\nend\n",
        ("classA", "class<<self", "deff(x)"),
        (3, 5),
    ),
    "Java": (
        "A.java",
        "@A\nclass B {\n  @C\n  void f(int x) {\n    EVIL();\n  }\n}\n",
        ("@AclassB", "@Cvoidf(intx)"),
        (3, 6),
    ),
    "a class of TypeScript that is abstract": (
        "a.ts",
        "export abstract class A {\n  f(x) {\n    EVIL;\n  }\n}\n",
        ("exportabstractclassA", "f(x)"),
        (2, 4),
    ),
    "an enum of Java": (
        "A.java",
        "enum A {\n  X;\n  void f() {\n    EVIL();\n  }\n}\n",
        ("enumA", "voidf()"),
        (3, 5),
    ),
    "Kotlin": (
        "a.kt",
        "@A\nclass B : C() {\n  companion object {\n    @D\n    fun f(x: Int) {\n      EVIL()\n    }\n  }\n}\n",
        ("@AclassB:C()", "companionobject", "@Dfunf(x:Int)"),
        (4, 7),
    ),
    "C#": (
        "A.cs",
        "[A]\nclass B : C {\n  [D]\n  public void F(int x) {\n    EVIL();\n  }\n}\n",
        ("[A]classB:C", "[D]publicvoidF(intx)"),
        (3, 6),
    ),
    "PHP": (
        "a.php",
        "<?php\n#[A]\nclass B extends C {\n  #[D]\n  public function f($x) {\n    EVIL();\n  }\n}\n",
        ("#[A]classBextendsC", "#[D]publicfunctionf($x)"),
        (4, 7),
    ),
    "C": ("a.c", "static int f(int x)\n{\n  return EVIL();\n}\n", ("staticintf(intx)",), (1, 4)),
    "C++": (
        "a.cpp",
        "namespace a {\nclass B : public C {\n  void f(int x) {\n    EVIL();\n  }\n};\n}\n",
        ("namespacea", "classB:publicC", "voidf(intx)"),
        (3, 5),
    ),
    "a header of C with its guard": (
        "a.h",
        '#ifndef A_H\n#define A_H\n#ifdef __cplusplus\nextern "C" {\n#endif\nint f(int x) {\n  return EVIL();\n}\n'
        "#ifdef __cplusplus\n}\n#endif\n#endif\n",
        ("#ifndefA_H", "#ifdef__cplusplus", 'extern"C"', "intf(intx)"),
        (6, 8),
    ),
    "a condition of C# with an alternative": (
        "a.cs",
        "#if A && !B\nclass C {\n#if D\n  int F() {\n    return 1;\n  }\n#elif E\n  int F() {\n    return 2;\n  }\n"
        "#else\n  int F() {\n    EVIL();\n  }\n#endif\n}\n#endif\n",
        ("#ifA&&!B", "classC", "#ifD", "#elifE", "#else", "intF()"),
        (12, 14),
    ),
    "a condition of C within a function": (
        "a.c",
        "void f() {\n#ifdef A\n  EVIL();\n#endif\n#ifdef A\n  g();\n#endif\n}\n",
        ("voidf()",),
        (1, 8),
    ),
    "Swift": (
        "a.swift",
        "@a\nclass B: C {\n  @d\n  func f(x: Int) {\n    EVIL()\n  }\n}\n",
        ("@aclassB:C", "@dfuncf(x:Int)"),
        (3, 6),
    ),
    "a function on one line in another": (
        "a.py",
        "def f(app):\n  @app.a\n  @b\n  def g(x): return EVIL\n  return g\n",
        ("deff(app):", "@app.a@bdefg(x):"),
        (1, 5),
    ),
    "a statement on one line with a callback": (
        "a.js",
        "function f(x) {\n  if (x) {\n    x.map((y) => EVIL);\n  }\n}\n",
        ("functionf(x)",),
        (1, 5),
    ),
    "a file under a condition": (
        "a.go",
        "//go:build ignore\n\npackage a\n\nfunc f() {\n\tEVIL()\n}\n",
        ("//go:buildignore", "funcf()"),
        (5, 7),
    ),
    "a section of a class of Ruby": (
        "a.rb",
        "class A\n  def f\n    x\n  end\n\n  private\n\n  def g\n    EVIL\n  end\nend\n",
        ("classA", "private defg"),
        (8, 10),
    ),
    "a comment that annotates": (
        "a.php",
        "<?php\nclass A {\n  /**\n   * @B(1)\n   */\n  public function f($x) {\n    EVIL();\n  }\n}\n",
        ("classA", "/***@B(1)*/publicfunctionf($x)"),
        (3, 8),
    ),
    "a script by its first line": ("bin/run", "#!/bin/sh\nf() {\n  EVIL\n}\n", ("f()",), (2, 4)),
}
UNKNOWN = {
    "a handler of a call": ("a.js", "app.get('/a', auth, (req) => {\n  EVIL;\n});\nx();\n", (1, 3)),
    "a function in such a handler": ("a.js", "run(() => {\n  function f() {\n    EVIL;\n  }\n});\n", (1, 5)),
    "a handler in a function": ("a.js", "function f(x) {\n  x.map((y) => {\n    EVIL;\n  });\n}\n", (1, 5)),
    "a method of an object": ("a.js", "route({\n  admin: true,\n  f(req) {\n    EVIL;\n  },\n});\n", (1, 6)),
    "a callback on one line of a call": (
        "a.js",
        "function f(x) {\n  x.get('/a', auth,\n    (y) => EVIL);\n}\n",
        (1, 4),
    ),
    "a method on one line of an object": ("a.js", "function f() {\n  return {\n    g(x) { EVIL; },\n  };\n}\n", (1, 5)),
    "a lambda on one line of a table": (
        "a.py",
        "def f():\n  return {\n    1: g(\n      lambda: EVIL\n    )}\n",
        (1, 5),
    ),
    "a lambda of Ruby on one line of a call": (
        "a.rb",
        "def f(x)\n  if x\n    x.on(1,\n      ->(y) { EVIL })\n  end\nend\n",
        (1, 6),
    ),
    "a class without a name": (
        "A.java",
        "class A {\n  B b = new B() {\n    void f() {\n      EVIL();\n    }\n  };\n}\n",
        (1, 7),
    ),
    "a block of Ruby": ("a.rb", "get '/a' do\n  EVIL\nend\n", (1, 3)),
    "a block of Ruby in braces": ("a.rb", "def f\n  g { |x|\n    EVIL\n  }\nend\n", (1, 5)),
    "a closure of Rust": ("a.rs", "#[a]\nfn f() {\n  g(|x| {\n    EVIL()\n  })\n}\n", (1, 6)),
    "a closure of Swift": ("a.swift", "func f() {\n  g { x in\n    EVIL(x)\n  }\n}\n", (1, 5)),
    "a lambda of C++": ("a.cpp", "void f() {\n  g([](int x) {\n    EVIL(x);\n  });\n}\n", (1, 5)),
    "a lambda of Kotlin": ("a.kt", "fun f() {\n  g {\n    EVIL()\n  }\n}\n", (1, 5)),
    "a function of Go without a name": (
        "a.go",
        "package a\n\nfunc f() {\n\tgo func() {\n\t\tEVIL()\n\t}()\n}\n",
        (3, 7),
    ),
    "a definition under a condition": ("a.py", "if x:\n  def f():\n    EVIL\nelse:\n  def f():\n    pass\n", (1, 6)),
    "one of two of the same path": ("a.py", "def f():\n  EVIL\n\n\ndef f():\n  pass\n", (1, 2)),
    "one of two under the same condition": (
        "a.c",
        "#ifdef A\nvoid f() {\n  EVIL();\n}\n#endif\n#ifdef A\nvoid f() {\n  x();\n}\n#endif\n",
        (1, 5),
    ),
    "a line that ends another function": (
        "a.js",
        "const f = () => {\n  a();\n}, g = () => { EVIL;\n  b();\n};\n",
        (1, 5),
    ),
    "outside of any function": ("a.py", "if x:\n  EVIL\n\n\ndef f():\n  pass\n", (1, 2)),
    "a class of no function": ("a.py", "@a\nclass A:\n  EVIL\n", (1, 3)),
    "a very long head": ("a.py", f"def f({', '.join(f'a{n}' for n in range(900))}):\n  EVIL\n", (1, 2)),
    "very deep": (
        "a.py",
        "".join(f"{' ' * n}class A:\n" for n in range(20)) + f"{' ' * 20}def f():\n{' ' * 21}EVIL\n",
        (1, 22),
    ),
    "a file with errors": ("a.py", "def f():\n  EVIL\n\n\nx = (\n", (1, 6)),
    "no language": ("a.txt", "x\nEVIL\n", (1, 3)),
}


def _line(text: str) -> int:
    return text[: text.index("EVIL")].count("\n") + 1


@pytest.mark.parametrize(("path", "text", "heads", "lines"), KNOWN.values(), ids=KNOWN)
def test_a_line_is_enclosed_by_the_heads_of_its_definitions(
    path: str, text: str, heads: tuple[str, ...], lines: tuple[int, int]
) -> None:
    assert enclosing(Source(path, text))[_line(text)] == (heads, lines)


@pytest.mark.parametrize(("path", "text", "lines"), UNKNOWN.values(), ids=UNKNOWN)
def test_a_line_of_no_function_or_a_nameless_one_is_enclosed_by_a_whole_statement(
    path: str, text: str, lines: tuple[int, int]
) -> None:
    assert enclosing(Source(path, text))[_line(text)] == ((), lines)
