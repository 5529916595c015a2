"""What of a text is code: by syntax, or by its look."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfreview.llm.answers.verification import parts_of_lines
from selfreview.llm.context.outline import GRAMMARS

EXTENSIONS = ["py", "js", "ts", "tsx", "go", "java", "kt", "rb", "php", "cs", "rs", "c", "cpp", "sh", "swift", "lua",
              "ex", "hs", "scala", "sol", "dart", "txt", "sql"]  # fmt: skip


@pytest.mark.parametrize(
    ("path", "lines"),
    [
        ("a.py", [("x = 1  # no", "ccccccc----"), ('"""a', "ssss"), ("if x:", "sssss"), ('"""', "sss")]),
        ("a.py", [('y = f"a{z + 1}b" + "é𝄞"', "ccccssscccccccsscccssss")]),
        ("a.js", [("/* if (x)", "---------"), ("y = 1 */ z()", "--------cccc"), ("`a${y}b`", "ssccccss")]),
        ("a.go", [("package a // p", "cccccccccc----"), ("var s = `raw", "ccccccccssss"), ("return x`", "sssssssss")]),
        ("a.rs", [("/// if x {", "----------"), ("fn f() {}", "ccccccccc")]),
        ("a.rb", [("=begin", "------"), ("return x", "--------"), ("=end", "----"), ("f(x)", "cccc")]),
        ("a.sh", [('f() { echo "$x y"; } # z', "cccccccccccsccssscccc---")]),
        ("a.lua", [("--[[ if", "-------"), ("x = 1 ]]", "--------"), ("y = 2", "ccccc")]),
        ("a.css", [("/* color: red;", "-" * 14), ("margin: 0; */", "-" * 13), ("a { b: c }", "c" * 10)]),
        ("a.sql", [("-- drop", "-------"), ("select 1", "cccccccc")]),
        ("a.html", [("<!-- a", "------"), ("b --> <i>", "-----cccc")]),
    ],
)
def test_each_character_is_code_or_words(path, lines):
    assert parts_of_lines(path, "\n".join(line for line, _ in lines)) == [parts for _, parts in lines]


@given(st.sampled_from(EXTENSIONS), st.text("ab\"'`#/*-{}$\\\n (é𝄞\udce9\r"))
def test_whatever_a_text_holds_every_character_is_something(extension, text):
    assert [len(parts) for parts in parts_of_lines(f"a.{extension}", text)] == [len(line) for line in text.split("\n")]


def test_every_language_is_tried():
    assert len(EXTENSIONS) - 2 >= len(GRAMMARS)
