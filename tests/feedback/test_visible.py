"""What a page hides, no decision sees."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from selfreview.feedback.fences import blocks
from selfreview.feedback.visible import visible

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
