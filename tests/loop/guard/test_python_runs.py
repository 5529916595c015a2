"""Which Python tests run, and how far: what keeps them from it is rejected, what people write is not."""

from __future__ import annotations

import pytest

from tests.loop.guard.edits import Content, Edit, judge
from tests.loop.guard.test_bad_edits import TEST, UNIT, test

BODY = "        assert f(1) == 2\n        assert f(2) == 4\n"
DEEPER = "            assert f(1) == 2\n            assert f(2) == 4\n"
HOOK = "def pytest_runtest_makereport(item):\n    item.config.stash[KEY] = item.nam\n"


def one(*swaps: tuple[str, str], old: str = TEST) -> Edit:
    return test(old, *swaps)


def new(path: str, text: str, old: Content = None) -> Edit:
    """A file that a fixer gives a reason for."""
    return Edit({path: (old, text)}, changed=("app.py",), reasons={path: "tests need it"})


BAD: dict[str, tuple[str, Edit]] = {
    "no cases": (
        "test-cases-removed",
        one(("    def test_one()", '    @pytest.mark.parametrize("n", [])\n    def test_one(n)')),
    ),
    "cases of a name": (
        "test-cases-removed",
        one(
            ("    def test_one()", '    CASES = ()\n\n    @pytest.mark.parametrize("n", CASES)\n    def test_one(n)'),
        ),
    ),
    "range(0)": ("test-cases-removed", one(("[1, 2, 3]", "range(0)"))),
    "cases of a list over nothing": ("test-cases-removed", one(("[1, 2, 3]", "[n for n in []]"))),
    "a shorter list of cases": (
        "test-cases-removed",
        one(
            ("N = [1, 2, 3]", "N = [1]"),
            old=TEST.replace("[1, 2, 3]", "N").replace("    import pytest", "    import pytest\n    N = [1, 2, 3]"),
        ),
    ),
    "a loop over nothing": ("assertion-removed", one((BODY, "        for _ in ():\n" + DEEPER))),
    "a loop over range(0)": ("assertion-removed", one((BODY, "        for _ in range(0):\n" + DEEPER))),
    "a loop that never runs": ("assertion-removed", one((BODY, "        while not True:\n" + DEEPER))),
    "a function that nothing calls": ("assertion-removed", one((BODY, "        def later():\n" + DEEPER))),
    "a class that nothing uses": (
        "assertion-removed",
        one((BODY, "        class Later:\n" + DEEPER)),
    ),
    "after an exception": ("assertion-removed", one((BODY, "        raise StopIteration\n" + BODY))),
    "after a return under a condition that holds": (
        "assertion-removed",
        one((BODY, "        if True:\n            return\n" + BODY)),
    ),
    "under not True": ("assertion-removed", one((BODY, "        if not True:\n" + DEEPER))),
    "rebound": ("test-removed", one(("    def test_two", "    test_one = None\n\n    def test_two"))),
    "deleted": ("test-removed", one(("    def test_two", "    del test_one\n\n    def test_two"))),
    "rebound by an import": (
        "test-removed",
        one(("    def test_two", "    from app import f as test_one\n\n    def test_two")),
    ),
    "deleted from its class": ("test-removed", one(("0.2)\n", "0.2)\n\n    del TestF.test_one\n"), old=UNIT)),
    "a class deleted": ("test-removed", one(("0.2)\n", "0.2)\n\n    del TestF\n"), old=UNIT)),
    "a fixture": ("test-removed", one(("    def test_one", "    @pytest.fixture\n    def test_one"))),
    "a class with a constructor": (
        "test-removed",
        one(
            ("        def test_one", "        def __init__(self):\n            self.n = 1\n\n        def test_one"),
            old="    class TestF:\n        def test_one(self):\n            assert f(1) == 2\n",
        ),
    ),
    "the module ends the run": (
        "test-run-ended",
        one(("    import pytest", "    import pytest, sys\n    sys.exit(0)")),
    ),
    "the module raises": ("test-run-ended", one(("    def test_two", "    raise SystemExit\n\n    def test_two"))),
    "a new test ends the run": (
        "test-run-ended",
        one(("    def test_two", "    def test_ok():\n        os._exit(0)\n\n    def test_two")),
    ),
    "a fixture ends the run": (
        "test-run-ended",
        one(("    def test_two", "    @pytest.fixture\n    def a():\n        pytest.exit('x')\n\n    def test_two")),
    ),
    "a helper ends the run": (
        "test-run-ended",
        one(("    def test_two", "    def a():\n        os._exit(0)\n\n    def test_two")),
    ),
    "under a condition": ("assertion-unreached", one((BODY, "        if not f:\n" + DEEPER))),
    "under another branch": (
        "assertion-unreached",
        one((BODY, "        if f:\n            pass\n        else:\n" + DEEPER)),
    ),
    "in a handler": (
        "assertion-unreached",
        one((BODY, "        try:\n            f(0)\n        except KeyError:\n" + DEEPER)),
    ),
    "forgiven": (
        "assertion-unreached",
        one((BODY, "        try:\n" + DEEPER + "        except AssertionError as error:\n            print(error)\n")),
    ),
    "a failure that is expected": (
        "assertion-unreached",
        one((BODY, "        with pytest.raises(AssertionError):\n" + DEEPER)),
    ),
    "a return under a condition": (
        "assertion-unreached",
        one((BODY, "        if os.name == 'nt':\n            return\n" + BODY)),
    ),
    "a generator": ("assertion-unreached", one((BODY, BODY + "        yield\n"))),
    "a coroutine": ("assertion-unreached", one(("def test_one", "async def test_one"))),
    "equal to anything": ("assertion-loosened", one(("assert f(1) == 2", "assert f(1) == ANY"))),
    "unittest, equal to anything": ("assertion-loosened", one(("(f(1), 2)", "(f(1), mock.ANY)"), old=UNIT)),
    "run again": ("test-skipped", one(("    def test_one", "    @pytest.mark.flaky(reruns=50)\n    def test_one"))),
    "retried": ("test-skipped", one(("    def test_one", "    @retry(stop=9)\n    def test_one"))),
    "a fixture that skips": (
        "test-skipped",
        one(
            ("    def test_one", "    @pytest.mark.usefixtures('slow')\n    def test_one"),
            old=TEST + "\n    @pytest.fixture\n    def slow():\n        pytest.skip('x')\n",
        ),
    ),
    "an argument that skips": (
        "test-skipped",
        one(
            ("def test_one()", "def test_one(slow)"),
            old=TEST + "\n    @pytest.fixture\n    def slow():\n        pytest.skip('x')\n",
        ),
    ),
    "the module's own assertion loosened": (
        "assertion-loosened",
        one(("assert f(0) == 0", "assert f(0)"), old="    from app import f\n\n    assert f(0) == 0\n"),
    ),
    "the module's own assertion removed": (
        "test-removed",
        one(("    assert f(0) == 0\n", "    f(0)\n"), old="    from app import f\n\n    assert f(0) == 0\n"),
    ),
    "main": ("test-hooks", new("conftest.py", "def pytest_cmdline_main(config):\n    return 0\n")),
    "make items": ("test-hooks", new("conftest.py", "def pytest_pycollect_makeitem(collector):\n    return []\n")),
    "session": ("test-hooks", new("tests/conftest.py", "def pytest_sessionstart(session):\n    pass\n")),
    "a hook by assignment": ("test-hooks", new("tests/conftest.py", "pytest_cmdline_main = int\n")),
    "a hook by import": ("test-hooks", new("tests/conftest.py", "from .x import pytest_cmdline_main\n")),
    "a hook in a plugin of the tests": ("test-hooks", new("tests/plugin.py", "def pytest_cmdline_main():\n    pass\n")),
    "plugins": ("test-hooks", new("tests/conftest.py", "pytest_plugins = ['x']\n", "import os\n")),
    "the end of a conftest.py": ("test-run-ended", new("conftest.py", "import os\n\nos._exit(0)\n")),
    "the subject replaced": ("test-hooks", new("conftest.py", "import app\n\napp.f = lambda n: 2\n")),
    "setattr": ("test-hooks", new("conftest.py", "import app\n\nsetattr(app, 'f', int)\n")),
    "the runner replaced": ("test-hooks", one(("    def test_two", "    pytest.raises = None\n\n    def test_two"))),
    "the error replaced": (
        "test-hooks",
        one(("    def test_two", "    __builtins__['AssertionError'] = int\n\n    def test_two")),
    ),
    "taken from the module": (
        "test-hooks",
        one(("    def test_two", "    globals().pop('test_one')\n\n    def test_two")),
    ),
    "options in the environment": (
        "test-hooks",
        new("conftest.py", "import os\n\nos.environ['PYTEST_ADDOPTS'] = '--co'\n"),
    ),
    "load_tests": (
        "test-hooks",
        one(("    def test_two", "    def load_tests(*a):\n        pass\n\n    def test_two")),
    ),
    "a hook's body": ("tool-configuration", Edit({"conftest.py": (HOOK, HOOK.replace("item)", "item, x=1)"))})),
    "a hook's body that no issue is about": (
        "test-hooks",
        Edit({"conftest.py": (HOOK, HOOK.replace("nam", "id"))}, issues=(("app.py", 1, "wrong"),)),
    ),
    "a hook that ends the run": (
        "test-run-ended",
        Edit(
            {"tests/x.py": ("def setup_module():\n    pass\n", "def setup_module():\n    os._exit(0)\n")},
            issues=(("tests/x.py", 2, "wrong"),),
        ),
    ),
    "an ending hook that an issue is about": (
        "test-hooks",
        Edit(
            {"conftest.py": (HOOK, HOOK.replace("item.config.stash[KEY] = item.nam", "os._exit(0)"))},
            issues=(("conftest.py", 2, "wrong"),),
        ),
    ),
    "sitecustomize": ("loaded-by-name", new("sitecustomize.py", "import sys\n")),
    "sitecustomize in a folder": ("loaded-by-name", new("src/usercustomize/__init__.py", "import sys\n")),
    "a changed sitecustomize": ("loaded-by-name", new("src/sitecustomize.py", "import sys\n", "import os\n")),
    "path file": ("loaded-by-name", new("src/a.pth", "import os\n")),
    "pytest.py": ("loaded-by-name", new("pytest.py", "def main():\n    return 0\n")),
    "pytest in capitals": ("loaded-by-name", new("PyTest.py", "def main():\n    return 0\n")),
    "pytest folder": ("loaded-by-name", new("pytest/__main__.py", "raise SystemExit(0)\n")),
    "a plugin": ("loaded-by-name", new("src/xdist/__init__.py", "a = 1\n")),
    "unittest": ("loaded-by-name", new("unittest/__init__.py", "a = 1\n")),
    "a module of the library beside tests": ("loaded-by-name", new("tests/unit/json.py", "a = 1\n")),
}

GOOD: dict[str, Edit] = {
    "a coroutine that waits": one(("def test_one", "async def test_one"), ("f(1) == 2", "await f(1) == 2")),
    "a return at the end": one((BODY, BODY + "        return\n")),
    "a handler that fails": one(
        (BODY, "        try:\n" + DEEPER + "        except Exception as error:\n            raise Bad from error\n")
    ),
    "a narrow handler": one(
        (BODY, "        try:\n" + DEEPER + "        except OSError:\n            print(1)\n            raise\n")
    ),
    "another error expected": one((BODY, BODY + "        with pytest.raises(KeyError):\n            f('a')\n")),
    "a new assertion under a condition": one((BODY, BODY + "        if f(3):\n            assert f(3) == 6\n")),
    "a fixture that does not skip": one(
        ("def test_one()", "def test_one(slow)"),
        old=TEST + "\n    @pytest.fixture\n    def slow():\n        return 1\n",
    ),
    "a part equal to anything": one(("assert f(1) == 2", "assert f(1) == 2\n        g.assert_called_with(1, ANY)")),
    "one more assertion of the module": one(
        ("    assert f(0) == 0\n", "    assert f(0) == 0\n    assert f(5) == 10\n"),
        old="    from app import f\n\n    assert f(0) == 0\n",
    ),
    "a loop": one((BODY, "        for n, m in ((1, 2), (2, 4)):\n            assert f(n) == m\n" + BODY)),
    "a loop that counts from 0": one((BODY, "        for _ in range(0, 2):\n" + DEEPER)),
    "a handler instead of a condition": one(
        ("        if f is None:\n", "        try:\n            f(0)\n        except KeyError:\n"),
        old=TEST.replace(BODY, "        if f is None:\n" + DEEPER),
    ),
    "a function that is called": one((BODY, "        def check():\n" + DEEPER + "\n        check()\n")),
    "a function that is passed on": one((BODY, "        def check():\n" + DEEPER + "\n        run(check)\n")),
    "a function with a decorator": one((BODY, "        @app.route('/')\n        def check():\n" + DEEPER)),
    "a context": one((BODY, "        with open('x') as g:\n" + DEEPER)),
    "a finally": one((BODY, "        try:\n" + DEEPER + "        finally:\n            g()\n")),
    "cases made by a call": one(("[1, 2, 3]", "[1, 2, 3, *more()]")),
    "cases of a name": one(
        ("[1, 2, 3]", "NUMBERS"), ("    def test_one", "    NUMBERS = [1, 2, 3]\n\n    def test_one")
    ),
    "cases that are still to be written": one(
        ("n * 2\n", "n * 2\n\n    def test_four():\n        assert f(4) == 8\n"), old=TEST.replace("[1, 2, 3]", "[]")
    ),
    "a name before": one(("    def test_one", "    test_data = None\n\n    def test_one")),
    "a constructor of a helper": one(
        ("    def test_one", "    class Fake:\n        def __init__(self):\n            self.n = 1\n\n    def test_one")
    ),
    "a constructor of a unittest": one(
        ("        def test_one", "        def __init__(self, *a):\n            g(*a)\n\n        def test_one"),
        old=UNIT,
    ),
    "a fake that exits": one(("    def test_two", "    def fake():\n        sys.exit(2)\n\n    def test_two")),
    "an expected exit": one(
        ("    def test_two", "    def test_x():\n        with pytest.raises(SystemExit):\n            sys.exit(2)\n"
        "\n    def test_two"),
    ),
    "a script's own part": one(("    def test_two", "    if __name__ == '__main__':\n        sys.exit(pytest.main())\n"
                                "\n    def test_two")),
    "an inner fake": one((BODY, "        def fake():\n            raise SystemExit\n\n        g(fake)\n" + BODY)),
    "a fixture": new("tests/conftest.py", "import pytest\n\n\n@pytest.fixture\ndef a():\n    return 1\n"),
    "an automatic fixture": new(
        "tests/conftest.py", "import pytest\n\n\n@pytest.fixture(autouse=True)\ndef a(monkeypatch):\n    pass\n"
    ),
    "a plugin imported": one(("    import pytest", "    import pytest\n    import pytest_asyncio")),
    "a path": new("conftest.py", "import os\nimport sys\n\nsys.path.insert(0, 'src')\nos.environ['A'] = '1'\n"),
    "an option": new("conftest.py", "def pytest_addoption(parser):\n    parser.addoption('--slow')\n"),
    "a hook that an issue is about": Edit(
        {"conftest.py": (HOOK, HOOK.replace("nam", "name"))}, issues=(("conftest.py", 2, "no such attribute"),)
    ),
    "a hook that a plugin offers": Edit(
        {"src/pytest_x/plugin.py": (HOOK, HOOK + "\n\ndef pytest_sessionstart(session):\n    pass\n")},
    ),
    "a module of a package": new("src/app/logging.py", "a = 1\n"),
    "a test of a module": new("tests/test_json.py", "a = 1\n"),
    "an ordinary module": new("src/helpers.py", "a = 1\n"),
    "a file that was there": new("types.py", "a = 1\n", "a = 2\n"),
    "the package of the project": new("src/pytest/__init__.py", "a = 1\n", "a = 2\n"),
    "a folder called test": new("test/__init__.py", "a = 1\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_rejects_by_the_right_rule(name: str) -> None:
    rule, edit = BAD[name]

    found = judge(edit)

    assert [r.rule for r in found] == [rule]
    assert found[0].path in edit.files
    assert found[0].reason.endswith(".")


@pytest.mark.parametrize("name", GOOD)
def test_lets_what_people_write_pass(name: str) -> None:
    assert judge(GOOD[name]) == []


def test_an_assertion_that_is_caught_and_forgotten_is_both() -> None:
    edit = one((BODY, "        try:\n" + DEEPER + "        except AssertionError:\n            pass\n"))

    assert [r.rule for r in judge(edit)] == ["error-swallowed", "assertion-unreached"]


def test_a_long_sum_is_read() -> None:
    total = " + ".join(["1"] * 2500)

    assert judge(one((BODY, f"        n = {total}\n" + BODY))) == []
