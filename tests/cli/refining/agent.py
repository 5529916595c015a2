"""A program that stands in for an agent: does the deed that it is told, in the folder that it is run in.

``agent.py OUTSIDE DEED``: ``OUTSIDE`` is a folder that holds the person's repository as ``repo``, and takes notes.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path

OUTSIDE = Path(sys.argv[1])
PROMPT = sys.stdin.read()
APP = Path("app.py")
TEST = Path("tests/test_app.py")
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2

DEEDS: dict[str, Callable[[], None]] = {}


def deed(function: Callable[[], None]) -> Callable[[], None]:
    DEEDS[function.__name__] = function
    return function


def change(path: Path, old: str, new: str) -> None:
    path.write_bytes(path.read_bytes().replace(old.encode(), new.encode()))


def mend(*names: str) -> None:
    for name in names or ("one", "two"):
        change(APP, f"  # BUG-{name}", "")


def answer(outcome: str = "addressed", **more: object) -> None:
    answers = [{"issue": i, "outcome": outcome, "why": "as told"} for i in dict.fromkeys(re.findall(r"sr-\w+", PROMPT))]
    print(json.dumps({"answers": answers, "notes": "", **more}))


@deed
def good() -> None:
    mend()


@deed
def empty_at_first() -> None:
    told = (OUTSIDE / "told").read_text() if (OUTSIDE / "told").exists() else ""
    (OUTSIDE / "told").write_text(told + PROMPT + "\0")
    if told:
        mend()


@deed
def edits_a_test_too() -> None:
    mend()
    change(TEST, "half(4) == 2", "half(5) == 2")
    answer()


@deed
def reaching_out() -> None:
    (Path.home() / ".zshenv").write_text("owned")
    (OUTSIDE / "waiting").touch()
    time.sleep(600)


@deed
def denying() -> None:
    with (OUTSIDE / "told").open("a") as stream:
        stream.write(PROMPT + "\0")
    answer("false_positive")
    sys.exit(0)


@deed
def partial() -> None:
    mend("one")


@deed
def wrong() -> None:
    APP.write_bytes(APP.read_bytes() + b"# tried\n")


@deed
def empty() -> None:
    pass


@deed
def malformed() -> None:
    print('{"answers": [{"issue": 3}], "notes"')
    sys.exit(0)


@deed
def malformed_but_good() -> None:
    mend()
    malformed()


@deed
def silent() -> None:
    mend()
    sys.exit(0)


@deed
def refusing() -> None:
    answer("needs_person")
    sys.exit(0)


@deed
def test_deleting() -> None:
    mend()
    TEST.unlink()


@deed
def assertion_weakening() -> None:
    mend()
    change(TEST, "assert half(4) == 2", "assert half(4)")


@deed
def out_of_scope() -> None:
    mend()
    change(Path("other.py"), "1", "2")


@deed
def out_of_scope_with_a_reason() -> None:
    out_of_scope()
    answer(elsewhere=[{"path": "other.py", "why": "it holds the limit"}])
    sys.exit(0)


@deed
def only_a_test() -> None:
    change(TEST, "assert half(4) == 2", "assert half(4)")


@deed
def better_the_second_time() -> None:
    if "tests that are there belong to the person" in PROMPT:
        mend()
    else:
        change(TEST, "assert half(4) == 2", "assert half(4)")


@deed
def hooks_of_the_workspace() -> None:
    mend()
    spy = f"touch '{OUTSIDE / 'ran'}'"
    hooks = Path(".git/hooks")
    hooks.mkdir(exist_ok=True)
    for name in ("pre-commit", "post-checkout", "post-index-change", "reference-transaction"):
        (hooks / name).write_text(f"#!/bin/sh\n{spy}\n")
        (hooks / name).chmod(0o755)
    with Path(".git/config").open("a") as stream:
        stream.write(f'[core]\n\tfsmonitor = "{spy}; false"\n\thooksPath = hooks\n[diff]\n\texternal = "{spy}"\n')


@deed
def hooks_of_the_person() -> None:
    mend()
    hook = OUTSIDE / "repo/.git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\n")


@deed
def git_folder_inside() -> None:
    mend()
    Path("lib/.git").mkdir(parents=True)
    Path("lib/.git/config").write_text("[core]\n")


@deed
def link_out() -> None:
    mend()
    TEST.unlink()
    TEST.symlink_to(OUTSIDE / "target")


@deed
def link_instead_of_folder() -> None:
    mend()
    TEST.unlink()
    TEST.parent.rmdir()
    TEST.parent.symlink_to(OUTSIDE)


@deed
def beside_the_workspace() -> None:
    mend()
    Path("../escaped").write_text("out\n")


@deed
def secret() -> None:
    mend()
    APP.write_bytes(APP.read_bytes() + f'TOKEN = "{TOKEN}"\n'.encode())


@deed
def endless() -> None:
    mend()
    time.sleep(600)


@deed
def slow() -> None:
    print("thinking", file=sys.stderr, flush=True)
    mend("one")
    time.sleep(0.3)
    mend("two")


@deed
def better_then_worse() -> None:
    if "BUG-one" in APP.read_text():
        mend("one")
        change(APP, "def half", "LIMIT = 9\n\n\ndef half")
    else:
        change(APP, "LIMIT = 9", "LEAST = 1  # BUG-four\nLIMIT = 9  # BUG-three")


@deed
def to_and_fro() -> None:
    data = APP.read_bytes()
    APP.write_bytes(data.removesuffix(b"# tried\n") if data.endswith(b"# tried\n") else data + b"# tried\n")


@deed
def another_each_time() -> None:
    text = APP.read_text()
    for name in re.findall(r"BUG-(\w+)", text):
        text = text.replace(f"BUG-{name}", f"BUG-{name}x")
    APP.write_text(text)


@deed
def mends_and_breaks() -> None:
    mend("one")
    change(APP, "return n // 2", "return n // 2  # BUG-three")


@deed
def crashing() -> None:
    mend()
    sys.exit("no connection")


@deed
def killed() -> None:
    mend()
    os.abort()


@deed
def removes_everything() -> None:
    for path in (APP, TEST, Path("other.py")):
        path.unlink()


@deed
def new_test() -> None:
    mend()
    Path("tests/test_app_zero.py").write_text("from app import half\n\n\ndef test_zero():\n    assert half(0) == 0\n")


@deed
def test_by_its_topic() -> None:
    mend()
    Path("tests/test_regression.py").write_text("from app import half\n\n\ndef test_zero():\n    assert half(0) == 0\n")


@deed
def test_beside_the_code() -> None:
    mend()
    APP.write_bytes(APP.read_bytes() + b"\n\ndef test_twice():\n    assert twice(2) == 4\n")


@deed
def test_beside_the_code_weakened() -> None:
    mend()
    change(APP, "assert half(4) == 2", "assert half(4)")


@deed
def waits() -> None:
    mend()
    (OUTSIDE / "waiting").touch()
    while not (OUTSIDE / "go").exists():
        time.sleep(0.02)


@deed
def one_at_a_time() -> None:
    with (OUTSIDE / "told").open("a") as stream:
        stream.write(PROMPT + "\0")
    if "BUG-one" in APP.read_text():
        mend("one")
    else:
        (OUTSIDE / "waiting").write_text(str(os.getpid()))
        while not (OUTSIDE / "go").exists():
            time.sleep(0.02)
        mend()


@deed
def listens() -> None:
    with (OUTSIDE / "told").open("a") as stream:
        stream.write(PROMPT + "\0")
    mend()
    if "the check strict" not in PROMPT:
        APP.write_bytes(APP.read_bytes() + b"LAX = True\n")


@deed
def breaks_the_check() -> None:
    mend()
    APP.write_bytes(APP.read_bytes() + b"LAX = True\n")


@deed
def mends_the_check() -> None:
    with (OUTSIDE / "told").open("a") as stream:
        stream.write(PROMPT + "\0")
    change(APP, "LAX = True\n", "")


DEEDS[sys.argv[2]]()
answer()
