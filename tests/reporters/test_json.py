"""The ``json`` and ``jsonl`` formats."""

import base64
import json

import msgspec
import pytest

from selfreview.api import Registry
from selfreview.model import wire
from selfreview.model.result import Result
from selfreview.reporters import formats

from .builders import issue, render, result
from .samples import CONTEXT, SAMPLES


def document(outcome, **options):
    return render(formats.json, outcome, **options)


def lines(outcome):
    return [json.loads(line) for line in render(formats.jsonl, outcome).splitlines()]


@pytest.mark.parametrize("name", SAMPLES)
def test_json_is_one_document_that_decodes_to_the_result(name):
    text = document(SAMPLES[name])
    assert text.endswith("}\n")
    assert json.loads(text) == json.loads(wire.to_json(SAMPLES[name]))
    if name != "odd path":  # its path is lossy; pathBytes has the bytes
        assert wire.from_json(text, Result) == SAMPLES[name]


def test_json_is_indented_by_two_spaces():
    text = document(SAMPLES["incomplete"])
    assert text == json.dumps(json.loads(text), indent=2, ensure_ascii=False) + "\n"


def test_json_is_the_same_for_every_terminal():
    outcome = SAMPLES["needs_work"]
    assert document(outcome) == document(outcome, color=True, width=40, context=CONTEXT)


@pytest.mark.parametrize("name", SAMPLES)
def test_jsonl_has_scope_reviewers_issues_iterations_and_last_the_result(name):
    outcome = SAMPLES[name]
    scope = [] if outcome.scope is None else ["scope"]
    kinds = [line["type"] for line in lines(outcome)]
    reviewers, issues = ["reviewer"] * len(outcome.reviewers), ["issue"] * len(outcome.issues)
    assert kinds == [*scope, *reviewers, *issues, *["iteration"] * len(outcome.iterations), "result"]


@pytest.mark.parametrize("name", ["needs_work", "refined"])
def test_jsonl_holds_the_same_as_json(name):
    got = lines(SAMPLES[name])
    whole = json.loads(document(SAMPLES[name]))

    def of(kind):
        return [{key: value for key, value in line.items() if key != "type"} for line in got if line["type"] == kind]

    assert of("issue") == whole["issues"]
    assert of("reviewer") == whole["reviewers"]
    assert of("scope") == [whole["scope"]]
    assert of("iteration") == [{"number": n, **value} for n, value in enumerate(whole["iterations"], start=1)]
    del whole["issues"], whole["iterations"]
    assert of("result") == [whole]


@pytest.mark.parametrize("reporter", [formats.json, formats.jsonl])
def test_a_path_that_is_not_utf8_stays_valid_and_keeps_its_bytes(reporter):
    text = render(reporter, SAMPLES["odd path"])
    raw = msgspec.json.decode(text if reporter is formats.json else text.splitlines()[3])
    found = raw["issues"][0] if reporter is formats.json else raw
    assert found["file"] == "caf\ufffd/\u202egpj.py"
    assert base64.b64decode(found["pathBytes"]) == b"caf\xe9/\xe2\x80\xaegpj.py"


@pytest.mark.parametrize("reporter", [formats.json, formats.jsonl])
def test_a_terminal_sees_no_control_character_and_a_parser_sees_them_all(reporter):
    hostile = "\x1b]0;x\x07 \x9b31m \u202e \u200b \u2028 \U000e0041 \x7f é 日本"
    text = render(reporter, result(issue(description=hostile)))
    assert "\\u202e" in text
    assert not {"\x1b", "\x07", "\x9b", "\u202e", "\u200b", "\u2028", "\U000e0041", "\x7f"} & set(text)
    raw = json.loads(text)["issues"][0] if reporter is formats.json else lines(result(issue(description=hostile)))[3]
    assert raw["description"] == hostile
    assert "é 日本" in text


@pytest.mark.parametrize(("module", "name"), [(formats.json, "json"), (formats.jsonl, "jsonl")])
def test_it_is_registered_by_its_name(module, name):
    registry = Registry("reporter")
    module.selfreview_register_reporters(registry)
    assert registry.names() == [name]
