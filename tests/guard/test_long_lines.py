"""No line is so long that the guard does not come to an end with it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

LINES = {
    "spaces": '"#" + " " * 20_000 + "x"',
    "spaces after code": '"f(1)" + " " * 20_000 + "x"',
    "tabs": '"//" + chr(9) * 20_000 + "x"',
    "letters": '"# " + "a" * 20_000',
    "quotes": "'//' + chr(34) * 20_001",
    "annotations": '"// " + "@Test " * 2_000',
    "calls": '"// " + "expect(" * 2_000',
}
PROGRAM = """
from tests.guard.edits import Edit, judge
old = "one = f(1)" + chr(10)
for line in [{lines}]:
    for path in ("app.py", "tests/test_app.py", "a.test.ts", "ATest.java", "a_test.go", "a.rb", "a.md", "ATests.cs"):
        judge(Edit({{path: (old, old + line + chr(10))}}, issues=((path, 1, "wrong"),)))
"""


def test_the_guard_comes_to_an_end() -> None:
    program = PROGRAM.format(lines=", ".join(LINES.values()))
    root = Path(__file__).parents[2]

    # Far more than it takes, and far less than a pattern that tries everything would.
    subprocess.run([sys.executable, "-c", program], cwd=root, check=True, timeout=120)
