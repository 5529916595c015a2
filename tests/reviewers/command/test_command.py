"""Configured commands, with programs that a test writes."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from selfreview.api import Category, Depth, Registry, Review, Reviewer, ReviewerStatus, Severity
from selfreview.errors import ConfigError, PluginError, ToolError, ToolTimeout
from selfreview.model.change import ChangedFile, FileStatus
from selfreview.reviewers.command import CommandReviewer, selfreview_register_reviewers
from selfreview.testing.context import MemoryConfig
from tests.reviewers.command.test_formats import diagnostic
from tests.reviewers.command.test_formats import document as rdjson
from tests.reviewers.command.test_sarif import log, result
from tests.reviewers.fakes import apply, key, only, opened, run

LINES = r"(?P<file>.+):(?P<line>\d+): (?P<message>.*)"
FILES = {"src/a.js": "one\ntwo\nthree x y\n", "b.js": "b\n"}


def command(body: str, *rest: str, format: str = "pattern", **table: Any) -> CommandReviewer:  # noqa: A002
    """Make a reviewer that runs a piece of Python; it sees its other arguments in ``argv``."""
    code = f"import os, sys, time, json\nargv = sys.argv[1:]\n{body}"
    if format == "pattern":
        table.setdefault("pattern", LINES)
    return CommandReviewer("tool", {"run": [sys.executable, "-c", code, *rest], "format": format, **table})


def prints(output: Any, *rest: str, status: int = 0, **table: Any) -> CommandReviewer:
    """Make a reviewer whose command prints something and ends with a status."""
    text = output if isinstance(output, (str, bytes)) else json.dumps(output)
    data = text if isinstance(text, bytes) else text.encode()
    return command(f"sys.stdout.buffer.write({data!r}); sys.stdout.flush(); sys.exit({status})", *rest, **table)


class TestRegistration:
    def test_every_table_is_a_reviewer(self) -> None:
        registry: Registry[Reviewer] = Registry("reviewer")
        table = {"run": ["x"], "format": "sarif"}
        config = MemoryConfig({"command": {"eslint": table, "go": {**table, "required": True, "timeout": 5}}})
        selfreview_register_reviewers(registry, config)
        assert registry.names() == ["eslint", "go"]
        eslint, go = registry
        assert (eslint.depth, eslint.default) == (Depth.STATIC, True)
        assert [(r.required, r.timeout) for r in (eslint, go) if isinstance(r, CommandReviewer)] == [
            (False, None),
            (True, 5),
        ]

    def test_no_table_is_none(self) -> None:
        registry: Registry[Reviewer] = Registry("reviewer")
        selfreview_register_reviewers(registry, MemoryConfig())
        assert len(registry) == 0

    def test_a_name_that_is_taken_is_refused(self) -> None:
        registry: Registry[Reviewer] = Registry("reviewer")
        registry.add(CommandReviewer("ruff", {"run": ["x"], "format": "sarif"}))
        with pytest.raises(PluginError):
            selfreview_register_reviewers(
                registry, MemoryConfig({"command": {"ruff": {"run": ["x"], "format": "sarif"}}})
            )

    @pytest.mark.parametrize(
        ("patterns", "path", "selected"),
        [
            (None, "any/thing", True),
            (["*.js"], "a.js", True),
            (["*.js"], "deep/down/a.js", True),
            (["*.js"], "a.jsx", False),
            (["*.js"], "a.js/b", False),
            (["src/*.js"], "src/a.js", True),
            (["src/*.js"], "src/sub/a.js", False),
            (["src/*.js"], "x/src/a.js", False),
            (["src/**/*.js"], "src/a.js", True),
            (["src/**/*.js"], "src/x/y/a.js", True),
            (["src/**"], "src/x/y", True),
            (["src/"], "src/x/y", True),
            (["src/**"], "srcs/x", False),
            (["./src/*.js"], "src/a.js", True),
            (["/a.js"], "a.js", True),
            (["/a.js"], "x/a.js", False),
            (["**/test_?.py"], "test_a.py", True),
            (["[!a].js"], "b.js", True),
            (["[!a].js"], "a.js", False),
            (["[ab].js"], "b.js", True),
            (["x[!a]y"], "x/y", False),
            (["a[.js"], "a[.js", True),
            (["a.b"], "aXb", False),
            (["*.js", "*.ts"], "a.ts", True),
            (["*"], "a\nb", True),
        ],
    )
    def test_files_are_chosen_by_pattern(self, patterns: list[str] | None, path: str, selected: bool) -> None:
        table = {"run": ["x"], "format": "sarif", **({"files": patterns} if patterns else {})}
        assert CommandReviewer("t", table).selects(ChangedFile(path=path)) is selected

    def test_a_pattern_that_is_none_is_refused(self) -> None:
        with pytest.raises(ConfigError, match="cannot be understood"):
            CommandReviewer("t", {"run": ["x"], "format": "sarif", "files": ["[z-a]"]})

    @pytest.mark.parametrize(
        "file",
        [
            ChangedFile(path="a", status=FileStatus.DELETED),
            ChangedFile(path="a", new_mode="120000"),
            ChangedFile(path="a", new_mode="160000"),
        ],
    )
    def test_only_regular_files_of_the_new_side_are_taken(self, file: ChangedFile) -> None:
        assert not CommandReviewer("t", {"run": ["x"], "format": "sarif"}).selects(file)


class TestRunning:
    def test_it_gets_the_files_where_it_asks_for_them(self) -> None:
        reviewer = command("for a in argv: print(a + ':1: m')", "--", "{files}", "last")
        review = run(reviewer, FILES)
        assert [f.file for f in review.findings] == ["--", "b.js", "src/a.js", "last"]

    def test_it_runs_once_in_the_whole_tree_where_it_does_not(self) -> None:
        reviewer = command("print(open('other.txt').read().strip() + ':1: %d' % len(argv))")
        review = run(reviewer, FILES, others={"other.txt": "b.js\n"})
        assert [(f.file, f.description) for f in review.findings] == [("b.js", "0")]

    @pytest.mark.parametrize("path", ["-x.js", "a b.js", "ä.js", "a*[1].js", "b\udcff.js", "'\".js", "$HOME.js"])
    def test_any_name_is_passed_as_it_is(self, path: str) -> None:
        body = "for a in argv: assert os.path.exists(a) and a[0] != '-'; print(json.dumps(a)); "
        reviewer = command(body + "sys.stdout.buffer.write(os.fsencode(a) + b':1: m\\n')", "{files}")
        assert [f.file for f in run(reviewer, {path: "x\n"}).findings] == [path]

    def test_more_files_than_a_command_line_holds(self) -> None:
        files = {f"{number:04}{'x' * 200}.js": "x\n" for number in range(1500)}
        reviewer = command("print('b.js:%d: run' % len(argv))\nfor a in argv: print(a + ':1: m')", "{files}")
        found = run(reviewer, files).findings
        assert {f.file for f in found if f.description == "m"} == set(files)
        counts = [f.line_start for f in found if f.description == "run"]
        assert len(counts) > 1
        assert sum(counts) == len(files)

    def test_a_program_of_the_repository_is_named_by_its_path(self) -> None:
        reviewer = CommandReviewer("t", {"run": ["bin/lint", "{files}"], "format": "pattern", "pattern": LINES})
        with opened(FILES, others={"bin/lint": '#!/bin/sh\nfor a; do echo "$a:1: m"; done\n'}) as context:
            (context.tree() / "bin/lint").chmod(0o755)
            review = reviewer.review(context.change.files, context)
        assert [f.file for f in review.findings] == ["b.js", "src/a.js"]

    def test_a_program_that_is_missing_is_skipped_with_a_hint(self) -> None:
        review = run(CommandReviewer("t", {"run": ["no-such-program-here"], "format": "sarif"}), FILES)
        assert (review.status, review.error) == (ReviewerStatus.SKIPPED, "no-such-program-here is not installed")
        assert review.hint is not None

    def test_a_relative_entry_of_path_names_no_program(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        (tmp_path / "tool").write_text("#!/bin/sh\n")
        (tmp_path / "tool").chmod(0o755)
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("PATH", os.pathsep.join([".", "", "bin"]))
        assert run(CommandReviewer("t", {"run": ["tool"], "format": "sarif"}), FILES).status is ReviewerStatus.SKIPPED
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(ToolError):
            run(CommandReviewer("t", {"run": ["tool"], "format": "sarif"}), FILES)

    def test_what_is_not_trusted_does_not_run(self, tmp_path: Path) -> None:
        reviewer = command(f"open({str(tmp_path / 'ran')!r}, 'w')")
        with opened(FILES) as context:
            context.config.trusted = False
            review = reviewer.review(context.change.files, context)
        assert (review.status, review.hint) == (ReviewerStatus.SKIPPED, 'run "selfreview trust"')
        assert not (tmp_path / "ran").exists()

    def test_its_own_timeout_counts(self) -> None:
        with pytest.raises(ToolTimeout, match="within 1 s"):
            run(command("time.sleep(60)", timeout=1), FILES)


class TestStatuses:
    WHOLE = log(result())
    EMPTY = log()

    @pytest.mark.parametrize(
        ("output", "status", "codes", "found"),
        [
            (WHOLE, 0, None, 1),
            (WHOLE, 1, None, 1),
            (WHOLE, 2, None, None),
            (WHOLE, 2, [0, 2], 1),
            (WHOLE, 1, [0], None),
            (EMPTY, 0, None, 0),
            (EMPTY, 1, None, None),  # it says that it found something, and what is not there
            (EMPTY, 3, [0, 3], 0),
            (log(result(suppressions=[{"kind": "inSource"}])), 1, None, 0),
        ],
    )
    def test_of_a_document(self, output: Any, status: int, codes: list[int] | None, found: int | None) -> None:
        table = {} if codes is None else {"ok_exit_codes": codes}
        reviewer = prints(output, format="sarif", status=status, **table)
        if found is None:
            with pytest.raises(ToolError, match=f"status {status}"):
                run(reviewer, FILES)
        else:
            assert len(run(reviewer, FILES).findings) == found

    @pytest.mark.parametrize(
        ("output", "status", "codes", "found"),
        [
            ("b.js:1: m\n", 0, None, 1),
            ("b.js:1: m\n", 1, None, 1),
            ("b.js:1: m\n", 2, None, None),
            ("all good\n", 0, None, 0),
            ("", 0, None, 0),
            ("crashed\n", 1, None, None),
            ("crashed\n", 1, [0, 1], None),
        ],
    )
    def test_of_lines(self, output: str, status: int, codes: list[int] | None, found: int | None) -> None:
        table = {} if codes is None else {"ok_exit_codes": codes}
        reviewer = prints(output, status=status, **table)
        if found is None:
            with pytest.raises(ToolError, match=f"status {status}"):
                run(reviewer, FILES)
        else:
            assert len(run(reviewer, FILES).findings) == found

    @pytest.mark.parametrize(
        ("table", "hint"),
        [
            ({}, "if that status means that it found nothing, list it in command.tool.ok_exit_codes"),
            ({"ok_exit_codes": [1]}, "no line of what it printed matches command.tool.pattern"),
        ],
    )
    def test_a_hint_says_when_a_status_with_no_finding_is_a_pass(self, table: dict[str, Any], hint: str) -> None:
        with pytest.raises(ToolError) as caught:
            run(prints("odd\n", status=1, **table), FILES)
        assert caught.value.hint is not None
        assert caught.value.hint.replace(caught.value.message.split()[0], "tool") == hint

    def test_lines_on_standard_error_count(self) -> None:
        assert len(run(command("sys.stderr.write('b.js:1: m'); sys.exit(1)"), FILES).findings) == 1

    def test_the_end_of_what_it_said_is_in_the_message(self) -> None:
        with pytest.raises(ToolError, match="no configuration found"):
            run(command("sys.stderr.write('no configuration found'); sys.exit(1)"), FILES)

    @pytest.mark.parametrize("format_", ["sarif", "rdjson"])
    def test_nothing_is_no_document(self, format_: str) -> None:
        with pytest.raises(ToolError, match="nothing"):
            run(prints("", format=format_), FILES)

    def test_nothing_is_no_diagnostic_line(self) -> None:
        assert run(prints("", format="rdjsonl"), FILES).findings == []

    @pytest.mark.parametrize("format_", ["sarif", "rdjson", "rdjsonl"])
    @pytest.mark.parametrize("output", [b"{", b"oops", b"\x00\xff", b"[1]", b'"text"'])
    def test_garbage_is_a_failure(self, format_: str, output: bytes) -> None:
        with pytest.raises(ToolError):
            run(prints(output, format=format_), FILES)


class TestFindings:
    def test_rdjson(self) -> None:
        found = diagnostic(location={"path": "b.js", "range": {"start": {"line": 1}}})
        assert only(run(prints(rdjson(found), format="rdjson"), FILES), "X1").severity is Severity.MEDIUM
        assert only(run(prints(json.dumps(found), format="rdjsonl"), FILES), "X1").file == "b.js"

    def test_a_file_outside_of_the_change_is_kept(self) -> None:
        assert [f.file for f in run(prints("other.js:1: m\n"), FILES).findings] == ["other.js"]

    def test_a_path_is_made_relative_to_the_tree(self) -> None:
        reviewer = command("print(os.path.abspath('src/a.js') + ':1: m\\n./src/../b.js:1: m')")
        assert [f.file for f in run(reviewer, FILES).findings] == ["src/a.js", "b.js"]

    def test_a_windows_path_of_the_tree_is_known(self) -> None:
        assert [f.file for f in run(prints("src\\a.js:1: m\n"), FILES).findings] == ["src/a.js"]

    def test_but_a_backslash_may_be_part_of_a_name(self) -> None:
        assert [f.file for f in run(prints("a\\b.js:1: m\n"), {"a\\b.js": "x\n"}).findings] == ["a\\b.js"]

    @pytest.mark.parametrize("path", ["/etc/passwd", "../x.js", "C:\\x\\y.js"])
    def test_what_is_outside_of_the_tree_is_said(self, path: str) -> None:
        review = run(prints(f"{path}:1: m\nb.js:1: m\n"), FILES)
        assert [f.file for f in review.findings] == ["b.js"]
        assert review.hint == f"results in files outside of the tree are left out, such as {path}"

    @pytest.mark.parametrize("path", ["/app/b.js", "../app/b.js", "app/b.js", "C:\\x\\b.js"])
    def test_a_tool_that_fails_for_files_that_are_nowhere_has_reviewed_nothing(self, path: str) -> None:
        with pytest.raises(ToolError, match="ended with status 1, and no file that it names is there") as caught:
            run(prints(f"{path}:1: m\n", status=1, ok_exit_codes=[0, 1]), FILES)
        assert "print paths from the top level" in (caught.value.hint or "")
        assert run(prints(f"{path}:1: m\n"), FILES).notes == []
        partly = run(prints(f"/app/c.js:1: m\n{path}:1: m\nb.js:1: m\n", status=1), FILES)
        told = "tool: results in files outside of the tree are left out, such as /app/c.js"
        assert (partly.notes, "b.js" in [found.file for found in partly.findings]) == ([told], True)

    def test_a_result_without_a_place_is_about_the_tree(self) -> None:
        (found,) = run(prints(log(result(locations=[])), format="sarif"), FILES).findings
        assert (found.file, found.line_start) == (".", 0)

    def test_a_result_without_a_line_is_about_the_file(self) -> None:
        place = {"physicalLocation": {"artifactLocation": {"uri": "b.js"}}}
        (found,) = run(prints(log(result(locations=[place])), format="sarif"), FILES).findings
        assert (found.file, found.line_start, found.line_end, found.column) == ("b.js", 0, 0, None)

    def test_suppressed_results_are_counted(self) -> None:
        review = run(prints(log(result(suppressions=[{"kind": "inSource"}])), format="sarif"), FILES)
        assert (review.findings, review.hint) == ([], "1 result is suppressed in the code and left out")

    def test_a_file_that_the_tool_could_not_read_was_not_reviewed(self) -> None:
        def note(uri: str) -> dict[str, Any]:
            where = [{"physicalLocation": {"artifactLocation": {"uri": uri}}}]
            return {"level": "error", "message": {"text": "cannot parse"}, "locations": where}

        invocation = {"executionSuccessful": True, "toolExecutionNotifications": [note("b.js"), note("other.js")]}
        review = run(prints(log(invocations=[invocation]), format="sarif"), FILES)
        assert review.unreviewed == {"b.js": "cannot parse"}


class TestSeverities:
    def severity(self, result_: Mapping[str, Any], rules: Any = None, **table: Any) -> str:
        (found,) = run(prints(log(result(**result_), rules=rules), format="sarif", **table), FILES).findings
        return found.severity

    @pytest.mark.parametrize(
        ("level", "severity"), [("error", "high"), ("warning", "medium"), ("note", "low"), ("none", "suggestion")]
    )
    def test_by_default(self, level: str, severity: str) -> None:
        assert self.severity({"level": level}) == severity

    def test_as_the_table_says(self) -> None:
        table = {"severity": {"error": "critical", "Odd": "low", "default": "suggestion"}}
        assert self.severity({"level": "error"}, **table) == "critical"
        assert self.severity({"level": "warning"}, **table) == "medium"
        assert self.severity({"level": "ODD"}, **table) == "low"
        assert self.severity({"level": "unheard-of"}, **table) == "suggestion"

    def test_an_unknown_word_is_medium(self) -> None:
        assert self.severity({"level": "unheard-of"}) == "medium"

    @pytest.mark.parametrize(
        ("score", "severity"), [("9.0", "critical"), ("7.5", "high"), ("4", "medium"), ("0", "low")]
    )
    def test_a_security_score_says_more(self, score: str, severity: str) -> None:
        rules = [{"id": "no-x", "properties": {"security-severity": score}}]
        assert self.severity({"level": "note"}, rules) == severity

    def test_lines_without_a_severity(self) -> None:
        assert run(prints("b.js:1: m\n"), FILES).findings[0].severity is Severity.MEDIUM
        table = {"severity": {"default": "low"}}
        assert run(prints("b.js:1: m\n", **table), FILES).findings[0].severity is Severity.LOW

    def test_the_category_is_the_tables_or_security(self) -> None:
        assert run(prints("b.js:1: m\n"), FILES).findings[0].category is Category.LOGIC
        assert run(prints("b.js:1: m\n", category="style"), FILES).findings[0].category is Category.STYLE
        rules = [{"id": "no-x", "properties": {"tags": ["security"]}}]
        review = run(prints(log(result(), rules=rules), format="sarif", category="style"), FILES)
        assert review.findings[0].category is Category.SECURITY


TEXT = "ä = 1\n😀é = bad(x)\nlast\n"


class TestColumnsAndFixes:
    def sarif(self, region: Any, fix: Any = None, **run_: Any) -> Review:
        place = {"physicalLocation": {"artifactLocation": {"uri": "a.js"}, "region": region}}
        change = {"deletedRegion": fix and fix[0], "insertedContent": {"text": fix and fix[1]}}
        changes = [{"artifactLocation": {"uri": "a.js"}, "replacements": [change]}]
        fixes = [{"artifactChanges": changes}] if fix else []
        document = log(result(locations=[place], fixes=fixes), **run_)
        return run(prints(document, format="sarif"), {"a.js": TEXT})

    @pytest.mark.parametrize(("kind", "column"), [("unicodeCodePoints", 6), ("utf16CodeUnits", 7), (None, 7)])
    def test_columns_become_code_points(self, kind: str | None, column: int) -> None:
        extra = {"columnKind": kind} if kind else {}
        (found,) = self.sarif({"startLine": 2, "startColumn": column}, **extra).findings
        assert TEXT.split("\n")[1][(found.column or 0) - 1 :] == "bad(x)"

    def test_bytes_become_code_points(self) -> None:
        where = {"path": "a.js", "range": {"start": {"line": 2, "column": 10}}}
        (found,) = run(prints(rdjson(diagnostic(location=where)), format="rdjson"), {"a.js": TEXT}).findings
        assert TEXT.split("\n")[1][(found.column or 0) - 1 :] == "bad(x)"

    @pytest.mark.parametrize(
        ("offset", "length", "place"),
        [(0, 1, (1, 1, 1)), (6, 2, (2, 2, 1)), (9, 4, (2, 2, 3)), (4, 8, (1, 2, 5)), (99, 1, (0, 0, None))],
    )
    def test_an_offset_becomes_a_line(self, offset: int, length: int, place: tuple[int, int, int | None]) -> None:
        (found,) = self.sarif({"charOffset": offset, "charLength": length}).findings
        assert (found.line_start, found.line_end, found.column) == place

    def test_a_region_that_ends_where_a_line_begins_does_not_touch_it(self) -> None:
        (found,) = self.sarif({"startLine": 1, "endLine": 3, "endColumn": 1}).findings
        assert (found.line_start, found.line_end) == (1, 2)

    @pytest.mark.parametrize(
        ("region", "text", "after"),
        [
            ({"startLine": 2, "startColumn": 7, "endColumn": 10}, "good", "ä = 1\n😀é = good(x)\nlast\n"),
            ({"startLine": 2, "startColumn": 7, "endColumn": 7}, "not_", "ä = 1\n😀é = not_bad(x)\nlast\n"),
            ({"startLine": 2, "startColumn": 1, "endLine": 3, "endColumn": 1}, "", "ä = 1\nlast\n"),
            ({"startLine": 3, "startColumn": 1, "endLine": 4, "endColumn": 1}, "", "ä = 1\n😀é = bad(x)\n"),
            ({"startLine": 2}, "new", "ä = 1\nnew\nlast\n"),
            ({"charOffset": 0, "charLength": 1}, "a", "a = 1\n😀é = bad(x)\nlast\n"),
        ],
    )
    def test_a_fix_becomes_edits(self, region: Any, text: str, after: str) -> None:
        (found,) = self.sarif({"startLine": 2}, (region, text)).findings
        assert apply(TEXT, found.edits) == after

    @pytest.mark.parametrize("region", [{"startLine": 9}, {"startLine": 3, "endLine": 9, "endColumn": 2}, {}])
    def test_one_that_does_not_fit_the_file_is_none(self, region: Any) -> None:
        (found,) = self.sarif({"startLine": 2}, (region, "x")).findings
        assert found.edits == ()

    def test_whole_lines_of_rdjson(self) -> None:
        span = {"start": {"line": 1}, "end": {"line": 2}}
        found = diagnostic(location={"path": "a.js", "range": span}, suggestions=[{"range": span, "text": "one\n"}])
        (made,) = run(prints(rdjson(found), format="rdjson"), {"a.js": TEXT}).findings
        assert apply(TEXT, made.edits) == "one\nlast\n"

    def test_related_places(self) -> None:
        there = {"physicalLocation": {"artifactLocation": {"uri": "b.js"}, "region": {"startLine": 1}}}
        outside = {"physicalLocation": {"artifactLocation": {"uri": "/x.js"}, "region": {"startLine": 1}}}
        place = {"physicalLocation": {"artifactLocation": {"uri": "src/a.js"}, "region": {"startLine": 1}}}
        related = [{**there, "message": {"text": "here"}}, outside]
        (found,) = run(prints(log(result(locations=[place], relatedLocations=related)), format="sarif"), FILES).findings
        assert [(p.file, p.line_start, p.note) for p in found.related] == [("b.js", 1, "here")]


class TestCache:
    def test_nothing_is_cached_without_inputs(self) -> None:
        assert key(prints(""), FILES) is None

    @pytest.mark.parametrize("inputs", [[], ["lint.toml"], ["conf/**"], ["nothing-here"]])
    def test_the_key_is_the_same_for_the_same(self, inputs: list[str]) -> None:
        others = {"lint.toml": "a\n", "conf/deep/x.toml": "b\n"}
        keys = {key(prints("", inputs=inputs), FILES, others=others) for _ in range(2)}
        assert len(keys) == 1
        assert None not in keys

    @pytest.mark.parametrize("path", ["lint.toml", "conf/deep/x.toml", "conf/new.toml", ".hidden/x"])
    def test_every_input_is_part_of_it(self, path: str) -> None:
        reviewer = prints("", inputs=["lint.toml", "conf/**/*", ".hidden/*"])
        keys = {key(reviewer, FILES, others={path: text}) for text in ("a\n", "b\n")}
        assert len(keys | {key(reviewer, FILES)}) == 3

    def test_other_files_are_not(self) -> None:
        reviewer = prints("", inputs=["lint.toml"])
        assert key(reviewer, FILES) == key(reviewer, FILES, others={"other.toml": "a\n"})

    def test_the_table_is_part_of_it(self) -> None:
        assert key(prints("", inputs=[]), FILES) != key(prints("", inputs=[], category="style"), FILES)

    def test_the_program_is_part_of_it(self, tmp_path: Path) -> None:
        tool = tmp_path / "tool"
        tool.write_text("#!/bin/sh\n")
        tool.chmod(0o755)
        reviewer = CommandReviewer("t", {"run": [str(tool)], "format": "sarif", "inputs": []})
        keys = set()
        for stamp in (1, 2):
            os.utime(tool, (stamp, stamp))
            keys.add(key(reviewer, FILES))
        assert len(keys) == 2
        tool.unlink()
        assert key(reviewer, FILES) is None

    @pytest.mark.parametrize("inputs", [["/etc/*"], ["link"], ["pipe"]])
    def test_what_cannot_be_read_for_what_it_is_turns_it_off(self, inputs: list[str]) -> None:
        reviewer = prints("", inputs=inputs)
        with opened(FILES) as context:
            (context.tree() / "link").symlink_to("b.js")
            os.mkfifo(context.tree() / "pipe")
            assert reviewer.cache_key(context) is None
