"""Code of test files that runs for others' tests, by language."""

from __future__ import annotations

import pytest

from selfreview.guard.loadeffects import load_effects


def test_what_cannot_be_parsed_has_no_effects_that_are_known() -> None:
    assert not load_effects("def f(:\n    app.f = 1\n", "python", is_shared=True)


@pytest.mark.parametrize(
    "line",
    [
        "x = delattr(app, 'f')",
        "x = object.__setattr__(app, 'f', str)",
        "x = pytest.MonkeyPatch().setattr('app.f', str)",
        "x = exec('app.f = str')",
        "x = importlib.reload(app)",
        "x = app.__dict__.update(f=str)",
        "x = sys.modules.setdefault('app', 1)",
        "x = mock.patch('app.f', str).__enter__()",
        "del app.f",
        "app.f.x[1].y = 2",
        "x = [0 for app.f in [str]]",
        "for app.f in [str]: pass",
        "mod = app\nmod.f = str",
        "app.f = str\ndef unused():\n    app = 1",
        "def prepare():\n    app.f = str\nprepare()",
        "def prepare():\n    app.f = str\nx = prepare()",
        "def prepare(of):\n    app.f = str\n    return of\n@prepare\ndef test_a(): pass",
        "class A:\n    def __init__(self):\n        app.f = str\nx = A()",
        "class A:\n    def __init_subclass__(cls):\n        app.f = str\nclass B(A): pass",
        "class A:\n    for x in app.go(): pass",
        "cases = {}\ncases['b'] = 2",
        "while app.go(): pass",
        "CASES += [1]",
        "mystery()",
        "(lambda: app.go())()",
        "if __name__ == '__main__':\n    main()\nelse:\n    app.f = 1",
        "def test_a():\n    app.f.__code__ = str.__code__",
        "def test_a():\n    app.f.__globals__['sum'] = str",
        "def test_a():\n    sys.modules['app'] = str",
        "def test_a():\n    module = sys.modules['test_app']\n    module.f = str",
        "import test_app\ndef test_a():\n    test_app.f = str",
        "import tests.test_app as x\ndef test_a():\n    x.f = str",
    ],
)
def test_effects_of_python(line: str) -> None:
    assert load_effects(f"import app\n{line}\n", "python", is_shared=False)


@pytest.mark.parametrize(
    "line",
    [
        '"""Tests."""',
        "cases: list[int] = [1]",
        "HERE = Path(__file__).parent",
        "class A:\n    x = 1\n    def go(self): self.x = 2\ncases = [A()]",
        "def make(): return [1]\n@pytest.mark.parametrize('n', make())\ndef test_a(n): pass",
        "class Base:\n    def setUp(self): app.x = 1\nclass TestA(Base): pass",
        "if TYPE_CHECKING:\n    import x",
        "try:\n    import x\nexcept ImportError:\n    x = None",
        "os.environ.setdefault('A', '1')",
        "x = pytest.importorskip('x')",
        "pytest.importorskip('x')",
        "if __name__ == '__main__':\n    app.f = 1",
        "@pytest.fixture\ndef a(): app.f = 1",
        "@pytest.fixture(scope='session')\ndef a(): app.f = 1",
        "@other(autouse=True, scope='session')\ndef a(): app.f = 1",
        "def test_a():\n    global b\n    b = 1",
        "def test_a():\n    assert 'x' not in sys.modules",
        "def test_a(test_user):\n    test_user.name = 'x'",
        "here = sys.modules[__name__]",
    ],
)
def test_no_effects_of_python(line: str) -> None:
    assert not load_effects(f"import app\n{line}\n", "python", is_shared=False)


@pytest.mark.parametrize(
    "line",
    [
        "global.f = 1;",
        "window.f += 1;",
        "process.env['A'] = '1';",
        "delete app.f;",
        "app['f'] = 1;",
        "g.f = 1;",
        "h.f = 1;",
        "Object.defineProperty( app, 'f', {});",
        "Reflect.set(app, 'f', 1);",
    ],
)
@pytest.mark.parametrize("language", ["javascript", "typescript", "tsx"])
def test_effects_of_scripts(line: str, language: str) -> None:
    text = f"import app, {{ x as g }} from './app.js';\nconst h = require('h');\n{line}\n"
    assert load_effects(text, language, is_shared=False)


@pytest.mark.parametrize(
    "line",
    ["app;", "f = 1;", "-app.f;", "own.f = 1;", "Object.keys(app);", "class A { m() { app.f = 1; } }", "app.f(1);"],
)
def test_no_effects_of_scripts(line: str) -> None:
    text = f"import app from './app.js';\nconst own = {{}};\nconst a = app.require;\n{line}\n"
    assert not load_effects(text, "javascript", is_shared=True)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("python", "def pytest_configure(config):\n    pass\n"),
        ("python", "pytest_plugins = ['x']\n"),
        ("go", "func TestMain(m *testing.M) {}\n"),
        ("ruby", "RSpec.configure do |c|\nend\n"),
        ("ruby", "My::F.prepend(Fake)\n"),
        ("csharp", "[assembly: Parallelizable]\n"),
        ("rust", "#[ctor]\nfn go() {}\n"),
        ("java", "@ControlAll class A {}\n"),
        ("kotlin", "object A : B() { @RegisterExtension static x }\n"),
        (None, "class A extends AbstractProjectConfig {}\n"),
        ("php", "<?php\nexit(0);\n"),
        ("tsx", "it.only('x', () => {});\n"),
    ],
)
def test_code_that_runs_for_all_tests(language: str | None, text: str) -> None:
    assert load_effects(text, language, is_shared=False)


def test_bytes_that_are_no_text_are_no_hindrance() -> None:
    assert load_effects("import app from './app.js';\n// \udcff\napp.f = 1;\n", "javascript", is_shared=False)


def test_an_automatic_fixture_of_a_package_is_for_all() -> None:
    text = "@pytest.fixture(autouse=True, scope='package')\ndef a():\n    pass\n"
    assert load_effects(text, "python", is_shared=False)
    assert not load_effects(text.replace("package", "module"), "python", is_shared=False)
    assert load_effects(text.replace("package", "module"), "python", is_shared=True)
