"""A plugin that notes how many events of its kind the store has when an observer is called."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

PLUGIN = """
import json, os
from collections import Counter
from pathlib import Path
from selfreview.api import hookimpl
from selfreview.store import Store

KINDS = {
    "state_changed": ("session.state_changed",),
    "review_completed": ("review.completed",),
    "refinement_completed": ("session.refinement_completed",),
    "feedback_received": ("feedback.received",),
    "ready_for_human": ("session.ready_for_human", "session.escalated"),
    "error": ("error",),
}

def observer(name):
    def called(config):
        with Store.open(Path(os.environ["EVENTS_STORE"])) as store:
            kinds = Counter(event.kind for event in store.log.newest(200).events)
        with Path(os.environ["EVENTS_TOLD"]).open("a") as stream:
            stream.write(json.dumps([name, sum(kinds[kind] for kind in KINDS[name])]) + "\\n")
    return hookimpl(called)

for name in KINDS:
    globals()["selfreview_" + name] = observer(name)
"""


class EventHooks:
    """Observers, and the store that they look at.

    Args:
        folder: Where the plugin and its notes are.
        root: Of the repository.
    """

    def __init__(self, folder: Path, root: Path) -> None:
        folder.mkdir()
        self._told = folder / "told-events"
        (folder / "event_observers.py").write_text(PLUGIN)
        self.environment = {
            "PYTHONPATH": str(folder),
            "SELFREVIEW_PLUGINS": "event_observers",
            "EVENTS_STORE": str(root / ".git" / "selfreview"),
            "EVENTS_TOLD": str(self._told),
        }

    def check(self) -> Counter[str]:
        """Check that the nth call of an observer found n events in the store; return how often each was called."""
        calls: Counter[str] = Counter()
        for line in self._told.read_text().splitlines():
            name, stored = json.loads(line)
            calls[name] += 1
            assert stored == calls[name], line
        return calls
