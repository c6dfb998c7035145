"""Random graphs for passes: what people write and what gradients make, with all that a pass could get wrong.

A graph is a function of a seed. It computes on arrays with NaNs, infinities and zeros of both signs, reads and writes
variables, calls Python (so that the order of effects shows), fails now and then, and holds functions, branches and
loops.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import millrace as tf

_SPECIAL = (0.0, -0.0, 1.0, -1.0, 2.0, 0.5, float("inf"), float("nan"))
_SHAPES = ((), (3,), (2, 3), (1, 3), (3, 1), (0, 3))


class RandomGraph:
    """A traced function and what it needs to run.

    Attributes:
      graph: the graph.
      log: what the function told the outside, in order.
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.rng = np.random.RandomState(seed)
        self.log: list[str] = []
        self.variables = [tf.Variable(np.float32([1.5, -0.0, 2.0])), tf.Variable(np.float32(3.0))]
        self.starts = [v.numpy() for v in self.variables]
        self.depth = 0
        specs = [tf.TensorSpec(shape, tf.float32) for shape in ([3], [None, 3], [], [2, 3])]
        function = tf.function(self._function, autograph=False)
        self.concrete = function.get_concrete_function(*specs, tf.TensorSpec([], tf.int32))
        self.graph = self.concrete.graph
        self.arguments = [self._array(s) for s in ((3,), (2, 3), (), (2, 3))] + [
            np.array(self.pick((0, 1, 2, 5)), np.int32)
        ]

    def reset(self) -> list[Any]:
        """Returns the arguments of a run, with the variables as at first."""
        self.log.clear()
        for variable, start in zip(self.variables, self.starts, strict=True):
            variable.assign(start)
        return [*self.arguments, *[t._eager_array for t in self.concrete.captured_inputs]]

    # --- choices -------------------------------------------------------------------------------------------------

    def pick(self, items: Sequence[Any]) -> Any:
        return items[self.rng.randint(len(items))]

    def chance(self, percent: int) -> bool:
        return bool(self.rng.randint(100) < percent)

    def _array(self, shape: Sequence[int]) -> Any:
        array = self.rng.uniform(-2, 2, shape).round(1).astype(np.float32)
        spots = self.rng.uniform(size=shape) < 0.2
        return np.where(spots, np.float32(self.pick(_SPECIAL)), array)

    # --- the function --------------------------------------------------------------------------------------------

    def _function(self, *arguments: Any) -> Any:
        *arrays, count = arguments
        self.count = count
        pool = self._block([*arrays], 4 + self.rng.randint(12))
        return [self.pick(pool) for _ in range(1 + self.rng.randint(3))] + [pool[-1]]

    def _block(self, pool: list[Any], steps: int) -> list[Any]:
        for _ in range(steps):
            kinds: Sequence[Callable[[list[Any]], Any]] = (
                *(self._binary, self._binary, self._binary, self._unary, self._unary),
                *(self._shape_of, self._layout, self._layout, self._reduction, self._repeated, self._slices),
                *(self._variable, self._effect, self._branch, self._loop, self._call, self._gradient, self._waiting),
            )
            made = self.pick(kinds)(pool)
            if made is not None:
                pool.append(made if made.dtype == tf.float32 else tf.cast(made, tf.float32))
        return pool

    def _constant(self) -> Any:
        number = self.pick(_SPECIAL)
        return tf.constant(number) if self.chance(60) else tf.constant(np.full(self.pick(_SHAPES), number, np.float32))

    def _operand(self, pool: list[Any]) -> Any:
        return self._constant() if self.chance(35) else self.pick(pool)

    def _binary(self, pool: list[Any]) -> Any:
        function = self.pick((tf.add, tf.subtract, tf.multiply, tf.divide, tf.maximum, tf.math.divide_no_nan))
        x, y = self._operand(pool), self._operand(pool)
        try:
            return function(x, y)
        except ValueError:  # the shapes do not fit
            return function(x, self.pick(_SPECIAL))

    def _unary(self, pool: list[Any]) -> Any:
        x = self.pick(pool)
        return self.pick(
            (
                lambda: -x,
                lambda: tf.negative(tf.negative(x)),
                lambda: tf.identity(x),
                lambda: tf.sqrt(x),
                lambda: tf.nn.relu(x),
                lambda: tf.nn.leaky_relu(x, self.pick((0.0, -0.0, 0.1))),
                lambda: tf.cast(tf.cast(x, tf.float32), tf.float64) - 0.0 == 1.0,
                lambda: tf.cast(tf.cast(x, tf.int32) + 0, tf.float32),
                lambda: tf.where(tf.logical_not(tf.logical_not(x > 0.0)) & True, x, 1.0),
                lambda: tf.cast(tf.cast(x > 0.0, tf.int32) * 1 // 1, tf.float32),
            )
        )()

    def _shape_of(self, pool: list[Any]) -> Any:
        x = self.pick(pool)
        return self.pick(
            (
                lambda: tf.zeros_like(x),
                lambda: tf.ones_like(x) * 3.0,
                lambda: tf.fill(tf.shape(x), 2.0),
                lambda: tf.cast(tf.size(x) + tf.rank(x), tf.float32),
                lambda: tf.broadcast_to(x, tf.shape(x)),
            )
        )()

    def _layout(self, pool: list[Any]) -> Any:
        x = self.pick(pool)
        rank = x.shape.rank
        if rank is None:
            return None
        return self.pick(
            (
                lambda: tf.reshape(tf.reshape(x, [-1]), tf.shape(x)),
                lambda: tf.reshape(tf.reshape(x, [-1, 1]), [-1]),
                lambda: tf.squeeze(tf.expand_dims(x, 0), 0),
                lambda: tf.transpose(tf.transpose(x)),
                lambda: tf.transpose(x, list(range(rank))),
                lambda: tf.tile(x, [1] * rank),
                lambda: tf.add_n([x]),
                lambda: tf.concat([tf.reshape(x, [-1]), [1.0]], 0),
            )
        )()

    def _reduction(self, pool: list[Any]) -> Any:
        x = self.pick(pool)
        rank = x.shape.rank or 0
        axes = self.pick(([], list(range(rank)), [0] if rank else [], [-1] if rank else []))
        function = self.pick((tf.reduce_sum, tf.reduce_max, tf.reduce_mean, tf.reduce_prod))
        kept = function(x, axes, keepdims=True)
        if self.chance(50) or x.shape.rank is None:
            return kept
        return tf.reshape(kept, tf.shape(function(x, axes)))

    def _repeated(self, pool: list[Any]) -> Any:
        x = self.pick(pool)
        return tf.exp(x) + tf.exp(x)

    def _slices(self, pool: list[Any]) -> Any:
        """A row that may be out of range, from an array or in a gradient."""
        rows = [t for t in pool if t.shape.rank in (1, 2)]
        if not rows:
            return None
        x, index = self.pick(rows), self.pick((0, self.count, tf.minimum(self.count, 1)))
        if self.chance(20):
            return tf.gather(x, index)
        dims = tf.shape(x)
        grown = [
            tf.raw_ops.StridedSliceGrad(shape=dims, begin=[0], end=[1], strides=[1], dy=x[0:1] * float(k))
            for k in range(3)
        ]
        total = tf.add_n([x, *grown]) if self.chance(50) else (grown[0] + grown[1]) + grown[2]
        return total + 0.0  # where nothing is added, a sum of such arrays may keep -0.0

    def _variable(self, pool: list[Any]) -> Any:
        variable = self.pick(self.variables)
        if self.chance(50):
            change = self.pick((variable.assign_add, variable.assign_sub, variable.assign))
            change(tf.ones(variable.shape) * tf.cast(self.count, tf.float32) + self._first(pool))
        return variable.read_value() + variable

    def _first(self, pool: list[Any]) -> Any:
        x = self.pick(pool)
        return tf.reduce_sum(x)

    def _effect(self, pool: list[Any]) -> None:
        name = f"e{self.rng.randint(1000)}"
        if self.chance(30):
            tf.debugging.Assert(tf.reduce_all(self.count < self.pick((2, 10))), [name])
        else:
            tf.numpy_function(lambda value: self.log.append(f"{name} {value!r}"), [self._first(pool)], [])

    def _waiting(self, pool: list[Any]) -> Any:
        """What runs only because something waits for it, and may fail."""
        with tf.control_dependencies([tf.gather([1.0, 2.0, 3.0], self.pick((0, self.count)))]):
            return tf.identity(self.pick(pool))

    def _branch(self, pool: list[Any]) -> Any:
        if self.depth > 2:
            return None
        self.depth += 1
        predicate = self.pick((self.count > 1, tf.constant(True), tf.constant(1.0) > 2.0))
        found = tf.cond(predicate, lambda: self._inner(pool), lambda: self._inner(pool))
        self.depth -= 1
        return self.pick(found)

    def _loop(self, pool: list[Any]) -> Any:
        if self.depth > 2:
            return None
        self.depth += 1
        bound, kept = self.pick((3, self.count)), self._operand(pool)

        def body(i: Any, idle: Any, total: Any, fixed: Any) -> Any:
            total = total * 0.5 + self._inner([*pool, fixed])[0]
            return i + 1, idle + 1.0, total, fixed

        start = (0, 0.0, tf.constant(self.pick(_SPECIAL)), kept)
        _, idle, total, fixed = tf.while_loop(lambda i, *_: i < bound, body, start)
        self.depth -= 1
        return self.pick((total, total, idle, fixed))

    def _inner(self, pool: list[Any]) -> list[Any]:
        """Two scalars from a block of its own."""
        made = self._block(list(pool), 1 + self.rng.randint(3))
        return [self._first(made), self._first(made[-1:])]

    def _call(self, pool: list[Any]) -> Any:
        """A function that is called twice, with a constant and something else."""
        if self.depth > 2:
            return None
        self.depth += 1
        function = tf.function(lambda x, k: self._inner([x, k, x * k]), autograph=False)
        x = self.pick(pool)
        first, second = function(x, tf.constant(1.0)), function(x, self._first(pool))
        self.depth -= 1
        return self.pick((first[0] + second[1], second[0], first[1]))

    def _gradient(self, pool: list[Any]) -> Any:
        x = self.pick(pool)
        if x.shape.rank not in (1, 2) or x.shape[0] == 0:
            return None
        y = tf.reduce_sum(x * tf.tanh(x)) + tf.reduce_mean(x[0] * x[0])
        return tf.gradients(y, x)[0]
