"""Keys in click's context that commands share."""

from __future__ import annotations

PLUGINS = "selfreview.plugins"
"""Key in click's context of the loaded plugins, so that their exceptions are not reported as defects of selfreview."""
EARLIER = "selfreview.earlier"
"""Key in click's context of the values of ``-p`` before the command."""
