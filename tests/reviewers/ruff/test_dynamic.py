"""Names that come to be without a definition: those that are written into ``globals()``, and what ``exec`` defines."""

from __future__ import annotations

import pytest

from selfreview.api import SourceText
from selfreview.reviewers.ruff.python_file import PythonFile


def may_define(name: str, text: str) -> bool:
    return PythonFile(SourceText.from_bytes(text.encode())).dynamic.may_define(name)


@pytest.mark.parametrize(
    "text",
    [
        "y = vars()", "globals()", "return globals()", "x = globals()['evil']", "x = globals()[name]", "print(vars())",
        "globals().get(name)", "for k in list(globals()):\n    pass", "if name in globals():\n    pass",
        "text % vars()", "text.format(**vars())", "sorted(globals(), key=len)", "x = {**globals()}", "x = (globals())",
        "eval(code, globals())", "timeit(code, globals=globals())", "globals()[name] == 1", "globals()[name] != 1",
        "y = vars()\nprint(y)\nz = y[name]\ny.get(name)", "x.y[name] = 1\ny = vars()", "y = vars()\nz.y[name] = 1",
        "# globals()[name] = 1", "'globals()[name] = 1'", "vars(x)[name] = 1", "globals()['other'] = 1",
        "f(vars()['a'])", "y: dict = vars()", "(y := vars())", "globals()['other'] = 1  # globals()['evil'] = 2",
        "# globals()['evil'] = 2", "session.exec(query)", "dialog.exec()", "re.compile(x).exec(y)", "my_exec(code)",
        "class A:\n    def exec(self):\n        pass", "async def exec(x):\n    pass",
    ],
)  # fmt: skip
def test_what_reads_defines_nothing(text: str) -> None:
    assert not may_define("evil", f"{text}\n")


@pytest.mark.parametrize(
    "text",
    [
        "globals()[name] = 1", "vars()[f'{name}'] = 1", "globals()[names[0]] = 1", "globals()[name] += 1",
        "globals().update(made)", "globals().setdefault(name, 1)", "globals().__setitem__(name, 1)",
        "globals() |= made",
        "inject(globals())", "inject(into, globals())", "inject(space=globals())", "inject(\n    globals(),\n    1,\n)",
        "y = vars()\ny[name] = 1", "g = globals()\nfor name in names:\n    g[name] = 1",
        "g = globals()\ng.update(made)", "g: dict = globals()\ng[name] = 1",
        "(g := globals())[name] = 1\ng[name] = 1", "g = globals()\ninject(g)",
        "exec(code)", "x = [exec(code)]", "builtins.exec(code)",
        "setattr(sys.modules[__name__], name, 1)", "dict.update(globals(), made)",
    ],
)  # fmt: skip
def test_what_writes_under_any_name_may_define_any(text: str) -> None:
    assert may_define("evil", f"{text}\n")


@pytest.mark.parametrize("text", ["globals()['made'] = 1", 'vars()["made"] = 1', "g = globals()\ng['made'] = 1"])
def test_a_literal_key_is_one_name(text: str) -> None:
    assert may_define("made", f"{text}\n")
    assert not may_define("evil", f"{text}\n")
    assert not may_define("made", f"'''\n{text}\n'''\n")


def test_no_more_names_for_it_are_followed_than_people_give() -> None:
    names = [f"g{number}" for number in range(21)]
    given = "".join(f"{name} = globals()\n" for name in names)
    assert may_define("evil", f"{given}g19[name] = 1\n")
    assert not may_define("evil", f"{given}g20[name] = 1\n")
