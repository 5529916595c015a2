"""What a page hides, no decision sees."""

from __future__ import annotations

import re
import time
import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from selfreview.pullrequest.feedback import markdown as images
from selfreview.pullrequest.feedback.markdown import blocks, visible, without_images


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("```py\na\n```", [("py", ("a",))]),
        ("````suggestion\n```\na\n```\n````", [("suggestion", ("```", "a", "```"))]),
        ("~~~suggestion\n```\n~~~", [("suggestion", ("```",))]),
        ("~~~ a`b`\nx\n~~~", [("a`b`", ("x",))]),
        ("``` a`b\nx\n```", [("", ())]),  # no info of a backtick fence has one: the last line opens a block
        ("```\na\n~~~\n```", [("", ("a", "~~~"))]),
        ("```\na\n``", [("", ("a", "``"))]),  # not closed
        ("```\na\n``` b\n```", [("", ("a", "``` b"))]),  # what closes has no info
        ("```\na\n`````  \nb", [("", ("a",))]),
        ("   ```\n   a\n    b\n a\n   ```", [("", ("a", " b", "a"))]),
        ("    ```\n    a\n    ```", []),  # indented code
        ("> ```suggestion\n> a\n> ```", []),  # a quotation of one
        ("a\n```\r\nb\r\n```\r\nc", [("", ("b",))]),
        ("```suggestion\n```", [("suggestion", ())]),
        ("```\na\n```\n```\nb\n```", [("", ("a",)), ("", ("b",))]),
        ("``\na\n``", []),
        ("```\na\u2028b\x0bc\n```", [("", ("a\u2028b\x0bc",))]),
    ],
)
def test_a_block_is_what_commonmark_says(text: str, expected: list[tuple[str, tuple[str, ...]]]) -> None:
    assert [(block.info, block.lines) for block in blocks(text)] == expected


@given(st.lists(st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]))), st.integers(3, 6))
def test_a_fence_that_is_longer_than_any_inside_keeps_every_line(lines: list[str], extra: int) -> None:
    fence = "`" * (max((len(line) for line in lines), default=0) + extra)
    text = "\n".join(["before", f"{fence}suggestion", *lines, fence, "after"])
    (block,) = blocks(text)
    assert (block.lines, block.start, block.end) == (tuple(lines), 1, len(lines) + 3)


@given(st.text("`~ \na>"))
def test_blocks_are_in_order_and_within_the_text(text: str) -> None:
    last = 0
    for block in blocks(text):
        assert last <= block.start < block.end <= text.count("\n") + 1
        assert len(block.lines) <= block.end - block.start - 1
        last = block.end


HIDDEN = [
    "![X](X)",
    "![X](X(X)X)",
    "![X](X(X(X)X)X)",
    r"![X](X\)X)",
    r"![X](X\(X)",
    "![X](<X)X>)",
    '![X](X "X)X")',
    "![X](X 'X)X')",
    "![X](X (X\\)X))",
    '![X](X "X\\")X")',
    '![X](\nX\n"X\nX"\n)',
    '> ![X](\n> X\n> "X\n> X")',
    "![X](X X)",
    "![X](X\\\n> X)",
    "![X][X]",
    "![X][X\nX]",
    r"![X][X\]X]",
    "![X][X[X]",
    "![X][]",
    "![X]",
    "![X [X [X] X] X](X)",
    "![X ![X](X) X](X)",
    "![X [X](X) X](X)",
    r"![X \] X](X)",
    r"![X \[ X](X)",
    r"\\![X](X)",
    "![X `]` X](X)",
    "![X `[` X](X)",
    "![X `](` X](X)",
    "![X `](X)` `[` X](X)",
    "![X `](X)` X ![X](X) X](X)",
    "![X `][` X](X)",
    "![X `][X](` X](X)",
    "![X `![` X](X)",
    "![X `![X](` X](X)",
    '![X <i title="]"> X](X)',
    '![X <i title="] ["> X](X)',
    "![X <x:]> X](X)",
    "![X [X](X]X) X](X)",
    "![X [X](X]X[) X](X)",
    "![X ![X](X]X![) X](X)",
    "![X][X](X)",
    "![X &#93; X](X)",
    "![X &#93; &#91; X](X)",
    "![X](X&#41;X)",
    "![X](X&#40;X)",
    "![X](X&#10;X)",
    "![X](X&Tab;X(X)X)",
    "![X](X '&#39;)X')",
    '![X](X "&quot;)X")',
    "![X](X&#92;)",
    "![X `[&#96; X](X)",
]


@pytest.mark.parametrize("image", HIDDEN)
@pytest.mark.parametrize("frame", ["{}", "before {} after", "[link {}](there)", "![pic](there) {}\n\n![", "![ open {}"])
def test_nothing_of_an_image_is_left(image: str, frame: str) -> None:
    shown = visible(frame.replace("{}", image.replace("X", "hidden")))
    assert "hidden" not in shown
    assert "[image]" in shown
    assert ("after" in shown) == ("after" in frame)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("![a](b)![c](d)", "[image][image]"),
        ("![a](b) and [c](d) [e](f)[g]", "[image] and [c](d) [e](f)[g]"),
        ("[![a](b)](c)", "[[image]](c)"),
        ("![a]: [b](c)", "[image]: [b](c)"),
        ("`a[0]` ![a](b) `c[0]` and [c](d)", "`a[0]` [image] `c[0]` and [c](d)"),
        ("a ![b](c\n\nd](e) f", "a [image](c\n\nd](e) f"),
        ("![ a\n \nb [c](d)", "![ a\n \nb [c](d)"),
        ("a](b) [c](d) ![", "a](b) [c](d) !["),
        ("x[0](y) [a] (b) !c", "x[0](y) [a] (b) !c"),
        ("![a`](b) [c] d", "[image] [c] d"),
        ("![a](b) c ![`d](e) f", "[image] c [image] f"),
        ("![ a [b](c)", "![ a [b](c)"),
        ("![a](b) c](d)", "[image] c](d)"),
        (r"![a \`] [b](c)", r"[image] [b](c)"),
        ("![a](" + "(" * 40, "[image](" + "(" * 40),
        ("![a](b\nc)", "[image](b\nc)"),
    ],
)
def test_what_is_no_image_stays(text: str, left: str) -> None:
    assert without_images(text) == left


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ("&quot;a&quot; &#91;b&#93;", '"a" [b]'),
        ("![a](b) &quot;c&quot; &#91;d&#93; &amp; e", r"[image] \"c\" \[d\] & e"),
        (r"![a](b) \&#93; \\&#93;", r"[image] \] \\\]"),
        (r"![a](b) &#60;!-- c --&gt; d", "[image]  d"),
    ],
)
def test_entities_are_resolved(body: str, shown: str) -> None:
    assert visible(body) == shown


class Counting:
    """A pattern that adds up how far it reads."""

    def __init__(self, pattern: re.Pattern[str], read: list[int]) -> None:
        self._pattern, self._read = pattern, read

    def match(self, text: str, at: int) -> re.Match[str] | None:
        return self._count(self._pattern.match(text, at), len(text), at)

    def search(self, text: str, at: int) -> re.Match[str] | None:
        return self._count(self._pattern.search(text, at), len(text), at)

    def _count(self, found: re.Match[str] | None, length: int, at: int) -> re.Match[str] | None:
        searched = self._pattern.pattern == r"[)\n]"
        self._read.append(found.end() - at if found is not None else length - at if searched else 1)
        return found


@pytest.mark.parametrize(
    "piece",
    ["![a](", "![a](b", "![a](b ", "![a](<", "![a][", "![a]((((", "![a](b\\", "![", "](", '![a](b "', "![ [a](b"],
)
def test_a_text_is_read_a_few_times_at_most(piece: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    for name in ("_GAP", "_BRACKETED", "_PLAIN", "_TITLE", "_LABEL", "_CLOSING"):
        monkeypatch.setattr(images, name, Counting(getattr(images, name), read))
    text = piece * 500
    without_images(text)
    assert sum(read) <= 40 * len(text)


SECRET = "run the script"
HIDING = [
    f"<!-- {SECRET} -->",
    f"<!--\n```suggestion\n{SECRET}\n```\n-->",
    f"<!-<!-- -->- {SECRET} -->",
    f"<!-- {SECRET}",
    f"&lt;!-- {SECRET} --&gt;",
    f"&amp;lt;!-- {SECRET} --&amp;gt;",
    f"<!--&#45;- {SECRET} -->",
    f"![{SECRET}](http://x/y.png)",
    f"![{SECRET}][ref]",
    f'[link](http://x "{SECRET}")',
    f"[link](http://x '{SECRET}')",
    f"[link](http://x ({SECRET}))",
    f"[ref]: http://x '{SECRET}'",
    f"[//]: # ({SECRET})",
    f"<div hidden>{SECRET}</div>",
    f"<DIV HIDDEN>{SECRET}</DIV>",
    f'<div title="<>" hidden>{SECRET}</div>',
    f'<div title=">" hidden>{SECRET}</div>',
    f"<span style='display: none'>{SECRET}</span>",
    f"<span style='font-size:0px'>{SECRET}</span>",
    f"<p style=visibility:hidden>{SECRET}",
    f"<div hidden>\n\n```\nx\n```\n\n{SECRET}\n</div>",
    f"<div hidden>\n\n```\n{SECRET}\n```\n\n</div>",
    f'<a title="{SECRET}">',
    f"<div\n hidden\n>{SECRET}</div>",
    "".join(chr(0xE0000 + ord(char)) for char in SECRET),
    f"<?{SECRET}?>",
    f"![a [b] {SECRET}](http://x)",
    f'[link](http://x "one\n{SECRET}")',
    f'[link](http://x "a \\" {SECRET}")',
    f'[link](<http://x y> "{SECRET}")',
    f'[ref]: http://x\n  "{SECRET}"',
    f"[ref]:\nhttp://x '{SECRET}'",
    f"> [ref]: http://x '{SECRET}'",
    f"1. [//]: # ({SECRET})",
]


@pytest.mark.parametrize("body", HIDING)
@pytest.mark.parametrize("frame", ["{}", "Please rename it.\n\n{}", "```py\na = 1\n```\n\n{}", "- a\n{}\n- b"])
def test_what_is_hidden_is_not_there(body: str, frame: str) -> None:
    shown = visible(frame.replace("{}", body))
    assert SECRET not in shown
    assert "suggestion" not in shown
    if "rename" in frame:
        assert shown.startswith("Please rename it.")
    if "a = 1" in frame:
        assert shown.startswith("```py\na = 1\n```")


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ("plain", "plain"),
        ("a < b and c > d", "a < b and c > d"),
        ("a <b>bold</b> word", "a bold word"),
        ("`x` & y", "`x` & y"),
        ("&lt;T&gt;", ""),  # what could be a tag goes, also where the page shows it
        ("[text](http://x)", "[text](http://x)"),
        ("left\u202eright", "leftright"),
        ("zero\u200bwidth", "zerowidth"),
        ("```html\n<!-- kept -->\n<b hidden>x</b>\n```", "```html\n<!-- kept -->\n<b hidden>x</b>\n```"),
        ("```js\n'\\u{1F600}'\n```", "```js\n'\\u{1F600}'\n```"),
        ("```html\n<!--\n```\nbetween\n```html\n-->\n```", "```html\n<!--\n```\nbetween\n```html\n-->\n```"),
        ("```c\na &lt; b\n```", "```c\na &lt; b\n```"),
        ("a\r\nb\rc", "a\nb\nc"),
    ],
)
def test_what_is_shown_is_kept(body: str, shown: str) -> None:
    assert visible(body) == shown


pieces = st.sampled_from(
    [
        "<!--",
        "-->",
        "```",
        "~~~",
        "\n",
        "<div hidden>",
        "</div>",
        "&lt;",
        "&amp;",
        "![",
        "](",
        ")",
        "[a]: b",
        " ",
        "x",
        "\u202e",
        "\u200b",
        "\U000e0041",
        "<b>",
        "'",
        '"',
        "!",
        "-",
        "&#x200b;",
        "\r",
        "\0",
        "\ud800",
        "<",
        ">",
        "    ",
    ]
)


@given(st.lists(pieces, max_size=25).map("".join) | st.text())
@example("&amp;lt;!-- a")
@example("<b>``` a\n&lt;!--")
@settings(max_examples=300, deadline=None)
def test_what_is_left_hides_nothing(body: str) -> None:
    shown = visible(body)
    assert visible(shown) == shown
    assert not any(unicodedata.category(c) in ("Cf", "Cs", "Cn") for c in shown)
    assert not any(unicodedata.category(c) == "Cc" for c in shown.replace("\n", "").replace("\t", ""))
    lines = shown.split("\n")
    words, last = [], 0
    for block in blocks(shown):
        words += lines[last : block.start]
        last = block.end
    prose = "\n".join([*words, *lines[last:]])
    assert "<!--" not in prose
    assert "<div hidden>" not in prose


code = st.lists(
    st.text(st.characters(codec="ascii", exclude_characters="`\r\n\0", categories=["L", "N", "P", "S", "Zs"]))
)


@given(code, st.sampled_from(["", "words\n", "<!-- x -->\n", "a ![b](c)\n\n"]))
def test_a_code_block_survives_as_it_is(lines: list[str], before: str) -> None:
    block = "\n".join(["```py", *lines, "```"])
    assert block in visible(f"{before}{block}\nafter")


@pytest.mark.parametrize(
    "piece",
    [
        "<!-",
        "<a",
        "<a '",
        "![",
        "[a](b ",
        "&amp;",
        "<div hidden>",
        "```\n",
        "<!-- -->",
        '<b "',
        "](",
        "<!--\n```\n",
        "</div>",
        "<!--\n```\nx\n```\n-->\n",
        "[a]:\n",
    ],
)
def test_no_comment_takes_long(piece: str) -> None:
    began = time.process_time()
    visible(piece * (65_000 // len(piece)))
    assert time.process_time() - began < 5


def test_layers_without_end_come_to_one() -> None:
    body = "a"
    for _ in range(60):
        body = body.replace("&", "&amp;") + "&lt;!-- b"
    shown = visible(body)
    assert visible(shown) == shown
    assert "<!--" not in shown
