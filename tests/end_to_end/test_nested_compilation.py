"""Random programs do the same whether inner functions are compiled, the outer one, or none: values and gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import millrace as tf

pytestmark = pytest.mark.xla

Step = Callable[["Program", Any], Any]

# The sum of what "center" gives is 0 but for rounding: a branch must not hang on its sign.
STEPS: dict[str, Step] = {
    "sin": lambda program, x: tf.sin(x) * 1.5,
    "square": lambda program, x: tf.square(x) * 0.3 - 0.1,
    "softplus": lambda program, x: tf.nn.softplus(x),
    "center": lambda program, x: x - tf.reduce_mean(x, axis=-1, keepdims=True),
    "rows": lambda program, x: x / tf.cast(tf.shape(x)[0], tf.float32),
    "matmul": lambda program, x: tf.matmul(x, program.kernel),
    "assign": lambda program, x: program.updated(x),
    "branch": lambda program, x: tf.cond(tf.reduce_sum(x) > 0.05, lambda: x * 0.5, lambda: tf.exp(-x * x)),
    "loop": lambda program, x: tf.while_loop(
        lambda i, y: i < 3, lambda i, y: (i + 1, y * 0.9 + 0.1), [0, x], maximum_iterations=3
    )[1],
    "random": lambda program, x: x + tf.random.stateless_normal(tf.shape(x), [1, 2]) * 0.1,
    "drawn": lambda program, x: x * tf.random.uniform([3], 0.5, 1.5, seed=5),
}
WRAPS: dict[str, Callable[[Callable[[Any], Any]], Callable[[Any], Any]]] = {
    "call": lambda function: function,
    "branch": lambda function: lambda x: tf.cond(tf.size(x) > 0, lambda: function(x), lambda: x),
    "loop": lambda function: (
        lambda x: tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, function(y)), [0, x], maximum_iterations=2)[1]
    ),
}


class Program:
    """A chain of functions, each a chain of steps; an inner function may be called in a branch or a loop."""

    def __init__(self, parts: Sequence[tuple[str, Sequence[str]]], inner: bool | None, outer: bool | None) -> None:
        self.kernel = tf.Variable(np.linspace(-0.5, 0.6, 9).reshape(3, 3).astype(np.float32))
        self.state = tf.Variable([0.5, -0.25, 1.0])
        functions = [WRAPS[wrap](self.compiled(names, inner)) for wrap, names in parts]

        def run(x: Any) -> Any:
            for function in functions:
                x = function(x)
            return x

        def derived(x: Any) -> Any:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = run(x)
                loss = tf.reduce_sum(y * y)
            return [y, *tape.gradient(loss, [x, self.kernel], unconnected_gradients="zero")]

        specs = [tf.TensorSpec([None, 3], tf.float32)]
        self.run = tf.function(run, jit_compile=outer, autograph=False, input_signature=specs)
        self.derived = tf.function(derived, jit_compile=outer, autograph=False, input_signature=specs)

    def compiled(self, names: Sequence[str], jit_compile: bool | None) -> Callable[[Any], Any]:
        def inner(x: Any) -> Any:
            for name in names:
                x = STEPS[name](self, x)
            return x

        return tf.function(inner, jit_compile=jit_compile, autograph=False)

    def updated(self, x: Any) -> Any:
        self.state.assign(self.state * 0.9 + tf.reduce_mean(x, axis=0) * 0.1)
        return x + self.state

    def outcome(self, x: Any) -> list[Any]:
        """All that two calls, by themselves and under a tape inside and outside of the function, show."""
        tf.random.set_seed(3)
        shown = [self.run(x), *self.derived(x)]
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = self.run(x)
        shown += [y, tape.gradient(y, x), self.state, self.kernel]
        return [np.asarray(value) for value in shown]


parts = st.lists(
    st.tuples(st.sampled_from(sorted(WRAPS)), st.lists(st.sampled_from(sorted(STEPS)), min_size=1, max_size=3)),
    min_size=1,
    max_size=2,
)


@settings(max_examples=12)
@given(parts=parts, rows=st.integers(1, 3))
@example(parts=[("branch", ["branch", "drawn"])], rows=1)
def test_compiled_where_it_is_called_as_a_whole_or_not_at_all(parts: Any, rows: int) -> None:
    x = tf.constant(np.linspace(-1.0, 1.2, 3 * rows).reshape(rows, 3).astype(np.float32))
    expected = Program(parts, None, None).outcome(x)
    for inner, outer in ((True, None), (None, True), (True, True)):
        found = Program(parts, inner, outer).outcome(x)
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=2e-5, atol=2e-6, err_msg=f"{inner} {outer}")
