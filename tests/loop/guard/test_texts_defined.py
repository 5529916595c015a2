"""Which tests of other languages are defined at all: what takes a test away from its runner is rejected."""

from __future__ import annotations

import textwrap

import pytest

from tests.loop.guard.edits import Edit, judge
from tests.loop.guard.test_bad_edits import CSHARP, GO, JAVA, PHP, RUBY, RUST

JS_ONE = '  it("doubles", () => {\n    expect(f(1)).toBe(2);\n  });\n'
JS_OLD = f'describe("f", () => {{\n{JS_ONE}}});\n'
PATHS = {"js": "src/f.test.ts", "go": "app_test.go", "java": "src/test/FTest.java", "rust": "src/lib.rs"}
PATHS |= {
    "ruby": "spec/f_spec.rb",
    "php": "tests/FTest.php",
    "csharp": "F.Tests/FTests.cs",
    "swift": "Tests/FTests.swift",
}
SWIFT = "class FTests: XCTestCase {\n    func testF() {\n        XCTAssertEqual(f(1), 2)\n    }\n}\n"


def js(head: str, tail: str = "}") -> str:
    return JS_OLD.replace(JS_ONE, f"{head}\n{JS_ONE}{tail}\n")


def wrapped(text: str, head: str, tail: str) -> str:
    return f"{head}\n{textwrap.dedent(text)}{tail}\n"


def ruby(head: str) -> str:
    body = '      it "doubles" do\n        expect(f(1)).to eq(2)\n      end\n'
    return RUBY.replace(body, f"      {head}\n{body}      end\n")


def beside(*lines: str) -> str:
    """Return tests with lines of code above them."""
    inside = "".join(f"      {line}\n" for line in lines)
    return RUBY.replace("describe F do\n", f"describe F do\n{inside}")


RUBY_BLOCKS = {
    "do": ["[1].each do |x| x end"],
    "do and more": ["[1].each do |x| x end.each do |y|", "  y", "end"],
    "do in a line that closes": ["[1].map do |x|", "  x", "end.each do |y|", "  y", "end"],
    "method of a word": ["private def h", "  1", "end"],
    "method of words": ["private memoize def self.h(a)", "  1", "end"],
    "method in brackets": ["memoize(def h", "  1", "end)"],
    "method in one line": ["def h; 1; end"],
    "method without end": ["def h = 1", "def g(a, b = c(1)) = a", "def ==(other) = true", "def self.k? = 1"],
    "methods with signs": ["def h=(v)", "  @v = v", "end", "def ==(other)", "  true", "end"],
    "methods called like words": [
        "def end",
        "  1",
        "end",
        "def begin() = 1",
        "x = a.begin + a.end",
        "y = {end: 1, if: 2}",
    ],
    "class": ["class A < B; end", "x = self.class"],
    "singleton": ["def m", "  (class << self; self; end)", "end"],
    "while": ["y = while z", "  1", "end"],
    "while do": ["while z do", "  1", "end"],
    "while do and end": ["until z do x += 1 end"],
    "while and do": ["while z; a.each do |x|", "  x", "end", "end"],
    "while do and another do": ["while z do a.each do |x|", "  x", "end", "end"],
    "for": ["y = for a in b do", "  1", "end"],
    "if in braces": ["[1].each { |x| if x then 1 end }"],
    "if in a call": ["f(if x then 1 else 2 end)"],
    "if below its value": ["y = if x", "      1", "    else", "      2", "    end"],
    "if as a suffix": ["f(1) if x", "return unless x", "y = 1 while z?", "g! if x"],
    "if as a suffix in the next line": ["f(1) \\", "  if x"],
    "else if": ["if x", "  1", "else if y then 2 end", "end"],
    "begin": ["@y ||= begin", "  1", "end", "begin", "  1", "end while x"],
    "case": ["def m", "  return case x when 1 then 2 end", "end"],
    "case that is returned": ["return case x", "when 1 then 2", "end", "next begin", "  1", "end"],
    "call over lines": ["f(1,", "      2) do |x|", "  x", "end"],
    "spare": ["%w[a end].each(&:f)", "  end_ = 1; end"],
}

BAD: dict[str, tuple[str, str, str, str]] = {
    "js variable": ("assertion-unreached", "js", JS_OLD, js("if (process.env.NOPE) {")),
    "js not 1": ("assertion-unreached", "js", JS_OLD, js("if (!1) {")),
    "js behind many texts": (
        "assertion-unreached",
        "js",
        JS_OLD,
        js(f"const a = [{'`ab`, ' * 60}];\nif (process.env.NOPE) {{"),
    ),
    "js title alone": (
        "test-removed",
        "js",
        JS_OLD.replace('("doubles", ', '(\n    "doubles"\n    , '),
        JS_OLD.replace('it("doubles", ', 'run(\n    "doubles"\n    , '),
    ),
    "js else": ("assertion-unreached", "js", JS_OLD, js("if (f) {} else {")),
    "js function": ("assertion-unreached", "js", JS_OLD, js("function never() {")),
    "js arrow": ("assertion-unreached", "js", JS_OLD, js("const never = () => {", "};")),
    "js loop over nothing": ("assertion-unreached", "js", JS_OLD, js("[].forEach(() => {", "});")),
    "js later": ("assertion-unreached", "js", JS_OLD, js("setTimeout(() => {", "});")),
    "js try": ("assertion-unreached", "js", JS_OLD, js("try {", "} catch (e) { log(e); }")),
    "js other test": ("test-removed", "js", JS_OLD, js("const s = `", "`;")),
    "js each of nothing": ("test-skipped", "js", JS_OLD, js("describe.each([])('%s', () => {", "});")),
    "js whole": ("assertion-unreached", "js", JS_OLD, wrapped(JS_OLD, "if (process.env.NOPE) {", "}")),
    "rust feature": (
        "assertion-unreached",
        "rust",
        RUST,
        RUST.replace("cfg(test)", 'cfg(all(test, feature = "never"))'),
    ),
    "rust windows": (
        "assertion-unreached",
        "rust",
        RUST,
        RUST.replace("#[test]", "#[cfg(windows)]\n        #[test]", 1),
    ),
    "rust windows below": (
        "assertion-unreached",
        "rust",
        RUST,
        RUST.replace("#[test]", "#[test]\n        #[cfg(windows)]", 1),
    ),
    "rust function": (
        "assertion-unreached",
        "rust",
        RUST,
        RUST.replace("mod tests {", "fn never() {"),
    ),
    "rust macro": (
        "assertion-unreached",
        "rust",
        RUST,
        RUST.replace("mod tests {", "macro_rules! never { () => {") + "}\n",
    ),
    "rust file": ("assertion-unreached", "rust", RUST, "#![cfg(windows)]\n" + RUST),
    "go build": ("test-skipped", "go", GO, "//go:build never\n" + GO),
    "go text": ("test-removed", "go", GO, GO.replace("func TestZero", "var s = `\nfunc TestZero") + "`\n"),
    "go name": ("test-removed", "go", GO, GO.replace("TestZero", "Testzero")),
    "java abstract": ("assertion-unreached", "java", JAVA, JAVA.replace("class FTest", "abstract class FTest")),
    "java private": ("assertion-unreached", "java", JAVA, JAVA.replace("void doubles", "private void doubles")),
    "java text": ("test-removed", "java", JAVA, JAVA.replace("@Test", 'String S = """\n@Test') + '""";\n'),
    "c# if": ("test-skipped", "csharp", CSHARP, wrapped(CSHARP, "#if NEVER", "#endif")),
    "c# private": ("assertion-unreached", "csharp", CSHARP, CSHARP.replace("public void", "private void")),
    "php condition": (
        "assertion-unreached",
        "php",
        PHP,
        PHP.replace("class FTest", "if (getenv('X')) { class FTest") + "}\n",
    ),
    "php private": ("assertion-unreached", "php", PHP, PHP.replace("public function", "private function")),
    "php abstract": ("assertion-unreached", "php", PHP, PHP.replace("class FTest", "abstract class FTest")),
    "php end": ("test-removed", "php", PHP, PHP.replace("class FTest", "__halt_compiler();\n    class FTest")),
    "ruby if": ("assertion-unreached", "ruby", RUBY, ruby("if ENV['NOPE']")),
    "ruby unless": ("assertion-unreached", "ruby", RUBY, ruby("unless f")),
    "ruby method": ("assertion-unreached", "ruby", RUBY, ruby("def never")),
    "ruby loop": ("assertion-unreached", "ruby", RUBY, ruby("[].each do |n|")),
    "ruby block": ("assertion-unreached", "ruby", RUBY, ruby("never = lambda do")),
    "ruby suffix": ("test-skipped", "ruby", RUBY, RUBY.replace("      end\n", "      end if ENV['NOPE']\n", 1)),
    **{
        f"ruby if beside {name}": (
            "assertion-unreached",
            "ruby",
            RUBY,
            ruby("\n      ".join(["if ENV['NOPE']", *lines])),
        )
        for name, lines in RUBY_BLOCKS.items()
    },
    "swift if": ("test-skipped", "swift", SWIFT, wrapped(SWIFT, "#if NEVER", "#endif")),
    "swift private": ("assertion-unreached", "swift", SWIFT, SWIFT.replace("func testF", "private func testF")),
}
GOOD = {
    "js group": ("js", JS_OLD, js('describe("positive", () => {', "});")),
    "js condition in a test": ("js", JS_OLD,
                               JS_OLD.replace("    expect", "    if (f) {\n      g();\n    }\n    expect")),
    "js a helper": ("js", JS_OLD, "function g() {\n  return 1;\n}\n" + JS_OLD),
    "js a quote": ("js", JS_OLD, JS_OLD.replace("    expect", '    const s = "if (x) {";\n    expect')),
    "js a quote above": ("js", JS_OLD, 'const s = "if (x) {";\n' + JS_OLD),
    "rust a text above": ("rust", RUST, 'const S: &str = "if x {";\nconst R: &str = r#"if "x" {"#;\n' + RUST),
    "rust module": ("rust", RUST, RUST.replace("mod tests {", "mod tests {\n        use super::*;")),
    "rust lifetime": ("rust", RUST, "fn f<'a>(s: &'a str) -> char {\n    '{'\n}\n" + RUST),
    "java nested": ("java", JAVA, JAVA.replace("@Test", "private int n = 2;\n        @Test")),
    "c# namespace": ("csharp", CSHARP, wrapped(CSHARP, "namespace A {", "}")),
    "php a helper": ("php", PHP,
                     PHP.replace("public function", "private function a() { return 1; }\n        public function")),
    "ruby context": ("ruby", RUBY, ruby('context "always" do')),
    **{f"ruby with {name}": ("ruby", RUBY, beside(*lines)) for name, lines in RUBY_BLOCKS.items()},
    **{f"ruby without {name}": ("ruby", beside(*lines), RUBY) for name, lines in RUBY_BLOCKS.items()},
    "ruby helper": ("ruby", RUBY, RUBY.replace("      it", "      def g(n)\n        n if n\n      end\n\n      it", 1)),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_what_hides_a_test_is_rejected(name: str) -> None:
    rule, language, old, new = BAD[name]
    assert new != old
    found = judge(Edit({PATHS[language]: (old, new)}, issues=(("app.py", 1, "wrong"),)))

    assert {r.rule for r in found} - {"commented-out"} == {rule}, found


@pytest.mark.parametrize("name", GOOD)
def test_what_hides_none_is_not(name: str) -> None:
    language, old, new = GOOD[name]
    assert new != old

    assert judge(Edit({PATHS[language]: (old, new)}, issues=(("app.py", 1, "wrong"),))) == []


def test_a_file_for_another_system_is_not_run() -> None:
    edit = Edit({"app_test.go": (GO, None), "app_windows_test.go": (None, GO)})

    assert [r.rule for r in judge(edit)] == ["test-skipped"]
