"""`while` and `for`: loops of the graph over tensors, Python's otherwise, both where a Python loop meets one."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import pytest

import millrace as tf


def _loops_in(function: Any, *args: Any) -> int:
    operations = function.get_concrete_function(*args).graph.get_operations()
    return sum("While" in op.type for op in operations)


def test_a_loop_over_tensors_is_one_operation_and_its_body_is_traced_once() -> None:
    traced = []

    @tf.function
    def f(n):
        total = 0
        while n > 0:
            traced.append(1)
            total += n
            n -= 1
        return total

    assert f(tf.constant(100)).numpy() == 5050
    assert _loops_in(f, tf.constant(1)) == 1 and len(traced) == 1


def test_a_python_loop_unrolls() -> None:
    @tf.function
    def f(x, n):
        for _ in range(n):
            x = x * 2
        while n > 0:
            n -= 1
            x += 1
        return x

    assert f(tf.constant(1), 3).numpy() == 11
    assert _loops_in(f, tf.constant(1), 3) == 0


SEQUENCES = {
    "vector": [1, 2, 3],
    "matrix": [[1, 2], [3, 4]],
    "empty": np.zeros([0], np.int32),
    "cube": np.arange(8, dtype=np.int32).reshape(2, 2, 2),
}


@pytest.mark.parametrize("name", list(SEQUENCES))
@pytest.mark.parametrize("known", [True, False], ids=["known shape", "unknown shape"])
def test_a_tensor_is_run_over_along_its_first_axis(name: str, known: bool) -> None:
    values = np.asarray(SEQUENCES[name], np.int32)

    def f(x):
        total = 0
        for row in x:
            total = total * 10 + tf.reduce_sum(row)
        return total

    traced = tf.function(f, input_signature=None if known else [tf.TensorSpec(None, tf.int32)])
    expected = 0
    for row in values:
        expected = expected * 10 + int(row.sum())
    assert traced(tf.constant(values)).numpy() == expected


@pytest.mark.parametrize("ends", [(5,), (2, 7), (7, 2, -2), (0, 10, 3), (3, 3), (5, 0)], ids=str)
def test_a_range_of_tensors_counts_as_pythons(ends: tuple[int, ...]) -> None:
    def f(*ends):
        numbers = 0
        i = -1
        for i in range(*ends):
            numbers = numbers * 10 + i
        return numbers, i

    got = tf.function(f)(*map(tf.constant, ends))
    assert [part.numpy() for part in got] == list(f(*ends))


def test_a_scalar_cannot_be_run_over() -> None:
    with pytest.raises(ValueError, match="len requires a non-scalar tensor"):

        @tf.function
        def f(x):
            for v in x:
                x = v
            return x

        f(tf.constant(1))


@pytest.mark.parametrize("limit", [0, 3, 100])
def test_jumps_and_else_in_loops_are_pythons(limit: int) -> None:
    def f(xs, limit):
        seen = 0
        for x in xs:
            if x == 2:
                continue
            if x > limit:
                break
            seen += x
        else:
            seen += 1000
        return seen

    values = [1, 2, 3, 4]
    assert tf.function(f)(tf.constant(values), tf.constant(limit)).numpy() == f(values, limit)


@pytest.mark.parametrize("n", [1, 3, 50])
def test_an_endless_loop_is_left_when_a_tensor_says_so(n: int) -> None:
    def f(n):
        steps = 0
        while True:
            steps += 1
            if steps * steps > n:
                break
        return steps

    traced = tf.function(f)
    assert traced(tf.constant(n)).numpy() == f(n)
    assert _loops_in(traced, tf.constant(n)) == 1


@pytest.mark.parametrize("size", [4, 1000])
def test_a_python_range_is_left_when_a_tensor_says_so(size: int) -> None:
    def f(x):
        for i in range(size):
            if i * i >= x:
                return i
        return -1

    traced = tf.function(f)
    assert [traced(tf.constant(x)).numpy() for x in (0, 5, 2_000_000)] == [f(x) for x in (0, 5, 2_000_000)]


def test_a_variable_of_the_body_may_be_read_after_the_loop() -> None:
    @tf.function
    def f(xs):
        for x in xs:
            last = x * 2
        return last

    assert f(tf.constant([1, 2, 3])).numpy() == 6


@pytest.mark.parametrize("staged", [False, True])
def test_a_long_unrolled_loop_warns_with_the_cure(caplog: pytest.LogCaptureFixture, staged: bool) -> None:
    @tf.function
    def f(x):
        if staged and x > 0:
            x = -x
        for _ in range(3000):
            x = x + 1
        return x

    with caplog.at_level(logging.WARNING, "tensorflow"):
        f(tf.constant(0))
    (message,) = [r.getMessage() for r in caplog.records if "unrolled" in r.getMessage()]
    assert message.startswith("Large unrolled loop detected. Did you mean to use a TF loop?")
    assert "tf.range(n)" in message


MISTAKES = {
    "dtype": (
        TypeError,
        r"'x' has dtype int32 before the loop, but dtype float32 after one iteration.*tf\.cast",
        "x = 0\nwhile n > 0:\n    x = 1.0\n    n -= 1\nreturn x",
    ),
    "shape": (
        ValueError,
        r"'x' has shape \(1,\) before the loop, but shape \(2,\) after one iteration.*set_loop_options",
        "x = tf.zeros([1])\nwhile n > 0:\n    x = tf.concat([x, x], 0)\n    n -= 1\nreturn x",
    ),
    "none": (
        ValueError,
        r"'x' is None at the end of the iteration",
        "x = 0\nwhile n > 0:\n    x = None\n    n -= 1\nreturn x",
    ),
    "structure": (
        TypeError,
        r"'x' does not have the same nested structure after one iteration",
        "x = 0\nwhile n > 0:\n    x = (1, 2)\n    n -= 1\nreturn x",
    ),
    "undefined": (
        ValueError,
        r"'x' must be defined before the loop",
        "while n > 0:\n    x = x + 1\n    n -= 1\nreturn x",
    ),
    "condition": (
        ValueError,
        r"condition of while loop expected to be `tf\.bool` scalar",
        "while n:\n    n -= 1\nreturn n",
    ),
}


@pytest.mark.parametrize("name", list(MISTAKES))
def test_what_a_loop_cannot_carry_is_told_with_the_variable(name: str, tmp_path: Any) -> None:
    error, message, body = MISTAKES[name]
    path = tmp_path / "mistake.py"
    path.write_text("def f(n):\n" + "".join(f"    {line}\n" for line in body.splitlines()))
    namespace: dict[str, Any] = {"tf": tf}
    exec(compile(path.read_text(), str(path), "exec"), namespace)
    with pytest.raises(error, match=message):
        tf.function(namespace["f"])(tf.constant(3))


@pytest.mark.parametrize("make", [lambda x: [x, None], lambda x: (x, str), lambda x: _Held(x), lambda x: lambda: x])
def test_a_loop_does_not_drop_a_change_that_the_graph_cannot_carry(make: Any) -> None:
    def f(x: Any) -> Any:
        held = make(x)
        for _ in tf.range(2):
            held = make(x * 2.0)
        return held

    with pytest.raises(TypeError, match=r"'held' is .* before the loop, but .* after one iteration"):
        tf.function(f)(tf.constant(1.0))


@pytest.mark.parametrize("make", [list, dict, tuple, lambda: [None, "a", (1, str)]])
def test_a_loop_may_make_the_same_python_value_again(make: Any) -> None:
    def f(x: Any) -> Any:
        held = make()
        while x < 4.0:
            held = make()
            x = x * 2.0
        assert held == make()
        return x

    assert float(tf.function(f)(tf.constant(1.0))) == 4.0


class _Held:
    def __init__(self, x: Any) -> None:
        self.x = x
