"""Chains in blocks: how arrays are cut, and that blocks give the bits of the whole."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from millrace._src.core.op_def import Elementwise
from millrace._src.engines.numpy import cache_blocking
from millrace._src.engines.numpy.cache_blocking import BlockProgram, BlockStep, block_source
from millrace._src.util import thread_pool

FLOAT = np.dtype(np.float32)


def relu(x: Any) -> Any:
    """A kernel that is not a ufunc."""
    return np.maximum(x, 0)


def step(target: str, kernel: str, *arguments: str, dtype: Any = FLOAT) -> BlockStep:
    kind = Elementwise.ALIKE if kernel == "alike" else Elementwise.BROADCAST
    return BlockStep(target, kernel, arguments, np.dtype(dtype), kind, isinstance(KERNELS[kernel], np.ufunc))


def alike(*arrays: Any) -> Any:
    shapes = {a.shape for a in arrays if a.ndim}
    if len(shapes) > 1:
        raise ValueError(f"the shapes differ: {shapes}")
    return arrays[0] + arrays[1]


KERNELS = {
    "add": np.add,
    "multiply": np.multiply,
    "tanh": np.tanh,
    "exp": np.exp,
    "less": np.less,
    "relu": relu,
    "where": np.where,
    "real": np.real,
    "alike": alike,
}


def line_by_line(steps: Sequence[BlockStep], inputs: dict[str, Any], outputs: Sequence[str]) -> list[Any]:
    values = dict(inputs)
    for s in steps:
        values[s.target] = KERNELS[s.kernel](*[values[name] for name in s.arguments])
    return [values[name] for name in outputs]


def in_blocks(steps: Sequence[BlockStep], inputs: dict[str, Any], outputs: Sequence[str]) -> list[Any] | None:
    return BlockProgram(steps, list(inputs), outputs, KERNELS)(*inputs.values())


def assert_same_bits(found: list[Any] | None, wanted: list[Any]) -> None:
    assert found is not None
    for array, other in zip(found, wanted, strict=True):
        assert array.dtype == other.dtype
        assert array.shape == other.shape
        assert array.tobytes() == other.tobytes()


CHAIN = [
    step("a", "multiply", "x", "y"),
    step("b", "tanh", "a"),
    step("c", "less", "b", "x", dtype=bool),
    step("d", "relu", "b"),
    step("e", "where", "c", "d", "a"),
    step("f", "exp", "e"),
    step("g", "add", "f", "b"),
]


@st.composite
def operands(draw: Any) -> tuple[dict[str, Any], int]:
    """An array, and another that the first broadcasts; how many bytes a block has."""
    shape = draw(st.lists(st.integers(1, 9), min_size=1, max_size=4).filter(lambda s: np.prod(s) > 1))
    other = [draw(st.sampled_from([dim, 1])) for dim in shape][draw(st.integers(0, len(shape))) :]
    random = np.random.RandomState(draw(st.integers(0, 1000)))
    special = np.float32([0.0, -0.0, np.inf, -np.inf, np.nan])
    arrays = []
    for dims in (shape, other):
        array = random.normal(size=dims).astype(np.float32)
        spots = random.uniform(size=dims) < 0.1
        arrays.append(np.where(spots, random.choice(special, size=dims), array).astype(np.float32))
    return dict(zip("xy", arrays, strict=True)), draw(st.integers(1, 200))


@given(operands(), st.sets(st.sampled_from("abcdefg"), min_size=1))
def test_blocks_give_the_bits_of_the_whole(case: tuple[dict[str, Any], int], outputs: set[str]) -> None:
    inputs, size = case
    with pytest.MonkeyPatch.context() as patch, np.errstate(all="ignore"):
        patch.setattr(cache_blocking, "_BLOCK_BYTES", size)
        wanted = line_by_line(CHAIN, inputs, sorted(outputs))
        found = in_blocks(CHAIN, inputs, sorted(outputs))
        for array, other in zip(found or [], wanted, strict=True):
            np.testing.assert_array_equal(np.isnan(array), np.isnan(other))
            array[np.isnan(array)] = other[np.isnan(other)] = 0  # the bits of a NaN may differ
        assert_same_bits(found, wanted)


def test_large_arrays_in_many_blocks_on_several_threads() -> None:
    inputs = {"x": np.random.RandomState(0).normal(size=(1000, 700)).astype(np.float32), "y": np.float32([[2.0]])}
    threads: set[str] = set()
    barrier = threading.Barrier(2, timeout=60)

    def meet(x: Any) -> Any:
        if len(threads) < 2:
            threads.add(threading.current_thread().name)
            barrier.wait()
        return x

    steps = [*CHAIN, step("h", "real", "g")]
    thread_pool.set_thread_count(2)
    try:
        found = BlockProgram(steps, ["x", "y"], ["h"], {**KERNELS, "real": meet})(*inputs.values())
    finally:
        thread_pool.set_thread_count(0)
    assert_same_bits(found, line_by_line(CHAIN, inputs, ["g"]))
    assert len(threads) == 2


@pytest.mark.parametrize(
    ("shapes", "why"),
    [
        ([(4, 5), (3,)], "the shapes do not fit"),
        ([(4, 5), (3, 1, 1)], "the first results are smaller than the last"),
        ([(0, 5), (5,)], "there are no elements"),
        ([(), ()], "there is one element"),
    ],
)
def test_some_shapes_are_left_to_the_lines(shapes: Any, why: str) -> None:
    steps = [step("a", "tanh", "x"), step("b", "add", "a", "y")]
    inputs = dict(zip("xy", [np.ones(shape, np.float32) for shape in shapes], strict=True))
    assert in_blocks(steps, inputs, ["b"]) is None, why


def test_an_op_that_does_not_broadcast_sees_no_pieces_of_other_shapes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_blocking, "_BLOCK_BYTES", 20)  # one row, which has the shape of the smaller operand
    steps = [step("a", "tanh", "x"), step("b", "alike", "a", "y")]
    inputs = {"x": np.ones((4, 5), np.float32), "y": np.ones((1, 5), np.float32)}
    assert in_blocks(steps, inputs, ["b"]) is None
    inputs["y"] = np.ones((), np.float32)
    assert_same_bits(in_blocks(steps, inputs, ["b"]), line_by_line(steps, inputs, ["b"]))


def test_arrays_in_another_order_are_left_to_the_lines() -> None:
    steps = [step("a", "tanh", "x"), step("b", "add", "a", "x")]
    assert in_blocks(steps, {"x": np.ones((4, 5), np.float32).T}, ["b"]) is None


def test_an_error_is_left_to_the_lines() -> None:
    def refuse(x: Any) -> Any:
        raise ValueError

    program = BlockProgram([step("a", "relu", "x")], ["x"], ["a"], {"relu": refuse})
    assert program(np.ones(9, np.float32)) is None


def test_operands_are_never_changed() -> None:
    inputs = {"x": np.ones((300, 300), np.float32), "y": np.float32(2.0) * np.ones(300, np.float32)}
    copies = {name: array.copy() for name, array in inputs.items()}
    # `real` returns its operand, which must not be taken for an array of the block
    steps = [step("a", "real", "x"), step("b", "tanh", "a"), step("c", "add", "b", "y")]
    assert_same_bits(in_blocks(steps, inputs, ["c"]), line_by_line(steps, inputs, ["c"]))
    for name, array in inputs.items():
        np.testing.assert_array_equal(array, copies[name])


def test_ufuncs_write_into_outputs_and_into_arrays_that_nobody_reads_any_more() -> None:
    assert block_source(CHAIN, ["x", "y"], ["g"]).splitlines() == [
        "def run(x, y, g_piece):",
        "    a = multiply(x, y)",
        "    b = tanh(a)",
        "    c = less(b, x)",
        "    d = relu(b)",
        "    e = where(c, d, a)",
        "    del d",
        "    f = exp(e, out=a)",
        "    del e",
        "    g = add(f, b, out=g_piece)",
    ]


def test_plans_are_bounded() -> None:
    program = BlockProgram([step("a", "tanh", "x")], ["x"], ["a"], KERNELS)
    for size in range(2, 100):
        program(np.ones(size, np.float32))
    assert len(program._plans) <= cache_blocking._MAX_PLANS
