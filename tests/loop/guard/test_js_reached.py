"""Which assertions of tests in JavaScript are reached whenever a test runs."""

from __future__ import annotations

import pytest

from tests.loop.guard.edits import Edit, judge

ASSERTION = "expect(f(1, 0)).toBe(0);"
ISSUE = ("app.js", 1, "wrong")


def rules(body: str, old: str = ASSERTION, path: str = "tests/app.test.js") -> list[str]:
    texts = [f"test('f', async (done) => {{\n  {text}\n}});\n" for text in (old, body)]
    return [found.rule for found in judge(Edit({path: (texts[0], texts[1])}, changed=(), issues=(ISSUE,)))]


@pytest.mark.parametrize(
    "body",
    [
        "setTimeout(() => expect(f(1, 0)).toBe(0), 1e9);",
        "setTimeout(() => {\n    expect(f(1, 0)).toBe(0);\n  }, 1e9);",
        "setImmediate(function () {\n    expect(f(1, 0)).toBe(0);\n  });",
        "const g = () => expect(f(1, 0)).toBe(0);",
        "const g = async (a, b) => {\n    expect(f(1, 0)).toBe(0);\n  };",
        "let g = a => expect(f(1, 0)).toBe(0);",
        "var g = function () {\n    expect(f(1, 0)).toBe(0);\n  };",
        "function $g() {\n    expect(f(1, 0)).toBe(0);\n  }",
        "async function g() {\n    expect(f(1, 0)).toBe(0);\n  }",
        "f === 0 && expect(f(1, 0)).toBe(0);",
        "f === 0 || expect(f(1, 0)).toBe(0);",
        "f ?? expect(f(1, 0)).toBe(0);",
        "f ? expect(f(1, 0)).toBe(0) : 0;",
        "f && await expect(f(1, 0)).toBe(0);",
        "if (f) expect(f(1, 0)).toBe(0);",
        "if (f(1)) {\n    expect(f(1, 0)).toBe(0);\n  }",
        "if (f) {expect(f(1, 0)).toBe(0);}",
        "if (f) {\n  } else {\n    expect(f(1, 0)).toBe(0);\n  }",
        "if (f) g();\n  else expect(f(1, 0)).toBe(0);",
        "switch (f) {\n    case 1:\n      expect(f(1, 0)).toBe(0);\n  }",
        "try {\n    expect(f(1, 0)).toBe(0);\n  } catch (e) {\n    console.log(e);\n  }",
        "try {\n    expect(f(1, 0)).toBe(0);\n  } catch {\n    g();\n  }",
        "try {\n    f();\n  } catch (e) {\n    expect(f(1, 0)).toBe(0);\n  }",
        "if (f) return;\n  expect(f(1, 0)).toBe(0);",
        "if (f(g(1))) {\n    return;\n  }\n  expect(f(1, 0)).toBe(0);",
        "if (f) return;\n  [1].forEach((n) => {\n    expect(f(1, 0)).toBe(0);\n  });",
    ],
)
@pytest.mark.parametrize("path", ["tests/app.test.js", "tests/app.test.ts", "tests/app.test.tsx"])
def test_an_assertion_that_may_not_be_reached_or_count(body: str, path: str) -> None:
    assert rules(body, path=path) == ["assertion-unreached"]
    assert rules(body, old=body.replace("1, 0", "2, 0"), path=path) in ([], ["expectation-changed"])


@pytest.mark.parametrize(
    "body",
    [
        f"{ASSERTION}\n  if (f) {{\n    expect(f(2, 0)).toBe(0);\n  }}",
        "await waitFor(() => expect(f(1, 0)).toBe(0));",
        "await waitFor(() => {\n    expect(f(1, 0)).toBe(0);\n  });",
        "setTimeout(() => {\n    expect(f(1, 0)).toBe(0);\n    done();\n  }, 1);",
        "await new Promise((resolve) => setTimeout(() => {\n    expect(f(1, 0)).toBe(0);\n    resolve();\n  }));",
        "const g = () => expect(f(1, 0)).toBe(0);\n  g();",
        "function g() {\n    expect(f(1, 0)).toBe(0);\n  }\n  [1].forEach(g);",
        "const g = f(1, 0);\n  expect(g).toBe(0);",
        "try {\n    expect(f(1, 0)).toBe(0);\n  } finally {\n    g();\n  }",
        "try {\n    expect(f(1, 0)).toBe(0);\n  } catch (e) {\n    throw new Error(e);\n  }",
        "try {\n    expect(f(1, 0)).toBe(0);\n  } catch (e) {\n    done(e);\n  }",
        "try {\n    expect(f(1, 0)).toBe(0);\n  } finally {\n  }\n  try {\n    g();\n  } catch (e) {\n    h();\n  }",
        "for (const n of [1, 2]) {\n    expect(f(1, 0)).toBe(0);\n  }",
        "const g = (n) => {\n    if (n) return 1;\n    return 0;\n  };\n  expect(f(1, g(0))).toBe(0);",
        "expect(f(1, 0)).toBe(0);\n  if (f) return;\n  g();",
        "[1].forEach((n) => {\n    if (n) return;\n  });\n  expect(f(1, 0)).toBe(0);\n  g(() => {});",
        "[1].forEach((n) => {if (n) return; g(n);});\n  expect(f(1, 0)).toBe(0);",
        "setTimeout(g, 1);\n  expect(f(1, 0)).toBe(0);",
        "const h = a && b;\n  expect(f(1, 0)).toBe(0);",
        "// if (f) return;\n  expect(f(1, 0)).toBe(0);",
        "g('if (f) return;');\n  expect(f(1, 0)).toBe(0);",
    ],
)
def test_an_assertion_that_is_reached(body: str) -> None:
    assert rules(body) == []


@pytest.mark.parametrize("before", ["", "await "])
def test_assertions_by_other_names(before: str) -> None:
    old = f"{before}assert.strictEqual(f(1, 0), 0);"
    assert rules(f"f && {old}", old) == ["assertion-unreached"]
    assert rules(f"g();\n  {old}", old) == []


def test_other_languages_are_read_in_other_ways() -> None:
    go = "func TestF(t *testing.T) {\n\trequire.Equal(t, 0, F(1))\n}\n"
    under = go.replace("\trequire", "\tif F != nil {\n\t\trequire").replace("F(1))\n", "F(1))\n\t}\n")
    assert judge(Edit({"app_test.go": (go, under)}, changed=(), issues=(("app.go", 1, "wrong"),))) == []


def test_many_assertions_take_no_long_time() -> None:
    """Were all the text looked at for each of them, this would take minutes."""
    body = f"if (f) {{\n    g();\n  }}\n  {ASSERTION}\n  try {{\n    h();\n  }} finally {{ }}\n  " * 1_500
    assert rules(body + "g();", old=body) == []
