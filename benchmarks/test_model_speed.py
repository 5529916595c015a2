"""How well a model's time is used: ``pytest benchmarks/test_model_speed.py -n 0 -s``.

Against the loopback server with a fixed delay per answer; every limit is a ratio to what the delay makes unavoidable.
"""

from __future__ import annotations

import json
import math
import os
import time

from selfreview.llm.answers import pipeline
from selfreview.llm.context.material import Material, gather
from selfreview.llm.context.prompts import ModelSettings
from selfreview.llm.transport.budget import Budget
from selfreview.llm.transport.client import ClientSettings, SdkClient, load_sdk
from selfreview.llm.transport.request import estimate_tokens, price_of
from selfreview.testing.context import MemoryContext
from selfreview.testing.messages import MessagesServer

DELAY_S = 1.0
MODEL = "claude-sonnet-5-5"
WINDOW = 1_000_000
CLEAN = json.dumps({"issues": [], "summary": "Nothing.", "verdict": "pass"})


def change(files: int, functions: int) -> MemoryContext:
    """A change of some new files, three lines a function."""
    body = "".join(f"def f{n}(a):\n    return a + {n}\n\n" for n in range(functions))
    return MemoryContext(
        {f"part{n:03}.py": (None, body.replace("def f", f"def p{n}_f")) for n in range(files)}, timeout=600
    )


def settings(**more: object) -> ModelSettings:
    return ModelSettings(model=MODEL, verify_model=MODEL, concurrency=4, **more)  # type: ignore[arg-type]


def review(server: MessagesServer, context: MemoryContext, material: Material, given: ModelSettings) -> float:
    """Review and return the seconds that it took."""
    load_sdk()
    os.environ["ANTHROPIC_API_KEY"] = "sk-test-key"
    client = SdkClient(ClientSettings(deadline=time.monotonic() + 600, base_url=server.base_url))
    start = time.monotonic()
    done = pipeline.review(
        context.change.files, context, material, given,
        client=client, budget=Budget(None, None, lambda model: price_of(model, {})),
    )  # fmt: skip
    taken = time.monotonic() - start
    client.close()
    assert not done.unreviewed, done
    return taken


def test_the_schedule() -> None:
    """Twelve tasks at concurrency 4: at most 1.15 times the ideal schedule."""
    given = settings(effort="quick", task_tokens=1_500)
    context = change(12, 40)
    material = gather(context, context.change.files, given, [])
    questions = len(pipeline.questions(context.change.files, material, given))
    assert questions >= 12
    with MessagesServer(default=CLEAN) as server:
        server.delay_s = DELAY_S
        taken = review(server, context, material, given)
    ideal = DELAY_S * (1 + math.ceil((questions - 1) / 4))
    ratio = taken / ideal
    print(f"\n{questions} questions at concurrency 4: {taken:.2f} s, {ratio:.2f} x the ideal (limit 1.15)")
    assert ratio <= 1.15


def test_the_shared_prefix() -> None:
    """Every request after the first shares at least 90 % of the fixed part."""
    given = settings(effort="normal", task_tokens=1_500)
    context = change(6, 24)
    with MessagesServer(default=CLEAN) as server:
        review(server, context, gather(context, context.change.files, given, []), given)
    first = server.requests[0].system
    shares = [_common(first, request.system) / len(first) for request in server.requests]
    marked = sum("cache_control" in json.dumps(request.body["system"]) for request in server.requests)
    print(f"\n{len(shares)} requests share {100 * min(shares):.0f} % of the fixed part; {marked} mark it for the cache")
    assert min(shares) >= 0.9
    assert marked == len(shares)


def test_a_large_change() -> None:
    """100 files and 20,000 lines: every added line in exactly one task of each pass, nothing near the window."""
    given = settings(effort="normal")
    context = change(100, 67)
    lines = sum(file.added_lines for file in context.change.files)
    start = time.monotonic()
    material = gather(context, context.change.files, given, [])
    prepared = time.monotonic() - start
    with MessagesServer(default=CLEAN) as server:
        taken = review(server, context, material, given)
    largest = max(estimate_tokens(request.raw.decode()) for request in server.requests)
    print(
        f"\n{lines} lines in {len(server.requests)} requests, prepared in {prepared:.1f} s, asked in {taken:.1f} s; "
        f"the largest has {largest} tokens of {WINDOW}"
    )
    assert largest < WINDOW
    for job in ("# Your job: mistakes inside", "# Your job: the seams"):
        shown = sum(r.user.count("\n") and _added(r.user) for r in server.requests if job in r.user)
        assert shown == lines


def _common(one: str, other: str) -> int:
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _added(text: str) -> int:
    return sum(1 for line in text.split("\n") if line[5:7] == " +" and line[:5].strip().isdigit())
