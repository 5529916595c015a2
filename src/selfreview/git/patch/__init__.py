"""A change from a bare unified diff: no repository needed."""

from selfreview.git.patch.content import PatchContent
from selfreview.git.patch.parse import Patch, parse_patch

__all__ = ["Patch", "PatchContent", "parse_patch"]
