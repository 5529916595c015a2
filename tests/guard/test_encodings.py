"""Text that means something else than it shows."""

from __future__ import annotations

import pytest

from tests.guard.edits import Content, Edit, judge

DECLARED = ("# coding: utf-7", "# -*- coding: raw_unicode_escape -*-", "# vim: fileencoding=utf-7", "\t# encoding=hz",
            "#!/usr/bin/python\n# coding: utf_7", "\n# coding: latin-1", "#\r# coding: utf-7")  # fmt: skip
BAD: dict[str, tuple[str, str, Content, Content]] = {
    **{line: ("encoding", "a.py", "a = 1\n", f"{line}\na = 1\n".encode()) for line in DECLARED},
    "a new file": ("encoding", "a.py", None, "# coding: utf-7\na = 1\n"),
    "another one": ("encoding", "a.py", "# coding: utf-8\na = 1\n", "# coding: utf-7\na = 1\n"),
    "moved up": ("encoding", "a.py", "a = 1\n\n# coding: utf-7\n", "# coding: utf-7\na = 1\n"),
    "a byte order mark before": ("encoding", "a.py", b"\xef\xbb\xbfa = 1\n", b"\xef\xbb\xbf# coding: utf-7\na = 1\n"),
    "ruby": ("encoding", "a.rb", "a = 1\n", "# encoding: utf-7\na = 1\n"),
    "the second line": ("encoding", "a.py", b"#!/bin/a\r\na = 1\r\n", b"#!/bin/a\r\n# coding: utf-7\r\na = 1\r\n"),
    "bytes": ("binary", "a.bin", None, b"\0\xff"),
    "a script": ("encoding", "bin/a", "#!/usr/bin/python\na = 1\n", "#!/usr/bin/python\n# coding: utf-7\na = 1\n"),
    "java escape": ("hidden-code", "A.java", "class A { }\n", "class A { } // \\u000a evil();\n"),
    "java comment end": ("hidden-code", "A.java", "class A { }\n", "class A { /* \\uu002a\\u002f evil(); /* */ }\n"),
    "c comment that goes on": ("hidden-code", "a.c", "f();\ng();\n", "// see a\\\nf();\ng();\n"),
    "c++ trigraph": ("hidden-code", "a.cpp", "f();\ng();\n", "// why??/\nf();\ng();\n"),
}
GOOD: dict[str, tuple[str, Content, Content]] = {
    "utf-8": ("a.py", "a = 1\n", "# -*- coding: utf-8 -*-\na = 1\n"),
    **{name: ("a.py", "a = 1\n", f"# coding: {name}\na = 1\n") for name in ("u8", "utf", "ascii", "us-ascii", "utf_8")},
    "with a mark": ("a.py", "a = 1\n", "# coding: utf-8-sig\na = 1\n"),
    "UTF8": ("a.py", "a = 1\n", "# coding: UTF8\na = 1\n"),
    "taken out": ("a.py", "# coding: utf-8\na = 1\n", "a = 2\n"),
    "latin-1 to utf-8": ("a.py", "# coding: latin-1\na = 1\n", "# coding: utf-8\na = 1\n"),
    "latin-1 kept": ("a.py", b"# coding: latin-1\na = '\xe9'\n", b"# coding: latin-1\na = '\xe8'\n"),
    "in the third line": ("a.py", "a = 1\n", "a = 1\nb = 1\n# coding: utf-7\n"),
    "below two comments": ("a.py", "# a\n# b\na = 1\n", "# a\n# b\n# coding: utf-7\na = 1\n"),
    "utf-16": ("a.txt", "\ufeffa".encode("utf-16-le"), "\ufeffb".encode("utf-16-le")),
    "after code": ("a.py", "a = 1\n", "a = 2\n# coding: utf-7 is no good\n"),
    "in prose": ("a.md", "a\n", "a\n\nWrite coding: utf-7.\n"),
    "a java escape in a string": ("A.java", "class A { }\n", 'class A { String a = "\\u00e9\\u0000"; }\n'),
    "a c macro": ("a.c", "f();\n", "#define A(x) \\\n    f(x)\nf();\n"),
    "a c comment": ("a.c", "f();\n", "// why?\nf();\n"),
}


@pytest.mark.parametrize("name", BAD)
def test_rejects_text_that_means_something_else(name: str) -> None:
    rule, path, old, new = BAD[name]

    found = judge(Edit({path: (old, new)}, issues=((path, 1, "it is wrong"),)))

    assert [(r.path, r.rule) for r in found] == [(path, rule)]
    assert found[0].reason.endswith(".")


@pytest.mark.parametrize("name", GOOD)
def test_lets_other_text_pass(name: str) -> None:
    path, old, new = GOOD[name]

    assert judge(Edit({path: (old, new)}, issues=((path, 1, "it is wrong"),))) == []
