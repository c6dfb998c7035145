"""Numbers drawn ahead are the numbers that each call would draw by itself, wherever its stream is."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import millrace as tf
from millrace._src.engines.numpy.namespace import xp
from millrace._src.ops.random import distributions, draws_ahead, philox
from millrace._src.ops.random.distributions import RESERVED_PER_OUTPUT

_F32, _F64 = np.dtype(np.float32), np.dtype(np.float64)
_DRAWS = {
    "uniform": lambda stream, size: distributions.uniform(xp, stream, (size,), _F32),
    "uniform float64": lambda stream, size: distributions.uniform(xp, stream, (size,), _F64),
    "normal": lambda stream, size: distributions.normal(xp, stream, (size,), _F32),
    "normal float16": lambda stream, size: distributions.normal(xp, stream, (size,), np.dtype(np.float16)),
    "truncated": lambda stream, size: distributions.truncated_normal(xp, stream, (size,), _F32),
    "truncated float64": lambda stream, size: distributions.truncated_normal(xp, stream, (size,), _F64),
    "integers": lambda stream, size: distributions.full_int(xp, stream, (size,), np.dtype(np.int64)),
    "range": lambda stream, size: distributions.uniform_int(xp, stream, (size,), np.array(-5), np.array(77)),
}


@pytest.mark.parametrize("name", _DRAWS)
@pytest.mark.parametrize("size", [1, 3, 4, 64, 1023])
@pytest.mark.parametrize("low", [0, 2**32 - 2000, 2**64 - 9000])
def test_a_stream_that_moves_on_gives_the_numbers_of_each_position(name: str, size: int, low: int) -> None:
    begin = philox.Stream(*(np.array([number], np.uint64) for number in (11, low, 3)))
    positions = [begin.skip(xp, call * size * RESERVED_PER_OUTPUT) for call in range(40)]
    in_order = [_DRAWS[name](position, size) for position in positions]
    draws_ahead._all_series.clear()
    for position, numbers in reversed(list(zip(positions, in_order, strict=True))):  # no two calls follow each other
        alone = _DRAWS[name](position, size)
        assert (alone == numbers).all()
        assert alone.dtype == numbers.dtype


def test_nobody_sees_what_a_caller_does_with_its_numbers() -> None:
    begin = philox.stream_from_seeds(5, 6)
    draws_ahead._all_series.clear()
    for _ in range(2):
        for call in range(10):
            numbers = _DRAWS["uniform"](begin.skip(xp, call * 4 * RESERVED_PER_OUTPUT), 4)
            assert (numbers < 1).all()
            numbers += 5


def test_streams_that_start_over_or_are_restored_give_the_same_numbers_again() -> None:
    generator = tf.random.Generator.from_seed(3)

    def draw() -> list[list[float]]:
        return [tf.random.uniform([3], seed=1).numpy().tolist() for _ in range(50)]

    tf.random.set_seed(4)
    first = draw()
    tf.random.set_seed(4)
    assert draw() == first
    state = tf.constant(generator.state)
    numbers = [generator.normal([5]).numpy().tolist() for _ in range(50)]
    generator.reset(state)
    assert [generator.normal([5]).numpy().tolist() for _ in range(50)] == numbers
    assert len({number for row in first for number in row}) == 150


def test_few_series_are_kept() -> None:
    for seed in range(3 * draws_ahead._MAX_SERIES):
        _DRAWS["normal"](philox.stream_from_seeds(seed, 0), 3)
    assert len(draws_ahead._all_series) <= draws_ahead._MAX_SERIES


def test_calls_of_threads_that_are_a_little_ahead_of_each_other_are_drawn_together() -> None:
    begin, distance = philox.stream_from_seeds(8, 9), 4 * RESERVED_PER_OUTPUT
    draws_ahead._all_series.clear()
    in_order = [_DRAWS["uniform"](begin.skip(xp, call * distance), 4) for call in range(64)]
    draws_ahead._all_series.clear()
    drawn = []
    for call in [number ^ 1 for number in range(64)]:
        numbers = draws_ahead.take_prefetched(
            begin.skip(xp, call * distance), "pairs", distance, lambda call=call: np.stack(in_order[call : call + 32])
        )
        assert numbers is None or (numbers == in_order[call]).all()
        drawn.append(numbers is not None)
    assert sum(drawn) > 48


def test_threads_of_a_stream_draw_the_numbers_of_each_position() -> None:
    begin, distance = philox.stream_from_seeds(8, 10), 3 * RESERVED_PER_OUTPUT
    draws_ahead._all_series.clear()
    alone = {}
    for call in reversed(range(200)):
        alone[call] = _DRAWS["normal"](begin.skip(xp, call * distance), 3)
    calls, wrong = iter(range(200)), []
    lock = threading.Lock()

    def work() -> None:
        while True:
            with lock:
                call = next(calls, None)
            if call is None:
                return
            if (_DRAWS["normal"](begin.skip(xp, call * distance), 3) != alone[call]).any():
                wrong.append(call)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
