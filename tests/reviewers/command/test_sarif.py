"""SARIF from many hands: locations, levels, suppressions, failures, and anything that is not whole."""

from __future__ import annotations

import contextlib
import copy
import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from selfreview.errors import ToolError
from selfreview.reviewers.command.sarif import parse, uri_to_path
from selfreview.reviewers.tools.results import Change, Reported, Span, Spot, ToolReport


def result(**extra: Any) -> dict[str, Any]:
    """Make a result at line 3 of ``src/a.js``."""
    place = {"artifactLocation": {"uri": "src/a.js"}, "region": {"startLine": 3, "startColumn": 5, "endColumn": 9}}
    return {"ruleId": "no-x", "message": {"text": "do not"}, "locations": [{"physicalLocation": place}], **extra}


def log(*results: Any, rules: list[Any] | None = None, **run: Any) -> dict[str, Any]:
    """Make a log of one run."""
    tool = {"driver": {"name": "t", **({"rules": rules} if rules is not None else {})}}
    return {"version": "2.1.0", "runs": [{"tool": tool, "results": list(results), **run}]}


def read(document: Any) -> ToolReport:
    """Parse a document given as JSON values."""
    return parse(json.dumps(document).encode(), "t")


def one(document: Any) -> Reported:
    """Return the only result."""
    (found,) = read(document).results
    return found


def at(uri: str | None, **location: Any) -> dict[str, Any]:
    """Make a result at a place named so."""
    artifact = {**({"uri": uri} if uri is not None else {}), **location}
    return result(locations=[{"physicalLocation": {"artifactLocation": artifact, "region": {"startLine": 1}}}])


def test_a_result_is_read() -> None:
    assert one(log(result(level="error"))) == Reported(
        message="do not",
        spot=Spot("src/a.js", Span(line=3, column=5, end_line=3, end_column=9)),
        level="error",
        rule="no-x",
    )


def test_all_runs_and_results_are_read() -> None:
    document = log(result(), result())
    document["runs"] += log(result())["runs"]
    assert len(read(document).results) == 3


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_is_honoured(encoding: str) -> None:
    data = json.dumps(log(result(message={"text": "ü𝒳"})), ensure_ascii=False).encode(encoding)
    assert parse(data, "t").results[0].message == "ü𝒳"


class TestLevels:
    @pytest.mark.parametrize(
        ("given_", "rules", "level"),
        [
            ({"level": "note"}, None, "note"),
            ({}, None, "warning"),
            ({}, [{"id": "no-x", "defaultConfiguration": {"level": "error"}}], "error"),
            ({"ruleId": "no-x/sub"}, [{"id": "no-x", "defaultConfiguration": {"level": "error"}}], "error"),
            ({"ruleIndex": 1}, [{"id": "b"}, {"id": "c", "defaultConfiguration": {"level": "note"}}], "note"),
            ({"rule": {"index": 0}}, [{"id": "b", "defaultConfiguration": {"level": "note"}}], "note"),
            ({"ruleIndex": 99}, [{"id": "no-x", "defaultConfiguration": {"level": "note"}}], "note"),
            ({"ruleIndex": -1}, [{"id": "b", "defaultConfiguration": {"level": "note"}}], "warning"),
            ({"kind": "review"}, None, "none"),
            ({"kind": "fail"}, None, "warning"),
            ({"kind": "open", "level": "error"}, None, "error"),
        ],
    )
    def test_a_level_comes_from_the_result_its_kind_or_its_rule(
        self, given_: dict[str, Any], rules: Any, level: str
    ) -> None:
        assert one(log(result(**given_), rules=rules)).level == level

    def test_an_extension_has_rules_of_its_own(self) -> None:
        document = log(result(rule={"index": 0, "toolComponent": {"index": 0}}), rules=[{"id": "wrong"}])
        document["runs"][0]["tool"]["extensions"] = [
            {"name": "e", "rules": [{"id": "right", "defaultConfiguration": {"level": "error"}}]}
        ]
        assert one(document).level == "error"

    @pytest.mark.parametrize(
        ("properties", "score", "security"),
        [
            ({"security-severity": "9.8"}, 9.8, True),
            ({"security-severity": 5}, 5.0, True),
            ({"security-severity": "high"}, None, False),
            ({"security-severity": "nan"}, None, False),
            ({"security-severity": "11"}, None, False),
            ({"tags": ["security"]}, None, True),
            ({"tags": "security"}, None, False),
            ({}, None, False),
        ],
    )
    def test_a_security_score_is_read(self, properties: Any, score: float | None, security: bool) -> None:
        found = one(log(result(), rules=[{"id": "no-x", "properties": properties}]))
        assert (found.score, found.security) == (score, security)


class TestWhatIsNoFinding:
    @pytest.mark.parametrize("extra", [{"kind": "pass"}, {"kind": "notApplicable"}, {"baselineState": "absent"}])
    def test_left_out(self, extra: dict[str, Any]) -> None:
        assert read(log(result(**extra))) == ToolReport(unit="utf16")

    @pytest.mark.parametrize(
        ("suppressions", "suppressed"),
        [
            ([{"kind": "inSource"}], 1),
            ([{"kind": "external", "status": "accepted"}], 1),
            ([{"kind": "inSource", "status": "rejected"}], 0),
            ([{"kind": "inSource"}, {"kind": "external", "status": "underReview"}], 0),
            ([], 0),
            (None, 0),
        ],
    )
    def test_suppressed_ones_are_counted(self, suppressions: Any, suppressed: int) -> None:
        report = read(log(result(suppressions=suppressions)))
        assert (report.suppressed, len(report.results)) == (suppressed, 1 - suppressed)


class TestPlaces:
    @pytest.mark.parametrize(
        ("uri", "path"),
        [
            ("src/a.js", "src/a.js"),
            ("src/a%20b%23.js", "src/a b#.js"),
            ("src/%C3%A4.js", "src/ä.js"),
            ("src/%ff.js", "src/\udcff.js"),
            ("src/ä b.js", "src/ä b.js"),
            ("file:///home/x/a.js", "/home/x/a.js"),
            ("file:/home/x/a.js", "/home/x/a.js"),
            ("file://localhost/home/x/a.js", "/home/x/a.js"),
            ("file:///C:/code/a%20b.js", "C:/code/a b.js"),
            ("FILE:///c:/a.js", "c:/a.js"),
            ("file://server/share/a.js", "//server/share/a.js"),
            ("C:\\work\\a.js", "C:\\work\\a.js"),
            ("100%.js", "100%.js"),
            ("https://example.invalid/a.js", "https://example.invalid/a.js"),
            ("", ""),
        ],
    )
    def test_a_uri_names_a_path(self, uri: str, path: str) -> None:
        assert uri_to_path(uri) == path

    @pytest.mark.parametrize(
        ("bases", "path"),
        [
            ({"R": {"uri": "file:///repo/"}}, "/repo/src/a.js"),
            ({"R": {"uri": "file:///repo"}}, "/repo/src/a.js"),
            ({"R": {}}, "src/a.js"),
            ({}, "src/a.js"),
            ({"R": {"uri": "sub/", "uriBaseId": "Q"}, "Q": {"uri": "file:///repo/"}}, "/repo/sub/src/a.js"),
            ({"R": {"uri": "x/", "uriBaseId": "R"}}, "x/" * 10 + "src/a.js"),
        ],
    )
    def test_a_base_is_put_in_front(self, bases: Any, path: str) -> None:
        assert one(log(at("src/a.js", uriBaseId="R"), originalUriBaseIds=bases)).spot.path == path

    def test_an_absolute_uri_needs_no_base(self) -> None:
        document = log(at("file:///x/a.js", uriBaseId="R"), originalUriBaseIds={"R": {"uri": "file:///repo/"}})
        assert one(document).spot.path == "/x/a.js"

    @pytest.mark.parametrize(("index", "path"), [(1, "b.js"), (2, None), (9, None), (-1, None)])
    def test_an_index_names_an_artifact(self, index: int, path: str | None) -> None:
        artifacts = [{"location": {"uri": "a.js"}}, {"location": {"uri": "b.js"}}, {}]
        assert one(log(at(None, index=index), artifacts=artifacts)).spot.path == path

    @pytest.mark.parametrize(
        ("region", "span"),
        [
            ({"startLine": 3}, Span(line=3, end_line=3)),
            ({"startLine": 3, "endLine": 5, "endColumn": 1}, Span(line=3, end_line=5, end_column=1)),
            ({"startLine": 3, "endLine": 1}, Span(line=3, end_line=3)),
            ({"charOffset": 7, "charLength": 2}, Span(offset=7, length=2)),
            ({"startLine": 0, "charOffset": -1}, Span()),
            ({"byteOffset": 3}, Span()),
            ({}, Span()),
            (None, Span()),
        ],
    )
    def test_a_region_may_lack_anything(self, region: Any, span: Span) -> None:
        place = {"artifactLocation": {"uri": "a.js"}, "region": region}
        assert one(log(result(locations=[{"physicalLocation": place}]))).spot.span == span

    @pytest.mark.parametrize(
        "locations", [None, [], [{}], [{"physicalLocation": {}}], [{"logicalLocations": [{"name": "f"}]}]]
    )
    def test_a_result_may_name_no_place(self, locations: Any) -> None:
        assert one(log(result(locations=locations))).spot == Spot()

    def test_further_locations_and_related_ones_are_kept(self) -> None:
        def place(line: int, **extra: Any) -> dict[str, Any]:
            where = {"artifactLocation": {"uri": "a.js"}, "region": {"startLine": line}}
            return {"physicalLocation": where, **extra}

        found = one(
            log(result(locations=[place(1), place(2)], relatedLocations=[place(3, message={"text": "here"}), {}]))
        )
        assert [(spot.span.line, spot.note) for spot in found.related] == [(2, None), (3, "here")]


class TestMessages:
    @pytest.mark.parametrize(
        ("message", "text"),
        [
            ({"text": " plain "}, "plain"),
            ({"markdown": "**bold**"}, "**bold**"),
            ({"text": "{0} and {1}, {9} {99999}", "arguments": ["a", "b"]}, "a and b, {9} {99999}"),
            ({"text": "see [this file](1) and [x](https://x.invalid/y)"}, "see this file and x"),
            ({"id": "second", "arguments": ["x"]}, "second x"),
            ({"id": "unknown"}, "short"),
            ({}, "short"),
            ({"text": ""}, "short"),
        ],
    )
    def test_text_comes_from_the_result_or_its_rule(self, message: Any, text: str) -> None:
        rule = {
            "id": "no-x",
            "shortDescription": {"text": "short"},
            "messageStrings": {"second": {"text": "second {0}"}},
        }
        assert one(log(result(message=message), rules=[rule])).message == text

    def test_a_result_without_any_text_is_still_one(self) -> None:
        assert one(log(result(message={}, ruleId=None))).message == "no message"

    def test_half_a_character_is_no_reason_to_fail(self) -> None:
        data = json.dumps(log(result())).encode().replace(b"do not", b"cut \\ud83d")
        assert parse(data, "t").results[0].message == "cut \ud83d"


class TestFixes:
    def fix(self, uri: str, text: str = "new") -> dict[str, Any]:
        region = {"startLine": 3, "startColumn": 5, "endColumn": 9}
        change = {"deletedRegion": region, "insertedContent": {"text": text}}
        changes = [{"artifactLocation": {"uri": uri}, "replacements": [change]}]
        return {"description": {"text": "use new"}, "artifactChanges": changes}

    def test_one_in_the_same_file_is_mechanical(self) -> None:
        found = one(log(result(fixes=[self.fix("src/a.js")])))
        assert found.suggestion == "use new"
        assert found.changes == (Change(Span(line=3, column=5, end_line=3, end_column=9), "new"),)

    def test_one_in_another_file_is_only_words(self) -> None:
        found = one(log(result(fixes=[self.fix("src/b.js")])))
        assert (found.suggestion, found.changes) == ("use new", ())

    def test_two_are_a_choice_that_a_person_makes(self) -> None:
        found = one(log(result(fixes=[self.fix("src/a.js"), self.fix("src/a.js", "other")])))
        assert (found.suggestion, found.changes) == (None, ())


class TestFailures:
    def failed(self, **extra: Any) -> dict[str, Any]:
        return log(result(), invocations=[{"executionSuccessful": False, **extra}])

    def test_a_tool_that_says_that_it_failed_has(self) -> None:
        with pytest.raises(ToolError, match=r"^t says that it failed$"):
            read(self.failed())

    def test_with_its_reason(self) -> None:
        notes = [{"level": "error", "message": {"text": "no\nconfig"}}, {"level": "note", "message": {"text": "chat"}}]
        with pytest.raises(ToolError, match=r"^t says that it failed: no config$"):
            read(self.failed(toolConfigurationNotifications=notes))

    def test_a_file_that_it_could_not_analyse_is_named(self) -> None:
        where = [{"physicalLocation": {"artifactLocation": {"uri": "b.js"}}}]
        notes = [
            {"level": "error", "message": {"text": "cannot parse"}, "locations": where},
            {"level": "error", "message": {"text": "somewhere"}, "locations": [{}]},
            {"level": "warning", "locations": [{"physicalLocation": {"artifactLocation": {"uri": "c.js"}}}]},
        ]
        document = log(invocations=[{"executionSuccessful": True, "toolExecutionNotifications": notes}])
        assert read(document).unread == {"b.js": "cannot parse"}

    @pytest.mark.parametrize(
        "document",
        [
            {},
            [],
            None,
            "text",
            {"version": "2.1.0"},
            {"version": "2.1.0", "runs": []},
            {"version": "2.1.0", "runs": None},
            {"version": "1.0.0", "runs": log()["runs"]},
            {"runs": log()["runs"]},
            {"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "t"}}}]},
            {"version": "2.1.0", "runs": [{"results": []}]},
            log(None),
            log("text"),
            log({}),
            log(result(message="text")),
            log(result(level=3)),
            log(result(locations={})),
            log(result(locations=[{"physicalLocation": {"region": {"startLine": "3"}}}])),
            log(result(locations=[{"physicalLocation": {"region": {"startLine": 2**80}}}])),
            log(result(), invocations=[{}]),
        ],
    )
    def test_what_is_no_report_is_a_failure(self, document: Any) -> None:
        with pytest.raises(ToolError):
            read(document)

    @pytest.mark.parametrize("data", [b"", b" \n", b"\xff\xfe", b"\x00", b"{", b"NaN", b"[" * 100_000, b"\xef\xbb\xbf"])
    def test_what_is_no_document_is_a_failure(self, data: bytes) -> None:
        with pytest.raises(ToolError):
            parse(data, "t")

    def test_two_documents_are_one_too_many(self) -> None:
        with pytest.raises(ToolError):
            parse(json.dumps(log(result())).encode() * 2, "t")


@settings(deadline=None)
@given(st.binary(max_size=300))
@example(b"[" * 200_000)
def test_bytes_are_a_report_or_a_failure(data: bytes) -> None:
    with contextlib.suppress(ToolError):
        parse(data, "t")


@settings(deadline=None)
@given(st.integers(min_value=0))
def test_a_part_of_a_report_is_a_failure(length: int) -> None:
    data = json.dumps(log(result(), rules=[{"id": "no-x"}])).encode()
    with pytest.raises(ToolError):
        parse(data[: length % len(data)], "t")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2**70) | st.text(max_size=5) | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
FULL = log(
    result(
        level="error",
        rule={"index": 0},
        suppressions=[{"status": "accepted"}],
        relatedLocations=[{"message": {"text": "x"}}],
    ),
    rules=[{"id": "no-x", "properties": {"tags": ["security"]}, "defaultConfiguration": {"level": "note"}}],
    artifacts=[{"location": {"uri": "a.js"}}],
    originalUriBaseIds={"R": {"uri": "file:///r/"}},
    invocations=[{"executionSuccessful": True, "toolExecutionNotifications": [{"level": "error"}]}],
)


def _paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(found for name, item in inner for found in _paths(item, (*path, name)))]


@settings(deadline=None)
@given(st.sampled_from(_paths(FULL)[1:]), VALUES)
def test_any_value_in_any_place_is_a_report_or_a_failure(path: tuple[Any, ...], value: Any) -> None:
    document = copy.deepcopy(FULL)
    parent = document
    for name in path[:-1]:
        parent = parent[name]
    parent[path[-1]] = value
    with contextlib.suppress(ToolError):
        read(document)
