"""A model's tools show no secret, and cannot be used to find one out."""

from __future__ import annotations

import random
import string
import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfreview.llm.fixing.conversation import CallOutcome, Refusal, Toolbox
from selfreview.llm.fixing.file_tools import Confined, FileTools, replace_once
from selfreview.llm.transport.fences import Fences
from selfreview.llm.transport.messages import _plain
from selfreview.secrets.redactor import Redactor

_RANDOM = random.Random(5)
WORD = "".join(_RANDOM.choice(string.ascii_lowercase) for _ in range(14))
TOKEN = "ghp_" + "".join(_RANDOM.choice(string.ascii_letters + string.digits) for _ in range(36))
FILES = {
    "app.py": f'x = 1\nTOKEN = "{TOKEN}"\ny = 2\n',
    "db.py": f'URL = "postgres://admin:{WORD}@db.internal.corp/x"\n',
}


class Desk:
    """The tools over a folder, with the files read already."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for name, text in FILES.items():
            (root / name).write_text(text)
        fences = Fences()
        self.redactor = Redactor(spared=[fences.mark])
        place = Confined(root, set(FILES), lambda: [p.name for p in root.iterdir()], self._holding)
        self._box = Toolbox(FileTools(place, self.redactor).tools(), self.redactor, fences)
        self.read = {name: self.call("read_file", path=name).text for name in FILES}

    def call(self, name: str, **given: Any) -> CallOutcome:
        return self._box.call(name, given)

    def hidden(self, path: str) -> str:
        """Return the placeholder in a file."""
        return next(word for word in self.read[path].replace('"', " ").replace("@", ":").replace(":", " ").split()
                    if word.startswith("REDACTED"))  # fmt: skip

    def _holding(self, text: str) -> list[str]:
        return [path.name for path in self.root.iterdir() if text in path.read_text()]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    made = Desk(tmp_path)
    assert not any(secret in text for text in made.read.values() for secret in (WORD, TOKEN))
    return made


@pytest.mark.parametrize("new", ["q ", "q", "postgres:/admin."])
def test_an_edit_does_not_take_away_what_tells_of_a_secret(desk: Desk, new: str) -> None:
    said = desk.call("edit_file", path="db.py", old="postgres://admin:", new=new)

    assert not said.failed
    assert WORD in (desk.root / "db.py").read_text()
    assert WORD not in said.text + desk.call("read_file", path="db.py").text
    assert desk.call("search", text="q").text.count(WORD) == 0


def test_a_secret_is_not_shown_by_moving_it(desk: Desk) -> None:
    secret = desk.hidden("db.py")
    assert not desk.call("create_file", path="new.py", content=f"a = '{secret[:0]}{secret}'\nb{secret}\n").failed
    assert not desk.call("edit_file", path="app.py", old="x = 1", new=f"x = {secret}").failed

    assert (desk.root / "new.py").read_text() == f"a = '{WORD}'\nb{WORD}\n"
    assert not any(WORD in desk.call("read_file", path=path).text for path in ("new.py", "app.py", "db.py"))


@pytest.mark.parametrize("guess", [TOKEN[:5], TOKEN[:20], TOKEN[8:], TOKEN, WORD[:3], WORD])
def test_a_guess_says_nothing(desk: Desk, guess: str) -> None:
    wrong = guess[:-1] + ("x" if guess[-1] != "x" else "y")

    assert desk.call("search", text=guess).text == desk.call("search", text=wrong).text == "It is found nowhere."
    for path in FILES:
        right = desk.call("edit_file", path=path, old=guess, new="a")
        assert right == desk.call("edit_file", path=path, old=wrong, new="a")
        assert right.failed


def test_a_placeholder_is_found_and_can_be_replaced(desk: Desk) -> None:
    assert "1 hits" in desk.call("search", text=desk.hidden("app.py")).text
    assert not desk.call("edit_file", path="app.py", old=f'"{desk.hidden("app.py")}"', new="token()").failed
    assert (desk.root / "app.py").read_text() == "x = 1\nTOKEN = token()\ny = 2\n"


def test_a_placeholder_that_stands_for_nothing_is_refused(desk: Desk) -> None:
    others = Redactor().redact(FILES["app.py"])
    for said in (
        desk.call("edit_file", path="app.py", old="x = 1", new=others),
        desk.call("create_file", path="new.py", content=others),
    ):
        assert said.failed
        assert "stands for no value" in said.text

    assert (desk.root / "app.py").read_text() == FILES["app.py"]
    assert not (desk.root / "new.py").exists()


def test_what_is_no_secret_stays_as_it_is(desk: Desk) -> None:
    assert not desk.call("edit_file", path="app.py", old="y = 2", new="admin = 2").failed

    assert "admin = 2" in desk.call("read_file", path="app.py").text
    assert "1 hits" in desk.call("search", text="admin = 2").text


def test_a_block_of_another_shape_warns_of_nothing() -> None:
    from anthropic.types import ToolUseBlock

    block = ToolUseBlock.model_construct(id="t", name=["x"], input="no", type="tool_use")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert _plain(block)["name"] == ["x"]


lines = st.lists(st.text(alphabet="ab ", max_size=4), max_size=6)
breaks = st.sampled_from(["\n", "\r\n"])


@pytest.mark.parametrize(
    ("text", "old", "new", "result", "extent"),
    [
        ("a\nb\nc\n", "b", "x\ny", "a\nx\ny\nc\n", (2, 3)),
        ("a\r\nb\r\nc\r\n", "b\nc", "x\ny\nc", "a\r\nx\r\ny\r\nc\r\n", (2, 3)),
        ("a\r\nb\r\nc\r\n", "b\r\nc", "b\r\nx\r\nc", "a\r\nb\r\nx\r\nc\r\n", (3, 4)),
        ("a\r\nb\nc\n", "a\nb\nc", "a\nB\nc", "a\r\nB\nc\n", (2, 2)),
        ("a\nb\r\nc\n", "b", "b\nx", "a\nb\r\nx\r\nc\n", (2, 3)),
        ("a\r\nb", "b", "b\nc\n", "a\r\nb\r\nc\r\n", (2, 4)),
        ("a", "a", "b\nc", "b\nc", (1, 2)),
        ("a\nb\n", "a\nb\n", "", "", (1, 1)),
        ("x\u200by\n", "x\\u{200B}y", "xy", "xy\n", (1, 1)),
        ("s = '\\u{200B}'\n", "'\\u{200B}'", "'\\u{200C}'", "s = '\\u{200C}'\n", (1, 1)),
        ("caf\udce9 = 1\n", "caf\\u{DCE9} = 1", "caf\\u{DCE9} = 2", "caf\udce9 = 2\n", (1, 1)),
    ],
)
def test_what_an_edit_makes(text, old, new, result, extent):
    replaced = replace_once(text, old, new)
    assert (replaced.text, (replaced.first, replaced.last)) == (result, extent)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("", "x", "empty"),
        ("z", "x", "does not stand"),
        ("aa", "x", "more than once"),  # overlapping
        ("b\n", "b\r\n", "the same"),
        ("b", "b", "the same"),
        ("\\u{110000}", "x", "does not stand"),
    ],
)
def test_what_is_refused(old, new, words):
    with pytest.raises(Refusal, match=words):
        replace_once("aaa\nb\n", old, new)


@given(before=lines, after=lines, middle=lines, new=lines, ending=breaks)
def test_a_file_of_one_kind_of_breaks_keeps_it_and_all_that_is_around(before, after, middle, new, ending):
    joined = [ending.join(part) for part in ([*before, ""], ["<", *middle, ">"], ["", *after])]
    text = "".join(joined)
    old = joined[1].replace("\r\n", "\n")
    wanted = "\n".join(["<", *new, "|"])
    replaced = replace_once(text, old, wanted).text
    assert replaced == joined[0] + wanted.replace("\n", ending) + joined[2]
