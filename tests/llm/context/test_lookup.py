from __future__ import annotations

from selfreview.llm.context.lookup import Name, is_distinctive, names_on


def test_names_on_the_given_lines_those_that_are_called_first() -> None:
    text = "skipped(1)\nvalue_of = Limits + compute(alpha)  # note\ntext_of('word')\n"
    assert names_on("a.py", text, [2, 3]) == [
        Name("compute", called=True),
        Name("text_of", called=True),
        Name("value_of", called=False),
        Name("Limits", called=False),
        Name("alpha", called=False),
    ]


def test_the_type_before_a_name_where_it_is_the_same_everywhere() -> None:
    text = "a = Color.WHITE + Color.BLACK + Pie.BLACK + x.Color.WIDE + color.WEIGHT\n"
    assert {name.name: name.owner for name in names_on("a.py", text, [1])} == {
        "Color": "", "WHITE": "Color", "BLACK": "", "Pie": "", "WIDE": "", "color": "", "WEIGHT": "",
    }  # fmt: skip
    assert names_on("a.rs", "fn f() { Color::paint(1); }\n", [1])[0] == Name("paint", called=True, owner="Color")


def test_interpolated_names_of_a_string_count() -> None:
    assert names_on("a.py", "f'word {compute(1)}'\n", [1]) == [Name("compute", called=True)]


def test_other_languages() -> None:
    assert names_on("a.rs", "fn f() { compute!(1); }\n", [1]) == [Name("compute", called=True)]
    assert names_on("a.sh", "compute one\n", [1]) == [Name("compute", called=True)]
    assert names_on("a.txt", "compute(1)\n", [1]) == []


def test_what_every_code_base_uses_is_not_distinctive() -> None:
    assert not any(map(is_distinctive, ["self", "Get", "ab", "__init__"]))
    assert is_distinctive("compute_total")
