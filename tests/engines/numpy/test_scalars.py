"""Arithmetic on single numbers in loops: the text, and the same bits as without scalars."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.core.context import eager_engine
from millrace._src.engines.numpy import codegen, scalars
from millrace._src.passes.pipeline import optimize
from tests.contracts.test_every_pass import imported, outcome
from tests.passes.random_graphs import RandomGraph

DTYPES = ["int32", "int64", "float32", "float64"]


def program(f: Any, *arguments: Any) -> Any:
    specs = [tf.TensorSpec(a.shape, a.dtype) for a in arguments]
    graph = tf.function(f, autograph=False).get_concrete_function(*specs).graph
    return eager_engine().compile(optimize(graph))


def results(f: Any, *arguments: Any) -> list[Any]:
    with np.errstate(all="ignore"):
        return [*program(f, *arguments).run(*arguments)]


def both(f: Any, *arguments: Any) -> list[Any]:
    """The results with scalars, which must be arrays, and equal to the results without scalars bit by bit."""
    found = results(f, *arguments)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(codegen, "use_scalars", lambda block, scope: None)
        wanted = results(f, *arguments)
    for array, other in zip(found, wanted, strict=True):
        assert type(array) is np.ndarray
        assert (array.dtype, array.shape, array.tobytes()) == (other.dtype, other.shape, other.tobytes())
    return found


def counted(limit: Any, body: Any, *states: Any) -> Any:
    """The states after an iteration for each number below a limit."""
    return tf.while_loop(lambda i, *_: i < limit, lambda i, *s: (i + 1, *body(i, *s)), (tf.constant(0), *states))[1:]


def test_a_counter_is_a_scalar_of_an_operator() -> None:
    n = np.array(5, np.int32)
    source = program(lambda n: tf.while_loop(lambda i: i < n, lambda i: [i + 1], [tf.constant(0)]), n).source
    assert re.search(r"s\d+ = c\d+\[\(\)\]", source)
    assert re.search(r"v\d+ = s\d+ < a0\[\(\)\]", source)
    assert re.search(r"v\d+ = s\d+ \+ nc\d+", source)
    assert "k" not in re.sub(r"break|keep|k\d+ = ", "", source.split("while True:")[1].split("return")[0])


def test_outside_of_loops_nothing_changes() -> None:
    source = program(lambda x: x + 1.0 < 3.0, np.float32(1) * np.ones(())).source
    assert "<" not in source


@pytest.mark.parametrize("dtype", DTYPES)
def test_all_operators_give_the_bits_of_the_ufuncs(dtype: str) -> None:
    def body(i: Any, a: Any, b: Any, flag: Any) -> Any:
        c = a * 3 - b + tf.cast(i, dtype)
        d = -c if dtype.startswith("int") else c / (b - 1)
        flag = tf.logical_or(tf.logical_and(flag, c <= d), tf.logical_not(tf.equal(a, b)))
        return d, tf.where(tf.logical_and(a >= b, a > d), c, a), tf.logical_and(flag, tf.not_equal(c, d))

    start = [np.array(7, dtype), np.array(1, dtype), np.array(True)]
    for count in (0, 1, 5, 40):  # 40 steps overflow
        both(lambda a, b, f, count=count: counted(count, body, a, b, f), *start)


def test_integers_wrap_around_and_warnings_stay_away() -> None:
    start = np.array(2**31 - 2, np.int32)
    function = tf.function(lambda x: counted(3, lambda i, x: (x + 1,), x)[0], jit_compile=False)
    assert function(start).numpy() == -(2**31) + 1
    divided = tf.function(lambda x: counted(2, lambda i, x: (x / (x - x),), x)[0], jit_compile=False)
    assert np.isnan(divided(tf.constant(1.0)).numpy())


def test_kernels_get_arrays() -> None:
    def body(i: Any, total: Any, last: Any) -> Any:
        row = tf.range(i + 1)
        return total + tf.reduce_sum(row), tf.reshape(i * 2, [1])[0]

    found = both(lambda x: counted(6, body, x, x), np.array(0, np.int32))
    assert [f.item() for f in found] == [35, 10]


def test_branches_and_loops_inside_of_loops() -> None:
    def body(i: Any, x: Any, y: Any) -> Any:
        x = tf.cond(x > 10.0, lambda: x - 9.5, lambda: x * 1.5)
        (x,) = counted(i, lambda j, x: (x + y,), x)
        return x, tf.cond(x < y, lambda: x, lambda: y + 0.25)

    both(lambda x, y: counted(9, body, x, y), np.array(2.0, np.float32), np.array(0.5, np.float32))


def test_states_that_swap_or_stay() -> None:
    def body(i: Any, a: Any, b: Any, c: Any, last: Any) -> Any:
        return b, a, c + a, i

    start = [np.array(v, np.float32) for v in (1, 2, 3)]
    both(lambda a, b, c: counted(5, body, a, b, c, tf.constant(-1)), *start)


def test_a_state_of_unknown_rank_stays_an_array() -> None:
    function = tf.function(
        lambda x: counted(3, lambda i, x: (x + 1.0,), x)[0],
        input_signature=[tf.TensorSpec(None, tf.float32)],
        jit_compile=False,
    )
    assert function(tf.constant(1.0)).numpy() == 4.0
    assert function(tf.constant([1.0, 2.0])).numpy().tolist() == [4.0, 5.0]


def test_an_error_in_a_line_of_a_loop_names_the_operation() -> None:
    def body(i: Any, x: Any) -> Any:
        return (tf.gather([1.0, 2.0], i + 1, name="culprit") + x,)

    with pytest.raises(tf.errors.InvalidArgumentError, match="culprit"):
        results(lambda x: counted(3, body, x), np.array(1.0, np.float32))


@pytest.mark.parametrize("start", range(0, 150, 50))
def test_random_programs_show_the_same_with_and_without_scalars(start: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(start, start + 50):
        random = RandomGraph(seed)
        found = outcome(random, imported(random))
        with monkeypatch.context() as patch:
            patch.setattr(codegen, "use_scalars", lambda block, scope: None)
            assert outcome(random, imported(random)) == found, f"seed {seed}"


def test_operators_are_those_of_the_ufuncs() -> None:
    for ufunc, (symbol, dtypes) in scalars._OPERATORS.items():
        for dtype in dtypes:
            operands = [np.array(v, dtype.np_dtype)[()] for v in ([3, 5] if ufunc.nin == 2 else [3])]
            text = f"{symbol}x" if ufunc.nin == 1 else f"x {symbol} y"
            found = eval(text, dict(zip("xy", operands, strict=False)))
            assert type(found) is type(ufunc(*operands))
            assert found == ufunc(*operands)
