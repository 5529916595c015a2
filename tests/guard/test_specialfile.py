"""What is no file, link or folder may not be left behind."""

from __future__ import annotations

from selfreview.guard.content import special_files


def test_each_special_file_is_rejected() -> None:
    assert [(found.path, found.rule) for found in special_files(["a", "b/c"])] == [
        ("a", "special-file"),
        ("b/c", "special-file"),
    ]
    assert special_files([]) == []
