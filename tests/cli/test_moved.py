"""Code that only moved is not the change's: its issues are out of scope, and what changed while it moved is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Workspace
from tests.rows import crossed, few

FUNCTION = """\
def answer(text):
    print("the answer to", text, undefined_name)
    return eval(text)
"""
RULES = ("python-eval", "F821")
"""One of the embedded rules, and one of ruff."""
METHOD = "class Oracle:\n" + "".join(f"    {line}\n" for line in FUNCTION.splitlines())
NARROW = METHOD.replace("    ", "  ")
"""The same with less indentation."""


def _base(workspace: Workspace, **files: str | bytes) -> None:
    workspace.git("switch", "--quiet", "main")
    workspace.commit("old sin", **files)
    workspace.git("switch", "--quiet", "work")
    workspace.git("merge", "--quiet", "main")


def _issues(document: Any) -> dict[str, tuple[str, str, str | None]]:
    return {
        issue["rule"]: (issue["file"], issue["status"], issue.get("statusReason"))
        for issue in document["issues"]
        if issue["rule"] in RULES
    }


def _moved(path: str, old: str, was: str) -> dict[str, tuple[str, str, str]]:
    """Return what is said of both issues that stood in an old text."""
    lines = {"python-eval": "eval", "F821": "undefined_name"}
    return {
        rule: (path, "out_of_scope", f"moved, not changed (was {was}:{1 + old[: old.index(word)].count(chr(10))})")
        for rule, word in lines.items()
    }


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (f'X = """\n"""\n{NARROW}Y = 1\nZ = """\n"""\n', f'X = """\n"""\n{METHOD}Y = 2\nZ = """\n"""\n'),
        (FUNCTION, FUNCTION.replace("\n", "\r\n")),
        (METHOD, METHOD.replace("    ", "\t")),
    ],
    ids=["reindented", "line ends", "tabs"],
)
def test_a_line_that_only_looks_otherwise_is_not_new(workspace: Workspace, old: str, new: str) -> None:
    _base(workspace, **{"app.py": old})
    workspace.write("app.py", new.encode())
    for _ in range(2):  # the second one from the cache
        document = workspace.review()
        assert _issues(document) == _moved("app.py", old, "app.py")
        assert document["passed"] is True


def test_what_moved_to_another_file_is_not_new(workspace: Workspace) -> None:
    rest = "LIMIT = 1\n\n\ndef rest():\n    return LIMIT\n"
    _base(workspace, **{"app.py": f"{rest}\n\n{NARROW}", "lib.py": "LIMIT = 2\n"})
    workspace.write("app.py", rest)
    workspace.write("lib.py", f"LIMIT = 2\n\n\n{METHOD}")
    document = workspace.review()
    assert _issues(document) == _moved("lib.py", f"{rest}\n\n{NARROW}", "app.py")
    assert document["passed"] is True


def test_what_moved_with_its_file_is_not_new(workspace: Workspace) -> None:
    rest = "".join(f"LIMIT_{number} = {number}\n" for number in range(20))
    _base(workspace, **{"old/app.py": rest + NARROW})
    workspace.git("rm", "--quiet", "old/app.py")
    workspace.write("lib/app.py", rest + METHOD)
    document = workspace.review()
    assert _issues(document) == _moved("lib/app.py", rest + NARROW, "old/app.py")
    workspace.write("lib/app.py", rest + METHOD.replace("eval(text)", "eval(other)"))
    found = {
        issue["evidence"].strip(): issue["status"] for issue in workspace.review()["issues"] if issue["rule"] == "F821"
    }
    assert found == {FUNCTION.splitlines()[1].strip(): "out_of_scope", "return eval(other)": "open"}


def test_code_that_only_moved_passes_in_the_gate_of_a_fork_and_in_a_hook(workspace: Workspace) -> None:
    _base(workspace, **{"app.py": NARROW, "lib.py": "LIMIT = 2\n"})
    workspace.write("app.py", "LIMIT = 1\n")
    codes = []
    for new in (METHOD.replace("eval(text)", "eval(other)"), METHOD):
        workspace.write("lib.py", f"LIMIT = 2\n\n\n{new}")
        workspace.git("add", "--all")
        codes.append(workspace.selfreview("hook", "run", "pre-commit").code)
    assert codes == [1, 0]
    workspace.git("commit", "--quiet", "-m", "the change")
    ran = workspace.selfreview("gate", "--format", "json", SELFREVIEW_CI_BASE="main", SELFREVIEW_CI_FORK="true")
    assert (ran.code, _issues(ran.json)) == (0, _moved("lib.py", NARROW, "app.py"))


COMMAND = r"""
reviewers = ["grep"]
[command.grep]
run = ["sh", "-c", "grep -noH -f words.txt \"$@\"", "sh", "{files}"]
format = "pattern"
pattern = '^(?P<file>[^:]+):(?P<line>\d+):(?P<message>.*)$'
"""


def test_a_command_is_asked_about_the_whole_tree_of_the_base(workspace: Workspace) -> None:
    settings = {"selfreview.toml": COMMAND, "words.txt": "eval\n"}
    _base(workspace, **{"app.py": FUNCTION, "lib.py": "LIMIT = 2\n", **settings})
    assert workspace.selfreview("trust").code == 0
    workspace.write("app.py", "LIMIT = 1\n")
    workspace.write("lib.py", f"LIMIT = 2\n\n\n{METHOD}")
    found = [(issue["file"], issue["status"], issue["statusReason"]) for issue in workspace.review()["issues"]]
    assert found == [("lib.py", "out_of_scope", "moved, not changed (was app.py:3)")]
    workspace.write("lib.py", f"LIMIT = 2\n\n\n{METHOD.replace('text)', 'words)')}")
    assert [issue["status"] for issue in workspace.review()["issues"]] == ["open"]


def test_an_entry_of_the_baseline_goes_on_to_match_code_with_another_indentation(workspace: Workspace) -> None:
    workspace.write("app.py", NARROW)
    assert workspace.selfreview("baseline", "create", "--reason", "before").code == 0
    text = (workspace.root / "selfreview-baseline.toml").read_text()
    (workspace.root / "selfreview-baseline.toml").unlink()
    _base(workspace, **{"app.py": NARROW, "selfreview-baseline.toml": text})
    workspace.write("app.py", METHOD)
    document = workspace.review()
    assert {issue["rule"]: issue["status"] for issue in document["issues"]} == dict.fromkeys(RULES, "out_of_scope")


CHANGED = {
    "another argument": FUNCTION.replace("eval(text)", "eval(other)"),
    "a line of its own in another function": FUNCTION.replace("def answer(text)", "def handle(request, text)"),
    "a decorator": f"@app.route('/answer')\n{FUNCTION}",
}


@pytest.mark.parametrize(("new", "fork"), crossed(CHANGED, ["true", "false"]))
def test_what_changed_while_it_moved_is_told(workspace: Workspace, new: str, fork: str) -> None:
    _base(workspace, **{"app.py": FUNCTION, "lib.py": "LIMIT = 2\n"})
    workspace.write("app.py", "LIMIT = 1\n")
    workspace.write("lib.py", f"LIMIT = 2\n\n\n{new}")
    workspace.git("commit", "--quiet", "--all", "-m", "the change")
    document = workspace.selfreview("gate", "--format", "json", SELFREVIEW_CI_BASE="main", SELFREVIEW_CI_FORK=fork).json
    assert _issues(document)["python-eval"] == ("lib.py", "open", None)
    assert document["passed"] is False


ELSEWHERE = {
    "a function": (
        "app.py",
        "def one(text):\n    return eval(text)\n",
        'def handler(request):\n    text = request.args["q"]\n    return eval(text)\n',
        "python-eval",
    ),
    "a method of the same name": (
        "app.py",
        "def one(text):\n    return eval(text)\n",
        'class Handler:\n    def one(self, request):\n        text = request.args["q"]\n        return eval(text)\n',
        "python-eval",
    ),
    "a command": (
        "app.py",
        "import subprocess\n\n\ndef one(text):\n    subprocess.run(text, shell=True)\n",
        'def handler(request):\n    text = request.args["q"]\n    subprocess.run(text, shell=True)\n',
        "python-shell-variable",
    ),
    "a handler of the same call": (
        "app.js",
        'app.get("/one", (text) => {\n  return eval(text);\n});\n',
        'app.get("/two", (request) => {\n  const text = request.query.q;\n  return eval(text);\n});\n',
        "javascript-eval",
    ),
    "a function of C": (
        "app.c",
        "void one(char *text)\n{\n  printf(text);\n}\n",
        "void handler(struct request *request)\n{\n  char *text = request->query;\n  printf(text);\n}\n",
        "c-format-from-variable",
    ),
    "a function of a script": (
        "app.sh",
        'one() {\n  eval "$text"\n}\n',
        'handler() {\n  text=$QUERY_STRING\n  eval "$text"\n}\n',
        "bash-eval",
    ),
}
SAME = "".join(f"class {name}:\n    def get(self, text):\n        return eval(text)\n\n\n" for name in "ABC")
STAYS = {
    "methods of the same name": ("app.py", SAME, SAME.replace("    ", "\t")),
    "a condition of C": (
        "app.c",
        "void one(char *text)\n{\n  printf(text);\n}\n",
        "void one(char *text)\n{\n  if (text) {\n    printf(text);\n  }\n}\n",
    ),
    "a header with its guard": (
        "app.h",
        "#ifndef APP_H\nvoid one(char *text)\n{\n\tprintf(text);\n}\n#endif\n",
        "#ifndef APP_H\nint count;\n\nvoid one(char *text)\n{\n    printf(text);\n}\n#endif\n",
    ),
}


@pytest.mark.parametrize(("path", "old", "new"), STAYS.values(), ids=STAYS)
def test_what_stays_in_its_function_is_not_new(workspace: Workspace, path: str, old: str, new: str) -> None:
    _base(workspace, **{path: old})
    workspace.write(path, new)
    workspace.git("commit", "--quiet", "--all", "-m", "the change")
    document = workspace.selfreview(
        "gate", "--format", "json", SELFREVIEW_CI_BASE="main", SELFREVIEW_CI_FORK="true"
    ).json
    found = [issue["status"] for issue in document["issues"] if issue["category"] == "security"]
    assert found == ["out_of_scope"] * len(found) != []
    assert document["passed"] is True


HARMLESS = {
    "return eval(text)": "return check(text)",
    "subprocess.run(text, shell=True)": "print(text)",
    "printf(": "puts(",
    'eval "$text"': 'echo "$text"',
}
BETWEEN = {
    "py": "def rest():\n    {}\n",
    "js": "function rest() {{\n  {};\n}}\n",
    "c": "void rest(void)\n{{\n  {};\n}}\n",
    "sh": "rest() {{\n  {}\n}}\n",
}


@pytest.mark.parametrize(
    ("path", "old", "more", "rule", "severity"),
    few(
        {f"{name}-{severity}": (*ELSEWHERE[name], severity) for severity in ("high", "critical") for name in ELSEWHERE},
        *("a function-high", "a method of the same name-high", "a handler of the same call-high", "a command-critical"),
    ),
)
def test_what_moved_to_another_function_of_its_file_is_told_where_it_is_about_security(
    workspace: Workspace, path: str, old: str, more: str, rule: str, severity: str
) -> None:
    between = BETWEEN[path.partition(".")[2]].format("count" if path == "app.sh" else "count()")
    _base(workspace, **{path: f"{old}\n\n{between}", "selfreview.toml": f'[severity]\n{rule} = "{severity}"\n'})
    now = old
    for word, plain in HARMLESS.items():
        now = now.replace(word, plain)
    workspace.write(path, f"{now}\n\n{between}\n\n{more}")
    workspace.git("add", "--all")
    assert workspace.selfreview("hook", "run", "pre-commit").code == 1
    workspace.git("commit", "--quiet", "-m", "the change")
    gate = ("gate", "--format", "json")
    told = [workspace.selfreview(*gate, SELFREVIEW_CI_BASE="main", SELFREVIEW_CI_FORK=fork) for fork in ("true", "")]
    for document in (workspace.review(), *(ran.json for ran in told)):
        found = {issue["status"] for issue in document["issues"] if issue["rule"] == rule}
        assert ("open" in found, document["passed"]) == (True, False)


_ROUTE = "  (req, res) => {\n    const out = eval(req.query.expression);\n    res.send(out);\n  },\n);\n"
_INNER = "    def inner(text):\n        return eval(text)  # the expression\n    return inner(text)\n"
_GET = "    def get(self, text):\n        return {}(text)  # the expression\n"
_GO = "func ({0}) F(cmd string) error {{\n\treturn {1}\n}}\n"
_GO_CALL = 'exec.Command("sh", "-c", "ls "+cmd).Run()'
_RUST = "pub(crate) fn {}(cmd: &str) {{\n    {}\n}}\n"
_RUST_CALL = 'let out = std::process::Command::new("sh").arg("-c").arg(format!("ls {}", cmd)).output();'
_C = "void f(char *text)\n{{\n  {}(text);\n}}\n"
_RUBY = "def {}\n  {}\nend\n"
ENCLOSED = {
    "a handler between files, without what guarded its route": (
        {"a.js": f"app.get(\n  '/one',\n  requireAdmin,\n{_ROUTE}"},
        {"a.js": "x = 1;\n", "b.js": f"app.get(\n  '/two',\n{_ROUTE}"},
        "javascript-eval",
    ),
    "an inner function between files, without what called it": (
        {"a.py": f"def one(text, user):\n    check(user)\n{_INNER}"},
        {"a.py": "x = 1\n", "b.py": f"def two(text, user):\n{_INNER}"},
        "python-eval",
    ),
    "a method between files, without the decorator of its class": (
        {"a.py": f"@login_required\nclass V:\n{_GET.format('eval')}"},
        {"a.py": "x = 1\n", "b.py": f"class V:\n{_GET.format('eval')}"},
        "python-eval",
    ),
    "a line between methods of one name": (
        {"a.py": f"class A:\n{_GET.format('eval')}\n\nclass B:\n{_GET.format('int')}"},
        {"a.py": f"class A:\n{_GET.format('int')}\n\nclass B:\n{_GET.format('eval')}"},
        "python-eval",
    ),
    "a line between methods of Go": (
        {"a.go": f"package a\n\n{_GO.format('a *A', _GO_CALL)}\n{_GO.format('b *B', 'nil')}"},
        {"a.go": f"package a\n\n{_GO.format('a *A', 'nil')}\n{_GO.format('b *B', _GO_CALL)}"},
        "go-shell-injection",
    ),
    "a line between functions of Rust": (
        {"a.rs": f"{_RUST.format('one', _RUST_CALL)}\n{_RUST.format('two', 'let x = 1;')}"},
        {"a.rs": f"{_RUST.format('one', 'let x = 1;')}\n{_RUST.format('two', _RUST_CALL)}"},
        "rust-shell-format",
    ),
    "a line between methods of Ruby": (
        {"a.rb": f"{_RUBY.format('one', 'eval(params[:text])')}\n{_RUBY.format('two', 'nil')}"},
        {"a.rb": f"{_RUBY.format('one', 'nil')}\n{_RUBY.format('two', 'eval(params[:text])')}"},
        "ruby-eval",
    ),
    "out of a condition at the top level": (
        {"a.py": "import sys\nif __name__ == '__main__':\n    print(eval(sys.argv[1]))\n"},
        {"a.py": "import sys\nprint(eval(sys.argv[1]))\n"},
        "python-eval",
    ),
    "out of a condition of the preprocessor": (
        {"a.c": "#ifdef DEBUG\nvoid f(char *text)\n{\n  printf(text);\n}\n#endif\n"},
        {"a.c": "void f(char *text)\n{\n\tprintf(text);\n}\n"},
        "c-format-from-variable",
    ),
    "to the alternative of a condition": (
        {"a.c": f"#ifdef DEBUG\n{_C.format('printf')}#else\n{_C.format('puts')}#endif\n"},
        {"a.c": f"#ifdef DEBUG\n{_C.format('puts')}#else\n{_C.format('printf')}#endif\n"},
        "c-format-from-variable",
    ),
    "out of a suppression": (
        {"a.py": "def f(q):\n    # selfreview: ignore[python-eval] fine\n    return eval(q)\n"},
        {"a.py": "def f(q):\n    if q:\n        return eval(q)\n"},
        "python-eval",
    ),
}


ENCLOSED_SHORT = (
    "a handler between files, without what guarded its route",
    "a method between files, without the decorator of its class",
    "a line between methods of one name",
    "out of a condition at the top level",
    "out of a suppression",
)


@pytest.mark.parametrize(("old", "new", "rule"), few(ENCLOSED, *ENCLOSED_SHORT))
def test_what_moved_out_of_what_enclosed_it_is_told(
    workspace: Workspace, old: dict[str, str], new: dict[str, str], rule: str
) -> None:
    _base(workspace, **old)
    for path, text in new.items():
        workspace.write(path, text)
    workspace.git("add", "--all")
    assert workspace.selfreview("hook", "run", "pre-commit").code == 1
    workspace.git("commit", "--quiet", "-m", "the change")
    gate = workspace.selfreview("gate", "--format", "json", SELFREVIEW_CI_BASE="main", SELFREVIEW_CI_FORK="true")
    for document in (workspace.review(), gate.json):
        assert [i["status"] for i in document["issues"] if i["rule"] == rule] == ["open"]
        assert document["passed"] is False


_ROUTES = """\
def make(app):
    @app.get("/admin")
    @admin_only
    def {}

    @app.get("/public")
    def {}
    return app
"""
_SHOW, _PING = 'show(): return eval(request.args["shown"])', "ping(): return 1"
_GUARDED = "def guarded(text, user):\n    if user.is_admin:\n        log('an admin asked', text)\n{}eval(text)\n"
_LARGE = FUNCTION.replace("answer", "large")
_PARTS = "def parts(body, text):\n{}    x = eval(\n{}\n    )\n{}    return x\n"
_TWICE = "def twice(text, body):\n    x = eval(text)\n    log(x)\n    log(text)\n    return x\n"
_LOGGED = "    log(\n        body,\n    )\n"
NOT_ONLY_MOVED = {
    "a function on one line": (
        {"routes.py": _ROUTES.format(_SHOW, _PING)},
        {"routes.py": _ROUTES.format(_PING, _SHOW)},
    ),
    "a margin that ends in a form feed": (
        {"a.py": f"X = 1\n\n\n{_GUARDED.format('        ')}"},
        {"a.py": "X = 1\n", "guarded.py": "Y = 1\n\n\n" + _GUARDED.format("   \f    ")},
    ),
    "a statement whose lines come from several places": (
        {"parts.py": _PARTS.format("    if text:\n    ", "        text,", _LOGGED)},
        {"parts.py": _PARTS.format("", "        body,", "")},
    ),
    "two where one was": (
        {"twice.py": _TWICE},
        {"twice.py": _TWICE.replace("text)\n    log(x)\n", "body)\n    if x:\n        x = eval(text)\n")},
    ),
    "a file too large to be reviewed": (
        {"large.py": _LARGE + "# more of it\n" * 400, "b.py": "Z = 1\n"},
        {"large.py": "X = 1\n", "b.py": f"Z = 1\n\n\n{_LARGE}"},
    ),
    "code of a stub, which never runs": (
        {"other.pyi": "X: int\n\n\ndef declared_in_a_stub(words):\n    return eval(words)\n", "c.py": "V = 1\n"},
        {"other.pyi": "X: int\n", "c.py": "V = 1\n\n\ndef declared_in_a_stub(words):\n    return eval(words)\n"},
    ),
}  # fmt: skip


def test_what_did_not_only_move_is_told(workspace: Workspace) -> None:
    old = {path: text for before, _ in NOT_ONLY_MOVED.values() for path, text in before.items()}
    _base(workspace, **old, **{"selfreview.toml": "max_file_bytes = 4000\n"})
    for _, after in NOT_ONLY_MOVED.values():
        for path, text in after.items():
            workspace.write(path, text)
    issues = [issue for issue in workspace.review()["issues"] if issue["rule"] == "python-eval"]
    told = {issue["file"] for issue in issues if issue["status"] == "open"}
    assert told == {"routes.py", "guarded.py", "parts.py", "twice.py", "b.py", "c.py"}


def test_a_name_that_only_the_old_file_imports_is_told(workspace: Workspace) -> None:
    body = "\n\ndef join(parts):\n    return os.path.join(*parts, undefined_name)\n"
    _base(workspace, **{"app.py": f"import os\n{body}", "lib.py": "LIMIT = 2\n"})
    workspace.write("app.py", "LIMIT = 1\n")
    workspace.write("lib.py", f"from names import undefined_name\n{body}")
    document = workspace.review()
    assert _issues(document) == {"F821": ("lib.py", "open", None)}


def test_each_old_place_excuses_one_new_place(workspace: Workspace) -> None:
    _base(workspace, **{"app.py": FUNCTION, "lib.py": "LIMIT = 2\n"})
    workspace.write("app.py", "LIMIT = 1\n")
    for name in ("lib.py", "two.py"):
        workspace.write(name, f"LIMIT = 2\n\n\n{FUNCTION}")
    statuses = sorted(i["status"] for i in workspace.review()["issues"] if i["rule"] == "python-eval")
    assert statuses == ["open", "out_of_scope"]


@pytest.mark.parametrize("place", ["vendor/app.py", "tests/test_app.py"])
def test_what_comes_from_where_it_did_not_count_is_told(workspace: Workspace, place: str) -> None:
    old = FUNCTION.replace("eval(text)", "subprocess.run(text, shell=True)").replace(", undefined_name", "")
    _base(workspace, **{place: f"import subprocess\n\n\n{old}", "lib.py": "import subprocess\n"})
    workspace.write(place, "LIMIT = 1\n")
    workspace.write("lib.py", f"import subprocess\n\n\n{old}")
    document = workspace.review()
    found = {i["status"] for i in document["issues"] if i["file"] == "lib.py" and i["category"] == "security"}
    assert "open" in found
    assert "out_of_scope" not in found


def test_what_comes_with_its_file_from_where_it_did_not_count_is_told(workspace: Workspace) -> None:
    rest = "".join(f"LIMIT_{number} = {number}\n" for number in range(20))
    _base(workspace, **{"vendor/app.py": rest + NARROW})
    workspace.git("rm", "--quiet", "vendor/app.py")
    workspace.write("app.py", rest + METHOD)
    workspace.git("add", "--all")
    document = workspace.review()
    assert {rule: issue[:2] for rule, issue in _issues(document).items()} == dict.fromkeys(RULES, ("app.py", "open"))


def test_what_is_there_more_often_than_at_the_old_place_is_told(workspace: Workspace) -> None:
    body = "def pair():\n    return (name_1, name_2)\n"
    _base(workspace, **{"app.py": f"from names import name_1\n\n\n{body}", "lib.py": "LIMIT = 2\n"})
    workspace.write("app.py", "LIMIT = 1\n")
    workspace.write("lib.py", f"LIMIT = 2\n\n\n{body}")
    found = [issue["status"] for issue in workspace.review()["issues"] if issue["rule"] == "F821"]
    assert sorted(found) == ["open", "out_of_scope"]


def test_the_settings_of_the_review_say_what_stood_at_the_old_place(workspace: Workspace) -> None:
    _base(workspace, **{"app.py": NARROW, "ruff.toml": 'lint.ignore = ["F821"]\n'})
    workspace.write("ruff.toml", "lint.ignore = []\n")
    workspace.write("app.py", METHOD)
    assert _issues(workspace.review())["F821"][:2] == ("app.py", "out_of_scope")


PLAIN = "def first(text):\n" + "".join(f"    print(text, {number})\n" for number in range(6))
OTHER = "export function first(text) {\n" + "".join(f"  console.info(text, {n})\n" for n in range(6)) + "}\n"
SCRIPT = "export function answer(text) {\n  // eslint-disable-next-line no-eval\n  return eval(text)\n}\n"
NOQA = FUNCTION.replace("eval(text)", "eval(text)  # noqa: S307").replace(", undefined_name", "")
OWN = NOQA.replace("noqa: S307", "selfreview: ignore[python-eval] our own")
ABOVE = FUNCTION.replace("    return", "    # selfreview: ignore[python-eval] our own\n    return")
MORE = ABOVE.replace("    return", "    # more\n    return")


def _of_fork(workspace: Workspace, **files: str) -> set[tuple[str, str]]:
    """Return rule and status of what is about the decided line, and of what silences, in a fork's gate."""
    workspace.commit("the change", **files)
    ran = workspace.selfreview("gate", "--format", "json", SELFREVIEW_CI_BASE="main", SELFREVIEW_CI_FORK="true")
    rules = ("python-eval", "javascript-eval", "suppression")
    return {(i["rule"], i["status"]) for i in ran.json["issues"] if i["rule"] in rules}


def _in_block(text: str) -> str:
    """Return a function with its body in a block."""
    head, *body = text.splitlines()
    tail = [body.pop()] if body[-1] == "}" else []
    opening, closing = ("  if (text) {", ["  }"]) if tail else ("    if text:", [])
    return "\n".join([head, opening, *(f"    {line}" for line in body), *closing, *tail, ""])


@pytest.mark.parametrize(
    ("path", "old", "rule"),
    [("app.py", NOQA, "python-eval"), ("app.py", OWN, "python-eval"), ("app.js", SCRIPT, "javascript-eval")],
    ids=["noqa", "our own", "the next line"],
)
def test_a_decision_moves_with_its_line(workspace: Workspace, path: str, old: str, rule: str) -> None:
    other = OTHER if path == "app.js" else PLAIN
    _base(workspace, **{path: f"{other}\n\n{old}"})
    for new in (f"{old}\n\n{other}", f"{other}\n\n{_in_block(old)}"):
        assert _of_fork(workspace, **{path: new}) == {(rule, "out_of_scope")}


BROUGHT = {
    "another function": (NOQA, {"app.py": f"{PLAIN}\n\n{NOQA.replace('answer(text)', 'handle(request, text)')}"}),
    "another file": (NOQA, {"app.py": PLAIN, "lib.py": NOQA}),
    "a copy": (NOQA, {"app.py": f"{NOQA}\n\n{PLAIN}\n\n{NOQA.replace('answer', 'third')}"}),
    "another reason": (OWN, {"app.py": f"{PLAIN}\n\n{OWN.replace('our own', 'theirs')}"}),
    "not as one": (ABOVE, {"app.py": f"{PLAIN}\n\n{_in_block(MORE)}"}),
}


@pytest.mark.parametrize(("old", "files"), BROUGHT.values(), ids=BROUGHT)
def test_no_decision_is_brought_to_other_code(workspace: Workspace, old: str, files: dict[str, str]) -> None:
    _base(workspace, **{"app.py": f"{old}\n\n{PLAIN}", "lib.py": "LIMIT = 2\n"})
    assert ("python-eval", "open") in _of_fork(workspace, **files)


MODEL = """
from selfreview.api import *


class Thinking:
    name, depth, default = "thinking", Depth.MODEL, True

    def selects(self, file):
        return file.status is not FileStatus.DELETED

    def cache_key(self, context):
        return None

    def review(self, files, context):
        return Review(findings=[found for file in files for found in self.of(file.path, context.text(file).lines)])

    def of(self, path, lines):
        named = [Place(file=path, line_start=n, line_end=n) for n, line in enumerate(lines, 1) if "NAMED" in line]
        for number, line in enumerate(lines, 1):
            if "eval" in line:
                what = {"severity": Severity.HIGH, "category": Category.LOGIC, "description": "It seems so."}
                yield Finding(file=path, line_start=number, related=tuple(named), **what)


@hookimpl
def selfreview_register_reviewers(registry, config):
    registry.add(Thinking())
"""


@pytest.mark.parametrize(
    ("new", "status"),
    [
        (f"LIMIT = 2\n\n\n{FUNCTION.replace('    ', '  ')}", "out_of_scope"),
        (f"LIMIT = 2\n\n\n{METHOD}", "open"),
        (f"LIMIT = 2\n\n\n{FUNCTION.replace('print(', 'log(')}", "open"),
        (f"LIMIT = 2\nNAMED = 1\n\n\n{FUNCTION}", "open"),
        (f"LIMIT = 2\n{FUNCTION.splitlines()[-1].strip()}", "open"),
    ],
    ids=[
        "moved",
        "in a class",
        "another line of the function changed",
        "it names something new",
        "without its function",
    ],
)
def test_a_models_word_counts_unless_the_whole_function_moved(
    workspace: Workspace, tmp_path: Path, new: str, status: str
) -> None:
    (tmp_path / "thinking.py").write_text(MODEL)
    _base(workspace, **{"app.py": FUNCTION, "lib.py": "LIMIT = 2\n"})
    workspace.write("app.py", "LIMIT = 1\n")
    workspace.write("lib.py", new)
    ran = workspace.selfreview(
        "run", "--format", "json", "-p", "thinking", "--reviewer", "thinking", PYTHONPATH=str(tmp_path)
    )
    assert [issue["status"] for issue in ran.json["issues"]] == [status]


def test_a_models_word_does_not_count_where_only_the_line_ends_changed(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "thinking.py").write_text(MODEL)
    script = "import sys\n\nanswer = eval(sys.argv[1])\n"
    _base(workspace, **{"app.py": script})
    workspace.write("app.py", script.replace("\n", "\r\n").encode())
    args = ("run", "--format", "json", "-p", "thinking", "--reviewer", "thinking")
    ran = workspace.selfreview(*args, PYTHONPATH=str(tmp_path))
    assert [issue["status"] for issue in ran.json["issues"]] == ["out_of_scope"]
    workspace.write("app.py", script.replace("\n", "\r\n").replace("import sys", "import os, sys").encode())
    ran = workspace.selfreview(*args, PYTHONPATH=str(tmp_path))
    assert [issue["status"] for issue in ran.json["issues"]] == ["open"]
