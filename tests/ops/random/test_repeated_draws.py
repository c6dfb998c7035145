"""A call site that draws for many calls at once gives each call the numbers that the call would draw by itself."""

from __future__ import annotations

import functools
import threading
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.core.dtypes import bfloat16, float16, float32, float64
from millrace._src.engines.numpy.namespace import xp
from millrace._src.ops.random import distributions, draws_ahead, stateful_ops
from millrace._src.ops.random.repeated_draws import RepeatedDraw
from millrace._src.ops.random.seeds import KernelStream

Draw = Any


def site(stream: KernelStream, name: str) -> tuple[Draw, Draw]:
    """Returns a call site, and the draw of a call alone."""
    if name == "range":
        one = functools.partial(stateful_ops._draw_uniform_int, xp)
        return RepeatedDraw(stream, one, functools.partial(stateful_ops._rows_of_uniform_int, xp)), one
    dtype = {"float16": float16, "bfloat16": bfloat16, "float32": float32, "float64": float64}[name.split()[1]]
    fill = getattr(distributions, name.split()[0])
    one = functools.partial(stateful_ops._floats(fill), xp, dtype=dtype)
    return RepeatedDraw(stream, one, functools.partial(stateful_ops._rows_of_floats(fill), xp, dtype=dtype)), one


NAMES = [f"{kind} {dtype}" for kind in ("uniform", "normal", "truncated_normal") for dtype in ("float32", "float64")]
NAMES += ["uniform bfloat16", "normal float16", "truncated_normal float16", "range"]


def inputs_of(name: str, shape: list[int]) -> tuple[Any, ...]:
    bounds = (np.array(-5, np.int64), np.array(77, np.int64)) if name == "range" else ()
    return np.array(shape, np.int32), *bounds


def equal(a: Any, b: Any) -> bool:
    return bool(a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes())


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("shape", [[], [1], [3], [2, 5], [0], [1025]])
def test_each_call_gets_its_own_numbers(name: str, shape: list[int]) -> None:
    inputs = inputs_of(name, shape)
    together, _ = site(KernelStream(3, 4), name)
    alone = KernelStream(3, 4)
    _, one = site(alone, name)
    for _ in range(120 if np.prod(shape) < 99 else 4):
        draws_ahead._all_series.clear()
        assert equal(np.asarray(together(*inputs)), np.asarray(one(alone.take, *inputs)))


def test_inputs_may_change_and_a_stream_may_be_restored_start_over_or_be_far_on() -> None:
    for begin in (0, 2**64 - 40 * 256):
        stream, alone = KernelStream(3, 4), KernelStream(3, 4)
        together, one = site(stream, "normal float32")
        for used in (stream, alone):
            used.restore((True, (3, 4), begin))
        for call in range(200):
            shape = np.array([3] if call % 50 < 40 else [call % 7], np.int64)
            if call == 90:
                stream.restore(alone.save())
            if call == 120:
                tf.random.set_seed(5)
            if call == 150:
                for used in (stream, alone):
                    used.restore((True, (7, 8), 5))
            assert equal(together(shape), one(alone.take, shape)), call


def test_two_call_sites_of_one_stream_get_the_numbers_of_their_turns() -> None:
    stream, alone = KernelStream(3, 4), KernelStream(3, 4)
    sites = [site(stream, name)[0] for name in ("uniform float32", "normal float32")]
    draws = [site(alone, name)[1] for name in ("uniform float32", "normal float32")]
    shape = np.array([2], np.int32)
    for call in range(150):
        turn = call % 3 // 2 if call < 75 else 0
        assert equal(sites[turn](shape), draws[turn](alone.take, shape))


def test_numbers_belong_to_their_caller() -> None:
    stream = KernelStream(3, 4)
    together, one = site(stream, "uniform float32")
    shape = np.array([2], np.int32)
    for call in range(100):
        stream.restore((True, (3, 4), call // 2 * 512))
        together(shape)[...] = 7
    assert equal(together(shape), one(KernelStream(3, 4).take, shape)) is False
    assert (together(shape) < 1).all()


def test_what_is_refused_is_refused_each_time() -> None:
    together, _ = site(KernelStream(3, 4), "range")
    shape, low, high = inputs_of("range", [])
    for _ in range(5):
        together(shape, low, high)
    for bad in ((shape, high, low), (shape, low.reshape(1), high), (shape.reshape(0, 0), low, high)):
        for _ in range(3):
            with pytest.raises(tf.errors.InvalidArgumentError):
                together(*bad)


def test_threads_of_a_call_site_get_all_numbers_once() -> None:
    together, _ = site(KernelStream(3, 4), "uniform float32")
    alone = KernelStream(3, 4)
    _, one = site(alone, "uniform float32")
    shape = np.array([], np.int32)
    found: list[float] = []

    def work() -> None:
        found.extend([float(together(shape)) for _ in range(500)])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == sorted(float(one(alone.take, shape)) for _ in range(2000))
