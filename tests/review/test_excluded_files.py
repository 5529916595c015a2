"""Which files count as generated."""

from __future__ import annotations

import pytest

from selfreview.model.change import ChangedFile
from selfreview.review.excluded_files import HEAD_BYTES, by_name, is_minified

MINIFIED = b"var a=function(e,t){return e.map(n=>t(n)),r(e[0],{k:t})};" * 400


@pytest.mark.parametrize(
    "path",
    ["a.map", "web/app.css.map", "dist/index.js", "web/dist/js/a.mjs", "a.bundle.js", "b.chunk.mjs", "c.min.css"],
)
def test_what_a_build_writes_is_generated(path: str) -> None:
    assert by_name(ChangedFile(path=path)) == "generated"


@pytest.mark.parametrize(
    "path", ["map.js", "a.map.js", "distance/a.js", "dist/run.py", "dist.js", "chunk.js", "src/bundle.js"]
)
def test_what_looks_alike_is_reviewed(path: str) -> None:
    assert by_name(ChangedFile(path=path)) is None


@pytest.mark.parametrize("path", ["a.js", "b.CSS", "c.mjs"])
def test_what_a_minifier_wrote_is_known_by_its_shape(path: str) -> None:
    assert is_minified(path, MINIFIED)
    assert is_minified(path, b"/* licence */\n" + MINIFIED)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"const a = call(b, c);\n" * 1_000, id="lines"),
        pytest.param(b"a=f(b,c);\n" * 1_000, id="dense lines"),
        pytest.param(b"eval(x);" + b" " * 10_000 + b"eval(y);", id="spaces"),
        pytest.param(b"a='" + b"QUJDREVG" * 4_000 + b"';eval(x)", id="data"),
        pytest.param(MINIFIED[: HEAD_BYTES - 1], id="short"),
        pytest.param(MINIFIED[:HEAD_BYTES] + b"\nconst a = call(b, c);" * 1_000, id="a minified beginning"),
    ],
)
def test_what_a_person_wrote_is_not(data: bytes) -> None:
    assert not is_minified("a.js", data)


def test_other_languages_are_not_minified() -> None:
    assert not is_minified("a.py", MINIFIED)
