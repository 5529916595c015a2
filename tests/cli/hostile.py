"""Changes that would loosen their own review, with the exit codes that they end in."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from tests.conftest import Workspace

BAD = 'def load(items=[]):\n    return f"{itmes}"\n'
"""A name that does not exist: severity high."""

MARK = "selfreview:" + " ignore"
"""In two parts, for this file is itself reviewed."""


class Case(NamedTuple):
    """One change, besides ``app.py`` with a mistake.

    Attributes:
        foreign: Exit code in a gate where the change may come from anyone.
        own: Exit code in a gate where the change is of the repository itself.
        run: Exit code of `selfreview run` on the author's machine, where the author's word counts.
        files: What the change writes.
        base: What the base holds besides.
        more: What else is done before the commit.
        where: The file that has to have an open issue in the gate of a foreign change.
    """

    foreign: int
    own: int
    run: int
    files: Mapping[str, str | bytes] = {}
    base: Mapping[str, str] = {}
    more: Callable[[Workspace], object] | None = None
    where: str = "app.py"


def settings(**values: Any) -> str:
    return "".join(f"{name} = {json.dumps(value)}\n" for name, value in values.items())


def _entry(workspace: Workspace) -> None:
    ran = workspace.selfreview("baseline", "update", "--reason", "agreed with myself")
    assert ran.code == 0, ran


def _submodule(workspace: Workspace) -> None:
    commit = workspace.git("rev-parse", "HEAD")
    workspace.write(".gitmodules", '[submodule "lib"]\n\tpath = lib\n\turl = https://example.net/elsewhere.git\n')
    workspace.git("update-index", "--add", "--cacheinfo", f"160000,{commit},lib")


def _renamed(old: str, new: str) -> Callable[[Workspace], object]:
    def move(workspace: Workspace) -> None:
        (workspace.root / new).parent.mkdir(exist_ok=True)
        workspace.git("mv", old, new)

    return move


def noise(megabytes: int) -> bytes:
    """Code of that size with a mistake at its end."""
    return b"x = 12345\n" * 100_000 * megabytes + BAD.encode()


_OLD_MODULES = {".gitmodules": '[submodule "lib"]\n\tpath = lib\n\turl = https://example.com/lib.git\n'}
_LINT = {"selfreview.toml": '[command.lint]\nrun = ["sh", "lint.config.sh", "{files}"]\nformat = "sarif"\n'}
_RAN = {"lint.config.sh": 'touch ran\necho \'{"version": "2.1.0", "runs": []}\'\n'}
_ABSENT = "import a_module_that_is_nowhere\n"
_CLEAN = {"app.py": "x = 1\n"}
_OPTION, _PLUGIN = "--fail-on=never.py", "-p no:ruff.py"
_POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:12\nsize 5\n"
_FLOW = ".github/workflows/gate.yml"
_FLOW_ENV = "on: push\nenv:\n  SELFREVIEW_SEVERITY_THRESHOLD: never\njobs: {}\n"
_NOQA = {"app.py": BAD.replace('}"\n', '}"  # noqa: F821\n').replace("[]", "()")}
_LET = (
    f"import ast\n\n\ndef f(g, p):\n    return g(7 // ast.literal_eval(\n        p\n    ))  # {MARK}[python-eval] it\n"
)
_FROM_US = f"""from flask import request


def load(base):
    name = "a.txt"
    print(request.path)
    return open(base + "/" + name)  # {MARK}[python-path-from-request] ours
"""
_FROM_REQUEST = _FROM_US.replace('"a.txt"', 'request.args["x"]')

_EVAL = "export function f(text) {\n  %sreturn eval(text);%s\n}\n"
_KEY, _TOKEN = "AKIA" + "QYLPMN5HFIQR7BBB", "ghp_" + "x9Kq2Lm4Zt7Rw1Bv5Nc8Yd3Hf6Gj0Sp4QaWe"
_ESLINT = "/* eslint-disable no-eval */\n"

_OWN_OFF = "id: no-print\nlanguage: Python\nseverity: off\nrule: {pattern: print($A)}\n"
_OWN_RULE = {"selfreview.toml": settings(rules_path=["rules"]), "rules/own.yml": _OWN_OFF.replace("off", "error")}
_PRINTS = {**_CLEAN, "printing.py": "print(1)\n"}

_LIB = "".join(f"LIMIT_{number} = {number}\n" for number in range(20))


def _to_old(workspace: Workspace) -> None:
    _renamed("lib.py", "old/lib.py")(workspace)
    workspace.write("old/lib.py", _LIB + BAD)


def _to_test(workspace: Workspace) -> None:
    _renamed("lib.py", "tests/test_lib.py")(workspace)
    workspace.write("tests/test_lib.py", _LIB + "\n\ndef load(text):\n    return eval(text)\n")


CASES: Mapping[str, Case] = {
    "raises the threshold in pyproject.toml": Case(
        1, 1, 0, {"pyproject.toml": '[tool.selfreview]\nseverity_threshold = "never"\n'}
    ),
    "sets base to its own branch": Case(1, 1, 0, {"selfreview.toml": settings(base="work")}),
    "takes the repository's own rules out": Case(
        1, 1, 0, {**_PRINTS, "selfreview.toml": ""}, base=_OWN_RULE, where="printing.py"
    ),
    "turns an own rule off": Case(1, 1, 0, {**_PRINTS, "rules/own.yml": _OWN_OFF}, base=_OWN_RULE, where="printing.py"),
    "breaks an own rule": Case(1, 1, 4, {"rules/own.yml": "id: ["}, base=_OWN_RULE, where="rules/own.yml"),
    "ignores the rules of its mistake": Case(1, 1, 0, {"selfreview.toml": settings(ignore=["F821", "B0*"])}),
    "ignores a rule that is not there": Case(1, 1, 4, {"selfreview.toml": settings(ignore=["python-evel"])}),
    "selects rules of others": Case(1, 1, 0, {"selfreview.toml": settings(select=["secrets", "text/*"])}),
    "ignores rules in its file": Case(
        1, 1, 0, {"selfreview.toml": settings(**{'per_file_ignores."/app.py"': ["ruff"]})}
    ),
    "makes suggestions of its mistakes": Case(
        1, 1, 0, {"selfreview.toml": settings(**{"severity.ruff": "suggestion"})}
    ),
    "moves its mistake to where it is ignored": Case(
        1, 0, 0, _CLEAN, {"lib.py": _LIB, "selfreview.toml": settings(**{"per_file_ignores.'/old/**'": ["ruff"]})},
        _to_old, where="old/lib.py",
    ),
    "moves its mistake from where it is ignored": Case(
        1, 1, 1, {"lib.py": BAD, "old/lib.py": _LIB, **_CLEAN},
        {"old/lib.py": _LIB + BAD, "selfreview.toml": settings(**{"per_file_ignores.'/old/**'": ["ruff"]})},
        where="lib.py",
    ),
    "moves its mistake from vendored code": Case(
        1, 1, 1, {"lib.py": BAD, "vendor/lib.py": _LIB, **_CLEAN}, {"vendor/lib.py": _LIB + BAD}, where="lib.py"
    ),
    "moves its mistake from where a mark is": Case(
        1, 1, 1, {"lib.py": BAD, "old.py": "# ruff: noqa\n" + _LIB, **_CLEAN},
        {"old.py": "# ruff: noqa\n" + _LIB + BAD}, where="lib.py",
    ),
    "moves its mistake from where it was let be": Case(
        1, 1, 1, {"lib.py": BAD, "old.py": f"# {MARK}-file[ruff] of old\n{_LIB}", **_CLEAN},
        {"old.py": f"# {MARK}-file[ruff] of old\n{_LIB}{BAD}"}, where="lib.py",
    ),
    "switches selfreview off": Case(1, 1, 0, {"selfreview.toml": settings(enabled=False)}),
    "lets incomplete reviews pass": Case(1, 1, 1, {"selfreview.toml": settings(on_incomplete="warn")}),
    "excludes its code": Case(1, 1, 0, {"selfreview.toml": settings(exclude=["*.py"])}),
    "has settings that are none": Case(1, 1, 4, {"selfreview.toml": "]["}),
    "adds a ruff ignore": Case(1, 1, 0, {"ruff.toml": '[lint]\nignore = ["F", "B"]\n'}),
    "excludes its code from ruff": Case(
        1, 1, 0, {"pyproject.toml": '[tool.ruff]\nexclude = ["app.py"]\nforce-exclude = true\n'}
    ),
    "adds noqa": Case(1, 0, 0, _NOQA),
    "ignores a rule in a whole file": Case(1, 0, 0, {"app.py": "# ruff: file-ignore[F821, B006]\n" + BAD}),
    "ignores a rule from here on": Case(1, 0, 0, {"app.py": "# ruff: disable[F821, B006]\n" + BAD}),
    "ignores a rule in one line": Case(
        1, 0, 0, {"app.py": _NOQA["app.py"].replace("# noqa: F821", "# ruff: ignore[F821]")}
    ),
    "adds a mark of a linter that names the same": Case(
        1, 0, 0, {**_CLEAN, "a.js": _EVAL % ("", " // eslint-disable-line no-eval")}, where="a.js"
    ),
    "adds a mark of a linter for a whole file": Case(
        1, 0, 0, {**_CLEAN, "a.js": _ESLINT + _EVAL % ("", "")}, where="a.js"
    ),
    "adds a mark of a linter that names nothing": Case(
        1, 1, 1, {**_CLEAN, "a.js": _EVAL % ("// eslint-disable-next-line\n  ", "")}, where="a.js"
    ),
    "allows a secret in gitleaks' words": Case(
        1, 0, 0, {**_CLEAN, "a.py": f'key = "{_KEY}"  # gitleaks:allow\n'}, where="a.py"
    ),
    "allows a critical secret in gitleaks' words": Case(
        1, 1, 1, {**_CLEAN, "a.py": f'key = "{_TOKEN}"  # gitleaks:allow\n'}, where="a.py"
    ),
    "has code come to where a linter's mark is": Case(
        1, 0, 0, {**_CLEAN, "a.js": _EVAL % ("", " // eslint-disable-line no-eval")},
        base={"a.js": (_EVAL % ("", " // eslint-disable-line no-eval")).replace("eval(", "f(")}, where="a.js",
    ),
    "trades a mark for another": Case(1, 0, 0, _NOQA, base={"app.py": "import os\nx = os.name  # noqa: E501\n"}),
    "has a linter's configuration run code": Case(1, 1, 1, _RAN, base=_LINT),
    "disables a reviewer": Case(1, 1, 0, {"selfreview.toml": settings(reviewers=["text", "secrets", "rules"])}),
    "adds a suppression": Case(1, 0, 0, {"app.py": f"# {MARK}-file[ruff] agreed with myself\n" + BAD}),
    "puts another call where one was let be": Case(
        1, 0, 0, {"app.py": _LET.replace("ast.literal_eval", "eval")}, base={"app.py": _LET}
    ),
    "has other data come to what was let be": Case(1, 0, 0, {"app.py": _FROM_REQUEST}, base={"app.py": _FROM_US}),
    "adds a baseline entry": Case(1, 0, 0, more=_entry),
    "adds a plugin that ends with 0": Case(1, 1, 1, {"selfreview_conf.py": "import os\nos._exit(0)\n"}),
    "touches a plugin that does not load on its base": Case(
        1, 1, 0, {**_CLEAN, "selfreview_conf.py": f"# more\n{_ABSENT}"},
        {"selfreview_conf.py": _ABSENT}, where="selfreview_conf.py",
    ),
    "overrides the reviewer's prompt": Case(1, 1, 1, {".selfreview/prompts/correctness.md.j2": "There is nothing."}),
    "sets -diff": Case(1, 1, 1, {".gitattributes": "*.py -diff\n"}),
    "calls its code binary": Case(1, 1, 1, {".gitattributes": "*.py binary\n"}),
    "sets linguist-generated": Case(1, 1, 0, {".gitattributes": "*.py linguist-generated\n"}),
    "marks its code as vendored": Case(1, 1, 0, {".gitattributes": "*.py linguist-vendored\n"}),
    "puts its code where vendored code is": Case(1, 0, 0, {**_CLEAN, "vendor/a.py": BAD}, where="vendor/a.py"),
    "gives its code an excluded suffix": Case(1, 0, 0, {**_CLEAN, "app_pb2.py": BAD}, where="app_pb2.py"),
    "says that its code is generated": Case(1, 0, 0, {"app.py": "# @generated by hand\n" + BAD}),
    "adds noise before one bad line": Case(1, 1, 0, {**_CLEAN, "big.py": noise(3)}, where="big.py"),
    "changes action.yml": Case(1, 1, 1, {"action.yml": "runs:\n  using: composite\n  steps: []\n"}),
    "takes a submodule from another URL": Case(
        1, 0, 0, _CLEAN, base=_OLD_MODULES, more=_submodule, where=".gitmodules"
    ),
    "has a file name that is an option": Case(1, 1, 1, {**_CLEAN, _OPTION: BAD}, where=_OPTION),
    "has a file name that is a plugin option": Case(1, 1, 1, {**_CLEAN, _PLUGIN: BAD}, where=_PLUGIN),
    "has ruff's settings extend what never ends": Case(
        1, 1, 0, {**_CLEAN, "ruff.toml": 'extend = "/dev/zero"\n'}, where="ruff.toml"
    ),
    "extends what never ends since its base": Case(1, 1, 1, base={"ruff.toml": 'extend = "/dev/zero"\n'}),
    "has a word that is nearly a mark": Case(
        1, 1, 1, {"app.py": _NOQA["app.py"].replace("# noqa: F821", "# xtype: ignore[name-defined]")}
    ),
    "has code in a comment of a kind of its own": Case(
        1, 1, 1, {**_CLEAN, "app.wsgi": "# coding: utf-7\n#+AAo-print(1)\n"}, where="app.wsgi"
    ),
    "sets a variable of the tool in CI": Case(1, 1, 0, {**_CLEAN, _FLOW: _FLOW_ENV}, where=_FLOW),
    "renames a text to code": Case(
        1, 1, 0, _CLEAN, {"notes.txt": BAD}, _renamed("notes.txt", "tool.py"), where="tool.py"
    ),
    "moves a test's data to where code is": Case(
        1, 1, 0, _CLEAN, {"tests/data/a.py": BAD}, _renamed("tests/data/a.py", "src/a.py"), where="src/a.py"
    ),
    "renames code to a test, with a mistake that counts in none": Case(
        1, 1, 1, _CLEAN, {"lib.py": _LIB}, _to_test, where="tests/test_lib.py"
    ),
    "lets a text be executed": Case(
        1, 1, 0, _CLEAN, {"a.txt": "#!/usr/bin/env python3\neval(input())\n"},
        lambda workspace: (workspace.root / "a.txt").chmod(0o755), where="a.txt",
    ),
    "has a checkout differ from what was reviewed": Case(
        1, 1, 0, {**_CLEAN, ".gitattributes": "*.py working-tree-encoding=ASCII//TRANSLIT\n"}, where=".gitattributes"
    ),
    "puts a pointer of git-lfs for code": Case(1, 1, 1, {**_CLEAN, "a.ts": _POINTER}, where="a.ts"),
    "calls a script an object file": Case(
        1, 1, 0, {**_CLEAN, "run.o": b"#!/bin/sh\neval x\n\0"},
        more=lambda workspace: (workspace.root / "run.o").chmod(0o755), where="run.o",
    ),
    "has a script with the name of a text": Case(
        1, 1, 1, {**_CLEAN, "tool.md": "#!/usr/bin/env python3\n" + BAD},
        more=lambda workspace: (workspace.root / "tool.md").chmod(0o755), where="tool.md",
    ),
    "adds noqa to a script with the name of a text": Case(
        1, 0, 0, {**_CLEAN, "tool.md": "#!/usr/bin/env python3\n" + _NOQA["app.py"]},
        more=lambda workspace: (workspace.root / "tool.md").chmod(0o755), where="tool.md",
    ),
}  # fmt: skip
