"""What apply and undo leave of permissions, and of folders."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from selfreview.apply.patches import Patch
from selfreview.git.worktree_files import Entry
from tests.refine.lab import AT

from .scene import Scene

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="modes")
as_root = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root reads it then")

ONE, TWO = Entry("100644", b"1\n"), Entry("100644", b"2\n")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def kept(scene: Scene, files: dict[str, tuple[Entry | None, Entry | None]]) -> Patch:
    return scene.store.keep(files, b"", at=AT, iteration=1)


def everything(root: Path) -> dict[str, int]:
    paths = (path for path in root.rglob("*") if ".git" not in path.parts)
    return {path.relative_to(root).as_posix(): path.lstat().st_mode for path in paths}


@pytest.mark.parametrize("bits", [0o744, 0o740, 0o655, 0o610, 0o444, 0o600, 0o700, 0o2750, 0o4755, 0o511])
def test_permissions_stay_where_git_knows_no_other_mode(scene: Scene, bits: int) -> None:
    path = scene.person.root / "spot"
    path.write_bytes(b"1\n")
    path.chmod(bits)
    kind = "100755" if bits & 0o100 else "100644"
    scene.applier.apply(kept(scene, {"spot": (Entry(kind, b"1\n"), Entry(kind, b"2\n"))}), staged=False, at=AT)
    assert (path.read_bytes(), mode(path)) == (b"2\n", bits)
    scene.applier.undo(AT)
    assert (path.read_bytes(), mode(path)) == (b"1\n", bits)


@pytest.mark.parametrize(
    ("bits", "to", "applied"),
    [
        (0o640, "100755", 0o750),
        (0o655, "100755", 0o755),
        pytest.param(0o200, "100755", 0o300, marks=as_root),
        (0o744, "100644", 0o644),
        (0o710, "100644", 0o600),
    ],
)
def test_an_undo_brings_back_what_the_mode_changed(scene: Scene, bits: int, to: str, applied: int) -> None:
    path = scene.person.root / "spot"
    path.write_bytes(b"1\n")
    path.chmod(bits)
    kind = "100755" if bits & 0o100 else "100644"
    scene.applier.apply(kept(scene, {"spot": (Entry(kind, b"1\n"), Entry(to, b"1\n"))}), staged=False, at=AT)
    assert mode(path) == applied
    scene.applier.undo(AT)
    assert mode(path) == bits


def test_an_undo_keeps_what_the_person_did_to_permissions_since(scene: Scene) -> None:
    path = scene.person.root / "spot"
    path.write_bytes(b"1\n")
    path.chmod(0o644)
    scene.applier.apply(kept(scene, {"spot": (ONE, TWO)}), staged=False, at=AT)
    path.chmod(0o600)
    scene.applier.undo(AT)
    assert (path.read_bytes(), mode(path)) == (b"1\n", 0o600)


def test_folders_come_back_as_they_were(scene: Scene) -> None:
    root = scene.person.root
    for name in ("private/deep/f", "spot/1", "spot/full/2"):
        scene.person.write(name, "1\n")
    (root / "private").chmod(0o700)
    (root / "private/deep").chmod(0o2770)
    (root / "spot/empty/inner").mkdir(parents=True)
    (root / "spot/empty/inner").chmod(0o711)
    (root / os.fsdecode(b"spot/empty/\xff")).mkdir()
    (root / "bare/below").mkdir(parents=True)
    before = everything(root)
    gone = dict.fromkeys(("private/deep/f", "spot/1", "spot/full/2"), (ONE, None))
    patch = kept(scene, {**gone, "spot": (None, TWO), "bare/below/new": (None, TWO)})
    scene.applier.apply(patch, staged=False, at=AT)
    assert (root / "spot").read_bytes() == b"2\n"
    assert not (root / "private").exists()
    scene.applier.undo(AT)
    assert everything(root) == before


def test_an_apply_that_fails_brings_folders_back_too(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    root = scene.person.root
    scene.person.write("private/f", "1\n")
    (root / "private").chmod(0o700)
    (root / "spot/empty").mkdir(parents=True)
    (root / "spot/empty").chmod(0o750)
    scene.person.write("spot/1", "1\n")
    before = everything(root)
    patch = kept(scene, {"private/f": (ONE, None), "spot/1": (ONE, None), "spot": (None, TWO), "z": (None, ONE)})
    link = os.link

    def fail(source: Path, target: Path, **options: bool) -> None:
        if target.name == "z":
            raise FileExistsError(target)
        link(source, target, **options)

    monkeypatch.setattr(os, "link", fail)
    with pytest.raises(Exception, match="nothing was changed"):
        scene.applier.apply(patch, staged=False, at=AT)
    assert everything(root) == before
