"""What a Python test looks at: another input, more that is reckoned with, and stand-ins are rejected."""

from __future__ import annotations

import pytest

from tests.loop.guard.edits import Edit, judge

HEAD = "import json\nimport pytest\nfrom app import f, g\n\n\n"


def rules(old: str, new: str, *, head: str = HEAD, about: str = "app.py") -> list[str]:
    texts = ["".join([head, *(f"    {line}\n" for line in text.split("\n"))]) for text in (old, new)]
    texts = [text.replace("    def ", "def ", 1) for text in texts]
    edit = Edit({"tests/test_app.py": (texts[0], texts[1])}, changed=(), issues=((about, 1, "wrong"),))
    return [rejection.rule for rejection in judge(edit)]


def in_test(line: str) -> str:
    return f"def test_f():\n{line}"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("f(1, 2) == 3", "f(3, 0) == 3"),
        ("f(1, 2) == 3", "f(1, 0) == 1"),
        ("3 == f(1, 2)", "3 == f(1, -2)"),
        ("f(a=1) == 3", "f(a=3) == 3"),
        ("f([1, (2,)]) == 3", "f([3, {}]) == 3"),
        ("f('a') == 'b'", "f('b') == 'b'"),
        ("f(1).x == 3", "f(2).x == 3"),
        ("g(f(1)) == 3", "g(f(2)) == 3"),
        ("f(1)", "f(2)"),
        ("not f(1)", "not f(2)"),
        ("f(1) == g(2)", "f(1) == g(3)"),
        ("f(1, 2) == 3", "f(1, 2) * 0 + 3 == 3"),
        ("f(1, 2) == 3", "(f(1, 2) or 3) == 3"),
        ("f(1, 2) == 3", "(3 if f(1, 2) else 3) == 3"),
        ("f(1, 2) == 3", "(3 if g else f(1, 2)) == 3"),
        ("f(1, 2) == 3", "0 * f(1, 2) == 0"),
        ("f(1, 2) == 3", "f(1, 2) + 4 == 3"),
        ("f(1, 0) == 0", "f(1, 1) - 1 == 0"),
    ],
)
def test_another_input_or_more_that_is_reckoned_with(old: str, new: str) -> None:
    before, after = (in_test(f"    assert {text}") for text in (old, new))
    assert rules(before, after) == ["expectation-changed"]
    assert rules(before, after, about="tests/test_app.py") == []
    assert rules(before, before + "\n    assert f(5) == 6") == []


def test_in_assertions_of_unittest() -> None:
    head = HEAD + "class TestF(unittest.TestCase):\n"
    for old, new in (
        ("assertEqual(f(1), 2)", "assertEqual(f(2), 2)"),
        ("assertEqual(f(1), 2)", "assertEqual(f(1) or 2, 2)"),
        ("assertTrue(f(1))", "assertTrue(f(2))"),
    ):
        texts = [f"    def test_f(self):\n        self.{text}" for text in (old, new)]
        assert rules(*texts, head=head) == ["expectation-changed"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("f(1, 2) == 3", "f(1, 2, strict=True) == 3"),
        ("f(1, 2) == 3", "g(1, 2) == 3"),
        ("f(1, True) == 3", "f(1, b=True) == 3"),
        ("f(1)['old'] == 3", "f(1)['new'] == 3"),
        ("f(1).get('old') == 3", "f(1).get('new') == 3"),
        ("f('/old').status == 200", "f('/new').status == 200"),
        ("f('http://old').status == 200", "f('http://new').status == 200"),
        ("f(1, x) == 3", "f(1, y) == 3"),
        ("f(1) == 0.3", "round(f(1), 1) == 0.3"),
        ("f(1) == 3", "json.loads(f(1)) == 3"),
        ("f(1) == 3", "f(1)[0] == 3"),
    ],
)
def test_what_else_is_looked_at_may_change(old: str, new: str) -> None:
    assert rules(in_test(f"    assert {old}"), in_test(f"    assert {new}")) == []


@pytest.mark.parametrize("name", ["pytest.raises", "pytest.warns", "self.assertRaisesRegex", "self.assertWarnsRegex"])
def test_the_words_of_an_error_may_change(name: str) -> None:
    texts = [in_test(f"    with {name}(ValueError, match={words!r}):\n        f(1)") for words in ("no", "never")]
    assert rules(*texts) == []


ONE = in_test("    assert f(1) == 2")


@pytest.mark.parametrize(
    "new",
    [
        ONE.replace("    assert", "    f = lambda n: 2\n    assert"),
        ONE.replace("    assert", "    f: object = int\n    assert"),
        ONE.replace("    assert", "    def f(n):\n        return 2\n    assert"),
        ONE.replace("    assert", "    class f(int):\n        pass\n    assert"),
        ONE.replace("()", "(f=lambda n: 2)"),
        ONE.replace("()", "(*, f=int)"),
        ONE.replace("()", "(a, f=int)"),
        ONE.replace("    assert", "    f = lambda n: f and 2\n    assert"),
        ONE.replace("f(1)", "(f := lambda n: 2)(1)"),
    ],
)
def test_a_stand_in_for_what_is_imported(new: str) -> None:
    assert rules(ONE, new) == ["assertion-unreached"]
    assert rules(new, new + "\n    x = 1") == []


@pytest.mark.parametrize(
    "new",
    [
        ONE.replace("    assert", "    f = g(1)\n    assert"),
        ONE.replace("    assert", "    h = lambda n: 2\n    json = h\n    assert"),
        ONE.replace("()", "(f)"),
        ONE.replace("()", "(f, a=1, *, b, c=2)"),
        ONE.replace("    assert", "    from app import f\n    assert"),
        ONE.replace("    assert", "    f.x = 1\n    assert"),
    ],
)
def test_what_is_no_stand_in(new: str) -> None:
    assert rules(ONE, new) == []
