"""The result where configuration says that nothing is reviewed."""

from __future__ import annotations

from selfreview.model.result import Result, ResultStatus
from selfreview.review.context import Workbench
from selfreview.review.engine import Engine
from selfreview.review.verdict import decide


def switched_off(engine: Engine, bench: Workbench) -> Result | None:
    """Return an empty result that says so, or None where selfreview is switched on."""
    if engine.config["enabled"]:
        return None
    result = engine.empty(bench.change)
    result.status = ResultStatus.NOTHING_TO_REVIEW
    decide(result, engine.threshold)
    where = engine.config.origin("enabled")
    result.summary = f"Nothing was reviewed: selfreview is switched off by configuration (enabled = false, {where})."
    return result
